//! The font that charts are set in, and how wide a text is in it.

use crate::format::shorten;
use ab_glyph::{Font, FontRef, ScaleFont};
use plotters::style::{FontStyle, register_font};
use std::sync::{LazyLock, Once};

/// The family under which the font is registered. An SVG names it too, and a browser that lacks the
/// first takes one of the others, which are as wide or narrower.
pub(super) const FAMILY: &str = "Open Sans, Noto Sans, Segoe UI, Helvetica, Arial, sans-serif";

const OPEN_SANS: &[u8] = include_bytes!("../../fonts/OpenSans-Regular.ttf");

/// Line height of Open Sans in ems: the size that the font rasteriser is given is the line's height.
pub(super) const LINE_PER_EM: f64 = 2789.0 / 2048.0;

/// Substitutes in a browser may be wider than what was measured.
const SLACK: f64 = 1.06;

static FONT: LazyLock<Option<FontRef<'static>>> =
    LazyLock::new(|| FontRef::try_from_slice(OPEN_SANS).ok());

/// Makes the font known to plotters, once in a process.
pub(super) fn register() {
    static REGISTERED: Once = Once::new();
    REGISTERED.call_once(|| {
        // A failure would show as an error of the first text that is drawn.
        let _ = register_font(FAMILY, FontStyle::Normal, OPEN_SANS);
    });
}

/// Where each character's leftmost inked pixel lies, from the start of the text, and the text's
/// width; in pixels, at a size given as the height of an em.
///
/// plotters sets the ink of every glyph right at the pen, without the space that belongs before it;
/// texts are therefore placed character by character.
pub(super) fn glyphs(text: &str, em_px: f64) -> (Vec<(f64, char)>, f64) {
    let Some(font) = FONT.as_ref() else {
        return (Vec::new(), 0.0);
    };
    let font = font.as_scaled((em_px * LINE_PER_EM) as f32);
    let mut pen = 0.0;
    let mut before = None;
    let mut placed = Vec::new();
    for character in text.chars() {
        let id = font.glyph_id(character);
        pen += before.map_or(0.0, |before| font.kern(before, id));
        before = Some(id);
        let outline = font.outline_glyph(font.scaled_glyph(character));
        let ink = outline.map_or(0.0, |outline| outline.px_bounds().min.x);
        placed.push((f64::from(pen.round() + ink), character));
        pen += font.h_advance(id);
    }
    (placed, f64::from(pen))
}

/// A text in lines no wider than so many pixels, broken at blanks; a longer word stays whole.
pub(super) fn wrapped(text: &str, em_px: f64, most_px: f64) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let line = lines.last_mut().expect("there is always a line");
        let longer = format!("{line}{}{word}", if line.is_empty() { "" } else { " " });
        if line.is_empty() || width_px(&longer, em_px) <= most_px {
            *line = longer;
        } else {
            lines.push(word.to_owned());
        }
    }
    lines
}

/// A text cut to so many pixels, with an ellipsis where something was cut off.
pub(super) fn cut(text: &str, em_px: f64, most_px: f64) -> String {
    let chars = text.chars().count();
    let fits = |&count: &usize| width_px(&shorten(text, count), em_px) <= most_px;
    shorten(text, (1..=chars).rev().find(fits).unwrap_or(1))
}

/// Width that a text may take in logical pixels, at a size given as the height of an em.
pub(super) fn width_px(text: &str, em_px: f64) -> f64 {
    glyphs(text, em_px).1 * SLACK
}
