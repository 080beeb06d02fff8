//! Where the parts of the ladder lie: texts left of the bars, or on narrow paper above them.

use super::super::canvas::{Point, Rgb};
use super::*;

/// Most of the width that texts left of the bars may take.
const TEXT_PX: f64 = 330.0;
/// Most of the width of the bars that their values may take.
const VALUE_SHARE: f64 = 0.8;
/// Between a bar and its value.
const GAP_PX: f64 = 8.0;
const NAME_PX: f64 = 18.0;
const NOTE_PX: f64 = 15.0;
/// Below a panel, for its axis, and below that to the next.
const AXIS_PX: f64 = 42.0;
const BETWEEN_PX: f64 = 18.0;

pub(super) struct Layout {
    pub height_px: f64,
    pub panels: Vec<Part>,
}

/// A panel.
pub(super) struct Part {
    /// Lines above it, and where each stands.
    pub head: Vec<(f64, String)>,
    pub top_px: f64,
    pub bottom_px: f64,
    pub axis: Axis,
    pub places: Vec<Place>,
}

/// Where a bar lies, and its texts.
pub(super) struct Place {
    pub bar_y: f64,
    name: (Point, String),
    notes: Vec<(Point, String)>,
    value: (Point, Anchor, String),
}

impl Place {
    /// Each text with its place, size and colour.
    pub fn texts(&self, ink: Rgb) -> Vec<(Point, Anchor, &str, f64, Rgb)> {
        let (at, name) = &self.name;
        let (value_at, anchor, value) = &self.value;
        let mut texts = vec![
            (*at, Anchor::Start, name.as_str(), EM_PX, INK),
            (*value_at, *anchor, value.as_str(), EM_PX, ink),
        ];
        let notes = self.notes.iter().map(|(at, note)| (*at, note.as_str()));
        texts.extend(notes.map(|(at, note)| (at, Anchor::Start, note, SMALL_PX, FAINT)));
        texts
    }
}

impl Layout {
    pub fn new(of: &Waterfall, width_px: u32) -> Self {
        let frame = of.frame(width_px);
        let room = frame.width_px - 2.0 * MARGIN_PX;
        let mut y = frame.top_px;
        let mut panels = Vec::new();
        for (panel, head) in of.panels.iter().zip(of.heads()) {
            let mut lines = Vec::new();
            for line in head.iter().flat_map(|text| wrapped(text, EM_PX, room)) {
                lines.push((y + 9.0, cut(&line, EM_PX, room)));
                y += NAME_PX;
            }
            y += 6.0;
            let part = match frame.narrow() {
                true => stacked(panel, lines, y, &frame),
                false => beside(panel, lines, y, &frame),
            };
            y = part.bottom_px + AXIS_PX + BETWEEN_PX;
            panels.push(part);
        }
        Self { height_px: (y - BETWEEN_PX + 6.0).ceil(), panels }
    }
}

/// The lines of notes at this width; names from records may be longer than a line.
fn note_lines(notes: &[String], room: f64) -> Vec<String> {
    let lines = notes.iter().flat_map(|note| wrapped(note, SMALL_PX, room));
    lines.map(|line| cut(&line, SMALL_PX, room)).collect()
}

/// What is said beside a bar: its value, and whether that is no difference.
fn value(bar: &Bar) -> String {
    match bar.doubt() {
        Some(doubt) => format!("{}, {doubt}", bar.value()),
        None => bar.value(),
    }
}

/// Texts left of the bars, and values beside them.
fn beside(panel: &Panel, head: Vec<(f64, String)>, top_px: f64, frame: &Frame) -> Part {
    let (left, right) = (MARGIN_PX + TEXT_PX + 14.0, frame.width_px - MARGIN_PX);
    let most_px = VALUE_SHARE * (right - left);
    let values: Vec<String> =
        panel.bars.iter().map(|bar| cut(&value(bar), EM_PX, most_px)).collect();
    let width = |text: &String| text_px(text, EM_PX);
    let axis = |room_px: f64| {
        let pixels = (left, right - room_px - 10.0);
        Axis { range: panel.range(), pixels, log: false }
    };
    // Right of the bar, or where there is no room, left of it.
    let at = |axis: &Axis, bar: &Bar, value: &String| {
        let (low, high) = bar.reach();
        let (low, high) = (axis.at(low) - GAP_PX, axis.at(high) + GAP_PX);
        if high + width(value) <= right {
            return Some((high, Anchor::Start));
        }
        (low - width(value) >= left).then_some((low, Anchor::End))
    };
    let all = |axis: Axis| {
        let at = panel.bars.iter().zip(&values).map(|(bar, value)| at(&axis, bar, value));
        at.collect::<Option<Vec<_>>>().map(|at| (axis, at))
    };
    // Beside whole times there is nothing on the left; beside some step there may be too little.
    let wholes = panel.bars.iter().zip(&values).filter(|(bar, _)| bar.step.is_none());
    let least = wholes.map(|(_, value)| width(value)).fold(0.0, f64::max);
    let most = values.iter().map(width).fold(0.0, f64::max);
    let (axis, at) = [least, most]
        .into_iter()
        .find_map(|room_px| all(axis(room_px)))
        .expect("right of all bars there is room for the longest value");
    let mut y = top_px;
    let mut places = Vec::new();
    for ((bar, value), (x, anchor)) in panel.bars.iter().zip(&values).zip(at) {
        let notes = note_lines(&bar.notes, TEXT_PX);
        let height = NAME_PX + notes.len() as f64 * NOTE_PX + 9.0;
        let bar_y = y + height / 2.0;
        let name = cut(&shorten(bar.label, NAME_CHARS), EM_PX, TEXT_PX);
        let notes = notes.into_iter().zip(0..).map(|(note, i)| {
            ((MARGIN_PX, y + 4.0 + NAME_PX + (f64::from(i) + 0.5) * NOTE_PX), note)
        });
        places.push(Place {
            bar_y,
            name: ((MARGIN_PX, y + 4.0 + NAME_PX / 2.0), name),
            notes: notes.collect(),
            value: ((x, bar_y), anchor, value.clone()),
        });
        y += height;
    }
    Part { head, top_px, bottom_px: y, axis, places }
}

/// Texts and values above the bars.
fn stacked(panel: &Panel, head: Vec<(f64, String)>, top_px: f64, frame: &Frame) -> Part {
    let (left, right) = (MARGIN_PX, frame.width_px - MARGIN_PX);
    let axis = Axis { range: panel.range(), pixels: (left, right), log: false };
    let mut y = top_px;
    let mut places = Vec::new();
    for bar in &panel.bars {
        let value = cut(&bar.value(), EM_PX, right - left - 60.0);
        let doubt = bar.doubt().map(str::to_owned);
        let all: Vec<String> = doubt.into_iter().chain(bar.notes.iter().cloned()).collect();
        let notes = note_lines(&all, right - left);
        let name_y = y + 6.0 + NAME_PX / 2.0;
        let room = right - left - text_px(&value, EM_PX) - 12.0;
        let bar_y = y + 6.0 + NAME_PX + notes.len() as f64 * NOTE_PX + 3.0 + HALF_PX;
        let notes = notes
            .into_iter()
            .zip(0..)
            .map(|(note, i)| ((left, y + 6.0 + NAME_PX + (f64::from(i) + 0.5) * NOTE_PX), note));
        places.push(Place {
            bar_y,
            name: ((left, name_y), cut(&shorten(bar.label, NAME_CHARS), EM_PX, room)),
            notes: notes.collect(),
            value: ((right, name_y), Anchor::End, value),
        });
        y = bar_y + HALF_PX + 6.0;
    }
    Part { head, top_px, bottom_px: y, axis, places }
}
