//! Interrupted runs are continued: the same samples as without the interruption.

use crate::{command, records};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;

/// What identifies a sample.
fn entries(path: &Path) -> Vec<String> {
    let entry = |r: &Value| {
        format!("{} {} {} {} {}", r["round"], r["n"], r["backend"], r["control"], r["params"])
    };
    records(path).iter().map(entry).collect()
}

/// A folder with the whole run of a study in `whole`, and its first lines, the
/// last one cut off, in `cut`.
fn interrupted(study: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    command(folder.path(), &format!("{study} --quiet --out whole")).assert().success();
    let text = fs::read_to_string(folder.path().join("whole/records.jsonl")).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    let kept = lines.len() / 2;
    let cut = format!("{}\n{}", lines[..kept].join("\n"), &lines[kept][..100]);
    fs::create_dir(folder.path().join("cut")).unwrap();
    fs::write(folder.path().join("cut/records.jsonl"), cut).unwrap();
    folder
}

#[test]
fn the_samples_are_those_of_a_whole_run() {
    for study in [
        "--backend gc,rc --n 4,5 --rounds 3 --sample-time 1ms",
        "sweep gc.nursery=8KiB,16KiB heap-limit=256KiB..512KiB --backend gc --n 5 --rounds 2 --counted",
    ] {
        let folder = interrupted(study);
        let [whole, cut] =
            ["whole", "cut"].map(|name| folder.path().join(name).join("records.jsonl"));
        command(folder.path(), "--quiet --resume cut/records.jsonl").assert().success();
        assert_eq!(entries(&cut), entries(&whole), "{study}");
        assert!(folder.path().join("cut/report/index.html").exists());
        // What is whole is only shown again.
        let text = fs::read(&cut).unwrap();
        command(folder.path(), "--quiet --resume cut/records.jsonl").assert().success();
        assert_eq!(fs::read(&cut).unwrap(), text);
    }
}

#[test]
fn more_rounds_may_be_asked_for() {
    let folder = interrupted("--backend gc,rc --n 4 --rounds 2 --sample-time 1ms --seed 5");
    let arguments = "--quiet --rounds 4 --seed 5 --backend gc,rc --resume cut/records.jsonl";
    command(folder.path(), arguments).assert().success();
    let cut = folder.path().join("cut/records.jsonl");
    assert_eq!(entries(&cut).len(), 3 * 4);
    assert_eq!(entries(&cut)[..6], entries(&folder.path().join("whole/records.jsonl")));
}

#[test]
fn another_study_is_refused() {
    let folder = interrupted("--backend gc,rc --n 4 --rounds 2 --sample-time 1ms --seed 5");
    let cut = folder.path().join("cut/records.jsonl");
    let text = fs::read_to_string(&cut).unwrap();
    let refused = |arguments: &str, parts: &[&str]| {
        let arguments = format!("--quiet --resume cut/records.jsonl {arguments}");
        let output = command(folder.path(), &arguments).assert().code(2).stdout("");
        let said = String::from_utf8(output.get_output().stderr.clone()).unwrap();
        assert_eq!(said.lines().count(), 1, "{said}");
        for part in parts {
            assert!(said.contains(part), "{part} in {said}");
        }
    };
    refused("--seed 6", &["cannot be continued: seed: 5 there, 6 here\n"]);
    refused("--n 4,5", &["n: 4 there, 4, 5 here\n"]);
    refused("--backend gc,arc", &["backends: rc there, arc here\n"]);
    refused("--set gc.nursery=8KiB", &["nursery=256KiB", "there", "nursery=8KiB", "here"]);
    refused("--out elsewhere", &["--out elsewhere: --resume continues a file where it is"]);
    refused("--counted", &["counted: false there, true here"]);
    assert_eq!(fs::read_to_string(&cut).unwrap(), text, "the file is left as it was");

    // Another machine, another version of the program, another run.
    let text = fs::read_to_string(&cut).unwrap();
    for (from, to, said) in [
        ("\"commit\":\"", "\"commit\":\"0", "commit: 0"),
        ("\"kernel\":\"", "\"kernel\":\"old ", "kernel: old "),
        ("nqueens 0.", "nqueens 9.", "program: nqueens 9."),
        ("rc-vs-gc --backend", "rc-vs-gc --nonsense --backend", "is not one of this program"),
    ] {
        fs::write(&cut, text.replace(from, to)).unwrap();
        refused("", &[said]);
    }
    fs::write(&cut, format!("{0}\n{0}\n", text.lines().next().unwrap())).unwrap();
    refused("", &["record 2", "there twice"]);
    fs::write(&cut, "{").unwrap();
    refused("", &["cut/records.jsonl"]);
    fs::remove_file(&cut).unwrap();
    refused("", &["is not there"]);
}

/// A file can be joined from several; each of its records must be of the run.
#[test]
fn every_record_is_of_the_run() {
    let folder = interrupted("--backend gc,rc --n 4 --rounds 4 --sample-time 1ms --seed 5");
    let cut = folder.path().join("cut/records.jsonl");
    let text = fs::read_to_string(&cut).unwrap();
    let second = text.lines().nth(1).unwrap();
    for (field, value, said) in [
        ("/commit", json!("0123abc"), "commit: "),
        ("/program", json!("nqueens 9.9.9"), "program: nqueens 0."),
        ("/machine/kernel", json!("Minix"), "Minix here"),
        ("/machine/id", json!("0"), "machine: "),
        ("/threads", json!(2), "of another run"),
        ("/round", json!(u32::MAX), "of another run"),
        ("/params", json!({}), "of another run"),
    ] {
        let mut other: Value = serde_json::from_str(second).unwrap();
        *other.pointer_mut(field).unwrap() = value;
        let joined = text.replace(second, &other.to_string());
        fs::write(&cut, &joined).unwrap();
        let output = command(folder.path(), "--quiet --resume cut/records.jsonl")
            .assert()
            .code(2)
            .stdout("");
        let stderr = String::from_utf8(output.get_output().stderr.clone()).unwrap();
        assert!(stderr.contains("record 2 ") && stderr.contains(said), "{field}: {stderr}");
        assert_eq!(stderr.lines().count(), 1, "{stderr}");
        assert_eq!(fs::read_to_string(&cut).unwrap(), joined, "the file is left as it was");
    }
}

#[test]
fn fewer_rounds_may_be_asked_for() {
    let folder = interrupted("--backend gc,rc --n 4 --rounds 6 --sample-time 1ms --seed 5");
    command(folder.path(), "--quiet --rounds 1 --resume cut/records.jsonl").assert().success();
    assert_eq!(entries(&folder.path().join("cut/records.jsonl")).len(), 9);
}

/// To open a pipe waits for someone who writes to it.
#[test]
#[cfg(unix)]
fn a_pipe_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let made = std::process::Command::new("mkfifo").arg(folder.path().join("pipe")).status();
    assert!(made.unwrap().success());
    let mut resumed = command(folder.path(), "--quiet --resume pipe");
    let output = resumed.timeout(std::time::Duration::from_secs(10)).assert().code(2).stdout("");
    let said = String::from_utf8(output.get_output().stderr.clone()).unwrap();
    assert_eq!(said, "error: --resume pipe: is no file; give the record file of a run\n");
}
