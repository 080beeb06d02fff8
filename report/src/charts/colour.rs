//! Every backend its own colour and marker, by name: the same in every chart and every run.

use super::canvas::{Canvas, Point, Rgb};

/// Paper, text, lesser text, and lines of the grid.
pub(super) const PAPER: Rgb = Rgb(255, 255, 255);
pub(super) const INK: Rgb = Rgb(34, 34, 34);
pub(super) const FAINT: Rgb = Rgb(104, 104, 104);
pub(super) const GRID: Rgb = Rgb(222, 222, 222);

/// Names in the order in which colours were given out. Append only: a name's place is its colour.
const KNOWN: [&str; 24] = [
    "gc",
    "rc",
    "stack",
    "malloc",
    "arc",
    "leak",
    "region",
    "fused",
    "semispace",
    "rc-value",
    "mark-sweep",
    "arc-value",
    "region-sweep",
    "rc-split",
    "gc-arena",
    "arc-split",
    "fused-value",
    "mark-region",
    "shadow-stack",
    "region-runs",
    "region-local",
    "ocaml",
    "cpp",
    "java",
];

/// A name's place in the table, or for others a place beyond it that depends on the name alone.
fn place(backend: &str) -> usize {
    KNOWN.iter().position(|&known| known == backend).unwrap_or_else(|| {
        // FNV-1a: the same on every machine and in every version.
        let hash = backend
            .bytes()
            .fold(0x811c_9dc5_u32, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193));
        KNOWN.len() + (hash % 997) as usize
    })
}

/// The colour of a backend, dark enough to be seen on white.
///
/// Hues lie a golden angle apart, so any number of names spreads evenly; lightness changes from name
/// to name, so that colour-blind readers have a second difference, and markers are the third.
pub fn backend_colour(backend: &str) -> Rgb {
    const GOLDEN_ANGLE_DEGREES: f64 = 137.507_764;
    const LIGHTNESS: [f64; 5] = [0.75, 0.59, 0.67, 0.43, 0.51];
    let place = place(backend);
    let hue = (350.0 + place as f64 * GOLDEN_ANGLE_DEGREES).to_radians();
    oklch(LIGHTNESS[place % LIGHTNESS.len()], 0.14, hue)
}

/// The colour of a family: seven that colour-blind readers tell apart (M. Okabe & K. Ito, "Color
/// universal design", 2008).
pub fn family_colour(family: &str) -> Rgb {
    match family {
        "none" => Rgb(120, 120, 120),
        "manual" => Rgb(230, 159, 0),
        "region" => Rgb(86, 180, 233),
        "reference counting" => Rgb(213, 94, 0),
        "tracing" => Rgb(0, 114, 178),
        "other languages" => Rgb(0, 158, 115),
        _ => Rgb(204, 121, 167),
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

/// Draws the marker of a backend; `variant` tells groups of the same backend apart.
pub(super) fn marker(canvas: &mut Canvas, backend: &str, variant: usize, (x, y): Point) {
    const SHAPES: [&[Point]; 6] = [
        &[(-3.5, -3.5), (3.5, -3.5), (3.5, 3.5), (-3.5, 3.5)],
        &[(0.0, -5.0), (4.6, 3.4), (-4.6, 3.4)],
        &[(0.0, -5.2), (5.2, 0.0), (0.0, 5.2), (-5.2, 0.0)],
        &[(0.0, 5.0), (4.6, -3.4), (-4.6, -3.4)],
        &[(-4.2, 0.0), (-2.1, -3.7), (2.1, -3.7), (4.2, 0.0), (2.1, 3.7), (-2.1, 3.7)],
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
    ];
    // Shifted after each turn, so that names of the same lightness differ in shape.
    let place = place(backend);
    let shape = SHAPES[(place + place / SHAPES.len() + variant) % SHAPES.len()];
    let points: Vec<Point> = shape.iter().map(|(dx, dy)| (x + dx, y + dy)).collect();
    canvas.area(points, backend_colour(backend));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_backends_look_alike() {
        for (i, a) in KNOWN.iter().enumerate() {
            for b in &KNOWN[..i] {
                let (Rgb(r, g, b1), Rgb(s, h, b2)) = (backend_colour(a), backend_colour(b));
                let far = [(r, s), (g, h), (b1, b2)]
                    .iter()
                    .map(|&(p, q)| f64::from(p.abs_diff(q)).powi(2))
                    .sum::<f64>()
                    .sqrt();
                assert!(far > 20.0, "{a} and {b} are {far} apart");
            }
        }
        assert_eq!(backend_colour("unheard of"), backend_colour("unheard of"));
    }
}
