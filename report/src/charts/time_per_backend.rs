//! Time per backend at the largest n: bars by family, with whiskers for their 95 % intervals, and
//! beside each its ratio to a baseline.
//!
//! Scripts find `ratio:LABEL`, the text of a ratio; `line:LABEL`, the time of a configuration as an
//! upright line, shown for the baseline; and `baseline`, the name of what ratios compare with.

use super::Figure;
use super::axis::Axis;
use super::bars::{Lines, Whiskers};
use super::canvas::{Anchor, Canvas, Mark};
use super::colour::{FAINT, INK, family_colour};
use super::families::{Families, Line};
use super::font::{cut, width_px as text_px};
use super::frame::{EM_PX, Frame, MARGIN_PX, SMALL_PX};
use crate::format::{human_time, or_nothing, with_interval};
use crate::record::Status;
use crate::stats::Estimate;
use crate::summary::{Row, Summary};

pub(super) struct TimePerBackend<'a> {
    summary: &'a Summary,
    n: u32,
    /// The fastest first and failed ones last.
    families: Families<'a>,
}

impl<'a> TimePerBackend<'a> {
    /// `None` where no backend has a time.
    pub fn new(summary: &'a Summary) -> Option<Self> {
        let n = summary.studied_n()?;
        let time = |row: &Row| row.time_ns.map(|time| time.value);
        Some(Self { summary, n, families: Families::new(summary, summary.studied_at(n), time) })
    }

    fn times(&self) -> impl Iterator<Item = Estimate> {
        self.families.rows().filter_map(|row| row.time_ns)
    }

    fn frame(&self, width_px: u32) -> Frame {
        let whiskers = self.whiskers().short();
        let subtitle = format!("Median of the samples; whiskers: {whiskers}; shorter is better");
        Frame::new(width_px, &self.title(), &subtitle)
    }

    /// The ratio to the baseline.
    fn ratio(&self, row: &Row) -> String {
        match self.summary.is_baseline(row) {
            true => "1".to_owned(),
            false => or_nothing(row.ratio, |ratio| with_interval(&ratio, 1.0)),
        }
    }

    fn tip(&self, row: &Row) -> String {
        let group = self.summary.group_of(row);
        let interval = row.time_ns.and_then(|time| time.interval());
        let interval = interval.map_or(String::new(), |(low, high)| {
            format!(" ({} to {})", human_time(low), human_time(high))
        });
        format!("{}: {}{interval}. {}", row.label, value(row), group.about)
    }

    fn whiskers(&self) -> Whiskers {
        Whiskers::of(self.times())
    }
}

fn value(row: &Row) -> String {
    match row.status {
        Status::Ok => or_nothing(row.time_ns, |time| human_time(time.value)),
        failed => failed.words().to_owned(),
    }
}

impl Figure for TimePerBackend<'_> {
    fn file_stem(&self) -> String {
        "time-per-backend".to_owned()
    }

    fn title(&self) -> String {
        format!("Time per backend at n = {}", self.n)
    }

    fn caption(&self) -> String {
        let whiskers = self.whiskers().words();
        format!(
            "Median time of one search, shorter is better, by family; beside each bar its ratio to \
             the baseline, whose time is the upright line. Whiskers are {whiskers}; hatched bars are \
             problem-specific backends, which serve only programs of this shape."
        )
    }

    fn alt(&self) -> String {
        let families = self.families.alt(|row| match self.ratio(row).as_str() {
            "-" | "1" => format!("{} {}", row.label, value(row)),
            ratio => format!("{} {}, ratio {ratio}", row.label, value(row)),
        });
        let baseline = self.summary.baseline.as_deref().unwrap_or("nothing");
        format!("Bars by family, fastest first, with ratios to {baseline}. {families}.")
    }

    fn height_px(&self, width_px: u32) -> u32 {
        Lines::height_px(&self.frame(width_px), self.families.lines().len())
    }

    fn draw(&self, canvas: &mut Canvas, width_px: u32) {
        let frame = self.frame(width_px);
        frame.draw(canvas, f64::from(self.height_px(width_px)));
        let names = self.families.names();
        // A script may set other ratios than these.
        let ratios = self.families.rows().map(|row| text_px(&self.ratio(row), SMALL_PX));
        let ratio_px = ratios.fold(text_px("99.9 (99.99-99.99)", SMALL_PX), f64::max) + 6.0;
        let lines = Lines::new(&frame, &names, text_px("999 ms", EM_PX) + 20.0 + ratio_px);
        let least = self.times().map(|time| time.low).fold(f64::INFINITY, f64::min);
        let most = self.times().map(|time| time.high).fold(0.0, f64::max);
        let axis = Axis::for_bars(least, most, lines.pixels);
        let ticks: Vec<_> = axis.ticks().into_iter().map(|t| (t, tick(t))).collect();
        let scale =
            if axis.log { "time of one search (logarithmic scale)" } else { "time of one search" };
        lines.grid(canvas, &axis, &ticks, scale);
        for row in self.families.rows() {
            if let Some(time) = row.time_ns {
                let x = axis.at(time.value);
                let hidden = !self.summary.is_baseline(row);
                let mark = Mark { hidden, ..Mark::tip(format!("line:{}", row.label), "") };
                canvas.marked(mark, |canvas| {
                    canvas.path([(x, frame.top_px), (x, lines.bottom_px())], 1.0, INK);
                });
            }
        }
        let ratio_x = frame.width_px - MARGIN_PX - ratio_px;
        let baseline = self.summary.baseline.as_deref().unwrap_or("baseline");
        canvas.marked(Mark::tip("baseline", ""), |canvas| {
            let text = cut(&format!("relative to {baseline}"), SMALL_PX, ratio_px);
            canvas.text((ratio_x, lines.y(0)), &text, SMALL_PX, FAINT, Anchor::Start);
        });
        for (line, what) in self.families.lines().iter().enumerate() {
            match what {
                Line::Family(family) => lines.heading(canvas, line, family, family_colour(family)),
                Line::Backend(row) => {
                    let mark = Mark::tip(format!("bar:{}", row.label), self.tip(row));
                    canvas.marked(mark, |canvas| {
                        lines.name(canvas, line, &names[line]);
                        self.bar(canvas, &lines, &axis, line, row);
                    });
                    let mark = Mark::tip(format!("ratio:{}", row.label), "");
                    canvas.marked(mark, |canvas| {
                        let at = (ratio_x, lines.y(line));
                        canvas.text(at, &self.ratio(row), SMALL_PX, FAINT, Anchor::Start);
                    });
                }
            }
        }
    }
}

impl TimePerBackend<'_> {
    fn bar(&self, canvas: &mut Canvas, lines: &Lines, axis: &Axis, line: usize, row: &Row) {
        let group = self.summary.group_of(row);
        let Some(time) = row.time_ns else {
            lines.value(canvas, line, lines.pixels.0, &value(row), FAINT);
            return;
        };
        let drawn = (family_colour(&group.family), group.capabilities.problem_specific);
        let end = lines.measured(canvas, axis, line, time, drawn);
        lines.value(canvas, line, end, &value(row), INK);
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
