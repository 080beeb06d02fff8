//! Properties of the statistics, and a few values worked out by hand.

use super::*;
use proptest::prelude::*;

fn pairs() -> impl Strategy<Value = Vec<(f64, f64)>> {
    proptest::collection::vec((1.0..1e9_f64, 1.0..1e9_f64), 1..30)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn swapping_the_sides_inverts_the_ratio_exactly(pairs in pairs(), seed: u64) {
        let swapped: Vec<_> = pairs.iter().map(|&(a, b)| (b, a)).collect();
        let there = paired_log_ratio(&pairs, seed).unwrap();
        let back = paired_log_ratio(&swapped, seed).unwrap();
        prop_assert_eq!((there.value, there.low, there.high), (-back.value, -back.high, -back.low));
        let product = paired_ratio(&pairs, seed).unwrap().value * paired_ratio(&swapped, seed).unwrap().value;
        prop_assert!((product - 1.0).abs() < 1e-9);
    }

    #[test]
    fn scaling_both_sides_changes_nothing(pairs in pairs(), factor in 0.001..1000.0_f64, seed: u64) {
        let scaled: Vec<_> = pairs.iter().map(|&(a, b)| (a * factor, b * factor)).collect();
        let plain = paired_ratio(&pairs, seed).unwrap();
        let scaled = paired_ratio(&scaled, seed).unwrap();
        for (a, b) in [(plain.value, scaled.value), (plain.low, scaled.low), (plain.high, scaled.high)] {
            prop_assert!((a / b - 1.0).abs() < 1e-9);
        }
    }

    #[test]
    fn the_interval_holds_the_median_and_lies_within_the_samples(values in proptest::collection::vec(-1e9..1e9_f64, 1..40), seed: u64) {
        let e = median_interval(&values, seed).unwrap();
        let least = values.iter().copied().fold(f64::INFINITY, f64::min);
        let most = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        prop_assert!(least <= e.low && e.low <= e.value && e.value <= e.high && e.high <= most);
        prop_assert_eq!(Some(e), median_interval(&values, seed));
    }
}

#[test]
fn medians_by_hand() {
    assert_eq!(median(&[]), None);
    assert_eq!(median(&[3.0]), Some(3.0));
    assert_eq!(median(&[4.0, 1.0, 3.0]), Some(3.0));
    assert_eq!(median(&[4.0, 1.0, 3.0, 2.0]), Some(2.5));
    assert_eq!(median_interval(&[], 1), None);
    assert_eq!(paired_ratio(&[], 1), None);
}

#[test]
fn one_sample_has_no_interval() {
    let one = median_interval(&[7.0], 1).unwrap();
    assert_eq!((one.value, one.interval()), (7.0, None));
}

/// The bootstrap of an odd sample's median has a closed form (Efron 1979, section 3): the resampled
/// median is at most the k-th smallest value when at least half of the draws are, a binomial tail.
#[test]
fn the_interval_agrees_with_the_closed_form() {
    let values: Vec<f64> = (1..=11).map(f64::from).collect();
    let below = |k: i32| -> f64 {
        let p = f64::from(k) / 11.0;
        (6..=11).map(|j| choose(11, j) * p.powi(j) * (1.0 - p).powi(11 - j)).sum()
    };
    let exact_low = (1..=11).find(|&k| below(k) > 0.025).unwrap();
    let e = median_interval(&values, 42).unwrap();
    assert_eq!((e.low, e.high), (f64::from(exact_low), f64::from(12 - exact_low)));
}

fn choose(n: i32, k: i32) -> f64 {
    (1..=k).map(|i| f64::from(n - k + i) / f64::from(i)).product()
}
