//! One region of granules: memory aligned to a power of two, with a mark bitmap
//! at its start.
//!
//! Invariants:
//!
//! - R1. The memory at `base` was allocated with `layout` and is this region's
//!   alone. It starts with the bitmap, which is initialised, and is all of it
//!   that is read or written through the region.

use super::bit_runs::{self, WORD_BITS};
use super::bump::{Bump, LEAST_ADDRESS};
use super::poison;
use std::alloc::{Layout, alloc, dealloc, handle_alloc_error};
use std::ops::Range;
use std::ptr::NonNull;

/// What one bit stands for; every object starts at a multiple of it.
pub const GRANULE_BYTES: usize = 16;

/// The granules that the bitmap of a region takes.
pub const fn own_granules(region_bytes: usize) -> usize {
    let bitmap_bytes = region_bytes / GRANULE_BYTES / 8;
    // Whole cache lines.
    bitmap_bytes.next_multiple_of(64) / GRANULE_BYTES
}

/// A region. Its bitmap covers as many bytes as it is aligned to.
pub struct Region {
    base: NonNull<u8>,
    layout: Layout,
    /// Nothing in it was marked by the last collection, or handed out since.
    pub empty: bool,
}

impl Region {
    /// A region of `region_bytes` that holds `bytes` bytes, the bitmap included.
    pub fn new(region_bytes: usize, bytes: usize) -> Self {
        let layout = Layout::from_size_align(bytes.max(region_bytes), region_bytes)
            .expect("a region fits the address space");
        // SAFETY: the size is not zero.
        let Some(base) = NonNull::new(unsafe { alloc(layout) }) else { handle_alloc_error(layout) };
        assert!(base.addr().get() >= LEAST_ADDRESS, "the platform maps the lowest addresses");
        // SAFETY: R1: the memory is new, and large enough for its bitmap.
        unsafe { base.cast::<u64>().write_bytes(0, region_bytes / GRANULE_BYTES / WORD_BITS) };
        let mut region = Region { base, layout, empty: true };
        region.clear_marks();
        // SAFETY: no object lies in it yet.
        unsafe { region.poison_free() };
        region
    }

    /// Its memory, the bitmap included.
    pub fn bytes(&self) -> usize {
        self.layout.size()
    }
    /// Its first address.
    pub fn base(&self) -> *mut u8 {
        self.base.as_ptr()
    }
    /// The granules that are not the bitmap's own, and have bits.
    pub fn granules(&self) -> Range<usize> {
        own_granules(self.layout.align())..self.words().len() * WORD_BITS
    }
    /// The memory of some granules.
    pub fn span(&self, granules: Range<usize>) -> Bump {
        let at = |granule| self.base().wrapping_add(granule * GRANULE_BYTES);
        Bump { top: at(granules.start), end: at(granules.end) }
    }
    /// The granules of some memory in it.
    pub fn granules_of(&self, span: Bump) -> Range<usize> {
        let granule = |at: *mut u8| (at.addr() - self.base.addr().get()) / GRANULE_BYTES;
        granule(span.top)..granule(span.end)
    }

    /// The bitmap.
    pub fn words(&self) -> &[u64] {
        let words = self.layout.align() / GRANULE_BYTES / WORD_BITS;
        // SAFETY: R1.
        unsafe { std::slice::from_raw_parts(self.base().cast(), words) }
    }
    /// The bitmap.
    pub fn words_mut(&mut self) -> &mut [u64] {
        let words = self.layout.align() / GRANULE_BYTES / WORD_BITS;
        // SAFETY: R1.
        unsafe { std::slice::from_raw_parts_mut(self.base().cast(), words) }
    }
    /// Clears all bits but the bitmap's own.
    pub fn clear_marks(&mut self) {
        let own = own_granules(self.layout.align());
        self.words_mut().fill(0);
        bit_runs::set(self.words_mut(), 0..own);
    }
    /// The first granule that is marked.
    pub fn first_marked(&self) -> Option<usize> {
        bit_runs::next_set(self.words(), self.granules().start)
    }
    /// How many granules are marked. For checks only.
    pub fn marked(&self) -> usize {
        bit_runs::count(self.words(), self.granules())
    }

    /// Poisons what is unmarked, in builds that poison.
    ///
    /// # Safety
    ///
    /// It holds no object that is used again.
    pub unsafe fn poison_free(&self) {
        if cfg!(any(debug_assertions, heap_asan)) {
            let mut from = 0;
            while let Some(run) = bit_runs::next_clear_run(self.words(), from) {
                from = run.end;
                let Bump { top, end } = self.span(run);
                poison::reborn(top, end.addr() - top.addr());
                // SAFETY: by contract.
                unsafe { poison::dead(top, end.addr() - top.addr()) };
            }
        }
    }

    /// Checks the bitmap's own bits.
    pub fn validate(&self) -> Result<(), String> {
        let own = self.granules().start;
        if bit_runs::count(self.words(), 0..own) != own {
            return Err("the memory of a bitmap is free".into());
        }
        match self.empty && self.marked() > 0 {
            true => Err("a region with marks counts as empty".into()),
            false => Ok(()),
        }
    }
    /// Checks that a run lies in the region, and that its bits are `set` or clear.
    pub fn validate_run(&self, run: Bump, set: bool) -> Result<(), String> {
        let room = self.span(self.granules());
        if run.top < room.top || run.end > room.end || !run.top.addr().is_multiple_of(GRANULE_BYTES)
        {
            return Err("a run in use is not of its region's granules".into());
        }
        let granules = self.granules_of(run);
        let bits = bit_runs::count(self.words(), granules.clone());
        match bits == if set { granules.len() } else { 0 } {
            true => Ok(()),
            false => Err(format!("{bits} of {} granules of a run are set", granules.len())),
        }
    }
}

impl Drop for Region {
    fn drop(&mut self) {
        poison::reborn(self.base(), self.bytes());
        // SAFETY: R1: allocated in `new` with this layout.
        unsafe { dealloc(self.base(), self.layout) };
    }
}
