//! Time against n: a line for each configuration, named at its end.

use super::Figure;
use super::axis::Axis;
use super::bars::{self, EM_PX, SMALL_PX, WIDTH_PX, label};
use super::canvas::{Anchor, Canvas, Point};
use super::colour::{FAINT, GRID, INK, backend_colour, marker, tint};
use super::font::width_px;
use super::spread::spread;
use super::time_per_backend::tick;
use crate::format::human_time;
use crate::record::Status;
use crate::summary::{Group, Summary};

const TOP_PX: f64 = 72.0;
const BOTTOM_PX: f64 = 52.0;
const LEFT_PX: f64 = 70.0;
const LABEL_PX: f64 = 17.0;

pub(super) struct TimeAgainstN<'a> {
    series: Vec<Series<'a>>,
    /// Smallest and largest n with a time.
    range: (u32, u32),
}

struct Series<'a> {
    group: &'a Group,
    /// How many groups of the same backend come before this one.
    variant: usize,
    /// n, and median time in nanoseconds.
    times: Vec<(u32, f64)>,
    /// Where it failed beyond its last time.
    failed: Option<(u32, Status)>,
}

impl<'a> TimeAgainstN<'a> {
    /// `None` where there are times at fewer than two n.
    pub fn new(summary: &'a Summary) -> Option<Self> {
        let series: Vec<Series> = summary
            .groups
            .iter()
            .enumerate()
            .filter_map(|(i, group)| Series::new(summary, i, group))
            .collect();
        let ns = || series.iter().flat_map(|s| s.times.iter().map(|&(n, _)| n));
        let range = (ns().min()?, ns().max()?);
        (range.0 < range.1).then_some(Self { series, range })
    }
}

impl<'a> Series<'a> {
    fn new(summary: &'a Summary, index: usize, group: &'a Group) -> Option<Self> {
        let rows = || summary.rows.iter().filter(move |row| row.group == index);
        let times: Vec<(u32, f64)> =
            rows().filter_map(|row| Some((row.n, row.time_ns?.value))).collect();
        let last = times.last()?.0;
        let before = &summary.groups[..index];
        Some(Self {
            group,
            variant: before.iter().filter(|g| g.backend == group.backend).count(),
            times,
            failed: rows()
                .find(|row| row.n > last && row.status != Status::Ok)
                .map(|row| (row.n, row.status)),
        })
    }

    fn label(&self) -> String {
        let name = label(self.group);
        match self.failed {
            Some((n, status)) => format!("{name}: {} at {n}", status.words()),
            None => name,
        }
    }
}

impl Figure for TimeAgainstN<'_> {
    fn file_stem(&self) -> &'static str {
        "time-against-n"
    }

    fn title(&self) -> String {
        "Time against n".to_owned()
    }

    fn caption(&self) -> String {
        "Median time of one search for each size of the board, on a logarithmic scale: parallel lines keep their \
         ratio. Problem-specific backends are dashed."
            .to_owned()
    }

    fn alt(&self) -> String {
        let lines = self.series.iter().map(|series| {
            let times = series.times.iter().map(|&(n, ns)| format!("n = {n} {}", human_time(ns)));
            format!("{}: {}", series.label(), times.collect::<Vec<_>>().join(", "))
        });
        format!("Lines, fastest first. {}.", lines.collect::<Vec<_>>().join("; "))
    }

    fn size_px(&self) -> (u32, u32) {
        let labels = TOP_PX + BOTTOM_PX + self.series.len() as f64 * LABEL_PX;
        (WIDTH_PX, labels.max(480.0) as u32)
    }

    fn draw(&self, canvas: &mut Canvas) {
        let (width, height) = (f64::from(self.size_px().0), f64::from(self.size_px().1));
        let subtitle = "Median time of one search (logarithmic scale) by size of the board";
        bars::frame(canvas, self.size_px(), &self.title(), subtitle);

        let labels: Vec<String> = self.series.iter().map(Series::label).collect();
        let label_px = labels.iter().map(|l| width_px(l, EM_PX)).fold(0.0, f64::max);
        let right = width - label_px - 94.0;
        let bottom = height - BOTTOM_PX;
        let times = || self.series.iter().flat_map(|s| s.times.iter().map(|&(_, ns)| ns));
        let least = times().fold(f64::INFINITY, f64::min);
        let y_axis = Axis::log(least, times().fold(0.0, f64::max), (bottom, TOP_PX));
        let x_axis = Axis {
            range: (f64::from(self.range.0), f64::from(self.range.1)),
            pixels: (LEFT_PX + 14.0, right),
            log: false,
        };
        for value in y_axis.ticks() {
            let y = y_axis.at(value);
            canvas.path([(LEFT_PX, y), (right + 8.0, y)], 1.0, GRID);
            canvas.text((LEFT_PX - 8.0, y), &tick(value), SMALL_PX, FAINT, Anchor::End);
        }
        for n in ticks(self.range, right - LEFT_PX) {
            let x = x_axis.at(f64::from(n));
            canvas.path([(x, bottom), (x, bottom + 4.0)], 1.0, FAINT);
            canvas.text((x, bottom + 14.0), &n.to_string(), SMALL_PX, FAINT, Anchor::Middle);
        }
        let middle = f64::midpoint(x_axis.pixels.0, x_axis.pixels.1);
        canvas.text((middle, bottom + 34.0), "n", SMALL_PX, FAINT, Anchor::Middle);

        let ends: Vec<f64> =
            self.series.iter().map(|s| y_axis.at(s.times[s.times.len() - 1].1)).collect();
        let places = spread(&ends, LABEL_PX, (TOP_PX, bottom));
        for ((series, text), &label_y) in self.series.iter().zip(&labels).zip(&places) {
            let at = |&(n, ns): &(u32, f64)| (x_axis.at(f64::from(n)), y_axis.at(ns));
            let points: Vec<Point> = series.times.iter().map(at).collect();
            let colour = backend_colour(&series.group.backend);
            let label_x = right + 70.0;
            let end = points[points.len() - 1];
            // From the last time level to the edge, then to the label; faint, since it is no data.
            let edge = (right + 10.0, end.1);
            let leader = tint(colour, 0.55);
            if end.0 < right {
                dashed(canvas, &[end, edge], leader, 1.0);
            } else {
                canvas.path([end, edge], 1.0, leader);
            }
            canvas.path([edge, (label_x - 4.0, label_y)], 1.0, leader);
            if series.group.capabilities.problem_specific {
                dashed(canvas, &points, colour, 1.5);
            } else {
                canvas.path(points.clone(), 1.5, colour);
            }
            for &point in &points {
                marker(canvas, &series.group.backend, series.variant, point);
            }
            marker(canvas, &series.group.backend, series.variant, (label_x + 2.0, label_y));
            canvas.text((label_x + 12.0, label_y), text, EM_PX, INK, Anchor::Start);
        }
    }
}

/// The n to mark: all where there is room, else at equal distances, at most sixteen.
fn ticks((first, last): (u32, u32), room_px: f64) -> impl Iterator<Item = u32> {
    let most = room_px / (width_px(&last.to_string(), SMALL_PX) + 12.0);
    let gaps = (most as u32).clamp(2, 16) - 1;
    (first..=last).step_by((last - first).div_ceil(gaps).max(1) as usize)
}

/// A dashed line through points; each part starts with a dash.
fn dashed(canvas: &mut Canvas, points: &[Point], colour: super::Rgb, width_px: f64) {
    const DASH_PX: f64 = 5.0;
    for part in points.windows(2) {
        let ((x0, y0), (x1, y1)) = (part[0], part[1]);
        let length = (x1 - x0).hypot(y1 - y0);
        let along = |px: f64| {
            let share = (px / length).min(1.0);
            (x0 + (x1 - x0) * share, y0 + (y1 - y0) * share)
        };
        for dash in 0..(length / (2.0 * DASH_PX)).ceil() as usize {
            let start = dash as f64 * 2.0 * DASH_PX;
            canvas.path([along(start), along(start + DASH_PX)], width_px, colour);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_few() {
        assert!(ticks((6, 10), 600.0).eq(6..=10));
        assert!(ticks((0, u32::MAX), 600.0).count() <= 16);
        assert!(ticks((0, 31), 600.0).eq((0..=31).step_by(3)));
        assert_eq!(ticks((0, u32::MAX), 0.0).last(), Some(u32::MAX));
    }
}
