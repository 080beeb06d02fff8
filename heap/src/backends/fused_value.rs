//! `fused-value`: the count in the object, cells from a pool, by value: each
//! local variable that holds a reference counts, also while walking.
//!
//! The pointer of `fused`, used as intrusive pointers in C++ are
//! (`boost::intrusive_ptr` passed by value): cheap counts, but many of them.
//! Object: as in `fused`, 24 bytes for a cell.
//! Allocate, share, release: as in `fused`. Read: one load; each cell of a walk
//! is shared and released on top. Filter: with a branch, counting as it walks.
//! Memory returns as in `fused`.
//! Cannot: what `fused` cannot.
//!
//! Invariants: those of `parts/counting.rs` (R1-R3), `parts/pool.rs` (L1, L2)
//! and `fused` (F1, F2).
//! Papers: Deutsch & Bobrow, "An efficient, incremental, automatic garbage
//! collector", CACM 1976 (which leaves the local variables uncounted).

use super::fused::FusedPointer;
use crate::heap::Backend;
use crate::info::{Info, Kind};
use crate::parts::counting::Counting;
use crate::parts::pointer::ByValue;
use crate::tally::Tally;

/// The count in the object, cells from a pool, passed by value.
pub struct FusedValue;

impl Backend for FusedValue {
    const INFO: Info = Info {
        name: "fused-value",
        kind: Kind::ReferenceCounting,
        about: "32-bit count in the object, cells from a pool, by value",
        returns: "to its pool when the last reference is released",
        moves: false,
        cycles: false,
        generational: false,
        reclaims: true,
        problem_specific: false,
        header_bytes: 8,
        cell_bytes: 24,
        params: &[],
    };
    type Heap<T: Tally> = Counting<T::Pointer<FusedPointer>, ByValue, T>;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parts::counting::scenarios;

    #[test]
    fn counts_as_it_should() {
        scenarios::all::<FusedPointer, ByValue>(&FusedValue::INFO, 1_000_000);
    }
}
