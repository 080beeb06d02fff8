//! A measured value against what a claim predicts: the one place where it is decided.

use super::file::Unit;
use super::measure::Value;
use crate::format::significant;
use crate::stats::MIN_SAMPLES;
use crate::verdict::{Verdict as Ratio, percent};
use std::ops::{Bound, RangeBounds};

/// What the records say about a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The whole interval is as the claim predicts.
    Reproduced,
    /// None of the interval is.
    Contradicted,
    /// No difference above the noise floor where the claim has one, or the interval, or the noise
    /// floor about it, lies across an end of what the claim predicts.
    NotDistinguishable,
    /// No record can judge it.
    NotTestable,
    /// The records lack what it takes.
    NotMeasured,
    /// Fewer rounds than a 95 % interval takes.
    TooFewRounds,
}

impl Verdict {
    /// The verdict for readers: `reproduced`, `not distinguishable here`, ...
    pub fn words(self) -> &'static str {
        match self {
            Self::Reproduced => "reproduced",
            Self::Contradicted => "contradicted",
            Self::NotDistinguishable => "not distinguishable here",
            Self::NotTestable => "not testable here",
            Self::NotMeasured => "not measured in this run",
            Self::TooFewRounds => "too few rounds",
        }
    }
}

/// The values that reproduce a claim.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Band {
    low: Bound<f64>,
    high: Bound<f64>,
}

impl Band {
    /// `None` where no value, or every one, is within.
    pub fn new(low: Bound<f64>, high: Bound<f64>) -> Option<Self> {
        let end = |bound| match bound {
            Bound::Included(end) | Bound::Excluded(end) => Some(end),
            Bound::Unbounded => None,
        };
        let some = match (end(low), end(high)) {
            (None, None) => false,
            (Some(low), Some(high)) => low < high && low.is_finite() && high.is_finite(),
            (Some(end), None) | (None, Some(end)) => end.is_finite(),
        };
        some.then_some(Self { low, high })
    }

    fn contains(&self, value: f64) -> bool {
        (self.low, self.high).contains(&value)
    }

    /// Whether something from `low` to `high` is within.
    fn meets(&self, low: f64, high: f64) -> bool {
        let above = (self.low, Bound::Unbounded).contains(&high);
        above && (Bound::Unbounded, self.high).contains(&low)
    }

    /// For instance `5 to 10 times`, `at most 1.1 times`, `a ratio above 1`.
    pub fn words(&self, unit: &Unit) -> String {
        let range = match (self.low, self.high) {
            (Bound::Excluded(1.0), Bound::Unbounded) if unit.is_ratio() => {
                return "a ratio above 1".to_owned();
            }
            (Bound::Unbounded, Bound::Excluded(1.0)) if unit.is_ratio() => {
                return "a ratio below 1".to_owned();
            }
            (Bound::Included(low), Bound::Included(high)) => {
                format!("{} to {}", plain(low), plain(high))
            }
            (low, high) => {
                let low = match low {
                    Bound::Included(low) => Some(format!("at least {}", plain(low))),
                    Bound::Excluded(low) => Some(format!("more than {}", plain(low))),
                    Bound::Unbounded => None,
                };
                let high = match high {
                    Bound::Included(high) => Some(format!("at most {}", plain(high))),
                    Bound::Excluded(high) => Some(format!("less than {}", plain(high))),
                    Bound::Unbounded => None,
                };
                low.into_iter().chain(high).collect::<Vec<_>>().join(" and ")
            }
        };
        unit.after(&range)
    }
}

/// The shortest way to write an end of a band, which is exact.
fn plain(end: f64) -> String {
    end.to_string()
}

/// The verdict, and what it does not say by itself. `floor` is the noise floor (0.012 is 1.2 %), for
/// ratios of times alone.
///
/// Where a claim predicts a difference that may be as small as the noise floor, and there is none above
/// it, nothing can be distinguished. Else the interval decides, for ratios of times with the noise floor on either side,
/// since a distance from the predicted values that is below it is no distance.
pub(super) fn decide(value: &Value, band: &Band, floor: Option<f64>) -> (Verdict, Option<String>) {
    let estimate = &value.estimate;
    if !value.exact && !estimate.confident() {
        let why = format!("{} of at least {MIN_SAMPLES} rounds", estimate.samples);
        return (Verdict::TooFewRounds, Some(why));
    }
    let factor = 1.0 + floor.unwrap_or(0.0);
    let ratio = floor.map(|_| Ratio::new(estimate, floor));
    let as_small = !band.contains(1.0) && band.meets(factor.recip(), factor);
    if let Some(none @ Ratio::NoDifference { .. }) = ratio.filter(|_| as_small) {
        return (Verdict::NotDistinguishable, Some(none.words()));
    }
    let (low, high) = (estimate.low / factor, estimate.high * factor);
    if band.contains(low) && band.contains(high) {
        (Verdict::Reproduced, None)
    } else if !band.meets(low, high) {
        (Verdict::Contradicted, None)
    } else {
        (Verdict::NotDistinguishable, Some(across(value, band, floor)))
    }
}

/// Why the interval tells nothing.
fn across(value: &Value, band: &Band, floor: Option<f64>) -> String {
    let (low, high) = (value.estimate.low, value.estimate.high);
    let (in_low, in_high) = (band.contains(low), band.contains(high));
    match floor {
        // The interval itself lies to one side.
        Some(floor) if in_low == in_high && (in_low || !band.meets(low, high)) => format!(
            "the interval lies within the noise floor of {} from an end of what is predicted",
            percent(floor)
        ),
        _ => format!(
            "the interval, {} to {}, lies across an end of what is predicted",
            significant(low),
            significant(high)
        ),
    }
}
