//! The command line.

use crate::axis::{self, Axis};
use crate::counters;
use crate::parallel::{Mode, Order};
use crate::values::{self, Rounds, Setting};
use clap::{Args, Parser, Subcommand, ValueEnum};
use report::CounterSource;
use std::collections::BTreeSet;
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::time::Duration;

/// The whole command line.
#[derive(Debug, Parser)]
#[command(name = "rc-vs-gc", version, args_conflicts_with_subcommands = true)]
#[command(max_term_width = 100)]
#[command(long_about = None, about = "\
Compares memory managers on one program: n-queens by logic programming on
immutable lists, compiled once per memory manager.

Without options it compares all of them on boards of 8 and 9, within a minute.
Every sample is a process of its own; their order is random.")]
#[command(after_help = "\
Exit codes: 0 done; 1 a wrong answer, a leak or a crash, or what compare's
--fail-if-slower does not allow; 2 bad input; 3 a backend reached its heap limit;
130 interrupted (what was measured is kept).")]
pub struct Options {
    /// What to do; without it, measure.
    #[command(subcommand)]
    pub command: Option<Command>,
    /// Options of a measuring run.
    #[command(flatten)]
    pub measure: Measure,
}

/// What to do instead of measuring.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Measure over the values of parameters: gc.nursery=8KiB..8MiB
    Sweep(Box<Sweep>),
    /// Measure what an allocation costs: of smart pointers, of many nodes at once, of a vector that
    /// grows
    Study(Box<Study>),
    /// Show the backends, what they can do, and their parameters; or what a study compares
    List(List),
    /// Make the report again, from record files alone
    Report(Report),
    /// Say where the time goes: each step of the ladder, and the cost over the cheapest heap
    Explain(Explain),
    /// Compare two runs of the same work, with a verdict for each row
    Compare(Compare),
    /// Join record files, of several machines too, into one
    Merge(Merge),
    /// The same program in other languages: which can run here, building them, checking them
    Peers(PeersOptions),
    /// Run one sample, described on standard input (for the command itself)
    #[command(hide = true)]
    Sample,
}

/// Options of a measuring run.
#[derive(Args, Clone, Debug)]
#[group(skip)]
pub struct Measure {
    /// Backends to measure, or rows of a study: names, or all
    /// [default: all; in a sweep the swept ones with malloc and rc beside them]
    #[arg(long, value_name = "NAME,...", value_delimiter = ',')]
    pub backend: Vec<String>,
    /// Peers to measure in the same blocks, the same program in other languages: names, or all
    /// ('peers list' says which can run here)
    #[arg(long, value_name = "NAME,...", value_delimiter = ',', value_parser = values::peer)]
    pub peers: Vec<String>,
    /// Folder of the peers [default: the one of this program's sources]
    #[arg(long, value_name = "DIR")]
    pub peers_dir: Option<PathBuf>,
    /// Time after which a sample of a peer is ended, and failed
    #[arg(long, value_name = "TIME", value_parser = values::time, allow_hyphen_values = true)]
    #[arg(default_value = "60s")]
    pub peer_limit: Duration,
    /// Board sizes: 8, or 8,9, or 6..=10; of a study what its n counts
    /// [default: 8,9; of a study its own, see 'list STUDY']
    #[arg(long, value_name = "N,...", value_delimiter = ',', allow_negative_numbers = true)]
    pub n: Vec<String>,
    /// Samples of each backend at each size, at least 6 for verdicts; or auto: until all
    /// ratios are precise [default: 8, or 1 with --counted, or auto with --target or --budget]
    #[arg(long, value_name = "COUNT", allow_negative_numbers = true)]
    #[arg(value_parser = values::rounds)]
    pub rounds: Option<Rounds>,
    /// Width of a ratio's 95 % interval that is precise enough for --rounds auto
    /// [default: 2%]
    #[arg(long, value_name = "PERCENT", value_parser = values::target)]
    #[arg(allow_hyphen_values = true)]
    pub target: Option<f64>,
    /// Numbers of threads: 2, or 1,2,4, or 1..=8; each has a heap of its own
    /// [default: none; with --mode 1, 2, 4, ... up to all cores]
    #[arg(long, value_name = "T,...", value_delimiter = ',', value_parser = values::threads)]
    #[arg(allow_negative_numbers = true)]
    pub threads: Vec<RangeInclusive<u32>>,
    /// What threads do [default: throughput with --threads]
    #[arg(long, value_enum)]
    pub mode: Option<Mode>,
    /// Levels of the search whose choices become tasks, in modes split and shared [default: 2]
    #[arg(long, value_name = "LEVELS", allow_negative_numbers = true)]
    #[arg(value_parser = values::split_depth)]
    pub split_depth: Option<u32>,
    /// How tasks share lists in mode shared: copied for each, counted atomically, or made
    /// immortal, neither counted nor collected [default: each that the backend can]
    #[arg(long, value_name = "WAY,...", value_delimiter = ',', value_parser = values::lists)]
    pub lists: Vec<String>,
    /// Which task a thread does next, in modes split and shared [default: depth]
    #[arg(long, value_enum, value_name = "ORDER,...", value_delimiter = ',')]
    pub order: Vec<Order>,
    /// Time after which no sample is started, but for those of the first round
    /// [default: none, or 60s with --rounds auto]
    #[arg(long, value_name = "TIME", value_parser = values::time, allow_hyphen_values = true)]
    pub budget: Option<Duration>,
    /// Least time that the searches of a sample last together, the warm-up included
    #[arg(long, value_name = "TIME", value_parser = values::time, allow_negative_numbers = true)]
    #[arg(default_value = "100ms")]
    pub sample_time: Duration,
    /// Seed of the random order [default: a new one each time]
    #[arg(long, value_name = "NUMBER", allow_negative_numbers = true, value_parser = values::seed)]
    pub seed: Option<u64>,
    /// Backend or peer to compare with, entered twice to show the noise
    /// [default: gc, or the first; of a study its own]
    #[arg(long, value_name = "NAME")]
    pub baseline: Option<String>,
    /// Limit of each heap, checked between steps of the program: peaks may pass it
    /// by what a step allocates, and by the heap's own books; of a study what a row may ask for;
    /// of peers the peak resident set
    #[arg(long, value_name = "SIZE", value_parser = values::bytes, allow_negative_numbers = true)]
    #[arg(default_value = "8GiB")]
    pub heap_limit: usize,
    /// Set a backend's parameter, such as gc.nursery=256KiB (may be repeated; not of a study)
    #[arg(long, value_name = "BACKEND.NAME=VALUE", value_parser = values::setting)]
    pub set: Vec<Setting>,
    /// Count the work done instead of timing it (not of a study)
    #[arg(long)]
    pub counted: bool,
    /// Show how long the program stood still: collections, cascades of releases
    /// (each record has it, shown or not; not of a study)
    #[arg(long)]
    pub pauses: bool,
    /// Count instructions and other events of one search, beside its time: callgrind
    /// (needs valgrind; slow, so in the first round only), perf (if the system allows it)
    #[arg(long, value_name = "SOURCE,...", value_delimiter = ',', value_parser = counters::source)]
    pub counters: Vec<CounterSource>,
    /// Continue the run of this record file, in its folder whatever --out says; its options
    /// need not be given again
    #[arg(long, value_name = "FILE")]
    pub resume: Option<PathBuf>,
    /// Folder for the records and the report; earlier ones there are moved aside
    #[arg(long, value_name = "DIR", default_value = "results")]
    pub out: PathBuf,
    /// What standard output gets: tables for a terminal, the main table for an issue or a
    /// spreadsheet, or each record as a line of JSON
    #[arg(long, value_enum, default_value_t = Output::Table)]
    pub format: Output,
    /// Only results and errors: no progress, no warnings, no remarks
    #[arg(long, short)]
    pub quiet: bool,
    /// Names of the options that were given, not left at their defaults.
    #[arg(skip)]
    pub given: BTreeSet<String>,
}

/// Options of `sweep`.
#[derive(Args, Debug)]
pub struct Sweep {
    /// What to vary: sizes double, other numbers grow by the square root of two;
    /// heap-limit=1.1x..8x is in multiples of what lives at most
    #[arg(required = true, value_name = "PARAMETER=VALUES", value_parser = axis::axis)]
    pub axes: Vec<Axis>,
    /// As without `sweep`.
    #[command(flatten)]
    pub measure: Measure,
}

/// Options of `study`.
#[derive(Args, Debug)]
#[command(after_help = "\
pointers  makes objects of three sizes and gives them up, n of them live at once;
          workload window
burst     inserts n elements in one range, erases and destroys them;
          workloads vector (each element a node, found by an array) and list
growth    pushes 10,000 elements to each of n vectors in turn;
          workloads int and class (with a copy of its own)

'rc-vs-gc list STUDY' names the rows of each, 'rc-vs-gc peers list' its peers in C++.")]
pub struct Study {
    /// Which: pointers, burst or growth
    #[arg(value_name = "STUDY", value_parser = values::study)]
    pub study: &'static studies::Study,
    /// What the rows are put to: names, or all [default: all]
    #[arg(long, value_name = "NAME,...", value_delimiter = ',')]
    pub workload: Vec<String>,
    /// As without `study`.
    #[command(flatten)]
    pub measure: Measure,
}

/// Options of `list`.
#[derive(Args, Debug)]
pub struct List {
    /// The rows of this study, in place of the backends
    #[arg(value_name = "STUDY", value_parser = values::study)]
    pub study: Option<&'static studies::Study>,
    /// A table, or one JSON array
    #[arg(long, value_enum, default_value_t = Format::Table)]
    pub format: Format,
}

/// Options of `report`.
#[derive(Args, Debug)]
pub struct Report {
    /// Record files; their records are taken together
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Folder in which the report's own folder is written
    #[arg(long, value_name = "DIR", default_value = "results")]
    pub out: PathBuf,
    /// Backend to compare with [default: the one that was entered twice]
    #[arg(long, value_name = "NAME")]
    pub baseline: Option<String>,
    /// What standard output gets: tables for a terminal, or the main table for an issue or a
    /// spreadsheet
    #[arg(long, value_enum, default_value_t = Sheet::Table)]
    pub format: Sheet,
    /// Put the headline and its table between <!-- results --> and <!-- /results --> in this
    /// Markdown file, each on a line of its own; <!-- results CHART.png --> writes the chart
    /// there too, and shows it; <!-- study NAME CHART.png --> to <!-- /study --> is the place of
    /// an allocation study (may be repeated)
    #[arg(long, value_name = "FILE")]
    pub splice: Vec<PathBuf>,
    /// Write nothing: end with code 1 if --splice would change anything
    #[arg(long, requires = "splice")]
    pub check: bool,
    /// Show how long the program stood still: collections, cascades of releases
    #[arg(long)]
    pub pauses: bool,
    /// Only the table and errors
    #[arg(long, short)]
    pub quiet: bool,
}

/// Options of `explain`.
#[derive(Args, Debug)]
pub struct Explain {
    /// Record files; each program and machine in them is explained apart
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Board sizes: 8, or 8,9, or 6..=10 [default: the largest with times]
    #[arg(long, value_name = "N,...", value_delimiter = ',', value_parser = values::board_sizes)]
    #[arg(allow_negative_numbers = true)]
    pub n: Vec<RangeInclusive<u32>>,
    /// How it is written: tables for a terminal, Markdown, or one JSON array
    #[arg(long, value_enum, default_value_t = Page::Table)]
    pub format: Page,
}

/// Options of `compare`.
#[derive(Args, Debug)]
#[command(after_help = "\
Rows are matched by program, backend, parameters, threads and n. The interval is
that of the ratio of the medians (95 %); a difference below the larger of the two
runs' noise floors is no difference.

Exit codes: 0 compared; 1 with --fail-if-slower, if a row is slower than allowed or
failed where it had not; 2 bad input, or nothing in common.")]
pub struct Compare {
    /// Record file to compare with
    #[arg(value_name = "BEFORE")]
    pub before: PathBuf,
    /// Record file that is compared
    #[arg(value_name = "AFTER")]
    pub after: PathBuf,
    /// End with code 1 if a row is slower by more than this (its whole interval, and more than
    /// the noise floor), or failed where it had not
    #[arg(long, value_name = "PERCENT", value_parser = values::percent)]
    #[arg(allow_hyphen_values = true)]
    pub fail_if_slower: Option<f64>,
    /// A table, Markdown for an issue, or one JSON object
    #[arg(long, value_enum, default_value_t = Page::Table)]
    pub format: Page,
}

/// Options of `merge`.
#[derive(Args, Debug)]
pub struct Merge {
    /// Record files
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// File to write, gzip-compressed if it ends in .gz; it must not be there yet
    #[arg(long, value_name = "FILE")]
    pub out: PathBuf,
}

/// Options of `peers`.
#[derive(Args, Debug)]
#[command(arg_required_else_help = false)]
pub struct PeersOptions {
    /// What to do with them.
    #[command(subcommand)]
    pub command: PeersCommand,
}

/// What to do with peers.
#[derive(Debug, Subcommand)]
pub enum PeersCommand {
    /// Show the peers, which of them can run here, and what the others lack
    List(PeersList),
    /// Build those that can run here
    Build(Peers),
    /// Build them, and check their answers at several sizes; ends with code 1 if one is wrong
    Check(PeersCheck),
}

impl PeersCommand {
    /// Which peers it is about.
    pub fn peers(&self) -> &Peers {
        match self {
            Self::List(options) => &options.peers,
            Self::Build(peers) => peers,
            Self::Check(options) => &options.peers,
        }
    }
}

/// Which peers.
#[derive(Args, Debug)]
pub struct Peers {
    /// Names of peers or of their folders [default: all]
    #[arg(value_name = "NAME", value_parser = values::peer)]
    pub names: Vec<String>,
    /// Folder of the peers [default: the one of this program's sources]
    #[arg(long, value_name = "DIR")]
    pub peers_dir: Option<PathBuf>,
}

/// Options of `peers list`.
#[derive(Args, Debug)]
pub struct PeersList {
    /// Which.
    #[command(flatten)]
    pub peers: Peers,
    /// A table, or one JSON array
    #[arg(long, value_enum, default_value_t = Format::Table)]
    pub format: Format,
}

/// Options of `peers check`.
#[derive(Args, Debug)]
pub struct PeersCheck {
    /// Which.
    #[command(flatten)]
    pub peers: Peers,
    /// Time after which a peer is ended, and failed, at each size
    #[arg(long, value_name = "TIME", value_parser = values::time, allow_hyphen_values = true)]
    #[arg(default_value = "60s")]
    pub peer_limit: Duration,
}

/// How the list of backends is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    Table,
    Json,
}

/// What a measuring run writes to standard output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Output {
    Table,
    Markdown,
    Csv,
    Json,
}

/// How the results of finished records are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Sheet {
    Table,
    Markdown,
    Csv,
}

impl Output {
    /// How the results are written; `None` where the records are instead.
    pub fn sheet(self) -> Option<Sheet> {
        match self {
            Output::Table => Some(Sheet::Table),
            Output::Markdown => Some(Sheet::Markdown),
            Output::Csv => Some(Sheet::Csv),
            Output::Json => None,
        }
    }
}

/// How an explanation or a comparison is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Page {
    Table,
    Markdown,
    Json,
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_definition_is_consistent() {
        Options::command().debug_assert();
    }
}
