//! What goes to standard output and standard error.

use crate::{command, records};
use std::process::Stdio;

#[test]
fn a_table_and_where_the_rest_is() {
    let folder = tempfile::tempdir().unwrap();
    let arguments = "--backend gc,rc --n 4 --rounds 2 --out some/where";
    let output = command(folder.path(), arguments).assert().success().get_output().clone();
    let text = String::from_utf8(output.stdout).unwrap();
    for part in ["backend", "median time", "time/gc", "Noise floor at n = 4"] {
        assert!(text.contains(part), "{part} in {text}");
    }
    assert!(text.contains("\nrecords: some/where/records.jsonl\n"), "{text}");
    assert!(text.ends_with("\nreport:  some/where/report/index.html\n"), "{text}");
    // No progress bar where there is no terminal.
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.lines().all(|line| line.starts_with("warning: ")), "{said}");
    assert_eq!(said.contains("debug build"), cfg!(debug_assertions));
}

#[test]
fn help_is_wrapped_between_words() {
    let folder = tempfile::tempdir().unwrap();
    for arguments in ["--help", "sweep --help", "compare --help", "merge -h"] {
        let output = command(folder.path(), arguments).assert().success().get_output().clone();
        let text = String::from_utf8(output.stdout).unwrap();
        let longest = text.lines().map(|line| line.chars().count()).max();
        assert!(longest <= Some(100), "{longest:?} columns in {text}");
    }
}

#[test]
fn paths_are_printed_as_one_line() {
    let folder = tempfile::tempdir().unwrap();
    let again = ["report", "a\n\u{1b}b/records.jsonl", "--out", "a\n\u{1b}b"];
    let measure = ["--backend=gc", "--n=4", "--rounds=1", "--out=a\n\u{1b}b"];
    for arguments in [measure, again] {
        let output = command(folder.path(), "").args(arguments).assert().success();
        let text = String::from_utf8(output.get_output().stdout.clone()).unwrap();
        assert!(text.ends_with("\nreport:  a\\n\\u{1b}b/report/index.html\n"), "{text}");
    }
}

#[test]
fn quiet_leaves_the_table_alone() {
    let folder = tempfile::tempdir().unwrap();
    let arguments = "--backend gc --n 4 --rounds 1 --quiet";
    let output = command(folder.path(), arguments).assert().success().stderr("");
    let text = String::from_utf8(output.get_output().stdout.clone()).unwrap();
    assert!(text.starts_with("backend") && !text.contains("results/"), "{text}");
}

#[test]
fn json_is_the_records_and_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let arguments = "--backend gc,rc --n 4 --rounds 1 --format json";
    let output = command(folder.path(), arguments).assert().success().get_output().clone();
    let path = folder.path().join("results/records.jsonl");
    assert_eq!(output.stdout, std::fs::read(&path).unwrap());
    assert_eq!(records(&path).len(), 3);
    assert!(String::from_utf8_lossy(&output.stderr).contains("report:"));
}

#[test]
fn counts_are_a_table_of_their_own() {
    let folder = tempfile::tempdir().unwrap();
    let output = command(folder.path(), "--backend gc,rc --n 5 --counted --quiet").assert();
    let text = String::from_utf8(output.success().get_output().stdout.clone()).unwrap();
    for part in ["allocated", "increments", "922", "1588", "1295"] {
        assert!(text.contains(part), "{part} in {text}");
    }
    assert!(!text.contains("median"));
}

#[test]
fn a_closed_pipe_is_no_panic() {
    let run = "--backend gc --n 4 --rounds 1";
    for arguments in [run, &format!("{run} --format json"), "list", "--help"] {
        let folder = tempfile::tempdir().unwrap();
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let output = std::process::Command::new(assert_cmd::cargo::cargo_bin!("rc-vs-gc"))
            .current_dir(&folder)
            .args(arguments.split_whitespace())
            .stdout(writer)
            .stderr(Stdio::piped())
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success() && !said.contains("panicked"), "{arguments}: {said}");
        let kept = folder.path().join("results/report/index.html");
        assert_eq!(kept.exists(), arguments.starts_with(run), "{arguments}");
    }
}

#[test]
fn help_and_version() {
    let folder = tempfile::tempdir().unwrap();
    for (arguments, part) in [("--help", "--heap-limit"), ("--version", env!("CARGO_PKG_VERSION"))]
    {
        let output = command(folder.path(), arguments).assert().success().stderr("");
        assert!(String::from_utf8_lossy(&output.get_output().stdout).contains(part));
    }
}
