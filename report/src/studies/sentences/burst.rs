//! What one call for many nodes saves.

use super::{Field, list};
use crate::format::significant;
use crate::studies::View;
use crate::summary::Row;
use crate::verdict::Verdict;

/// Crates that hand nodes out one by one, which a program takes by a line of its own.
const CRATES: [&str; 4] = ["dlmalloc", "mimalloc", "jemalloc", "snmalloc"];
/// Ours that hand out many in one call, any of which can be freed alone.
const OURS: [&str; 2] = ["burst", "pool"];
/// What frees nothing alone.
const REGION: &str = "region";

pub(super) fn sentences(views: &[View]) -> Vec<String> {
    let inserts: Vec<Field> =
        views.iter().filter(|view| view.phase == "insert").map(Field).collect();
    let Some(first) = inserts.first() else { return Vec::new() };
    let told = [
        saved(&inserts),
        against_crates(&inserts),
        against_peers(&inserts),
        region(*first),
        given_back(views, &first.0.workload),
        memory(*first),
    ];
    told.into_iter().flatten().collect()
}

impl<'a> Field<'a> {
    /// The fastest that hands out many nodes in one call.
    fn ours(self) -> Option<&'a Row> {
        self.fastest(self.rows(&OURS))
    }

    /// The fastest of those over another, in words that follow the container's name.
    fn ours_over(self, other: &Row, name: &str) -> Option<String> {
        let ours = self.ours()?;
        let (name_of_ours, ns) = (self.name(ours), self.ns(other));
        let clause = self.clause(ours, other, &format!("{name}, {ns}"))?;
        Some(format!("{name_of_ours} takes {} a node and {clause}", self.ns(ours)))
    }
}

/// The fastest of ours against the system's malloc, for each container.
fn saved(inserts: &[Field]) -> Option<String> {
    let one = |field: &Field| {
        let told = field.ours_over(field.row("malloc")?, "malloc node by node")?;
        Some(format!("into a {}, {told}", field.0.workload))
    };
    let told: Vec<String> = inserts.iter().filter_map(one).collect();
    (!told.is_empty()).then(|| {
        format!(
            "All nodes of a range in one call, each of which can still be freed alone: inserted {}.",
            told.join("; ")
        )
    })
}

/// Against the best crate, which asks for no other container.
fn against_crates(inserts: &[Field]) -> Option<String> {
    let one = |field: &Field| {
        let best = field.fastest(field.rows(&CRATES))?;
        let ours = field.ours()?;
        let name = format!("{}, {}", field.name(best), field.ns(best));
        let clause = field.clause(ours, best, &name)?;
        let told = format!("for a {}, {} {clause}", field.0.workload, field.name(ours));
        Some((field.verdict(ours, best)?, told))
    };
    let told: Vec<(Verdict, String)> = inserts.iter().filter_map(one).collect();
    let faster = told.iter().filter(|(verdict, _)| matches!(verdict, Verdict::Faster { .. }));
    let too_few = told.iter().any(|(verdict, _)| matches!(verdict, Verdict::TooFew { .. }));
    let advice = match faster.count() {
        _ if too_few => "",
        0 => ". A faster malloc, which is one line, does as well",
        faster if faster == told.len() => {
            ". The call pays even where a faster malloc is one line away"
        }
        _ => {
            ". Whether the call pays beside a faster malloc, which is one line, depends on the container"
        }
    };
    let words: Vec<String> = told.into_iter().map(|(_, words)| words).collect();
    (!words.is_empty()).then(|| {
        format!("Beside the best crate that serves node by node: {}{advice}.", words.join("; "))
    })
}

/// Against the fastest in C++.
fn against_peers(inserts: &[Field]) -> Option<String> {
    let one = |field: &Field| {
        let best = field.fastest(field.0.timed().filter(|row| field.0.is_peer(row)))?;
        let ours = field.ours()?;
        let name = format!("{}, {}", field.name(best), field.ns(best));
        let clause = field.clause(ours, best, &name)?;
        Some(format!("for a {}, {} {clause}", field.0.workload, field.name(ours)))
    };
    let told: Vec<String> = inserts.iter().filter_map(one).collect();
    (!told.is_empty()).then(|| format!("Beside the fastest in C++: {}.", told.join("; ")))
}

/// What it buys to free nothing alone.
fn region(field: Field) -> Option<String> {
    let (region, ours) = (field.row(REGION)?, field.ours()?);
    let clause = field.clause(region, ours, &field.name(ours))?;
    Some(format!("A region, which takes everything back at once, {clause}."))
}

/// What giving back costs, of the first container.
fn given_back(views: &[View], workload: &str) -> Option<String> {
    let of = |phase: &str, what: &str| {
        let is_of = |view: &&View| view.phase == phase && view.workload == workload;
        let field = Field(views.iter().find(is_of)?);
        Some(format!("to {what}, {}", field.ours_over(field.row("malloc")?, "malloc")?))
    };
    let told = [of("erase", "erase all of it"), of("destroy", "destroy it")];
    let told: Vec<String> = told.into_iter().flatten().collect();
    (!told.is_empty()).then(|| format!("Giving back a {workload}: {}.", told.join("; ")))
}

/// What is held beside the nodes, and what comes back.
fn memory(field: Field) -> Option<String> {
    let one = |row: &Row| {
        let percent = |name| Some(format!("{} %", significant(field.0.figure(row, name)?)));
        let metadata = percent("metadata_percent").map(|it| format!("keeps {it} of metadata"));
        let half = percent("returned_half_percent")
            .map(|it| format!("gives back {it} once half of the nodes are erased at random"));
        let all = percent("returned_all_percent").map(|it| format!("{it} once all are"));
        let told: Vec<String> = [metadata, half, all].into_iter().flatten().collect();
        (!told.is_empty()).then(|| format!("{} {}", field.name(row), list(&told)))
    };
    let told: Vec<String> = field.rows(&OURS).filter_map(one).collect();
    (!told.is_empty()).then(|| format!("Of memory, {}.", told.join("; ")))
}
