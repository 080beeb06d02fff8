//! The allocation studies: summarised by themselves, and shown beside n-queens, which stays what it is.

mod common;

use common::{small_study, studies, study_named};
use report::studies::{Both, View, split, views};
use report::table::{study_csv, study_markdown, study_table};
use report::{Record, Status, Summary, Verdict};

fn seen(records: &[Record]) -> Vec<View> {
    views(records, None).unwrap()
}

#[test]
fn views_come_in_order_each_with_its_own_baseline() {
    let mut records = studies();
    records.reverse();
    let views = seen(&records);
    let names = views.iter().map(|view| {
        let baseline = view.summary.baseline.as_deref().unwrap();
        format!("{} {} {} {}: {baseline}", view.study, view.n, view.workload, view.phase)
    });
    assert_eq!(
        names.collect::<Vec<_>>(),
        [
            "pointers 1 window object: box",
            "pointers 1000 window object: box",
            "burst 10000 vector insert: malloc",
            "burst 10000 vector erase: malloc",
            "burst 10000 vector destroy: malloc",
            "burst 10000 list insert: malloc",
            "burst 10000 list erase: malloc",
            "burst 10000 list destroy: malloc",
            "growth 1 int push: vec",
            "growth 1 class push: vec",
            "growth 64 int push: vec",
            "growth 64 class push: vec",
        ]
    );
    assert!(views.iter().all(|view| view.floor().is_some_and(|floor| floor < 0.03)));
}

/// By hand: split takes 29.4 ns, box 14.1, each within 1 % of it.
#[test]
fn times_are_of_one_operation() {
    let views = seen(&study_named("pointers"));
    let view = &views[0];
    let (split, base) = (view.find("split").unwrap(), view.find("box").unwrap());
    let ns = view.ns(split).unwrap();
    assert!((29.1..29.7).contains(&ns.value) && ns.low < ns.value && ns.value < ns.high, "{ns:?}");
    let (ratio, verdict) = view.compare(split, base).unwrap();
    assert!((2.04..2.13).contains(&ratio.value), "{ratio:?}");
    assert!(matches!(verdict, Verdict::Slower { .. }));
    assert_eq!(view.figure(split, "allocations_per_object"), Some(2.0));
    assert_eq!(view.figure(split, "capacity"), None);
    assert!(view.is_peer(view.find("ptr-std-make").unwrap()) && !view.is_peer(split));
}

/// One sample of a row does half as many operations, in half the time: nothing changes.
#[test]
fn a_sample_of_fewer_operations_counts_as_if_it_had_as_many() {
    let mut records = study_named("growth");
    let before = seen(&records);
    let half = records.iter_mut().filter(|record| record.backend == "copy");
    for phase in half.flat_map(|record| &mut record.study.as_mut().unwrap().phases) {
        phase.operations /= 2;
        phase.iterations_ns.iter_mut().for_each(|ns| *ns /= 2);
    }
    for (before, after) in before.iter().zip(&seen(&records)) {
        let ns = |view: &View| view.ns(view.find("copy").unwrap()).unwrap().value;
        assert!((ns(before) - ns(after)).abs() < 1e-3, "{} {}", ns(before), ns(after));
    }
}

#[test]
fn what_failed_is_shown_as_failed() {
    let mut records = study_named("burst");
    for record in records.iter_mut().filter(|record| record.backend == "pool") {
        record.status = Status::Crashed;
        record.message = Some("signal 11".into());
        record.study.as_mut().unwrap().phases.clear();
        record.iterations_ns.clear();
    }
    let views = seen(&records);
    assert_eq!(views.len(), 6);
    for view in &views {
        let row = view.labelled("pool").unwrap();
        assert_eq!((row.status, row.time_ns), (Status::Crashed, None));
        assert_eq!(view.figure(row, "node_bytes"), None);
    }
    let table = study_table(&views, 120);
    assert!(table.contains("\npool: crashed: signal 11\n"), "{table}");
    // Nothing but failures has a view too.
    records.retain(|record| record.backend == "pool");
    assert!(study_table(&seen(&records), 80).contains("pool: crashed: signal 11"));
}

#[test]
fn kinds_are_summarised_apart() {
    let queens = small_study();
    let both: Vec<Record> = studies().into_iter().chain(queens.clone()).collect();
    let (of_queens, of_studies) = split(&both);
    assert_eq!((&of_queens[..], of_studies.len()), (&queens[..], studies().len()));
    let told = Both::new(&both, None).unwrap();
    assert_eq!(told.summary, Summary::new(&queens, None).unwrap());
    assert_eq!(told.views, seen(&studies()));
    assert!(!told.only_studies());
    // A baseline of one kind leaves the other its own; `gc` is of both.
    let of = |name| {
        let told = Both::new(&both, Some(name)).unwrap();
        [Some(&told.summary), told.views.first().map(|view| &view.summary)]
            .map(|summary| summary.unwrap().baseline.clone().unwrap())
    };
    assert_eq!(of("stack"), ["stack", "box"]);
    assert_eq!(of("split"), ["gc", "split"]);
    assert_eq!(of("gc"), ["gc", "gc"]);
    let wrong = Both::new(&both, Some("nothing")).unwrap_err().to_string();
    assert!(wrong.contains("give one of: stack, "), "{wrong}");
    let only = studies();
    assert!(Both::new(&only, None).unwrap().only_studies());
    let wrong = Both::new(&only, Some("nothing")).unwrap_err().to_string();
    assert!(wrong.contains("box"), "{wrong}");
}

#[test]
fn tables_of_the_studies() {
    let views = seen(&studies());
    insta::assert_snapshot!("tables", study_table(&views, 160));
    insta::assert_snapshot!("tables_narrow", study_table(&views, 80));
    insta::assert_snapshot!("markdown", study_markdown(&views));
    for width in [80, 100, 120, 160] {
        let table = study_table(&views, width);
        let long = table.lines().find(|line| line.chars().count() > width.into());
        assert_eq!(long, None, "{width}");
        let lines = table.lines().filter(|line| line.starts_with("mimalloc "));
        assert_eq!(lines.count(), 6, "{width}: nothing is wrapped");
    }
    let csv = study_csv(&views);
    let mut reader = csv::Reader::from_reader(csv.as_bytes());
    let rows: usize = views.iter().map(|view| view.summary.rows.len()).sum();
    assert_eq!(reader.records().map(Result::unwrap).count(), rows);
    let line =
        csv.lines().find(|line| line.starts_with("growth,64,class,push,growth-v2,")).unwrap();
    assert!(line.contains(",C++,ok,640000,7,95 %,"), "{line}");
    assert!(line.contains("capacity=16384; expansions=12; new_blocks=1"), "{line}");
    assert_eq!(study_table(&[], 80) + &study_markdown(&[]), "");
}
