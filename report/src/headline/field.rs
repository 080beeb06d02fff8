//! Who runs: what of one origin was timed at its largest size, and how two of them compare.

use crate::format::shorten;
use crate::stats::Estimate;
use crate::summary::{Group, NoiseFloor, Row, Summary, telling_n};
use crate::verdict::{Verdict, clause};

/// Longest name in a sentence, in characters.
pub(super) const LONGEST_NAME: usize = 40;
/// Family of what reclaims nothing, and so manages no memory.
const NO_MANAGER: &str = "none";

/// The two families of the title's question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Family {
    Counting,
    Tracing,
}

/// The timed rows of one origin at one size, the fastest first; no points of sweeps.
pub(super) struct Field<'a> {
    pub n: u32,
    pub noise: Option<&'a NoiseFloor>,
    pub rows: Vec<&'a Row>,
    summary: &'a Summary,
}

/// Where one stands from another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Standing {
    Ahead,
    Behind,
    /// Within the noise floor.
    Same,
    /// Neither ahead nor behind, and not within the noise floor.
    Unclear,
}

impl Family {
    /// The name that records have for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Counting => "reference counting",
            Self::Tracing => "tracing",
        }
    }

    /// What its members do: the fastest that ...
    pub fn does(self) -> &'static str {
        match self {
            Self::Counting => "counts references",
            Self::Tracing => "traces",
        }
    }

    pub fn other(self) -> Self {
        match self {
            Self::Counting => Self::Tracing,
            Self::Tracing => Self::Counting,
        }
    }
}

impl<'a> Field<'a> {
    /// At the size that tells most of what is no point of a sweep; `None` where nothing has a time.
    pub fn new(summary: &'a Summary, origin: usize) -> Option<Self> {
        let studied = |row: &&Row| {
            let group = summary.group_of(row);
            group.origin == origin && group.studied && row.time_ns.is_some()
        };
        let n = telling_n(summary.rows.iter().filter(studied))?;
        Self::of(summary, n, summary.studied_at(n).filter(studied).collect())
    }

    /// Peers and what is studied, at the size that tells most of it and has peers; `None` where nothing
    /// has a time there.
    pub fn beside_peers(summary: &'a Summary, origin: usize) -> Option<Self> {
        let n = summary.peers_n()?;
        let timed = |row: &&Row| summary.group_of(row).origin == origin && row.time_ns.is_some();
        Self::of(summary, n, summary.beside_peers(n).filter(timed).collect())
    }

    /// `None` of no rows.
    fn of(summary: &'a Summary, n: u32, rows: Vec<&'a Row>) -> Option<Self> {
        rows.first()?;
        let noise = rows.first().and_then(|row| summary.noise_of(row));
        Some(Self { n, noise, rows, summary })
    }

    /// Those that manage memory and serve any program.
    pub fn general(&self) -> Vec<&'a Row> {
        let general = |group: &Group| {
            !group.capabilities.problem_specific && group.family.as_str() != NO_MANAGER
        };
        self.rows.iter().copied().filter(|row| general(self.group(row))).collect()
    }

    /// The fastest general one of a family.
    pub fn fastest_of(&self, family: Family) -> Option<&'a Row> {
        let is_of = |row: &&Row| self.group(row).family == family.name();
        let rows: Vec<_> = self.general().into_iter().filter(is_of).collect();
        self.fastest(&rows)
    }

    /// The fastest of some, by the ratios that pair rounds where they and the medians differ.
    pub fn fastest(&self, rows: &[&'a Row]) -> Option<&'a Row> {
        let ahead = |first: &'a Row, row: &'a Row| match self.standing(row, first) {
            Standing::Ahead => row,
            _ => first,
        };
        rows.iter().copied().reduce(ahead)
    }

    /// The configuration of a backend; of several the fastest.
    pub fn find(&self, backend: &str) -> Option<&'a Row> {
        self.rows.iter().copied().find(|row| self.group(row).backend == backend)
    }

    pub fn group(&self, row: &Row) -> &'a Group {
        self.summary.group_of(row)
    }

    pub fn name(&self, row: &Row) -> String {
        shorten(&self.group(row).config, LONGEST_NAME)
    }

    pub fn floor(&self) -> Option<f64> {
        self.noise.map(NoiseFloor::fraction)
    }

    pub fn ratio(&self, row: &Row, other: &Row) -> Option<Estimate> {
        self.summary.ratio(row, other)
    }

    /// What a row's ratio to another is, in words that follow the row's name; `None` where the two
    /// have no round in common.
    pub fn clause(&self, row: &Row, other: &Row) -> Option<String> {
        Some(clause(&self.ratio(row, other)?, self.floor(), &self.name(other)))
    }

    pub fn space_overhead(&self, row: &Row) -> Option<f64> {
        self.summary.space_overhead(row)
    }

    /// Where a row stands from another.
    pub fn standing(&self, row: &Row, other: &Row) -> Standing {
        let (low, value, high) = match self.ratio(row, other) {
            Some(ratio) => match Verdict::new(&ratio, self.floor()) {
                Verdict::Faster { .. } => return Standing::Ahead,
                Verdict::Slower { .. } => return Standing::Behind,
                Verdict::NoDifference { .. } => return Standing::Same,
                Verdict::Unclear => return Standing::Unclear,
                // No interval to go by: a range that leaves 1 aside is all that can be asked for.
                Verdict::TooFew { .. } => (ratio.low, ratio.value, ratio.high),
            },
            // Of another run: all there is to compare are the intervals.
            None => match (row.time_ns, other.time_ns) {
                (Some(a), Some(b)) => (a.low / b.high, a.value / b.value, a.high / b.low),
                _ => return Standing::Unclear,
            },
        };
        match self.floor() {
            Some(floor) if value.ln().abs() <= floor.ln_1p() => Standing::Same,
            _ if low > 1.0 => Standing::Behind,
            _ if high < 1.0 => Standing::Ahead,
            _ => Standing::Unclear,
        }
    }
}
