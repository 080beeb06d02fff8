//! The order of a run.
//!
//! Each round is a block: it takes every configuration at every size once. In
//! a block the sizes come in random order, and at each size the configurations
//! do, so that samples that are compared lie close together in time. The
//! baseline is entered twice; its ratio to itself shows the noise.

use crate::axis::Axis;
use crate::config::{self, Config, WORKLOAD};
use crate::exit::Stop;
use crate::options::Measure;
use crate::parallel;
use crate::peers::{self, Limits};
use crate::values::{self, MAX_ROUNDS, Rounds};
use anyhow::anyhow;
use fastrand::Rng;
use nqueens::MAX_N;
use report::CounterSource;
use report::format::visible;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::ops::RangeInclusive;
use std::time::Duration;

/// Board sizes of a run where none are given.
const SIZES: [u32; 2] = [8, 9];

/// Most sizes of a run.
const MOST_SIZES: u64 = 1_000;

/// Rounds of a timing run: with every backend, at n = 8 and 9, under a minute.
const ROUNDS: u32 = 8;

/// Width of a ratio's interval that is precise enough, as a fraction.
const TARGET: f64 = 0.02;

/// Time that a run without a number of rounds may take.
const BUDGET: Duration = Duration::from_secs(60);

/// The program that a run measures, and what is varied of it.
#[derive(Clone, Copy, Debug)]
pub enum Work<'a> {
    /// N-queens, on backends; the axes of a sweep.
    Queens(&'a [Axis]),
    /// An allocation study; names of its workloads, none for all.
    Study(&'static studies::Study, &'a [String]),
}

impl Work<'_> {
    /// The allocation study, if it is one.
    pub fn study(&self) -> Option<&'static studies::Study> {
        match self {
            Work::Queens(_) => None,
            Work::Study(study, _) => Some(study),
        }
    }

    /// The sizes that are asked for, each once.
    ///
    /// # Errors
    ///
    /// [`crate::exit::Exit::BadInput`]: one is too large for the program.
    fn sizes(&self, asked: &[String]) -> Result<Vec<u32>, Stop> {
        let (most, default, of): (u32, &[u32], _) = match self {
            Work::Queens(_) => (MAX_N, &SIZES, "board sizes"),
            Work::Study(study, _) => (study.most_n, study.sizes, study.size),
        };
        if asked.is_empty() {
            return Ok(default.to_vec());
        }
        let read = |text: &String| {
            values::sizes(text, most).ok_or_else(|| {
                let (text, default) = (visible(text), default[0]);
                Stop::bad_input(anyhow!(
                    "--n '{text}': give {of} from 1 to {most}, such as {default} or 6..=10"
                ))
            })
        };
        let asked: Vec<RangeInclusive<u32>> = asked.iter().map(read).collect::<Result<_, _>>()?;
        let count: u64 = asked.iter().map(|sizes| u64::from(sizes.end() - sizes.start()) + 1).sum();
        if count > MOST_SIZES {
            let why = anyhow!("--n: {count} sizes are too many; give at most {MOST_SIZES}");
            return Err(Stop::bad_input(why));
        }
        let sizes: BTreeSet<u32> = asked.into_iter().flatten().collect();
        Ok(sizes.into_iter().collect())
    }
}

/// What is measured, how often, and when it is enough.
#[derive(Clone, Debug)]
pub struct Study {
    /// The allocation study, if it is one.
    pub of: Option<&'static studies::Study>,
    /// The configurations.
    pub configs: Vec<Config>,
    /// The sizes.
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
    /// [`crate::exit::Exit::BadInput`]: what [`config::selected`], [`config::rows`] and
    /// [`peers::find`] say; a size that is too large; peers where work is counted, of which they
    /// tell nothing.
    pub fn of(options: &Measure, work: Work, seed: u64) -> Result<Self, Stop> {
        if options.counted && !options.peers.is_empty() {
            let why = anyhow!("--counted: peers do not count their work; leave --peers away");
            return Err(Stop::bad_input(why));
        }
        let rounds = match options.rounds {
            // Counts are the same each time.
            None | Some(Rounds::Auto) if options.counted => Rounds::Count(1),
            Some(rounds) => rounds,
            None if options.target.is_some() || options.budget.is_some() => Rounds::Auto,
            None => Rounds::Count(ROUNDS),
        };
        let of = work.study().map(|study| study.name);
        let found = peers::find(&options.peers, options.peers_dir.as_deref(), of)?;
        let mut study = Study {
            of: work.study(),
            sizes: work.sizes(&options.n)?,
            configs: match work {
                Work::Queens(axes) => config::selected(options, axes, found.peers)?,
                Work::Study(study, workloads) => {
                    config::rows(options, study, workloads, &found.peers)?
                }
            },
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

    /// Enters the baseline a second time, on each workload and number of
    /// threads: the one of this name, or the program's
    /// own, or the first.
    fn add_control(&mut self, baseline: Option<&str>) {
        let name = baseline.unwrap_or(self.of.map_or("gc", |study| study.baseline));
        let mut controls: Vec<Config> = Vec::new();
        for config in &self.configs {
            let alike = |other: &&Config| {
                let of = |config: &Config| config.params.get(WORKLOAD).cloned();
                of(other) == of(config) && parallel::alike(other, config)
            };
            if controls.iter().any(|control| alike(&control)) {
                continue;
            }
            let mut group = self.configs.iter().filter(alike);
            let named = group.find(|config| config.subject.name() == name).unwrap_or(config);
            controls.push(Config { control: true, ..named.clone() });
        }
        self.configs.extend(controls);
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
    use crate::options::Command;

    fn study(options: &str) -> Study {
        let options = parse_line(&format!("rc-vs-gc {options}")).unwrap();
        Study::of(&options.measure, Work::Queens(&[]), 1).unwrap()
    }

    #[test]
    fn sizes_fit_the_program() {
        let queens = Work::Queens(&[]);
        assert_eq!(queens.sizes(&[]).unwrap(), [8, 9]);
        let of = |texts: &[&str]| -> Vec<String> { texts.iter().map(|&t| t.to_owned()).collect() };
        assert_eq!(queens.sizes(&of(&["8..=9", "9..=10"])).unwrap(), [8, 9, 10]);
        let said = queens.sizes(&of(&["1..=33"])).unwrap_err().to_string();
        assert!(said.contains("give board sizes from 1 to"), "{said}");
        for study in studies::STUDIES {
            let work = Work::Study(study, &[]);
            assert_eq!(work.sizes(&[]).unwrap(), study.sizes);
            assert!(work.sizes(&[study.most_n.to_string()]).is_ok());
            assert!(work.sizes(&[(study.most_n + 1).to_string()]).is_err());
            assert!(work.sizes(&of(&["1..=5000"])).is_err());
        }
    }

    #[test]
    fn each_workload_has_its_control() {
        let options = parse_line("rc-vs-gc study burst").unwrap();
        let Some(Command::Study(given)) = options.command else { panic!("a study") };
        let study =
            Study::of(&given.measure, Work::Study(given.study, &given.workload), 1).unwrap();
        let controls = study.configs.iter().filter(|config| config.control);
        let controls: Vec<(&str, &str)> =
            controls.map(|c| (c.subject.name(), c.params[WORKLOAD].as_str())).collect();
        assert_eq!(controls, [("malloc", "vector"), ("malloc", "list")]);
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
