//! The tables for programs.

use super::Explanation;
use crate::stats::Estimate;
use serde::{Serialize, Serializer};

/// The explanations as one JSON array, with a line break at its end.
///
/// Times are in nanoseconds, shares and overheads are parts of one. Where a single pair of samples
/// allows no interval, its ends are `null`.
///
/// # Errors
///
/// The JSON writer's own; these structures give it no cause.
pub fn json(explanations: &[Explanation]) -> Result<String, serde_json::Error> {
    Ok(serde_json::to_string_pretty(explanations)? + "\n")
}

#[derive(Serialize)]
struct View {
    value: f64,
    low: Option<f64>,
    high: Option<f64>,
    samples: usize,
}

impl View {
    fn new(estimate: &Estimate) -> Self {
        let (low, high) = estimate.interval().unzip();
        Self { value: estimate.value, low, high, samples: estimate.samples }
    }
}

pub(super) fn estimate<S: Serializer>(estimate: &Estimate, to: S) -> Result<S::Ok, S::Error> {
    View::new(estimate).serialize(to)
}

pub(super) fn estimate_or_null<S: Serializer>(
    estimate: &Option<Estimate>,
    to: S,
) -> Result<S::Ok, S::Error> {
    estimate.as_ref().map(View::new).serialize(to)
}
