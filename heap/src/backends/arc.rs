//! `arc`: `std::sync::Arc`, traversals borrow, as Rust programs are written.
//!
//! `rc` with atomic counts: what it costs to allow other threads, paid by one.
//! Object: strong count (8 bytes), weak count (8), fields. 32 bytes for a cell.
//! Allocate: the platform's malloc. Read: one load. Share: one atomic add.
//! Release: one atomic subtraction and test; the last one lowers the weak count
//! too and frees, iteratively.
//! Memory returns when the last reference is released.
//! Cannot: reclaim cycles; release a long chain in bounded time; survive more
//! than 2^63 references (the process is aborted).
//!
//! Invariants: those of `parts/counting.rs` (R1-R3).
//! Papers: Choi, Shull & Torrellas, "Biased reference counting", PACT 2018.

use crate::heap::Backend;
use crate::info::{Info, Kind};
use crate::parts::counting::Counting;
use crate::parts::pointer::{Borrowed, GlobalStore, Pointer};
use crate::tally::Tally;
use std::mem::ManuallyDrop;
use std::sync;

/// `std::sync::Arc`, borrowed traversals.
pub struct Arc;

impl Backend for Arc {
    const INFO: Info = Info {
        name: "arc",
        kind: Kind::ReferenceCounting,
        about: "std::sync::Arc (atomic counts), traversals borrow",
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
    type Heap<T: Tally> = Counting<T::Pointer<StdArc>, Borrowed, T>;
}

/// `std::sync::Arc` as a counted pointer, without its (recursive) drop.
pub struct StdArc;

// SAFETY: `Arc` keeps R1: `into_inner` returns the value exactly when no other
// `Arc` exists, and the address stays valid until then. No `Weak` is made.
unsafe impl Pointer for StdArc {
    type To<T> = ManuallyDrop<sync::Arc<T>>;
    /// `Arc` gives the value and the memory up in one operation.
    type Dead<T> = T;
    type Store = GlobalStore;
    const ATOMIC: bool = true;

    fn object_bytes<T>() -> usize {
        Self::before_bytes::<T>() + size_of::<T>()
    }
    fn before_bytes<T>() -> usize {
        (2 * size_of::<usize>()).next_multiple_of(align_of::<T>())
    }
    #[inline(always)]
    fn new<T>(_: &mut GlobalStore, value: T) -> Self::To<T> {
        ManuallyDrop::new(sync::Arc::new(value))
    }
    #[inline(always)]
    fn as_ptr<T>(at: &Self::To<T>) -> *mut T {
        sync::Arc::as_ptr(at).cast_mut()
    }
    #[inline(always)]
    fn count<T>(at: &Self::To<T>) -> usize {
        sync::Arc::strong_count(at)
    }
    #[inline(always)]
    fn share<T>(at: &Self::To<T>) -> Self::To<T> {
        ManuallyDrop::new(sync::Arc::clone(at))
    }
    #[inline(always)]
    fn lower<T>(at: Self::To<T>) -> Option<T> {
        sync::Arc::into_inner(ManuallyDrop::into_inner(at))
    }
    #[inline(always)]
    fn take<T>(_: &mut GlobalStore, dead: T) -> T {
        dead
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parts::counting::scenarios;

    #[test]
    fn counts_as_it_should() {
        scenarios::all::<StdArc, Borrowed>(&Arc::INFO, 1_000_000);
    }
}
