//! What the numbers of threads mean, in sentences made from them: other records, other sentences.
//!
//! | file | one idea |
//! |---|---|
//! | `scaling` | how much more work threads do than one, and what processor time it takes |
//! | `sharing` | what it costs to share lists through counts, beside copies and immortal lists |

use super::{Block, Line, Spot, by_lists, counted};
use crate::format::shorten;
use crate::record::Status;
use crate::stats::{Estimate, MIN_SAMPLES};
use crate::verdict::from_to;

mod scaling;
mod sharing;
#[cfg(test)]
mod tests;

/// Longest name in a sentence, in characters.
const LONGEST_NAME: usize = 40;
/// Of how many programs and machines the sentences speak.
const MOST_ORIGINS: usize = 4;
/// Failures that are named.
const MOST_FAILURES: usize = 4;

/// The sentences of one mode, the most important first; never empty.
pub fn sentences(block: &Block) -> Vec<String> {
    let several = block.origins().len() > 1;
    let mut said = Vec::new();
    for (origin, (_, name)) in block.origins().iter().enumerate().take(MOST_ORIGINS) {
        let of_origin = of_origin(block, origin).into_iter();
        said.extend(of_origin.map(|text| match several {
            true => format!("{}: {text}", shorten(name, LONGEST_NAME)),
            false => text,
        }));
    }
    if said.is_empty() {
        said.push("Nothing has a time in these records.".to_owned());
    }
    said.extend(failures(block));
    if block.spots().any(|spot| spot.row.time_ns.is_some_and(|time| !time.confident())) {
        said.push(format!(
            "Some times rest on fewer than {MIN_SAMPLES} rounds, too few for 95 % intervals: their ranges are shown."
        ));
    }
    said
}

/// The first sentences of each mode, which tell what it comes to.
pub fn headline(blocks: &[Block]) -> Vec<String> {
    let of = |block: &Block| {
        let first = sentences(block).into_iter().next()?;
        Some(format!("{}: {first}", block.title(blocks)))
    };
    blocks.iter().filter_map(of).collect()
}

/// Of one program and machine, at the n that tells most; empty where nothing has a time.
fn of_origin(block: &Block, origin: usize) -> Vec<String> {
    let lines = block.telling_lines(origin);
    if lines.is_empty() {
        return Vec::new();
    }
    let mut said: Vec<String> = sharing::counting(&lines);
    let ways = by_lists(&lines, |line| line);
    let several = ways.len() > 1;
    for (lists, lines) in ways {
        let way = lists.filter(|_| several);
        said.extend(scaling::scaling(block, &lines, way));
    }
    said.extend(sharing::immortal(&lines));
    said.extend(scaling::processor_time(&lines));
    if said.is_empty() {
        said.push(match lines.iter().any(|line| line.alone().is_some()) {
            true => "Nothing has a time with more than one thread.".to_owned(),
            false => "Nothing has a time with one thread, so no speed-up is known.".to_owned(),
        });
    }
    said
}

/// The most threads that had a core each, a physical one where these are told, else the fewest that had
/// not: with these, at least one of the lines has a time beside that of one thread.
fn telling_threads(lines: &[&Line]) -> Option<u32> {
    let spots = lines.iter().filter(|line| line.alone().is_some()).flat_map(|line| &line.spots);
    let several = spots.filter(|spot| spot.threads() > 1 && spot.row.time_ns.is_some());
    let (more, enough): (Vec<&Spot>, Vec<&Spot>) = several.partition(|spot| !spot.apart());
    let fewest = || more.iter().map(|spot| spot.threads()).min();
    enough.iter().map(|spot| spot.threads()).max().or_else(fewest)
}

/// The name, without how lists are shared.
fn name(line: &Line) -> String {
    shorten(&line.config_without_lists(), LONGEST_NAME)
}

/// How far the number lies open: `95 %: 1.95 to 1.98`.
fn range(estimate: &Estimate) -> String {
    match estimate.samples {
        1 => "one round".to_owned(),
        n if !estimate.confident() => {
            format!("range of {n} rounds: {}", from_to(estimate.low, estimate.high))
        }
        _ => format!("95 %: {}", from_to(estimate.low, estimate.high)),
    }
}

/// Names with commas and a last "and".
fn list(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

/// What failed; `None` where nothing did.
fn failures(block: &Block) -> Option<String> {
    let failed = block.spots().filter(|spot| spot.row.status != Status::Ok);
    let mut named: Vec<String> = failed
        .map(|spot| {
            let (label, status) = (shorten(&spot.row.label, LONGEST_NAME), spot.row.status.words());
            format!("{label} ({status} on {} at n = {})", counted(spot.threads()), spot.row.n)
        })
        .collect();
    if named.len() > MOST_FAILURES {
        let more = named.len() - MOST_FAILURES;
        named.truncate(MOST_FAILURES);
        named.push(format!("{more} more, listed below"));
    }
    (!named.is_empty()).then(|| format!("Failed: {}.", list(&named)))
}
