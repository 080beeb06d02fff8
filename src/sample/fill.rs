//! What was found, as records have it.

use heap::pauses::Summary;
use heap::{Live, Pauses, Stats};
use nqueens::Answer;
use report::{LiveCells, Mmu, Record};

/// The work of one search, as its counted instance tells it when it ends; and
/// the cells that live when its heap has settled.
pub(super) fn counts(record: &mut Record, answer: &Answer, stats: &Stats, live_cells_at_exit: u64) {
    record.solutions = Some(answer.solutions);
    record.cells_allocated = Some(stats.cells_allocated);
    record.cells_filtered = Some(answer.cells_filtered);
    record.cells_length = Some(answer.cells_length);
    record.cells_freed = Some(stats.cells_freed);
    record.scopes = Some(stats.scopes);
    record.cells_marked = Some(stats.cells_marked);
    record.cells_swept = Some(stats.cells_swept);
    record.barrier_hits = Some(stats.barrier_hits);
    record.runs_found = Some(stats.runs_found);
    record.words_scanned = Some(stats.words_scanned);
    record.roots_stored = Some(stats.roots_stored);
    record.live_cells = stats.live_curve.iter().map(live_cells).collect();
    record.rc_increments = Some(stats.rc_increments);
    record.rc_decrements = Some(stats.rc_decrements);
    record.collections_minor = Some(stats.collections_minor);
    record.collections_major = Some(stats.collections_major);
    record.bytes_copied = Some(stats.bytes_copied);
    record.live_cells_at_exit = Some(live_cells_at_exit);
}

/// Keeps the largest peaks.
pub(super) fn peaks(record: &mut Record, stats: &Stats) {
    // Zero is what a heap says that does not know.
    let largest = |old: &mut Option<u64>, new: usize| {
        *old = (*old).max((new > 0).then_some(new as u64));
    };
    largest(&mut record.heap_peak_bytes, stats.heap_peak_bytes);
    largest(&mut record.live_peak_bytes, stats.live_peak_bytes);
}

/// A point of the curve of live cells, as records have it.
fn live_cells(&Live { allocated, live }: &Live) -> LiveCells {
    LiveCells { allocated, live }
}

/// The pauses of a search of `wall_ns` nanoseconds, as records have them.
pub(super) fn pauses(pauses: &mut Pauses, wall_ns: u64) -> report::Pauses {
    of_summary(pauses.summary(wall_ns))
}

/// The pauses of several threads, which took `wall_ns` nanoseconds together.
pub(super) fn pauses_of_threads(pauses: Vec<Pauses>, wall_ns: u64) -> report::Pauses {
    of_summary(Pauses::of_threads(pauses, wall_ns))
}

fn of_summary(summary: Summary) -> report::Pauses {
    let mmu = summary.mmu.into_iter();
    report::Pauses {
        count: summary.count,
        total_ns: summary.total_ns,
        p50_ns: summary.p50_ns,
        p99_ns: summary.p99_ns,
        p999_ns: summary.p999_ns,
        max_ns: summary.max_ns,
        sweeps: Some(summary.sweeps),
        sweep_ns: Some(summary.sweep_ns),
        run_ns: summary.run_ns,
        clock_ns: summary.clock_ns,
        mmu: mmu.map(|(window_ns, utilisation)| Mmu { window_ns, utilisation }).collect(),
        percentiles: summary.percentiles,
    }
}

/// The median: of an even number the mean of the middle two, half a nanosecond rounded up.
pub fn median_ns(iterations_ns: &[u64]) -> Option<u64> {
    let mut sorted = iterations_ns.to_vec();
    sorted.sort_unstable();
    let upper = *sorted.get(sorted.len() / 2)?;
    let lower = sorted[(sorted.len() - 1) / 2];
    Some(lower + (upper - lower).div_ceil(2))
}
