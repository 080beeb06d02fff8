//! Pairs of samples, and the noise floor that pairing a backend with itself shows.

use super::row::Rounds;
use super::{Row, Summary};
use crate::stats::{Estimate, SEED, paired_ratio};
use crate::verdict::percent;

/// The ratio of one configuration to itself: differences below its spread are no differences.
#[derive(Clone, Debug, PartialEq)]
pub struct NoiseFloor {
    /// Label of the configuration that was entered twice.
    pub label: String,
    /// Place of its origin in [`origins`](Summary::origins).
    pub origin: usize,
    /// Whether that is a point of a sweep beside a study.
    pub swept: bool,
    /// Place of the configuration in [`groups`](Summary::groups).
    pub group: usize,
    /// Size of the problem.
    pub n: u32,
    /// Time of the second entry over the first, paired by round.
    pub ratio: Estimate,
    /// The same of processor times; `None` where the samples do not tell them.
    pub cpu_ratio: Option<Estimate>,
}

impl NoiseFloor {
    /// From the samples of one row; `None` where it has no A/A pair.
    pub(super) fn new(summary: &Summary, row: &Row) -> Option<Self> {
        let ratio = paired_ratio(&pairs(&row.controls, &row.rounds), SEED)?;
        let group = summary.group_of(row);
        let (origin, swept) = (group.origin, group.swept);
        let cpu_pairs = row.parallel.as_ref().map(|it| pairs(&it.cpu_controls, &it.cpu_rounds));
        Some(Self {
            label: row.label.clone(),
            origin,
            swept,
            group: row.group,
            n: row.n,
            ratio,
            cpu_ratio: cpu_pairs.and_then(|pairs| paired_ratio(&pairs, SEED)),
        })
    }

    /// The largest relative difference within the 95 % interval: 0.012 is 1.2 %.
    ///
    /// The farther end of the interval, not the ratio itself: the two entries are the same, so where
    /// their ratio falls is chance, while the interval's reach is what chance, and a bias of the order
    /// or of the memory's layout, may do to any ratio of this run. It includes the median's own
    /// uncertainty, so more rounds lower it.
    pub fn fraction(&self) -> f64 {
        floor_of(&self.ratio)
    }

    /// The same of processor times, which are disturbed by other things than wall times.
    pub fn cpu_fraction(&self) -> Option<f64> {
        self.cpu_ratio.as_ref().map(floor_of)
    }

    /// For instance `Noise floor at n = 9: 1.2 % (gc against itself, 10 pairs)`.
    pub fn sentence(&self) -> String {
        let pairs = match self.ratio.samples {
            1 => "one pair only, so a guess".to_owned(),
            pairs if !self.ratio.confident() => format!("range of {pairs} pairs, so a guess"),
            pairs => format!("{pairs} pairs"),
        };
        let (n, floor) = (self.n, percent(self.fraction()));
        format!("Noise floor at n = {n}: {floor} ({} against itself, {pairs})", self.label)
    }
}

/// The noise floor of an A/A ratio.
pub(crate) fn floor_of(ratio: &Estimate) -> f64 {
    ratio.low.ln().abs().max(ratio.high.ln().abs()).exp_m1()
}

/// The times of two sides in the same rounds.
pub(crate) fn pairs(side: &Rounds, baseline: &Rounds) -> Vec<(f64, f64)> {
    side.iter().filter_map(|(round, &time)| Some((time, *baseline.get(round)?))).collect()
}
