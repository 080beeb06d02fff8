//! The legend: what each backend is and can do, and the parameters of each configuration.

use super::numbers::params;
use super::threads;
use super::view::chip;
use crate::studies::Both;
use crate::summary::{Group, Summary};
use minijinja::{Value, context};

/// Each backend once, in the order of the groups. Peers have a table of their own: nobody knows the size of
/// their cells.
pub(super) fn view(both: &Both) -> Vec<Value> {
    let mut seen: Vec<&Group> = Vec::new();
    for group in ours(&both.summary).chain(threads::groups(&both.threads)) {
        if !seen.iter().any(|other| other.backend == group.backend) {
            seen.push(group);
        }
    }
    seen.iter()
        .map(|group| {
            let can = &group.capabilities;
            context! {
                name => &group.backend,
                chip => chip(&group.backend),
                family => &group.family,
                about => &group.about,
                returns => &can.returns,
                moves => yes_no(can.moves),
                cycles => yes_no(can.cycles),
                problem_specific => can.problem_specific,
                header_bytes => can.header_bytes,
                cell_bytes => can.cell_bytes,
            }
        })
        .collect()
}

/// The parameters of each configuration that has some.
pub(super) fn configurations(summary: &Summary) -> Vec<Value> {
    let some = ours(summary).filter(|group| !group.params.is_empty());
    some.map(|group| context! { label => &group.label, params => params(group) }).collect()
}

fn ours(summary: &Summary) -> impl Iterator<Item = &Group> {
    summary.groups.iter().filter(|group| group.peer.is_none())
}

fn yes_no(is: bool) -> &'static str {
    if is { "yes" } else { "no" }
}
