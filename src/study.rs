//! The order of a run.
//!
//! Each round is a block: it takes every configuration at every size once. In
//! a block the sizes come in random order, and at each size the configurations
//! do, so that samples that are compared lie close together in time. The
//! baseline is entered twice; its ratio to itself shows the noise.

use crate::axis::Axis;
use crate::config::{self, Config};
use crate::exit::Stop;
use crate::options::Measure;
use crate::peers::{self, Limits};
use crate::values::{MAX_ROUNDS, Rounds};
use anyhow::anyhow;
use fastrand::Rng;
use report::CounterSource;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::time::Duration;

/// Rounds of a timing run: with every backend, at n = 8 and 9, under a minute.
const ROUNDS: u32 = 8;

/// Width of a ratio's interval that is precise enough, as a fraction.
const TARGET: f64 = 0.02;

/// Time that a run without a number of rounds may take.
const BUDGET: Duration = Duration::from_secs(60);

/// What is measured, how often, and when it is enough.
#[derive(Clone, Debug)]
pub struct Study {
    /// The configurations.
    pub configs: Vec<Config>,
    /// The board sizes.
    pub sizes: Vec<u32>,
    /// Blocks.
    pub rounds: Rounds,
    /// Width of each ratio's interval that ends [`Rounds::Auto`], as a fraction.
    pub target: f64,
    /// Time after which no sample is started, but for those of the first block.
    pub budget: Option<Duration>,
    /// How long the searches of one sample last together at least, in nanoseconds.
    pub sample_ns: u64,
    /// Seed of the order.
    pub seed: u64,
    /// Sources of event counts.
    pub counters: Vec<CounterSource>,
    /// Whether work is counted instead of timed.
    pub counted: bool,
    /// Beyond these a sample of a peer is ended.
    pub peer_limits: Limits,
    /// A line for each peer that cannot run here.
    pub skipped: Vec<String>,
    /// Most cells that live at once, for each board size; known where a heap
    /// limit is a multiple of it.
    pub live_cells: BTreeMap<u32, u64>,
}

/// One sample to take.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Entry {
    /// The block, from 0.
    pub round: u32,
    /// The board size.
    pub n: u32,
    /// Place in [`Study::configs`].
    pub config: usize,
}

impl Study {
    /// What the options ask for; `seed` where they give none.
    ///
    /// # Errors
    ///
    /// [`crate::exit::Exit::BadInput`]: what [`config::selected`] and [`peers::find`] say; peers
    /// where work is counted, of which they tell nothing.
    pub fn of(options: &Measure, axes: &[Axis], seed: u64) -> Result<Self, Stop> {
        if options.counted && !options.peers.is_empty() {
            let why = anyhow!("--counted: peers do not count their work; leave --peers away");
            return Err(Stop::bad_input(why));
        }
        let sizes: BTreeSet<u32> = options.n.iter().cloned().flatten().collect();
        let rounds = match options.rounds {
            // Counts are the same each time.
            None | Some(Rounds::Auto) if options.counted => Rounds::Count(1),
            Some(rounds) => rounds,
            None if options.target.is_some() || options.budget.is_some() => Rounds::Auto,
            None => Rounds::Count(ROUNDS),
        };
        let found = peers::find(&options.peers, options.peers_dir.as_deref())?;
        let mut study = Study {
            configs: config::selected(options, axes, found.peers)?,
            sizes: sizes.into_iter().collect(),
            rounds,
            target: options.target.unwrap_or(TARGET),
            budget: options.budget.or((rounds == Rounds::Auto).then_some(BUDGET)),
            sample_ns: options.sample_time.as_nanos() as u64,
            seed: options.seed.unwrap_or(seed),
            counters: options.counters.clone(),
            counted: options.counted,
            peer_limits: Limits { time: options.peer_limit, rss_bytes: options.heap_limit as u64 },
            skipped: found.missing,
            live_cells: BTreeMap::new(),
        };
        if !study.counted {
            study.add_control(options.baseline.as_deref());
        }
        Ok(study)
    }

    /// Enters the baseline a second time: the one of this name, or `gc`, or the first.
    fn add_control(&mut self, baseline: Option<&str>) {
        let named = |name| self.configs.iter().position(|config| config.subject.name() == name);
        let place = named(baseline.unwrap_or("gc")).unwrap_or(0);
        if let Some(config) = self.configs.get(place) {
            let control = Config { control: true, ..config.clone() };
            self.configs.push(control);
        }
    }

    /// Number of samples of one block.
    pub fn block_len(&self) -> usize {
        self.configs.len() * self.sizes.len()
    }

    /// Number of samples in all, where it is known beforehand.
    pub fn len(&self) -> Option<usize> {
        match self.rounds {
            Rounds::Count(rounds) => Some(self.block_len() * rounds as usize),
            Rounds::Auto => None,
        }
    }

    /// Number of samples that are not taken yet, where it is known beforehand.
    /// Fewer rounds may be asked for than were taken.
    pub fn left(&self, taken: &HashSet<Entry>) -> Option<usize> {
        let Rounds::Count(rounds) = self.rounds else { return None };
        let taken = taken.iter().filter(|entry| entry.round < rounds).count();
        Some((self.block_len() * rounds as usize).saturating_sub(taken))
    }

    /// The parameters of a sample.
    pub fn params(&self, entry: Entry) -> BTreeMap<String, String> {
        self.configs[entry.config].params_at(self.live_cells.get(&entry.n).copied())
    }

    /// The samples in the order to take them; the seed decides it.
    pub fn order(&self) -> impl Iterator<Item = Entry> + use<> {
        let (sizes, configs) = (self.sizes.clone(), self.configs.len());
        let mut rng = Rng::with_seed(self.seed);
        let rounds = match self.rounds {
            Rounds::Count(rounds) => rounds,
            Rounds::Auto => MAX_ROUNDS,
        };
        (0..rounds).flat_map(move |round| {
            let mut block = Vec::new();
            for n in shuffled(&mut rng, sizes.iter().copied()) {
                let configs = shuffled(&mut rng, 0..configs);
                block.extend(configs.into_iter().map(|config| Entry { round, n, config }));
            }
            block
        })
    }
}

fn shuffled<T>(rng: &mut Rng, items: impl Iterator<Item = T>) -> Vec<T> {
    let mut items: Vec<T> = items.collect();
    rng.shuffle(&mut items);
    items
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arguments::parse_line;

    fn study(options: &str) -> Study {
        let options = parse_line(&format!("rc-vs-gc {options}")).unwrap();
        Study::of(&options.measure, &[], 1).unwrap()
    }

    #[test]
    fn each_round_takes_each_sample_once() {
        let study = study("--n 4,6 --rounds 3");
        assert!(
            study.configs.last().is_some_and(|last| last.control && last.subject.name() == "gc")
        );
        let order: Vec<Entry> = study.order().collect();
        assert!(order.is_sorted_by_key(|entry| entry.round));
        let mut sorted = order.clone();
        sorted.sort();
        sorted.dedup();
        assert_eq!((Some(sorted.len()), Some(order.len())), (study.len(), study.len()));
    }

    #[test]
    fn the_seed_decides_the_order() {
        let order = |seed| study(&format!("--seed {seed}")).order().collect::<Vec<_>>();
        assert_eq!(order(7), order(7));
        assert_ne!(order(7), order(8));
        // More rounds begin as fewer do.
        let more: Vec<_> = study("--seed 7 --rounds auto").order().take(order(7).len()).collect();
        assert_eq!(more, order(7));
    }

    #[test]
    fn rounds_follow_what_is_given() {
        let rounds = |options| (study(options).rounds, study(options).budget);
        assert_eq!(rounds(""), (Rounds::Count(8), None));
        assert_eq!(rounds("--counted --rounds auto").0, Rounds::Count(1));
        assert_eq!(rounds("--rounds auto"), (Rounds::Auto, Some(BUDGET)));
        assert_eq!(rounds("--budget 3s"), (Rounds::Auto, Some(Duration::from_secs(3))));
        assert_eq!(rounds("--budget 3s --rounds 5").0, Rounds::Count(5));
    }
}
