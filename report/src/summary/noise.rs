//! Pairs of samples, and the noise floor that pairing a backend with itself shows.

use super::SEED;
use super::row::{sample_ns, timed};
use crate::record::Record;
use crate::stats::{Estimate, median, paired_ratio};
use std::collections::BTreeMap;

/// The ratio of one configuration to itself: differences below its spread are no differences.
#[derive(Clone, Debug, PartialEq)]
pub struct NoiseFloor {
    /// Label of the configuration that was entered twice.
    pub label: String,
    /// Size of the problem.
    pub n: u32,
    /// Time of the second entry over the first, paired by round.
    pub ratio: Estimate,
}

impl NoiseFloor {
    /// From the samples of one configuration; `None` where it has no A/A pair.
    pub(super) fn new(label: &str, n: u32, samples: &[&Record]) -> Option<Self> {
        let second: Vec<&Record> =
            samples.iter().copied().filter(|s| s.control && !s.counted).collect();
        let ratio = paired_ratio(&pairs(&second, &timed(samples)), SEED)?;
        Some(Self { label: label.to_owned(), n, ratio })
    }

    /// The largest relative difference within the 95 % interval: 0.012 is 1.2 %.
    pub fn fraction(&self) -> f64 {
        let farther = self.ratio.low.ln().abs().max(self.ratio.high.ln().abs());
        farther.exp() - 1.0
    }

    /// For instance `Noise floor at n = 9: 1.2 % (gc against itself, 10 pairs)`.
    pub fn sentence(&self) -> String {
        let percent = self.fraction() * 100.0;
        let pairs = match self.ratio.samples {
            1 => "one pair only, so a guess".to_owned(),
            pairs => format!("{pairs} pairs"),
        };
        format!(
            "Noise floor at n = {}: {percent:.1} % ({} against itself, {pairs})",
            self.n, self.label
        )
    }
}

/// The times of two sides in the same round of the same run on the same machine.
pub(super) fn pairs(side: &[&Record], baseline: &[&Record]) -> Vec<(f64, f64)> {
    let by_round = |samples: &[&Record]| {
        let mut rounds: BTreeMap<(String, String, u64, u32), Vec<f64>> = BTreeMap::new();
        for sample in samples {
            let round = (
                sample.machine.processor.clone(),
                sample.commit.clone(),
                sample.seed,
                sample.round,
            );
            rounds.entry(round).or_default().extend(sample_ns(sample));
        }
        rounds
    };
    let baseline = by_round(baseline);
    by_round(side)
        .iter()
        .filter_map(|(round, times)| Some((median(times)?, median(baseline.get(round)?)?)))
        .collect()
}
