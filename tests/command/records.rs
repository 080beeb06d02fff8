//! The records: one JSON object per sample, with the fields that others rely on.

use crate::{command, measured, records};
use serde_json::Value;
use std::collections::BTreeSet;

const NUMBERS: &[&str] = &[
    "schema",
    "n",
    "threads",
    "round",
    "seed",
    "solutions",
    "wall_ns",
    "cells_allocated",
    "cells_filtered",
    "cells_length",
    "rc_increments",
    "rc_decrements",
    "collections_minor",
    "collections_major",
    "bytes_copied",
    "live_cells_at_exit",
    "heap_peak_bytes",
    "started_unix_s",
];

const TEXTS: &[&str] = &["program", "backend", "family", "about", "status", "commit", "command"];

#[test]
fn fields_are_there_and_of_their_types() {
    let folder = measured("--backend gc,rc,gc --n 5,4 --rounds 1 --seed 7 --heap-limit 64MiB");
    let records = records(&folder.path().join("results/records.jsonl"));
    // Two backends and the control, two sizes.
    assert_eq!(records.len(), 3 * 2);
    for record in &records {
        for field in NUMBERS {
            assert!(record[field].is_u64(), "{field} in {record}");
        }
        for field in TEXTS {
            assert!(record[field].as_str().is_some_and(|text| !text.is_empty()), "{field}");
        }
        assert!(record["machine"].is_object() && record["capabilities"].is_object());
        assert_eq!((&record["seed"], &record["status"]), (&7.into(), &"ok".into()));
        assert_eq!(record["params"]["heap-limit"], "64MiB");
        let mut times: Vec<u64> =
            record["iterations_ns"].as_array().unwrap().iter().flat_map(Value::as_u64).collect();
        times.sort_unstable();
        let [lower, upper] = [(times.len() - 1) / 2, times.len() / 2].map(|i| times[i]);
        assert_eq!(record["wall_ns"], (lower + upper).div_ceil(2));
        let work = if record["n"] == 5 { [922, 1588, 1295] } else { [172, 296, 184] };
        for (field, count) in ["cells_allocated", "cells_filtered", "cells_length"].iter().zip(work)
        {
            assert_eq!(record[field], count, "{field}");
        }
        assert_eq!(record["live_cells_at_exit"], 0);
        if cfg!(target_os = "linux") {
            assert!(record["rss_peak_bytes"].as_u64().is_some_and(|bytes| bytes > 100_000));
        }
    }
    let control: Vec<&Value> = records.iter().filter(|record| record["control"] == true).collect();
    assert!(control.len() == 2 && control.iter().all(|record| record["backend"] == "gc"));
    let command = records[0]["command"].as_str().unwrap();
    assert!(command.starts_with("rc-vs-gc --quiet --backend gc,rc,gc"), "{command}");
}

#[test]
fn the_seed_decides_the_order() {
    let order = |seed| {
        let folder = measured(&format!("--backend gc,rc,stack,arc --n 1,2 --seed {seed}"));
        let records = records(&folder.path().join("results/records.jsonl"));
        let entry = |r: &Value| format!("{} {} {}", r["backend"], r["n"], r["control"]);
        records.iter().map(entry).collect::<Vec<_>>()
    };
    let first = order(1);
    assert_eq!(first.len(), 5 * 2 * 8);
    assert_eq!(first, order(1));
    assert_ne!(first, order(2));
}

#[test]
fn all_backends_are_measured_if_none_is_named() {
    let folder = measured("--n 3 --rounds 1");
    let records = records(&folder.path().join("results/records.jsonl"));
    let backends: BTreeSet<&str> = records.iter().flat_map(|r| r["backend"].as_str()).collect();
    assert_eq!(backends, heap::BACKENDS.iter().map(|info| info.name).collect());
    assert_eq!(records.len(), heap::BACKENDS.len() + 1);
}

#[test]
fn counted_samples_have_no_times() {
    let folder = measured("--backend rc,stack --n 6 --counted");
    let records = records(&folder.path().join("results/records.jsonl"));
    assert_eq!(records.len(), 2);
    for record in &records {
        assert_eq!(record["counted"], true);
        assert_eq!(record["iterations_ns"], Value::Array(Vec::new()));
        assert!(record.get("wall_ns").is_none());
        assert_eq!(record["cells_length"], 8980);
    }
}

#[test]
fn earlier_records_are_moved_aside() {
    let folder = measured("--backend gc --n 4 --rounds 1 --seed 1");
    for seed in [2, 3] {
        let arguments = format!("--backend gc --n 4 --rounds 1 --seed {seed}");
        let output = command(folder.path(), &arguments).assert().success().get_output().clone();
        let moved = format!("records.{}.jsonl", seed - 1);
        assert!(String::from_utf8_lossy(&output.stderr).contains(&moved));
    }
    let results = folder.path().join("results");
    for (name, seed) in [("records.1.jsonl", 1), ("records.2.jsonl", 2), ("records.jsonl", 3)] {
        assert_eq!(records(&results.join(name))[0]["seed"], seed, "{name}");
    }
    for report in ["report.1", "report.2", "report"] {
        assert!(results.join(report).join("index.html").exists(), "{report}");
    }
}
