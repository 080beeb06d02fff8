//! The allocation studies, as the command measures them.

use crate::{command, records};
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// A quick run of a study: its records.
fn study(folder: &Path, arguments: &str, code: i32) -> Vec<Value> {
    let arguments = format!("study --quiet --sample-time 1us --rounds 1 {arguments}");
    command(folder, &arguments).assert().code(code);
    records(&folder.join("results/records.jsonl"))
}

fn texts<'a>(records: &'a [Value], pointer: &str) -> BTreeSet<&'a str> {
    records.iter().filter_map(|record| record.pointer(pointer)?.as_str()).collect()
}

/// Standard error of what is refused.
fn refused(arguments: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    let output = command(folder.path(), arguments).assert().code(2).get_output().clone();
    let errors = String::from_utf8(output.stderr).unwrap();
    assert_eq!(errors.lines().count(), 1, "{errors}");
    assert!(!folder.path().join("results").exists(), "{arguments}");
    errors
}

#[test]
fn every_row_is_measured_on_every_workload() {
    for (name, n, workloads, phases) in [
        ("pointers", 3, 1, &["object"][..]),
        ("burst", 50, 2, &["insert", "erase", "destroy"]),
        ("growth", 2, 2, &["push"]),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let records = study(folder.path(), &format!("{name} --n {n}"), 0);
        let rows = studies::find(name).unwrap().rows.len();
        assert_eq!(records.len(), workloads * (rows + 1), "{name}: the baseline comes twice");
        assert_eq!(texts(&records, "/status"), BTreeSet::from(["ok"]));
        assert_eq!(texts(&records, "/study/name"), BTreeSet::from([name]));
        for record in &records {
            assert_eq!(record["n"], n);
            let of = record["study"]["phases"].as_array().unwrap();
            let names: Vec<&str> = of.iter().map(|phase| phase["name"].as_str().unwrap()).collect();
            assert_eq!(names, phases);
            let sum: u64 = of.iter().map(|phase| phase["iterations_ns"][0].as_u64().unwrap()).sum();
            assert_eq!(record["iterations_ns"][0], sum);
            assert!(of.iter().all(|phase| phase["operations"].as_u64() > Some(0)));
            assert!(!record["study"]["figures"].as_object().unwrap().is_empty(), "{record}");
        }
        assert!(folder.path().join("results/report/index.html").is_file());
    }
}

#[test]
fn rows_and_workloads_can_be_chosen() {
    let folder = tempfile::tempdir().unwrap();
    let arguments = "burst --n 5,7 --backend pool,malloc --workload list --baseline pool";
    let records = study(folder.path(), arguments, 0);
    assert_eq!(texts(&records, "/params/workload"), BTreeSet::from(["list"]));
    assert_eq!(texts(&records, "/backend"), BTreeSet::from(["malloc", "pool"]));
    let control = records.iter().find(|record| record["control"] == true).unwrap();
    assert_eq!((control["backend"].as_str(), records.len()), (Some("pool"), 6));
}

#[test]
fn a_study_is_resumed() {
    let folder = tempfile::tempdir().unwrap();
    let before = study(folder.path(), "growth --n 1 --seed 5 --backend vec,copy", 0);
    let file = folder.path().join("results/records.jsonl");
    let text = fs::read_to_string(&file).unwrap();
    let kept: String = text.lines().take(3).map(|line| format!("{line}\n")).collect();
    fs::write(&file, kept).unwrap();
    command(folder.path(), "--quiet --resume results/records.jsonl").assert().success();
    let after = records(&file);
    let keys = |records: &[Value]| -> Vec<(Value, Value, Value)> {
        let key = |r: &Value| (r["backend"].clone(), r["params"].clone(), r["control"].clone());
        records.iter().map(key).collect()
    };
    assert_eq!(keys(&after), keys(&before));
    for (other, said) in [
        ("study burst --resume results/records.jsonl", "program: growth"),
        ("study growth --workload int --resume results/records.jsonl", "backends"),
        ("study growth --n 2 --resume results/records.jsonl", "n: 1 there, 2 here"),
    ] {
        let output = command(folder.path(), other).assert().code(2).get_output().clone();
        let errors = String::from_utf8(output.stderr).unwrap();
        assert!(errors.contains(said) && errors.lines().count() == 1, "{errors}");
    }
}

#[test]
fn too_little_memory_is_a_result() {
    for (name, n) in [("pointers", 1_000), ("burst", 10_000), ("growth", 2)] {
        let folder = tempfile::tempdir().unwrap();
        let records = study(folder.path(), &format!("{name} --n {n} --heap-limit 10KiB"), 3);
        assert_eq!(texts(&records, "/status"), BTreeSet::from(["out_of_memory"]), "{name}");
        let message = records[0]["message"].as_str().unwrap();
        assert!(message.contains("10KiB"), "{message}");
    }
}

#[test]
fn what_is_wrong_is_said_in_one_line() {
    for (arguments, said) in [
        ("study", "STUDY"),
        ("study burts", "did you mean burst?"),
        ("study burst --backend pol", "did you mean pool?"),
        ("study burst --workload vectro", "did you mean vector?"),
        ("study burst --baseline gc", "measured are malloc,"),
        ("study pointers --n 1000000", "give live objects from 1 to 999999, such as 1 or"),
        ("study pointers --n 0", "give live objects from 1 to"),
        ("study pointers --n 1..=5000", "5000 sizes are too many"),
        ("study growth --set gc.nursery=1MiB", "rows of a study have no parameters"),
        ("study growth --counted", "leave it away"),
        ("study growth --pauses", "leave it away"),
        ("study burst --peers ocaml/", "runs n-queens, not burst"),
        ("--n 1000", "give board sizes from 1 to 32"),
        ("list pointer", "did you mean pointers?"),
    ] {
        let errors = refused(arguments);
        assert!(errors.contains(said), "{arguments}: {errors}");
    }
}

#[test]
fn rows_are_listed() {
    let folder = tempfile::tempdir().unwrap();
    for study in studies::STUDIES {
        let list = |format: &str| {
            let arguments = format!("list {} --format {format}", study.name);
            let output = command(folder.path(), &arguments).assert().success().get_output().clone();
            String::from_utf8(output.stdout).unwrap()
        };
        let (table, json): (_, Value) =
            (list("table"), serde_json::from_str(&list("json")).unwrap());
        let named: Vec<&str> =
            json["rows"].as_array().unwrap().iter().map(|r| r["name"].as_str().unwrap()).collect();
        let rows: Vec<&str> = study.rows.iter().map(|row| row.brief.name).collect();
        assert_eq!(named, rows);
        assert!(rows.iter().all(|row| table.lines().any(|line| line.trim().starts_with(row))));
        assert!(table.contains(study.about), "{table}");
    }
}

/// A peer of the burst study that answers right, but for its last sample.
#[cfg(target_os = "linux")]
#[test]
fn peers_of_a_study_have_its_protocol() {
    let folder = tempfile::tempdir().unwrap();
    let own = folder.path().join("peers/made-up");
    fs::create_dir_all(&own).unwrap();
    let toml = r#"
title = "Made up"
study = "burst"
language = "sh"
family = "manual"
manager = "Nothing to manage."
needs = [{ package = "dash", command = "sh" }]
version = [["sh", "-c", "echo 1.2.3"]]
run = ["sh", "{source}/peer.sh"]
[[variant]]
name = "right"
[[variant]]
name = "wrong"
run = ["sh", "{source}/peer.sh", "1"]
[[variant]]
name = "full"
run = ["sh", "-c", "echo no memory >&2; exit 3"]
"#;
    fs::write(own.join("peer.toml"), toml).unwrap();
    // The sum over ten containers, of which the r-th holds n times r.
    let script = r#"
plus=0; if [ $# -eq 4 ]; then plus=$1; shift; fi
[ $1 = vector ] || [ $1 = list ] || exit 2
echo "answer=$((45 * $2 + plus))"; iterations=$3
while [ $iterations -gt 0 ]; do
  echo "insert_ns=3000"; echo "erase_ns=2000"; echo "destroy_ns=1000"
  iterations=$((iterations - 1))
done
echo "node_bytes=24"
"#;
    fs::write(own.join("peer.sh"), script).unwrap();
    let arguments = "burst --n 10 --backend malloc --peers all --peers-dir peers";
    let records = study(folder.path(), arguments, 1);
    let of = |name: &str| records.iter().find(|record| record["backend"] == name).unwrap();
    assert_eq!(of("right")["status"], "ok", "{}", of("right"));
    assert_eq!(of("right")["wall_ns"], 6_000);
    assert_eq!(of("right")["study"]["figures"]["node_bytes"], 24.0);
    assert_eq!(of("right")["study"]["phases"][1]["iterations_ns"][0], 2_000);
    assert_eq!(of("right")["peer"]["title"], "Made up");
    let message = of("wrong")["message"].as_str().unwrap();
    assert!(message.contains("451 as the answer instead of 450"), "{message}");
    assert_eq!(of("full")["status"], "out_of_memory");
    assert!(of("full")["message"].as_str().unwrap().contains("no memory"));

    // They are checked as the others are.
    let check = command(folder.path(), "peers check --peers-dir peers").assert().code(1);
    let lines = String::from_utf8(check.get_output().stdout.clone()).unwrap();
    assert!(lines.contains("1 right, 2 failed, 0 skipped"), "{lines}");
    assert!(lines.contains("vector, n = 1: "), "{lines}");
    // They are no peers of n-queens.
    let arguments = "--backend gc --n 4 --peers right --peers-dir peers";
    let refused = command(folder.path(), arguments).assert().code(2);
    let errors = String::from_utf8(refused.get_output().stderr.clone()).unwrap();
    assert!(errors.contains("runs burst, not n-queens"), "{errors}");
}
