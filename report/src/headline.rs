//! The answer in a few sentences, made from the data: other data, other sentences.
//!
//! | file | one idea |
//! |---|---|
//! | `field` | who was timed, and where one stands from another |
//! | `fastest` | the fastest that serves any program, or that there is none |
//! | `families` | counting against tracing, whoever came first |
//! | `counting` | what naive reference counting costs, and its parts |
//! | `generations` | what the generations buy |
//! | `peers` | how it stands against the same program in other languages |
//! | `closing` | the noise floor, the price in memory, failures |

use crate::format::shorten;
use crate::record::Record;
use crate::stats::MIN_SAMPLES;
use crate::summary::Summary;
use fastest::Answer;
use field::Field;
use std::iter;

mod closing;
mod counting;
mod families;
mod fastest;
mod field;
mod generations;
mod peers;
#[cfg(test)]
mod tests;

/// Of how many programs and machines the first sentences speak.
const MOST_ORIGINS: usize = 4;
/// Longest name of one of them, in characters.
const LONGEST_ORIGIN: usize = 60;

/// The sentences, the most important first; never empty. Where one thing takes two sentences, they are
/// one text.
pub(crate) fn sentences(records: &[Record], summary: &Summary) -> Vec<String> {
    if records.is_empty() {
        return vec!["There are no measurements in these records.".to_owned()];
    }
    if summary.rows.iter().all(|row| row.time_ns.is_none()) {
        let none = "No backend has a time: every sample failed or was made to count work.";
        return iter::once(none.to_owned()).chain(closing::failures(summary)).collect();
    }
    let mut sentences = Vec::new();
    if records.iter().any(|record| record.machine.debug_build) {
        let told = "Some samples come from a build without optimisation: their times say nothing.";
        sentences.push(told.to_owned());
    }
    sentences.extend(match summary.origins.len() {
        1 => of_one(records, summary),
        _ => of_several(summary),
    });
    sentences.extend(closing::failures(summary));
    if summary.rows.iter().any(|row| row.time_ns.is_some_and(|time| !time.confident())) {
        sentences.push(format!(
            "Some times rest on fewer than {MIN_SAMPLES} rounds, too few for 95 % intervals: their ranges are shown."
        ));
    }
    sentences
}

/// All there is to say of one program on one machine.
fn of_one(records: &[Record], summary: &Summary) -> Vec<String> {
    let Some(field) = Field::new(summary, 0) else {
        let none = match summary.peers_n() {
            None => "Nothing but points of sweeps has a time.",
            Some(_) => "No backend of the study has a time, only peers or points of sweeps.",
        };
        return vec![none.to_owned()];
    };
    let answer = Answer::new(&field);
    let mut sentences = vec![answer.text];
    if !answer.drowned {
        sentences.extend(counting::counting(&field, records));
        sentences.extend(generations::generations(&field));
        sentences.extend(peers::peers(summary, 0));
        let noise = closing::noise(&field);
        sentences.push(match closing::memory(&field, &answer.named) {
            Some(memory) => format!("{noise} {memory}"),
            None => noise,
        });
    }
    sentences
}

/// The answer for each of several programs or machines, each with the name of its own.
fn of_several(summary: &Summary) -> Vec<String> {
    let mut sentences = Vec::new();
    for (origin, (_, name)) in summary.origins.iter().enumerate().take(MOST_ORIGINS) {
        let said = match Field::new(summary, origin) {
            None => vec!["no backend has a time.".to_owned()],
            Some(field) => {
                let answer = Answer::new(&field);
                let noise = (!answer.drowned).then(|| closing::noise(&field));
                iter::once(answer.text).chain(noise).collect()
            }
        };
        let name = shorten(name, LONGEST_ORIGIN);
        sentences.extend(said.into_iter().map(|sentence| format!("{name}: {sentence}")));
    }
    if summary.origins.len() > MOST_ORIGINS {
        let more = summary.origins.len() - MOST_ORIGINS;
        sentences
            .push(format!("The records come from {more} more programs or machines, see below."));
    }
    sentences
}

/// Names with commas and a last "and".
fn list(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}
