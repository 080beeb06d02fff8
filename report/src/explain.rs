//! Where the time goes, derived from records alone.
//!
//! | module | one idea |
//! |---|---|
//! | `scope` | which samples may be compared, and how they pair |
//! | `steps` | the steps as data: what changes from one backend to the next |
//! | `ladder` | the cost of one change at a time |
//! | `bound` | overhead over the cheapest mutator seen |
//! | `operations` | the cost of one reference-count operation, and of one store to a shadow stack |
//! | `sweeping` | how memory becomes free again, in counts |
//! | `pages` | all of it as headings, tables and sentences |
//! | `text`, `markdown`, `json` | the pages for a terminal, for a document; the values for programs |

use crate::format::clean;
use crate::record::{Record, Status};
use crate::stats::Estimate;
use crate::summary::{NoiseFloor, Summary};
use crate::threads::is_of_threads;
use scope::Sides;
use serde::Serialize;
use std::collections::BTreeSet;
use thiserror::Error;

mod bound;
mod json;
mod ladder;
mod markdown;
mod operations;
mod pages;
mod scope;
mod split;
mod steps;
mod sweeping;
mod text;

pub(crate) use bound::reclamation;
pub use bound::{Bound, Overhead};
pub use json::json;
pub use ladder::{Beside, Ladder, Missing, Rung, Step};
pub use markdown::markdown;
pub use operations::{Operation, Store};
pub use pages::{Block, pages};
pub use steps::Way;
pub use sweeping::Sweeping;
pub use text::text;

/// One program on one machine at one size, explained.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Explanation {
    /// Program, machine and compiler.
    pub heading: String,
    /// Size of the problem.
    pub n: u32,
    /// Whether the measuring program was built without optimisation.
    pub debug_build: bool,
    /// Cells that one search allocates: what times are divided by.
    pub cells_allocated: u64,
    /// Largest relative difference that is noise: 0.012 is 1.2 %. `None` without an A/A pair.
    pub noise: Option<f64>,
    /// The noise floor in words.
    pub noise_sentence: Option<String>,
    /// The ladder: its lines of which at least two rungs have a time.
    pub ladders: Vec<Ladder>,
    /// Steps that are on no line.
    pub beside: Beside,
    /// Overhead over the cheapest mutator.
    pub bound: Option<Bound>,
    /// Cost of the reference-count operations.
    pub operations: Vec<Operation>,
    /// Cost of a store to a shadow stack (claim S5).
    pub store: Option<Store>,
    /// How the heaps on one region find the memory that is free again (claim S7).
    pub sweeping: Vec<Sweeping>,
    /// What split reference counting is made of (claim S3).
    pub split: Option<Ladder>,
    /// What share of split reference counting is what, in a sentence.
    pub answer: String,
    /// Labels of the configurations that stand for their backends, where there are several.
    pub chosen: Vec<String>,
}

/// Whether a step is a difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// The end takes longer than the start.
    Costs,
    /// The end takes less time than the start.
    Saves,
    /// A difference that a backend may have from itself in this run.
    NoDifference,
    /// The interval includes both.
    Unclear,
    /// Too few rounds for a verdict.
    TooFew,
}

impl Verdict {
    /// The same as of any ratio, in the words of a ladder.
    fn of(ratio: &Estimate, noise: Option<&NoiseFloor>) -> Self {
        use crate::verdict::Verdict as Ratio;
        match Ratio::new(ratio, noise.map(NoiseFloor::fraction)) {
            Ratio::Slower { .. } => Self::Costs,
            Ratio::Faster { .. } => Self::Saves,
            Ratio::NoDifference { .. } => Self::NoDifference,
            Ratio::Unclear => Self::Unclear,
            Ratio::TooFew { .. } => Self::TooFew,
        }
    }

    /// For a table: `costs`, `no difference`, ...
    pub fn words(self) -> &'static str {
        match self {
            Self::Costs => "costs",
            Self::Saves => "saves",
            Self::NoDifference => "no difference",
            Self::Unclear => "not distinguishable",
            Self::TooFew => "too few rounds",
        }
    }
}

/// Why there is nothing to explain. Each message is one line.
#[derive(Debug, Error, PartialEq)]
pub enum ExplainError {
    /// No sample of this program and machine has a time, at the size that was asked for.
    #[error("{heading}: no timed samples{}; {hint}", at(*.n))]
    NoTimes {
        /// Program, machine and compiler.
        heading: String,
        /// The size, if one was asked for.
        n: Option<u32>,
        /// What there is, or what to do.
        hint: String,
    },
    /// A step takes two backends.
    #[error(
        "{heading}: only {backend} has times at n = {n}, so there is nothing to compare; measure another backend too"
    )]
    OneBackend {
        /// Program, machine and compiler.
        heading: String,
        /// The backend.
        backend: String,
        /// The size.
        n: u32,
    },
    /// Backends that call themselves right did different work, so their times say nothing.
    #[error(
        "{heading}: {first} and {second} did different work at n = {n}; one of these records is wrong, measure again"
    )]
    DifferentWork {
        /// Program, machine and compiler.
        heading: String,
        /// A backend.
        first: String,
        /// One with another answer or another number of cells.
        second: String,
        /// The size.
        n: u32,
    },
}

fn at(n: Option<u32>) -> String {
    n.map_or(String::new(), |n| format!(" at n = {n}"))
}

/// Explains records: each program on each machine apart, at each of `sizes`, or, without any, at
/// the largest size at which two backends have times. There is one result for each of these.
///
/// Samples of different compilers, builds or commits are other programs; peers are too, and left out. So
/// are samples of threads: the time of several is no time of one search on one.
pub fn explain(records: &[Record], sizes: &[u32]) -> Vec<Result<Explanation, ExplainError>> {
    let mut results = Vec::new();
    for (heading, records) in scope::origins(records) {
        let sizes: Vec<Option<u32>> = match sizes {
            [] => vec![largest(&records)],
            asked => asked.iter().copied().map(Some).collect(),
        };
        results.extend(sizes.into_iter().map(|n| Explanation::new(&heading, &records, n)));
    }
    results
}

fn timed(record: &Record) -> bool {
    let has_time = record.wall_ns.is_some() || !record.iterations_ns.is_empty();
    let plain = !record.counted && !record.control && !is_of_threads(record);
    record.status == Status::Ok && has_time && plain
}

/// What to do where no sample has a time.
fn untimed<'a>(records: impl Iterator<Item = &'a Record> + Clone) -> String {
    let hint = match records.clone().all(|record| record.counted) {
        _ if records.clone().all(is_of_threads) => {
            "all samples are of threads, and what is explained is one; measure without --threads and --mode"
        }
        true => "give records of a run without --counted",
        false => "all that were timed have failed, or are second entries of a pair",
    };
    hint.to_owned()
}

/// The largest n at which two backends have times, else the largest at which one has.
fn largest(records: &[&Record]) -> Option<u32> {
    let timed: BTreeSet<(u32, &str)> = records
        .iter()
        .filter(|record| timed(record))
        .map(|record| (record.n, record.backend.as_str()))
        .collect();
    let backends = |n: u32| timed.iter().filter(|(other, _)| *other == n).count();
    timed.iter().map(|&(n, _)| (backends(n) > 1, n)).max().map(|(_, n)| n)
}

/// Two backends whose right samples, timed or not, have not the same answer or number of cells.
fn contradiction(records: &[Record]) -> Option<(String, String)> {
    let right = || records.iter().filter(|record| record.status == Status::Ok);
    [|record: &Record| record.solutions, |record: &Record| record.cells_allocated].iter().find_map(
        |work| {
            let mut known = right().filter(|record| work(record).is_some());
            let first = known.next()?;
            let second = known.find(|record| work(record) != work(first))?;
            Some((clean(&first.backend), clean(&second.backend)))
        },
    )
}

impl Explanation {
    fn new(heading: &str, records: &[&Record], n: Option<u32>) -> Result<Self, ExplainError> {
        let heading = heading.to_owned();
        let Some(n) = n else {
            let hint = untimed(records.iter().copied());
            return Err(ExplainError::NoTimes { heading, n, hint });
        };
        let wanted = |record: &&&Record| record.n == n && !is_of_threads(record);
        let here: Vec<Record> =
            records.iter().filter(wanted).map(|&record| record.clone()).collect();
        // Without a baseline to look for, this cannot fail.
        let summary = Summary::new(&here, None).unwrap_or_default();
        let sides = Sides::new(&here, &summary);
        let Some(first) = sides.sides.first() else {
            let sizes: BTreeSet<u32> =
                records.iter().filter(|record| timed(record)).map(|record| record.n).collect();
            let sizes: Vec<String> = sizes.iter().map(u32::to_string).collect();
            let hint = match sizes.is_empty() {
                true => untimed(records.iter().copied()),
                false => format!("there are some at n = {}", sizes.join(", ")),
            };
            return Err(ExplainError::NoTimes { heading, n: Some(n), hint });
        };
        if sides.sides.iter().all(|side| side.backend == first.backend) {
            let backend = first.backend.clone();
            return Err(ExplainError::OneBackend { heading, backend, n });
        }
        if let Some((first, second)) = contradiction(&here) {
            return Err(ExplainError::DifferentWork { heading, first, second, n });
        }
        let Some(cells_allocated) = first.row.cells_allocated.filter(|&cells| cells > 0) else {
            let hint = "and without cells to divide by, times say nothing".to_owned();
            return Err(ExplainError::NoTimes { heading, n: Some(n), hint });
        };
        let cells = cells_allocated as f64;
        let split = Ladder::new(&steps::SPLIT, &sides, cells);
        Ok(Self {
            heading,
            n,
            debug_build: here.iter().any(|record| record.machine.debug_build),
            cells_allocated,
            noise: sides.noise.map(NoiseFloor::fraction),
            noise_sentence: sides.noise.map(NoiseFloor::sentence),
            ladders: steps::LADDER
                .iter()
                .filter_map(|line| Ladder::new(line, &sides, cells))
                .collect(),
            beside: Beside::new(&sides, cells),
            bound: Bound::new(&sides, cells),
            operations: Operation::all(&sides, cells),
            store: Store::new(&sides, cells),
            sweeping: Sweeping::all(&sides),
            answer: split::answer(split.as_ref(), &sides, n),
            split,
            chosen: sides.chosen(),
        })
    }

    /// How memory becomes free again, in a few sentences; `None` without the counts.
    pub fn swept(&self) -> Option<String> {
        sweeping::sentences(&self.sweeping, self.cells_allocated)
    }

    /// What one store to a shadow stack costs, in a few sentences; `None` without times and counts.
    pub fn stored(&self) -> Option<String> {
        self.store.as_ref().map(Store::sentence)
    }
}

/// An estimate in other units.
fn scaled(estimate: Estimate, by: f64) -> Estimate {
    Estimate {
        value: estimate.value * by,
        low: estimate.low * by,
        high: estimate.high * by,
        ..estimate
    }
}
