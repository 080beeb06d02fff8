//! The record format: what is written is read again, and what is wrong is named.

mod common;

use report::{Record, read_records, write_record};
use std::fs;

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
    let cases: [(&[u8], &str); 7] = [
        (b"", "FILE: holds no records; give a file with one JSON object a line"),
        (b"\n\n", "FILE: holds no records; give a file with one JSON object a line"),
        (&cut, "FILE:2: the line is truncated; remove it, or measure again"),
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
