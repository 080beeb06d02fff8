//! A canvas as an SVG document, fit to stand within a page.
//!
//! plotters writes shapes one after the other and knows no groups. So each run of shapes between two
//! marks is drawn by itself, and what was written is put into a group that carries the mark.

use super::canvas::{Mark, Shape, Text, replay};
use super::{DENSITY, Figure, drawn, failed, font};
use crate::html::ReportError;
use minijinja::HtmlEscape;
use plotters::prelude::{IntoDrawingArea, SVGBackend};

/// The figure as an SVG document with a title and a description, at a width in logical pixels.
///
/// Identifiers carry the width, so that two layouts may stand on one page.
///
/// # Errors
///
/// [`ReportError::Chart`], with the drawing library's reason.
pub fn svg(figure: &dyn Figure, width_px: u32) -> Result<String, ReportError> {
    let height = figure.height_px(width_px);
    let size = (width_px * DENSITY, height * DENSITY);
    let mut body = String::new();
    write(drawn(figure, width_px).shapes(), size, figure, &mut body)?;
    let id = format!("{}-{width_px}", figure.file_stem());
    Ok(format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width_px}\" height=\"{height}\" \
         viewBox=\"0 0 {} {}\" font-family=\"{}\" role=\"img\" \
         aria-labelledby=\"{id}-title {id}-desc\">\n\
         <title id=\"{id}-title\">{}</title>\n<desc id=\"{id}-desc\">{}</desc>\n{body}</svg>\n",
        size.0,
        size.1,
        font::FAMILY,
        HtmlEscape(&figure.title()),
        HtmlEscape(&figure.alt()),
    ))
}

/// Writes shapes, in groups where they are marked.
fn write(
    shapes: &[Shape],
    size: (u32, u32),
    figure: &dyn Figure,
    out: &mut String,
) -> Result<(), ReportError> {
    let is_marked = |shape: &Shape| matches!(shape, Shape::Marked { .. });
    for run in shapes.chunk_by(|a, b| !is_marked(a) && !is_marked(b)) {
        if let [Shape::Marked { mark, shapes }] = run {
            out.push_str(&start(mark));
            write(shapes, size, figure, out)?;
            out.push_str("</g>\n");
        } else {
            out.push_str(&plain(run, size, figure)?);
        }
    }
    Ok(())
}

fn start(Mark { name, tip, hidden }: &Mark) -> String {
    let hidden = if *hidden { " visibility=\"hidden\"" } else { "" };
    let tip = match tip.is_empty() {
        true => String::new(),
        false => format!("<title>{}</title>", HtmlEscape(tip)),
    };
    format!("<g data-mark=\"{}\"{hidden}>{tip}\n", HtmlEscape(name))
}

/// Shapes without marks, as plotters writes them, less what the whole document says once.
fn plain(shapes: &[Shape], size: (u32, u32), figure: &dyn Figure) -> Result<String, ReportError> {
    let mut drawing = String::new();
    let area = SVGBackend::with_string(&mut drawing, size).into_drawing_area();
    replay(shapes, &area, DENSITY, Text::SVG)
        .and_then(|()| area.present())
        .map_err(|error| failed(figure, &error))?;
    drop(area);
    let body = drawing.split_once('>').map_or("", |(_, body)| body);
    let body = body.trim_start().strip_suffix("</svg>\n").unwrap_or(body);
    // Texts are escaped, so a quotation mark is never part of one.
    let family = format!(" font-family=\"{}\"", font::FAMILY);
    Ok(body.replace(&family, "").replace(" opacity=\"1\"", "").replace(" \"/>", "\"/>"))
}
