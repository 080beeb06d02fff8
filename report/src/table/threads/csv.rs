//! The rows of threads for spreadsheets, below those of one thread.

use super::TASKS;
use crate::summary::Summary;
use crate::table::csv::{COLUMNS, kind, number, text, written};
use crate::threads::{Block, Line, Spot};

/// A title, and what stands below it; nothing where it is not known.
type Column = (&'static str, fn(&Block, &Line, &Spot) -> Option<String>);

const OF_THREADS: [Column; 22] = [
    ("mode", |block, _, _| text(block.mode.name())),
    ("split_depth", |block, _, _| text(block.depth.as_ref()?)),
    ("lists", |_, _, spot| text(spot.lists()?)),
    ("threads", |_, _, spot| number(spot.threads())),
    ("cores", |_, _, spot| number(spot.row.parallel.as_ref()?.cores)),
    ("oversubscribed", |_, _, spot| text(if spot.oversubscribed() { "yes" } else { "no" })),
    ("pinned", |_, _, spot| text(if spot.pinned()? { "yes" } else { "no" })),
    ("physical_cores", |_, _, spot| number(spot.row.parallel.as_ref()?.physical_cores?)),
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

/// The rows of one thread as [`results_csv`](crate::table::results_csv) has them, and those of threads, which
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
