//! Event counts: real ones where valgrind and the system allow, and stand-ins
//! for a valgrind that fails, in each of the ways in which it may.
#![cfg(unix)]

use crate::{command, records};
use serde_json::Value;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// What a record says of a source; it says it once at most.
fn of<'a>(record: &'a Value, source: &str) -> Option<&'a Value> {
    let counters = record["counters"].as_array()?;
    let mut found = counters.iter().filter(|counters| counters["source"] == source);
    let first = found.next();
    assert!(found.next().is_none(), "{record}");
    first
}

#[test]
fn a_search_is_counted_or_the_reason_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let arguments = "--backend stack --n 1,5 --rounds 2 --quiet --counters callgrind,perf";
    command(folder.path(), arguments).assert().success();
    let records = records(&folder.path().join("results/records.jsonl"));
    assert_eq!(records.len(), 2 * 2 * 2);
    let valgrind = Command::new("valgrind").arg("--version").output().is_ok();
    let mut instructions = [None; 2];
    for record in &records {
        assert_eq!(record["status"], "ok", "{record}");
        let perf = of(record, "perf").unwrap();
        let why = perf["unavailable"].as_str().unwrap_or_default();
        let counted = perf["instructions"].as_u64().is_some_and(|count| count > 0);
        assert!(counted || !why.is_empty(), "{record}");
        let callgrind = of(record, "callgrind");
        assert_eq!(callgrind.is_some(), record["round"] == 0 && record["control"] == false);
        let Some(callgrind) = callgrind else { continue };
        if !valgrind {
            assert_eq!(callgrind["unavailable"], "valgrind is not installed");
            continue;
        }
        let count = |name: &str| callgrind[name].as_u64().unwrap();
        assert!(callgrind.get("unavailable").is_none(), "{callgrind}");
        assert!(count("branches") > count("branch_misses"), "{callgrind}");
        assert!(count("l1_misses") >= count("ll_misses"), "{callgrind}");
        instructions[usize::from(record["n"] == 5)] = Some(count("instructions"));
    }
    if let [Some(one), Some(five)] = instructions {
        // A process takes several hundred thousand to start.
        assert!(one < 50_000, "{one} instructions at n = 1");
        // Cells allocated and visited: of 5 a thousand times those of 1.
        assert!(five > 30 * one && five > 70_000, "{five} instructions at n = 5");
    }
}

/// A folder in which `valgrind` is this script.
fn stand_in(script: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("valgrind");
    fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    folder
}

fn search_path(first: &Path) -> String {
    format!("{}:/usr/bin:/bin", first.display())
}

/// What a run with this valgrind says of callgrind's counts. The sample itself
/// is right, whatever happens to valgrind.
fn said(path: &str) -> Value {
    let folder = tempfile::tempdir().unwrap();
    let arguments = "--backend gc --n 4 --rounds 1 --quiet --counters callgrind";
    command(folder.path(), arguments).env("PATH", path).assert().success().stderr("");
    let records = records(&folder.path().join("results/records.jsonl"));
    assert!(records.iter().all(|record| record["status"] == "ok" && record["wall_ns"].is_u64()));
    let mut counters = records.iter().filter_map(|record| of(record, "callgrind"));
    counters.next().unwrap().clone()
}

/// Finds the counts' file and the program among a stand-in's arguments.
const ARGUMENTS: &str = r#"for option; do case "$option" in
--callgrind-out-file=*) file="${option#*=}"; shift;; --*) shift;; *) break;; esac; done"#;

#[test]
fn without_valgrind() {
    assert_eq!(said("/nonexistent")["unavailable"], "valgrind is not installed");
}

#[test]
fn a_valgrind_that_fails() {
    let endless = "yes | head -c 3000000 >&2; echo '==7== no' >&2; exit 3";
    let wrong = r#"cat >/dev/null; echo '{"status":"ok"}'"#;
    for (script, right) in [
        (endless, "valgrind failed: exit code 3: no"),
        ("kill -ILL $$", "valgrind failed: killed by signal 4 (SIGILL)"),
        ("cat >/dev/null", "valgrind failed: exit code 0"),
        (wrong, "valgrind failed: exit code 0"),
    ] {
        let said = said(&search_path(stand_in(script).path()));
        let why = said["unavailable"].as_str().unwrap();
        assert!(why.starts_with(right), "{why}");
        assert!(said.get("instructions").is_none() && !why.contains('\n'), "{said}");
    }
}

#[test]
fn counts_that_are_none() {
    for (written, right) in [
        ("events: Ir Bc\\nsummary: 0 0\\n", "the search was not found in "),
        ("nothing\\n", "valgrind wrote counts of an unknown form"),
    ] {
        let script = format!("{ARGUMENTS}\nprintf '{written}' >\"$file\"; exec \"$@\"");
        let said = said(&search_path(stand_in(&script).path()));
        assert!(said["unavailable"].as_str().is_some_and(|why| why.starts_with(right)), "{said}");
    }
    let script =
        format!("{ARGUMENTS}\nprintf 'events: Ir\\nsummary: 9\\n' >\"$file\"; exec \"$@\"");
    let said = said(&search_path(stand_in(&script).path()));
    assert_eq!((&said["instructions"], said.get("unavailable")), (&9.into(), None));
}

#[test]
fn ctrl_c_stops_it() {
    let folder = tempfile::tempdir().unwrap();
    let valgrind = stand_in("echo $$ >started; exec sleep 60");
    let run = Command::new(assert_cmd::cargo::cargo_bin!("rc-vs-gc"))
        .current_dir(folder.path())
        .args("--backend gc --n 4 --rounds 1 --counters callgrind".split(' '))
        .env("PATH", search_path(valgrind.path()))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let start = Instant::now();
    let path = folder.path().join("started");
    let started = loop {
        match fs::read_to_string(&path) {
            Ok(text) if text.ends_with('\n') => break text,
            _ => assert!(start.elapsed() < Duration::from_secs(20), "waited too long"),
        }
        std::thread::sleep(Duration::from_millis(2));
    };
    let kill = |arguments: String| Command::new("sh").args(["-c", &arguments]).output().unwrap();
    assert!(kill(format!("kill -INT {}", run.id())).status.success());
    let output = run.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130));
    assert!(start.elapsed() < Duration::from_secs(20));
    assert!(!kill(format!("kill -0 {started}")).status.success(), "it still runs");
}

#[test]
fn sources_have_names() {
    let folder = tempfile::tempdir().unwrap();
    let output = command(folder.path(), "--counters perf,papi").assert().code(2).stdout("");
    let said = String::from_utf8(output.get_output().stderr.clone()).unwrap();
    assert!(said.contains("'papi'") && said.contains("callgrind,perf"), "{said}");
}
