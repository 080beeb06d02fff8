//! Peak memory per backend at the largest n: the heap as a bar, the process as a mark.

use super::Figure;
use super::axis::Axis;
use super::bars::{Lines, label};
use super::canvas::Canvas;
use super::colour::{FAINT, INK, backend_colour};
use super::font::width_px as text_px;
use super::frame::{EM_PX, Frame};
use crate::format::human_bytes;
use crate::record::Status;
use crate::summary::{Row, Summary};

pub(super) struct MemoryPerBackend<'a> {
    summary: &'a Summary,
    n: u32,
    /// Least memory first, failed last.
    rows: Vec<&'a Row>,
}

impl<'a> MemoryPerBackend<'a> {
    /// `None` where no backend told its memory.
    pub fn new(summary: &'a Summary) -> Option<Self> {
        let studied = |row: &&Row| known(row) && !summary.group_of(row).swept;
        let n = summary.rows.iter().filter(studied).map(|row| row.n).max()?;
        let mut rows: Vec<&Row> = summary.studied_at(n).collect();
        rows.sort_by_key(|row| {
            let first = row.heap_peak_bytes.or(row.rss_peak_bytes);
            (!known(row), row.heap_peak_bytes.is_none(), first)
        });
        Some(Self { summary, n, rows })
    }

    fn frame(&self, width_px: u32) -> Frame {
        let subtitle = "Bar: most bytes in the heap; upright mark: peak resident set (RSS) of the \
                        process; less is better";
        Frame::new(width_px, &self.title(), subtitle)
    }

    fn sizes(&self) -> impl Iterator<Item = f64> {
        let known = self.rows.iter().filter(|row| known(row));
        known
            .flat_map(|row| [row.heap_peak_bytes, row.rss_peak_bytes])
            .flatten()
            .map(|bytes| bytes.max(1) as f64)
    }
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

impl Figure for MemoryPerBackend<'_> {
    fn file_stem(&self) -> String {
        "memory-per-backend".to_owned()
    }

    fn title(&self) -> String {
        format!("Peak memory per backend at n = {}", self.n)
    }

    fn caption(&self) -> String {
        "The bar is the most that the heap held at once, the upright mark the peak resident set of the whole \
         process, program and runtime included. Less is better; the scale is logarithmic."
            .to_owned()
    }

    fn alt(&self) -> String {
        let bars = self.rows.iter().map(|row| format!("{} {}", row.label, value(row)));
        format!("Bars, least memory first: {}.", bars.collect::<Vec<_>>().join("; "))
    }

    fn height_px(&self, width_px: u32) -> u32 {
        Lines::height_px(&self.frame(width_px), self.rows.len())
    }

    fn draw(&self, canvas: &mut Canvas, width_px: u32) {
        let frame = self.frame(width_px);
        frame.draw(canvas, f64::from(self.height_px(width_px)));
        let names: Vec<String> =
            self.rows.iter().map(|row| label(self.summary.group_of(row))).collect();
        let value_px = text_px("9.99 MiB (RSS 9.99 MiB)", EM_PX) + 12.0;
        let lines = Lines::new(&frame, &names, value_px);
        let least = self.sizes().fold(f64::INFINITY, f64::min);
        let most = self.sizes().fold(0.0, f64::max);
        let axis = Axis::log(least, most, lines.pixels);
        let ticks = axis.binary_ticks().into_iter().map(|t| (t, human_bytes(t as u64)));
        lines.grid(canvas, &axis, &ticks.collect::<Vec<_>>(), "peak memory (logarithmic scale)");
        for (line, row) in self.rows.iter().enumerate() {
            let group = self.summary.group_of(row);
            lines.name(canvas, line, &names[line]);
            let y = lines.y(line);
            if !known(row) {
                lines.value(canvas, line, lines.pixels.0, &value(row), FAINT);
                continue;
            }
            let mut end = lines.pixels.0;
            if let Some(heap) = row.heap_peak_bytes {
                end = axis.at(heap as f64);
                let hatched = group.capabilities.problem_specific;
                lines.bar(canvas, line, end, backend_colour(&group.backend), hatched);
            }
            if let Some(rss) = row.rss_peak_bytes {
                let x = axis.at(rss as f64);
                canvas.path([(x, y - 8.0), (x, y + 8.0)], 2.5, INK);
                end = end.max(x);
            }
            lines.value(canvas, line, end, &value(row), INK);
        }
    }
}
