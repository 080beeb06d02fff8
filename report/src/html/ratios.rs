//! Every ratio that a reader may switch to, worked out beforehand: the page's script does no sums.

use super::numbers::{in_order, rounded};
use crate::format::with_interval;
use crate::summary::{Row, Summary};
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
        charted_n: summary.studied_n(),
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

/// Points of sweeps are not offered, there would be too many; they are compared with the others. Nor are
/// peers, but for the one that others are held against.
fn may_be_baseline(summary: &Summary, row: &Row) -> bool {
    let group = summary.group_of(row);
    row.time_ns.is_some() && (group.studied || group.is_reference()) || summary.is_baseline(row)
}

fn pair(summary: &Summary, side: &Row, base: &Row) -> Option<Pair> {
    let ratio = summary.ratio(side, base)?;
    let verdict = Verdict::new(&ratio, summary.floor_between(side, base));
    let [value, low, high] = [ratio.value, ratio.low, ratio.high].map(rounded);
    let text = with_interval(&ratio, 1.0);
    Some(Pair(side.group, base.group, value, low, high, text, verdict.words()))
}

/// The baselines that are offered: the configurations of the largest studied n, and whatever is the
/// baseline to begin with.
pub(super) fn choices(summary: &Summary) -> Vec<Value> {
    let largest = summary.studied_n();
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{Machine, Record};
    use serde_json::Value as Json;

    /// Two backends on two machines, at two sizes, with a sweep's point of one run beside them.
    fn records() -> Vec<Record> {
        let mut records = Vec::new();
        for round in 0..8 {
            for (backend, ns) in [("gc", 1_000), ("<b", 2_500)] {
                for (cores, n) in [(2, 8), (2, 9), (4, 9)] {
                    records.push(Record {
                        backend: backend.into(),
                        n,
                        round,
                        iterations_ns: vec![(ns + u64::from(round * 7 % 5)) * u64::from(n)],
                        machine: Machine { cores, ..Machine::default() },
                        ..Record::new()
                    });
                }
            }
        }
        records
    }

    #[test]
    fn every_pair_is_there_both_ways() {
        let summary = Summary::new(&records(), None).unwrap();
        let text = json(&summary);
        assert!(!text.contains('<'), "{text}");
        let ratios: Json = serde_json::from_str(&text).unwrap();
        let labels: Vec<&str> =
            ratios["labels"].as_array().unwrap().iter().map(|l| l.as_str().unwrap()).collect();
        assert_eq!(
            labels,
            ["gc [machine 1]", "<b [machine 1]", "gc [machine 2]", "<b [machine 2]"]
        );
        assert_eq!(ratios["config_of"], serde_json::json!([0, 1, 0, 1]));
        assert_eq!(ratios["charted_n"], 9);
        let blocks = ratios["blocks"].as_array().unwrap();
        assert_eq!(blocks.iter().map(|b| b["n"].as_u64().unwrap()).collect::<Vec<_>>(), [8, 9, 9]);
        for block in blocks {
            let pairs = block["pairs"].as_array().unwrap();
            assert_eq!(pairs.len(), 2);
            let value = |i: usize| pairs[i][2].as_f64().unwrap();
            assert!((value(0) * value(1) - 1.0).abs() < 1e-8);
            for pair in pairs {
                let [side, base] = [0, 1].map(|i| labels[pair[i].as_u64().unwrap() as usize]);
                assert_ne!(side, base);
                let slow = side.starts_with("<b");
                assert_eq!(pair[2].as_f64().unwrap() > 2.4, slow, "{pair}");
                let word = if slow { "times slower (95 %)" } else { "times faster (95 %)" };
                assert!(pair[6].as_str().unwrap().contains(word), "{pair}");
            }
        }
    }

    #[test]
    fn the_rows_ratio_is_the_first_choice() {
        let summary = Summary::new(&records(), Some("<b")).unwrap();
        assert_eq!(first_label(&summary), "<b [machine 1]");
        assert!(choices(&summary)[1].get_attr("chosen").unwrap().is_true());
        let row = &summary.rows[0];
        let base = summary.rows.iter().find(|other| summary.is_baseline(other)).unwrap();
        let Pair(_, _, value, _, _, text, words) = pair(&summary, row, base).unwrap();
        assert_eq!(value, rounded(row.ratio.unwrap().value));
        assert_eq!(text, with_interval(&row.ratio.unwrap(), 1.0));
        assert_eq!(words, summary.verdict(row).unwrap().words());
    }
}
