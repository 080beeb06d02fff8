//! Figures: each one file, drawn on a [`Canvas`] and written as SVG and as PNG.
//!
//! A figure never meets a drawing back end. It draws shapes onto a canvas in logical pixels, and the
//! canvas is then replayed on any back end of plotters; tests look at the shapes instead.

mod axis;
mod bars;
mod canvas;
mod colour;
mod font;
mod memory_per_backend;
mod spread;
mod time_against_n;
mod time_per_backend;

pub use canvas::{Anchor, Canvas, Point, Rgb, Shape};
pub use colour::backend_colour;

use crate::html::ReportError;
use crate::summary::Summary;
use minijinja::HtmlEscape;
use plotters::prelude::{BitMapBackend, IntoDrawingArea, SVGBackend};
use std::path::Path;

/// Device pixels for each logical pixel: of the PNG, and of the grid that SVG coordinates lie on
/// (plotters only knows whole coordinates).
const DENSITY: u32 = 2;

/// One chart.
pub trait Figure: Sync {
    /// Name of its files, without ending.
    fn file_stem(&self) -> &'static str;
    /// What it shows, in a few words.
    fn title(&self) -> String;
    /// How to read it, in a sentence or two.
    fn caption(&self) -> String;
    /// The same information as text, for those who cannot see it.
    fn alt(&self) -> String;
    /// Width and height in logical pixels.
    fn size_px(&self) -> (u32, u32);
    /// Draws it.
    fn draw(&self, canvas: &mut Canvas);
}

/// Every figure that these data can fill; a figure without data is left out.
pub fn figures(summary: &Summary) -> Vec<Box<dyn Figure + '_>> {
    let mut figures: Vec<Box<dyn Figure + '_>> = Vec::new();
    if let Some(figure) = time_per_backend::TimePerBackend::new(summary) {
        figures.push(Box::new(figure));
    }
    if let Some(figure) = time_against_n::TimeAgainstN::new(summary) {
        figures.push(Box::new(figure));
    }
    if let Some(figure) = memory_per_backend::MemoryPerBackend::new(summary) {
        figures.push(Box::new(figure));
    }
    figures
}

/// The figure as an SVG document with a title and a description, also fit to stand within a page.
///
/// # Errors
///
/// [`ReportError::Chart`], with the drawing library's reason.
pub fn svg(figure: &dyn Figure) -> Result<String, ReportError> {
    let (width, height) = figure.size_px();
    let mut drawing = String::new();
    let backend = SVGBackend::with_string(&mut drawing, (width * DENSITY, height * DENSITY));
    let area = backend.into_drawing_area();
    drawn(figure)
        .replay(&area, DENSITY, canvas::Text::SVG)
        .and_then(|()| area.present())
        .map_err(|error| failed(figure, &error))?;
    drop(area);

    // The start tag is replaced: ours scales the grid back and names the drawing for screen readers.
    let body = drawing.split_once('>').map_or("", |(_, body)| body);
    let stem = figure.file_stem();
    Ok(format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {} {}\" role=\"img\" aria-labelledby=\"{stem}-title {stem}-desc\">\n\
         <title id=\"{stem}-title\">{}</title>\n<desc id=\"{stem}-desc\">{}</desc>{body}",
        width * DENSITY,
        height * DENSITY,
        HtmlEscape(&figure.title()),
        HtmlEscape(&figure.alt()),
    ))
}

/// Writes the figure as a PNG file at twice its logical size.
///
/// # Errors
///
/// [`ReportError::Chart`], with the drawing library's reason.
pub fn write_png(figure: &dyn Figure, path: &Path) -> Result<(), ReportError> {
    let (width, height) = figure.size_px();
    let area = BitMapBackend::new(path, (width * DENSITY, height * DENSITY)).into_drawing_area();
    drawn(figure)
        .replay(&area, DENSITY, canvas::Text::BITMAP)
        .and_then(|()| area.present())
        .map_err(|error| failed(figure, &error))
}

fn drawn(figure: &dyn Figure) -> Canvas {
    let mut canvas = Canvas::default();
    figure.draw(&mut canvas);
    canvas
}

fn failed(figure: &dyn Figure, reason: &dyn std::fmt::Display) -> ReportError {
    ReportError::Chart { stem: figure.file_stem().to_owned(), reason: reason.to_string() }
}

#[cfg(test)]
mod tests;
