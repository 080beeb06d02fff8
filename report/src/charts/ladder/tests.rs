use super::*;
use crate::charts::tests::{areas, assert_tidy, groups, texts};
use crate::charts::{NARROW_PX, Rgb, Shape, WIDE_PX, drawn};
use crate::explain::explain;
use crate::record::{Record, Status};

/// Rounds of backends that take so many nanoseconds per cell; `gc` was entered twice, 2 % apart.
fn records(backends: &[(&str, f64)], rounds: u32) -> Vec<Record> {
    let sample = |backend: &str, round, ns_per_cell: f64, control| Record {
        backend: backend.to_owned(),
        n: 8,
        round,
        control,
        iterations_ns: vec![(ns_per_cell * 1e6) as u64 + u64::from(round)],
        cells_allocated: Some(1_000_000),
        ..Record::new()
    };
    let mut all = Vec::new();
    for round in 0..rounds {
        all.extend(backends.iter().map(|&(name, ns)| sample(name, round, ns, false)));
        all.extend(
            [(5.0, false), (5.1, true)].map(|(ns, control)| sample("gc", round, ns, control)),
        );
    }
    all
}

fn explained(records: &[Record]) -> Vec<Explanation> {
    explain(records, &[]).into_iter().map(Result::unwrap).collect()
}

/// Each bar with its colour, and its left and right end.
fn bars(explained: &[Explanation], width_px: u32) -> Vec<(String, Rgb, f64, f64)> {
    let figure = Waterfall::new(explained).unwrap();
    let groups = groups(&drawn(&figure, width_px), "step:");
    let bar = |(name, shapes): (String, Vec<Shape>)| {
        let (_, colour, left, right) = areas(&shapes)[0];
        (name, colour, left, right)
    };
    groups.into_iter().map(bar).collect()
}

#[test]
fn bars_are_as_long_as_their_times_and_savings_go_left() {
    let explained = explained(&records(&[("leak", 10.0), ("stack", 6.0), ("malloc", 18.0)], 6));
    for width in [WIDE_PX, NARROW_PX] {
        let bars = bars(&explained, width);
        let names: Vec<&str> = bars.iter().map(|bar| bar.0.as_str()).collect();
        assert_eq!(names, ["leak", "stack", "malloc", "malloc"]);
        let colours: Vec<Rgb> = bars.iter().map(|bar| bar.1).collect();
        assert_eq!(colours, [WHOLE, SAVES, COSTS, WHOLE]);
        let px_per_ns = (bars[0].3 - bars[0].2) / 10.0;
        for ((_, _, left, right), (from, to)) in
            bars.iter().zip([(0.0, 10.0), (6.0, 10.0), (6.0, 18.0), (0.0, 18.0)])
        {
            let zero = bars[0].2;
            assert!((left - zero - from * px_per_ns).abs() < 0.01, "{left} is not at {from} ns");
            assert!((right - zero - to * px_per_ns).abs() < 0.01, "{right} is not at {to} ns");
        }
    }
}

#[test]
fn whiskers_lie_where_the_interval_does() {
    let mut records = records(&[("leak", 10.0), ("stack", 6.0)], 7);
    let stacks = records.iter_mut().filter(|record| record.backend == "stack");
    stacks.for_each(|record| record.iterations_ns[0] += u64::from(record.round) * 500_000);
    let explained = explained(&records);
    let (low, high) = explained[0].ladders[0].steps[0].ns_per_cell.interval().unwrap();
    assert!(high - low > 1.0);
    let figure = Waterfall::new(&explained).unwrap();
    let groups = groups(&drawn(&figure, WIDE_PX), "step:");
    let px_per_ns = areas(&groups[0].1).first().map(|bar| (bar.3 - bar.2) / 10.0).unwrap();
    let Some(Shape::Path { points, .. }) =
        groups[1].1.iter().find(|shape| matches!(shape, Shape::Path { .. }))
    else {
        panic!("no whisker");
    };
    let start = areas(&groups[0].1)[0].3;
    for (point, end) in points.iter().zip([low, high]) {
        assert!((point.0 - start - end * px_per_ns).abs() < 0.01, "{point:?} is not at {end}");
    }
}

#[test]
fn what_is_no_difference_is_pale_and_called_so() {
    let explained = explained(&records(&[("rc-split", 20.0), ("arc-split", 20.1)], 6));
    let bars = bars(&explained, WIDE_PX);
    assert_eq!(bars[1].1, tint(COSTS, 0.65));
    for width in [WIDE_PX, NARROW_PX] {
        let texts = texts(&Waterfall::new(&explained).unwrap(), width).join("\n");
        assert!(texts.contains("+0.100 ns"), "{texts}");
        assert!(texts.contains("no difference"), "{texts}");
    }
}

#[test]
fn rungs_that_are_not_there_are_named() {
    let mut records = records(&[("stack", 6.0), ("malloc", 18.0), ("rc", 20.0)], 6);
    records.iter_mut().filter(|record| record.backend == "malloc").for_each(|record| {
        record.status = Status::OutOfMemory;
        record.message = Some("heap limit reached".to_owned());
    });
    let explained = explained(&records);
    let texts = texts(&Waterfall::new(&explained).unwrap(), WIDE_PX).join("\n");
    assert!(texts.contains("bridges malloc (out of memory), fused (not measured)"), "{texts}");
    assert!(texts.contains("Beyond its ends: leak (not measured), rc-value"), "{texts}");
}

#[test]
fn medians_that_do_not_add_up_are_told() {
    let caption = |records: &[Record]| Waterfall::new(&explained(records)).unwrap().caption();
    let mut records = records(&[("leak", 10.0), ("stack", 6.0), ("malloc", 18.0)], 6);
    assert!(!caption(&records).contains("add up"));
    // Each in the middle of its own rounds, but mostly one step behind the next.
    for record in &mut records {
        let shift = match record.backend.as_str() {
            "leak" => 0,
            "stack" => 1,
            _ => 2,
        };
        record.iterations_ns[0] += 2_000_000 * u64::from((record.round + shift) % 3);
    }
    assert!(caption(&records).contains("do not add up exactly"), "{}", caption(&records));
}

#[test]
fn one_round_has_no_whiskers() {
    let explained = explained(&records(&[("leak", 10.0), ("stack", 6.0)], 1));
    let texts = texts(&Waterfall::new(&explained).unwrap(), WIDE_PX).join("\n");
    assert!(texts.contains("-4.00 ns, too few rounds"), "{texts}");
    assert!(!texts.contains("whiskers"), "{texts}");
}

#[test]
fn without_rungs_there_is_no_ladder() {
    assert!(Waterfall::new(&[]).is_none());
    assert!(Waterfall::new(&explained(&records(&[("bespoke", 3.0)], 6))).is_none());
}

#[test]
fn hostile_names_and_times_stay_on_the_paper() {
    let backends: Vec<(&str, f64)> = ["leak", "stack", "malloc", "fused", "rc"]
        .into_iter()
        .zip([3.0, 0.001, 9e6, 1.0, 8e6])
        .collect();
    let mut records = records(&backends, 7);
    for (i, record) in records.iter_mut().enumerate() {
        record.params = [("<b>'\"".repeat(40), "W".repeat(300))].into();
        record.iterations_ns[0] += (i as u64 * 7919) % 3_000_000;
        record.machine.processor = "W".repeat(200);
        record.machine.id = Some((i % 2).to_string());
    }
    let other = records.iter().cloned().map(|mut record| {
        record.machine.processor = "another <processor> ".repeat(20);
        record.params.insert("other".into(), "value".into());
        record
    });
    let records: Vec<Record> = records.iter().cloned().chain(other).collect();
    let explained: Vec<Explanation> = explain(&records, &[]).into_iter().flatten().collect();
    assert!(explained.len() > 1);
    assert_tidy(&Waterfall::new(&explained).unwrap(), "hostile");
}

#[test]
fn differences_with_signs() {
    let said = |value, low, high, samples| signed(&Estimate { value, low, high, samples });
    assert_eq!(said(5.2, 5.0, 5.4, 9), "+5.20 ns (5.00-5.40)");
    assert_eq!(said(-5.2, -5.4, -5.0, 9), "-5.20 ns (-5.40 to -5.00)");
    assert_eq!(said(0.001, -0.2, 0.3, 3), "+0.001 ns [-0.200 to +0.300]");
    assert_eq!(said(-0.0, -12.0, 12.0, 9), "0.0 ns (-12.0 to +12.0)");
    assert_eq!(said(16.0, 16.0, 16.0, 1), "+16.0 ns");
}
