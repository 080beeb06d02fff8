//! Lines on two axes, each named at its right end: what most charts are.

use super::axis::{Axis, spaced};
use super::canvas::{Anchor, Canvas, Mark, Point, Rgb};
use super::colour::{FAINT, GRID, INK, backend_colour, marker, tint};
use super::font::{cut, width_px as text_px};
use super::frame::{EM_PX, Frame, SMALL_PX};
use super::spread::spread;

const BOTTOM_PX: f64 = 52.0;
/// From one name to the next.
const NAME_PX: f64 = 17.0;
/// Most of a narrow paper that names may take.
const NAMES_SHARE: f64 = 0.36;

/// A chart of lines.
pub(super) struct Plot {
    /// Its title.
    pub title: String,
    /// How to read it, in a line.
    pub subtitle: String,
    /// From left to right.
    pub x: Scale,
    /// From bottom to top.
    pub y: Scale,
    /// The lines, in the order in which they are drawn.
    pub series: Vec<Series>,
}

/// What is drawn along one axis.
pub(super) struct Scale {
    /// What the axis shows, with its unit.
    pub title: String,
    /// How far apart values lie.
    pub kind: Kind,
    /// Ends of the axis, where the values are not to decide.
    pub range: Option<(f64, f64)>,
    /// Places and texts to mark, where round numbers are not; those without room are left out.
    pub ticks: Option<Vec<(f64, String)>>,
    /// How a round value is written at the axis.
    pub tick: fn(f64) -> String,
    /// How any value is written for those who point at it.
    pub value: fn(f64) -> String,
}

/// How far apart values lie on an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Equal differences are equally far apart.
    Linear,
    /// Equal ratios are, and powers of ten are round.
    Log,
    /// Equal ratios are, and powers of two are round.
    Binary,
}

/// One line.
#[derive(Clone, Debug, Default)]
pub(super) struct Series {
    /// Its name at the right end.
    pub name: String,
    /// Backend whose colour and marker it has.
    pub backend: String,
    /// Tells lines of the same backend apart by their marker.
    pub variant: usize,
    /// The places, from left to right; at least one.
    pub points: Vec<Point>,
    /// Low and high end of an interval at each place; empty for none.
    pub intervals: Vec<(f64, f64)>,
    /// How it is drawn.
    pub style: Style,
}

/// How a line is drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Style {
    /// A line with a marker at each place.
    #[default]
    Marked,
    /// The same, dashed: problem-specific backends.
    Dashed,
    /// A line through many places, without markers.
    Curve,
    /// The same, dashed.
    DashedCurve,
    /// One value for all x: a thin line across, at the y of the only place.
    Level,
}

impl Plot {
    fn frame(&self, width_px: u32) -> Frame {
        Frame::new(width_px, &self.title, &self.subtitle)
    }

    /// Height of the chart at this width.
    pub fn height_px(&self, width_px: u32) -> u32 {
        let frame = self.frame(width_px);
        let least = if frame.narrow() { 260.0 } else { 350.0 };
        let names = self.series.len() as f64 * NAME_PX;
        (frame.top_px + names.max(least) + BOTTOM_PX) as u32
    }

    /// Draws all of it.
    pub fn draw(&self, canvas: &mut Canvas, width_px: u32) {
        let frame = self.frame(width_px);
        let height = f64::from(self.height_px(width_px));
        frame.draw(canvas, height);
        let (top, bottom) = (frame.top_px, height - BOTTOM_PX);
        let (name_em, most) = match frame.narrow() {
            true => (SMALL_PX, frame.width_px * NAMES_SHARE),
            false => (EM_PX, f64::INFINITY),
        };
        let names: Vec<String> =
            self.series.iter().map(|series| cut(&series.name, name_em, most)).collect();
        let widest = names.iter().map(|name| text_px(name, name_em)).fold(0.0, f64::max);
        let leader = if frame.narrow() { 14.0 } else { 60.0 };
        let right = frame.width_px - widest - leader - 34.0;

        let ys = self.series.iter().flat_map(|series| {
            let ends = series.intervals.iter().flat_map(|&(low, high)| [low, high]);
            series.points.iter().map(|&(_, y)| y).chain(ends)
        });
        let y_axis = self.y.axis(ys, (bottom, top));
        let y_ticks = self.y.ticks(&y_axis);
        let left = y_ticks.iter().map(|(_, text)| text_px(text, SMALL_PX)).fold(0.0, f64::max);
        let left = left + 22.0;
        let placed = self.series.iter().filter(|series| series.style != Style::Level);
        let xs = placed.flat_map(|series| series.points.iter().map(|&(x, _)| x));
        let x_axis = self.x.axis(xs, (left + 12.0, right));
        for (value, text) in spaced(y_ticks, &y_axis, |_| NAME_PX) {
            let y = y_axis.at(value);
            canvas.path([(left, y), (right + 8.0, y)], 1.0, GRID);
            canvas.text((left - 8.0, y), &text, SMALL_PX, FAINT, Anchor::End);
        }
        let apart = |text: &str| text_px(text, SMALL_PX) + 8.0;
        for (value, text) in spaced(self.x.ticks(&x_axis), &x_axis, apart) {
            let x = x_axis.at(value);
            canvas.path([(x, bottom), (x, bottom + 4.0)], 1.0, FAINT);
            canvas.text((x, bottom + 14.0), &text, SMALL_PX, FAINT, Anchor::Middle);
        }
        let middle = (left + right) / 2.0;
        canvas.text((middle, bottom + 34.0), &self.x.title, SMALL_PX, FAINT, Anchor::Middle);

        let ends = self.series.iter().filter_map(|series| Some(y_axis.at(series.points.last()?.1)));
        let places = spread(&ends.collect::<Vec<_>>(), NAME_PX, (top, bottom));
        let area = Area { x: x_axis, y: y_axis, left, right };
        let lines = self.series.iter().filter(|series| !series.points.is_empty());
        for ((series, name), &name_y) in lines.zip(&names).zip(&places) {
            canvas.marked(Mark::tip(format!("series:{}", series.name), &series.name), |canvas| {
                area.line(canvas, series);
                let at = (right + 10.0 + leader, name_y);
                area.name(canvas, series, name, name_em, at);
            });
            for (i, &point) in series.points.iter().enumerate() {
                if matches!(series.style, Style::Marked | Style::Dashed) {
                    let tip = self.tip(series, i);
                    canvas.marked(Mark::tip("point", tip), |canvas| {
                        marker(canvas, &series.backend, series.variant, area.at(point));
                    });
                }
            }
        }
    }

    /// What is said of one place.
    fn tip(&self, series: &Series, i: usize) -> String {
        let (x, y) = series.points[i];
        let interval = series.intervals.get(i).map_or(String::new(), |&(low, high)| {
            format!(" ({} to {})", (self.y.value)(low), (self.y.value)(high))
        });
        format!("{}, {}: {}{interval}", series.name, (self.x.value)(x), (self.y.value)(y))
    }

    /// The places of all lines as text, with a word on what each number is.
    pub fn alt(&self) -> String {
        let lines = self.series.iter().map(|series| {
            let level = series.style == Style::Level;
            let place = |&(x, y): &Point| match level {
                true => (self.y.value)(y),
                false => format!("{} {}", (self.x.value)(x), (self.y.value)(y)),
            };
            // Of a curve of hundreds of places, a dozen tell its shape.
            let step = series.points.len().div_ceil(12).max(1);
            let places = series.points.iter().step_by(step).map(place);
            format!("{}: {}", series.name, places.collect::<Vec<_>>().join(", "))
        });
        let lines = lines.collect::<Vec<_>>().join("; ");
        format!("Lines of {} against {}. {lines}.", self.y.title, self.x.title)
    }
}

/// Where the lines lie.
struct Area {
    x: Axis,
    y: Axis,
    left: f64,
    right: f64,
}

impl Area {
    fn at(&self, (x, y): Point) -> Point {
        (self.x.at(x), self.y.at(y))
    }

    fn line(&self, canvas: &mut Canvas, series: &Series) {
        let colour = backend_colour(&series.backend);
        let points: Vec<Point> = series.points.iter().map(|&point| self.at(point)).collect();
        for (&(x, _), &(low, high)) in points.iter().zip(&series.intervals) {
            let (low, high) = (self.y.at(low), self.y.at(high));
            canvas.path([(x, low), (x, high)], 1.0, colour);
            for y in [low, high] {
                canvas.path([(x - 3.0, y), (x + 3.0, y)], 1.0, colour);
            }
        }
        match series.style {
            Style::Level => {
                let y = points[points.len() - 1].1;
                dashed(canvas, &[(self.left, y), (self.right + 10.0, y)], colour, 1.0);
            }
            Style::Dashed | Style::DashedCurve => dashed(canvas, &points, colour, 1.5),
            Style::Marked | Style::Curve => canvas.path(points, 1.5, colour),
        }
    }

    /// The name, and a faint leader to it from the line's end, since it is no data.
    fn name(&self, canvas: &mut Canvas, series: &Series, name: &str, em_px: f64, at: Point) {
        let leader = tint(backend_colour(&series.backend), 0.55);
        let end = self.at(series.points[series.points.len() - 1]);
        let edge = (self.right + 10.0, end.1);
        if series.style != Style::Level {
            match end.0 < self.right - 1.0 {
                true => dashed(canvas, &[end, edge], leader, 1.0),
                false => canvas.path([end, edge], 1.0, leader),
            }
        }
        canvas.path([edge, (at.0 - 4.0, at.1)], 1.0, leader);
        marker(canvas, &series.backend, series.variant, (at.0 + 2.0, at.1));
        canvas.text((at.0 + 12.0, at.1), name, em_px, INK, Anchor::Start);
    }
}

impl Scale {
    /// An axis of this kind; the values decide how far it reaches.
    pub fn new(title: &str, kind: Kind, tick: fn(f64) -> String, value: fn(f64) -> String) -> Self {
        Self { title: title.to_owned(), kind, range: None, ticks: None, tick, value }
    }

    fn axis(&self, values: impl Iterator<Item = f64>, pixels: (f64, f64)) -> Axis {
        let (least, most) = values
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (low.min(v), high.max(v)));
        // Of no values, any axis will do.
        let (least, most) = if least > most { (1.0, 2.0) } else { (least, most) };
        let log = self.kind != Kind::Linear;
        let apart = if least == most { 1.0 } else { 0.0 };
        let range = self.range.unwrap_or(match log {
            true => (least / (1.04 + apart), most * (1.04 + apart)),
            false => (least - apart, most + apart),
        });
        Axis { range, pixels, log }
    }

    fn ticks(&self, axis: &Axis) -> Vec<(f64, String)> {
        if let Some(ticks) = &self.ticks {
            let (low, high) = axis.range;
            return ticks.iter().filter(|(at, _)| (low..=high).contains(at)).cloned().collect();
        }
        let values = match self.kind {
            Kind::Linear | Kind::Log => axis.ticks(),
            Kind::Binary => axis.binary_ticks(),
        };
        values.into_iter().map(|value| (value, (self.tick)(value))).collect()
    }
}

/// A dashed line through points; the dashes run on from one part to the next.
pub(super) fn dashed(canvas: &mut Canvas, points: &[Point], colour: Rgb, width_px: f64) {
    const DASH_PX: f64 = 5.0;
    // How far into a dash and the gap after it the part begins.
    let mut phase = 0.0;
    for part in points.windows(2) {
        let ((x0, y0), (x1, y1)) = (part[0], part[1]);
        let length = (x1 - x0).hypot(y1 - y0);
        let along = |px: f64| {
            let share = (px / length).clamp(0.0, 1.0);
            (x0 + (x1 - x0) * share, y0 + (y1 - y0) * share)
        };
        let mut start = -phase;
        while start < length {
            if start + DASH_PX > 0.0 {
                canvas.path([along(start), along(start + DASH_PX)], width_px, colour);
            }
            start += 2.0 * DASH_PX;
        }
        phase = (phase + length) % (2.0 * DASH_PX);
    }
}
