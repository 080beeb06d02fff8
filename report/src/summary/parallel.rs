//! What samples with a mode tell of their threads.

use super::row::{Rounds, median_ns, middle, rounds};
use crate::record::{Parallel, Record};
use crate::stats::{Estimate, SEED, median_interval};

/// The threads of one row's samples.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ParallelTimes {
    /// Processor time of all threads in one iteration in nanoseconds: the median over the timed
    /// samples; `None` where none ended well.
    pub cpu_ns: Option<Estimate>,
    /// Cores that the threads could run on; of samples that differ the fewest.
    pub cores: u32,
    /// Physical ones among them, as the samples tell it; of samples that differ the fewest.
    pub physical_cores: Option<u32>,
    /// Whether each thread of every sample that tells it was kept on a core of its own.
    pub pinned: Option<bool>,
    /// Tasks that a search was split into.
    pub tasks: Option<u64>,
    /// Tasks that another thread did than the one that made them.
    pub tasks_stolen: Option<u64>,
    /// Cells that were copied for tasks.
    pub cells_copied: Option<u64>,
    /// Cells that were made immortal.
    pub cells_immortal: Option<u64>,
    /// The processor time of each round, which ratios pair.
    pub(crate) cpu_rounds: Rounds,
    /// The same of the second entry, where this configuration was entered twice.
    pub(super) cpu_controls: Rounds,
}

impl ParallelTimes {
    /// Of all samples, of those whose times count, and of those of the second entry; `None` where none
    /// tells of threads.
    pub(super) fn new<'a>(
        samples: &[&Record],
        timed: &[&Record],
        controls: impl Iterator<Item = &'a Record>,
    ) -> Option<Self> {
        let told = || samples.iter().filter_map(|sample| sample.parallel.as_ref());
        let cores = told().map(|threads| threads.cores).min()?;
        let any = |field: fn(&Parallel) -> Option<u64>| middle(told().filter_map(field));
        let times: Vec<f64> = timed.iter().filter_map(|sample| cpu_ns(sample)).collect();
        Some(Self {
            cpu_ns: median_interval(&times, SEED),
            cores,
            physical_cores: told().filter_map(|threads| threads.physical_cores).min(),
            pinned: told().filter_map(|threads| threads.pinned).min(),
            tasks: any(|threads| threads.tasks),
            tasks_stolen: any(|threads| threads.tasks_stolen),
            cells_copied: any(|threads| threads.cells_copied),
            cells_immortal: any(|threads| threads.cells_immortal),
            cpu_rounds: rounds(timed.iter().copied(), cpu_ns),
            cpu_controls: rounds(controls, cpu_ns),
        })
    }
}

/// Processor time of one iteration of a sample. Never zero, since ratios divide by it.
fn cpu_ns(record: &Record) -> Option<f64> {
    Some(median_ns(&record.parallel.as_ref()?.cpu_ns)?.max(1.0))
}
