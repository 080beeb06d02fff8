//! Slabs: chunks of equal slots, with two bits for each slot (marked,
//! remembered) that are found from its address.
//!
//! A slab starts at a multiple of its heap's alignment, with a header and the
//! bits; 1.6 % of its memory. A slot too large for a slab has one of its own.
//!
//! Invariants:
//!
//! - H1. A slot starts within the alignment's bytes from its slab's start, at a
//!   multiple of 16; its bits are bit `offset / 16` of the slab's two bitmaps,
//!   whose words alternate.
//! - H2. A slab is freed only when its `Slabs` says so, when no object in it is
//!   referred to.

use super::log::SLOT_ALIGN_BYTES;
use super::poison;
use super::remembered::Old;
use std::alloc::{Layout, alloc, dealloc, handle_alloc_error};
use std::ptr::NonNull;

/// A slab's header. The bitmaps follow it.
#[repr(C)]
struct Slab {
    layout: Layout,
    slot_bytes: usize,
    slots: usize,
    words: usize,
}

/// A word of each bitmap.
#[derive(Clone, Copy)]
#[repr(C)]
struct Bits {
    marked: u64,
    remembered: u64,
}

/// Memory that a word of each bitmap stands for.
const WORD_SPAN_BYTES: usize = 64 * SLOT_ALIGN_BYTES;

/// Bytes before the first slot, with so many words in each bitmap.
const fn header_bytes(words: usize) -> usize {
    (size_of::<Slab>() + words * size_of::<Bits>()).next_multiple_of(64)
}

/// The slabs of a heap.
pub struct Slabs {
    slabs: Vec<NonNull<Slab>>,
    slab_bytes: usize,
    align_bytes: usize,
    held_bytes: usize,
}

impl Slabs {
    /// None yet; they will be of `slab_bytes`, or less near a limit.
    pub fn new(slab_bytes: usize) -> Self {
        let align_bytes = slab_bytes.max(WORD_SPAN_BYTES).next_power_of_two();
        Slabs { slabs: Vec::new(), slab_bytes, align_bytes, held_bytes: 0 }
    }

    /// Adds a slab, of at most `most_bytes` if more than a slot fits in so
    /// many: its slots, in address order.
    pub fn grow(
        &mut self,
        slot_bytes: usize,
        most_bytes: usize,
    ) -> impl ExactSizeIterator<Item = *mut u8> + use<> {
        let bytes = self.slab_bytes.min(most_bytes);
        let words = bytes.div_ceil(WORD_SPAN_BYTES).max(1);
        let header_bytes = header_bytes(words);
        let slots = (bytes.saturating_sub(header_bytes) / slot_bytes).max(1);
        let bytes = header_bytes + slots * slot_bytes;
        let layout = Layout::from_size_align(bytes, self.align_bytes);
        let layout = layout.expect("a slab fits the address space");
        // SAFETY: the size is not zero.
        let base = unsafe { alloc(layout) };
        let Some(slab) = NonNull::new(base.cast::<Slab>()) else { handle_alloc_error(layout) };
        // SAFETY: memory of a header's size, aligned to more than it needs.
        unsafe { slab.write(Slab { layout, slot_bytes, slots, words }) };
        clear_bits(slab);
        self.slabs.push(slab);
        self.held_bytes += bytes;
        (0..slots).map(move |slot| {
            let at = base.wrapping_add(header_bytes + slot * slot_bytes);
            // SAFETY: a slot of the new slab.
            unsafe { poison::dead(at, slot_bytes) };
            at
        })
    }

    /// The place of a slot's bits, and which they are.
    ///
    /// # Safety
    ///
    /// `at` is a slot of these slabs.
    #[inline(always)]
    unsafe fn bits(&mut self, at: *mut u8) -> (&mut Bits, u64) {
        let offset = at.addr() & (self.align_bytes - 1);
        let slab = at.map_addr(|at| at & !(self.align_bytes - 1)).cast::<Slab>();
        let place = offset / SLOT_ALIGN_BYTES;
        // SAFETY: H1; nobody else looks at the bits.
        (unsafe { &mut *slab.add(1).cast::<Bits>().add(place / 64) }, 1 << (place % 64))
    }

    /// Marks a slot; false if it was marked.
    ///
    /// # Safety
    ///
    /// `at` is a slot of these slabs.
    #[inline(always)]
    pub unsafe fn mark(&mut self, at: *mut u8) -> bool {
        // SAFETY: by contract.
        let (bits, bit) = unsafe { self.bits(at) };
        let new = bits.marked & bit == 0;
        bits.marked |= bit;
        new
    }

    /// Whether a slot is marked.
    ///
    /// # Safety
    ///
    /// `at` is a slot of these slabs.
    #[inline(always)]
    pub unsafe fn is_marked(&mut self, at: *mut u8) -> bool {
        // SAFETY: by contract.
        let (bits, bit) = unsafe { self.bits(at) };
        bits.marked & bit != 0
    }

    /// Clears all bits.
    pub fn clear_bits(&mut self) {
        self.slabs.iter().copied().for_each(clear_bits);
    }

    /// Bytes of memory held.
    pub fn held_bytes(&self) -> usize {
        self.held_bytes + self.slabs.capacity() * size_of::<NonNull<Slab>>()
    }

    /// Bytes of a slab, far from a limit.
    pub fn slab_bytes(&self) -> usize {
        self.slab_bytes
    }

    /// All slots with their sizes. For checks only.
    pub fn slots(&self) -> Vec<(*mut u8, usize)> {
        let mut all = Vec::new();
        for &slab in &self.slabs {
            // SAFETY: a slab of ours.
            let &Slab { slot_bytes, slots, words, .. } = unsafe { slab.as_ref() };
            let base = slab.as_ptr().cast::<u8>().wrapping_add(header_bytes(words));
            let slot = |number| (base.wrapping_add(number * slot_bytes), slot_bytes);
            all.extend((0..slots).map(slot));
        }
        all
    }

    /// How many bits of each kind are set. For checks only.
    pub fn set_bits(&self) -> (usize, usize) {
        let mut sum = (0, 0);
        for &slab in &self.slabs {
            // SAFETY: a slab of ours; its bitmaps follow its header (H1).
            let bits = unsafe {
                let start = slab.as_ptr().add(1).cast::<Bits>().cast_const();
                std::slice::from_raw_parts(start, slab.as_ref().words)
            };
            for bits in bits {
                sum.0 += bits.marked.count_ones() as usize;
                sum.1 += bits.remembered.count_ones() as usize;
            }
        }
        sum
    }
}

fn clear_bits(slab: NonNull<Slab>) {
    // SAFETY: called with slabs of a live `Slabs`, or a new one; H1.
    unsafe {
        let start = slab.as_ptr().add(1).cast::<Bits>();
        start.write_bytes(0, slab.as_ref().words);
    }
}

impl Old for Slabs {
    unsafe fn remember(&mut self, at: *mut u8) -> bool {
        // SAFETY: by contract.
        let (bits, bit) = unsafe { self.bits(at) };
        let new = bits.remembered & bit == 0;
        bits.remembered |= bit;
        new
    }
    unsafe fn forget(&mut self, at: *mut u8) {
        // SAFETY: by contract.
        let (bits, bit) = unsafe { self.bits(at) };
        bits.remembered &= !bit;
    }
}

impl Drop for Slabs {
    fn drop(&mut self) {
        for slab in self.slabs.drain(..) {
            // SAFETY: H2: allocated in `grow` with this layout.
            unsafe {
                let layout = slab.as_ref().layout;
                poison::reborn(slab.as_ptr().cast(), layout.size());
                dealloc(slab.as_ptr().cast(), layout);
            }
        }
    }
}
