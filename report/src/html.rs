//! All of it on one self-contained page, with the charts beside it as files.

use crate::charts::{Figure, NARROW_PX, WIDE_PX, figures, svg, write_png};
use crate::explain::{Explanation, explain};
use crate::record::Record;
use crate::summary::{Summary, SummaryError};
use minijinja::syntax::SyntaxConfig;
use minijinja::{AutoEscape, Environment};
use rayon::prelude::*;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use thiserror::Error;

mod view;

const TEMPLATE: &str = include_str!("../templates/report.html");
const STYLE: &str = include_str!("../templates/report.css");

/// What was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    /// The page.
    pub index: PathBuf,
    /// Every file, the page first.
    pub files: Vec<PathBuf>,
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
    /// The page's template failed, a defect of this crate.
    #[error("the page's template failed: {0}")]
    Template(#[from] minijinja::Error),
}

/// Writes `index.html`, and each chart as SVG and PNG, into a folder that is made if need be.
///
/// The page depends on the records and the baseline alone, not on the time or the machine it is made
/// on. For the baseline, see [`Summary::new`].
///
/// # Errors
///
/// [`ReportError`]: an unknown baseline, or a file that cannot be written.
pub fn write_report(
    records: &[Record],
    baseline: Option<&str>,
    out_dir: impl AsRef<Path>,
) -> Result<Written, ReportError> {
    let out_dir = out_dir.as_ref();
    let summary = Summary::new(records, baseline)?;
    let explained: Vec<Explanation> = explain(records, &[]).into_iter().flatten().collect();
    let figures = figures(&summary, &explained);
    let drawings = figures
        .par_iter()
        .map(|figure| Ok([svg(figure.as_ref(), WIDE_PX)?, svg(figure.as_ref(), NARROW_PX)?]));
    let drawings: Vec<[String; 2]> = drawings.collect::<Result<_, ReportError>>()?;
    let page = page(records, &summary, &figures, &drawings)?;

    fs::create_dir_all(out_dir).map_err(|source| unwritable(out_dir, source))?;
    let index = out_dir.join("index.html");
    write(&index, &page)?;
    let charts = figures.par_iter().zip(&drawings).map(|(figure, drawing)| {
        let stem = out_dir.join(figure.file_stem());
        let (svg_path, png_path) = (stem.with_extension("svg"), stem.with_extension("png"));
        write(&svg_path, &drawing[0])?;
        write_png(figure.as_ref(), &png_path)?;
        Ok([svg_path, png_path])
    });
    let charts: Vec<_> = charts.collect::<Result<_, ReportError>>()?;
    let files = std::iter::once(index.clone()).chain(charts.into_iter().flatten()).collect();
    Ok(Written { index, files })
}

fn page(
    records: &[Record],
    summary: &Summary,
    figures: &[Box<dyn Figure + '_>],
    drawings: &[[String; 2]],
) -> Result<String, minijinja::Error> {
    let mut environment = Environment::new();
    // By name is the default; said outright, because names in records may be hostile.
    environment.set_auto_escape_callback(|_| AutoEscape::Html);
    let mut syntax = SyntaxConfig::builder();
    environment.set_syntax(syntax.trim_blocks(true).lstrip_blocks(true).build()?);
    environment.add_template("report.html", TEMPLATE)?;
    let page = environment.get_template("report.html")?;
    page.render(view::page(records, summary, figures, drawings, STYLE))
}

fn write(path: &Path, text: &str) -> Result<(), ReportError> {
    fs::write(path, text).map_err(|source| unwritable(path, source))
}

fn unwritable(path: &Path, source: io::Error) -> ReportError {
    ReportError::Unwritable { path: path.to_owned(), source }
}
