//! Two runs of the same work, row by row, each with a verdict.
//!
//! A row is one program, backend, setting of parameters, number of threads, and n. Two runs are made
//! at different times and share no round, so that their samples are independent: the ratio is that
//! of the medians, with an unpaired bootstrap interval.

use crate::format::clean;
use crate::labels::{Key, labels};
use crate::record::{Record, Status};
use crate::stats::Estimate;
use crate::summary::{Summary, SummaryError};
use crate::verdict::Verdict;
use std::collections::{BTreeMap, BTreeSet};
use thiserror::Error;

mod circumstances;
mod outcome;
mod render;
mod unpaired;
mod work;
pub use outcome::Outcome;
pub use unpaired::ratio_of_medians;

/// Two runs, compared.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// One row for each configuration and n that either run has: by n, then by label.
    pub rows: Vec<Row>,
    /// What spoils the comparison, such as different machines; one line each.
    pub warnings: Vec<String>,
    /// What is worth knowing, such as the two commits; one line each.
    pub remarks: Vec<String>,
}

/// One configuration at one n, before and after.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// The backend, and in braces the parameters that tell it from its other rows; before it the
    /// program, where there are several.
    pub label: String,
    /// The measured program and its version.
    pub program: String,
    /// Name of the backend.
    pub backend: String,
    /// Every parameter with its value.
    pub params: BTreeMap<String, String>,
    /// Threads that ran the program.
    pub threads: u32,
    /// Size of the problem.
    pub n: u32,
    /// The run to compare with, if it has the row.
    pub before: Option<Side>,
    /// The run that is compared, if it has the row.
    pub after: Option<Side>,
    /// Time after over time before: above 1 is slower.
    pub ratio: Option<Estimate>,
    /// The larger of the two runs' noise floors at this n: 0.012 is 1.2 %.
    pub noise: Option<f64>,
    /// What follows.
    pub outcome: Outcome,
}

/// What one run says of a row.
#[derive(Clone, Debug, PartialEq)]
pub struct Side {
    /// The worst of the samples' ends.
    pub status: Status,
    /// What went wrong.
    pub message: Option<String>,
    /// Time of one iteration in nanoseconds: the median over the samples.
    pub time_ns: Option<Estimate>,
    /// Time of each sample in nanoseconds.
    samples_ns: Vec<f64>,
    /// The program's answer.
    solutions: Option<u64>,
    /// Cells allocated in one iteration.
    cells_allocated: Option<u64>,
}

/// Why two runs cannot be compared. Each message is one line.
#[derive(Debug, Error, PartialEq)]
pub enum CompareError {
    /// A run was made to count.
    #[error("{side} has no times, all its samples were made to count; measure without --counted")]
    NoTimes {
        /// `BEFORE` or `AFTER`.
        side: &'static str,
    },
    /// A side is not one run.
    #[error("{side} has records of several machines or commits ({origins}); give one run")]
    SeveralOrigins {
        /// `BEFORE` or `AFTER`.
        side: &'static str,
        /// What tells them apart.
        origins: String,
    },
    /// The runs have no row in common.
    #[error("BEFORE has {before}, AFTER {after}: nothing in common")]
    NothingInCommon {
        /// What the one has.
        before: String,
        /// What the other has in its place.
        after: String,
    },
    /// The runs have different answers to the same question.
    #[error(
        "{label} at n = {n}: {before} solutions in BEFORE, {after} in AFTER; this is not the same work"
    )]
    OtherAnswer {
        /// Label of the row.
        label: String,
        /// Size of the problem.
        n: u32,
        /// The one answer.
        before: u64,
        /// The other.
        after: u64,
    },
    /// The records cannot be summarised.
    #[error(transparent)]
    Summary(#[from] SummaryError),
}

/// A program and a configuration of it.
type Place = (String, Key);

/// The records of one run, by place.
type Samples<'a> = BTreeMap<Place, Vec<&'a Record>>;

/// One run, summarised.
#[derive(Default)]
struct Run {
    /// The rows by place and n.
    sides: BTreeMap<(Place, u32), Side>,
    /// The noise floors by place and n.
    noise: BTreeMap<(Place, u32), f64>,
}

impl Comparison {
    /// Compares the records of two runs.
    ///
    /// # Errors
    ///
    /// [`CompareError`]: the records are of different work, or have no times.
    pub fn new(before: &[Record], after: &[Record]) -> Result<Self, CompareError> {
        work::check(before, after)?;
        let samples = [by_place(before), by_place(after)];
        let [run_before, run_after] = [Run::new(&samples[0])?, Run::new(&samples[1])?];
        let first: BTreeMap<&Place, &Record> = samples
            .iter()
            .flatten()
            .filter_map(|(place, records)| Some((place, *records.first()?)))
            .collect();
        let names = labels(first.keys().map(|(_, key)| key));
        let programs = first.keys().map(|(program, _)| program).collect::<BTreeSet<_>>().len();
        let named = |(program, key): &Place| match programs {
            1 => names[key].clone(),
            _ => format!("{program}: {}", names[key]),
        };
        let mut comparison = Self {
            rows: Vec::new(),
            warnings: circumstances::warnings(before, after),
            remarks: circumstances::remarks(before, after),
        };
        let keys: BTreeSet<_> = run_before.sides.keys().chain(run_after.sides.keys()).collect();
        for at @ (place, n) in keys {
            let floors = [&run_before, &run_after].map(|run| run.floor(place, *n));
            let sides = [&run_before, &run_after].map(|run| run.sides.get(at).cloned());
            let noise = floors.into_iter().flatten().reduce(f64::max);
            comparison.rows.push(Row::new(named(place), first[place], *n, sides, noise));
        }
        comparison.rows.sort_by_cached_key(|row| (row.n, row.place()));
        work::check_answers(&comparison.rows)?;
        comparison.warnings.extend(work::other_cells(&comparison.rows));
        comparison.warnings.extend(outcome::too_few(&comparison.rows));
        comparison.remarks.extend(outcome::noise_sentences(&comparison.rows));
        Ok(comparison)
    }

    /// The rows that are slower by more than the tolerance (0.05 is 5 %), and by more than noise.
    ///
    /// The verdict must be "slower", and the whole 95 % interval must lie above the tolerance: a
    /// difference that may be noise fails no build. A row with too few samples to judge fails none
    /// either; [`warnings`](Self::warnings) name it.
    pub fn slower_than(&self, tolerance: f64) -> impl Iterator<Item = &Row> {
        self.rows.iter().filter(move |row| {
            matches!(row.outcome, Outcome::Timed(Verdict::Slower { .. }))
                && row.ratio.is_some_and(|ratio| ratio.low > 1.0 + tolerance)
        })
    }

    /// The rows that had ended well before and did not after.
    pub fn failed_after(&self) -> impl Iterator<Item = &Row> {
        self.rows.iter().filter(|row| row.outcome == Outcome::FailedAfter)
    }

    /// The geometric mean of the rows' ratios; `None` where there are none.
    pub fn mean_ratio(&self) -> Option<f64> {
        let logs: Vec<f64> =
            self.rows.iter().filter_map(|row| Some(row.ratio?.value.ln())).collect();
        (!logs.is_empty()).then(|| (logs.iter().sum::<f64>() / logs.len() as f64).exp())
    }
}

impl Run {
    fn new(samples: &Samples) -> Result<Self, CompareError> {
        let mut run = Self::default();
        for (place, records) in samples {
            let records: Vec<Record> = records.iter().map(|&record| record.clone()).collect();
            let summary = Summary::new(&records, None)?;
            for floor in &summary.noise {
                let noise = run.noise.entry((place.clone(), floor.n)).or_insert(0.0);
                *noise = noise.max(floor.fraction());
            }
            for row in summary.rows {
                let side = Side {
                    status: row.status,
                    message: row.message,
                    time_ns: row.time_ns,
                    samples_ns: row.samples_ns,
                    solutions: row.solutions,
                    cells_allocated: row.cells_allocated,
                };
                run.sides.insert((place.clone(), row.n), side);
            }
        }
        Ok(run)
    }

    /// The noise floor of a program at an n: the highest with as many threads that do the same; the
    /// highest of all where none of these was entered twice.
    fn floor(&self, (program, key): &Place, n: u32) -> Option<f64> {
        let here = || self.noise.iter().filter(|((place, at), _)| place.0 == *program && *at == n);
        let threads = key.what_threads_do();
        let alike = here().filter(|((place, _), _)| place.1.what_threads_do() == threads);
        let highest = |floors: &mut dyn Iterator<Item = f64>| floors.reduce(f64::max);
        highest(&mut alike.map(|(_, floor)| *floor))
            .or_else(|| highest(&mut here().map(|(_, floor)| *floor)))
    }
}

impl Row {
    fn new(
        label: String,
        record: &Record,
        n: u32,
        [before, after]: [Option<Side>; 2],
        noise: Option<f64>,
    ) -> Self {
        let both = before.as_ref().zip(after.as_ref());
        let ratio = both.and_then(|(b, a)| ratio_of_medians(&a.samples_ns, &b.samples_ns));
        Self {
            outcome: Outcome::new(before.as_ref(), after.as_ref(), ratio, noise),
            label,
            program: clean(&record.program),
            backend: clean(&record.backend),
            params: record.params.iter().map(|(k, v)| (clean(k), clean(v))).collect(),
            threads: record.threads,
            n,
            before,
            after,
            ratio,
            noise,
        }
    }

    /// The label, numbers of threads such that 16 come after 8.
    fn place(&self) -> String {
        let told = |threads: &str| format!("threads={threads}");
        let threads = self.threads;
        self.label.replace(&told(&threads.to_string()), &told(&format!("{threads:10}")))
    }

    /// The row in words: `rc at n = 8`.
    pub fn name(&self) -> String {
        format!("{} at n = {}", self.label, self.n)
    }
}

fn by_place(records: &[Record]) -> Samples<'_> {
    let mut samples = Samples::new();
    for record in records {
        samples.entry((clean(&record.program), Key::anywhere(record))).or_default().push(record);
    }
    samples
}
