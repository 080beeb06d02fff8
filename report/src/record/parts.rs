//! What a record is made of.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What a backend can and cannot do.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Capabilities {
    /// When memory returns, in words.
    pub returns: String,
    /// Whether objects move.
    pub moves: bool,
    /// Whether unreachable cycles are reclaimed.
    pub cycles: bool,
    /// Whether young objects are collected apart from old ones.
    #[serde(default)]
    pub generational: bool,
    /// Whether the backend only serves programs of this one shape.
    pub problem_specific: bool,
    /// Bytes that the backend adds to each object.
    pub header_bytes: u32,
    /// Bytes that a list cell takes in all.
    pub cell_bytes: u32,
}

/// A program of its own that does the same: in another language, or with another language's memory
/// manager. What is known of a backend's objects is not known of it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Peer {
    /// What readers call it, for instance `Java, serial collector`.
    pub title: String,
    /// The language, for instance `Java`.
    pub language: String,
    /// What is to be said against the comparison, each a sentence.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// What a sample with several threads measured beside its times, or one that was made the same
/// way with a single thread. The parameter `mode` says what the threads did: `throughput`, each
/// the whole program on a heap of its own; `split`, one run together, what tasks refer to copied;
/// `shared`, one run together, the parameter `lists` saying how: `counted`, `copied`, `immortal`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Parallel {
    /// Processor time of all threads in each timed iteration, in nanoseconds; one for each of the
    /// record's `iterations_ns`.
    pub cpu_ns: Vec<u64>,
    /// Cores that the threads could run on.
    pub cores: u32,
    /// Physical cores among those that the threads may use; fewer than `cores` where some share one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub physical_cores: Option<u32>,
    /// Whether each thread was kept on a core of its own; `None` where that was not tried or not told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pinned: Option<bool>,
    /// Tasks that a run was split into; absent where none is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tasks: Option<u64>,
    /// Tasks that another thread did than the one that made them, in the counted run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tasks_stolen: Option<u64>,
    /// Cells that were copied for tasks; not among `cells_allocated`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cells_copied: Option<u64>,
    /// Cells that were made immortal; not among `cells_allocated`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cells_immortal: Option<u64>,
}

/// What a sample of an allocation study measured, in place of n-queens.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Study {
    /// Name of the study: `pointers`, `burst` or `growth`. What a row was put to is the parameter
    /// `workload`.
    pub name: String,
    /// What `n` counts, for instance `live objects`.
    pub size: String,
    /// The parts of an iteration that were timed, in order.
    pub phases: Vec<Phase>,
    /// Figures beside the times, by name: `capacity`, `new_blocks`, `metadata_percent`, ...
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub figures: BTreeMap<String, f64>,
}

/// A part of an iteration that is timed by itself.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Phase {
    /// What is done in it, for instance `insert`.
    pub name: String,
    /// Operations of one iteration: a time divided by them is that of one.
    pub operations: u64,
    /// Its wall time in each timed iteration, in nanoseconds; one for each of the record's
    /// `iterations_ns`, which are the sums over all phases.
    pub iterations_ns: Vec<u64>,
}

/// One point of the curve of live cells.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LiveCells {
    /// Cells allocated so far in this search.
    pub allocated: u64,
    /// Cells held then.
    pub live: u64,
}

/// Pauses of one search, of an instance that is made to time them: every collection, every sweep,
/// and every release that frees more than one cell.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Pauses {
    /// Number of pauses.
    pub count: u64,
    /// Their lengths together, in nanoseconds.
    pub total_ns: u64,
    /// Median length, in nanoseconds.
    pub p50_ns: u64,
    /// 99th percentile, in nanoseconds.
    pub p99_ns: u64,
    /// 99.9th percentile, in nanoseconds.
    pub p999_ns: u64,
    /// The longest, in nanoseconds.
    pub max_ns: u64,
    /// Number of sweeps, within pauses or not: where dead memory was looked for, apart from marking.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sweeps: Option<u64>,
    /// Their lengths together, in nanoseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sweep_ns: Option<u64>,
    /// Wall time of the search, less what keeping account of its pauses took, in nanoseconds; the
    /// clock is in it once for each pause, as in `total_ns`.
    pub run_ns: u64,
    /// What reading the clock twice costs, in nanoseconds; part of each pause.
    pub clock_ns: u64,
    /// Minimum mutator utilisation in windows of several lengths, shortest first
    /// (Cheng & Blelloch, PLDI 2001).
    pub mmu: Vec<Mmu>,
    /// The curve of lengths: per cent of the pauses, and the length in nanoseconds that they do not
    /// exceed.
    #[serde(default)]
    pub percentiles: Vec<(f64, u64)>,
}

impl Pauses {
    /// The part of the search that went into sweeps, from 0 to 1; `None` where nothing was swept, or
    /// nothing of it recorded.
    ///
    /// Readings of the clock are in neither: one lies within each sweep and one beside it, and one
    /// within each pause.
    pub fn sweep_share(&self) -> Option<f64> {
        let sweeps = self.sweeps.filter(|&sweeps| sweeps > 0)?;
        let clocks_ns = |readings: u64| readings.saturating_mul(self.clock_ns);
        let readings = self.count.saturating_add(sweeps.saturating_mul(2));
        let run_ns = self.run_ns.saturating_sub(clocks_ns(readings));
        let sweep_ns = self.sweep_ns?.saturating_sub(clocks_ns(sweeps)).min(run_ns);
        (run_ns > 0).then(|| sweep_ns as f64 / run_ns as f64)
    }
}

/// The least share of any window of this length that was the program's own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Mmu {
    /// Length of the window, in nanoseconds.
    pub window_ns: u64,
    /// From 0, a pause fills a window, to 1.
    #[serde(deserialize_with = "share")]
    #[cfg_attr(feature = "schema", schemars(range(min = 0.0, max = 1.0)))]
    pub utilisation: f64,
}

/// Reads a part of a whole.
fn share<'de, D: serde::Deserializer<'de>>(input: D) -> Result<f64, D::Error> {
    let share = f64::deserialize(input)?;
    let wrong = || serde::de::Error::custom(format!("{share:?} is not from 0 to 1"));
    (0.0..=1.0).contains(&share).then_some(share).ok_or_else(wrong)
}

/// Where event counts come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum CounterSource {
    /// Simulated by valgrind's callgrind, on a model of caches and branch prediction.
    Callgrind,
    /// Counted by the processor (`perf_event_open`).
    Perf,
}

/// Events of one search, from one source; what the source did not give is absent, never estimated.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Counters {
    /// Where they come from.
    pub source: CounterSource,
    /// Why there are none, or not all, in one line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unavailable: Option<String>,
    /// Instructions executed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instructions: Option<u64>,
    /// Processor cycles.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cycles: Option<u64>,
    /// Branches, conditional and indirect.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub branches: Option<u64>,
    /// Branches mispredicted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub branch_misses: Option<u64>,
    /// Data and instruction references that missed the first-level caches.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub l1_misses: Option<u64>,
    /// References that missed the last-level cache.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ll_misses: Option<u64>,
}

impl Counters {
    /// No counts, to fill in.
    pub fn none(source: CounterSource) -> Self {
        Self {
            source,
            unavailable: None,
            instructions: None,
            cycles: None,
            branches: None,
            branch_misses: None,
            l1_misses: None,
            ll_misses: None,
        }
    }
}

/// How a sample ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// The answer is right and nothing leaked.
    #[default]
    Ok,
    /// The heap limit was reached.
    OutOfMemory,
    /// The process died.
    Crashed,
    /// Cells were left where none should be.
    Leaked,
    /// The program's answer, or its work counts, were not the expected ones.
    WrongAnswer,
    /// The process took too long, and was ended.
    TimedOut,
}

impl Status {
    /// The status for readers: `out of memory`, `wrong answer`, ...
    pub fn words(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::OutOfMemory => "out of memory",
            Self::Crashed => "crashed",
            Self::Leaked => "leaked",
            Self::WrongAnswer => "wrong answer",
            Self::TimedOut => "timed out",
        }
    }
}

/// The machine and compiler of a sample.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Machine {
    /// Processor model.
    pub processor: String,
    /// Cores that the process may use.
    pub cores: u32,
    /// Physical cores of the machine, usable or not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub physical_cores: Option<u32>,
    /// Kernel name and version.
    pub kernel: String,
    /// Operating system.
    pub os: String,
    /// Compiler name and version.
    pub compiler: String,
    /// Level-1 data cache of a core, in bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub l1d_bytes: Option<u64>,
    /// Level-2 cache, in bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub l2_bytes: Option<u64>,
    /// Level-3 cache, in bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub l3_bytes: Option<u64>,
    /// Hash that tells machines with the same description apart.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Architecture and features that the program was compiled for, and how far it was optimised.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub flags: Option<String>,
    /// Frequency governor.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub governor: Option<String>,
    /// Load average over a minute when the sample started.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub load_1min: Option<f64>,
    /// Whether the machine is a virtual one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub virtualised: Option<bool>,
    /// What makes a virtual machine of it, as that calls itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hypervisor: Option<String>,
    /// Whether the measuring program was built without optimisation.
    pub debug_build: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_clock_is_in_no_sweep() {
        let share = |count, sweeps, sweep_ns, run_ns| {
            let (sweeps, sweep_ns) = (Some(sweeps), Some(sweep_ns));
            Pauses { count, sweeps, sweep_ns, run_ns, clock_ns: 10, ..Pauses::default() }
                .sweep_share()
        };
        // 4 pauses and 3 sweeps: ten readings beside 1000 ns, three of them in the sweeps.
        assert_eq!(share(4, 3, 280, 1100), Some(0.25));
        assert_eq!(share(0, 3, 30, 1060), Some(0.0), "nothing but the clock");
        assert_eq!(share(0, 3, 29, 1060), Some(0.0), "less than the clock");
        assert_eq!(share(0, 1, 500, 120), Some(1.0), "more than all");
        assert_eq!(share(0, 3, 30, 60), None, "nothing is left of the search");
        assert_eq!(share(4, 0, 0, 1100), None, "nothing was swept");
        assert_eq!(share(u64::MAX, u64::MAX, 30, 1100), None);
        let old = Pauses { count: 4, run_ns: 1100, ..Pauses::default() };
        assert_eq!(old.sweep_share(), None, "not recorded");
        assert_eq!(Pauses { sweeps: Some(1), ..old }.sweep_share(), None);
    }
}
