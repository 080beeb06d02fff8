use super::*;
use crate::charts::tests::{areas, assert_tidy, groups, texts};
use crate::charts::{NARROW_PX, WIDE_PX, drawn};
use crate::record::Record;

/// Samples of a backend whose times lie so many per cent from 1 ms.
fn samples(backend: &str, control: bool, percents: &[f64]) -> Vec<Record> {
    let sample = |(round, percent): (usize, &f64)| Record {
        backend: backend.to_owned(),
        family: "tracing".to_owned(),
        n: 8,
        round: round as u32,
        control,
        iterations_ns: vec![(1e6 * (1.0 + percent / 100.0)).round() as u64],
        ..Record::new()
    };
    percents.iter().enumerate().map(sample).collect()
}

const STEADY: [f64; 9] = [-2.0, -1.0, -0.5, -0.2, 0.0, 0.2, 0.5, 1.0, 2.0];

fn summary(groups: &[Vec<Record>]) -> Summary {
    Summary::new(&groups.concat(), None).unwrap()
}

#[test]
fn dots_lie_where_their_samples_do() {
    let summary = summary(&[samples("gc", false, &STEADY), samples("gc", true, &STEADY)]);
    let figure = Noise::new(&summary).unwrap();
    for width in [WIDE_PX, NARROW_PX] {
        let groups = groups(&drawn(&figure, width), "samples:");
        assert_eq!(groups.len(), 2, "a line for each entry");
        let middles: Vec<f64> =
            areas(&groups[0].1).iter().map(|(_, _, left, right)| (left + right) / 2.0).collect();
        assert_eq!(middles.len(), STEADY.len());
        let px_per_percent = (middles[8] - middles[0]) / 4.0;
        assert!(px_per_percent > 1.0);
        for (middle, percent) in middles.iter().zip(STEADY) {
            let wanted = middles[4] + percent * px_per_percent;
            assert!((middle - wanted).abs() < 0.01, "{percent} % is at {middle}, not {wanted}");
        }
    }
    let texts = texts(&figure, WIDE_PX);
    assert!(texts.contains(&"gc, second entry".to_owned()), "{texts:?}");
}

#[test]
fn outliers_and_what_lies_beyond_the_edge_have_other_shapes() {
    let mut far = STEADY;
    (far[7], far[8]) = (2.9, 900.0);
    let summary = summary(&[samples("gc", false, &far)]);
    let figure = Noise::new(&summary).unwrap();
    assert!(figure.reach < 0.2);
    let canvas = drawn(&figure, WIDE_PX);
    let dots = areas(&groups(&canvas, "samples:")[0].1);
    let triangles: Vec<_> = dots.iter().filter(|dot| dot.0 == 3).collect();
    assert_eq!(triangles.len(), 1);
    assert!(dots.iter().all(|dot| dot.2 <= triangles[0].2), "the farthest is at the edge");
    assert_eq!(dots.iter().filter(|dot| dot.1 == INK).count(), 2);
    assert!(
        figure.alt().contains("9 samples, the farthest +900.0 %, 2 outliers"),
        "{}",
        figure.alt()
    );
}

#[test]
fn the_band_is_as_wide_as_the_noise_floor() {
    let pair =
        [samples("gc", false, &STEADY), samples("gc", true, &STEADY.map(|it| it * 0.5 + 0.3))];
    let both = summary(&pair);
    let figure = Noise::new(&both).unwrap();
    let grey = tint(INK, 0.86);
    let bands = |figure: &Noise| {
        areas(drawn(figure, WIDE_PX).shapes())
            .into_iter()
            .filter(|area| area.1 == grey)
            .collect::<Vec<_>>()
    };
    let [(_, _, left, right)] = bands(&figure)[..] else {
        panic!("one band, not {:?}", bands(&figure))
    };
    let dots = areas(&groups(&drawn(&figure, WIDE_PX), "samples:")[0].1);
    let px_per_percent = (dots[8].2 - dots[0].2) / 4.0;
    let floor_percent = both.noise[0].fraction() * 100.0;
    assert!(floor_percent > 0.1);
    assert!((right - left - 2.0 * floor_percent * px_per_percent).abs() < 0.01);
    let alone = summary(&pair[..1]);
    let figure = Noise::new(&alone).unwrap();
    assert!(bands(&figure).is_empty() && figure.caption().contains("no band"));
}

#[test]
fn without_two_samples_there_is_no_noise() {
    assert!(Noise::new(&Summary::default()).is_none());
    assert!(
        Noise::new(&summary(&[samples("gc", false, &[0.0]), samples("rc", false, &[5.0])]))
            .is_none()
    );
}

#[test]
fn hostile_names_stay_on_the_paper() {
    let names =
        ["<script>alert(1)</script>".repeat(9), "W".repeat(300), "\u{202e}\n\"'&".repeat(30)];
    let groups: Vec<_> = names
        .iter()
        .flat_map(|name| {
            [samples(name, false, &STEADY), samples(name, true, &[-99.9, 9e9, 0.0, 1.0])]
        })
        .collect();
    let summary = summary(&groups);
    assert_tidy(&Noise::new(&summary).unwrap(), "hostile");
}
