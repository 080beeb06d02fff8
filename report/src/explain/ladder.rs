//! The cost of one change at a time.

use super::scope::{Side, Sides};
use super::steps::{BESIDE, Line, is_undone};
use super::{Verdict, scaled};
use crate::stats::Estimate;
use serde::Serialize;

/// A chain of backends, from one that does less to one that does more.
///
/// Each step is the median of the differences within a round, so that what disturbed a round
/// disturbs both sides. Medians do not add up exactly: the sum of the steps may differ a little
/// from [`whole`](Self::whole). Means would add up, but one disturbed sample can move a
/// mean by more than a step costs, so the ladder takes medians and shows both totals.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Ladder {
    /// What it climbs through.
    pub title: String,
    /// The lowest rung.
    pub start: Rung,
    /// What the lowest rung's time is made of.
    pub start_is: String,
    /// The steps, each from where the one before it ended; at least one.
    pub steps: Vec<Step>,
    /// Time of the highest rung in nanoseconds per cell: 100 per cent of each share.
    pub total_ns_per_cell: f64,
    /// The highest rung less the lowest, in nanoseconds per cell, paired by round.
    #[serde(serialize_with = "super::json::estimate_or_null")]
    pub whole: Option<Estimate>,
    /// Rungs without a time, or whose rounds no other rung shares; steps bridge them.
    pub missing: Vec<Missing>,
}

/// A backend on a ladder.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Rung {
    /// Label of the configuration.
    pub label: String,
    /// Name of the backend.
    pub backend: String,
    /// Median time of a search in nanoseconds per cell allocated.
    pub ns_per_cell: f64,
}

/// One step, and what it costs.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Step {
    /// Where it starts.
    pub from: Rung,
    /// Where it ends.
    pub to: Rung,
    /// What changes, each thing by itself: with more than one, their costs are not told apart.
    pub changes: Vec<String>,
    /// Backends that would lie between and have no time.
    pub bridges: Vec<String>,
    /// What the change costs in nanoseconds per cell; below zero it saves.
    #[serde(serialize_with = "super::json::estimate")]
    pub ns_per_cell: Estimate,
    /// The same as a part of the total: of the highest rung's time on a ladder, of the end's beside it.
    #[serde(serialize_with = "super::json::estimate")]
    pub share: Estimate,
    /// Time at the end over time at the start.
    #[serde(serialize_with = "super::json::estimate")]
    pub ratio: Estimate,
    /// Whether it is a difference at all.
    pub verdict: Verdict,
}

/// A rung that is not there.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Missing {
    /// Name of the backend.
    pub backend: String,
    /// Why, in a few words.
    pub why: String,
}

/// Steps beside the ladder.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Beside {
    /// Those with times on both sides.
    pub steps: Vec<Step>,
    /// The others: from, to.
    pub not_measured: Vec<(String, String)>,
}

impl Ladder {
    /// `None` where fewer than two rungs can be compared.
    pub(super) fn new(line: &Line, sides: &Sides, cells: f64) -> Option<Self> {
        let mut missing = Vec::new();
        let mut steps: Vec<(&Side, &Side, Step)> = Vec::new();
        let (mut changes, mut bridges) = (Vec::new(), Vec::new());
        let mut last = None;
        let mut start_is = line.first.1;
        let first = [(line.first.0, &[] as &[&str])];
        for &(backend, what) in first.iter().chain(line.rungs) {
            changes.retain(|change: &&str| !is_undone(backend, change));
            changes.extend(what);
            let side = sides.of(backend);
            let step = match (last, side) {
                (Some(from), Some(to)) => step(from, to, &changes, sides, cells),
                _ => None,
            };
            if let Some((from, to)) = last.zip(side)
                && let Some(step) = step
            {
                let bridges = std::mem::take(&mut bridges);
                steps.push((from, to, Step { bridges, ..step }));
            } else if last.is_some() || side.is_none() {
                let why = match side {
                    Some(_) => "no round in common with its neighbour".to_owned(),
                    None => sides.why_not(backend),
                };
                missing.push(Missing { backend: backend.to_owned(), why });
                if last.is_some() {
                    bridges.push(backend.to_owned());
                }
                continue;
            } else if backend != line.first.0 {
                start_is = "the lowest rung that was measured";
            }
            changes.clear();
            last = side;
        }
        let (lowest, highest) = (steps.first()?.0, steps.last()?.1);
        let total = highest.time_ns / cells;
        let whole = highest.paired(lowest, |to, from| (to - from) / cells);
        let shared = |step: Step| Step { share: scaled(step.ns_per_cell, 1.0 / total), ..step };
        Some(Self {
            title: line.title.to_owned(),
            start: Rung::new(lowest, cells),
            start_is: start_is.to_owned(),
            steps: steps.into_iter().map(|(_, _, step)| shared(step)).collect(),
            total_ns_per_cell: total,
            whole,
            missing,
        })
    }

    /// The sum of the steps, in nanoseconds per cell.
    pub fn sum_ns_per_cell(&self) -> f64 {
        self.steps.iter().map(|step| step.ns_per_cell.value).sum()
    }

    /// The highest rung.
    pub fn end(&self) -> &Rung {
        self.steps.last().map_or(&self.start, |step| &step.to)
    }
}

impl Beside {
    pub(super) fn new(sides: &Sides, cells: f64) -> Self {
        let mut beside = Self::default();
        for (from, to, changes) in BESIDE {
            let both = sides.of(from).zip(sides.of(to));
            match both.and_then(|(from, to)| step(from, to, changes, sides, cells)) {
                Some(step) => beside.steps.push(step),
                None => beside.not_measured.push((from.to_owned(), to.to_owned())),
            }
        }
        beside
    }
}

impl Rung {
    fn new(side: &Side, cells: f64) -> Self {
        Self {
            label: side.row.label.clone(),
            backend: side.backend.clone(),
            ns_per_cell: side.time_ns / cells,
        }
    }
}

/// One step, its share that of its end; `None` where the two sides never met in a round.
pub(super) fn step(
    from: &Side,
    to: &Side,
    changes: &[&str],
    sides: &Sides,
    cells: f64,
) -> Option<Step> {
    let ratio = to.ratio(from)?;
    let ns_per_cell = to.paired(from, |to, from| (to - from) / cells)?;
    let filter = match (from.speculates, to.speculates) {
        (true, false) => Some("the filter branches"),
        (false, true) => Some("the filter does not branch"),
        _ => None,
    };
    let at_once = (to.frees_at_once && !from.frees_at_once)
        .then_some("closed scopes give memory back at once");
    Some(Step {
        from: Rung::new(from, cells),
        to: Rung::new(to, cells),
        changes: changes.iter().copied().chain(at_once).chain(filter).map(str::to_owned).collect(),
        bridges: Vec::new(),
        ns_per_cell,
        share: scaled(ns_per_cell, cells / to.time_ns),
        ratio,
        verdict: Verdict::of(&ratio, sides.noise),
    })
}
