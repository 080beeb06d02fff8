//! What follows from a row's two sides, and its words.

use super::{Row, Side};
use crate::record::Status;
use crate::stats::Estimate;
use std::collections::BTreeMap;

/// Fewest samples on each side that are judged: of fewer, the interval of a median is narrower than
/// 95 %, even if it reaches from the least sample to the greatest.
pub(super) const FEWEST_SAMPLES: usize = 5;

/// What became of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Outcome {
    /// Both sides have times.
    Timed(Verdict),
    /// The row was right before and failed after.
    FailedAfter,
    /// The row failed before and is right after.
    FailedBefore,
    /// The row failed both times.
    FailedBoth,
    /// The row was counted only, on one side or both.
    NoTime,
    /// The run that is compared does not have the row.
    OnlyBefore,
    /// The run to compare with does not have the row.
    OnlyAfter,
}

/// Whether a ratio of times is a difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// The whole interval lies below 1, and beyond the noise floor.
    Faster,
    /// The whole interval lies above 1, and beyond the noise floor.
    Slower,
    /// The ratio lies within the noise floor; or the floor is not known, and 1 in the interval.
    NoDifference,
    /// The ratio lies beyond the noise floor, but its interval does not.
    Unclear,
    /// There are too few samples to tell.
    TooFew,
}

impl Verdict {
    fn new(ratio: &Estimate, noise: Option<f64>) -> Self {
        let edge = 1.0 + noise.unwrap_or(0.0);
        let is_within = |ratio: f64| (1.0 / edge..=edge).contains(&ratio);
        match ratio {
            _ if ratio.samples < FEWEST_SAMPLES => Self::TooFew,
            _ if ratio.low > edge => Self::Slower,
            _ if ratio.high < 1.0 / edge => Self::Faster,
            _ if is_within(ratio.value) || noise.is_none() => Self::NoDifference,
            _ => Self::Unclear,
        }
    }
}

impl Outcome {
    pub(super) fn new(
        before: Option<&Side>,
        after: Option<&Side>,
        ratio: Option<Estimate>,
        noise: Option<f64>,
    ) -> Self {
        let (before, after) = match (before, after) {
            (Some(before), Some(after)) => (before, after),
            (None, _) => return Self::OnlyAfter,
            (_, None) => return Self::OnlyBefore,
        };
        match (before.status == Status::Ok, after.status == Status::Ok) {
            (true, false) => Self::FailedAfter,
            (false, true) => Self::FailedBefore,
            (false, false) => Self::FailedBoth,
            (true, true) => {
                ratio.map_or(Self::NoTime, |ratio| Self::Timed(Verdict::new(&ratio, noise)))
            }
        }
    }

    /// The outcome as programs read it: `slower`, `no_difference`, `failed_after`, ...
    pub fn id(self) -> &'static str {
        match self {
            Self::Timed(Verdict::Faster) => "faster",
            Self::Timed(Verdict::Slower) => "slower",
            Self::Timed(Verdict::NoDifference) => "no_difference",
            Self::Timed(Verdict::Unclear) => "unclear",
            Self::Timed(Verdict::TooFew) => "too_few_samples",
            Self::FailedAfter => "failed_after",
            Self::FailedBefore => "failed_before",
            Self::FailedBoth => "failed_both",
            Self::NoTime => "no_time",
            Self::OnlyBefore => "only_before",
            Self::OnlyAfter => "only_after",
        }
    }

    /// The outcome as it is counted in the summary line.
    pub(super) fn counted(self) -> &'static str {
        match self {
            Self::Timed(Verdict::Faster) => "faster",
            Self::Timed(Verdict::Slower) => "slower",
            Self::Timed(Verdict::NoDifference) => "no difference",
            Self::Timed(Verdict::Unclear) => "unclear",
            Self::Timed(Verdict::TooFew) => "with too few samples",
            Self::FailedAfter => "failed after",
            Self::FailedBefore => "failed before",
            Self::FailedBoth => "failed both times",
            Self::NoTime => "without times",
            Self::OnlyBefore => "only in BEFORE",
            Self::OnlyAfter => "only in AFTER",
        }
    }
}

impl Row {
    /// The outcome in words: `1.32 to 1.37 times faster (95 %)`, `failed after: out of memory`.
    pub fn words(&self) -> String {
        let ended = |side: &Option<Side>| side.as_ref().map_or("", |side| side.status.words());
        let (before, after) = (ended(&self.before), ended(&self.after));
        match self.outcome {
            Outcome::Timed(verdict) => {
                self.ratio.map_or(String::new(), |ratio| verdict_words(verdict, &ratio, self.noise))
            }
            Outcome::FailedAfter => format!("failed after: {after}"),
            Outcome::FailedBefore => format!("failed before: {before}"),
            Outcome::FailedBoth if before == after => format!("failed both times: {after}"),
            Outcome::FailedBoth => format!("failed both times: {before}, {after}"),
            Outcome::NoTime => "counted, not timed".to_owned(),
            Outcome::OnlyBefore => "only in BEFORE".to_owned(),
            Outcome::OnlyAfter => "only in AFTER".to_owned(),
        }
    }
}

fn verdict_words(verdict: Verdict, ratio: &Estimate, noise: Option<f64>) -> String {
    match verdict {
        Verdict::Faster => {
            format!("{} times faster (95 %)", range(1.0 / ratio.high, 1.0 / ratio.low))
        }
        Verdict::Slower => format!("{} times slower (95 %)", range(ratio.low, ratio.high)),
        Verdict::NoDifference => match noise {
            Some(noise) => format!("no difference above the noise floor of {}", percent(noise)),
            None => "no difference shown".to_owned(),
        },
        Verdict::Unclear => {
            let (faster, slower) = (1.0 / ratio.low - 1.0, ratio.high - 1.0);
            let range = match (ratio.low < 1.0, ratio.high < 1.0) {
                (true, false) => {
                    format!("{} faster to {} slower", percent(faster), percent(slower))
                }
                (true, true) => {
                    format!("{} to {} faster", percent(1.0 / ratio.high - 1.0), percent(faster))
                }
                _ => format!("{} to {} slower", percent(ratio.low - 1.0), percent(slower)),
            };
            format!("unclear: {range} (95 %)")
        }
        Verdict::TooFew => format!("too few samples to judge ({})", ratio.samples),
    }
}

/// Two decimals, or three where differences are small.
fn range(low: f64, high: f64) -> String {
    if low < 1.05 { format!("{low:.3} to {high:.3}") } else { format!("{low:.2} to {high:.2}") }
}

fn percent(fraction: f64) -> String {
    format!("{:.1} %", fraction * 100.0)
}

/// A line about the rows that cannot be judged, if there are any.
pub(super) fn too_few(rows: &[Row]) -> Option<String> {
    let few = rows.iter().filter(|row| row.outcome == Outcome::Timed(Verdict::TooFew));
    let names: Vec<String> = few.map(Row::name).collect();
    (!names.is_empty()).then(|| {
        format!(
            "too few samples to judge, each side needs {FEWEST_SAMPLES} (--rounds): {}",
            names.join(", ")
        )
    })
}

/// A line for each n: its noise floor.
pub(super) fn noise_sentences(rows: &[Row]) -> Vec<String> {
    let timed = rows.iter().filter(|row| matches!(row.outcome, Outcome::Timed(_)));
    let mut floors: BTreeMap<u32, Option<f64>> = BTreeMap::new();
    for row in timed {
        let floor = floors.entry(row.n).or_default();
        // Of several programs, the largest.
        *floor = [*floor, row.noise].into_iter().flatten().reduce(f64::max);
    }
    let sentence = |(n, floor): (u32, Option<f64>)| match floor {
        Some(floor) => {
            format!("noise floor at n = {n}: {}, the larger of both runs'", percent(floor))
        }
        None => format!("no noise floor at n = {n}: neither run entered a backend twice there"),
    };
    floors.into_iter().map(sentence).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(low: f64, value: f64, high: f64, noise: Option<f64>) -> String {
        let ratio = Estimate { value, low, high, samples: 8 };
        verdict_words(Verdict::new(&ratio, noise), &ratio, noise)
    }

    #[test]
    fn a_difference_is_one_only_beyond_the_noise() {
        let floor = Some(0.012);
        assert_eq!(words(0.73, 0.75, 0.76, floor), "1.32 to 1.37 times faster (95 %)");
        assert_eq!(words(1.32, 1.35, 1.37, floor), "1.32 to 1.37 times slower (95 %)");
        assert_eq!(words(1.013, 1.02, 1.03, floor), "1.013 to 1.030 times slower (95 %)");
        let none = "no difference above the noise floor of 1.2 %";
        assert_eq!(words(1.001, 1.011, 1.03, floor), none);
        assert_eq!(words(0.97, 0.99, 0.995, floor), none);
        assert_eq!(words(0.5, 1.0, 2.0, floor), none);
        assert_eq!(words(0.98, 1.02, 1.05, floor), "unclear: 2.0 % faster to 5.0 % slower (95 %)");
        assert_eq!(words(1.01, 1.02, 1.05, floor), "unclear: 1.0 % to 5.0 % slower (95 %)");
        assert_eq!(words(0.8, 0.9, 0.99, floor), "unclear: 1.0 % to 25.0 % faster (95 %)");
        assert_eq!(words(1.01, 1.02, 1.05, None), "1.010 to 1.050 times slower (95 %)");
        assert_eq!(words(0.98, 1.02, 1.05, None), "no difference shown");
    }

    #[test]
    fn few_samples_are_not_judged() {
        let ratio = |samples| Estimate { value: 2.0, low: 1.9, high: 2.1, samples };
        assert_eq!(Verdict::new(&ratio(FEWEST_SAMPLES), None), Verdict::Slower);
        assert_eq!(Verdict::new(&ratio(FEWEST_SAMPLES - 1), None), Verdict::TooFew);
    }
}
