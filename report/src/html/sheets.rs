//! The tables beside the main one: means over all sizes, work, pauses, events of the processor.

use super::numbers::in_order;
use super::view::chip;
use crate::format::{exact_count, human_bytes, or_nothing};
use crate::record::Status;
use crate::summary::{Row, Summary};
use crate::table::{self, Sheet};
use minijinja::{Value, context};

const OVERALL: &str = "Over several sizes a backend's ratio is the geometric mean of its ratios at \
    each, the one mean that does not depend on the baseline. It is taken within each round; shown are \
    the median of the rounds and its 95 % interval. Rounds without some of the sizes are left out.";

const PAUSES: &str = "How long the program stands still for its memory manager in one search, timed \
    in an instance of its own: a collection, a sweep, a closed scope, or a release that frees more \
    than one cell. It is wall time: what the system does to the process meanwhile is in it. All are \
    medians of the samples, so that what the system did to one of them is left out; p99 is the length \
    that 99 of 100 pauses do not exceed. MMU, minimum mutator utilisation, is the least share of any \
    window of that length, or of a shorter search, that is the program's own. In sweeps is the part of a \
    search in which dead memory was looked for or made free, within pauses or not, marking apart; \
    what reading the clock takes is left out of it.";

const COUNTERS: &str = "Events of one search, start-up excluded. Callgrind simulates a processor, its \
    caches and its branch prediction, so its counts hardly change from run to run; perf are the \
    processor's own counts. LL is the last level of cache.";

const WORK: &str = "Counts of one search, taken in an instance of its own, so that counting does not \
    disturb the times. What every memory manager must do alike stands first; how often they count \
    references, collect and sweep is their own. Runs are stretches of free memory that sweeps found or \
    closed scopes gave back; words those of mark bits that sweeps looked at; roots the references that \
    were stored in a shadow stack.";

/// The tables that have something to show, each in a view of its own.
pub(super) fn views(summary: &Summary) -> Vec<Value> {
    let rows = || in_order(summary);
    let sheet = |id, title, about, sheet: Option<Sheet>| {
        let Sheet { header, lines, notes, .. } = sheet?;
        let line =
            |(group, cells): (usize, Vec<String>)| (chip(&summary.groups[group].backend), cells);
        Some(view(id, title, about, &header, lines.into_iter().map(line).collect(), notes))
    };
    let views = [
        sheet("overall", "Over all n", OVERALL, table::overall(summary)),
        work(summary),
        sheet("pauses", "Pauses", PAUSES, table::pauses(rows())),
        sheet("counters", "Instructions, branches and caches", COUNTERS, table::counters(rows())),
    ];
    views.into_iter().flatten().collect()
}

fn view(
    id: &str,
    title: &str,
    about: &str,
    header: &[String],
    lines: Vec<(String, Vec<String>)>,
    notes: Vec<String>,
) -> Value {
    let words = |title: &String| ["verdict", "source"].contains(&title.as_str());
    let lines = lines.into_iter().map(|(chip, cells)| context! { chip, cells });
    context! {
        id, title, about, notes,
        header => header.iter().map(|title| context! { title, words => words(title) }).collect::<Vec<_>>(),
        lines => lines.collect::<Vec<_>>(),
    }
}

/// What memory managers differ in, and how it is written.
type Count = (&'static str, fn(&Row) -> Option<u64>, fn(u64) -> String);

const COUNTS: [Count; 14] = [
    ("increments", |row| row.rc_increments, exact_count),
    ("decrements", |row| row.rc_decrements, exact_count),
    ("cells freed", |row| row.cells_freed, exact_count),
    ("scopes closed", |row| row.scopes, exact_count),
    ("collections", |row| row.collections, exact_count),
    ("bytes copied", |row| row.bytes_copied, human_bytes),
    ("cells marked", |row| row.cells_marked, exact_count),
    ("cells swept", |row| row.cells_swept, exact_count),
    ("barrier hits", |row| row.barrier_hits, exact_count),
    ("runs found", |row| row.runs_found, exact_count),
    ("words scanned", |row| row.words_scanned, exact_count),
    ("roots stored", |row| row.roots_stored, exact_count),
    ("most bytes not freed", |row| row.live_peak_bytes, human_bytes),
    ("cells left at exit", |row| row.live_cells_at_exit, exact_count),
];

/// The work, in the digits that make counts comparable. Columns without a count are left out; those of
/// zeros too, and a note says so.
fn work(summary: &Summary) -> Option<Value> {
    let counted = |row: &&Row| COUNTS.iter().any(|(_, count, _)| count(row).is_some());
    let rows: Vec<&Row> = in_order(summary).filter(counted).collect();
    let most = |(_, count, _): &Count| rows.iter().filter_map(|row| count(row)).max();
    let (zeros, counts): (Vec<&Count>, Vec<&Count>) = COUNTS
        .iter()
        .filter(|count| most(count).is_some())
        .partition(|count| most(count) == Some(0));
    let titles = |counts: &[&Count]| counts.iter().map(|count| count.0).collect::<Vec<_>>();
    let header = ["backend", "n"].into_iter().chain(titles(&counts));
    let header: Vec<String> = header.map(str::to_owned).collect();
    let line = |row: &&Row| {
        let own = counts.iter().map(|(_, count, text)| or_nothing(count(row), text));
        let cells = [row.label.clone(), row.n.to_string()].into_iter().chain(own).collect();
        (chip(&summary.group_of(row).backend), cells)
    };
    let lines: Vec<_> = rows.iter().map(line).collect();
    let same = same_for_all(summary);
    if lines.is_empty() && same.is_empty() {
        return None;
    }
    let note = format!("None had any of these: {}.", titles(&zeros).join(", "));
    let notes = if zeros.is_empty() { Vec::new() } else { vec![note] };
    let work = view("counts", "Work", WORK, &header, lines, notes);
    Some(context! { same, ..work })
}

/// What each backend must do alike at one n; one that did not is shown as failed.
fn same_for_all(summary: &Summary) -> Vec<Value> {
    let sound = |row: &&Row| row.status == Status::Ok && row.cells_allocated.is_some();
    let rows: Vec<&Row> = in_order(summary).filter(sound).collect();
    let first = rows.chunk_by(|a, b| a.n == b.n).map(|rows| rows[0]);
    let view = |row: &Row| {
        context! {
            n => row.n,
            solutions => or_nothing(row.solutions, exact_count),
            allocated => or_nothing(row.cells_allocated, exact_count),
            filtered => or_nothing(row.cells_filtered, exact_count),
            length => or_nothing(row.cells_length, exact_count),
        }
    };
    first.map(view).collect()
}
