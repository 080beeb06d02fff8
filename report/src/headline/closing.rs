//! What an answer needs beside it: how far the run can be trusted, the price in memory, failures.

use super::field::{Field, LONGEST_NAME};
use super::list;
use crate::format::{human_bytes, shorten, significant};
use crate::record::Status;
use crate::summary::{Row, Summary};

/// The noise floor.
pub(super) fn noise(field: &Field) -> String {
    let n = field.n;
    match field.noise {
        Some(noise) => format!("{}; a difference below it is no difference.", noise.sentence()),
        None => format!("No backend was entered twice at n = {n}, so the noise floor is unknown."),
    }
}

/// The most memory that some heaps held, and the space overhead; `None` where no heap tells.
pub(super) fn memory(field: &Field, named: &[&Row]) -> Option<String> {
    let mut times = " times what lived";
    let mut told = Vec::new();
    for row in named {
        let Some(bytes) = row.heap_peak_bytes.filter(|bytes| *bytes > 0) else { continue };
        let overhead = field.space_overhead(row).map_or(String::new(), |overhead| {
            format!(", {}{}", significant(overhead), std::mem::replace(&mut times, " times"))
        });
        let (name, bytes) = (field.name(row), human_bytes(bytes));
        told.push(match told.is_empty() {
            true => format!("The heap of {name} held up to {bytes}{overhead}"),
            false => format!("that of {name} {bytes}{overhead}"),
        });
    }
    (!told.is_empty()).then(|| format!("{}.", told.join("; ")))
}

/// What failed, of any size; `None` where nothing did.
pub(super) fn failures(summary: &Summary) -> Option<String> {
    const MOST: usize = 4;
    let failed = || summary.rows.iter().filter(|row| row.status != Status::Ok);
    let (swept, studied): (Vec<&Row>, Vec<&Row>) =
        failed().partition(|row| summary.group_of(row).swept);
    // A peer that fails is no failure of the study.
    let peers = |row: &&Row| summary.group_of(row).peer.is_some();
    let (peers, studied): (Vec<&Row>, Vec<&Row>) = studied.into_iter().partition(peers);
    let mut named: Vec<String> = studied
        .iter()
        .chain(&peers)
        .map(|row| {
            let label = shorten(&row.label, LONGEST_NAME);
            format!("{label} ({} at n = {})", row.status.words(), row.n)
        })
        .collect();
    if named.len() > MOST {
        let more = named.len() - MOST;
        named.truncate(MOST);
        named.push(format!("{more} more, listed below"));
    }
    // A limit that is swept is there to be reached.
    let sweeps = match swept.len() {
        0 => None,
        1 => Some(
            "One point of the sweeps ended in a failure, which its chart shows as a cross."
                .to_owned(),
        ),
        many => Some(format!(
            "Of the sweeps {many} points ended in a failure, most of them at heap limits: the charts show them as crosses."
        )),
    };
    let studied = (!named.is_empty()).then(|| format!("Failed: {}.", list(&named)));
    let said: Vec<String> = studied.into_iter().chain(sweeps).collect();
    (!said.is_empty()).then(|| said.join(" "))
}
