//! Charts of lines below each other on one paper, their axes alike.

use super::Figure;
use super::axis::Axis;
use super::canvas::{Anchor, Canvas, Point};
use super::colour::INK;
use super::font::cut;
use super::frame::{EM_PX, Frame, MARGIN_PX};
use super::plot::{Layout, Plot};

/// Of the title of a panel.
const TITLE_PX: f64 = 26.0;

/// Plots that share their axes.
pub(super) struct Panels {
    stem: String,
    title: String,
    subtitle: String,
    caption: String,
    plots: Vec<Plot>,
}

impl Panels {
    /// Of plots with titles of their own, the axes of each as long as those of all; never none.
    pub fn new(
        stem: String,
        (title, subtitle, caption): (String, String, String),
        mut plots: Vec<Plot>,
    ) -> Self {
        let all = || plots.iter().flat_map(|plot| &plot.series);
        let points = || all().flat_map(|series| series.points.iter());
        let ends = || all().flat_map(|series| &series.intervals).flat_map(|&(a, b)| [a, b]);
        let finite = |value: &f64| value.is_finite();
        let x: Vec<f64> = points().map(|&(x, _)| x).collect();
        let y: Vec<f64> = points().map(|&(_, y)| y).chain(ends()).filter(finite).collect();
        for plot in &mut plots {
            let range = |axis: Axis| Some(axis.range);
            plot.x.range = range(plot.x.axis(x.iter().copied(), (0.0, 1.0)));
            plot.y.range = range(plot.y.axis(y.iter().copied(), (0.0, 1.0)));
        }
        Self { stem, title, subtitle, caption, plots }
    }

    /// What each panel has where, one below the other, and where it ends.
    fn layouts(&self, width_px: u32) -> (Frame, Vec<(Layout, f64)>) {
        let frame = Frame::new(width_px, &self.title, &self.subtitle);
        let least = if frame.narrow() { 150.0 } else { 180.0 };
        let names = self.plots.iter().map(|plot| plot.layout(frame.below(0.0), 0.0).names_px);
        let names_px = names.fold(0.0, f64::max);
        let mut top = frame.top_px;
        let layouts = self.plots.iter().map(|plot| {
            let layout = plot.layout(frame.below(top + TITLE_PX), names_px);
            top = plot.bottom_px(&layout, least);
            (layout, top)
        });
        let layouts = layouts.collect();
        (frame, layouts)
    }
}

impl Figure for Panels {
    fn file_stem(&self) -> String {
        self.stem.clone()
    }

    fn title(&self) -> String {
        self.title.clone()
    }

    fn caption(&self) -> String {
        self.caption.clone()
    }

    fn alt(&self) -> String {
        let of = |plot: &Plot| format!("{}: {}", plot.title, plot.alt());
        self.plots.iter().map(of).collect::<Vec<_>>().join(" ")
    }

    fn height_px(&self, width_px: u32) -> u32 {
        let (frame, layouts) = self.layouts(width_px);
        layouts.last().map_or(frame.top_px, |(_, bottom)| *bottom) as u32
    }

    fn draw(&self, canvas: &mut Canvas, width_px: u32) {
        let (frame, layouts) = self.layouts(width_px);
        frame.draw(canvas, f64::from(self.height_px(width_px)));
        let mut top = frame.top_px;
        for (plot, (layout, bottom)) in self.plots.iter().zip(&layouts) {
            let title = cut(&plot.title, EM_PX, frame.width_px - 2.0 * MARGIN_PX);
            let at: Point = (MARGIN_PX, top + TITLE_PX / 2.0);
            canvas.text(at, &title, EM_PX, INK, Anchor::Start);
            plot.draw_on(canvas, layout, *bottom);
            top = *bottom;
        }
    }
}
