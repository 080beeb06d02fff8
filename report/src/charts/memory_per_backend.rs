//! Peak memory per backend at the largest n, by family: the heap as a dot, the process as a mark.

use super::Figure;
use super::axis::Axis;
use super::bars::{Lines, label};
use super::canvas::{Anchor, Canvas, Mark, Point, Rgb};
use super::colour::{FAINT, INK, PAPER, family_colour};
use super::font::width_px as text_px;
use super::frame::{EM_PX, Frame, MARGIN_PX, SMALL_PX};
use crate::format::{NOTHING, human_bytes, or_nothing, significant};
use crate::record::Status;
use crate::summary::{Row, Summary, telling_n};

/// From the left end of the lines to the first tick, whose text is centred below it.
const INSET_PX: f64 = 14.0;

pub(super) struct MemoryPerBackend<'a> {
    summary: &'a Summary,
    n: u32,
    /// Each family with its rows, least memory first and failed ones last; families in the order of
    /// their least.
    families: Vec<(String, Vec<&'a Row>)>,
}

/// One line of the chart.
enum Line<'a> {
    Family(&'a str),
    Backend(&'a Row),
}

impl<'a> MemoryPerBackend<'a> {
    /// `None` where no backend told its memory.
    pub fn new(summary: &'a Summary) -> Option<Self> {
        let studied = |row: &&Row| known(row) && summary.group_of(row).studied;
        let n = telling_n(summary.rows.iter().filter(studied))?;
        let mut rows: Vec<&Row> = summary.studied_at(n).collect();
        rows.sort_by_key(|row| {
            let first = row.heap_peak_bytes.or(row.rss_peak_bytes);
            (!known(row), row.heap_peak_bytes.is_none(), first)
        });
        let mut families: Vec<(String, Vec<&Row>)> = Vec::new();
        for row in rows {
            let family = &summary.group_of(row).family;
            match families.iter_mut().find(|(name, _)| name == family) {
                Some((_, rows)) => rows.push(row),
                None => families.push((family.clone(), vec![row])),
            }
        }
        Some(Self { summary, n, families })
    }

    fn lines(&self) -> Vec<Line<'_>> {
        let mut lines = Vec::new();
        for (name, rows) in &self.families {
            lines.push(Line::Family(name));
            lines.extend(rows.iter().map(|row| Line::Backend(row)));
        }
        lines
    }

    fn frame(&self, width_px: u32) -> Frame {
        let overhead = if self.has_overhead() { "; overhead: heap over live bytes" } else { "" };
        let subtitle = format!(
            "Dot: most bytes in the heap; upright mark: peak resident set (RSS) of the process; \
             farther left is better{overhead}"
        );
        Frame::new(width_px, &self.title(), &subtitle)
    }

    fn sizes(&self) -> impl Iterator<Item = f64> {
        let rows = self.families.iter().flat_map(|(_, rows)| rows).filter(|row| known(row));
        rows.flat_map(|row| [row.heap_peak_bytes, row.rss_peak_bytes]).flatten().map(size)
    }

    /// Whether anything tells what lived.
    fn has_overhead(&self) -> bool {
        let mut rows = self.families.iter().flat_map(|(_, rows)| rows);
        rows.any(|row| self.overhead(row) != NOTHING)
    }

    /// Most bytes in the heap over most bytes that were live.
    fn overhead(&self, row: &Row) -> String {
        or_nothing(self.summary.space_overhead(row).filter(|_| known(row)), |overhead| {
            format!("{}x", significant(overhead))
        })
    }
}

fn size(bytes: u64) -> f64 {
    bytes.max(1) as f64
}

fn known(row: &Row) -> bool {
    row.status == Status::Ok && (row.heap_peak_bytes.is_some() || row.rss_peak_bytes.is_some())
}

fn value(row: &Row) -> String {
    if row.status != Status::Ok {
        return row.status.words().to_owned();
    }
    match (row.heap_peak_bytes, row.rss_peak_bytes) {
        (Some(heap), Some(rss)) => format!("{} (RSS {})", human_bytes(heap), human_bytes(rss)),
        (Some(heap), None) => human_bytes(heap),
        (None, Some(rss)) => format!("RSS {}", human_bytes(rss)),
        (None, None) => "not measured".to_owned(),
    }
}

/// A logarithmic axis that begins and ends at a tick, and its ticks: powers of two, eight or so.
fn axis(least: f64, most: f64, pixels: (f64, f64)) -> (Axis, Vec<f64>) {
    // Some room, so that no dot lies on the edge.
    let (low, high) = ((least / 1.2).log2(), (most * 1.2).log2());
    let ends = |step: f64| ((low / step).floor(), (high / step).ceil());
    let few = |step: &f64| ends(*step).1 - ends(*step).0 <= 8.0;
    let step = (1..=64).map(f64::from).find(few).unwrap_or(64.0);
    let (first, last) = ends(step);
    let ticks = (first as i32..=last as i32).map(|i| (f64::from(i) * step).exp2());
    let range = ((first * step).exp2(), (last * step).exp2());
    (Axis { range, pixels, log: true }, ticks.collect())
}

impl Figure for MemoryPerBackend<'_> {
    fn file_stem(&self) -> String {
        "memory-per-backend".to_owned()
    }

    fn title(&self) -> String {
        format!("Peak memory per backend at n = {}", self.n)
    }

    fn caption(&self) -> String {
        "The dot is the most that the heap held at once, hollow for problem-specific backends; the \
         upright mark is the peak resident set of the whole process, program and runtime included. \
         Space overhead is the most that the heap held over the most that the program had live. Less \
         is better; the scale is logarithmic."
            .to_owned()
    }

    fn alt(&self) -> String {
        let families = self.families.iter().map(|(family, rows)| {
            let dots = rows.iter().map(|row| match self.overhead(row).as_str() {
                NOTHING => format!("{} {}", row.label, value(row)),
                overhead => format!("{} {}, overhead {overhead}", row.label, value(row)),
            });
            format!("{family}: {}", dots.collect::<Vec<_>>().join("; "))
        });
        let families = families.collect::<Vec<_>>().join(". ");
        format!("Dots by family, least memory first. {families}.")
    }

    fn height_px(&self, width_px: u32) -> u32 {
        Lines::height_px(&self.frame(width_px), self.lines().len())
    }

    fn draw(&self, canvas: &mut Canvas, width_px: u32) {
        let frame = self.frame(width_px);
        frame.draw(canvas, f64::from(self.height_px(width_px)));
        let name = |line: &Line| match line {
            Line::Family(_) => String::new(),
            Line::Backend(row) => label(self.summary.group_of(row)),
        };
        let names: Vec<String> = self.lines().iter().map(name).collect();
        let overhead_px = text_px("overhead", SMALL_PX) + 6.0;
        let stacked = frame.narrow();
        let value_px = text_px("999 KiB (RSS 9.99 MiB)", EM_PX) + 16.0;
        let column = !stacked && self.has_overhead();
        let column_px = if column { overhead_px } else { 0.0 };
        let lines = Lines::new(&frame, &names, value_px + column_px);
        let least = self.sizes().fold(f64::INFINITY, f64::min);
        let most = self.sizes().fold(0.0, f64::max);
        let (axis, ticks) = axis(least, most, (lines.pixels.0 + INSET_PX, lines.pixels.1));
        let ticks: Vec<_> = ticks.into_iter().map(|at| (at, human_bytes(at as u64))).collect();
        lines.grid(canvas, &axis, &ticks, "peak memory (logarithmic scale)");
        let overhead_x = frame.width_px - MARGIN_PX;
        if column {
            canvas.text((overhead_x, lines.y(0)), "overhead", SMALL_PX, FAINT, Anchor::End);
        }
        for (line, what) in self.lines().iter().enumerate() {
            let row = match what {
                Line::Family(family) => {
                    lines.heading(canvas, line, family, family_colour(family));
                    continue;
                }
                Line::Backend(row) => row,
            };
            let about = &self.summary.group_of(row).about;
            let tip = format!("{}: {}. {about}", row.label, value(row));
            canvas.marked(Mark::tip(format!("memory:{}", row.label), tip), |canvas| {
                lines.name(canvas, line, &names[line]);
                self.dot(canvas, &lines, &axis, line, row);
                let (text, rise_px) = match self.overhead(row) {
                    overhead if column => (overhead, 0.0),
                    overhead if overhead == NOTHING => (String::new(), 0.0),
                    // There is no column, but room beside the name.
                    overhead => (format!("overhead {overhead}"), 18.0),
                };
                let at = (overhead_x, lines.y(line) - rise_px);
                canvas.text(at, &text, SMALL_PX, FAINT, Anchor::End);
            });
        }
    }
}

impl MemoryPerBackend<'_> {
    fn dot(&self, canvas: &mut Canvas, lines: &Lines, axis: &Axis, line: usize, row: &Row) {
        if !known(row) {
            lines.value(canvas, line, lines.pixels.0, &value(row), FAINT);
            return;
        }
        let group = self.summary.group_of(row);
        let (y, colour) = (lines.y(line), family_colour(&group.family));
        let place = |bytes: Option<u64>| bytes.map(|bytes| axis.at(size(bytes)));
        let (heap, rss) = (place(row.heap_peak_bytes), place(row.rss_peak_bytes));
        if let Some((heap, rss)) = heap.zip(rss) {
            canvas.path([(heap, y), (rss, y)], 1.5, colour);
        }
        if let Some(x) = rss {
            canvas.path([(x, y - 7.0), (x, y + 7.0)], 2.5, INK);
        }
        if let Some(x) = heap {
            disc(canvas, (x, y), 5.5, colour);
            if group.capabilities.problem_specific {
                disc(canvas, (x, y), 3.5, PAPER);
            }
        }
        let end = heap.into_iter().chain(rss).fold(lines.pixels.0, f64::max);
        lines.value(canvas, line, end, &value(row), INK);
    }
}

/// A filled circle, with corners too many to be seen.
fn disc(canvas: &mut Canvas, (x, y): Point, radius_px: f64, colour: Rgb) {
    const CORNERS: u32 = 24;
    let corner = |i: u32| {
        let angle = f64::from(i) * std::f64::consts::TAU / f64::from(CORNERS);
        (x + radius_px * angle.cos(), y + radius_px * angle.sin())
    };
    canvas.area((0..CORNERS).map(corner).collect::<Vec<_>>(), colour);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_axis_holds_every_value_and_ends_at_ticks() {
        let sizes = [(1.0, 1.0), (6016.0, 37e6), (65536.0, 65536.0), (1.0, 1.8e19), (100.0, 130.0)];
        for (least, most) in sizes {
            let (axis, ticks) = axis(least, most, (0.0, 100.0));
            assert!(axis.range.0 < least && most < axis.range.1, "{least} {most}");
            assert_eq!((ticks[0], ticks[ticks.len() - 1]), axis.range);
            assert!((2..=9).contains(&ticks.len()), "{ticks:?}");
            assert!(axis.at(least) > 0.0 && axis.at(most) < 100.0);
        }
    }
}
