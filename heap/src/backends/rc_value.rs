//! `rc-value`: `std::rc::Rc` passed by value: each local variable that holds a
//! reference counts, also while walking.
//!
//! The pointer of `rc`, used as smart-pointer C++ and the original experiment
//! use theirs: what the passing convention alone costs.
//! Object: as in `rc`, 32 bytes for a cell.
//! Allocate, share, release: as in `rc`. Read: one load; each cell of a walk
//! is shared and released on top.
//! Memory returns when the last reference is released.
//! Cannot: what `rc` cannot.
//!
//! Invariants: those of `parts/counting.rs` (R1-R3).
//! Papers: Deutsch & Bobrow, "An efficient, incremental, automatic garbage
//! collector", CACM 1976 (which leaves the local variables uncounted).

use super::rc::StdRc;
use crate::heap::Backend;
use crate::info::{Info, Kind};
use crate::parts::counting::Counting;
use crate::parts::pointer::ByValue;
use crate::tally::Tally;

/// `std::rc::Rc`, passed by value.
pub struct RcValue;

impl Backend for RcValue {
    const INFO: Info = Info {
        name: "rc-value",
        kind: Kind::ReferenceCounting,
        about: "std::rc::Rc by value: each local variable counts, also while walking",
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
    type Heap<T: Tally> = Counting<T::Pointer<StdRc>, ByValue, T>;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parts::counting::scenarios;

    #[test]
    fn counts_as_it_should() {
        scenarios::all::<StdRc, ByValue>(&RcValue::INFO, 1_000_000);
    }
}
