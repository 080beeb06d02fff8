//! `region`: bump allocation; memory is reclaimed when all of it is free.
//!
//! An allocation goes where the last one ended, in the youngest of some blocks,
//! each as large as all before it. Freeing only counts; when nothing lives any
//! more, all blocks but the largest are given back, and allocation begins anew at
//! its start.
//!
//! Layout: each block has a header of 16 bytes; allocations have none, and are
//! rounded up to 8 bytes. What the next allocation found too small at the end of
//! a block stays unused, and counts as metadata; what is skipped for alignments
//! above 8 counts as in use.
//! Allocate: an addition and a compare, one count. Free: one count. Burst: one
//! addition and one count for all nodes that a block has room for. Giving many back: one count.
//! Grow and shrink: in place if it is the last allocation and its block has
//! room; otherwise growing copies, and the old place stays unused.
//! Memory returns when the last live allocation is freed, and not before.
//! Cannot: use any freed memory again while anything lives, so one live object
//! keeps everything, and a program that is never without one needs memory for
//! all it ever allocates. Be shared by threads.
//!
//! Zeal: each operation ends in `validate`, a failure panics. Room is kept
//! secret, and each free is the last that is counted down, so that every
//! operation leaves the fast path, which has no test for zeal.
//!
//! Invariants:
//!
//! - G1. `blocks` links blocks of the platform, youngest first; each begins with
//!   its header, and is freed only if nothing in it is in use.
//! - G2. `top` and `end` lie in the youngest block, or are null without one; from
//!   `top` on it is free. `end` is the block's end, or `top` under zeal.
//! - G3. `countdown + others` allocations are in use, all of them before the top
//!   of their block. `countdown` is zero only if none is.
//!
//! Papers: Hanson, "Fast allocation and deallocation of memory based on object
//! lifetimes", Software: Practice and Experience 20 (1), 1990.

mod block;
#[cfg(test)]
mod tests;

use super::{AllocError, Allocator, Layout, Limits, Managed, Nodes, dangling, relocate};
use crate::info::{Brief, Kind};
use crate::parts::poison;
use block::{Block, end_of, layout_of, start_of};
use std::alloc::{GlobalAlloc, System};
use std::cell::Cell;
use std::ptr::{self, NonNull};

/// Size of the first block, and the largest that blocks grow to unless an
/// allocation needs more; under zeal, so little that every path is taken early.
const FIRST_BYTES: usize = 64 << 10;
const ZEAL_FIRST_BYTES: usize = 256;
const LARGEST_BYTES: usize = 16 << 20;
/// What sizes are rounded up to.
const ROUND_BYTES: usize = 8;

/// A region.
pub struct Region {
    top: Cell<*mut u8>,
    end: Cell<*mut u8>,
    /// How many allocations are freed before `settle` must look.
    countdown: Cell<usize>,
    /// The other allocations.
    others: Cell<usize>,
    blocks: Cell<*mut Block>,
    /// Bytes of all blocks.
    held_bytes: Cell<usize>,
    /// Bytes behind the tops of the blocks that are not the youngest.
    cut_bytes: Cell<usize>,
    limit_bytes: usize,
    zeal: bool,
}

#[inline(always)]
fn rounded(bytes: usize) -> usize {
    bytes.next_multiple_of(ROUND_BYTES)
}

/// Where an allocation begins that is not before `at`.
#[inline(always)]
fn aligned(at: *mut u8, align_bytes: usize) -> *mut u8 {
    if align_bytes <= ROUND_BYTES {
        return at;
    }
    at.map_addr(|address| address.next_multiple_of(align_bytes))
}

impl Region {
    /// Takes an allocation.
    #[inline(always)]
    fn bump(&self, layout: Layout) -> Result<NonNull<u8>, AllocError> {
        let bytes = rounded(layout.size());
        let at = aligned(self.top.get(), layout.align());
        if bytes > self.end.get().addr().saturating_sub(at.addr()) {
            return self.bump_slowly(layout, 0);
        }
        // SAFETY: G2: so many bytes are free at `at`.
        unsafe {
            self.top.set(at.add(bytes));
            self.countdown.update(|countdown| countdown + 1);
            poison::reborn(at, bytes);
            Ok(NonNull::new_unchecked(at))
        }
    }

    /// The same in a new block, unless the room was secret; if can be, in one of
    /// so many bytes.
    #[cold]
    #[inline(never)]
    fn bump_slowly(&self, layout: Layout, wish_bytes: usize) -> Result<NonNull<u8>, AllocError> {
        self.end.set(self.true_end());
        let fits =
            |at: *mut u8| rounded(layout.size()) <= self.end.get().addr().saturating_sub(at.addr());
        let there = fits(aligned(self.top.get(), layout.align()));
        let taken = if there { Ok(()) } else { self.add_block(layout, wish_bytes) };
        let at = taken.and_then(|()| self.bump(layout));
        self.hide();
        self.insist();
        at
    }

    /// Begins a new block that has room for this layout, if can be for so many bytes.
    fn add_block(&self, layout: Layout, wish_bytes: usize) -> Result<(), AllocError> {
        if self.live() == 0 {
            // SAFETY: nothing is in use.
            unsafe { self.free_blocks(ptr::null_mut()) };
        }
        let youngest = self.blocks.get();
        let skipped_bytes = layout.align().saturating_sub(align_of::<Block>());
        let besides_bytes = size_of::<Block>() + skipped_bytes;
        let least_bytes = rounded(layout.size()).checked_add(besides_bytes).ok_or(AllocError)?;
        let wish_bytes = wish_bytes.saturating_add(besides_bytes);
        let room_bytes = self.limit_bytes.saturating_sub(self.held()) & !(ROUND_BYTES - 1);
        let first_bytes = if self.zeal { ZEAL_FIRST_BYTES } else { FIRST_BYTES };
        let usual_bytes = self.held_bytes.get().clamp(first_bytes, LARGEST_BYTES);
        let bytes = usual_bytes.max(wish_bytes).min(room_bytes).max(least_bytes);
        let new = layout_of(bytes).filter(|_| bytes <= room_bytes).ok_or(AllocError)?;
        // SAFETY: the size is not zero: there is a header.
        let block = unsafe { System.alloc(new) }.cast::<Block>();
        if block.is_null() {
            return Err(AllocError);
        }
        let cut_bytes = self.end.get().addr() - self.top.get().addr();
        self.cut_bytes.update(|bytes| bytes + cut_bytes);
        self.held_bytes.update(|held_bytes| held_bytes + bytes);
        // SAFETY: the memory is ours, and begins with room for a header.
        unsafe {
            block.write(Block { next: youngest, bytes });
            self.begin(block);
            poison::dead(self.top.get(), bytes - size_of::<Block>());
        }
        Ok(())
    }

    /// Makes a block the youngest, with nothing in it.
    ///
    /// # Safety
    ///
    /// It is a block, linked to the others, and nothing in it is in use.
    unsafe fn begin(&self, block: *mut Block) {
        self.blocks.set(block);
        // SAFETY: by contract.
        unsafe {
            self.top.set(start_of(block));
            self.end.set(end_of(block));
        }
    }

    /// Gives all blocks back but one, if not null, which is the only one then.
    ///
    /// # Safety
    ///
    /// Nothing is in use.
    unsafe fn free_blocks(&self, but: *mut Block) {
        let mut at = self.blocks.replace(ptr::null_mut());
        self.top.set(ptr::null_mut());
        self.end.set(ptr::null_mut());
        self.cut_bytes.set(0);
        while !at.is_null() {
            // SAFETY: by contract; G1: allocated in `add_block` with this layout.
            unsafe {
                let Block { next, bytes } = *at;
                if let Some(layout) = layout_of(bytes).filter(|_| at != but) {
                    poison::reborn(at.cast(), bytes);
                    self.held_bytes.update(|held_bytes| held_bytes - bytes);
                    System.dealloc(at.cast(), layout);
                }
                at = next;
            }
        }
        if !but.is_null() {
            // SAFETY: by contract.
            unsafe {
                (*but).next = ptr::null_mut();
                self.begin(but);
            }
        }
    }

    /// Counts frees.
    ///
    /// # Safety
    ///
    /// So many allocations were in use, and are not used again.
    #[inline(always)]
    unsafe fn release(&self, allocations: usize) {
        let left = self.countdown.get().wrapping_sub(allocations);
        self.countdown.set(left);
        if left.cast_signed() <= 0 {
            // SAFETY: by contract.
            unsafe { self.settle() };
        }
    }

    /// Begins anew if nothing lives.
    ///
    /// # Safety
    ///
    /// G3 holds but for `countdown`, which may be negative.
    #[cold]
    #[inline(never)]
    unsafe fn settle(&self) {
        self.countdown.set(self.countdown.get().wrapping_add(self.others.take()));
        let youngest = self.blocks.get();
        if self.live() == 0 {
            // SAFETY: G1, G3: nothing is in use; there is a block, since something was.
            unsafe {
                if (*youngest).next.is_null() {
                    self.begin(youngest);
                } else {
                    let largest = self.all().max_by_key(|&block| (*block).bytes);
                    self.free_blocks(largest.unwrap_or(youngest));
                }
            }
        }
        self.hide();
        self.insist();
    }

    /// Whether an allocation is the last one.
    fn is_last(&self, at: NonNull<u8>, bytes: usize) -> bool {
        at.as_ptr().wrapping_add(bytes) == self.top.get()
    }

    /// Under zeal, keeps the room secret.
    fn hide(&self) {
        if self.zeal {
            self.end.set(self.top.get());
        }
    }

    /// Checks everything under zeal, and lets `settle` look at the next free.
    #[inline]
    fn insist(&self) {
        if self.zeal {
            let live = self.live();
            self.countdown.set(live.min(1));
            self.others.set(live - self.countdown.get());
            if let Err(error) = self.validate() {
                panic!("the region is broken: {error}");
            }
        }
    }

    fn live(&self) -> usize {
        self.countdown.get() + self.others.get()
    }
    fn held(&self) -> usize {
        size_of::<Region>() + self.held_bytes.get()
    }

    /// The end of the youngest block.
    fn true_end(&self) -> *mut u8 {
        let youngest = self.blocks.get();
        // SAFETY: G1.
        if youngest.is_null() { youngest.cast() } else { unsafe { end_of(youngest) } }
    }

    /// The blocks, youngest first.
    fn all(&self) -> impl Iterator<Item = *mut Block> {
        let some = |at: *mut Block| NonNull::new(at).map(NonNull::as_ptr);
        // SAFETY: G1; the list does not change while it is walked.
        std::iter::successors(some(self.blocks.get()), move |&at| some(unsafe { (*at).next }))
    }
}

/// Counts as freed, when it is dropped, so many allocations.
struct Freed<'a> {
    region: &'a Region,
    allocations: usize,
}

impl Drop for Freed<'_> {
    #[inline(always)]
    fn drop(&mut self) {
        if self.allocations > 0 {
            // SAFETY: by those who count them.
            unsafe { self.region.release(self.allocations) };
        }
    }
}

// SAFETY: G2, G3: what is handed out was free, and is not handed out again before
// nothing is in use. Moving the region does not move its blocks.
unsafe impl Allocator for Region {
    #[inline(always)]
    fn allocate(&self, layout: Layout) -> Result<NonNull<[u8]>, AllocError> {
        if layout.size() == 0 {
            return Ok(NonNull::slice_from_raw_parts(dangling(layout), 0));
        }
        let at = self.bump(layout)?;
        Ok(NonNull::slice_from_raw_parts(at, layout.size()))
    }

    #[inline(always)]
    unsafe fn deallocate(&self, at: NonNull<u8>, layout: Layout) {
        if layout.size() > 0 {
            // SAFETY: by contract.
            unsafe {
                poison::dead(at.as_ptr(), rounded(layout.size()));
                self.release(1);
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
        let (old_bytes, new_bytes) = (rounded(old.size()), rounded(new.size()));
        let room_bytes = self.true_end().addr().saturating_sub(at.addr().get());
        let stays =
            old_bytes == new_bytes || self.is_last(at, old_bytes) && new_bytes <= room_bytes;
        if old_bytes > 0 && stays && at.addr().get().is_multiple_of(new.align()) {
            poison::reborn(at.as_ptr(), new_bytes);
            if old_bytes != new_bytes {
                // G2: it is the last one, and its block has room. The top moves, and is not made of
                // the caller's pointer, which may be good for the payload only.
                self.top.set(self.top.get().wrapping_add(new_bytes).wrapping_sub(old_bytes));
                self.hide();
            }
            self.insist();
            return Ok(NonNull::slice_from_raw_parts(at, new.size()));
        }
        // SAFETY: by contract.
        unsafe { relocate(self, at, old, new) }
    }

    #[inline]
    unsafe fn shrink(
        &self,
        at: NonNull<u8>,
        old: Layout,
        new: Layout,
    ) -> Result<NonNull<[u8]>, AllocError> {
        if new.size() == 0 || !at.addr().get().is_multiple_of(new.align()) {
            // SAFETY: by contract.
            return unsafe { relocate(self, at, old, new) };
        }
        let (old_bytes, new_bytes) = (rounded(old.size()), rounded(new.size()));
        // SAFETY: by contract what is cut off is ours again; G2.
        unsafe {
            let tail = at.as_ptr().add(new_bytes);
            poison::dead(tail, old_bytes - new_bytes);
            if self.is_last(at, old_bytes) {
                self.top.set(self.top.get().wrapping_add(new_bytes).wrapping_sub(old_bytes));
                self.hide();
            }
        }
        self.insist();
        Ok(NonNull::slice_from_raw_parts(at, new.size()))
    }
}

// SAFETY: nodes of a burst are counted one by one, and do not overlap.
unsafe impl Nodes for Region {
    #[inline]
    fn allocate_nodes(
        &self,
        layout: Layout,
        count: usize,
        mut each: impl FnMut(NonNull<u8>),
    ) -> Result<(), AllocError> {
        if layout.size() == 0 {
            (0..count).for_each(|_| each(dangling(layout)));
            return Ok(());
        }
        let node_bytes = layout.size().next_multiple_of(layout.align().max(ROUND_BYTES));
        let mut left = count;
        while left > 0 {
            let mut at = aligned(self.top.get(), layout.align());
            let room_bytes = self.end.get().addr().saturating_sub(at.addr());
            let nodes = left.min(room_bytes / node_bytes);
            if nodes == 0 {
                let node = self.bump_slowly(layout, left.saturating_mul(node_bytes))?;
                left -= 1;
                each(node);
                continue;
            }
            left -= nodes;
            // SAFETY: G2: so many bytes are free at `at`.
            unsafe {
                self.top.set(at.add(nodes * node_bytes));
                poison::reborn(at, nodes * node_bytes);
            }
            self.countdown.update(|countdown| countdown + nodes);
            // What is not handed out when `each` panics is freed.
            let mut untold = Freed { region: self, allocations: nodes };
            while untold.allocations > 0 {
                // SAFETY: the nodes lie one after the other in the block.
                let node = unsafe { NonNull::new_unchecked(at) };
                at = at.wrapping_add(node_bytes);
                untold.allocations -= 1;
                each(node);
            }
        }
        Ok(())
    }

    #[inline]
    unsafe fn deallocate_nodes(&self, layout: Layout, nodes: impl Iterator<Item = NonNull<u8>>) {
        let mut freed = Freed { region: self, allocations: 0 };
        for node in nodes {
            // SAFETY: by contract.
            unsafe { poison::dead(node.as_ptr(), rounded(layout.size())) };
            freed.allocations += usize::from(layout.size() > 0);
        }
    }
}

impl Managed for Region {
    const BRIEF: Brief = Brief {
        name: "region",
        kind: Kind::Region,
        about: "ours, for one thread: bump allocation in growing blocks; freeing only counts",
        returns: "when nothing lives any more, and not before",
    };

    fn new(limits: Limits) -> Self {
        Region {
            top: Cell::new(ptr::null_mut()),
            end: Cell::new(ptr::null_mut()),
            countdown: Cell::new(0),
            others: Cell::new(0),
            blocks: Cell::new(ptr::null_mut()),
            held_bytes: Cell::new(0),
            cut_bytes: Cell::new(0),
            limit_bytes: limits.limit_bytes,
            zeal: limits.zeal,
        }
    }
    fn held_bytes(&self) -> Option<usize> {
        Some(self.held())
    }
    fn metadata_bytes(&self) -> Option<usize> {
        let headers_bytes = self.all().count() * size_of::<Block>();
        Some(size_of::<Region>() + headers_bytes + self.cut_bytes.get())
    }
    fn validate(&self) -> Result<(), String> {
        let blocks: Vec<_> = self.all().collect();
        // SAFETY: G1.
        let bytes: usize = blocks.iter().map(|&block| unsafe { (*block).bytes }).sum();
        if bytes != self.held_bytes.get() {
            return Err(format!("{bytes} bytes of blocks, not {}", self.held_bytes.get()));
        }
        let (top, end) = (self.top.get(), self.end.get());
        let hidden = if self.zeal { top } else { self.true_end() };
        // SAFETY: G1.
        let start = blocks.first().map_or(ptr::null_mut(), |&block| unsafe { start_of(block) });
        if top < start || top > self.true_end() || end != hidden {
            return Err("the top is not in the youngest block".into());
        }
        if self.cut_bytes.get() > bytes {
            return Err(format!("{} bytes are behind tops", self.cut_bytes.get()));
        }
        if self.countdown.get() == 0 && self.others.get() > 0 {
            return Err(format!("nobody looks after {} allocations", self.others.get()));
        }
        if self.live() == 0 && (top != start || blocks.len() > 1) {
            return Err("nothing lives, and allocation did not begin anew".into());
        }
        Ok(())
    }
}

impl Drop for Region {
    fn drop(&mut self) {
        // SAFETY: the region ends, and what is in it.
        unsafe { self.free_blocks(ptr::null_mut()) };
    }
}
