//! Grouping, labels, order, ratios and the noise floor.

mod common;

use common::sample;
use report::{Record, Status, Summary, Verdict};
use std::collections::BTreeSet;

fn with_param(mut record: Record, name: &str, value: &str) -> Record {
    record.params.insert(name.into(), value.into());
    record
}

fn labels(summary: &Summary) -> Vec<&str> {
    summary.groups.iter().map(|group| group.label.as_str()).collect()
}

#[test]
fn labels_name_only_the_parameters_that_differ() {
    let gc = |nursery| {
        with_param(with_param(sample("gc", 8, 0, 100), "nursery", nursery), "growth", "2")
    };
    let records = [
        gc("64KiB"),
        gc("1MiB"),
        with_param(sample("rc", 8, 0, 900), "growth", "3"),
        sample("malloc", 8, 0, 800),
        Record { threads: 4, ..sample("malloc", 8, 0, 300) },
    ];
    let summary = Summary::new(&records, None).unwrap();
    assert_eq!(
        labels(&summary),
        ["gc{nursery=1MiB}", "gc{nursery=64KiB}", "malloc{threads=4}", "malloc{threads=1}", "rc"]
    );
    let summary = Summary::new(&records, Some("gc{nursery=64KiB}")).unwrap();
    assert_eq!(summary.baseline.as_deref(), Some("gc{nursery=64KiB}"));
}

#[test]
fn groups_are_in_order_of_the_largest_n_and_rows_by_time_with_failures_last() {
    let failed = Record {
        status: Status::OutOfMemory,
        message: Some("limit".into()),
        ..sample("leak", 9, 0, 1)
    };
    let records = [
        sample("slow", 9, 0, 900),
        sample("slow", 8, 0, 1),
        sample("fast", 9, 0, 100),
        sample("fast", 8, 0, 50),
        sample("leak", 8, 0, 10),
        failed,
    ];
    let summary = Summary::new(&records, None).unwrap();
    let rows: Vec<_> =
        summary.rows.iter().map(|row| (row.n, row.label.as_str(), row.status.words())).collect();
    assert_eq!(
        rows,
        [
            (8, "slow", "ok"),
            (8, "leak", "ok"),
            (8, "fast", "ok"),
            (9, "fast", "ok"),
            (9, "slow", "ok"),
            (9, "leak", "out of memory"),
        ]
    );
    assert_eq!(
        (summary.rows[5].time_ns, summary.rows[5].message.as_deref()),
        (None, Some("limit"))
    );
    assert_eq!(summary.baseline.as_deref(), Some("fast"));
}

#[test]
fn runs_with_the_same_seed_are_not_paired() {
    let run = |backend: &'static str, times: [u64; 6]| {
        let command = format!("rc-vs-gc --backend {backend} --seed 42");
        (0..).zip(times).map(move |(round, ns)| Record {
            command: command.clone(),
            ..sample(backend, 8, round, ns)
        })
    };
    let apart: Vec<Record> = run("gc", [100; 6]).chain(run("rc", [300; 6])).collect();
    let summary = Summary::new(&apart, Some("gc")).unwrap();
    assert!(summary.rows.iter().all(|row| row.time_ns.is_some_and(|time| time.samples == 6)));
    let rc = summary.rows.iter().find(|row| row.label == "rc").unwrap();
    assert_eq!(rc.ratio, None, "they never were in one round");
    let together: Vec<Record> =
        apart.into_iter().map(|record| Record { command: "both".into(), ..record }).collect();
    let summary = Summary::new(&together, Some("gc")).unwrap();
    let rc = summary.rows.iter().find(|row| row.label == "rc").unwrap();
    assert_eq!(rc.ratio.map(|ratio| ratio.samples), Some(6));
}

#[test]
fn one_wrong_sample_fails_its_row() {
    let wrong = Record { status: Status::WrongAnswer, ..sample("gc", 8, 1, 100) };
    let pauses = Some(report::Pauses { count: 1, max_ns: 9, ..Default::default() });
    let right = Record { pauses, ..sample("gc", 8, 0, 100) };
    let timed = Summary::new(std::slice::from_ref(&right), None).unwrap();
    assert_eq!(timed.rows[0].pauses.as_ref().map(|pauses| pauses.max_ns), Some(9));
    let summary = Summary::new(&[right, wrong], None).unwrap();
    assert_eq!((summary.rows[0].status, summary.rows[0].time_ns), (Status::WrongAnswer, None));
    assert_eq!(summary.rows[0].pauses, None);
    assert_eq!(summary.baseline, None);
}

#[test]
fn ratios_are_paired_by_round_and_controls_are_the_noise_floor() {
    let mut records = Vec::new();
    for round in 0..6 {
        // The machine slows down from round to round: unpaired ratios would have wide intervals.
        let ns = 1000 << round;
        records.push(sample("gc", 8, round, ns));
        records.push(sample("rc", 8, round, 3 * ns));
        records.push(Record { control: true, ..sample("gc", 8, round, ns + ns / 100) });
        records.push(Record {
            counted: true,
            cells_filtered: Some(7),
            ..sample("gc", 8, round, 1)
        });
    }
    let summary = Summary::new(&records, None).unwrap();
    let [gc, rc] = &summary.rows[..] else { panic!("two rows") };
    let ratio = rc.ratio.unwrap();
    assert!(
        (ratio.low - 3.0).abs() < 1e-9 && (ratio.high - 3.0).abs() < 1e-9 && ratio.samples == 6
    );
    assert!(summary.is_baseline(gc) && gc.samples_ns.len() == 6 && gc.cells_filtered == Some(7));
    assert!((summary.noise_of(gc).unwrap().fraction() - 0.01).abs() < 1e-9);
    let other = Summary::new(&records, Some("rc")).unwrap();
    assert!((other.rows[0].ratio.unwrap().value - 1.0 / 3.0).abs() < 1e-9);
}

/// Seven rounds of `gc` and `rc`, the latter so many times slower.
fn run(times: u64, change: impl Fn(&mut Record)) -> Vec<Record> {
    let mut records = Vec::new();
    for round in 0..7 {
        records.push(sample("gc", 8, round, 1000 + u64::from(round)));
        records.push(sample("rc", 8, round, times * 1000));
    }
    records.iter_mut().for_each(change);
    records
}

#[test]
fn programs_commits_and_machines_are_kept_apart() {
    type Change = (&'static str, &'static str, fn(&mut Record));
    let changes: [Change; 5] = [
        ("[nqueens 0.1.0]", "[nqueens 0.2.0]", |r| r.program = "nqueens 0.2.0".into()),
        ("[0123abc]", "[9876]", |r| r.commit = "9876".into()),
        ("[0123abc]", "[0123abc-dirty]", |r| r.dirty = Some(true)),
        ("[machine 1]", "[machine 2]", |r| r.machine.processor = "Another".into()),
        ("[machine 1]", "[machine 2]", |r| r.machine.id = Some("77".into())),
    ];
    for (mine, other, change) in changes {
        let mut records = run(2, |_| ());
        records.extend(run(3, change));
        let summary = Summary::new(&records, None).unwrap();
        assert_eq!((summary.rows.len(), summary.origins.len()), (4, 2));
        let names: BTreeSet<&str> = labels(&summary).into_iter().collect();
        let expected = [mine, other].map(|name| [format!("gc {name}"), format!("rc {name}")]);
        assert_eq!(names, expected.iter().flatten().map(String::as_str).collect());
        // Each is compared with the baseline of its own origin, and no other.
        let ratios: Vec<f64> = summary
            .rows
            .iter()
            .filter(|row| !summary.is_baseline(row))
            .map(|row| row.ratio.unwrap().value.round())
            .collect();
        assert!(ratios == [2.0, 3.0] || ratios == [3.0, 2.0], "{ratios:?}");
        let across = summary.rows.iter().find(|row| {
            let origin = |row| summary.group_of(row).origin;
            origin(row) != origin(&summary.rows[0])
        });
        assert_eq!(summary.ratio(across.unwrap(), &summary.rows[0]), None);
        // Any of the names does for a baseline.
        for baseline in ["rc", expected[1][1].as_str()] {
            let summary = Summary::new(&records, Some(baseline)).unwrap();
            assert_eq!(summary.baseline.as_deref(), Some("rc"));
            assert_eq!(summary.rows.iter().filter(|row| summary.is_baseline(row)).count(), 2);
        }
    }
}

#[test]
fn load_and_governor_do_not_make_another_machine() {
    let mut records = run(2, |_| ());
    records.extend(run(2, |r| {
        r.round += 7;
        r.machine.load_1min = Some(0.3);
        r.machine.governor = Some("performance".into());
    }));
    let summary = Summary::new(&records, None).unwrap();
    assert_eq!((labels(&summary), summary.rows[1].samples_ns.len()), (vec!["gc", "rc"], 14));
}

#[test]
fn verdicts_go_by_the_noise_of_their_own_size() {
    let records = common::small_study();
    let summary = Summary::new(&records, None).unwrap();
    let words = |n: u32, label: &str| {
        let row = summary.rows_at(n).find(|row| row.label == label).unwrap();
        summary.verdict(row).map(|verdict| verdict.words())
    };
    assert_eq!(words(8, "gc"), None);
    // 1.6 and 1.8 %, the noise floor being 1.8 % at both, before rounding 1.84 and 1.77 %.
    let none = "no difference above the noise floor of 1.8 %";
    assert_eq!(words(8, "stack").as_deref(), Some(none));
    assert_eq!(words(9, "stack").as_deref(), Some("1.01 to 1.03 times faster (95 %)"));
    assert!(words(9, "arc-split").unwrap().ends_with("times slower (95 %)"));
    let mean = &summary.overall.iter().find(|o| summary.groups[o.group].label == "rc").unwrap();
    assert!(
        mean.sizes == [8, 9] && matches!(mean.verdict, Verdict::Slower { low, .. } if low > 3.0)
    );
}

#[test]
fn rows_tell_pauses_events_and_outliers() {
    let mut records = common::small_study();
    // The first round has no counts, nor an instance that times pauses.
    for record in records.iter_mut().filter(|record| record.round == 0) {
        record.counters[0].unavailable = Some("not found".into());
        record.counters[0].instructions = None;
        record.pauses = None;
    }
    let summary = Summary::new(&records, None).unwrap();
    let rc = summary.rows_at(9).find(|row| row.label == "rc").unwrap();
    let pauses = rc.pauses.as_ref().unwrap();
    // Medians of rounds 1 to 6, also of the longest pause and the least utilisation.
    assert_eq!((pauses.p50_ns, pauses.max_ns, pauses.mmu.len()), (1_803, 9_300, 2));
    assert!((pauses.mmu[0].utilisation - 0.865).abs() < 1e-9);
    let [callgrind, perf] = &rc.events[..] else { panic!("two sources") };
    assert_eq!(callgrind.instructions_per_cell, Some(14.0));
    assert!(perf.counters.unavailable.is_some() && perf.instructions_per_cell.is_none());
    assert_eq!((rc.outliers, rc.samples_ns.len()), (1, 7));
    assert!(rc.spread.unwrap() < 0.02);
}

#[test]
fn an_unknown_baseline_is_named() {
    let error = Summary::new(&[sample("gc", 8, 0, 1)], Some("cg")).unwrap_err().to_string();
    assert_eq!(error, "no backend 'cg' in these records to compare with; give one of: gc");
}

#[test]
fn a_baseline_may_be_named_as_the_records_name_it() {
    let raw = "g\u{1b}c";
    let records = [sample(raw, 8, 0, 2), sample("rc", 8, 0, 1)];
    for name in [raw, "g\u{FFFD}c"] {
        let summary = Summary::new(&records, Some(name)).unwrap();
        assert_eq!(summary.baseline.as_deref(), Some("g\u{FFFD}c"));
    }
}

#[test]
fn a_full_study_is_summarised_quickly() {
    let start = std::time::Instant::now();
    Summary::new(&common::study(), None).unwrap();
    // Far above what it takes even without optimisation, far below what would annoy.
    assert!(start.elapsed().as_secs() < 20);
}
