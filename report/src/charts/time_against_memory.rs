//! Time against memory at the largest n: each backend a point, and the front of those that no other
//! beats in both.

use super::Figure;
use super::axis::{Axis, spaced};
use super::bars::label;
use super::beside::{Place, beside};
use super::canvas::{Anchor, Canvas, Mark, Point};
use super::colour::{FAINT, GRID, INK, PAPER, backend_colour, hollow_marker, marker, tint};
use super::font::{cut, width_px as text_px};
use super::frame::{EM_PX, Frame, MARGIN_PX, SMALL_PX};
use super::time_per_backend::tick;
use crate::format::{human_bytes, human_time};
use crate::summary::{Group, Row, Summary};

const BOTTOM_PX: f64 = 52.0;
/// From one line of the list to the next.
const LINE_PX: f64 = 19.0;

pub(super) struct TimeAgainstMemory<'a> {
    n: u32,
    /// Fastest first.
    spots: Vec<Spot<'a>>,
    /// Which of them no other beats, least memory first.
    front: Vec<usize>,
    /// Names of those whose heap is unknown.
    unknown: Vec<String>,
}

struct Spot<'a> {
    group: &'a Group,
    name: String,
    heap_bytes: f64,
    time_ns: f64,
}

impl<'a> TimeAgainstMemory<'a> {
    /// `None` where fewer than two backends have both a time and a size of their heap.
    pub fn new(summary: &'a Summary) -> Option<Self> {
        let n = summary.studied_n()?;
        let timed = || summary.studied_at(n).filter(|row| row.time_ns.is_some());
        let spot = |row: &Row| {
            let group = summary.group_of(row);
            let (heap_bytes, time_ns) = (row.heap_peak_bytes?.max(1) as f64, row.time_ns?.value);
            Some(Spot { group, name: label(group), heap_bytes, time_ns })
        };
        let mut spots: Vec<Spot> = timed().filter_map(spot).collect();
        spots.sort_by(|a, b| a.time_ns.total_cmp(&b.time_ns));
        let unknown = timed().filter(|row| row.heap_peak_bytes.is_none());
        let unknown = unknown.map(|row| label(summary.group_of(row))).collect();
        let front = front(&spots);
        (spots.len() > 1).then_some(Self { n, spots, front, unknown })
    }

    fn frame(&self, width_px: u32) -> Frame {
        let left_out = match self.unknown.len() {
            0 => String::new(),
            1 => "; one is left out: no heap size".to_owned(),
            many => format!("; {many} are left out: no heap size"),
        };
        let subtitle = format!(
            "Median time of one search against most bytes in the heap, both logarithmic; low and \
             left is better; line: not beaten in both{left_out}"
        );
        Frame::new(width_px, &self.title(), &subtitle)
    }

    fn layout(&self, width_px: u32) -> Layout {
        let frame = self.frame(width_px);
        let (least_ns, most_ns) = ends(self.spots.iter().map(|spot| spot.time_ns));
        let (least_bytes, most_bytes) = ends(self.spots.iter().map(|spot| spot.heap_bytes));
        let height_px = if frame.narrow() { 320.0 } else { 430.0 };
        let (top, bottom) = (frame.top_px + 4.0, frame.top_px + height_px);
        let y = Axis { range: (least_ns / 1.15, most_ns * 1.15), pixels: (bottom, top), log: true };
        let y_ticks: Vec<_> = y.ticks().into_iter().map(|at| (at, tick(at))).collect();
        let widest = y_ticks.iter().map(|(_, text)| text_px(text, SMALL_PX)).fold(0.0, f64::max);
        let (left, right) = (widest + 22.0, frame.width_px - MARGIN_PX);
        let x =
            Axis { range: (least_bytes / 1.5, most_bytes * 1.5), pixels: (left, right), log: true };
        let points: Vec<Point> =
            self.spots.iter().map(|spot| (x.at(spot.heap_bytes), y.at(spot.time_ns))).collect();
        let within = [left, top, right, bottom];
        let em_px = if frame.narrow() { SMALL_PX } else { EM_PX };
        let size = |text: &str| (text_px(text, em_px) + 2.0, em_px + 1.0);
        let front = steps(self.front.iter().map(|&i| points[i]).collect(), (top, right));
        let lines: Vec<_> = front.windows(2).map(|pair| [pair[0], pair[1]]).collect();
        let placed = |texts: &[String]| {
            let sizes: Vec<_> = texts.iter().map(|text| size(text)).collect();
            beside(&points, &sizes, &lines, within)
        };
        let names: Vec<String> = self.spots.iter().map(|spot| spot.name.clone()).collect();
        let numbers: Vec<String> = (1..=self.spots.len()).map(|i| i.to_string()).collect();
        let places = placed(&names);
        let listed = places.iter().any(Option::is_none);
        // Not even all numbers may have room: then the list has to do.
        let (texts, places) = match listed {
            true => (numbers.clone(), placed(&numbers)),
            false => (names, places),
        };
        Layout { frame, x, y, y_ticks, points, front, texts, places, listed, em_px }
    }
}

/// What lies where.
struct Layout {
    frame: Frame,
    x: Axis,
    y: Axis,
    y_ticks: Vec<(f64, String)>,
    points: Vec<Point>,
    /// Corners of the line of those that are not beaten.
    front: Vec<Point>,
    /// What stands beside each point: its name, or its number in the list.
    texts: Vec<String>,
    /// None where there is no room.
    places: Vec<Option<Place>>,
    /// Whether a list below tells the names.
    listed: bool,
    em_px: f64,
}

impl Layout {
    fn columns(&self) -> usize {
        if self.frame.narrow() { 1 } else { 2 }
    }

    fn list_top_px(&self) -> f64 {
        self.y.pixels.0 + BOTTOM_PX + 6.0
    }

    fn height_px(&self) -> f64 {
        let lines = if self.listed { self.points.len().div_ceil(self.columns()) } else { 0 };
        self.list_top_px() + lines as f64 * LINE_PX
    }
}

/// Those that no other beats: as little memory and as little time, and less of one of them. Only of
/// those that serve any program; least memory first.
fn front(spots: &[Spot]) -> Vec<usize> {
    let general = |spot: &&Spot| !spot.group.capabilities.problem_specific;
    let beats = |a: &Spot, b: &Spot| {
        a.heap_bytes <= b.heap_bytes
            && a.time_ns <= b.time_ns
            && (a.heap_bytes < b.heap_bytes || a.time_ns < b.time_ns)
    };
    let beaten = |spot: &Spot| spots.iter().filter(general).any(|other| beats(other, spot));
    let on_it = |&i: &usize| general(&&spots[i]) && !beaten(&spots[i]);
    let mut front: Vec<usize> = (0..spots.len()).filter(on_it).collect();
    front.sort_by(|&a, &b| spots[a].heap_bytes.total_cmp(&spots[b].heap_bytes));
    front
}

fn ends(values: impl Iterator<Item = f64>) -> (f64, f64) {
    values.fold((f64::INFINITY, 0.0), |(low, high), value| (low.min(value), high.max(value)))
}

fn said(spot: &Spot) -> String {
    format!("{}: {}, {}", spot.name, human_time(spot.time_ns), human_bytes(spot.heap_bytes as u64))
}

impl Figure for TimeAgainstMemory<'_> {
    fn file_stem(&self) -> String {
        "time-against-memory".to_owned()
    }

    fn title(&self) -> String {
        format!("Time against memory at n = {}", self.n)
    }

    fn caption(&self) -> String {
        let unknown = match self.unknown.is_empty() {
            true => String::new(),
            false => format!(
                " Left out, since the size of their heap is not known (that of the process is \
                 another thing): {}.",
                self.unknown.join(", ")
            ),
        };
        format!(
            "Median time of one search and the most bytes that the heap held at once. The line joins \
             backends that no other beats in both time and memory; hollow markers are \
             problem-specific backends, which are no part of it.{unknown}"
        )
    }

    fn alt(&self) -> String {
        let spots = self.spots.iter().map(said).collect::<Vec<_>>().join("; ");
        let front = self.front.iter().map(|&i| self.spots[i].name.as_str()).collect::<Vec<_>>();
        format!("Points, fastest first. {spots}. Not beaten in both: {}.", front.join(", "))
    }

    fn height_px(&self, width_px: u32) -> u32 {
        self.layout(width_px).height_px() as u32
    }

    fn draw(&self, canvas: &mut Canvas, width_px: u32) {
        let layout = self.layout(width_px);
        layout.frame.draw(canvas, layout.height_px());
        layout.axes(canvas);
        canvas.path(layout.front.clone(), 2.0, tint(FAINT, 0.6));
        for (i, spot) in self.spots.iter().enumerate() {
            let mark = Mark::tip(format!("point:{}", spot.group.label), said(spot));
            canvas.marked(mark, |canvas| {
                if let Some(place) = &layout.places[i] {
                    let [left, top, right, bottom] = place.bounds;
                    if let Some(leader) = place.leader {
                        canvas.path(leader, 1.0, tint(backend_colour(&spot.group.backend), 0.4));
                    }
                    let middle = f64::midpoint(top, bottom);
                    canvas.rect((left, top), (right, bottom), PAPER);
                    let at = (left + 1.0, middle);
                    canvas.text(at, &layout.texts[i], layout.em_px, INK, Anchor::Start);
                }
                draw_marker(canvas, spot, layout.points[i]);
            });
        }
        if layout.listed {
            self.list(canvas, &layout);
        }
    }
}

fn draw_marker(canvas: &mut Canvas, spot: &Spot, at: Point) {
    match spot.group.capabilities.problem_specific {
        true => hollow_marker(canvas, &spot.group.backend, 0, at),
        false => marker(canvas, &spot.group.backend, 0, at),
    }
}

/// The corners of the front, from the top to the right end: whoever has so much memory gets no faster
/// than this.
fn steps(front: Vec<Point>, (top, right): (f64, f64)) -> Vec<Point> {
    let (Some(&first), Some(&last)) = (front.first(), front.last()) else { return Vec::new() };
    let mut corners = vec![(first.0, top), first];
    for pair in front.windows(2) {
        corners.extend([(pair[1].0, pair[0].1), pair[1]]);
    }
    corners.push((right, last.1));
    corners
}

impl Layout {
    fn axes(&self, canvas: &mut Canvas) {
        let ((left, right), (bottom, top)) = (self.x.pixels, self.y.pixels);
        for (value, text) in spaced(self.y_ticks.clone(), &self.y, |_| LINE_PX) {
            let y = self.y.at(value);
            canvas.path([(left, y), (right, y)], 1.0, GRID);
            canvas.text((left - 8.0, y), &text, SMALL_PX, FAINT, Anchor::End);
        }
        let ticks = self.x.binary_ticks().into_iter().map(|at| (at, human_bytes(at as u64)));
        let apart = |text: &str| text_px(text, SMALL_PX) + 8.0;
        for (value, text) in spaced(ticks.collect(), &self.x, apart) {
            let x = self.x.at(value);
            let half = text_px(&text, SMALL_PX) / 2.0;
            canvas.path([(x, top), (x, bottom + 4.0)], 1.0, GRID);
            if x + half <= self.frame.width_px && x >= half {
                canvas.text((x, bottom + 14.0), &text, SMALL_PX, FAINT, Anchor::Middle);
            }
        }
        let title = "most bytes in the heap";
        let at = (f64::midpoint(left, right), bottom + 34.0);
        canvas.text(at, title, SMALL_PX, FAINT, Anchor::Middle);
    }
}

impl TimeAgainstMemory<'_> {
    /// The names of the numbers.
    fn list(&self, canvas: &mut Canvas, layout: &Layout) {
        let columns = layout.columns();
        let lines = self.spots.len().div_ceil(columns);
        let column_px = (layout.frame.width_px - 2.0 * MARGIN_PX) / columns as f64;
        for (i, spot) in self.spots.iter().enumerate() {
            let x = MARGIN_PX + (i / lines) as f64 * column_px;
            let y = layout.list_top_px() + ((i % lines) as f64 + 0.3) * LINE_PX;
            canvas.text((x + 26.0, y), &layout.texts[i], SMALL_PX, FAINT, Anchor::End);
            draw_marker(canvas, spot, (x + 38.0, y));
            let text = cut(&said(spot), SMALL_PX, column_px - 60.0);
            canvas.text((x + 50.0, y), &text, SMALL_PX, INK, Anchor::Start);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Record;

    /// Names with times in milliseconds and sizes in KiB; a star is problem-specific.
    fn summary(all: &[(&str, u64, Option<u64>)]) -> Summary {
        let record = |&(name, ms, kib): &(&str, u64, Option<u64>)| {
            let mut record = Record {
                backend: name.to_owned(),
                n: 9,
                iterations_ns: vec![ms * 1_000_000],
                heap_peak_bytes: kib.map(|kib| kib << 10),
                ..Record::new()
            };
            record.capabilities.problem_specific = name.ends_with('*');
            record
        };
        Summary::new(&all.iter().map(record).collect::<Vec<_>>(), None).unwrap()
    }

    #[test]
    fn the_front_is_what_no_other_beats() {
        let summary = summary(&[
            ("slow-small", 40, Some(6)),
            ("slower-small", 45, Some(6)),
            ("middle", 20, Some(100)),
            ("as-good", 20, Some(100)),
            ("beaten", 21, Some(120)),
            ("special*", 5, Some(5)),
            ("large-fast", 10, Some(400)),
            ("large-slow", 60, Some(800)),
            ("unknown", 1, None),
        ]);
        let figure = TimeAgainstMemory::new(&summary).unwrap();
        let mut names: Vec<_> =
            figure.front.iter().map(|&i| figure.spots[i].name.as_str()).collect();
        names[1..3].sort_unstable();
        assert_eq!(names, ["slow-small", "as-good", "middle", "large-fast"]);
        assert_eq!(figure.unknown, ["unknown"]);
        assert!(figure.caption().contains("another thing): unknown."));
        assert!(!figure.alt().contains("unknown"));
    }

    #[test]
    fn points_are_where_their_values_are() {
        let summary = summary(&[("a", 10, Some(64)), ("b", 20, Some(256)), ("c", 40, Some(1024))]);
        let figure = TimeAgainstMemory::new(&summary).unwrap();
        for width in [super::super::WIDE_PX, super::super::NARROW_PX] {
            let points = figure.layout(width).points;
            let (a, b, c) = (points[0], points[1], points[2]);
            // Equal ratios are equally far apart; less is left and below.
            assert!((b.0 - a.0 - (c.0 - b.0)).abs() < 1e-6 && b.0 > a.0 + 20.0);
            assert!((b.1 - a.1 - (c.1 - b.1)).abs() < 1e-6 && b.1 < a.1 - 20.0);
            assert!(!figure.layout(width).listed);
        }
        let corners = steps(vec![(1.0, 9.0), (5.0, 4.0)], (0.0, 8.0));
        assert_eq!(corners, [(1.0, 0.0), (1.0, 9.0), (5.0, 9.0), (5.0, 4.0), (8.0, 4.0)]);
    }

    #[test]
    fn many_in_one_place_are_listed() {
        let names: Vec<String> = (0..40).map(|i| format!("backend-{i}")).collect();
        let all: Vec<_> = names.iter().map(|name| (name.as_str(), 10, Some(64))).collect();
        let summary = summary(&all);
        let figure = TimeAgainstMemory::new(&summary).unwrap();
        let layout = figure.layout(super::super::NARROW_PX);
        assert!(layout.listed && layout.texts[39] == "40");
    }

    #[test]
    fn one_point_is_no_picture() {
        let summary = summary(&[("a", 10, Some(64)), ("b", 20, None)]);
        assert!(TimeAgainstMemory::new(&summary).is_none());
    }
}
