//! Ratios over all sizes.

use super::noise::floor_of;
use super::row::{Round, Rounds};
use super::{Block, Row, Summary};
use crate::stats::{Estimate, SEED, geometric_mean_ratio};
use crate::verdict::Verdict;
use std::collections::BTreeMap;

/// The geometric mean of a configuration's ratios over the sizes at which it has one.
#[derive(Clone, Debug, PartialEq)]
pub struct Overall {
    /// Place of the configuration in [`groups`](Summary::groups).
    pub group: usize,
    /// The sizes.
    pub sizes: Vec<u32>,
    /// Geometric mean of the times over the baseline's; of the rounds that have all of the sizes.
    pub ratio: Estimate,
    /// What it says, beside the noise floor of the same mean.
    pub verdict: Verdict,
}

impl Overall {
    pub(super) fn all(summary: &Summary, baselines: &BTreeMap<Block, usize>) -> Vec<Self> {
        let mut both: BTreeMap<usize, Vec<(&Row, &Row)>> = BTreeMap::new();
        for row in summary.rows.iter().filter(|row| row.ratio.is_some()) {
            if let Some(&place) = baselines.get(&summary.block(row)) {
                both.entry(row.group).or_default().push((row, &summary.rows[place]));
            }
        }
        both.retain(|_, rows| rows.len() > 1 && !summary.is_baseline(rows[0].0));
        both.into_iter().filter_map(|(group, rows)| Self::new(group, &rows)).collect()
    }

    /// From a configuration's rows, each beside the baseline's.
    fn new(group: usize, both: &[(&Row, &Row)]) -> Option<Self> {
        let ratio = mean(both.iter().map(|(row, base)| (&row.rounds, &base.rounds)))?;
        let control = mean(both.iter().map(|(_, base)| (&base.controls, &base.rounds)));
        let verdict = Verdict::new(&ratio, control.as_ref().map(floor_of));
        Some(Self { group, sizes: both.iter().map(|(row, _)| row.n).collect(), ratio, verdict })
    }
}

/// The geometric mean over sizes, each given as its two sides.
fn mean<'a>(sizes: impl Iterator<Item = (&'a Rounds, &'a Rounds)> + Clone) -> Option<Estimate> {
    let (first, _) = sizes.clone().next()?;
    let pair = |round: &Round, (side, base): (&Rounds, &Rounds)| {
        Some((*side.get(round)?, *base.get(round)?))
    };
    // A round without some of the sizes would have the mean of others.
    let of_round = |round| sizes.clone().map(|size| pair(round, size)).collect();
    let rounds: Vec<Vec<(f64, f64)>> = first.keys().filter_map(of_round).collect();
    geometric_mean_ratio(&rounds, SEED)
}
