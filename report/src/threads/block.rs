//! One mode at one split depth.

use super::line::{Line, Spot};
use super::mode::Mode;
use crate::format::clean;
use crate::labels::{Key, Names};
use crate::record::Record;
use crate::record::params::{LISTS, MODE, ORDER, SPLIT_DEPTH};
use crate::summary::{
    Group, Grouped, Origin, Row, Summary, SummaryError, choose_baseline, magnitude, telling_n,
};
use std::collections::{BTreeMap, BTreeSet};

/// The way to share lists that every backend has, so that others are held against it.
pub(crate) const COPIED: &str = "copied";

/// What the samples of one mode, split at one depth, say.
#[derive(Clone, Debug, PartialEq)]
pub struct Block {
    /// What the threads did.
    pub mode: Mode,
    /// The levels of the search that were split into tasks.
    pub depth: Option<String>,
    /// A view for each number of threads, fewest first; never none.
    pub views: Vec<View>,
    /// All samples.
    pub(crate) records: Vec<Record>,
    /// What they come to together, of samples without a mode.
    pub(crate) whole: Option<Summary>,
}

/// The samples with one number of threads.
#[derive(Clone, Debug, PartialEq)]
pub struct View {
    /// Threads that ran the program.
    pub threads: u32,
    /// The rows, each with its time, its ratio to the baseline and its verdict, all with as many threads.
    /// A configuration has the same label, and an origin the same place, in all views of a block.
    pub summary: Summary,
}

/// What makes a block, in the order in which blocks are shown.
type Place = (Mode, u64, Option<String>);

impl Block {
    /// All blocks, in order. `alone` are records of one thread without a mode: those of several threads
    /// without a mode are held against them.
    ///
    /// The baseline is the same configuration with any number of threads: the one that
    /// [`Summary::new`] takes of the fewest, copied lists before others.
    ///
    /// # Errors
    ///
    /// [`SummaryError::UnknownBaseline`], where no block has it.
    pub fn all(
        of_threads: &[Record],
        alone: &[Record],
        baseline: Option<&str>,
    ) -> Result<Vec<Self>, SummaryError> {
        let mut places: BTreeMap<Place, Vec<Record>> = BTreeMap::new();
        for record in of_threads {
            places.entry(place(record)).or_default().push(record.clone());
        }
        for ((mode, ..), records) in &mut places {
            if *mode == Mode::Unnamed {
                let known: BTreeSet<Key> = records.iter().map(Key::without_threads).collect();
                let same = |record: &&Record| known.contains(&Key::without_threads(record));
                records.extend(alone.iter().filter(same).cloned());
            }
        }
        let keys: Vec<(Key, &Record)> =
            places.values().flatten().map(|record| (Key::of(record), record)).collect();
        let origins = Names::new(keys.iter().map(|(key, record)| (key, *record))).origins;
        let (mut blocks, mut unknown) = (Vec::new(), Vec::new());
        for ((mode, _, depth), records) in &places {
            let new = |baseline| Self::new(mode, depth.as_ref(), records, &origins, baseline);
            match new(baseline) {
                Ok(block) => blocks.push(block),
                Err(why) => {
                    blocks.push(new(None)?);
                    unknown.push(why);
                }
            }
        }
        match unknown.pop() {
            Some(why) if unknown.len() + 1 == blocks.len() => Err(why),
            _ => Ok(blocks),
        }
    }

    fn new(
        mode: &Mode,
        depth: Option<&String>,
        records: &[Record],
        origins: &[(Origin, String)],
        baseline: Option<&str>,
    ) -> Result<Self, SummaryError> {
        let keys: Vec<Key> = records.iter().map(Key::without_threads).collect();
        let mut names = Names::new(keys.iter().zip(records));
        names.origins = origins.to_vec();
        let mut parts: BTreeMap<u32, (Vec<Key>, Vec<Record>)> = BTreeMap::new();
        for (key, record) in keys.iter().zip(records) {
            let (keys, records) = parts.entry(record.threads).or_default();
            keys.push(key.clone());
            records.push(record.clone());
        }
        let of = |(keys, records): &(Vec<Key>, Vec<Record>), baseline: &dyn Fn(&[Grouped]) -> _| {
            Summary::named(records, keys, &names, baseline)
        };
        // Of the fewest threads with which something, or what is asked for, has a time.
        let chosen = |part| of(part, &|groups| choose(groups, baseline)).map(|sum| sum.baseline);
        let chosen: Vec<Result<_, _>> = parts.values().map(chosen).collect();
        let known = chosen.iter().find_map(|chosen| chosen.clone().ok().flatten());
        if let Some(Err(why)) = chosen.iter().find(|_| known.is_none()) {
            return Err(why.clone());
        }
        let view = |(&threads, part): (&u32, _)| {
            let timed =
                |groups: &[Grouped]| Ok(known.clone().filter(|name| has_time(groups, name)));
            let mut summary = of(part, &timed)?;
            if mode.side_by_side() {
                // Of all cells that were allocated meanwhile.
                let per_cell = summary.rows.iter_mut().filter_map(|row| row.ns_per_cell.as_mut());
                per_cell.for_each(|ns| *ns /= f64::from(threads.max(1)));
            }
            Ok(View { threads, summary })
        };
        let views = parts.iter().map(view).collect::<Result<_, _>>()?;
        let whole = match mode {
            Mode::Unnamed => Some(Summary::new(records, None)?),
            _ => None,
        };
        Ok(Self {
            mode: mode.clone(),
            depth: depth.cloned(),
            views,
            records: records.to_vec(),
            whole,
        })
    }

    /// What the threads do.
    pub fn about(&self) -> String {
        self.mode.about(self.depth.as_deref())
    }

    /// The depth, where the mode has several among these blocks; elsewhere it tells nothing apart.
    pub(crate) fn depth_among(&self, blocks: &[Self]) -> Option<&str> {
        let alike = blocks.iter().filter(|other| other.mode == self.mode).count();
        self.depth.as_deref().filter(|_| alike > 1)
    }

    /// A heading among these blocks: `One search, split`, `One search, split at depth 3`.
    pub(crate) fn title(&self, blocks: &[Self]) -> String {
        let mode = self.mode.title();
        match self.depth_among(blocks) {
            Some(depth) => format!("{mode} at depth {depth}"),
            None => mode,
        }
    }

    /// The configuration that ratios compare with, with as many threads.
    pub fn baseline(&self) -> Option<&str> {
        self.views.iter().find_map(|view| view.summary.baseline.as_deref())
    }

    /// Every program and machine, with what it is called.
    pub fn origins(&self) -> &[(Origin, String)] {
        self.views.first().map_or(&[], |view| &view.summary.origins)
    }

    /// All rows, each with its view.
    pub fn spots(&self) -> impl Iterator<Item = Spot<'_>> {
        let of = |view| move |row| Spot { view, row };
        self.views.iter().flat_map(move |view| view.summary.rows.iter().map(of(view)))
    }

    /// Each configuration at each n over the numbers of threads: by n and origin, the backend first
    /// whose time with the fewest threads is the shortest, its configurations together.
    pub fn lines(&self) -> Vec<Line<'_>> {
        let mut lines: BTreeMap<(u32, usize, &str), Vec<Spot>> = BTreeMap::new();
        for spot in self.spots() {
            let place = (spot.row.n, spot.group().origin, spot.row.label.as_str());
            lines.entry(place).or_default().push(spot);
        }
        let line = |((n, origin, _), spots)| Line { block: self, n, origin, spots };
        let mut lines: Vec<Line> = lines.into_iter().map(line).collect();
        let time = |line: &Line| {
            let first = line.spots.iter().find_map(|spot| spot.row.time_ns);
            first.map_or(f64::INFINITY, |time| time.value)
        };
        let mut best: BTreeMap<(u32, usize, &str), f64> = BTreeMap::new();
        for line in &lines {
            let known = best.entry(line.backend()).or_insert(f64::INFINITY);
            *known = known.min(time(line));
        }
        let order = |line: &Line| (line.n, line.origin);
        lines.sort_by(|a, b| {
            let backends = best[&a.backend()].total_cmp(&best[&b.backend()]);
            let backends = backends.then_with(|| a.backend().cmp(&b.backend()));
            order(a).cmp(&order(b)).then(backends).then(time(a).total_cmp(&time(b)))
        });
        lines
    }

    /// The lines of one program and machine at the n that tells most of it.
    pub fn telling_lines(&self, origin: usize) -> Vec<Line<'_>> {
        let here = |row: &&Row, group: &Group| group.origin == origin && row.time_ns.is_some();
        let spots: Vec<Spot> = self.spots().filter(|spot| here(&spot.row, spot.group())).collect();
        let n = telling_n(spots.iter().map(|spot| spot.row));
        let mut lines = self.lines();
        lines.retain(|line| line.origin == origin && Some(line.n) == n);
        lines
    }
}

fn place(record: &Record) -> Place {
    let param = |name: &str| record.params.get(name).map(|value| clean(value));
    let depth = param(SPLIT_DEPTH);
    let levels = depth.as_deref().and_then(magnitude).map_or(0, |levels| levels as u64);
    (Mode::new(param(MODE).as_deref()), levels, depth)
}

/// As of one thread, copied lists before others, and the usual order of tasks before another.
fn choose(groups: &[Grouped], asked: Option<&str>) -> Result<Option<String>, SummaryError> {
    let mut ordered = groups.to_vec();
    let copied = |group: &Group| group.params.get(LISTS).is_none_or(|lists| lists == COPIED);
    ordered.sort_by_key(|(group, _)| (!copied(group), group.params.contains_key(ORDER)));
    choose_baseline(&ordered, asked)
}

fn has_time(groups: &[Grouped], config: &str) -> bool {
    let timed = |rows: &[Row]| rows.iter().any(|row| row.time_ns.is_some());
    groups.iter().any(|(group, rows)| group.config == config && timed(rows))
}
