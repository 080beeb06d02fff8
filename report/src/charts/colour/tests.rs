//! Colours as other eyes see them.

use super::*;
use std::collections::BTreeSet;

/// Least distance in OKLab between colours that nothing else tells apart. A just noticeable difference
/// is 0.02 (CSS Color Module Level 4, on gamut mapping), of large patches side by side; markers and bars are
/// small and lie apart, so five of these.
const FAR: f64 = 0.1;

/// Least distance between any two backends, for eyes that see all colours: two and a half.
const TOLD_APART: f64 = 0.05;

type Matrix = [[f64; 3]; 3];

/// What is left of linear RGB without cones of one kind: severity 1.0 of G. M. Machado, M. M. Oliveira
/// & L. A. F. Fernandes, "A physiologically-based model for simulation of color vision deficiency",
/// IEEE TVCG 15:6, 2009.
const VIEWS: [(&str, Matrix); 4] = [
    ("normal vision", [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]),
    (
        "protanopia",
        [
            [0.152286, 1.052583, -0.204868],
            [0.114503, 0.786281, 0.099216],
            [-0.003882, -0.048116, 1.051998],
        ],
    ),
    (
        "deuteranopia",
        [
            [0.367322, 0.860646, -0.227968],
            [0.280085, 0.672501, 0.047413],
            [-0.011820, 0.042940, 0.968881],
        ],
    ),
    (
        "tritanopia",
        [
            [1.255528, -0.076749, -0.178779],
            [-0.078411, 0.930809, 0.147602],
            [0.004733, 0.691367, 0.303900],
        ],
    ),
];

const FAMILIES: [&str; 7] = [
    "none",
    "manual",
    "region",
    "reference counting",
    "tracing",
    "tracing, generational",
    "unknown",
];

fn times(matrix: &Matrix, [a, b, c]: [f64; 3]) -> [f64; 3] {
    matrix.map(|[x, y, z]| x * a + y * b + z * c)
}

/// From values of 0 to 1 as a screen is given them to amounts of light.
fn linear(encoded: [f64; 3]) -> [f64; 3] {
    encoded.map(|c| match c <= 0.04045 {
        true => c / 12.92,
        false => ((c + 0.055) / 1.055).powf(2.4),
    })
}

fn encoded(Rgb(r, g, b): Rgb) -> [f64; 3] {
    [r, g, b].map(|byte| f64::from(byte) / 255.0)
}

/// B. Ottosson, "A perceptual color space for image processing", 2020.
fn oklab(light: [f64; 3]) -> [f64; 3] {
    let cones = times(
        &[
            [0.412_221_470_8, 0.536_332_536_3, 0.051_445_992_9],
            [0.211_903_498_2, 0.680_699_545_1, 0.107_396_956_6],
            [0.088_302_461_9, 0.281_718_837_6, 0.629_978_700_5],
        ],
        light,
    );
    times(
        &[
            [0.210_454_255_3, 0.793_617_785_0, -0.004_072_046_8],
            [1.977_998_495_1, -2.428_592_205_0, 0.450_593_709_9],
            [0.025_904_037_1, 0.782_771_766_2, -0.808_675_766_0],
        ],
        cones.map(f64::cbrt),
    )
}

fn seen(view: &Matrix, colour: Rgb) -> [f64; 3] {
    oklab(times(view, linear(encoded(colour))).map(|c| c.clamp(0.0, 1.0)))
}

fn distance(view: &Matrix, a: Rgb, b: Rgb) -> f64 {
    let (a, b) = (seen(view, a), seen(view, b));
    a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt()
}

/// The contrast ratio of WCAG 2, of values as a screen is given them.
fn contrast(a: [f64; 3], b: [f64; 3]) -> f64 {
    let luminance = |encoded| {
        let [r, g, b] = linear(encoded);
        0.2126 * r + 0.7152 * g + 0.0722 * b + 0.05
    };
    let (a, b) = (luminance(a), luminance(b));
    a.max(b) / a.min(b)
}

/// What `filter: invert(1) hue-rotate(180deg)` shows (Filter Effects Module Level 1).
fn inverted(colour: Rgb) -> [f64; 3] {
    let half_a_turn = [[-0.574, 1.430, 0.144], [0.426, 0.430, 0.144], [0.426, 1.430, -0.856]];
    times(&half_a_turn, encoded(colour).map(|c| 1.0 - c)).map(|c| c.clamp(0.0, 1.0))
}

fn names() -> impl Iterator<Item = &'static str> {
    KNOWN.iter().map(|&(name, _)| name)
}

/// Every colour that data are drawn in: of known names, of any other name, of families.
fn all_colours() -> Vec<(String, Rgb)> {
    let others = (0..2000).map(|i| format!("other-{i}"));
    let backends = names().map(str::to_owned).chain(others);
    let backends = backends.map(|name| (name.clone(), backend_colour(&name)));
    let families = FAMILIES.iter().map(|&name| (name.to_owned(), family_colour(name)));
    let steps = [COSTS, SAVES, WHOLE].map(|colour| ("a step".to_owned(), colour));
    backends.chain(families).chain(steps).collect()
}

#[test]
fn known_names_are_there_once() {
    assert_eq!(names().collect::<BTreeSet<_>>().len(), KNOWN.len());
}

#[test]
fn colour_blind_readers_tell_backends_apart_by_colour_or_marker() {
    for (i, a) in names().enumerate() {
        for b in names().take(i) {
            let (of_a, of_b) = (backend_colour(a), backend_colour(b));
            let far = distance(&VIEWS[0].1, of_a, of_b);
            assert!(far > TOLD_APART, "{a} and {b} are {far:.3} apart");
            if marker_of(a, 0) != marker_of(b, 0) {
                continue;
            }
            for (view, matrix) in &VIEWS {
                let far = distance(matrix, of_a, of_b);
                assert!(far > FAR, "{a} and {b} share a marker and are {far:.3} apart in {view}");
            }
        }
    }
}

#[test]
fn colour_blind_readers_tell_families_apart() {
    for (i, a) in FAMILIES.iter().enumerate() {
        for b in &FAMILIES[..i] {
            for (view, matrix) in &VIEWS {
                let far = distance(matrix, family_colour(a), family_colour(b));
                assert!(far > FAR, "{a} and {b} are {far:.3} apart in {view}");
            }
        }
    }
}

#[test]
fn colour_blind_readers_tell_costs_from_savings() {
    for (view, matrix) in &VIEWS {
        for (a, b) in [(COSTS, SAVES), (COSTS, WHOLE), (SAVES, WHOLE)] {
            assert!(distance(matrix, a, b) > FAR, "{a:?} and {b:?} in {view}");
        }
    }
}

/// 3 to 1 is what WCAG 2.1 asks of graphics (success criterion 1.4.11); the dark page, which inverts
/// the charts, may be a little below.
#[test]
fn every_colour_is_seen_on_its_paper() {
    for (name, colour) in all_colours() {
        let light = contrast(encoded(colour), encoded(PAPER));
        assert!(light >= 3.0, "{name}: {light:.2} on white");
        let dark = contrast(inverted(colour), inverted(PAPER));
        assert!(dark >= 2.5, "{name}: {dark:.2} on the dark page");
    }
}

/// The eyes above are worth nothing if they see what is not there.
#[test]
fn simulated_eyes_confuse_what_they_should() {
    let far = |view: usize, a, b| distance(&VIEWS[view].1, a, b);
    let (red, green) = (Rgb(190, 60, 0), Rgb(95, 110, 0));
    assert!(far(0, red, green) > 0.15 && far(1, red, green) < 0.1 && far(2, red, green) < 0.06);
    for (view, matrix) in &VIEWS {
        let black_to_white = distance(matrix, Rgb(0, 0, 0), Rgb(255, 255, 255));
        assert!((black_to_white - 1.0).abs() < 1e-3, "{view}: {black_to_white}");
    }
    assert!((contrast([0.0; 3], [1.0; 3]) - 21.0).abs() < 1e-9);
}

#[test]
fn markers_differ() {
    let corners: BTreeSet<String> = MARKERS.iter().map(|points| format!("{points:?}")).collect();
    assert_eq!(corners.len(), MARKERS.len());
    assert_ne!(marker_of("gc", 0), marker_of("gc", 1));
    assert_eq!(marker_of("unheard of", 0), marker_of("unheard of", 0));
    assert_eq!(backend_colour("unheard of"), backend_colour("unheard of"));
}
