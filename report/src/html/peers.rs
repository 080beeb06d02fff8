//! The peers: their charts, and a table of what each is.

use crate::format::{NOTHING, distinct};
use crate::summary::{Group, Summary};
use minijinja::{Value, context};

/// `None` of records without peers.
pub(super) fn view(summary: &Summary, charts: Vec<Value>) -> Option<Value> {
    // Groups are in order of speed; of a peer on several machines the first stands for all.
    let mut peers: Vec<&Group> = Vec::new();
    for group in summary.groups.iter().filter(|group| group.peer.is_some()) {
        if !peers.iter().any(|other| other.backend == group.backend) {
            peers.push(group);
        }
    }
    let table: Vec<Value> = peers.iter().filter_map(|group| line(summary, group)).collect();
    (!table.is_empty()).then(|| context! { charts, table })
}

fn line(summary: &Summary, group: &Group) -> Option<Value> {
    let peer = group.peer.as_ref()?;
    let same = summary.groups.iter().filter(|other| other.backend == group.backend);
    let versions = distinct(same.filter_map(|group| group.params.get("version").cloned()));
    Some(context! {
        name => &group.backend,
        title => or_nothing(&peer.title),
        language => or_nothing(&peer.language),
        version => or_nothing(&versions.join("; ")),
        family => kind(group),
        about => or_nothing(&group.about),
        notes => &peer.notes,
    })
}

/// The family, and what it says nothing of.
fn kind(group: &Group) -> String {
    let can = &group.capabilities;
    let traits = [("generational", can.generational), ("problem-specific", can.problem_specific)];
    let told = traits.iter().filter(|(_, is)| *is).map(|(name, _)| *name);
    [group.family.as_str()].into_iter().chain(told).collect::<Vec<_>>().join(", ")
}

fn or_nothing(text: &str) -> &str {
    if text.is_empty() { NOTHING } else { text }
}
