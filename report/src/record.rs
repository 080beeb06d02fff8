//! One measured sample, as one line of JSON. The field names are the file format.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io::{self, Write};

pub mod params;
mod parts;
mod read;
pub use parts::{
    Capabilities, CounterSource, Counters, LiveCells, Machine, Mmu, Parallel, Pauses, Peer, Phase,
    Status, Study,
};
pub use read::{ReadError, read_lines, read_prefix, read_records};

/// Version of the record format that this crate writes, and the newest it reads.
pub const SCHEMA: u32 = 1;

/// One sample: one process that ran one backend at one size.
///
/// Unknown fields are ignored on reading, so that later versions may add some. Counts that were not
/// taken are `None` and absent from the JSON.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
    /// The program, where it is not the study's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub peer: Option<Peer>,
    /// The allocation study that it is a sample of; absent of n-queens.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub study: Option<Study>,
    /// Every parameter of the backend with its value, for instance `nursery` and `256KiB`; of a peer
    /// `version`, that of its tools.
    #[serde(default)]
    pub params: BTreeMap<String, String>,
    /// Size of the problem.
    pub n: u32,
    /// Threads that ran the program.
    #[cfg_attr(feature = "schema", schemars(range(min = 1)))]
    pub threads: u32,
    /// What threads have to do with it; absent of samples that were made without any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parallel: Option<Parallel>,
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
    /// Wall time of each search before those, of peers that need some to warm up, in nanoseconds.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warm_up_ns: Vec<u64>,
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
    /// Runs of free memory that sweeps found, or that scopes gave back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub runs_found: Option<u64>,
    /// Words of mark bits that sweeps looked at.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub words_scanned: Option<u64>,
    /// References stored in a shadow stack.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub roots_stored: Option<u64>,
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
    /// An empty record of the current schema and one thread, to fill in.
    pub fn new() -> Self {
        Self { schema: SCHEMA, threads: 1, ..Self::default() }
    }
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
