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
use crate::threads::{self, Block, counted};
use std::borrow::Cow;

mod sentences;
mod view;

pub use sentences::{asked, sentences, title};
pub use view::{View, views};

/// Parameter that says what a row was put to.
pub const WORKLOAD: &str = "workload";

/// Records of n-queens, and those of the allocation studies.
pub fn split(records: &[Record]) -> (Cow<'_, [Record]>, Cow<'_, [Record]>) {
    let of_study = |record: &Record| record.study.is_some();
    (only(records, |record| !of_study(record)), only(records, of_study))
}

/// Those that are wanted, without a copy where these are all or none.
pub(crate) fn only(records: &[Record], wanted: impl Fn(&Record) -> bool) -> Cow<'_, [Record]> {
    match records.iter().filter(|record| wanted(record)).count() {
        0 => Cow::Borrowed(&[]),
        all if all == records.len() => Cow::Borrowed(records),
        _ => Cow::Owned(records.iter().filter(|record| wanted(record)).cloned().collect()),
    }
}

/// Records of n-queens and of the studies, summarised.
#[derive(Clone, Debug)]
pub struct Both<'a> {
    /// The records of n-queens on one thread.
    pub queens: Cow<'a, [Record]>,
    /// What they come to.
    pub summary: Summary,
    /// What those of the studies come to.
    pub views: Vec<View>,
    /// What those of n-queens on threads come to.
    pub threads: Vec<Block>,
    /// All records of n-queens, where some are of threads; else none.
    pub(crate) together: Cow<'a, [Record]>,
}

impl<'a> Both<'a> {
    /// Summarises each kind by itself. The baseline may be one of any: where it is not of a kind, that
    /// kind has its own.
    ///
    /// # Errors
    ///
    /// [`SummaryError::UnknownBaseline`], where none has it.
    pub fn new(records: &'a [Record], baseline: Option<&str>) -> Result<Self, SummaryError> {
        let of_studies = only(records, |record| record.study.is_some());
        let of_threads = only(records, threads::is_of_threads);
        let queens =
            only(records, |record| record.study.is_none() && !threads::is_of_threads(record));
        let nothing = of_studies.is_empty() && of_threads.is_empty();
        let summary = |baseline| match queens.is_empty() && !nothing {
            true => Ok(Summary::default()),
            false => Summary::new(&queens, baseline),
        };
        let views = |baseline| self::views(&of_studies, baseline);
        let blocks = |baseline| Block::all(&of_threads, &queens, baseline);
        let of_each = (summary(baseline), views(baseline), blocks(baseline));
        let known = of_each.0.is_ok() && !queens.is_empty()
            || of_each.1.is_ok() && !of_studies.is_empty()
            || of_each.2.is_ok() && !of_threads.is_empty();
        let (summary, views, threads) = match (known, of_each) {
            (false, (summary, views, blocks)) => (summary?, views?, blocks?),
            (true, of_each) => (
                of_each.0.or_else(|_| summary(None))?,
                of_each.1.or_else(|_| views(None))?,
                of_each.2.or_else(|_| blocks(None))?,
            ),
        };
        let together = match threads.is_empty() {
            true => Cow::Borrowed(&[][..]),
            false => only(records, |record| record.study.is_none()),
        };
        Ok(Self { queens, summary, views, threads, together })
    }

    /// All summaries: that of n-queens, if there is any of it, those of the views, and those of threads,
    /// whose labels tell how many.
    pub fn into_summaries(self) -> Vec<Summary> {
        let queens = self.has_queens().then_some(self.summary);
        let threads = self.threads.into_iter().flat_map(|block| block.views).map(|view| {
            let mut summary = view.summary;
            let told = |label: &mut String| *label += &format!(" on {}", counted(view.threads));
            summary.rows.iter_mut().for_each(|row| told(&mut row.label));
            summary.noise.iter_mut().for_each(|noise| told(&mut noise.label));
            summary
        });
        let views = self.views.into_iter().map(|view| view.summary);
        queens.into_iter().chain(views).chain(threads).collect()
    }

    /// Whether there is something to say of n-queens on one thread, if only that there are no records.
    pub fn has_queens(&self) -> bool {
        !self.queens.is_empty() || self.views.is_empty() && self.threads.is_empty()
    }

    /// Whether the records hold samples of n-queens and of studies.
    pub fn is_mixed(&self) -> bool {
        !(self.views.is_empty() || self.queens.is_empty() && self.threads.is_empty())
    }

    /// Whether the records hold nothing but samples of studies.
    pub fn only_studies(&self) -> bool {
        self.queens.is_empty() && self.threads.is_empty() && !self.views.is_empty()
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
