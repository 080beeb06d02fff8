//! A page for a terminal: no colour, so the same text suits files and pipes.

use super::pages::Block;
use comfy_table::{CellAlignment, ColumnConstraint, ContentArrangement, Table, presets};

/// Most columns of a line of sentences: longer ones are hard to read.
const TEXT_COLUMNS: u16 = 100;

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

fn table(header: &[String], rows: &[Vec<String>], words: usize, width_columns: u16) -> String {
    let mut table = plain(width_columns);
    table.set_header(header).add_rows(rows);
    for (i, column) in table.column_iter_mut().enumerate() {
        column.set_padding((0, 2));
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
