//! Tables as Markdown, for issue trackers and documents.

use super::results::{Cells, notes};
use super::{Sheet, counts, of_words, ours, pauses, threads_counts, threads_sheet, threads_title};
use crate::format::{NOTHING, human_bytes, human_count, or_nothing, shorten, significant};
use crate::summary::{Row, Summary};
use crate::threads::Block;
use std::collections::BTreeSet;

/// Longest name that is not cut: a document has more room than a terminal.
const NAME_CHARS: usize = 160;

/// The main table as Markdown, and below it what is to be said of it, as a list.
pub fn results_markdown(summary: &Summary) -> String {
    if summary.rows.is_empty() {
        return "no measurements\n".to_owned();
    }
    let mut notes = notes(summary);
    if summary.rows.iter().any(|row| row.time_ns.is_some_and(|time| time.confident())) {
        notes.insert(0, "(parentheses): 95 % intervals of the medians".to_owned());
    }
    rows_markdown(summary, &summary.rows.iter().collect::<Vec<_>>()) + &list(&notes)
}

/// The work counts of each row as Markdown.
pub fn counts_markdown(summary: &Summary) -> String {
    sheet_markdown(&counts(ours(summary), |count| count.to_string()))
}

/// Columns that a document has no room for: how samples scatter is in their intervals too.
const NOISY: [&str; 2] = ["spread", "outliers"];

/// The tables of all modes as Markdown, see [`threads_table`](super::threads_table); nothing of no blocks.
pub fn threads_markdown(blocks: &[Block]) -> String {
    blocks
        .iter()
        .map(|block| of_threads(block, &threads_sheet(block).without(&NOISY)))
        .collect::<Vec<_>>()
        .join("\n")
}

/// The work counts of all modes as Markdown.
pub fn threads_counts_markdown(blocks: &[Block]) -> String {
    blocks
        .iter()
        .map(|block| of_threads(block, &threads_counts(block)))
        .collect::<Vec<_>>()
        .join("\n")
}

fn of_threads(block: &Block, sheet: &Sheet) -> String {
    let (title, about) = (escaped(&threads_title(block)), escaped(&block.about()));
    format!("**{title}**: {about}.\n\n{}", sheet_markdown(sheet))
}

/// How long the program stood still, as Markdown; `None` where no sample timed its pauses.
pub fn pauses_markdown(summary: &Summary) -> Option<String> {
    Some(sheet_markdown(&pauses(summary.rows.iter())?))
}

/// Some rows of the main table. Columns in which no row has a value are left out, and n where all
/// rows have the same, which the title then tells.
pub(crate) fn rows_markdown(summary: &Summary, rows: &[&Row]) -> String {
    let cells = Cells::new(summary);
    let sizes: BTreeSet<u32> = rows.iter().map(|row| row.n).collect();
    let at = match sizes.first() {
        Some(n) if sizes.len() == 1 => format!(" at n = {n}"),
        _ => String::new(),
    };
    let (over, baseline) = ("time relative to", summary.baseline.as_deref());
    let columns: Vec<Column> = vec![
        Column::words("memory manager", Box::new(|row| name(summary, row))),
        Column::of("language", |row| {
            or_nothing(summary.group_of(row).language(), |name| escaped(&shorten(name, NAME_CHARS)))
        })
        .of_words(),
        Column::of("n", |row| match sizes.len() {
            1 => NOTHING.to_owned(),
            _ => row.n.to_string(),
        }),
        Column::kept(format!("time of one search{at}"), |row| cells.time(row)),
        Column::of("per cell", |row| {
            or_nothing(row.ns_per_cell, |ns| format!("{} ns", significant(ns)))
        }),
        Column::of("collections", |row| or_nothing(row.collections, human_count)),
        Column::of("heap peak", |row| or_nothing(row.heap_peak_bytes, human_bytes)),
        Column::of("space overhead", |row| cells.space(row)),
        Column::of("longest pause", |row| cells.max_pause(row)),
        Column::kept(
            baseline
                .map_or_else(|| over.to_owned(), |baseline| format!("{over} {}", code(baseline))),
            |row| cells.ratio(row),
        ),
        Column::words("verdict", Box::new(|row| cells.verdict(row))),
    ];
    let told =
        |column: &Column| column.kept || rows.iter().any(|row| (column.cell)(row) != NOTHING);
    let columns: Vec<Column> = columns.into_iter().filter(told).collect();
    let titles = columns.iter().map(|column| (column.title.clone(), column.words));
    let lines = rows.iter().map(|row| columns.iter().map(|column| (column.cell)(row)).collect());
    table(titles, lines)
}

/// A column of the main table; its cells are Markdown already.
struct Column<'a> {
    title: String,
    words: bool,
    /// Whether it stays where no row has a value.
    kept: bool,
    cell: Box<dyn Fn(&Row) -> String + 'a>,
}

impl<'a> Column<'a> {
    fn words(title: &str, cell: Box<dyn Fn(&Row) -> String + 'a>) -> Self {
        Self { title: title.to_owned(), words: true, kept: true, cell }
    }

    fn kept(title: String, cell: impl Fn(&Row) -> String + 'a) -> Self {
        Self { title, words: false, kept: true, cell: Box::new(cell) }
    }

    /// The same, its cells being words.
    fn of_words(self) -> Self {
        Self { words: true, ..self }
    }

    fn of(title: &str, cell: impl Fn(&Row) -> String + 'a) -> Self {
        Self { kept: false, ..Self::kept(title.to_owned(), cell) }
    }
}

/// The row's name, and whether it serves only programs of one shape.
fn name(summary: &Summary, row: &Row) -> String {
    let name = code(&shorten(&row.label, NAME_CHARS));
    match summary.group_of(row).capabilities.problem_specific {
        true => format!("{name} (problem-specific)"),
        false => name,
    }
}

/// Any sheet.
pub(super) fn sheet_markdown(sheet: &Sheet) -> String {
    if sheet.lines.is_empty() {
        return "no measurements\n".to_owned();
    }
    let titles = sheet.header.iter().enumerate();
    let titles = titles.map(|(i, title)| (escaped(title), i == 0 || of_words(title)));
    let lines = sheet.lines.iter().map(|(_, cells)| {
        let label = code(&shorten(&cells[0], NAME_CHARS));
        let others = cells[1..].iter().map(|cell| escaped(cell));
        std::iter::once(label).chain(others).collect()
    });
    table(titles, lines) + &list(&sheet.notes)
}

/// A table in the form that GitHub reads, of texts that are Markdown; titles of columns of words
/// are marked, and these start at the left.
fn table(
    titles: impl Iterator<Item = (String, bool)> + Clone,
    lines: impl Iterator<Item = Vec<String>>,
) -> String {
    let rule = titles.clone().map(|(_, words)| if words { "---" } else { "--:" });
    let rule = format!("|{}|\n", rule.collect::<Vec<_>>().join("|"));
    let line = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
    let head = line(titles.map(|(title, _)| title).collect()) + &rule;
    lines.map(line).fold(head, |text, line| text + &line)
}

/// An empty line and a list; nothing where there is nothing to say.
fn list(notes: &[String]) -> String {
    let items: Vec<String> = notes.iter().map(|note| format!("- {}\n", escaped(note))).collect();
    if items.is_empty() { String::new() } else { format!("\n{}", items.concat()) }
}

/// A name from a record as code, within a line or a cell. What would end the code or the cell is
/// written by its number, which no reader of Markdown takes for markup.
pub(crate) fn code(name: &str) -> String {
    let marks = |c: char| matches!(c, '`' | '|' | '\\');
    if name.is_empty() {
        NOTHING.to_owned()
    } else if name.contains(marks) || name.trim() != name {
        let one = |c: char| match c {
            ' ' | '!'..='/' | ':'..='@' | '['..='`' | '{'..='~' => format!("&#{};", c as u32),
            c => c.to_string(),
        };
        format!("<code>{}</code>", name.chars().map(one).collect::<String>())
    } else {
        format!("`{name}`")
    }
}

/// A text without meaning to Markdown, within a line or a cell.
pub(crate) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if matches!(
            c,
            '\\' | '|'
                | '*'
                | '_'
                | '`'
                | '<'
                | '>'
                | '['
                | ']'
                | '#'
                | '&'
                | '~'
                | '$'
                | '!'
                | '@'
        ) {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

/// A text as a paragraph: neither does its start make a list, a heading or code of it.
pub(crate) fn paragraph(text: &str) -> String {
    let text = text.trim();
    let digits = text.trim_start_matches(|c: char| c.is_ascii_digit());
    let listed = digits.len() < text.len() && digits.starts_with(['.', ')']);
    match text.starts_with(['-', '+', '=']) {
        true => format!("\\{}", escaped(text)),
        false if listed => {
            let number = &text[..text.len() - digits.len()];
            format!("{number}\\{}", escaped(digits))
        }
        false => escaped(text),
    }
}

#[cfg(test)]
mod tests;
