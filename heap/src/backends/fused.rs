//! `fused`: the count in the object, cells from a pool; traversals borrow.
//!
//! Reference counting at its best: no weak count, 32 bits, no call to an
//! allocator, and a dying chain goes back to the free list as it is, since its
//! links lie where the free list has its own.
//! Object: count (4 bytes), padding to the fields' alignment, fields. 24 bytes
//! for a cell.
//! Allocate: one load and one store more than the fields. Read: one load.
//! Share: one addition and test. Release: one subtraction and test; a chain of
//! dead cells costs a test and a load each.
//! Filter: by default without a branch on the condition: the cell at the free
//! list's head is written, and the head advances if it is kept.
//! Memory returns to the pool when the last reference is released, and to the
//! platform when no object is left.
//! Cannot: reclaim cycles; release a long chain in bounded time; free an object
//! that once had more than 2^31 references (its count is stuck).
//!
//! Invariants: those of `parts/counting.rs` (R1-R3), `parts/pool.rs` (L1, L2), and:
//!
//! - F1. A reference is the address of a `Cell`, made by `new` or a filter,
//!   whose count is `STUCK`, or positive and at least the number of references.
//! - F2. A chain cell's `next` is the last word of its `Cell`, and holds the
//!   next `Cell`'s address or null, as the link of a free one does (or leads to
//!   an immortal object, in which case it is no link).
//!
//! Papers: Collins, CACM 1960; Weizenbaum, "Symmetric list processor", CACM
//! 1963; Shahriyar, Blackburn & Frampton, "Down for the count?", ISMM 2012.

use crate::heap::Backend;
use crate::info::{APPEND, Info, Kind};
use crate::parts::counting::Counting;
use crate::parts::pointer::{Borrowed, Buried, Pointer};
use crate::parts::poison;
use crate::parts::pool::{Pool, link_of};
use crate::tally::Tally;
use std::mem::offset_of;
use std::ptr::NonNull;

/// The count in the object, cells from a pool, borrowed traversals.
pub struct Fused;

impl Backend for Fused {
    const INFO: Info = Info {
        name: "fused",
        kind: Kind::ReferenceCounting,
        about: "32-bit count in the object, cells from a pool, traversals borrow",
        returns: "to its pool when the last reference is released",
        moves: false,
        cycles: false,
        generational: false,
        reclaims: true,
        problem_specific: false,
        header_bytes: 8,
        cell_bytes: 24,
        params: &[APPEND],
    };
    type Heap<T: Tally> = Counting<T::Pointer<FusedPointer>, Borrowed, T>;
}

/// An object with its count.
#[repr(C)]
pub struct Cell<T> {
    count: i32,
    value: T,
}

/// A count that overflowed: far from zero and from overflow, and never lowered.
const STUCK: i32 = i32::MIN / 2;

impl<T> Cell<T> {
    /// Cells are multiples of a word, so that a free one can hold a link.
    const BYTES: usize = {
        assert!(align_of::<T>() <= 8, "objects are aligned to at most 8 bytes");
        size_of::<Self>().next_multiple_of(8)
    };
}

/// A pointer to a count and the object behind it.
pub struct FusedPointer;

// SAFETY: F1: `share` and `lower` keep the count at or above the number of
// references; the cell is not given back before that is zero (L1).
unsafe impl Pointer for FusedPointer {
    type To<T> = NonNull<Cell<T>>;
    type Dead<T> = NonNull<Cell<T>>;
    type Store = Pool;

    fn object_bytes<T>() -> usize {
        Cell::<T>::BYTES
    }
    fn before_bytes<T>() -> usize {
        offset_of!(Cell<T>, value)
    }
    #[inline(always)]
    fn new<T>(store: &mut Pool, value: T) -> NonNull<Cell<T>> {
        let cell = store.take(Cell::<T>::BYTES).cast::<Cell<T>>();
        // SAFETY: L1: a cell of this size, taken off its list.
        unsafe { cell.write(Cell { count: 1, value }) };
        cell
    }
    #[inline(always)]
    fn as_ptr<T>(at: &NonNull<Cell<T>>) -> *mut T {
        // SAFETY: F1.
        unsafe { &raw mut (*at.as_ptr()).value }
    }
    fn count<T>(at: &NonNull<Cell<T>>) -> usize {
        // SAFETY: F1.
        match unsafe { (*at.as_ptr()).count } {
            STUCK => usize::MAX,
            count => usize::try_from(count).unwrap_or(0),
        }
    }
    #[inline(always)]
    fn share<T>(at: &NonNull<Cell<T>>) -> NonNull<Cell<T>> {
        // SAFETY: F1; the count is not borrowed by anyone.
        let count = unsafe { &mut (*at.as_ptr()).count };
        *count = count.wrapping_add(1);
        if *count < 0 {
            stick(count);
        }
        *at
    }
    #[inline(always)]
    fn lower<T>(at: NonNull<Cell<T>>) -> Option<NonNull<Cell<T>>> {
        // SAFETY: F1; as above.
        let count = unsafe { &mut (*at.as_ptr()).count };
        if *count > 1 {
            *count -= 1;
            return None;
        }
        // A stuck count is left alone.
        (*count == 1).then_some(at)
    }
    fn take<T>(store: &mut Pool, dead: NonNull<Cell<T>>) -> T {
        let cell = dead.cast();
        // SAFETY: R1: the last reference is gone, and the value leaves the cell.
        unsafe {
            let value = (&raw const (*dead.as_ptr()).value).read();
            poison::dead(dead.as_ptr().cast(), Cell::<T>::BYTES - size_of::<usize>());
            store.give_back(cell, cell, Cell::<T>::BYTES);
            value
        }
    }
    #[inline(always)]
    fn bury<T>(
        store: &mut Pool,
        dead: NonNull<Cell<T>>,
        mut next: impl FnMut(&mut T) -> Option<NonNull<Cell<T>>>,
    ) -> Buried {
        let mut buried = Buried { freed: 0, lowered: 0 };
        let mut last = dead;
        loop {
            buried.freed += 1;
            // SAFETY: R1: the object is dead and ours.
            let at = unsafe {
                let at = next(&mut (*last.as_ptr()).value);
                poison::dead(last.as_ptr().cast(), Cell::<T>::BYTES - size_of::<usize>());
                at
            };
            let Some(at) = at else { break };
            // SAFETY: its references have been taken out, so its last word can be a link (L2).
            // For a chain that word is `next`, so that nothing changes (F2).
            unsafe { *link_of(last.as_ptr().cast(), Cell::<T>::BYTES) = at.as_ptr().cast() };
            buried.lowered += 1;
            let Some(next_dead) = Self::lower(at) else { break };
            last = next_dead;
        }
        // SAFETY: L2: the loop linked the cells from `dead` to `last`.
        unsafe { store.give_back(dead.cast(), last.cast(), Cell::<T>::BYTES) };
        buried
    }
    #[inline(always)]
    unsafe fn fresh<T>(cell: NonNull<u8>) -> NonNull<Cell<T>> {
        // F2, of chain cells, whose `next` is their last word.
        const { assert!(offset_of!(Cell<T>, value) + size_of::<T>() == Cell::<T>::BYTES) };
        let cell = cell.cast::<Cell<T>>();
        // SAFETY: by contract the cell is free.
        unsafe { (*cell.as_ptr()).count = 1 };
        cell
    }
}

/// Out of line, lest the test become a conditional move in the way of each share.
#[cold]
#[inline(never)]
fn stick(count: &mut i32) {
    *count = STUCK;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parts::counting::scenarios;
    use crate::parts::pointer::Store;

    #[test]
    fn counts_as_it_should() {
        scenarios::all::<FusedPointer, Borrowed>(&Fused::INFO, 10_000_000);
    }

    /// What zeal relies on where no sanitizer watches.
    #[test]
    #[cfg(all(debug_assertions, not(heap_asan)))]
    fn a_freed_cell_has_no_count() {
        let mut pool = <Pool as Store>::new(&crate::Settings::new(&Fused::INFO));
        let at = FusedPointer::new(&mut pool, [1_u64; 2]);
        let dead = FusedPointer::lower(at).unwrap();
        FusedPointer::take(&mut pool, dead);
        assert_eq!(FusedPointer::count(&at), 0);
        assert_eq!(FusedPointer::new(&mut pool, [2_u64; 2]), at, "the cell is used again");
        assert_eq!(FusedPointer::count(&at), 1);
    }

    #[test]
    fn a_count_that_overflows_is_stuck() {
        let mut pool = <Pool as Store>::new(&crate::Settings::new(&Fused::INFO));
        let at = FusedPointer::new(&mut pool, 1_u64);
        // SAFETY: the cell is ours.
        unsafe { (*at.as_ptr()).count = i32::MAX };
        FusedPointer::share(&at);
        for _ in 0..10 {
            assert!(FusedPointer::lower(at).is_none());
        }
        FusedPointer::share(&at);
        assert_eq!(FusedPointer::count(&at), usize::MAX);
    }
}
