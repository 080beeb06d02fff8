//! Records of measurements, and everything made of them: statistics, terminal tables, charts, a page.
//!
//! This crate never links a heap or a backend. All it shows comes from the records, so a report can
//! be made again, anywhere, from the record file alone.
//!
//! | module | one idea |
//! |---|---|
//! | [`record`] | one measured sample, as one line of JSON |
//! | [`stats`] | medians and paired ratios with bootstrap intervals |
//! | [`summary`] | samples grouped into rows, each with its ratio to a baseline |
//! | [`threads`] | n-queens on several threads, which is never mixed with that on one |
//! | [`studies`] | the allocation studies, which are never mixed with n-queens |
//! | [`explain`] | where the time goes: the ladder, overhead over a bound, cost of a count |
//! | [`verdict`] | a ratio in words |
//! | [`mod@format`] | numbers with units, the same everywhere |
//! | [`claims`] | published claims, each with a verdict from the records |
//! | [`mod@compare`] | two runs of the same work, row by row, with verdicts |
//! | [`table`] | rows as text for a terminal, as Markdown and as CSV |
//! | [`charts`] | rows as figures, SVG and PNG |
//! | [`document`] | the headline and its table as part of a Markdown document |
//! | [`html`] | all of it on one self-contained page |

#![forbid(unsafe_code)]
#![warn(missing_docs)]

pub mod charts;
pub mod claims;
pub mod compare;
pub mod document;
pub mod explain;
pub mod format;
mod headline;
pub mod html;
mod labels;
pub mod record;
pub mod stats;
pub mod studies;
pub mod summary;
pub mod table;
pub mod threads;
pub mod verdict;

pub use compare::{CompareError, Comparison};
pub use html::{ReportError, ReportOptions, Written, write_report};
pub use record::{
    Capabilities, CounterSource, Counters, LiveCells, Machine, Mmu, Parallel, Pauses, Peer, Phase,
    ReadError, Record, SCHEMA, Status, Study, read_lines, read_prefix, read_records, write_record,
};
pub use summary::{Summary, SummaryError};
pub use verdict::Verdict;
