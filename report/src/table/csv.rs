//! The main table for spreadsheets: raw numbers, each in the unit that its column names.

use crate::format::clean;
use crate::record::Counters;
use crate::stats::Estimate;
use crate::summary::{Events, NoiseFloor, PauseTimes, Row, Summary};
use csv::Writer;
use std::fmt::Display;

/// A title, and what stands below it; nothing where it is not known.
pub(super) type Column = (&'static str, fn(&Summary, &Row) -> Option<String>);

pub(super) const COLUMNS: &[Column] = &[
    ("label", |_, row| text(&row.label)),
    ("backend", |summary, row| text(&summary.group_of(row).backend)),
    ("n", |_, row| number(row.n)),
    ("status", |_, row| text(row.status.words())),
    ("solutions", |_, row| row.solutions.and_then(number)),
    ("rounds", |_, row| number(row.time_ns?.samples)),
    ("outliers", |_, row| row.time_ns.and_then(|_| number(row.outliers))),
    ("interval", |_, row| text(kind(&row.time_ns?)?)),
    ("time_ns", |_, row| number(row.time_ns?.value)),
    ("time_low_ns", |_, row| number(row.time_ns?.interval()?.0)),
    ("time_high_ns", |_, row| number(row.time_ns?.interval()?.1)),
    ("spread", |_, row| number(row.spread?)),
    ("ns_per_cell", |_, row| number(row.ns_per_cell?)),
    ("baseline", |summary, row| row.ratio.and(text(summary.baseline.as_ref()?))),
    ("ratio", |_, row| number(row.ratio?.value)),
    ("ratio_low", |_, row| number(row.ratio?.interval()?.0)),
    ("ratio_high", |_, row| number(row.ratio?.interval()?.1)),
    ("noise_floor", |summary, row| number(summary.noise_of(row).map(NoiseFloor::fraction)?)),
    ("verdict", |summary, row| text(summary.verdict(row)?.word())),
    ("cells_allocated", |_, row| number(row.cells_allocated?)),
    ("cells_filtered", |_, row| number(row.cells_filtered?)),
    ("cells_length", |_, row| number(row.cells_length?)),
    ("rc_increments", |_, row| number(row.rc_increments?)),
    ("rc_decrements", |_, row| number(row.rc_decrements?)),
    ("cells_freed", |_, row| number(row.cells_freed?)),
    ("scopes", |_, row| number(row.scopes?)),
    ("collections", |_, row| number(row.collections?)),
    ("bytes_copied", |_, row| number(row.bytes_copied?)),
    ("cells_marked", |_, row| number(row.cells_marked?)),
    ("cells_swept", |_, row| number(row.cells_swept?)),
    ("barrier_hits", |_, row| number(row.barrier_hits?)),
    ("runs_found", |_, row| number(row.runs_found?)),
    ("words_scanned", |_, row| number(row.words_scanned?)),
    ("roots_stored", |_, row| number(row.roots_stored?)),
    ("live_cells_at_exit", |_, row| number(row.live_cells_at_exit?)),
    ("heap_peak_bytes", |_, row| number(row.heap_peak_bytes?)),
    ("live_peak_bytes", |_, row| number(row.live_peak_bytes?)),
    ("rss_peak_bytes", |_, row| number(row.rss_peak_bytes?)),
    ("space_overhead", |summary, row| number(summary.space_overhead(row)?)),
    ("pauses", |_, row| number(row.pauses.as_ref()?.count)),
    ("pause_total_ns", |_, row| number(row.pauses.as_ref()?.total_ns)),
    ("pause_p50_ns", |_, row| number(paused(row)?.p50_ns)),
    ("pause_p99_ns", |_, row| number(paused(row)?.p99_ns)),
    ("pause_p999_ns", |_, row| number(paused(row)?.p999_ns)),
    ("pause_max_ns", |_, row| number(paused(row)?.max_ns)),
    ("sweeps", |_, row| number(row.pauses.as_ref()?.sweeps?)),
    ("sweep_share", |_, row| number(row.pauses.as_ref()?.sweep_share?)),
    ("instructions", |_, row| number(counters(row)?.instructions?)),
    ("instructions_per_cell", |_, row| number(events(row)?.instructions_per_cell?)),
    ("cycles", |_, row| number(counters(row)?.cycles?)),
    ("branches", |_, row| number(counters(row)?.branches?)),
    ("branch_misses", |_, row| number(counters(row)?.branch_misses?)),
    ("l1_misses", |_, row| number(counters(row)?.l1_misses?)),
    ("ll_misses", |_, row| number(counters(row)?.ll_misses?)),
    ("events_source", |_, row| text(super::events::source_name(counters(row)?.source))),
    ("family", |summary, row| text(&summary.group_of(row).family)),
    ("language", |summary, row| text(summary.group_of(row).language()?)),
    ("title", |summary, row| text(&summary.group_of(row).peer.as_ref()?.title)),
    ("generational", |summary, row| text(yes_no(summary.group_of(row).capabilities.generational))),
    ("problem_specific", |summary, row| {
        text(yes_no(summary.group_of(row).capabilities.problem_specific))
    }),
    ("swept", |summary, row| text(yes_no(summary.group_of(row).swept))),
    ("params", |summary, row| {
        let params = summary.group_of(row).params.iter();
        text(params.map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join("; "))
    }),
    ("origin", |summary, row| {
        let (origin, _) = summary.origins.get(summary.group_of(row).origin)?;
        let parts = [&origin.program, &origin.commit, &origin.machine].map(String::as_str);
        text(parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(", "))
    }),
    ("message", |_, row| text(row.message.as_ref()?)),
];

/// The main table as comma-separated values: a line of titles, then one for each row, in the order
/// of the table. Numbers are raw and in the units that the titles name; what is not known is empty.
///
/// Times and ratios are medians, from `_low` to `_high` their 95 % intervals, or the range of the
/// samples where `interval` says so. Events are of one source, callgrind where it counted any.
pub fn results_csv(summary: &Summary) -> String {
    let titles = COLUMNS.iter().map(|(title, _)| (*title).to_owned()).collect();
    let line = |row| COLUMNS.iter().map(move |(_, cell)| cell(summary, row).unwrap_or_default());
    let lines = summary.rows.iter().map(|row| line(row).collect());
    written(std::iter::once(titles).chain(lines))
}

/// Lines of cells as text.
pub(super) fn written(lines: impl Iterator<Item = Vec<String>>) -> String {
    let mut writer = Writer::from_writer(Vec::new());
    for line in lines {
        // Memory takes all that is written to it, and every line has as many cells.
        let _ = writer.write_record(line);
    }
    String::from_utf8_lossy(&writer.into_inner().unwrap_or_default()).into_owned()
}

pub(super) fn number(number: impl Display) -> Option<String> {
    Some(number.to_string())
}

/// A text that no spreadsheet takes for a formula: names come from records.
/// (OWASP, "CSV injection".)
pub(super) fn text(text: impl AsRef<str>) -> Option<String> {
    let text = clean(text.as_ref());
    // Some skip blanks before they look, and some take the signs' wide forms too.
    let formula = |c: char| "=+-@＝＋－＠".contains(c);
    match text.trim_start().starts_with(formula) {
        true => Some(format!("'{text}")),
        false => Some(text),
    }
}

/// What the ends are; `None` where there is one sample only.
pub(super) fn kind(estimate: &Estimate) -> Option<&'static str> {
    estimate.interval().map(|_| if estimate.confident() { "95 %" } else { "range" })
}

fn yes_no(is: bool) -> &'static str {
    if is { "yes" } else { "no" }
}

/// The pauses where there are any: of none there are no lengths.
fn paused(row: &Row) -> Option<&PauseTimes> {
    row.pauses.as_ref().filter(|pauses| pauses.count > 0)
}

/// The events of the first source that has instructions.
fn events(row: &Row) -> Option<&Events> {
    row.events.iter().find(|events| events.counters.instructions.is_some())
}

fn counters(row: &Row) -> Option<&Counters> {
    events(row).map(|events| &events.counters)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_no_formulas() {
        for name in ["=1+1", "+1", "-1", "@SUM(A1)", " =1", "＝1"] {
            assert!(text(name).unwrap().starts_with('\''), "{name}");
        }
        for name in ["gc", "gc{nursery=8KiB}", "rc-value", "a=b", ""] {
            assert_eq!(text(name).unwrap(), name);
        }
    }
}
