//! What memory a row's allocator takes for nodes, and what it gives back.
//!
//! A list of [`NODES`] nodes is made over a new instance, a random half of it is
//! erased, then the rest. What is given back is looked at at once: an allocator
//! that waits before it gives memory back has not done so.
//!
//! An allocator that is the process's own has memory at hand from what the row
//! did before, so that a list may seem to take nothing. What its nodes take is
//! found out with another list, made while a first one has used all that up. Where
//! the row's own work was no smaller than the list, what it left resident would
//! serve for all of it: then only what the allocator's own books say is told.

use super::Element;
use crate::resident::resident_bytes;
use crate::{Failure, Figures};
use heap::allocators::{Limits, Managed};
use heap::nodes::{Container, List};

/// Nodes of the list that is looked at.
const NODES: usize = 200_000;

/// Seed of the half that is erased.
const SEED: u64 = 611;

/// What an allocator and the process hold at one time, where they say so.
#[derive(Clone, Copy)]
struct Held {
    resident_bytes: Option<u64>,
    held_bytes: Option<u64>,
}

impl Held {
    fn of(allocator: &impl Managed) -> Self {
        let held_bytes = allocator.held_bytes().map(|bytes| bytes as u64);
        Held { resident_bytes: resident_bytes(), held_bytes }
    }

    /// By how much it exceeds another.
    fn since(self, before: Held) -> Held {
        let since = |now: Option<u64>, before: Option<u64>| Some(now?.saturating_sub(before?));
        Held {
            resident_bytes: since(self.resident_bytes, before.resident_bytes),
            held_bytes: since(self.held_bytes, before.held_bytes),
        }
    }

    /// As the process's memory tells, or the allocator where that is not known.
    fn bytes(self) -> Option<u64> {
        self.resident_bytes.or(self.held_bytes)
    }
}

/// The figures; those that the allocator or the platform does not tell are absent. If the limit
/// does not allow such lists, that is no error, as the row's own work may be smaller: then the
/// size of a node is all that is told.
///
/// # Errors
///
/// The allocator finds itself broken.
pub fn of<A: Managed>(n: usize, limits: Limits) -> Result<Figures, Failure> {
    // Zeal would check everything for each of the erased nodes, and change what is held.
    let limits = Limits { zeal: false, ..limits };
    let mut figures = vec![("node_bytes", List::<Element, A>::NODE_BYTES as f64)];
    match measure::<A>(n, limits) {
        Ok(measured) => figures.extend(measured),
        Err(Failure::OutOfMemory) => {}
        Err(broken) => return Err(broken),
    }
    Ok(figures)
}

fn measure<A: Managed>(n: usize, limits: Limits) -> Result<Figures, Failure> {
    // Allocators without books of their own do not keep to it.
    if List::<Element, A>::NODE_BYTES * NODES > limits.limit_bytes {
        return Err(Failure::OutOfMemory);
    }
    let mut keep = vec![false; NODES];
    keep[..NODES / 2].fill(true);
    fastrand::Rng::with_seed(SEED).shuffle(&mut keep);

    let allocator = A::new(limits);
    let is_fresh = n < NODES / 2;
    let empty = Held::of(&allocator);
    let mut list = List::<Element, &A>::new_in(&allocator);
    list.insert_range(NODES, Element(0))?;
    let full = Held::of(&allocator);
    let metadata_bytes = allocator.metadata_bytes().map(|bytes| bytes as u64);
    list.retain(|index| keep[index]);
    let half = full.since(Held::of(&allocator));
    drop(list);
    let all = full.since(Held::of(&allocator));
    allocator.validate().map_err(Failure::Broken)?;
    drop(allocator);
    let taken = match full.held_bytes {
        Some(_) if is_fresh => full.since(empty),
        Some(_) => Held { resident_bytes: None, ..full.since(empty) },
        None if is_fresh => taken_afresh::<A>(n, limits)?,
        None => Held { resident_bytes: None, held_bytes: None },
    };
    let [half, all] = [half, all].map(|part| match is_fresh {
        true => part,
        false => Held { resident_bytes: None, ..part },
    });

    let per_node = |bytes: Option<u64>| Some(bytes? as f64 / NODES as f64);
    let figures = [
        ("resident_bytes_per_node", per_node(taken.resident_bytes)),
        ("held_bytes_per_node", per_node(taken.held_bytes)),
        ("metadata_percent", percent(metadata_bytes, full.held_bytes)),
        ("returned_half_percent", percent(half.bytes(), taken.bytes())),
        ("returned_all_percent", percent(all.bytes(), taken.bytes())),
    ];
    Ok(figures.into_iter().filter_map(|(name, value)| Some((name, value?))).collect())
}

/// What a list takes when nothing is at hand any more from this or from the row's own containers.
fn taken_afresh<A: Managed>(n: usize, limits: Limits) -> Result<Held, Failure> {
    let allocator = A::new(limits);
    let mut first = List::<Element, &A>::new_in(&allocator);
    first.insert_range(n + NODES, Element(0))?;
    let before = Held::of(&allocator);
    let mut second = List::<Element, &A>::new_in(&allocator);
    second.insert_range(NODES, Element(0))?;
    Ok(Held::of(&allocator).since(before))
}

/// A part of a whole that is not zero, and not more than it.
fn percent(part: Option<u64>, whole: Option<u64>) -> Option<f64> {
    let whole = whole.filter(|&whole| whole > 0)?;
    Some(100.0 * part?.min(whole) as f64 / whole as f64)
}
