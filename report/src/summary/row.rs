//! One row: what the samples of one configuration at one n say together.

use super::{Events, ParallelTimes, PauseTimes};
use crate::format::clean;
use crate::record::{LiveCells, Record, Status};
use crate::stats::{
    Estimate, MAD_TO_SIGMA, MIN_SAMPLES, SEED, mad, median, median_interval, outliers,
};
use std::collections::{BTreeMap, BTreeSet};

/// A round of a run. Nothing names a run but its seed and its command line: a resumed one keeps both,
/// and two runs that were given the same seed differ, unless they are one study made twice.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Round {
    seed: u64,
    number: u32,
    command: String,
}

impl Round {
    pub fn of(record: &Record) -> Self {
        Self { seed: record.seed, number: record.round, command: record.command.clone() }
    }
}

/// The time in each round, in nanoseconds; of several in one round their median.
pub(crate) type Rounds = BTreeMap<Round, f64>;

/// One configuration at one n.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Row {
    /// Label of the configuration.
    pub label: String,
    /// Place of the configuration in [`groups`](super::Summary::groups).
    pub group: usize,
    /// Size of the problem.
    pub n: u32,
    /// The worst of the samples' ends; a row that is not `Ok` has no times.
    pub status: Status,
    /// What went wrong.
    pub message: Option<String>,
    /// The program's answer.
    pub solutions: Option<u64>,
    /// Time of one iteration in nanoseconds: the median over the samples.
    pub time_ns: Option<Estimate>,
    /// Spread of the samples: their median absolute deviation over their median, scaled so that it
    /// estimates the coefficient of variation of normal samples.
    pub spread: Option<f64>,
    /// Time of each search before those that count, in order and in nanoseconds: the median over the
    /// samples. Empty where none was recorded, and of a failed row.
    pub warm_up_ns: Vec<f64>,
    /// Time of each sample in nanoseconds (the median of its iterations), by round.
    pub samples_ns: Vec<f64>,
    /// How many of them are far from the others; they count like any other.
    pub outliers: usize,
    /// Median time over cells allocated, in nanoseconds.
    pub ns_per_cell: Option<f64>,
    /// Cells allocated.
    pub cells_allocated: Option<u64>,
    /// Cells visited by `filter`.
    pub cells_filtered: Option<u64>,
    /// Cells visited by `length`.
    pub cells_length: Option<u64>,
    /// Cells freed one by one, or known to be reclaimed.
    pub cells_freed: Option<u64>,
    /// Reference counts raised.
    pub rc_increments: Option<u64>,
    /// Reference counts lowered.
    pub rc_decrements: Option<u64>,
    /// Scopes closed.
    pub scopes: Option<u64>,
    /// Collections, minor and major together.
    pub collections: Option<u64>,
    /// Bytes that collections copied.
    pub bytes_copied: Option<u64>,
    /// Cells that collections marked.
    pub cells_marked: Option<u64>,
    /// Dead cells that sweeps found.
    pub cells_swept: Option<u64>,
    /// Writes that the barrier remembered.
    pub barrier_hits: Option<u64>,
    /// Runs of free memory that sweeps found, or that scopes gave back.
    pub runs_found: Option<u64>,
    /// Words of mark bits that sweeps looked at.
    pub words_scanned: Option<u64>,
    /// References stored in a shadow stack.
    pub roots_stored: Option<u64>,
    /// Cells left at the end.
    pub live_cells_at_exit: Option<u64>,
    /// Most bytes that the heap held.
    pub heap_peak_bytes: Option<u64>,
    /// Most bytes that were live.
    pub live_peak_bytes: Option<u64>,
    /// Peak resident set of the process, timed samples only.
    pub rss_peak_bytes: Option<u64>,
    /// Cells held, by cells allocated, of the first sample that was watched; empty where none was.
    pub live_cells: Vec<LiveCells>,
    /// How long the program stood still for its memory manager; like times, `None` of a failed row.
    pub pauses: Option<PauseTimes>,
    /// Instructions and other events, from each source that was asked.
    pub events: Vec<Events>,
    /// What samples with a mode tell of their threads; `None` of others.
    pub parallel: Option<ParallelTimes>,
    /// Time over the baseline's, paired by round: above 1 is slower.
    pub ratio: Option<Estimate>,
    /// The times that ratios pair.
    pub(crate) rounds: Rounds,
    /// The same of the second entry, where this configuration was entered twice.
    pub(super) controls: Rounds,
}

impl Row {
    pub(super) fn new(label: &str, n: u32, samples: &[&Record]) -> Self {
        let status = samples.iter().map(|s| s.status).max().unwrap_or_default();
        let is_timed = |s: &&&Record| !s.counted && !s.control;
        let timed = || samples.iter().filter(is_timed).copied();
        // A wrong program's time is no time.
        let sound = |s: &&Record| status == Status::Ok && !s.counted;
        let controls = || samples.iter().copied().filter(sound).filter(|s| s.control);
        let mut by_round: Vec<&Record> = timed().filter(sound).collect();
        by_round.sort_by_key(|s| s.round);
        let samples_ns: Vec<f64> = by_round.iter().filter_map(|s| sample_ns(s)).collect();
        let time_ns = median_interval(&samples_ns, SEED);
        let any =
            |field: fn(&Record) -> Option<u64>| middle(samples.iter().filter_map(|s| field(s)));
        // Counting may itself take memory, so timed samples come first.
        let memory = |field: fn(&Record) -> Option<u64>| middle(timed().filter_map(field));
        let cells_allocated = any(|s| s.cells_allocated);
        Self {
            label: label.to_owned(),
            n,
            status,
            message: samples
                .iter()
                .filter(|s| s.status == status && status != Status::Ok)
                .find_map(|s| s.message.as_deref().map(clean)),
            solutions: samples.iter().find_map(|s| s.solutions),
            spread: time_ns.and_then(|time| {
                Some(MAD_TO_SIGMA * mad(&samples_ns).filter(|_| time.confident())? / time.value)
            }),
            warm_up_ns: warm_up(&by_round),
            outliers: outlier_count(&samples_ns),
            time_ns,
            ns_per_cell: time_ns
                .zip(cells_allocated.filter(|&cells| cells > 0))
                .map(|(time, cells)| time.value / cells as f64),
            cells_allocated,
            cells_filtered: any(|s| s.cells_filtered),
            cells_length: any(|s| s.cells_length),
            cells_freed: any(|s| s.cells_freed),
            rc_increments: any(|s| s.rc_increments),
            rc_decrements: any(|s| s.rc_decrements),
            scopes: any(|s| s.scopes),
            collections: any(|s| match (s.collections_minor, s.collections_major) {
                (None, None) => None,
                (minor, major) => Some(minor.unwrap_or(0).saturating_add(major.unwrap_or(0))),
            }),
            bytes_copied: any(|s| s.bytes_copied),
            cells_marked: any(|s| s.cells_marked),
            cells_swept: any(|s| s.cells_swept),
            barrier_hits: any(|s| s.barrier_hits),
            runs_found: any(|s| s.runs_found),
            words_scanned: any(|s| s.words_scanned),
            roots_stored: any(|s| s.roots_stored),
            live_cells_at_exit: any(|s| s.live_cells_at_exit),
            heap_peak_bytes: memory(|s| s.heap_peak_bytes).or(any(|s| s.heap_peak_bytes)),
            live_peak_bytes: memory(|s| s.live_peak_bytes).or(any(|s| s.live_peak_bytes)),
            rss_peak_bytes: memory(|s| s.rss_peak_bytes),
            live_cells: samples
                .iter()
                .map(|s| &s.live_cells)
                .find(|curve| !curve.is_empty())
                .cloned()
                .unwrap_or_default(),
            pauses: PauseTimes::new(samples).filter(|_| status == Status::Ok),
            events: Events::all(samples, cells_allocated),
            parallel: ParallelTimes::new(samples, &by_round, controls()),
            rounds: rounds(by_round.iter().copied(), sample_ns),
            controls: rounds(controls(), sample_ns),
            samples_ns,
            ..Self::default()
        }
    }
}

impl Row {
    /// Time of each sample in nanoseconds with its round's place, and whether it is of the second
    /// entry of an A/A pair.
    pub fn dots(&self) -> Vec<Dot> {
        let all: BTreeSet<&Round> = self.rounds.keys().chain(self.controls.keys()).collect();
        let place: BTreeMap<&Round, usize> = all.into_iter().zip(0..).collect();
        let dot = |control| move |(round, &time_ns): (_, &f64)| (round, control, time_ns);
        let first = self.rounds.iter().map(dot(false));
        let dots = first.chain(self.controls.iter().map(dot(true)));
        dots.map(|(round, control, time_ns)| Dot { round: place[round], control, time_ns })
            .collect()
    }
}

/// One sample, as a dot of a chart.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Dot {
    /// Place of its round among those that the row has samples of.
    pub round: usize,
    /// Whether it is of the second entry of an A/A pair.
    pub control: bool,
    /// Time of one search in nanoseconds.
    pub time_ns: f64,
}

/// On the logarithmic scale that ratios have; too few samples have no outliers.
fn outlier_count(samples_ns: &[f64]) -> usize {
    let logs: Vec<f64> = samples_ns.iter().map(|ns| ns.ln()).collect();
    let marked = outliers(&logs).into_iter().filter(|&marked| marked).count();
    if logs.len() < MIN_SAMPLES { 0 } else { marked }
}

/// Samples may have warmed up for different numbers of searches: each search has the median of those
/// that made it.
fn warm_up(samples: &[&Record]) -> Vec<f64> {
    let searches = samples.iter().map(|sample| sample.warm_up_ns.len()).max().unwrap_or(0);
    let of = |search: usize| {
        let times = samples.iter().filter_map(|sample| sample.warm_up_ns.get(search));
        median(&times.map(|&ns| ns as f64).collect::<Vec<_>>())
    };
    (0..searches).filter_map(of).collect()
}

/// A time of each sample, by its round.
pub(super) fn rounds<'a>(
    samples: impl Iterator<Item = &'a Record>,
    time_ns: impl Fn(&Record) -> Option<f64>,
) -> Rounds {
    let mut rounds: BTreeMap<Round, Vec<f64>> = BTreeMap::new();
    for sample in samples {
        rounds.entry(Round::of(sample)).or_default().extend(time_ns(sample));
    }
    rounds.into_iter().filter_map(|(round, times)| Some((round, median(&times)?))).collect()
}

/// Time of one sample in nanoseconds; `None` of a failed one. Never zero, since ratios divide by it.
fn sample_ns(record: &Record) -> Option<f64> {
    let ns = median_ns(&record.iterations_ns).or(record.wall_ns.map(|ns| ns as f64))?;
    (record.status == Status::Ok).then_some(ns.max(1.0))
}

/// The median of iterations.
pub(super) fn median_ns(iterations_ns: &[u64]) -> Option<f64> {
    median(&iterations_ns.iter().map(|&ns| ns as f64).collect::<Vec<_>>())
}

/// The lower median of counts over samples: always a count that one of them had.
pub(super) fn middle(counts: impl Iterator<Item = u64>) -> Option<u64> {
    let mut values: Vec<u64> = counts.collect();
    values.sort_unstable();
    values.get(values.len().saturating_sub(1) / 2).copied()
}
