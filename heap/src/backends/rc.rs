//! `rc`: `std::rc::Rc`, traversals borrow, as Rust programs are written.
//!
//! Object: strong count (8 bytes), weak count (8), fields. 32 bytes for a cell.
//! Allocate: the platform's malloc. Read: one load. Share: one add. Release:
//! one subtraction and test; the last one frees, iteratively.
//! Memory returns when the last reference is released.
//! Cannot: reclaim cycles; release a long chain in bounded time.
//!
//! Invariants: those of `parts/counting.rs` (R1-R3).
//! Papers: Collins, "A method for overlapping and erasure of lists", CACM 1960.

use crate::heap::Backend;
use crate::info::{Info, Kind};
use crate::parts::counting::Counting;
use crate::parts::pointer::{Borrowed, GlobalStore, Pointer};
use crate::tally::Tally;
use std::mem::ManuallyDrop;
use std::rc;

/// `std::rc::Rc`, borrowed traversals.
pub struct Rc;

impl Backend for Rc {
    const INFO: Info = Info {
        name: "rc",
        kind: Kind::ReferenceCounting,
        about: "std::rc::Rc, traversals borrow",
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
    type Heap<T: Tally> = Counting<T::Pointer<StdRc>, Borrowed, T>;
}

/// `std::rc::Rc` as a counted pointer, without its (recursive) drop.
pub struct StdRc;

// SAFETY: `Rc` keeps R1: its count is one exactly when no other `Rc` exists,
// and the address stays valid until it is dropped. No `Weak` is made.
unsafe impl Pointer for StdRc {
    type To<T> = ManuallyDrop<rc::Rc<T>>;
    type Dead<T> = rc::Rc<T>;
    type Store = GlobalStore;

    fn object_bytes<T>() -> usize {
        Self::before_bytes::<T>() + size_of::<T>()
    }
    fn before_bytes<T>() -> usize {
        (2 * size_of::<usize>()).next_multiple_of(align_of::<T>())
    }
    #[inline(always)]
    fn new<T>(_: &mut GlobalStore, value: T) -> Self::To<T> {
        ManuallyDrop::new(rc::Rc::new(value))
    }
    #[inline(always)]
    fn as_ptr<T>(at: &Self::To<T>) -> *mut T {
        rc::Rc::as_ptr(at).cast_mut()
    }
    #[inline(always)]
    fn share<T>(at: &Self::To<T>) -> Self::To<T> {
        ManuallyDrop::new(rc::Rc::clone(at))
    }
    #[inline(always)]
    fn count<T>(at: &Self::To<T>) -> usize {
        rc::Rc::strong_count(at)
    }
    #[inline(always)]
    fn lower<T>(at: Self::To<T>) -> Option<rc::Rc<T>> {
        let at = ManuallyDrop::into_inner(at);
        if rc::Rc::strong_count(&at) == 1 {
            return Some(at);
        }
        drop(at);
        None
    }
    #[inline(always)]
    fn take<T>(_: &mut GlobalStore, dead: rc::Rc<T>) -> T {
        rc::Rc::into_inner(dead).expect("the last reference")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parts::counting::scenarios;

    #[test]
    fn counts_as_it_should() {
        scenarios::all::<StdRc, Borrowed>(&Rc::INFO, 1_000_000);
    }
}
