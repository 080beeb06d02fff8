//! Figures: each one file, drawn on a [`Canvas`] and written as SVG and as PNG.
//!
//! A figure never meets a drawing back end. It draws shapes onto a canvas in logical pixels, and the
//! canvas is then replayed on any back end of plotters; tests look at the shapes instead.
//!
//! | file | one idea |
//! |---|---|
//! | `canvas` | shapes in logical pixels; marks that scripts and readers point at |
//! | `svg` | a canvas as an SVG document |
//! | `frame`, `axis`, `font`, `colour` | paper and title; values to pixels; widths of texts; colours by name |
//! | `bars`, `families` | charts of horizontal bars; their rows by family |
//! | `legend` | colours with their names |
//! | `plot`, `scale`, `above` | charts of lines on two axes, named at their ends; what stands above the lines |
//! | `panels` | such charts below each other |
//! | `beside` | labels beside points |
//! | `swept`, `levels` | configurations that differ in one parameter; what they are held against |
//! | all others | one figure each |

mod above;
mod axis;
mod bars;
mod beside;
mod canvas;
mod colour;
mod families;
mod font;
mod frame;
mod heap_limit;
mod instructions_per_cell;
mod ladder;
mod legend;
mod levels;
mod live_cells;
mod memory_per_backend;
mod noise;
mod panels;
mod pauses;
mod peers;
mod plot;
mod scale;
mod scaling;
mod spread;
mod study;
mod svg;
mod sweep;
mod swept;
mod threads;
mod time_against_memory;
mod time_against_n;
mod time_per_backend;
mod utilisation;
mod warm_up;

pub use canvas::{Anchor, Canvas, Mark, Point, Rgb, Shape};
pub use colour::{backend_colour, family_colour};
pub use frame::{NARROW_PX, WIDE_PX};
pub use svg::svg;

use crate::explain::Explanation;
use crate::html::ReportError;
use crate::studies::{View, by_study};
use crate::summary::Summary;
use crate::threads::Block;
use plotters::prelude::{BitMapBackend, IntoDrawingArea};
use std::collections::BTreeSet;
use std::path::Path;

/// Device pixels for each logical pixel: of the PNG, and of the grid that SVG coordinates lie on
/// (plotters only knows whole coordinates).
const DENSITY: u32 = 2;

/// One chart, in a layout for any width: [`WIDE_PX`] for pages and files, [`NARROW_PX`] for
/// telephones.
pub trait Figure: Sync {
    /// Name of its files, without ending, and of its section on the page.
    fn file_stem(&self) -> String;
    /// What it shows, in a few words.
    fn title(&self) -> String;
    /// How to read it, in a sentence or two.
    fn caption(&self) -> String;
    /// The same information as text, for those who cannot see it.
    fn alt(&self) -> String;
    /// Height in logical pixels at a width.
    fn height_px(&self, width_px: u32) -> u32;
    /// Draws it at a width.
    fn draw(&self, canvas: &mut Canvas, width_px: u32);
}

/// A figure that a summary may have the data for.
type Made<'a> = Option<Box<dyn Figure + 'a>>;

fn made<'a>(figure: Option<impl Figure + 'a>) -> Made<'a> {
    figure.map(|figure| Box::new(figure) as Box<dyn Figure>)
}

/// The figure that goes with the headline; `None` where no backend has a time.
pub(crate) fn time_per_backend(summary: &Summary) -> Made<'_> {
    made(time_per_backend::TimePerBackend::new(summary))
}

/// Every figure of the study that these data can fill, in the order of the page; a figure without data is left out.
pub fn figures<'a>(
    summary: &'a Summary,
    explained: &'a [Explanation],
) -> Vec<Box<dyn Figure + 'a>> {
    let mut figures: Vec<Made<'a>> = vec![
        time_per_backend(summary),
        made(ladder::Waterfall::new(explained)),
        made(time_against_n::time_against_n(summary)),
        made(time_against_memory::TimeAgainstMemory::new(summary)),
        made(heap_limit::time_against_heap_limit(summary, heap_limit::Unit::Multiple)),
        made(heap_limit::time_against_heap_limit(summary, heap_limit::Unit::Bytes)),
    ];
    figures.extend(sweep::sweeps(summary).into_iter().map(|sweep| made(Some(sweep))));
    figures.extend([
        made(pauses::pause_lengths(summary)),
        made(utilisation::utilisation(summary)),
        made(live_cells::CellsHeld::new(summary)),
        made(memory_per_backend::MemoryPerBackend::new(summary)),
        made(instructions_per_cell::InstructionsPerCell::new(summary)),
        made(noise::Noise::new(summary)),
    ]);
    figures.into_iter().flatten().collect()
}

/// The figures of peers: beside the backends, and how they warm up. None where there are no peers.
pub fn figures_of_peers(summary: &Summary) -> Vec<Box<dyn Figure + '_>> {
    let figures = [made(peers::Peers::new(summary)), made(warm_up::warm_up(summary))];
    figures.into_iter().flatten().collect()
}

/// The figures of threads, mode by mode: how much work they do, and what processor time it takes.
pub fn figures_of_threads(blocks: &[Block]) -> Vec<Vec<Box<dyn Figure + '_>>> {
    let mut stems = BTreeSet::new();
    let mut all = Vec::new();
    for block in blocks {
        let of_mode: Vec<Made> = match &block.whole {
            Some(whole) => vec![made(threads::time_against_threads(whole))],
            None => scaling::scaling(block, blocks, &mut stems),
        };
        all.push(of_mode.into_iter().flatten().collect());
    }
    all
}

/// A figure of each allocation study that has a time, in their order.
pub fn figures_of_studies(views: &[View]) -> Vec<Box<dyn Figure + '_>> {
    let mut stems = BTreeSet::new();
    let mut figures = Vec::new();
    for views in by_study(views) {
        let stem = sweep::stem("study", &views[0].study, &mut stems);
        figures.extend(made(study::OfStudy::new(views, stem)));
    }
    figures
}

/// Writes the wide layout of a figure as a PNG file at twice its logical size.
///
/// # Errors
///
/// [`ReportError::Chart`], with the drawing library's reason.
pub fn write_png(figure: &dyn Figure, path: &Path) -> Result<(), ReportError> {
    let (width, height) = (WIDE_PX, figure.height_px(WIDE_PX));
    let area = BitMapBackend::new(path, (width * DENSITY, height * DENSITY)).into_drawing_area();
    drawn(figure, width)
        .replay(&area, DENSITY, canvas::Text::BITMAP)
        .and_then(|()| area.present())
        .map_err(|error| failed(figure, &error))
}

fn drawn(figure: &dyn Figure, width_px: u32) -> Canvas {
    let mut canvas = Canvas::default();
    figure.draw(&mut canvas, width_px);
    canvas
}

fn failed(figure: &dyn Figure, reason: &dyn std::fmt::Display) -> ReportError {
    ReportError::Chart { stem: figure.file_stem(), reason: reason.to_string() }
}

#[cfg(test)]
mod made_up;
#[cfg(test)]
mod tests;
