//! The main table, and the one over all sizes.

use super::{Sheet, name_and_n, range_note};
use crate::format::{
    TimeUnit, human_bytes, human_count, human_time, or_nothing, shorten, significant, with_interval,
};
use crate::record::Status;
use crate::stats::Estimate;
use crate::summary::Summary;
use crate::verdict::percent;
use std::collections::BTreeMap;

const SPARE: [&str; 9] = [
    "verdict",
    "ns/cell",
    "GCs",
    "solutions",
    "max pause",
    "RSS peak",
    "cells",
    "spread",
    "outliers",
];

/// Time, ratio, verdict, work and memory of each row.
pub(crate) fn results(summary: &Summary) -> Sheet {
    let header = [
        "backend",
        "n",
        "solutions",
        "median time",
        "spread",
        "outliers",
        "ns/cell",
        "cells",
        "GCs",
        "heap peak",
        "RSS peak",
        "max pause",
        &time_over(summary),
        "verdict",
    ];
    let mut sheet = Sheet::new(&header, &SPARE);
    let units = time_units(summary);
    for row in &summary.rows {
        let mut cells = name_and_n(row);
        cells.extend([
            or_nothing(row.solutions, |count| count.to_string()),
            match row.status {
                Status::Ok => or_nothing(row.time_ns, |time| units[&row.n].with_interval(&time)),
                failed => failed.words().to_owned(),
            },
            or_nothing(row.spread, percent),
            or_nothing(Some(row.outliers).filter(|&some| some > 0), |count| count.to_string()),
            or_nothing(row.ns_per_cell, significant),
            or_nothing(row.cells_allocated, human_count),
            or_nothing(row.collections, human_count),
            or_nothing(row.heap_peak_bytes, human_bytes),
            or_nothing(row.rss_peak_bytes, human_bytes),
            or_nothing(row.pauses.as_ref().filter(|pauses| pauses.count > 0), |pauses| {
                human_time(pauses.max_ns as f64)
            }),
            match summary.is_baseline(row) {
                true => "1".to_owned(),
                false => or_nothing(row.ratio, |ratio| with_interval(&ratio, 1.0)),
            },
            or_nothing(summary.verdict(row), |verdict| verdict.short()),
        ]);
        sheet.lines.push((row.group, cells));
    }
    let failed = summary.rows.iter().filter(|row| row.status != Status::Ok);
    sheet.notes = failed
        .filter_map(|row| Some(format!("{}, n = {}: {}", row.label, row.n, row.message.as_ref()?)))
        .collect();
    let times = summary.rows.iter().filter_map(|row| row.time_ns);
    sheet.notes.extend(ranges(times));
    sheet.notes.extend(summary.noise.iter().map(|noise| noise.sentence()));
    let origins = summary.origins.iter().filter(|(_, name)| name.contains("machine "));
    sheet.notes.extend(origins.map(|(origin, name)| format!("{name}: {}", origin.machine)));
    sheet.told()
}

/// The geometric mean of each configuration's ratios over the sizes; `None` where there is one size.
pub(crate) fn overall(summary: &Summary) -> Option<Sheet> {
    let mut sheet = Sheet::new(&["backend", "n", &time_over(summary), "verdict"], &SPARE);
    for overall in &summary.overall {
        let sizes: Vec<String> = overall.sizes.iter().map(|n| n.to_string()).collect();
        let cells = vec![
            summary.groups[overall.group].label.clone(),
            sizes.join(", "),
            with_interval(&overall.ratio, 1.0),
            overall.verdict.short(),
        ];
        sheet.lines.push((overall.group, cells));
    }
    sheet.notes.extend(ranges(summary.overall.iter().map(|overall| overall.ratio)));
    (!sheet.lines.is_empty()).then_some(sheet)
}

fn ranges(mut estimates: impl Iterator<Item = Estimate>) -> Option<String> {
    range_note(estimates.any(|estimate| estimate.interval().is_some() && !estimate.confident()))
}

fn time_over(summary: &Summary) -> String {
    format!("time/{}", shorten(summary.baseline.as_deref().unwrap_or("baseline"), 12))
}

/// The unit of all times at one n: that of the least.
fn time_units(summary: &Summary) -> BTreeMap<u32, TimeUnit> {
    let mut least: BTreeMap<u32, f64> = BTreeMap::new();
    for (n, time) in summary.rows.iter().filter_map(|row| Some((row.n, row.time_ns?.value))) {
        let known = least.entry(n).or_insert(time);
        *known = known.min(time);
    }
    least.into_iter().map(|(n, time)| (n, TimeUnit::of(time))).collect()
}
