//! Whether growth in place pays.
//!
//! Only where blocks did grow in place is a difference put down to it: the counts say so, not the allocator's
//! name.

use super::{Field, list, span};
use crate::format::exact_count;
use crate::studies::View;
use crate::summary::Row;
use crate::table::figure;
use crate::verdict::Verdict;

/// The vector of the standard library; another over the system's realloc; that where growth always copies;
/// that over an allocator that tries to expand first.
const VEC: &str = "vec";
const MALLOC: &str = "malloc";
const COPY: &str = "copy";
const EXPAND: &str = "expand";
/// Boost's vector over an allocator that expands; over the same with expansion turned off; over std's.
const V2: &str = "growth-v2";
const V2_COPY: &str = "growth-v2-copy";
const STD: &str = "growth-std";

pub(super) fn sentences(views: &[View]) -> Vec<String> {
    let fields: Vec<Field> = views.iter().map(Field).collect();
    let mut told = pays(&fields, EXPAND, COPY, "beside growth that copies, by another allocator");
    told.extend(plain(&fields));
    let same = "beside the same allocator with expansion turned off";
    told.extend(pays(&fields, V2, V2_COPY, &format!("in C++ {same}")));
    told.extend(
        compared(&fields, V2, STD)
            .map(|it| format!("Beside std::allocator, which is another allocator too: {it}.")),
    );
    told.extend(blocks(&fields));
    told
}

/// Of what, and how many at once: `64 int vectors in turn`.
fn of(view: &View) -> String {
    let workload = match view.workload.as_str() {
        "" => String::new(),
        workload => format!("{workload} "),
    };
    match view.n {
        1 => format!("one {workload}vector"),
        n => format!("{} {workload}vectors in turn", exact_count(n.into())),
    }
}

/// Whether most growths of a row were in place; `None` where they were not counted.
fn in_place(field: Field, row: &Row) -> Option<bool> {
    let [blocks, expansions] = ["new_blocks", "expansions"].map(|it| field.0.figure(row, it));
    Some(expansions? > blocks?)
}

/// What one row is beside another, for each element, alone and in turn; those without a difference together.
fn compared(fields: &[Field], side: &str, other: &str) -> Option<String> {
    let (mut told, mut alike) = (Vec::new(), Vec::new());
    for field in fields {
        let Some((row, other)) = field.row(side).zip(field.row(other)) else { continue };
        match field.verdict(row, other) {
            Some(Verdict::NoDifference { floor }) => alike.push((of(field.0), floor)),
            _ => told.extend(field.clause(row, other, &field.name(other)).map(|clause| {
                let (of, name, ns) = (of(field.0), field.name(row), field.ns(row));
                format!("for {of}, {name} takes {ns} and {clause}")
            })),
        }
    }
    let floors = || alike.iter().map(|(_, floor)| *floor);
    if let Some((least, most)) = floors().reduce(f64::min).zip(floors().reduce(f64::max)) {
        let whose: Vec<String> = alike.iter().map(|(of, _)| of.clone()).collect();
        let floor = span(least, most);
        told.push(format!(
            "{side} shows no difference from {other} above the noise floor of {floor} for {}",
            list(&whose)
        ));
    }
    (!told.is_empty()).then(|| told.join("; "))
}

/// What growth in place saves where it takes place, and what the same rows differ by where it does not.
fn pays(fields: &[Field], side: &str, other: &str, beside: &str) -> Vec<String> {
    let where_it_is = |wanted: Option<bool>| {
        let both = fields.iter().filter(|field| field.row(other).is_some());
        let is =
            |field: &&Field| field.row(side).is_some_and(|row| in_place(**field, row) == wanted);
        both.filter(is).copied().collect::<Vec<Field>>()
    };
    let [grown, moved, unknown] = [Some(true), Some(false), None].map(where_it_is);
    let verdict = |field: &Field| field.verdict(field.row(side)?, field.row(other)?);
    let verdicts: Vec<Verdict> = grown.iter().filter_map(verdict).collect();
    let faster = |verdict: &&Verdict| matches!(verdict, Verdict::Faster { .. });
    let unsettled =
        |verdict: &Verdict| matches!(verdict, Verdict::Unclear | Verdict::TooFew { .. });
    let head = match verdicts.iter().filter(faster).count() {
        0 if verdicts.iter().any(unsettled) => "Whether growth in place pays is not told",
        0 => "Growth in place is not told to pay",
        all if all == verdicts.len() => "Growth in place pays",
        _ => "Growth in place pays in some cases",
    };
    let told = [
        compared(&grown, side, other).map(|it| format!("{head}, {beside}: {it}.")),
        compared(&moved, side, other).map(|it| {
            let faults = faults(&moved, side, other);
            format!(
                "Where most growths took a new block all the same, {beside}: {it}. What differs there is \
                 not due to growth in place{faults}."
            )
        }),
        compared(&unknown, side, other)
            .map(|it| format!("What grew in place was not counted; {beside}: {it}.")),
    ];
    told.into_iter().flatten().collect()
}

/// Page faults of both, where they were counted.
fn faults(fields: &[Field], side: &str, other: &str) -> String {
    let one = |field: &Field| {
        let faults = |name| field.0.figure(field.row(name)?, "page_faults_per_1000").map(figure);
        Some((format!("{side} {} and {other} {}", faults(side)?, faults(other)?), of(field.0)))
    };
    let told = together(fields.iter().filter_map(one));
    let told: Vec<String> =
        told.iter().map(|(faults, whose)| format!("{faults} for {}", list(whose))).collect();
    match told.is_empty() {
        true => String::new(),
        false => format!("; page faults per 1,000 pushes: {}", told.join("; ")),
    }
}

/// Of what is said in the same words: the words, and of whom.
fn together(told: impl Iterator<Item = (String, String)>) -> Vec<(String, Vec<String>)> {
    let mut known: Vec<(String, Vec<String>)> = Vec::new();
    for (words, whose) in told {
        match known.iter_mut().find(|(known, _)| *known == words) {
            Some((_, others)) => others.push(whose),
            None => known.push((words, vec![whose])),
        }
    }
    known
}

/// What expands first against the system's realloc.
fn plain(fields: &[Field]) -> Option<String> {
    // Best the same vector, where it was measured: then only the allocator differs.
    let (other, name) = match fields.iter().any(|field| field.row(MALLOC).is_some()) {
        true => (MALLOC, "the same vector over the system's realloc"),
        false => (VEC, "a plain Vec, which grows by the system's realloc"),
    };
    let told = compared(fields, EXPAND, other)?;
    let verdict = |field: &Field| {
        let (row, other) = field.row(EXPAND).zip(field.row(other))?;
        Some(field.settled(row, other).zip(in_place(*field, row)))
    };
    let verdicts: Option<Vec<(Verdict, bool)>> = fields.iter().filter_map(verdict).collect();
    let faster = |of: bool| {
        let is = |&(verdict, in_place): &(Verdict, bool)| {
            matches!(verdict, Verdict::Faster { .. }) && in_place == of
        };
        verdicts.iter().flatten().any(is)
    };
    let advice = match (faster(true), faster(false)) {
        _ if verdicts.is_none() => "",
        (true, _) => {
            " An allocator that expands can save time over the system's realloc, where blocks grow in place."
        }
        (false, true) => " Where it is faster, that is not due to growth in place.",
        (false, false) => " The system's realloc is as good, and a plain Vec has it.",
    };
    Some(format!("Beside {name}: {told}.{advice}"))
}

/// How often a block was new, and how often it was expanded, alone and in turn; of the first element.
fn blocks(fields: &[Field]) -> Vec<String> {
    let names = [EXPAND, MALLOC, VEC, COPY, V2, V2_COPY, STD];
    let counted = |count: f64, what: &str| match count {
        1.0 => format!("1 {what}"),
        count => format!("{} {what}s", figure(count)),
    };
    let of_row = |field: Field, row: &Row| {
        let [blocks, expansions, faults] = ["new_blocks", "expansions", "page_faults_per_1000"]
            .map(|name| field.0.figure(row, name));
        let words = [
            Some(counted(blocks?, "new block")),
            Some(counted(expansions?, "expansion")),
            faults.map(|faults| format!("{} page faults per 1,000 pushes", figure(faults))),
        ];
        Some(list(&words.into_iter().flatten().collect::<Vec<_>>()))
    };
    let one = |fields: &[Field]| {
        let field = fields[0];
        let told =
            field.rows(&names).filter_map(|row| Some((of_row(field, row)?, field.name(row))));
        let words = |(counts, rows): (String, Vec<String>)| {
            let take = if rows.len() == 1 { "takes" } else { "take" };
            format!("{} {take} {counts}", list(&rows))
        };
        let told: Vec<String> = together(told).into_iter().map(words).collect();
        let each = if field.0.n == 1 { "" } else { "each of " };
        (!told.is_empty()).then(|| format!("To fill {each}{}, {}.", of(field.0), told.join("; ")))
    };
    fields.chunk_by(|a, b| a.0.n == b.0.n).filter_map(one).collect()
}
