//! A library's allocator, made one of the studies': the adapter that all
//! libraries share.
//!
//! Libraries offer `malloc`, `free` and `realloc` as a `GlobalAlloc`; the
//! adapter calls that instance directly, whichever allocator is the program's
//! global one. A burst is one call per node.
//!
//! Layout: the library's own; nothing is added to a block.
//! Allocate and free: one call each. Grow and shrink: one `realloc`; a new
//! block, a copy and a free where the alignment changes, which `realloc` cannot
//! express.
//! Memory returns when the library decides.
//! Cannot: keep to a limit, or say what it holds. `Counting` limits what is asked of it.
//!
//! Invariants:
//!
//! - G1. A block of no bytes is an aligned address without memory: the library
//!   never hears of it, since `GlobalAlloc` does not allow such requests.
//! - G2. Every other block is the library's, asked for with the layout that it
//!   is given back, grown or shrunk with.

use super::{AllocError, Allocator, Layout, Limits, Managed, Nodes, dangling, relocate};
use crate::info::Brief;
use std::alloc::GlobalAlloc;
use std::ptr::NonNull;

/// An allocator of a library.
///
/// # Safety
///
/// Moving it does not invalidate its blocks; they last until it is dropped.
pub unsafe trait Library: GlobalAlloc + 'static {
    /// Name and description.
    const BRIEF: Brief;
    /// The library's allocator, or a new instance where it has instances.
    fn new() -> Self;
}

/// A library's allocator as an [`Allocator`].
pub struct Adapter<G>(G);

impl<G: Library> Adapter<G> {
    /// # Safety
    ///
    /// As for `grow` and `shrink`.
    #[inline]
    unsafe fn resize(
        &self,
        at: NonNull<u8>,
        old: Layout,
        new: Layout,
    ) -> Result<NonNull<[u8]>, AllocError> {
        if old.align() != new.align() || old.size() == 0 || new.size() == 0 {
            // SAFETY: by contract.
            return unsafe { relocate(self, at, old, new) };
        }
        // SAFETY: G2; the new size is not zero, and `new` is a layout.
        let to = unsafe { self.0.realloc(at.as_ptr(), old, new.size()) };
        block(to, new.size())
    }
}

/// A block that a library returned, or that it did not.
#[inline]
fn block(at: *mut u8, bytes: usize) -> Result<NonNull<[u8]>, AllocError> {
    NonNull::new(at).map(|at| NonNull::slice_from_raw_parts(at, bytes)).ok_or(AllocError)
}

// SAFETY: G1, G2; a library's blocks do not overlap, and outlast moves of it.
unsafe impl<G: Library> Allocator for Adapter<G> {
    #[inline]
    fn allocate(&self, layout: Layout) -> Result<NonNull<[u8]>, AllocError> {
        if layout.size() == 0 {
            return Ok(NonNull::slice_from_raw_parts(dangling(layout), 0));
        }
        // SAFETY: the size is not zero (G1).
        block(unsafe { self.0.alloc(layout) }, layout.size())
    }
    #[inline]
    fn allocate_zeroed(&self, layout: Layout) -> Result<NonNull<[u8]>, AllocError> {
        if layout.size() == 0 {
            return self.allocate(layout);
        }
        // SAFETY: the size is not zero (G1).
        block(unsafe { self.0.alloc_zeroed(layout) }, layout.size())
    }
    #[inline]
    unsafe fn deallocate(&self, at: NonNull<u8>, layout: Layout) {
        if layout.size() != 0 {
            // SAFETY: G2.
            unsafe { self.0.dealloc(at.as_ptr(), layout) };
        }
    }
    #[inline]
    unsafe fn grow(
        &self,
        at: NonNull<u8>,
        old: Layout,
        new: Layout,
    ) -> Result<NonNull<[u8]>, AllocError> {
        // SAFETY: by contract.
        unsafe { self.resize(at, old, new) }
    }
    #[inline]
    unsafe fn shrink(
        &self,
        at: NonNull<u8>,
        old: Layout,
        new: Layout,
    ) -> Result<NonNull<[u8]>, AllocError> {
        // SAFETY: by contract.
        unsafe { self.resize(at, old, new) }
    }
}

// SAFETY: node by node, as provided.
unsafe impl<G: Library> Nodes for Adapter<G> {}

impl<G: Library> Managed for Adapter<G> {
    const BRIEF: Brief = G::BRIEF;
    fn new(_: Limits) -> Self {
        Adapter(G::new())
    }
    fn held_bytes(&self) -> Option<usize> {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: Limits = Limits { limit_bytes: usize::MAX, zeal: false };

    fn layout(bytes: usize, align: usize) -> Layout {
        Layout::from_size_align(bytes, align).unwrap()
    }

    /// Resizes a block through sizes and alignments; each time its contents are those of before.
    fn resizes<A: Managed>() {
        let allocator = A::new(LIMITS);
        let steps = [(0, 8), (40, 8), (4_000, 8), (4_000, 4_096), (300_000, 4_096), (300_000, 1)];
        let mut old = layout(0, 16);
        let mut at: NonNull<u8> = allocator.allocate(old).unwrap().cast();
        let back = steps.iter().rev().chain([&(0, 1)]);
        for new in steps.iter().chain(back).map(|&(bytes, align)| layout(bytes, align)) {
            // SAFETY: the block has the layout `old`.
            let block = unsafe {
                match new.size() >= old.size() {
                    true => allocator.grow(at, old, new),
                    false => allocator.shrink(at, old, new),
                }
            }
            .unwrap();
            at = block.cast();
            assert!(block.len() >= new.size() && at.addr().get().is_multiple_of(new.align()));
            for index in 0..new.size() {
                // SAFETY: in the block; below `old.size()` it was written.
                unsafe {
                    let byte = at.add(index);
                    let kept = index >= old.size() || byte.read() == index as u8;
                    assert!(kept, "{}: byte {index} of {new:?}", A::BRIEF.name);
                    byte.write(index as u8);
                }
            }
            old = new;
        }
        // SAFETY: the block has this layout.
        unsafe { allocator.deallocate(at, old) };
    }

    fn zeroes_and_refuses<A: Managed>() {
        let allocator = A::new(LIMITS);
        for (bytes, align) in [(0, 64), (24, 8), (100_000, 64)] {
            let block = allocator.allocate_zeroed(layout(bytes, align)).unwrap();
            // SAFETY: a block of this size, all zero, given back once.
            unsafe {
                assert!(block.as_ref().iter().all(|&byte| byte == 0));
                allocator.deallocate(block.cast(), layout(bytes, align));
            }
        }
        // A block that nobody looks at is one that an optimizer need not ask for.
        let too_much =
            std::hint::black_box(allocator.allocate(layout(isize::MAX as usize - 4_095, 8)));
        assert!(too_much.is_err());
    }

    #[test]
    fn blocks_keep_their_contents_through_any_resize() {
        resizes::<super::super::system::System>();
        resizes::<super::super::dlmalloc::Dlmalloc>();
        resizes::<super::super::mimalloc::Mimalloc>();
        #[cfg(feature = "all-allocators")]
        resizes::<super::super::jemalloc::Jemalloc>();
        #[cfg(feature = "all-allocators")]
        resizes::<super::super::snmalloc::Snmalloc>();
    }

    #[test]
    fn zeroed_blocks_are_zero_and_too_much_is_refused() {
        zeroes_and_refuses::<super::super::system::System>();
        zeroes_and_refuses::<super::super::dlmalloc::Dlmalloc>();
        zeroes_and_refuses::<super::super::mimalloc::Mimalloc>();
        #[cfg(feature = "all-allocators")]
        zeroes_and_refuses::<super::super::jemalloc::Jemalloc>();
        #[cfg(feature = "all-allocators")]
        zeroes_and_refuses::<super::super::snmalloc::Snmalloc>();
    }
}
