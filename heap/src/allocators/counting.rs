//! A wrapper that counts what is asked of an allocator, and refuses beyond a limit.
//!
//! For an untimed instance: it finds out how often a vector asked for a new
//! block and how often it was expanded in place, and whether a workload fits a
//! memory limit, of allocators that keep no books.
//!
//! Layout, and when memory returns: the inner allocator's. Cost: that of the
//! inner allocator, and the counts.
//! Cannot: see what the inner allocator adds to a block, or both blocks at once
//! while one is moved; it counts bytes that were asked for.
//!
//! Invariants:
//!
//! - W1. Every block is one of the inner allocator, with the same layout.
//! - W2. `asked_bytes` is the sum of the sizes of the blocks that are handed out.

use super::{AllocError, Allocator, Layout, Limits, Managed, Nodes};
use crate::info::Brief;
use std::cell::Cell;
use std::ptr::NonNull;

/// An allocator with counts.
pub struct Counting<A> {
    inner: A,
    limit_bytes: usize,
    counts: Cell<Counts>,
}

/// What was asked of an allocator.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Requests for a new block; a burst is one, whatever the number of its nodes.
    pub allocations: u64,
    /// Growths after which the block was where it had been.
    pub expansions: u64,
    /// Growths after which the block was elsewhere.
    pub moves: u64,
    /// Bytes of all blocks that are handed out, as they were asked for.
    pub asked_bytes: usize,
    /// The most that these ever were.
    pub peak_bytes: usize,
}

impl Counts {
    fn took(&mut self, bytes: usize) {
        self.asked_bytes += bytes;
        self.peak_bytes = self.peak_bytes.max(self.asked_bytes);
    }
}

impl<A> Counting<A> {
    /// What was asked of it so far.
    pub fn counts(&self) -> Counts {
        self.counts.get()
    }

    fn note(&self, change: impl FnOnce(&mut Counts)) {
        let mut counts = self.counts.get();
        change(&mut counts);
        self.counts.set(counts);
    }

    /// Whether so much more is within the limit.
    fn check(&self, bytes: Option<usize>) -> Result<(), AllocError> {
        let room_bytes = self.limit_bytes.saturating_sub(self.counts.get().asked_bytes);
        bytes.filter(|&bytes| bytes <= room_bytes).map(drop).ok_or(AllocError)
    }
}

// SAFETY: W1.
unsafe impl<A: Allocator> Allocator for Counting<A> {
    fn allocate(&self, layout: Layout) -> Result<NonNull<[u8]>, AllocError> {
        self.check(Some(layout.size()))?;
        let block = self.inner.allocate(layout)?;
        self.note(|counts| {
            counts.allocations += 1;
            counts.took(layout.size());
        });
        Ok(block)
    }
    unsafe fn deallocate(&self, at: NonNull<u8>, layout: Layout) {
        self.note(|counts| counts.asked_bytes -= layout.size());
        // SAFETY: W1.
        unsafe { self.inner.deallocate(at, layout) };
    }
    unsafe fn grow(
        &self,
        at: NonNull<u8>,
        old: Layout,
        new: Layout,
    ) -> Result<NonNull<[u8]>, AllocError> {
        let more_bytes = new.size() - old.size();
        self.check(Some(more_bytes))?;
        // SAFETY: W1.
        let block = unsafe { self.inner.grow(at, old, new) }?;
        self.note(|counts| {
            match block.cast::<u8>().addr() == at.addr() {
                true => counts.expansions += 1,
                false => counts.moves += 1,
            }
            counts.took(more_bytes);
        });
        Ok(block)
    }
    unsafe fn shrink(
        &self,
        at: NonNull<u8>,
        old: Layout,
        new: Layout,
    ) -> Result<NonNull<[u8]>, AllocError> {
        // SAFETY: W1.
        let block = unsafe { self.inner.shrink(at, old, new) }?;
        self.note(|counts| counts.asked_bytes -= old.size() - new.size());
        Ok(block)
    }
}

// SAFETY: W1.
unsafe impl<A: Nodes> Nodes for Counting<A> {
    fn allocate_nodes(
        &self,
        layout: Layout,
        count: usize,
        mut each: impl FnMut(NonNull<u8>),
    ) -> Result<(), AllocError> {
        self.check(layout.size().checked_mul(count))?;
        self.note(|counts| counts.allocations += 1);
        self.inner.allocate_nodes(layout, count, |node| {
            self.note(|counts| counts.took(layout.size()));
            each(node);
        })
    }
    unsafe fn deallocate_nodes(&self, layout: Layout, nodes: impl Iterator<Item = NonNull<u8>>) {
        let nodes = nodes.inspect(|_| self.note(|counts| counts.asked_bytes -= layout.size()));
        // SAFETY: W1; the counts are no part of the inner allocator.
        unsafe { self.inner.deallocate_nodes(layout, nodes) };
    }
}

impl<A: Managed> Managed for Counting<A> {
    const BRIEF: Brief = A::BRIEF;
    /// The limit is on the bytes asked for; an inner allocator with books keeps to it, too.
    fn new(limits: Limits) -> Self {
        let counts = Cell::new(Counts::default());
        Counting { inner: A::new(limits), limit_bytes: limits.limit_bytes, counts }
    }
    fn held_bytes(&self) -> Option<usize> {
        self.inner.held_bytes()
    }
    fn metadata_bytes(&self) -> Option<usize> {
        self.inner.metadata_bytes()
    }
    fn validate(&self) -> Result<(), String> {
        self.inner.validate()
    }
}

#[cfg(test)]
mod tests {
    use super::super::copying::Copying;
    use super::super::system::System;
    use super::*;
    use allocator_api2::vec::Vec;

    type Counted = Counting<Copying<System>>;

    fn counting(limit_bytes: usize) -> Counted {
        Counted::new(Limits { limit_bytes, zeal: false })
    }

    #[test]
    fn a_vector_that_is_copied_moves_at_every_growth() {
        let allocator = counting(usize::MAX);
        let mut vector = Vec::with_capacity_in(4, &allocator);
        (0..17_u64).for_each(|value| vector.push(value));
        let asked_bytes = 32 * 8;
        let counts = Counts {
            allocations: 1,
            moves: 3,
            asked_bytes,
            peak_bytes: asked_bytes,
            ..Counts::default()
        };
        assert_eq!(allocator.counts(), counts, "capacities 4, 8, 16, 32");
        vector.shrink_to_fit();
        assert_eq!(allocator.counts().asked_bytes, 17 * 8);
        drop(vector);
        assert_eq!(allocator.counts(), Counts { asked_bytes: 0, ..counts });
    }

    #[test]
    fn a_growth_in_place_is_an_expansion() {
        /// Blocks of 1 KiB, whatever is asked for.
        struct Roomy(System);
        const ROOM: Layout = Layout::new::<[u128; 64]>();
        // SAFETY: a block of 1 KiB serves for every smaller one.
        unsafe impl Allocator for Roomy {
            fn allocate(&self, layout: Layout) -> Result<NonNull<[u8]>, AllocError> {
                assert!(layout.size() <= ROOM.size() && layout.align() <= ROOM.align());
                let block: NonNull<u8> = self.0.allocate(ROOM)?.cast();
                Ok(NonNull::slice_from_raw_parts(block, layout.size()))
            }
            unsafe fn deallocate(&self, at: NonNull<u8>, _: Layout) {
                // SAFETY: allocated with this layout.
                unsafe { self.0.deallocate(at, ROOM) };
            }
            unsafe fn grow(
                &self,
                at: NonNull<u8>,
                _: Layout,
                new: Layout,
            ) -> Result<NonNull<[u8]>, AllocError> {
                Ok(NonNull::slice_from_raw_parts(at, new.size()))
            }
        }
        let limits = Limits { limit_bytes: 0, zeal: false };
        let counts = Cell::new(Counts::default());
        let allocator =
            Counting { inner: Roomy(System::new(limits)), limit_bytes: 1 << 10, counts };
        let mut vector = Vec::with_capacity_in(4, &allocator);
        (0..64_u64).for_each(|value| vector.push(value));
        let Counts { allocations, expansions, moves, .. } = allocator.counts();
        assert_eq!((allocations, expansions, moves), (1, 4, 0), "capacities 4, 8, 16, 32, 64");
    }

    #[test]
    fn what_exceeds_the_limit_is_refused_and_what_is_given_back_makes_room() {
        let allocator = counting(100);
        let node = Layout::new::<[u64; 4]>();
        let mut nodes = std::vec::Vec::new();
        assert!(allocator.allocate_nodes(node, 4, |node| nodes.push(node)).is_err());
        assert!(nodes.is_empty(), "refused before a node is handed out");
        allocator.allocate_nodes(node, 3, |node| nodes.push(node)).unwrap();
        assert_eq!(allocator.counts().asked_bytes, 96);
        assert!(allocator.allocate(Layout::new::<u64>()).is_err());
        let last = nodes.pop().unwrap();
        // SAFETY: each is a node of this layout, given back once.
        unsafe {
            allocator.deallocate(last, node);
            assert!(allocator.allocate_nodes(node, usize::MAX, |_| ()).is_err(), "no overflow");
            let block = allocator.allocate(Layout::new::<u64>()).unwrap();
            let block = allocator.grow(block.cast(), Layout::new::<u64>(), node).unwrap();
            assert!(allocator.grow(block.cast(), node, Layout::new::<[u64; 5]>()).is_err());
            allocator.deallocate(block.cast(), node);
            allocator.deallocate_nodes(node, nodes.into_iter());
        }
        assert_eq!(allocator.counts().asked_bytes, 0);
    }
}
