//! Bad input: one line on standard error, exit code 2, nothing written.

use crate::{command, measured};
use std::fs;

/// The one line that the command says to these arguments.
fn said(arguments: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    let output = command(folder.path(), arguments).assert().code(2).stdout("").get_output().clone();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(said.lines().count(), 1, "{arguments}: {said}");
    assert!(said.starts_with("error: "), "{arguments}: {said}");
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 0, "{arguments}: something was written");
    said
}

/// That these arguments are refused with a line that has these parts.
fn refused(arguments: &str, parts: &[&str]) {
    let said = said(arguments);
    for part in parts {
        assert!(said.contains(part), "{arguments}: {said}");
    }
}

#[test]
fn backends() {
    refused("--backend gd", &["'gd'", "did you mean gc", "list"]);
    refused("--backend gc,stakc", &["'stakc'", "did you mean stack"]);
    refused("--backend=", &["--backend", "''"]);
    refused("--backend gc,", &["''", "no backend"]);
    refused("--backend rc --baseline gc", &["'gc' is not selected", "rc"]);
    refused("--baseline java", &["'java'", "no backend"]);
}

#[test]
fn sizes() {
    for n in ["0", "33", "-1", "x", "8..8", "9..=8", "30..=33", "8,0"] {
        refused(&format!("--n {n}"), &[n.trim_start_matches("8,"), "from 1 to 32"]);
    }
}

#[test]
fn numbers() {
    for rounds in ["0", "-4", "x", "100001"] {
        refused(&format!("--rounds {rounds}"), &[rounds, "from 1 to 100000"]);
    }
    refused("--seed -1", &["'-1'", "whole number"]);
    for limit in ["3xb", "-3", "0", "KiB", "1e3MiB"] {
        refused(&format!("--heap-limit {limit}"), &[limit, "64KiB"]);
    }
}

#[test]
fn settings() {
    refused("--set append=branch", &["'append=branch'", "BACKEND.NAME=VALUE"]);
    refused("--set gc.nursery", &["'gc.nursery'", "BACKEND.NAME=VALUE"]);
    refused("--set gx.nursery=1MiB", &["'gx'", "did you mean gc"]);
    refused("--set gc.nurse=1MiB", &["'nurse'", "nursery"]);
    refused("--set gc.nursery=2q", &["'2q'", "a size from", "256KiB"]);
    refused("--set gc.growth=0", &["'0'", "a number from"]);
    refused("--set gc.append=fast", &["'fast'", "speculate, branch"]);
    refused("--backend rc --set gc.nursery=1MiB", &["gc.nursery", "'gc' is not selected"]);
    refused("--set gc.nursery=1MiB --set gc.nursery=2MiB", &["gc.nursery", "twice"]);
}

#[test]
fn options() {
    refused("--format xml", &["'xml'", "table, markdown, csv, json"]);
    refused("report file --format json", &["'json'", "table, markdown, csv"]);
    refused("report file --check", &["--splice"]);
    refused("--foo", &["--foo"]);
    refused("lst", &["'lst'", "list"]);
    refused("report", &["FILE"]);
    refused("sample", &["no sample"]);
}

#[test]
fn control_characters_are_written_out() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("file\n"), "").unwrap();
    for (arguments, part) in [
        (["--backend", "a\u{1b}[31mb"], "'a\\u{1b}[31mb'"),
        (["--n", "7\n\nUsage: x"], "'7\\n\\nUsage: x'"),
        (["--set", "gc.a\rb=1"], "a\\rb"),
        (["--out", "file\n"], "--out file\\n: cannot"),
        (["report", "a\u{1b}b\nc"], "a\\u{1b}b\\nc: cannot be read"),
    ] {
        let output = command(folder.path(), "").args(arguments).assert().code(2);
        let said = String::from_utf8(output.get_output().stderr.clone()).unwrap();
        assert!(said.contains(part) && said.lines().count() == 1, "{said}");
        assert_eq!(said.find(|c: char| c.is_control()), Some(said.len() - 1), "{said}");
    }
}

#[test]
fn folders() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("file"), "").unwrap();
    for out in ["file", "file/sub"] {
        let arguments = format!("--backend gc --n 4 --rounds 1 --out {out}");
        let output = command(folder.path(), &arguments).assert().code(2).get_output().clone();
        let said = String::from_utf8(output.stderr).unwrap();
        let expected = format!("error: --out {out}: cannot be written; give a folder that can");
        assert!(said.starts_with(&expected) && said.lines().count() == 1, "{said}");
    }
}

#[test]
fn record_files() {
    refused("report nonesuch", &["nonesuch", "cannot be read"]);
    let folder = measured("--backend gc --n 4 --rounds 1");
    let records = fs::read_to_string(folder.path().join("results/records.jsonl")).unwrap();
    let truncated = records.trim_end().trim_end_matches('}');
    let newer = records.replacen("\"schema\":1", "\"schema\":999", 1);
    let broken = records.replacen('{', "", 1);
    for (text, parts) in [
        (truncated, ["file:2", "truncated"]),
        (&newer, ["file:1", "schema 999 is newer"]),
        (&broken, ["file:1", "not a record"]),
        ("", ["file", "no records"]),
    ] {
        fs::write(folder.path().join("file"), text).unwrap();
        let output = command(folder.path(), "report file --out again").assert().code(2);
        let said = String::from_utf8_lossy(&output.get_output().stderr).into_owned();
        assert!(parts.iter().all(|part| said.contains(part)), "{said}");
        assert_eq!(said.lines().count(), 1, "{said}");
        assert!(!folder.path().join("again").exists());
    }
    let output =
        command(folder.path(), "report results/records.jsonl --baseline rc").assert().code(2);
    assert!(String::from_utf8_lossy(&output.get_output().stderr).contains("'rc'"));
}
