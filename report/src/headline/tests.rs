//! Sentences of made-up studies whose answer is known.

use super::*;
use crate::record::{Peer, Status};

mod property;

/// Backends with their nanoseconds per cell; the first is the one entered twice.
type Times<'a> = &'a [(&'a str, f64)];

/// What reclaims nothing, and what serves one program only, are the fastest but no answer.
const COLLECTORS_WIN: [(&str, f64); 12] = [
    ("gc", 6.0),
    ("leak", 4.0),
    ("stack", 5.0),
    ("semispace", 8.0),
    ("fused", 9.0),
    ("mark-sweep", 12.0),
    ("malloc", 20.0),
    ("rc", 22.0),
    ("rc-value", 26.0),
    ("arc-value", 36.0),
    ("rc-split", 40.0),
    ("arc-split", 50.0),
];

fn family(backend: &str) -> &'static str {
    match backend {
        "leak" => "none",
        "stack" | "malloc" => "manual",
        "region" => "region",
        "gc" | "semispace" | "mark-sweep" => "tracing",
        _ => "reference counting",
    }
}

fn sample(backend: &str, n: u32, round: u32, ns: f64) -> Record {
    let mut record = Record {
        backend: backend.to_owned(),
        family: family(backend).to_owned(),
        n,
        round,
        iterations_ns: vec![ns as u64],
        cells_allocated: Some(1_000_000),
        ..Record::new()
    };
    record.capabilities.problem_specific = backend == "stack";
    record.capabilities.cell_bytes = 16;
    record
}

/// A study at n = 8 in which a backend differs from itself by up to `noise`; without any, nothing is
/// entered twice.
fn study(rounds: u32, noise: Option<f64>, times: Times) -> Vec<Record> {
    let mut records = Vec::new();
    for round in 0..rounds {
        let disturbed = 1e6 * (1.0 + f64::from(round) / 100.0);
        for (place, &(backend, ns_per_cell)) in (0..).zip(times) {
            // Within two thousandths.
            let own = 1.0 + f64::from((round * 3 + place * 7) % 5) / 2000.0;
            records.push(sample(backend, 8, round, disturbed * ns_per_cell * own));
        }
        let first = records[records.len() - times.len()].clone();
        records.extend(noise.map(|noise| {
            let again = if round.is_multiple_of(2) { 1.0 + noise } else { (1.0 + noise).recip() };
            let ns = first.iterations_ns[0] as f64 * again;
            Record { control: true, iterations_ns: vec![ns as u64], ..first.clone() }
        }));
    }
    records
}

/// Of these backends only.
fn only(names: &[&str]) -> Vec<(&'static str, f64)> {
    let of = |name: &&str| COLLECTORS_WIN.into_iter().find(|(backend, _)| backend == name);
    names.iter().filter_map(of).collect()
}

fn said(records: &[Record]) -> Vec<String> {
    sentences(records, &Summary::new(records, None).unwrap())
}

#[test]
fn made_up_studies() {
    let collectors_win = || study(8, Some(0.02), &COLLECTORS_WIN);
    let mut with_memory = collectors_win();
    for record in &mut with_memory {
        (record.heap_peak_bytes, record.live_peak_bytes) = match record.backend.as_str() {
            "gc" => (Some(400 << 10), None),
            "fused" => (Some(64 << 10), Some(5 << 10)),
            "malloc" => (Some(6 << 10), Some(4 << 10)),
            _ => (None, None),
        };
    }
    let mut failing = study(8, Some(0.02), &only(&["gc", "fused", "leak"]));
    for record in failing.iter_mut().filter(|record| record.backend == "leak") {
        record.status = Status::OutOfMemory;
        record.iterations_ns.clear();
    }
    let mut sweep = study(8, Some(0.02), &only(&["gc", "fused"]));
    for (nursery, ns_per_cell) in [("8KiB", 30.0), ("1MiB", 1.0)] {
        for mut record in study(8, None, &[("gc", ns_per_cell)]) {
            record.command = "sweep".to_owned();
            record.params.insert("nursery".to_owned(), nursery.to_owned());
            sweep.push(Record { n: 9, ..record.clone() });
            sweep.push(record);
        }
    }
    let alone: Vec<Record> =
        sweep.iter().filter(|record| record.command == "sweep").cloned().collect();
    let mut other_work = study(8, None, &only(&["gc", "fused", "arc-split"]));
    other_work.last_mut().unwrap().cells_allocated = Some(7);
    let eight = ["gc", "semispace", "mark-sweep", "fused", "rc", "arc", "malloc", "region"];
    let alike: Vec<(&str, f64)> = eight.iter().map(|&name| (name, 5.0)).collect();
    let studies: [(&str, Vec<Record>); 21] = [
        ("collectors win", with_memory),
        ("counting wins", study(8, Some(0.02), &[("gc", 8.0), ("fused", 5.0), ("rc", 9.0)])),
        ("neither wins", study(8, Some(0.02), &[("region", 5.0), ("gc", 9.0), ("fused", 7.0)])),
        ("a tie within a family", {
            study(8, Some(0.02), &[("gc", 5.0), ("semispace", 5.05), ("rc", 9.0)])
        }),
        ("a tie of both", study(8, Some(0.02), &[("gc", 5.0), ("fused", 5.05), ("rc", 9.0)])),
        ("all tie", study(8, Some(0.02), &alike)),
        ("a tie without a floor", study(8, None, &[("gc", 5.0), ("fused", 5.0), ("rc", 9.0)])),
        ("much noise", study(8, Some(0.3), &COLLECTORS_WIN)),
        ("far too much noise", study(8, Some(0.6), &COLLECTORS_WIN)),
        ("few rounds", study(3, Some(0.02), &COLLECTORS_WIN)),
        ("one round", study(1, None, &COLLECTORS_WIN)),
        ("one backend", study(8, Some(0.02), &only(&["gc"]))),
        ("no general one", study(8, None, &only(&["stack", "leak"]))),
        ("one family", study(8, None, &only(&["gc", "semispace"]))),
        ("no family", study(8, None, &[("region", 5.0), ("malloc", 9.0)])),
        ("no collector", study(8, None, &only(&["malloc", "fused", "rc-value", "rc-split"]))),
        ("generations without a copying collector", {
            study(8, Some(0.02), &only(&["gc", "mark-sweep"]))
        }),
        ("a sweep beside", sweep),
        ("a sweep alone", alone),
        ("failures", failing),
        ("other work", other_work),
    ];
    let told =
        studies.map(|(title, records)| format!("{title}\n  {}", said(&records).join("\n  ")));
    insta::assert_snapshot!(told.join("\n"));
}

#[test]
fn parts_that_are_not_told_apart_are_called_so() {
    let split = [("gc", 6.0), ("stack", 5.0), ("malloc", 20.0), ("rc-value", 20.1)];
    let records =
        study(8, Some(0.02), &[&split[..], &[("rc-split", 40.0), ("arc-split", 36.0)]].concat());
    let said = said(&records);
    assert!(said[1].contains("(arc-split) takes 6.00 times as long as gc (95 %: "), "{said:?}");
    let parts = "Of arc-split's time 14 % is the program itself, 41 to 43 % malloc and free and \
                 54 to 57 % a second block for the count; 11 % is saved by atomic instructions; the \
                 cost of plain counting is not distinguishable from none.";
    assert!(said[1].ends_with(parts), "{said:?}");
}

#[test]
fn each_machine_has_its_own_sentences() {
    let on = |machine: &str, times: Times| {
        let mut records = study(8, Some(0.02), times);
        records.iter_mut().for_each(|record| record.machine.processor = machine.to_owned());
        records
    };
    let mut records = on("a", &COLLECTORS_WIN);
    let one = said(&records);
    records.extend(on("b", &[("gc", 10.0), ("arc-split", 4.0)]));
    let two = said(&records);
    assert_eq!(two[0], format!("machine 1: {}", one[0]));
    let other = "machine 2: Of 2 general-purpose memory managers the fastest at n = 8 is arc-split";
    assert!(two[2].starts_with(other) && two.len() == 4, "{two:?}");
    assert!(two[3].starts_with("machine 2: Noise floor at n = 8: 2.0 %"), "{two:?}");
    for other in 'c'..='f' {
        records.extend(on(&other.to_string(), &[("gc", 1.0), ("rc", 2.0)]));
    }
    assert!(said(&records).iter().any(|s| s.contains("from 2 more programs or machines")));
}

#[test]
fn a_build_without_optimisation_is_told_first() {
    let mut records = study(8, None, &COLLECTORS_WIN);
    records[0].machine.debug_build = true;
    assert!(said(&records)[0].contains("without optimisation"));
}

#[test]
fn names_in_a_list() {
    let names = |n: usize| list(&(1..=n).map(|i| i.to_string()).collect::<Vec<_>>());
    assert_eq!([0, 1, 2, 3].map(names), ["", "1", "1 and 2", "1, 2 and 3"]);
}

/// What is said of peers with these nanoseconds per cell beside a study that gc wins with 6.
fn said_of_peers(times: Times) -> String {
    said_beside(&COLLECTORS_WIN, times)
}

/// What is said of peers beside a study.
fn said_beside(ours: Times, times: Times) -> String {
    let mut records = study(8, Some(0.02), ours);
    let mut peers = study(8, None, times);
    for record in &mut peers {
        record.peer = Some(Peer { title: record.backend.to_uppercase(), ..Peer::default() });
        record.cells_allocated = None;
    }
    records.extend(peers);
    let told = said(&records);
    let of_peers = |text: &&String| text.contains("general-purpose peer") || text.contains("Boost");
    told.iter().find(of_peers).cloned().unwrap_or_default()
}

#[test]
fn peers_are_ahead_behind_or_neither() {
    let behind = said_of_peers(&[("a", 9.0), ("b", 12.0), ("ocaml", 10.0), ("boost-new", 80.0)]);
    assert!(behind.starts_with("Of 4 general-purpose peers, "), "{behind}");
    assert!(
        behind.contains("none is ahead of gc at n = 8; the nearest, a (A), takes 1.5"),
        "{behind}"
    );
    let claim = "Boost's shared_ptr(new) by value (boost-new) takes ";
    let (_, ratio) = behind.split_once(claim).unwrap_or_else(|| panic!("{behind}"));
    assert!(ratio.starts_with("8.0") && ratio.contains(" times as long as ocaml ("), "{behind}");

    let ahead = said_of_peers(&[("a", 3.0), ("b", 4.0), ("c", 9.0)]);
    assert!(ahead.contains("2 are ahead of gc at n = 8; the fastest, a (A), is 2.0"), "{ahead}");
    assert!(!ahead.contains("Boost"), "{ahead}");
    let one = said_of_peers(&[("a", 3.0), ("b", 9.0)]);
    assert!(one.contains("one is ahead of gc at n = 8; the fastest, a (A), is 2.0"), "{one}");
    let tie = said_of_peers(&[("a", 6.05), ("b", 9.0)]);
    assert!(tie.contains("none is told to be ahead of gc"), "{tie}");
    assert!(tie.contains("a (A), shows no difference from gc above the noise floor"), "{tie}");
    // A collector as other runtimes have one is what they are held against, the fastest or not.
    let second = said_beside(&[("gc", 6.0), ("semispace", 5.0)], &[("a", 9.0), ("b", 12.0)]);
    assert!(second.contains("none is ahead of gc at n = 8; the nearest, a (A), takes 1.5"));
    let single = said_of_peers(&[("a", 12.0)]);
    assert!(
        single.starts_with("The one general-purpose peer at n = 8, a (A), takes 2.0"),
        "{single}"
    );
}
