//! All of it on one self-contained page, with the charts beside it as files.
//!
//! | file | one idea |
//! |---|---|
//! | `page` | the templates, the style, the script, and what the browser may do with them |
//! | `view` | what the templates are given, put together from the files below |
//! | `charts`, `threads`, `peers`, `studies`, `claims`, `numbers`, `ratios`, `sheets`, `backends`, `machine` | one part of the page each |

use crate::charts::{
    Figure, NARROW_PX, WIDE_PX, figures, figures_of_peers, figures_of_studies, figures_of_threads,
    svg, write_png,
};
use crate::claims::{ClaimError, Judged, judge_both};
use crate::explain::{Explanation, explain};
use crate::record::Record;
use crate::studies::Both;
use crate::summary::SummaryError;
use rayon::prelude::*;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use thiserror::Error;

mod backends;
mod charts;
mod claims;
mod machine;
mod numbers;
mod page;
mod peers;
mod ratios;
mod sheets;
mod studies;
mod threads;
mod view;

/// What was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    /// The page.
    pub index: PathBuf,
    /// Every file, the page first.
    pub files: Vec<PathBuf>,
}

/// What a report is made with, beside the records.
#[derive(Clone, Copy, Debug, Default)]
pub struct ReportOptions<'a> {
    /// What ratios compare with; for `None` see [`Summary::new`](crate::Summary::new).
    pub baseline: Option<&'a str>,
    /// The files that the records come from. The page links to those in its own folder and in the one
    /// above it, wherever both are moved together, and tells the names of others.
    pub record_files: &'a [PathBuf],
    /// Command line that makes the page again.
    pub command: Option<&'a str>,
}

/// Why a report could not be written. Each message is one line.
#[derive(Debug, Error)]
pub enum ReportError {
    /// The records cannot be summarised as asked.
    #[error(transparent)]
    Summary(#[from] SummaryError),
    /// A file or folder cannot be written.
    #[error("{}: cannot be written ({source}); give a folder that can", path.display())]
    Unwritable {
        /// The file or folder.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// A chart could not be drawn.
    #[error("chart {stem}: cannot be drawn: {reason}")]
    Chart {
        /// The chart's file name without ending.
        stem: String,
        /// The drawing library's reason.
        reason: String,
    },
    /// The claims cannot be judged, a defect of their file.
    #[error(transparent)]
    Claims(#[from] ClaimError),
    /// The page's template failed, a defect of this crate.
    #[error("the page's template failed: {0}")]
    Template(#[from] minijinja::Error),
}

/// Writes `index.html`, and each chart as SVG and PNG, into a folder that is made if need be.
///
/// For the baseline, see [`Summary::new`](crate::Summary::new); for links to the record files, [`ReportOptions`].
///
/// # Errors
///
/// [`ReportError`]: an unknown baseline, or a file that cannot be written.
pub fn write_report(
    records: &[Record],
    baseline: Option<&str>,
    out_dir: impl AsRef<Path>,
) -> Result<Written, ReportError> {
    ReportOptions { baseline, ..ReportOptions::default() }.write(records, out_dir)
}

impl ReportOptions<'_> {
    /// Writes `index.html`, and each chart as SVG and PNG, into a folder that is made if need be.
    ///
    /// The page depends on the records and these options alone, not on the time or the machine it is
    /// made on.
    ///
    /// # Errors
    ///
    /// [`ReportError`]: an unknown baseline, or a file that cannot be written.
    pub fn write(
        &self,
        records: &[Record],
        out_dir: impl AsRef<Path>,
    ) -> Result<Written, ReportError> {
        let out_dir = out_dir.as_ref();
        let both = Both::new(records, self.baseline)?;
        let summary = &both.summary;
        let sizes: Vec<u32> = summary.studied_n().into_iter().collect();
        let explained: Vec<Explanation> =
            explain(&both.queens, &sizes).into_iter().flatten().collect();
        let of_threads = figures_of_threads(&both.threads);
        // The places on the page, and how many figures each has.
        let modes: Vec<usize> = of_threads.iter().map(Vec::len).collect();
        let parts = [
            figures(summary, &explained),
            figures_of_peers(summary),
            figures_of_studies(&both.views),
        ];
        let [alone, peers, _] = parts.each_ref().map(Vec::len);
        let figures: Vec<Box<dyn Figure + '_>> =
            parts.into_iter().flatten().chain(of_threads.into_iter().flatten()).collect();
        let drawings = figures
            .par_iter()
            .map(|figure| Ok([svg(figure.as_ref(), WIDE_PX)?, svg(figure.as_ref(), NARROW_PX)?]));
        let drawings: Vec<[String; 2]> = drawings.collect::<Result<_, ReportError>>()?;
        let mut charts = charts::views(&figures, &drawings).into_iter();
        let mut next = |count: usize| charts.by_ref().take(count).collect::<Vec<_>>();
        let (of_study, of_peers) = (next(alone), next(peers));
        let of_studies = next(figures.len() - alone - peers - modes.iter().sum::<usize>());
        let of_threads = modes.into_iter().map(next).collect();
        let mut judged = if records.is_empty() { Vec::new() } else { judge_both(&both)? };
        if both.only_studies() {
            judged.retain(is_of_study);
        } else if !both.has_queens() {
            judged.retain(is_measured);
        }
        let charts = view::Charts { of_study, of_peers, of_studies, of_threads };
        let page = view::page(self, records, &both, charts, &judged, out_dir);
        let page = page::render(page)?;

        fs::create_dir_all(out_dir).map_err(|source| unwritable(out_dir, source))?;
        let index = out_dir.join("index.html");
        write(&index, &page)?;
        let charts = figures.par_iter().zip(&drawings).map(|(figure, [wide, _])| {
            let stem = out_dir.join(figure.file_stem());
            let (svg_path, png_path) = (stem.with_extension("svg"), stem.with_extension("png"));
            write(&svg_path, wide)?;
            write_png(figure.as_ref(), &png_path)?;
            Ok([svg_path, png_path])
        });
        let charts: Vec<_> = charts.collect::<Result<_, ReportError>>()?;
        let files = std::iter::once(index.clone()).chain(charts.into_iter().flatten()).collect();
        Ok(Written { index, files })
    }
}

/// Whether a claim has a test on which the records say something.
fn is_measured(claim: &Judged) -> bool {
    claim.tests.iter().flat_map(|test| &test.findings).any(|finding| finding.value.is_some())
}

/// Whether a claim has a test that is about an allocation study.
fn is_of_study(claim: &Judged) -> bool {
    claim.tests.iter().any(|test| test.study.is_some())
}

fn write(path: &Path, text: &str) -> Result<(), ReportError> {
    fs::write(path, text).map_err(|source| unwritable(path, source))
}

fn unwritable(path: &Path, source: io::Error) -> ReportError {
    ReportError::Unwritable { path: path.to_owned(), source }
}
