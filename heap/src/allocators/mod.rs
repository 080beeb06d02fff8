//! Allocators of the burst and the growth study: one file each, over the
//! [`Allocator`] trait, with two operations more.
//!
//! A burst ([`Nodes::allocate_nodes`]) hands out many nodes of one layout in
//! one call; each of them can be given back alone, as if it had been allocated
//! alone. Growth in place is [`Allocator::grow`] returning the same address.
//!
//! A pointer that comes back is one that was handed out, still good for the
//! memory beside it: our own allocators find a header or a slab from it. A `Box`
//! narrows it to the payload by the rules that Miri checks (Stacked Borrows), as
//! it does for every allocator that is written in Rust, so the studies hold
//! blocks by raw pointers, or by `Vec`, which keeps them whole.
//!
//! Adding an allocator: a file here with its `mod` line, and a line in the
//! rows of each study that shall show it.

pub mod boundary_tag;
pub mod copying;
pub mod counting;
pub mod dlmalloc;
pub mod global;
#[cfg(feature = "all-allocators")]
pub mod jemalloc;
pub mod mimalloc;
pub mod one_by_one;
pub mod pool;
pub mod region;
#[cfg(feature = "all-allocators")]
pub mod snmalloc;
pub mod system;
#[cfg(test)]
mod trial;

use crate::info::Brief;
pub use allocator_api2::alloc::{AllocError, Allocator, Global};
pub use std::alloc::Layout;
use std::ptr::NonNull;

/// How an allocator of a study is set up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Most bytes that it may hold; beyond them it refuses. Only allocators with
    /// books of their own keep to it (see [`Managed::held_bytes`]).
    pub limit_bytes: usize,
    /// Whether it checks itself after every operation, and poisons what is freed.
    pub zeal: bool,
}

/// An allocator that can hand out many nodes at once.
///
/// # Safety
///
/// As of [`Allocator`]; and a node of a burst is as one from `allocate`: it
/// overlaps no other, stays valid until it is given back, and may be given back
/// by `deallocate` with the burst's layout, alone and in any order. A burst of
/// `count` nodes calls `each` at most `count` times, and so often if it ends well.
pub unsafe trait Nodes: Allocator {
    /// Allocates `count` nodes and hands each to `each`, in no particular order.
    /// Those that were handed out before a panic of `each`, or before the error,
    /// are the caller's. This one asks for them one by one.
    ///
    /// `each` may use the allocator itself: it may clone a value that has memory of it.
    ///
    /// # Errors
    ///
    /// There is no memory for all of them.
    #[inline]
    fn allocate_nodes(
        &self,
        layout: Layout,
        count: usize,
        mut each: impl FnMut(NonNull<u8>),
    ) -> Result<(), AllocError> {
        for _ in 0..count {
            each(self.allocate(layout)?.cast());
        }
        Ok(())
    }

    /// Gives many nodes of one layout back. This one does it one by one.
    ///
    /// # Safety
    ///
    /// Each is a node of this allocator and layout, given back once. `nodes` neither panics nor
    /// uses the allocator; it does not read a node that it handed out.
    #[inline]
    unsafe fn deallocate_nodes(&self, layout: Layout, nodes: impl Iterator<Item = NonNull<u8>>) {
        for node in nodes {
            // SAFETY: by contract.
            unsafe { self.deallocate(node, layout) };
        }
    }
}

// SAFETY: a reference hands out and takes back the nodes of what it refers to.
unsafe impl<A: Nodes> Nodes for &A {
    #[inline]
    fn allocate_nodes(
        &self,
        layout: Layout,
        count: usize,
        each: impl FnMut(NonNull<u8>),
    ) -> Result<(), AllocError> {
        (**self).allocate_nodes(layout, count, each)
    }
    #[inline]
    unsafe fn deallocate_nodes(&self, layout: Layout, nodes: impl Iterator<Item = NonNull<u8>>) {
        // SAFETY: by contract.
        unsafe { (**self).deallocate_nodes(layout, nodes) };
    }
}

/// An allocator of a study: described, set up, and with books that can be looked at.
pub trait Managed: Nodes + Sized + 'static {
    /// Name and description.
    const BRIEF: Brief;
    /// Sets it up.
    fn new(limits: Limits) -> Self;
    /// Bytes that it holds of the platform, its own books included; `None` where it does not say.
    fn held_bytes(&self) -> Option<usize>;
    /// Bytes of its own structures among those: headers, bitmaps, what is cut off at the end of a
    /// block; not what is free. `None` where it does not say.
    fn metadata_bytes(&self) -> Option<usize> {
        None
    }
    /// Checks its own structures; the error says what is broken.
    fn validate(&self) -> Result<(), String> {
        Ok(())
    }
}

/// What is handed out for a layout without bytes.
fn dangling(layout: Layout) -> NonNull<u8> {
    // SAFETY: an alignment is not zero.
    unsafe { NonNull::new_unchecked(std::ptr::without_provenance_mut(layout.align())) }
}

/// Moves a block to a new one of another layout.
///
/// # Safety
///
/// As for [`Allocator::grow`] or [`Allocator::shrink`].
unsafe fn relocate(
    allocator: &impl Allocator,
    at: NonNull<u8>,
    old: Layout,
    new: Layout,
) -> Result<NonNull<[u8]>, AllocError> {
    let to = allocator.allocate(new)?;
    // SAFETY: by contract `at` is a block of `old`, not used again; `to` is another one.
    unsafe {
        at.copy_to_nonoverlapping(to.cast(), old.size().min(new.size()));
        allocator.deallocate(at, old);
    }
    Ok(to)
}
