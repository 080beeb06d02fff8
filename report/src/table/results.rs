//! The main table, and the one over all sizes.

use super::{Sheet, name_and_n, range_note};
use crate::format::{
    NOTHING, TimeUnit, human_bytes, human_count, human_time, or_nothing, shorten, significant,
    with_interval,
};
use crate::record::Status;
use crate::stats::Estimate;
use crate::summary::{Row, Summary};
use crate::verdict::percent;
use std::collections::BTreeMap;

const SPARE: [&str; 12] = [
    "language",
    "verdict",
    "heap peak",
    "ns/cell",
    "space",
    "GCs",
    "max pause",
    "solutions",
    "RSS peak",
    "cells",
    "spread",
    "outliers",
];

/// Longest name of a language.
const LANGUAGE_CHARS: usize = 16;

/// Longest name of a baseline that fits into a title.
const BASELINE_CHARS: usize = 12;

/// Time, ratio, verdict, work and memory of each row.
pub(crate) fn results(summary: &Summary) -> Sheet {
    let header = [
        "backend",
        "language",
        "n",
        "solutions",
        "median time",
        "spread",
        "outliers",
        "ns/cell",
        "cells",
        "GCs",
        "heap peak",
        "space",
        "RSS peak",
        "max pause",
        &ratio_title(summary),
        "verdict",
    ];
    let mut sheet = Sheet::new(&header, &SPARE);
    let texts = Cells::new(summary);
    for row in &summary.rows {
        let mut cells = name_and_n(row);
        let language = summary.group_of(row).language();
        cells.insert(1, or_nothing(language, |name| shorten(name, LANGUAGE_CHARS)));
        cells.extend([
            or_nothing(row.solutions, |count| count.to_string()),
            texts.time(row),
            or_nothing(row.spread, percent),
            or_nothing(Some(row.outliers).filter(|&some| some > 0), |count| count.to_string()),
            or_nothing(row.ns_per_cell, significant),
            or_nothing(row.cells_allocated, human_count),
            or_nothing(row.collections, human_count),
            or_nothing(row.heap_peak_bytes, human_bytes),
            texts.space(row),
            or_nothing(row.rss_peak_bytes, human_bytes),
            texts.max_pause(row),
            texts.ratio(row),
            texts.verdict(row),
        ]);
        sheet.lines.push((row.group, cells));
    }
    sheet.notes = ratio_note(summary).into_iter().chain(notes(summary)).collect();
    sheet.told()
}

/// What is to be said of the rows: failures, what brackets mean, the noise, the machines.
pub(super) fn notes(summary: &Summary) -> Vec<String> {
    let failed = summary.rows.iter().filter(|row| row.status != Status::Ok);
    let failure =
        |row: &Row| Some(format!("{}, n = {}: {}", row.label, row.n, row.message.as_ref()?));
    let mut notes: Vec<String> = failed.filter_map(failure).collect();
    notes.extend(ranges(summary.rows.iter().filter_map(|row| row.time_ns)));
    notes.extend(summary.noise.iter().map(|noise| noise.sentence()));
    let origins = summary.origins.iter().filter(|(_, name)| name.contains("machine "));
    notes.extend(origins.map(|(origin, name)| format!("{name}: {}", origin.machine)));
    notes
}

/// The geometric mean of each configuration's ratios over the sizes; `None` where there is one size.
pub(crate) fn overall(summary: &Summary) -> Option<Sheet> {
    let mut sheet = Sheet::new(&["backend", "n", &ratio_title(summary), "verdict"], &SPARE);
    for overall in &summary.overall {
        let sizes: Vec<String> = overall.sizes.iter().map(|n| n.to_string()).collect();
        let cells = vec![
            summary.groups[overall.group].label.clone(),
            sizes.join(", "),
            with_interval(&overall.ratio, 1.0),
            overall.verdict.word().to_owned(),
        ];
        sheet.lines.push((overall.group, cells));
    }
    sheet.notes.extend(ratio_note(summary));
    sheet.notes.extend(ranges(summary.overall.iter().map(|overall| overall.ratio)));
    (!sheet.lines.is_empty()).then_some(sheet)
}

fn ranges(mut estimates: impl Iterator<Item = Estimate>) -> Option<String> {
    range_note(estimates.any(|estimate| estimate.interval().is_some() && !estimate.confident()))
}

fn ratio_title(summary: &Summary) -> String {
    baseline_title(summary.baseline.as_deref())
}

/// The title of the ratios: `time/gc`, or `ratio` where the baseline's name is a long one.
pub(super) fn baseline_title(baseline: Option<&str>) -> String {
    match baseline {
        None => "time/baseline".to_owned(),
        Some(name) if long_baseline(name) => "ratio".to_owned(),
        Some(name) => format!("time/{name}"),
    }
}

/// Whether the name is too long for a title.
pub(super) fn long_baseline(name: &str) -> bool {
    name.chars().count() > BASELINE_CHARS
}

/// What the ratio is of, where the title does not tell.
fn ratio_note(summary: &Summary) -> Option<String> {
    let name = summary.baseline.as_deref().filter(|name| long_baseline(name))?;
    Some(format!("ratio: time over that of {name} at the same n"))
}

/// Cells that a terminal, a document and a page write alike.
pub(super) struct Cells<'a> {
    summary: &'a Summary,
    /// The unit of all times at one n: that of the least.
    units: BTreeMap<u32, TimeUnit>,
}

impl<'a> Cells<'a> {
    pub fn new(summary: &'a Summary) -> Self {
        let mut least: BTreeMap<u32, f64> = BTreeMap::new();
        for (n, time) in summary.rows.iter().filter_map(|row| Some((row.n, row.time_ns?.value))) {
            let known = least.entry(n).or_insert(time);
            *known = known.min(time);
        }
        let units = least.into_iter().map(|(n, time)| (n, TimeUnit::of(time))).collect();
        Self { summary, units }
    }

    /// The time with its interval; of a failed row, how it ended.
    pub fn time(&self, row: &Row) -> String {
        match row.status {
            Status::Ok => or_nothing(row.time_ns, |time| self.units[&row.n].with_interval(&time)),
            failed => failed.words().to_owned(),
        }
    }

    /// Time over the baseline's with its interval; 1 of the baseline itself.
    pub fn ratio(&self, row: &Row) -> String {
        match self.summary.is_baseline(row) {
            true => "1".to_owned(),
            false => or_nothing(row.ratio, |ratio| with_interval(&ratio, 1.0)),
        }
    }

    pub fn verdict(&self, row: &Row) -> String {
        self.summary.verdict(row).map_or(NOTHING, |verdict| verdict.word()).to_owned()
    }

    /// The space overhead, as a multiple of what lives.
    pub fn space(&self, row: &Row) -> String {
        or_nothing(self.summary.space_overhead(row), |times| format!("{}x", significant(times)))
    }

    /// The longest pause; of no pauses there is none.
    pub fn max_pause(&self, row: &Row) -> String {
        let pauses = row.pauses.as_ref().filter(|pauses| pauses.count > 0);
        or_nothing(pauses, |pauses| human_time(pauses.max_ns as f64))
    }
}
