//! An allocation study: a bar for the time of one operation of each row, in panels side by side that share
//! their rows: the phases of a workload, or workloads, or sizes; other workloads and sizes stand below.

use super::Figure;
use super::axis::Axis;
use super::bars::{LABEL_CHARS, Lines, Whiskers};
use super::canvas::{Anchor, Canvas, Mark};
use super::colour::{FAINT, INK, family_colour};
use super::font::{cut, width_px as text_px};
use super::frame::{EM_PX, Frame, MARGIN_PX};
use super::legend::Legend;
use super::plot::dashed;
use crate::format::{exact_count, shorten, significant, with_interval};
use crate::record::Status;
use crate::stats::Estimate;
use crate::studies::{self, View};
use crate::summary::Row;
use std::collections::BTreeSet;

/// Between two panels.
const APART_PX: f64 = 14.0;
/// Of a title of a block, and of those of its panels.
const TITLE_PX: f64 = 24.0;
/// Below a block that is not the last.
const BELOW_PX: f64 = 12.0;
/// Least width of the longest bar.
const LEAST_BAR_PX: f64 = 24.0;

pub(super) struct OfStudy<'a> {
    views: &'a [View],
    stem: String,
    blocks: Vec<Block<'a>>,
}

/// Panels that share their rows.
struct Block<'a> {
    /// What tells it from the others; empty of the only one.
    title: String,
    /// Each with what tells it from the others.
    panels: Vec<(String, &'a View)>,
}

/// What panels side by side differ in.
#[derive(Clone, Copy, PartialEq)]
enum Across {
    Phases,
    Workloads,
    Sizes,
}

impl<'a> OfStudy<'a> {
    /// Of the views of one study; `None` where nothing has a time.
    pub fn new(views: &'a [View], stem: String) -> Option<Self> {
        let sizes: BTreeSet<u32> = views.iter().map(|view| view.n).collect();
        // Of many sizes the ends tell most; the tables have all.
        let ends = [*sizes.first()?, *sizes.last()?];
        let shown: Vec<&View> = views.iter().filter(|view| ends.contains(&view.n)).collect();
        shown.iter().find(|view| view.timed().next().is_some())?;
        let several = |of: fn(&View) -> &String| shown.iter().any(|view| of(view) != of(shown[0]));
        let (phases, workloads) = (several(|view| &view.phase), several(|view| &view.workload));
        let across = match (phases, workloads) {
            (true, _) => Across::Phases,
            (false, true) => Across::Workloads,
            (false, false) => Across::Sizes,
        };
        let together = |a: &&View, b: &&View| match across {
            Across::Phases => (a.n, &a.workload) == (b.n, &b.workload),
            Across::Workloads => a.n == b.n,
            Across::Sizes => true,
        };
        let block = |views: &[&'a View]| {
            let told = [
                (across == Across::Phases && workloads).then(|| views[0].workload.clone()),
                (across != Across::Sizes && sizes.len() > 1).then(|| views[0].size_words()),
            ];
            let panel = |&view: &&'a View| match across {
                Across::Phases => (view.phase.clone(), view),
                Across::Workloads => (view.workload.clone(), view),
                Across::Sizes => (format!("n = {}", exact_count(view.n.into())), view),
            };
            let title = told.into_iter().flatten().collect::<Vec<_>>().join(", ");
            Block { title, panels: views.iter().map(panel).collect() }
        };
        let blocks = shown.chunk_by(together).map(block).collect();
        Some(Self { views, stem, blocks })
    }

    fn panels(&self) -> impl Iterator<Item = &'a View> {
        self.blocks.iter().flat_map(|block| &block.panels).map(|(_, view)| *view)
    }

    fn whiskers(&self) -> Whiskers {
        Whiskers::of(self.panels().flat_map(|view| view.timed().filter_map(|row| view.ns(row))))
    }

    /// The languages of peers, whose bars are hatched.
    fn languages(&self) -> String {
        let groups = self.views.iter().flat_map(|view| &view.summary.groups);
        let languages: BTreeSet<&str> = groups.filter_map(|group| group.language()).collect();
        languages.into_iter().collect::<Vec<_>>().join(", ")
    }

    fn frame(&self, width_px: u32) -> Frame {
        let hatched = match self.languages().as_str() {
            "" => String::new(),
            languages => format!("; hatched: {languages}"),
        };
        let baseline = self.baseline().map_or(String::new(), |name| format!("; dashed: {name}"));
        let whiskers = self.whiskers().short();
        let subtitle = format!(
            "Nanoseconds of one operation, median; whiskers: {whiskers}{hatched}{baseline}; shorter is better"
        );
        Frame::new(width_px, &self.title(), &subtitle)
    }

    /// The sizes between the ends, which the tables have.
    fn left_out(&self) -> String {
        let sizes: BTreeSet<u32> = self.views.iter().map(|view| view.n).collect();
        let between: Vec<String> = sizes
            .iter()
            .filter(|n| Some(*n) != sizes.first() && Some(*n) != sizes.last())
            .map(|&n| exact_count(n.into()))
            .collect();
        match between.is_empty() {
            true => String::new(),
            false => format!(" Left out, and in the tables: n = {}.", between.join(", ")),
        }
    }

    fn baseline(&self) -> Option<String> {
        let named = self.panels().find_map(|view| view.summary.baseline.as_deref());
        named.map(|name| shorten(name, LABEL_CHARS))
    }

    fn legend(&self, frame: &Frame) -> Legend {
        let groups = self.panels().flat_map(|view| &view.summary.groups);
        Legend::new(frame, groups.map(|group| group.family.clone()))
    }

    /// From zero, or on a logarithmic scale, as one for a phase in all panels.
    fn axis(&self, phase: &str, pixels: (f64, f64)) -> Axis {
        let panels = self.panels().filter(|view| view.phase == phase);
        let times: Vec<Estimate> =
            panels.flat_map(|view| view.timed().filter_map(|row| view.ns(row))).collect();
        let least = times.iter().map(|time| time.low).fold(f64::INFINITY, f64::min);
        let most = times.iter().map(|time| time.high).fold(0.0, f64::max);
        match times.is_empty() {
            true => Axis::for_bars(1.0, 1.0, pixels),
            false => Axis::for_bars(least, most, pixels),
        }
    }
}

impl Block<'_> {
    /// The rows of the first panel, and those that only others have, each with a view that has it.
    fn rows(&self) -> Vec<(&View, &Row)> {
        let mut rows: Vec<(&View, &Row)> = Vec::new();
        for (_, view) in &self.panels {
            for row in &view.summary.rows {
                if !rows.iter().any(|(_, known)| known.label == row.label) {
                    rows.push((view, row));
                }
            }
        }
        rows
    }

    /// The labels, with the language of what is no Rust.
    fn names(&self) -> Vec<String> {
        let name = |(view, row): (&View, &Row)| match view.summary.group_of(row).language() {
            Some(language) => format!("{} ({language})", shorten(&row.label, LABEL_CHARS)),
            None => shorten(&row.label, LABEL_CHARS),
        };
        self.rows().into_iter().map(name).collect()
    }

    /// From the top of its titles to the top of its bars.
    fn head_px(&self) -> f64 {
        if self.title.is_empty() { TITLE_PX } else { 2.0 * TITLE_PX }
    }

    /// The paper below its titles, that begin at `top_px`.
    fn frame(&self, frame: &Frame, top_px: f64) -> Frame {
        frame.below(top_px + self.head_px())
    }

    /// The lines of each panel, and how wide it is. Names stand left of the first, or above all.
    fn lines(&self, frame: &Frame) -> Vec<(Lines, f64)> {
        let names = self.names();
        let (left, right) = Lines::new(frame, &names, 0.0).pixels;
        let count = self.panels.len() as f64;
        let width = (right - left - (count - 1.0) * APART_PX) / count;
        let panel = |(place, (_, view)): (usize, &(String, &View))| {
            let values = view.timed().map(|row| text_px(&value(view, row), EM_PX));
            let room = (values.fold(0.0, f64::max) + 12.0).min(width - LEAST_BAR_PX);
            let start = left + place as f64 * (width + APART_PX);
            let mut lines = Lines::new(frame, &names, 0.0);
            lines.pixels = (start, start + width - room);
            (lines, width)
        };
        self.panels.iter().enumerate().map(panel).collect()
    }

    /// What one row has in each panel, for those who point at it.
    fn tip(&self, view: &View, row: &Row) -> String {
        let told = |(title, view): &(String, &View)| {
            let of = |row: &Row| view.ns(row).map(|ns| with_interval(&ns, 1.0));
            let ns = view.labelled(&row.label).and_then(of)?;
            Some(format!("{title} {ns} ns"))
        };
        let group = view.summary.group_of(row);
        let told: Vec<String> = self.panels.iter().filter_map(told).collect();
        let told = if told.is_empty() { row.status.words().to_owned() } else { told.join(", ") };
        let title = group.peer.as_ref().map(|peer| peer.title.as_str()).filter(|it| !it.is_empty());
        let title = title.map_or(String::new(), |title| format!(" ({title})"));
        format!("{}{title}: {told}. {}", row.label, group.about)
    }
}

/// Right of a bar.
fn value(view: &View, row: &Row) -> String {
    match (row.status, view.ns(row)) {
        (Status::Ok, Some(ns)) => significant(ns.value),
        (Status::Ok, None) => "not timed".to_owned(),
        (failed, _) => failed.words().to_owned(),
    }
}

impl Figure for OfStudy<'_> {
    fn file_stem(&self) -> String {
        self.stem.clone()
    }

    fn title(&self) -> String {
        studies::title(&self.views[0].study)
    }

    fn caption(&self) -> String {
        let of_peers = match self.languages().as_str() {
            "" => String::new(),
            languages => format!(" Hatched bars are of peers, in {languages}."),
        };
        let dashed = self
            .baseline()
            .map_or(String::new(), |name| format!(" The dashed line is the time of {name}."));
        format!(
            "Median nanoseconds of one operation, shorter is better; colours tell families. Whiskers \
             are {}.{of_peers}{dashed}{}",
            self.whiskers().words(),
            self.left_out()
        )
    }

    fn alt(&self) -> String {
        let of_panel = |block: &Block, title: &str, view: &View| {
            let rows = view.summary.rows.iter();
            let rows = rows.map(|row| format!("{} {}", row.label, value(view, row)));
            let titles: Vec<&str> =
                [block.title.as_str(), title].into_iter().filter(|it| !it.is_empty()).collect();
            format!("{}: {}", titles.join(", "), rows.collect::<Vec<_>>().join("; "))
        };
        let panels = self.blocks.iter().flat_map(|block| {
            block.panels.iter().map(move |(title, view)| of_panel(block, title, view))
        });
        let panels = panels.collect::<Vec<_>>().join(". ");
        format!("Bars in panels, nanoseconds of one operation, fastest first. {panels}.")
    }

    fn height_px(&self, width_px: u32) -> u32 {
        let frame = self.frame(width_px);
        let mut bottom = frame.top_px + self.legend(&frame).height_px();
        for block in &self.blocks {
            let height = Lines::height_px(&block.frame(&frame, bottom), block.rows().len());
            bottom = f64::from(height) + BELOW_PX;
        }
        (bottom - BELOW_PX) as u32
    }

    fn draw(&self, canvas: &mut Canvas, width_px: u32) {
        let frame = self.frame(width_px);
        frame.draw(canvas, f64::from(self.height_px(width_px)));
        let legend = self.legend(&frame);
        legend.draw(canvas);
        let mut top = frame.top_px + legend.height_px();
        for block in &self.blocks {
            let below = block.frame(&frame, top);
            self.block(canvas, block, &below);
            top = f64::from(Lines::height_px(&below, block.rows().len())) + BELOW_PX;
        }
    }
}

impl OfStudy<'_> {
    fn block(&self, canvas: &mut Canvas, block: &Block, frame: &Frame) {
        let names = block.names();
        let lines = block.lines(frame);
        let head = frame.top_px - 10.0;
        if !block.title.is_empty() {
            let title = cut(&block.title, EM_PX, frame.width_px - 2.0 * MARGIN_PX);
            canvas.text((MARGIN_PX, head - TITLE_PX), &title, EM_PX, INK, Anchor::Start);
        }
        let axes: Vec<Axis> = block
            .panels
            .iter()
            .zip(&lines)
            .map(|((title, view), (lines, width))| {
                let axis = self.axis(&view.phase, lines.pixels);
                let ticks =
                    axis.ticks().into_iter().map(|tick| (tick, round(tick))).collect::<Vec<_>>();
                let scale = if axis.log { "ns (log. scale)" } else { "ns" };
                lines.grid(canvas, &axis, &ticks, scale);
                let title = cut(title, EM_PX, *width);
                canvas.text((lines.pixels.0, head), &title, EM_PX, FAINT, Anchor::Start);
                let mut timed = view.timed();
                if let Some(base) = timed.find(|row| view.summary.is_baseline(row)) {
                    let x = view.ns(base).map_or(lines.pixels.0, |ns| axis.at(ns.value));
                    dashed(canvas, &[(x, frame.top_px), (x, lines.bottom_px())], FAINT, 1.0);
                }
                axis
            })
            .collect();
        for (line, (view, row)) in block.rows().into_iter().enumerate() {
            let mark = Mark::tip(format!("study:{}", row.label), block.tip(view, row));
            canvas.marked(mark, |canvas| {
                lines[0].0.name(canvas, line, &names[line]);
                for (((_, view), (lines, width)), axis) in
                    block.panels.iter().zip(&lines).zip(&axes)
                {
                    let Some(row) = view.labelled(&row.label) else { continue };
                    let Some(ns) = view.ns(row) else {
                        let text = cut(&value(view, row), EM_PX, width - 9.0);
                        lines.value(canvas, line, lines.pixels.0, &text, FAINT);
                        continue;
                    };
                    let colour = family_colour(&view.summary.group_of(row).family);
                    let drawn = (colour, view.is_peer(row));
                    let end = lines.measured(canvas, axis, line, ns, drawn);
                    lines.value(canvas, line, end, &value(view, row), INK);
                }
            });
        }
    }
}

/// A value at the axis, rounded off what is not meant.
fn round(ns: f64) -> String {
    ((ns * 1e6).round() / 1e6).to_string()
}

#[cfg(test)]
mod tests {
    use super::super::figures_of_studies;
    use super::super::tests::{assert_tidy, texts};
    use super::super::{NARROW_PX, WIDE_PX};
    use crate::record::{Peer, Phase, Record, Status, Study};
    use crate::studies::views;

    /// Twenty-four rows with long names, whose times lie `ratio` apart; every other one a peer, one failed.
    fn crowded(ratio: f64, sizes: &[u32], workloads: &[&str], phases: &[&str]) -> Vec<Record> {
        let mut records = Vec::new();
        for (place, round) in (0..24).flat_map(|place| (0..6).map(move |round| (place, round))) {
            for (&n, workload) in sizes.iter().flat_map(|n| workloads.iter().map(move |w| (n, w))) {
                let ns = (1e6 * ratio.powi(place)) as u64 + u64::from(round) * 10_000;
                let phase = |(k, name): (u64, &&str)| Phase {
                    name: (*name).to_owned(),
                    operations: 100_000,
                    iterations_ns: vec![ns / k],
                };
                records.push(Record {
                    backend: format!("an-allocator-of-a-long-name-{place}"),
                    family: ["manual", "reference counting", "tracing", "none"][place as usize % 4]
                        .into(),
                    params: [("workload".to_owned(), (*workload).to_owned())].into(),
                    n,
                    round,
                    status: if place == 9 { Status::OutOfMemory } else { Status::Ok },
                    peer: (place % 2 == 1)
                        .then(|| Peer { language: "C++".into(), ..Peer::default() }),
                    study: Some(Study {
                        name: "a study".into(),
                        size: "things that are many".into(),
                        phases: (1..).zip(phases).map(phase).collect(),
                        ..Study::default()
                    }),
                    ..Record::new()
                });
            }
        }
        records
    }

    #[test]
    fn panels_are_tidy() {
        let three = ["insert", "erase", "destroy"];
        for ratio in [1.0, 1.05, 1.4] {
            for (sizes, workloads, phases) in [
                (&[1, 1_000, 1_000_000][..], &["window"][..], &three[..1]),
                (&[10_000], &["vector", "list"], &three),
                (&[1, 64], &["int", "class"], &three[..1]),
                (&[1, 64], &["int", "class"], &three),
                (&[1], &["window"], &three[..1]),
            ] {
                let records = crowded(ratio, sizes, workloads, phases);
                let views = views(&records, None).unwrap();
                let figures = figures_of_studies(&views);
                assert_eq!(figures.len(), 1);
                assert_eq!(figures[0].file_stem(), "study-a-study");
                assert_tidy(figures[0].as_ref(), &format!("{ratio}, {sizes:?}, {workloads:?}"));
            }
        }
    }

    #[test]
    fn panels_differ_in_what_there_is_several_of() {
        let said = |sizes: &[u32], workloads: &[&str], phases: &[&str]| {
            let views = views(&crowded(1.1, sizes, workloads, phases), None).unwrap();
            let figures = figures_of_studies(&views);
            [WIDE_PX, NARROW_PX].map(|width| texts(figures[0].as_ref(), width).join("\n"))
        };
        for text in said(&[1, 5, 9], &["window"], &["push"]) {
            assert!(text.contains("\nn = 1\n") && text.contains("\nn = 9\n"), "{text}");
            // Of three sizes the ends.
            assert!(!text.contains("n = 5") && text.contains("out of memory"), "{text}");
        }
        for text in said(&[1, 9], &["int", "class"], &["push"]) {
            assert!(text.contains("\nn = 9 (things that are many)\n") && text.contains("\nint\n"));
        }
        for text in said(&[1], &["int", "class"], &["push", "pop"]) {
            assert!(text.contains("\nclass\n") && text.contains("\npop\n"), "{text}");
        }
    }

    #[test]
    fn the_caption_says_what_is_left_out() {
        let views = views(&crowded(1.1, &[1, 5, 9], &["window"], &["push"]), None).unwrap();
        let caption = figures_of_studies(&views)[0].caption();
        assert!(caption.ends_with(" Left out, and in the tables: n = 5."), "{caption}");
    }

    #[test]
    fn a_row_of_another_panel_alone_is_drawn_too() {
        let mut records = crowded(1.1, &[1, 9], &["window"], &["push"]);
        records.retain(|record| record.n == 9 || !record.backend.ends_with("-7"));
        let views = views(&records, None).unwrap();
        let figures = figures_of_studies(&views);
        assert!(!figures[0].caption().contains("Left out"));
        let drawn = texts(figures[0].as_ref(), WIDE_PX);
        assert!(drawn.iter().any(|text| text.starts_with("an-allocator-of-a-long-name-7")));
        assert_tidy(figures[0].as_ref(), "a row of one panel");
    }

    #[test]
    fn without_a_time_there_is_nothing_to_draw() {
        let mut records = crowded(1.1, &[1], &["window"], &["push"]);
        records.iter_mut().for_each(|record| record.status = Status::Crashed);
        assert!(figures_of_studies(&views(&records, None).unwrap()).is_empty());
    }
}
