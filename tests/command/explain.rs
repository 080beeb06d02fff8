//! Where the time goes, from records alone.

use crate::{command, measured};
use serde_json::Value;
use std::fs;
use std::path::Path;

const BACKENDS: &str = "leak,stack,malloc,fused,rc,rc-value,rc-split,arc-split,gc";

/// What a call that goes well prints.
fn printed(folder: &Path, arguments: &str) -> String {
    let output = command(folder, arguments).assert().success().stderr("").get_output().clone();
    String::from_utf8(output.stdout).unwrap()
}

/// The one line of a call that ends with this code, and prints nothing.
fn refused(folder: &Path, arguments: &str, code: i32) -> String {
    let output = command(folder, arguments).assert().code(code).stdout("").get_output().clone();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.starts_with("error: ") && said.lines().count() == 1, "{said}");
    said
}

#[test]
fn a_small_study_is_explained() {
    let folder = measured(&format!("--backend {BACKENDS} --n 5 --rounds 2"));
    let folder = folder.path();
    let text = printed(folder, "explain results/records.jsonl");
    for part in [
        "n = 5: nqueens ",
        "\n922 cells a search. Noise floor at n = 5: ",
        "[Brackets]: the range of",
        "\n-> arc-split ",
        "\nmalloc -> rc ",
        "\nrc -> rc-value ",
        "\nThe bound is ",
        "that arc-split takes at n = 5, ",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let json = printed(folder, "explain results/records.jsonl --n 5 --format json");
    let json: Value = serde_json::from_str(&json).unwrap();
    let [one] = &json.as_array().unwrap()[..] else { panic!("{json}") };
    assert_eq!(one["n"], 5);
    let steps = one["ladders"][0]["steps"].as_array().unwrap();
    assert_eq!(steps.len(), 7);
    for step in steps {
        let cost = &step["ns_per_cell"];
        let [low, value, high] = ["low", "value", "high"].map(|end| cost[end].as_f64().unwrap());
        assert!(low <= value && value <= high, "{step}");
        assert_eq!(cost["samples"], 2);
    }
    let counts = |name: &str| one["operations"][1][name].as_f64().unwrap();
    assert_eq!(one["operations"][1]["step"]["to"]["label"], "rc-value");
    assert!(counts("increments_per_cell") > 3.0 && counts("operations_per_cell") > 6.0);
    assert_eq!(one["bound"]["overheads"].as_array().unwrap().len(), 9);
    let document = printed(folder, "explain results/records.jsonl --format markdown");
    assert!(
        document.starts_with("## n = 5: nqueens") && document.contains("\n| -> stack | "),
        "{document}"
    );
    // The same records, the same tables.
    assert_eq!(text, printed(folder, "explain results/records.jsonl"));
}

#[test]
fn machines_are_apart() {
    let folder = measured("--backend leak,stack --n 4 --rounds 2");
    let folder = folder.path();
    let file = folder.join("results/records.jsonl");
    let here = fs::read_to_string(&file).unwrap();
    let elsewhere = here.replace("\"processor\":\"", "\"processor\":\"Other ");
    fs::write(folder.join("both"), format!("{here}{elsewhere}")).unwrap();
    let text = printed(folder, "explain both");
    assert_eq!(text.matches("n = 4: nqueens ").count(), 2, "{text}");
    let twice = command(folder, "explain both both --n 4").assert().success();
    let twice = String::from_utf8(twice.get_output().stdout.clone()).unwrap();
    assert_eq!(text, twice, "each sample counts once");
    // What cannot be explained is told beside what can.
    let lone = elsewhere.replace("\"backend\":\"leak\"", "\"backend\":\"stack\"");
    fs::write(folder.join("lone"), lone).unwrap();
    let output = command(folder, "explain lone results/records.jsonl").assert().success();
    let said = String::from_utf8(output.get_output().stderr.clone()).unwrap();
    assert!(said.contains("Other ") && said.contains("only stack has times"), "{said}");
}

#[test]
fn without_times_there_is_nothing_to_explain() {
    let folder = measured("--backend leak,stack --n 4 --counted");
    let said = refused(folder.path(), "explain results/records.jsonl", 2);
    assert!(said.contains("no timed samples") && said.contains("--counted"), "{said}");
    let file = folder.path().join("results/records.jsonl");
    let text = fs::read_to_string(&file).unwrap();
    let text = text.replace("\"counted\":true", "\"counted\":false");
    fs::write(&file, text.replace("\"status\":\"ok\"", "\"status\":\"leaked\"")).unwrap();
    let said = refused(folder.path(), "explain results/records.jsonl", 2);
    assert!(said.contains("have failed") && !said.contains("--counted"), "{said}");
}

#[test]
fn bad_input_is_refused() {
    let folder = measured("--backend rc --n 4 --rounds 1");
    let folder = folder.path();
    let said = refused(folder, "explain results/records.jsonl", 2);
    assert!(said.contains("only rc has times at n = 4"), "{said}");
    let said = refused(folder, "explain results/records.jsonl --n 5", 2);
    assert!(said.contains("no timed samples at n = 5; there are some at n = 4"), "{said}");
    assert!(refused(folder, "explain results/records.jsonl --n 0", 2).contains("from 1 to 32"));
    assert!(refused(folder, "explain results/records.jsonl --format x", 2).contains("markdown"));
    assert!(refused(folder, "explain nonesuch", 2).contains("nonesuch: cannot be read"));
    assert!(refused(folder, "explain", 2).contains("FILE"));
}

#[test]
fn contradictions_are_failures() {
    let folder = measured("--backend leak,stack --n 4 --rounds 1");
    let folder = folder.path();
    let file = folder.join("results/records.jsonl");
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, text.replacen("\"solutions\":2", "\"solutions\":3", 1)).unwrap();
    let said = refused(folder, "explain results/records.jsonl", 1);
    assert!(said.contains("did different work at n = 4"), "{said}");
}
