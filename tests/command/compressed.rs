//! Compressed record files: read wherever plain ones are, by what they hold and not by their name.

use crate::{command, measured};
use flate2::Compression;
use flate2::write::GzEncoder;
use std::fs;
use std::io::Write;
use std::path::Path;

fn compressed(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn stdout(folder: &Path, arguments: &str) -> String {
    let output = command(folder, arguments).assert().success();
    String::from_utf8(output.get_output().stdout.clone()).unwrap()
}

/// The one line that is said to these arguments.
fn refused(folder: &Path, arguments: &str) -> String {
    let output = command(folder, arguments).assert().code(2).stdout("");
    let said = String::from_utf8(output.get_output().stderr.clone()).unwrap();
    assert!(said.lines().count() == 1 && said.starts_with("error: "), "{arguments}: {said}");
    said
}

#[test]
fn every_command_reads_them() {
    let folder = measured("--backend gc,rc --n 4 --rounds 3 --sample-time 1ms");
    let path = folder.path();
    let plain = fs::read(path.join("results/records.jsonl")).unwrap();
    let middle = plain.iter().position(|&byte| byte == b'\n').unwrap() + 1;
    fs::write(path.join("plain"), &plain).unwrap();
    fs::write(path.join("gz"), compressed(&plain)).unwrap();
    // A name promises nothing; and files put one after the other are one.
    fs::write(path.join("plain.gz"), &plain).unwrap();
    let joined = [compressed(&plain[..middle]), compressed(&plain[middle..])].concat();
    fs::write(path.join("joined.jsonl"), joined).unwrap();
    for arguments in ["report FILE --quiet --out o", "explain FILE", "compare FILE plain"] {
        let of = |file| stdout(path, &arguments.replace("FILE", file));
        for file in ["gz", "plain.gz", "joined.jsonl"] {
            assert_eq!(of(file), of("plain"), "{arguments}, {file}");
        }
    }
    stdout(path, "merge gz --out merged");
    assert_eq!(fs::read(path.join("merged")).unwrap(), plain);
}

#[test]
fn merge_writes_them_the_same_each_time() {
    let folder = measured("--backend gc,rc --n 4 --rounds 2 --sample-time 1ms");
    let path = folder.path();
    let file = "results/records.jsonl";
    for out in ["a.jsonl.gz", "b.GZ", "c.jsonl"] {
        stdout(path, &format!("merge {file} --out {out}"));
    }
    let read = |name: &str| fs::read(path.join(name)).unwrap();
    assert_eq!((read("a.jsonl.gz"), read("c.jsonl")), (read("b.GZ"), read(file)));
    assert!(read("a.jsonl.gz").starts_with(&[0x1f, 0x8b]));
    assert!(read("a.jsonl.gz").len() < read(file).len() / 2);
    // No time of the day, and no name.
    assert_eq!(read("a.jsonl.gz")[3..8], [0; 5]);
    stdout(path, "merge a.jsonl.gz --out back");
    assert_eq!(read("back"), read(file));
}

#[test]
fn nothing_is_appended_to_them() {
    let folder = measured("--backend gc --n 4 --rounds 1 --sample-time 1ms");
    let file = folder.path().join("results/records.jsonl");
    let bytes = compressed(&fs::read(&file).unwrap());
    fs::write(&file, &bytes).unwrap();
    let said = refused(folder.path(), "--resume results/records.jsonl");
    assert!(
        said.contains("results/records.jsonl: is gzip-compressed, so no records can be appended")
    );
    assert_eq!(fs::read(&file).unwrap(), bytes);
}

#[test]
fn damaged_ones_are_refused() {
    let folder = measured("--backend gc --n 4 --rounds 2 --sample-time 1ms");
    let path = folder.path();
    let bytes = compressed(&fs::read(path.join("results/records.jsonl")).unwrap());
    let mut flipped = bytes.clone();
    let sum = flipped.len() - 6;
    flipped[sum] ^= 1;
    let trailing = [&bytes[..], b"more"].concat();
    for broken in
        [&bytes[..bytes.len() / 2], &bytes[..bytes.len() - 1], &bytes[..2], &flipped, &trailing]
    {
        fs::write(path.join("broken"), broken).unwrap();
        for arguments in ["report broken --out o", "explain broken", "merge broken --out o"] {
            let said = refused(path, arguments);
            let expected = "error: broken: the gzip data cannot be read (";
            assert!(said.starts_with(expected) && said.contains("truncated or damaged"), "{said}");
        }
        assert!(!path.join("o").exists());
    }
    fs::write(path.join("empty"), compressed(b"")).unwrap();
    assert!(refused(path, "report empty --out o").contains("empty: holds no records"));
}

/// What is wrong further on is never come to: the first line is refused once it is longer than any
/// record, and no more of the file is decompressed.
#[test]
fn what_is_far_longer_than_its_file_is_read_piece_by_piece() {
    let folder = tempfile::tempdir().unwrap();
    let bomb = compressed(&vec![b' '; 64 << 20]);
    fs::write(folder.path().join("bomb"), [&bomb[..], b"damaged"].concat()).unwrap();
    let said = refused(folder.path(), "report bomb");
    assert!(said.contains("bomb:1: not a record (longer than 16 MiB)"), "{said}");
}
