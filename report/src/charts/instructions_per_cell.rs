//! Instructions per cell: bars by family, as the processor counted them where it did, else as
//! callgrind did; where both did, callgrind's count is a mark.

use super::Figure;
use super::axis::Axis;
use super::bars::{Column, Lines};
use super::canvas::{Canvas, Mark};
use super::colour::{FAINT, INK, family_colour};
use super::families::{Families, Line};
use super::font::width_px as text_px;
use super::frame::{EM_PX, Frame};
use crate::format::{or_nothing, significant};
use crate::record::{CounterSource, Status};
use crate::summary::{Events, Row, Summary};
use std::collections::BTreeMap;

pub(super) struct InstructionsPerCell<'a> {
    summary: &'a Summary,
    n: u32,
    /// Whose counts the bars are.
    bars: CounterSource,
    /// Whether there are marks of the other source.
    marks: bool,
    /// Fewest instructions first, uncounted ones last.
    families: Families<'a>,
}

impl<'a> InstructionsPerCell<'a> {
    /// At the n of which most backends have counts, the largest of several; `None` without counts.
    pub fn new(summary: &'a Summary) -> Option<Self> {
        let mut counted: BTreeMap<u32, usize> = BTreeMap::new();
        let of = |row: &Row, source| instructions(row, source).is_some();
        let either = |row: &Row| of(row, CounterSource::Perf) || of(row, CounterSource::Callgrind);
        for row in summary.rows.iter().filter(|row| summary.group_of(row).studied && either(row)) {
            *counted.entry(row.n).or_default() += 1;
        }
        let (n, _) = counted.into_iter().max_by_key(|&(n, rows)| (rows, n))?;
        let has = |source| summary.studied_at(n).any(|row| of(row, source));
        let bars = match has(CounterSource::Perf) {
            true => CounterSource::Perf,
            false => CounterSource::Callgrind,
        };
        let marks = bars == CounterSource::Perf && has(CounterSource::Callgrind);
        let first = |row: &Row| {
            instructions(row, bars).or_else(|| instructions(row, CounterSource::Callgrind))
        };
        let families = Families::new(summary, summary.studied_at(n), first);
        Some(Self { summary, n, bars, marks, families })
    }

    fn frame(&self, width_px: u32) -> Frame {
        let source = match (self.bars, self.marks) {
            (CounterSource::Perf, false) => "Counted by the processor (perf)",
            (CounterSource::Perf, true) => {
                "Bar: counted by the processor (perf); upright mark: by callgrind, a simulator"
            }
            (CounterSource::Callgrind, _) => "Counted by callgrind, a simulator",
        };
        let known = |number: &dyn Fn(&Row) -> Option<f64>, text| {
            if self.families.rows().any(|row| number(row).is_some()) { text } else { "" }
        };
        let per_ns = known(
            &|row| self.per_ns(row),
            "; per ns: instructions over the time of timed searches",
        );
        let missed =
            known(&|row| self.missed(row), "; mispredicted: mispredicted branches per cell");
        let subtitle = format!("{source}{per_ns}{missed}");
        Frame::new(width_px, &self.title(), &subtitle)
    }

    /// What a row's bar shows, and its mark.
    fn counts(&self, row: &Row) -> (Option<f64>, Option<f64>) {
        let mark = self.marks.then(|| instructions(row, CounterSource::Callgrind)).flatten();
        (instructions(row, self.bars), mark)
    }

    fn value(&self, row: &Row) -> String {
        match (row.status, self.counts(row)) {
            (Status::Ok, (Some(count), _)) => significant(count),
            (Status::Ok, (None, Some(count))) => format!("{} (callgrind)", significant(count)),
            (Status::Ok, (None, None)) => "not counted".to_owned(),
            (failed, _) => failed.words().to_owned(),
        }
    }

    /// Instructions for each nanosecond of the timed searches.
    fn per_ns(&self, row: &Row) -> Option<f64> {
        Some(instructions(row, self.bars)? / row.ns_per_cell.filter(|&ns| ns > 0.0)?)
    }

    /// Mispredicted branches for each cell.
    fn missed(&self, row: &Row) -> Option<f64> {
        let cells = row.cells_allocated.filter(|&cells| cells > 0)?;
        Some(events(row, self.bars)?.counters.branch_misses? as f64 / cells as f64)
    }

    fn told(&self, row: &Row) -> String {
        let per_ns = self.per_ns(row).map(|it| format!("{} a nanosecond", significant(it)));
        let missed =
            self.missed(row).map(|it| format!("{} mispredicted branches a cell", significant(it)));
        let mark = self.counts(row).1.map(|it| format!("{} by callgrind", significant(it)));
        let more: Vec<String> = [mark, per_ns, missed].into_iter().flatten().collect();
        let more = if more.is_empty() { String::new() } else { format!(" ({})", more.join(", ")) };
        format!("{} {}{more}", row.label, self.value(row))
    }

    fn draw_counts(&self, canvas: &mut Canvas, lines: &Lines, axis: &Axis, line: usize, row: &Row) {
        let group = self.summary.group_of(row);
        let (bar, mark) = self.counts(row);
        if bar.or(mark).is_none() {
            lines.value(canvas, line, lines.pixels.0, &self.value(row), FAINT);
            return;
        }
        let (mut end, y) = (lines.pixels.0, lines.y(line));
        if let Some(count) = bar {
            end = axis.at(count);
            let hatched = group.capabilities.problem_specific;
            lines.bar(canvas, line, end, family_colour(&group.family), hatched);
        }
        if let Some(count) = mark {
            let x = axis.at(count);
            canvas.path([(x, y - 8.0), (x, y + 8.0)], 2.5, INK);
            end = end.max(x);
        }
        lines.value(canvas, line, end, &self.value(row), INK);
    }
}

fn events(row: &Row, source: CounterSource) -> Option<&Events> {
    row.events.iter().find(|events| events.counters.source == source)
}

/// A failed row's counts are of a program that did something else, and no search takes none.
fn instructions(row: &Row, source: CounterSource) -> Option<f64> {
    let events = events(row, source).filter(|_| row.status == Status::Ok)?;
    events.instructions_per_cell.filter(|&count| count > 0.0)
}

impl Figure for InstructionsPerCell<'_> {
    fn file_stem(&self) -> String {
        "instructions-per-cell".to_owned()
    }

    fn title(&self) -> String {
        format!("Instructions per cell at n = {}", self.n)
    }

    fn caption(&self) -> String {
        let (source, marks) = match self.bars {
            CounterSource::Perf => {
                ("counted by the processor (perf)", " The mark is callgrind's count.")
            }
            CounterSource::Callgrind => ("counted by callgrind, which simulates the processor", ""),
        };
        let marks = if self.marks { marks } else { "" };
        let missed = match self.families.rows().any(|row| self.missed(row).is_some()) {
            true if self.bars == CounterSource::Callgrind => {
                " Mispredictions are those of callgrind's simple predictor, not of the processor."
            }
            _ => "",
        };
        format!(
            "Instructions of one search over the cells it allocates, {source}; start-up is left \
             out.{marks} Fewer is not always faster: a mispredicted branch or a miss of the caches \
             takes as long as dozens of instructions. \"per ns\" divides this count by the time of \
             other, undisturbed searches; it is no count of instructions per cycle, since the \
             processor's frequency is unknown, and a high one may be cheap instructions as well as \
             short waits.{missed} Hatched bars are problem-specific backends."
        )
    }

    fn alt(&self) -> String {
        let families = self.families.alt(|row| self.told(row));
        format!("Bars of instructions per cell by family, fewest first. {families}.")
    }

    fn height_px(&self, width_px: u32) -> u32 {
        Lines::height_px(&self.frame(width_px), self.families.lines().len())
    }

    fn draw(&self, canvas: &mut Canvas, width_px: u32) {
        let frame = self.frame(width_px);
        frame.draw(canvas, f64::from(self.height_px(width_px)));
        let (columns, columns_px) =
            Column::new(&frame, [("per ns", "99.9"), ("mispredicted", "0.0999")]);
        let values = self.families.rows().map(|row| text_px(&self.value(row), EM_PX));
        let value_px = values.fold(0.0, f64::max) + 20.0;
        let names = self.families.names();
        let lines = Lines::new(&frame, &names, value_px + columns_px);
        let counts = || {
            let counts = self.families.rows().map(|row| self.counts(row));
            counts.flat_map(|(bar, mark)| [bar, mark]).flatten()
        };
        let least = counts().fold(f64::INFINITY, f64::min);
        let axis = Axis::for_bars(least, counts().fold(0.0, f64::max), lines.pixels);
        let ticks: Vec<_> = axis.ticks().into_iter().map(|at| (at, tick(at))).collect();
        let scale = match axis.log {
            true => "instructions per cell (logarithmic scale)",
            false => "instructions per cell",
        };
        lines.grid(canvas, &axis, &ticks, scale);
        for (line, what) in self.families.lines().into_iter().enumerate() {
            match what {
                Line::Family(family) => lines.heading(canvas, line, family, family_colour(family)),
                Line::Backend(row) => {
                    let mark = Mark::tip(format!("instructions:{}", row.label), self.told(row));
                    canvas.marked(mark, |canvas| {
                        lines.name(canvas, line, &names[line]);
                        self.draw_counts(canvas, &lines, &axis, line, row);
                    });
                }
            }
        }
        let numbers = |number: &dyn Fn(&Row) -> Option<f64>| -> Vec<Option<f64>> {
            let number = |line: &Line| match line {
                Line::Backend(row) => Some(number(row)),
                Line::Family(_) => None,
            };
            self.families.lines().iter().map(|line| number(line).flatten()).collect()
        };
        let told = [numbers(&|row| self.per_ns(row)), numbers(&|row| self.missed(row))];
        for ((column, title), numbers) in columns.iter().zip(["per ns", "mispredicted"]).zip(told) {
            if numbers.iter().all(Option::is_none) {
                continue;
            }
            column.text(canvas, &lines, 0, title);
            for (line, what) in self.families.lines().iter().enumerate() {
                if matches!(what, Line::Backend(_)) {
                    let text = or_nothing(numbers[line], significant);
                    column.text(canvas, &lines, line, &text);
                }
            }
        }
    }
}

/// A round count without the decimals that other counts have.
fn tick(count: f64) -> String {
    format!("{}", (count * 1e6).round() / 1e6)
}

#[cfg(test)]
mod tests;
