//! Several threads: what the options ask for, and how records keep it.

use crate::config::{Config, Subject};
use crate::exit::Stop;
use crate::options::Measure;
use crate::values::ALL;
use anyhow::{Context, anyhow};
use clap::ValueEnum;
use heap::carry::{self, Lists, Split};
use report::Record;
use report::record::params::{LISTS, MODE, ORDER, SPLIT_DEPTH};
use std::collections::BTreeSet;

/// Names of what a record with threads has among its parameters.
pub const PARAMS: [&str; 4] = [MODE, SPLIT_DEPTH, LISTS, ORDER];

/// Levels whose frames become tasks, where it is not said: thousands of tasks on a board of 11.
const DEPTH: u32 = 2;

/// What threads do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Mode {
    /// Each thread solves the whole problem, on a heap of its own
    Throughput,
    /// One problem: its first choices become tasks, whose lists are copied to the heap of the
    /// thread that does them
    Split,
    /// The same, but tasks share their parent's lists, in each way that the backend can
    Shared,
}

impl Mode {
    fn name(self) -> &'static str {
        match self {
            Mode::Throughput => "throughput",
            Mode::Split => "split",
            Mode::Shared => "shared",
        }
    }
}

/// Which of its tasks a thread does next.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
pub enum Order {
    /// The one that it made last, as on one thread; siblings mostly stay on a thread
    #[default]
    Depth,
    /// The oldest: siblings are done by all threads at the same time, and their lists contended
    Breadth,
}

impl Order {
    const BREADTH: &str = "breadth";
}

impl From<Order> for threads::Order {
    fn from(order: Order) -> Self {
        match order {
            Order::Depth => threads::Order::Depth,
            Order::Breadth => threads::Order::Breadth,
        }
    }
}

/// What the threads of one sample do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plan {
    /// How many they are.
    pub threads: usize,
    /// How one problem is split, and the order of its tasks; `None` where each thread solves the
    /// whole.
    pub split: Option<(Split, Order)>,
}

/// What the threads of a sample do, by its record; `None` where there are none.
///
/// # Errors
///
/// Its parameters are none that this version writes.
pub fn plan(record: &Record) -> anyhow::Result<Option<Plan>> {
    let Some(mode) = record.params.get(MODE) else { return Ok(None) };
    let param = |name: &str| record.params.get(name).with_context(|| format!("no {name}"));
    let named = Mode::value_variants().iter().find(|known| known.name() == mode);
    let lists = match named.with_context(|| format!("no mode is called '{mode}'"))? {
        Mode::Throughput => None,
        Mode::Split => Some(Lists::Copied),
        Mode::Shared => {
            let name = param(LISTS)?;
            let lists = Lists::ALL.into_iter().find(|lists| lists.name() == name);
            Some(lists.with_context(|| format!("lists cannot be '{name}'"))?)
        }
    };
    let split = match lists {
        None => None,
        Some(lists) => {
            let order = match record.params.get(ORDER).map(String::as_str) {
                None => Order::Depth,
                Some(Order::BREADTH) => Order::Breadth,
                Some(other) => anyhow::bail!("no order is called '{other}'"),
            };
            Some((Split { lists, depth: param(SPLIT_DEPTH)?.parse()? }, order))
        }
    };
    let threads = usize::try_from(record.threads)?;
    anyhow::ensure!((1..=MOST_THREADS as usize).contains(&threads), "{threads} threads");
    Ok(Some(Plan { threads, split }))
}

/// Most threads of a sample.
pub const MOST_THREADS: u32 = 1_024;

/// Most levels that can be split: there are more frames than memory soon.
pub const MOST_DEPTH: u32 = 8;

/// Each configuration with each number of threads, and with each way to share lists, where the
/// options ask for threads; unchanged otherwise.
///
/// # Errors
///
/// [`crate::exit::Exit::BadInput`]: options that do not go together, or lists that a backend
/// cannot share that was named.
pub fn with_threads(options: &Measure, configs: Vec<Config>) -> Result<Vec<Config>, Stop> {
    let refused = |why: &str| Err(Stop::bad_input(anyhow!("{why}")));
    let mode = match options.mode {
        None if options.threads.is_empty() => {
            return match (options.split_depth, &options.lists[..], &options.order[..]) {
                (None, [], []) => Ok(configs),
                (Some(_), ..) => refused("--split-depth: give --mode split or shared too"),
                (None, [_, ..], _) => refused("--lists: give --mode shared too"),
                (None, [], _) => refused("--order: give --mode split or shared too"),
            };
        }
        None => Mode::Throughput,
        Some(mode) => mode,
    };
    if mode == Mode::Throughput && options.split_depth.is_some() {
        return refused("--split-depth: nothing is split in throughput mode; use --mode split");
    }
    if mode == Mode::Throughput && !options.order.is_empty() {
        return refused("--order: there are no tasks in throughput mode; use --mode split");
    }
    if mode != Mode::Shared && !options.lists.is_empty() {
        return refused("--lists: tasks share no lists in this mode; use --mode shared");
    }
    if !options.peers.is_empty() {
        return refused("--peers: peers run on one thread; leave them or --threads away");
    }
    if !options.counters.is_empty() {
        return refused("--counters: event counts are of one thread; leave --threads away");
    }
    let threads: BTreeSet<u32> = match &options.threads[..] {
        [] => doublings(crate::machine::cores().len() as u32),
        given => given.iter().cloned().flatten().collect(),
    };
    let orders: BTreeSet<Order> = match &options.order[..] {
        [] => [Order::default()].into(),
        given => given.iter().copied().collect(),
    };
    let depth = options.split_depth.unwrap_or(DEPTH).to_string();
    let mut all = Vec::new();
    for config in configs {
        for lists in ways(options, mode, &config)? {
            for (order, threads) in orders.iter().flat_map(|o| threads.iter().map(move |t| (o, *t)))
            {
                let mut config = Config { threads, ..config.clone() };
                let mut put = |name: &str, value: &str| {
                    config.params.insert(name.to_owned(), value.to_owned());
                };
                put(MODE, mode.name());
                if mode != Mode::Throughput {
                    put(SPLIT_DEPTH, &depth);
                }
                if let Some(lists) = lists {
                    put(LISTS, lists.name());
                }
                if *order == Order::Breadth {
                    put(ORDER, Order::BREADTH);
                }
                all.push(config);
            }
        }
    }
    match all.is_empty() {
        true => refused("--lists: no backend that is selected can do that"),
        false => Ok(all),
    }
}

/// 1, 2, 4, ... and the number itself.
fn doublings(most: u32) -> BTreeSet<u32> {
    let powers = (0..u32::BITS).map(|bit| 1 << bit).take_while(|&threads| threads < most);
    powers.chain([most.clamp(1, MOST_THREADS)]).collect()
}

/// How lists can be shared: `None` where they are not.
fn ways(options: &Measure, mode: Mode, config: &Config) -> Result<Vec<Option<Lists>>, Stop> {
    let Subject::Backend(info) = &config.subject else { return Ok(Vec::new()) };
    if mode != Mode::Shared {
        return Ok(vec![None]);
    }
    let can = |lists: &Lists| carry::possible(info.name, *lists) == Some(true);
    let asked = |lists: &Lists| {
        options.lists.is_empty() || options.lists.iter().any(|name| name == lists.name())
    };
    let ways: Vec<Lists> = Lists::ALL.into_iter().filter(asked).filter(can).collect();
    let named = options.backend.iter().any(|name| name == info.name)
        && !options.backend.iter().any(|name| name == ALL);
    if ways.is_empty() && named {
        let (name, lists) = (info.name, options.lists.join(","));
        let why = match lists.as_str() {
            "counted" => "its counts are not atomic",
            _ => "it can only refer to its own objects",
        };
        return Err(Stop::bad_input(anyhow!("--lists {lists}: '{name}' cannot: {why}")));
    }
    Ok(ways.into_iter().map(Some).collect())
}

/// Whether two configurations have the same number of threads, which do the same.
pub fn alike(a: &Config, b: &Config) -> bool {
    let same = |name: &&str| a.params.get(*name) == b.params.get(*name);
    a.threads == b.threads && PARAMS.iter().all(same)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arguments::parse_line;
    use crate::config::selected;

    fn configs(options: &str) -> Result<Vec<Config>, String> {
        let options = parse_line(&format!("rc-vs-gc {options}")).expect("right options");
        selected(&options.measure, &[], Vec::new()).map_err(|why| why.to_string())
    }

    #[test]
    fn each_number_of_threads_is_a_configuration() {
        let plain = configs("--backend gc,rc").unwrap();
        assert!(plain.iter().all(|c| c.threads == 1 && !c.params.contains_key(MODE)));
        let side_by_side = configs("--backend gc,rc --threads 1,4").unwrap();
        let threads: Vec<u32> = side_by_side.iter().map(|config| config.threads).collect();
        assert_eq!(threads, [1, 4, 1, 4]);
        assert!(side_by_side.iter().all(|c| c.params[MODE] == "throughput"));
        let split = configs("--backend gc --threads 2..=3 --mode split").unwrap();
        assert!(split.iter().all(|c| c.params[SPLIT_DEPTH] == "2"));
        assert_eq!(split.len(), 2);
        let shared = configs("--backend arc,gc-arena --threads 2 --mode shared").unwrap();
        let ways: Vec<_> =
            shared.iter().map(|c| (c.subject.name(), c.params[LISTS].as_str())).collect();
        let arc = ["copied", "counted", "immortal"].map(|lists| ("arc", lists));
        assert_eq!(ways, [&arc[..], &[("gc-arena", "copied")]].concat());
        assert!(!configs("--mode split --backend gc").unwrap().is_empty());
        let orders =
            configs("--mode split --backend gc --threads 1,2 --order breadth,depth,breadth");
        let orders = orders.unwrap();
        let orders: Vec<_> =
            orders.iter().map(|c| (c.params.get(ORDER).map(String::as_str), c.threads)).collect();
        let breadth = Some(Order::BREADTH);
        assert_eq!(orders, [(None, 1), (None, 2), (breadth, 1), (breadth, 2)]);
    }

    #[test]
    fn a_record_tells_its_plan() {
        for (options, split) in [
            ("--threads 3", None),
            (
                "--threads 3 --mode split",
                Some((Split { lists: Lists::Copied, depth: 2 }, Order::Depth)),
            ),
            (
                "--threads 3 --mode split --order breadth",
                Some((Split { lists: Lists::Copied, depth: 2 }, Order::Breadth)),
            ),
            (
                "--threads 3 --mode shared --lists counted --split-depth 1",
                Some((Split { lists: Lists::Counted, depth: 1 }, Order::Depth)),
            ),
        ] {
            let config = configs(&format!("--backend arc {options}")).unwrap().remove(0);
            let (threads, params) = (config.threads, config.params);
            let record = Record { threads, params, ..Record::new() };
            assert_eq!(plan(&record).unwrap(), Some(Plan { threads: 3, split }));
            for name in [SPLIT_DEPTH, LISTS, ORDER] {
                let mut record = record.clone();
                if record.params.contains_key(name) {
                    record.params.insert(name.to_owned(), "x".to_owned());
                    assert!(plan(&record).is_err(), "{name}");
                }
            }
            assert!(plan(&Record { threads: 0, ..record }).is_err());
        }
        assert_eq!(plan(&Record::new()).unwrap(), None);
    }

    #[test]
    fn what_does_not_go_together_is_refused() {
        for (options, part) in [
            ("--split-depth 2", "--mode split"),
            ("--lists copied", "--mode shared"),
            ("--order depth", "--mode split"),
            ("--threads 2 --order breadth", "throughput"),
            ("--threads 2 --split-depth 2", "throughput"),
            ("--threads 2 --mode split --lists copied", "--mode shared"),
            ("--threads 2 --counters callgrind", "--counters"),
            ("--threads 2 --mode shared --lists counted --backend gc", "not atomic"),
            ("--threads 2 --mode shared --lists immortal --backend gc-arena", "its own objects"),
        ] {
            let why = configs(options).unwrap_err();
            assert!(why.contains(part), "{options}: {why}");
        }
        // Of all, those that can.
        let counted = configs("--threads 2 --mode shared --lists counted").unwrap();
        let names: Vec<&str> = counted.iter().map(|config| config.subject.name()).collect();
        assert_eq!(names, ["arc", "arc-value", "arc-split"]);
    }

    #[test]
    fn threads_double_up_to_all_cores() {
        assert_eq!(doublings(1), [1].into());
        assert_eq!(doublings(2), [1, 2].into());
        assert_eq!(doublings(12), [1, 2, 4, 8, 12].into());
        assert_eq!(doublings(0), [1].into());
    }
}
