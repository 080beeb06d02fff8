//! Signals: Ctrl-C keeps what was measured, a killed child is a crashed sample.
#![cfg(target_os = "linux")]

use crate::records;
use std::fs;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

fn start(folder: &Path, arguments: &str) -> Child {
    Command::new(assert_cmd::cargo::cargo_bin!("rc-vs-gc"))
        .current_dir(folder)
        .args(arguments.split_whitespace())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

fn signal(name: &str, process: u32) {
    let kill = format!("kill -{name} {process}");
    assert!(Command::new("sh").args(["-c", &kill]).status().unwrap().success());
}

/// Waits for something to be there.
fn wait_for<T>(what: impl Fn() -> Option<T>) -> T {
    let start = Instant::now();
    loop {
        if let Some(found) = what() {
            return found;
        }
        assert!(start.elapsed() < Duration::from_secs(20), "waited too long");
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// The sample process of this command, if it runs one.
fn child_of(command: &Child) -> Option<u32> {
    let is_child = |process: &u32| {
        let stat = fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
        // The name, in parentheses, may hold anything; then the state and the parent follow.
        let fields = stat.rsplit(") ").next().unwrap_or_default();
        fields.split(' ').nth(1) == Some(&command.id().to_string())
            && fs::read_to_string(format!("/proc/{process}/cmdline"))
                .is_ok_and(|line| line.contains("\0sample"))
    };
    let processes = fs::read_dir("/proc").unwrap().flatten();
    processes.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).find(is_child)
}

fn texts(output: Output) -> (Option<i32>, String, String) {
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code(), text(output.stdout), text(output.stderr))
}

#[test]
fn what_was_measured_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    let command = start(folder.path(), "--backend gc,rc --n 5 --rounds 100000 --quiet");
    let path = folder.path().join("results/records.jsonl");
    wait_for(|| fs::read_to_string(&path).ok().filter(|text| text.lines().count() >= 3));
    signal("INT", command.id());
    let (code, table, said) = texts(command.wait_with_output().unwrap());
    assert_eq!(code, Some(130), "{said}");
    assert!(table.contains("median time"), "{table}");
    let kept = records(&path).len();
    assert!(said.contains(&format!("interrupted: {kept} of 300000 samples")), "{said}");
    assert!(folder.path().join("results/report/index.html").exists());
}

#[test]
fn a_folder_that_vanishes_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let command = start(folder.path(), "--backend gc,rc --n 7 --rounds 3");
    let results = folder.path().join("results");
    wait_for(|| fs::read_to_string(results.join("records.jsonl")).ok().filter(|t| !t.is_empty()));
    fs::remove_dir_all(&results).unwrap();
    let (code, table, said) = texts(command.wait_with_output().unwrap());
    assert_eq!(code, Some(2), "{said}");
    assert!(table.contains("median time") && !table.contains("records:"), "{table}");
    let errors: Vec<_> = said.lines().filter(|line| !line.starts_with("warning: ")).collect();
    let error = "error: results/records.jsonl: was removed, or moved by another run here";
    assert!(matches!(errors[..], [said] if said.starts_with(error)), "{errors:?}");
    assert!(!results.exists());
}

#[test]
fn a_long_sample_does_not_hold_it_up() {
    let folder = tempfile::tempdir().unwrap();
    let command = start(folder.path(), "--backend gc --n 14 --quiet");
    let child = wait_for(|| child_of(&command));
    let start = Instant::now();
    signal("INT", command.id());
    let (code, table, said) = texts(command.wait_with_output().unwrap());
    assert_eq!((code, table.as_str()), (Some(130), ""), "{said}");
    assert!(said.contains("nothing was measured"), "{said}");
    assert!(start.elapsed() < Duration::from_secs(5));
    assert!(!Path::new(&format!("/proc/{child}")).exists());
}

#[test]
fn a_killed_child_is_a_crashed_sample() {
    let folder = tempfile::tempdir().unwrap();
    let command = start(folder.path(), "--backend gc --n 8 --rounds 1 --quiet");
    signal("KILL", wait_for(|| child_of(&command)));
    let (code, table, said) = texts(command.wait_with_output().unwrap());
    assert_eq!(code, Some(1), "{said}");
    assert!(table.contains("crashed") && table.contains("killed by signal 9 (SIGKILL)"), "{table}");
    let records = records(&folder.path().join("results/records.jsonl"));
    assert_eq!(records.len(), 2);
    assert_eq!((&records[0]["status"], &records[1]["status"]), (&"crashed".into(), &"ok".into()));
}

#[test]
fn a_child_without_memory_is_a_crashed_sample() {
    let folder = tempfile::tempdir().unwrap();
    let program = assert_cmd::cargo::cargo_bin!("rc-vs-gc").display().to_string();
    // This backend keeps all that it allocates: some 130 MB. The command itself needs less than 100.
    let run = "ulimit -v 100000; exec \"$0\" --backend leak --n 10 --counted --quiet";
    let output =
        Command::new("sh").args(["-c", run, &program]).current_dir(&folder).output().unwrap();
    let (code, _, said) = texts(output);
    let records = records(&folder.path().join("results/records.jsonl"));
    assert_eq!((code, records.len()), (Some(1), 1), "{said}");
    assert_eq!(records[0]["status"], "crashed");
    let message = records[0]["message"].as_str().unwrap();
    assert!(message.starts_with("killed by signal 6 (SIGABRT)"), "{message}");
    assert!(message.contains(": memory allocation of "), "{message}");
}
