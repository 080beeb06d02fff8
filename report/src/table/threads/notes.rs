//! What is to be said below the tables of threads.

use super::OVERSUBSCRIBED;
use crate::record::Status;
use crate::stats::Estimate;
use crate::summary::NoiseFloor;
use crate::table::range_note;
use crate::table::results::long_baseline;
use crate::threads::{Block, Spot, counted};
use crate::verdict::percent;
use std::collections::{BTreeMap, BTreeSet};

/// What is to be said of the rows.
pub(super) fn notes(block: &Block) -> Vec<String> {
    let mut notes: Vec<String> = Vec::new();
    if let Some(baseline) = block.baseline() {
        let title = if long_baseline(baseline) { "ratio" } else { &format!("time/{baseline}") };
        notes.push(format!("{title}: time over that of {baseline} at the same n and threads"));
    }
    notes.push(
        match block.mode.side_by_side() {
            true => "speed-up: searches done over those that one thread does in the same time",
            false => "speed-up: time with one thread over time",
        }
        .to_owned(),
    );
    if !block.spots().any(|spot| spot.threads() == 1 && spot.row.time_ns.is_some()) {
        notes.push("nothing has a time with one thread, so no speed-up is known".to_owned());
    }
    notes.extend(oversubscribed_note(block));
    notes.extend(pinned_note(block));
    for spot in block.spots().filter(|spot| spot.row.status != Status::Ok) {
        let (label, n, threads) = (&spot.row.label, spot.row.n, counted(spot.threads()));
        let why = spot.row.message.as_deref().unwrap_or(spot.row.status.words());
        notes.push(format!("{label}, n = {n}, {threads}: {why}"));
    }
    let mut times = block.spots().filter_map(|spot| spot.row.time_ns);
    let is_range = |time: Estimate| time.interval().is_some() && !time.confident();
    notes.extend(range_note(times.any(is_range)));
    notes.extend(noise(block));
    let origins = block.origins().iter().filter(|(_, name)| name.contains("machine "));
    notes.extend(origins.map(|(origin, name)| format!("{name}: {}", origin.machine)));
    notes
}

/// What the mark means, where there is one: `* more threads than the 2 cores, so they take turns`.
pub(super) fn oversubscribed_note(block: &Block) -> Option<String> {
    let marked = block.spots().filter(Spot::oversubscribed);
    let cores: BTreeSet<u32> = marked.map(|spot| spot.cores()).collect();
    let told = match (cores.first()?, cores.len()) {
        (1, 1) => "the one core".to_owned(),
        (cores, 1) => format!("the {cores} cores"),
        _ => "their machine has cores".to_owned(),
    };
    Some(format!("{OVERSUBSCRIBED} oversubscribed: more threads than {told}, so they take turns"))
}

/// Whether threads were kept on their cores.
fn pinned_note(block: &Block) -> Option<String> {
    let pinned: BTreeSet<bool> =
        block.spots().filter_map(|spot| Some(spot.row.parallel.as_ref()?.pinned)).collect();
    let told = match (pinned.contains(&true), pinned.contains(&false)) {
        (false, false) => return None,
        (true, false) => "each thread was kept on one core",
        (false, true) => "threads were not kept on cores: the system placed them",
        (true, true) => "some threads were kept on one core each, others placed by the system",
    };
    Some(told.to_owned())
}

/// The noise floors, in a line for each n and origin:
/// `Noise floor at n = 9: 1.2 % with 1 thread, 2.0 % with 2 (gc against itself, 8 pairs)`.
fn noise(block: &Block) -> Vec<String> {
    let mut floors: BTreeMap<(u32, usize), Vec<(u32, &NoiseFloor)>> = BTreeMap::new();
    for view in &block.views {
        for noise in &view.summary.noise {
            floors.entry((noise.n, noise.origin)).or_default().push((view.threads, noise));
        }
    }
    let line = |((n, _), floors): ((u32, usize), Vec<(u32, &NoiseFloor)>)| {
        let mut by_threads: BTreeMap<u32, f64> = BTreeMap::new();
        for (threads, noise) in &floors {
            let highest = by_threads.entry(*threads).or_default();
            *highest = highest.max(noise.fraction());
        }
        let told = by_threads.iter().enumerate().map(|(i, (&threads, &floor))| match i {
            0 => format!("{} with {}", percent(floor), counted(threads)),
            _ => format!("{} with {threads}", percent(floor)),
        });
        let labels: BTreeSet<&str> = floors.iter().map(|(_, noise)| noise.label.as_str()).collect();
        let whose = match labels.len() {
            1 => format!("{} against itself", labels.first().unwrap_or(&"")),
            _ => {
                let labels: Vec<&str> = labels.into_iter().collect();
                format!("the highest of {}, each against itself", labels.join(", "))
            }
        };
        let pairs = || floors.iter().map(|(_, noise)| noise.ratio.samples);
        let pairs = match (pairs().min().unwrap_or(0), pairs().max().unwrap_or(0)) {
            (1, 1) => "one pair only, so a guess".to_owned(),
            (least, most) if least == most => format!("{most} pairs"),
            (least, most) => format!("{least} to {most} pairs"),
        };
        let told: Vec<String> = told.collect();
        format!("Noise floor at n = {n}: {} ({whose}, {pairs})", told.join(", "))
    };
    floors.into_iter().map(line).collect()
}
