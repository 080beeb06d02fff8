//! Overhead over a lower bound.
//!
//! Nobody knows what a program costs without memory management, but it cannot cost more than the
//! cheapest run that was seen, less the part of it that was explicitly spent on reclaiming (Cai,
//! Blackburn, Bond & Maas, "Distilling the real cost of production garbage collectors", ISPASS
//! 2022). What a backend takes beyond that bound is the least that it can be said to cost: every
//! mutator also pays for allocation, counting, barriers and cache misses that are taken out of none.

use super::scaled;
use super::scope::{Side, Sides};
use crate::record::{Pauses, Record};
use crate::stats::{Estimate, median};
use serde::Serialize;

/// The bound, and what each configuration costs over it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Bound {
    /// Label of the configuration that set it.
    pub set_by: String,
    /// The bound in nanoseconds per cell.
    pub ns_per_cell: f64,
    /// Every configuration with a time, the fastest first.
    pub overheads: Vec<Overhead>,
}

/// What one configuration costs over the bound.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Overhead {
    /// Label of the configuration.
    pub label: String,
    /// Whether the backend only serves programs of this one shape.
    pub problem_specific: bool,
    /// Median time of a search in nanoseconds per cell allocated.
    pub ns_per_cell: f64,
    /// Part of a search that goes into reclaiming, from 0 to 1; `None` where no pauses were recorded.
    pub reclamation: Option<f64>,
    /// Time over the bound, less one: 0.5 is 50 per cent more. `None` where no round is shared with
    /// the configuration that set the bound. The interval is that of the times; the reclamation
    /// taken out of the bound is taken as exact.
    #[serde(serialize_with = "super::json::estimate_or_null")]
    pub overhead: Option<Estimate>,
}

impl Bound {
    /// `None` of no sides.
    pub(super) fn new(sides: &Sides, cells: f64) -> Option<Self> {
        let shares: Vec<Option<f64>> =
            sides.sides.iter().map(|side| reclamation(&side.samples)).collect();
        let mutator_ns =
            |(side, share): &(&Side, &Option<f64>)| side.time_ns * (1.0 - share.unwrap_or(0.0));
        let (cheapest, share) = sides
            .sides
            .iter()
            .zip(&shares)
            .min_by(|a, b| mutator_ns(a).total_cmp(&mutator_ns(b)))?;
        let mutator = 1.0 - share.unwrap_or(0.0);
        let overhead = |side: &Side| {
            let over = scaled(side.ratio(cheapest)?, 1.0 / mutator);
            let [value, low, high] = [over.value, over.low, over.high].map(|over| over - 1.0);
            Some(Estimate { value, low, high, ..over })
        };
        let overheads = sides.sides.iter().zip(&shares).map(|(side, &reclamation)| Overhead {
            label: side.row.label.clone(),
            problem_specific: side.problem_specific,
            ns_per_cell: side.time_ns / cells,
            reclamation,
            overhead: overhead(side),
        });
        Some(Self {
            set_by: cheapest.row.label.clone(),
            ns_per_cell: cheapest.time_ns * mutator / cells,
            overheads: overheads.collect(),
        })
    }
}

/// The part of a search spent on reclaiming: the median over the samples that timed pauses.
///
/// Pauses are timed in another search than the one whose time counts, so it is the part, not the
/// nanoseconds, that is carried over. What reading the clock costs is in neither: records have it
/// once for each pause in both, and it is taken out here. In the midst of a search a reading costs
/// more than it does by itself, which is left in the mutator: so the part is rather too small.
pub(crate) fn reclamation(samples: &[&Record]) -> Option<f64> {
    let shares: Vec<f64> =
        samples.iter().filter_map(|sample| part(sample.pauses.as_ref()?)).collect();
    median(&shares)
}

fn part(pauses: &Pauses) -> Option<f64> {
    let clock_ns = pauses.count.saturating_mul(pauses.clock_ns);
    let run_ns = pauses.run_ns.saturating_sub(clock_ns);
    let pause_ns = pauses.total_ns.saturating_sub(clock_ns).min(run_ns);
    // A part of all, or of nothing, leaves no mutator.
    (pause_ns < run_ns).then(|| pause_ns as f64 / run_ns as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_clock_is_in_neither_part() {
        let pauses = |count, total_ns, run_ns| Pauses {
            count,
            total_ns,
            run_ns,
            clock_ns: 10,
            ..Pauses::default()
        };
        assert_eq!(part(&pauses(5, 250, 1050)), Some(0.2));
        assert_eq!(part(&pauses(0, 0, 1000)), Some(0.0));
        // The clock takes longer than the pauses: they are nothing.
        assert_eq!(part(&pauses(5, 40, 1050)), Some(0.0));
        assert_eq!(part(&pauses(5, 50, 50)), None);
        assert_eq!(part(&Pauses::default()), None);
    }

    #[test]
    fn the_median_part_counts() {
        let sample = |total_ns| Record {
            pauses: Some(Pauses { count: 1, total_ns, run_ns: 100, ..Pauses::default() }),
            ..Record::new()
        };
        let samples = [sample(10), sample(90), sample(20), Record::new()];
        assert_eq!(reclamation(&samples.iter().collect::<Vec<_>>()), Some(0.2));
        assert_eq!(reclamation(&[&Record::new()]), None);
    }
}
