//! Configurations of one backend that differ in one parameter alone: the points of a line.

use super::bars::LABEL_CHARS;
use super::plot::{Series, Style};
use crate::format::shorten;
use crate::labels::THREADS;
use crate::record::Status;
use crate::record::params::{HEAP_LIMIT, HEAP_MULTIPLE};
use crate::stats::Estimate;
use crate::summary::{Group, Row, Summary, magnitude};
use std::collections::{BTreeMap, BTreeSet};

/// A backend over the values of a parameter.
pub(super) struct Line<'a> {
    /// One of its configurations.
    pub group: &'a Group,
    /// Size of the problem.
    pub n: u32,
    /// The values, smallest first.
    pub spots: Vec<Spot<'a>>,
    /// The other parameters, the same for all of them.
    rest: BTreeMap<&'a str, String>,
}

/// One value.
pub(super) struct Spot<'a> {
    /// The value as a number: bytes, a multiple, a count.
    pub value: f64,
    /// Whether it was given in bytes.
    pub bytes: bool,
    /// The configuration.
    pub group: &'a Group,
    /// What was measured: a time or a failure.
    pub row: &'a Row,
}

/// Lines of all backends that have at least so many values of a parameter, and are equal otherwise;
/// the fastest backend first. Each is of the largest n that has as many.
pub(super) fn lines<'a>(summary: &'a Summary, param: &str, least: usize) -> Vec<Line<'a>> {
    let mut rows: BTreeMap<usize, Vec<&Row>> = BTreeMap::new();
    for row in summary.rows.iter().filter(|r| r.time_ns.is_some() || r.status != Status::Ok) {
        rows.entry(row.group).or_default().push(row);
    }
    let mut alike: BTreeMap<_, Vec<Spot>> = BTreeMap::new();
    // What a peer has for parameters are its versions.
    let ours = |(_, group): &(usize, &Group)| group.peer.is_none();
    for (place, group) in summary.groups.iter().enumerate().filter(ours) {
        let mut rest = params(group);
        let Some(text) = rest.remove(param) else { continue };
        // Logarithmic axes have no zero.
        let Some(value) = magnitude(&text).filter(|&value| value > 0.0 && value.is_finite()) else {
            continue;
        };
        let bytes = text.ends_with('B');
        let spots = rows.get(&place).into_iter().flatten();
        let spots = spots.map(|&row| Spot { value, bytes, group, row });
        alike.entry((group.origin, &group.backend, rest)).or_default().extend(spots);
    }
    let lines = alike.into_iter().filter_map(|((_, _, rest), spots)| Line::new(rest, spots, least));
    let mut lines: Vec<Line> = lines.collect();
    lines.sort_by_key(|line| line.spots.iter().map(|spot| spot.row.group).min());
    lines
}

/// The lines of the origin and n with the largest n, and of those, with the most lines.
pub(super) fn of_one_size(lines: Vec<Line>) -> Vec<Line> {
    let block = |line: &Line| (line.n, line.group.origin);
    let count = |of| lines.iter().filter(|line| block(line) == of).count();
    let chosen = lines.iter().map(block).max_by_key(|&(n, origin)| (n, count((n, origin))));
    lines.into_iter().filter(|line| Some(block(line)) == chosen).collect()
}

/// How many lines before this one are of the same backend; their markers differ by it.
pub(super) fn variant(lines: &[Line], i: usize) -> usize {
    let same = |other: &&Line| other.group.backend == lines[i].group.backend;
    lines[..i].iter().filter(same).count()
}

/// What tells a title's machine or program from others; empty where there is one.
pub(super) fn origin(summary: &Summary, line: &Line) -> String {
    match summary.origins[line.group.origin].1.as_str() {
        "" => String::new(),
        name => format!(" [{name}]"),
    }
}

/// Every parameter, and the number of threads among them.
fn params(group: &Group) -> BTreeMap<&str, String> {
    let mut params: BTreeMap<&str, String> =
        group.params.iter().map(|(name, value)| (name.as_str(), value.clone())).collect();
    params.insert(THREADS, group.threads.to_string());
    // A limit that is a multiple of what lives is another number of bytes at each n.
    if params.contains_key(HEAP_MULTIPLE) {
        params.remove(HEAP_LIMIT);
    }
    params
}

impl<'a> Line<'a> {
    fn new(rest: BTreeMap<&'a str, String>, spots: Vec<Spot<'a>>, least: usize) -> Option<Self> {
        let enough = |&n: &u32| {
            let here = || spots.iter().filter(|spot| spot.row.n == n);
            let values: BTreeSet<u64> = here().map(|spot| spot.value.to_bits()).collect();
            values.len() >= least && here().any(|spot| spot.row.time_ns.is_some())
        };
        let sizes: BTreeSet<u32> = spots.iter().map(|spot| spot.row.n).collect();
        let n = sizes.into_iter().rev().find(enough)?;
        let mut spots: Vec<Spot> = spots.into_iter().filter(|spot| spot.row.n == n).collect();
        spots.sort_by(|a, b| a.value.total_cmp(&b.value));
        Some(Self { group: spots.first()?.group, n, spots, rest })
    }

    /// The backend, and in braces what tells it from other lines of the same backend.
    pub fn name(&self, all: &[Self]) -> String {
        let same = || all.iter().filter(|other| other.group.backend == self.group.backend);
        let differs = |name: &str| same().any(|line| line.rest.get(name) != self.rest.get(name));
        let telling = self.rest.iter().filter(|(name, _)| differs(name));
        let telling: Vec<String> = telling.map(|(name, value)| format!("{name}={value}")).collect();
        let name = match telling.is_empty() {
            true => self.group.backend.clone(),
            false => format!("{}{{{}}}", self.group.backend, telling.join(",")),
        };
        shorten(&name, LABEL_CHARS)
    }

    /// The name, and where it failed.
    pub fn named(&self, all: &[Self], value: fn(f64) -> String) -> String {
        let name = self.name(all);
        match self.failures(value) {
            Some(failures) => format!("{name}: {failures}"),
            None => name,
        }
    }

    /// The value of the configuration that a study has, where the others are points of a sweep.
    pub fn default(&self) -> Option<f64> {
        let swept = self.spots.iter().any(|spot| spot.group.swept);
        self.spots.iter().find(|spot| swept && !spot.group.swept).map(|spot| spot.value)
    }

    /// Leaves out the configuration that a study has.
    pub fn forget_default(&mut self) {
        if let Some(default) = self.default() {
            self.spots.retain(|spot| spot.group.swept || spot.value != default);
        }
    }

    /// Estimates of the values that have one.
    pub fn times(&self) -> impl Iterator<Item = Estimate> {
        self.spots.iter().filter_map(|spot| spot.row.time_ns)
    }

    /// Where it failed, such as `out of memory below 25x`.
    pub fn failures(&self, value: fn(f64) -> String) -> Option<String> {
        let failed = || self.spots.iter().filter(|spot| spot.row.status != Status::Ok);
        let words = failed().map(|spot| spot.row.status).max()?.words();
        let timed = self.spots.iter().find(|spot| spot.row.time_ns.is_some());
        let first = timed.map_or(f64::INFINITY, |spot| spot.value);
        if failed().all(|spot| spot.value < first) {
            return Some(format!("{words} below {}", value(first)));
        }
        let at: Vec<String> = failed().take(3).map(|spot| value(spot.value)).collect();
        let more = if failed().count() > at.len() { ", …" } else { "" };
        Some(format!("{words} at {}{more}", at.join(", ")))
    }

    /// As a line of a plot: time by value, infinite where it failed.
    pub fn series(&self, name: String, variant: usize) -> Series {
        let time =
            |spot: &Spot, of: fn(Estimate) -> f64| spot.row.time_ns.map_or(f64::INFINITY, of);
        Series {
            name,
            backend: self.group.backend.clone(),
            variant,
            points: self.spots.iter().map(|s| (s.value, time(s, |t| t.value))).collect(),
            intervals: self
                .spots
                .iter()
                .map(|s| (time(s, |t| t.low), time(s, |t| t.high)))
                .collect(),
            style: match self.group.capabilities.problem_specific {
                true => Style::Dashed,
                false => Style::Marked,
            },
            ..Series::default()
        }
    }
}

/// A number as short as it can be told; `1.1`, `256`.
pub(super) fn number(value: f64) -> String {
    match (1e-3..1e7).contains(&value) {
        true => format!("{value}"),
        false => format!("{value:.2e}"),
    }
}

/// What the whiskers of estimates are.
pub(super) fn whiskers(times: impl Iterator<Item = Estimate>) -> &'static str {
    let confident: BTreeSet<bool> = times.map(|time| time.confident()).collect();
    match (confident.contains(&true), confident.contains(&false)) {
        (true, true) => "95 % intervals, or ranges of few rounds",
        (false, true) => "ranges of few rounds",
        _ => "95 % intervals",
    }
}
