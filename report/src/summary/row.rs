//! One row: what the samples of one configuration at one n say together.

use super::SEED;
use crate::format::clean;
use crate::record::{Record, Status};
use crate::stats::{Estimate, median, median_interval};

/// One configuration at one n.
#[derive(Clone, Debug, PartialEq)]
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
    /// Time of each sample in nanoseconds (the median of its iterations), by round.
    pub samples_ns: Vec<f64>,
    /// Median time over cells allocated, in nanoseconds.
    pub ns_per_cell: Option<f64>,
    /// Cells allocated.
    pub cells_allocated: Option<u64>,
    /// Cells visited by `filter`.
    pub cells_filtered: Option<u64>,
    /// Cells visited by `length`.
    pub cells_length: Option<u64>,
    /// Reference counts raised.
    pub rc_increments: Option<u64>,
    /// Reference counts lowered.
    pub rc_decrements: Option<u64>,
    /// Collections, minor and major together.
    pub collections: Option<u64>,
    /// Bytes that collections copied.
    pub bytes_copied: Option<u64>,
    /// Cells left at the end.
    pub live_cells_at_exit: Option<u64>,
    /// Most bytes that the heap held.
    pub heap_peak_bytes: Option<u64>,
    /// Most bytes that were live.
    pub live_peak_bytes: Option<u64>,
    /// Peak resident set of the process, timed samples only.
    pub rss_peak_bytes: Option<u64>,
    /// Time over the baseline's, paired by round: above 1 is slower.
    pub ratio: Option<Estimate>,
}

impl Row {
    pub(super) fn new(label: &str, n: u32, samples: &[&Record]) -> Self {
        let status = samples.iter().map(|s| s.status).max().unwrap_or_default();
        let timed = timed(samples);
        let mut by_round = timed.clone();
        by_round.sort_by_key(|s| s.round);
        let samples_ns: Vec<f64> = match status {
            Status::Ok => by_round.iter().filter_map(|s| sample_ns(s)).collect(),
            // A wrong program's time is no time.
            _ => Vec::new(),
        };
        let time_ns = median_interval(&samples_ns, SEED);
        let any = |field: fn(&Record) -> Option<u64>| middle(samples.iter().copied(), field);
        // Counting may itself take memory, so timed samples come first.
        let memory = |field: fn(&Record) -> Option<u64>| middle(timed.iter().copied(), field);
        let cells_allocated = any(|s| s.cells_allocated);
        Self {
            label: label.to_owned(),
            group: 0,
            n,
            status,
            message: samples
                .iter()
                .filter(|s| s.status == status && status != Status::Ok)
                .find_map(|s| s.message.as_deref().map(clean)),
            solutions: samples.iter().find_map(|s| s.solutions),
            time_ns,
            samples_ns,
            ns_per_cell: time_ns
                .zip(cells_allocated.filter(|&cells| cells > 0))
                .map(|(time, cells)| time.value / cells as f64),
            cells_allocated,
            cells_filtered: any(|s| s.cells_filtered),
            cells_length: any(|s| s.cells_length),
            rc_increments: any(|s| s.rc_increments),
            rc_decrements: any(|s| s.rc_decrements),
            collections: any(|s| match (s.collections_minor, s.collections_major) {
                (None, None) => None,
                (minor, major) => Some(minor.unwrap_or(0).saturating_add(major.unwrap_or(0))),
            }),
            bytes_copied: any(|s| s.bytes_copied),
            live_cells_at_exit: any(|s| s.live_cells_at_exit),
            heap_peak_bytes: memory(|s| s.heap_peak_bytes).or(any(|s| s.heap_peak_bytes)),
            live_peak_bytes: memory(|s| s.live_peak_bytes).or(any(|s| s.live_peak_bytes)),
            rss_peak_bytes: memory(|s| s.rss_peak_bytes),
            ratio: None,
        }
    }
}

/// Time of one sample in nanoseconds; `None` of a failed one. Never zero, since ratios divide by it.
pub(super) fn sample_ns(record: &Record) -> Option<f64> {
    let iterations: Vec<f64> = record.iterations_ns.iter().map(|&ns| ns as f64).collect();
    let ns = median(&iterations).or(record.wall_ns.map(|ns| ns as f64))?;
    (record.status == Status::Ok).then_some(ns.max(1.0))
}

/// The lower median of a count over samples: always a count that one of them had.
fn middle<'a>(
    samples: impl Iterator<Item = &'a Record>,
    field: fn(&Record) -> Option<u64>,
) -> Option<u64> {
    let mut values: Vec<u64> = samples.filter_map(field).collect();
    values.sort_unstable();
    values.get(values.len().saturating_sub(1) / 2).copied()
}

/// The samples whose times count.
pub(super) fn timed<'a>(samples: &[&'a Record]) -> Vec<&'a Record> {
    samples.iter().copied().filter(|s| !s.counted && !s.control).collect()
}
