//! A ratio in words: the one place where words follow numbers.

use crate::format::significant;
use crate::stats::{Estimate, MIN_SAMPLES};
use serde::Serialize;

/// How many times farther than the noise floor an interval may reach before the floor says nothing
/// about it. The control and a backend that is as noisy differ so much in 1 to 2 runs of a hundred;
/// in 5, by a factor of two (see the tests).
const AS_NOISY: f64 = 3.0;

/// What a ratio of times, with its interval, says about the side over the baseline.
///
/// As JSON it is an object: `{"verdict": "slower", "low": 1.32, "high": 1.37}`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(tag = "verdict", rename_all = "snake_case")]
pub enum Verdict {
    /// The side is at least `low` and at most `high` times as fast (95 %).
    Faster {
        /// Lower end of the interval of how many times.
        low: f64,
        /// Upper end.
        high: f64,
    },
    /// The side takes at least `low` and at most `high` times as long (95 %).
    Slower {
        /// Lower end of the interval of how many times.
        low: f64,
        /// Upper end.
        high: f64,
    },
    /// The difference is one that a backend may have from itself in this run.
    NoDifference {
        /// The noise floor: 0.012 is 1.2 %.
        floor: f64,
    },
    /// The interval includes 1, and the noise floor is unknown or too small to explain the difference.
    Unclear,
    /// Fewer pairs than a 95 % interval takes ([`MIN_SAMPLES`]).
    TooFew {
        /// Pairs that there are.
        samples: usize,
    },
}

impl Verdict {
    /// The verdict on a ratio of times (above 1 is slower), beside the noise floor where it is known
    /// (0.012 is 1.2 %; see [`NoiseFloor::fraction`](crate::summary::NoiseFloor::fraction)).
    ///
    /// Too few pairs allow none. Where the ratio is within the noise floor, there is no difference,
    /// unless the interval includes 1 and reaches more than three times as far as the floor: then this
    /// backend is noisier than the control was, and the two are only not distinguishable. Beyond the
    /// floor, an interval without 1 tells faster from slower.
    pub fn new(ratio: &Estimate, floor: Option<f64>) -> Self {
        if !ratio.confident() {
            return Self::TooFew { samples: ratio.samples };
        }
        let (low, value, high) = (ratio.low.ln(), ratio.value.ln(), ratio.high.ln());
        let includes_one = low <= 0.0 && 0.0 <= high;
        if let Some(floor) = floor.filter(|floor| value.abs() <= floor.ln_1p()) {
            let reach = high.abs().max(low.abs());
            if !includes_one || reach <= AS_NOISY * floor.ln_1p() {
                return Self::NoDifference { floor };
            }
        }
        match includes_one {
            true => Self::Unclear,
            false if value > 0.0 => Self::Slower { low: ratio.low, high: ratio.high },
            false => Self::Faster { low: ratio.high.recip(), high: ratio.low.recip() },
        }
    }

    /// The verdict: `1.32 to 1.37 times faster (95 %)`, `no difference above the noise floor of 1.2 %`.
    pub fn words(&self) -> String {
        match *self {
            Self::NoDifference { floor } => {
                format!("no difference above the noise floor of {}", percent(floor))
            }
            Self::TooFew { samples } => {
                format!("too few rounds for a verdict ({samples} of at least {MIN_SAMPLES})")
            }
            _ => self.short(),
        }
    }

    /// The verdict for a column beside the ratio: `slower`, `no difference`.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Faster { .. } => "faster",
            Self::Slower { .. } => "slower",
            Self::NoDifference { .. } => "no difference",
            Self::Unclear => "unclear",
            Self::TooFew { .. } => "too few rounds",
        }
    }

    /// The verdict for a column of a table that tells the noise floor elsewhere.
    pub fn short(&self) -> String {
        match *self {
            Self::Faster { low, high } => format!("{} times faster (95 %)", from_to(low, high)),
            Self::Slower { low, high } => format!("{} times slower (95 %)", from_to(low, high)),
            Self::NoDifference { .. } => "no difference".to_owned(),
            Self::Unclear => "not distinguishable".to_owned(),
            Self::TooFew { samples } => format!("too few rounds ({samples} of {MIN_SAMPLES})"),
        }
    }
}

/// A ratio in a sentence that starts with the side's name:
/// `takes 7.91 times as long as gc (95 %: 7.64 to 8.24)`.
pub(crate) fn clause(ratio: &Estimate, floor: Option<f64>, baseline: &str) -> String {
    clause_beside(ratio, floor, baseline, "")
}

/// The same with something to be said of the baseline, such as its time, where there is any:
/// `takes 7.91 times as long as gc (14.1 ns; 95 %: 7.64 to 8.24)`.
pub(crate) fn clause_beside(
    ratio: &Estimate,
    floor: Option<f64>,
    baseline: &str,
    of_baseline: &str,
) -> String {
    let (value, low, high) = (ratio.value, ratio.low, ratio.high);
    let (first, alone) = match of_baseline {
        "" => (String::new(), String::new()),
        told => (format!("{told}; "), format!(" ({told})")),
    };
    let times = |value: f64, low: f64, high: f64, word: &str| {
        let value = significant(value);
        let range = match ratio.samples {
            1 => "one round".to_owned(),
            n if !ratio.confident() => format!("range of {n} rounds: {}", from_to(low, high)),
            _ => format!("95 %: {}", from_to(low, high)),
        };
        format!("{value} times as {word} as {baseline} ({first}{range})")
    };
    match Verdict::new(ratio, floor) {
        Verdict::NoDifference { floor } => {
            format!(
                "shows no difference from {baseline}{alone} above the noise floor of {}",
                percent(floor)
            )
        }
        Verdict::Unclear => format!("is not distinguishable from {baseline}{alone}"),
        _ if value < 1.0 => {
            format!("is {}", times(value.recip(), high.recip(), low.recip(), "fast"))
        }
        _ => format!("takes {}", times(value, low, high, "long")),
    }
}

/// A fraction in per cent: `1.2 %`.
pub(crate) fn percent(fraction: f64) -> String {
    format!("{:.1} %", fraction * 100.0)
}

/// Both ends of a factor, with digits enough to tell them from 1 and from each other; once if equal.
pub(crate) fn from_to(low: f64, high: f64) -> String {
    let least = significant(low).split_once('.').map_or(0, |(_, digits)| digits.len());
    let written = |value: f64, decimals: usize| format!("{value:.decimals$}");
    let told = |&decimals: &usize| {
        let (low, high) = (written(low, decimals), written(high, decimals));
        low != written(1.0, decimals) && low != high
    };
    // Beyond four decimals, equal ends are equal.
    let decimals = (least..=4).find(told).unwrap_or(least);
    match (written(low, decimals), written(high, decimals)) {
        (low, high) if low == high => low,
        (low, high) => format!("{low} to {high}"),
    }
}

#[cfg(test)]
mod tests;
