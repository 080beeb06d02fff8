//! The answer in a few sentences, made from the data: other data, other sentences.

use crate::format::human_time;
use crate::record::{Record, Status};
use crate::stats::{Estimate, MIN_SAMPLES};
use crate::summary::{NoiseFloor, Row, Summary};
use crate::verdict::{Verdict, clause, percent};
use std::iter;

/// What naive reference counting is called: by value, the first that the records have.
const NAIVE_COUNTING: [&str; 2] = ["arc-split", "rc-value"];
/// The collector that it is compared with.
const COLLECTOR: &str = "gc";
/// Of how many programs and machines the first sentences speak.
const MOST_ORIGINS: usize = 4;

/// The sentences, the most important first; never empty.
pub(crate) fn sentences(records: &[Record], summary: &Summary) -> Vec<String> {
    if records.is_empty() {
        return vec!["There are no measurements in these records.".to_owned()];
    }
    if summary.rows.iter().all(|row| row.time_ns.is_none()) {
        let none = "No backend has a time: every sample failed or was made to count work.";
        return iter::once(none.to_owned()).chain(failures(summary)).collect();
    }
    let mut sentences = Vec::new();
    for (origin, (_, name)) in summary.origins.iter().enumerate().take(MOST_ORIGINS) {
        let said = of_origin(summary, origin);
        // With several origins each sentence says of which it speaks.
        let start = if name.is_empty() { String::new() } else { format!("{name}: ") };
        sentences.extend(said.into_iter().map(|sentence| format!("{start}{sentence}")));
    }
    if summary.origins.len() > MOST_ORIGINS {
        let more = summary.origins.len() - MOST_ORIGINS;
        sentences
            .push(format!("The records come from {more} more programs or machines, see below."));
    }
    sentences.extend(failures(summary));
    if summary.rows.iter().any(|row| row.time_ns.is_some_and(|time| !time.confident())) {
        sentences.push(format!(
            "Some times rest on fewer than {MIN_SAMPLES} rounds, too few for 95 % intervals: their ranges are shown."
        ));
    }
    if records.iter().any(|record| record.machine.debug_build) {
        sentences.push(
            "Some samples come from a build without optimisation: their times say nothing."
                .to_owned(),
        );
    }
    sentences
}

/// What there is to say of one origin: the winner, naive counting, the noise floor.
fn of_origin(summary: &Summary, origin: usize) -> Vec<String> {
    let here = |row: &&Row| summary.group_of(row).origin == origin && row.time_ns.is_some();
    let Some(n) = summary.rows.iter().filter(here).map(|row| row.n).max() else {
        return vec!["no backend has a time.".to_owned()];
    };
    let rows: Vec<&Row> = summary.rows_at(n).filter(here).collect();
    let mut sentences = vec![fastest(summary, &rows, n)];
    sentences.extend(NAIVE_COUNTING.iter().find_map(|name| counting(summary, &rows, name)));
    sentences.push(match rows.first().and_then(|row| summary.noise_of(row)) {
        Some(noise) => format!("{}; a difference below it is no difference.", noise.sentence()),
        None => format!("No backend was entered twice at n = {n}, so the noise floor is unknown."),
    });
    sentences
}

/// Names a winner only where the runner-up is slower by more than noise; rows come fastest first.
fn fastest(summary: &Summary, rows: &[&Row], n: u32) -> String {
    let general = |row: &&&Row| !summary.group_of(row).capabilities.problem_specific;
    let rows: Vec<(&Row, Estimate)> =
        rows.iter().filter(general).filter_map(|row| Some((*row, row.time_ns?))).collect();
    let Some((row, time)) = rows.first() else {
        return format!("At n = {n} only problem-specific backends have a time.");
    };
    let floor = summary.noise_of(row).map(NoiseFloor::fraction);
    let mut all_below = floor.is_some();
    let mut tied = |(other, other_time): &&(&Row, Estimate)| {
        let (tied, below) = match summary.ratio(other, row) {
            Some(ratio) => ties(&ratio, floor),
            // Of another run: all there is to compare are the intervals.
            None => (other_time.low <= time.high, false),
        };
        all_below &= below || !tied;
        tied
    };
    let ties: Vec<_> = rows[1..].iter().filter(|other| tied(other)).collect();
    let name = |row: &Row| summary.group_of(row).config.clone();
    if let Some((_, slowest)) = ties.last() {
        let names = iter::once(row).chain(ties.iter().map(|(row, _)| row));
        let no_difference = match floor.filter(|_| all_below) {
            Some(floor) => {
                format!("with no difference above the noise floor of {}", percent(floor))
            }
            None => "not distinguishable from each other".to_owned(),
        };
        return format!(
            "{} are the fastest of {} general-purpose backends at n = {n}, {no_difference}: {} to {}.",
            list(names.map(|row| name(row)).collect()),
            rows.len(),
            human_time(time.value),
            human_time(slowest.value),
        );
    }
    let of = match rows.len() {
        1 => "the only general-purpose backend with a time at".to_owned(),
        many => format!("the fastest of {many} general-purpose backends at"),
    };
    let interval = time.interval().map_or(String::new(), |(low, high)| {
        let what = if time.confident() { "95 %" } else { "range" };
        format!(" ({what}: {} to {})", human_time(low), human_time(high))
    });
    format!("{} is {of} n = {n}: {}{interval}.", name(row), human_time(time.value))
}

/// Whether a ratio to the fastest is a tie, and whether one within the noise floor.
fn ties(ratio: &Estimate, floor: Option<f64>) -> (bool, bool) {
    match Verdict::new(ratio, floor) {
        Verdict::NoDifference { .. } => (true, true),
        Verdict::Unclear => (true, false),
        // No interval to go by: a range that leaves 1 aside is all that can be asked for.
        Verdict::TooFew { .. } => {
            let below = floor.is_some_and(|floor| ratio.value.ln().abs() <= floor.ln_1p());
            (below || (ratio.low..=ratio.high).contains(&1.0), below)
        }
        Verdict::Faster { .. } | Verdict::Slower { .. } => (false, false),
    }
}

fn counting(summary: &Summary, rows: &[&Row], name: &str) -> Option<String> {
    let find = |name: &str| rows.iter().find(|row| summary.group_of(row).backend == name);
    let (row, collector) = (find(name)?, find(COLLECTOR)?);
    let floor = summary.noise_of(row).map(NoiseFloor::fraction);
    let ratio = summary.ratio(row, collector)?;
    let clause = clause(&ratio, floor, &summary.group_of(collector).config);
    Some(format!("Naive reference counting ({}) {clause}.", summary.group_of(row).config))
}

/// Names with commas and a last "and"; of many the first six.
fn list(mut names: Vec<String>) -> String {
    if names.len() > 7 {
        let more = names.len() - 6;
        names.truncate(6);
        names.push(format!("{more} more"));
    }
    let last = names.pop().unwrap_or_default();
    match names.is_empty() {
        true => last,
        false => format!("{} and {last}", names.join(", ")),
    }
}

fn failures(summary: &Summary) -> Option<String> {
    let failed = summary.rows.iter().filter(|row| row.status != Status::Ok);
    let mut named: Vec<String> = failed
        .map(|row| format!("{} ({} at n = {})", row.label, row.status.words(), row.n))
        .collect();
    let more = named.len().saturating_sub(4);
    named.truncate(4);
    if more > 0 {
        named.push(format!("and {more} more, listed below"));
    }
    (!named.is_empty()).then(|| format!("Failed: {}.", named.join(", ")))
}

#[cfg(test)]
mod tests;
