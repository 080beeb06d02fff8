//! `rc-split`: object and control block allocated separately, plain counts, by
//! value: the model of `boost::shared_ptr(new T)` with `BOOST_SP_DISABLE_THREADS`.
//!
//! `arc-split` without atomic instructions: its counts and allocations are the
//! same, so the ratio of the two is the price of atomicity.
//! Object: fields, in which a reference takes two words, and a control block
//! apart: table (8 bytes), strong count (4), weak count (4), object (8). 24 + 24
//! bytes for a cell.
//! Allocate: malloc twice. Read: one load. Share: one addition and test.
//! Release: one subtraction and test; the last one calls two virtual functions,
//! which free twice, iteratively.
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
use crate::parts::split::{Plain, Split};
use crate::tally::Tally;

/// Object and control block apart, plain counts.
pub struct RcSplit;

impl Backend for RcSplit {
    const INFO: Info = Info {
        name: "rc-split",
        kind: Kind::ReferenceCounting,
        about: "model of boost::shared_ptr(new T) without threads: two allocations, by value",
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
    type Heap<T: Tally> = Counting<T::Pointer<Split<Plain>>, ByValue, T>;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parts::counting::scenarios;

    #[test]
    fn counts_as_it_should() {
        scenarios::all::<Split<Plain>, ByValue>(&RcSplit::INFO, 1_000_000);
    }
}
