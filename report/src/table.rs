//! Rows as text for a terminal: no colour, so the same text suits files and pipes.

use crate::format::{
    human_bytes, human_count, millis, or_nothing, shorten, significant, with_interval,
};
use crate::record::Status;
use crate::summary::{Row, Summary};
use comfy_table::{CellAlignment, ContentArrangement, Table, presets};

/// Longest label that is not cut.
const LABEL_CHARS: usize = 32;

/// Columns of the main table that a narrow terminal goes without, the first to go first.
const SPARE_RESULTS: [&str; 5] = ["cells", "RSS peak", "GCs", "solutions", "ns/cell"];

/// Columns of the work counts that a narrow terminal goes without.
const SPARE_COUNTS: [&str; 3] = ["live at exit", "copied", "GCs"];

/// The main table: time, ratio, work and memory of each row, with the noise floor below it.
///
/// `width_columns` is the terminal's width. Where it is too small, columns are left out, and a line
/// says which; only then are lines wrapped within their cells.
pub fn results_table(summary: &Summary, width_columns: u16) -> String {
    let baseline = summary.baseline.as_deref().unwrap_or("baseline");
    let ratio_title = format!("time/{}", shorten(baseline, 12));
    let header = [
        "backend",
        "n",
        "solutions",
        "median ms",
        "ns/cell",
        "cells",
        "GCs",
        "heap peak",
        "RSS peak",
        &ratio_title,
    ];
    let mut rows = Vec::new();
    for row in &summary.rows {
        let time = match row.status {
            Status::Ok => or_nothing(row.time_ns, |time| millis_interval(&time)),
            failed => failed.words().to_owned(),
        };
        let ratio = match summary.is_baseline(row) {
            true => "1".to_owned(),
            false => or_nothing(row.ratio, |ratio| with_interval(&ratio, 1.0)),
        };
        rows.push(vec![
            shorten(&row.label, LABEL_CHARS),
            row.n.to_string(),
            or_nothing(row.solutions, |count| count.to_string()),
            time,
            or_nothing(row.ns_per_cell, significant),
            or_nothing(row.cells_allocated, human_count),
            or_nothing(row.collections, human_count),
            or_nothing(row.heap_peak_bytes, human_bytes),
            or_nothing(row.rss_peak_bytes, human_bytes),
            ratio,
        ]);
    }
    let mut text = fitted(&header, &rows, &SPARE_RESULTS, width_columns);
    for row in summary.rows.iter().filter(|row| row.status != Status::Ok) {
        if let Some(message) = &row.message {
            text.push_str(&format!("{}, n = {}: {message}\n", row.label, row.n));
        }
    }
    for noise in &summary.noise {
        text.push_str(&noise.sentence());
        text.push('\n');
    }
    text
}

/// The work counts of each row: what a counted run is made for.
///
/// `width_columns` is the terminal's width. Where it is too small, columns are left out, and a line
/// says which; only then are lines wrapped within their cells.
pub fn counts_table(summary: &Summary, width_columns: u16) -> String {
    let header = [
        "backend",
        "n",
        "solutions",
        "allocated",
        "filtered",
        "length",
        "increments",
        "decrements",
        "GCs",
        "copied",
        "live at exit",
    ];
    let mut rows = Vec::new();
    for row in &summary.rows {
        let counts = |row: &Row| {
            [
                row.cells_allocated,
                row.cells_filtered,
                row.cells_length,
                row.rc_increments,
                row.rc_decrements,
                row.collections,
            ]
        };
        let solutions = match row.status {
            Status::Ok => or_nothing(row.solutions, |count| count.to_string()),
            failed => failed.words().to_owned(),
        };
        let mut cells = vec![shorten(&row.label, LABEL_CHARS), row.n.to_string(), solutions];
        // Exact, because counts are compared digit by digit with the expected ones.
        cells.extend(counts(row).map(|count| or_nothing(count, |count| count.to_string())));
        cells.push(or_nothing(row.bytes_copied, human_bytes));
        cells.push(or_nothing(row.live_cells_at_exit, |count| count.to_string()));
        rows.push(cells);
    }
    fitted(&header, &rows, &SPARE_COUNTS, width_columns)
}

fn millis_interval(time: &crate::stats::Estimate) -> String {
    match time.interval() {
        Some(_) => with_interval(time, 1e6),
        None => millis(time.value),
    }
}

fn new_table(header: &[&str], width_columns: u16) -> Table {
    let mut table = Table::new();
    table
        .load_style(presets::NOTHING)
        .set_content_arrangement(ContentArrangement::Dynamic)
        .set_width(width_columns)
        .set_header(header);
    for (i, column) in table.column_iter_mut().enumerate() {
        column.set_padding((0, 2));
        if i > 0 {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    table
}

/// The rows without the spare columns that do not fit.
fn fitted(header: &[&str], rows: &[Vec<String>], spare: &[&str], width_columns: u16) -> String {
    if rows.is_empty() {
        return "no measurements\n".to_owned();
    }
    let width = |column: usize| {
        let cells = rows.iter().map(|row| row[column].chars().count());
        cells.max().unwrap_or(0).max(header[column].chars().count()) + 2
    };
    let mut kept: Vec<usize> = (0..header.len()).collect();
    let mut left_out = Vec::new();
    for name in spare {
        // The last column needs no gap after it.
        if kept.iter().map(|&column| width(column)).sum::<usize>() - 2 <= width_columns.into() {
            break;
        }
        kept.retain(|&column| header[column] != *name);
        left_out.push(*name);
    }
    let titles: Vec<&str> = kept.iter().map(|&column| header[column]).collect();
    let mut table = new_table(&titles, width_columns);
    for row in rows {
        table.add_row(kept.iter().map(|&column| &row[column]));
    }
    let mut text = table.trim_fmt();
    text.push('\n');
    if !left_out.is_empty() {
        text.push_str(&format!("left out, since lines are short: {}\n", left_out.join(", ")));
    }
    text
}
