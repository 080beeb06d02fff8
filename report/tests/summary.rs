//! Grouping, labels, order, ratios and the noise floor.

mod common;

use common::sample;
use report::{Record, Status, Summary};

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
fn the_order_is_by_time_at_the_largest_n_and_failures_come_last() {
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
            (8, "fast", "ok"),
            (8, "slow", "ok"),
            (8, "leak", "ok"),
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
fn one_wrong_sample_fails_its_row() {
    let wrong = Record { status: Status::WrongAnswer, ..sample("gc", 8, 1, 100) };
    let summary = Summary::new(&[sample("gc", 8, 0, 100), wrong], None).unwrap();
    assert_eq!((summary.rows[0].status, summary.rows[0].time_ns), (Status::WrongAnswer, None));
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
    assert!((summary.noise_at(8).unwrap().fraction() - 0.01).abs() < 1e-9);
    let other = Summary::new(&records, Some("rc")).unwrap();
    assert!((other.rows[0].ratio.unwrap().value - 1.0 / 3.0).abs() < 1e-9);
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
