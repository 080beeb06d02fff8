//! A page for a terminal: no colour, so the same text suits files and pipes.

use super::pages::Block;
use comfy_table::{CellAlignment, ColumnConstraint, ContentArrangement, Table, presets};
use std::iter;

/// Most columns of a line of sentences: longer ones are hard to read.
const TEXT_COLUMNS: u16 = 100;

/// Fewest columns of a column of sentences: narrower ones break words.
const LEAST_COLUMNS: usize = 16;

/// Columns between two columns of a table.
const PADDING: usize = 2;

/// What stands before a sentence below its row.
const INDENT: &str = "    ";

/// The page as text. `width_columns` is the terminal's width; cells of words are wrapped to fit.
pub fn text(blocks: &[Block], width_columns: u16) -> String {
    let mut text = String::new();
    for block in blocks {
        let part = match block {
            Block::Title(words) => wrapped(words, width_columns),
            Block::Heading(words) => format!("\n{}", wrapped(words, width_columns)),
            Block::Text(words) => wrapped(words, width_columns),
            Block::Table { header, rows, words } => table(header, rows, *words, width_columns),
        };
        text.push_str(&part);
        text.push('\n');
    }
    text
}

/// Sentences in lines.
fn wrapped(words: &str, width_columns: u16) -> String {
    let mut table = plain(width_columns.min(TEXT_COLUMNS));
    table.add_row([words]);
    unpadded(&mut table);
    table.trim_fmt()
}

/// A table; its sentences are a column, or where that would be too narrow, lines below their rows.
fn table(header: &[String], rows: &[Vec<String>], words: usize, width_columns: u16) -> String {
    if words < 2 || sentence_columns(header, rows, width_columns) >= LEAST_COLUMNS {
        return grid(header, rows, words, width_columns);
    }
    let others = |row: &[String]| [&row[..1], &row[2..]].concat();
    let others_of_rows: Vec<Vec<String>> = rows.iter().map(|row| others(row)).collect();
    let grid = grid(&others(header), &others_of_rows, words - 1, width_columns);
    let sentences = iter::once(&header[1]).chain(rows.iter().map(|row| &row[1]));
    let lines = grid.lines().zip(sentences).flat_map(|(line, sentence)| {
        let below = wrapped(sentence, width_columns.saturating_sub(INDENT.len() as u16));
        let below: Vec<String> = below.lines().map(|line| format!("{INDENT}{line}")).collect();
        iter::once(line.to_owned()).chain(below)
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// Columns that are left for the sentences beside all other cells, or as many as they need.
fn sentence_columns(header: &[String], rows: &[Vec<String>], width_columns: u16) -> usize {
    let widest = |i: usize| {
        let cells = iter::once(&header[i]).chain(rows.iter().map(|row| &row[i]));
        cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let others: usize = (0..header.len()).filter(|&i| i != 1).map(|i| widest(i) + PADDING).sum();
    let left = usize::from(width_columns).saturating_sub(others + PADDING);
    if widest(1) <= left { usize::MAX } else { left }
}

fn grid(header: &[String], rows: &[Vec<String>], words: usize, width_columns: u16) -> String {
    let mut table = plain(width_columns);
    table.set_header(header).add_rows(rows);
    for (i, column) in table.column_iter_mut().enumerate() {
        column.set_padding((0, PADDING as u16));
        // Only the second column has sentences; a name or a number is never broken.
        if i != 1 || words < 2 {
            column.set_constraint(ColumnConstraint::ContentWidth);
        }
        // The verdict, a word at the end of numbers, reads better with its column flush left.
        if i >= words && header[i] != "verdict" {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    table.trim_fmt()
}

fn plain(width_columns: u16) -> Table {
    let mut table = Table::new();
    table
        .load_style(presets::NOTHING)
        .set_content_arrangement(ContentArrangement::Dynamic)
        .set_width(width_columns);
    table
}

fn unpadded(table: &mut Table) {
    table.column_iter_mut().for_each(|column| {
        column.set_padding((0, 0));
    });
}
