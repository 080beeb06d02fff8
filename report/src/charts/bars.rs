//! What charts of horizontal bars share: one line for each row, bars with hatching and whiskers.

use super::axis::{Axis, spaced};
use super::canvas::{Anchor, Canvas, Point, Rgb};
use super::colour::{FAINT, GRID, INK, PAPER, tint};
use super::font::{cut, width_px};
use super::frame::{EM_PX, Frame, MARGIN_PX, SMALL_PX};
use crate::format::shorten;
use crate::stats::{Estimate, MIN_SAMPLES};
use crate::summary::Group;

const BOTTOM_PX: f64 = 48.0;
pub(super) const LABEL_CHARS: usize = 30;

/// What whiskers are: few rounds have no 95 % interval, but a range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Whiskers {
    Intervals,
    Ranges,
    Both,
}

impl Whiskers {
    /// Of the estimates that a chart shows.
    pub fn of(estimates: impl Iterator<Item = Estimate>) -> Self {
        let (confident, few): (Vec<_>, Vec<_>) = estimates.partition(Estimate::confident);
        match (confident.is_empty(), few.is_empty()) {
            (_, true) => Self::Intervals,
            (true, false) => Self::Ranges,
            (false, false) => Self::Both,
        }
    }

    /// For a subtitle.
    pub fn short(self) -> &'static str {
        match self {
            Self::Intervals => "95 % interval",
            Self::Ranges => "range",
            Self::Both => "95 % interval, or range of few rounds",
        }
    }

    /// For a caption, of the medians of something.
    pub fn words(self) -> String {
        let range = format!("the range of fewer than {MIN_SAMPLES} rounds");
        match self {
            Self::Intervals => "95 % intervals of the median".to_owned(),
            Self::Ranges => range,
            Self::Both => format!("95 % intervals of the median, or {range}"),
        }
    }
}

/// A column of small texts right of the bars, with its title in the first line.
pub(super) struct Column {
    x: f64,
    room_px: f64,
}

impl Column {
    /// As many columns as there are titles, from the right edge inwards, each as wide as its title and
    /// texts like this one; and the width that they all take.
    pub fn new<const N: usize>(frame: &Frame, titles: [(&str, &str); N]) -> (Vec<Self>, f64) {
        let right = frame.width_px - MARGIN_PX;
        let mut left = right;
        let place = |(title, text): &(&str, &str)| {
            let room_px = width_px(title, SMALL_PX).max(width_px(text, SMALL_PX)) + 6.0;
            left -= room_px;
            let column = Self { x: left, room_px: room_px - 4.0 };
            left -= 8.0;
            column
        };
        let mut columns: Vec<Self> = titles.iter().rev().map(place).collect();
        columns.reverse();
        (columns, right - left)
    }

    /// Sets its text in a line.
    pub fn text(&self, canvas: &mut Canvas, lines: &Lines, line: usize, text: &str) {
        let text = cut(text, SMALL_PX, self.room_px);
        canvas.text((self.x, lines.y(line)), &text, SMALL_PX, FAINT, Anchor::Start);
    }
}

/// The lines of a chart, and where its bars lie.
///
/// Names stand left of the bars, or, on narrow paper, above them.
pub(super) struct Lines {
    /// Left and right end of the bars.
    pub pixels: (f64, f64),
    count: usize,
    top_px: f64,
    /// Where the paper's margin begins.
    edge_px: f64,
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
        let (top_px, edge_px) = (frame.top_px, frame.width_px - MARGIN_PX);
        Self { pixels: (left, right), count: names.len(), top_px, edge_px, names_px }
    }

    /// Height of a chart with so many lines.
    pub fn height_px(frame: &Frame, lines: usize) -> u32 {
        (frame.top_px + lines as f64 * line_px(frame.narrow()) + BOTTOM_PX) as u32
    }

    /// Height of a line.
    pub fn line_px(&self) -> f64 {
        line_px(self.names_px.is_none())
    }

    /// The middle of a line's bar.
    pub fn y(&self, line: usize) -> f64 {
        let share = if self.names_px.is_none() { 0.72 } else { 0.5 };
        self.top_px + (line as f64 + share) * self.line_px()
    }

    /// Where the lines end.
    pub fn bottom_px(&self) -> f64 {
        self.top_px + self.count as f64 * self.line_px()
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
        // Below the middle of the bars, but where they are short, no farther left than the paper goes.
        let least = MARGIN_PX + width_px(title, SMALL_PX) / 2.0;
        let middle = f64::midpoint(self.pixels.0, self.pixels.1).max(least);
        canvas.text((middle, bottom + 32.0), title, SMALL_PX, FAINT, Anchor::Middle);
    }

    /// The name of a line, left of its bar or above it.
    pub fn name(&self, canvas: &mut Canvas, line: usize, name: &str) {
        let y = self.y(line);
        match self.names_px {
            Some(_) => canvas.text((self.pixels.0 - 8.0, y), name, EM_PX, INK, Anchor::End),
            None => {
                // Values stand lower, beside the bar.
                let name = cut(name, SMALL_PX, self.edge_px - self.pixels.0);
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

    /// The bar of a line as long as an estimate, with a whisker for its interval; where both end.
    pub fn measured(
        &self,
        canvas: &mut Canvas,
        axis: &Axis,
        line: usize,
        estimate: Estimate,
        (colour, hatched): (Rgb, bool),
    ) -> f64 {
        let end = axis.at(estimate.value);
        self.bar(canvas, line, end, colour, hatched);
        let Some((low, high)) = estimate.interval() else { return end };
        let (low, high) = (axis.at(low), axis.at(high));
        whisker(canvas, (low, high), self.y(line), INK);
        end.max(high)
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
        canvas.path(stripes((left, top), (x, bottom)), 1.5, colour);
        canvas.path([(left, top), (x, top), (x, bottom), (left, bottom), (left, top)], 1.0, colour);
    }
}

/// A line from the low to the high end of an interval, with a stroke at each.
pub(super) fn whisker(canvas: &mut Canvas, (low, high): (f64, f64), y: f64, colour: Rgb) {
    canvas.path([(low, y), (high, y)], 1.5, colour);
    for x in [low, high] {
        canvas.path([(x, y - 4.0), (x, y + 4.0)], 1.5, colour);
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

/// Rising diagonals within a rectangle, in one line that goes from each to the next along the edge:
/// a line for each would be most of a page of bars.
fn stripes((left, top): Point, (right, bottom): Point) -> Vec<Point> {
    const APART_PX: f64 = 6.0;
    let height = bottom - top;
    let count = ((right - left + height) / APART_PX).max(0.0) as usize;
    let diagonals = (1..=count)
        .map(|i| {
            // The diagonal that meets the bottom edge (or its continuation) here.
            let x = left - height + i as f64 * APART_PX;
            let low = x.max(left);
            let high = (x + height).min(right);
            [(low, bottom - (low - x)), (high, bottom - (high - x))]
        })
        .filter(|[(low, _), (high, _)]| low < high);
    let mut line: Vec<Point> = Vec::new();
    for (i, [low, high]) in diagonals.enumerate() {
        let (from, to, corner) = match i % 2 {
            0 => (low, high, (left, bottom)),
            _ => (high, low, (right, top)),
        };
        // Around the corner where they end on different edges.
        let around = line.last().is_some_and(|last| last.0 != from.0 && last.1 != from.1);
        line.extend(around.then_some(corner));
        line.extend([from, to]);
    }
    line
}
