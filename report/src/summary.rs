//! Samples grouped into rows: one row for each configuration and size, with its ratio to a baseline.

use crate::format::clean;
use crate::labels::{Key, Names};
use crate::record::params::{LISTS, MODE, ORDER, SPLIT_DEPTH};
use crate::record::{Capabilities, Machine, Peer, Record, Status};
use crate::stats::{Estimate, SEED, paired_ratio};
use crate::verdict::Verdict;
use rayon::prelude::*;
use std::collections::BTreeMap;
use thiserror::Error;

mod events;
mod noise;
mod order;
mod overall;
mod parallel;
mod peers;
mod row;
pub use crate::labels::Origin;
pub use events::{Events, PauseTimes};
pub use noise::NoiseFloor;
#[cfg(test)]
pub(crate) use noise::floor_of;
pub(crate) use noise::pairs;
pub(crate) use order::magnitude;
pub(crate) use order::telling_n;
pub use overall::Overall;
pub use parallel::ParallelTimes;
pub(crate) use peers::REFERENCE;
pub use row::{Dot, Row};
pub(crate) use row::{Round, Rounds};

/// Baseline that is taken where none is asked for, if the records have it.
const DEFAULT_BASELINE: &str = "gc";

/// Everything that tables and charts show.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Summary {
    /// The programs, commits and machines that the records come from, nearly always one, and what each
    /// is called: empty where it is the only one.
    pub origins: Vec<(Origin, String)>,
    /// The machine of each origin, as its first record describes it.
    pub machines: Vec<Machine>,
    /// The configurations, origin by origin: fastest at the largest n first, those without a time last.
    pub groups: Vec<Group>,
    /// One row for each configuration and n: by n, then origin, then time; those without a time last,
    /// and failed ones after them.
    pub rows: Vec<Row>,
    /// What ratios compare with, the [`config`](Group::config) of a group in each origin that has it;
    /// `None` where nothing has a time.
    pub baseline: Option<String>,
    /// The spread of the A/A pair, for each n that has one, smallest n first.
    pub noise: Vec<NoiseFloor>,
    /// Ratios over all n, in the order of `groups`; none where there is only one n.
    pub overall: Vec<Overall>,
}

/// One configuration: a backend with its parameters, on one machine.
#[derive(Clone, Debug, PartialEq)]
pub struct Group {
    /// The configuration, and in brackets what tells its origin from others.
    pub label: String,
    /// Backend, and in braces the parameters that tell it from its other configurations.
    pub config: String,
    /// Whether it is a point of a sweep, while its backend's plain configuration is there too.
    pub swept: bool,
    /// Whether it is among what the study compares: no point of a sweep, and no peer, unless the records
    /// hold nothing but peers.
    pub studied: bool,
    /// The program, where it is not the study's own.
    pub peer: Option<Peer>,
    /// Place of its origin in [`origins`](Summary::origins).
    pub origin: usize,
    /// Name of the backend.
    pub backend: String,
    /// Family of the backend.
    pub family: String,
    /// The backend in one sentence.
    pub about: String,
    /// What the backend can and cannot do.
    pub capabilities: Capabilities,
    /// Threads that ran the program.
    pub threads: u32,
    /// Every parameter with its value.
    pub params: BTreeMap<String, String>,
}

/// Why records cannot be summarised as asked.
#[derive(Clone, Debug, Error, PartialEq)]
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

/// A configuration with its rows, smallest n first.
pub(crate) type Grouped = (Group, Vec<Row>);

/// An origin and an n.
type Block = (usize, u32);

impl Summary {
    /// Groups records by origin, backend, parameters and n, and compares each group with the baseline
    /// of its origin.
    ///
    /// The baseline is a label or the name of a backend: of several groups the one that was entered
    /// twice, else the fastest. Without one, it is what was entered twice, else `gc`, else the fastest.
    ///
    /// # Errors
    ///
    /// [`SummaryError::UnknownBaseline`], listing the labels there are.
    pub fn new(records: &[Record], baseline: Option<&str>) -> Result<Self, SummaryError> {
        let keys: Vec<Key> = records.par_iter().map(Key::of).collect();
        let names = Names::new(keys.iter().zip(records));
        Self::named(records, &keys, &names, |groups| choose_baseline(groups, baseline))
    }

    /// The same of records that are called what they are among others, and with another way to choose
    /// the baseline.
    pub(crate) fn named(
        records: &[Record],
        keys: &[Key],
        names: &Names,
        baseline: impl FnOnce(&[Grouped]) -> Result<Option<String>, SummaryError>,
    ) -> Result<Self, SummaryError> {
        let mut samples: BTreeMap<&Key, BTreeMap<u32, Vec<&Record>>> = BTreeMap::new();
        for (key, record) in keys.iter().zip(records) {
            let sizes = samples.entry(key).or_default();
            sizes.entry(record.n).or_default().push(record);
        }
        let origins = names.origins.clone();
        let machine = |origin: &Origin| {
            let first = keys.iter().zip(records).find(|(key, _)| key.origin == *origin);
            first.map_or_else(Machine::default, |(_, record)| record.machine.clone())
        };
        let machines = origins.iter().map(|(origin, _)| machine(origin)).collect();
        let mut groups: Vec<Grouped> = samples
            .par_iter()
            .filter_map(|(key, sizes)| {
                let first = sizes.values().flatten().next()?;
                let group = Group::new(names, key, first);
                let rows = sizes.iter().map(|(&n, samples)| Row::new(&group.label, n, samples));
                let rows = rows.collect();
                Some((group, rows))
            })
            .collect();
        groups.sort_by(|(a, rows_a), (b, rows_b)| {
            let order = a.origin.cmp(&b.origin).then(speed(rows_a).cmp(&speed(rows_b)));
            order.then_with(|| a.label.cmp(&b.label))
        });

        let only_peers = groups.iter().all(|(group, _)| group.peer.is_some());
        for (group, _) in &mut groups {
            group.studied = !group.swept && (group.peer.is_none() || only_peers);
        }

        let baseline = baseline(&groups)?;
        let mut summary = Self { origins, machines, baseline, ..Self::default() };
        for (place, (group, rows)) in groups.into_iter().enumerate() {
            summary.rows.extend(rows.into_iter().map(|row| Row { group: place, ..row }));
            summary.groups.push(group);
        }
        summary.compare();
        Ok(summary)
    }

    /// Puts the rows in order and fills in all that takes two of them.
    fn compare(&mut self) {
        let groups = &self.groups;
        self.rows.sort_by(|a, b| {
            let first = |row: &Row| (row.n, groups[row.group].origin, row.status != Status::Ok);
            let time = |row: &Row| row.time_ns.map_or(f64::INFINITY, |time| time.value);
            first(a).cmp(&first(b)).then(time(a).total_cmp(&time(b))).then(a.group.cmp(&b.group))
        });
        self.noise = self.rows.iter().filter_map(|row| NoiseFloor::new(self, row)).collect();
        let baselines = self.baselines();
        let ratio = |row| self.ratio(row, &self.rows[*baselines.get(&self.block(row))?]);
        let ratios: Vec<Option<Estimate>> = self.rows.iter().map(ratio).collect();
        for (row, ratio) in self.rows.iter_mut().zip(ratios) {
            row.ratio = ratio;
        }
        self.overall = Overall::all(self, &baselines);
    }

    /// Where the baseline's row is, for each origin and n that has one with a time.
    fn baselines(&self) -> BTreeMap<Block, usize> {
        let rows = self.rows.iter().enumerate().filter(|(_, row)| self.is_baseline(row));
        rows.map(|(place, row)| (self.block(row), place)).collect()
    }

    /// The rows that a row may be compared with.
    fn block(&self, row: &Row) -> Block {
        (self.group_of(row).origin, row.n)
    }

    /// The largest n of any row.
    pub fn largest_n(&self) -> Option<u32> {
        self.rows.iter().map(|row| row.n).max()
    }

    /// The rows of one n, in order.
    pub fn rows_at(&self, n: u32) -> impl Iterator<Item = &Row> {
        self.rows.iter().filter(move |row| row.n == n)
    }

    /// The rows of one n that are [`studied`](Group::studied): what a study compares.
    pub fn studied_at(&self, n: u32) -> impl Iterator<Item = &Row> {
        self.rows_at(n).filter(|row| self.group_of(row).studied)
    }

    /// The n that tells most of what is studied: the largest, but for those at which no row has half as
    /// many samples as at another n.
    pub fn studied_n(&self) -> Option<u32> {
        let timed = |row: &&Row| row.time_ns.is_some() && self.group_of(row).studied;
        telling_n(self.rows.iter().filter(timed))
    }

    /// The configuration of a row.
    pub fn group_of(&self, row: &Row) -> &Group {
        &self.groups[row.group]
    }

    /// Whether the row is of the configuration that ratios compare with, and has a time.
    pub fn is_baseline(&self, row: &Row) -> bool {
        row.time_ns.is_some() && self.baseline.as_ref() == Some(&self.group_of(row).config)
    }

    /// Time of one row over that of another, paired by round; `None` where they have no round in
    /// common, and across origins or sizes.
    pub fn ratio(&self, side: &Row, baseline: &Row) -> Option<Estimate> {
        let pairs = || noise::pairs(&side.rounds, &baseline.rounds);
        (self.block(side) == self.block(baseline)).then(|| paired_ratio(&pairs(), SEED))?
    }

    /// The noise floor that a row's ratio is held against: of its origin and n, the highest of several.
    /// What is no point of a sweep has nothing to do with the noise of one, and what runs on one thread
    /// nothing with that of several. Of tasks that share lists in several ways or are done in several
    /// orders, that of its own way and order, where this has one.
    pub fn noise_of(&self, row: &Row) -> Option<&NoiseFloor> {
        self.floors_of(row).max_by(|a, b| a.fraction().total_cmp(&b.fraction()))
    }

    /// The noise floor of a comparison of two rows, the higher of theirs: 0.012 is 1.2 %.
    pub fn floor_between(&self, side: &Row, other: &Row) -> Option<f64> {
        let floors = [side, other].map(|row| self.noise_of(row).map(NoiseFloor::fraction));
        floors.into_iter().flatten().reduce(f64::max)
    }

    /// The same as [`noise_of`](Self::noise_of) of processor times: 0.012 is 1.2 %. Not always of the
    /// same control.
    pub fn cpu_floor_of(&self, row: &Row) -> Option<f64> {
        self.floors_of(row).filter_map(NoiseFloor::cpu_fraction).reduce(f64::max)
    }

    fn floors_of(&self, row: &Row) -> impl Iterator<Item = &NoiseFloor> {
        let block = self.block(row);
        let group = self.group_of(row);
        let here = |noise: &&NoiseFloor| {
            let same = self.groups[noise.group].what_threads_do() == group.what_threads_do();
            same && (noise.origin, noise.n) == block
        };
        let mut floors: Vec<&NoiseFloor> = self.noise.iter().filter(here).collect();
        let mut keep = |wanted: &dyn Fn(&NoiseFloor) -> bool| {
            if floors.iter().any(|noise| wanted(noise)) {
                floors.retain(|noise| wanted(noise));
            }
        };
        if !group.swept {
            keep(&|noise| !noise.swept);
        }
        let tasks = group.how_tasks_go();
        keep(&|noise| self.groups[noise.group].how_tasks_go() == tasks);
        floors.into_iter()
    }

    /// Space overhead: most bytes that the heap held over most bytes that were live (Hertz & Berger,
    /// OOPSLA 2005); 1 is none. `None` where nothing tells what lived.
    ///
    /// What lives is the program's, so it is the same for all: the fewest cells that any backend that
    /// counts references, and so frees at once, held at its live maximum, times the bytes that a cell
    /// takes in this one. A heap that frees late cannot pass its dead cells for live ones; without a
    /// counting backend the fewest cells of any have to do.
    pub fn space_overhead(&self, row: &Row) -> Option<f64> {
        let cell_bytes = |row: &Row| f64::from(self.group_of(row).capabilities.cell_bytes);
        let cells = |row: &Row| Some(row.live_peak_bytes? as f64 / cell_bytes(row));
        let block = self.block(row);
        let sound = |row: &&Row| {
            // Of a peer's objects nothing is known.
            let ours = self.group_of(row).peer.is_none();
            ours && self.block(row) == block && row.status == Status::Ok
        };
        let counts = |row: &&Row| self.group_of(row).family == "reference counting";
        let rows = || self.rows.iter().filter(sound).filter(|row| cells(row) > Some(0.0));
        let exact = rows().any(|row| counts(&row));
        let live = rows().filter(|row| !exact || counts(row)).filter_map(cells);
        let live_bytes = live.fold(f64::INFINITY, f64::min) * cell_bytes(row);
        let overhead = row.heap_peak_bytes? as f64 / live_bytes;
        (overhead > 0.0 && overhead.is_finite()).then_some(overhead)
    }

    /// What the row's ratio says; `None` where it has none, and of the baseline itself.
    pub fn verdict(&self, row: &Row) -> Option<Verdict> {
        let ratio = row.ratio.filter(|_| !self.is_baseline(row))?;
        let baseline = self
            .rows
            .iter()
            .find(|other| self.is_baseline(other) && self.block(other) == self.block(row));
        Some(Verdict::new(&ratio, self.floor_between(row, baseline.unwrap_or(row))))
    }
}

impl Group {
    /// How many threads there are, what they do, and how a search is split for it.
    fn what_threads_do(&self) -> (u32, [Option<&String>; 2]) {
        (self.threads, [MODE, SPLIT_DEPTH].map(|name| self.params.get(name)))
    }

    /// How tasks share lists, and in which order they are done.
    fn how_tasks_go(&self) -> [Option<&String>; 2] {
        [LISTS, ORDER].map(|name| self.params.get(name))
    }
}

/// Sorts groups: a time at a larger n first, then the shorter time.
fn speed(rows: &[Row]) -> (std::cmp::Reverse<Option<u32>>, u64) {
    let last = rows.iter().rev().find_map(|row| Some((row.n, row.time_ns?.value)));
    (std::cmp::Reverse(last.map(|(n, _)| n)), last.map_or(0, |(_, ns)| ns as u64))
}

/// The configuration that ratios compare with, see [`Summary::new`].
pub(crate) fn choose_baseline(
    groups: &[Grouped],
    asked: Option<&str>,
) -> Result<Option<String>, SummaryError> {
    let has_time = |rows: &[Row]| rows.iter().any(|row| row.time_ns.is_some());
    let twice = |rows: &[Row]| has_time(rows) && rows.iter().any(|row| !row.controls.is_empty());
    // Labels are made of cleaned names. Of several groups, one with a time.
    let find = |name: &str| {
        let name = clean(name);
        let names: [fn(&Group) -> &String; 3] = [|g| &g.label, |g| &g.config, |g| &g.backend];
        names.iter().find_map(|of| {
            let named = || groups.iter().filter(|(group, _)| *of(group) == name);
            let timed = || named().find(|(_, rows)| has_time(rows));
            named().find(|(_, rows)| twice(rows)).or_else(timed).or_else(|| named().next())
        })
    };
    if let Some(name) = asked {
        let known = || groups.iter().map(|(group, _)| group.label.as_str()).collect::<Vec<_>>();
        let found = find(name).map(|(group, _)| Some(group.config.clone()));
        return found.ok_or_else(|| SummaryError::UnknownBaseline {
            name: clean(name),
            known: known().join(", "),
        });
    }
    let studied = |(group, rows): &&Grouped| group.studied && twice(rows);
    let twice = groups.iter().find(studied).or_else(|| groups.iter().find(|(_, rows)| twice(rows)));
    let default = || find(DEFAULT_BASELINE).filter(|(_, rows)| has_time(rows));
    let timed = |studied: bool| {
        groups.iter().find(|(group, rows)| (group.studied || !studied) && has_time(rows))
    };
    let fastest = || timed(true).or_else(|| timed(false));
    Ok(twice.or_else(default).or_else(fastest).map(|(group, _)| group.config.clone()))
}

impl Group {
    fn new(Names { labels, origins }: &Names, key: &Key, record: &Record) -> Self {
        let config = labels.name(key);
        let origin = origins.iter().position(|(origin, _)| *origin == key.origin).unwrap_or(0);
        Self {
            label: match origins[origin].1.as_str() {
                "" => config.to_owned(),
                name => format!("{config} [{name}]"),
            },
            config: config.to_owned(),
            swept: labels.is_swept(key),
            // Takes all groups to tell.
            studied: false,
            peer: record.peer.as_ref().map(peers::fit),
            origin,
            backend: key.backend.clone(),
            family: clean(&record.family),
            about: clean(&record.about),
            capabilities: Capabilities {
                returns: clean(&record.capabilities.returns),
                ..record.capabilities.clone()
            },
            threads: record.threads,
            params: record.params.iter().map(|(k, v)| (clean(k), clean(v))).collect(),
        }
    }
}
