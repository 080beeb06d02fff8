//! What charts of horizontal bars share: one line for each row, bars with hatching.

use super::axis::{Axis, spaced};
use super::canvas::{Anchor, Canvas, Point, Rgb};
use super::colour::{FAINT, GRID, INK, PAPER, tint};
use super::font::{cut, width_px};
use super::frame::{EM_PX, Frame, MARGIN_PX, SMALL_PX};
use crate::format::shorten;
use crate::summary::Group;

const BOTTOM_PX: f64 = 48.0;
const LABEL_CHARS: usize = 30;

/// The lines of a chart, and where its bars lie.
///
/// Names stand left of the bars, or, on narrow paper, above them.
pub(super) struct Lines {
    /// Left and right end of the bars.
    pub pixels: (f64, f64),
    count: usize,
    top_px: f64,
    /// Width of the column of names; none where they stand above the bars.
    names_px: Option<f64>,
}

impl Lines {
    /// Room for the names on the left and for values, `value_px` wide, on the right.
    pub fn new(frame: &Frame, names: &[String], value_px: f64) -> Self {
        let widest = names.iter().map(|name| width_px(name, EM_PX)).fold(0.0, f64::max);
        let names_px = (!frame.narrow()).then_some(widest + 8.0);
        let left = MARGIN_PX + names_px.unwrap_or(0.0);
        let right = frame.width_px - MARGIN_PX - value_px;
        Self { pixels: (left, right), count: names.len(), top_px: frame.top_px, names_px }
    }

    /// Height of a chart with so many lines.
    pub fn height_px(frame: &Frame, lines: usize) -> u32 {
        (frame.top_px + lines as f64 * line_px(frame.narrow()) + BOTTOM_PX) as u32
    }

    /// The middle of a line's bar.
    pub fn y(&self, line: usize) -> f64 {
        let stacked = self.names_px.is_none();
        let share = if stacked { 0.72 } else { 0.5 };
        self.top_px + (line as f64 + share) * line_px(stacked)
    }

    /// Where the lines end.
    pub fn bottom_px(&self) -> f64 {
        self.top_px + self.count as f64 * line_px(self.names_px.is_none())
    }

    /// Grid lines with their values, and what the axis is.
    pub fn grid(&self, canvas: &mut Canvas, axis: &Axis, ticks: &[(f64, String)], title: &str) {
        let (top, bottom) = (self.top_px, self.bottom_px());
        let apart = |text: &str| width_px(text, SMALL_PX) + 8.0;
        for (value, text) in &spaced(ticks.to_vec(), axis, apart) {
            let x = axis.at(*value);
            canvas.path([(x, top), (x, bottom + 4.0)], 1.0, GRID);
            canvas.text((x, bottom + 13.0), text, SMALL_PX, FAINT, Anchor::Middle);
        }
        let middle = f64::midpoint(self.pixels.0, self.pixels.1);
        canvas.text((middle, bottom + 32.0), title, SMALL_PX, FAINT, Anchor::Middle);
    }

    /// The name of a line, left of its bar or above it.
    pub fn name(&self, canvas: &mut Canvas, line: usize, name: &str) {
        let y = self.y(line);
        match self.names_px {
            Some(_) => canvas.text((self.pixels.0 - 8.0, y), name, EM_PX, INK, Anchor::End),
            None => {
                let name = cut(name, SMALL_PX, self.pixels.1 - self.pixels.0);
                let end = self.pixels.0 + width_px(&name, SMALL_PX) + 2.0;
                canvas.rect((self.pixels.0 - 1.0, y - 26.0), (end, y - 11.0), PAPER);
                canvas.text((self.pixels.0, y - 18.0), &name, SMALL_PX, INK, Anchor::Start);
            }
        }
    }

    /// A line that heads those below it.
    pub fn heading(&self, canvas: &mut Canvas, line: usize, text: &str, colour: Rgb) {
        let y = self.y(line);
        let x = MARGIN_PX;
        let text = cut(text, EM_PX, self.pixels.1 - x - 16.0);
        let end = x + 20.0 + width_px(&text, EM_PX);
        canvas.rect((x, y - 9.0), (end, y + 9.0), PAPER);
        canvas.rect((x, y - 5.0), (x + 10.0, y + 5.0), colour);
        canvas.text((x + 16.0, y), &text, EM_PX, FAINT, Anchor::Start);
    }

    /// The value of a line, right of `x`, on paper that hides the grid.
    pub fn value(&self, canvas: &mut Canvas, line: usize, x: f64, text: &str, colour: Rgb) {
        let (x, y) = (x + 7.0, self.y(line));
        let end = x + width_px(text, EM_PX) + 2.0;
        canvas.rect((x - 2.0, y - 8.0), (end, y + 8.0), PAPER);
        canvas.text((x, y), text, EM_PX, colour, Anchor::Start);
    }

    /// The bar of a line, from the left end to `x`.
    pub fn bar(&self, canvas: &mut Canvas, line: usize, x: f64, colour: Rgb, hatched: bool) {
        self.span(canvas, line, (self.pixels.0, x), colour, hatched);
    }

    /// A bar between two places; hatched for what is problem-specific.
    pub fn span(
        &self,
        canvas: &mut Canvas,
        line: usize,
        (left, x): Point,
        colour: Rgb,
        hatched: bool,
    ) {
        let y = self.y(line);
        let (top, bottom) = (y - 8.0, y + 8.0);
        if !hatched {
            canvas.rect((left, top), (x, bottom), colour);
            return;
        }
        canvas.rect((left, top), (x, bottom), tint(colour, 0.7));
        for stripe in stripes((left, top), (x, bottom)) {
            canvas.path(stripe, 1.5, colour);
        }
        canvas.path([(left, top), (x, top), (x, bottom), (left, bottom), (left, top)], 1.0, colour);
    }
}

fn line_px(stacked: bool) -> f64 {
    if stacked { 40.0 } else { 23.0 }
}

/// A group's name as charts show it.
pub(super) fn label(group: &Group) -> String {
    let name = shorten(&group.label, LABEL_CHARS);
    match group.capabilities.problem_specific {
        true => format!("{name} (problem-specific)"),
        false => name,
    }
}

/// Rising diagonals within a rectangle.
fn stripes((left, top): Point, (right, bottom): Point) -> Vec<[Point; 2]> {
    const APART_PX: f64 = 6.0;
    let height = bottom - top;
    let count = ((right - left + height) / APART_PX).max(0.0) as usize;
    (1..=count)
        .map(|i| {
            // The diagonal that meets the bottom edge (or its continuation) here.
            let x = left - height + i as f64 * APART_PX;
            let low = x.max(left);
            let high = (x + height).min(right);
            [(low, bottom - (low - x)), (high, bottom - (high - x))]
        })
        .filter(|[(low, _), (high, _)]| low < high)
        .collect()
}
