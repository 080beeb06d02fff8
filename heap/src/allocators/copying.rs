//! `copy`: an allocator that never grows or shrinks a block in place.
//!
//! Every `grow` and `shrink` is a new block, a copy and a free, as in a C++
//! vector, whose allocator has no `realloc`. All else is the inner allocator's.
//!
//! Layout, and cost of allocating and freeing: the inner allocator's. Grow:
//! allocate, copy the contents, free; both blocks are held at once.
//! Memory returns as with the inner allocator.
//! Cannot: grow in place; that is its purpose.
//!
//! Invariants:
//!
//! - C1. Every block is one of the inner allocator, with the same layout.

use super::{AllocError, Allocator, Layout, Limits, Managed, Nodes, relocate};
use crate::info::Brief;
use std::ptr::NonNull;

/// An allocator whose blocks are copied whenever their size changes.
pub struct Copying<A>(A);

// SAFETY: C1.
unsafe impl<A: Allocator> Allocator for Copying<A> {
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
        // SAFETY: C1.
        unsafe { self.0.deallocate(at, layout) };
    }
    #[inline]
    unsafe fn grow(
        &self,
        at: NonNull<u8>,
        old: Layout,
        new: Layout,
    ) -> Result<NonNull<[u8]>, AllocError> {
        // SAFETY: C1.
        unsafe { relocate(&self.0, at, old, new) }
    }
    #[inline]
    unsafe fn shrink(
        &self,
        at: NonNull<u8>,
        old: Layout,
        new: Layout,
    ) -> Result<NonNull<[u8]>, AllocError> {
        // SAFETY: C1.
        unsafe { relocate(&self.0, at, old, new) }
    }
}

// SAFETY: C1.
unsafe impl<A: Nodes> Nodes for Copying<A> {
    #[inline]
    fn allocate_nodes(
        &self,
        layout: Layout,
        count: usize,
        each: impl FnMut(NonNull<u8>),
    ) -> Result<(), AllocError> {
        self.0.allocate_nodes(layout, count, each)
    }
    #[inline]
    unsafe fn deallocate_nodes(&self, layout: Layout, nodes: impl Iterator<Item = NonNull<u8>>) {
        // SAFETY: C1.
        unsafe { self.0.deallocate_nodes(layout, nodes) };
    }
}

impl<A: Managed> Managed for Copying<A> {
    const BRIEF: Brief = Brief {
        name: "copy",
        kind: A::BRIEF.kind,
        about: "an allocator whose every growth is a new block, a copy and a free",
        returns: A::BRIEF.returns,
    };
    fn new(limits: Limits) -> Self {
        Copying(A::new(limits))
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
