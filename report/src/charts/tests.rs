//! What every chart must keep: texts apart from each other and inside the paper.

use super::*;
use crate::record::{LiveCells, Mmu, Pauses, Record, Status};

/// Twenty-six backends whose times, sizes, pauses and cells held lie `ratio` apart from one to the next.
fn crowded(ratio: f64, sizes: std::ops::RangeInclusive<u32>) -> Vec<Record> {
    let names = ('a'..='z').map(|letter| format!("backend-{letter}"));
    names
        .enumerate()
        .flat_map(|(i, name)| sizes.clone().map(move |n| (i, name.clone(), n)))
        .map(|(i, name, n)| {
            let value = (1e6 * ratio.powi(i as i32) * f64::from(n)) as u64;
            let mut record = Record {
                backend: name,
                n,
                iterations_ns: vec![value],
                heap_peak_bytes: Some(value),
                rss_peak_bytes: Some(3 * value),
                pauses: Some(pauses(value, 10u64.pow(i as u32 % 8))),
                live_cells: (1..=200).map(|k| held(k, value)).collect(),
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

#[test]
fn no_text_touches_another_or_leaves_the_paper() {
    for ratio in [1.0, 1.01, 1.3, 2.0] {
        for sizes in [9..=9, 6..=9] {
            let summary = Summary::new(&crowded(ratio, sizes.clone()), None).unwrap();
            let figures = figures(&summary, &[]);
            assert_eq!(figures.len(), if sizes.clone().count() > 1 { 6 } else { 5 });
            for (figure, width) in figures.iter().flat_map(|f| [(f, WIDE_PX), (f, NARROW_PX)]) {
                let height = figure.height_px(width);
                let texts = boxes(&drawn(figure.as_ref(), width));
                for (i, (text, [left, top, right, bottom])) in texts.iter().enumerate() {
                    let place = format!("{} {width}, ratio {ratio}: '{text}'", figure.file_stem());
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
