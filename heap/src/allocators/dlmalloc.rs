//! `dlmalloc`: Doug Lea's allocator, as ported to Rust, in an instance of its own.
//!
//! A chunk has 8 bytes of size and flags before the block; a free one has its
//! size at its end too, so that neighbours merge at once (boundary tags). Free
//! chunks lie in bins by size: lists of equal chunks below 256 bytes, tries
//! above. Chunks are multiples of 16 bytes and at least 32.
//! Allocate and free: a bin, and the merging. Grow: in place if the next chunk
//! is free and large enough.
//! Memory returns when the top of the heap exceeds 2 MiB, a whole segment is
//! free, a block of 256 KiB or more is freed, or the instance ends.
//! Cannot: be shared by threads; hand out many nodes in one call.
//!
//! Invariants:
//!
//! - D1. The instance stays where it is from `new` to `drop`: its bins are
//!   rings that lead through it.
//! - D2. It is borrowed for the length of one call, and calls nothing of ours.
//!
//! Source: Lea, "A memory allocator", <https://gee.cs.oswego.edu/dl/html/malloc.html>.

use super::Layout;
use super::global::{Adapter, Library};
use crate::info::{Brief, Kind};
use std::alloc::GlobalAlloc;
use std::ptr::NonNull;

/// The library dlmalloc.
pub type Dlmalloc = Adapter<Instance>;

/// An instance of the library's allocator.
pub struct Instance(NonNull<::dlmalloc::Dlmalloc>);

impl Instance {
    /// # Safety
    ///
    /// The last one is not used again (D2).
    #[inline(always)]
    #[expect(clippy::mut_from_ref, reason = "by contract")]
    unsafe fn get(&self) -> &mut ::dlmalloc::Dlmalloc {
        // SAFETY: D1; and by contract.
        unsafe { &mut *self.0.as_ptr() }
    }
}

// SAFETY: blocks of an instance of dlmalloc are as the trait has them.
unsafe impl GlobalAlloc for Instance {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: D2.
        unsafe { self.get().malloc(layout.size(), layout.align()) }
    }
    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: D2.
        unsafe { self.get().calloc(layout.size(), layout.align()) }
    }
    #[inline]
    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        // SAFETY: D2; by contract, a block of this layout.
        unsafe { self.get().free(at, layout.size(), layout.align()) };
    }
    #[inline]
    unsafe fn realloc(&self, at: *mut u8, layout: Layout, new_bytes: usize) -> *mut u8 {
        // SAFETY: D2; by contract, a block of this layout.
        unsafe { self.get().realloc(at, layout.size(), layout.align(), new_bytes) }
    }
}

// SAFETY: D1: what is moved is the address of the instance.
unsafe impl Library for Instance {
    const BRIEF: Brief = Brief {
        name: "dlmalloc",
        kind: Kind::Manual,
        about: "the library dlmalloc (Rust), node by node",
        returns: "when the top is free and large",
    };
    fn new() -> Self {
        Instance(NonNull::from(Box::leak(Box::new(::dlmalloc::Dlmalloc::new()))))
    }
}

impl Drop for Instance {
    /// Gives its segments back to the platform.
    fn drop(&mut self) {
        // SAFETY: made by `Box` in `new`, and not used again; so are its blocks.
        unsafe { Box::from_raw(self.0.as_ptr()).destroy() };
    }
}
