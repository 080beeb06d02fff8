//! A list of shapes in logical pixels, replayed on any back end of plotters.

use super::font;
use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

/// A place in logical pixels, from the top left.
pub type Point = (f64, f64);

/// Red, green and blue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rgb(
    /// Red.
    pub u8,
    /// Green.
    pub u8,
    /// Blue.
    pub u8,
);

/// Which point of a text its place is; vertically always the middle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Anchor {
    /// Its left end.
    Start,
    /// Its middle.
    Middle,
    /// Its right end.
    End,
}

/// One thing drawn.
#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    /// A line through points.
    Path {
        /// The points.
        points: Vec<Point>,
        /// Width in logical pixels.
        width_px: f64,
        /// Colour.
        colour: Rgb,
    },
    /// A filled polygon.
    Area {
        /// The corners.
        points: Vec<Point>,
        /// Colour.
        colour: Rgb,
    },
    /// A line of text.
    Text {
        /// Place of its anchor.
        at: Point,
        /// The text.
        text: String,
        /// Height of an em in logical pixels.
        em_px: f64,
        /// Colour.
        colour: Rgb,
        /// Which point of the text `at` is.
        anchor: Anchor,
    },
    /// Shapes that belong together: a reader points at them, a page's script finds them.
    Marked {
        /// What they are.
        mark: Mark,
        /// The shapes.
        shapes: Vec<Shape>,
    },
}

/// What a group of shapes is. Only the SVG keeps it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Mark {
    /// A name for scripts, such as `ratio:gc`; not necessarily the only one of its name.
    pub name: String,
    /// What a reader who points at it is told; empty for nothing.
    pub tip: String,
    /// Whether it is not shown until a script shows it.
    pub hidden: bool,
}

impl Mark {
    /// With a text for those who point at it.
    pub fn tip(name: impl Into<String>, tip: impl Into<String>) -> Self {
        Self { name: name.into(), tip: tip.into(), hidden: false }
    }
}

/// What a figure draws on.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Canvas {
    shapes: Vec<Shape>,
}

/// How a back end sets text, so that both give the same picture.
#[derive(Clone, Copy)]
pub(super) struct Text {
    /// Font size to ask for, for each pixel of an em.
    size_per_em: f64,
    /// How far below the place it is given the back end must be told to set, in ems.
    lower_em: f64,
    /// Whether we place each glyph, or the back end's reader does.
    by_glyph: bool,
}

impl Text {
    pub const SVG: Self = Self { size_per_em: 1.24, lower_em: 0.08, by_glyph: false };
    pub const BITMAP: Self =
        Self { size_per_em: font::LINE_PER_EM, lower_em: 0.215, by_glyph: true };
}

impl Canvas {
    /// What was drawn so far.
    pub fn shapes(&self) -> &[Shape] {
        &self.shapes
    }

    /// Draws a line through points.
    pub fn path(&mut self, points: impl Into<Vec<Point>>, width_px: f64, colour: Rgb) {
        self.shapes.push(Shape::Path { points: points.into(), width_px, colour });
    }

    /// Fills a polygon.
    pub fn area(&mut self, points: impl Into<Vec<Point>>, colour: Rgb) {
        self.shapes.push(Shape::Area { points: points.into(), colour });
    }

    /// Fills a rectangle between two corners.
    pub fn rect(&mut self, (x0, y0): Point, (x1, y1): Point, colour: Rgb) {
        self.area([(x0, y0), (x1, y0), (x1, y1), (x0, y1)], colour);
    }

    /// Sets a line of text.
    pub fn text(&mut self, at: Point, text: &str, em_px: f64, colour: Rgb, anchor: Anchor) {
        self.shapes.push(Shape::Text { at, text: text.to_owned(), em_px, colour, anchor });
    }

    /// Draws shapes that belong together.
    pub fn marked(&mut self, mark: Mark, draw: impl FnOnce(&mut Self)) {
        let mut inner = Self::default();
        draw(&mut inner);
        self.shapes.push(Shape::Marked { mark, shapes: inner.shapes });
    }

    /// Draws everything that is not hidden on a back end that has `density` pixels for each logical one.
    pub(super) fn replay<DB: DrawingBackend>(
        &self,
        area: &DrawingArea<DB, Shift>,
        density: u32,
        setting: Text,
    ) -> Result<(), DrawingAreaErrorKind<DB::ErrorType>> {
        replay(&self.shapes, area, density, setting)
    }
}

/// Draws shapes on a back end; see [`Canvas::replay`].
pub(super) fn replay<DB: DrawingBackend>(
    shapes: &[Shape],
    area: &DrawingArea<DB, Shift>,
    density_px: u32,
    setting: Text,
) -> Result<(), DrawingAreaErrorKind<DB::ErrorType>> {
    font::register();
    let density = f64::from(density_px);
    let device = |&(x, y): &Point| ((x * density).round() as i32, (y * density).round() as i32);
    for shape in shapes {
        match shape {
            Shape::Marked { mark, shapes } => {
                if !mark.hidden {
                    replay(shapes, area, density_px, setting)?;
                }
            }
            Shape::Path { points, width_px, colour } => {
                let points: Vec<_> = points.iter().map(device).collect();
                let width = (width_px * density).round().max(1.0) as u32;
                area.draw(&PathElement::new(points, colour.plotters().stroke_width(width)))?;
            }
            Shape::Area { points, colour } => {
                let points: Vec<_> = points.iter().map(device).collect();
                area.draw(&Polygon::new(points, colour.plotters()))?;
            }
            Shape::Text { at: (x, y), text, em_px, colour, anchor } => {
                let size = em_px * density * setting.size_per_em;
                let at = device(&(*x, y + em_px * setting.lower_em));
                let colour = colour.plotters();
                let style = TextStyle::from((font::FAMILY, size).into_font()).color(&colour);
                let set = |text: String, at, anchor: Anchor| {
                    let pos = Pos::new(anchor.plotters(), VPos::Center);
                    area.draw(&plotters::element::Text::new(text, at, style.pos(pos)))
                };
                if !setting.by_glyph {
                    set(text.clone(), at, *anchor)?;
                    continue;
                }
                let (glyphs, width) = font::glyphs(text, em_px * density);
                let start = f64::from(at.0) - width * anchor.share();
                for (x, character) in glyphs {
                    let at = ((start + x).round() as i32, at.1);
                    set(character.to_string(), at, Anchor::Start)?;
                }
            }
        }
    }
    Ok(())
}

impl Rgb {
    fn plotters(self) -> RGBColor {
        RGBColor(self.0, self.1, self.2)
    }
}

impl Anchor {
    /// The part of a text's width that lies left of its anchor.
    pub(super) fn share(self) -> f64 {
        match self {
            Self::Start => 0.0,
            Self::Middle => 0.5,
            Self::End => 1.0,
        }
    }

    fn plotters(self) -> HPos {
        match self {
            Self::Start => HPos::Left,
            Self::Middle => HPos::Center,
            Self::End => HPos::Right,
        }
    }
}
