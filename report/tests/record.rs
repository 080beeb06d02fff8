//! The record format: what is written is read again, and what is wrong is named.

mod common;

use report::{ReadError, Record, read_lines, read_prefix, read_records, write_record};
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
    let mut records = vec![common::sample("gc", 8, 0, 5), common::sample("r\u{e9}gion", 8, 0, 5)];
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
