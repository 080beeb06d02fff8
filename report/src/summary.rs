//! Samples grouped into rows: one row for each configuration and size, with its ratio to a baseline.

use crate::format::clean;
use crate::labels::{Key, labels};
use crate::record::{Capabilities, Record, Status};
use crate::stats::paired_ratio;
use rayon::prelude::*;
use std::collections::BTreeMap;
use thiserror::Error;

mod noise;
mod row;
pub use noise::NoiseFloor;
pub use row::Row;
use row::timed;

/// Seed of all resampling: the same records must give the same report.
const SEED: u64 = 1;

/// Baseline that is taken where none is asked for, if the records have it.
const DEFAULT_BASELINE: &str = "gc";

/// Everything that tables and charts show.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Summary {
    /// The configurations: fastest at the largest n first, those without a time there last.
    pub groups: Vec<Group>,
    /// One row for each configuration and n: by n, then in the order of `groups`, failed rows last.
    pub rows: Vec<Row>,
    /// Label of the group that ratios compare with; `None` where nothing has a time.
    pub baseline: Option<String>,
    /// The spread of the A/A pair, for each n that has one, smallest n first.
    pub noise: Vec<NoiseFloor>,
}

/// One configuration: a backend with its parameters.
#[derive(Clone, Debug, PartialEq)]
pub struct Group {
    /// Backend, and in braces the parameters that tell it from its other groups.
    pub label: String,
    /// Name of the backend.
    pub backend: String,
    /// Family of the backend.
    pub family: String,
    /// The backend in one sentence.
    pub about: String,
    /// What the backend can and cannot do.
    pub capabilities: Capabilities,
    /// Every parameter with its value.
    pub params: BTreeMap<String, String>,
}

/// Why records cannot be summarised as asked.
#[derive(Debug, Error, PartialEq)]
pub enum SummaryError {
    /// The records have no such baseline.
    #[error("no backend '{name}' in these records to compare with; give one of: {known}")]
    UnknownBaseline {
        /// What was asked for.
        name: String,
        /// The labels there are.
        known: String,
    },
}

/// A configuration with its rows, each beside the samples it was made from.
type Grouped<'a> = (Group, Vec<(Row, &'a [&'a Record])>);

impl Summary {
    /// Groups records by backend, parameters and n, and compares each group with the baseline.
    ///
    /// The baseline is a label or the name of a backend (of several groups, the fastest). Without
    /// one, it is `gc` where that has a time, else the fastest.
    ///
    /// # Errors
    ///
    /// [`SummaryError::UnknownBaseline`], listing the labels there are.
    pub fn new(records: &[Record], baseline: Option<&str>) -> Result<Self, SummaryError> {
        let mut samples: BTreeMap<Key, BTreeMap<u32, Vec<&Record>>> = BTreeMap::new();
        for record in records {
            let sizes = samples.entry(Key::of(record)).or_default();
            sizes.entry(record.n).or_default().push(record);
        }
        let names = labels(samples.keys());
        let mut groups: Vec<Grouped> = samples
            .par_iter()
            .filter_map(|(key, sizes)| {
                let first = sizes.values().flatten().next()?;
                let rows = sizes
                    .iter()
                    .map(|(&n, records)| (Row::new(&names[key], n, records), records.as_slice()))
                    .collect();
                Some((Group::new(&names[key], key, first), rows))
            })
            .collect();
        groups.sort_by(|(a, rows_a), (b, rows_b)| {
            speed(rows_a).cmp(&speed(rows_b)).then_with(|| a.label.cmp(&b.label))
        });

        let chosen = choose_baseline(&groups, baseline)?;
        let by_n: BTreeMap<u32, &[&Record]> = chosen
            .map(|i| groups[i].1.iter().map(|(row, s)| (row.n, *s)).collect())
            .unwrap_or_default();
        let mut summary =
            Self { baseline: chosen.map(|i| groups[i].0.label.clone()), ..Self::default() };
        for (place, (group, rows)) in groups.into_iter().enumerate() {
            for (mut row, samples) in rows {
                row.group = place;
                if row.status == Status::Ok {
                    let pairs = by_n
                        .get(&row.n)
                        .map_or(Vec::new(), |base| noise::pairs(&timed(samples), &timed(base)));
                    row.ratio = paired_ratio(&pairs, SEED);
                }
                summary.noise.extend(NoiseFloor::new(&group.label, row.n, samples));
                summary.rows.push(row);
            }
            summary.groups.push(group);
        }
        summary.rows.sort_by_key(|row| (row.n, row.status != Status::Ok, row.group));
        summary.noise.sort_by_key(|noise| noise.n);
        Ok(summary)
    }

    /// The largest n of any row.
    pub fn largest_n(&self) -> Option<u32> {
        self.rows.iter().map(|row| row.n).max()
    }

    /// The rows of one n, in order.
    pub fn rows_at(&self, n: u32) -> impl Iterator<Item = &Row> {
        self.rows.iter().filter(move |row| row.n == n)
    }

    /// The configuration of a row.
    pub fn group_of(&self, row: &Row) -> &Group {
        &self.groups[row.group]
    }

    /// Whether the row is of the configuration that ratios compare with, and has a time.
    pub fn is_baseline(&self, row: &Row) -> bool {
        row.time_ns.is_some() && self.baseline.as_ref() == Some(&row.label)
    }

    /// The noise floor at one n, if the run had an A/A pair there.
    pub fn noise_at(&self, n: u32) -> Option<&NoiseFloor> {
        self.noise.iter().find(|noise| noise.n == n)
    }
}

/// Sorts groups: a time at a larger n first, then the shorter time.
fn speed(rows: &[(Row, &[&Record])]) -> (std::cmp::Reverse<Option<u32>>, u64) {
    let last = rows.iter().rev().find_map(|(row, _)| Some((row.n, row.time_ns?.value)));
    (std::cmp::Reverse(last.map(|(n, _)| n)), last.map_or(0, |(_, ns)| ns as u64))
}

fn choose_baseline(groups: &[Grouped], asked: Option<&str>) -> Result<Option<usize>, SummaryError> {
    // Labels are made of cleaned names.
    let find = |name: &str| {
        let name = clean(name);
        let label = groups.iter().position(|(group, _)| group.label == name);
        label.or_else(|| groups.iter().position(|(group, _)| group.backend == name))
    };
    let has_time = |&i: &usize| groups[i].1.iter().any(|(row, _)| row.time_ns.is_some());
    if let Some(name) = asked {
        let known = || groups.iter().map(|(group, _)| group.label.as_str()).collect::<Vec<_>>();
        return find(name).map(Some).ok_or_else(|| SummaryError::UnknownBaseline {
            name: clean(name),
            known: known().join(", "),
        });
    }
    Ok(find(DEFAULT_BASELINE).filter(has_time).or_else(|| (0..groups.len()).find(has_time)))
}

impl Group {
    fn new(label: &str, key: &Key, record: &Record) -> Self {
        Self {
            label: label.to_owned(),
            backend: key.backend.clone(),
            family: clean(&record.family),
            about: clean(&record.about),
            capabilities: Capabilities {
                returns: clean(&record.capabilities.returns),
                ..record.capabilities.clone()
            },
            params: record.params.iter().map(|(k, v)| (clean(k), clean(v))).collect(),
        }
    }
}
