//! Properties of the statistics, and a few values worked out by hand.

use super::*;
use proptest::prelude::*;

mod trials;

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

#[test]
fn few_samples_have_a_range() {
    let five = median_interval(&[5.0, 1.0, 4.0, 2.0, 3.0], 1).unwrap();
    assert_eq!((five.low, five.value, five.high, five.confident()), (1.0, 3.0, 5.0, false));
    let six = median_interval(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], 1).unwrap();
    assert!(six.confident() && 1.0 < six.low && six.high < 6.0, "{six:?}");
}

#[test]
fn geometric_means_by_hand() {
    assert_eq!(geometric_mean_ratio(&[Vec::new()], 1), None);
    let rounds = [vec![(2.0, 1.0), (8.0, 1.0)], Vec::new(), vec![(8.0, 2.0), (32.0, 8.0)]];
    let mean = geometric_mean_ratio(&rounds, 1).unwrap();
    assert!((mean.value - 4.0).abs() < 1e-12 && mean.samples == 2, "{mean:?}");
}

#[test]
fn the_seed_hardly_matters() {
    let values: Vec<f64> = (1..=20).map(f64::from).collect();
    let all: Vec<_> = (0..20).map(|seed| median_interval(&values, seed).unwrap().low).collect();
    let (least, most) = all.iter().fold((20.0_f64, 0.0_f64), |(l, m), &x| (l.min(x), m.max(x)));
    assert!(least < most && most - least < 0.05, "{least} {most}");
}
