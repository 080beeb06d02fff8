//! A region: chunks of equal slots, one free list per slot size. All memory
//! that holds no object is on a free list; the heap says when a slot is free.
//!
//! A free slot keeps the address of the next one in its last word, where a
//! 16-byte chain cell keeps its `next`: so a free list, taken from the front,
//! is a chain already linked.
//!
//! Invariants:
//!
//! - F1. A slot is on its size's free list or was handed out, never both.
//! - F2. A heap on a region keeps logs whose capacity suffices for every slot
//!   of the region (`grow` says how much that is), so that handing out a slot
//!   needs no test of its own.

use super::address::Ptr;
use super::bump::{Chunk, object_bytes};
use super::chain;
use super::log::{Log, MOST_SMALL_BYTES, SLOT_ALIGN_BYTES, slot_bytes, words_of};
use super::poison;
use super::uncounted::Uncounted;
use crate::object::{Chain, Item, Link, Node};
use crate::tally::HeapError;
use std::mem::offset_of;
use std::ptr::{self, NonNull};

/// Lists of small slots come first.
const SMALL_LISTS: usize = MOST_SMALL_BYTES / SLOT_ALIGN_BYTES;
/// One list per slot size.
pub const LISTS: usize = SMALL_LISTS + usize::BITS as usize;

/// The list of a slot size.
#[inline(always)]
pub const fn list_of(slot_bytes: usize) -> usize {
    if slot_bytes <= MOST_SMALL_BYTES {
        slot_bytes / SLOT_ALIGN_BYTES - 1
    } else {
        SMALL_LISTS + slot_bytes.trailing_zeros() as usize
    }
}

/// The slot size of a list.
#[inline(always)]
pub const fn list_bytes(list: usize) -> usize {
    if list < SMALL_LISTS { (list + 1) * SLOT_ALIGN_BYTES } else { 1 << (list - SMALL_LISTS) }
}

#[inline(always)]
fn link_of(slot: *mut u8, slot_bytes: usize) -> *mut *mut u8 {
    slot.wrapping_add(slot_bytes - size_of::<usize>()).cast()
}

/// Chunks of slots, and the free ones.
pub struct Region {
    free: [*mut u8; LISTS],
    /// Each chunk with the size of its slots.
    chunks: Vec<(Chunk, usize)>,
    chunk_bytes: usize,
    /// Words that all slots would take in a log.
    log_words: usize,
    held_bytes: usize,
    limit_bytes: usize,
}

impl Region {
    pub fn new(chunk_bytes: usize, limit_bytes: usize) -> Self {
        Region {
            free: [ptr::null_mut(); LISTS],
            chunks: Vec::new(),
            chunk_bytes,
            log_words: 0,
            held_bytes: 0,
            limit_bytes,
        }
    }

    /// The first free slot of a size; none if the region must grow.
    #[inline(always)]
    pub fn take(&mut self, slot_bytes: usize) -> Option<NonNull<u8>> {
        let free = &mut self.free[list_of(slot_bytes)];
        let slot = NonNull::new(*free)?;
        poison::reborn(slot.as_ptr(), slot_bytes);
        // SAFETY: F1: a free slot, its last word is the link.
        *free = unsafe { *link_of(slot.as_ptr(), slot_bytes) };
        Some(slot)
    }

    /// Frees slots, one after the other; how many.
    ///
    /// # Safety
    ///
    /// The slots were handed out with these sizes, and are not used again.
    #[inline(always)]
    pub unsafe fn give_back(&mut self, slots: impl Iterator<Item = (NonNull<u8>, usize)>) -> u64 {
        let mut count = 0;
        // The list in use stays in a register.
        let (mut size, mut free) = (SLOT_ALIGN_BYTES, self.free[0]);
        for (slot, slot_bytes) in slots {
            if slot_bytes != size {
                self.free[list_of(size)] = free;
                (size, free) = (slot_bytes, self.free[list_of(slot_bytes)]);
            }
            let slot = slot.as_ptr();
            // SAFETY: by contract the slot is ours again (F1).
            unsafe {
                poison::dead(slot, slot_bytes - size_of::<usize>());
                *link_of(slot, slot_bytes) = free;
            }
            free = slot;
            count += 1;
        }
        self.free[list_of(size)] = free;
        count
    }

    /// Adds a chunk of slots of a size; the words that a log of all slots takes.
    /// Near the limit chunks are smaller, and logs have some of the room.
    pub fn grow(&mut self, slot_bytes: usize, logs_bytes: usize) -> usize {
        let room_bytes = self.limit_bytes.saturating_sub(self.held_bytes + logs_bytes);
        let slots = (self.chunk_bytes.min(room_bytes / 4) / slot_bytes).max(1);
        let chunk = Chunk::new(slots * slot_bytes);
        self.held_bytes += chunk.bytes();
        self.log_words += slots * words_of(slot_bytes);
        let free = &mut self.free[list_of(slot_bytes)];
        for slot in (0..slots).rev().map(|i| chunk.base().wrapping_add(i * slot_bytes)) {
            // SAFETY: a slot of the new chunk.
            unsafe {
                poison::dead(slot, slot_bytes - size_of::<usize>());
                *link_of(slot, slot_bytes) = *free;
            }
            *free = slot;
        }
        self.chunks.push((chunk, slot_bytes));
        self.log_words
    }

    /// Bytes of memory held, free slots included.
    pub fn held_bytes(&self) -> usize {
        self.held_bytes
    }

    /// An error if the limit is passed, with what the logs hold; `log` has all
    /// that lives.
    pub fn check(&self, logs_bytes: usize, log: &Log) -> Result<(), HeapError> {
        let limit_bytes = self.limit_bytes;
        if self.held_bytes + logs_bytes > limit_bytes {
            return Err(HeapError::OutOfMemory { limit_bytes, live_bytes: log.sum().1 });
        }
        Ok(())
    }

    /// Gives all memory back; no slot is in use.
    pub fn clear(&mut self) {
        *self = Region::new(self.chunk_bytes, self.limit_bytes);
    }

    /// Checks the free lists, given how many slots were handed out.
    pub fn validate(&self, taken: usize) -> Result<(), String> {
        let slots: usize = self.chunks.iter().map(|(chunk, bytes)| chunk.bytes() / bytes).sum();
        let mut free_slots = 0;
        let sizes: std::collections::BTreeSet<_> = self.chunks.iter().map(|&(_, b)| b).collect();
        for slot_bytes in sizes {
            let mut chunks: Vec<_> =
                self.chunks.iter().filter(|(_, b)| *b == slot_bytes).map(|(c, _)| c).collect();
            chunks.sort_by_key(|chunk| chunk.base().addr());
            let mut free = self.free[list_of(slot_bytes)];
            while !free.is_null() {
                free_slots += 1;
                if !is_slot(&chunks, free, slot_bytes) {
                    return Err(format!("the free list of {slot_bytes} bytes leaves its chunks"));
                }
                if free_slots + taken > slots {
                    break;
                }
                // SAFETY: a slot of ours on a free list; links are not poisoned.
                free = unsafe { *link_of(free, slot_bytes) };
            }
        }
        if free_slots + taken != slots {
            return Err(format!("{free_slots} free and {taken} taken slots are not all {slots}"));
        }
        Ok(())
    }
}

/// Whether a slot lies at an address, in chunks of one slot size in address order.
fn is_slot(chunks: &[&Chunk], at: *mut u8, slot_bytes: usize) -> bool {
    let after = chunks.partition_point(|chunk| chunk.base() <= at);
    after.checked_sub(1).is_some_and(|index| {
        let inside = at.addr() - chunks[index].base().addr();
        inside < chunks[index].bytes() && inside.is_multiple_of(slot_bytes)
    })
}

/// A heap on a region.
pub trait Recycling: Uncounted {
    /// Where the heap writes down the slots it hands out.
    type Notes: Notes;
    fn region(&mut self) -> &mut Region;
    /// Makes room for slots of a size, and for notes of them (F2).
    fn grow(&mut self, slot_bytes: usize);
    /// The end of the heap's notes.
    fn notes(&mut self) -> Self::Notes;
    /// Takes over the notes of `cells` new cells.
    ///
    /// # Safety
    ///
    /// They were written since the last `notes`, and no slot handed out since.
    unsafe fn noted(&mut self, cells: usize, slot_bytes: usize);
}

/// The end of a heap's notes.
pub trait Notes: Copy {
    /// Writes a note of a cell, as the one with this number from the end on.
    ///
    /// # Safety
    ///
    /// There is room for it (F2).
    unsafe fn write(self, number: usize, at: *mut u8, slot_bytes: usize);
}

/// `Mutator::filter` into a free list, without a branch: each item and its note
/// are written to the first free slot, which is taken if the item is kept. The
/// cells are linked already.
#[inline(always)]
pub fn filter_free_list<'gc, H: Recycling, D: Item>(
    heap: &mut H,
    chain: Option<&Ptr<Chain<D>>>,
    mut keep: impl FnMut(D) -> bool,
) -> Link<'gc, H, Chain<D>> {
    let slot = const { slot_bytes(object_bytes::<Node<'_, H, D>>()) };
    let link = const {
        assert!(size_of::<Link<'_, H, Chain<D>>>() == size_of::<*mut u8>());
        offset_of!(Node<'_, H, D>, next)
    };
    if link + size_of::<usize>() != slot || words_of(slot) != 1 {
        return chain::filter_borrowed(heap, chain, keep);
    }
    let mut head = heap.region().free[list_of(slot)];
    let mut notes = heap.notes();
    let mut kept = 0;
    // The place of the address of the first free slot.
    let mut hole: *mut *mut u8 = &raw mut head;
    let mut at = chain.map_or(ptr::null(), |at| at.address().as_ptr().cast_const());
    while !at.is_null() {
        // SAFETY: A1, A3 for the cell read; F1 for the slot written, F2 for its
        // note. `hole` is `head`, or the link of the newest cell.
        unsafe {
            let mut cell = *hole;
            if cell.is_null() {
                (cell, notes) = more(heap, kept, slot);
                kept = 0;
                *hole = cell;
            }
            let node = at.cast::<Node<'gc, H, D>>();
            let item = (*node).item;
            at = (*node).next.0.as_ref().map_or(ptr::null(), |at| at.address().as_ptr());
            poison::reborn(cell, slot);
            (&raw mut (*cell.cast::<Node<'gc, H, D>>()).item).write(item);
            notes.write(kept, cell, slot);
            let keeps = keep(item);
            kept += usize::from(keeps);
            hole = if keeps { link_of(cell, slot) } else { hole };
        }
    }
    // SAFETY: as above; the last cell kept ends the chain, and what follows it
    // is free still.
    unsafe {
        heap.noted(kept, slot);
        let free = *hole;
        *hole = ptr::null_mut();
        if !free.is_null() {
            poison::dead(free, slot - size_of::<usize>());
        }
        heap.region().free[list_of(slot)] = free;
    }
    Link(NonNull::new(head).map(Ptr::new))
}

/// New slots and the new end of the notes, when a free list ran out.
///
/// # Safety
///
/// As for `noted`.
#[cold]
#[inline(never)]
unsafe fn more<H: Recycling>(heap: &mut H, kept: usize, slot_bytes: usize) -> (*mut u8, H::Notes) {
    // SAFETY: by contract.
    unsafe { heap.noted(kept, slot_bytes) };
    heap.region().free[list_of(slot_bytes)] = ptr::null_mut();
    heap.grow(slot_bytes);
    (heap.region().free[list_of(slot_bytes)], heap.notes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_come_back_and_the_lists_stay_whole() {
        let mut region = Region::new(256, 1 << 20);
        let mut taken = Vec::new();
        for i in 0..100 {
            let bytes = slot_bytes([16, 24, 200, 100][i % 4]);
            let slot = region.take(bytes).unwrap_or_else(|| {
                region.grow(bytes, 0);
                region.take(bytes).unwrap()
            });
            // SAFETY: the slot is ours; all of it may be written.
            unsafe { slot.as_ptr().write_bytes(0xAA, bytes) };
            taken.push((slot, bytes));
        }
        region.validate(100).unwrap();
        assert!(region.validate(99).is_err());
        let held_bytes = region.held_bytes();
        // SAFETY: taken above.
        unsafe { assert_eq!(region.give_back(taken.drain(..48)), 48) };
        region.validate(52).unwrap();
        for &(_, bytes) in &taken[..48] {
            assert!(region.take(bytes).is_some(), "what was freed is used again");
        }
        region.validate(100).unwrap();
        assert_eq!(region.held_bytes(), held_bytes);
    }

    #[test]
    fn a_region_over_its_limit_says_so() {
        let mut region = Region::new(64, 200);
        assert_eq!(region.grow(16, 0), 3, "a quarter of the room");
        assert_eq!(region.grow(16, 120), 4, "one slot at least");
        let mut log = Log::default();
        assert_eq!(region.check(136, &log), Ok(()));
        assert!(region.check(137, &log).is_err());
        assert_eq!(region.grow(128, 0), 6, "a large slot takes two words");
        log.push(region.take(128).unwrap(), 128);
        let error = HeapError::OutOfMemory { limit_bytes: 200, live_bytes: 128 };
        assert_eq!(region.check(9, &log), Err(error));
    }
}
