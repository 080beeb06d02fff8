//! Cells held over time, where time is what was allocated: a small chart for each curve, since
//! sawteeth on one another are unreadable. Backends that hold the same cells share one.

use super::Figure;
use super::axis::{Axis, spaced};
use super::bars::label;
use super::canvas::{Anchor, Canvas, Mark, Point};
use super::colour::{FAINT, GRID, INK, backend_colour, marker};
use super::font::{cut, width_px as text_px};
use super::frame::{EM_PX, Frame, MARGIN_PX, SMALL_PX};
use super::pauses::studied_with;
use crate::format::human_count;
use crate::summary::{Group, Summary};

/// Height of a panel's chart, and of what is below the last one of a column.
const CHART_PX: f64 = 96.0;
const BOTTOM_PX: f64 = 50.0;
/// From one line of names to the next, and from the last of all texts to the chart.
const LINE_PX: f64 = 18.0;
const HEAD_GAP_PX: f64 = 6.0;
/// Between panels, and between the names of one.
const GAP_PX: f64 = 20.0;
const NAME_GAP_PX: f64 = 10.0;
/// From a marker's middle to its name, and from the left edge to the marker's middle.
const MARKER_PX: (f64, f64) = (9.0, 5.0);

pub(super) struct CellsHeld<'a> {
    n: u32,
    /// The fewest cells first.
    panels: Vec<Panel<'a>>,
}

/// One curve.
struct Panel<'a> {
    /// Whose it is.
    groups: Vec<&'a Group>,
    /// Cells allocated, and of these the ones held.
    points: Vec<Point>,
}

/// Where things lie at one width.
struct Layout {
    frame: Frame,
    columns: usize,
    /// Width of a panel, and of the numbers at its left edge.
    panel_px: f64,
    ticks_px: f64,
    /// For each row of panels its top, and the lines of names that it has room for.
    rows: Vec<(f64, usize)>,
    height_px: f64,
}

impl<'a> CellsHeld<'a> {
    /// `None` where no backend was watched.
    pub fn new(summary: &'a Summary) -> Option<Self> {
        let rows = studied_with(summary, |row| !row.live_cells.is_empty());
        let n = rows.first()?.n;
        let mut panels: Vec<Panel> = Vec::new();
        for row in rows {
            let place = |at: &crate::LiveCells| (at.allocated as f64, at.live as f64);
            let points: Vec<Point> = row.live_cells.iter().map(place).collect();
            let group = summary.group_of(row);
            match panels.iter_mut().find(|panel| panel.points == points) {
                Some(panel) => panel.groups.push(group),
                None => panels.push(Panel { groups: vec![group], points }),
            }
        }
        panels.sort_by(|a, b| a.range().1.total_cmp(&b.range().1));
        Some(Self { n, panels })
    }

    fn layout(&self, width_px: u32) -> Layout {
        let subtitle = "Cells held (logarithmic scale, the same for all) while cells are allocated; \
                        less is better. Backends that hold the same share a panel";
        let frame = Frame::new(width_px, &self.title(), subtitle);
        let columns = if frame.narrow() { 1 } else { 2 };
        let room = frame.width_px - 2.0 * MARGIN_PX - (columns - 1) as f64 * GAP_PX;
        let panel_px = room / columns as f64;
        let mut top = frame.top_px;
        let rows = self.panels.chunks(columns).map(|panels| {
            let names = panels.iter().map(|panel| lines(&panel.names(panel_px)));
            let row = (top, names.max().unwrap_or(1));
            top += (row.1 + 1) as f64 * LINE_PX + HEAD_GAP_PX + CHART_PX + GAP_PX;
            row
        });
        let rows = rows.collect();
        let ticks = self.y_axis((CHART_PX, 0.0)).ticks();
        let ticks_px =
            ticks.into_iter().map(|at| text_px(&count(at), SMALL_PX)).fold(0.0, f64::max);
        let height_px = top - GAP_PX + BOTTOM_PX;
        Layout { frame, columns, panel_px, ticks_px: ticks_px + 8.0, rows, height_px }
    }

    /// The same for all panels, with some room at both ends.
    fn y_axis(&self, pixels: (f64, f64)) -> Axis {
        let ranges = self.panels.iter().map(Panel::range);
        let (least, most) = ranges.fold((f64::INFINITY, 1.0_f64), |(least, most), (low, high)| {
            (least.min(low.max(1.0)), most.max(high))
        });
        // Of a curve that never moves, there is a tick above and one below.
        let apart = if most / least < 10.0 { 3.0 } else { 1.3 };
        Axis { range: (least / apart, most * apart), pixels, log: true }
    }

    fn x_axis(&self, pixels: (f64, f64)) -> Axis {
        let ends = self.panels.iter().filter_map(|panel| panel.points.last());
        let most = ends.map(|&(allocated, _)| allocated).fold(1.0, f64::max);
        Axis { range: (0.0, most), pixels, log: false }
    }
}

impl Panel<'_> {
    /// Fewest and most cells held.
    fn range(&self) -> (f64, f64) {
        let held = self.points.iter().map(|&(_, live)| live);
        held.fold((f64::INFINITY, 0.0), |(least, most), live| (least.min(live), most.max(live)))
    }

    /// Each name with the line that it is on and how far from the left it starts.
    fn names(&self, room_px: f64) -> Vec<(usize, f64, String)> {
        let (mut line, mut start) = (0, 0.0);
        let name = |group: &&Group| {
            let name = cut(&label(group), EM_PX, room_px - MARKER_PX.0 - MARKER_PX.1);
            let width = MARKER_PX.0 + MARKER_PX.1 + text_px(&name, EM_PX);
            if start > 0.0 && start + width > room_px {
                (line, start) = (line + 1, 0.0);
            }
            let at = start;
            start += width + NAME_GAP_PX;
            (line, at, name)
        };
        self.groups.iter().map(name).collect()
    }

    fn held(&self) -> String {
        match self.range() {
            (least, most) if least == most => format!("{} cells held", whole(most)),
            (least, most) => format!("{} to {} cells held", whole(least), whole(most)),
        }
    }

    fn labels(&self) -> String {
        self.groups.iter().map(|group| label(group)).collect::<Vec<_>>().join(", ")
    }

    /// Names and numbers above the chart whose left edge and top these are.
    fn head(&self, canvas: &mut Canvas, (left, top): Point, room_px: f64) {
        let names = self.names(room_px);
        for ((line, x, name), group) in names.iter().zip(&self.groups) {
            let (x, y) = (left + x + MARKER_PX.1, top + (*line as f64 + 0.5) * LINE_PX);
            // Which one of several it is, its name tells.
            marker(canvas, &group.backend, 0, (x, y));
            canvas.text((x + MARKER_PX.0, y), name, EM_PX, INK, Anchor::Start);
        }
        let y = top + (lines(&names) as f64 + 0.4) * LINE_PX;
        canvas.text((left, y), &self.held(), SMALL_PX, FAINT, Anchor::Start);
    }

    fn line(&self, canvas: &mut Canvas, x: &Axis, y: &Axis) {
        let at = |&(allocated, live): &Point| (x.at(allocated), y.at(live.max(1.0)));
        let points: Vec<Point> = self.points.iter().map(at).collect();
        let mark = Mark::tip("curve", format!("{}: {}", self.labels(), self.held()));
        let colour = backend_colour(&self.groups[0].backend);
        canvas.marked(mark, |canvas| canvas.path(thinned(&points), 1.0, colour));
    }
}

fn lines(names: &[(usize, f64, String)]) -> usize {
    names.last().map_or(1, |(line, _, _)| line + 1)
}

/// Of all points within one pixel across, the first, the lowest, the highest and the last.
fn thinned(points: &[Point]) -> Vec<Point> {
    let pixels = points.chunk_by(|a, b| a.0.floor() == b.0.floor());
    let kept = pixels.flat_map(|pixel| {
        let extreme = |better: fn(f64, f64) -> bool| {
            (1..pixel.len())
                .fold(0, |best, i| if better(pixel[i].1, pixel[best].1) { i } else { best })
        };
        let mut kept =
            [0, extreme(|y, best| y < best), extreme(|y, best| y > best), pixel.len() - 1];
        kept.sort_unstable();
        let mut kept = kept.to_vec();
        kept.dedup();
        kept.into_iter().map(|i| pixel[i])
    });
    kept.collect()
}

fn whole(cells: f64) -> String {
    human_count(cells as u64)
}

/// A round count without the decimals that other counts have.
fn count(cells: f64) -> String {
    let (value, unit) = match cells {
        ..1e4 => (cells, ""),
        ..1e6 => (cells / 1e3, " k"),
        ..1e9 => (cells / 1e6, " M"),
        _ => (cells / 1e9, " G"),
    };
    format!("{}{unit}", (value * 1e6).round() / 1e6)
}

impl Figure for CellsHeld<'_> {
    fn file_stem(&self) -> String {
        "live-cells".to_owned()
    }

    fn title(&self) -> String {
        format!("Cells held over time at n = {}", self.n)
    }

    fn caption(&self) -> String {
        "Cells that a heap has not reclaimed yet, counted while the search allocates: time is cells \
         allocated, which are the same for every backend. A heap that frees at once holds what lives; \
         where a line rises, garbage waits, and where it falls, it is collected. A curve has at most \
         some hundred points at equal distances: teeth that are closer are not all seen, and slow \
         waves over fast teeth come of where the points happen to fall, not of the heap."
            .to_owned()
    }

    fn alt(&self) -> String {
        let panels = self.panels.iter().map(|panel| {
            let step = panel.points.len().div_ceil(12).max(1);
            let points = panel.points.iter().step_by(step);
            let places =
                points.map(|&(allocated, live)| format!("{} {}", whole(allocated), whole(live)));
            let places = places.collect::<Vec<_>>().join(", ");
            format!("{}: {}; {places}", panel.labels(), panel.held())
        });
        format!(
            "Small charts of cells allocated and cells held, the fewest first. {}.",
            panels.collect::<Vec<_>>().join(". ")
        )
    }

    fn height_px(&self, width_px: u32) -> u32 {
        self.layout(width_px).height_px as u32
    }

    fn draw(&self, canvas: &mut Canvas, width_px: u32) {
        let layout = self.layout(width_px);
        layout.frame.draw(canvas, layout.height_px.floor());
        for (i, panel) in self.panels.iter().enumerate() {
            let (row, column) = (i / layout.columns, i % layout.columns);
            let (row_top, lines) = layout.rows[row];
            let edge = MARGIN_PX + column as f64 * (layout.panel_px + GAP_PX);
            let (left, right) = (edge + layout.ticks_px, edge + layout.panel_px);
            let top = row_top + (lines + 1) as f64 * LINE_PX + HEAD_GAP_PX;
            let bottom = top + CHART_PX;
            panel.head(canvas, (edge, row_top), layout.panel_px);
            let (x, y) = (self.x_axis((left, right)), self.y_axis((bottom, top)));
            let ticks = |axis: &Axis| axis.ticks().into_iter().map(|at| (at, count(at))).collect();
            for (value, text) in spaced(ticks(&y), &y, |_| SMALL_PX + 2.0) {
                let y = y.at(value);
                canvas.path([(left, y), (right, y)], 1.0, GRID);
                canvas.text((left - 6.0, y), &text, SMALL_PX, FAINT, Anchor::End);
            }
            panel.line(canvas, &x, &y);
            if i + layout.columns < self.panels.len() {
                continue;
            }
            // The last one of its column has the axis of all.
            let apart = |text: &str| text_px(text, SMALL_PX) + 8.0;
            for (value, text) in spaced(ticks(&x), &x, apart) {
                let x = x.at(value);
                canvas.path([(x, bottom), (x, bottom + 4.0)], 1.0, FAINT);
                let half = text_px(&text, SMALL_PX) / 2.0;
                let x = x.min(right + MARGIN_PX / 2.0 - half);
                canvas.text((x, bottom + 14.0), &text, SMALL_PX, FAINT, Anchor::Middle);
            }
            let middle = f64::midpoint(left, right);
            canvas.text(
                (middle, bottom + 34.0),
                "cells allocated",
                SMALL_PX,
                FAINT,
                Anchor::Middle,
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thinning_keeps_what_can_be_seen() {
        let apart = [(0.0, 5.0), (1.0, 7.0), (2.5, 3.0)];
        assert_eq!(thinned(&apart), apart);
        let dense: Vec<Point> =
            (0..10_000).map(|i| (f64::from(i) / 100.0, f64::from(i * 37 % 101))).collect();
        let kept = thinned(&dense);
        assert!((200..=400).contains(&kept.len()), "{}", kept.len());
        assert!(kept.is_sorted_by(|a, b| a.0 < b.0), "in order, none twice");
        for pixel in 0..100 {
            let range = |points: &[Point]| {
                let ys = points.iter().filter(|p| p.0.floor() == f64::from(pixel)).map(|p| p.1);
                ys.fold((f64::INFINITY, 0.0), |(low, high): (f64, f64), y| {
                    (low.min(y), high.max(y))
                })
            };
            assert_eq!(range(&kept), range(&dense), "{pixel}");
        }
    }

    #[test]
    fn ticks_are_short() {
        assert_eq!(
            [1.0, 1e3, 1e4, 5e5, 2e6, 1e10].map(count),
            ["1", "1000", "10 k", "500 k", "2 M", "10 G"]
        );
    }
}
