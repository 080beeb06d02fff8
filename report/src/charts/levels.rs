//! Backends that a sweep is held against, as horizontal lines.

use super::bars::label;
use super::plot::{Series, Style};
use super::swept::Line;
use crate::stats::Estimate;
use crate::summary::{Group, Row, Summary};

/// Most of them in one chart: each is one more line across all others.
const MOST: usize = 4;

/// One of them.
#[derive(Clone)]
pub(super) struct Level<'a> {
    /// Its configuration.
    pub group: &'a Group,
    /// The row that its time is of.
    pub row: &'a Row,
    /// Its name in the chart.
    pub name: String,
    /// Its time, whatever the swept value.
    pub time: Estimate,
}

impl Level<'_> {
    /// As a line of a plot.
    pub fn series(&self) -> Series {
        Series {
            name: self.name.clone(),
            backend: self.group.backend.clone(),
            points: vec![(1.0, self.time.value)],
            intervals: vec![(self.time.low, self.time.high)],
            style: Style::Level,
            ..Series::default()
        }
    }

    /// Whether it was measured in another run than every one of the lines.
    pub fn of_another_run(&self, lines: &[Line]) -> bool {
        let all = || lines.iter().flat_map(|line| &line.spots);
        // The default may have rounds of the study too.
        let any_swept = all().any(|spot| spot.group.swept);
        let spots = all().filter(|spot| spot.group.swept || !any_swept);
        !spots.flat_map(|spot| spot.row.rounds.keys()).any(|at| self.row.rounds.contains_key(at))
    }
}

/// What a study has at the size and on the machine of a line.
pub(super) fn studied<'a>(summary: &'a Summary, beside: &Line) -> Vec<Level<'a>> {
    let level = |row: &'a Row| {
        let group = summary.group_of(row);
        let time = row.time_ns.filter(|_| group.origin == beside.group.origin)?;
        Some(Level { group, row, name: label(group), time })
    };
    summary.studied_at(beside.n).filter_map(level).collect()
}

/// Those that tell most: the two that everyone knows, the fastest of manual and of reference counting
/// that serve any program, and `stack`, below which there is no way.
pub(super) fn choose<'a>(mut all: Vec<Level<'a>>) -> Vec<Level<'a>> {
    all.sort_by(|a, b| a.time.value.total_cmp(&b.time.value));
    let named = |name: &str| all.iter().find(|level| level.group.backend == name);
    let fastest = |family: &str| {
        let general = |group: &Group| !group.capabilities.problem_specific;
        all.iter().find(|level| level.group.family == family && general(level.group))
    };
    let wanted = [
        named("rc"),
        named("malloc"),
        fastest("manual"),
        fastest("reference counting"),
        named("stack"),
    ];
    let mut chosen: Vec<Level> = Vec::new();
    for level in wanted.into_iter().flatten() {
        let known = chosen.iter().any(|other| other.group.backend == level.group.backend);
        if !known && chosen.len() < MOST {
            chosen.push(level.clone());
        }
    }
    chosen
}

/// A sentence for the caption, where some were measured in another run.
pub(super) fn provenance(levels: &[Level], lines: &[Line]) -> String {
    let others = levels.iter().filter(|level| level.of_another_run(lines));
    let names: Vec<&str> = others.map(|level| level.name.as_str()).collect();
    match names.is_empty() {
        true => String::new(),
        false => format!(
            " Measured in another run on the same machine, so only roughly comparable: {}.",
            names.join(", ")
        ),
    }
}
