//! The allocation studies, each of which asks something else than n-queens does.
//!
//! A sample of a study has its own times, one for each phase of an iteration, and its own `n`; nothing of it
//! is ever in one row, or in one sentence, with n-queens. So records are split first: all that this crate
//! makes of n-queens is made of its samples alone, and each phase of a study is summarised by itself.
//!
//! | file | one idea |
//! |---|---|
//! | `view` | one phase of one workload at one size: a summary, and the figures beside it |
//! | `sentences` | what the numbers mean for someone who writes Rust |

use crate::record::Record;
use crate::summary::{Summary, SummaryError};
use std::borrow::Cow;

mod sentences;
mod view;

pub use sentences::{asked, sentences, title};
pub use view::{View, views};

/// Parameter that says what a row was put to.
pub const WORKLOAD: &str = "workload";

/// Records of n-queens, and those of the allocation studies.
pub fn split(records: &[Record]) -> (Cow<'_, [Record]>, Cow<'_, [Record]>) {
    let of_studies = records.iter().filter(|record| record.study.is_some()).count();
    let some = |of_study: bool| {
        records.iter().filter(|record| record.study.is_some() == of_study).cloned().collect()
    };
    match of_studies {
        0 => (Cow::Borrowed(records), Cow::Borrowed(&[])),
        all if all == records.len() => (Cow::Borrowed(&[]), Cow::Borrowed(records)),
        _ => (Cow::Owned(some(false)), Cow::Owned(some(true))),
    }
}

/// Records of both kinds, summarised.
#[derive(Clone, Debug)]
pub struct Both<'a> {
    /// The records of n-queens.
    pub queens: Cow<'a, [Record]>,
    /// What they come to.
    pub summary: Summary,
    /// What those of the studies come to.
    pub views: Vec<View>,
}

impl<'a> Both<'a> {
    /// Summarises each kind by itself. The baseline may be one of either: where it is not of a kind, that
    /// kind has its own.
    ///
    /// # Errors
    ///
    /// [`SummaryError::UnknownBaseline`], where neither has it.
    pub fn new(records: &'a [Record], baseline: Option<&str>) -> Result<Self, SummaryError> {
        let (queens, of_studies) = split(records);
        let summary = match queens.is_empty() && !of_studies.is_empty() {
            true => Ok(Summary::default()),
            false => Summary::new(&queens, baseline),
        };
        let views = views(&of_studies, baseline);
        let (summary, views) = match (summary, views) {
            (Err(_), Ok(views)) if !views.is_empty() => (Summary::new(&queens, None)?, views),
            (Ok(summary), Err(_)) if !queens.is_empty() => {
                (summary, self::views(&of_studies, None)?)
            }
            (summary, views) => (summary?, views?),
        };
        Ok(Self { queens, summary, views })
    }

    /// All summaries: that of n-queens, if there is any of it, and those of the views.
    pub fn into_summaries(self) -> Vec<Summary> {
        let queens = (!self.only_studies()).then_some(self.summary);
        queens.into_iter().chain(self.views.into_iter().map(|view| view.summary)).collect()
    }

    /// Whether the records hold samples of n-queens and of studies.
    pub fn is_mixed(&self) -> bool {
        !self.queens.is_empty() && !self.views.is_empty()
    }

    /// Whether the records hold nothing but samples of studies.
    pub fn only_studies(&self) -> bool {
        self.queens.is_empty() && !self.views.is_empty()
    }
}

/// The views of each study, in order.
pub fn by_study(views: &[View]) -> impl Iterator<Item = &[View]> {
    views.chunk_by(|a, b| a.study == b.study)
}

/// The phases of each workload at each size, in order: what one table shows.
pub fn blocks(views: &[View]) -> impl Iterator<Item = &[View]> {
    views.chunk_by(|a, b| (&a.study, a.n, &a.workload) == (&b.study, b.n, &b.workload))
}
