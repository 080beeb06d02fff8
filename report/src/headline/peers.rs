//! How the study's own collector stands against the same program in other languages, and the claim of
//! the study's title between two of these.

use super::field::{Field, Standing};
use crate::format::shorten;
use crate::summary::{REFERENCE, Row, Summary};

/// The counting pointer of the claim: by value, two blocks, atomic counts.
const COUNTING: &str = "boost-new";
/// What other runtimes are held against: a general-purpose manager as they have one.
const OURS: &str = "gc";
/// Longest title in a sentence, in characters.
const LONGEST_TITLE: usize = 60;

/// One text; `None` without peers, or where none of them serves any program and reclaims.
pub(super) fn peers(summary: &Summary, origin: usize) -> Option<String> {
    let field = Field::beside_peers(summary, origin)?;
    let is_peer = |row: &&Row| field.group(row).peer.is_some();
    let (peers, ours): (Vec<&Row>, Vec<&Row>) = field.general().into_iter().partition(is_peer);
    let nearest = field.fastest(&peers)?;
    // With nothing but peers, the answer has told who is first.
    let ours = field.find(OURS).or_else(|| field.fastest(&ours));
    let against = ours.and_then(|ours| standing(&field, &peers, nearest, ours));
    let told: Vec<String> = against.into_iter().chain(claim(&field)).collect();
    (!told.is_empty()).then(|| told.join(" "))
}

/// Of the study's own and the nearest peer, or those ahead of it.
fn standing(field: &Field, peers: &[&Row], nearest: &Row, own: &Row) -> Option<String> {
    let (ours, n) = (field.name(own), field.n);
    let of = match peers.len() {
        1 => "The one general-purpose peer".to_owned(),
        many => format!(
            "Of {many} general-purpose peers, the same program in other languages or with their memory managers,"
        ),
    };
    let one = peers.len() == 1;
    let named = titled(field, nearest);
    let clause = field.clause(nearest, own)?;
    let ahead = peers.iter().filter(|row| field.standing(row, own) == Standing::Ahead).count();
    Some(match (field.standing(nearest, own), one) {
        (_, true) => format!("{of} at n = {n}, {named}, {clause}."),
        (Standing::Ahead, _) => {
            let ahead = if ahead == 1 { "one is".to_owned() } else { format!("{ahead} are") };
            format!("{of} {ahead} ahead of {ours} at n = {n}; the fastest, {named}, {clause}.")
        }
        (Standing::Behind, _) => {
            format!("{of} none is ahead of {ours} at n = {n}; the nearest, {named}, {clause}.")
        }
        _ => format!(
            "{of} none is told to be ahead of {ours} at n = {n}; the nearest, {named}, {clause}."
        ),
    })
}

/// Its name, and what readers call it.
fn titled(field: &Field, row: &Row) -> String {
    let name = field.name(row);
    let title = field.group(row).peer.as_ref().map_or("", |peer| peer.title.as_str());
    match title.is_empty() {
        true => name,
        false => format!("{name} ({})", shorten(title, LONGEST_TITLE)),
    }
}

/// Counting pointers in C++ against the collector that they were compared with.
fn claim(field: &Field) -> Option<String> {
    let find = |name: &str| field.find(name).filter(|row| field.group(row).peer.is_some());
    let (counting, collector) = (find(COUNTING)?, find(REFERENCE)?);
    let clause = field.clause(counting, collector)?;
    Some(format!("Boost's shared_ptr(new) by value ({}) {clause}.", field.name(counting)))
}
