//! One measured sample, as one line of JSON. The field names are the file format.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io::{self, Write};

mod read;
pub use read::{ReadError, read_records};

/// Version of the record format that this crate writes, and the newest it reads.
pub const SCHEMA: u32 = 1;

/// One sample: one process that ran one backend at one size.
///
/// Unknown fields are ignored on reading, so that later versions may add some. Counts that were not
/// taken are `None` and absent from the JSON.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// Version of the format, [`SCHEMA`] in records written by this version.
    pub schema: u32,
    /// The measured program and its version, for instance `nqueens 0.1.0`.
    pub program: String,
    /// Name of the memory manager.
    pub backend: String,
    /// Family of the memory manager: `none`, `manual`, `region`, `reference counting`, `tracing`.
    pub family: String,
    /// What the backend is, in one sentence.
    pub about: String,
    /// What the backend can and cannot do.
    pub capabilities: Capabilities,
    /// Every parameter of the backend with its value, for instance `nursery` and `256KiB`.
    #[serde(default)]
    pub params: BTreeMap<String, String>,
    /// Size of the problem.
    pub n: u32,
    /// Threads that ran the program.
    pub threads: u32,
    /// Block of the run; samples of the same round are paired for ratios.
    pub round: u32,
    /// Seed of the run's random order.
    pub seed: u64,
    /// True for the second entry of the A/A pair, whose spread is the run's noise floor.
    #[serde(default)]
    pub control: bool,
    /// How the sample ended.
    pub status: Status,
    /// What went wrong, in one line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// The program's answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub solutions: Option<u64>,
    /// Median of `iterations_ns`, in nanoseconds; of an even number the mean of the middle two, rounded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wall_ns: Option<u64>,
    /// Wall time of each timed iteration, in nanoseconds.
    #[serde(default)]
    pub iterations_ns: Vec<u64>,
    /// Cells allocated in one iteration.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cells_allocated: Option<u64>,
    /// Cells visited by `filter` in one iteration.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cells_filtered: Option<u64>,
    /// Cells visited by `length` in one iteration.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cells_length: Option<u64>,
    /// Reference counts raised.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rc_increments: Option<u64>,
    /// Reference counts lowered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rc_decrements: Option<u64>,
    /// Cells freed one by one, or known to be reclaimed, until the program ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cells_freed: Option<u64>,
    /// Scopes closed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scopes: Option<u64>,
    /// Cells that collections marked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cells_marked: Option<u64>,
    /// Dead cells that sweeps found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cells_swept: Option<u64>,
    /// Writes that the barrier remembered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub barrier_hits: Option<u64>,
    /// Cells held, sampled by cells allocated: what was allocated and is not yet known to be
    /// reclaimed. Empty where it was not sampled.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub live_cells: Vec<LiveCells>,
    /// How long the program stood still for its memory manager.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pauses: Option<Pauses>,
    /// Instructions and other events of one search, from each source that was asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub counters: Vec<Counters>,
    /// Collections of the young generation, or sweeps of a region.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub collections_minor: Option<u64>,
    /// Collections of the whole heap.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub collections_major: Option<u64>,
    /// Bytes that collections copied.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes_copied: Option<u64>,
    /// Cells not yet reclaimed when the program had ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub live_cells_at_exit: Option<u64>,
    /// Most bytes that the heap held at once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub heap_peak_bytes: Option<u64>,
    /// Most bytes that were live at once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub live_peak_bytes: Option<u64>,
    /// Peak resident set of the sample's process.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rss_peak_bytes: Option<u64>,
    /// True for a sample made to count work: its times are not to be used.
    #[serde(default)]
    pub counted: bool,
    /// The machine and compiler.
    pub machine: Machine,
    /// Commit of the measuring program.
    pub commit: String,
    /// Whether tracked files differed from that commit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dirty: Option<bool>,
    /// Command line of the run.
    pub command: String,
    /// Start of the sample, in seconds since 1970 (UTC).
    pub started_unix_s: u64,
}

impl Record {
    /// An empty record of the current schema, to fill in.
    pub fn new() -> Self {
        Self { schema: SCHEMA, ..Self::default() }
    }
}

/// What a backend can and cannot do.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Capabilities {
    /// When memory returns, in words.
    pub returns: String,
    /// Whether objects move.
    pub moves: bool,
    /// Whether unreachable cycles are reclaimed.
    pub cycles: bool,
    /// Whether the backend only serves programs of this one shape.
    pub problem_specific: bool,
    /// Bytes that the backend adds to each object.
    pub header_bytes: u32,
    /// Bytes that a list cell takes in all.
    pub cell_bytes: u32,
}

/// One point of the curve of live cells.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LiveCells {
    /// Cells allocated so far in this search.
    pub allocated: u64,
    /// Cells held then.
    pub live: u64,
}

/// Pauses of one search, of an instance that is made to time them: every collection, every sweep,
/// and every release that frees more than one cell.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
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
    /// Wall time of the search, pauses and clock included, in nanoseconds.
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

/// The least share of any window of this length that was the program's own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Mmu {
    /// Length of the window, in nanoseconds.
    pub window_ns: u64,
    /// From 0, a pause fills a window, to 1.
    pub utilisation: f64,
}

/// Where event counts come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CounterSource {
    /// Simulated by valgrind's callgrind, on a model of caches and branch prediction.
    Callgrind,
    /// Counted by the processor (`perf_event_open`).
    Perf,
}

/// Events of one search, from one source; what the source did not give is absent, never estimated.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
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

/// How a sample ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
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
        }
    }
}

/// The machine and compiler of a sample.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
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

/// Writes one record as one line of JSON.
///
/// # Errors
///
/// The writer's own.
pub fn write_record(writer: &mut impl Write, record: &Record) -> io::Result<()> {
    // One write, so that a crash between two cannot leave a line without its end.
    let mut line = serde_json::to_vec(record)?;
    line.push(b'\n');
    writer.write_all(&line)
}
