//! Record files joined: every sample once, as it was written, and nothing overwritten.

use crate::{command, measured};
use report::read_records;
use std::fs;
use std::path::Path;

/// What the command says on standard output and standard error.
fn merged(folder: &Path, arguments: &str) -> (String, String) {
    let output =
        command(folder, &format!("merge {arguments}")).assert().success().get_output().clone();
    [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap()).into()
}

/// The line that is said when nothing is merged.
fn refused(folder: &Path, arguments: &str) -> String {
    let output = command(folder, &format!("merge {arguments}")).assert().code(2).stdout("");
    let said = String::from_utf8(output.get_output().stderr.clone()).unwrap();
    assert_eq!(said.lines().count(), 1, "{said}");
    said.trim_end().to_owned()
}

#[test]
fn files_of_several_machines_become_one() {
    let folder = measured("--backend gc,rc --n 4 --rounds 2");
    let path = folder.path();
    let text = fs::read_to_string(path.join("results/records.jsonl")).unwrap();
    let here = read_records(path.join("results/records.jsonl")).unwrap();
    // Another machine, whose newer program writes more, in another layout.
    let there = text
        .replace("\"processor\":\"", "\"processor\":\"Other ")
        .replace("\"id\":\"", "\"id\":\"other-")
        .replace("{\"schema\":1,", "{\"new_field\": {\"a\" : 1.50}, \"schema\":1,");
    assert_eq!(there.matches("new_field").count(), here.len());
    fs::write(path.join("there"), there.replace('\n', "\r\n\r\n")).unwrap();
    let (said, remarks) = merged(path, "results/records.jsonl there --out both.jsonl");
    assert_eq!(
        (said, remarks),
        (format!("both.jsonl: {} samples of 2 machines\n", 2 * here.len()), String::new())
    );
    assert_eq!(fs::read_to_string(path.join("both.jsonl")).unwrap(), format!("{text}{there}"));
    command(path, "report both.jsonl --out both --quiet").assert().success();
    // What is there already is kept once, and from any file.
    let (said, remarks) = merged(path, "both.jsonl results/records.jsonl there there --out again");
    assert!(said.contains(&format!("{} samples of", 2 * here.len())), "{said}");
    assert_eq!(
        remarks,
        format!("{} samples were there already, and are kept once\n", 3 * here.len())
    );
    assert_eq!(fs::read(path.join("again")).unwrap(), fs::read(path.join("both.jsonl")).unwrap());
    let only = |name: &str| {
        name == "results" || name == "there" || name.starts_with("both") || name == "again"
    };
    let names =
        fs::read_dir(path).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    assert!(names.into_iter().all(|name| only(&name)), "something else was left");
}

#[test]
fn samples_that_differ_in_anything_are_kept() {
    let folder = measured("--backend gc --n 4 --rounds 1");
    let path = folder.path();
    let text = fs::read_to_string(path.join("results/records.jsonl")).unwrap();
    let line = text.lines().next().unwrap();
    let round = line.replace("\"round\":0", "\"round\":1");
    let program = line.replace("nqueens 0", "nqueens 9");
    let spaced = line.replace("\":", "\": ");
    fs::write(path.join("a"), line).unwrap();
    fs::write(
        path.join("b"),
        [&round, line, &program, &spaced].map(|line| format!("{line}\n")).concat(),
    )
    .unwrap();
    let (said, remarks) = merged(path, "a b --out c");
    assert_eq!(said, "c: 3 samples of 1 machine\n");
    assert_eq!(
        fs::read_to_string(path.join("c")).unwrap(),
        format!("{line}\n{round}\n{program}\n")
    );
    let mut remarks = remarks.lines();
    assert_eq!(remarks.next(), Some("2 samples were there already, and are kept once"));
    assert!(remarks.next().unwrap().starts_with("warning: samples of several programs: nqueens 0"));
}

#[test]
fn nothing_is_overwritten_and_wrong_files_are_named() {
    let folder = measured("--backend gc --n 4 --rounds 1");
    let path = folder.path();
    let good = "results/records.jsonl";
    fs::write(path.join("there"), "mine").unwrap();
    fs::write(path.join("empty"), "").unwrap();
    fs::write(path.join("broken"), fs::read_to_string(path.join(good)).unwrap() + "{\n").unwrap();
    for (arguments, said) in [
        (format!("{good} --out there"), "--out there: is there already"),
        (format!("{good} --out results"), "--out results: is there already"),
        (format!("{good} --out {good}"), "--out results/records.jsonl: is there already"),
        (
            format!("{good} --out no/such/file"),
            "--out no/such/file: cannot be written (entity not found); ",
        ),
        (format!("{good} --out there/file"), "--out there/file: cannot be written ("),
        (format!("{good} results --out new"), "results: cannot be read ("),
        (format!("{good} none --out new"), "none: cannot be read ("),
        (format!("{good} empty --out new"), "empty: holds no records"),
        (format!("{good} broken --out new"), "broken:3: not a record ("),
    ] {
        let error = refused(path, &arguments);
        assert!(error.starts_with(&format!("error: {said}")), "{error}");
    }
    assert!(refused(path, good).contains("--out"));
    assert_eq!(fs::read_to_string(path.join("there")).unwrap(), "mine");
    assert_eq!(fs::read_dir(path).unwrap().count(), 4, "something was written");
}

#[cfg(unix)]
#[test]
fn others_may_read_it_as_any_file() {
    use std::os::unix::fs::PermissionsExt;
    let folder = measured("--backend gc --n 4 --rounds 1");
    merged(folder.path(), "results/records.jsonl --out out");
    let mode = |name: &str| fs::metadata(folder.path().join(name)).unwrap().permissions().mode();
    assert_eq!(mode("out"), mode("results/records.jsonl"));
}
