//! `arc-value`: `std::sync::Arc` passed by value: each local variable that holds
//! a reference counts, also while walking.
//!
//! The pointer of `arc`, used as smart-pointer C++ uses `std::make_shared`: one
//! allocation per object, atomic counts, counted local variables.
//! Object: as in `arc`, 32 bytes for a cell.
//! Allocate, share, release: as in `arc`. Read: one load; each cell of a walk
//! is shared and released on top.
//! Memory returns when the last reference is released.
//! Cannot: what `arc` cannot.
//!
//! Invariants: those of `parts/counting.rs` (R1-R3).
//! Papers: Ungar, Grove & Franke, "Dynamic atomicity: optimizing Swift memory
//! management", DLS 2017.

use super::arc::StdArc;
use crate::heap::Backend;
use crate::info::{Info, Kind};
use crate::parts::counting::Counting;
use crate::parts::pointer::ByValue;
use crate::tally::Tally;

/// `std::sync::Arc`, passed by value.
pub struct ArcValue;

impl Backend for ArcValue {
    const INFO: Info = Info {
        name: "arc-value",
        kind: Kind::ReferenceCounting,
        about: "std::sync::Arc by value: each local variable counts, also while walking",
        returns: "when the last reference is released",
        moves: false,
        cycles: false,
        generational: false,
        reclaims: true,
        problem_specific: false,
        header_bytes: 16,
        cell_bytes: 32,
        params: &[],
    };
    type Heap<T: Tally> = Counting<T::Pointer<StdArc>, ByValue, T>;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parts::counting::scenarios;

    #[test]
    fn counts_as_it_should() {
        scenarios::all::<StdArc, ByValue>(&ArcValue::INFO, 1_000_000);
    }
}
