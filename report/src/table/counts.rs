//! The work that was counted.

use super::{Sheet, name_and_n};
use crate::format::{human_bytes, human_count, or_nothing};
use crate::record::Status;
use crate::summary::Row;

const SPARE: [&str; 11] = [
    "GCs",
    "copied",
    "live at exit",
    "freed",
    "scopes",
    "marked",
    "swept",
    "runs found",
    "words scanned",
    "roots stored",
    "barrier hits",
];

/// Counts of what few backends do: left out where none did it.
type Rare = (&'static str, fn(&Row) -> Option<u64>);
const RARE: [Rare; 3] = [
    ("runs found", |row| row.runs_found),
    ("words scanned", |row| row.words_scanned),
    ("roots stored", |row| row.roots_stored),
];

/// The work counts of each row; those that every backend must reach are written by `exact`.
pub(crate) fn counts<'a>(
    rows: impl Iterator<Item = &'a Row> + Clone,
    exact: fn(u64) -> String,
) -> Sheet {
    let did = |count: fn(&Row) -> Option<u64>| rows.clone().any(|row| count(row) > Some(0));
    let rare: Vec<Rare> = RARE.into_iter().filter(|(_, count)| did(*count)).collect();
    let mut header = vec![
        "backend",
        "n",
        "solutions",
        "allocated",
        "filtered",
        "length",
        "increments",
        "decrements",
        "freed",
        "scopes",
        "GCs",
        "copied",
        "marked",
        "swept",
        "barrier hits",
        "live at exit",
    ];
    header.extend(rare.iter().map(|(title, _)| *title));
    let mut sheet = Sheet::new(&header, &SPARE);
    for row in rows {
        let mut cells = name_and_n(row);
        cells.push(match row.status {
            Status::Ok => or_nothing(row.solutions, exact),
            failed => failed.words().to_owned(),
        });
        // All digits, because these are compared with the expected ones.
        let exact = |count: Option<u64>| or_nothing(count, exact);
        let rough = |count: Option<u64>| or_nothing(count, human_count);
        cells.extend([
            exact(row.cells_allocated),
            exact(row.cells_filtered),
            exact(row.cells_length),
            exact(row.rc_increments),
            exact(row.rc_decrements),
            rough(row.cells_freed),
            rough(row.scopes),
            exact(row.collections),
            or_nothing(row.bytes_copied, human_bytes),
            rough(row.cells_marked),
            rough(row.cells_swept),
            rough(row.barrier_hits),
            exact(row.live_cells_at_exit),
        ]);
        cells.extend(rare.iter().map(|(_, count)| rough(count(row))));
        sheet.lines.push((row.group, cells));
    }
    sheet.told()
}
