//! Records of threads to test with: made up, but of the size and order of real ones.

use super::{BACKENDS, CELLS, Made, made_sample, noise};
use report::{Parallel, Record};

/// What is made up: how many rounds, at which n, with which numbers of threads, on how many cores.
#[derive(Clone, Copy)]
pub struct Setting<'a> {
    pub rounds: u32,
    pub n: u32,
    pub threads: &'a [u32],
    pub cores: u32,
}

/// Two cores, as many threads, and more of them than cores.
pub const TWO_CORES: Setting = Setting { rounds: 7, n: 9, threads: &[1, 2, 4, 8], cores: 2 };

/// What each thread that runs beside others costs a backend, as a part of its time.
fn friction(backend: &str) -> f64 {
    match backend {
        "malloc" => 0.3,
        "rc" | "arc" => 0.02,
        "leak" => 0.15,
        "arc-split" => 0.06,
        _ => 0.004,
    }
}

/// The same of counts that tasks share.
const CONTENTION: f64 = 0.35;

/// Every backend in throughput mode.
pub fn throughput(setting: Setting) -> Vec<Record> {
    let all = BACKENDS.iter().map(|made| (made, None));
    runs(setting, "throughput", &all.collect::<Vec<_>>())
}

/// Every backend in split mode.
pub fn split(setting: Setting) -> Vec<Record> {
    let all = BACKENDS.iter().map(|made| (made, None));
    runs(setting, "split", &all.collect::<Vec<_>>())
}

/// Every backend in shared mode, in each way that it can share lists.
pub fn shared(setting: Setting) -> Vec<Record> {
    let ways = |made: &'static Made| {
        let can = |lists: &&str| match *lists {
            "counted" => made.0.starts_with("arc"),
            "immortal" => made.0 != "gc-arena",
            _ => true,
        };
        ["copied", "counted", "immortal"].into_iter().filter(can).map(move |way| (made, Some(way)))
    };
    runs(setting, "shared", &BACKENDS.iter().flat_map(ways).collect::<Vec<_>>())
}

/// Of some backends only.
pub fn only(mut records: Vec<Record>, backends: &[&str]) -> Vec<Record> {
    records.retain(|record| backends.contains(&record.backend.as_str()));
    records
}

/// A backend, and how its tasks share lists.
type Way = (&'static Made, Option<&'static str>);

/// Each with each number of threads; `gc` twice, and the first of those that count.
fn runs(setting: Setting, mode: &str, ways: &[Way]) -> Vec<Record> {
    let mut records = Vec::new();
    for round in 0..setting.rounds {
        for &threads in setting.threads {
            let mut twice: Vec<Option<&str>> = Vec::new();
            for (place, &way) in ways.iter().enumerate() {
                let seed = u64::from(round * 1000 + threads * 77) + place as u64;
                let record = made(setting, mode, way, (round, threads), seed);
                let named = record.backend == "gc" || way.1 == Some("counted");
                if named && !twice.contains(&way.1) {
                    twice.push(way.1);
                    let again = made(setting, mode, way, (round, threads), seed + 99_999);
                    records.push(Record { control: true, ..again });
                }
                records.push(record);
            }
        }
    }
    records
}

fn made(
    setting: Setting,
    mode: &str,
    (made, lists): Way,
    (round, threads): (u32, u32),
    seed: u64,
) -> Record {
    let (_, solutions, cells) = CELLS.into_iter().find(|(n, ..)| *n == setting.n).unwrap();
    let mut record = made_sample(made, setting.n, round, cells, noise(seed));
    let busy = threads.min(setting.cores);
    let beside = f64::from(busy - 1);
    let shares = if lists == Some("counted") { CONTENTION } else { friction(made.0) };
    // Two threads of three cores have more room than two of two.
    let growth = (1.0 + shares * beside.sqrt() + 0.004 * (noise(seed + 5) - 0.5))
        * (1.0 + 0.01 * f64::from(threads - busy));
    let searches = if mode == "throughput" { threads } else { 1 };
    let cpu = f64::from(searches) * growth;
    let scaled = |ns: u64, by: f64| (ns as f64 * by) as u64;
    let alone_ns = record.iterations_ns.clone();
    record.iterations_ns = alone_ns.iter().map(|&ns| scaled(ns, cpu / f64::from(busy))).collect();
    record.wall_ns = Some(record.iterations_ns[1]);
    record.solutions = Some(solutions);
    record.threads = threads;
    record.command = format!("rc-vs-gc --mode {mode} --n {}", setting.n);
    record.machine.cores = setting.cores;
    record.params.insert("mode".into(), mode.into());
    let tasks = (mode != "throughput").then_some(1_234);
    if mode != "throughput" {
        record.params.insert("split-depth".into(), "2".into());
    }
    if let Some(lists) = lists {
        record.params.insert("lists".into(), lists.into());
    }
    if made.1 == "reference counting" {
        let more = if lists == Some("counted") { 60_000 } else { 0 };
        record.rc_increments = Some(2 * cells + more);
        record.rc_decrements = Some(3 * cells + more);
    }
    record.rss_peak_bytes = record.rss_peak_bytes.map(|bytes| bytes + u64::from(threads) * 300_000);
    record.parallel = Some(Parallel {
        cpu_ns: alone_ns.iter().map(|&ns| scaled(ns, cpu)).collect(),
        cores: setting.cores,
        physical_cores: None,
        pinned: (threads <= setting.cores).then_some(true),
        tasks,
        tasks_stolen: tasks.map(|tasks| tasks / 7 * u64::from(threads > 1)),
        cells_copied: match (mode, lists) {
            ("split", _) | (_, Some("copied")) => Some(45_678),
            ("shared", _) => Some(0),
            _ => None,
        },
        cells_immortal: lists.map(|lists| if lists == "immortal" { 4_321 } else { 0 }),
    });
    record
}
