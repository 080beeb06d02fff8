//! What may be compared: samples of one program on one machine, at one size.

use crate::format::clean;
use crate::labels::{Key, Labels, Origin, origin_names};
use crate::record::{Record, Status};
use crate::stats::{Estimate, SEED, median_interval, paired_ratio};
use crate::summary::{NoiseFloor, Row, Summary, pairs};
use crate::threads::is_of_threads;
use std::collections::BTreeMap;

/// The records of each origin, each with a heading that no other has. Another program's time has no part
/// that is one of ours: peers are left out where there is anything else, and so are samples of threads.
pub(super) fn origins(records: &[Record]) -> Vec<(String, Vec<&Record>)> {
    let mut groups: BTreeMap<Origin, Vec<&Record>> = BTreeMap::new();
    for record in records {
        groups.entry(Origin::of(record)).or_default().push(record);
    }
    let names = origin_names(&groups.keys().collect());
    let heading = |record: &Record, name: &str| {
        let machine = &record.machine;
        let build = if machine.debug_build { ", not optimised" } else { "" };
        let name = if name.is_empty() { String::new() } else { format!(" [{name}]") };
        clean(&format!(
            "{} on {} ({}{build}){name}",
            record.program, machine.processor, machine.compiler
        ))
    };
    let groups = groups.into_values().zip(names);
    groups
        .map(|(mut records, name)| {
            if records.iter().any(|record| record.peer.is_none()) {
                records.retain(|record| record.peer.is_none());
            }
            if records.iter().any(|record| !is_of_threads(record)) {
                records.retain(|record| !is_of_threads(record));
            }
            (heading(records[0], &name), records)
        })
        .collect()
}

/// One configuration at one size, as the tables take it.
pub(super) struct Side<'a> {
    pub row: &'a Row,
    pub backend: String,
    pub problem_specific: bool,
    /// Whether chains are filtered without a branch.
    pub speculates: bool,
    /// Whether closed scopes give back at once what else only sweeps would.
    pub frees_at_once: bool,
    /// Samples that ended well, of every kind.
    pub samples: Vec<&'a Record>,
    /// Median time of one search in nanoseconds.
    pub time_ns: f64,
}

/// All configurations of one origin at one size that have a time, the fastest first.
pub(super) struct Sides<'a> {
    pub sides: Vec<Side<'a>>,
    pub noise: Option<&'a NoiseFloor>,
    summary: &'a Summary,
}

impl<'a> Sides<'a> {
    /// From records of one origin and size, and their summary.
    pub fn new(records: &'a [Record], summary: &'a Summary) -> Self {
        let keys: Vec<Key> = records.iter().map(Key::of).collect();
        let labels = Labels::new(keys.iter().zip(records));
        let mut samples: BTreeMap<&str, Vec<&Record>> = BTreeMap::new();
        let right = |(_, record): &(&Key, &Record)| record.status == Status::Ok;
        for (key, record) in keys.iter().zip(records).filter(right) {
            samples.entry(labels.name(key)).or_default().push(record);
        }
        let side = |row: &'a Row| {
            let group = summary.group_of(row);
            // The points of a sweep are no rungs beside the study's own configuration.
            if group.swept {
                return None;
            }
            let samples = samples.remove(row.label.as_str())?;
            let is = |name: &str, value: &str| group.params.get(name).is_some_and(|v| v == value);
            Some(Side {
                row,
                backend: group.backend.clone(),
                problem_specific: group.capabilities.problem_specific,
                speculates: is("append", "speculate"),
                frees_at_once: is("exits", "coalesce"),
                time_ns: row.time_ns?.value,
                samples,
            })
        };
        let mut sides: Vec<Side> = summary.rows.iter().filter_map(side).collect();
        sides.sort_by(|a, b| a.time_ns.total_cmp(&b.time_ns));
        // One origin and size have one floor.
        let noise = sides.first().and_then(|side| summary.noise_of(side.row));
        Self { sides, noise, summary }
    }

    /// The configuration of a backend; of several the fastest.
    pub fn of(&self, backend: &str) -> Option<&Side<'a>> {
        self.sides.iter().find(|side| side.backend == backend)
    }

    /// Why a backend has no time: how it ended, or that it was not measured.
    pub fn why_not(&self, backend: &str) -> String {
        let mut rows = self.summary.rows.iter();
        let row = rows.find(|row| self.summary.group_of(row).backend == backend);
        match row.map(|row| row.status) {
            None => "not measured".to_owned(),
            Some(Status::Ok) => "not timed".to_owned(),
            Some(failed) => failed.words().to_owned(),
        }
    }

    /// Backends of which only the fastest of several configurations is a rung.
    pub fn chosen(&self) -> Vec<String> {
        let twice = |side: &&Side| {
            let alike = self.sides.iter().filter(|other| other.backend == side.backend).count();
            alike > 1 && self.of(&side.backend).is_some_and(|of| of.row.label == side.row.label)
        };
        self.sides.iter().filter(twice).map(|side| side.row.label.clone()).collect()
    }
}

impl Side<'_> {
    /// What one side has over the other in each round that both were in: the median and its 95 %
    /// interval of `what(self, other)`, of times in nanoseconds. `None` where they never met.
    pub fn paired(&self, other: &Self, what: impl Fn(f64, f64) -> f64) -> Option<Estimate> {
        let values: Vec<f64> = self.meetings(other).map(|(a, b)| what(a, b)).collect();
        median_interval(&values, SEED)
    }

    /// The median ratio of this side's time to the other's, as the summary has it.
    pub fn ratio(&self, other: &Self) -> Option<Estimate> {
        paired_ratio(&self.meetings(other).collect::<Vec<_>>(), SEED)
    }

    fn meetings<'b>(&'b self, other: &'b Self) -> impl Iterator<Item = (f64, f64)> + 'b {
        pairs(&self.row.rounds, &other.row.rounds).into_iter()
    }
}
