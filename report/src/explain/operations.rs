//! What one reference-count operation costs.

use super::ladder::{Step, step};
use super::scope::Sides;
use super::steps::{COUNTING, Over};
use super::{Verdict, scaled};
use crate::stats::Estimate;
use serde::Serialize;

/// A difference in time, spread over the count operations that make it.
///
/// An operation is one increment or one decrement, and its cost includes what comes with it: the
/// test for zero, the words that hold the counts, the work that release does and a scope did.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Operation {
    /// What one operation is.
    pub what: String,
    /// The difference in time, and everything that changes.
    pub step: Step,
    /// Counts raised for each cell allocated, at the step's end.
    pub increments_per_cell: f64,
    /// Counts lowered for each cell allocated, at the step's end.
    pub decrements_per_cell: f64,
    /// Operations for each cell allocated that the difference is spread over.
    pub operations_per_cell: f64,
    /// Nanoseconds for each of them.
    #[serde(serialize_with = "super::json::estimate")]
    pub ns_per_operation: Estimate,
}

impl Operation {
    /// For each pair that has times and counts.
    pub(super) fn all(sides: &Sides, cells: f64) -> Vec<Self> {
        let operation = |(from, to, over, what): (&str, &str, Over, &str)| {
            let (from, to) = (sides.of(from)?, sides.of(to)?);
            let step = step(from, to, &[what], sides, cells)?;
            let increments = to.row.rc_increments? as f64 / cells;
            let decrements = to.row.rc_decrements? as f64 / cells;
            let before = match over {
                Over::All => 0.0,
                Over::Added => {
                    (from.row.rc_increments? as f64 + from.row.rc_decrements? as f64) / cells
                }
            };
            let operations = increments + decrements - before;
            // Nothing to spread it over.
            (operations > 0.0).then(|| Self {
                what: what.to_owned(),
                increments_per_cell: increments,
                decrements_per_cell: decrements,
                operations_per_cell: operations,
                ns_per_operation: scaled(step.ns_per_cell, 1.0 / operations),
                step,
            })
        };
        COUNTING.into_iter().filter_map(operation).collect()
    }

    /// Whether the difference is one at all.
    pub fn verdict(&self) -> Verdict {
        self.step.verdict
    }
}
