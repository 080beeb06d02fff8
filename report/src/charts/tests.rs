//! What every chart must keep: texts apart from each other and inside the paper.

use super::*;
use crate::explain::explain;
use crate::record::{CounterSource, Counters, LiveCells, Mmu, Pauses, Record, Status};
use crate::studies::Both;

const RUNGS: [&str; 16] = [
    "leak",
    "stack",
    "malloc",
    "fused",
    "rc",
    "rc-value",
    "rc-split",
    "arc-split",
    "region",
    "region-sweep",
    "region-runs",
    "mark-region",
    "gc",
    "region-local",
    "mark-sweep",
    "shadow-stack",
];

/// Twenty-six backends, those of the ladder first, whose times, sizes, pauses and cells held lie `ratio` apart from one to
/// the next; six rounds, `gc` entered twice.
fn crowded(ratio: f64, sizes: std::ops::RangeInclusive<u32>) -> Vec<Record> {
    let others = ('a'..='j').map(|letter| format!("backend-{letter}"));
    let names = RUNGS.iter().map(|&name| name.to_owned()).chain(others);
    names
        .enumerate()
        .flat_map(|(i, name)| sizes.clone().map(move |n| (i, name.clone(), n)))
        .flat_map(|(i, name, n)| (0..12).map(move |round| (i, name.clone(), n, round)))
        .filter(|(i, _, _, round)| *round < 6 || *i == 12)
        .map(|(i, name, n, round)| {
            let value = (1e6 * ratio.powi(i as i32) * f64::from(n)) as u64;
            let counts = |source| Counters { instructions: Some(value), ..Counters::none(source) };
            let mut record = Record {
                backend: name,
                family: ["reference counting", "tracing", "none", "region"][i % 4].to_owned(),
                n,
                round: round % 6,
                control: round >= 6,
                iterations_ns: vec![value + u64::from(round % 7) * (value / 50)],
                cells_allocated: Some(10_000 * u64::from(n).min(1000)),
                heap_peak_bytes: Some(value),
                rss_peak_bytes: Some(3 * value),
                pauses: Some(pauses(value, 10u64.pow(i as u32 % 8))),
                live_cells: (1..=200).map(|k| held(k, value)).collect(),
                counters: vec![counts(CounterSource::Callgrind), counts(CounterSource::Perf)],
                ..Record::new()
            };
            record.capabilities.problem_specific = i % 5 == 0;
            if i == 7 && n == 9 {
                record.status = Status::OutOfMemory;
            }
            record
        })
        .collect()
}

/// So many pauses whose median is this long.
fn pauses(p50_ns: u64, count: u64) -> Pauses {
    let share = |window_ns: u64| 1.0 - (p50_ns as f64 / window_ns as f64).min(1.0);
    let mmu = |window_ns| Mmu { window_ns, utilisation: share(window_ns) };
    let curve = [50.0, 90.0, 99.0, 99.9, 99.99, 99.999];
    Pauses {
        count,
        p50_ns,
        max_ns: 8 * p50_ns,
        run_ns: 200_000_000,
        clock_ns: 20 + count % 3,
        mmu: [10_000, 1_000_000, 100_000_000].map(mmu).into(),
        percentiles: curve.into_iter().zip(2..).map(|(p, k)| (p, k * p50_ns)).collect(),
        ..Pauses::default()
    }
}

/// The k-th point of a sawtooth of this size.
fn held(k: u64, cells: u64) -> LiveCells {
    LiveCells { allocated: k * 8192, live: cells / 8 * (1 + k % 8) }
}

/// Sweeps beside it, of backends with long names: of two parameters, of heap limits in multiples and
/// in bytes with many that are not enough, and of threads.
fn crowded_sweeps(ratio: f64) -> Vec<Record> {
    let backends = ('a'..='h').map(|letter| format!("collector-of-a-long-name-{letter}"));
    let mut records = Vec::new();
    for (i, backend) in backends.enumerate() {
        let base = |run: &str, step: u32, params: &[(&str, &str)]| {
            let ns = 1e6 * ratio.powi(i as i32) * (1.0 + f64::from(step) / 7.0);
            let ms = (ns / 1e6).ceil() as u64;
            let mut record = made_up::sample(run, &backend, params, 9, ms);
            record.iterations_ns = vec![ns as u64];
            record.machine.l1d_bytes = Some(32 << 10);
            record.machine.l3_bytes = Some(32 << 20);
            record.heap_peak_bytes = Some(ns as u64);
            record
        };
        let plain = [("nursery", "256KiB"), ("growth", "2.0"), ("heap-limit", "8GiB")];
        records.push(base("study", 0, &plain));
        for step in 0..11 {
            let (nursery, limit) = (format!("{}KiB", 8 << step), format!("{}KiB", 64 << step));
            let (growth, multiple) = (format!("1.{step}"), format!("{}x", 1 << step));
            records.push(base("nursery", step, &[("nursery", &nursery), plain[1], plain[2]]));
            records.push(base("growth", step, &[plain[0], ("growth", &growth), plain[2]]));
            let limited =
                [plain[0], plain[1], ("heap-limit", &*limit), ("heap-multiple", &*multiple)];
            for (run, params) in [("bytes", &limited[..3]), ("multiples", &limited)] {
                let mut record = base(run, 11 - step, params);
                if step < i as u32 {
                    record.status = Status::OutOfMemory;
                }
                records.push(record);
            }
            records.push(Record { threads: step + 1, ..base("threads", 11 - step, &plain) });
        }
    }
    records
}

/// Left, top, right and bottom of each text.
fn boxes(canvas: &Canvas) -> Vec<(String, [f64; 4])> {
    boxes_of(canvas.shapes())
}

fn boxes_of(shapes: &[Shape]) -> Vec<(String, [f64; 4])> {
    let texts = shapes.iter().flat_map(|shape| match shape {
        Shape::Text { at: (x, y), text, em_px, anchor, .. } => {
            let width = font::width_px(text, *em_px);
            let left = x - width * anchor.share();
            vec![(text.clone(), [left, y - em_px / 2.0, left + width, y + em_px / 2.0])]
        }
        Shape::Marked { shapes, .. } => boxes_of(shapes),
        _ => Vec::new(),
    });
    texts.filter(|(text, _)| !text.is_empty()).collect()
}

/// Fails where a text of the figure touches another or leaves the paper, in either layout.
pub(super) fn assert_tidy(figure: &dyn Figure, of: &str) {
    for width in [WIDE_PX, NARROW_PX] {
        let height = figure.height_px(width);
        let texts = boxes(&drawn(figure, width));
        for (i, (text, [left, top, right, bottom])) in texts.iter().enumerate() {
            let place = format!("{} {width}, {of}: '{text}'", figure.file_stem());
            assert!(*left >= 0.0 && *right <= f64::from(width), "{place} leaves sideways");
            assert!(
                *top >= 0.0 && *bottom <= f64::from(height),
                "{place} leaves upwards or downwards"
            );
            for (other, [l, t, r, b]) in &texts[..i] {
                let apart = right <= l || r <= left || bottom <= t || b <= top;
                assert!(apart, "{place} touches '{other}'");
            }
        }
    }
}

/// The groups whose mark begins so: the rest of its name, and what it holds.
pub(super) fn groups(canvas: &Canvas, prefix: &str) -> Vec<(String, Vec<Shape>)> {
    let groups = canvas.shapes().iter().filter_map(|shape| match shape {
        Shape::Marked { mark, shapes } => {
            Some((mark.name.strip_prefix(prefix)?.to_owned(), shapes.clone()))
        }
        _ => None,
    });
    groups.collect()
}

/// The filled shapes among these that are not paper, with their left and right ends.
pub(super) fn areas(shapes: &[Shape]) -> Vec<(usize, Rgb, f64, f64)> {
    let areas = shapes.iter().filter_map(|shape| match shape {
        Shape::Area { points, colour } if *colour != colour::PAPER => {
            let xs = || points.iter().map(|point| point.0);
            let (left, right) = (xs().fold(f64::INFINITY, f64::min), xs().fold(0.0, f64::max));
            Some((points.len(), *colour, left, right))
        }
        _ => None,
    });
    areas.collect()
}

/// All texts of a figure, in the order in which they are drawn.
pub(super) fn texts(figure: &dyn Figure, width_px: u32) -> Vec<String> {
    boxes(&drawn(figure, width_px)).into_iter().map(|(text, _)| text).collect()
}

#[test]
fn no_text_touches_another_or_leaves_the_paper() {
    for ratio in [1.0, 1.01, 1.3, 2.0] {
        for sizes in [9..=9, 6..=9] {
            let mut records = crowded(ratio, sizes.clone());
            let explained: Vec<Explanation> =
                explain(&records, &[]).into_iter().map(Result::unwrap).collect();
            let swept = sizes.clone().count() == 1 && ratio != 1.01;
            records.extend(if swept { crowded_sweeps(ratio) } else { Vec::new() });
            let both = Both::new(&records, None).unwrap();
            let mut figures = figures(&both.summary, &explained);
            figures.extend(figures_of_threads(&both.threads).into_iter().flatten());
            let stems: Vec<String> = figures.iter().map(|figure| figure.file_stem()).collect();
            let mut expected = vec![
                "time-per-backend",
                "ladder",
                "instructions-per-cell",
                "noise",
                "memory-per-backend",
                "time-against-memory",
                "pause-lengths",
                "utilisation",
                "live-cells",
            ];
            expected.extend((sizes.clone().count() > 1).then_some("time-against-n"));
            let sweeps = [
                "time-against-heap-limit",
                "time-against-heap-limit-bytes",
                "time-against-threads",
                "sweep-nursery",
                "sweep-growth",
            ];
            expected.extend(sweeps.iter().filter(|_| swept));
            for stem in expected {
                assert!(stems.iter().any(|other| other == stem), "{stem} is not of {stems:?}");
            }
            for figure in &figures {
                assert_tidy(figure.as_ref(), &format!("ratio {ratio}"));
            }
        }
    }
}

#[test]
fn sizes_far_apart_are_drawn_all_the_same() {
    let records = [0, u32::MAX].map(|n| crowded(1.1, n..=n));
    let summary = Summary::new(&records.concat(), None).unwrap();
    let texts = figures(&summary, &[])
        .iter()
        .map(|figure| boxes(&drawn(figure.as_ref(), WIDE_PX)).len())
        .max();
    assert!(texts.is_some_and(|texts| texts < 300), "{texts:?}");
}

#[test]
fn without_data_there_is_nothing_to_draw() {
    assert!(figures(&Summary::default(), &[]).is_empty());
}

#[test]
fn few_rounds_have_ranges_not_intervals() {
    let rounds = |count: u32| (0..count).map(|round| (round, "a"));
    let said = |samples: Vec<(u32, &str)>| {
        let of = |(round, name): (u32, &str)| Record {
            backend: name.to_owned(),
            n: 8,
            round,
            iterations_ns: vec![1_000_000 + u64::from(round)],
            ..Record::new()
        };
        let records: Vec<Record> = samples.into_iter().map(of).collect();
        let summary = Summary::new(&records, None).unwrap();
        let figures = figures(&summary, &[]);
        let figure = figures.iter().find(|figure| figure.file_stem() == "time-per-backend");
        let figure = figure.unwrap();
        let texts = boxes(&drawn(figure.as_ref(), WIDE_PX)).into_iter().map(|(text, _)| text);
        texts.collect::<Vec<_>>().join("\n") + &figure.caption()
    };
    let few = said(rounds(5).collect());
    assert!(few.contains("whiskers: range;") && !few.contains("95 %"), "{few}");
    let enough = said(rounds(6).collect());
    assert!(enough.contains("95 % interval;") && !enough.contains("range"), "{enough}");
    let both = said(rounds(6).chain([(0, "b"), (1, "b")]).collect());
    assert!(both.contains("95 % interval, or range"), "{both}");
}
