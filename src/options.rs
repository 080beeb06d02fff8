//! The command line.

use crate::counters;
use crate::exit::{Exit, Stop};
use crate::values::{self, Selection, Setting};
use clap::error::ErrorKind;
use clap::{Args, Parser, Subcommand, ValueEnum};
use heap::Info;
use report::CounterSource;
use report::format::visible;
use std::ffi::OsString;
use std::ops::RangeInclusive;
use std::path::PathBuf;

/// The whole command line.
#[derive(Debug, Parser)]
#[command(name = "rc-vs-gc", version, args_conflicts_with_subcommands = true)]
#[command(long_about = None, about = "\
Compares memory managers on one program: n-queens by logic programming on
immutable lists, compiled once per memory manager.

Without options it compares all of them on boards of 8 and 9, within a minute.
Every sample is a process of its own; their order is random.")]
#[command(after_help = "\
Exit codes: 0 done; 1 a wrong answer, a leak or a crash; 2 bad input;
3 a backend reached its heap limit; 130 interrupted (what was measured is kept).")]
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
    /// Show the backends, what they can do, and their parameters
    List(List),
    /// Make the report again, from record files alone
    Report(Report),
    /// Say where the time goes: each step of the ladder, and the cost over the cheapest heap
    Explain(Explain),
    /// Compare two runs of the same work, with a verdict for each row
    Compare(Compare),
    /// Join record files, of several machines too, into one
    Merge(Merge),
    /// Run one sample, described on standard input (for the command itself)
    #[command(hide = true)]
    Sample,
}

/// Options of a measuring run.
#[derive(Args, Debug)]
pub struct Measure {
    /// Backends to measure: names, or all
    #[arg(long, value_name = "NAME,...", value_delimiter = ',', default_value = "all")]
    #[arg(value_parser = values::selection)]
    pub backend: Vec<Selection>,
    /// Board sizes: 8, or 8,9, or 6..=10
    #[arg(long, value_name = "N,...", value_delimiter = ',', default_value = "8,9")]
    #[arg(value_parser = values::sizes, allow_negative_numbers = true)]
    pub n: Vec<RangeInclusive<u32>>,
    /// Samples of each backend at each size [default: 8, or 1 with --counted]
    #[arg(long, value_name = "COUNT", allow_negative_numbers = true)]
    #[arg(value_parser = values::rounds)]
    pub rounds: Option<u32>,
    /// Seed of the random order [default: a new one each time]
    #[arg(long, value_name = "NUMBER", allow_negative_numbers = true, value_parser = values::seed)]
    pub seed: Option<u64>,
    /// Backend to compare with, entered twice to show the noise
    /// [default: gc, or the first]
    #[arg(long, value_name = "NAME", value_parser = values::backend)]
    pub baseline: Option<&'static Info>,
    /// Most memory that a backend may hold
    #[arg(long, value_name = "SIZE", value_parser = values::bytes, allow_negative_numbers = true)]
    #[arg(default_value = "8GiB")]
    pub heap_limit: usize,
    /// Set a backend's parameter, such as gc.nursery=256KiB (may be repeated)
    #[arg(long, value_name = "BACKEND.NAME=VALUE", value_parser = values::setting)]
    pub set: Vec<Setting>,
    /// Count the work done instead of timing it
    #[arg(long)]
    pub counted: bool,
    /// Count instructions and other events of one search: callgrind (if valgrind is installed; in
    /// the first round only, since its counts hardly vary; slow), perf (if the system allows it)
    #[arg(long, value_name = "SOURCE,...", value_delimiter = ',', value_parser = counters::source)]
    pub counters: Vec<CounterSource>,
    /// Folder for the records and the report; earlier ones there are moved aside
    #[arg(long, value_name = "DIR", default_value = "results")]
    pub out: PathBuf,
    /// What standard output gets: a table, or each record as a line of JSON
    #[arg(long, value_enum, default_value_t = Format::Table)]
    pub format: Format,
    /// Only results and errors: no progress, no warnings, no remarks
    #[arg(long, short)]
    pub quiet: bool,
}

/// Options of `list`.
#[derive(Args, Debug)]
pub struct List {
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
    /// Only the table and errors
    #[arg(long, short)]
    pub quiet: bool,
}

/// Options of `explain`.
#[derive(Args, Debug)]
pub struct Explain {
    /// Record files; their records are taken together
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
}

/// Options of `compare`.
#[derive(Args, Debug)]
pub struct Compare {
    /// Record file to compare with
    #[arg(value_name = "BEFORE")]
    pub before: PathBuf,
    /// Record file that is compared
    #[arg(value_name = "AFTER")]
    pub after: PathBuf,
    /// End with code 1 if anything is slower by more than this, beyond the noise
    #[arg(long, value_name = "PERCENT", value_parser = values::percent)]
    #[arg(allow_negative_numbers = true)]
    pub fail_if_slower: Option<f64>,
}

/// Options of `merge`.
#[derive(Args, Debug)]
pub struct Merge {
    /// Record files
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// File to write; it must not be there yet
    #[arg(long, value_name = "FILE")]
    pub out: PathBuf,
}

/// How results are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    Table,
    Json,
}

/// What was given on the command line.
#[derive(Debug)]
pub enum Given {
    /// Something to do.
    Run(Box<Options>),
    /// The help or the version was asked for.
    Text(String),
}

/// Reads the process's arguments.
///
/// # Errors
///
/// [`Exit::BadInput`], in one line.
pub fn read() -> Result<Given, Stop> {
    let arguments: Vec<OsString> = std::env::args_os().collect();
    match Options::try_parse_from(&arguments) {
        Ok(options) => Ok(Given::Run(Box::new(options))),
        Err(error) => match error.kind() {
            ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => {
                Ok(Given::Text(error.render().to_string()))
            }
            _ => {
                let error = recognisable(&arguments).unwrap_or(error);
                let why = anyhow::Error::msg(one_line(&error.render().to_string()));
                Err(Stop { exit: Exit::BadInput, why })
            }
        },
    }
}

/// What is said of the arguments with their control characters written out:
/// the parser drops some, and a line break would break its message.
fn recognisable(arguments: &[OsString]) -> Option<clap::Error> {
    let visible = arguments.iter().map(|argument| visible(&argument.to_string_lossy()));
    Options::try_parse_from(visible).err()
}

/// The parser's message without its label, usage and line breaks.
fn one_line(message: &str) -> String {
    let message = message.strip_prefix("error: ").unwrap_or(message);
    let lines = message
        .lines()
        .map(str::trim)
        .take_while(|line| !line.starts_with("Usage:") && !line.starts_with("For more information"))
        .filter(|line| !line.is_empty());
    let mut text = String::new();
    for line in lines {
        let join = match () {
            () if text.is_empty() => "",
            () if text.ends_with(':') || line.starts_with('[') => " ",
            () => "; ",
        };
        text = text + join + line;
    }
    text
}

/// The command line as it was given, for the records.
pub fn command_line() -> String {
    let quoted = |argument: String| match argument.contains(|c: char| c.is_whitespace()) {
        true => format!("'{argument}'"),
        false => argument,
    };
    let arguments = std::env::args_os().skip(1);
    let arguments = arguments.map(|argument| quoted(argument.to_string_lossy().into_owned()));
    std::iter::once("rc-vs-gc".to_owned()).chain(arguments).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_definition_is_consistent() {
        Options::command().debug_assert();
    }

    #[test]
    fn messages_are_one_line() {
        let clap = "error: invalid value 'x' for '--format <F>'\n  [possible values: table, json]\n\n\
                    \x20 tip: try y\n\nUsage: z\n\nFor more information, try '--help'.\n";
        let line =
            "invalid value 'x' for '--format <F>' [possible values: table, json]; tip: try y";
        assert_eq!(one_line(clap), line);
    }
}
