//! One sample, as the child process runs it: a task on standard input, a
//! record on standard output.
//!
//! First the timed instance: one search to warm up, then so many on the clock
//! that the sample lasts long enough; its peak memory is read before anything
//! else runs. Then the counted instance, once, for the work done. Last the
//! clocked instance, once after a warm-up, for its pauses. Answers and work
//! counts are compared with the expected ones.

use crate::exit::{Exit, Stop};
use crate::peers::{self, Call};
use crate::times::Times;
use crate::{config, counters, machine, terminal};
use anyhow::anyhow;
use heap::{Backend, Clocked, Heap, HeapError, Off, On, Settings, Stats, Visit};
use nqueens::{Answer, MAX_N, Queens};
use report::record::params::ALLOCATOR;
use report::{CounterSource, Record};
use serde::{Deserialize, Serialize};
use std::time::Instant;

mod allocation;
mod checks;
mod fill;
mod parallel;
use checks::{Failure, check_answer, check_work, leaked};
pub use fill::median_ns;

/// A sample to run.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Task {
    /// The sample's record, filled in but for what running it tells.
    pub record: Record,
    /// The cores to run on, one for each thread; any, where there are not enough.
    #[serde(default)]
    pub cores: Vec<usize>,
    /// How long the warm-up and the timed searches last together at least, in nanoseconds.
    pub search_ns: u64,
    /// Sources of event counts; the child itself reads the processor's.
    #[serde(default)]
    pub counters: Vec<CounterSource>,
    /// The peer that is to be run, in place of a backend.
    #[serde(default)]
    pub peer: Option<Call>,
    /// True if the child shall only warm up and run the search that callgrind watches.
    #[serde(default)]
    pub profiled: bool,
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
    let record = match &task.peer {
        Some(call) => peers::sample(&task, call),
        None => run(task).map_err(Stop::bad_input)?,
    };
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
    if let Some(study) = record.study.as_ref().map(|study| study.name.clone()) {
        let _ = task.cores.first().map(|&core| machine::pin(core));
        let wanted = allocation::Wanted {
            iterations_ns: task.search_ns,
            perf: task.counters.contains(&CounterSource::Perf),
            profiled: task.profiled,
        };
        allocation::run(&mut record, &study, wanted)?;
        return Ok(record);
    }
    let info = heap::find(&record.backend);
    let info = info.ok_or_else(|| anyhow!("no backend is called '{}'", record.backend))?;
    if !(1..=MAX_N).contains(&record.n) {
        return Err(anyhow!("n = {} is not from 1 to {MAX_N}", record.n));
    }
    let settings = config::settings(info, &record.params)?;
    if let Some(library) = record.params.get(ALLOCATOR).filter(|path| !machine::maps(path)) {
        // The loader only warns of a library that it cannot load.
        return Err(anyhow!(
            "{library}: is not in this process; is it a library of this platform?"
        ));
    }
    if let Some(plan) = crate::parallel::plan(&record)? {
        let measure = parallel::Measure {
            plan,
            settings: &settings,
            record: &mut record,
            cores: &task.cores,
            search_ns: task.search_ns,
        };
        note(heap::visit(info.name, measure), &mut record);
        return Ok(record);
    }
    let _ = task.cores.first().map(|&core| machine::pin(core));
    let measure = Measure {
        settings: &settings,
        record: &mut record,
        search_ns: task.search_ns,
        perf: task.counters.contains(&CounterSource::Perf),
        profiled: task.profiled,
    };
    note(heap::visit(info.name, measure), &mut record);
    Ok(record)
}

/// A failure is part of the record.
fn note(done: Option<Result<(), Failure>>, record: &mut Record) {
    if let Some(Err(failure)) = done {
        record.status = failure.status;
        record.message = Some(failure.message);
    }
}

struct Measure<'a> {
    settings: &'a Settings,
    record: &'a mut Record,
    search_ns: u64,
    perf: bool,
    profiled: bool,
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
        self.record.wall_ns = fill::median_ns(&self.record.iterations_ns);
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
        fill::counts(self.record, &answer, &stats, settled.live_cells);
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
        let (wall_ns, answer) = search(&mut heap, &Queens::new(self.record.n))?;
        self.check_answer(&answer)?;
        self.record.pauses = heap.pauses().map(|pauses| fill::pauses(pauses, wall_ns));
        Ok(())
    }

    fn check_answer(&self, answer: &Answer) -> Result<(), Failure> {
        check_answer(self.record.n, answer)
    }

    fn peaks(&mut self, stats: &Stats) {
        fill::peaks(self.record, stats);
    }
}

/// One search: nanoseconds on the monotonic clock, and what it found.
fn search(heap: &mut impl Heap, queens: &Queens<Off>) -> Result<(u64, Answer), HeapError> {
    let start = Instant::now();
    let answer = heap.run(queens);
    let elapsed = start.elapsed();
    Ok((elapsed.as_nanos() as u64, answer?))
}

#[cfg(test)]
mod tests;
