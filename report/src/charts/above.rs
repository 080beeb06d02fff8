//! What stands above the lines of a plot: names of upright lines, and crosses for places that have no
//! value.

use super::axis::Axis;
use super::canvas::{Anchor, Canvas, Rgb};
use super::colour::{FAINT, PAPER, tint};
use super::font::{cut, width_px};
use super::frame::SMALL_PX;

/// From one line of names or crosses to the next.
const ROW_PX: f64 = 16.0;

/// What there is to draw, in rows from the top.
pub(super) struct Above {
    /// Of each upright line: place, row of its name, left end of its name, name.
    uprights: Vec<(f64, usize, f64, String)>,
    /// Rows that names take.
    rows: usize,
    /// What a cross means; none where there are no crosses.
    cross: Option<String>,
    /// Rows that crosses take.
    crosses: usize,
}

impl Above {
    /// Of upright lines with their names, those within the axis; and of so many rows of crosses with
    /// their meaning. Names lie between the two edges.
    pub fn new(
        uprights: &[(f64, String)],
        axis: &Axis,
        (left, right): (f64, f64),
        crosses: usize,
        cross: String,
    ) -> Self {
        let (low, high) = axis.range;
        let mut shown: Vec<_> =
            uprights.iter().filter(|(at, _)| (low..=high).contains(at)).collect();
        shown.sort_by(|(a, _), (b, _)| a.total_cmp(b));
        // The right end of the last name in each row.
        let mut ends: Vec<f64> = Vec::new();
        let uprights = shown.into_iter().map(|(at, name)| {
            let name = cut(name, SMALL_PX, right - left);
            let (x, width) = (axis.at(*at), width_px(&name, SMALL_PX));
            let start = (x - width / 2.0).min(right - width).max(left);
            let row = ends.iter().position(|end| *end + 8.0 <= start).unwrap_or(ends.len());
            ends.resize(ends.len().max(row + 1), 0.0);
            ends[row] = start + width;
            (x, row, start, name)
        });
        let uprights = uprights.collect();
        let cross = (crosses > 0).then_some(cross);
        Self { uprights, rows: ends.len(), cross, crosses }
    }

    /// Height of all of it.
    pub fn height_px(&self) -> f64 {
        let rows = self.rows + self.crosses + usize::from(self.cross.is_some());
        rows as f64 * ROW_PX + if rows == 0 { 0.0 } else { 4.0 }
    }

    /// Draws the upright lines down to the bottom, their names, and what a cross means.
    pub fn draw(&self, canvas: &mut Canvas, left: f64, top: f64, bottom: f64) {
        for (x, row, _, _) in &self.uprights {
            let from = top + (*row as f64 + 1.0) * ROW_PX - 2.0;
            canvas.path([(*x, from), (*x, bottom)], 1.0, tint(FAINT, 0.5));
        }
        for (_, row, start, name) in &self.uprights {
            let y = top + (*row as f64 + 0.5) * ROW_PX;
            let end = start + width_px(name, SMALL_PX);
            canvas.rect((start - 2.0, y - 7.0), (end + 2.0, y + 7.0), PAPER);
            canvas.text((*start, y), name, SMALL_PX, FAINT, Anchor::Start);
        }
        if let Some(meaning) = &self.cross {
            let y = top + (self.rows as f64 + 0.5) * ROW_PX;
            let end = left + 18.0 + width_px(meaning, SMALL_PX);
            canvas.rect((left, y - 7.0), (end, y + 7.0), PAPER);
            cross(canvas, (left + 6.0, y), FAINT);
            canvas.text((left + 16.0, y), meaning, SMALL_PX, FAINT, Anchor::Start);
        }
    }

    /// The middle of a row of crosses, where all of it begins at `top`.
    pub fn cross_y(&self, row: usize, top: f64) -> f64 {
        top + ((self.rows + 1 + row) as f64 + 0.5) * ROW_PX
    }
}

/// A place without a value.
pub(super) fn cross(canvas: &mut Canvas, (x, y): (f64, f64), colour: Rgb) {
    const REACH_PX: f64 = 4.0;
    for side in [-REACH_PX, REACH_PX] {
        canvas.path([(x - REACH_PX, y - side), (x + REACH_PX, y + side)], 2.0, colour);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_take_as_many_rows_as_they_must() {
        let axis = Axis { range: (1.0, 1000.0), pixels: (0.0, 300.0), log: true };
        let above = |places: &[f64]| {
            let uprights: Vec<_> = places.iter().map(|&at| (at, format!("at {at}"))).collect();
            Above::new(&uprights, &axis, (0.0, 300.0), 0, String::new())
        };
        assert_eq!(above(&[]).height_px(), 0.0);
        assert_eq!(above(&[1.0, 30.0, 1000.0]).rows, 1);
        assert_eq!(above(&[30.0, 31.0, 32.0, 1000.0]).rows, 3);
        assert_eq!(above(&[0.5, 2000.0]).uprights.len(), 0);
        for (_, _, start, name) in above(&[1.0, 1000.0]).uprights {
            assert!(start >= 0.0 && start + width_px(&name, SMALL_PX) <= 300.0);
        }
    }
}
