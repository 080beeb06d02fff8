//! The charts, each in two layouts of which the style shows one.

use crate::charts::Figure;
use minijinja::{Value, context};

/// The charts in order, each with its drawings, the wide one first.
pub(super) fn views(figures: &[Box<dyn Figure + '_>], drawings: &[[String; 2]]) -> Vec<Value> {
    let view = |figure: &dyn Figure, [wide, narrow]: &[String; 2]| {
        context! {
            stem => figure.file_stem(),
            title => figure.title(),
            caption => figure.caption(),
            // Ours: plotters escapes the texts within them.
            wide => Value::from_safe_string(wide.clone()),
            narrow => Value::from_safe_string(narrow.clone()),
        }
    };
    let both = figures.iter().zip(drawings);
    both.map(|(figure, drawings)| view(figure.as_ref(), drawings)).collect()
}
