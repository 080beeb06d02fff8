//! An explanation as headings, tables and sentences, for whatever shows them.

use super::Explanation;
use super::bound::Bound;
use super::ladder::{Beside, Ladder, Step};
use super::operations::Operation;
use crate::format::{NOTHING, exact_count, or_nothing, significant};
use crate::stats::{Estimate, MIN_SAMPLES};
use std::collections::BTreeMap;

/// A piece of a page.
#[derive(Clone, Debug, PartialEq)]
pub enum Block {
    /// What the page is about.
    Title(String),
    /// What the pieces up to the next heading are about.
    Heading(String),
    /// A table; all columns but the first `words` hold numbers.
    Table {
        /// Titles of the columns.
        header: Vec<String>,
        /// The cells, row by row.
        rows: Vec<Vec<String>>,
        /// Leading columns that hold words.
        words: usize,
    },
    /// Sentences.
    Text(String),
}

/// What stands before the changes of a step that has more than one.
const SEVERAL: &str = "* ";

/// The page of one explanation.
pub fn pages(of: &Explanation) -> Vec<Block> {
    let cells = exact_count(of.cells_allocated);
    let noise = of.noise_sentence.as_ref().map_or_else(
        || "No backend was entered twice, so the noise floor is unknown.".to_owned(),
        |noise| format!("{noise}; a smaller difference is no difference."),
    );
    let debug = match of.debug_build {
        true => " It was built without optimisation, so these times say nothing.",
        false => "",
    };
    let few = match has_ranges(of) {
        true => {
            format!(" [Brackets]: the range of fewer than {MIN_SAMPLES} rounds, too few for 95 %.")
        }
        false => String::new(),
    };
    let mut blocks = vec![
        Block::Title(format!("n = {}: {}", of.n, of.heading)),
        Block::Text(format!("{cells} cells a search. {noise}{debug}{few}")),
    ];
    if !of.chosen.is_empty() {
        let chosen = of.chosen.join(", ");
        let text = format!("Of several configurations the fastest is a rung: {chosen}.");
        blocks.push(Block::Text(text));
    }
    of.ladders.iter().for_each(|ladder| blocks.extend(ladder_blocks(ladder)));
    blocks.extend(beside(&of.beside));
    blocks.extend(operations(&of.operations));
    let told = [
        ("How memory becomes free again", of.swept()),
        ("The cost of one store to a shadow stack", of.stored()),
    ];
    for (heading, sentence) in told {
        let block = |text| [Block::Heading(heading.to_owned()), Block::Text(text)];
        blocks.extend(sentence.map(block).into_iter().flatten());
    }
    blocks.extend(of.bound.as_ref().map(bound).into_iter().flatten());
    blocks.push(Block::Heading("What split reference counting is made of".to_owned()));
    blocks.push(Block::Text(of.answer.clone()));
    blocks
}

fn header<const N: usize>(titles: [&str; N]) -> Vec<String> {
    titles.map(str::to_owned).into()
}

fn ladder_blocks(ladder: &Ladder) -> Vec<Block> {
    let total = ladder.total_ns_per_cell;
    let mut rows = vec![vec![
        ladder.start.label.clone(),
        ladder.start_is.clone(),
        significant(ladder.start.ns_per_cell),
        percent(ladder.start.ns_per_cell / total),
        String::new(),
    ]];
    rows.extend(ladder.steps.iter().map(|step| step_row(format!("-> {}", step.to.label), step)));
    let end = ladder.end().label.clone();
    rows.push(vec![end, "all of it".into(), significant(total), percent(1.0), String::new()]);
    let header = header(["step", "what changes", "ns/cell (95 %)", "share", "verdict"]);
    let mut notes = Vec::new();
    if ladder.steps.iter().any(|step| step.changes.len() > 1) {
        notes.push("* More than one change: their costs are not told apart.".to_owned());
    }
    notes.extend(left_out(ladder));
    if ladder.steps.len() > 1 {
        let sum = signed(ladder.sum_ns_per_cell());
        notes.push(match &ladder.whole {
            Some(whole) => format!(
                "The steps sum to {sum} ns per cell, end less start is {}: medians do not add up \
                 exactly.",
                signed_interval(whole)
            ),
            None => format!(
                "The steps sum to {sum} ns per cell; end and start were never in the same round."
            ),
        });
    }
    let mut blocks =
        vec![Block::Heading(ladder.title.clone()), Block::Table { header, rows, words: 2 }];
    if !notes.is_empty() {
        blocks.push(Block::Text(notes.join(" ")));
    }
    blocks
}

/// The rungs that are not there, by what became of them.
fn left_out(ladder: &Ladder) -> Option<String> {
    let mut names: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for gone in &ladder.missing {
        names.entry(&gone.why).or_default().push(&gone.backend);
    }
    let groups = names.iter().map(|(why, names)| format!("{} ({why})", names.join(", ")));
    let groups = groups.collect::<Vec<_>>().join("; ");
    let gap = match ladder.steps.iter().any(|step| !step.bridges.is_empty()) {
        true => " A step over a gap has all its changes.",
        false => "",
    };
    (!groups.is_empty()).then(|| format!("Left out: {groups}.{gap}"))
}

fn step_row(name: String, step: &Step) -> Vec<String> {
    vec![
        name,
        changes(step),
        signed_interval(&step.ns_per_cell),
        percent(step.share.value),
        step.verdict.words().to_owned(),
    ]
}

fn changes(step: &Step) -> String {
    let mark = if step.changes.len() > 1 { SEVERAL } else { "" };
    format!("{mark}{}", step.changes.join("; "))
}

fn beside(beside: &Beside) -> Vec<Block> {
    if beside.steps.is_empty() {
        return Vec::new();
    }
    let name = |step: &Step| format!("{} -> {}", step.from.label, step.to.label);
    let rows = beside.steps.iter().map(|step| step_row(name(step), step)).collect();
    let header = header(["step", "what changes", "ns/cell (95 %)", "share", "verdict"]);
    let mut blocks = vec![
        Block::Heading("Steps beside the ladder".to_owned()),
        Block::Table { header, rows, words: 2 },
    ];
    let mut notes = vec!["The share is that of the step's end.".to_owned()];
    if beside.steps.iter().any(|step| step.changes.len() > 1) {
        notes.push("* More than one change.".to_owned());
    }
    if !beside.not_measured.is_empty() {
        let steps = beside.not_measured.iter().map(|(from, to)| format!("{from} -> {to}"));
        notes.push(format!("Not measured: {}.", steps.collect::<Vec<_>>().join(", ")));
    }
    blocks.push(Block::Text(notes.join(" ")));
    blocks
}

fn operations(operations: &[Operation]) -> Vec<Block> {
    if operations.is_empty() {
        return Vec::new();
    }
    let rows = operations.iter().map(|operation| {
        let step = &operation.step;
        vec![
            format!("{} -> {}", step.from.label, step.to.label),
            changes(step),
            significant(operation.increments_per_cell),
            significant(operation.decrements_per_cell),
            significant(operation.operations_per_cell),
            signed_interval(&operation.ns_per_operation),
            operation.verdict().words().to_owned(),
        ]
    });
    let titles =
        ["step", "an operation is", "raised", "lowered", "over", "ns each (95 %)", "verdict"];
    let mut text =
        "raised, lowered: counts for each cell at the step's end. over: operations for each \
                    cell that the difference in time is spread over, those that the step adds or, \
                    where only the instruction changes, all."
            .to_owned();
    if operations.iter().any(|operation| operation.step.changes.len() > 1) {
        text.push_str(" * More than the count changes, so the cost is not the count's alone.");
    }
    vec![
        Block::Heading("The cost of one reference-count operation".to_owned()),
        Block::Table { header: header(titles), rows: rows.collect(), words: 2 },
        Block::Text(text),
    ]
}

fn bound(bound: &Bound) -> [Block; 3] {
    let rows = bound.overheads.iter().map(|row| {
        let star = if row.problem_specific { " (problem-specific)" } else { "" };
        let overhead = match row.label == bound.set_by {
            true => or_nothing(row.overhead, |overhead| percent(overhead.value)),
            false => or_nothing(row.overhead, |overhead| percent_interval(&overhead)),
        };
        let reclamation = row.reclamation.map_or_else(|| NOTHING.to_owned(), percent);
        vec![format!("{}{star}", row.label), significant(row.ns_per_cell), reclamation, overhead]
    });
    let set_by = &bound.set_by;
    let mut text = format!(
        "The bound is {} ns per cell: {set_by} less the part of it that is explicit reclamation. It \
         is the cheapest mutator seen, not the cheapest there could be, and still pays for \
         allocating and for what is not timed as a pause, such as a release of one cell; so the \
         overheads are lower bounds (Cai et al., ISPASS 2022).",
        significant(bound.ns_per_cell),
    );
    if bound.overheads.iter().any(|row| row.reclamation.is_none()) {
        text.push_str(&format!(
            " Reclamation {NOTHING}: no pauses were recorded, and all of the time counts as mutator."
        ));
    }
    if bound.overheads.iter().any(|row| row.overhead.is_none()) {
        text.push_str(&format!(" Overhead {NOTHING}: no round in common with {set_by}."));
    }
    [
        Block::Heading("Overhead over the cheapest mutator".to_owned()),
        Block::Table {
            header: header(["backend", "ns/cell", "reclamation", "overhead (95 %)"]),
            rows: rows.collect(),
            words: 1,
        },
        Block::Text(text),
    ]
}

/// A part of one as `12 %`, below ten per cent as `1.2 %`.
pub(super) fn percent(part: f64) -> String {
    let percent = part * 100.0;
    let decimals = usize::from(percent.abs() < 9.95);
    format!("{:.decimals$} %", unsigned_zero(percent, decimals))
}

/// A part of one as `12 % (11 to 13)`, or `12 %` where one sample gives no interval.
pub(super) fn percent_interval(part: &Estimate) -> String {
    let decimals = usize::from(part.value.abs() * 100.0 < 9.95);
    let [low, high] = [part.low, part.high].map(|end| unsigned_zero(end * 100.0, decimals));
    match part.interval() {
        Some(_) => {
            let ends = ends(part, &format!("{low:.decimals$} to {high:.decimals$}"));
            format!("{} {ends}", percent(part.value))
        }
        None => percent(part.value),
    }
}

/// A difference with its sign: `+1.32`.
fn signed(value: f64) -> String {
    let decimals = decimals(value);
    format!("{:+.decimals$}", unsigned_zero(value, decimals))
}

/// A difference as `+1.32 (+1.30 to +1.37)`, or `+1.32` where one sample gives no interval.
pub(super) fn signed_interval(estimate: &Estimate) -> String {
    let Some((low, high)) = estimate.interval() else { return signed(estimate.value) };
    let decimals = decimals(estimate.value.abs().max(low.abs()).max(high.abs()));
    let [value, low, high] = [estimate.value, low, high].map(|ns| unsigned_zero(ns, decimals));
    let ends = ends(estimate, &format!("{low:+.decimals$} to {high:+.decimals$}"));
    format!("{value:+.decimals$} {ends}")
}

/// An interval in parentheses, a range of too few rounds in brackets, as everywhere.
fn ends(estimate: &Estimate, from_to: &str) -> String {
    if estimate.confident() { format!("({from_to})") } else { format!("[{from_to}]") }
}

/// Whether some range stands in for an interval.
fn has_ranges(of: &Explanation) -> bool {
    let is_range = |estimate: &Estimate| estimate.interval().is_some() && !estimate.confident();
    let steps = of.ladders.iter().chain(&of.split).flat_map(|ladder| &ladder.steps);
    let overheads = of.bound.iter().flat_map(|bound| &bound.overheads);
    steps.chain(&of.beside.steps).any(|step| is_range(&step.ns_per_cell))
        || overheads.filter_map(|row| row.overhead.as_ref()).any(is_range)
}

/// Three digits, but never below hundredths: small differences are small.
fn decimals(value: f64) -> usize {
    match value.abs() {
        size if size >= 99.95 => 0,
        size if size >= 9.995 => 1,
        _ => 2,
    }
}

/// What would print as `-0` is 0.
fn unsigned_zero(value: f64, decimals: usize) -> f64 {
    let half = 0.5 / 10_f64.powi(decimals as i32);
    if value.abs() < half { 0.0 } else { value }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_keep_their_sign_and_decimals() {
        let estimate = |value, low, high| Estimate { value, low, high, samples: 7 };
        assert_eq!(signed_interval(&estimate(1.324, -0.2, 11.0)), "+1.3 (-0.2 to +11.0)");
        assert_eq!(signed_interval(&estimate(-9.0, -9.5, -8.5)), "-9.00 (-9.50 to -8.50)");
        assert_eq!(percent_interval(&estimate(0.123, -0.001, 0.2)), "12 % (0 to 20)");
        let few = Estimate { samples: 5, ..estimate(0.123, -0.001, 0.2) };
        assert_eq!(percent_interval(&few), "12 % [0 to 20]");
        assert_eq!(signed_interval(&few), "+0.12 [+0.00 to +0.20]");
        let percents = [0.05, -0.0004, -0.056, 1.0, 12.345].map(percent);
        assert_eq!(percents, ["5.0 %", "0.0 %", "-5.6 %", "100 %", "1234 %"]);
    }
}
