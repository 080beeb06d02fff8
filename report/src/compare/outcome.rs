//! What became of a row with two sides, and its words.

use super::{Row, Side};
use crate::record::Status;
use crate::stats::{Estimate, MIN_SAMPLES};
use crate::threads::counted;
use crate::verdict::{Verdict, percent};
use std::collections::BTreeMap;

/// What became of a row.
#[derive(Clone, Copy, Debug, PartialEq)]
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
            Self::Timed(Verdict::Faster { .. }) => "faster",
            Self::Timed(Verdict::Slower { .. }) => "slower",
            Self::Timed(Verdict::NoDifference { .. }) => "no_difference",
            Self::Timed(Verdict::Unclear) => "unclear",
            Self::Timed(Verdict::TooFew { .. }) => "too_few_samples",
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
            Self::Timed(Verdict::Faster { .. }) => "faster",
            Self::Timed(Verdict::Slower { .. }) => "slower",
            Self::Timed(Verdict::NoDifference { .. }) => "no difference",
            Self::Timed(Verdict::Unclear) => "not distinguishable",
            Self::Timed(Verdict::TooFew { .. }) => "with too few samples",
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
            Outcome::Timed(verdict) => verdict.words(),
            Outcome::FailedAfter => format!("failed after: {after}"),
            Outcome::FailedBefore => format!("failed before: {before}"),
            Outcome::FailedBoth if before == after => format!("failed both times: {after}"),
            Outcome::FailedBoth => format!("failed both times: {before}, {after}"),
            Outcome::NoTime => "counted, not timed".to_owned(),
            Outcome::OnlyBefore => "only in BEFORE".to_owned(),
            Outcome::OnlyAfter => "only in AFTER".to_owned(),
        }
    }

    /// The same for a column of a table that tells the noise floor elsewhere.
    pub(super) fn short(&self) -> String {
        match self.outcome {
            Outcome::Timed(verdict) => verdict.short(),
            _ => self.words(),
        }
    }
}

/// A line about the rows that cannot be judged, if there are any.
pub(super) fn too_few(rows: &[Row]) -> Option<String> {
    let few =
        rows.iter().filter(|row| matches!(row.outcome, Outcome::Timed(Verdict::TooFew { .. })));
    let names: Vec<String> = few.map(Row::name).collect();
    (!names.is_empty()).then(|| {
        format!(
            "too few samples to judge, each side needs {MIN_SAMPLES} (--rounds): {}",
            names.join(", ")
        )
    })
}

/// A line for each n, and each number of threads where there are several: its noise floor.
pub(super) fn noise_sentences(rows: &[Row]) -> Vec<String> {
    let timed = rows.iter().filter(|row| matches!(row.outcome, Outcome::Timed(_)));
    let several = rows.iter().any(|row| row.threads != rows[0].threads);
    let mut floors: BTreeMap<(u32, Option<u32>), Option<f64>> = BTreeMap::new();
    for row in timed {
        let floor = floors.entry((row.n, several.then_some(row.threads))).or_default();
        // Of several programs, the largest.
        *floor = [*floor, row.noise].into_iter().flatten().reduce(f64::max);
    }
    let sentence = |((n, threads), floor): ((u32, Option<u32>), Option<f64>)| {
        let at = threads.map_or(String::new(), |threads| format!(" with {}", counted(threads)));
        match floor {
            Some(floor) => {
                format!("noise floor at n = {n}{at}: {}, the larger of both runs'", percent(floor))
            }
            None => {
                format!("no noise floor at n = {n}{at}: neither run entered a backend twice there")
            }
        }
    };
    floors.into_iter().map(sentence).collect()
}
