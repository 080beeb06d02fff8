//! The report: files that open, the same again from the records alone.

use crate::{command, measured};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// The files of a folder by name.
fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap());
    entries
        .map(|entry| (entry.file_name().into_string().unwrap(), fs::read(entry.path()).unwrap()))
        .collect()
}

#[test]
fn the_files_are_what_their_names_say() {
    let folder = measured("--backend gc,stack,rc --n 3,4 --rounds 2");
    let files = files(&folder.path().join("results/report"));
    let page = String::from_utf8(files["index.html"].clone()).unwrap();
    for part in ["<!DOCTYPE html>", "<svg", "gc", "stack", "rc", "rc-vs-gc --quiet --backend"] {
        assert!(page.contains(part), "{part}");
    }
    for remote in ["src=\"http", "href=\"http", "<script src", "<link"] {
        assert!(!page.contains(remote), "{remote}");
    }
    let ending =
        |end: &str| files.iter().filter(|(name, _)| name.ends_with(end)).collect::<Vec<_>>();
    let (svg, png) = (ending(".svg"), ending(".png"));
    assert!(svg.len() >= 3 && svg.len() == png.len());
    assert!(
        svg.iter().all(|(_, bytes)| bytes.starts_with(b"<svg") && bytes.ends_with(b"</svg>\n"))
    );
    assert!(png.iter().all(|(_, bytes)| bytes.starts_with(b"\x89PNG\r\n\x1a\n")));
}

#[test]
fn records_give_the_same_report_again() {
    // Whatever the run compared with, the records say it.
    for options in ["--backend gc,rc", "--backend stack,rc", "--backend gc,rc --baseline rc"] {
        let folder = measured(&format!("{options} --n 3 --rounds 2"));
        let report = folder.path().join("results/report");
        let first = files(&report);
        // In the same place, since the page leads to the records beside it.
        fs::remove_dir_all(&report).unwrap();
        let again = "report results/records.jsonl --quiet";
        let again = command(folder.path(), again).assert().success().get_output().clone();
        // Not assert_eq, which would print them.
        assert!(first == files(&report), "{options}");
        assert!(String::from_utf8(again.stdout).unwrap().contains("median time"));
    }
}

#[test]
fn failures_in_records_are_failures_again() {
    let folder = measured("--backend gc,rc --n 4 --rounds 1");
    let right = fs::read_to_string(folder.path().join("results/records.jsonl")).unwrap();
    let again = |records: &str, code: i32| {
        fs::write(folder.path().join("file"), records).unwrap();
        let output = command(folder.path(), "report file --out again --quiet").assert().code(code);
        String::from_utf8(output.get_output().stderr.clone()).unwrap()
    };
    let (ok, solutions) = ("\"status\":\"ok\"", "\"solutions\":2");
    let ended = |status: &str| right.replacen(ok, &format!("\"status\":\"{status}\""), 1);
    for (status, code) in
        [("ok", 0), ("out_of_memory", 3), ("crashed", 1), ("leaked", 1), ("wrong_answer", 1)]
    {
        assert_eq!(again(&ended(status), code), "", "{status}");
    }
    let wrong = "\"solutions\":3";
    assert_eq!(again(&ended("wrong_answer").replacen(solutions, wrong, 1), 1), "");
    fs::remove_dir_all(folder.path().join("again")).unwrap();
    let said = again(&right.replacen(solutions, wrong, 1), 1);
    assert!(
        said.starts_with("error: n = 4: 3 solutions by ") && said.contains("but 2 by"),
        "{said}"
    );
    assert_eq!(said.lines().count(), 1, "{said}");
    assert!(!folder.path().join("again").exists());
    // Another program may have another answer.
    let other = right.replacen(solutions, wrong, 1).replacen("nqueens 0", "nqueens 9", 1);
    assert_eq!(again(&other, 0), "");
}

#[test]
fn several_files_give_one_report() {
    let folder = measured("--backend gc --n 4 --rounds 1");
    command(folder.path(), "--backend rc --n 4 --rounds 1 --quiet").assert().success();
    let both = "report results/records.jsonl results/records.1.jsonl --out both";
    let output = command(folder.path(), both).assert().success().get_output().clone();
    let table = String::from_utf8(output.stdout).unwrap();
    assert!(table.contains("\ngc ") && table.contains("\nrc "), "{table}");
    assert!(table.ends_with("report:  both/report/index.html\n"), "{table}");
}

/// The same sample twice is not two: intervals would be narrower than they are.
#[test]
fn a_sample_that_is_there_twice_counts_once() {
    let folder = measured("--backend gc,rc --n 4 --rounds 3 --sample-time 1ms");
    let once = fs::read_to_string(folder.path().join("results/records.jsonl")).unwrap();
    fs::write(folder.path().join("once"), &once).unwrap();
    fs::write(folder.path().join("twice"), once.repeat(2)).unwrap();
    for (single, double) in [
        ("report once --quiet", "report twice --quiet"),
        ("report once --quiet", "report once once --quiet"),
        ("explain once", "explain once twice"),
        ("compare once once", "compare twice once"),
    ] {
        let said = |arguments: &str| {
            let output = command(folder.path(), arguments).assert().success();
            let output = output.get_output().clone();
            [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap())
        };
        let ([once, nothing], [twice, remark]) = (said(single), said(double));
        assert_eq!(once, twice, "{double}");
        assert!(nothing.is_empty() && remark.contains("samples were there already"), "{remark}");
    }
}
