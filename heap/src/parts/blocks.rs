//! Non-moving memory in size classes: blocks of equal slots, mark bits, lazy
//! sweeping into free lists.
//!
//! A block is 64 KiB (more for objects that need it), aligned to 64 KiB, so an
//! object's address leads to its block's header: slot size, counts and two
//! bitmaps (marked, remembered), one bit per 8 bytes. A free slot holds the
//! address of the next free slot in its last word, where a chain cell keeps its
//! `next`.
//!
//! A collection clears the marks, marks, then calls `sweep`: blocks without a
//! mark return to the platform, the others wait and are swept, 4 KiB at a time
//! (so that the slots are still in the first-level cache when they are taken),
//! when their size class runs out of free slots.
//!
//! Invariants:
//!
//! - K1. An object's address lies in the first 64 KiB of its block.
//! - K2. A slot is on its class's free list, or waits for its sweep unmarked
//!   and is free, or holds an object; never two of these.
//! - K3. The free list of a class links slots of that class's blocks only.
//! - K4. Outside a collection, nothing refers to an unmarked slot that waits
//!   for its sweep.

use super::block::{
    BITMAP_WORDS, BLOCK_BYTES, Block, HEADER_BYTES, block_layout, block_of, free_block, link_of,
    poison_free_slots, slot, slots_of, sweep_piece,
};
use super::remembered::Old;
use super::{ahead, poison};
use crate::tally::Tally;
use std::alloc::{alloc, handle_alloc_error};
use std::mem::offset_of;
use std::ptr::{self, NonNull};

/// The slots of one size.
struct Class {
    slot_bytes: usize,
    /// First free slot, or null.
    free: *mut u8,
    blocks: Vec<NonNull<Block>>,
    /// The block that is being swept, or null.
    current: *mut Block,
    /// Blocks with an index below this wait for their sweep.
    unswept: usize,
}

const SMALL_CLASSES: usize = 128;
const CLASSES: usize = SMALL_CLASSES + 64;

/// The class of objects of `bytes` bytes (a multiple of 8), and its slot size:
/// exact up to 1 KiB, powers of two above.
#[inline(always)]
const fn class_of(bytes: usize) -> (usize, usize) {
    if bytes <= SMALL_CLASSES * 8 {
        (bytes / 8 - 1, bytes)
    } else {
        let slot_bytes = bytes.next_power_of_two();
        (SMALL_CLASSES + slot_bytes.trailing_zeros() as usize, slot_bytes)
    }
}

/// Whether slots for objects of `bytes` bytes are no larger than the objects.
pub const fn has_exact_class(bytes: usize) -> bool {
    class_of(bytes).1 == bytes
}

/// Empty blocks kept for the next allocation instead of being given back,
/// unless the heap says otherwise.
const MOST_SPARE_BLOCKS: usize = 32;

/// The least that the fresh bytes are when the limit is passed, so that the one compare
/// that asks for a collection serves for both.
const ALARM_BYTES: usize = usize::MAX / 2;

/// Memory in size classes.
pub struct Blocks {
    classes: Box<[Class; CLASSES]>,
    spare: Vec<NonNull<Block>>,
    most_spare: usize,
    held_bytes: usize,
    /// Bytes of slots put on free lists since the last sweep: what may have
    /// been allocated since. At least [`ALARM_BYTES`] once the limit was passed.
    fresh_bytes: usize,
    limit_bytes: usize,
    marked_bytes: usize,
    marked_cells: usize,
}

impl Blocks {
    pub fn new() -> Self {
        let class = |_| Class {
            slot_bytes: 0,
            free: ptr::null_mut(),
            blocks: Vec::new(),
            current: ptr::null_mut(),
            unswept: 0,
        };
        Blocks {
            classes: Box::new(std::array::from_fn(class)),
            spare: Vec::new(),
            most_spare: MOST_SPARE_BLOCKS,
            held_bytes: 0,
            fresh_bytes: 0,
            limit_bytes: usize::MAX,
            marked_bytes: 0,
            marked_cells: 0,
        }
    }

    /// Takes a slot for an object of `bytes` bytes (a multiple of 8); the
    /// tally times what is swept for it.
    #[inline(always)]
    pub fn take(&mut self, bytes: usize, tally: &mut impl Tally) -> NonNull<u8> {
        let (index, slot_bytes) = class_of(bytes);
        let class = &mut self.classes[index];
        let slot = match NonNull::new(class.free) {
            Some(slot) => slot,
            None => self.refill(index, slot_bytes, tally),
        };
        poison::reborn(slot.as_ptr(), slot_bytes);
        // SAFETY: K2, K3: a free slot of this size; its last word is the link.
        self.classes[index].free = unsafe { *link_of(slot.as_ptr(), slot_bytes) };
        slot
    }

    /// The head of the free list for objects of `bytes` bytes, whose class is
    /// exact; never null: the list is refilled first if it is empty.
    #[inline(always)]
    pub fn free_list(&mut self, bytes: usize, tally: &mut impl Tally) -> &mut *mut u8 {
        debug_assert!(has_exact_class(bytes));
        let (index, slot_bytes) = class_of(bytes);
        if self.classes[index].free.is_null() {
            self.refill(index, slot_bytes, tally);
        }
        &mut self.classes[index].free
    }

    /// Asks for a collection (through `fresh_bytes`) when more than this is held.
    pub fn set_limit(&mut self, limit_bytes: usize) {
        self.limit_bytes = limit_bytes;
    }

    /// Asks for a collection, since a limit was passed.
    pub fn alarm(&mut self) {
        self.fresh_bytes = self.fresh_bytes.max(ALARM_BYTES);
    }

    /// Keeps at least this much of empty blocks for the next allocation.
    pub fn set_spare(&mut self, spare_bytes: usize) {
        self.most_spare = spare_bytes.div_ceil(BLOCK_BYTES).max(MOST_SPARE_BLOCKS);
    }

    /// Sweeps on until there is a free slot, in a new block if need be. It is
    /// a pause if objects were looked at for that, whether or not any was dead.
    #[cold]
    #[inline(never)]
    fn refill(&mut self, index: usize, slot_bytes: usize, tally: &mut impl Tally) -> NonNull<u8> {
        let since = tally.stop();
        let mut swept = false;
        self.classes[index].slot_bytes = slot_bytes;
        loop {
            let class = &mut self.classes[index];
            if !class.current.is_null() {
                let sweep = tally.sweep_starts();
                // SAFETY: the block is this class's, and ours alone.
                let (free, more) = unsafe { sweep_piece(class.current, &mut class.free) };
                // A new block has no marks: there were no objects in it.
                // SAFETY: as above.
                if unsafe { (*class.current).marked } > 0 {
                    tally.sweep_ends(sweep);
                    swept = true;
                }
                if !more {
                    class.current = ptr::null_mut();
                }
                // The alarm must not wrap around.
                self.fresh_bytes = self.fresh_bytes.saturating_add(free * slot_bytes);
                if let Some(slot) = NonNull::new(class.free) {
                    if swept {
                        tally.resume(since);
                    }
                    return slot;
                }
            } else if class.unswept > 0 {
                class.unswept -= 1;
                class.current = class.blocks[class.unswept].as_ptr();
            } else {
                let block = self.new_block(slot_bytes);
                if self.held_bytes > self.limit_bytes {
                    self.alarm();
                }
                let class = &mut self.classes[index];
                class.blocks.push(block);
                class.current = block.as_ptr();
            }
        }
    }

    fn new_block(&mut self, slot_bytes: usize) -> NonNull<Block> {
        let layout_bytes = BLOCK_BYTES.max((HEADER_BYTES + slot_bytes).next_multiple_of(64));
        let slots =
            if layout_bytes > BLOCK_BYTES { 1 } else { (BLOCK_BYTES - HEADER_BYTES) / slot_bytes };
        let block = match self.spare.pop() {
            Some(block) if layout_bytes == BLOCK_BYTES => {
                // It was poisoned in slots of another size.
                poison::reborn(block.as_ptr().cast(), BLOCK_BYTES);
                block
            }
            other => {
                self.spare.extend(other);
                self.held_bytes += layout_bytes;
                let layout = block_layout(layout_bytes);
                // SAFETY: the size is not zero.
                let at = unsafe { alloc(layout) };
                NonNull::new(at.cast()).unwrap_or_else(|| handle_alloc_error(layout))
            }
        };
        // SAFETY: memory of at least a header's size, aligned to more than it needs.
        unsafe {
            block.write(Block {
                layout_bytes,
                slot_bytes,
                slots,
                marked: 0,
                swept: 0,
                marks: [0; BITMAP_WORDS],
                remembered: [0; BITMAP_WORDS],
            });
        }
        block
    }

    /// Forgets all marks: the start of a collection.
    pub fn clear_marks(&mut self) {
        for class in self.classes.iter_mut() {
            for block in &mut class.blocks {
                // SAFETY: the block is ours, and nobody else looks at its header.
                let block = unsafe { block.as_mut() };
                block.marks.fill(0);
                block.marked = 0;
            }
        }
        self.marked_bytes = 0;
        self.marked_cells = 0;
    }

    /// Fetches what `mark`, and then a visit, will look at.
    #[inline(always)]
    pub fn fetch(address: *mut u8) {
        let header = block_of(address).cast::<u64>();
        ahead::fetch(
            header.wrapping_byte_add(offset_of!(Block, marks)).wrapping_add(Block::bit(address).0),
        );
        ahead::fetch(address);
    }

    /// Marks an object; false if it was marked already.
    ///
    /// # Safety
    ///
    /// `address` is that of an object in these blocks.
    #[inline(always)]
    pub unsafe fn mark(&mut self, address: *mut u8) -> bool {
        // SAFETY: K1.
        let block = unsafe { &mut *block_of(address) };
        let (word, bit) = Block::bit(address);
        if block.marks[word] & bit != 0 {
            return false;
        }
        block.marks[word] |= bit;
        block.marked += 1;
        true
    }

    /// Ends a collection: what is unmarked is free.
    pub fn sweep(&mut self) {
        self.fresh_bytes = 0;
        for class in self.classes.iter_mut() {
            class.free = ptr::null_mut();
            class.current = ptr::null_mut();
            let mut kept = Vec::with_capacity(class.blocks.len());
            for mut at in class.blocks.drain(..) {
                // SAFETY: the block is ours, and its unmarked slots are free now.
                let block = unsafe {
                    poison_free_slots(at.as_ptr());
                    at.as_mut()
                };
                self.marked_cells += block.marked;
                self.marked_bytes += block.marked * block.slot_bytes;
                if block.marked > 0 {
                    block.swept = 0;
                    kept.push(at);
                } else if block.layout_bytes == BLOCK_BYTES && self.spare.len() < self.most_spare {
                    self.spare.push(at);
                } else {
                    self.held_bytes -= block.layout_bytes;
                    free_block(at);
                }
            }
            class.unswept = kept.len();
            class.blocks = kept;
        }
    }

    /// Bytes of memory held, headers and free slots included.
    pub fn held_bytes(&self) -> usize {
        self.held_bytes
    }
    /// Bytes that may have been allocated since the last sweep.
    #[inline(always)]
    pub fn fresh_bytes(&self) -> usize {
        self.fresh_bytes
    }
    /// Bytes of objects found live by the last collection.
    pub fn marked_bytes(&self) -> usize {
        self.marked_bytes
    }
    /// Objects found live by the last collection.
    pub fn marked_cells(&self) -> usize {
        self.marked_cells
    }

    /// Gives the spare blocks back to the platform.
    pub fn trim(&mut self) {
        for block in self.spare.drain(..) {
            self.held_bytes -= BLOCK_BYTES;
            free_block(block);
        }
    }

    /// Whether an object may lie at this address: a slot of a block of ours
    /// that is not known to be free. For checks only; slow.
    pub fn may_hold(&self, address: *mut u8) -> bool {
        let block = block_of(address);
        let Some(class) =
            self.classes.iter().find(|c| c.blocks.iter().any(|b| b.as_ptr() == block))
        else {
            return false;
        };
        // SAFETY: the block is in our list.
        let header = unsafe { &*block };
        let offset = (address as usize).wrapping_sub(slot(block, 0, 0) as usize);
        let index = offset / class.slot_bytes;
        offset.is_multiple_of(class.slot_bytes)
            && index < header.slots
            && (index < header.swept || header.is_marked(address))
    }

    /// Checks the free lists: slots of the class's own blocks, each once.
    pub fn validate(&self) -> Result<(), String> {
        for class in self.classes.iter() {
            let slots: usize = class.blocks.iter().map(|b| slots_of(*b)).sum();
            let mut free = class.free;
            let mut count = 0;
            while !free.is_null() {
                count += 1;
                if count > slots {
                    return Err(format!("free list of {} bytes is cyclic", class.slot_bytes));
                }
                if !self.may_hold(free) {
                    return Err(format!(
                        "free list of {} bytes leaves its blocks",
                        class.slot_bytes
                    ));
                }
                // SAFETY: the slot lies in a block of ours, as was just checked.
                if unsafe { (*block_of(free)).is_marked(free) } {
                    return Err(format!("a marked slot of {} bytes is free", class.slot_bytes));
                }
                poison::reborn(free, class.slot_bytes);
                // SAFETY: K2, K3, checked above.
                let next = unsafe { *link_of(free, class.slot_bytes) };
                // SAFETY: the slot is free.
                unsafe { poison::dead(free, class.slot_bytes - size_of::<usize>()) };
                free = next;
            }
        }
        Ok(())
    }
}

impl Old for Blocks {
    unsafe fn remember(&mut self, address: *mut u8) -> bool {
        // SAFETY: K1.
        let block = unsafe { &mut *block_of(address) };
        let (word, bit) = Block::bit(address);
        let new = block.remembered[word] & bit == 0;
        block.remembered[word] |= bit;
        new
    }
    unsafe fn forget(&mut self, address: *mut u8) {
        // SAFETY: K1.
        let block = unsafe { &mut *block_of(address) };
        let (word, bit) = Block::bit(address);
        block.remembered[word] &= !bit;
    }
}

impl Drop for Blocks {
    fn drop(&mut self) {
        for class in self.classes.iter_mut() {
            class.blocks.drain(..).for_each(free_block);
        }
        self.spare.drain(..).for_each(free_block);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tally::{Clocked, Off};

    #[test]
    fn slots_are_distinct_and_come_back() {
        let mut blocks = Blocks::new();
        let taken: Vec<_> = (0..10_000).map(|_| blocks.take(24, &mut Off)).collect();
        let distinct: std::collections::HashSet<_> = taken.iter().collect();
        assert_eq!(distinct.len(), taken.len());
        let held = blocks.held_bytes();
        blocks.clear_marks();
        for &slot in taken.iter().step_by(2) {
            // SAFETY: slots of these blocks.
            assert!(unsafe { blocks.mark(slot.as_ptr()) });
        }
        blocks.sweep();
        assert_eq!(blocks.marked_cells(), 5_000);
        let again: Vec<_> = (0..5_000).map(|_| blocks.take(24, &mut Off)).collect();
        assert_eq!(blocks.held_bytes(), held, "the free half is used again");
        assert!(again.iter().all(|slot| !taken.iter().step_by(2).any(|kept| kept == slot)));
        blocks.validate().unwrap();
    }

    #[test]
    fn sweeping_is_a_pause_though_nothing_is_dead() {
        let (mut blocks, mut clocked) = (Blocks::new(), Clocked::default());
        let taken: Vec<_> = (0..10_000).map(|_| blocks.take(24, &mut clocked)).collect();
        let count = |clocked: &mut Clocked| clocked.pauses().map(|all| all.summary(1).count);
        assert_eq!(count(&mut clocked), Some(0), "new blocks have nothing to sweep");
        blocks.clear_marks();
        for slot in &taken {
            // SAFETY: taken above.
            assert!(unsafe { blocks.mark(slot.as_ptr()) });
        }
        blocks.sweep();
        blocks.take(24, &mut clocked);
        assert_eq!(count(&mut clocked), Some(1), "all blocks are looked through");
    }

    #[test]
    fn an_object_larger_than_a_block_has_its_own() {
        let mut blocks = Blocks::new();
        let large = blocks.take(1 << 20, &mut Off);
        assert!(blocks.may_hold(large.as_ptr()));
        assert!(blocks.held_bytes() > 1 << 20);
        blocks.clear_marks();
        blocks.sweep();
        blocks.trim();
        assert_eq!(blocks.held_bytes(), 0);
    }
}
