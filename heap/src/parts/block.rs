//! One block of equal slots: its header, its bitmaps, its sweep.
//!
//! The invariants K1-K4 are those of `blocks.rs`.

use super::poison;
use std::alloc::{Layout, dealloc};
use std::ptr::NonNull;

/// Size of a block of small slots, and alignment of all.
pub const BLOCK_BYTES: usize = 64 << 10;
/// Memory that one bit of a bitmap stands for.
pub const GRANULE_BYTES: usize = 8;
pub const BITMAP_WORDS: usize = BLOCK_BYTES / GRANULE_BYTES / 64;

/// A block's header, at its start.
#[repr(C)]
pub struct Block {
    pub layout_bytes: usize,
    pub slot_bytes: usize,
    pub slots: usize,
    /// Objects marked since the marks were cleared.
    pub marked: usize,
    /// Slots from this index on wait for their sweep.
    pub swept: usize,
    pub marks: [u64; BITMAP_WORDS],
    pub remembered: [u64; BITMAP_WORDS],
}

/// Where the slots start.
pub const HEADER_BYTES: usize = size_of::<Block>().next_multiple_of(64);

impl Block {
    /// The word and the bit of an object in the bitmaps.
    #[inline(always)]
    pub fn bit(address: *mut u8) -> (usize, u64) {
        let granule = (address as usize % BLOCK_BYTES) / GRANULE_BYTES;
        (granule / 64, 1 << (granule % 64))
    }
    pub fn is_marked(&self, address: *mut u8) -> bool {
        let (word, bit) = Block::bit(address);
        self.marks[word] & bit != 0
    }
}

/// The header of the block that holds an object.
#[inline(always)]
pub fn block_of(address: *mut u8) -> *mut Block {
    address.map_addr(|a| a & !(BLOCK_BYTES - 1)).cast()
}

/// A slot of a block, by index.
pub fn slot(block: *mut Block, index: usize, slot_bytes: usize) -> *mut u8 {
    // SAFETY: K1; callers pass an index below the block's slot count.
    unsafe { block.cast::<u8>().add(HEADER_BYTES + index * slot_bytes) }
}

/// The place of the free-list link in a free slot: its last word.
#[inline(always)]
pub fn link_of(slot: *mut u8, slot_bytes: usize) -> *mut *mut u8 {
    // SAFETY: a slot has at least one word.
    unsafe { slot.add(slot_bytes - size_of::<usize>()).cast() }
}

/// How much of a block is swept at once.
pub const SWEEP_BYTES: usize = 4 << 10;

/// How many slots a block has.
pub fn slots_of(block: NonNull<Block>) -> usize {
    // SAFETY: called with blocks of a live `Blocks` only.
    unsafe { block.as_ref() }.slots
}

/// How a block of this many bytes was allocated.
pub fn block_layout(layout_bytes: usize) -> Layout {
    Layout::from_size_align(layout_bytes, BLOCK_BYTES).expect("a block fits the address space")
}

/// Gives a block back to the platform.
pub fn free_block(block: NonNull<Block>) {
    // SAFETY: allocated in `new_block` with this layout; its list gave it up.
    unsafe {
        let bytes = block.as_ref().layout_bytes;
        poison::reborn(block.as_ptr().cast(), bytes);
        dealloc(block.as_ptr().cast(), block_layout(bytes));
    }
}

/// Poisons unmarked slots, in builds that poison, without waiting for the sweep.
///
/// # Safety
///
/// The unmarked slots of the block are free (K2).
pub unsafe fn poison_free_slots(block: *mut Block) {
    if cfg!(any(debug_assertions, heap_asan)) {
        // SAFETY: by contract.
        unsafe {
            for index in 0..(*block).slots {
                let at = slot(block, index, (*block).slot_bytes);
                if !(*block).is_marked(at) {
                    poison::reborn(at, (*block).slot_bytes);
                    poison::dead(at, (*block).slot_bytes);
                }
            }
        }
    }
}

/// Puts the unmarked slots of the next piece of a block on a free list, which
/// is empty, in address order; returns how many, and whether more pieces wait.
///
/// # Safety
///
/// The block belongs to the list's class and is not swept yet (K2).
pub unsafe fn sweep_piece(block: *mut Block, free: &mut *mut u8) -> (usize, bool) {
    // SAFETY: by contract.
    let header = unsafe { &mut *block };
    let slot_bytes = header.slot_bytes;
    let first = header.swept;
    let end = header.slots.min(first + (SWEEP_BYTES / slot_bytes).max(1));
    header.swept = end;
    let more = end < header.slots;
    let low = Block::bit(slot(block, first, slot_bytes)).0;
    let high = Block::bit(slot(block, end - 1, slot_bytes)).0;
    let all_free = header.marks[low..=high].iter().all(|&word| word == 0);
    let mut list = *free;
    let mut count = 0;
    let mut at = slot(block, end, slot_bytes);
    for _ in first..end {
        at = at.wrapping_sub(slot_bytes);
        if all_free || !header.is_marked(at) {
            // SAFETY: K2: an unmarked slot that waits is free; K4.
            unsafe {
                poison::reborn(at, slot_bytes);
                poison::dead(at, slot_bytes - size_of::<usize>());
                *link_of(at, slot_bytes) = list;
            }
            list = at;
            count += 1;
        }
    }
    *free = list;
    (count, more)
}
