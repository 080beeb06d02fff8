//! How the two families of the title's question compare, whoever came first.

use super::field::{Family, Field, Standing};
use crate::summary::Row;
use std::iter;

/// What follows the name of the one that came first, without its full stop; it goes on with another
/// sentence where neither family is among the firsts. `None` of records that have neither.
pub(super) fn families(field: &Field, first: &Row, tied: &[&Row]) -> Option<String> {
    let is_first = |family: Family| {
        let mut firsts = iter::once(first).chain(tied.iter().copied());
        firsts.any(|row| field.group(row).family == family.name())
    };
    match (field.fastest_of(Family::Tracing), field.fastest_of(Family::Counting)) {
        (None, None) => None,
        (Some(only), None) => Some(one(field, Family::Tracing, only, first)),
        (None, Some(only)) => Some(one(field, Family::Counting, only, first)),
        (Some(tracing), Some(counting)) => {
            match (is_first(Family::Tracing), is_first(Family::Counting)) {
                (true, true) => Some("neither tracing nor counting wins".to_owned()),
                (true, false) => clause(field, Family::Counting, counting, tracing),
                (false, true) => clause(field, Family::Tracing, tracing, counting),
                (false, false) => both(field, tracing, counting, first),
            }
        }
    }
}

/// Of the only family that has a time.
fn one(field: &Field, family: Family, fastest: &Row, first: &Row) -> String {
    let none = format!("none that {} has a time", family.other().does());
    let behind = field.standing(fastest, first) == Standing::Behind;
    match clause(field, family, fastest, first).filter(|_| behind) {
        Some(clause) => format!("{clause}, and {none}"),
        None => none,
    }
}

/// Each beside the one before it, so that the families meet.
fn both(field: &Field, tracing: &Row, counting: &Row, first: &Row) -> Option<String> {
    let (mut winner, mut loser) = ((Family::Tracing, tracing), (Family::Counting, counting));
    if field.standing(counting, tracing) == Standing::Ahead {
        (winner, loser) = (loser, winner);
    }
    let next = clause(field, winner.0, winner.1, first);
    let last = clause(field, loser.0, loser.1, winner.1);
    match (next, last) {
        (Some(next), Some(last)) => Some(format!("{next}. {}", last.replacen("the", "The", 1))),
        (next, last) => next.or(last),
    }
}

/// `the fastest that counts references, fused, takes 1.34 times as long as gc (...)`.
fn clause(field: &Field, family: Family, row: &Row, other: &Row) -> Option<String> {
    let clause = field.clause(row, other)?;
    Some(format!("the fastest that {}, {}, {clause}", family.does(), field.name(row)))
}
