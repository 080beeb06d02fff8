//! `pool`: an adaptive pool of nodes, in slabs of one size each.
//!
//! A slab is 64 KiB of equal nodes behind one header, aligned so that a node's
//! address leads to it; nodes have no header of their own. What is freed goes
//! on its slab's free list, and a slab whose nodes are all free is given back:
//! to its superblock, and a superblock of 16 such slabs to the platform, but
//! for a part of the recent peak (see `superblock.rs`).
//!
//! Layout: nodes of every multiple of 8 bytes up to 512, aligned to at most 64.
//! A slab has a header of 64 bytes (128 in the first of a superblock), then its
//! nodes. Header, what is left behind the last node, and this struct are less
//! than 2 % of one full slab, whatever the nodes' size. Other layouts are left
//! to the platform, without a header; their bytes count as held.
//! Allocate: a node popped from the free list of the current slab, or the next
//! one never used; one count. Free: a push; one count. No searching in either.
//! Burst: one count per slab, then the never used nodes in address order; the
//! free nodes of a slab come first, one by one. Giving many back: one count for
//! each run of nodes of one slab.
//! Grow: in place within the same node size, by `realloc` between layouts that
//! are the platform's, by a copy otherwise.
//! Memory returns when the last node of a slab is freed, except that one empty
//! slab stays with its size (so that one node allocated and freed in turn does
//! not move a slab each time), and when the last slab of a superblock is empty.
//! A slab that fell empty hands out its nodes in address order again.
//! Cannot: move a node to another slab; so one live node keeps 64 KiB for nodes
//! of its size, and 1 MiB from the platform. Be shared by threads.
//!
//! Why superblocks: glibc maps each aligned request alone, and pads it by its
//! alignment. 256 slabs asked for one by one took 2.06 times their size of
//! address space, and 1.12 times of resident memory; in superblocks of 1 MiB
//! aligned to a slab it was 1.07 and 1.01 times (aligned to themselves: 2.0).
//! The padding is not touched and not counted as held.
//!
//! Zeal: each operation ends in `validate`, a failure panics. The lists are put
//! away between two operations, and each slab waits for its next free, so that
//! every operation leaves the fast path, which has no test for zeal.
//!
//! Invariants:
//!
//! - N1. A slab lies in one superblock, aligned to its size; its nodes lie one
//!   after the other from `start` to `end`. A layout leads to one node size, and
//!   its nodes lie in slabs of that size.
//! - N2. A node before `fresh` is in use, or on its slab's free list once; its
//!   first word is the link. Nodes from `fresh` on are free.
//! - N3. `countdown + others` nodes of a slab are in use. `countdown` is zero
//!   only if none is. A slab that is not listed has no free node, and a
//!   `countdown` of one: it is listed when a node is freed.
//! - N4. The list of a size links slabs of that size, each marked as listed; at
//!   its end stands null, but `full()` as the head of an empty one. `full()` is
//!   never written: it has no node to give, and none can be freed to it.
//! - N5. A superblock is in the circle if it has a slab with a size, else spare.
//!   Slabs before `begun` have a header, and those without a size are on their
//!   superblock's free list. All its memory is the pool's until it is freed.
//! - N6. A pointer that comes back was handed out, and still may be used for all
//!   of its slab: it was not made of a reference to the node.
//!
//! Sources: Bonwick, "The slab allocator", USENIX 1994; Ion Gaztañaga,
//! Boost.Container's `adaptive_pool`; Leijen, Zorn and de Moura, "Mimalloc: free
//! list sharding in action", ISMM 2019 (free lists per slab, found by masking).

mod bursts;
mod lists;
mod slab;
mod superblock;
#[cfg(test)]
mod tests;

use super::{AllocError, Allocator, Layout, Limits, Managed};
use crate::info::{Brief, Kind};
use crate::parts::poison;
use lists::Lists;
use slab::{LARGEST_ALIGN_BYTES, LARGEST_BYTES, Slab, full, slab_of};
use std::alloc::{GlobalAlloc, System};
use std::cell::Cell;
use std::ptr::{self, NonNull};
use superblock::Superblocks;

/// Slabs of a superblock; under zeal, so few that every path is taken early.
const SUPERBLOCK_SLABS: u32 = 16;
const ZEAL_SUPERBLOCK_SLABS: u32 = 2;

/// An adaptive pool.
pub struct Pool {
    lists: Lists,
    superblocks: Superblocks,
    /// A slab that may be the only one of its size, and empty; or null.
    idle: Cell<*mut Slab>,
    /// Bytes of layouts that are left to the platform.
    large_bytes: Cell<usize>,
    limit_bytes: usize,
}

/// Who serves a layout.
enum Place {
    /// It has no bytes.
    Nowhere,
    /// A slab of nodes of this size.
    Slab(usize),
    Platform,
}

#[inline(always)]
fn place(layout: Layout) -> Place {
    let align_bytes = layout.align().max(8);
    let bytes = layout.size().wrapping_add(align_bytes - 1) & !(align_bytes - 1);
    if layout.size() == 0 {
        Place::Nowhere
    } else if bytes <= LARGEST_BYTES && align_bytes <= LARGEST_ALIGN_BYTES {
        Place::Slab(bytes)
    } else {
        Place::Platform
    }
}

impl Pool {
    #[inline(always)]
    fn take(&self, node_bytes: usize) -> Result<NonNull<u8>, AllocError> {
        // SAFETY: N4.
        match unsafe { slab::take(self.lists.of(node_bytes).get(), node_bytes) } {
            Some(node) => Ok(node),
            None => self.take_slowly(node_bytes),
        }
    }

    /// Takes a node, if need be of another slab.
    #[cold]
    #[inline(never)]
    fn take_slowly(&self, node_bytes: usize) -> Result<NonNull<u8>, AllocError> {
        self.open();
        let list = self.lists.of(node_bytes);
        let node = loop {
            let slab = list.get();
            // SAFETY: N4.
            if let Some(node) = unsafe { slab::take(slab, node_bytes) } {
                break Some(node);
            }
            // SAFETY: N3, N4: all its nodes are in use; or it is new, without a size (N5).
            unsafe {
                if slab != full() {
                    self.lists.remove(slab);
                    slab::watch(slab);
                } else if let Some(slab) = self.superblocks.take(self.room_bytes()) {
                    slab::begin(slab, node_bytes);
                    self.lists.insert(slab);
                } else if !self.give_back_idle() {
                    break None;
                }
            }
        };
        // SAFETY: N1.
        self.close(node.map(|node| slab_of(node.as_ptr())));
        node.ok_or(AllocError)
    }

    /// Frees a node.
    ///
    /// # Safety
    ///
    /// It is in use, is not used again, and its size is this (N1).
    #[inline(always)]
    unsafe fn give(&self, node: *mut u8, node_bytes: usize) {
        let slab = slab_of(node);
        // SAFETY: by contract, N1 and N2.
        unsafe {
            bury(node, node_bytes, (*slab).free);
            (*slab).free = node;
            (*slab).countdown -= 1;
            if (*slab).countdown == 0 {
                self.settle(slab);
            }
        }
    }

    /// Frees nodes of one slab that are linked from `first` to `last`.
    ///
    /// # Safety
    ///
    /// There are so many; they were in use, and are not used again.
    #[inline(always)]
    unsafe fn give_run(&self, first: *mut u8, last: *mut u8, nodes: u32) {
        let slab = slab_of(first);
        // SAFETY: by contract, N2 and N3.
        unsafe {
            last.cast::<*mut u8>().write((*slab).free);
            (*slab).free = first;
            if (*slab).countdown > nodes {
                (*slab).countdown -= nodes;
            } else {
                (*slab).others -= nodes - (*slab).countdown;
                (*slab).countdown = 0;
                self.settle(slab);
            }
        }
    }

    /// Looks at a slab whose `countdown` is over.
    ///
    /// # Safety
    ///
    /// N3 holds for it but for that, and if it is not listed.
    #[cold]
    #[inline(never)]
    unsafe fn settle(&self, slab: *mut Slab) {
        // SAFETY: by contract; N3.
        unsafe {
            let stays = slab == self.idle.get() && (*slab).listed && (*slab).others == 0;
            if stays && !self.lists.zeal() {
                // One node is allocated and freed in turn.
                slab::reset(slab);
            } else {
                self.settle_anew(slab);
            }
        }
    }

    /// The same if the slab may come to another place.
    ///
    /// # Safety
    ///
    /// As for `settle`.
    #[inline(never)]
    unsafe fn settle_anew(&self, slab: *mut Slab) {
        // SAFETY: by contract; N3, N4.
        unsafe {
            self.open();
            (*slab).countdown = std::mem::take(&mut (*slab).others);
            if !(*slab).listed {
                self.lists.insert(slab);
            }
            if (*slab).countdown > 0 {
                self.close(Some(slab));
            } else {
                slab::reset(slab);
                self.spare(slab);
                self.close(None);
            }
        }
    }

    /// Gives an empty slab back, unless it is the only one of its size. Then the
    /// one that was idle before is given back, if it still is.
    ///
    /// # Safety
    ///
    /// It is listed, and none of its nodes is in use.
    unsafe fn spare(&self, slab: *mut Slab) {
        // SAFETY: by contract; N4. `idle` leads to a slab with a size.
        unsafe {
            if !(*slab).next.is_null() || !(*slab).prev.is_null() {
                return self.give_back(slab);
            }
            if self.idle.get() != slab {
                self.give_back_idle();
                self.idle.set(slab);
            }
        }
    }

    /// Gives an empty slab to its superblock.
    ///
    /// # Safety
    ///
    /// As for `spare`.
    unsafe fn give_back(&self, slab: *mut Slab) {
        if self.idle.get() == slab {
            self.idle.set(ptr::null_mut());
        }
        // SAFETY: by contract.
        unsafe {
            self.lists.remove(slab);
            self.superblocks.give_back(slab);
        }
    }

    /// Gives the idle slab back, if there is one and it is empty.
    fn give_back_idle(&self) -> bool {
        let idle = self.idle.get();
        // SAFETY: N3: it has a size, and is listed if none of its nodes is in use.
        unsafe {
            let empty = !idle.is_null() && (*idle).countdown == 0;
            if empty {
                self.give_back(idle);
            }
            empty
        }
    }

    /// Bytes that may be asked of the platform.
    fn room_bytes(&self) -> usize {
        self.limit_bytes.saturating_sub(self.held())
    }

    fn held(&self) -> usize {
        size_of::<Pool>() + self.superblocks.held_bytes() + self.large_bytes.get()
    }

    /// Says that this much more is left to the platform, if `get` can have it;
    /// spare memory is given back first if there is no room.
    fn enlarge(
        &self,
        more_bytes: usize,
        get: impl Fn() -> *mut u8,
    ) -> Result<NonNull<u8>, AllocError> {
        let get = || if more_bytes <= self.room_bytes() { get() } else { ptr::null_mut() };
        let at = NonNull::new(get()).or_else(|| {
            self.open();
            self.give_back_idle();
            self.superblocks.trim();
            self.close(None);
            NonNull::new(get())
        });
        self.large_bytes.update(|bytes| bytes + at.map_or(0, |_| more_bytes));
        self.insist();
        at.ok_or(AllocError)
    }

    /// The start of an operation that left the fast path.
    fn open(&self) {
        self.lists.swap();
    }

    /// The end of one, which looked at a slab that has a node in use.
    fn close(&self, slab: Option<*mut Slab>) {
        if self.lists.zeal() {
            // SAFETY: N3.
            slab.inspect(|&slab| unsafe { slab::watch(slab) });
            self.lists.swap();
            self.insist();
        }
    }

    /// Checks everything under zeal.
    fn insist(&self) {
        if self.lists.zeal()
            && let Err(error) = self.validate()
        {
            panic!("the pool is broken: {error}");
        }
    }

    fn check(&self) -> Result<(), String> {
        self.superblocks.check()?;
        let listed = self.lists.check()?;
        let (mut marked, mut idle_is_ours) = (0, self.idle.get().is_null());
        for slab in self.superblocks.slabs() {
            // SAFETY: N5.
            unsafe {
                if (*slab).node_bytes > 0 {
                    slab::check(slab)?;
                    marked += usize::from((*slab).listed);
                    idle_is_ours |= slab == self.idle.get();
                    let empty = (*slab).countdown == 0;
                    if empty && slab != self.idle.get() {
                        return Err("an empty slab was not given back".into());
                    }
                }
            }
        }
        if marked != listed {
            return Err(format!("{listed} slabs are in lists, {marked} say so"));
        }
        if !idle_is_ours {
            return Err("the idle slab has no size".into());
        }
        Ok(())
    }
}

/// Makes a node that is free lead to the next one.
///
/// # Safety
///
/// The node has this size, and is not used again.
#[inline(always)]
unsafe fn bury(node: *mut u8, node_bytes: usize, next: *mut u8) {
    // SAFETY: by contract; N1: it has a word at least.
    unsafe {
        node.cast::<*mut u8>().write(next);
        poison::dead(node.add(size_of::<usize>()), node_bytes - size_of::<usize>());
    }
}

// SAFETY: N1, N2: nodes that are in use do not overlap; they stay where they are
// until the pool is dropped, and moving the pool does not move them.
unsafe impl Allocator for Pool {
    #[inline(always)]
    fn allocate(&self, layout: Layout) -> Result<NonNull<[u8]>, AllocError> {
        let at = match place(layout) {
            Place::Nowhere => super::dangling(layout),
            Place::Slab(node_bytes) => self.take(node_bytes)?,
            // SAFETY: the size is not zero.
            Place::Platform => self.enlarge(layout.size(), || unsafe { System.alloc(layout) })?,
        };
        Ok(NonNull::slice_from_raw_parts(at, layout.size()))
    }

    #[inline(always)]
    unsafe fn deallocate(&self, at: NonNull<u8>, layout: Layout) {
        match place(layout) {
            Place::Nowhere => {}
            // SAFETY: by contract.
            Place::Slab(node_bytes) => unsafe { self.give(at.as_ptr(), node_bytes) },
            Place::Platform => {
                // SAFETY: by contract; the layout leads to the one who allocated it.
                unsafe { System.dealloc(at.as_ptr(), layout) };
                self.large_bytes.update(|bytes| bytes - layout.size());
                self.insist();
            }
        }
    }

    unsafe fn grow(
        &self,
        at: NonNull<u8>,
        old: Layout,
        new: Layout,
    ) -> Result<NonNull<[u8]>, AllocError> {
        // SAFETY: by contract.
        unsafe { self.resize(at, old, new) }
    }

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

impl Pool {
    /// # Safety
    ///
    /// As for `grow` or `shrink`.
    unsafe fn resize(
        &self,
        at: NonNull<u8>,
        old: Layout,
        new: Layout,
    ) -> Result<NonNull<[u8]>, AllocError> {
        let to = match (place(old), place(new)) {
            (Place::Slab(before), Place::Slab(after)) if before == after => at,
            (Place::Platform, Place::Platform) if old.align() == new.align() => {
                let more_bytes = new.size().saturating_sub(old.size());
                // SAFETY: by contract; neither size is zero.
                let get = || unsafe { System.realloc(at.as_ptr(), old, new.size()) };
                let at = self.enlarge(more_bytes, get)?;
                self.large_bytes.update(|bytes| bytes - old.size().saturating_sub(new.size()));
                at
            }
            // SAFETY: by contract.
            _ => unsafe { super::relocate(self, at, old, new)?.cast() },
        };
        Ok(NonNull::slice_from_raw_parts(to, new.size()))
    }
}

impl Managed for Pool {
    const BRIEF: Brief = Brief {
        name: "pool",
        kind: Kind::Manual,
        about: "ours, for one thread: slabs of equal nodes without headers, at most 2 % metadata",
        returns: "when the last node of a slab is freed, and the last slab of 1 MiB is empty",
    };

    fn new(limits: Limits) -> Self {
        let slabs = if limits.zeal { ZEAL_SUPERBLOCK_SLABS } else { SUPERBLOCK_SLABS };
        Pool {
            lists: Lists::new(limits.zeal),
            superblocks: Superblocks::new(slabs),
            idle: Cell::new(ptr::null_mut()),
            large_bytes: Cell::new(0),
            limit_bytes: limits.limit_bytes,
        }
    }
    fn held_bytes(&self) -> Option<usize> {
        Some(self.held())
    }
    fn metadata_bytes(&self) -> Option<usize> {
        Some(size_of::<Pool>() + self.superblocks.metadata_bytes())
    }
    fn validate(&self) -> Result<(), String> {
        self.lists.swap();
        let found = self.check();
        self.lists.swap();
        found
    }
}
