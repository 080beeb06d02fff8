//! Verdicts on a difference that is known: a backend that takes a fixed tenth
//! longer than another, and one that does not. A test binary of its own, so that
//! no other test runs beside it.
#![forbid(unsafe_code)]

use assert_cmd::Command;

/// Studies, each with a seed of its own.
const SEEDS: u32 = 20;

/// The rows that the table of one study has for the twin and the slow one. Rounds
/// go on until the ratios are precise, so that a noisy machine takes longer
/// instead of knowing less.
fn study(seed: u32) -> [String; 2] {
    let folder = tempfile::tempdir().unwrap();
    let arguments = format!(
        "--backend fake-plain,fake-twin,fake-slow --baseline fake-plain --n 6 --quiet \
         --rounds auto --target 5% --budget 60s --sample-time 5ms --seed {seed}"
    );
    let output = Command::new(assert_cmd::cargo::cargo_bin!("rc-vs-gc"))
        .current_dir(folder.path())
        .args(arguments.split_whitespace())
        .assert()
        .success();
    let table = String::from_utf8(output.get_output().stdout.clone()).unwrap();
    ["fake-twin", "fake-slow"].map(|name| {
        let row = table.lines().find(|line| line.starts_with(name));
        row.unwrap_or_else(|| panic!("{name} in {table}")).to_owned()
    })
}

#[test]
fn a_tenth_slower_is_slower_and_a_twin_is_no_different() {
    let mut wrong = [Vec::new(), Vec::new()];
    for seed in 0..SEEDS {
        let mut rows = study(seed);
        // What a disturbed machine left open is measured once more.
        if rows.iter().any(|row| row.contains("unclear")) {
            rows = study(seed + SEEDS);
        }
        for ((row, words), wrong) in rows.iter().zip(["no difference", "slower"]).zip(&mut wrong) {
            if !row.contains(words) {
                wrong.push(row.clone());
            }
        }
    }
    for wrong in wrong {
        assert!(wrong.len() <= 1, "{} of {SEEDS}:\n{}", wrong.len(), wrong.join("\n"));
    }
}
