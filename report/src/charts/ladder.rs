//! The ladder: a waterfall of what one change at a time costs, from the heap that does least to the
//! one that does most, in nanoseconds for each cell allocated.

use super::Figure;
use super::axis::{Axis, spaced};
use super::bars::{Whiskers, whisker};
use super::canvas::{Anchor, Canvas, Mark};
use super::colour::{COSTS, FAINT, GRID, INK, PAPER, SAVES, WHOLE, tint};
use super::font::{cut, width_px as text_px, wrapped};
use super::frame::{EM_PX, Frame, MARGIN_PX, SMALL_PX};
use crate::explain::{Explanation, Ladder, Step, Verdict};
use crate::format::{shorten, significant};
use crate::stats::Estimate;

mod layout;

use layout::{Layout, Place};

const NAME_CHARS: usize = 40;
/// Half the height of a bar.
const HALF_PX: f64 = 8.0;

pub(super) struct Waterfall<'a> {
    panels: Vec<Panel<'a>>,
}

/// One line of the ladder.
struct Panel<'a> {
    of: &'a Explanation,
    ladder: &'a Ladder,
    bars: Vec<Bar<'a>>,
}

/// A whole time, or a step that starts where the last one ended.
struct Bar<'a> {
    label: &'a str,
    /// What its time is made of, or what changes.
    notes: Vec<String>,
    /// Nanoseconds per cell at its start and at its end.
    span: (f64, f64),
    step: Option<&'a Step>,
}

impl<'a> Waterfall<'a> {
    /// `None` where no two rungs can be compared.
    pub fn new(explained: &'a [Explanation]) -> Option<Self> {
        let panels: Vec<Panel> = explained
            .iter()
            .flat_map(|of| of.ladders.iter().map(move |ladder| Panel::new(of, ladder)))
            .collect();
        (!panels.is_empty()).then_some(Self { panels })
    }

    fn steps(&self) -> impl Iterator<Item = &'a Step> {
        self.panels.iter().flat_map(|panel| &panel.ladder.steps)
    }

    fn whiskers(&self) -> Whiskers {
        Whiskers::of(self.steps().map(|step| step.ns_per_cell))
    }

    fn frame(&self, width_px: u32) -> Frame {
        let whiskers = match self.steps().any(|step| step.ns_per_cell.interval().is_some()) {
            true => format!("; whiskers: {}", self.whiskers().short()),
            false => String::new(),
        };
        let subtitle = format!(
            "Each bar starts where the last one ended; orange, to the right: costs; blue, to the \
             left: saves{whiskers}"
        );
        Frame::new(width_px, &self.title(), &subtitle)
    }

    /// What the counts tell of each program and size, which several panels may be of.
    fn told(&self) -> Vec<String> {
        let several = self.several();
        let mut seen: Vec<&Explanation> = Vec::new();
        let mut told = Vec::new();
        for of in self.panels.iter().map(|panel| panel.of) {
            if seen.iter().any(|other| std::ptr::eq(*other, of)) {
                continue;
            }
            seen.push(of);
            let sentences = [of.swept(), of.stored()].into_iter().flatten();
            let sentences = sentences.collect::<Vec<_>>().join(" ");
            match several && !sentences.is_empty() {
                true => told.push(format!("n = {}: {}: {sentences}", of.n, of.heading)),
                false => told.extend(Some(sentences).filter(|text| !text.is_empty())),
            }
        }
        told
    }

    /// Whether there are several machines or programs.
    fn several(&self) -> bool {
        self.panels.iter().any(|panel| panel.of.heading != self.panels[0].of.heading)
    }

    /// What stands above each panel: its title, its machine where there are several, and the rungs
    /// that it lacks at its ends.
    fn heads(&self) -> Vec<Vec<String>> {
        let several = self.several();
        let head = |panel: &Panel<'a>| {
            let of = several.then(|| format!("n = {}: {}", panel.of.n, panel.of.heading));
            let title = Some(panel.ladder.title.clone());
            [title, of, panel.left_out()].into_iter().flatten().collect()
        };
        self.panels.iter().map(head).collect()
    }
}

impl<'a> Panel<'a> {
    fn new(of: &'a Explanation, ladder: &'a Ladder) -> Self {
        let (start, end) = (&ladder.start, ladder.end());
        let whole = |label, ns, note: &str| Bar {
            label,
            notes: vec![note.to_owned()],
            span: (0.0, ns),
            step: None,
        };
        let mut bars = vec![whole(&start.label, start.ns_per_cell, &ladder.start_is)];
        let mut level = start.ns_per_cell;
        for step in &ladder.steps {
            let to = level + step.ns_per_cell.value;
            let changes = Some(step.changes.join("; ")).filter(|changes| !changes.is_empty());
            let notes = changes.into_iter().chain(bridged(ladder, step)).collect();
            bars.push(Bar { label: &step.to.label, notes, span: (level, to), step: Some(step) });
            level = to;
        }
        bars.push(whole(&end.label, ladder.total_ns_per_cell, "all of it, as measured"));
        Self { of, ladder, bars }
    }

    /// Rungs beyond the ends, which no step bridges.
    fn left_out(&self) -> Option<String> {
        let bridged: Vec<&String> =
            self.ladder.steps.iter().flat_map(|step| &step.bridges).collect();
        let missing = self.ladder.missing.iter().filter(|gone| !bridged.contains(&&gone.backend));
        let names: Vec<String> =
            missing.map(|gone| format!("{} ({})", gone.backend, gone.why)).collect();
        (!names.is_empty()).then(|| format!("Beyond its ends: {}", names.join(", ")))
    }

    /// From zero, or below it where a step led there, to the greatest time.
    fn range(&self) -> (f64, f64) {
        let ends = self.bars.iter().flat_map(|bar| {
            let (low, high) = bar.reach();
            [low, high]
        });
        ends.fold((0.0, 0.0), |(low, high): (f64, f64), end| (low.min(end), high.max(end)))
    }

    /// Where the steps end, if that is seen beside the time that was measured there.
    fn astray(&self) -> Option<f64> {
        let level = self.bars.iter().rev().find(|bar| bar.step.is_some())?.span.1;
        let (low, high) = self.range();
        let seen = (level - self.ladder.total_ns_per_cell).abs() > 0.005 * (high - low);
        seen.then_some(level)
    }

    fn told(&self) -> String {
        let bars: Vec<String> = self.bars.iter().map(Bar::told).collect();
        format!("{}: {}", self.ladder.title, bars.join("; "))
    }
}

/// The rungs that a step leaves out, and why.
fn bridged(ladder: &Ladder, step: &Step) -> Option<String> {
    let why = |name: &String| ladder.missing.iter().find(|gone| gone.backend == *name);
    let name = |name| match why(name) {
        Some(gone) => format!("{name} ({})", gone.why),
        None => name.clone(),
    };
    let names: Vec<String> = step.bridges.iter().map(name).collect();
    (!names.is_empty()).then(|| format!("bridges {}", names.join(", ")))
}

impl Bar<'_> {
    /// The least and greatest value that it covers, its whisker included.
    fn reach(&self) -> (f64, f64) {
        let (from, to) = self.span;
        let (low, high) = self.whisker().unwrap_or(self.span);
        (from.min(to).min(low), from.max(to).max(high))
    }

    /// Where the step may end, by its interval.
    fn whisker(&self) -> Option<(f64, f64)> {
        let (low, high) = self.step?.ns_per_cell.interval()?;
        Some((self.span.0 + low, self.span.0 + high))
    }

    /// What the step is called if it is no difference.
    fn doubt(&self) -> Option<&'static str> {
        let verdict = self.step?.verdict;
        (!matches!(verdict, Verdict::Costs | Verdict::Saves)).then(|| verdict.words())
    }

    fn value(&self) -> String {
        match self.step {
            Some(step) => signed(&step.ns_per_cell),
            None => format!("{} ns", significant(self.span.1)),
        }
    }

    fn told(&self) -> String {
        let doubt = self.doubt().map_or(String::new(), |doubt| format!(", {doubt}"));
        let notes = self.notes.join("; ");
        format!("{} {}{doubt} ({notes})", self.label, self.value())
    }

    fn draw(&self, canvas: &mut Canvas, axis: &Axis, place: &Place) {
        let ((from, to), y) = (self.span, place.bar_y);
        let colour = match self.step {
            None => WHOLE,
            Some(_) if to < from => SAVES,
            Some(_) => COSTS,
        };
        let (colour, ink) = match self.doubt() {
            Some(_) => (tint(colour, 0.65), FAINT),
            None => (colour, INK),
        };
        let (from, to) = (axis.at(from), axis.at(to));
        canvas.rect((from.min(to), y - HALF_PX), (from.max(to), y + HALF_PX), colour);
        if let Some((low, high)) = self.whisker() {
            whisker(canvas, (axis.at(low), axis.at(high)), y, ink);
        }
        for (at, anchor, text, em_px, colour) in place.texts(ink) {
            let width = text_px(text, em_px);
            let left = at.0 - width * anchor.share();
            canvas.rect((left - 2.0, at.1 - 8.0), (left + width + 2.0, at.1 + 8.0), PAPER);
            canvas.text(at, text, em_px, colour, anchor);
        }
    }
}

impl Figure for Waterfall<'_> {
    fn file_stem(&self) -> String {
        "ladder".to_owned()
    }

    fn title(&self) -> String {
        let n = self.panels[0].of.n;
        match self.panels.iter().all(|panel| panel.of.n == n) {
            true => format!("The ladder: what one change at a time costs, at n = {n}"),
            false => "The ladder: what one change at a time costs".to_owned(),
        }
    }

    fn caption(&self) -> String {
        let mut text = format!(
            "Time of a search over the cells it allocates. Grey bars are whole times; each bar between \
             them is the median of the differences within a round, and whiskers are {}. Pale steps \
             are no difference that this run can show. Of several changes in one step the costs are \
             not told apart.",
            self.whiskers().words()
        );
        if self.panels.len() > 1 {
            text.push_str(" Each part has a scale of its own.");
        }
        for panel in &self.panels {
            if let Some(level) = panel.astray() {
                text.push_str(&format!(
                    " The steps lead to {} ns, while {} takes {} ns: medians do not add up exactly.",
                    significant(level),
                    panel.ladder.end().label,
                    significant(panel.ladder.total_ns_per_cell)
                ));
            }
        }
        text.extend(self.told().into_iter().map(|told| format!(" {told}")));
        text
    }

    fn alt(&self) -> String {
        let panels: Vec<String> = self.panels.iter().map(Panel::told).collect();
        format!("Waterfall in nanoseconds per cell. {}.", panels.join(". "))
    }

    fn height_px(&self, width_px: u32) -> u32 {
        Layout::new(self, width_px).height_px as u32
    }

    fn draw(&self, canvas: &mut Canvas, width_px: u32) {
        let layout = Layout::new(self, width_px);
        self.frame(width_px).draw(canvas, layout.height_px);
        for (panel, parts) in self.panels.iter().zip(&layout.panels) {
            for (i, (y, line)) in parts.head.iter().enumerate() {
                let (em_px, colour) = if i == 0 { (EM_PX, INK) } else { (SMALL_PX, FAINT) };
                canvas.text((MARGIN_PX, *y), line, em_px, colour, Anchor::Start);
            }
            grid(canvas, &parts.axis, (parts.top_px, parts.bottom_px));
            for (bar, pair) in panel.bars.iter().zip(parts.places.windows(2)) {
                let x = parts.axis.at(bar.span.1);
                let ends = [(x, pair[0].bar_y + HALF_PX), (x, pair[1].bar_y - HALF_PX)];
                canvas.path(ends, 1.0, FAINT);
            }
            for (bar, place) in panel.bars.iter().zip(&parts.places) {
                let mark = Mark::tip(format!("step:{}", bar.label), bar.told());
                canvas.marked(mark, |canvas| bar.draw(canvas, &parts.axis, place));
            }
        }
    }
}

fn grid(canvas: &mut Canvas, axis: &Axis, (top, bottom): (f64, f64)) {
    let ticks = axis.ticks().into_iter().map(|at| (at, format!("{}", (at * 1e6).round() / 1e6)));
    for (at, text) in spaced(ticks.collect(), axis, |text| text_px(text, SMALL_PX) + 8.0) {
        let x = axis.at(at);
        canvas.path([(x, top), (x, bottom + 4.0)], 1.0, GRID);
        canvas.text((x, bottom + 13.0), &text, SMALL_PX, FAINT, Anchor::Middle);
    }
    let middle = f64::midpoint(axis.pixels.0, axis.pixels.1);
    let title = "nanoseconds for each cell allocated";
    canvas.text((middle, bottom + 32.0), title, SMALL_PX, FAINT, Anchor::Middle);
}

/// A difference as `+5.20 ns (5.00-5.40)`, or `-5.20 ns (-5.40 to -5.00)`; in brackets the range of
/// too few rounds.
fn signed(estimate: &Estimate) -> String {
    let Some((low, high)) = estimate.interval() else {
        return format!("{} ns", with_sign(estimate.value, decimals(estimate.value)));
    };
    let digits = decimals(estimate.value.abs().max(low.abs()).max(high.abs()));
    let ends = match low < 0.0 {
        true => format!("{} to {}", with_sign(low, digits), with_sign(high, digits)),
        false => format!("{low:.digits$}-{high:.digits$}"),
    };
    let value = with_sign(estimate.value, digits);
    match estimate.confident() {
        true => format!("{value} ns ({ends})"),
        false => format!("{value} ns [{ends}]"),
    }
}

/// Decimals that leave three digits.
fn decimals(value: f64) -> usize {
    significant(value).split_once('.').map_or(0, |(_, digits)| digits.len()).min(3)
}

/// With its sign, but zero without one.
fn with_sign(value: f64, decimals: usize) -> String {
    let text = format!("{value:+.decimals$}");
    match text.trim_start_matches(['+', '-']).trim_matches(['0', '.']).is_empty() {
        true => text[1..].to_owned(),
        false => text,
    }
}

#[cfg(test)]
mod tests;
