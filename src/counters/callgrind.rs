//! Events simulated by valgrind's callgrind, on its model of the caches and of
//! branch prediction. A second child runs under it, after the sample; what
//! happens to that child is no failure of the sample.
//!
//! Nethercote, Walsh, Fitzhardinge: Building Workload Characterization Tools
//! with Valgrind, IISWC 2006.

use super::unavailable;
use crate::child::{Children, Ended, why};
use crate::sample::Task;
use report::{CounterSource, Counters, Record, Status};
use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::Path;
use std::process::Command;

/// Part of the name of [`super::Warm::watched_search`] that every way of
/// mangling keeps. Events are counted from its start to its end.
pub const SEARCH: &str = "watched_search";

/// Counts the events of one search of this sample, which ended with `status`;
/// `None` when it was interrupted.
pub fn count(children: &Children, task: &Task, status: Status) -> Option<Counters> {
    let failed = |why: String| Some(unavailable(CounterSource::Callgrind, why));
    if status != Status::Ok {
        return failed(format!("the sample failed ({})", status.words()));
    }
    let folder = match tempfile::tempdir() {
        Ok(folder) => folder,
        Err(error) => return failed(format!("no folder for the counts: {error}")),
    };
    let file = folder.path().join("counts");
    // No padding: these counts shall be the same each time.
    let mut command = Command::new("valgrind");
    command.args(options(&file)).arg(children.program()).arg("sample");
    let task = Task { profiled: true, ..task.clone() };
    let ended = match children.finish(&mut command, &task) {
        Ok(ended) => ended?,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return failed("valgrind is not installed".to_owned());
        }
        Err(error) => return failed(format!("valgrind cannot be run: {error}")),
    };
    match counts(&ended, &file, children.program()) {
        Ok(counters) => Some(counters),
        Err(why) => failed(why),
    }
}

/// The options of valgrind.
fn options(file: &Path) -> Vec<String> {
    // In this option a per cent sign is the start of a placeholder.
    let file = file.display().to_string().replace('%', "%%");
    [
        "--quiet",
        "--tool=callgrind",
        "--cache-sim=yes",
        "--branch-sim=yes",
        // One line of counts a function is enough.
        "--dump-line=no",
        "--demangle=no",
        &format!("--toggle-collect=*{SEARCH}*"),
        &format!("--callgrind-out-file={file}"),
    ]
    .map(str::to_owned)
    .to_vec()
}

/// What the child under callgrind counted, or in one line why nothing.
fn counts(ended: &Ended, file: &Path, program: &Path) -> Result<Counters, String> {
    let record: Option<Record> = serde_json::from_slice(&ended.output).ok();
    match record {
        Some(record) if record.status != Status::Ok => {
            let message = record.message.unwrap_or_default();
            return Err(format!("under valgrind: {}: {message}", record.status.words()));
        }
        Some(_) if ended.status.success() => {}
        _ => {
            return Err(format!(
                "valgrind failed: {}",
                unprefixed(&why(ended.status, &ended.errors))
            ));
        }
    }
    let text = fs::read_to_string(file).map_err(|error| format!("no counts: {error}"))?;
    let counters = parse(&text).ok_or("valgrind wrote counts of an unknown form")?;
    if counters.instructions == Some(0) {
        return Err(format!("the search was not found in {}: has it symbols?", program.display()));
    }
    Ok(counters)
}

/// Valgrind's message without the process number that is put before it.
fn unprefixed(message: &str) -> String {
    let mut parts = message.splitn(3, "==");
    match (parts.next(), parts.next(), parts.next()) {
        (Some(before), Some(process), Some(text)) if process.parse::<u32>().is_ok() => {
            format!("{before}{}", text.trim_start())
        }
        _ => message.to_owned(),
    }
}

/// Reads the counts of a whole run out of callgrind's file. An event that the
/// file does not have is left out; `None` where there is no instruction count.
fn parse(text: &str) -> Option<Counters> {
    let line = |name: &str| text.lines().find_map(|line| line.strip_prefix(name));
    let names = line("events:")?.split_whitespace();
    let counts = line("summary:").or_else(|| line("totals:"))?.split_whitespace();
    // Zeros at the end of a line may be left out.
    let counts = counts.map(|count| count.parse::<u64>().ok()).chain(std::iter::repeat(Some(0)));
    let events: BTreeMap<&str, u64> =
        names.zip(counts).map(|(name, count)| Some((name, count?))).collect::<Option<_>>()?;
    let sum = |names: &[&str]| names.iter().map(|name| events.get(name).copied()).sum();
    Some(Counters {
        instructions: Some(*events.get("Ir")?),
        branches: sum(&["Bc", "Bi"]),
        branch_misses: sum(&["Bcm", "Bim"]),
        l1_misses: sum(&["I1mr", "D1mr", "D1mw"]),
        ll_misses: sum(&["ILmr", "DLmr", "DLmw"]),
        ..Counters::none(CounterSource::Callgrind)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const EVENTS: &str = "events: Ir Dr Dw I1mr D1mr D1mw ILmr DLmr DLmw Bc Bcm Bi Bim\n";

    #[test]
    fn counts_are_added_up() {
        let text = format!(
            "# callgrind format\nversion: 1\n{EVENTS}fn=(1) a\n0 5\n\n\
             totals: 9 9 9 9 9 9 9 9 9 9 9 9 9\nsummary: 1000 200 100 1 2 4 8 16 32 50 5 7 3\n"
        );
        let counters = parse(&text).unwrap();
        assert_eq!(counters.instructions, Some(1000));
        assert_eq!((counters.branches, counters.branch_misses), (Some(57), Some(8)));
        assert_eq!((counters.l1_misses, counters.ll_misses), (Some(7), Some(56)));
        assert_eq!((counters.cycles, counters.unavailable), (None, None));
    }

    #[test]
    fn what_is_not_there_is_left_out() {
        let counters = parse("events: Ir Bc Bcm\ntotals: 12 3\n").unwrap();
        assert_eq!((counters.instructions, counters.branches), (Some(12), None));
        assert_eq!((counters.branch_misses, counters.l1_misses), (None, None));
        assert_eq!(parse(&format!("{EVENTS}totals: 0\n")).unwrap().instructions, Some(0));
        for text in ["", EVENTS, "events: Dr\ntotals: 1\n", "events: Ir\ntotals: x\n", "totals: 1"]
        {
            assert_eq!(parse(text), None, "{text}");
        }
    }

    #[test]
    fn the_file_keeps_its_name() {
        let options = options(Path::new("/some/a%pb"));
        assert_eq!(options.last().unwrap(), "--callgrind-out-file=/some/a%%pb");
        assert!(options.contains(&"--toggle-collect=*watched_search*".to_owned()));
    }

    #[test]
    fn the_process_number_is_left_out() {
        let message = unprefixed("killed by signal 4 (SIGILL): ==123== what a==b is");
        assert_eq!(message, "killed by signal 4 (SIGILL): what a==b is");
        assert_eq!(unprefixed("exit code 1: a==b==c"), "exit code 1: a==b==c");
    }
}
