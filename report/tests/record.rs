//! The record format: what is written is read again, what is wrong is named, and the JSON Schema
//! says the same. After a change of the types: `UPDATE_SCHEMA=1 cargo test -p report --test record`.

mod common;

use report::{
    CounterSource, Counters, LiveCells, Mmu, Parallel, Pauses, Peer, Phase, ReadError, Record,
    Status, Study, read_lines, read_prefix, read_records, write_record,
};
use serde_json::{Value, json};
use std::fs;

const SCHEMA_FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/record.schema.json");

fn read(text: &[u8]) -> Result<Vec<Record>, String> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("records.jsonl");
    fs::write(&path, text).unwrap();
    // The folder's name differs from run to run.
    read_records(&path).map_err(|e| e.to_string().replace(path.to_str().unwrap(), "FILE"))
}

fn line(record: &Record) -> Vec<u8> {
    let mut bytes = Vec::new();
    write_record(&mut bytes, record).unwrap();
    bytes
}

#[test]
fn records_come_back_as_they_were() {
    let study = common::study();
    let text: Vec<u8> = study.iter().flat_map(line).collect();
    assert_eq!(read(&text).unwrap(), study);
    assert!(text.ends_with(b"}\n") && text.iter().filter(|&&b| b == b'\n').count() == study.len());
}

#[test]
fn unknown_fields_and_blank_lines_are_ignored_and_missing_counts_are_none() {
    let text = String::from_utf8(line(&common::sample("gc", 8, 0, 5))).unwrap();
    assert!(!text.contains("heap_peak_bytes") && !text.contains("null"));
    let more = text.replacen('{', "{\"new_field\":[1],", 1);
    let records = read(format!("\n{more}\r\n").as_bytes()).unwrap();
    assert_eq!(records, [common::sample("gc", 8, 0, 5)]);
    assert_eq!(records[0].heap_peak_bytes, None);
}

#[test]
fn wrong_files_are_refused_in_one_line() {
    let whole = line(&common::sample("gc", 8, 0, 5));
    let newer = String::from_utf8(whole.clone()).unwrap().replace("\"schema\":1", "\"schema\":7");
    let cut = [&whole[..], &whole[..whole.len() / 2]].concat();
    let cases: [(&[u8], &str); 8] = [
        (b"", "FILE: holds no records; give a file with one JSON object a line"),
        (b"\n\n", "FILE: holds no records; give a file with one JSON object a line"),
        (&cut, "FILE:2: the line is truncated; remove it, or measure again"),
        (
            b"{\"schema\":1,\n",
            "FILE:1: not a record (EOF while parsing a value at column 12); each line must be one JSON object of schema 1 or older",
        ),
        (newer.as_bytes(), "FILE:1: schema 7 is newer than this program's 1; use a newer rc-vs-gc"),
        (
            b"{\"schema\":7}\n",
            "FILE:1: schema 7 is newer than this program's 1; use a newer rc-vs-gc",
        ),
        (
            b"{\"schema\":1}\n",
            "FILE:1: not a record (missing field `program` at column 12); each line must be one JSON object of schema 1 or older",
        ),
        (
            b"hello\n",
            "FILE:1: not a record (expected value at column 1); each line must be one JSON object of schema 1 or older",
        ),
    ];
    for (text, message) in cases {
        assert_eq!(read(text).unwrap_err(), message);
    }
    let missing = read_records("no/such/file").unwrap_err().to_string();
    assert!(missing.starts_with("no/such/file: cannot be read (") && !missing.contains('\n'));
}

#[test]
fn files_that_are_something_else_are_refused_in_one_line() {
    let folder = tempfile::tempdir().unwrap();
    let said = read_records(folder.path()).unwrap_err().to_string();
    assert!(said.contains(": cannot be read (") && said.lines().count() == 1, "{said}");
    let whole = line(&common::sample("gc", 8, 0, 5));
    let latin = String::from_utf8(whole.clone()).unwrap().replacen("gc", "g\u{fc}", 1);
    let latin: Vec<u8> = latin.chars().map(|c| c as u8).collect();
    let said = read(&[&whole[..], &latin].concat()).unwrap_err();
    assert!(said.starts_with("FILE:2: not a record (not UTF-8 text at column "), "{said}");
    // In a field that is not known here, too.
    let ignored = [b"{\"new\":\"\xff\",", &whole[1..]].concat();
    let said = read(&ignored).unwrap_err();
    assert!(said.starts_with("FILE:1: not a record (not UTF-8 text at column 9)"), "{said}");
    let long = [&whole[..], &vec![b'['; 20_000_000]].concat();
    let said = read(&long).unwrap_err();
    assert!(said.starts_with("FILE:2: not a record (longer than 16 MiB); each"), "{said}");
}

#[test]
fn lines_come_as_they_were_written() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    let text = String::from_utf8(line(&common::sample("gc", 8, 0, 5))).unwrap();
    let more = text.trim_end().replacen('{', "{ \"new_field\" : 1.50,", 1);
    fs::write(&path, format!("{more}\r\n\n{text}")).unwrap();
    let mut lines = Vec::new();
    read_lines(&path, |line, record| lines.push((line.to_owned(), record.backend))).unwrap();
    assert_eq!(lines, [(more, "gc".to_owned()), (text.trim_end().to_owned(), "gc".to_owned())]);
}

#[test]
fn what_was_written_whole_is_read_wherever_the_file_was_cut() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    let mut records = ["gc", "r\u{e9}gion"].map(|name| common::sample(name, 8, 0, 5));
    records[1].message = Some("\u{20ac}".into());
    let lines: Vec<Vec<u8>> = records.iter().map(line).collect();
    let text = lines.concat();
    for cut in 0..=text.len() {
        fs::write(&path, &text[..cut]).unwrap();
        let whole = match cut {
            _ if cut < lines[0].len() => {
                assert!(matches!(read_prefix(&path), Err(ReadError::Empty { .. })), "{cut}");
                continue;
            }
            _ if cut < text.len() => 1,
            _ => 2,
        };
        let (read, intact_bytes) = read_prefix(&path).unwrap();
        assert_eq!(read, records[..whole], "{cut}");
        assert_eq!(intact_bytes, lines[..whole].concat().len() as u64, "{cut}");
    }
    // Only the last line can have been cut off.
    for wrong in ["{\n", "{\"schema\":1}", "x", "{\"schema\":2}"] {
        fs::write(&path, [&text[..], wrong.as_bytes()].concat()).unwrap();
        let said = read_prefix(&path).unwrap_err().to_string();
        assert!(said.contains("file:3: ") && !said.contains("truncated"), "{said}");
    }
}

/// A record with every field that there is.
fn full() -> Record {
    let mut record = common::sample("gc", 8, 0, 1_000_000);
    let counts = [
        &mut record.cells_filtered,
        &mut record.cells_length,
        &mut record.rc_increments,
        &mut record.rc_decrements,
        &mut record.cells_freed,
        &mut record.scopes,
        &mut record.cells_marked,
        &mut record.cells_swept,
        &mut record.barrier_hits,
        &mut record.runs_found,
        &mut record.words_scanned,
        &mut record.roots_stored,
        &mut record.collections_minor,
        &mut record.collections_major,
        &mut record.bytes_copied,
        &mut record.live_cells_at_exit,
        &mut record.heap_peak_bytes,
        &mut record.live_peak_bytes,
        &mut record.rss_peak_bytes,
        &mut record.machine.l3_bytes,
    ];
    for (count, value) in counts.into_iter().zip(1..) {
        *count = Some(value);
    }
    record.params.insert("nursery".into(), "256KiB".into());
    record.message = Some("none".into());
    record.warm_up_ns = vec![3, 2];
    let (title, language) = ("OCaml".into(), "OCaml".into());
    record.peer = Some(Peer { title, language, notes: vec!["Boxes pairs.".into()] });
    let phase = Phase { name: "insert".into(), operations: 10, iterations_ns: vec![7] };
    record.study = Some(Study {
        name: "burst".into(),
        size: "elements".into(),
        phases: vec![phase],
        figures: [("node_bytes".into(), 24.0)].into(),
    });
    record.parallel = Some(Parallel {
        cpu_ns: record.iterations_ns.clone(),
        cores: 2,
        physical_cores: Some(1),
        pinned: Some(true),
        tasks: Some(5),
        tasks_stolen: Some(4),
        cells_copied: Some(3),
        cells_immortal: Some(2),
    });
    record.live_cells = vec![LiveCells { allocated: 10, live: 5 }];
    record.pauses = Some(Pauses {
        mmu: vec![Mmu { window_ns: 1_000_000, utilisation: 0.5 }],
        percentiles: vec![(50.0, 100), (99.9, 2000)],
        sweeps: Some(3),
        sweep_ns: Some(4),
        ..Pauses::default()
    });
    let counters = |source| Counters {
        source,
        unavailable: Some("not all".into()),
        instructions: Some(u64::MAX),
        cycles: Some(1),
        branches: Some(2),
        branch_misses: Some(3),
        l1_misses: Some(4),
        ll_misses: Some(5),
    };
    record.counters = vec![counters(CounterSource::Callgrind), counters(CounterSource::Perf)];
    record.dirty = Some(true);
    let machine = &mut record.machine;
    let texts =
        [&mut machine.id, &mut machine.flags, &mut machine.governor, &mut machine.hypervisor];
    for text in texts {
        *text = Some("text".into());
    }
    machine.load_1min = Some(0.5);
    machine.virtualised = Some(false);
    machine.physical_cores = Some(1);
    record
}

#[test]
fn each_iteration_has_one_processor_time_and_there_is_a_thread() {
    let with = |cpu_ns: &[u64], iterations_ns: &[u64], threads| {
        let parallel = Some(Parallel { cpu_ns: cpu_ns.into(), cores: 2, ..Parallel::default() });
        let iterations_ns = iterations_ns.into();
        Record { parallel, iterations_ns, threads, ..common::sample("gc", 8, 0, 5) }
    };
    let right = [with(&[2, 4], &[1, 2], 2), with(&[], &[], 8)];
    let text: Vec<u8> = right.iter().flat_map(line).collect();
    assert_eq!(read(&text).unwrap(), right);
    for (wrong, why) in [
        (with(&[2], &[1, 2], 2), "cpu_ns has 1 times, iterations_ns 2; each iteration has one"),
        (with(&[2], &[], 2), "cpu_ns has 1 times, iterations_ns 0; each iteration has one"),
        (with(&[2], &[1], 0), "threads is 0; there is at least one"),
        (Record { parallel: None, ..with(&[], &[1], 0) }, "threads is 0; there is at least one"),
    ] {
        let text = [line(&right[0]), line(&wrong)].concat();
        let error = read(&text).unwrap_err();
        assert!(error.starts_with(&format!("FILE:2: not a record ({why}); ")), "{error}");
    }
}

/// The schema as it is kept.
fn kept_schema() -> Value {
    serde_json::from_str(&fs::read_to_string(SCHEMA_FILE).expect(SCHEMA_FILE)).unwrap()
}

#[test]
fn the_schema_is_that_of_the_types() {
    let mut text = serde_json::to_string_pretty(&schemars::schema_for!(Record)).unwrap();
    text.push('\n');
    if std::env::var_os("UPDATE_SCHEMA").is_some() {
        fs::write(SCHEMA_FILE, text).expect("the schema can be written");
        return;
    }
    let kept = fs::read_to_string(SCHEMA_FILE).expect(SCHEMA_FILE);
    assert_eq!(kept, text, "run: UPDATE_SCHEMA=1 cargo test -p report --test record");
}

#[test]
fn records_fit_the_schema() {
    let schema = jsonschema::validator_for(&kept_schema()).unwrap();
    let errors = |record: &Value| schema.iter_errors(record).map(|e| e.to_string()).next();
    let real = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/records.jsonl");
    for line in fs::read_to_string(real).unwrap().lines() {
        assert_eq!(errors(&serde_json::from_str(line).unwrap()), None, "{line}");
    }
    for record in common::study().iter().chain([&Record::new(), &full()]) {
        assert_eq!(errors(&serde_json::to_value(record).unwrap()), None, "{record:?}");
    }
    let failed = [Status::OutOfMemory, Status::Crashed, Status::Leaked, Status::WrongAnswer];
    for status in failed.into_iter().chain([Status::Ok, Status::TimedOut]) {
        let record = Record { status, ..Record::new() };
        assert_eq!(errors(&serde_json::to_value(record).unwrap()), None);
    }
}

#[test]
fn the_schema_tells_every_field_and_refuses_what_the_reader_refuses() {
    let schema = kept_schema();
    let full = serde_json::to_value(full()).unwrap();
    let parts = [
        ("", "/properties"),
        ("/capabilities", "/$defs/Capabilities/properties"),
        ("/counters/0", "/$defs/Counters/properties"),
        ("/live_cells/0", "/$defs/LiveCells/properties"),
        ("/machine", "/$defs/Machine/properties"),
        ("/parallel", "/$defs/Parallel/properties"),
        ("/peer", "/$defs/Peer/properties"),
        ("/pauses", "/$defs/Pauses/properties"),
        ("/pauses/mmu/0", "/$defs/Mmu/properties"),
    ];
    for (part, description) in parts {
        let fields = full.pointer(part).unwrap().as_object().unwrap();
        let described = schema.pointer(description).unwrap().as_object().unwrap();
        assert!(fields.keys().eq(described.keys()), "full() lacks a field of {description}");
        assert!(described.values().all(|field| field["description"].is_string()), "{description}");
    }
    let validator = jsonschema::validator_for(&schema).unwrap();
    let mut changed: Vec<Value> = Vec::new();
    for (name, value) in full.as_object().unwrap() {
        let mut record = full.clone();
        record.as_object_mut().unwrap().remove(name);
        if name == "iterations_ns" {
            // That there are as many of both, a schema cannot say.
            record["parallel"]["cpu_ns"] = json!([]);
        }
        changed.push(record);
        let other = if value.is_number() { json!("text") } else { json!(-1) };
        let mut record = full.clone();
        record[name] = other;
        changed.push(record);
    }
    for (pointer, value) in [
        ("/status", json!("fine")),
        ("/counters/0/source", json!("guess")),
        ("/pauses/percentiles/0", json!([1.0])),
        ("/pauses/mmu/0/utilisation", json!(1e308)),
        ("/pauses/mmu/0/utilisation", json!(-0.5)),
        ("/machine/cores", json!(-2)),
        ("/threads", json!(0)),
        ("/parallel/cores", json!(-2)),
        ("/parallel/pinned", json!(1)),
        ("/parallel/physical_cores", json!(-2)),
        ("/new_field", json!(1)),
    ] {
        let mut record = full.clone();
        match record.pointer_mut(pointer) {
            Some(field) => *field = value,
            None => record["new_field"] = value,
        }
        changed.push(record);
    }
    for record in changed {
        let text = serde_json::to_string(&record).unwrap();
        assert_eq!(validator.is_valid(&record), read(text.as_bytes()).is_ok(), "{record}");
    }
}
