//! The charts, each in two layouts of which the style shows one.

use crate::charts::Figure;
use minijinja::{Value, context};

/// The charts in order, each with its drawings, the wide one first.
pub(super) fn views(figures: &[Box<dyn Figure + '_>], drawings: &[[String; 2]]) -> Vec<Value> {
    let view = |(figure, [wide, narrow]): (&Box<dyn Figure + '_>, &[String; 2])| {
        context! {
            stem => figure.file_stem(),
            title => figure.title(),
            caption => figure.caption(),
            // Ours: plotters escapes the texts within them.
            wide => Value::from_safe_string(wide.clone()),
            narrow => Value::from_safe_string(narrow.clone()),
        }
    };
    figures.iter().zip(drawings).map(view).collect()
}
