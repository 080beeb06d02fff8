//! Pauses, and events of the processor.

use super::{Sheet, name_and_n};
use crate::format::{TimeUnit, human_count, human_time, or_nothing, significant};
use crate::record::CounterSource;
use crate::summary::{Events, PauseTimes, Row};
use crate::verdict::percent;
use std::collections::{BTreeMap, BTreeSet};

const SPARE_COUNTERS: [&str; 5] = ["LL misses", "L1 misses", "instructions", "cycles", "branches"];

/// Share of a search that sweeps take.
const SWEEPS: &str = "in sweeps";

const SPARE_PAUSES: [&str; 4] = ["total", SWEEPS, "p99.9", "p50"];

/// The windows whose utilisation the table tells, in nanoseconds; the curve has more.
const WINDOWS_NS: [u64; 3] = [1_000_000, 10_000_000, 100_000_000];

/// Instructions, mispredicted branches and cache misses; `None` where no source was asked for.
pub(crate) fn counters<'a>(rows: impl Iterator<Item = &'a Row> + Clone) -> Option<Sheet> {
    let header = [
        "backend",
        "n",
        "source",
        "instr/cell",
        "instructions",
        "cycles",
        "branches",
        "branch misses",
        "L1 misses",
        "LL misses",
    ];
    let mut sheet = Sheet::new(&header, &SPARE_COUNTERS);
    let of_each = |row: &'a Row| row.events.iter().map(move |events| (row, events));
    for (row, events) in rows.clone().flat_map(of_each) {
        sheet.lines.extend(line(row, events).map(|cells| (row.group, cells)));
    }
    sheet.notes = unavailable(rows);
    (!sheet.lines.is_empty() || !sheet.notes.is_empty()).then(|| sheet.told())
}

/// What could not be counted, why, and of whom.
pub(super) fn unavailable<'a>(rows: impl Iterator<Item = &'a Row>) -> Vec<String> {
    let mut missing: BTreeMap<(CounterSource, &str), BTreeSet<&str>> = BTreeMap::new();
    for row in rows {
        for counters in row.events.iter().map(|events| &events.counters) {
            if let Some(why) = &counters.unavailable {
                missing.entry((counters.source, why)).or_default().insert(&row.label);
            }
        }
    }
    missing
        .into_iter()
        .map(|((source, why), labels)| {
            let labels: Vec<&str> = labels.into_iter().collect();
            let whose = match labels.len() {
                1..=3 => labels.join(", "),
                many => format!("{} and {} more", labels[0], many - 1),
            };
            format!("{} unavailable: {why} ({whose})", source_name(source))
        })
        .collect()
}

/// One line; `None` where the source gave nothing.
fn line(row: &Row, events: &Events) -> Option<Vec<String>> {
    let counters = &events.counters;
    let counts = [
        counters.instructions,
        counters.cycles,
        counters.branches,
        counters.branch_misses,
        counters.l1_misses,
        counters.ll_misses,
    ];
    counts.iter().any(Option::is_some).then(|| {
        let mut cells = name_and_n(row);
        cells.push(source_name(counters.source).to_owned());
        cells.push(or_nothing(events.instructions_per_cell, significant));
        cells.extend(counts.map(|count| or_nothing(count, human_count)));
        cells
    })
}

pub(super) fn source_name(source: CounterSource) -> &'static str {
    match source {
        CounterSource::Callgrind => "callgrind",
        CounterSource::Perf => "perf",
    }
}

/// Pauses and minimum mutator utilisation; `None` where no sample timed them.
pub(crate) fn pauses<'a>(rows: impl Iterator<Item = &'a Row> + Clone) -> Option<Sheet> {
    let timed = rows.filter_map(|row| Some((row, row.pauses.as_ref()?)));
    let windows = timed.clone().flat_map(|(_, pauses)| &pauses.mmu).map(|point| point.window_ns);
    let windows = told_windows(windows.collect());
    let titles: Vec<String> = windows.iter().map(|&ns| format!("MMU {}", whole_time(ns))).collect();
    let mut header = vec!["backend", "n", "pauses", "total", "p50", "p99", "p99.9", "max"];
    let swept = timed.clone().any(|(_, pauses)| pauses.sweep_share.is_some());
    header.extend(swept.then_some(SWEEPS));
    header.extend(titles.iter().map(String::as_str));
    let mut sheet = Sheet::new(&header, &SPARE_PAUSES);
    for (row, pauses) in timed {
        let mut cells = name_and_n(row);
        cells.push(human_count(pauses.count));
        cells.extend(lengths(pauses));
        cells.extend(swept.then(|| or_nothing(pauses.sweep_share, percent)));
        for &window in &windows {
            // A window that is longer than the search has nothing to say.
            let fits = pauses.run_ns == 0 || window < pauses.run_ns;
            let point = pauses.mmu.iter().find(|point| fits && point.window_ns == window);
            cells.push(or_nothing(point, |point| percent(point.utilisation)));
        }
        sheet.lines.push((row.group, cells));
    }
    (!sheet.lines.is_empty()).then_some(sheet)
}

/// Those of the table that there are; all where there is none of them.
fn told_windows(windows: BTreeSet<u64>) -> Vec<u64> {
    let told: Vec<u64> = WINDOWS_NS.into_iter().filter(|ns| windows.contains(ns)).collect();
    if told.is_empty() { windows.into_iter().collect() } else { told }
}

fn lengths(pauses: &PauseTimes) -> [String; 5] {
    let lengths = [pauses.total_ns, pauses.p50_ns, pauses.p99_ns, pauses.p999_ns, pauses.max_ns];
    // Of no pauses there are no lengths.
    lengths.map(|ns| or_nothing((pauses.count > 0).then_some(ns as f64), human_time))
}

/// A round time without decimals: `10 ms`.
fn whole_time(ns: u64) -> String {
    let unit = TimeUnit::of(ns as f64);
    format!("{} {}", ns as f64 / unit.ns, unit.name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Mmu;

    /// Titles of the columns of utilisation, and the cells below.
    fn told(windows_ns: &[u64]) -> (Vec<String>, Vec<String>) {
        let point = |&window_ns: &u64| Mmu { window_ns, utilisation: window_ns as f64 / 1e9 };
        let mmu = windows_ns.iter().map(point).collect();
        let mut row = Row::default();
        row.pauses = Some(PauseTimes { mmu, ..PauseTimes::default() });
        let sheet = pauses([&row].into_iter()).unwrap();
        let first = sheet.header.iter().position(|title| title.starts_with("MMU"));
        let first = first.unwrap_or(sheet.header.len());
        assert_eq!(sheet.header.len(), sheet.lines[0].1.len());
        (sheet.header[first..].to_vec(), sheet.lines[0].1[first..].to_vec())
    }

    #[test]
    fn of_a_curve_of_utilisation_three_windows_are_told() {
        let three = told(&WINDOWS_NS);
        assert_eq!(three.0, ["MMU 1 ms", "MMU 10 ms", "MMU 100 ms"]);
        assert_eq!(three.1, [0.001, 0.01, 0.1].map(percent));
        let curve = [10_000, 30_000, 1_000_000, 3_000_000, 10_000_000, 30_000_000, 100_000_000];
        assert_eq!(told(&curve), three);
        assert_eq!(told(&curve[..4]).0, ["MMU 1 ms"]);
        assert_eq!(told(&[5_000, 2_000_000]).0, ["MMU 5 µs", "MMU 2 ms"], "none of the three");
        assert!(told(&[]).0.is_empty());
    }
}
