//! Colours with their names, in as many lines as they take.

use super::canvas::{Anchor, Canvas, Point};
use super::colour::{FAINT, family_colour};
use super::font::{cut, width_px as text_px};
use super::frame::{Frame, MARGIN_PX, SMALL_PX};

/// From one line to the next.
const LINE_PX: f64 = 20.0;
/// Between two entries.
const APART_PX: f64 = 16.0;
const SWATCH_PX: f64 = 15.0;

/// Families below the head of a chart.
pub(super) struct Legend {
    placed: Vec<(String, Point)>,
    lines: usize,
    width_px: f64,
}

impl Legend {
    /// Each family once, in the order of first appearance.
    pub fn new(frame: &Frame, families: impl Iterator<Item = String>) -> Self {
        let mut kinds: Vec<String> = Vec::new();
        for kind in families {
            if !kinds.contains(&kind) {
                kinds.push(kind);
            }
        }
        let room = frame.width_px - 2.0 * MARGIN_PX;
        let (mut x, mut line) = (0.0, 0);
        let place = |kind: String| {
            let text = cut(&kind, SMALL_PX, room - SWATCH_PX);
            let width = SWATCH_PX + text_px(&text, SMALL_PX);
            if x > 0.0 && x + width > room {
                (x, line) = (0.0, line + 1);
            }
            let at = (MARGIN_PX + x, frame.top_px + line as f64 * LINE_PX);
            x += width + APART_PX;
            (kind, at)
        };
        let placed = kinds.into_iter().map(place).collect();
        Self { placed, lines: line + 1, width_px: frame.width_px }
    }

    /// The room that it takes.
    pub fn height_px(&self) -> f64 {
        self.lines as f64 * LINE_PX
    }

    /// Draws it where the head ends.
    pub fn draw(&self, canvas: &mut Canvas) {
        for (kind, (x, y)) in &self.placed {
            canvas.rect((*x, y - 5.0), (x + 10.0, y + 5.0), family_colour(kind));
            let text = cut(kind, SMALL_PX, self.width_px - MARGIN_PX - x - SWATCH_PX);
            canvas.text((x + SWATCH_PX, *y), &text, SMALL_PX, FAINT, Anchor::Start);
        }
    }
}
