//! What one call for many nodes saves.

use super::{Field, list};
use crate::format::significant;
use crate::studies::View;
use crate::summary::Row;
use crate::verdict::Verdict;

/// Crates that hand nodes out one by one, which a program takes by a line of its own.
const CRATES: [&str; 4] = ["dlmalloc", "mimalloc", "jemalloc", "snmalloc"];
/// Ours that hand out many in one call, any of which can be freed alone; the same asked node by node.
const OURS: [&str; 2] = ["burst", "pool"];
const EACH: [&str; 2] = ["burst-each", "pool-each"];
/// What frees nothing alone.
const REGION: &str = "region";

pub(super) fn sentences(views: &[View]) -> Vec<String> {
    let inserts: Vec<Field> =
        views.iter().filter(|view| view.phase == "insert").map(Field).collect();
    let Some(first) = inserts.first() else { return Vec::new() };
    let told = [
        saved(&inserts),
        call(&inserts),
        allocator(&inserts),
        against_crates(&inserts),
        against_peers(&inserts),
        region(*first),
        given_back(views, &first.0.workload),
        memory(*first),
        one_thread(*first),
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
        let clause = self.clause(ours, other, name)?;
        Some(format!("{} takes {} a node and {clause}", self.name(ours), self.ns(ours)))
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
        let isolated = inserts.iter().any(|field| field.rows(&EACH).next().is_some());
        let parts = match isolated {
            true => "",
            false => " How much of that is the one call's, and how much the allocator's, was not measured.",
        };
        format!(
            "All nodes of a range in one call, each of which can still be freed alone: inserted {}.{parts}",
            told.join("; ")
        )
    })
}

/// What each of some rows is beside another, for each container.
fn beside<'a>(
    inserts: &[Field<'a>],
    pairs: impl Fn(Field<'a>) -> Vec<(&'a Row, &'a Row)>,
) -> Option<String> {
    let of_pair = |field: Field, (row, other): (&Row, &Row)| {
        let clause = field.clause(row, other, &field.name(other))?;
        Some(format!("{} {clause}", field.name(row)))
    };
    let one = |field: &Field<'a>| {
        let told = pairs(*field).into_iter().filter_map(|pair| of_pair(*field, pair));
        let told: Vec<String> = told.collect();
        (!told.is_empty()).then(|| format!("for a {}, {}", field.0.workload, list(&told)))
    };
    let told: Vec<String> = inserts.iter().filter_map(one).collect();
    (!told.is_empty()).then(|| told.join("; "))
}

/// What the one call saves: the same allocators, asked for all nodes or for each.
fn call(inserts: &[Field]) -> Option<String> {
    let told = beside(inserts, |field| {
        let pair = |(call, each): (&&str, &&str)| Some((field.row(call)?, field.row(each)?));
        OURS.iter().zip(&EACH).filter_map(pair).collect()
    })?;
    Some(format!("The one call by itself, beside the same allocator asked node by node: {told}."))
}

/// What the allocator saves, without the one call.
fn allocator(inserts: &[Field]) -> Option<String> {
    let told = beside(inserts, |field| {
        let malloc = field.row("malloc");
        field.rows(&EACH).filter_map(|each| Some((each, malloc?))).collect()
    })?;
    Some(format!("The allocator by itself, asked node by node as malloc is: {told}."))
}

/// Against the best crate, which asks for no other container.
fn against_crates(inserts: &[Field]) -> Option<String> {
    fn pair(field: Field<'_>) -> Option<(&Row, &Row)> {
        field.ours().zip(field.fastest(field.rows(&CRATES)))
    }
    let told = beside(inserts, |field| pair(field).into_iter().collect())?;
    let verdicts: Option<Vec<Verdict>> = inserts
        .iter()
        .filter_map(|field| pair(*field).map(|(ours, best)| field.settled(ours, best)))
        .collect();
    let faster = |verdict: &&Verdict| matches!(verdict, Verdict::Faster { .. });
    let advice = verdicts.map_or("", |verdicts| match verdicts.iter().filter(faster).count() {
        0 => " A crate that takes the place of malloc, which is one line, does as well.",
        all if all == verdicts.len() => {
            " An allocator with such a call pays even where a faster one for the whole program is a line away."
        }
        _ => " Whether an allocator with such a call pays beside such a crate, which is one line, depends on the container.",
    });
    Some(format!("Beside the best crate that serves node by node: {told}.{advice}"))
}

/// Against the fastest in C++.
fn against_peers(inserts: &[Field]) -> Option<String> {
    let told = beside(inserts, |field| {
        let best = field.fastest(field.0.timed().filter(|row| field.0.is_peer(row)));
        field.ours().zip(best).into_iter().collect()
    })?;
    Some(format!("Beside the fastest in C++: {told}."))
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

/// What is held beside the nodes, and what comes back; the latter where it is not the same for all.
fn memory(field: Field) -> Option<String> {
    let ends = field.rows(&OURS).filter_map(|row| field.0.figure(row, "returned_all_percent"));
    let ends: Vec<f64> = ends.collect();
    let alike = ends.len() > 1 && ends.iter().all(|end| *end == ends[0]);
    let one = |row: &Row| {
        let percent = |name| Some(format!("{} %", significant(field.0.figure(row, name)?)));
        let metadata = percent("metadata_percent").map(|it| format!("keeps {it} of metadata"));
        let all = percent("returned_all_percent").filter(|_| !alike);
        let all = all.map(|it| format!("gives back {it} once all nodes are erased"));
        let told: Vec<String> = [metadata, all].into_iter().flatten().collect();
        (!told.is_empty()).then(|| format!("{} {}", field.name(row), list(&told)))
    };
    let told: Vec<String> = field.rows(&OURS).filter_map(one).collect();
    (!told.is_empty()).then(|| format!("Of memory, {}.", told.join("; ")))
}

/// What ours can do without, and others cannot.
fn one_thread(field: Field) -> Option<String> {
    let ours: Vec<String> =
        field.rows(&OURS).chain(field.rows(&[REGION])).map(|row| field.name(row)).collect();
    let (each, take) = match ours.len() {
        0 => return None,
        1 => ("serves", "takes"),
        _ => ("serve", "take"),
    };
    Some(format!(
        "Of these, {} {each} one thread and {take} no lock; what the system and the crates offer serves all threads.",
        list(&ours)
    ))
}
