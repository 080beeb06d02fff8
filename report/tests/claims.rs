//! Published claims judged by records: the data file, every verdict, and what may go wrong.

mod common;
#[path = "claims/studies.rs"]
mod studies;
#[path = "claims/threads.rs"]
mod threads;

use common::{sample, with_events};
use report::claims::{ClaimError, Claims, Finding, Judged, Tested, Verdict, judge};
use report::{Record, Status, Summary};
use std::collections::BTreeSet;
use std::time::Instant;

const FILE: &str = include_str!("../claims.toml");

/// Records of backends with a time for each round.
fn rounds(backends: &[(&str, &[u64])]) -> Vec<Record> {
    let of = |&(name, times): &(&str, &[u64])| {
        (0..).zip(times.to_vec()).map(|(round, ns)| sample(name, 8, round, ns)).collect::<Vec<_>>()
    };
    backends.iter().flat_map(of).collect()
}

/// A second entry of a backend, in the same rounds.
fn twice(records: &[Record], backend: &str, percent: u64) -> Vec<Record> {
    let of = |record: &&Record| record.backend == backend;
    let scaled = |ns: &u64| ns * percent / 100;
    let again = |record: &Record| Record {
        control: true,
        iterations_ns: record.iterations_ns.iter().map(scaled).collect(),
        ..record.clone()
    };
    records.iter().filter(of).map(again).collect()
}

fn with(mut record: Record, name: &str, value: &str) -> Record {
    record.params.insert(name.into(), value.into());
    record
}

/// A file with one claim of one test.
fn claim(expression: &str, predicts: &str, unit: &str) -> String {
    format!(
        "[[claim]]\nid = 'X1'\nsentence = 'One thing is another.'\nsource = 'somebody'\n\
         [[claim.test]]\ntitle = 'one over another'\nexpression = '''{expression}'''\n\
         predicts = {{ {predicts} }}\nunit = '{unit}'\ncommand = 'rc-vs-gc'\n"
    )
}

fn judged(text: &str, records: &[Record]) -> Result<Vec<Judged>, ClaimError> {
    let summary = Summary::new(records, None).unwrap();
    Claims::read(text)?.judge(records, &summary)
}

/// The findings of a file with one test.
fn findings(expression: &str, predicts: &str, unit: &str, records: &[Record]) -> Vec<Finding> {
    let mut judged = judged(&claim(expression, predicts, unit), records).unwrap();
    judged.remove(0).tests.remove(0).findings
}

fn finding(expression: &str, predicts: &str, records: &[Record]) -> Finding {
    let mut findings = findings(expression, predicts, "times", records);
    assert_eq!(findings.len(), 1);
    findings.remove(0)
}

fn value(expression: &str, records: &[Record]) -> f64 {
    let mut findings = findings(expression, "above = 0", "units", records);
    let found = findings.remove(0);
    found.value.unwrap_or_else(|| panic!("{expression}: {:?}", found.why)).value
}

#[test]
fn every_claim_is_there_once_and_has_what_it_takes() {
    let judged = judge(&[], &Summary::default()).unwrap();
    let ids: Vec<&str> = judged.iter().map(|claim| claim.id.as_str()).collect();
    let expected: Vec<String> =
        (1..=12).map(|i| format!("S{i}")).chain((1..=6).map(|i| format!("L{i}"))).collect();
    assert_eq!(ids, expected);
    for test in judged.iter().flat_map(|claim| &claim.tests) {
        assert!(test.command.is_some() != test.needs.is_some(), "{}", test.title);
        let [finding] = &test.findings[..] else { panic!("{}", test.title) };
        let verdict = match &test.expression {
            Some(_) => Verdict::NotMeasured,
            None => Verdict::NotTestable,
        };
        let why = test.expression.as_ref().map(|_| {
            let program = test.study.as_deref().unwrap_or("nqueens");
            format!("There are no records of {program}")
        });
        assert_eq!(finding.verdict, verdict, "{}", test.title);
        let said = finding.why.as_deref().unwrap_or_default();
        assert!(said.starts_with(&why.unwrap_or_default()), "{}: {said}", test.title);
        assert_eq!(test.predicted.is_empty(), test.expression.is_none(), "{}", test.title);
    }
}

/// Names of the peers that there are.
fn peer_names() -> Vec<String> {
    let folders = std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../peers")).unwrap();
    let files = folders.filter_map(|folder| {
        std::fs::read_to_string(folder.unwrap().path().join("peer.toml")).ok()
    });
    let named = |line: &str| Some(line.strip_prefix("name = \"")?.strip_suffix('"')?.to_owned());
    files.flat_map(|file| file.lines().filter_map(named).collect::<Vec<_>>()).collect()
}

/// The records that a command would make, so far as claims look at them.
fn made_by(command: &str) -> Vec<Record> {
    const ALL: &str = "leak,stack,malloc,region,region-sweep,region-runs,region-local,rc,rc-value,\
                       rc-split,arc,arc-value,arc-split,fused,fused-value,gc,semispace,mark-sweep,\
                       shadow-stack,mark-region,gc-arena";
    let words: Vec<&str> = command.split(' ').collect();
    if words[1] == "study" {
        assert_eq!(words[3..], ["--peers", "all"], "{command}");
        return common::study_named(words[2]);
    }
    assert!(words[0] == "rc-vs-gc" && !command.contains(['\'', '"', '\\', '$', '*']), "{command}");
    let given = words.iter().position(|word| *word == "--backend").map(|place| words[place + 1]);
    let names = match (given, words[1]) {
        (Some("all") | None, first) if first != "sweep" => ALL,
        (Some(names), _) => names,
        (None, _) => "gc,malloc,rc",
    };
    let mut configs: Vec<(&str, Option<(&str, &str)>)> = Vec::new();
    for name in names.split(',') {
        assert!(ALL.split(',').any(|known| known == name), "{command}: no backend {name}");
        configs.push((name, None));
        let axes = words[1..].iter().skip_while(|word| **word != "sweep").skip(1);
        for axis in axes.take_while(|word| !word.starts_with("--")) {
            let (axis, values) = axis.split_once('=').unwrap();
            let axis = match axis {
                "heap-limit" => Some("heap-multiple"),
                _ => axis.strip_prefix(name).and_then(|axis| axis.strip_prefix('.')),
            };
            let values = values.split([',']).flat_map(|value| value.split(".."));
            configs.extend(
                axis.into_iter()
                    .flat_map(|axis| values.clone().map(move |value| (name, Some((axis, value))))),
            );
        }
    }
    let peers = words.iter().position(|word| *word == "--peers").map(|place| words[place + 1]);
    let known = peer_names();
    let peers: Vec<&str> = match peers {
        Some("all") => known.iter().map(String::as_str).collect(),
        named => named.into_iter().flat_map(|names| names.split(',')).collect(),
    };
    for name in &peers {
        assert!(known.iter().any(|known| known == name), "{command}: no peer {name}");
        configs.push((name, None));
    }
    let mut records = Vec::new();
    for round in 0..6 {
        for (place, (name, param)) in (1..).zip(&configs) {
            let mut record = sample(name, 8, round, 1_000_000 * place);
            let family = match *name {
                "stack" | "malloc" => "manual",
                "region" | "region-sweep" | "region-runs" | "region-local" => "region",
                "gc" | "semispace" | "mark-sweep" | "shadow-stack" | "mark-region" | "gc-arena"
                | "ocaml" => "tracing",
                _ => "reference counting",
            };
            record.capabilities.generational = ["gc", "ocaml"].contains(name);
            record.peer = peers.contains(name).then(Default::default);
            let record = Record { family: family.into(), command: command.into(), ..record };
            records.push(match param {
                Some((axis, value)) => with(record, axis, value),
                None => record,
            });
        }
    }
    let (peers, ours): (Vec<_>, Vec<_>) =
        records.into_iter().partition(|record| record.peer.is_some());
    with_events(ours).into_iter().chain(peers).collect()
}

#[test]
fn every_command_measures_what_its_test_takes() {
    let mut seen = BTreeSet::new();
    for claim in judge(&[], &Summary::default()).unwrap() {
        for (place, test) in claim.tests.iter().enumerate() {
            let Some(command) = &test.command else { continue };
            let records = made_by(command);
            let summary = Summary::new(&records, None).unwrap();
            let judged = judge(&records, &summary).unwrap();
            let again = judged.iter().find(|other| other.id == claim.id).unwrap();
            let found = &again.tests[place].findings[0];
            assert!(found.value.is_some(), "{}, {command}: {:?}", claim.id, found.why);
            assert!(found.verdict != Verdict::TooFewRounds, "{}, {command}", claim.id);
            seen.insert(claim.id.clone());
        }
    }
    assert!(seen.len() >= 15, "{seen:?}");
}

/// By hand: arc-split takes 1000, and malloc 190, 200, ... 240, so that 81, 80, ... 76 % of it are
/// reference counts: the median is 78.5 %, and with six rounds the interval lies near the whole range.
#[test]
fn the_share_of_counting_by_hand() {
    let records = rounds(&[
        ("arc-split", &[1000, 1000, 1000, 1000, 1000, 1000]),
        ("malloc", &[200, 190, 210, 240, 230, 220]),
    ]);
    let summary = Summary::new(&records, None).unwrap();
    let judged = judge(&records, &summary).unwrap();
    let claim = judged.iter().find(|claim| claim.id == "S3").unwrap();
    let test: &Tested = &claim.tests[1];
    let [found] = &test.findings[..] else { panic!("one machine") };
    let estimate = found.value.unwrap();
    assert!((estimate.value - 78.5).abs() < 1e-9, "{estimate:?}");
    assert!(estimate.low >= 76.0 - 1e-9 && estimate.high <= 81.0 + 1e-9, "{estimate:?}");
    assert!(estimate.low < 77.0 && estimate.high > 80.0, "{estimate:?}");
    assert_eq!((found.n, found.verdict, estimate.samples), (Some(8), Verdict::Reproduced, 6));
    assert_eq!(found.of, ["malloc", "arc-split"]);
    assert!(found.measured.starts_with("78.5 % (95 %: 7"), "{}", found.measured);
    assert_eq!(test.predicted, "70 to 90 %");
    // The two that also need rc-split, or another language.
    assert_eq!(claim.tests[2].findings[0].verdict, Verdict::NotMeasured);
    let why = claim.tests[2].findings[0].why.as_deref();
    assert_eq!(why, Some("No sample that ended well has: time of rc-split"));
}

#[test]
fn each_verdict() {
    let flat = |ns| vec![ns; 8];
    let (slow, fast) = (flat(800), flat(100));
    let records = rounds(&[("slow", &slow), ("fast", &fast)]);
    let ratio = "time('slow') / time('fast')";
    let verdict = |predicts, records: &[Record]| finding(ratio, predicts, records).verdict;
    assert_eq!(verdict("at_least = 5, at_most = 10", &records), Verdict::Reproduced);
    assert_eq!(verdict("at_least = 9", &records), Verdict::Contradicted);
    assert_eq!(verdict("at_most = 8.1", &records), Verdict::Reproduced);
    assert_eq!(verdict("below = 7.9", &records), Verdict::Contradicted);
    assert_eq!(verdict("above = 8.1", &records), Verdict::Contradicted);
    // From 7.5 to 8.4: across the end.
    let spread = rounds(&[("slow", &[750, 760, 790, 800, 800, 810, 830, 840]), ("fast", &fast)]);
    let found = finding(ratio, "at_least = 8", &spread);
    assert_eq!(found.verdict, Verdict::NotDistinguishable);
    assert!(found.why.unwrap().contains("lies across an end"));
    // Five rounds.
    let few: Vec<Record> = records.iter().filter(|record| record.round < 5).cloned().collect();
    let found = finding(ratio, "at_least = 5", &few);
    assert_eq!(found.verdict, Verdict::TooFewRounds);
    assert_eq!(found.why.as_deref(), Some("5 of at least 6 rounds"));
    assert_eq!(found.measured, "8.00 times (range of 5 rounds: 8.00)");
    // Not there, failed, or never in the same round.
    assert_eq!(verdict("at_least = 5", &rounds(&[("slow", &slow)])), Verdict::NotMeasured);
    let mut failed = records.clone();
    failed[0].status = Status::WrongAnswer;
    assert_eq!(verdict("at_least = 5", &failed), Verdict::NotMeasured);
    let apart: Vec<Record> = (records.iter().cloned())
        .map(|record| match record.backend.as_str() {
            "slow" => Record { seed: 7, ..record },
            _ => record,
        })
        .collect();
    let found = finding(ratio, "at_least = 5", &apart);
    assert_eq!(found.why.as_deref(), Some("no round has them all: fast, slow"));
    // Not optimised.
    let mut debug = records.clone();
    debug.iter_mut().for_each(|record| record.machine.debug_build = true);
    assert_eq!(verdict("at_least = 5", &debug), Verdict::NotMeasured);
}

#[test]
fn the_noise_floor_is_on_either_side() {
    let near = |percent: u64| {
        let one = [1000, 1010, 1000, 1000, 990, 1000, 1000, 1000];
        let other = one.map(|ns| ns * percent / 100);
        let mut records = rounds(&[("one", &one), ("other", &other)]);
        records.extend(twice(&records, "one", 103));
        records
    };
    let ratio = "time('other') / time('one')";
    let found = |percent, predicts| finding(ratio, predicts, &near(percent));
    // A difference of 2 % with a floor of 3 %, where one is predicted that may be as small, and none.
    for predicts in ["above = 1", "below = 1", "above = 1.01"] {
        let found = found(102, predicts);
        assert_eq!(found.verdict, Verdict::NotDistinguishable, "{predicts}");
        let why = found.why.unwrap();
        assert!(why.contains("no difference above the noise floor of 3."), "{why}");
    }
    assert_eq!(found(102, "at_least = 0.9, at_most = 1.1").verdict, Verdict::Reproduced);
    // Nothing is no evidence for much.
    assert_eq!(found(102, "at_least = 5").verdict, Verdict::Contradicted);
    // 6 % and a floor of 3 % are within 10 %, 9 % and 3 % may not be.
    assert_eq!(found(106, "at_most = 1.1").verdict, Verdict::Reproduced);
    let edge = found(109, "at_most = 1.1");
    assert_eq!(edge.verdict, Verdict::NotDistinguishable);
    assert!(edge.why.unwrap().contains("within the noise floor of 3."));
    assert_eq!(found(116, "at_most = 1.1").verdict, Verdict::Contradicted);
    assert_eq!(found(116, "above = 1").verdict, Verdict::Reproduced);
    // Swapping the sides mirrors all of it.
    let mirrored = finding("time('one') / time('other')", "at_least = 0.9", &near(116));
    let (there, back) = (found(116, "above = 1").value.unwrap(), mirrored.value.unwrap());
    assert!((there.low * back.high - 1.0).abs() < 1e-12);
    assert!((there.high * back.low - 1.0).abs() < 1e-12);
}

#[test]
fn the_functions_by_hand() {
    let mut records = rounds(&[("rc", &[900; 6]), ("fused", &[300; 6]), ("stack", &[100; 6])]);
    for record in &mut records {
        let counting = record.backend != "stack";
        record.family = if counting { "reference counting" } else { "manual" }.into();
        record.capabilities.problem_specific = !counting;
        record.rc_increments = Some(if record.backend == "rc" { 500 } else { 0 });
        record.heap_peak_bytes = Some(4096);
        record.cells_swept = Some(1);
        record.runs_found = Some(2);
        record.words_scanned = Some(3);
        record.roots_stored = Some(4000);
    }
    let gc = |ns, nursery| (0..6).map(move |i| with(sample("gc", 8, i, ns), "nursery", nursery));
    records.extend(gc(200, "256KiB"));
    let swept = |record: Record| Record { command: "sweep".into(), ..record };
    for (ns, nursery) in [(800, "8KiB"), (200, "256KiB"), (150, "1MiB")] {
        records.extend(gc(ns, nursery).map(swept));
    }
    let value = |expression| value(expression, &records);
    assert_eq!(value("time('rc')"), 900.0);
    assert_eq!(value("time('rc', {'threads': 1})"), 900.0);
    assert_eq!(value("time('gc')"), 200.0);
    assert_eq!(value("time('gc', {'nursery': '8KiB'})"), 800.0);
    assert_eq!(value("least('time')"), 100.0);
    assert_eq!(value("least('time', general=true)"), 200.0);
    assert_eq!(value("least('time', families=['reference counting'])"), 300.0);
    assert_eq!(value("most('time', except=['rc'])"), 300.0);
    assert_eq!(value("most('time', families=['tracing'], except=['rc'])"), 200.0);
    assert_eq!(value("most('time', backend='gc', over='nursery')"), 800.0);
    assert_eq!(value("least('time', backend='gc', over='nursery')"), 150.0);
    assert_eq!(value("most('time', {'nursery': '1MiB'})"), 150.0);
    assert_eq!(value("min(time('rc'), 2 * time('fused'), 700)"), 600.0);
    assert_eq!(value("max(1, 2) + increments('rc') / 10"), 52.0);
    assert_eq!(value("swept('rc') + 10 * runs('rc') + 100 * words('rc') + rooted('rc')"), 4321.0);
    assert_eq!(value("heap_peak('rc') / 1024"), 4.0);
    assert_eq!(value("bound()"), 100.0);
    // The same in every round needs no six of them.
    let one: Vec<Record> = records.iter().filter(|record| record.round == 0).cloned().collect();
    let found = finding("increments('rc') / 100", "at_least = 5", &one);
    assert_eq!(found.verdict, Verdict::Reproduced);
    assert_eq!(found.measured, "5.00 times (the same in every round)");
    // Nothing to divide by, or a single point, is no error.
    let found = finding("increments('rc') / increments('fused')", "at_least = 5", &one);
    assert_eq!(found.why.as_deref(), Some("it would divide by zero"));
    let found = finding("most('time', backend='rc', over='nursery')", "at_least = 5", &records);
    let why = "No sample that ended well has: time of rc at several values of nursery";
    assert_eq!(found.why.as_deref(), Some(why));
}

#[test]
fn the_bound_is_the_one_that_is_explained() {
    let mut records = with_events(rounds(&[("gc", &[2000; 6]), ("rc", &[9000; 6])]));
    for record in &mut records {
        let pauses = record.pauses.as_mut().unwrap();
        (pauses.count, pauses.clock_ns, pauses.run_ns) = (1, 0, 1000);
        pauses.total_ns = if record.backend == "gc" { 250 } else { 10 };
    }
    let explained = report::explain::explain(&records, &[]).remove(0).unwrap();
    let bound_ns = explained.bound.unwrap().ns_per_cell * explained.cells_allocated as f64;
    assert_eq!(bound_ns, 1500.0);
    assert!((value("bound()", &records) - bound_ns).abs() < 1e-6);
    assert!((value("100 * pause_share('gc')", &records) - 25.0).abs() < 1e-9);
}

/// By hand: of region-sweep's 1000 ns sweeps take a quarter, so that without them it takes 750;
/// region-local takes 720 to 780 in its rounds, 0.96 to 1.04 of that.
#[test]
fn what_a_heap_saves_is_held_against_the_share_of_sweeps() {
    let local = [720, 728, 740, 750, 760, 780];
    let mut records = rounds(&[("region-sweep", &[1000; 6]), ("region-local", &local)]);
    records = with_events(records);
    for record in &mut records {
        let pauses = record.pauses.as_mut().unwrap();
        (pauses.count, pauses.clock_ns, pauses.sweeps) = (4, 10, Some(3));
        // Ten readings of the clock beside 1000 ns, three of them in 250 ns of sweeps.
        (pauses.run_ns, pauses.sweep_ns) = (1100, Some(280));
    }
    assert!((value("sweep_share('region-sweep')", &records) - 0.25).abs() < 1e-9);
    let found = |records: &[Record], of: &str| {
        let summary = Summary::new(records, None).unwrap();
        let judged = judge(records, &summary).unwrap();
        let claim = judged.iter().find(|claim| claim.id == "S7").unwrap();
        let test = claim.tests.iter().find(|test| test.title.contains(of)).unwrap();
        test.findings[0].clone()
    };
    let share = "without its sweeps";
    let ahead = found(&records, share);
    assert!((ahead.value.unwrap().value - 0.993).abs() < 1e-3, "{ahead:?}");
    assert_eq!(ahead.verdict, Verdict::NotDistinguishable);
    let scale = |percent: u64| {
        let mut records = records.clone();
        let local = records.iter_mut().filter(|record| record.backend == "region-local");
        local.for_each(|record| {
            record.iterations_ns.iter_mut().for_each(|ns| *ns = *ns * percent / 100)
        });
        records
    };
    assert_eq!(found(&scale(90), share).verdict, Verdict::Reproduced);
    assert_eq!(found(&scale(110), share).verdict, Verdict::Contradicted);
    // What sweeps in no time that was recorded has no share.
    for record in &mut records {
        record.pauses.as_mut().unwrap().sweeps = None;
    }
    let lacking = found(&records, share);
    let why = "No sample that ended well has: sweep share of region-sweep";
    assert_eq!(lacking.why.as_deref(), Some(why));
}

#[test]
fn no_claim_waits_for_a_backend() {
    let judged = judge(&[], &Summary::default()).unwrap();
    for test in judged.iter().flat_map(|claim| &claim.tests) {
        assert!(test.command.is_some(), "{} needs {:?}", test.title, test.needs);
    }
}

#[test]
fn the_largest_size_with_values_of_each_machine() {
    let at = |n, records: Vec<Record>| records.into_iter().map(move |r| Record { n, ..r });
    let mut records = rounds(&[("a", &[300; 6]), ("b", &[100; 6])]);
    records.extend(at(9, rounds(&[("a", &[400; 6]), ("b", &[100; 6])])));
    records.extend(at(10, rounds(&[("a", &[500; 6])])));
    let found = finding("time('a') / time('b')", "above = 1", &records);
    assert_eq!((found.n, found.value.unwrap().value.round()), (Some(9), 4.0));
    assert_eq!(found.origin, "");
    let mut elsewhere = rounds(&[("a", &[700; 6]), ("b", &[100; 6])]);
    elsewhere.iter_mut().for_each(|record| record.machine.processor = "Another".into());
    records.extend(elsewhere);
    let mut other_program = rounds(&[("a", &[1; 6]), ("b", &[100; 6])]);
    other_program.iter_mut().for_each(|record| record.program = "pointers 0.1.0".into());
    records.extend(other_program);
    let found = findings("time('a') / time('b')", "above = 1", "times", &records);
    let told: Vec<_> =
        found.iter().map(|f| (f.origin.as_str(), f.n, f.value.unwrap().value.round())).collect();
    assert_eq!(
        told,
        [("nqueens 0.1.0, machine 1", Some(9), 4.0), ("nqueens 0.1.0, machine 2", Some(8), 7.0)]
    );
}

#[test]
fn names_in_records_are_data() {
    let hostile =
        ["a') + 1 + time('b", "{{ 1 }}", "least(\"time\")", "here", "rc\" or true", "<script>"];
    let mut records: Vec<Record> = Vec::new();
    for name in hostile {
        records.extend(rounds(&[(name, &[300; 6])]));
    }
    records.extend(rounds(&[("rc", &[100; 6])]));
    for record in &mut records {
        record.family = "'] or ['".into();
        record.params.insert("x'}, {".into(), "{% raw %}".into());
    }
    let summary = Summary::new(&records, None).unwrap();
    for test in judge(&records, &summary).unwrap().iter().flat_map(|claim| &claim.tests) {
        assert!(test.findings[0].value.is_none(), "{}", test.title);
    }
    assert_eq!(value("time('rc')", &records), 100.0);
    assert_eq!(value("most('time', except=['{{ 1 }}', 'rc'])", &records), 300.0);
    assert_eq!(value("time(\"a') + 1 + time('b\")", &records), 300.0);
}

#[test]
fn what_is_wrong_is_an_error_that_names_the_claim() {
    let why = |text: &str| {
        let why = Claims::read(text).unwrap_err().to_string();
        assert_eq!(why.lines().count(), 1, "{why}");
        why
    };
    for (expression, part) in [
        ("time('rc'", "syntax error"),
        ("tim('rc') / 2", "there is no 'tim'; there are: time, "),
        ("time", "cannot convert"),
        ("time('rc') + here", "there is no 'here'"),
        ("time('rc', 'gc')", "parameters are"),
        ("time('rc', {'x': [1]})", "parameters are"),
        ("time()", "missing argument"),
        ("time('rc', nursery='8KiB')", "too many arguments"),
        ("least('tim')", "there is no quantity 'tim'"),
        ("least('time', famly=['x'])", "famly"),
        ("least('time', over='nursery')", "'over' takes a backend"),
        ("min()", "at least one number"),
        ("'a'", ""),
        ("1 / 0", "unable"),
        ("range(10)", "there is no 'range'"),
    ] {
        let why = why(&claim(expression, "above = 1", "times"));
        assert!(why.starts_with("claim X1, 'one over another': "), "{why}");
        assert!(why.contains(part), "{expression}: {why}");
    }
    let good = claim("time('rc')", "above = 1", "times");
    assert!(Claims::read(&good).is_ok());
    for (from, to, part) in [
        ("id = 'X1'", "id = ''", "id is empty"),
        ("above = 1", "", "no value, or every value"),
        ("above = 1", "above = 2, at_most = 1", "no value, or every value"),
        ("above = 1", "above = 1, at_least = 1", "one lower and one upper"),
        ("above = 1", "abov = 1", "abov"),
        ("unit = 'times'\n", "", "has no unit"),
        ("command = 'rc-vs-gc'", "", "either the command that measures it, or"),
        ("command = ", "untestable = ", "a reason, and nothing else"),
        ("title", "titel", "titel"),
        ("[[claim.test]]", "[[claim", "line 5"),
    ] {
        let why = why(&good.replace(from, to));
        assert!(why.starts_with("claims, line ") && why.contains(part), "{to}: {why}");
    }
    assert_eq!(why(&format!("{good}{good}")), "claim X1: is there twice; give each its own id");
}

#[test]
fn an_expression_without_end_is_stopped() {
    let started = Instant::now();
    let long = format!("1{}", " + 1".repeat(20_000));
    let deep = format!("{}1{}", "(".repeat(20_000), ")".repeat(20_000));
    let nested = format!("{}1{}", "(".repeat(499), ")".repeat(499));
    let large = "('x' * 1000000000000) == 'y'".to_owned();
    let larger = "([1] * 1000000000) == 1".to_owned();
    let doubled = format!("time('x'{})", " * 99".repeat(190));
    for expression in [long, deep, nested, large, larger, doubled] {
        let read = Claims::read(&claim(&expression, "above = 1", "times"));
        assert!(matches!(read, Err(ClaimError::Expression { .. })), "{read:?}");
    }
    assert!(started.elapsed().as_secs() < 10);
}

#[test]
fn a_new_claim_is_text_alone() {
    let text = claim("100 * time('gc') / (time('gc') + time('rc'))", "at_most = 30", "%");
    let records = rounds(&[("gc", &[100; 6]), ("rc", &[300; 6])]);
    let claims = judged(&format!("{FILE}\n{text}"), &records).unwrap();
    assert_eq!(claims.len(), 19);
    let new = claims.last().unwrap();
    assert_eq!((new.id.as_str(), new.sentence.as_str()), ("X1", "One thing is another."));
    assert_eq!(new.tests[0].predicted, "at most 30 %");
    assert_eq!(new.tests[0].findings[0].measured, "25.0 % (95 %: 25.0)");
    assert_eq!(new.tests[0].findings[0].verdict, Verdict::Reproduced);
}

/// Four backends and two peers: another program is meant by its name, or where it is asked for.
#[test]
fn peers_are_meant_where_they_are_asked_for() {
    let mut records =
        rounds(&[("gc", &[20; 6]), ("rc", &[40; 6]), ("quick", &[10; 6]), ("ocaml", &[5; 6])]);
    for record in &mut records {
        record.capabilities.generational = ["gc", "ocaml"].contains(&record.backend.as_str());
        record.peer = ["quick", "ocaml"].contains(&record.backend.as_str()).then(Default::default);
    }
    assert_eq!(value("time('ocaml')", &records), 5.0);
    assert_eq!(value("least('time')", &records), 20.0);
    assert_eq!(value("least('time', peers=true)", &records), 5.0);
    assert_eq!(value("least('time', peers=true, generational=false)", &records), 10.0);
    assert_eq!(value("most('time', generational=true)", &records), 20.0);
    assert_eq!(value("least('time', generational=false)", &records), 40.0);
    assert_eq!(value("most('time', backend='quick')", &records), 10.0);
    assert_eq!(value("bound()", &records), 20.0);
}
