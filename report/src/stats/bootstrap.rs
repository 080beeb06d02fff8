//! Where the ends of a median's 95 % interval lie among the samples: a calibrated bootstrap.
//!
//! The bootstrap (Efron 1979, Annals of Statistics 7:1-26) draws as many values as there are, many
//! times over, and reads the interval off the medians of these resamples. Two things are mended, since
//! the plain percentile interval of a median covers too little, at eleven samples 93.5 % of the time,
//! and can end only at samples:
//!
//! 1. *Smoothed*: values are drawn from the samples with straight lines between neighbours (Silverman
//!    & Young 1987, Biometrika 74:469-479), the k-th of n samples at the quantile (k - 1/2) / n. So a
//!    resample is n uniform numbers, and its median is the value at the middle one of them, its
//!    *place*. Places do not depend on the values: n samples of anything have the same.
//! 2. *Calibrated*: not the outer 2 x 2.5 % of the places are cut off, but as many as make the
//!    interval cover the median 95 % of the time (Loh 1987, JASA 82:155-162). Calibration usually
//!    takes a second bootstrap; for medians the coverage of every place is known (see `coverage`).
//!
//! Calibration leaves little to chance: the ends come out where the interpolated order statistics of
//! Hettmansperger & Sheather have them, to within the distance of neighbouring places. Each resample
//! counts with its mirror image, so mirrored samples have mirrored intervals, exactly.

use super::coverage::Coverage;
use rand_pcg::Pcg32;
use rand_pcg::rand_core::{Rng, SeedableRng};
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

/// Resamples drawn for each interval.
pub const RESAMPLES: usize = 10_000;

/// Fewest samples whose whole range covers the median 95 % of the time (1 - 2 / 2^6 = 96.9 %).
pub const MIN_SAMPLES: usize = 6;

/// How often an interval shall hold the true median.
const COVERAGE: f64 = 0.95;

/// Uniform numbers are kept doubled, so that the mean of two is whole, and odd, so that none is its
/// own mirror image by rounding: the mirror image of `m` is `ONE - m`.
const ONE: u64 = 1 << 33;

/// Place of the interval's lower end; the upper end lies as far from the other side.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Place {
    /// Rank of the sample below it, from 1.
    pub rank: usize,
    /// How far from there to the next sample, from 0 to 1.
    pub part: f64,
}

impl Place {
    /// The place in n samples of a quantile; none lies outside the samples.
    fn of_quantile(q: f64, n: usize) -> Self {
        let place = (q * n as f64 + 0.5).max(1.0);
        Self { rank: place as usize, part: place.fract() }
    }

    /// The two ends of the interval in sorted samples.
    pub fn ends(self, sorted: &[f64]) -> (f64, f64) {
        let Self { rank, part } = self;
        let n = sorted.len();
        // Both products, rather than one and a difference: the same bits from either side.
        let between = |outer: f64, inner: f64| {
            (outer * (1.0 - part) + inner * part).clamp(outer.min(inner), outer.max(inner))
        };
        (between(sorted[rank - 1], sorted[rank]), between(sorted[n - rank], sorted[n - 1 - rank]))
    }
}

/// Where the 95 % interval of the median of n samples ends; n at least [`MIN_SAMPLES`].
///
/// Kept once found, since it is the same for all rows of a report with equally many samples.
pub(super) fn place(n: usize, seed: u64) -> Place {
    static KNOWN: Mutex<BTreeMap<(usize, u64), Place>> = Mutex::new(BTreeMap::new());
    // Nothing is left half done by a panic elsewhere.
    let known = || KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(&place) = known().get(&(n, seed)) {
        return place;
    }
    let place = calibrated(n, seed);
    known().insert((n, seed), place);
    place
}

/// The innermost of the resampled places from which, to its mirror image, the coverage suffices.
fn calibrated(n: usize, seed: u64) -> Place {
    let coverage = Coverage::new(n);
    let quantile = |&middle: &u64| middle as f64 / ONE as f64;
    let mut middles = outer_middles(n, seed);
    middles.sort_unstable();
    let enough = middles
        .partition_point(|m| coverage.between(Place::of_quantile(quantile(m), n)) >= COVERAGE);
    // None is enough in no practical case; the range then is.
    let outermost = Place { rank: 1, part: 0.0 };
    match enough.checked_sub(1) {
        Some(last) => Place::of_quantile(quantile(&middles[last]), n),
        None => outermost,
    }
}

/// The middles of [`RESAMPLES`] resamples, each or its mirror image, whichever lies lower.
fn outer_middles(n: usize, seed: u64) -> Vec<u64> {
    let mut rng = Pcg32::seed_from_u64(seed);
    let mut drawn = vec![0_u32; n];
    (0..RESAMPLES)
        .map(|_| {
            drawn.fill_with(|| rng.next_u32());
            let (lower, &mut upper, _) = drawn.select_nth_unstable(n / 2);
            let other = match n.is_multiple_of(2) {
                true => lower.iter().copied().max().unwrap_or(upper),
                false => upper,
            };
            let middle = u64::from(upper) + u64::from(other) + 1;
            middle.min(ONE - middle)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Hettmansperger & Sheather's own formula, by hand for 8 samples: the intervals from the first
    /// and from the second sample cover 127/128 and 119/128, so 0.675 of the way, which their weight
    /// turns into 7 x 0.675 / (1 + 6 x 0.675) = 0.9356 of the distance.
    #[test]
    fn ends_agree_with_interpolated_order_statistics() {
        for seed in 0..20 {
            let Place { rank, part } = place(8, seed);
            assert!(rank == 1 && (part - 0.9356).abs() < 0.01, "{rank} {part}");
        }
    }

    #[test]
    fn enough_is_covered_and_not_more() {
        for n in [6, 7, 9, 11, 12, 25, 50, 333] {
            let covered = Coverage::new(n).between(place(n, 1));
            assert!((0.95..0.9505).contains(&covered), "{n}: {covered}");
        }
    }
}
