//! Tables of the allocation studies: one for each workload at each size.

use super::csv::{kind, number, text, written};
use super::events::{source_name, unavailable};
use super::markdown::{escaped, sheet_markdown};
use super::{Sheet, range_note};
use crate::format::{NOTHING, or_nothing, significant, with_interval};
use crate::record::{CounterSource, Status};
use crate::stats::Estimate;
use crate::studies::{View, blocks};
use crate::summary::{NoiseFloor, Row};
use std::collections::BTreeSet;

/// Figures with their short names and units, in order; others come after them under their own names.
const FIGURES: [(&str, &str); 12] = [
    ("bytes_per_object", "B/object"),
    ("allocations_per_object", "allocs/object"),
    ("metadata_percent", "metadata %"),
    ("node_bytes", "node B"),
    ("resident_bytes_per_node", "resident B/node"),
    ("held_bytes_per_node", "held B/node"),
    ("returned_half_percent", "back at half %"),
    ("returned_all_percent", "back at end %"),
    ("capacity", "capacity"),
    ("new_blocks", "new blocks"),
    ("expansions", "expansions"),
    ("page_faults_per_1000", "faults/1000"),
];

/// The tables of all studies for a terminal; nothing of no views. For the width see
/// [`results_table`](super::results_table).
pub fn study_table(views: &[View], width_columns: u16) -> String {
    let text =
        |block: &[View]| format!("{}\n\n{}", title(&block[0]), sheet(block).text(width_columns));
    blocks(views).map(text).collect::<Vec<_>>().join("\n")
}

/// The same as Markdown.
pub fn study_markdown(views: &[View]) -> String {
    let text = |block: &[View]| {
        let table = sheet_markdown(&sheet(block));
        format!("**{}**\n\n{table}", escaped(&title(&block[0])))
    };
    blocks(views).map(text).collect::<Vec<_>>().join("\n")
}

/// What a table is of: `burst, vector: n = 10,000 (elements)`.
pub(crate) fn title(view: &View) -> String {
    let workload = match view.workload.as_str() {
        "" => String::new(),
        workload => format!(", {workload}"),
    };
    format!("{}{workload}: {}", view.study, view.size_words())
}

/// Instructions of one operation.
const INSTRUCTIONS: &str = "instr/op";

/// The phases of one workload at one size: their times and ratios, the figures, the verdict on the first.
pub(crate) fn sheet(block: &[View]) -> Sheet {
    let first = &block[0];
    let of_rows =
        |row: &Row| first.figures(row).map(|(name, _)| name.to_owned()).collect::<Vec<_>>();
    let known: Vec<String> = first.summary.rows.iter().flat_map(of_rows).collect();
    let mut figures: Vec<(String, String)> = FIGURES
        .iter()
        .filter(|(name, _)| known.iter().any(|known| known == name))
        .map(|(name, title)| ((*name).to_owned(), (*title).to_owned()))
        .collect();
    for name in known {
        if !figures.iter().any(|(other, _)| *other == name) {
            figures.push((name.clone(), name.replace('_', " ")));
        }
    }
    let phases: Vec<[String; 2]> = block.iter().map(titles).collect();
    let languages = first.summary.groups.iter().any(|group| group.language().is_some());
    let mut header = vec!["row".to_owned()];
    header.extend(languages.then(|| "language".to_owned()));
    header.extend(phases.iter().flatten().cloned());
    header.extend(figures.iter().map(|(_, title)| title.clone()));
    let sources: BTreeSet<CounterSource> =
        first.summary.rows.iter().filter_map(|row| Some(first.instructions(row)?.1)).collect();
    header.extend((!sources.is_empty()).then(|| INSTRUCTIONS.to_owned()));
    // Of several phases it is said whose verdict it is.
    let verdict = match block.len() {
        1 => "verdict".to_owned(),
        _ => format!("{} verdict", first.phase).trim_start().to_owned(),
    };
    header.push(verdict.clone());
    // The most telling first: figures go before anything else does.
    let mut spare = vec![verdict, "language".to_owned(), INSTRUCTIONS.to_owned()];
    spare.extend(phases.iter().skip(1).map(|[time, _]| time.clone()));
    spare.extend(phases.iter().skip(1).map(|[_, ratio]| ratio.clone()));
    spare.extend(figures.iter().map(|(_, title)| title.clone()));
    let mut notes = notes(block);
    notes.extend(sources.iter().map(|&source| {
        format!("{INSTRUCTIONS}: of one whole iteration, counted by {}", source_name(source))
    }));
    notes.extend(unavailable(first.summary.rows.iter()));
    let mut sheet = Sheet { header, lines: Vec::new(), spare, notes };
    for row in &first.summary.rows {
        let mut cells = vec![row.label.clone()];
        let language = first.summary.group_of(row).language();
        cells.extend(languages.then(|| or_nothing(language, str::to_owned)));
        for view in block {
            let row = view.labelled(&row.label);
            cells.push(or_nothing(row, |row| time(view, row)));
            cells.push(or_nothing(row, |row| ratio(view, row)));
        }
        cells.extend(figures.iter().map(|(name, _)| or_nothing(first.figure(row, name), figure)));
        if !sources.is_empty() {
            let told = first.instructions(row);
            cells.push(or_nothing(told, |(instructions, _)| significant(instructions)));
        }
        let verdict = first.summary.verdict(row);
        cells.push(verdict.map_or(NOTHING, |verdict| verdict.word()).to_owned());
        sheet.lines.push((row.group, cells));
    }
    sheet
}

/// Titles of the two columns of a phase: `insert ns` and `insert/malloc`.
fn titles(view: &View) -> [String; 2] {
    let phase = if view.phase.is_empty() { "time" } else { &view.phase };
    let baseline = view.summary.baseline.as_deref().unwrap_or("baseline");
    [format!("{phase} ns"), format!("{phase}/{baseline}")]
}

/// Nanoseconds of one operation; of a failed row, how it ended.
fn time(view: &View, row: &Row) -> String {
    match row.status {
        Status::Ok => or_nothing(view.ns(row), |ns| significant(ns.value)),
        failed => failed.words().to_owned(),
    }
}

/// Time over the baseline's with its interval; 1 of the baseline itself.
fn ratio(view: &View, row: &Row) -> String {
    match view.summary.is_baseline(row) {
        true => "1".to_owned(),
        false => or_nothing(row.ratio, |ratio| with_interval(&ratio, 1.0)),
    }
}

/// A figure: whole ones without decimals.
pub(crate) fn figure(value: f64) -> String {
    if value.fract() == 0.0 && value.abs() < 1e15 {
        format!("{value:.0}")
    } else {
        significant(value)
    }
}

/// What is to be said of the rows: failures, what brackets mean, the noise of each phase, the machines.
fn notes(block: &[View]) -> Vec<String> {
    let first = &block[0];
    let failed = first.summary.rows.iter().filter(|row| row.status != Status::Ok);
    let failure = |row: &Row| {
        let why = row.message.as_deref().unwrap_or("no message");
        format!("{}: {}: {why}", row.label, row.status.words())
    };
    let mut notes: Vec<String> = failed.map(failure).collect();
    let ratios = block.iter().flat_map(|view| &view.summary.rows).filter_map(|row| row.ratio);
    let is_range = |ratio: Estimate| ratio.interval().is_some() && !ratio.confident();
    notes.extend(range_note({ ratios }.any(is_range)));
    for view in block {
        let of = if block.len() > 1 { format!("{}: ", view.phase) } else { String::new() };
        let sentences = view.summary.noise.iter().map(NoiseFloor::sentence);
        notes.extend(sentences.map(|sentence| format!("{of}{sentence}")));
    }
    let origins = first.summary.origins.iter().filter(|(_, name)| name.contains("machine "));
    notes.extend(origins.map(|(origin, name)| format!("{name}: {}", origin.machine)));
    notes
}

/// A title, and what stands below it; nothing where it is not known.
type Column = (&'static str, fn(&View, &Row) -> Option<String>);

const COLUMNS: [Column; 22] = [
    ("study", |view, _| text(&view.study)),
    ("n", |view, _| number(view.n)),
    ("workload", |view, _| text(&view.workload)),
    ("phase", |view, _| text(&view.phase)),
    ("row", |_, row| text(&row.label)),
    ("language", |view, row| text(view.summary.group_of(row).language()?)),
    ("status", |_, row| text(row.status.words())),
    ("operations", |view, _| number(view.operations)),
    ("rounds", |_, row| number(row.time_ns?.samples)),
    ("interval", |_, row| text(kind(&row.time_ns?)?)),
    ("ns_per_operation", |view, row| number(view.ns(row)?.value)),
    ("ns_low", |view, row| number(view.ns(row)?.interval()?.0)),
    ("ns_high", |view, row| number(view.ns(row)?.interval()?.1)),
    ("baseline", |view, row| row.ratio.and(text(view.summary.baseline.as_ref()?))),
    ("ratio", |_, row| number(row.ratio?.value)),
    ("ratio_low", |_, row| number(row.ratio?.interval()?.0)),
    ("ratio_high", |_, row| number(row.ratio?.interval()?.1)),
    ("noise_floor", |view, row| number(view.summary.noise_of(row).map(NoiseFloor::fraction)?)),
    ("verdict", |view, row| text(view.summary.verdict(row)?.word())),
    ("instructions_per_operation", |view, row| number(view.instructions(row)?.0)),
    ("figures", |view, row| {
        let figures = view.figures(row).map(|(name, value)| format!("{name}={value}"));
        text(figures.collect::<Vec<_>>().join("; "))
    }),
    ("message", |_, row| text(row.message.as_ref()?)),
];

/// Every row of every view as comma-separated values, as of [`results_csv`](super::results_csv); figures as
/// `name=value`.
pub fn study_csv(views: &[View]) -> String {
    let titles = COLUMNS.iter().map(|(title, _)| (*title).to_owned()).collect();
    let rows = views.iter().flat_map(|view| view.summary.rows.iter().map(move |row| (view, row)));
    let cell = |(view, row): (&View, &Row)| {
        COLUMNS.iter().map(|(_, cell)| cell(view, row).unwrap_or_default()).collect()
    };
    written(std::iter::once(titles).chain(rows.map(cell)))
}
