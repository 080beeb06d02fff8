//! One phase of one workload at one size.

use super::WORKLOAD;
use crate::format::{clean, exact_count};
use crate::labels::{Key, Labels};
use crate::record::{CounterSource, Phase, Record, Status, Study};
use crate::stats::{Estimate, median};
use crate::summary::{Group, NoiseFloor, Row, Summary, SummaryError};
use crate::verdict::Verdict;
use rayon::prelude::*;
use std::collections::BTreeMap;

/// The studies in the order in which they are shown, each with the row that the others are compared with.
const BASELINES: [(&str, &str); 3] = [("pointers", "box"), ("burst", "malloc"), ("growth", "vec")];

/// Workloads in the order in which they are shown; others come after them, by name.
const WORKLOADS: [&str; 5] = ["window", "vector", "list", "int", "class"];

/// What the samples of one phase of one workload of a study say at one size.
#[derive(Clone, Debug, PartialEq)]
pub struct View {
    /// Name of the study.
    pub study: String,
    /// What `n` counts, for instance `live objects`.
    pub size: String,
    /// The size.
    pub n: u32,
    /// What the rows were put to.
    pub workload: String,
    /// The part of an iteration.
    pub phase: String,
    /// Operations of one iteration: the summary's times are of so many.
    pub operations: u64,
    /// The rows, each with its time, its ratio to the baseline and its verdict.
    pub summary: Summary,
    /// The samples as the summary has them: their times those of the phase, no workload among their
    /// parameters.
    pub(crate) records: Vec<Record>,
    /// The figures of each configuration: the medians over its samples.
    figures: BTreeMap<usize, BTreeMap<String, f64>>,
}

/// A study, an n, and a workload, in the order in which they are shown.
type Block = ((usize, String), u32, (usize, String));

/// Every phase of every workload at every size: by study, n and workload, phases in the order of their
/// records. All records must be of studies.
///
/// The baseline is as of [`Summary::new`], for the studies that have it; without one it is what was entered
/// twice, else the one that the study is about.
///
/// # Errors
///
/// [`SummaryError::UnknownBaseline`], where no study has it.
pub fn views(records: &[Record], baseline: Option<&str>) -> Result<Vec<View>, SummaryError> {
    let mut blocks: BTreeMap<Block, Vec<&Record>> = BTreeMap::new();
    for record in records {
        if let Some(study) = &record.study {
            blocks.entry(block(record, study)).or_default().push(record);
        }
    }
    let blocks: Vec<_> = blocks.into_iter().collect();
    let parts: Vec<(&Block, &Vec<&Record>, String)> = blocks
        .iter()
        .flat_map(|(block, records)| {
            phases(records).into_iter().map(move |phase| (block, records, phase))
        })
        .collect();
    let made: Vec<(View, Option<SummaryError>)> = parts
        .into_par_iter()
        .map(|(block, records, phase)| View::new(block, records, phase, baseline))
        .collect::<Result<_, _>>()?;
    let known = made.iter().any(|(_, unknown)| unknown.is_none());
    let (views, unknown): (Vec<View>, Vec<_>) = made.into_iter().unzip();
    match unknown.into_iter().flatten().next() {
        Some(why) if !known => Err(why),
        _ => Ok(views),
    }
}

fn block(record: &Record, study: &Study) -> Block {
    let place = |known: &[&str], name: &str| {
        (known.iter().position(|known| *known == name).unwrap_or(usize::MAX), clean(name))
    };
    let workload = record.params.get(WORKLOAD).map_or("", String::as_str);
    let studies = BASELINES.map(|(study, _)| study);
    (place(&studies, &study.name), record.n, place(&WORKLOADS, workload))
}

/// Names of the phases that any sample has, in order. Where all failed too early to have one, it has no name.
fn phases(records: &[&Record]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for phase in records.iter().flat_map(|record| &record.study).flat_map(|study| &study.phases) {
        let name = clean(&phase.name);
        if !names.contains(&name) {
            names.push(name);
        }
    }
    if names.is_empty() { vec![String::new()] } else { names }
}

impl View {
    /// Beside it the error, where it has not the baseline that was asked for, but one of its own.
    fn new(
        ((study_order, study), n, (_, workload)): &Block,
        records: &[&Record],
        phase: String,
        baseline: Option<&str>,
    ) -> Result<(Self, Option<SummaryError>), SummaryError> {
        let found: Vec<(&Record, Option<&Phase>)> =
            records.iter().map(|&record| (record, phase_of(record, &phase))).collect();
        let operations = found.iter().find_map(|(_, phase)| Some(phase.as_ref()?.operations));
        let operations = operations.unwrap_or(1).max(1);
        // What is right and lacks the phase did something else; what failed is to be shown as failed.
        let kept = found
            .into_iter()
            .filter(|(record, phase)| phase.is_some() || record.status != Status::Ok);
        let records: Vec<Record> =
            kept.map(|(record, phase)| of_phase(record, phase, operations)).collect();
        let own = BASELINES.get(*study_order).map(|(_, row)| *row).filter(|row| {
            let twice = records.iter().any(|record| record.control);
            !twice && records.iter().any(|record| record.backend == *row)
        });
        let (summary, unknown) = match Summary::new(&records, baseline.or(own)) {
            Ok(summary) => (summary, None),
            Err(why) => (Summary::new(&records, own)?, Some(why)),
        };
        let size = records.iter().find_map(|record| Some(clean(&record.study.as_ref()?.size)));
        let view = Self {
            study: study.clone(),
            size: size.unwrap_or_default(),
            n: *n,
            workload: workload.clone(),
            phase,
            operations,
            figures: figures(&records, &summary),
            summary,
            records,
        };
        Ok((view, unknown))
    }

    /// The size in words: `n = 10,000 (elements)`.
    pub fn size_words(&self) -> String {
        let n = exact_count(self.n.into());
        if self.size.is_empty() { format!("n = {n}") } else { format!("n = {n} ({})", self.size) }
    }

    /// Nanoseconds of one operation.
    pub fn ns(&self, row: &Row) -> Option<Estimate> {
        let operations = self.operations as f64;
        row.time_ns.map(|time| Estimate {
            value: time.value / operations,
            low: time.low / operations,
            high: time.high / operations,
            ..time
        })
    }

    /// A figure of a row's configuration.
    pub fn figure(&self, row: &Row, name: &str) -> Option<f64> {
        self.figures.get(&row.group)?.get(name).copied()
    }

    /// All figures of a row's configuration, by name.
    pub fn figures(&self, row: &Row) -> impl Iterator<Item = (&str, f64)> {
        let of_group = self.figures.get(&row.group).into_iter().flatten();
        of_group.map(|(name, &value)| (name.as_str(), value))
    }

    /// Instructions of one operation, and who counted them; `None` where an iteration has several phases,
    /// since what lies between them was counted too, and of peers.
    pub fn instructions(&self, row: &Row) -> Option<(f64, CounterSource)> {
        let phases = self.records.iter().flat_map(|record| &record.study);
        if phases.map(|study| study.phases.len()).max() != Some(1) || self.is_peer(row) {
            return None;
        }
        let counters = row.events.iter().map(|events| &events.counters);
        let mut counted = counters.filter_map(|it| Some((it.instructions?, it.source)));
        let (instructions, source) = counted.next().filter(|_| row.status == Status::Ok)?;
        Some((instructions as f64 / self.operations as f64, source))
    }

    /// The row of this label.
    pub fn labelled(&self, label: &str) -> Option<&Row> {
        self.summary.rows.iter().find(|row| row.label == label)
    }

    /// The fastest row of this name that has a time.
    pub fn find(&self, backend: &str) -> Option<&Row> {
        self.timed().find(|row| self.summary.group_of(row).backend == backend)
    }

    /// The rows that have a time, the fastest first.
    pub fn timed(&self) -> impl Iterator<Item = &Row> {
        self.summary.rows.iter().filter(|row| row.time_ns.is_some())
    }

    /// Whether a row is of a program of its own.
    pub fn is_peer(&self, row: &Row) -> bool {
        self.summary.group_of(row).peer.is_some()
    }

    /// The noise floor of the rows: 0.012 is 1.2 %.
    pub fn floor(&self) -> Option<f64> {
        let first = self.summary.rows.first()?;
        self.summary.noise_of(first).map(NoiseFloor::fraction)
    }

    /// Time of one row over another's, and what it says.
    pub fn compare(&self, row: &Row, other: &Row) -> Option<(Estimate, Verdict)> {
        let ratio = self.summary.ratio(row, other)?;
        Some((ratio, Verdict::new(&ratio, self.floor())))
    }
}

fn phase_of<'a>(record: &'a Record, name: &str) -> Option<&'a Phase> {
    record.study.as_ref()?.phases.iter().find(|phase| clean(&phase.name) == name)
}

/// A sample whose times are those of one phase, as if that had so many operations.
fn of_phase(record: &Record, phase: Option<&Phase>, operations: u64) -> Record {
    let mut record = record.clone();
    record.params.remove(WORKLOAD);
    let own = u128::from(phase.map_or(operations, |phase| phase.operations.max(1)));
    let scaled = |it: u64| (u128::from(it) * u128::from(operations) / own) as u64;
    let times = phase.map(|phase| phase.iterations_ns.iter().map(|&ns| scaled(ns)).collect());
    record.iterations_ns = times.unwrap_or_default();
    for counters in &mut record.counters {
        counters.instructions = counters.instructions.map(scaled);
    }
    let times: Vec<f64> = record.iterations_ns.iter().map(|&ns| ns as f64).collect();
    record.wall_ns = median(&times).map(|ns| ns.round() as u64);
    record
}

/// By the place of each configuration. What failed has none.
fn figures(records: &[Record], summary: &Summary) -> BTreeMap<usize, BTreeMap<String, f64>> {
    let keys: Vec<Key> = records.iter().map(Key::of).collect();
    let labels = Labels::new(keys.iter().zip(records));
    let mut samples: BTreeMap<usize, BTreeMap<String, Vec<f64>>> = BTreeMap::new();
    for (key, record) in keys.iter().zip(records) {
        let is_of = |group: &Group| {
            group.config == labels.name(key) && summary.origins[group.origin].0 == key.origin
        };
        let Some(group) = summary.groups.iter().position(is_of) else { continue };
        if record.control || record.status != Status::Ok {
            continue;
        }
        for (name, &value) in record.study.iter().flat_map(|study| &study.figures) {
            let of_group = samples.entry(group).or_default();
            of_group.entry(clean(name)).or_default().push(value);
        }
    }
    let failed = |group: usize| {
        summary.rows.iter().any(|row| row.group == group && row.status != Status::Ok)
    };
    samples.retain(|group, _| !failed(*group));
    let medians = |values: BTreeMap<String, Vec<f64>>| {
        values.into_iter().filter_map(|(name, values)| Some((name, median(&values)?))).collect()
    };
    samples.into_iter().map(|(group, values)| (group, medians(values))).collect()
}
