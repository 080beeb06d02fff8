//! Records of peers, made up.

use super::sample;
use report::{Capabilities, Peer, Record, Status};

/// A peer as these tests need it: name, title, language, family, nanoseconds.
type MadePeer = (&'static str, &'static str, &'static str, &'static str, u64);

const PEERS: [MadePeer; 6] = [
    ("ocaml", "OCaml", "OCaml", "tracing", 11_000_000),
    ("cpp-stack", "C++, stack", "C++", "manual", 7_000_000),
    ("boost-new", "C++, boost::shared_ptr(new) by value", "C++", "reference counting", 89_000_000),
    ("cpp-mimalloc", "C++, malloc and free of mimalloc", "C++", "manual", 13_500_000),
    ("java-serial", "Java, serial collector", "Java", "tracing", 12_600_000),
    ("java-zgc", "Java, ZGC", "Java", "tracing", 0),
];

/// Peers to stand beside [`small_study`] at n = 9, in its rounds; one of them never ends.
pub fn peers() -> Vec<Record> {
    let mut records = Vec::new();
    for round in 0..7 {
        for (i, &(name, title, language, family, ns)) in PEERS.iter().enumerate() {
            let part = super::noise(u64::from(round * 77) + i as u64);
            // The round that is disturbed for everyone.
            let disturbed = if round == 3 { 2.0 } else { 1.0 };
            let ns = (ns as f64 * (0.99 + 0.02 * part) * disturbed) as u64;
            let warm_up = if language == "Java" { 4 } else { 1 };
            let mut record = Record {
                family: family.into(),
                about: format!("The memory manager of {title}"),
                capabilities: Capabilities {
                    problem_specific: name == "cpp-stack",
                    generational: ["ocaml", "java-serial"].contains(&name),
                    ..Capabilities::default()
                },
                peer: Some(Peer {
                    title: title.into(),
                    language: language.into(),
                    notes: vec![format!("{language} is not what the study is written in.")],
                }),
                solutions: Some(352),
                cells_allocated: None,
                rss_peak_bytes: Some(40_000_000 + ns % 1000),
                params: [("version".to_owned(), format!("{language} 1.2.3"))].into(),
                warm_up_ns: (1..=warm_up).map(|search| ns + 3 * ns / search).collect(),
                ..sample(name, 9, round, ns)
            };
            if ns == 0 {
                record.status = Status::TimedOut;
                record.message = Some("not done after 60s, and ended".into());
                record.solutions = None;
                record.iterations_ns.clear();
                record.warm_up_ns.clear();
                record.wall_ns = None;
            }
            records.push(record);
        }
    }
    records
}
