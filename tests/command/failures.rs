//! Backends that fail: the comparison goes on, the exit code tells.

use crate::{command, records};
use serde_json::Value;

#[test]
fn out_of_memory() {
    let folder = tempfile::tempdir().unwrap();
    let arguments = "--backend gc,rc --n 6 --rounds 1 --heap-limit 40KiB";
    let output = command(folder.path(), arguments).assert().code(3).get_output().clone();
    let records = records(&folder.path().join("results/records.jsonl"));
    let of = |name: &str| records.iter().filter(|r| r["backend"] == name).collect::<Vec<_>>();
    assert!(of("rc").iter().all(|record| record["status"] == "ok"));
    for record in of("gc") {
        assert_eq!(record["status"], "out_of_memory");
        let message = record["message"].as_str().unwrap();
        assert!(
            message.contains("limit is 40960 bytes") && message.contains("bytes of objects live"),
            "{message}"
        );
    }
    assert_eq!((of("gc").len(), of("rc").len()), (2, 1));
    let table = String::from_utf8(output.stdout).unwrap();
    assert!(table.contains("out of memory") && table.contains("40960 bytes"), "{table}");
    let page = std::fs::read_to_string(folder.path().join("results/report/index.html")).unwrap();
    assert!(page.contains("out of memory"));

    // With JSON, and with counts, standard error tells.
    for option in ["--format json", "--counted"] {
        let output = command(folder.path(), &format!("{arguments} {option} --quiet")).assert();
        let said = String::from_utf8(output.code(3).get_output().stderr.clone()).unwrap();
        assert_eq!(said.lines().count(), 1, "{said}");
        assert!(said.starts_with("gc, n = 6: out of memory: the heap limit is 40960"), "{said}");
    }
}

#[test]
fn a_sample_ends_with_the_exit_code_of_its_status() {
    let folder = tempfile::tempdir().unwrap();
    command(folder.path(), "--backend gc --n 5 --counted --quiet").assert().success();
    let mut record = records(&folder.path().join("results/records.jsonl")).remove(0);
    let ended = |record: &Value| {
        let task = serde_json::json!({ "record": record, "core": null, "search_ns": 1 });
        command(folder.path(), "sample").write_stdin(task.to_string()).assert()
    };
    let output = ended(&record).code(0).get_output().clone();
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(answer["solutions"], 10);
    // A core that no machine has is no reason to fail.
    let task = serde_json::json!({ "record": record, "core": u64::MAX, "search_ns": 1 });
    command(folder.path(), "sample").write_stdin(task.to_string()).assert().code(0);
    record["params"]["heap-limit"] = "1KiB".into();
    let output = ended(&record).code(3).get_output().clone();
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(answer["status"], "out_of_memory");
    record["backend"] = "java".into();
    ended(&record).code(2).stdout("");
}
