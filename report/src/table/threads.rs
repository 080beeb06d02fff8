//! Tables of threads: one for each mode, a line for each configuration with each number of threads.

use super::results::baseline_title;
use super::{Sheet, counts, wrapped};
use crate::format::{
    NOTHING, TimeUnit, human_bytes, human_count, human_time, or_nothing, significant, with_interval,
};
use crate::labels::without_lists;
use crate::record::Status;
use crate::record::params::LISTS;
use crate::threads::{Block, Line, Spot};
use crate::verdict::percent;
use std::collections::{BTreeMap, BTreeSet};

mod csv;
mod notes;
pub use self::csv::threads_csv;
use notes::{notes, oversubscribed_note};

/// What stands behind a number of threads that is more than there are cores.
const OVERSUBSCRIBED: &str = "*";

const SPARE: [&str; 13] = [
    "efficiency",
    "CPU time",
    "RSS peak",
    "tasks",
    "verdict",
    "heap peak",
    "CPU growth",
    "max pause",
    "spread",
    "copied",
    "immortal",
    "stolen",
    "outliers",
];

/// The tables of all modes for a terminal; nothing of no blocks. For the width see
/// [`results_table`](super::results_table).
pub fn threads_table(blocks: &[Block], width_columns: u16) -> String {
    let of = |block: &Block| titled(block, sheet(block), width_columns);
    blocks.iter().map(of).collect::<Vec<_>>().join("\n")
}

/// The work counts of all modes, of one search each. For the width see
/// [`results_table`](super::results_table).
pub fn threads_counts_table(blocks: &[Block], width_columns: u16) -> String {
    let of = |block: &Block| titled(block, counts_sheet(block), width_columns);
    blocks.iter().map(of).collect::<Vec<_>>().join("\n")
}

fn titled(block: &Block, mut sheet: Sheet, width_columns: u16) -> String {
    for note in &mut sheet.notes {
        *note = wrapped(note, width_columns.into()).trim_end().to_owned();
    }
    let title = format!("{}: {}", title(block), block.about());
    format!("{}\n{}", wrapped(&title, width_columns.into()), sheet.text(width_columns))
}

/// What a table is of: `shared, split depth 2, n = 10`.
pub(crate) fn title(block: &Block) -> String {
    let mode = match block.mode.name() {
        "" => "several threads",
        name => name,
    };
    let depth = block.depth.as_ref().map(|depth| format!("split depth {depth}"));
    let n = only_n(block).map(|n| format!("n = {n}"));
    [Some(mode.to_owned()), depth, n].into_iter().flatten().collect::<Vec<_>>().join(", ")
}

/// The n of all rows, where they have the same.
fn only_n(block: &Block) -> Option<u32> {
    let sizes: BTreeSet<u32> = block.spots().map(|spot| spot.row.n).collect();
    sizes.first().copied().filter(|_| sizes.len() == 1)
}

/// Time, speed-up, processor time, ratio, verdict, memory.
pub(crate) fn sheet(block: &Block) -> Sheet {
    let ratio = baseline_title(block.baseline());
    let mut header = vec!["backend", "threads", "median time", "speed-up", "efficiency"];
    header.extend(["CPU time", "CPU growth", "tasks", "stolen", "copied", "immortal"]);
    header.extend(["heap peak", "RSS peak", "max pause", "spread", "outliers", &ratio, "verdict"]);
    let several = only_n(block).is_none();
    header.splice(1..1, several.then_some("n"));
    let ways = block.spots().any(|spot| spot.lists().is_some());
    header.splice(1..1, ways.then_some(LISTS));
    let mut sheet = Sheet::new(&header, &SPARE);
    let units = units(block);
    for line in block.lines() {
        for spot in &line.spots {
            let (row, summary) = (spot.row, &spot.view.summary);
            let threads = row.parallel.as_ref();
            let mut cells = vec![without_lists(&row.label, &spot.group().params)];
            cells.extend(ways.then(|| or_nothing(spot.lists(), str::to_owned)));
            cells.extend(several.then(|| row.n.to_string()));
            cells.extend([
                threads_cell(spot),
                match row.status {
                    Status::Ok => {
                        or_nothing(row.time_ns, |time| units[&row.n].with_interval(&time))
                    }
                    failed => failed.words().to_owned(),
                },
                speed_up(&line, spot),
                or_nothing(line.efficiency(spot), |share| percent(share.value)),
                or_nothing(spot.cpu_ns(block), |cpu| human_time(cpu.value)),
                or_nothing(line.cpu_growth(spot), |times| significant(times.value)),
                or_nothing(threads.and_then(|it| it.tasks), human_count),
                or_nothing(threads.and_then(|it| it.tasks_stolen), human_count),
                or_nothing(threads.and_then(|it| it.cells_copied), human_count),
                or_nothing(threads.and_then(|it| it.cells_immortal), human_count),
                or_nothing(row.heap_peak_bytes, human_bytes),
                or_nothing(row.rss_peak_bytes, human_bytes),
                or_nothing(row.pauses.as_ref().filter(|it| it.count > 0), |pauses| {
                    human_time(pauses.max_ns as f64)
                }),
                or_nothing(row.spread, percent),
                or_nothing(Some(row.outliers).filter(|&some| some > 0), |some| some.to_string()),
                match summary.is_baseline(row) {
                    true => "1".to_owned(),
                    false => or_nothing(row.ratio, |ratio| with_interval(&ratio, 1.0)),
                },
                summary.verdict(row).map_or(NOTHING, |verdict| verdict.word()).to_owned(),
            ]);
            sheet.lines.push((row.group, cells));
        }
    }
    sheet.notes = notes(block);
    sheet.told()
}

/// The work of each row, of one search, with the tasks that it was split into.
pub(crate) fn counts_sheet(block: &Block) -> Sheet {
    let lines = block.lines();
    let spots: Vec<&Spot> = lines.iter().flat_map(|line| &line.spots).collect();
    let mut sheet = counts(spots.iter().map(|spot| spot.row), |count| count.to_string());
    sheet.header.insert(2, "threads".to_owned());
    for ((_, cells), spot) in sheet.lines.iter_mut().zip(&spots) {
        cells.insert(2, threads_cell(spot));
    }
    let titles = ["tasks", "stolen", "copied for tasks", "made immortal"];
    for (title, of) in titles.into_iter().zip(TASKS) {
        if spots.iter().any(|spot| of(spot).is_some()) {
            sheet.header.push(title.to_owned());
            for ((_, cells), spot) in sheet.lines.iter_mut().zip(&spots) {
                cells.push(or_nothing(of(spot), |count| count.to_string()));
            }
        }
    }
    sheet.notes.extend(oversubscribed_note(block));
    sheet
}

/// What is counted of tasks.
type Count = fn(&Spot) -> Option<u64>;
const TASKS: [Count; 4] = [
    |spot| spot.row.parallel.as_ref()?.tasks,
    |spot| spot.row.parallel.as_ref()?.tasks_stolen,
    |spot| spot.row.parallel.as_ref()?.cells_copied,
    |spot| spot.row.parallel.as_ref()?.cells_immortal,
];

/// The number of threads, marked where it is more than there are cores.
fn threads_cell(spot: &Spot) -> String {
    let mark = if spot.oversubscribed() { OVERSUBSCRIBED } else { "" };
    format!("{}{mark}", spot.threads())
}

/// Over one thread, with its interval; 1 of one thread itself.
fn speed_up(line: &Line, spot: &Spot) -> String {
    match line.speed_up(spot) {
        Some(_) if spot.threads() == 1 => "1".to_owned(),
        speed_up => or_nothing(speed_up, |times| with_interval(&times, 1.0)),
    }
}

/// The unit of all times at one n: that of the least.
fn units(block: &Block) -> BTreeMap<u32, TimeUnit> {
    let mut least: BTreeMap<u32, f64> = BTreeMap::new();
    for spot in block.spots() {
        let known = least.entry(spot.row.n).or_insert(f64::INFINITY);
        *known = known.min(spot.row.time_ns.map_or(f64::INFINITY, |time| time.value));
    }
    least.into_iter().map(|(n, ns)| (n, TimeUnit::of(ns))).collect()
}
