//! The command, from end to end.
#![forbid(unsafe_code)]

mod bad_input;
mod compare;
mod compressed;
mod counters;
mod explain;
mod failures;
mod formats;
mod interrupted;
mod list;
mod machine;
mod merge;
mod output;
mod peers;
mod records;
mod report_again;
mod resume;
mod rounds;
mod splice;
mod study;
mod sweep;

use assert_cmd::Command;
use serde_json::Value;
use std::path::Path;

/// The command, run in `folder`.
fn command(folder: &Path, arguments: &str) -> Command {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("rc-vs-gc"));
    command.current_dir(folder).args(arguments.split_whitespace());
    command
}

/// The records in a file, as other tools see them.
fn records(path: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(path).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// A folder with a small run's results.
fn measured(arguments: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    command(folder.path(), &format!("--quiet {arguments}")).assert().success();
    folder
}
