//! The ratio of the medians of two independent sets of samples, with its 95 % interval.
//!
//! The percentile bootstrap for two samples: each side is resampled on its own, and the middle 95 %
//! of the ratios of the medians is the interval (Efron & Tibshirani 1993, An Introduction to the
//! Bootstrap, chapter 8).

use crate::stats::{Estimate, RESAMPLES, SEED, median, sorted};
use rand_pcg::Pcg32;
use rand_pcg::rand_core::{Rng, SeedableRng};

/// The median of `side` over that of `base`, with its 95 % interval; `None` if either is empty.
///
/// Swapping the sides inverts the estimate, exactly so on a logarithmic scale. Values must be
/// positive. The samples of the estimate are those of the smaller side.
pub fn ratio_of_medians(side: &[f64], base: &[f64]) -> Option<Estimate> {
    let Estimate { value, low, high, samples } = log_ratio(side, base, RESAMPLES)?;
    Some(Estimate { value: value.exp(), low: low.exp(), high: high.exp(), samples })
}

fn log_ratio(side: &[f64], base: &[f64], resamples: usize) -> Option<Estimate> {
    let value = median(side)?.ln() - median(base)?.ln();
    let [side, base] = [sorted(side), sorted(base)];
    // The lesser side is drawn first, whichever it is, so that the same samples are drawn when the
    // sides are swapped.
    let swapped = base < side;
    let [first, second] = if swapped { [&base, &side] } else { [&side, &base] };
    let mut rng = Pcg32::seed_from_u64(SEED);
    let mut drawn = Vec::new();
    let mut logs: Vec<f64> = (0..resamples)
        .map(|_| {
            let [first, second] =
                [first, second].map(|side| resampled_median(side, &mut drawn, &mut rng).ln());
            if swapped { second - first } else { first - second }
        })
        .collect();
    logs.sort_unstable_by(f64::total_cmp);
    // The same distance from both ends, so that mirrored samples have mirrored intervals.
    let cut = resamples * 25 / 1000;
    Some(Estimate {
        value,
        low: logs[cut],
        high: logs[resamples - 1 - cut],
        samples: side.len().min(base.len()),
    })
}

/// The median of as many values as there are, drawn with replacement: found by counting how often
/// each rank was drawn.
fn resampled_median(sorted: &[f64], drawn: &mut Vec<u32>, rng: &mut Pcg32) -> f64 {
    let n = sorted.len();
    drawn.clear();
    drawn.resize(n, 0);
    for _ in 0..n {
        // Multiply and shift: its bias, n / 2^32, is far below the resampling's own error.
        drawn[((u64::from(rng.next_u32()) * n as u64) >> 32) as usize] += 1;
    }
    let at = |k: usize| {
        let mut seen = 0;
        let rank = drawn.iter().position(|&times| {
            seen += times as usize;
            seen > k
        });
        sorted[rank.unwrap_or(n - 1)]
    };
    f64::midpoint(at((n - 1) / 2), at(n / 2))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Times around `middle`, a few per cent apart, skewed as times are.
    fn times(middle: f64, count: usize, rng: &mut Pcg32) -> Vec<f64> {
        let mut uniform = || (f64::from(rng.next_u32()) + 0.5) / 2f64.powi(32);
        (0..count)
            .map(|_| middle * (0.03 * (uniform() + uniform() - uniform()).exp()).exp())
            .collect()
    }

    #[test]
    fn the_interval_holds_the_true_ratio_nineteen_times_of_twenty() {
        let mut rng = Pcg32::seed_from_u64(7);
        for ratio in [1.0, 1.37] {
            let trials = 600;
            let held = (0..trials).filter(|_| {
                let (side, base) = (times(ratio, 9, &mut rng), times(1.0, 9, &mut rng));
                let log = log_ratio(&side, &base, 1000).unwrap();
                (log.low..=log.high).contains(&ratio.ln())
            });
            let share = held.count() as f64 / f64::from(trials);
            assert!((0.92..=0.99).contains(&share), "{ratio}: {share}");
        }
    }

    #[test]
    fn constant_samples_have_their_ratio_and_nothing_has_none() {
        let estimate = ratio_of_medians(&[3.0; 5], &[2.0; 7]).unwrap();
        assert!(
            [estimate.value, estimate.low, estimate.high].iter().all(|r| (r - 1.5).abs() < 1e-12)
        );
        assert_eq!(estimate.samples, 5);
        assert_eq!((ratio_of_medians(&[], &[1.0]), ratio_of_medians(&[1.0], &[])), (None, None));
        assert_eq!(ratio_of_medians(&[1.0], &[1.0, 2.0]).unwrap().interval(), None);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(40))]

        #[test]
        fn swapping_the_sides_inverts_exactly(
            side in prop::collection::vec(1.0..1e9f64, 1..12),
            base in prop::collection::vec(1.0..1e9f64, 1..12),
        ) {
            let ahead = log_ratio(&side, &base, 200).unwrap();
            let back = log_ratio(&base, &side, 200).unwrap();
            prop_assert_eq!((ahead.value, ahead.low, ahead.high), (-back.value, -back.high, -back.low));
            prop_assert!(ahead.low <= ahead.high);
        }
    }
}
