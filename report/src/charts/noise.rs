//! Noise: each sample as a dot, by how far it lies from the median of its configuration. What was
//! entered twice has a line for each entry; a band shows the noise floor that the two give.

use super::Figure;
use super::axis::Axis;
use super::bars::{Column, Lines, label};
use super::canvas::{Canvas, Mark, Point, Rgb};
use super::colour::{FAINT, INK, family_colour, tint};
use super::families::{self, Families};
use super::frame::Frame;
use crate::format::or_nothing;
use crate::stats::{MIN_SAMPLES, outliers};
use crate::summary::{NoiseFloor, Row, Summary};
use crate::verdict::percent;

/// Least and greatest reach of the axis to either side: 0.01 is 1 %.
const LEAST_REACH: f64 = 0.01;
const MOST_REACH: f64 = 0.5;

pub(super) struct Noise<'a> {
    summary: &'a Summary,
    n: u32,
    lines: Vec<Line<'a>>,
    /// How far the axis reaches to either side.
    reach: f64,
}

/// One line of the chart.
enum Line<'a> {
    Family(&'a str),
    Entry(Entry<'a>),
}

/// The samples of a configuration, or those of its second entry.
struct Entry<'a> {
    row: &'a Row,
    second: bool,
    dots: Vec<Dot>,
}

/// One sample.
struct Dot {
    round: usize,
    /// Time over the row's median, less 1.
    off: f64,
    outlier: bool,
}

impl<'a> Noise<'a> {
    /// `None` where no backend has two samples.
    pub fn new(summary: &'a Summary) -> Option<Self> {
        let n = summary.studied_n()?;
        let time = |row: &Row| row.time_ns.map(|time| time.value);
        let rows = summary.studied_at(n).filter(|row| row.time_ns.is_some());
        let families = Families::new(summary, rows, time);
        let mut lines = Vec::new();
        for line in families.lines() {
            match line {
                families::Line::Family(name) => lines.push(Line::Family(name)),
                families::Line::Backend(row) => {
                    let entries = [false, true].map(|second| Entry::new(row, second));
                    lines.extend(entries.into_iter().flatten().map(Line::Entry));
                }
            }
        }
        if entries(&lines).all(|entry| entry.dots.len() < 2) {
            return None;
        }
        let dots = entries(&lines).flat_map(|entry| &entry.dots);
        let usual = dots.filter(|dot| !dot.outlier).map(|dot| dot.off.abs());
        let mut usual: Vec<f64> = usual.collect();
        usual.sort_by(f64::total_cmp);
        // Nineteen of twenty dots with room to spare; what lies far off waits at the edges.
        let most = usual[((usual.len() - 1) * 19).div_ceil(20)];
        let floors = summary.studied_at(n).filter_map(|row| summary.noise_of(row));
        let floor = floors.map(NoiseFloor::fraction).fold(0.0, f64::max);
        let reach = (1.5 * most).max(1.5 * floor).clamp(LEAST_REACH, MOST_REACH);
        Some(Self { summary, n, lines, reach })
    }

    fn frame(&self, width_px: u32) -> Frame {
        let subtitle = "Dot: a sample, from top to bottom in the order of rounds; diamond: an outlier; \
                        triangle at the edge: a sample beyond it; band: the noise floor";
        Frame::new(width_px, &self.title(), subtitle)
    }

    fn names(&self) -> Vec<String> {
        let name = |line: &Line| match line {
            Line::Family(_) => String::new(),
            Line::Entry(entry) => {
                let name = label(self.summary.group_of(entry.row));
                if entry.second { format!("{name}, second entry") } else { name }
            }
        };
        self.lines.iter().map(name).collect()
    }

    /// The noise floor that holds for each line, that of its family's first row for a heading.
    fn floors(&self) -> Vec<Option<f64>> {
        let mut below = None;
        let floor = |line: &Line| {
            if let Line::Entry(entry) = line {
                below = self.summary.noise_of(entry.row).map(NoiseFloor::fraction);
            }
            below
        };
        let mut floors: Vec<Option<f64>> = self.lines.iter().rev().map(floor).collect();
        floors.reverse();
        floors
    }

    fn draw_entry(&self, canvas: &mut Canvas, (axis, y): (&Axis, f64), entry: &Entry) {
        let colour = family_colour(&self.summary.group_of(entry.row).family);
        let last = entry.dots.iter().map(|dot| dot.round).max().unwrap_or(0).max(1) as f64;
        for dot in &entry.dots {
            let y = y - 7.0 + 14.0 * dot.round as f64 / last;
            let at = (axis.at(dot.off), y);
            if dot.off.abs() > self.reach {
                let tip = 6.0 * dot.off.signum();
                canvas.area([(at.0 + tip, y), (at.0, y - 3.5), (at.0, y + 3.5)], INK);
            } else if dot.outlier {
                diamond(canvas, at, 4.5, INK);
            } else {
                square(canvas, at, 1.5, colour);
            }
        }
    }
}

fn entries<'b, 'a>(lines: &'b [Line<'a>]) -> impl Iterator<Item = &'b Entry<'a>> {
    lines.iter().filter_map(|line| match line {
        Line::Family(_) => None,
        Line::Entry(entry) => Some(entry),
    })
}

fn square(canvas: &mut Canvas, (x, y): Point, half: f64, colour: Rgb) {
    canvas.rect((x - half, y - half), (x + half, y + half), colour);
}

fn diamond(canvas: &mut Canvas, (x, y): Point, half: f64, colour: Rgb) {
    canvas.area([(x, y - half), (x + half, y), (x, y + half), (x - half, y)], colour);
}

impl<'a> Entry<'a> {
    /// `None` of a second entry that was not made.
    fn new(row: &'a Row, second: bool) -> Option<Self> {
        let median = row.time_ns?.value;
        let all = row.dots();
        let mine: Vec<_> = all.iter().filter(|dot| dot.control == second).collect();
        // As the table of results marks them: by their logarithms, and of enough samples.
        let logs: Vec<f64> = mine.iter().map(|dot| dot.time_ns.ln()).collect();
        let marks = outliers(&logs);
        let dots = mine.iter().zip(marks).map(|(dot, outlier)| Dot {
            round: dot.round,
            off: dot.time_ns / median - 1.0,
            outlier: outlier && mine.len() >= MIN_SAMPLES,
        });
        let dots: Vec<Dot> = dots.collect();
        (!dots.is_empty()).then_some(Self { row, second, dots })
    }

    fn offs(&self) -> impl Iterator<Item = f64> {
        self.dots.iter().map(|dot| dot.off)
    }

    /// The sample that lies farthest from the median.
    fn farthest(&self) -> f64 {
        self.offs().fold(0.0, |a, b| if b.abs() > a.abs() { b } else { a })
    }

    fn told(&self) -> String {
        let samples = match self.dots.len() {
            1 => "1 sample".to_owned(),
            many => format!("{many} samples"),
        };
        let outliers = match self.dots.iter().filter(|dot| dot.outlier).count() {
            0 => String::new(),
            1 => ", 1 outlier".to_owned(),
            many => format!(", {many} outliers"),
        };
        let entry = if self.second { ", second entry" } else { "" };
        let farthest = signed(self.farthest());
        format!("{}{entry}: {samples}, the farthest {farthest}{outliers}", self.row.label)
    }
}

impl Figure for Noise<'_> {
    fn file_stem(&self) -> String {
        "noise".to_owned()
    }

    fn title(&self) -> String {
        format!("Noise: every sample at n = {}", self.n)
    }

    fn caption(&self) -> String {
        let band = match self.floors().iter().any(Option::is_some) {
            false => "Nothing was entered twice, so there is no band for the noise floor.",
            true => {
                "The band is the noise floor: how far the median of one backend may be from that of \
                 the same backend entered again. Single samples scatter more widely than medians do."
            }
        };
        format!(
            "Each dot is one sample, by how far it lies from the median of its backend; samples \
             beyond {} stand at the edges as triangles. Diamonds are outliers, which count like any \
             other sample. spread: the samples' scaled median absolute deviation; farthest: the \
             sample farthest from the median. {band}",
            percent(self.reach)
        )
    }

    fn alt(&self) -> String {
        let entries: Vec<String> = entries(&self.lines).map(Entry::told).collect();
        let floor = self
            .floors()
            .into_iter()
            .flatten()
            .fold(None, |a: Option<f64>, b| Some(a.map_or(b, |a| a.max(b))));
        let floor = or_nothing(floor, percent);
        format!(
            "Dots of samples by distance from the median; noise floor {floor}. {}.",
            entries.join("; ")
        )
    }

    fn height_px(&self, width_px: u32) -> u32 {
        Lines::height_px(&self.frame(width_px), self.lines.len())
    }

    fn draw(&self, canvas: &mut Canvas, width_px: u32) {
        let frame = self.frame(width_px);
        frame.draw(canvas, f64::from(self.height_px(width_px)));
        let (columns, columns_px) =
            Column::new(&frame, [("spread", "99.9 %"), ("farthest", "+999.9 %")]);
        let names = self.names();
        let lines = Lines::new(&frame, &names, columns_px + 10.0);
        let (left, right) = lines.pixels;
        let pixels = (left + 8.0, right - 8.0);
        let axis = Axis { range: (-self.reach, self.reach), pixels, log: false };
        let (mut top, floors) = (frame.top_px, self.floors());
        for run in floors.chunk_by(|a, b| a == b) {
            let bottom = top + run.len() as f64 * lines.line_px();
            if let Some(floor) = run[0] {
                let (low, high) = (axis.at(-floor), axis.at(floor));
                canvas.rect((low, top), (high, bottom), tint(INK, 0.86));
            }
            top = bottom;
        }
        let ticks: Vec<_> = axis.ticks().into_iter().map(|at| (at, tick(at))).collect();
        lines.grid(canvas, &axis, &ticks, "time over the median of its backend, less 1");
        let middle = axis.at(0.0);
        canvas.path([(middle, frame.top_px), (middle, lines.bottom_px())], 1.0, FAINT);
        for (line, what) in self.lines.iter().enumerate() {
            match what {
                Line::Family(family) => lines.heading(canvas, line, family, family_colour(family)),
                Line::Entry(entry) => {
                    let mark = Mark::tip(format!("samples:{}", entry.row.label), entry.told());
                    canvas.marked(mark, |canvas| {
                        lines.name(canvas, line, &names[line]);
                        self.draw_entry(canvas, (&axis, lines.y(line)), entry);
                    });
                    if !entry.second {
                        let spread = or_nothing(entry.row.spread, percent);
                        columns[0].text(canvas, &lines, line, &spread);
                    }
                    columns[1].text(canvas, &lines, line, &signed(entry.farthest()));
                }
            }
        }
        for (column, title) in columns.iter().zip(["spread", "farthest"]) {
            column.text(canvas, &lines, 0, title);
        }
    }
}

/// A difference in per cent with its sign: `+1.2 %`.
fn signed(fraction: f64) -> String {
    format!("{:+.1} %", fraction * 100.0)
}

/// A round difference, without the decimals that it does not need.
fn tick(fraction: f64) -> String {
    let percent = (fraction * 1e6).round() / 1e4;
    let sign = if percent > 0.0 { "+" } else { "" };
    // Zero may be below zero.
    format!("{sign}{} %", percent + 0.0)
}

#[cfg(test)]
mod tests;
