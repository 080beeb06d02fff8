//! Runs without a fixed number of rounds.

use crate::{command, records};
use std::time::{Duration, Instant};

fn run(arguments: &str) -> (usize, String) {
    let folder = tempfile::tempdir().unwrap();
    let arguments = format!("--quiet --backend gc,rc --n 5 --sample-time 1ms {arguments}");
    let output = command(folder.path(), &arguments).assert().success().get_output().clone();
    let taken = records(&folder.path().join("results/records.jsonl")).len();
    (taken, String::from_utf8(output.stdout).unwrap())
}

#[test]
fn precise_ratios_end_it() {
    let (taken, said) = run("--rounds auto --target 100% --budget 1h");
    // Two backends and the control, in whole rounds, six at least.
    assert!(taken >= 3 * 6 && taken.is_multiple_of(3), "{said}");
    let ended = format!("{} rounds: all 2 ratios have a 95 % interval of at most 100 %", taken / 3);
    assert!(said.contains(&ended), "{said}");
}

#[test]
fn the_budget_ends_it() {
    let start = Instant::now();
    let (taken, said) = run("--rounds auto --target 0.01% --budget 1s");
    assert!(start.elapsed() < Duration::from_secs(20));
    assert!(taken > 3, "{said}");
    assert!(said.contains("the budget of 1s ended the run after "), "{said}");
    assert!(said.contains("of 2 ratios have a 95 % interval wider than 0.0100 %"), "{said}");
}

#[test]
fn the_first_round_is_always_taken() {
    let (taken, said) = run("--budget 1us --rounds 5");
    assert_eq!(taken, 3, "{said}");
    assert!(said.contains("the budget of 1us ended the run after 1 round\n"), "{said}");
}
