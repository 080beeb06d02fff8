//! Medians, ratios of pairs and their 95 % intervals, spread, and which samples stand out.
//!
//! | file | one idea |
//! |---|---|
//! | `bootstrap` | where the ends of a median's 95 % interval lie among the samples |
//! | `coverage` | how often the median lies between two order statistics |
//! | `outliers` | samples far from the others: marked, never dropped |
//!
//! Ratios are taken within a round, where both sides met the same disturbances (Georges, Buytaert &
//! Eeckhout, OOPSLA 2007; Kalibera & Jones, ISMM 2013), and on a logarithmic scale, where "twice"
//! and "half" lie equally far from "the same".

mod bootstrap;
mod coverage;
mod outliers;

pub use bootstrap::{MIN_SAMPLES, RESAMPLES};
pub use outliers::{MAD_TO_SIGMA, OUTLIER_Z, mad, outliers};

/// Seed of all resampling: the same records must give the same report.
pub(crate) const SEED: u64 = 1;

/// A median with its 95 % interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The median of the samples.
    pub value: f64,
    /// Lower end of the 95 % interval; the least sample where there are fewer than [`MIN_SAMPLES`].
    pub low: f64,
    /// Upper end of the 95 % interval; the greatest sample where there are fewer.
    pub high: f64,
    /// Samples (or pairs) that it rests on.
    pub samples: usize,
}

impl Estimate {
    /// `low` and `high`, or `None` where a single sample allows no statement about spread.
    ///
    /// A 95 % interval only where [`confident`](Self::confident); otherwise the range.
    pub fn interval(&self) -> Option<(f64, f64)> {
        (self.samples > 1).then_some((self.low, self.high))
    }

    /// Whether there are samples enough for a 95 % interval.
    pub fn confident(&self) -> bool {
        self.samples >= MIN_SAMPLES
    }

    /// The estimate of one over it: of a ratio, that of its sides changed.
    pub(crate) fn inverse(self) -> Self {
        let Self { value, low, high, samples } = self;
        Self { value: value.recip(), low: high.recip(), high: low.recip(), samples }
    }

    /// The same estimate after a rising change of scale.
    pub(crate) fn map(self, scale: impl Fn(f64) -> f64) -> Self {
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
    Some(middle(&sorted(values))).filter(|_| !values.is_empty())
}

/// The median with its 95 % interval, a calibrated bootstrap (see the file `bootstrap`); `None` of
/// nothing. Of fewer than [`MIN_SAMPLES`] values the range stands in for the interval.
///
/// The same values and seed give the same interval, on any machine.
pub fn median_interval(values: &[f64], seed: u64) -> Option<Estimate> {
    let sorted = sorted(values);
    let (&least, &most) = (sorted.first()?, sorted.last()?);
    let (low, high) = match sorted.len() < MIN_SAMPLES {
        true => (least, most),
        false => bootstrap::place(sorted.len(), seed).ends(&sorted),
    };
    Some(Estimate { value: middle(&sorted), low, high, samples: sorted.len() })
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

/// The geometric mean of ratios over several sizes, with its 95 % interval.
///
/// Each round gives one pair `(side, baseline)` for each size. Their geometric mean is the round's
/// own ratio (Fleming & Wallace, CACM 1986: no other mean of ratios survives a change of the
/// baseline); the estimate is the median of the rounds, so rounds are what is resampled, and sizes of
/// the same round, which met the same disturbances, stay together. Rounds without pairs are skipped.
pub fn geometric_mean_ratio(rounds: &[Vec<(f64, f64)>], seed: u64) -> Option<Estimate> {
    let means: Vec<f64> = rounds
        .iter()
        .filter(|pairs| !pairs.is_empty())
        .map(|pairs| pairs.iter().map(|(a, b)| a.ln() - b.ln()).sum::<f64>() / pairs.len() as f64)
        .collect();
    Some(median_interval(&means, seed)?.map(f64::exp))
}

pub(crate) fn sorted(values: &[f64]) -> Vec<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    sorted
}

/// The median of sorted values; there must be some.
fn middle(sorted: &[f64]) -> f64 {
    match sorted.len() {
        0 => f64::NAN,
        n => f64::midpoint(sorted[(n - 1) / 2], sorted[n / 2]),
    }
}

#[cfg(test)]
mod tests;
