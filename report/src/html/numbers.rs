//! The main table: each row with the raw numbers that the script sorts by.

use super::view::chip;
use crate::format::{exact_count, human_bytes, human_time, or_nothing, significant, with_interval};
use crate::record::Status;
use crate::summary::{Group, Row, Summary};
use crate::verdict::percent;
use minijinja::{Value, context};
use std::cmp::Reverse;
use std::collections::BTreeSet;

/// Name, title, and whether a column holds words: those that can be sorted.
const COLUMNS: [(&str, &str, bool); 15] = [
    ("backend", "backend", true),
    ("n", "n", false),
    ("time", "median time", false),
    ("interval", "95 % interval", false),
    ("ratio", "ratio", false),
    ("verdict", "verdict", true),
    ("ns-per-cell", "ns per cell", false),
    ("instructions-per-cell", "instr. per cell", false),
    ("heap-peak", "heap peak", false),
    ("rss-peak", "RSS peak", false),
    ("space-overhead", "space overhead", false),
    ("collections", "collec\u{AD}tions", false),
    ("pause-max", "longest pause", false),
    ("spread", "spread", false),
    ("samples", "samples", false),
];

/// The table and what its controls offer.
pub(super) fn view(summary: &Summary) -> Value {
    let sizes: BTreeSet<Reverse<u32>> = summary.rows.iter().map(|row| Reverse(row.n)).collect();
    let families: BTreeSet<String> =
        summary.groups.iter().map(|group| group.family.clone()).collect();
    context! {
        columns => COLUMNS.map(|(id, title, words)| context! { id, title, words }),
        rows => in_order(summary).map(|row| row_view(summary, row)).collect::<Vec<_>>(),
        sizes => sizes.into_iter().map(|Reverse(n)| n).collect::<Vec<_>>(),
        families => families.into_iter().filter(|name| !name.is_empty()).collect::<Vec<_>>(),
        swept => summary.groups.iter().any(|group| group.swept),
    }
}

/// The rows, those of the charts' n first, then the largest n; points of sweeps after what was studied.
pub(super) fn in_order(summary: &Summary) -> impl Iterator<Item = &Row> + Clone {
    let mut rows: Vec<&Row> = summary.rows.iter().collect();
    let told = summary.studied_n();
    rows.sort_by_key(|row| (Some(row.n) != told, Reverse(row.n), summary.group_of(row).swept));
    rows.into_iter()
}

/// A number of ten digits, which is more than any of these is known to, so that pages stay small.
pub(super) fn rounded(value: f64) -> f64 {
    format!("{value:.9e}").parse().unwrap_or(value)
}

/// One cell: the number that it is sorted by, and its text.
struct Cell {
    value: Option<f64>,
    text: String,
}

impl Cell {
    fn new<T: Copy>(value: Option<T>, number: fn(T) -> f64, text: impl Fn(T) -> String) -> Self {
        Self { value: value.map(number), text: or_nothing(value, text) }
    }

    fn number(value: Option<f64>, text: impl Fn(f64) -> String) -> Self {
        Self::new(value, |number| number, text)
    }

    fn count(value: Option<u64>, text: impl Fn(u64) -> String) -> Self {
        Self::new(value, |count| count as f64, text)
    }
}

fn row_view(summary: &Summary, row: &Row) -> Value {
    let group = summary.group_of(row);
    // After the first two columns, in their order.
    let cells = cells(summary, row);
    let view = |((column, _, words), cell): (&(&str, &str, bool), Cell)| {
        context! {
            column => *column,
            words => *words,
            value => or_empty(cell.value),
            alarm => *column == "time" && row.status != Status::Ok,
            text => cell.text,
        }
    };
    context! {
        label => &row.label,
        chip => chip(&group.backend),
        backend => &group.backend,
        family => &group.family,
        problem_specific => group.capabilities.problem_specific,
        language => group.language(),
        swept => group.swept,
        n => row.n,
        cells => COLUMNS[2..].iter().zip(cells).map(view).collect::<Vec<_>>(),
        params => params(group),
    }
}

/// Every parameter with its value.
pub(super) fn params(group: &Group) -> Vec<String> {
    group.params.iter().map(|(name, value)| format!("{name} = {value}")).collect()
}

fn cells(summary: &Summary, row: &Row) -> [Cell; COLUMNS.len() - 2] {
    let time = row.time_ns;
    let interval = time.and_then(|time| time.interval());
    let ratio = row.ratio.filter(|_| !summary.is_baseline(row));
    let pauses = row.pauses.as_ref().filter(|pauses| pauses.count > 0);
    let instructions = row.events.iter().find_map(|events| events.instructions_per_cell);
    let ends = |(low, high)| match time.is_some_and(|time| time.confident()) {
        true => format!("{} to {}", human_time(low), human_time(high)),
        false => format!("[{} to {}]", human_time(low), human_time(high)),
    };
    [
        match row.status {
            Status::Ok => Cell::number(time.map(|time| time.value), human_time),
            failed => Cell { value: None, text: failed.words().to_owned() },
        },
        Cell::new(interval, |(low, _)| low, ends),
        match summary.is_baseline(row) {
            true => Cell { value: Some(1.0), text: "1 (baseline)".to_owned() },
            false => Cell::new(ratio, |ratio| ratio.value, |ratio| with_interval(&ratio, 1.0)),
        },
        Cell {
            value: ratio.map(|ratio| ratio.value),
            text: or_nothing(summary.verdict(row), |verdict| verdict.words()),
        },
        Cell::number(row.ns_per_cell, significant),
        Cell::number(instructions, significant),
        Cell::count(row.heap_peak_bytes, human_bytes),
        Cell::count(row.rss_peak_bytes, human_bytes),
        Cell::number(summary.space_overhead(row), significant),
        Cell::count(row.collections, exact_count),
        Cell::count(pauses.map(|pauses| pauses.max_ns), |ns| human_time(ns as f64)),
        Cell::number(row.spread, percent),
        Cell::count(Some(row.samples_ns.len() as u64), |count| match row.outliers {
            0 => count.to_string(),
            1 => format!("{count} (1 outlier)"),
            many => format!("{count} ({many} outliers)"),
        }),
    ]
}

fn or_empty(value: Option<f64>) -> String {
    let finite = value.filter(|value| value.is_finite());
    finite.map_or_else(String::new, |value| rounded(value).to_string())
}
