//! What one reference-count operation costs, and what one store to a shadow stack does.

use super::ladder::{Step, step};
use super::pages::{percent, signed_interval};
use super::scope::Sides;
use super::steps::{COUNTING, Over, ROOTING};
use super::{Verdict, scaled};
use crate::format::significant;
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

/// A difference in time, spread over the references that are stored in a shadow stack.
///
/// The cost of a store includes what comes with it: the pops, the room that is looked for, the values
/// that are no longer kept in registers. Finding the roots there instead of elsewhere is in it too.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Store {
    /// The difference in time, and everything that changes.
    pub step: Step,
    /// References stored for each cell allocated.
    pub stores_per_cell: f64,
    /// Nanoseconds for each of them.
    #[serde(serialize_with = "super::json::estimate")]
    pub ns_per_store: Estimate,
}

impl Store {
    /// `None` where a time is missing, or nothing was stored.
    pub(super) fn new(sides: &Sides, cells: f64) -> Option<Self> {
        let (from, to, what) = ROOTING;
        let (from, to) = (sides.of(from)?, sides.of(to)?);
        let stored = to.row.roots_stored?.checked_sub(from.row.roots_stored.unwrap_or(0))?;
        let stores_per_cell = stored as f64 / cells;
        let step = step(from, to, &[what], sides, cells)?;
        (stored > 0).then(|| Self {
            stores_per_cell,
            ns_per_store: scaled(step.ns_per_cell, 1.0 / stores_per_cell),
            step,
        })
    }

    /// All of it in words.
    pub fn sentence(&self) -> String {
        let (from, to) = (&self.step.from.label, &self.step.to.label);
        let also = match self.step.changes.as_slice() {
            [_, more @ ..] if !more.is_empty() => {
                format!(
                    " Something else changes, so the cost is not the stores' alone: {}.",
                    more.join("; ")
                )
            }
            _ => String::new(),
        };
        format!(
            "{to} stores {} references in its shadow stack for each cell. The difference to {from}, \
             {} ns per cell ({}), is {} of its time; spread over the stores it is {} ns for each, what \
             comes with a store included.{also}",
            significant(self.stores_per_cell),
            signed_interval(&self.step.ns_per_cell),
            self.step.verdict.words(),
            percent(self.step.share.value),
            signed_interval(&self.ns_per_store),
        )
    }
}
