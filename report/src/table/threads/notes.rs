//! What is to be said below the tables of threads.

use super::{OVERSUBSCRIBED, TASKS};
use crate::record::Status;
use crate::stats::Estimate;
use crate::summary::NoiseFloor;
use crate::table::range_note;
use crate::table::results::long_baseline;
use crate::threads::{Block, Spot, beyond, counted};
use crate::verdict::percent;
use std::collections::{BTreeMap, BTreeSet};

/// What is to be said where several floors are told as one.
const OWN_FLOOR: &str = "; each row is held against that of its own lists and order";

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
    notes.extend(cpu_note(block));
    notes.extend(oversubscribed_note(block));
    notes.extend(pauses_note(block));
    notes.extend(shared_cores_note(block));
    notes.extend(pinned_note(block));
    notes.extend(heap_note(block));
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

/// What processor times contain.
fn cpu_note(block: &Block) -> Option<String> {
    let known = block.spots().any(|spot| spot.cpu_ns(block).is_some());
    known.then(|| format!("CPU time: {}", block.mode.cpu_time()))
}

/// What the pauses of threads contain that take turns.
fn pauses_note(block: &Block) -> Option<String> {
    let mut pauses =
        block.spots().filter(Spot::oversubscribed).filter_map(|spot| spot.row.pauses.as_ref());
    pauses.any(|pauses| pauses.count > 0).then(|| {
        format!(
            "{OVERSUBSCRIBED} their pauses contain the time in which the system ran other threads"
        )
    })
}

/// That some cores are parts of one, where threads were on both.
fn shared_cores_note(block: &Block) -> Option<String> {
    let shared = block.spots().filter(Spot::shares_physical_cores);
    let physical: BTreeSet<u32> = shared.filter_map(|spot| spot.physical_cores()).collect();
    match physical.len() {
        0 | 1 => physical.first().copied().map(beyond),
        _ => Some("more threads than their machine has physical cores share these".to_owned()),
    }
}

/// Whether threads were kept on their cores.
fn pinned_note(block: &Block) -> Option<String> {
    const KEPT: &str = "each thread was kept on one core";
    let mut threads: BTreeMap<Option<bool>, BTreeSet<u32>> = BTreeMap::new();
    for spot in block.spots().filter(|spot| spot.row.parallel.is_some()) {
        threads.entry(spot.pinned()).or_default().insert(spot.threads());
    }
    let [placed, refused, kept] = [None, Some(false), Some(true)].map(|it| threads.remove(&it));
    Some(match (placed, refused, kept) {
        (None, None, None) => return None,
        (None, None, Some(_)) => KEPT.to_owned(),
        (Some(_), None, Some(_)) => {
            format!("{KEPT}, where there was one for each; the system placed the others")
        }
        (Some(_), None, None) => {
            "threads were not kept on cores: the system placed them".to_owned()
        }
        (_, Some(_), None) => {
            "the system refused to keep threads on cores, and placed them itself".to_owned()
        }
        (_, Some(refused), Some(_)) => {
            let refused: Vec<String> = refused.into_iter().map(counted).collect();
            let refused = refused.join(" and with ");
            format!("with {refused} the system refused to keep them on cores; else {KEPT}")
        }
    })
}

/// What the heaps' peak is of, where tasks hold lists that no heap does.
fn heap_note(block: &Block) -> Option<String> {
    let known = block.spots().any(|spot| spot.row.heap_peak_bytes.is_some());
    let immortal = block.spots().any(|spot| TASKS[3](&spot) > Some(0));
    let immortal = if immortal { ", but immortal lists are" } else { "" };
    (known && block.mode.has_tasks()).then(|| {
        format!(
            "heap peak: that of the heaps; what waits in tasks, copies on their way, is not in it{immortal}"
        )
    })
}

/// The noise floors, in a line for each n and origin:
/// `Noise floor at n = 9: 1.2 % with 1 thread, 2.0 % with 2; of CPU time 0.8 % with 1 thread, 1.1 %
/// with 2 (gc against itself, 8 pairs)`.
fn noise(block: &Block) -> Vec<String> {
    let mut floors: BTreeMap<(u32, usize), Vec<(u32, &NoiseFloor)>> = BTreeMap::new();
    for view in &block.views {
        for noise in &view.summary.noise {
            floors.entry((noise.n, noise.origin)).or_default().push((view.threads, noise));
        }
    }
    let line = |((n, _), floors): ((u32, usize), Vec<(u32, &NoiseFloor)>)| {
        let wall = by_threads(&floors, |noise| Some(noise.fraction())).unwrap_or_default();
        let cpu = by_threads(&floors, NoiseFloor::cpu_fraction);
        let cpu = cpu.map_or(String::new(), |cpu| format!("; of CPU time {cpu}"));
        let labels: BTreeSet<&str> = floors.iter().map(|(_, noise)| noise.label.as_str()).collect();
        let whose = match labels.len() {
            1 => format!("{} against itself", labels.first().unwrap_or(&"")),
            _ => {
                let labels: Vec<&str> = labels.iter().copied().collect();
                format!("the highest of {}, each against itself", labels.join(", "))
            }
        };
        let several = labels.len() > 1 && block.mode.has_tasks();
        let own = if several { OWN_FLOOR } else { "" };
        let pairs = || floors.iter().map(|(_, noise)| noise.ratio.samples);
        let pairs = match (pairs().min().unwrap_or(0), pairs().max().unwrap_or(0)) {
            (1, 1) => "one pair only, so a guess".to_owned(),
            (least, most) if least == most => format!("{most} pairs"),
            (least, most) => format!("{least} to {most} pairs"),
        };
        format!("Noise floor at n = {n}: {wall}{cpu} ({whose}, {pairs}{own})")
    };
    floors.into_iter().map(line).collect()
}

/// The highest of each number of threads: `1.2 % with 1 thread, 2.0 % with 2`.
fn by_threads(
    floors: &[(u32, &NoiseFloor)],
    fraction: impl Fn(&NoiseFloor) -> Option<f64>,
) -> Option<String> {
    let mut by_threads: BTreeMap<u32, f64> = BTreeMap::new();
    for (threads, noise) in floors {
        if let Some(fraction) = fraction(noise) {
            let highest = by_threads.entry(*threads).or_default();
            *highest = highest.max(fraction);
        }
    }
    let told = by_threads.iter().enumerate().map(|(i, (&threads, &floor))| match i {
        0 => format!("{} with {}", percent(floor), counted(threads)),
        _ => format!("{} with {threads}", percent(floor)),
    });
    let told: Vec<String> = told.collect();
    (!told.is_empty()).then(|| told.join(", "))
}
