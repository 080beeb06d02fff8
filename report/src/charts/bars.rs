//! What charts of horizontal bars share: the frame, one line for each row, bars with hatching.

use super::axis::Axis;
use super::canvas::{Anchor, Canvas, Point, Rgb};
use super::colour::{FAINT, GRID, INK, PAPER, backend_colour, tint};
use super::font::width_px;
use crate::format::shorten;
use crate::summary::Group;

/// Width of every chart, in logical pixels.
pub(super) const WIDTH_PX: u32 = 900;
/// Height of an em of ordinary text.
pub(super) const EM_PX: f64 = 13.0;
/// Height of an em of small text.
pub(super) const SMALL_PX: f64 = 12.0;

const LINE_PX: f64 = 23.0;
const TOP_PX: f64 = 66.0;
const BOTTOM_PX: f64 = 48.0;
const MARGIN_PX: f64 = 16.0;
const LABEL_CHARS: usize = 30;

/// Paper, title and one line below it.
pub(super) fn frame(canvas: &mut Canvas, size: (u32, u32), title: &str, subtitle: &str) {
    canvas.rect((0.0, 0.0), (f64::from(size.0), f64::from(size.1)), PAPER);
    canvas.text((MARGIN_PX, 24.0), title, 18.0, INK, Anchor::Start);
    canvas.text((MARGIN_PX, 47.0), subtitle, SMALL_PX, FAINT, Anchor::Start);
}

/// Height of a chart with so many lines.
pub(super) fn height_px(lines: usize) -> u32 {
    (TOP_PX + lines as f64 * LINE_PX + BOTTOM_PX) as u32
}

/// Where the bars of a chart lie.
pub(super) struct Lines {
    /// Left and right end of the bars.
    pub pixels: (f64, f64),
    count: usize,
}

impl Lines {
    /// Room for the labels on the left and for values, `value_px` wide, on the right.
    pub fn new<'a>(groups: impl Iterator<Item = &'a Group>, value_px: f64) -> Self {
        let widths: Vec<f64> = groups.map(|group| width_px(&label(group), EM_PX)).collect();
        let left = MARGIN_PX + widths.iter().copied().fold(0.0, f64::max) + 8.0;
        Self { pixels: (left, f64::from(WIDTH_PX) - MARGIN_PX - value_px), count: widths.len() }
    }

    /// The middle of a line.
    pub fn y(&self, line: usize) -> f64 {
        TOP_PX + (line as f64 + 0.5) * LINE_PX
    }

    /// Grid lines with their values, and what the axis is.
    pub fn grid(&self, canvas: &mut Canvas, axis: &Axis, ticks: &[(f64, String)], title: &str) {
        let bottom = TOP_PX + self.count as f64 * LINE_PX;
        for (value, text) in ticks {
            let x = axis.at(*value);
            canvas.path([(x, TOP_PX), (x, bottom + 4.0)], 1.0, GRID);
            canvas.text((x, bottom + 13.0), text, SMALL_PX, FAINT, Anchor::Middle);
        }
        let middle = f64::midpoint(self.pixels.0, self.pixels.1);
        canvas.text((middle, bottom + 32.0), title, SMALL_PX, FAINT, Anchor::Middle);
    }

    /// The name of a line.
    pub fn name(&self, canvas: &mut Canvas, line: usize, group: &Group) {
        let at = (self.pixels.0 - 8.0, self.y(line));
        canvas.text(at, &label(group), EM_PX, INK, Anchor::End);
    }

    /// The value of a line, right of `x`, on paper that hides the grid.
    pub fn value(&self, canvas: &mut Canvas, line: usize, x: f64, text: &str, colour: Rgb) {
        let (x, y) = (x + 7.0, self.y(line));
        let end = x + width_px(text, EM_PX) + 2.0;
        canvas.rect((x - 2.0, y - 8.0), (end, y + 8.0), PAPER);
        canvas.text((x, y), text, EM_PX, colour, Anchor::Start);
    }

    /// The bar of a line, up to `x`; hatched where the backend is problem-specific.
    pub fn bar(&self, canvas: &mut Canvas, line: usize, x: f64, group: &Group) {
        let colour = backend_colour(&group.backend);
        let (left, y) = (self.pixels.0, self.y(line));
        let (top, bottom) = (y - 8.0, y + 8.0);
        if !group.capabilities.problem_specific {
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
