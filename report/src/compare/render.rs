//! A comparison as a table for a terminal, as Markdown, and as JSON.

use super::{Comparison, Row, Side};
use crate::format::{NOTHING, human_time, or_nothing, shorten, with_interval};
use crate::record::Status;
use crate::stats::Estimate;
use comfy_table::{CellAlignment, ColumnConstraint, ContentArrangement, Table, presets};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Longest label that is not cut.
const LABEL_CHARS: usize = 48;

const HEADER: [&str; 6] = ["backend", "n", "before", "after", "after/before", "verdict"];

impl Comparison {
    /// The rows as text for a terminal of this width, and below them the summary, warnings and remarks.
    pub fn table(&self, width_columns: u16) -> String {
        let mut table = Table::new();
        table
            .load_style(presets::NOTHING)
            .set_content_arrangement(ContentArrangement::Dynamic)
            .set_width(width_columns)
            .set_header(HEADER);
        for row in &self.rows {
            table.add_row(cells(row));
        }
        for (column, title) in table.column_iter_mut().zip(HEADER) {
            column.set_padding((0, 2));
            if title == "backend" {
                column.set_constraint(ColumnConstraint::ContentWidth);
            } else if title != "verdict" {
                column.set_cell_alignment(CellAlignment::Right);
            }
        }
        let mut text = table.trim_fmt();
        text.push_str("\n\n");
        for line in self.lines() {
            text.push_str(&line);
            text.push('\n');
        }
        text
    }

    /// The same as Markdown, to be pasted into an issue.
    pub fn markdown(&self) -> String {
        let mut text = format!("| {} |\n|---|--:|--:|--:|--:|---|\n", HEADER.join(" | "));
        for row in &self.rows {
            let cells = cells(row).map(|cell| escaped(&cell));
            text.push_str(&format!("| {} |\n", cells.join(" | ")));
        }
        text.push('\n');
        for line in self.lines() {
            text.push_str(&format!("- {}\n", escaped(&line)));
        }
        text
    }

    /// The same for programs: one object, times in nanoseconds, every row with its outcome.
    pub fn json(&self) -> Value {
        json!({
            "rows": self.rows.iter().map(row_json).collect::<Vec<_>>(),
            "outcomes": self.outcomes().into_iter().map(|(id, (count, _))| (id, count)).collect::<BTreeMap<_, _>>(),
            "geometric_mean": self.mean_ratio().map(rounded),
            "warnings": self.warnings,
            "remarks": self.remarks,
        })
    }

    /// The summary in one line: `1 faster, 2 slower, 0 no difference; geometric mean of after/before 1.02`.
    pub fn summary_line(&self) -> String {
        let outcomes = self.outcomes();
        let mut parts: Vec<String> = ["faster", "slower", "no_difference"]
            .map(|id| {
                let count = outcomes.get(id).map_or(0, |(count, _)| *count);
                format!("{count} {}", id.replace('_', " "))
            })
            .into();
        let others =
            outcomes.iter().filter(|(id, _)| !["faster", "slower", "no_difference"].contains(id));
        parts.extend(others.map(|(_, (count, words))| format!("{count} {words}")));
        let mean = self
            .mean_ratio()
            .map_or(String::new(), |mean| format!("; geometric mean of after/before {mean:.3}"));
        parts.join(", ") + &mean
    }

    /// How often there is each outcome, by its name, with its words.
    fn outcomes(&self) -> BTreeMap<&'static str, (usize, &'static str)> {
        let mut outcomes = BTreeMap::new();
        for row in &self.rows {
            outcomes.entry(row.outcome.id()).or_insert((0, row.outcome.counted())).0 += 1;
        }
        outcomes
    }

    /// What stands below the rows.
    fn lines(&self) -> Vec<String> {
        let mut lines = vec![self.summary_line()];
        for row in &self.rows {
            for (name, side) in [("BEFORE", &row.before), ("AFTER", &row.after)] {
                let message = side.as_ref().and_then(|side| side.message.as_ref());
                lines.extend(message.map(|message| format!("{}, {name}: {message}", row.name())));
            }
        }
        lines.extend(self.warnings.iter().map(|warning| format!("warning: {warning}")));
        lines.extend(self.remarks.iter().cloned());
        lines
    }
}

fn cells(row: &Row) -> [String; 6] {
    [
        shorten(&row.label, LABEL_CHARS),
        row.n.to_string(),
        time(row.before.as_ref()),
        time(row.after.as_ref()),
        or_nothing(row.ratio, |ratio| with_interval(&ratio, 1.0)),
        row.short(),
    ]
}

fn time(side: Option<&Side>) -> String {
    match side {
        None => NOTHING.to_owned(),
        Some(side) if side.status != Status::Ok => side.status.words().to_owned(),
        Some(side) => or_nothing(side.time_ns, |time| human_time(time.value)),
    }
}

/// A text without meaning to Markdown.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if matches!(c, '|' | '*' | '_' | '`' | '<' | '>' | '[' | ']' | '\\' | '#' | '~') {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

fn row_json(row: &Row) -> Value {
    json!({
        "program": row.program,
        "backend": row.backend,
        "params": row.params,
        "threads": row.threads,
        "n": row.n,
        "label": row.label,
        "before": row.before.as_ref().map(side_json),
        "after": row.after.as_ref().map(side_json),
        "ratio": row.ratio.as_ref().map(estimate_json),
        "noise_floor": row.noise.map(rounded),
        "outcome": row.outcome.id(),
        "words": row.words(),
    })
}

fn side_json(side: &Side) -> Value {
    json!({
        "status": side.status,
        "message": side.message,
        "time_ns": side.time_ns.as_ref().map(estimate_json),
    })
}

fn estimate_json(estimate: &Estimate) -> Value {
    let interval = estimate.interval();
    json!({
        "value": rounded(estimate.value),
        "low": interval.map(|(low, _)| rounded(low)),
        "high": interval.map(|(_, high)| rounded(high)),
        "samples": estimate.samples,
    })
}

/// Six decimals: machines differ in the last digits of a logarithm, and no measurement has as many.
fn rounded(value: f64) -> f64 {
    (value * 1e6).round() / 1e6
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Record;

    /// One backend in one run, with a parameter to tell it from another of its kind.
    fn samples(nursery: &str, time_ns: u64) -> impl Iterator<Item = Record> {
        (0..8).map(move |round| Record {
            backend: "a|b".into(),
            params: [("nursery".into(), nursery.into())].into(),
            n: 8,
            round,
            iterations_ns: vec![time_ns + u64::from(round)],
            ..Record::new()
        })
    }

    fn comparison() -> Comparison {
        let run = |time_ns| -> Vec<Record> {
            samples("128KiB", time_ns).chain(samples("256KiB", 1_000_000)).collect()
        };
        Comparison::new(&run(1_000_000), &run(2_000_000)).unwrap()
    }

    #[test]
    fn rows_fit_a_narrow_terminal() {
        let text = comparison().table(60);
        let (rows, lines) = text.split_once("\n\n").unwrap();
        assert!(rows.lines().all(|line| line.chars().count() <= 60), "{rows}");
        assert!(rows.contains("a|b{nursery=128KiB}") && rows.contains("slower"), "{rows}");
        assert!(
            lines.starts_with("0 faster, 1 slower, 0 no difference, 1 not distinguishable; geom"),
            "{lines}"
        );
    }

    #[test]
    fn names_do_not_break_markdown() {
        let text = comparison().markdown();
        assert!(text.contains("| a\\|b{nursery=128KiB} | 8 |"), "{text}");
    }
}
