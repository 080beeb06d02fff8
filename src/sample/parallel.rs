//! A sample of several threads: the timed instance, then the counted and the clocked one, as with
//! a single thread.
//!
//! Where each thread solves the whole problem, an iteration is one batch of such searches, and
//! work counts are those of one search. Peaks are sums over the threads' heaps, of which each
//! reached its own at a time of its own.

use super::checks::{Failure, check_answer, check_work, leaked};
use super::fill;
use crate::machine;
use crate::parallel::{Order, Plan};
use crate::times::Times;
use heap::carry::{Lists, Split};
use heap::{Backend, Clocked, Heap, Immortal, Immortals, Off, On, Settings, Stats, Tally, Visit};
use nqueens::{Answer, Queens};
use report::{Parallel, Record, Status};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;
use threads::{Tasks, Team, Workers};

/// Room for immortal objects. The platform gives memory only for what is used of it.
const IMMORTAL_BYTES: usize = 1 << 30;

/// What is to be measured.
pub(super) struct Measure<'a> {
    pub plan: Plan,
    pub settings: &'a Settings,
    pub record: &'a mut Record,
    pub cores: &'a [usize],
    pub search_ns: u64,
}

impl From<threads::Failure> for Failure {
    fn from(failure: threads::Failure) -> Self {
        match failure {
            threads::Failure::Heap(error) => error.into(),
            other => Failure { status: Status::Crashed, message: other.to_string() },
        }
    }
}

impl Visit for Measure<'_> {
    type Out = Result<(), Failure>;
    fn visit<B: Backend>(self) -> Result<(), Failure> {
        if self.plan.split.is_some_and(|(split, _)| split.lists == Lists::Immortal) {
            let bytes = IMMORTAL_BYTES.min(self.settings.limit_bytes);
            let mut settings = self.settings.clone();
            settings.immortals = Some(Immortals::new(bytes));
            let measure = Measure { settings: &settings, ..self };
            measure.instances::<B, Immortal<Off>, Immortal<On>, Immortal<Clocked>>()
        } else {
            self.instances::<B, Off, On, Clocked>()
        }
    }
}

/// One iteration.
struct Done {
    wall_ns: u64,
    /// One of each search.
    answers: Vec<Answer>,
    /// Of a search that was split.
    tasks: Option<Tasks>,
    /// Bytes of immortal objects, which are in no heap.
    immortal_bytes: usize,
}

impl Measure<'_> {
    fn instances<B: Backend, Timed: Tally, Counted: Tally, Paused: Tally>(
        mut self,
    ) -> Result<(), Failure> {
        self.record.parallel = Some(Parallel {
            cores: self.cores.len() as u32,
            physical_cores: machine::physical_cores_of(self.cores),
            pinned: self.pins().then_some(true),
            ..Parallel::default()
        });
        if !self.record.counted {
            let timed = self.time::<B, Timed>();
            self.record.rss_peak_bytes = machine::rss_peak_bytes();
            timed?;
        }
        self.count::<B, Counted>()?;
        self.pauses::<B, Paused>()
    }

    /// Whether each thread is to have a core of its own.
    fn pins(&self) -> bool {
        self.plan.threads <= self.cores.len()
    }

    /// Lets workers work, each with a heap.
    fn team<H: Heap + 'static, R>(
        &mut self,
        work: impl FnOnce(&Self, &Workers<H>) -> Result<R, Failure>,
    ) -> Result<R, Failure> {
        let (pins, cores, refused) = (self.pins(), self.cores, AtomicBool::new(false));
        let begin = |worker: usize| {
            if pins && !machine::pin(cores[worker]) {
                refused.store(true, Ordering::Relaxed);
            }
        };
        let team = Team { threads: self.plan.threads, begin: &begin };
        let done = team.work(|| H::new(self.settings), |workers| work(self, workers));
        let pinned = self.record.parallel.as_mut().and_then(|parallel| parallel.pinned.as_mut());
        if let Some(pinned) = pinned {
            *pinned &= !refused.into_inner();
        }
        done?
    }

    /// One iteration, its answers checked, on heaps whose tally is `T`.
    fn iterate<H: Heap + 'static, T: Tally, C: Tally + Send + Sync>(
        &self,
        workers: &Workers<H>,
        n: u32,
    ) -> Result<Done, Failure> {
        let done = match self.plan.split {
            // Nothing is shared side by side: such instances need not be compiled.
            None if T::IMMORTALS => unreachable!("immortal lists are of one search"),
            None => {
                let apart = workers.each(&Queens::<C>::new(n))?;
                let (wall_ns, answers) = (apart.wall_ns, apart.outs);
                Done { wall_ns, answers, tasks: None, immortal_bytes: 0 }
            }
            Some((split, order)) => self.together::<H, C>(workers, n, split, order)?,
        };
        done.answers.iter().try_for_each(|answer| check_answer(n, answer))?;
        Ok(done)
    }

    fn together<H: Heap + 'static, C: Tally + Send + Sync>(
        &self,
        workers: &Workers<H>,
        n: u32,
        split: Split,
        order: Order,
    ) -> Result<Done, Failure> {
        let program = Queens::<C>::new(n);
        let together = workers.split(&program, split, order.into())?;
        let mut immortal_bytes = 0;
        if let Some(immortals) = &self.settings.immortals {
            immortal_bytes = immortals.used_bytes();
            // What is not free again now never will be: a task was lost.
            assert!(immortals.clear(), "immortal objects are in use after the run");
        }
        let (answers, tasks) = (vec![together.out], Some(together.tasks));
        Ok(Done { wall_ns: together.wall_ns, answers, tasks, immortal_bytes })
    }

    /// Times iterations of the uncounted instance. Peaks are recorded, if it fails too.
    fn time<B: Backend, T: Tally>(&mut self) -> Result<(), Failure> {
        let n = self.record.n;
        let mut stats = Stats::default();
        let (mut times, mut cpu_times) = (Times::default(), Times::default());
        let mut solutions = None;
        let timed = self.team::<B::Heap<T>, _>(|this, workers| {
            let start = Instant::now();
            let warm_up = this.iterate::<_, T, Off>(workers, n);
            stats = sum(workers.on_each(|heap| heap.stats())?);
            solutions = warm_up?.answers.first().map(|answer| answer.solutions);
            loop {
                let fresh = |heap: &mut B::Heap<T>| match B::INFO.reclaims {
                    true => heap.settle(),
                    // It keeps all it ever allocated; each search shall start alike.
                    false => *heap = B::Heap::<T>::new(this.settings),
                };
                workers.on_each(fresh)?;
                let cpu_ns = machine::cpu_ns();
                let done = this.iterate::<_, T, Off>(workers, n);
                let cpu_ns = machine::cpu_ns() - cpu_ns;
                let shared_bytes = done.as_ref().map_or(0, |done| done.immortal_bytes);
                let all = sum(workers.on_each(|heap| heap.stats())?);
                grow(&mut stats, &with_shared(all, shared_bytes));
                times.push(done?.wall_ns);
                cpu_times.push(cpu_ns);
                if start.elapsed().as_nanos() >= u128::from(this.search_ns) {
                    break;
                }
            }
            this.settled(&B::INFO, workers)
        });
        fill::peaks(self.record, &stats);
        self.record.solutions = solutions;
        if timed.is_ok() {
            self.record.iterations_ns = times.into_values_ns();
            self.record.wall_ns = fill::median_ns(&self.record.iterations_ns);
            if let Some(parallel) = &mut self.record.parallel {
                parallel.cpu_ns = cpu_times.into_values_ns();
            }
        }
        timed.map(|_| ())
    }

    /// What is left when all heaps have settled.
    fn settled<H: Heap + 'static>(
        &self,
        info: &heap::Info,
        workers: &Workers<H>,
    ) -> Result<Stats, Failure> {
        workers.on_each(Heap::settle)?;
        let mut settled = sum(workers.on_each(|heap| heap.stats())?);
        if self.plan.split.is_some_and(|(split, _)| split.lists == Lists::Counted) {
            // What was made by one is freed by another: only together do they balance.
            settled.live_cells = settled.cells_allocated.abs_diff(settled.cells_freed);
            settled.live_bytes = 0;
        }
        leaked(info, &settled)?;
        Ok(settled)
    }

    /// Counts the work of one search.
    fn count<B: Backend, T: Tally>(&mut self) -> Result<(), Failure> {
        let n = self.record.n;
        let (done, stats, settled) = self.team::<B::Heap<T>, _>(|this, workers| {
            let done = this.iterate::<_, T, On>(workers, n)?;
            let each = workers.on_each(|heap| heap.stats())?;
            let stats = match done.tasks {
                Some(tasks) => {
                    let mut stats = with_shared(sum(each), done.immortal_bytes);
                    stats.cells_allocated -= tasks.objects_copied;
                    stats
                }
                None => {
                    for (answer, stats) in done.answers.iter().zip(&each) {
                        check_work(n, answer, stats)?;
                    }
                    let mut first = each[0].clone();
                    let all = sum(each);
                    first.heap_peak_bytes = all.heap_peak_bytes;
                    first.live_peak_bytes = all.live_peak_bytes;
                    first
                }
            };
            Ok((done, stats, this.settled(&B::INFO, workers)?))
        })?;
        let untimed = self.record.counted || self.record.live_peak_bytes.is_none();
        if untimed {
            fill::peaks(self.record, &stats);
        }
        if let (Some(parallel), Some(tasks)) = (&mut self.record.parallel, done.tasks) {
            parallel.tasks = Some(tasks.done);
            parallel.tasks_stolen = Some(tasks.stolen);
            parallel.cells_copied = Some(tasks.objects_copied);
            parallel.cells_immortal = Some(tasks.objects_immortal);
        }
        let Some(answer) = done.answers.first() else { return Ok(()) };
        fill::counts(self.record, answer, &stats, settled.live_cells);
        check_work(n, answer, &stats)
    }

    /// Times the pauses of one iteration, after one on a smaller board.
    fn pauses<B: Backend, T: Tally>(&mut self) -> Result<(), Failure> {
        let n = self.record.n;
        let (wall_ns, pauses) = self.team::<B::Heap<T>, _>(|this, workers| {
            if B::INFO.reclaims && n > 1 {
                this.iterate::<_, T, Off>(workers, n - 1)?;
                workers.on_each(Heap::settle)?;
            }
            workers.on_each(|heap| heap.pauses().map(heap::Pauses::clear))?;
            let done = this.iterate::<_, T, Off>(workers, n)?;
            let pauses = workers.on_each(|heap| heap.pauses().map(std::mem::take))?;
            Ok((done.wall_ns, pauses))
        })?;
        let pauses: Option<Vec<_>> = pauses.into_iter().collect();
        self.record.pauses = pauses.map(|pauses| fill::pauses_of_threads(pauses, wall_ns));
        Ok(())
    }
}

/// What several heaps did and hold together. The curve of live objects is of one thread only.
fn sum(each: Vec<Stats>) -> Stats {
    let mut all = Stats::default();
    for stats in each {
        let Stats {
            cells_allocated,
            cells_freed,
            live_cells,
            rc_increments,
            rc_decrements,
            scopes,
            collections_minor,
            collections_major,
            cells_copied,
            bytes_copied,
            cells_marked,
            cells_swept,
            barrier_hits,
            runs_found,
            words_scanned,
            roots_stored,
            live_bytes,
            live_peak_bytes,
            heap_peak_bytes,
            live_curve: _,
        } = stats;
        all.cells_allocated += cells_allocated;
        all.cells_freed += cells_freed;
        all.live_cells += live_cells;
        all.rc_increments += rc_increments;
        all.rc_decrements += rc_decrements;
        all.scopes += scopes;
        all.collections_minor += collections_minor;
        all.collections_major += collections_major;
        all.cells_copied += cells_copied;
        all.bytes_copied += bytes_copied;
        all.cells_marked += cells_marked;
        all.cells_swept += cells_swept;
        all.barrier_hits += barrier_hits;
        all.runs_found += runs_found;
        all.words_scanned += words_scanned;
        all.roots_stored += roots_stored;
        all.live_bytes += live_bytes;
        all.live_peak_bytes += live_peak_bytes;
        all.heap_peak_bytes += heap_peak_bytes;
    }
    all
}

/// The same with what they share and is in none of them; unless none knows its peak.
fn with_shared(mut stats: Stats, shared_bytes: usize) -> Stats {
    if stats.heap_peak_bytes > 0 {
        stats.heap_peak_bytes += shared_bytes;
    }
    stats
}

/// Keeps the larger peaks.
fn grow(stats: &mut Stats, other: &Stats) {
    stats.live_peak_bytes = stats.live_peak_bytes.max(other.live_peak_bytes);
    stats.heap_peak_bytes = stats.heap_peak_bytes.max(other.heap_peak_bytes);
}

#[cfg(test)]
mod tests {
    use super::super::{Task, run};
    use super::*;
    use crate::arguments::parse_line;
    use crate::config::selected;

    /// Samples of all that some options ask for, at a size.
    fn samples(options: &str, n: u32) -> Vec<Record> {
        let options = parse_line(&format!("rc-vs-gc {options}")).unwrap();
        let configs = selected(&options.measure, &[], Vec::new()).unwrap();
        let record = |config: crate::config::Config| {
            let mut record = Record { n, ..Record::new() };
            config.subject.describe(&mut record);
            (record.params, record.threads) = (config.params, config.threads);
            let task = Task { record, search_ns: 1, cores: machine::cores(), ..Task::default() };
            run(task).unwrap()
        };
        configs.into_iter().map(record).collect()
    }

    #[test]
    fn every_backend_fills_its_record() {
        for (mode, split) in [("throughput", false), ("split", true), ("shared", true)] {
            for record in samples(&format!("--backend all --threads 1,3 --mode {mode}"), 5) {
                let name = format!("{} {mode} {:?}", record.backend, record.params.get("lists"));
                assert_eq!((record.status, record.message), (Status::Ok, None), "{name}");
                assert_eq!((record.solutions, record.cells_allocated), (Some(10), Some(922)));
                assert_eq!(record.iterations_ns.len(), 1, "{name}");
                let parallel = record.parallel.unwrap();
                assert_eq!(parallel.cpu_ns.len(), 1, "{name}");
                assert_eq!(parallel.cores as usize, machine::cores().len());
                assert_eq!(parallel.pinned, (record.threads <= parallel.cores).then_some(true));
                assert_eq!(parallel.tasks.is_some_and(|tasks| tasks > 100), split, "{name}");
                let lists = record.params.get("lists").map_or("copied", String::as_str);
                let copied = parallel.cells_copied.is_some_and(|cells| cells > 0);
                assert_eq!(copied, split && lists == "copied", "{name}");
                let immortal = parallel.cells_immortal.is_some_and(|cells| cells > 0);
                assert_eq!(immortal, split && lists == "immortal", "{name}");
                assert!(
                    parallel.tasks_stolen.is_none_or(|stolen| record.threads > 1 || stolen == 0)
                );
                let pauses = record.pauses.unwrap();
                assert_eq!(pauses.count > 0, pauses.total_ns > 0, "{name}");
                assert!(pauses.total_ns <= pauses.run_ns, "{name}");
                assert!(record.heap_peak_bytes.is_some_and(|bytes| bytes > 0), "{name}");
                let physical = parallel.physical_cores.unwrap_or(parallel.cores);
                assert!((1..=parallel.cores).contains(&physical), "{name}");
            }
        }
    }

    #[test]
    fn a_full_heap_is_told() {
        for mode in ["throughput", "split", "shared --lists counted"] {
            let records =
                samples(&format!("--backend arc --threads 2 --heap-limit 1KiB --mode {mode}"), 9);
            let [record] = &records[..] else { panic!("one sample") };
            assert_eq!(record.status, Status::OutOfMemory, "{mode}");
            assert!(
                record.message.as_ref().is_some_and(|why| why.contains("1024 bytes")),
                "{mode}"
            );
            assert_eq!((record.wall_ns, record.iterations_ns.len()), (None, 0));
        }
    }
}
