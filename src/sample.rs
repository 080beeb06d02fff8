//! One sample, as the child process runs it: a task on standard input, a
//! record on standard output.
//!
//! First the timed instance: one search to warm up, then so many on the clock
//! that the sample lasts long enough; its peak memory is read before anything
//! else runs. Then the counted instance, once, for the work done. Last the
//! clocked instance, once after a warm-up, for its pauses. Answers and work
//! counts are compared with the expected ones.

use crate::exit::{Exit, Stop};
use crate::times::Times;
use crate::{config, counters, expected, machine, terminal};
use anyhow::anyhow;
use heap::{
    Backend, Clocked, Heap, HeapError, Info, Live, Off, On, Pauses, Settings, Stats, Visit,
};
use nqueens::{Answer, MAX_N, Queens};
use report::{CounterSource, LiveCells, Mmu, Record, Status};
use serde::{Deserialize, Serialize};
use std::cell::OnceCell;
use std::time::Instant;

/// A sample to run.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Task {
    /// The sample's record, filled in but for what running it tells.
    pub record: Record,
    /// The core to run on; any, where there is none.
    pub core: Option<usize>,
    /// How long the warm-up and the timed searches last together at least, in nanoseconds.
    pub search_ns: u64,
    /// Sources of event counts; the child itself reads the processor's.
    #[serde(default)]
    pub counters: Vec<CounterSource>,
    /// True if the child shall only warm up and run the search that callgrind watches.
    #[serde(default)]
    pub profiled: bool,
}

/// Why a sample has no time.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Failure {
    status: Status,
    message: String,
}

impl From<HeapError> for Failure {
    fn from(error: HeapError) -> Self {
        Failure { status: Status::OutOfMemory, message: error.to_string() }
    }
}

/// The child process: reads a task, runs it, prints its record.
///
/// # Errors
///
/// [`Exit::BadInput`]: standard input holds no task of this version.
pub(crate) fn main() -> Result<Exit, Stop> {
    machine::end_with_parent();
    let task: Task = serde_json::from_reader(std::io::stdin().lock())
        .map_err(|why| Stop::bad_input(anyhow!("standard input holds no sample: {why}")))?;
    let record = run(task).map_err(Stop::bad_input)?;
    let mut line = Vec::new();
    report::write_record(&mut line, &record)?;
    terminal::print(&String::from_utf8_lossy(&line))?;
    Ok(record.status.into())
}

/// Runs a sample in this process and fills in its record. A failure of the
/// backend is part of the record.
///
/// # Errors
///
/// A task that does not fit the registry.
pub fn run(task: Task) -> anyhow::Result<Record> {
    let mut record = task.record;
    let info = heap::find(&record.backend);
    let info = info.ok_or_else(|| anyhow!("no backend is called '{}'", record.backend))?;
    if !(1..=MAX_N).contains(&record.n) {
        return Err(anyhow!("n = {} is not from 1 to {MAX_N}", record.n));
    }
    let settings = config::settings(info, &record.params)?;
    if let Some(core) = task.core {
        machine::pin(core);
    }
    let right = OnceCell::new();
    let measure = Measure {
        settings: &settings,
        record: &mut record,
        search_ns: task.search_ns,
        perf: task.counters.contains(&CounterSource::Perf),
        profiled: task.profiled,
        right,
    };
    if let Some(Err(failure)) = heap::visit(info.name, measure) {
        record.status = failure.status;
        record.message = Some(failure.message);
    }
    Ok(record)
}

struct Measure<'a> {
    settings: &'a Settings,
    record: &'a mut Record,
    search_ns: u64,
    perf: bool,
    profiled: bool,
    /// The right number of solutions; found out once, after a search has
    /// ended, since some end early for lack of memory.
    right: OnceCell<u64>,
}

impl Visit for Measure<'_> {
    type Out = Result<(), Failure>;
    fn visit<B: Backend>(mut self) -> Result<(), Failure> {
        if self.profiled {
            return self.watched::<B>();
        }
        let mut leak = Ok(());
        if !self.record.counted {
            let ended = self.time::<B>();
            self.record.rss_peak_bytes = machine::rss_peak_bytes();
            leak = leaked(&B::INFO, &ended?);
        }
        if self.perf {
            self.events::<B>()?;
        }
        leak.and(self.count::<B>())?;
        self.pauses::<B>()
    }
}

impl Measure<'_> {
    /// Times searches of the uncounted instance. Peaks are recorded, if it fails too.
    fn time<B: Backend>(&mut self) -> Result<Stats, Failure> {
        let start = Instant::now();
        let mut heap = <B::Heap<Off>>::new(self.settings);
        let queens = Queens::<Off>::new(self.record.n);
        let warm_up = search(&mut heap, &queens);
        self.peaks(&heap.stats());
        let (_, first) = warm_up?;
        self.record.solutions = Some(first.solutions);
        self.check_answer(&first)?;
        heap.settle();

        let mut times = Times::default();
        loop {
            if !B::INFO.reclaims {
                // It keeps all it ever allocated; each search shall start alike.
                drop(heap);
                heap = <B::Heap<Off>>::new(self.settings);
            }
            let ended = search(&mut heap, &queens);
            self.peaks(&heap.stats());
            let (ns, answer) = ended?;
            self.check_answer(&answer)?;
            times.push(ns);
            heap.settle();
            // The time that has passed decides, not the times that were measured.
            if start.elapsed().as_nanos() >= u128::from(self.search_ns) {
                break;
            }
        }
        self.record.iterations_ns = times.into_values_ns();
        self.record.wall_ns = median_ns(&self.record.iterations_ns);
        Ok(heap.stats())
    }

    /// The search that callgrind watches.
    fn watched<B: Backend>(&mut self) -> Result<(), Failure> {
        let answer = counters::warm::<B>(self.settings, self.record.n)?.watched_search()?;
        self.check_answer(&answer)
    }

    /// Counts the processor's events in one search.
    fn events<B: Backend>(&mut self) -> Result<(), Failure> {
        let (counters, answer) = counters::perf::count::<B>(self.settings, self.record.n)?;
        self.record.counters.push(counters);
        answer.map_or(Ok(()), |answer| self.check_answer(&answer))
    }

    /// Counts the work of one search, and what is left when its heap has settled.
    fn count<B: Backend>(&mut self) -> Result<(), Failure> {
        let mut heap = <B::Heap<On>>::new(self.settings);
        let ended = heap.run(&Queens::<On>::new(self.record.n));
        if self.record.counted || self.record.live_peak_bytes.is_none() {
            self.peaks(&heap.stats());
        }
        let answer = ended?;
        // What settling does is no work of the search.
        let stats = heap.stats();
        heap.settle();
        let settled = heap.stats();
        let record = &mut *self.record;
        record.solutions = Some(answer.solutions);
        record.cells_allocated = Some(stats.cells_allocated);
        record.cells_filtered = Some(answer.cells_filtered);
        record.cells_length = Some(answer.cells_length);
        record.cells_freed = Some(stats.cells_freed);
        record.scopes = Some(stats.scopes);
        record.cells_marked = Some(stats.cells_marked);
        record.cells_swept = Some(stats.cells_swept);
        record.barrier_hits = Some(stats.barrier_hits);
        record.live_cells = stats.live_curve.iter().map(live_cells).collect();
        record.rc_increments = Some(stats.rc_increments);
        record.rc_decrements = Some(stats.rc_decrements);
        record.collections_minor = Some(stats.collections_minor);
        record.collections_major = Some(stats.collections_major);
        record.bytes_copied = Some(stats.bytes_copied);
        record.live_cells_at_exit = Some(settled.live_cells);
        self.check_answer(&answer)?;
        check_work(self.record.n, &answer, &stats)?;
        leaked(&B::INFO, &settled)
    }

    /// Times the pauses of one search. One on the next smaller board has come
    /// before, an eighth of the work, so that the heap has its memory, and
    /// pauses are those of managing it, not of first touching it.
    fn pauses<B: Backend>(&mut self) -> Result<(), Failure> {
        let mut heap = <B::Heap<Clocked>>::new(self.settings);
        if B::INFO.reclaims && self.record.n > 1 {
            search(&mut heap, &Queens::new(self.record.n - 1))?;
            heap.settle();
        }
        if let Some(pauses) = heap.pauses() {
            pauses.clear();
        }
        let (run_ns, answer) = search(&mut heap, &Queens::new(self.record.n))?;
        self.check_answer(&answer)?;
        self.record.pauses = heap.pauses().map(|pauses| summary(pauses, run_ns));
        Ok(())
    }

    fn check_answer(&self, answer: &Answer) -> Result<(), Failure> {
        let found = answer.solutions;
        let right = *self.right.get_or_init(|| expected::solutions(self.record.n));
        if found == right {
            return Ok(());
        }
        let message = format!("{found} solutions instead of {right}");
        Err(Failure { status: Status::WrongAnswer, message })
    }

    /// Keeps the largest peaks.
    fn peaks(&mut self, stats: &Stats) {
        // Zero is what a heap says that does not know.
        let largest = |old: &mut Option<u64>, new: usize| {
            *old = (*old).max((new > 0).then_some(new as u64));
        };
        largest(&mut self.record.heap_peak_bytes, stats.heap_peak_bytes);
        largest(&mut self.record.live_peak_bytes, stats.live_peak_bytes);
    }
}

/// A point of the curve of live cells, as records have it.
fn live_cells(&Live { allocated, live }: &Live) -> LiveCells {
    LiveCells { allocated, live }
}

/// The pauses of a search of `run_ns` nanoseconds, as records have them.
fn summary(pauses: &Pauses, run_ns: u64) -> report::Pauses {
    let summary = pauses.summary(run_ns);
    let mmu = summary.mmu.into_iter();
    report::Pauses {
        count: summary.count,
        total_ns: summary.total_ns,
        p50_ns: summary.p50_ns,
        p99_ns: summary.p99_ns,
        p999_ns: summary.p999_ns,
        max_ns: summary.max_ns,
        run_ns,
        clock_ns: summary.clock_ns,
        mmu: mmu.map(|(window_ns, utilisation)| Mmu { window_ns, utilisation }).collect(),
        percentiles: summary.percentiles,
    }
}

/// One search: nanoseconds on the monotonic clock, and what it found.
fn search(heap: &mut impl Heap, queens: &Queens<Off>) -> Result<(u64, Answer), HeapError> {
    let start = Instant::now();
    let answer = heap.run(queens);
    let elapsed = start.elapsed();
    Ok((elapsed.as_nanos() as u64, answer?))
}

/// The median: of an even number the mean of the middle two, half a nanosecond rounded up.
fn median_ns(iterations_ns: &[u64]) -> Option<u64> {
    let mut sorted = iterations_ns.to_vec();
    sorted.sort_unstable();
    let upper = *sorted.get(sorted.len() / 2)?;
    let lower = sorted[(sorted.len() - 1) / 2];
    Some(lower + (upper - lower).div_ceil(2))
}

fn check_work(n: u32, answer: &Answer, stats: &Stats) -> Result<(), Failure> {
    let done = expected::Work {
        allocated: stats.cells_allocated,
        filtered: answer.cells_filtered,
        length: answer.cells_length,
    };
    match expected::work(n) {
        Some(right) if right != done => {
            let message = format!("other work: {done}; instead of {right}");
            Err(Failure { status: Status::WrongAnswer, message })
        }
        _ => Ok(()),
    }
}

/// Whether a settled heap that reclaims still holds something.
fn leaked(info: &Info, stats: &Stats) -> Result<(), Failure> {
    let (cells, bytes) = (stats.live_cells, stats.live_bytes);
    if !info.reclaims || (cells == 0 && bytes == 0) {
        return Ok(());
    }
    let message = format!("{cells} cells ({bytes} bytes) are still held at the end");
    Err(Failure { status: Status::Leaked, message })
}

#[cfg(test)]
mod tests {
    use super::*;
    use heap::{BACKENDS, Kind};

    #[test]
    fn failures_are_told_apart() {
        let info = heap::find("gc").unwrap();
        let mut record = Record { n: 4, ..Record::new() };
        let measure = Measure {
            settings: &Settings::new(info),
            record: &mut record,
            search_ns: 0,
            perf: false,
            profiled: false,
            right: OnceCell::new(),
        };
        let mut answer = Answer { solutions: 2, cells_filtered: 296, cells_length: 184 };
        let mut stats = Stats { cells_allocated: 172, ..Stats::default() };
        assert_eq!(measure.check_answer(&answer).and(check_work(4, &answer, &stats)), Ok(()));
        assert_eq!(leaked(info, &stats), Ok(()));
        stats.cells_allocated += 1;
        let failure = check_work(4, &answer, &stats).unwrap_err();
        assert_eq!(failure.status, Status::WrongAnswer);
        assert!(failure.message.starts_with("other work: 173 cells"), "{}", failure.message);
        answer.solutions = 3;
        let failure = measure.check_answer(&answer).unwrap_err();
        assert_eq!(failure.message, "3 solutions instead of 2");
        stats.live_cells = 1;
        let failure = leaked(info, &stats).unwrap_err();
        assert_eq!(failure.status, Status::Leaked);
    }

    #[test]
    fn medians() {
        assert_eq!(median_ns(&[5, 1, 4, 2]), Some(3));
        assert_eq!((median_ns(&[9, 7, 1]), median_ns(&[1, 2])), (Some(7), Some(2)));
        assert_eq!((median_ns(&[]), median_ns(&[u64::MAX, u64::MAX])), (None, Some(u64::MAX)));
    }

    #[test]
    fn a_sample_lasts_long_enough() {
        let record = Record { backend: "stack".to_owned(), n: 3, ..Record::new() };
        let start = Instant::now();
        let record = run(Task { record, search_ns: 20_000_000, ..Task::default() }).unwrap();
        assert!(start.elapsed().as_millis() >= 20 && record.iterations_ns.len() > 10);
    }

    #[test]
    fn every_backend_fills_its_record() {
        for info in BACKENDS {
            let settings = Settings::new(info);
            let params = settings.values().map(|(k, v)| (k.to_owned(), v.to_owned())).collect();
            let backend = info.name.to_owned();
            let record = Record { backend, params, n: 5, ..Record::new() };
            let record = run(Task { record, search_ns: 1, ..Task::default() }).unwrap();
            assert_eq!((record.status, record.message), (Status::Ok, None), "{}", info.name);
            assert_eq!((record.solutions, record.cells_allocated), (Some(10), Some(922)));
            assert_eq!(record.iterations_ns.len(), 1);
            let pauses = record.pauses.unwrap();
            assert_eq!(pauses.count > 0, pauses.total_ns > 0, "{}", info.name);
            assert!(pauses.total_ns <= pauses.run_ns && pauses.mmu.len() == 3, "{}", info.name);
            if info.kind == Kind::ReferenceCounting {
                assert!(pauses.count > 50, "{}: the dead chains of 40 cells", info.name);
            }
            let last = record.live_cells.last().unwrap();
            assert!(last.allocated > 900 && last.live <= last.allocated, "{}", info.name);
            let freed = record.cells_freed.unwrap();
            assert!(freed <= 922 && (freed == 922) <= info.reclaims, "{}", info.name);
        }
    }
}
