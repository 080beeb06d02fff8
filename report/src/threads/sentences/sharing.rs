//! What it costs to share lists through counts, beside copies and immortal lists.

use super::super::{COPIED, Line, Spot, counted};
use super::{list, name, telling_threads};
use crate::format::{exact_count, human_count};
use crate::stats::Estimate;
use crate::verdict::{Verdict, clause};

const COUNTED: &str = "counted";
const IMMORTAL: &str = "immortal";

/// The same configuration with its lists shared in two ways.
struct Pair<'a> {
    line: &'a Line<'a>,
    other: &'a Line<'a>,
}

/// Each that has both ways, in the order of the lines.
fn pairs<'a>(lines: &'a [Line<'a>], way: &str, other: &str) -> Vec<Pair<'a>> {
    let shares = |line: &Line, way: &str| line.lists() == Some(way);
    // Two names may be the same where they are cut.
    let config = |line: &Line| (line.group().backend.clone(), line.config_without_lists());
    let pair = |line: &'a Line<'a>| {
        let other = lines.iter().find(|it| shares(it, other) && config(it) == config(line))?;
        Some(Pair { line, other })
    };
    lines.iter().filter(|line| shares(line, way)).filter_map(pair).collect()
}

impl<'a> Pair<'a> {
    /// Time over the other's with so many threads, and the noise floor.
    fn ratio(&self, threads: u32) -> Option<(Estimate, Option<f64>)> {
        let (spot, other) = (self.line.with(threads)?, self.other.with(threads)?);
        let summary = &spot.view.summary;
        let floor = summary.floor_between(spot.row, other.row);
        Some((summary.ratio(spot.row, other.row)?, floor))
    }

    fn clause(&self, threads: u32, beside: &str) -> Option<String> {
        let (ratio, floor) = self.ratio(threads)?;
        Some(clause(&ratio, floor, beside))
    }

    fn verdict(&self, threads: u32) -> Option<Verdict> {
        let (ratio, floor) = self.ratio(threads)?;
        Some(Verdict::new(&ratio, floor))
    }

    /// How far the ratio lies from 1, as a logarithm; 0 where no difference can be told.
    fn difference(&self, threads: u32) -> f64 {
        let Some((ratio, floor)) = self.ratio(threads) else { return 0.0 };
        match Verdict::new(&ratio, floor) {
            Verdict::Slower { .. } | Verdict::Faster { .. } => ratio.value.ln().abs(),
            _ => 0.0,
        }
    }

    fn spot(&self, threads: u32) -> Option<Spot<'a>> {
        self.line.with(threads)
    }
}

/// For each that counts references to shared lists: its time beside copies and beside immortal lists.
/// The largest difference from copies first, since that is what the sharing itself may come to; those
/// without one after them.
pub(super) fn counting(lines: &[Line]) -> Vec<String> {
    let all: Vec<&Line> = lines.iter().collect();
    let Some(threads) = telling_threads(&all) else { return Vec::new() };
    let immortal = pairs(lines, COUNTED, IMMORTAL);
    let of = |pair: Pair| {
        let with = pair.clause(threads, "copying them for each task")?;
        let name = name(pair.line);
        let alone = pair.clause(1, "copying").map(|it| format!("; with one thread it {it}"));
        let same = immortal
            .iter()
            .find(|other| other.line.spots[0].row.label == pair.line.spots[0].row.label);
        let beside = same
            .and_then(|same| same.clause(threads, "immortal lists"))
            .map(|it| format!("; it {it}"));
        let (alone, beside) = (alone.unwrap_or_default(), beside.unwrap_or_default());
        let counts = counts(&pair, threads).unwrap_or_default();
        let threads = counted(threads);
        Some(format!(
            "With {threads}, sharing lists through counted references in {name} {with}{beside}{alone}.{counts}"
        ))
    };
    let mut pairs = pairs(lines, COUNTED, COPIED);
    pairs.sort_by(|a, b| b.difference(threads).total_cmp(&a.difference(threads)));
    pairs.into_iter().filter_map(of).collect()
}

/// What is counted and what is copied for it, in one search.
fn counts(pair: &Pair, threads: u32) -> Option<String> {
    let (spot, other) = (pair.spot(threads)?, pair.other.with(threads)?);
    let raised = spot.row.rc_increments?;
    let copied = other.row.parallel.as_ref().and_then(|it| it.cells_copied);
    let raised_in_words = in_words(raised);
    let instead = match (other.row.rc_increments, copied) {
        (Some(raised), Some(copied)) => format!(
            "; with copies {} are, and {} cells are copied",
            in_words(raised),
            exact_count(copied)
        ),
        (Some(raised), None) => format!("; with copies {} are", in_words(raised)),
        (None, Some(copied)) => format!("; the copies are {} cells", exact_count(copied)),
        (None, None) => String::new(),
    };
    let tasks = spot.row.parallel.as_ref().and_then(|it| it.tasks);
    let tasks = tasks.map_or(String::new(), |tasks| format!(" of {} tasks", exact_count(tasks)));
    Some(format!(" In one search{tasks}, {raised_in_words} counts are raised{instead}."))
}

/// A count with its unit in full: `3.52 million`.
fn in_words(count: u64) -> String {
    let text = human_count(count);
    match text.split_once(' ') {
        Some((number, "k")) => format!("{number} thousand"),
        Some((number, "M")) => format!("{number} million"),
        Some((number, "G")) => format!("{number} billion"),
        _ => text,
    }
}

/// How immortal lists compare with copies, in all that have both; `None` where none has.
pub(super) fn immortal(lines: &[Line]) -> Option<String> {
    const MOST: usize = 3;
    let all: Vec<&Line> = lines.iter().collect();
    let threads = telling_threads(&all)?;
    let pairs = pairs(lines, IMMORTAL, COPIED);
    let known: Vec<(&Pair, Verdict)> =
        pairs.iter().filter_map(|pair| Some((pair, pair.verdict(threads)?))).collect();
    if known.is_empty() {
        return None;
    }
    let told = |wanted: fn(&Verdict) -> bool| {
        let some: Vec<&Pair> =
            known.iter().filter(|(_, verdict)| wanted(verdict)).map(|(pair, _)| *pair).collect();
        let named = some.iter().take(MOST).filter_map(|pair| {
            Some(format!("{} {}", name(pair.line), pair.clause(threads, "its copies")?))
        });
        let mut named: Vec<String> = named.collect();
        if some.len() > MOST {
            named.push(format!("{} more", some.len() - MOST));
        }
        (some.len(), list(&named))
    };
    let (faster, which_faster) = told(|verdict| matches!(verdict, Verdict::Faster { .. }));
    let (slower, which_slower) = told(|verdict| matches!(verdict, Verdict::Slower { .. }));
    let (few, _) = told(|verdict| matches!(verdict, Verdict::TooFew { .. }));
    let same = known.len() - faster - slower - few;
    let mut parts = Vec::new();
    for (count, what, which) in [
        (faster, "take less time", format!(" ({which_faster})")),
        (slower, "take more time", format!(" ({which_slower})")),
        (same, "show no difference that can be told", String::new()),
        (few, "have too few rounds for a verdict", String::new()),
    ] {
        if count > 0 {
            parts.push(format!("{count} of {} {what}{which}", known.len()));
        }
    }
    Some(format!(
        "With {} and immortal lists in place of copies for each task, {}.",
        counted(threads),
        list(&parts)
    ))
}
