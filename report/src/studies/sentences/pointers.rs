//! What making and giving up an object costs by each pointer.

use super::{Field, at};
use crate::format::{exact_count, significant};
use crate::studies::View;
use crate::verdict::Verdict;

/// At the largest size, where many objects are alive: an object that is given up at once flatters every
/// allocator.
pub(super) fn sentences(views: &[View]) -> Vec<String> {
    let (Some(first), Some(last)) = (views.first(), views.last()) else { return Vec::new() };
    let field = Field(last);
    let told = [
        counted(field),
        split(field),
        lookup(field),
        fastest(field),
        cpp(field),
        sizes(first, last),
    ];
    told.into_iter().flatten().collect()
}

/// Rc and Arc against Box.
fn counted(field: Field) -> Option<String> {
    let (base, rc) = (field.row("box")?, field.row("rc")?);
    let mut text = format!(
        "With {} {}, an Rc takes {} for an object, made and given up, and {}",
        exact_count(field.0.n.into()),
        field.0.size,
        field.ns(rc),
        field.clause(rc, base, "a Box")?,
    );
    if let Some(arc) = field.row("arc") {
        let clause = field.clause(arc, rc, "an Rc")?;
        let ns = field.ns(arc);
        text += &format!("; an Arc, whose counts are atomic, takes {ns} and {clause}");
    }
    Some(text + ".")
}

/// Two blocks against one, with and without atomic counts.
fn split(field: Field) -> Option<String> {
    let one = |split: &str, fused: &str, name: &str| {
        field.clause(field.row(split)?, field.row(fused)?, name)
    };
    let plain = one("split", "rc", "an Rc")?;
    let atomic = one("split-atomic", "arc", "an Arc");
    let atomic = atomic.map_or(String::new(), |it| format!("; with atomic counts, it {it}"));
    Some(format!(
        "Keeping the counts in a block of their own, as shared_ptr(new) does, {plain}{atomic}."
    ))
}

/// What it costs to look the deleter up by its type.
fn lookup(field: Field) -> Option<String> {
    let untyped = field.row("fused-untyped")?;
    let one = |name: &str| field.clause(field.row(name)?, untyped, "a deleter without a type");
    let by_pointer = one("fused-lookup")?;
    let by_name = one("fused-lookup-name");
    let by_name =
        by_name.map_or(String::new(), |it| format!("; where types are compared by name, it {it}"));
    Some(format!(
        "Looking the deleter up by its type, as make_shared did before Boost 1.53, {by_pointer}{by_name}."
    ))
}

/// The fastest of what is no plain Box.
fn fastest(field: Field) -> Option<String> {
    let base = field.row("box")?;
    let ours = field.0.timed().filter(|row| !field.0.is_peer(row) && row.group != base.group);
    let first = field.fastest(ours)?;
    let clause = field.clause(first, base, "a Box")?;
    let name = field.name(first);
    Some(match field.verdict(first, base)? {
        Verdict::Slower { .. } => {
            format!("None is faster than a Box: the nearest, {name}, {clause}.")
        }
        _ => format!("The fastest, {name}, {clause}."),
    })
}

/// The same two steps in C++.
fn cpp(field: Field) -> Option<String> {
    let pair = |new: &str, make: &str, library: &str| {
        let (new, make) = (field.row(new)?, field.row(make)?);
        let clause = field.clause(make, new, "its shared_ptr(new)")?;
        Some(format!("{library}::make_shared takes {} and {clause}", field.ns(make)))
    };
    let told = [
        pair("ptr-std-new", "ptr-std-make", "std"),
        pair("ptr-boost-new", "ptr-boost-make", "boost"),
    ];
    let told: Vec<String> = told.into_iter().flatten().collect();
    (!told.is_empty()).then(|| format!("In C++, {}.", told.join("; ")))
}

/// Whether it matters how many are alive.
fn sizes(first: &View, last: &View) -> Option<String> {
    let of = |view: &View| Some(format!("{} ns", significant(view.ns(view.find("box")?)?.value)));
    let (few, many) = (of(first)?, of(last)?);
    (first.n != last.n).then(|| {
        format!("By a Box an object takes {few} at {}, and {many} at {}.", at(first), at(last))
    })
}
