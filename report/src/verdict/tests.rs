//! Verdicts on made-up ratios, and on backends that do not differ.

use super::*;
use crate::stats::paired_ratio;
use rand_pcg::Pcg32;
use rand_pcg::rand_core::{Rng, SeedableRng};

fn words(value: f64, low: f64, high: f64, floor: Option<f64>) -> String {
    Verdict::new(&Estimate { value, low, high, samples: 9 }, floor).words()
}

#[test]
fn words_follow_numbers() {
    assert_eq!(words(1.34, 1.32, 1.37, Some(0.012)), "1.32 to 1.37 times slower (95 %)");
    assert_eq!(words(0.5, 0.4, 0.8, None), "1.25 to 2.50 times faster (95 %)");
    assert_eq!(words(7.9, 7.7, 12.345, None), "7.70 to 12.35 times slower (95 %)");
    // As many decimals as it takes.
    assert_eq!(words(1.02, 1.004, 1.03, None), "1.004 to 1.030 times slower (95 %)");
    assert_eq!(words(1.0421, 1.0412, 1.0437, None), "1.041 to 1.044 times slower (95 %)");
    assert_eq!(words(2.0, 2.0, 2.0, None), "2.00 times slower (95 %)");
    let none = "no difference above the noise floor of 1.2 %";
    assert_eq!(words(1.01, 1.005, 1.02, Some(0.012)), none);
    assert_eq!(words(0.99, 0.98, 1.02, Some(0.012)), none);
    assert_eq!(words(1.0, 1.0, 1.0, Some(0.0)), none.replace("1.2", "0.0"));
    // Beyond the floor but not beyond doubt; no floor; a floor that was measured on less noise.
    assert_eq!(words(1.05, 0.99, 1.2, Some(0.012)), "not distinguishable");
    assert_eq!(words(1.0, 0.99, 1.01, None), "not distinguishable");
    assert_eq!(words(1.0, 0.9, 1.1, Some(0.012)), "not distinguishable");
}

#[test]
fn a_ratio_in_a_sentence() {
    let said = |value, low, high, samples| {
        clause(&Estimate { value, low, high, samples }, Some(0.012), "gc")
    };
    assert_eq!(said(7.91, 7.64, 8.24, 9), "takes 7.91 times as long as gc (95 %: 7.64 to 8.24)");
    assert_eq!(said(0.5, 0.4, 0.8, 9), "is 2.00 times as fast as gc (95 %: 1.25 to 2.50)");
    assert_eq!(
        said(2.0, 1.9, 2.1, 3),
        "takes 2.00 times as long as gc (range of 3 rounds: 1.90 to 2.10)"
    );
    assert_eq!(said(2.0, 2.0, 2.0, 1), "takes 2.00 times as long as gc (one round)");
    let none = "shows no difference from gc above the noise floor of 1.2 %";
    assert_eq!(said(1.01, 0.99, 1.02, 9), none);
    assert_eq!(said(1.1, 0.99, 1.2, 9), "is not distinguishable from gc");
}

#[test]
fn verdicts_as_json() {
    let json = |verdict| serde_json::to_string(&verdict).unwrap();
    let slower = Verdict::Slower { low: 1.5, high: 2.0 };
    assert_eq!(json(slower), r#"{"verdict":"slower","low":1.5,"high":2.0}"#);
    let none = Verdict::NoDifference { floor: 0.5 };
    assert_eq!(json(none), r#"{"verdict":"no_difference","floor":0.5}"#);
    assert_eq!(json(Verdict::Unclear), r#"{"verdict":"unclear"}"#);
}

#[test]
fn too_few_pairs_allow_no_verdict() {
    let ratio = Estimate { value: 8.0, low: 7.9, high: 8.1, samples: 5 };
    let verdict = Verdict::new(&ratio, Some(0.01));
    assert_eq!(verdict, Verdict::TooFew { samples: 5 });
    assert_eq!(verdict.words(), "too few rounds for a verdict (5 of at least 6)");
}

#[test]
fn swapping_the_sides_swaps_the_words() {
    let there = Estimate { value: 1.25, low: 1.125, high: 1.5, samples: 9 };
    let back = Estimate { value: 0.8, low: 1.0 / 1.5, high: 1.0 / 1.125, samples: 9 };
    let (there, back) = (Verdict::new(&there, None).words(), Verdict::new(&back, None).words());
    assert_eq!(there.replace("slower", "faster"), back);
}

/// Runs of a baseline, its second entry, and another backend that takes `times` as long: the share
/// of each verdict on the other backend.
fn shares(times: f64, rounds: usize) -> [f64; 3] {
    const RUNS: usize = 2_000;
    let mut rng = Pcg32::seed_from_u64(rounds as u64);
    let mut counts = [0; 3];
    for _ in 0..RUNS {
        // Sums of four uniform numbers are nearly normal.
        let mut time = |times: f64| {
            let sum: f64 = (0..4).map(|_| f64::from(rng.next_u32()) / 4e9).sum();
            times * (0.03 * sum).exp()
        };
        let runs: Vec<_> = (0..rounds).map(|_| [time(1.0), time(1.0), time(times)]).collect();
        let ratio = |side: usize| {
            let pairs: Vec<_> = runs.iter().map(|run| (run[side], run[0])).collect();
            paired_ratio(&pairs, 1).unwrap()
        };
        let floor = crate::summary::floor_of(&ratio(1));
        counts[match Verdict::new(&ratio(2), Some(floor)) {
            Verdict::NoDifference { .. } => 0,
            Verdict::Unclear => 1,
            _ => 2,
        }] += 1;
    }
    counts.map(|count| count as f64 / RUNS as f64)
}

#[test]
fn backends_that_do_not_differ_are_said_not_to() {
    for rounds in [6, 8, 10, 30] {
        let [same, unclear, differ] = shares(1.0, rounds);
        assert!(same > 0.96 && differ < 0.02, "{rounds}: {same} {unclear} {differ}");
    }
}

#[test]
fn ten_per_cent_are_told_from_two_per_cent_of_noise() {
    let [_, _, differ] = shares(1.1, 8);
    assert!(differ > 0.99, "{differ}");
}
