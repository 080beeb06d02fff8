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
    #[inline(always)]
    fn bits(&self, at: *mut u8) -> (*mut Bits, u64) {
        let offset = at.addr() & (self.align_bytes - 1);
        let bits = self.slab_of(at).wrapping_add(1).cast::<Bits>();
        let place = offset / SLOT_ALIGN_BYTES;
        (bits.wrapping_add(place / 64), 1 << (place % 64))
    }

    #[inline(always)]
    fn slab_of(&self, at: *mut u8) -> *mut Slab {
        at.map_addr(|at| at & !(self.align_bytes - 1)).cast()
    }

    /// Marks a slot; false if it was marked.
    ///
    /// # Safety
    ///
    /// `at` is a slot of these slabs.
    #[inline(always)]
    pub unsafe fn mark(&mut self, at: *mut u8) -> bool {
        let (bits, bit) = self.bits(at);
        // SAFETY: by contract and H1; nobody else looks at the bits.
        let marked = unsafe { &mut (*bits).marked };
        let new = *marked & bit == 0;
        *marked |= bit;
        new
    }

    /// Whether a slot is marked.
    ///
    /// # Safety
    ///
    /// `at` is a slot of these slabs.
    #[inline(always)]
    pub unsafe fn is_marked(&self, at: *mut u8) -> bool {
        let (bits, bit) = self.bits(at);
        // SAFETY: by contract and H1.
        unsafe { (*bits).marked & bit != 0 }
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

    /// Whether a slot of this size lies at an address, which may be any. For
    /// checks only; slow.
    pub fn holds(&self, at: *mut u8, slot_bytes: usize) -> bool {
        let place = self.slabs.iter().position(|slab| slab.as_ptr() == self.slab_of(at));
        place.is_some_and(|place| self.number(place, at, slot_bytes).is_some())
    }

    /// The number of a slot among those of a slab, if it is one.
    fn number(&self, place: usize, at: *mut u8, slot_bytes: usize) -> Option<usize> {
        // SAFETY: a slab of ours.
        let slab = unsafe { self.slabs[place].as_ref() };
        let first = self.slabs[place].as_ptr().addr() + header_bytes(slab.words);
        let inside = at.addr().checked_sub(first)?;
        let is_slot = slab.slot_bytes == slot_bytes && inside.is_multiple_of(slot_bytes);
        Some(inside / slot_bytes).filter(|&number| is_slot && number < slab.slots)
    }

    /// Checks that these are all slots with their sizes, each of them once.
    pub fn validate(&self, slots: impl Iterator<Item = (*mut u8, usize)>) -> Result<(), String> {
        // SAFETY: slabs of ours.
        let unseen = self.slabs.iter().map(|slab| vec![false; unsafe { slab.as_ref() }.slots]);
        let mut seen: Vec<_> = unseen.collect();
        let mut place = 0;
        for (at, slot_bytes) in slots {
            let slab = self.slab_of(at);
            if self.slabs.get(place).is_none_or(|own| own.as_ptr() != slab) {
                let found = self.slabs.iter().position(|own| own.as_ptr() == slab);
                place = found.ok_or_else(|| format!("{at:p} lies in no slab"))?;
            }
            match self.number(place, at, slot_bytes) {
                Some(number) if !seen[place][number] => seen[place][number] = true,
                Some(_) => return Err(format!("{at:p} is listed twice")),
                None => return Err(format!("{at:p} is no slot of {slot_bytes} bytes")),
            }
        }
        match seen.iter().flatten().all(|&seen| seen) {
            true => Ok(()),
            false => Err("a slot is not listed".into()),
        }
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
        let (bits, bit) = self.bits(at);
        // SAFETY: by contract and H1; nobody else looks at the bits.
        let remembered = unsafe { &mut (*bits).remembered };
        let new = *remembered & bit == 0;
        *remembered |= bit;
        new
    }
    unsafe fn forget(&mut self, at: *mut u8) {
        let (bits, bit) = self.bits(at);
        // SAFETY: by contract and H1; nobody else looks at the bits.
        unsafe { (*bits).remembered &= !bit };
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
