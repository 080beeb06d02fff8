//! Lines on two axes, each named at its right end: what most charts are.

use super::Figure;
use super::above::{Above, cross};
use super::axis::{Axis, spaced};
use super::bars::label;
use super::canvas::{Anchor, Canvas, Mark, Point, Rgb};
use super::colour::{FAINT, GRID, INK, backend_colour, hollow_marker, marker, tint};
use super::font::{cut, width_px as text_px};
use super::frame::{EM_PX, Frame, MARGIN_PX, SMALL_PX};
pub(super) use super::scale::{Kind, Scale};
use super::spread::spread;
use crate::summary::Summary;

/// Below the x axis.
pub(super) const BOTTOM_PX: f64 = 52.0;
/// Between the title of the y axis and the axis.
const Y_TITLE_PX: f64 = 30.0;
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

/// A plot as a figure.
pub(super) struct Plotted {
    /// Name of its files; see [`Figure::file_stem`].
    pub stem: String,
    /// How to read it, in a sentence or two.
    pub caption: String,
    /// What is drawn.
    pub plot: Plot,
}

impl Figure for Plotted {
    fn file_stem(&self) -> String {
        self.stem.clone()
    }

    fn title(&self) -> String {
        self.plot.title.clone()
    }

    fn caption(&self) -> String {
        self.caption.clone()
    }

    fn alt(&self) -> String {
        self.plot.alt()
    }

    fn height_px(&self, width_px: u32) -> u32 {
        self.plot.height_px(width_px)
    }

    fn draw(&self, canvas: &mut Canvas, width_px: u32) {
        self.plot.draw(canvas, width_px);
    }
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
    /// The places, from left to right; at least one. One whose y is infinite has no value: it is a
    /// cross above all others.
    pub points: Vec<Point>,
    /// Low and high end of an interval at each place; empty for none.
    pub intervals: Vec<(f64, f64)>,
    /// Whether the marker at each place has a hole, and what that means; empty for none.
    pub hollow: Vec<Option<&'static str>>,
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
    /// One value for all x: a thin line across, at the y of the only place.
    Level,
    /// No data, but what data are read against: faint, without a marker.
    Guide,
}

impl Series {
    /// The line of a configuration, given by its place in the summary's groups, through these places.
    pub fn of(summary: &Summary, place: usize, points: Vec<Point>) -> Self {
        let group = &summary.groups[place];
        let before = &summary.groups[..place];
        Self {
            name: label(group),
            backend: group.backend.clone(),
            variant: before.iter().filter(|g| !g.swept && g.backend == group.backend).count(),
            points,
            style: match group.capabilities.problem_specific {
                true => Style::Dashed,
                false => Style::Marked,
            },
            ..Self::default()
        }
    }
}

impl Plot {
    /// Height of the chart at this width.
    pub fn height_px(&self, width_px: u32) -> u32 {
        let frame = Frame::new(width_px, &self.title, &self.subtitle);
        let least = if frame.narrow() { 260.0 } else { 350.0 };
        self.bottom_px(&self.layout(frame, 0.0), least) as u32
    }

    /// Where it ends, its area being no lower than that.
    pub fn bottom_px(&self, layout: &Layout, least_px: f64) -> f64 {
        let names = self.series.len() as f64 * NAME_PX;
        let above_px = layout.above.height_px();
        layout.frame.top_px + Y_TITLE_PX + above_px + names.max(least_px) + BOTTOM_PX
    }

    /// What lies where from left to right below the head of a paper, beside names of this width at least.
    pub fn layout(&self, frame: Frame, names_px: f64) -> Layout {
        let (name_em, most) = match frame.narrow() {
            true => (SMALL_PX, frame.width_px * NAMES_SHARE),
            false => (EM_PX, f64::INFINITY),
        };
        let name = |series: &Series| match series.name.split_once(": ") {
            // What failed is told elsewhere too; whose line it is, is not.
            Some((name, _)) if text_px(&series.name, name_em) > most => cut(name, name_em, most),
            _ => cut(&series.name, name_em, most),
        };
        let names: Vec<String> = self.series.iter().map(name).collect();
        let widest = names.iter().map(|name| text_px(name, name_em)).fold(names_px, f64::max);
        let leader = if frame.narrow() { 14.0 } else { 60.0 };
        let right = frame.width_px - widest - leader - 34.0;

        let ys = self.series.iter().flat_map(|series| {
            let ends = series.intervals.iter().flat_map(|&(low, high)| [low, high]);
            series.points.iter().map(|&(_, y)| y).chain(ends)
        });
        let y = self.y.axis(ys.filter(|y| y.is_finite()), (1.0, 0.0));
        let ticks = self.y.ticks(&y);
        let left = ticks.iter().map(|(_, text)| text_px(text, SMALL_PX)).fold(0.0, f64::max);
        let left = left + 22.0;
        let placed = self.series.iter().filter(|series| series.style != Style::Level);
        let xs = placed.flat_map(|series| series.points.iter().map(|&(x, _)| x));
        let x = self.x.axis(xs, (left + 12.0, right));
        let failed = self.series.iter().filter(|series| series.fails()).count();
        let meaning = (self.y.value)(f64::INFINITY);
        let edges = (left, frame.width_px - MARGIN_PX);
        let above = Above::new(&self.x.uprights, &x, edges, failed, meaning);
        Layout { frame, names, name_em, names_px: widest, leader, left, right, x, y, above }
    }

    /// Draws all of it.
    pub fn draw(&self, canvas: &mut Canvas, width_px: u32) {
        let layout = self.layout(Frame::new(width_px, &self.title, &self.subtitle), 0.0);
        let height = f64::from(self.height_px(width_px));
        layout.frame.draw(canvas, height);
        self.draw_on(canvas, &layout, height);
    }

    /// Draws it below a head that is drawn, down to a height.
    pub fn draw_on(&self, canvas: &mut Canvas, layout: &Layout, height: f64) {
        let Layout { frame, left, right, x: x_axis, above, .. } = layout;
        let (left, right) = (*left, *right);
        // Upright titles are hard to read: the y axis has its own above it.
        let title = cut(&self.y.title, SMALL_PX, frame.width_px - 2.0 * MARGIN_PX);
        canvas.text((MARGIN_PX, frame.top_px + 8.0), &title, SMALL_PX, FAINT, Anchor::Start);
        let head = frame.top_px + Y_TITLE_PX;
        let (top, bottom) = (head + above.height_px(), height - BOTTOM_PX);
        let y_axis = Axis { pixels: (bottom, top), ..layout.y };
        for (value, text) in spaced(self.y.ticks(&y_axis), &y_axis, |_| NAME_PX) {
            let y = y_axis.at(value);
            canvas.path([(left, y), (right + 8.0, y)], 1.0, GRID);
            canvas.text((left - 8.0, y), &text, SMALL_PX, FAINT, Anchor::End);
        }
        let apart = |text: &str| text_px(text, SMALL_PX) + 8.0;
        for (value, text) in spaced(self.x.ticks(x_axis), x_axis, apart) {
            let x = x_axis.at(value);
            canvas.path([(x, bottom), (x, bottom + 4.0)], 1.0, FAINT);
            canvas.text((x, bottom + 14.0), &text, SMALL_PX, FAINT, Anchor::Middle);
        }
        let middle = (left + right) / 2.0;
        canvas.text((middle, bottom + 34.0), &self.x.title, SMALL_PX, FAINT, Anchor::Middle);
        above.draw(canvas, left, head, bottom);

        let ends = self.series.iter().filter_map(|series| Some(y_axis.at(series.end()?.1)));
        let places = spread(&ends.collect::<Vec<_>>(), NAME_PX, (top, bottom));
        let mut area = Area { x: *x_axis, y: y_axis, left, right, cross_y: top, levels: 0 };
        let mut failed = 0;
        let lines = self.series.iter().filter(|series| !series.points.is_empty());
        for ((series, name), &name_y) in lines.zip(&layout.names).zip(&places) {
            if series.fails() {
                area.cross_y = above.cross_y(failed, head);
                failed += 1;
            }
            area.levels += usize::from(series.style == Style::Level);
            canvas.marked(Mark::tip(format!("series:{}", series.name), &series.name), |canvas| {
                area.line(canvas, series);
                let at = (right + 10.0 + layout.leader, name_y);
                area.name(canvas, series, name, layout.name_em, at);
            });
            for (i, &point) in series.points.iter().enumerate() {
                if matches!(series.style, Style::Marked | Style::Dashed) {
                    let tip = self.tip(series, i);
                    let (name, variant, at) = (&series.backend, series.variant, area.at(point));
                    canvas.marked(Mark::tip("point", tip), |canvas| match point.1.is_finite() {
                        true if series.is_hollow(i).is_some() => {
                            hollow_marker(canvas, name, variant, at);
                        }
                        true => marker(canvas, name, variant, at),
                        false => cross(canvas, at, backend_colour(name)),
                    });
                }
            }
        }
    }

    /// What is said of one place.
    fn tip(&self, series: &Series, i: usize) -> String {
        let (x, y) = series.points[i];
        let interval = series.intervals.get(i).filter(|_| y.is_finite());
        let interval = interval.map_or(String::new(), |&(low, high)| {
            format!(" ({} to {})", (self.y.value)(low), (self.y.value)(high))
        });
        let hollow = series.is_hollow(i).map_or(String::new(), |why| format!("; {why}"));
        format!("{}, {}: {}{interval}{hollow}", series.name, (self.x.value)(x), (self.y.value)(y))
    }

    /// The places of all lines as text, with a word on what each number is.
    pub fn alt(&self) -> String {
        let lines = self.series.iter().map(|series| {
            let level = series.style == Style::Level;
            let place = |(i, &(x, y)): (usize, &Point)| match (level, series.is_hollow(i)) {
                (true, _) => (self.y.value)(y),
                (false, None) => format!("{} {}", (self.x.value)(x), (self.y.value)(y)),
                (false, Some(why)) => {
                    format!("{} {} ({why})", (self.x.value)(x), (self.y.value)(y))
                }
            };
            // Of a curve of hundreds of places, a dozen tell its shape.
            let step = series.points.len().div_ceil(12).max(1);
            let places = series.points.iter().enumerate().step_by(step).map(place);
            format!("{}: {}", series.name, places.collect::<Vec<_>>().join(", "))
        });
        let lines = lines.collect::<Vec<_>>().join("; ");
        format!("Lines of {} against {}. {lines}.", self.y.title, self.x.title)
    }
}

/// What lies where from left to right.
pub(super) struct Layout {
    frame: Frame,
    /// As long as there is room for.
    names: Vec<String>,
    name_em: f64,
    /// Room of the widest of them.
    pub names_px: f64,
    /// From the lines to their names.
    leader: f64,
    left: f64,
    right: f64,
    x: Axis,
    /// Its pixels are not yet known.
    y: Axis,
    above: Above,
}

impl Series {
    /// Whether any place has no value.
    fn fails(&self) -> bool {
        self.points.iter().any(|(_, y)| y.is_infinite())
    }

    /// What the hole of a place's marker means; `None` where it has none.
    fn is_hollow(&self, i: usize) -> Option<&'static str> {
        self.hollow.get(i).copied().flatten()
    }

    /// The last place that has a value; the last of all where none has.
    fn end(&self) -> Option<Point> {
        let valued = self.points.iter().rev().find(|(_, y)| y.is_finite());
        valued.or(self.points.last()).copied()
    }
}

/// Where the lines lie.
struct Area {
    x: Axis,
    y: Axis,
    left: f64,
    right: f64,
    /// Where places without a value are.
    cross_y: f64,
    /// Levels so far.
    levels: usize,
}

impl Area {
    fn at(&self, (x, y): Point) -> Point {
        (self.x.at(x), if y.is_finite() { self.y.at(y) } else { self.cross_y })
    }

    fn line(&self, canvas: &mut Canvas, series: &Series) {
        let colour = backend_colour(&series.backend);
        let level = series.style == Style::Level;
        let valued = |(_, y): &Point| y.is_finite();
        for (&point, &(low, high)) in series.points.iter().zip(&series.intervals) {
            if !valued(&point) {
                continue;
            }
            // A level's place means nothing: they stand beside each other at the end.
            let (x, reach) = match level {
                true => (self.right - 3.0 + 4.0 * self.levels as f64, 1.5),
                false => (self.x.at(point.0), 3.0),
            };
            let (low, high) = (self.y.at(low), self.y.at(high));
            canvas.path([(x, low), (x, high)], 1.0, colour);
            for y in [low, high] {
                canvas.path([(x - reach, y), (x + reach, y)], 1.0, colour);
            }
        }
        for run in series.points.chunk_by(|a, b| valued(a) && valued(b)).filter(|r| valued(&r[0])) {
            let points: Vec<Point> = run.iter().map(|&point| self.at(point)).collect();
            match series.style {
                Style::Level => {
                    let y = points[points.len() - 1].1;
                    dashed(canvas, &[(self.left, y), (self.right + 10.0, y)], colour, 1.0);
                }
                Style::Guide => canvas.path(points, 1.0, tint(FAINT, 0.5)),
                Style::Dashed => dashed(canvas, &points, colour, 1.5),
                Style::Marked => canvas.path(points, 1.5, colour),
            }
        }
    }

    /// The name, and a faint leader to it from the line's end, since it is no data.
    fn name(&self, canvas: &mut Canvas, series: &Series, name: &str, em_px: f64, at: Point) {
        let guide = series.style == Style::Guide;
        let colour = if guide { FAINT } else { backend_colour(&series.backend) };
        let leader = tint(colour, 0.55);
        let end = self.at(series.end().unwrap_or_default());
        let edge = (self.right + 10.0, end.1);
        if series.style != Style::Level {
            match end.0 < self.right - 1.0 {
                true => dashed(canvas, &[end, edge], leader, 1.0),
                false => canvas.path([end, edge], 1.0, leader),
            }
        }
        canvas.path([edge, (at.0 - 4.0, at.1)], 1.0, leader);
        if !guide {
            marker(canvas, &series.backend, series.variant, (at.0 + 2.0, at.1));
        }
        let ink = if guide { FAINT } else { INK };
        canvas.text((at.0 + 12.0, at.1), name, em_px, ink, Anchor::Start);
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
