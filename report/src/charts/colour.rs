//! Every backend its own colour and marker, by name: the same in every chart and every run.

use super::canvas::{Canvas, Point, Rgb};

/// Paper, text, lesser text, and lines of the grid.
pub(super) const PAPER: Rgb = Rgb(255, 255, 255);
pub(super) const INK: Rgb = Rgb(34, 34, 34);
pub(super) const FAINT: Rgb = Rgb(104, 104, 104);
pub(super) const GRID: Rgb = Rgb(222, 222, 222);

/// A step that takes longer, one that takes less time, and a whole time.
pub(super) const COSTS: Rgb = Rgb(197, 60, 4);
pub(super) const SAVES: Rgb = Rgb(5, 70, 155);
pub(super) const WHOLE: Rgb = Rgb(143, 143, 143);

/// Names in the order in which colours were given out. Append only: a name's colour never changes,
/// and its place is its marker. The tests say whether a new colour is far enough from the others.
const KNOWN: [(&str, Rgb); 40] = [
    ("gc", Rgb(52, 146, 199)),
    ("rc", Rgb(140, 107, 0)),
    ("stack", Rgb(0, 72, 154)),
    ("malloc", Rgb(84, 2, 75)),
    ("arc", Rgb(54, 149, 65)),
    ("leak", Rgb(89, 58, 113)),
    ("region", Rgb(160, 62, 0)),
    ("fused", Rgb(0, 62, 89)),
    ("semispace", Rgb(144, 105, 209)),
    ("rc-value", Rgb(0, 99, 59)),
    ("mark-sweep", Rgb(51, 7, 118)),
    ("arc-value", Rgb(208, 105, 168)),
    ("region-sweep", Rgb(24, 129, 119)),
    ("rc-split", Rgb(161, 48, 117)),
    ("gc-arena", Rgb(28, 60, 0)),
    ("arc-split", Rgb(73, 121, 226)),
    ("fused-value", Rgb(139, 87, 138)),
    ("mark-region", Rgb(67, 122, 187)),
    ("shadow-stack", Rgb(183, 49, 84)),
    ("region-runs", Rgb(144, 64, 152)),
    ("region-local", Rgb(140, 31, 36)),
    ("ocaml", Rgb(117, 57, 91)),
    ("cpp", Rgb(131, 131, 0)),
    ("java", Rgb(70, 84, 190)),
    ("cpp-malloc", Rgb(109, 89, 0)),
    ("cpp-stack", Rgb(111, 8, 0)),
    ("boost", Rgb(132, 131, 238)),
    ("boost-make-shared", Rgb(96, 65, 0)),
    ("std-shared-ptr", Rgb(84, 21, 126)),
    ("std-make-shared", Rgb(97, 0, 39)),
    ("boost-intrusive", Rgb(110, 72, 170)),
    ("boost-pool", Rgb(104, 92, 204)),
    ("boehm", Rgb(107, 25, 70)),
    ("go", Rgb(212, 80, 101)),
    ("haskell", Rgb(177, 81, 170)),
    ("node", Rgb(195, 80, 134)),
    ("nim", Rgb(0, 44, 142)),
    ("prolog", Rgb(173, 81, 105)),
    ("mmtk-semispace", Rgb(204, 114, 74)),
    ("mmtk-immix", Rgb(49, 41, 103)),
];

/// A name's place in the table, or for others a place beyond it that depends on the name alone.
fn place(backend: &str) -> usize {
    KNOWN.iter().position(|&(known, _)| known == backend).unwrap_or_else(|| {
        // FNV-1a: the same on every machine and in every version.
        let hash = backend
            .bytes()
            .fold(0x811c_9dc5_u32, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193));
        KNOWN.len() + (hash % 997) as usize
    })
}

/// The colour of a backend, dark enough to be seen on white.
///
/// Backends that share a marker differ so much in colour that colour-blind readers tell them apart.
/// Names that are not known get colours whose hues lie a golden angle apart, so that they spread
/// evenly; two of them may be alike.
pub fn backend_colour(backend: &str) -> Rgb {
    const GOLDEN_ANGLE_DEGREES: f64 = 137.507_764;
    const LIGHTNESS: [f64; 4] = [0.62, 0.53, 0.44, 0.35];
    let place = place(backend);
    if let Some(&(_, colour)) = KNOWN.get(place) {
        return colour;
    }
    let hue = (place as f64 * GOLDEN_ANGLE_DEGREES).to_radians();
    oklch(LIGHTNESS[place % LIGHTNESS.len()], 0.12, hue)
}

/// The colour of a family, of tracing also of its generational kind: seven that colour-blind readers tell apart. The hues are those of M. Okabe
/// & K. Ito ("Color universal design", 2008), darkened until each is seen on white.
pub fn family_colour(family: &str) -> Rgb {
    match family {
        "none" => Rgb(143, 143, 143),
        "manual" => Rgb(196, 132, 6),
        "region" => Rgb(69, 150, 229),
        "reference counting" => Rgb(197, 60, 4),
        "tracing" => Rgb(5, 70, 155),
        "tracing, generational" => Rgb(0, 125, 87),
        _ => Rgb(166, 83, 163),
    }
}

/// A colour between this one and white: 0 is the colour, 1 is white.
pub(super) fn tint(Rgb(r, g, b): Rgb, towards_white: f64) -> Rgb {
    let mix = |c: u8| (f64::from(c) + (255.0 - f64::from(c)) * towards_white).round() as u8;
    Rgb(mix(r), mix(g), mix(b))
}

/// From a space whose distances are those of the eye (B. Ottosson, "A perceptual color space for
/// image processing", 2020) to sRGB; what the screen cannot show is cut off.
fn oklch(lightness: f64, chroma: f64, hue: f64) -> Rgb {
    let (a, b) = (chroma * hue.cos(), chroma * hue.sin());
    let l = (lightness + 0.396_337_78 * a + 0.215_803_76 * b).powi(3);
    let m = (lightness - 0.105_561_35 * a - 0.063_854_17 * b).powi(3);
    let s = (lightness - 0.089_484_18 * a - 1.291_485_55 * b).powi(3);
    let byte = |linear: f64| {
        let c = linear.clamp(0.0, 1.0);
        let c = match c <= 0.003_130_8 {
            true => 12.92 * c,
            false => 1.055 * c.powf(1.0 / 2.4) - 0.055,
        };
        (c * 255.0).round() as u8
    };
    Rgb(
        byte(4.076_741_66 * l - 3.307_711_59 * m + 0.230_969_93 * s),
        byte(-1.268_438_00 * l + 2.609_757_40 * m - 0.341_319_40 * s),
        byte(-0.004_196_09 * l - 0.703_418_61 * m + 1.707_614_70 * s),
    )
}

/// The corners of the markers, around their middle.
const MARKERS: [&[Point]; 10] = [
    // Square, triangle, diamond, triangle upside down, disc.
    &[(-3.5, -3.5), (3.5, -3.5), (3.5, 3.5), (-3.5, 3.5)],
    &[(0.0, -5.0), (4.6, 3.4), (-4.6, 3.4)],
    &[(0.0, -5.2), (5.2, 0.0), (0.0, 5.2), (-5.2, 0.0)],
    &[(0.0, 5.0), (4.6, -3.4), (-4.6, -3.4)],
    &[
        (-4.2, -1.7),
        (-1.7, -4.2),
        (1.7, -4.2),
        (4.2, -1.7),
        (4.2, 1.7),
        (1.7, 4.2),
        (-1.7, 4.2),
        (-4.2, 1.7),
    ],
    // Plus sign.
    &[
        (-1.5, -4.5),
        (1.5, -4.5),
        (1.5, -1.5),
        (4.5, -1.5),
        (4.5, 1.5),
        (1.5, 1.5),
        (1.5, 4.5),
        (-1.5, 4.5),
        (-1.5, 1.5),
        (-4.5, 1.5),
        (-4.5, -1.5),
        (-1.5, -1.5),
    ],
    // Triangles to the right and to the left, hourglass.
    &[(5.0, 0.0), (-3.4, 4.6), (-3.4, -4.6)],
    &[(-5.0, 0.0), (3.4, -4.6), (3.4, 4.6)],
    &[(-4.2, -4.5), (4.2, -4.5), (1.0, 0.0), (4.2, 4.5), (-4.2, 4.5), (-1.0, 0.0)],
    // Cross.
    &[
        (-4.2, -2.1),
        (-2.1, -4.2),
        (0.0, -2.1),
        (2.1, -4.2),
        (4.2, -2.1),
        (2.1, 0.0),
        (4.2, 2.1),
        (2.1, 4.2),
        (0.0, 2.1),
        (-2.1, 4.2),
        (-4.2, 2.1),
        (-2.1, 0.0),
    ],
];

/// The marker of a backend; `variant` tells groups of the same backend apart.
fn marker_of(backend: &str, variant: usize) -> usize {
    (place(backend) + variant) % MARKERS.len()
}

/// Draws the marker of a backend; see [`marker_of`].
pub(super) fn marker(canvas: &mut Canvas, backend: &str, variant: usize, at: Point) {
    canvas.area(corners(backend, variant, at, 1.0), backend_colour(backend));
}

/// The same with a hole in it.
pub(super) fn hollow_marker(canvas: &mut Canvas, backend: &str, variant: usize, at: Point) {
    canvas.area(corners(backend, variant, at, 1.15), backend_colour(backend));
    canvas.area(corners(backend, variant, at, 0.6), PAPER);
}

/// The corners of a marker.
fn corners(backend: &str, variant: usize, (x, y): Point, scale: f64) -> Vec<Point> {
    let corners = MARKERS[marker_of(backend, variant)];
    corners.iter().map(|(dx, dy)| (x + scale * dx, y + scale * dy)).collect()
}

#[cfg(test)]
mod tests;
