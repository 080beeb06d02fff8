//! `burst`: boundary tags, bursts, and growth in place.
//!
//! Memory is tiled by chunks, and each can find its neighbours: so a free one
//! merges with them at once, one in use can grow into the next, and one large
//! chunk can be carved into many, of which each is given back alone. Free chunks
//! are in bins by size; what has never been used is the top, taken from its front.
//!
//! Layout: a header of 8 bytes (size and flags) before each payload; chunks are
//! multiples of 16 bytes, at least 32, and payloads are aligned to 16. A free
//! chunk has two links after its header, and its size in its last word, which
//! is the payload's while it is in use. A payload of 24 bytes takes 32, one of
//! 25 takes 48. Larger alignments are cut out of larger chunks, the rest given
//! back. A segment of the platform has 32 bytes of its own.
//! Allocate: the first chunk of the bin of that size; if nothing is free, from
//! the top; else the smallest bin whose chunks are large enough, and the rest
//! goes back. All are bounded, whatever is held.
//! Burst: one chunk for all nodes if there is one; then a header per node.
//! Free: looks at both neighbours, at most two chunks leave bins and one enters.
//! Nodes that are given back together and lie side by side are one chunk before
//! anything is looked at.
//! Grow: in place if the top or a free chunk follows that is large enough, else
//! elsewhere; takes no more than asked for. Shrink: in place.
//! Memory returns when a segment is empty. One of up to 2 MiB, or an eighth of
//! the rest, is kept, so that a container that is filled and destroyed again and
//! again does not go to the platform each time.
//! Cannot: be used by several threads; give back a segment in which one small
//! chunk is in use; tell a pointer that is not its own. Amid a burst its books
//! are open: `validate` and `metadata_bytes` then do not say.
//! Zeal: it checks itself after what is not a matter of a few instructions, and
//! before anything is given back, and panics if it finds itself broken; what is
//! given back is overwritten.
//!
//! Invariants:
//!
//! - B1. Each segment in the list is live, and is tiled from its front to its
//!   end by chunks, whose headers state their bytes. In the current one the top
//!   stands for the last chunk: without a header, of 32 bytes at least.
//! - B2. A header, also that at the end, has `BEFORE_FREE` if and only if the
//!   chunk before it is free; then the word before the header is its size.
//! - B3. No two free chunks are adjacent, and none is adjacent to the top.
//! - B4. A free chunk is in the bin of its size, linked both ways, and in no
//!   other; nothing else is in bins.
//! - B5. The payload of a chunk in use is the caller's, its last word too.
//! - B6. A pointer that comes back was handed out, and still may be used for all
//!   of its segment: it was not made of a reference to the payload.
//! - B7. Amid a burst, the nodes that are not yet handed out belong to it. The
//!   header of the first of them is written, so the node before it may already
//!   be given back; those after it are not, and are read by nobody.
//! - B8. No reference to the state is held while the caller's code runs.
//!
//! Papers: Knuth, "The Art of Computer Programming" 1, 1968, 2.5 (boundary
//! tags); Lea, "A memory allocator", 1996; Masmano et al., "TLSF: a new dynamic
//! memory allocator for real-time systems", ECRTS 2004; Gaztañaga, N2045 and the
//! Boost.Container library (bursts, growth in place).

mod bins;
mod check;
mod chunk;
mod segment;
mod state;
#[cfg(test)]
mod tests;

use super::{AllocError, Allocator, Layout, Limits, Managed, Nodes, dangling, relocate};
use crate::info::{Brief, Kind};
use bins::EXACT_BYTES;
use chunk::{BEFORE_FREE, Chunk, WATCHED, bytes_of, chunk_bytes, is_aligned};
use state::State;
use std::cell::UnsafeCell;
use std::collections::BTreeMap;
use std::mem;
use std::ptr::NonNull;

/// An allocator with boundary tags, bursts, and growth in place.
pub struct BoundaryTag {
    state: UnsafeCell<State>,
}

/// A payload as the traits hand it out.
#[inline(always)]
fn slice(at: NonNull<u8>, layout: Layout) -> NonNull<[u8]> {
    NonNull::slice_from_raw_parts(at, layout.size())
}

impl BoundaryTag {
    /// The state, for one step of the allocator's own.
    ///
    /// # Safety
    ///
    /// The caller's code is not run while it is held (B8).
    #[expect(clippy::mut_from_ref)]
    #[inline(always)]
    unsafe fn state(&self) -> &mut State {
        // SAFETY: B8; not `Sync`, so nobody else has it.
        unsafe { &mut *self.state.get() }
    }

    #[inline(never)]
    fn take(&self, layout: Layout) -> Result<NonNull<u8>, AllocError> {
        // SAFETY: B8.
        let state = unsafe { self.state() };
        let bytes = chunk_bytes(layout.size());
        let chunk = if is_aligned(layout) {
            state.take(bytes)
        } else {
            state.take_aligned(bytes, layout.align())
        };
        state.insist();
        // SAFETY: B5: a chunk in use.
        chunk.map(|chunk| unsafe { chunk.payload() })
    }

    /// Grows what the top does not follow, or changes its alignment.
    ///
    /// # Safety
    ///
    /// As for `grow`.
    #[inline(never)]
    unsafe fn grow_or_move(
        &self,
        at: NonNull<u8>,
        old: Layout,
        new: Layout,
    ) -> Result<NonNull<[u8]>, AllocError> {
        if old.size() > 0 && is_aligned_at(at, new) {
            // SAFETY: B6, B8; the chunk has fewer bytes, or it is large enough as it is.
            unsafe {
                let (chunk, bytes) = (Chunk::of(at), chunk_bytes(new.size()));
                if bytes <= chunk.bytes() || self.state().grow(chunk, bytes) {
                    self.state().insist();
                    return Ok(slice(at, new));
                }
            }
        }
        // SAFETY: by contract.
        unsafe { relocate(self, at, old, new) }
    }
}

/// Whether a payload is aligned as the layout asks.
#[inline(always)]
fn is_aligned_at(at: NonNull<u8>, layout: Layout) -> bool {
    is_aligned(layout) || at.addr().get().is_multiple_of(layout.align())
}

// SAFETY: B1, B4, B5: chunks in use do not overlap, and stay until they are given back or the
// allocator ends; nothing in a segment refers to the allocator, so it may be moved.
unsafe impl Allocator for BoundaryTag {
    #[inline]
    fn allocate(&self, layout: Layout) -> Result<NonNull<[u8]>, AllocError> {
        if layout.size() == 0 {
            return Ok(slice(dangling(layout), layout));
        }
        let bytes = chunk_bytes(layout.size());
        if is_aligned(layout) && bytes < EXACT_BYTES {
            // SAFETY: B8.
            let state = unsafe { self.state() };
            let chunk = match state.bins.pop_exact(bytes) {
                None if state.bins.is_empty() => state.bump(bytes),
                chunk => chunk,
            };
            if let Some(chunk) = chunk {
                // SAFETY: B5: a chunk in use.
                return Ok(slice(unsafe { chunk.payload() }, layout));
            }
        }
        self.take(layout).map(|at| slice(at, layout))
    }

    #[inline]
    unsafe fn deallocate(&self, at: NonNull<u8>, layout: Layout) {
        if layout.size() > 0 {
            // SAFETY: B6, B8; by contract it is in use, and no more.
            unsafe {
                let chunk = Chunk::of(at);
                self.state().give_back(chunk, chunk.bytes());
            }
        }
    }

    #[inline]
    unsafe fn grow(
        &self,
        at: NonNull<u8>,
        old: Layout,
        new: Layout,
    ) -> Result<NonNull<[u8]>, AllocError> {
        if old.size() > 0 && is_aligned(new) {
            // SAFETY: B6, B8.
            unsafe {
                let (chunk, bytes) = (Chunk::of(at), chunk_bytes(new.size()));
                let header = chunk.header();
                if bytes <= bytes_of(header) || self.state().bump_on(chunk, header, bytes) {
                    return Ok(slice(at, new));
                }
            }
        }
        // SAFETY: by contract.
        unsafe { self.grow_or_move(at, old, new) }
    }

    unsafe fn grow_zeroed(
        &self,
        at: NonNull<u8>,
        old: Layout,
        new: Layout,
    ) -> Result<NonNull<[u8]>, AllocError> {
        // SAFETY: by contract; what the old layout did not have is the new owner's.
        unsafe {
            let to = self.grow(at, old, new)?;
            to.cast::<u8>().add(old.size()).write_bytes(0, new.size() - old.size());
            Ok(to)
        }
    }

    unsafe fn shrink(
        &self,
        at: NonNull<u8>,
        old: Layout,
        new: Layout,
    ) -> Result<NonNull<[u8]>, AllocError> {
        // SAFETY: by contract; B6, B8.
        unsafe {
            if new.size() == 0 {
                self.deallocate(at, old);
                return Ok(slice(dangling(new), new));
            }
            if !is_aligned_at(at, new) {
                return relocate(self, at, old, new);
            }
            self.state().trim(Chunk::of(at), chunk_bytes(new.size()));
            self.state().insist();
        }
        Ok(slice(at, new))
    }
}

/// The nodes of a burst that are not handed out: given back when it ends early.
struct Carving<'a> {
    of: &'a BoundaryTag,
    /// The first of them, whose header is written; the others' are not.
    next: Chunk,
    /// What follows the last of them.
    end: Chunk,
}

impl Drop for Carving<'_> {
    #[inline(always)]
    fn drop(&mut self) {
        // SAFETY: B7, B8: what is left becomes one chunk in use, and is given back.
        unsafe {
            let state = self.of.state();
            state.bursts -= 1;
            if self.next != self.end {
                let left_bytes = self.end.addr() - self.next.addr();
                let flags = self.next.header() & (BEFORE_FREE | WATCHED);
                self.next.set_header(left_bytes | flags);
                state.give_back(self.next, left_bytes);
            }
        }
    }
}

/// Nodes to be given back that lie side by side, from the first to the last.
struct Run<'a> {
    of: &'a BoundaryTag,
    first: NonNull<u8>,
    last: NonNull<u8>,
}

impl Drop for Run<'_> {
    #[inline(always)]
    fn drop(&mut self) {
        // SAFETY: B6, B8; all of them are in use, and no more.
        unsafe {
            let (first, last) = (Chunk::of(self.first), Chunk::of(self.last));
            let bytes = last.addr() - first.addr() + last.bytes();
            self.of.state().give_back(first, bytes);
        }
    }
}

// SAFETY: as for `Allocator`; each node is a chunk in use when it is handed out.
unsafe impl Nodes for BoundaryTag {
    #[inline]
    fn allocate_nodes(
        &self,
        layout: Layout,
        count: usize,
        mut each: impl FnMut(NonNull<u8>),
    ) -> Result<(), AllocError> {
        if layout.size() == 0 || !is_aligned(layout) {
            for _ in 0..count {
                each(self.allocate(layout)?.cast());
            }
            return Ok(());
        }
        let bytes = chunk_bytes(layout.size());
        let mut left = count;
        while left > 0 {
            // SAFETY: B8.
            let state = unsafe { self.state() };
            let (chunk, nodes) = state.take_run(bytes, left)?;
            state.bursts += 1;
            left -= nodes;
            // SAFETY: B5, B7: the run is ours; a node's header is written before the one ahead of
            // it is handed out. The last has what was too little for a chunk.
            unsafe {
                let header = chunk.header();
                let (end, flags) = (chunk.after(bytes_of(header)), header & WATCHED);
                let last = chunk.after((nodes - 1) * bytes);
                let mut rest = Carving { of: self, next: chunk, end };
                chunk.set_header(bytes | flags);
                let mut at = chunk;
                while at != last {
                    let next = at.after(bytes);
                    next.set_header(bytes | flags);
                    rest.next = next;
                    each(at.payload());
                    at = next;
                }
                last.set_header(
                    (end.addr() - last.addr()) | last.header() & (BEFORE_FREE | WATCHED),
                );
                rest.next = end;
                each(last.payload());
            }
        }
        // SAFETY: B8.
        unsafe { self.state() }.insist();
        Ok(())
    }

    #[inline]
    unsafe fn deallocate_nodes(
        &self,
        layout: Layout,
        mut nodes: impl Iterator<Item = NonNull<u8>>,
    ) {
        if layout.size() == 0 {
            return nodes.for_each(drop);
        }
        // A node that begins where this many bytes end shows that the chunk before it has no more.
        let bytes = chunk_bytes(layout.size());
        let Some(first) = nodes.next() else { return };
        let mut run = Run { of: self, first, last: first };
        for node in nodes {
            if run.last.addr().get() + bytes == node.addr().get() {
                run.last = node;
            } else if node.addr().get() + bytes == run.first.addr().get() {
                run.first = node;
            } else {
                drop(mem::replace(&mut run, Run { of: self, first: node, last: node }));
            }
        }
    }
}

impl Managed for BoundaryTag {
    const BRIEF: Brief = Brief {
        name: "burst",
        kind: Kind::Manual,
        about: "ours, for one thread: boundary tags; a burst carves one chunk, a block grows into its neighbour",
        returns: "when a segment is empty; a small one is kept",
    };

    fn new(limits: Limits) -> Self {
        BoundaryTag { state: UnsafeCell::new(State::new(limits, size_of::<Self>())) }
    }

    fn held_bytes(&self) -> Option<usize> {
        // SAFETY: B8.
        Some(unsafe { self.state() }.segments.held_bytes + size_of::<Self>())
    }

    fn metadata_bytes(&self) -> Option<usize> {
        // SAFETY: B8.
        let books = unsafe { self.state() }.books(&mut BTreeMap::new()).ok()?;
        Some(books.tag_bytes + size_of::<Self>())
    }

    fn validate(&self) -> Result<(), String> {
        // SAFETY: B8.
        unsafe { self.state() }.validate()
    }
}
