//! Every ratio that a reader may switch to, worked out beforehand: the page's script does no sums.

use super::numbers::{in_order, rounded};
use crate::format::with_interval;
use crate::summary::{NoiseFloor, Row, Summary};
use crate::verdict::Verdict;
use minijinja::{Value, context};
use rayon::prelude::*;
use serde::Serialize;

/// The ratios of every row to every one that may be the baseline.
#[derive(Serialize)]
struct Ratios<'a> {
    /// The configurations; all else names them by their places here.
    labels: Vec<&'a str>,
    /// For each, the first that has the same configuration: another only where there are several
    /// programs or machines, whose baselines change together.
    config_of: Vec<usize>,
    /// The n of the chart of ratios.
    charted_n: Option<u32>,
    blocks: Vec<Block>,
}

/// The rows that may be compared with each other.
#[derive(Serialize)]
struct Block {
    n: u32,
    pairs: Vec<Pair>,
}

/// Side, baseline, the ratio of their times, the low and the high end of its interval, all three as
/// text, and the verdict in words.
#[derive(Serialize)]
struct Pair(usize, usize, f64, f64, f64, String, String);

/// As JSON that may stand in an element `script`: no name in it can end that.
pub(super) fn json(summary: &Summary) -> String {
    let groups = &summary.groups;
    let first = |config: &str| groups.iter().position(|group| group.config == config);
    let blocks = summary.rows.chunk_by(|a, b| block(summary, a) == block(summary, b));
    let ratios = Ratios {
        labels: groups.iter().map(|group| group.label.as_str()).collect(),
        config_of: groups.iter().map(|group| first(&group.config).unwrap_or(0)).collect(),
        charted_n: summary.largest_studied_n(),
        blocks: blocks.map(|rows| Block { n: rows[0].n, pairs: pairs(summary, rows) }).collect(),
    };
    serde_json::to_string(&ratios).unwrap_or_default().replace('<', "\\u003c")
}

fn block(summary: &Summary, row: &Row) -> (u32, usize) {
    (row.n, summary.group_of(row).origin)
}

fn pairs(summary: &Summary, rows: &[Row]) -> Vec<Pair> {
    let bases: Vec<&Row> = rows.iter().filter(|row| may_be_baseline(summary, row)).collect();
    let of = |side: &Row| -> Vec<Pair> {
        let others = bases.iter().filter(|base| base.group != side.group);
        others.filter_map(|base| pair(summary, side, base)).collect()
    };
    rows.par_iter().flat_map_iter(of).collect()
}

/// Points of sweeps are not offered, there would be too many; they are compared with the others.
fn may_be_baseline(summary: &Summary, row: &Row) -> bool {
    row.time_ns.is_some() && !summary.group_of(row).swept || summary.is_baseline(row)
}

fn pair(summary: &Summary, side: &Row, base: &Row) -> Option<Pair> {
    let ratio = summary.ratio(side, base)?;
    let verdict = Verdict::new(&ratio, summary.noise_of(side).map(NoiseFloor::fraction));
    let [value, low, high] = [ratio.value, ratio.low, ratio.high].map(rounded);
    let text = with_interval(&ratio, 1.0);
    Some(Pair(side.group, base.group, value, low, high, text, verdict.words()))
}

/// The baselines that are offered: the configurations of the largest studied n, and whatever is the
/// baseline to begin with.
pub(super) fn choices(summary: &Summary) -> Vec<Value> {
    let largest = summary.largest_studied_n();
    let is_first = |row: &Row| summary.group_of(row).label == first_label(summary);
    let mut offered: Vec<&Row> = Vec::new();
    for row in in_order(summary).filter(|row| may_be_baseline(summary, row)) {
        let known = offered.iter().any(|other| other.group == row.group);
        if !known && (Some(row.n) == largest || is_first(row)) {
            offered.push(row);
        }
    }
    let view = |row: &&Row| context! { label => &row.label, chosen => is_first(row) };
    offered.iter().map(view).collect()
}

/// The label of the baseline to begin with; of several machines that of the first.
pub(super) fn first_label(summary: &Summary) -> &str {
    let is_baseline = |row: &&Row| summary.is_baseline(row);
    in_order(summary).find(is_baseline).map_or("", |row| &row.label)
}
