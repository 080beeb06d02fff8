//! Records of the allocation studies, made up.

use super::{noise, sample};
use report::{Capabilities, Peer, Phase, Record, Study};
use std::collections::BTreeMap;

/// A row of a study as these tests need it: name, family, and nanoseconds of one operation of each phase.
type MadeRow = (&'static str, &'static str, &'static [f64]);

/// A study as these tests need it: name, what n counts, sizes, workloads, phases, operations, baseline, rows,
/// peers.
struct MadeStudy {
    name: &'static str,
    size: &'static str,
    sizes: &'static [u32],
    workloads: &'static [&'static str],
    phases: &'static [&'static str],
    operations: fn(u32) -> u64,
    rows: &'static [MadeRow],
    peers: &'static [MadeRow],
}

const COUNTING: &str = "reference counting";

const STUDIES: [MadeStudy; 3] = [
    MadeStudy {
        name: "pointers",
        size: "live objects",
        sizes: &[1, 1_000],
        workloads: &["window"],
        phases: &["object"],
        operations: |_| 999_999,
        rows: &[
            ("box", "manual", &[14.1]),
            ("split", COUNTING, &[29.4]),
            ("split-atomic", COUNTING, &[41.0]),
            ("fused", COUNTING, &[9.2]),
            ("fused-lookup", COUNTING, &[16.9]),
            ("fused-lookup-name", COUNTING, &[21.3]),
            ("fused-untyped", COUNTING, &[14.9]),
            ("rc", COUNTING, &[14.8]),
            ("arc", COUNTING, &[24.8]),
            ("triomphe", COUNTING, &[24.1]),
            ("gc", "tracing", &[6.1]),
            ("gc-arena", "tracing", &[18.2]),
        ],
        peers: &[
            ("ptr-boost-new", COUNTING, &[31.0]),
            ("ptr-boost-make", COUNTING, &[17.0]),
            ("ptr-boost-lookup", COUNTING, &[20.9]),
            ("ptr-boost-untyped", COUNTING, &[17.2]),
            ("ptr-std-new", COUNTING, &[28.2]),
            ("ptr-std-make", COUNTING, &[15.4]),
            ("ptr-std-new-thread", COUNTING, &[42.2]),
            ("ptr-std-make-thread", COUNTING, &[27.2]),
            ("ptr-std-make-mimalloc", COUNTING, &[12.0]),
        ],
    },
    MadeStudy {
        name: "burst",
        size: "elements",
        sizes: &[10_000],
        workloads: &["vector", "list"],
        phases: &["insert", "erase", "destroy"],
        operations: |n| 10 * n as u64,
        rows: &[
            ("malloc", "manual", &[46.0, 11.0, 10.2]),
            ("dlmalloc", "manual", &[51.0, 19.0, 18.5]),
            ("mimalloc", "manual", &[15.3, 7.9, 7.8]),
            ("burst", "manual", &[11.8, 3.2, 3.1]),
            ("burst-each", "manual", &[14.6, 3.3, 3.2]),
            ("pool", "manual", &[13.1, 4.0, 4.1]),
            ("pool-each", "manual", &[15.2, 4.1, 4.1]),
            ("region", "region", &[6.0, 1.1, 0.702]),
        ],
        peers: &[
            ("burst-std", "manual", &[47.0, 11.0, 10.0]),
            ("burst-v1", "manual", &[50.0, 19.0, 18.0]),
            ("burst-v2", "manual", &[30.0, 9.0, 9.0]),
            ("burst-adaptive-pool", "manual", &[18.0, 5.0, 4.4]),
            ("burst-node", "manual", &[12.0, 3.4, 3.2]),
        ],
    },
    MadeStudy {
        name: "growth",
        size: "vectors that grow in turn",
        sizes: &[1, 64],
        workloads: &["int", "class"],
        phases: &["push"],
        operations: |n| 100 / u64::from(n) * u64::from(n) * 10_000,
        rows: &[
            ("vec", "manual", &[0.7]),
            ("malloc", "manual", &[0.704]),
            ("copy", "manual", &[1.31]),
            ("copy-1.5", "manual", &[1.9]),
            ("expand", "manual", &[0.702]),
            ("mimalloc", "manual", &[1.02]),
        ],
        peers: &[
            ("growth-vector", "manual", &[0.71]),
            ("growth-std", "manual", &[1.6]),
            ("growth-v1", "manual", &[1.5]),
            ("growth-v2", "manual", &[0.775]),
            ("growth-v2-copy", "manual", &[1.12]),
        ],
    },
];

/// The three allocation studies: seven rounds, the baseline entered twice for each workload and size.
pub fn studies() -> Vec<Record> {
    let mut records = Vec::new();
    for (study, round) in STUDIES.iter().flat_map(|study| (0..7).map(move |round| (study, round))) {
        for (place, workload) in study.workloads.iter().enumerate() {
            for &n in study.sizes {
                let all = study.rows.iter().map(|row| (row, false));
                let all = all.chain(study.peers.iter().map(|row| (row, true)));
                for (i, (row, peer)) in all.enumerate() {
                    let seed = u64::from(round * 1000 + n * 50) + (100 * place + i) as u64;
                    let slower = 1.0 + 0.1 * place as f64 + 0.02 * f64::from(n).ln();
                    let record = study_sample(study, workload, row, (n, round), (slower, seed));
                    let record = if peer { as_peer(record) } else { record };
                    if i == 0 {
                        let again =
                            study_sample(study, workload, row, (n, round), (slower, seed + 9_999));
                        records.push(Record { control: true, ..again });
                    }
                    records.push(record);
                }
            }
        }
    }
    records
}

/// One of the three studies.
pub fn study_named(name: &str) -> Vec<Record> {
    let is_of = |record: &Record| record.study.as_ref().is_some_and(|study| study.name == name);
    studies().into_iter().filter(is_of).collect()
}

fn study_sample(
    study: &MadeStudy,
    workload: &str,
    (name, family, ns): &MadeRow,
    (n, round): (u32, u32),
    (slower, seed): (f64, u64),
) -> Record {
    let operations = (study.operations)(n);
    let phase = |(phase, ns): (&&str, &f64)| {
        let ns = ns * slower * (0.99 + 0.02 * noise(seed)) * operations as f64;
        let iterations_ns = [0.0, 9.0, 4.0].map(|more| (ns + more) as u64).to_vec();
        Phase { name: (*phase).to_owned(), operations, iterations_ns }
    };
    let phases: Vec<Phase> = study.phases.iter().zip(ns.iter()).map(phase).collect();
    let sum = |i: usize| phases.iter().map(|phase| phase.iterations_ns[i]).sum();
    let iterations_ns: Vec<u64> = (0..3).map(sum).collect();
    let mut record = sample(name, n, round, 0);
    record.program = format!("{} 0.1.0", study.name);
    record.family = (*family).into();
    record.command = format!("rc-vs-gc study {} --peers all", study.name);
    record.cells_allocated = None;
    record.wall_ns = Some(iterations_ns[2]);
    record.iterations_ns = iterations_ns;
    record.params = [("workload", workload), ("heap-limit", "8GiB")]
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .into();
    record.solutions = Some(499_998_500_001);
    record.study = Some(Study {
        name: study.name.into(),
        size: study.size.into(),
        phases,
        figures: made_figures(study.name, name, n),
    });
    record
}

fn made_figures(study: &str, row: &str, n: u32) -> BTreeMap<String, f64> {
    let figures: &[(&str, f64)] = match study {
        "pointers" if row == "box" => {
            &[("bytes_per_object", 26.7), ("allocations_per_object", 1.0)]
        }
        "pointers" if row.contains("split") => {
            &[("bytes_per_object", 58.7), ("allocations_per_object", 2.0)]
        }
        "pointers" if row.starts_with("ptr-") => &[],
        "pointers" => &[("bytes_per_object", 42.7), ("allocations_per_object", 1.0)],
        "burst" if row.starts_with("pool") || row == "burst-adaptive-pool" => &[
            ("node_bytes", 16.0),
            ("resident_bytes_per_node", 16.5),
            ("held_bytes_per_node", 16.3),
            ("metadata_percent", 1.72),
            ("returned_half_percent", 3.1),
            ("returned_all_percent", 98.5),
        ],
        "burst" => &[("node_bytes", 16.0), ("resident_bytes_per_node", 32.1)],
        _ => return growth_figures(row, n),
    };
    figures.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect()
}

/// New blocks, expansions and page faults, the latter of Rust rows only.
fn growth_figures(row: &str, n: u32) -> BTreeMap<String, f64> {
    let (new_blocks, expansions, faults) = match (row, n) {
        ("expand", 1) => (1.0, 12.0, Some(0.0)),
        ("expand", _) => (12.9, 0.09, Some(0.16)),
        ("vec" | "malloc", 1) => (8.0, 5.0, Some(0.0)),
        ("vec" | "malloc", _) => (12.8, 0.22, Some(1.1)),
        ("growth-v2", _) => (1.0, 12.0, None),
        (peer, _) if peer.starts_with("growth-") => (13.0, 0.0, None),
        (_, 1) => (13.0, 0.0, Some(0.0)),
        (_, _) => (13.0, 0.0, Some(1.33)),
    };
    let counted = [("capacity", 16_384.0), ("new_blocks", new_blocks), ("expansions", expansions)];
    let figures = counted.into_iter().chain(faults.map(|faults| ("page_faults_per_1000", faults)));
    figures.map(|(name, value)| (name.to_owned(), value)).collect()
}

/// The same as a program in C++.
fn as_peer(mut record: Record) -> Record {
    record.peer = Some(Peer {
        title: format!("C++, {}", record.backend),
        language: "C++".into(),
        notes: vec![format!("{} is compiled by another compiler.", record.backend)],
    });
    record.params.remove("heap-limit");
    record.params.insert("version".into(), "g++ 12.2.0, Boost 1.74.0".into());
    record.about = format!("What {} does in C++", record.backend);
    record.capabilities = Capabilities::default();
    record
}
