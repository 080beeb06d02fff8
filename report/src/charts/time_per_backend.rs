//! Time per backend at the largest n: sorted bars, with whiskers for their 95 % intervals.

use super::Figure;
use super::axis::Axis;
use super::bars::{self, EM_PX, Lines, WIDTH_PX};
use super::canvas::Canvas;
use super::colour::{FAINT, INK};
use super::font::width_px;
use crate::format::{human_time, or_nothing};
use crate::record::Status;
use crate::stats::{Estimate, MIN_SAMPLES};
use crate::summary::{Row, Summary};

pub(super) struct TimePerBackend<'a> {
    summary: &'a Summary,
    n: u32,
    /// Fastest first, failed last.
    rows: Vec<&'a Row>,
}

impl<'a> TimePerBackend<'a> {
    /// `None` where no backend has a time.
    pub fn new(summary: &'a Summary) -> Option<Self> {
        let timed = |row: &&Row| row.time_ns.is_some();
        let n = summary.rows.iter().filter(timed).map(|row| row.n).max()?;
        let mut rows: Vec<&Row> = summary.rows_at(n).collect();
        rows.sort_by(|a, b| key(a).total_cmp(&key(b)));
        Some(Self { summary, n, rows })
    }

    fn times(&self) -> impl Iterator<Item = Estimate> {
        self.rows.iter().filter_map(|row| row.time_ns)
    }

    fn whiskers(&self) -> Whiskers {
        if self.times().all(|time| time.confident()) {
            Whiskers::Intervals
        } else if self.times().any(|time| time.confident()) {
            Whiskers::Both
        } else {
            Whiskers::Ranges
        }
    }
}

/// What the whiskers are: few rounds have no 95 % interval, but a range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Whiskers {
    Intervals,
    Ranges,
    Both,
}

fn key(row: &Row) -> f64 {
    row.time_ns.map_or(f64::INFINITY, |time| time.value)
}

fn value(row: &Row) -> String {
    match row.status {
        Status::Ok => or_nothing(row.time_ns, |time| human_time(time.value)),
        failed => failed.words().to_owned(),
    }
}

impl Figure for TimePerBackend<'_> {
    fn file_stem(&self) -> &'static str {
        "time-per-backend"
    }

    fn title(&self) -> String {
        format!("Time per backend at n = {}", self.n)
    }

    fn caption(&self) -> String {
        let whiskers = match self.whiskers() {
            Whiskers::Intervals => "95 % intervals of the median".to_owned(),
            Whiskers::Ranges => format!("the range of fewer than {MIN_SAMPLES} rounds"),
            Whiskers::Both => format!(
                "95 % intervals of the median, or the range of fewer than {MIN_SAMPLES} rounds"
            ),
        };
        format!(
            "Median time of one search, shorter is better. Whiskers are {whiskers}; hatched bars \
             are problem-specific backends, which serve only programs of this shape."
        )
    }

    fn alt(&self) -> String {
        let bars = self.rows.iter().map(|row| format!("{} {}", row.label, value(row)));
        format!("Bars, fastest first: {}.", bars.collect::<Vec<_>>().join("; "))
    }

    fn size_px(&self) -> (u32, u32) {
        (WIDTH_PX, bars::height_px(self.rows.len()))
    }

    fn draw(&self, canvas: &mut Canvas) {
        let groups = self.rows.iter().map(|row| self.summary.group_of(row));
        let lines = Lines::new(groups, width_px("999 ms", EM_PX) + 12.0);
        let least = self.times().map(|time| time.low).fold(f64::INFINITY, f64::min);
        let most = self.times().map(|time| time.high).fold(0.0, f64::max);
        let axis = Axis::for_bars(least, most, lines.pixels);
        let whiskers = match self.whiskers() {
            Whiskers::Intervals => "95 % interval",
            Whiskers::Ranges => "range",
            Whiskers::Both => "95 % interval, or range of few rounds",
        };
        let subtitle = format!("Median of the samples; whiskers: {whiskers}; shorter is better");
        bars::frame(canvas, self.size_px(), &self.title(), &subtitle);
        let ticks: Vec<_> = axis.ticks().into_iter().map(|t| (t, tick(t))).collect();
        let scale =
            if axis.log { "time of one search (logarithmic scale)" } else { "time of one search" };
        lines.grid(canvas, &axis, &ticks, scale);
        for (line, row) in self.rows.iter().enumerate() {
            let group = self.summary.group_of(row);
            lines.name(canvas, line, group);
            let y = lines.y(line);
            let Some(time) = row.time_ns else {
                lines.value(canvas, line, lines.pixels.0, &value(row), FAINT);
                continue;
            };
            lines.bar(canvas, line, axis.at(time.value), group);
            let mut end = axis.at(time.value);
            if let Some((low, high)) = time.interval() {
                let (low, high) = (axis.at(low), axis.at(high));
                canvas.path([(low, y), (high, y)], 1.5, INK);
                for x in [low, high] {
                    canvas.path([(x, y - 4.0), (x, y + 4.0)], 1.5, INK);
                }
                end = end.max(high);
            }
            lines.value(canvas, line, end, &value(row), INK);
        }
    }
}

/// A round time without the decimals that other times have.
pub(super) fn tick(ns: f64) -> String {
    if ns == 0.0 {
        return "0".to_owned();
    }
    let (value, unit) = match ns {
        0.0..1e3 => (ns, "ns"),
        1e3..1e6 => (ns / 1e3, "µs"),
        1e6..1e9 => (ns / 1e6, "ms"),
        _ => (ns / 1e9, "s"),
    };
    // Ticks are sums and powers in floating point: round off what is not meant.
    format!("{} {unit}", (value * 1e6).round() / 1e6)
}
