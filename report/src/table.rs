//! Tables: as text for a terminal, without colour, so the same text suits files and pipes; as
//! Markdown and CSV; and as sheets of cells that the page shows too.

use crate::format::{NOTHING, shorten};
use crate::stats::MIN_SAMPLES;
use crate::summary::{Row, Summary};
use comfy_table::{CellAlignment, ContentArrangement, Table, presets};

mod counts;
mod csv;
mod events;
pub(crate) mod markdown;
mod results;
mod study;
mod threads;

pub use self::csv::results_csv;
pub(crate) use counts::counts;
pub(crate) use events::{counters, pauses};
pub use markdown::{
    counts_markdown, pauses_markdown, results_markdown, threads_counts_markdown, threads_markdown,
};
pub(crate) use results::{overall, results};
pub(crate) use study::{figure, sheet as study_sheet, title as study_title};
pub use study::{study_csv, study_markdown, study_table};
pub(crate) use threads::{
    counts_sheet as threads_counts, sheet as threads_sheet, title as threads_title,
};
pub use threads::{threads_counts_table, threads_csv, threads_table};

/// Longest label that is not cut.
const LABEL_CHARS: usize = 48;

/// Blanks between columns.
const GAP: usize = 2;

/// Columns of words, which start at the left like labels.
const WORDS: [&str; 4] = ["language", "verdict", "source", "lists"];

/// Whether a column is one of words; a verdict may say what it is on.
pub(crate) fn of_words(title: &str) -> bool {
    WORDS.contains(&title) || title.ends_with(" verdict")
}

/// A table before it is laid out.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Sheet {
    /// Titles of the columns, the first being that of the labels.
    pub header: Vec<String>,
    /// The lines, each with the place of its configuration in [`Summary::groups`].
    pub lines: Vec<(usize, Vec<String>)>,
    /// Columns that a narrow terminal goes without, the most telling first.
    spare: Vec<String>,
    /// What is to be said below.
    pub notes: Vec<String>,
}

impl Sheet {
    fn new(header: &[&str], spare: &[&str]) -> Self {
        let owned = |titles: &[&str]| titles.iter().map(|&title| title.to_owned()).collect();
        Self { header: owned(header), lines: Vec::new(), spare: owned(spare), notes: Vec::new() }
    }

    /// Without the spare columns in which no line has a value.
    fn told(self) -> Self {
        let told = |column: usize, title: &String| {
            !self.spare.contains(title)
                || self.lines.iter().any(|(_, cells)| cells[column] != NOTHING)
        };
        let untold: Vec<String> = (self.header.iter().enumerate())
            .filter(|(column, title)| !told(*column, title))
            .map(|(_, title)| title.clone())
            .collect();
        let untold: Vec<&str> = untold.iter().map(String::as_str).collect();
        self.without(&untold)
    }

    /// Without the columns of these titles.
    fn without(mut self, titles: &[&str]) -> Self {
        let keep: Vec<bool> =
            self.header.iter().map(|title| !titles.contains(&title.as_str())).collect();
        let mut keeps = keep.iter();
        self.header.retain(|_| keeps.next() == Some(&true));
        for (_, cells) in &mut self.lines {
            let mut keeps = keep.iter();
            cells.retain(|_| keeps.next() == Some(&true));
        }
        self
    }

    /// As text of so many columns. Where that is too narrow, spare columns are left out, and a line
    /// says which; only then are lines wrapped within their cells.
    fn text(mut self, width_columns: u16) -> String {
        if self.lines.is_empty() {
            return "no measurements\n".to_owned();
        }
        for (_, cells) in &mut self.lines {
            cells[0] = shorten(&cells[0], LABEL_CHARS);
        }
        let (kept, left_out) = self.fitting(width_columns.into());
        let titles = kept.iter().map(|&column| self.header[column].as_str());
        let mut table = new_table(&titles.collect::<Vec<_>>(), width_columns);
        for (_, cells) in &self.lines {
            table.add_row(kept.iter().map(|&column| &cells[column]));
        }
        let mut text = table.trim_fmt();
        text.push('\n');
        if !left_out.is_empty() {
            let note = format!("left out, since lines are short: {}", left_out.join(", "));
            text.push_str(&wrapped(&note, width_columns.into()));
        }
        for note in &self.notes {
            text.push_str(note);
            text.push('\n');
        }
        text
    }

    /// The columns that fit, in order, and the titles of the others. A spare column that is too wide
    /// does not keep out narrower ones after it.
    fn fitting(&self, width_columns: usize) -> (Vec<usize>, Vec<&str>) {
        let width = |column: usize| {
            let cells = self.lines.iter().map(|(_, cells)| cells[column].chars().count());
            cells.max().unwrap_or(0).max(self.header[column].chars().count()) + GAP
        };
        let column = |title: &str| self.header.iter().position(|other| other == title);
        let spare: Vec<usize> = self.spare.iter().filter_map(|title| column(title)).collect();
        let mut kept: Vec<usize> =
            (0..self.header.len()).filter(|column| !spare.contains(column)).collect();
        // The last column needs no gap after it.
        let mut room = (width_columns + GAP) as i64;
        room -= kept.iter().map(|&column| width(column) as i64).sum::<i64>();
        let mut left_out = Vec::new();
        for column in spare {
            let needed = width(column) as i64;
            if needed <= room {
                room -= needed;
                kept.push(column);
            } else {
                left_out.push(self.header[column].as_str());
            }
        }
        kept.sort_unstable();
        (kept, left_out)
    }
}

fn new_table(header: &[&str], width_columns: u16) -> Table {
    let mut table = Table::new();
    table
        .load_style(presets::NOTHING)
        .set_content_arrangement(ContentArrangement::Dynamic)
        // The gap after the last column is trimmed off.
        .set_width(width_columns.saturating_add(GAP as u16))
        .set_header(header);
    for (i, column) in table.column_iter_mut().enumerate() {
        column.set_padding((0, GAP as u16));
        if i > 0 && !of_words(header[i]) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    table
}

/// A text in lines of so many columns, broken at blanks; longer words stay whole.
fn wrapped(text: &str, width_columns: usize) -> String {
    let mut lines = String::new();
    let mut columns = 0;
    for word in text.split(' ') {
        let width = word.chars().count();
        let (gap, fits) = (usize::from(columns > 0), columns + width < width_columns);
        lines.push_str(if gap == 0 {
            ""
        } else if fits {
            " "
        } else {
            "\n"
        });
        lines.push_str(word);
        columns = if fits { columns + gap + width } else { width };
    }
    lines.push('\n');
    lines
}

/// The main table: time, ratio, verdict, work and memory of each row, with the noise floor below it.
///
/// `width_columns` is the terminal's width. Where it is too small, columns are left out, and a line
/// says which; only then are lines wrapped within their cells.
pub fn results_table(summary: &Summary, width_columns: u16) -> String {
    results(summary).text(width_columns)
}

/// The work counts of each row: what a counted run is made for. For the width see [`results_table`].
pub fn counts_table(summary: &Summary, width_columns: u16) -> String {
    counts(ours(summary), |count| count.to_string()).text(width_columns)
}

/// Geometric means of the ratios over all n; `None` where there is only one n.
pub fn overall_table(summary: &Summary, width_columns: u16) -> Option<String> {
    Some(overall(summary)?.text(width_columns))
}

/// Instructions, mispredicted branches and cache misses of each row, from each source that was asked
/// for, and why there are none; `None` where no source was.
pub fn counters_table(summary: &Summary, width_columns: u16) -> Option<String> {
    let sheet = counters(summary.rows.iter())?;
    match sheet.lines.is_empty() {
        true => Some(sheet.notes.iter().map(|note| format!("{note}\n")).collect()),
        false => Some(sheet.text(width_columns)),
    }
}

/// How long the program stood still, and the minimum mutator utilisation; `None` where no sample
/// timed its pauses.
pub fn pauses_table(summary: &Summary, width_columns: u16) -> Option<String> {
    Some(pauses(summary.rows.iter())?.text(width_columns))
}

/// What brackets mean, where there are any.
fn range_note(has_range: bool) -> Option<String> {
    has_range.then(|| {
        format!("[brackets]: the range of fewer than {MIN_SAMPLES} rounds, too few for 95 %")
    })
}

/// The rows whose work is known: not those of peers.
fn ours(summary: &Summary) -> impl Iterator<Item = &Row> + Clone {
    summary.rows.iter().filter(|row| summary.group_of(row).peer.is_none())
}

/// What begins every line of a sheet with one line for each row.
fn name_and_n(row: &Row) -> Vec<String> {
    vec![row.label.clone(), row.n.to_string()]
}
