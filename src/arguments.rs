//! The arguments of the process, and a command line in a record.

use crate::exit::{Exit, Stop};
use crate::options::{Command, Options};
use clap::error::ErrorKind;
use clap::parser::ValueSource;
use clap::{ArgMatches, CommandFactory, FromArgMatches};
use report::format::visible;
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::PathBuf;

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
    match parse(&arguments) {
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

/// Reads arguments, the program's name first.
fn parse(arguments: &[OsString]) -> Result<Options, clap::Error> {
    let matches = Options::command().try_get_matches_from(arguments)?;
    let mut options = Options::from_arg_matches(&matches)?;
    match &mut options.command {
        None => options.measure.given = given(&matches),
        Some(Command::Sweep(sweep)) => {
            sweep.measure.given = matches.subcommand().map_or(BTreeSet::new(), |(_, m)| given(m));
        }
        Some(Command::Study(study)) => {
            study.measure.given = matches.subcommand().map_or(BTreeSet::new(), |(_, m)| given(m));
        }
        Some(_) => {}
    }
    Ok(options)
}

/// Names of the options that were written.
fn given(matches: &ArgMatches) -> BTreeSet<String> {
    let written = |id: &&str| matches.value_source(id) == Some(ValueSource::CommandLine);
    matches.ids().map(clap::Id::as_str).filter(written).map(str::to_owned).collect()
}

/// Reads a command line as [`command_line`] writes it; `None` if this version cannot.
pub fn parse_line(line: &str) -> Option<Options> {
    let words: Vec<OsString> = shlex::split(line)?.into_iter().map(OsString::from).collect();
    parse(&words).ok()
}

/// What is said of the arguments with their control characters written out:
/// the parser drops some, and a line break would break its message.
fn recognisable(arguments: &[OsString]) -> Option<clap::Error> {
    let visible = |argument: &OsString| visible(&argument.to_string_lossy()).into();
    parse(&arguments.iter().map(visible).collect::<Vec<_>>()).err()
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

/// The command line as it was given, for the records, quoted as a shell needs it.
pub fn command_line() -> String {
    let arguments = std::env::args_os().skip(1);
    let arguments = arguments.map(|argument| quoted(&argument.to_string_lossy()));
    std::iter::once("rc-vs-gc".to_owned()).chain(arguments).collect::<Vec<_>>().join(" ")
}

/// The command line that makes the report of some record files again.
pub fn report_command(files: &[PathBuf], baseline: Option<&str>) -> String {
    let files = files.iter().map(|file| quoted(&file.to_string_lossy()));
    let baseline = baseline.map(|name| format!("--baseline={}", quoted(name)));
    let words = ["rc-vs-gc", "report"].map(str::to_owned).into_iter();
    words.chain(files).chain(baseline).collect::<Vec<_>>().join(" ")
}

/// A word as a shell needs it; commas, which lists are full of, need no quotes.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_=.,:/%+".contains(c);
    match !word.is_empty() && word.chars().all(plain) {
        true => word.to_owned(),
        // Arguments hold no zero bytes, the only thing that cannot be quoted.
        false => shlex::try_quote(word).map_or(String::new(), Into::into),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn command_lines_are_read_again() {
        let words = ["rc-vs-gc", "--out", "a b'c", "--n", "5,6", "--seed", "7"].map(quoted);
        assert!(words.join(" ").ends_with(" --n 5,6 --seed 7"));
        let options = parse_line(&words.join(" ")).unwrap();
        assert_eq!(options.measure.out.to_str(), Some("a b'c"));
        assert_eq!(options.measure.given, BTreeSet::from(["n", "out", "seed"].map(str::to_owned)));
        assert!(parse_line("rc-vs-gc --nonsense").is_none() && parse_line("'").is_none());
    }

    #[test]
    fn reports_are_made_again() {
        let files = ["results/records.jsonl", "a b.jsonl"].map(PathBuf::from);
        let command = report_command(&files, Some("gc{nursery=8KiB}"));
        let words = ["rc-vs-gc", "report", "results/records.jsonl", "a b.jsonl"];
        let read = shlex::split(&command).unwrap();
        assert_eq!(read[..4], words);
        assert_eq!(read[4..], ["--baseline=gc{nursery=8KiB}"]);
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
