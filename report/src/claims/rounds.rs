//! The records by round, as expressions read them.

use super::file::Part;
use crate::explain::reclamation;
use crate::labels::{Key, Labels, Origin, THREADS};
use crate::record::params::MODE;
use crate::record::{CounterSource, Pauses, Record, Status};
use crate::stats::median;
use crate::studies::View;
use crate::summary::{NoiseFloor, Round, Row, Summary};
use rayon::prelude::*;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

/// Time of one search, the one quantity of rounds that the summary has.
pub(super) const TIME: &str = "time";

/// Instructions of one search.
const INSTRUCTIONS: &str = "instructions";

/// Quantities that are the same in every round, so one for each row.
type OfRow = fn(&Row) -> Option<u64>;
const OF_ROWS: [(&str, OfRow); 12] = [
    ("cells", |row| row.cells_allocated),
    ("increments", |row| row.rc_increments),
    ("decrements", |row| row.rc_decrements),
    ("collections", |row| row.collections),
    ("copied", |row| row.bytes_copied),
    ("swept", |row| row.cells_swept),
    ("runs", |row| row.runs_found),
    ("words", |row| row.words_scanned),
    ("rooted", |row| row.roots_stored),
    ("heap_peak", |row| row.heap_peak_bytes),
    ("live_peak", |row| row.live_peak_bytes),
    ("rss_peak", |row| row.rss_peak_bytes),
];

/// Quantities of each sample.
type OfPauses = fn(&Record, &Pauses) -> Option<f64>;
const OF_PAUSES: [(&str, OfPauses); 4] = [
    ("pause_max", |_, pauses| Some(pauses.max_ns as f64)),
    ("pause_total", |_, pauses| Some(pauses.total_ns as f64)),
    ("pause_share", |record, _| reclamation(&[record])),
    ("sweep_share", |_, pauses| pauses.sweep_share()),
];

/// Names of all quantities, which are functions of expressions too.
pub(super) fn quantities() -> impl Iterator<Item = &'static str> {
    let of_rows = OF_ROWS.iter().map(|(name, _)| *name);
    let of_pauses = OF_PAUSES.iter().map(|(name, _)| *name);
    [TIME, INSTRUCTIONS].into_iter().chain(of_rows).chain(of_pauses)
}

/// One program on one machine at one size.
#[derive(Debug, Default)]
pub(super) struct Scene {
    /// Place of the origin in the summary.
    pub origin: usize,
    /// What it is called there.
    pub origin_name: String,
    /// Name of the program, without its version.
    pub program: String,
    /// The part of an allocation study; `None` of n-queens.
    pub part: Option<Part>,
    /// Size of the problem.
    pub n: u32,
    /// Whether any sample comes from a build without optimisation.
    pub debug_build: bool,
    /// Whether it has samples of threads beside those of one thread.
    pub together: bool,
    /// Rounds that there are samples of.
    pub rounds: usize,
    /// The configurations, the fastest first, those without a time last.
    pub configs: Vec<Config>,
    /// The configuration with the cheapest mutator, and the part of its time that is the mutator's.
    pub bound: Option<(usize, f64)>,
}

/// A configuration with its values.
#[derive(Debug)]
pub(super) struct Config {
    pub label: String,
    pub backend: String,
    pub family: String,
    pub problem_specific: bool,
    pub generational: bool,
    /// Whether it is another program than the study's.
    pub peer: bool,
    /// Whether it is a point of a sweep beside a study.
    pub swept: bool,
    /// Every parameter, and the number of threads among them.
    pub params: BTreeMap<String, String>,
    /// The noise floor of its times: 0.012 is 1.2 %.
    pub floor: Option<f64>,
    values: BTreeMap<&'static str, Values>,
    /// Of a study, what it tells beside its times.
    figures: BTreeMap<String, Values>,
}

/// Values of one quantity.
#[derive(Debug)]
pub(super) enum Values {
    /// The same in every round.
    Same(f64),
    /// One for each round that has one, and their median.
    ByRound { by_round: Vec<Option<f64>>, median: f64 },
}

impl Values {
    /// `None` where no round has one.
    fn by_round(by_round: Vec<Option<f64>>) -> Option<Self> {
        let known: Vec<f64> = by_round.iter().copied().flatten().collect();
        median(&known).map(|median| Self::ByRound { by_round, median })
    }

    /// The value that stands for all rounds.
    pub fn typical(&self) -> f64 {
        match *self {
            Self::Same(value) | Self::ByRound { median: value, .. } => value,
        }
    }
}

impl Config {
    /// The values of a quantity; `None` where there are none.
    pub fn values(&self, quantity: &str) -> Option<&Values> {
        self.values.get(quantity)
    }

    /// Whether it has several threads, or a mode.
    fn is_of_threads(&self) -> bool {
        let several = self.params.get(THREADS).is_some_and(|threads| threads != "1");
        several || self.params.contains_key(MODE)
    }

    /// A figure of a study.
    pub fn figure(&self, name: &str) -> Option<&Values> {
        self.figures.get(name)
    }
}

/// The samples of each row, by origin, configuration and n.
type Samples<'a> = HashMap<(usize, &'a str, u32), Vec<&'a Record>>;

/// All scenes, origin by origin, smallest n first.
pub(super) fn scenes(records: &[Record], summary: &Summary) -> Vec<Arc<Scene>> {
    let keys: Vec<Key> = records.par_iter().map(Key::of).collect();
    let labels = Labels::new(keys.iter().zip(records));
    let origins: BTreeMap<&Origin, usize> =
        summary.origins.iter().enumerate().map(|(place, (origin, _))| (origin, place)).collect();
    let mut samples = Samples::new();
    for (key, record) in keys.iter().zip(records) {
        if let Some(&origin) = origins.get(&key.origin) {
            samples.entry((origin, labels.name(key), record.n)).or_default().push(record);
        }
    }
    let mut blocks: BTreeMap<(usize, u32), Vec<&Row>> = BTreeMap::new();
    for row in &summary.rows {
        blocks.entry((summary.group_of(row).origin, row.n)).or_default().push(row);
    }
    let blocks: Vec<_> = blocks.into_iter().collect();
    let scene = |((origin, n), mut rows): ((usize, u32), Vec<&Row>)| {
        // The summary may have been put in another order.
        let time = |row: &Row| row.time_ns.map_or(f64::INFINITY, |time| time.value);
        rows.sort_by(|a, b| time(a).total_cmp(&time(b)));
        Arc::new(Scene::new(summary, origin, n, &rows, &samples))
    };
    blocks.into_par_iter().map(scene).collect()
}

/// The scenes of all n-queens, on one thread and on several, for what one thread alone does not tell.
pub(super) fn of_threads(records: &[Record]) -> Vec<Arc<Scene>> {
    // Without a baseline to look for, this cannot fail.
    let summary = Summary::new(records, None).unwrap_or_default();
    let mut scenes = scenes(records, &summary);
    scenes.iter_mut().filter_map(Arc::get_mut).for_each(|scene| scene.together = true);
    scenes
}

/// The scenes of one phase of a study, origin by origin.
pub(super) fn of_view(view: &View) -> Vec<Arc<Scene>> {
    let (study, workload, phase) = (view.study.clone(), view.workload.clone(), view.phase.clone());
    let part = Part { study, workload, phase };
    let mut scenes = scenes(&view.records, &view.summary);
    for scene in scenes.iter_mut().filter_map(Arc::get_mut) {
        scene.part = Some(part.clone());
        for config in &mut scene.configs {
            if let Some(row) = view.labelled(&config.label) {
                let same = |(name, value): (&str, f64)| (name.to_owned(), Values::Same(value));
                config.figures = view.figures(row).map(same).collect();
            }
        }
    }
    scenes
}

impl Scene {
    fn new(summary: &Summary, origin: usize, n: u32, rows: &[&Row], samples: &Samples) -> Self {
        let none = Vec::new();
        let of = |row: &Row| {
            let config = summary.group_of(row).config.as_str();
            samples.get(&(origin, config, n)).unwrap_or(&none)
        };
        let mut rounds: BTreeMap<Round, usize> = BTreeMap::new();
        for record in rows.iter().flat_map(|row| of(row)).filter(|record| !record.counted) {
            let next = rounds.len();
            rounds.entry(Round::of(record)).or_insert(next);
        }
        // Of several sources the same for all configurations.
        let events = rows.iter().flat_map(|row| &row.events).map(|events| &events.counters);
        let counted = events.filter(|counters| counters.instructions.is_some());
        let source = counted.map(|counters| counters.source).min();
        let configs: Vec<Config> =
            rows.iter().map(|row| Config::new(summary, row, of(row), &rounds, source)).collect();
        let (origin_key, origin_name) = &summary.origins[origin];
        let program = origin_key.program.split(' ').next().unwrap_or_default();
        Self {
            origin,
            origin_name: origin_name.clone(),
            program: program.to_owned(),
            part: None,
            n,
            debug_build: rows.iter().flat_map(|row| of(row)).any(|r| r.machine.debug_build),
            together: false,
            rounds: rounds.len(),
            bound: bound(rows, &configs, of),
            configs,
        }
    }
}

/// The cheapest mutator, as `explain` finds it (Cai et al., ISPASS 2022). Another program is no mutator of
/// this one.
fn bound<'a>(
    rows: &[&Row],
    configs: &[Config],
    samples: impl Fn(&Row) -> &'a Vec<&'a Record>,
) -> Option<(usize, f64)> {
    let mutator = |(place, row): (usize, &&Row)| {
        let config = &configs[place];
        let plain = !config.swept && !config.peer && !config.is_of_threads();
        let time_ns = row.time_ns.filter(|_| plain)?.value;
        let sound = |record: &&Record| record.status == Status::Ok;
        let sound: Vec<&Record> = samples(row).iter().copied().filter(sound).collect();
        let part = 1.0 - reclamation(&sound).unwrap_or(0.0);
        Some((place, part, time_ns * part))
    };
    let mutators = rows.iter().enumerate().filter_map(mutator);
    let cheapest = mutators.min_by(|(_, _, a), (_, _, b)| a.total_cmp(b))?;
    Some((cheapest.0, cheapest.1))
}

impl Config {
    fn new(
        summary: &Summary,
        row: &Row,
        samples: &[&Record],
        rounds: &BTreeMap<Round, usize>,
        source: Option<CounterSource>,
    ) -> Self {
        let group = summary.group_of(row);
        let mut params = group.params.clone();
        params.extend(samples.first().map(|s| (THREADS.to_owned(), s.threads.to_string())));
        let mut values = BTreeMap::new();
        // What failed did other work.
        if row.status == Status::Ok {
            let of_row = OF_ROWS.iter().filter_map(|(name, of)| Some((*name, of(row)?)));
            let mut events = row.events.iter().filter(|e| Some(e.counters.source) == source);
            let instructions = events.find_map(|events| events.counters.instructions);
            let of_row = of_row.chain(instructions.map(|count| (INSTRUCTIONS, count)));
            values.extend(of_row.map(|(name, value)| (name, Values::Same(value as f64))));

            let mut times = vec![None; rounds.len()];
            for (round, &time_ns) in &row.rounds {
                if let Some(&place) = rounds.get(round) {
                    times[place] = Some(time_ns);
                }
            }
            values.extend(Values::by_round(times).map(|times| (TIME, times)));
            values.extend(
                OF_PAUSES
                    .iter()
                    .filter_map(|(name, of)| Some((*name, pauses(samples, rounds, *of)?))),
            );
        }
        Self {
            label: row.label.clone(),
            backend: group.backend.clone(),
            family: group.family.clone(),
            problem_specific: group.capabilities.problem_specific,
            generational: group.capabilities.generational,
            peer: group.peer.is_some(),
            swept: group.swept,
            params,
            floor: summary.noise_of(row).map(NoiseFloor::fraction),
            values,
            figures: BTreeMap::new(),
        }
    }
}

/// One value for each round, of several samples in it their median.
fn pauses(samples: &[&Record], rounds: &BTreeMap<Round, usize>, of: OfPauses) -> Option<Values> {
    let mut by_round: Vec<Vec<f64>> = vec![Vec::new(); rounds.len()];
    for record in samples.iter().filter(|record| !record.counted && !record.control) {
        let value = record.pauses.as_ref().and_then(|pauses| of(record, pauses));
        if let Some((value, &place)) = value.zip(rounds.get(&Round::of(record))) {
            by_round[place].push(value);
        }
    }
    Values::by_round(by_round.iter().map(|values| median(values)).collect())
}
