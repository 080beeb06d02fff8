//! What a study asks, and what its numbers mean for someone who writes Rust.
//!
//! | file | one idea |
//! |---|---|
//! | `pointers`, `burst`, `growth` | the rules of one study each |
//!
//! A sentence is there where its rows are, and says no more than their verdict does: a difference within
//! the noise floor is none.

use super::View;
use crate::format::{exact_count, shorten, significant};
use crate::record::Status;
use crate::stats::{Estimate, MIN_SAMPLES};
use crate::summary::Row;
use crate::verdict::{Verdict, clause, percent};
use std::collections::BTreeSet;

/// Longest name in a sentence, in characters, and how many failures are named.
const LONGEST_NAME: usize = 40;
const MOST_FAILURES: usize = 6;

mod burst;
mod growth;
mod pointers;

/// What a study is called, in a few words.
pub fn title(study: &str) -> String {
    match study {
        "pointers" => "Pointers: what a smart pointer's allocation costs".to_owned(),
        "burst" => "Bursts: many nodes in one call".to_owned(),
        "growth" => "Growth: a vector that grows in place".to_owned(),
        other => other.to_owned(),
    }
}

/// What a study asks, and of what; nothing of one that is not known here.
pub fn asked(study: &str) -> &'static str {
    match study {
        "pointers" => {
            "What does it cost to make an object that a smart pointer owns, and to give it up? Objects of \
             three sizes with a common base are made in turn and read once; of n that are alive the oldest \
             is given up, and a new one made."
        }
        "burst" => {
            "What does a node container gain when its allocator hands out many nodes in one call? A range is \
             inserted at the end of a stable vector (an array of pointers to nodes) and of a list, erased in \
             one go, and a full container is destroyed."
        }
        "growth" => {
            "What does a vector gain when its block grows in place? 10,000 elements are pushed to the end of \
             an empty vector, integers or objects with a copy of their own; n vectors grow in turn, since \
             one alone always has room behind it."
        }
        _ => "",
    }
}

/// Sentences made from the views of one study, the most important first.
pub fn sentences(views: &[View]) -> Vec<String> {
    let Some(first) = views.first() else { return Vec::new() };
    let mut told = Vec::new();
    if views.iter().flat_map(|view| &view.records).any(|record| record.machine.debug_build) {
        told.push(
            "Some samples come from a build without optimisation: their times say nothing."
                .to_owned(),
        );
    }
    if first.summary.origins.len() > 1 {
        told.push("The samples come from several programs or machines: see the table.".to_owned());
    } else {
        told.extend(match first.study.as_str() {
            "pointers" => pointers::sentences(views),
            "burst" => burst::sentences(views),
            "growth" => growth::sentences(views),
            _ => Vec::new(),
        });
        told.extend(noise(views));
    }
    told.extend(failures(views));
    let rows = || views.iter().flat_map(View::timed).filter_map(|row| row.time_ns);
    if rows().any(|time| !time.confident()) {
        told.push(format!(
            "Some times rest on fewer than {MIN_SAMPLES} rounds, too few for 95 % intervals: their ranges are shown."
        ));
    }
    told
}

/// The noise floor of all views.
fn noise(views: &[View]) -> Option<String> {
    let floors = || views.iter().filter_map(View::floor);
    let (least, most) = (floors().reduce(f64::min), floors().reduce(f64::max));
    let name = views[0].summary.noise.first().map(|noise| noise.label.as_str());
    Some(match (least.zip(most), name) {
        (Some((least, most)), Some(name)) => {
            let [least, most] = [least, most].map(percent);
            let range = if least == most { most } else { format!("{least} to {most}") };
            format!(
                "The noise floor is {range} ({name} against itself): a difference below it is none."
            )
        }
        _ => "No row was entered twice, so the noise floor is unknown.".to_owned(),
    })
}

fn failures(views: &[View]) -> Option<String> {
    let rows = views.iter().flat_map(|view| &view.summary.rows);
    let failed = rows.filter(|row| row.status != Status::Ok);
    let failed: BTreeSet<String> = failed
        .map(|row| format!("{} ({})", shorten(&row.label, LONGEST_NAME), row.status.words()))
        .collect();
    let more = failed.len().saturating_sub(MOST_FAILURES);
    let mut failed: Vec<String> = failed.into_iter().take(MOST_FAILURES).collect();
    failed.extend((more > 0).then(|| format!("{more} more")));
    (!failed.is_empty()).then(|| format!("Failed: {}.", list(&failed)))
}

/// A view, from which sentences are made.
#[derive(Clone, Copy)]
struct Field<'a>(&'a View);

impl<'a> Field<'a> {
    fn row(self, name: &str) -> Option<&'a Row> {
        self.0.find(name)
    }

    fn name(self, row: &Row) -> String {
        shorten(&row.label, LONGEST_NAME)
    }

    /// Time of one operation: `14.1 ns`.
    fn ns(self, row: &Row) -> String {
        self.0.ns(row).map_or(String::new(), |ns| format!("{} ns", significant(ns.value)))
    }

    fn ratio(self, row: &Row, other: &Row) -> Option<Estimate> {
        self.0.summary.ratio(row, other)
    }

    fn verdict(self, row: &Row, other: &Row) -> Option<Verdict> {
        self.0.compare(row, other).map(|(_, verdict)| verdict)
    }

    /// What a row's ratio to another is, in words that follow the row's name.
    fn clause(self, row: &Row, other: &Row, other_name: &str) -> Option<String> {
        Some(clause(&self.ratio(row, other)?, self.0.floor(), other_name))
    }

    /// The same as a difference, in words that `than` follows: `5.1 % more`, `no more and no less`.
    fn difference(self, row: &Row, other: &Row) -> Option<String> {
        let (ratio, verdict) = self.0.compare(row, other)?;
        let percent = |share: f64| match share {
            ten if ten >= 9.95 => format!("{ten:.0} %"),
            less => format!("{less:.1} %"),
        };
        Some(match verdict {
            Verdict::NoDifference { .. } => "no more and no less".to_owned(),
            Verdict::Unclear => "not distinguishably more or less".to_owned(),
            _ if ratio.value >= 1.0 => format!("{} more", percent((ratio.value - 1.0) * 100.0)),
            _ => format!("{} less", percent((1.0 - ratio.value) * 100.0)),
        })
    }

    /// The fastest of some; by the ratios that pair rounds where they tell more than medians.
    fn fastest(self, rows: impl Iterator<Item = &'a Row>) -> Option<&'a Row> {
        rows.reduce(|first, row| match self.verdict(row, first) {
            Some(Verdict::Faster { .. }) => row,
            _ => first,
        })
    }

    /// Those of these names that have a time.
    fn rows(self, names: &'a [&str]) -> impl Iterator<Item = &'a Row> {
        names.iter().filter_map(move |name| self.row(name))
    }
}

/// `n = 1,000`.
fn at(view: &View) -> String {
    format!("n = {}", exact_count(view.n.into()))
}

/// Names with commas and a last "and".
fn list(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}
