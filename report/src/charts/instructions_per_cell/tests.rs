use super::*;
use crate::charts::tests::{areas, assert_tidy, groups, texts};
use crate::charts::{NARROW_PX, Shape, WIDE_PX, drawn};
use crate::record::{Counters, Record};

/// One sample of 1000 cells in 100 µs with counts of instructions.
fn sample(backend: &str, n: u32, counts: &[(CounterSource, u64)]) -> Record {
    let counters = counts.iter().map(|&(source, instructions)| Counters {
        instructions: Some(instructions),
        branch_misses: (source == CounterSource::Callgrind).then_some(2500),
        ..Counters::none(source)
    });
    Record {
        backend: backend.to_owned(),
        family: "tracing".to_owned(),
        n,
        iterations_ns: vec![100_000],
        cells_allocated: Some(1000),
        counters: counters.collect(),
        ..Record::new()
    }
}

fn summary(records: &[Record]) -> Summary {
    Summary::new(records, None).unwrap()
}

use CounterSource::{Callgrind, Perf};

/// Each backend's bar: its left and right end.
fn bars(figure: &InstructionsPerCell, width_px: u32) -> Vec<(String, f64, f64)> {
    let groups = groups(&drawn(figure, width_px), "instructions:");
    let bar = |(name, shapes): (String, Vec<Shape>)| {
        let (_, _, left, right) = areas(&shapes)[0];
        (name, left, right)
    };
    groups.into_iter().map(bar).collect()
}

#[test]
fn bars_are_as_long_as_their_counts() {
    let summary = summary(&[
        sample("rc", 8, &[(Callgrind, 300_000)]),
        sample("gc", 8, &[(Callgrind, 100_000)]),
        sample("leak", 8, &[(Callgrind, 50_000)]),
    ]);
    let figure = InstructionsPerCell::new(&summary).unwrap();
    for width in [WIDE_PX, NARROW_PX] {
        let bars = bars(&figure, width);
        let names: Vec<&str> = bars.iter().map(|bar| bar.0.as_str()).collect();
        assert_eq!(names, ["leak", "gc", "rc"], "fewest first");
        let px_per_instruction = (bars[2].2 - bars[2].1) / 300.0;
        for (bar, count) in bars.iter().zip([50.0, 100.0, 300.0]) {
            assert!((bar.2 - bar.1 - count * px_per_instruction).abs() < 0.01, "{bar:?}");
        }
        let texts = texts(&figure, width);
        // 300 instructions and 100 ns, 2.5 mispredictions for each cell.
        for text in ["300", "3.00", "2.50", "per ns", "mispredicted"] {
            assert!(texts.iter().any(|other| other == text), "no {text} in {texts:?}");
        }
        assert!(texts.join(" ").contains("by callgrind"), "{texts:?}");
    }
}

#[test]
fn the_processor_comes_before_the_simulator() {
    let summary = summary(&[
        sample("rc", 8, &[(Callgrind, 150_000), (Perf, 300_000)]),
        sample("gc", 8, &[(Callgrind, 100_000)]),
        sample("arc", 8, &[]),
    ]);
    let figure = InstructionsPerCell::new(&summary).unwrap();
    let groups = groups(&drawn(&figure, WIDE_PX), "instructions:");
    let of = |name: &str| &groups.iter().find(|group| group.0 == name).unwrap().1;
    let mark = |name: &str| {
        of(name).iter().find_map(|shape| match shape {
            Shape::Path { points, .. } => Some(points[0].0),
            _ => None,
        })
    };
    let (_, _, left, right) = areas(of("rc"))[0];
    assert!((mark("rc").unwrap() - (left + right) / 2.0).abs() < 0.01, "half of the bar");
    assert!(areas(of("gc")).is_empty() && mark("gc").is_some());
    assert!(mark("arc").is_none());
    let texts = texts(&figure, WIDE_PX).join("\n");
    assert!(texts.contains("100 (callgrind)") && texts.contains("not counted"), "{texts}");
    assert!(texts.contains("(perf); upright mark"), "{texts}");
}

#[test]
fn the_size_that_most_were_counted_at_is_shown() {
    let one = (Callgrind, 100_000);
    let records = [sample("rc", 8, &[one]), sample("gc", 8, &[one]), sample("gc", 9, &[one])];
    assert_eq!(InstructionsPerCell::new(&summary(&records)).unwrap().n, 8);
    let records = [sample("rc", 8, &[one]), sample("rc", 9, &[one])];
    assert_eq!(InstructionsPerCell::new(&summary(&records)).unwrap().n, 9);
}

#[test]
fn without_counts_there_is_nothing_to_draw() {
    assert!(InstructionsPerCell::new(&Summary::default()).is_none());
    assert!(InstructionsPerCell::new(&summary(&[sample("gc", 8, &[])])).is_none());
    assert!(InstructionsPerCell::new(&summary(&[sample("gc", 8, &[(Perf, 0)])])).is_none());
    let failed = Record { status: Status::Leaked, ..sample("gc", 8, &[(Perf, 7)]) };
    assert!(InstructionsPerCell::new(&summary(&[failed])).is_none());
}

#[test]
fn hostile_names_and_counts_stay_on_the_paper() {
    let names =
        ["<script>alert(1)</script>".repeat(9), "W".repeat(300), "\u{202e}\n\"'&".repeat(30)];
    let counts = [(Callgrind, u64::MAX), (Perf, 1)];
    let records: Vec<Record> = names.iter().map(|name| sample(name, 8, &counts)).collect();
    assert_tidy(&InstructionsPerCell::new(&summary(&records)).unwrap(), "hostile");
}
