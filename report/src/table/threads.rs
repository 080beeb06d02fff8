//! Tables of threads: one for each mode, a line for each configuration with each number of threads.

use super::csv::{COLUMNS, kind, number, text, written};
use super::results::{baseline_title, long_baseline};
use super::{Sheet, counts, range_note, wrapped};
use crate::format::{
    NOTHING, TimeUnit, human_bytes, human_count, human_time, or_nothing, significant, with_interval,
};
use crate::record::Status;
use crate::stats::Estimate;
use crate::summary::{NoiseFloor, Summary};
use crate::threads::{Block, Line, Spot, counted};
use crate::verdict::percent;
use std::collections::{BTreeMap, BTreeSet};

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

fn titled(block: &Block, sheet: Sheet, width_columns: u16) -> String {
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
    let mut sheet = Sheet::new(&header, &SPARE);
    let units = units(block);
    for line in block.lines() {
        for spot in &line.spots {
            let (row, summary) = (spot.row, &spot.view.summary);
            let threads = row.parallel.as_ref();
            let mut cells = vec![row.label.clone()];
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

/// What is to be said of the rows.
fn notes(block: &Block) -> Vec<String> {
    let mut notes: Vec<String> = Vec::new();
    if let Some(baseline) = block.baseline() {
        let title = if long_baseline(baseline) { "ratio" } else { &format!("time/{baseline}") };
        notes.push(format!("{title}: time over that of {baseline} at the same n and threads"));
    }
    notes.push(
        match block.mode.side_by_side() {
            true => "speed-up: searches done over those that one thread does in the same time",
            false => "speed-up: time with one thread over time",
        }
        .to_owned(),
    );
    if !block.spots().any(|spot| spot.threads() == 1 && spot.row.time_ns.is_some()) {
        notes.push("nothing has a time with one thread, so no speed-up is known".to_owned());
    }
    notes.extend(oversubscribed_note(block));
    notes.extend(pinned_note(block));
    for spot in block.spots().filter(|spot| spot.row.status != Status::Ok) {
        let (label, n, threads) = (&spot.row.label, spot.row.n, counted(spot.threads()));
        let why = spot.row.message.as_deref().unwrap_or(spot.row.status.words());
        notes.push(format!("{label}, n = {n}, {threads}: {why}"));
    }
    let mut times = block.spots().filter_map(|spot| spot.row.time_ns);
    let is_range = |time: Estimate| time.interval().is_some() && !time.confident();
    notes.extend(range_note(times.any(is_range)));
    notes.extend(noise(block));
    let origins = block.origins().iter().filter(|(_, name)| name.contains("machine "));
    notes.extend(origins.map(|(origin, name)| format!("{name}: {}", origin.machine)));
    notes
}

/// What the mark means, where there is one: `* more threads than the 2 cores, so they take turns`.
fn oversubscribed_note(block: &Block) -> Option<String> {
    let marked = block.spots().filter(Spot::oversubscribed);
    let cores: BTreeSet<u32> = marked.map(|spot| spot.cores()).collect();
    let told = match (cores.first()?, cores.len()) {
        (1, 1) => "the one core".to_owned(),
        (cores, 1) => format!("the {cores} cores"),
        _ => "their machine has cores".to_owned(),
    };
    Some(format!("{OVERSUBSCRIBED} oversubscribed: more threads than {told}, so they take turns"))
}

/// Whether threads were kept on their cores.
fn pinned_note(block: &Block) -> Option<String> {
    let pinned: BTreeSet<bool> =
        block.spots().filter_map(|spot| Some(spot.row.parallel.as_ref()?.pinned)).collect();
    let told = match (pinned.contains(&true), pinned.contains(&false)) {
        (false, false) => return None,
        (true, false) => "each thread was kept on one core",
        (false, true) => "threads were not kept on cores: the system placed them",
        (true, true) => "some threads were kept on one core each, others placed by the system",
    };
    Some(told.to_owned())
}

/// The noise floors, in a line for each n and origin:
/// `Noise floor at n = 9: 1.2 % with 1 thread, 2.0 % with 2 (gc against itself, 8 pairs)`.
fn noise(block: &Block) -> Vec<String> {
    let mut floors: BTreeMap<(u32, usize), Vec<(u32, &NoiseFloor)>> = BTreeMap::new();
    for view in &block.views {
        for noise in &view.summary.noise {
            floors.entry((noise.n, noise.origin)).or_default().push((view.threads, noise));
        }
    }
    let line = |((n, _), floors): ((u32, usize), Vec<(u32, &NoiseFloor)>)| {
        let mut by_threads: BTreeMap<u32, f64> = BTreeMap::new();
        for (threads, noise) in &floors {
            let highest = by_threads.entry(*threads).or_default();
            *highest = highest.max(noise.fraction());
        }
        let told = by_threads.iter().enumerate().map(|(i, (&threads, &floor))| match i {
            0 => format!("{} with {}", percent(floor), counted(threads)),
            _ => format!("{} with {threads}", percent(floor)),
        });
        let labels: BTreeSet<&str> = floors.iter().map(|(_, noise)| noise.label.as_str()).collect();
        let whose = match labels.len() {
            1 => format!("{} against itself", labels.first().unwrap_or(&"")),
            _ => {
                let labels: Vec<&str> = labels.into_iter().collect();
                format!("the highest of {}, each against itself", labels.join(", "))
            }
        };
        let pairs = || floors.iter().map(|(_, noise)| noise.ratio.samples);
        let pairs = match (pairs().min().unwrap_or(0), pairs().max().unwrap_or(0)) {
            (1, 1) => "one pair only, so a guess".to_owned(),
            (least, most) if least == most => format!("{most} pairs"),
            (least, most) => format!("{least} to {most} pairs"),
        };
        let told: Vec<String> = told.collect();
        format!("Noise floor at n = {n}: {} ({whose}, {pairs})", told.join(", "))
    };
    floors.into_iter().map(line).collect()
}

/// A title, and what stands below it; nothing where it is not known.
type Column = (&'static str, fn(&Block, &Line, &Spot) -> Option<String>);

const OF_THREADS: [Column; 21] = [
    ("mode", |block, _, _| text(block.mode.name())),
    ("split_depth", |block, _, _| text(block.depth.as_ref()?)),
    ("lists", |_, _, spot| text(spot.lists()?)),
    ("threads", |_, _, spot| number(spot.threads())),
    ("cores", |_, _, spot| number(spot.row.parallel.as_ref()?.cores)),
    ("oversubscribed", |_, _, spot| text(if spot.oversubscribed() { "yes" } else { "no" })),
    ("pinned", |_, _, spot| text(if spot.row.parallel.as_ref()?.pinned { "yes" } else { "no" })),
    ("speed_up", |_, line, spot| number(line.speed_up(spot)?.value)),
    ("speed_up_low", |_, line, spot| number(line.speed_up(spot)?.interval()?.0)),
    ("speed_up_high", |_, line, spot| number(line.speed_up(spot)?.interval()?.1)),
    ("speed_up_interval", |_, line, spot| text(kind(&line.speed_up(spot)?)?)),
    ("efficiency", |_, line, spot| number(line.efficiency(spot)?.value)),
    ("cpu_ns_per_search", |block, _, spot| number(spot.cpu_ns(block)?.value)),
    ("cpu_growth", |_, line, spot| number(line.cpu_growth(spot)?.value)),
    ("cpu_growth_low", |_, line, spot| number(line.cpu_growth(spot)?.interval()?.0)),
    ("cpu_growth_high", |_, line, spot| number(line.cpu_growth(spot)?.interval()?.1)),
    ("scaling_verdict", |_, line, spot| text(line.verdict(spot)?.word())),
    ("tasks", |_, _, spot| number(TASKS[0](spot)?)),
    ("tasks_stolen", |_, _, spot| number(TASKS[1](spot)?)),
    ("cells_copied", |_, _, spot| number(TASKS[2](spot)?)),
    ("cells_immortal", |_, _, spot| number(TASKS[3](spot)?)),
];

/// The rows of one thread as [`results_csv`](super::results_csv) has them, and those of threads, which
/// have columns of their own behind the others. Times of threads that work side by side are of as many
/// searches as there are threads, processor times of one; counts of work are of one search.
pub fn threads_csv(summary: &Summary, blocks: &[Block]) -> String {
    let plain = COLUMNS.iter().map(|(title, _)| *title);
    let titles = plain.chain(OF_THREADS.map(|(title, _)| title)).map(str::to_owned).collect();
    let of_row = |summary, row| COLUMNS.iter().map(move |(_, cell)| cell(summary, row));
    let alone = summary.rows.iter().map(|row| {
        let none = OF_THREADS.map(|(title, _)| (title == "threads").then(|| "1".to_owned()));
        of_row(summary, row).chain(none).map(Option::unwrap_or_default).collect()
    });
    let lines: Vec<(&Block, Line)> = blocks
        .iter()
        .flat_map(|block| block.lines().into_iter().map(move |it| (block, it)))
        .collect();
    let of_threads = lines.iter().flat_map(|(block, line)| {
        line.spots.iter().map(move |spot| {
            let own = OF_THREADS.map(|(_, cell)| cell(block, line, spot));
            of_row(&spot.view.summary, spot.row).chain(own).map(Option::unwrap_or_default).collect()
        })
    });
    written(std::iter::once(titles).chain(alone).chain(of_threads))
}
