//! What is drawn along one axis of a plot.

use super::axis::Axis;

/// One axis.
pub(super) struct Scale {
    /// What the axis shows, with its unit.
    pub title: String,
    /// How far apart values lie.
    pub kind: Kind,
    /// Ends of the axis, where the values are not to decide.
    pub range: Option<(f64, f64)>,
    /// Places and texts to mark, where round numbers are not; those without room are left out.
    pub ticks: Option<Vec<(f64, String)>>,
    /// Along the x axis, places and names of upright lines to read others against.
    pub uprights: Vec<(f64, String)>,
    /// How a round value is written at the axis.
    pub tick: fn(f64) -> String,
    /// How any value is written for those who point at it, and an infinite one beside its cross.
    pub value: fn(f64) -> String,
}

/// How far apart values lie on an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Equal differences are equally far apart.
    Linear,
    /// Equal ratios are, and powers of ten are round.
    Log,
    /// Equal ratios are, and powers of two are round.
    Binary,
}

impl Scale {
    /// An axis of this kind; the values decide how far it reaches.
    pub fn new(title: &str, kind: Kind, tick: fn(f64) -> String, value: fn(f64) -> String) -> Self {
        Self {
            title: title.to_owned(),
            kind,
            range: None,
            ticks: None,
            uprights: Vec::new(),
            tick,
            value,
        }
    }

    /// The axis of these values.
    pub fn axis(&self, values: impl Iterator<Item = f64>, pixels: (f64, f64)) -> Axis {
        let (least, most) = values
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (low.min(v), high.max(v)));
        // Of no values, any axis will do.
        let (least, most) = if least > most { (1.0, 2.0) } else { (least, most) };
        let log = self.kind != Kind::Linear;
        let apart = if least == most { 1.0 } else { 0.0 };
        let range = self.range.unwrap_or(match log {
            true => (least / (1.04 + apart), most * (1.04 + apart)),
            false => (least - apart, most + apart),
        });
        Axis { range, pixels, log }
    }

    /// Places to mark, with their texts.
    pub fn ticks(&self, axis: &Axis) -> Vec<(f64, String)> {
        if let Some(ticks) = &self.ticks {
            let (low, high) = axis.range;
            return ticks.iter().filter(|(at, _)| (low..=high).contains(at)).cloned().collect();
        }
        let values = match self.kind {
            Kind::Linear | Kind::Log => axis.ticks(),
            Kind::Binary => axis.binary_ticks(),
        };
        values.into_iter().map(|value| (value, (self.tick)(value))).collect()
    }
}
