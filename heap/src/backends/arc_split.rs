//! `arc-split`: object and control block allocated separately, atomic counts,
//! by value: the model of `boost::shared_ptr(new T)`.
//!
//! The smart pointer of the original experiment: each copy of a handle, local
//! variables included, is an atomic addition in a block of its own.
//! Object: fields, in which a reference takes two words, and a control block
//! apart: table (8 bytes), strong count (4), weak count (4), object (8). 24 + 24
//! bytes for a cell.
//! Allocate: malloc twice. Read: one load. Share: one atomic addition (relaxed).
//! Release: one atomic subtraction (acquire and release) and test; the last one
//! calls two virtual functions, which free twice, and lowers the weak count.
//! Memory returns when the last reference is released.
//! Cannot: reclaim cycles; release a long chain in bounded time; free an object
//! that once had more than 2^31 references.
//!
//! Invariants: those of `parts/counting.rs` (R1-R3) and `parts/split.rs` (P1, P2).
//! Papers: Colvin, Dawes & Adler, Boost.SmartPtr, 1999-2002.

use crate::heap::Backend;
use crate::info::{Info, Kind};
use crate::parts::counting::Counting;
use crate::parts::pointer::ByValue;
use crate::parts::split::{Atomic, Split};
use crate::tally::Tally;

/// Object and control block apart, atomic counts.
pub struct ArcSplit;

impl Backend for ArcSplit {
    const INFO: Info = Info {
        name: "arc-split",
        kind: Kind::ReferenceCounting,
        about: "model of boost::shared_ptr(new T): two allocations, atomic counts, by value",
        returns: "when the last reference is released",
        moves: false,
        cycles: false,
        generational: false,
        reclaims: true,
        problem_specific: false,
        header_bytes: 24,
        cell_bytes: 48,
        params: &[],
    };
    type Heap<T: Tally> = Counting<T::Pointer<Split<Atomic>>, ByValue, T>;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parts::counting::scenarios;

    #[test]
    fn counts_as_it_should() {
        scenarios::all::<Split<Atomic>, ByValue>(&ArcSplit::INFO, 1_000_000);
    }
}
