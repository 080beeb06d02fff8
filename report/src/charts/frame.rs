//! What every chart has: paper, a title, and below it a line or two on how to read it.

use super::canvas::{Anchor, Canvas, Mark};
use super::colour::{FAINT, INK, PAPER};
use super::font::wrapped;

/// Width of the layout for pages and files, in logical pixels.
pub const WIDE_PX: u32 = 900;
/// Width of the layout for telephones.
pub const NARROW_PX: u32 = 400;

/// Height of an em of ordinary text.
pub(super) const EM_PX: f64 = 13.0;
/// Height of an em of small text.
pub(super) const SMALL_PX: f64 = 12.0;
/// Between the edge of the paper and anything drawn.
pub(super) const MARGIN_PX: f64 = 16.0;

const TITLE_PX: f64 = 18.0;

/// The head of a chart.
pub(super) struct Frame {
    /// Width of the paper.
    pub width_px: f64,
    /// Where the head ends, and the chart itself may begin.
    pub top_px: f64,
    title: Vec<String>,
    subtitle: Vec<String>,
}

impl Frame {
    /// Title and subtitle in as many lines as they take at this width.
    pub fn new(width_px: u32, title: &str, subtitle: &str) -> Self {
        let width_px = f64::from(width_px);
        let room = width_px - 2.0 * MARGIN_PX;
        let (title, subtitle) = (wrapped(title, TITLE_PX, room), wrapped(subtitle, SMALL_PX, room));
        let top_px = 26.0 + title.len() as f64 * 23.0 + subtitle.len() as f64 * 17.0;
        Self { width_px, top_px, title, subtitle }
    }

    /// The same paper, for what begins at another place; it has no head of its own.
    pub fn below(&self, top_px: f64) -> Self {
        Self { width_px: self.width_px, top_px, title: Vec::new(), subtitle: Vec::new() }
    }

    /// Whether this is the layout for telephones.
    pub fn narrow(&self) -> bool {
        self.width_px < 600.0
    }

    /// Draws paper of this height, and the head on it.
    pub fn draw(&self, canvas: &mut Canvas, height_px: f64) {
        canvas.rect((0.0, 0.0), (self.width_px, height_px), PAPER);
        let mut y = 24.0;
        // Marked, so that a page that has its own titles can leave this one out.
        canvas.marked(Mark::tip("title", ""), |canvas| {
            for line in &self.title {
                canvas.text((MARGIN_PX, y), line, TITLE_PX, INK, Anchor::Start);
                y += 23.0;
            }
        });
        for line in &self.subtitle {
            canvas.text((MARGIN_PX, y), line, SMALL_PX, FAINT, Anchor::Start);
            y += 17.0;
        }
    }
}
