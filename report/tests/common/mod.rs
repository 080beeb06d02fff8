//! Records to test with: made up, but of the size and order of real ones.

use report::{Capabilities, CounterSource, Counters, Machine, Mmu, Pauses, Record, Status};

#[allow(dead_code, reason = "not every test looks at it")]
pub mod pages;
#[allow(dead_code, reason = "not every test looks at it")]
mod peers;
#[allow(dead_code, reason = "not every test looks at it")]
mod studies;
#[allow(dead_code, reason = "not every test looks at it")]
pub mod threads;

#[allow(unused_imports, reason = "not every test looks at them")]
pub use {
    peers::peers,
    studies::{studies, study_named},
};

/// A backend as these tests need it: name, family, nanoseconds and heap bytes for each cell.
type Made = (&'static str, &'static str, f64, u64);

const BACKENDS: [Made; 22] = [
    ("leak", "none", 9.1, 16),
    ("stack", "region", 5.6, 0),
    ("malloc", "manual", 17.9, 0),
    ("region", "region", 8.8, 0),
    ("region-sweep", "region", 11.2, 0),
    ("rc", "reference counting", 21.2, 0),
    ("arc", "reference counting", 29.6, 0),
    ("rc-value", "reference counting", 26.1, 0),
    ("arc-value", "reference counting", 61.0, 0),
    ("rc-split", "reference counting", 41.0, 0),
    ("arc-split", "reference counting", 83.5, 0),
    ("fused", "reference counting", 9.6, 0),
    ("fused-value", "reference counting", 13.9, 0),
    ("gc", "tracing", 5.7, 0),
    ("semispace", "tracing", 5.9, 0),
    ("mark-sweep", "tracing", 19.3, 0),
    ("mark-region", "tracing", 8.3, 0),
    ("shadow-stack", "tracing", 33.0, 0),
    ("gc-arena", "tracing", 38.2, 0),
    ("bespoke", "tracing", 15.0, 0),
    ("region-runs", "region", 6.4, 0),
    ("region-local", "region", 7.6, 0),
];

const CELLS: [(u32, u64, u64); 5] =
    [(6, 4, 5_268), (7, 40, 33_738), (8, 92, 237_936), (9, 352, 1_730_000), (10, 724, 13_400_000)];

/// A right sample of one backend, to be changed.
pub fn sample(backend: &str, n: u32, round: u32, ns: u64) -> Record {
    Record {
        program: "nqueens 0.1.0".into(),
        backend: backend.into(),
        family: "tracing".into(),
        about: "Does one thing in one sentence.".into(),
        capabilities: Capabilities {
            returns: "when the nursery is full".into(),
            moves: true,
            cycles: true,
            generational: true,
            header_bytes: 8,
            cell_bytes: 24,
            ..Capabilities::default()
        },
        n,
        threads: 1,
        round,
        seed: 42,
        solutions: Some(92),
        wall_ns: Some(ns),
        iterations_ns: vec![ns + 9, ns, ns.saturating_sub(9)],
        cells_allocated: Some(237_936),
        machine: Machine {
            processor: "A Processor 3000".into(),
            cores: 2,
            kernel: "6.1".into(),
            os: "an operating system".into(),
            compiler: "rustc 1.95.0".into(),
            l1d_bytes: Some(32 << 10),
            l2_bytes: Some(1 << 20),
            ..Machine::default()
        },
        commit: "0123abc".into(),
        command: "rc-vs-gc --n 8".into(),
        ..Record::new()
    }
}

/// A number from 0 to 1 that looks random and is the same every time.
fn noise(seed: u64) -> f64 {
    let mixed = (seed ^ (seed >> 31)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    ((mixed ^ (mixed >> 29)).wrapping_mul(0xBF58_476D_1CE4_E5B9) >> 40) as f64 / (1u64 << 24) as f64
}

/// A full study: 22 backends, n = 6 to 10, 7 rounds, `gc` entered twice, `leak` out of memory at 10.
#[allow(dead_code, reason = "not every test looks at it")]
pub fn study() -> Vec<Record> {
    study_of(7)
}

/// The same of so many rounds.
pub fn study_of(rounds: u32) -> Vec<Record> {
    let mut records = Vec::new();
    for round in 0..rounds {
        for (n, solutions, cells) in CELLS {
            for (i, made) in BACKENDS.iter().enumerate() {
                let seed = u64::from(round * 1000 + n * 50) + i as u64;
                let mut record = made_sample(made, n, round, cells, noise(seed));
                record.solutions = Some(solutions);
                if made.0 == "gc" {
                    let mut again = made_sample(made, n, round, cells, noise(seed + 99_999));
                    again.solutions = Some(solutions);
                    again.control = true;
                    records.push(again);
                }
                if made.0 == "leak" && n == 10 {
                    record.status = Status::OutOfMemory;
                    record.message = Some("heap limit 128 MiB reached, 128 MiB live".into());
                    record.solutions = None;
                    record.iterations_ns.clear();
                    record.wall_ns = None;
                }
                records.push(record);
            }
        }
    }
    records
}

/// Five backends of [`study`] at two sizes, with pauses and with counts of one source of two.
#[allow(dead_code, reason = "not every test looks at it")]
pub fn small_study() -> Vec<Record> {
    let kept = ["stack", "semispace", "gc", "rc", "arc-split"];
    let mut records = study();
    records.retain(|r| kept.contains(&r.backend.as_str()) && (8..=9).contains(&r.n));
    let mut records = with_events(records);
    // One round is disturbed for everyone; one sample is an outlier.
    for record in records.iter_mut().filter(|r| r.round == 3) {
        let factor = if record.backend == "rc" { 6 } else { 2 };
        record.iterations_ns.iter_mut().for_each(|ns| *ns *= factor);
    }
    records
}

/// Parameters of memory that are swept, each with its default and its values.
type Swept = (&'static str, &'static [(&'static str, &'static str, &'static [&'static str])]);

const TRIGGERS: &[&str] = &["64KiB", "128KiB", "256KiB", "512KiB", "1MiB", "2MiB", "4MiB"];
const CHUNKS: &[&str] = &["16KiB", "32KiB", "64KiB", "128KiB", "256KiB"];

const SWEPT: [Swept; 6] = [
    ("region-sweep", &[("trigger", "1MiB", TRIGGERS), ("chunk", "64KiB", CHUNKS)]),
    ("region-runs", &[("trigger", "256KiB", TRIGGERS), ("chunk", "64KiB", CHUNKS)]),
    ("region-local", &[("trigger", "256KiB", TRIGGERS), ("chunk", "64KiB", CHUNKS)]),
    ("mark-region", &[("trigger", "512KiB", TRIGGERS), ("region", "64KiB", CHUNKS)]),
    ("mark-sweep", &[("trigger", "1MiB", TRIGGERS)]),
    ("shadow-stack", &[("trigger", "1MiB", TRIGGERS)]),
];

/// A study at n = 9 with all backends, and beside it a sweep over every combination of the values of
/// [`SWEPT`], which is told by its command.
#[allow(dead_code, reason = "not every test looks at it")]
pub fn study_and_sweeps() -> Vec<Record> {
    let mut records = with_events(study());
    records.retain(|record| record.n == 9);
    let mut points = Vec::new();
    for record in &mut records {
        let Some((_, params)) = SWEPT.iter().find(|(name, _)| *name == record.backend) else {
            continue;
        };
        for (name, default, _) in *params {
            record.params.insert((*name).into(), (*default).into());
        }
        let mut grid = vec![Record { command: "rc-vs-gc sweep".into(), ..record.clone() }];
        for (name, _, values) in *params {
            let point = |record: &Record, (i, value): (usize, &&str)| {
                let mut record = record.clone();
                record.params.insert((*name).into(), (*value).into());
                // Too small costs much, too large a little.
                let factor = [1.5, 1.2, 1.05, 1.0, 1.02, 1.06, 1.1][i];
                let scaled = |ns: &u64| (*ns as f64 * factor) as u64;
                record.iterations_ns = record.iterations_ns.iter().map(scaled).collect();
                record
            };
            grid = (grid.iter())
                .flat_map(|record| values.iter().enumerate().map(move |value| point(record, value)))
                .collect();
        }
        points.extend(grid);
    }
    records.extend(points);
    records
}

/// Counts of how a backend finds free memory, and of the references that it stores.
fn with_sweeps(record: &mut Record, cells: u64) {
    let sweeps = cells / 16_384;
    match record.backend.as_str() {
        "region-sweep" => record.cells_swept = Some(cells - 900),
        "region-runs" => record.runs_found = Some(cells / 1000),
        "region-local" => record.scopes = Some(cells / 2),
        "mark-region" => {
            record.cells_swept = Some(cells - 900);
            (record.words_scanned, record.runs_found) = (Some(cells / 60), Some(cells / 5000));
        }
        "shadow-stack" => record.roots_stored = Some(9 * cells),
        _ => return,
    }
    record.collections_major = Some(sweeps);
}

/// Adds counts, pauses and events.
pub fn with_events(mut records: Vec<Record>) -> Vec<Record> {
    for record in &mut records {
        let sweeps = record.family == "tracing" || record.backend.starts_with("region-");
        let (cells, round) = (record.cells_allocated.unwrap(), u64::from(record.round));
        record.cells_freed = Some(cells);
        record.scopes = (record.backend == "stack").then_some(cells / 2);
        with_sweeps(record, cells);
        record.counters = vec![
            Counters {
                source: CounterSource::Callgrind,
                unavailable: None,
                instructions: Some(cells * record.backend.len() as u64 * 7),
                cycles: None,
                branches: Some(cells * 5),
                branch_misses: Some(cells / 9),
                l1_misses: Some(cells / 100),
                ll_misses: Some(12),
            },
            Counters {
                unavailable: Some("the kernel does not allow it".into()),
                ..Counters::none(CounterSource::Perf)
            },
        ];
        let mmu = |window_ns, utilisation| Mmu { window_ns, utilisation };
        record.pauses = Some(Pauses {
            count: cells / 16_384,
            total_ns: cells / 16_384 * 2_000,
            p50_ns: 1_800 + round,
            p99_ns: 4_000 + round,
            p999_ns: 5_000 + round,
            max_ns: 9_000 + 100 * round,
            sweeps: Some(if sweeps { cells / 16_384 } else { 0 }),
            sweep_ns: Some(if sweeps { cells / 16_384 * (20_000 + 100 * round) } else { 0 }),
            run_ns: 50_000_000,
            clock_ns: 40,
            mmu: vec![mmu(1_000_000, 0.9 - 0.01 * (round % 10) as f64), mmu(10_000_000, 0.97)],
            percentiles: Vec::new(),
        });
    }
    records
}

fn made_sample(made: &Made, n: u32, round: u32, cells: u64, noise: f64) -> Record {
    let &(name, family, ns_per_cell, bytes_per_cell) = made;
    let ns = cells as f64 * ns_per_cell * (0.99 + 0.03 * noise);
    let tracing = family == "tracing";
    let mut record = sample(name, n, round, ns as u64);
    record.family = family.into();
    record.cells_allocated = Some(cells);
    record.capabilities.problem_specific = name == "stack";
    record.capabilities.moves = tracing;
    record.capabilities.generational = name == "gc";
    record.collections_minor = tracing.then_some(cells / 16_384);
    record.collections_major = tracing.then_some(0);
    let heap = match name {
        "gc" | "semispace" => 512 << 10,
        "gc-arena" => 40_000 * u64::from(n),
        _ => 3000 * u64::from(n) + name.len() as u64 * 100,
    };
    let heap = heap + bytes_per_cell * cells;
    // std's pointers do not know what they hold.
    record.heap_peak_bytes = (!name.starts_with("rc")).then_some(heap);
    record.rss_peak_bytes = Some(heap + (2_200 << 10) + (noise * 90_000.0) as u64);
    if tracing {
        record.params.insert("nursery".into(), "256KiB".into());
    }
    record
}
