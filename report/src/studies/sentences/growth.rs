//! Whether growth in place pays.

use super::{Field, list};
use crate::format::exact_count;
use crate::studies::View;
use crate::summary::Row;
use crate::table::figure;
use crate::verdict::Verdict;

/// The vector of the standard library; one whose growth always copies; one that tries to expand first.
const VEC: &str = "vec";
const COPY: &str = "copy";
const EXPAND: &str = "expand";

pub(super) fn sentences(views: &[View]) -> Vec<String> {
    let fields: Vec<Field> = views.iter().map(Field).collect();
    let told = [in_place(&fields), plain(&fields), blocks(&fields), cpp(&fields)];
    told.into_iter().flatten().collect()
}

/// Of what, and how many at once: `int, 64 vectors in turn`.
fn of(view: &View) -> String {
    match view.n {
        1 => format!("{}, one vector", view.workload),
        n => format!("{}, {} vectors in turn", view.workload, exact_count(n.into())),
    }
}

/// What one row takes less than another, for each element, alone and in turn; and how often it is faster.
fn less(fields: &[Field], side: &str, other: &str) -> Option<(String, usize)> {
    let one = |field: &Field| {
        let (side, other) = (field.row(side)?, field.row(other)?);
        let told = format!("{} ({})", field.difference(side, other)?, of(field.0));
        Some((told, matches!(field.verdict(side, other)?, Verdict::Faster { .. })))
    };
    let told: Vec<(String, bool)> = fields.iter().filter_map(one).collect();
    let faster = told.iter().filter(|(_, faster)| *faster).count();
    let told: Vec<String> = told.into_iter().map(|(told, _)| told).collect();
    (!told.is_empty()).then(|| (list(&told), faster))
}

/// Expanding against copying.
fn in_place(fields: &[Field]) -> Option<String> {
    let (told, faster) = less(fields, EXPAND, COPY)?;
    let all =
        fields.iter().filter(|field| field.row(EXPAND).is_some() && field.row(COPY).is_some());
    let head = match faster {
        0 => "Growth in place is not told to pay",
        faster if faster == all.count() => "Growth in place pays",
        _ => "Growth in place pays in some cases",
    };
    Some(format!("{head}: beside growth that copies, a push takes {told}."))
}

/// What expands first against a plain Vec, whose reallocations are the system's.
fn plain(fields: &[Field]) -> Option<String> {
    let (told, faster) = less(fields, EXPAND, VEC)?;
    let advice = match faster {
        0 => "A plain Vec has it already where the system's realloc can: nothing is to be done",
        _ => "So an allocator that expands can still save time over the system's realloc",
    };
    Some(format!("Beside a plain Vec, a push with growth in place takes {told}. {advice}."))
}

/// How often a block was new, and how often it was expanded.
fn blocks(fields: &[Field]) -> Option<String> {
    let field = fields.first()?;
    let one = |row: &Row| {
        let [blocks, expansions] = ["new_blocks", "expansions"].map(|it| field.0.figure(row, it));
        let counted = |count: f64, what: &str| match count {
            1.0 => format!("1 {what}"),
            count => format!("{} {what}s", figure(count)),
        };
        let (blocks, expansions) =
            (counted(blocks?, "new block"), counted(expansions?, "expansion"));
        Some(format!("{} takes {blocks} and {expansions}", field.name(row)))
    };
    let rows = field.rows(&[EXPAND, COPY, "growth-v2", "growth-std"]);
    let told: Vec<String> = rows.filter_map(one).collect();
    (!told.is_empty()).then(|| format!("To grow ({}), {}.", of(field.0), told.join("; ")))
}

/// Boost's vector.
fn cpp(fields: &[Field]) -> Option<String> {
    let (told, _) = less(fields, "growth-v2", "growth-std")?;
    Some(format!(
        "In C++, a push to Boost's vector with growth in place (growth-v2) takes, beside std::allocator \
         (growth-std), {told}."
    ))
}
