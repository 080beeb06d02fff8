//! How long a program stands still for its memory manager.
//!
//! Lengths go into a histogram of high dynamic range. The minimum mutator
//! utilisation (MMU) is kept exactly while the program runs: for each width,
//! the most pause time that any window of that width contains.
//!
//! Which windows need a look? Only those that end where a pause ends. Take any
//! window. If it ends within a pause, slide it right until that pause ends: at
//! each step it gains as much at its end, and loses no more at its start. If it
//! ends while the program works, slide it left until a pause ends there: it
//! loses nothing at its end. A window may so be slid past the start of the run,
//! where nothing is paused; the first whole window has all that one has.
//!
//! Keeping all this takes longer than most pauses of a heap that frees cell by
//! cell. So pauses wait in a short list, and the time in which a full one is
//! worked off is no time of the program: it is cut out of the run.
//!
//! Papers: Cheng & Blelloch, "A parallel, real-time garbage collector", PLDI
//! 2001 (the utilisation); Tene, HdrHistogram, 2012.

use hdrhistogram::Histogram;
use std::collections::VecDeque;
use std::time::Instant;

/// Widths of the windows, in nanoseconds: enough of them for a curve.
const WIDTHS_NS: [u64; 9] =
    [10_000, 30_000, 100_000, 300_000, 1_000_000, 3_000_000, 10_000_000, 30_000_000, 100_000_000];
/// The histogram has room for lengths up to this from the start; it grows for longer ones.
const LONG_NS: u64 = 60_000_000_000;
/// Lengths are told apart to this many digits.
const DIGITS: u8 = 3;
/// Most pauses that wait: their list leaves the first-level cache to the program.
const MOST_WAITING: usize = 256;

/// The pauses of one run.
#[derive(Debug)]
pub struct Pauses {
    lengths: Histogram<u64>,
    total_ns: u64,
    max_ns: u64,
    /// Start of the first pause: the origin of time.
    origin: Option<Instant>,
    /// Start and end of pauses that are not in the figures yet.
    waiting: Vec<(Instant, Instant)>,
    /// Time of the run that went into working off what waited.
    lost_ns: u64,
    /// How often the clock was read at a stop, whether or not a pause came of it.
    stops: u64,
    /// Sweeps, within pauses or not, and their lengths together.
    sweeps: (u64, u64),
    /// Start and end of each pause that ends within the widest window, if it is
    /// to end where the last pause does.
    recent: VecDeque<(u64, u64)>,
    /// Pauses that left `recent`.
    left: u64,
    /// Narrowest first.
    windows: Vec<Window>,
}

/// A window that ends where the last pause does.
#[derive(Clone, Copy, Debug)]
struct Window {
    width_ns: u64,
    /// The first pause that ends in it, by its number from the start.
    first: u64,
    /// Together the lengths of that pause and of all that follow.
    sum_ns: u64,
    /// Most pause time of any window.
    worst_ns: u64,
}

/// What there is to say about the pauses of a run, in nanoseconds. All is zero
/// but the utilisations if there was no pause.
#[derive(Clone, Debug, PartialEq)]
pub struct Summary {
    /// Number of pauses.
    pub count: u64,
    /// Their lengths together.
    pub total_ns: u64,
    /// Median length.
    pub p50_ns: u64,
    /// 99th percentile.
    pub p99_ns: u64,
    /// 99.9th percentile.
    pub p999_ns: u64,
    /// The longest.
    pub max_ns: u64,
    /// Number of sweeps: the parts of pauses in which dead memory was looked for,
    /// and what heaps that sweep lazily do of it beside their pauses.
    pub sweeps: u64,
    /// Their lengths together; the clock is once in each.
    pub sweep_ns: u64,
    /// Wall time of the run, less what keeping account of its pauses took: the
    /// clock is in it once for each pause, as in [`total_ns`](Self::total_ns).
    pub run_ns: u64,
    /// Length of a pause in which nothing is done: the clock is part of each.
    pub clock_ns: u64,
    /// Widths of windows, and the least share of any window of that width that
    /// was the program's own. In a shorter run the window is all of it.
    pub mmu: Vec<(u64, f64)>,
    /// Per cent of the pauses, and the length that they do not exceed, as far as
    /// there are enough pauses to tell one percentile from the next.
    pub percentiles: Vec<(f64, u64)>,
}

impl Default for Pauses {
    fn default() -> Self {
        Pauses::with_windows(&WIDTHS_NS)
    }
}

impl Pauses {
    /// No pauses yet; windows of these widths, narrowest first.
    fn with_windows(widths_ns: &[u64]) -> Self {
        let mut lengths = Histogram::new_with_max(LONG_NS, DIGITS).expect("sound bounds");
        lengths.auto(true);
        let window = |&width_ns| Window { width_ns, first: 0, sum_ns: 0, worst_ns: 0 };
        Pauses {
            lengths,
            total_ns: 0,
            max_ns: 0,
            origin: None,
            waiting: Vec::with_capacity(MOST_WAITING),
            lost_ns: 0,
            stops: 0,
            sweeps: (0, 0),
            recent: VecDeque::new(),
            left: 0,
            windows: widths_ns.iter().map(window).collect(),
        }
    }

    /// Adds a pause, later than all before; its end is now.
    #[inline(always)]
    pub(crate) fn record(&mut self, start: Instant, end: Instant) {
        self.waiting.push((start, end));
        if self.waiting.len() == MOST_WAITING {
            self.work_off();
            self.lost_ns += end.elapsed().as_nanos() as u64;
        }
    }

    /// Adds readings of the clock at stops.
    pub(crate) fn stopped(&mut self, times: u64) {
        self.stops += times;
    }

    /// Adds a sweep.
    #[inline(always)]
    pub(crate) fn swept(&mut self, sweep_ns: u64) {
        let (sweeps, total_ns) = &mut self.sweeps;
        (*sweeps, *total_ns) = (*sweeps + 1, *total_ns + sweep_ns);
    }

    #[cold]
    #[inline(never)]
    fn work_off(&mut self) {
        let mut waiting = std::mem::take(&mut self.waiting);
        for (start, end) in waiting.drain(..) {
            let origin = *self.origin.get_or_insert(start);
            let ns = |at: Instant| at.duration_since(origin).as_nanos() as u64 - self.lost_ns;
            self.add(ns(start), ns(end));
        }
        self.waiting = waiting;
    }

    fn add(&mut self, start_ns: u64, end_ns: u64) {
        let length_ns = end_ns - start_ns;
        self.lengths.record(length_ns).expect("it grows as needed");
        self.total_ns += length_ns;
        self.max_ns = self.max_ns.max(length_ns);
        self.recent.push_back((start_ns, end_ns));
        for window in &mut self.windows {
            window.end_at_last(&self.recent, self.left);
        }
        let needed = self.windows.iter().map(|window| window.first).min();
        while needed.is_some_and(|first| self.left < first) {
            self.recent.pop_front();
            self.left += 1;
        }
    }

    /// Forgets all pauses.
    pub fn clear(&mut self) {
        let widths_ns: Vec<u64> = self.windows.iter().map(|window| window.width_ns).collect();
        let mut recent = std::mem::take(&mut self.recent);
        recent.clear();
        *self = Pauses { recent, ..Pauses::with_windows(&widths_ns) };
    }

    /// Sums up a run that took `wall_ns` nanoseconds, pauses and their account included.
    pub fn summary(&mut self, wall_ns: u64) -> Summary {
        self.work_off();
        let clock_ns = clock_ns();
        // Of two readings the time of one is in the pause between them.
        let account_ns = self.lost_ns.saturating_add(self.stops.saturating_mul(clock_ns));
        let run_ns = wall_ns.saturating_sub(account_ns).max(self.total_ns.min(wall_ns));
        let utilisation = |window: &Window| {
            let width_ns = window.width_ns.min(run_ns).max(1);
            let paused = window.worst_ns as f64 / width_ns as f64;
            (window.width_ns, (1.0 - paused).clamp(0.0, 1.0))
        };
        let points = points(self.lengths.len());
        Summary {
            count: self.lengths.len(),
            total_ns: self.total_ns,
            p50_ns: self.percentile(50.0),
            p99_ns: self.percentile(99.0),
            p999_ns: self.percentile(99.9),
            max_ns: self.max_ns,
            sweeps: self.sweeps.0,
            sweep_ns: self.sweeps.1,
            run_ns,
            clock_ns,
            mmu: self.windows.iter().map(utilisation).collect(),
            percentiles: points.into_iter().map(|p| (p, self.percentile(p))).collect(),
        }
    }

    /// Sums up the pauses of threads that ran for the same `wall_ns` nanoseconds. The time of the
    /// run is that of all threads; the utilisation of a window is that of the thread which has the
    /// least.
    pub fn of_threads(threads: Vec<Pauses>, wall_ns: u64) -> Summary {
        let mut all = Pauses::default();
        let mut parts = Vec::new();
        for mut pauses in threads {
            parts.push(pauses.summary(wall_ns));
            all.lengths.add(&pauses.lengths).expect("it grows as needed");
            all.total_ns += pauses.total_ns;
            all.max_ns = all.max_ns.max(pauses.max_ns);
            let (sweeps, sweep_ns) = pauses.sweeps;
            all.sweeps = (all.sweeps.0 + sweeps, all.sweeps.1 + sweep_ns);
        }
        let mut sum = all.summary(0);
        sum.run_ns = parts.iter().map(|part| part.run_ns).sum();
        sum.clock_ns = parts.iter().map(|part| part.clock_ns).max().unwrap_or(sum.clock_ns);
        for (index, (_, least)) in sum.mmu.iter_mut().enumerate() {
            let of_window = parts.iter().filter_map(|part| part.mmu.get(index));
            *least = of_window.fold(1.0, |least, &(_, of_thread)| f64::min(least, of_thread));
        }
        sum
    }

    /// The length that this per cent of the pauses do not exceed.
    fn percentile(&self, percent: f64) -> u64 {
        self.lengths.value_at_percentile(percent).min(self.max_ns)
    }
}

impl Window {
    /// Moves its end to that of the last pause, `left` being the number of the
    /// first one in `recent`.
    fn end_at_last(&mut self, recent: &VecDeque<(u64, u64)>, left: u64) {
        let pause = |number: u64| recent[(number - left) as usize];
        let (start_ns, end_ns) = recent[recent.len() - 1];
        self.sum_ns += end_ns - start_ns;
        let begin_ns = end_ns.saturating_sub(self.width_ns);
        let last = left + recent.len() as u64 - 1;
        let (mut first_ns, mut first_end_ns) = pause(self.first);
        while first_end_ns <= begin_ns && self.first < last {
            self.sum_ns -= first_end_ns - first_ns;
            self.first += 1;
            (first_ns, first_end_ns) = pause(self.first);
        }
        let outside_ns = begin_ns.saturating_sub(first_ns);
        self.worst_ns = self.worst_ns.max(self.sum_ns - outside_ns);
    }
}

/// The percentiles that so many pauses tell apart, in per cent.
fn points(count: u64) -> Vec<f64> {
    if count == 0 {
        return Vec::new();
    }
    let mut points = vec![0.0, 10.0, 25.0, 50.0, 75.0];
    let mut beyond = 10.0;
    while count as f64 * beyond >= 100.0 {
        // 90, 95, 97.5, then 99, 99.5, 99.75, ...
        let digits = |percent: f64| (percent * 1e9).round() / 1e9;
        points.extend([1.0, 2.0, 4.0].map(|part| digits(100.0 - beyond / part)));
        beyond /= 10.0;
    }
    points.push(100.0);
    points
}

/// The median length of a pause in which nothing is done.
fn clock_ns() -> u64 {
    let mut lengths_ns: [u64; 1_001] = std::array::from_fn(|_| {
        let start = Instant::now();
        Instant::now().duration_since(start).as_nanos() as u64
    });
    lengths_ns.sort_unstable();
    lengths_ns[lengths_ns.len() / 2]
}

#[cfg(test)]
mod tests;
