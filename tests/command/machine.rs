//! The machine in the records, and warnings of what disturbs it.
#![cfg(target_os = "linux")]

use crate::{command, measured, records};
use rustix::process::Pid;
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};
use std::process::{Child, Command, Stdio};

#[test]
fn it_is_described() {
    let machine = |folder: &tempfile::TempDir| {
        let record = records(&folder.path().join("results/records.jsonl")).remove(0);
        let commit = record["commit"].as_str().unwrap();
        let dirty = (commit != "unknown").then(|| commit.ends_with("-dirty"));
        assert_eq!(record.get("dirty").and_then(|dirty| dirty.as_bool()), dirty);
        record["machine"].clone()
    };
    let first = machine(&measured("--backend gc --n 3 --rounds 1"));
    let flags = first["flags"].as_str().unwrap();
    for part in ["opt-level=", "target=", std::env::consts::ARCH, "target-features="] {
        assert!(flags.contains(part), "{part} in {flags}");
    }
    let second = machine(&measured("--backend gc --n 3 --counted"));
    assert!(first["id"].is_string() && first["id"] == second["id"]);
}

/// A program that only uses a processor; ends with the test.
struct Busy(Child);

impl Busy {
    /// One of this name, on the core where samples run.
    fn start(folder: &std::path::Path, name: &str) -> Self {
        let path = folder.join(name);
        std::os::unix::fs::symlink("/bin/sh", &path).unwrap();
        let child = Command::new(path)
            .args(["-c", "while :; do :; done"])
            .stdin(Stdio::null())
            .spawn()
            .unwrap();
        let allowed = sched_getaffinity(None).unwrap();
        let last = (0..CpuSet::MAX_CPU).rev().find(|&core| allowed.is_set(core)).unwrap();
        let mut only = CpuSet::new();
        only.set(last);
        sched_setaffinity(Some(Pid::from_child(&child)), &only).unwrap();
        Busy(child)
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn a_busy_core_is_warned_of() {
    let folder = tempfile::tempdir().unwrap();
    // As hostile as 15 bytes allow.
    let busy = Busy::start(folder.path(), "a) R 1\n\u{1b}(");
    let arguments = "--backend gc --n 3 --rounds 1";
    // On a crowded machine it may not have its turn at once.
    let warned = (0..10).any(|_| {
        let output = command(folder.path(), arguments).assert().success().get_output().clone();
        let said = String::from_utf8(output.stderr).unwrap();
        let process = format!("(process {})", busy.0.id());
        let named: Vec<&str> = said.lines().filter(|line| line.contains(&process)).collect();
        assert!(named.len() <= 1, "{said}");
        let mut lines: Vec<&str> = said.lines().collect();
        lines.sort_unstable();
        lines.dedup();
        assert_eq!(lines.len(), said.lines().count(), "{said}");
        named.iter().any(|line| line.starts_with("warning: 'a) R 1\\n\\u{1b}(' "))
    });
    assert!(warned);
    command(folder.path(), &format!("{arguments} --quiet")).assert().success().stderr("");
}
