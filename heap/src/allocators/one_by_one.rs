//! An allocator that is asked for each node alone, whatever it could do at once.
//!
//! It takes the burst from an allocator and leaves the rest, so that what one
//! call for all nodes saves is told apart from what the allocator saves.
//!
//! Layout, cost of allocating, growing and freeing, and when memory returns: the
//! inner allocator's. Burst: one call per node, also to give them back.
//! Cannot: what it is made to leave out.
//!
//! Invariants:
//!
//! - O1. Every block is one of the inner allocator, with the same layout.

use super::{AllocError, Allocator, Layout, Limits, Managed, Nodes};
use crate::info::Brief;
use std::ptr::NonNull;

/// An allocator without its bursts.
pub struct OneByOne<A>(A);

// SAFETY: O1.
unsafe impl<A: Allocator> Allocator for OneByOne<A> {
    #[inline]
    fn allocate(&self, layout: Layout) -> Result<NonNull<[u8]>, AllocError> {
        self.0.allocate(layout)
    }
    #[inline]
    fn allocate_zeroed(&self, layout: Layout) -> Result<NonNull<[u8]>, AllocError> {
        self.0.allocate_zeroed(layout)
    }
    #[inline]
    unsafe fn deallocate(&self, at: NonNull<u8>, layout: Layout) {
        // SAFETY: O1.
        unsafe { self.0.deallocate(at, layout) };
    }
    #[inline]
    unsafe fn grow(
        &self,
        at: NonNull<u8>,
        old: Layout,
        new: Layout,
    ) -> Result<NonNull<[u8]>, AllocError> {
        // SAFETY: O1.
        unsafe { self.0.grow(at, old, new) }
    }
    #[inline]
    unsafe fn grow_zeroed(
        &self,
        at: NonNull<u8>,
        old: Layout,
        new: Layout,
    ) -> Result<NonNull<[u8]>, AllocError> {
        // SAFETY: O1.
        unsafe { self.0.grow_zeroed(at, old, new) }
    }
    #[inline]
    unsafe fn shrink(
        &self,
        at: NonNull<u8>,
        old: Layout,
        new: Layout,
    ) -> Result<NonNull<[u8]>, AllocError> {
        // SAFETY: O1.
        unsafe { self.0.shrink(at, old, new) }
    }
}

// SAFETY: node by node, as provided.
unsafe impl<A: Allocator> Nodes for OneByOne<A> {}

impl<A: Managed> Managed for OneByOne<A> {
    const BRIEF: Brief = A::BRIEF;
    fn new(limits: Limits) -> Self {
        OneByOne(A::new(limits))
    }
    fn held_bytes(&self) -> Option<usize> {
        self.0.held_bytes()
    }
    fn metadata_bytes(&self) -> Option<usize> {
        self.0.metadata_bytes()
    }
    fn validate(&self) -> Result<(), String> {
        self.0.validate()
    }
}
