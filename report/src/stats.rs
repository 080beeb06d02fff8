//! Medians and paired ratios with 95 % bootstrap intervals.
//!
//! The percentile bootstrap: draw as many values as there are, with replacement, many times over;
//! the middle 95 % of the medians of these resamples is the interval (Efron 1979, Annals of
//! Statistics 7:1-26; Efron & Tibshirani 1993, An Introduction to the Bootstrap, chapter 13). Ratios
//! are taken within a round, where both sides met the same disturbances (Georges, Buytaert & Eeckhout,
//! OOPSLA 2007; Kalibera & Jones, ISMM 2013), and on a logarithmic scale, where "twice" and "half"
//! lie equally far from "the same". With fewer than about six samples such an interval is too narrow;
//! readers are therefore told the number of samples.

use rand_pcg::Pcg32;
use rand_pcg::rand_core::{Rng, SeedableRng};

/// Resamples drawn for each interval.
pub const RESAMPLES: usize = 10_000;

/// A value with its 95 % interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The median of the samples.
    pub value: f64,
    /// Lower end of the 95 % interval.
    pub low: f64,
    /// Upper end of the 95 % interval.
    pub high: f64,
    /// Samples (or pairs) that it rests on.
    pub samples: usize,
}

impl Estimate {
    /// The 95 % interval, or `None` where a single sample allows no statement about spread.
    pub fn interval(&self) -> Option<(f64, f64)> {
        (self.samples > 1).then_some((self.low, self.high))
    }

    /// The same estimate after a monotonic change of scale.
    fn map(self, scale: impl Fn(f64) -> f64) -> Self {
        Self {
            value: scale(self.value),
            low: scale(self.low),
            high: scale(self.high),
            samples: self.samples,
        }
    }
}

/// The median, the mean of the middle two where there are two; `None` of nothing.
pub fn median(values: &[f64]) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let n = sorted.len();
    (n > 0).then(|| f64::midpoint(sorted[(n - 1) / 2], sorted[n / 2]))
}

/// The median with its 95 % percentile-bootstrap interval; `None` of nothing.
///
/// The same values and seed give the same interval, on any machine.
pub fn median_interval(values: &[f64], seed: u64) -> Option<Estimate> {
    let value = median(values)?;
    let mut medians = resampled_medians(values, seed);
    medians.sort_unstable_by(f64::total_cmp);
    // The same distance from both ends, so that mirrored samples have mirrored intervals.
    let cut = RESAMPLES * 25 / 1000;
    Some(Estimate {
        value,
        low: medians[cut],
        high: medians[RESAMPLES - 1 - cut],
        samples: values.len(),
    })
}

/// The natural logarithm of the median ratio of pairs `(side, baseline)`, with its 95 % interval.
///
/// Swapping the sides of every pair negates the estimate exactly. Values must be positive.
pub fn paired_log_ratio(pairs: &[(f64, f64)], seed: u64) -> Option<Estimate> {
    let logs: Vec<f64> = pairs.iter().map(|(a, b)| a.ln() - b.ln()).collect();
    median_interval(&logs, seed)
}

/// The median ratio of pairs `(side, baseline)`, with its 95 % interval: [`paired_log_ratio`], back
/// on the plain scale.
pub fn paired_ratio(pairs: &[(f64, f64)], seed: u64) -> Option<Estimate> {
    Some(paired_log_ratio(pairs, seed)?.map(f64::exp))
}

/// The medians of [`RESAMPLES`] resamples.
///
/// A resample is kept as how often it drew each rank: its median is then found by counting up to the
/// middle, with nothing to sort or copy. Samples are drawn by their place in the input, not by rank,
/// so that the same rounds are drawn whichever way the values are ordered.
fn resampled_medians(values: &[f64], seed: u64) -> Vec<f64> {
    let n = values.len();
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by(|&a, &b| values[a].total_cmp(&values[b]));
    let mut rank = vec![0; n];
    for (r, &place) in order.iter().enumerate() {
        rank[place] = r;
    }
    let mut rng = Pcg32::seed_from_u64(seed);
    let mut drawn = vec![0_usize; n];
    (0..RESAMPLES)
        .map(|_| {
            drawn.fill(0);
            for _ in 0..n {
                // Multiply and shift: its bias, n / 2^32, is far below the resampling's own error.
                let place = (u64::from(rng.next_u32()) * n as u64) >> 32;
                drawn[rank[place as usize]] += 1;
            }
            let at = |k: usize| {
                let mut seen = 0;
                let r = drawn.iter().position(|&times| {
                    seen += times;
                    seen > k
                });
                values[order[r.unwrap_or(n - 1)]]
            };
            f64::midpoint(at((n - 1) / 2), at(n / 2))
        })
        .collect()
}

#[cfg(test)]
mod tests;
