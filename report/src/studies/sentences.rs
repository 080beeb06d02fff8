//! What a study asks, and what its numbers mean for someone who writes Rust.
//!
//! | file | one idea |
//! |---|---|
//! | `pointers`, `burst`, `growth` | the rules of one study each |
//!
//! A sentence is there where its rows are, and says no more than their verdict does. A difference within the
//! noise floor is not told, which is not to say that there is none: advice follows from a low floor only.

use super::View;
use crate::format::{exact_count, shorten, significant};
use crate::record::Status;
use crate::stats::MIN_SAMPLES;
use crate::summary::{Origin, Row};
use crate::verdict::{Verdict, clause_beside, percent};
use std::collections::{BTreeMap, BTreeSet};

/// Longest name in a sentence, in characters, and how many failures are named.
const LONGEST_NAME: usize = 40;
const MOST_FAILURES: usize = 6;

/// Advice is given of runs whose noise floor is at most this: where it is higher, much may hide below it.
const CALM: f64 = 0.05;

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
             one alone may grow into the free end of the heap."
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
    let origins = views.iter().flat_map(|view| &view.summary.origins);
    let origins: BTreeSet<&Origin> = origins.map(|(origin, _)| origin).collect();
    if origins.len() > 1 {
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
    let name = views.iter().find_map(|view| view.summary.noise.first());
    let (Some(least), Some(most), Some(noise)) = (least, most, name) else {
        return Some("No row was entered twice, so the noise floor is unknown.".to_owned());
    };
    let more = match floors().count() == views.len() {
        true => "",
        false => " Where no row was entered twice, it is unknown.",
    };
    Some(format!(
        "The noise floor is {} ({} against itself): a difference below it is not told.{more}",
        span(least, most),
        noise.label
    ))
}

/// `0.7 %`, or `0.7 % to 1.2 %`.
fn span(least: f64, most: f64) -> String {
    let [least, most] = [least, most].map(percent);
    if least == most { most } else { format!("{least} to {most}") }
}

/// What failed, and how; where a row failed in several ways, which of them where.
fn failures(views: &[View]) -> Option<String> {
    let sizes: BTreeSet<u32> = views.iter().map(|view| view.n).collect();
    let place = |view: &View| {
        let n = (sizes.len() > 1).then(|| at(view));
        let named = (!view.workload.is_empty()).then(|| view.workload.clone());
        named.into_iter().chain(n).collect::<Vec<_>>().join(" at ")
    };
    let mut failed: BTreeMap<&str, BTreeMap<Status, Vec<String>>> = BTreeMap::new();
    for (view, row) in
        views.iter().flat_map(|view| view.summary.rows.iter().map(move |row| (view, row)))
    {
        if row.status != Status::Ok {
            let places = failed.entry(&row.label).or_default().entry(row.status).or_default();
            // Once for all phases.
            if places.last() != Some(&place(view)) {
                places.push(place(view));
            }
        }
    }
    let words = |(label, ways): (&str, BTreeMap<Status, Vec<String>>)| {
        let several = ways.len() > 1;
        let way = |(status, places): (Status, Vec<String>)| match several {
            true => format!("{}: {}", status.words(), list(&places)),
            false => status.words().to_owned(),
        };
        let ways: Vec<String> = ways.into_iter().map(way).collect();
        format!("{} ({})", shorten(label, LONGEST_NAME), ways.join("; "))
    };
    let more = failed.len().saturating_sub(MOST_FAILURES);
    let mut failed: Vec<String> = failed.into_iter().take(MOST_FAILURES).map(words).collect();
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

    fn verdict(self, row: &Row, other: &Row) -> Option<Verdict> {
        self.0.compare(row, other).map(|(_, verdict)| verdict)
    }

    /// What a row's ratio to another is, in words that follow the row's name; the other's time is in them.
    fn clause(self, row: &Row, other: &Row, other_name: &str) -> Option<String> {
        let (ratio, _) = self.0.compare(row, other)?;
        Some(clause_beside(&ratio, self.0.floor(), other_name, &self.ns(other)))
    }

    /// The verdict, where advice may follow from it.
    fn settled(self, row: &Row, other: &Row) -> Option<Verdict> {
        let verdict = self.verdict(row, other)?;
        let settled = !matches!(verdict, Verdict::Unclear | Verdict::TooFew { .. });
        (settled && self.0.floor().is_some_and(|floor| floor <= CALM)).then_some(verdict)
    }

    /// The fastest of some: that of the least median, but for one that the ratios, which pair rounds, tell to
    /// be faster.
    fn fastest(self, rows: impl Iterator<Item = &'a Row>) -> Option<&'a Row> {
        let time = |row: &Row| row.time_ns.map_or(f64::INFINITY, |time| time.value);
        let mut rows: Vec<&Row> = rows.collect();
        rows.sort_by(|a, b| time(a).total_cmp(&time(b)));
        rows.into_iter().reduce(|first, row| match self.verdict(row, first) {
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
