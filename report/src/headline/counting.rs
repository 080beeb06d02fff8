//! What naive reference counting costs, and which part of it is what.

use super::field::{Family, Field, LONGEST_NAME};
use super::list;
use crate::explain::{ExplainError, Ladder, Step, Verdict, explain};
use crate::format::shorten;
use crate::record::Record;

/// What naive reference counting is called, the most naive first: in two blocks, by value, atomic.
const NAIVE: [&str; 4] = ["arc-split", "rc-split", "arc-value", "rc-value"];
/// Where the parts start if all were measured: the program itself.
const PROGRAM: &str = "stack";

/// What it takes against the fastest collector, and a sentence of its parts; `None` where nothing
/// counts naively, or there is nothing more to say of it. The records are those of one origin.
pub(super) fn counting(field: &Field, records: &[Record]) -> Option<String> {
    let naive = NAIVE.iter().find_map(|name| field.find(name))?;
    let name = field.name(naive);
    // The answer has the ratio where nothing else counts.
    let is_answer = field.fastest_of(Family::Counting).is_some_and(|row| row.group == naive.group);
    let collector = field.fastest_of(Family::Tracing).filter(|_| !is_answer);
    let against = collector
        .and_then(|collector| field.clause(naive, collector))
        .map(|clause| format!("Naive reference counting ({name}) {clause}."));
    let parts = match explain(records, &[field.n]).pop()? {
        Ok(explanation) => explanation
            .split
            .filter(|split| split.end().backend == field.group(naive).backend)
            .map(|split| parts(&split)),
        Err(ExplainError::DifferentWork { first, second, .. }) => {
            let [first, second] = [first, second].map(|name| shorten(&name, LONGEST_NAME));
            Some(format!("But {first} and {second} did different work: measure again."))
        }
        Err(_) => None,
    };
    let told: Vec<String> = against.into_iter().chain(parts).collect();
    (!told.is_empty()).then(|| told.join(" "))
}

/// The shares of the time that the highest rung takes.
fn parts(split: &Ladder) -> String {
    let (mut costs, mut saves, mut unseen) = (Vec::new(), Vec::new(), Vec::new());
    for step in &split.steps {
        let changes: Vec<&str> = step.changes.iter().map(|change| noun(change)).collect();
        let what = changes.join(" with ");
        match step.verdict {
            Verdict::NoDifference | Verdict::Unclear => unseen.push(what),
            // A range that has both signs tells no more than that.
            Verdict::TooFew if step.share.low <= 0.0 && step.share.high >= 0.0 => unseen.push(what),
            _ if step.share.value < 0.0 => {
                saves.push(format!("{} is saved by {what}", share(step, -1.0)))
            }
            _ => costs.push(format!("{} {what}", share(step, 1.0))),
        }
    }
    let [start, end] = [&split.start, split.end()].map(|rung| shorten(&rung.label, LONGEST_NAME));
    let base = match split.start.backend.as_str() {
        PROGRAM => "the program itself".to_owned(),
        _ => format!("what {start} takes"),
    };
    let base_share = split.start.ns_per_cell / split.total_ns_per_cell;
    costs.insert(0, format!("{:.0} % is {base}", base_share * 100.0));
    let mut told = format!("Of {end}'s time {}", list(&costs));
    saves.iter().for_each(|saves| told += &format!("; {saves}"));
    if !unseen.is_empty() {
        told += &format!("; the cost of {} is not distinguishable from none", list(&unseen));
    }
    told + "."
}

/// A change as a thing that costs.
fn noun(change: &str) -> &str {
    match change {
        "the filter branches" => "branches in the filter",
        "the filter does not branch" => "a filter without branches",
        noun => noun,
    }
}

/// Both ends of a share in whole per cent, once if equal: `12 to 13 %`.
fn share(step: &Step, sign: f64) -> String {
    let [a, b] = [step.share.low, step.share.high].map(|end| (sign * end * 100.0).round() + 0.0);
    match (a.min(b), a.max(b)) {
        (low, high) if low == high => format!("{low:.0} %"),
        (low, high) => format!("{low:.0} to {high:.0} %"),
    }
}
