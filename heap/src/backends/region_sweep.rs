//! `region-sweep`: a region whose scopes only clear mark bits; sweeps over the
//! allocated list return unmarked cells to the free lists.
//!
//! Each allocation is appended, marked, to the allocated list. A scope that
//! closes clears the marks of its cells; after enough allocation a sweep walks
//! the list, frees what is unmarked and closes the gaps. It models a collector
//! on a region with the marking done by the program's scopes ("region 12").
//!
//! Object: its fields, no header, in slots of multiples of 16 bytes; 16 bytes
//! for a cell, one word in the allocated list until it is swept (its mark is
//! the word's lowest bit), and one index in the open scopes' log while it lives.
//! Allocate: one link read, two words written. Read: one load. Share and
//! release: nothing. Scope: one word saved. Closing: one bit cleared per cell.
//! Sweep: time in the cells allocated since the last one, and the live ones.
//! Memory returns to the free lists at a sweep, to the platform when the heap
//! ends or after an error.
//! Cannot: know by itself what is unreachable; after a mutation, free what was
//! allocated before it (the write may have let it escape) until the run ends.
//!
//! Invariants:
//!
//! - P1. `allocated` lists each slot that was handed out and not swept, once. A
//!   reference leads to one of them, or to an immortal object (A4).
//! - P2. `open` has the index in `allocated` of each marked cell, in order: what
//!   open scopes allocated, and what is pinned. It is cut when a scope closes,
//!   so that no cell is looked at by two scopes.
//! - P3. Closing a scope clears the marks of what was allocated since it
//!   opened and is not pinned; nothing refers to it (see `heap.rs`, point 3).
//! - P4. The region has less than 2^32 slots (64 GiB), so an index is 32 bits.
//!
//! Papers: McCarthy, "Recursive functions of symbolic expressions", CACM 1960
//! (the sweep).

use crate::Settings;
use crate::heap::{Backend, Family, Heap, Program};
use crate::immortals::Immortals;
use crate::info::{APPEND, Info, Kind, Param, Unit};
use crate::machine::{self, Runtime};
use crate::object::{Chain, Item, Link, Object};
use crate::parts::address::Ptr;
use crate::parts::bump::object_bytes;
use crate::parts::chain;
use crate::parts::log::{Log, slot_bytes, word_of, words_of};
use crate::parts::region::{self as slots, Notes, Recycling};
use crate::parts::room::room_bytes;
use crate::parts::uncounted::Uncounted;
use crate::parts::verify::{self, Checked};
use crate::pauses::Pauses;
use crate::tally::{Event, HeapError, Stats, Tally};
use std::ptr::NonNull;

/// A region with mark bits and sweeps.
pub struct RegionSweep;

impl Backend for RegionSweep {
    const INFO: Info = Info {
        name: "region-sweep",
        kind: Kind::Region,
        about: "the same region; a closed scope only clears mark bits, sweeps free the cells",
        returns: "at a sweep, after enough allocation",
        moves: false,
        cycles: true,
        generational: false,
        reclaims: true,
        problem_specific: false,
        header_bytes: 0,
        cell_bytes: 16,
        params: &[
            APPEND,
            Param {
                name: "trigger",
                unit: Unit::Bytes(16, 1 << 40),
                default: "1MiB",
                about: "allocation that triggers a sweep (or as much as lives, if more)",
            },
            Param {
                name: "chunk",
                unit: Unit::Bytes(1 << 10, 1 << 30),
                default: "64KiB",
                about: "memory taken from the platform at once",
            },
        ],
    };
    type Heap<T: Tally> = RegionSweepHeap<T>;
}

/// The heap of [`RegionSweep`].
pub struct RegionSweepHeap<T> {
    region: slots::Region,
    allocated: Log,
    open: Vec<u32>,
    /// Cells whose index has a smaller place in `open` stay until the run ends.
    pinned: usize,
    fresh_bytes: usize,
    /// A sweep is due when this much was allocated since the last one.
    sweep_at_bytes: usize,
    trigger_bytes: usize,
    limit_bytes: usize,
    speculate: bool,
    zeal: bool,
    live_peak_bytes: usize,
    heap_peak_bytes: usize,
    tally: T,
}

/// The ends of `allocated` and `open`.
#[derive(Clone, Copy)]
pub struct Ends {
    allocated: *mut *mut u8,
    open: *mut u32,
    index: u32,
}

impl Notes for Ends {
    #[inline(always)]
    unsafe fn write(self, number: usize, at: *mut u8, slot_bytes: usize) {
        // SAFETY: by contract.
        unsafe {
            self.allocated.add(number).write(word_of(at, slot_bytes));
            self.open.add(number).write(self.index + number as u32);
        }
    }
}

impl<T: Tally> RegionSweepHeap<T> {
    /// Clears the marks of the cells from a place in `open` on.
    #[inline(always)]
    fn unmark_from(&mut self, start: usize) {
        let since = self.tally.stop();
        let cells = self.open.len() - start;
        for &index in &self.open[start..] {
            // SAFETY: P2.
            unsafe { self.allocated.unmark(index as usize) };
        }
        self.open.truncate(start);
        // It frees nothing yet, but takes time in what it gives up, as `region` does.
        if cells > 1 {
            self.tally.resume(since);
        }
    }

    /// Frees what is unmarked; the rest keeps its order.
    #[cold]
    #[inline(never)]
    fn sweep(&mut self) {
        self.tally.add(Event::CollectedMajor, 1);
        let since = self.tally.sweep_starts();
        let mut place = 0;
        let dead = self.allocated.sweep(|index| {
            self.open[place] = index as u32;
            place += 1;
        });
        // SAFETY: P1; P3: nothing refers to an unmarked cell.
        let swept = unsafe { self.region.give_back(dead) };
        debug_assert_eq!(place, self.open.len(), "P2");
        self.tally.add(Event::Swept, swept);
        self.tally.add(Event::Freed, swept);
        let live_bytes = self.allocated.sum().1;
        self.live_peak_bytes = self.live_peak_bytes.max(live_bytes);
        self.plan(live_bytes);
        self.tally.sweep_ends(since);
    }

    /// Says when the next sweep is due.
    fn plan(&mut self, live_bytes: usize) {
        self.fresh_bytes = 0;
        // As much as lives, so that the time in sweeps grows with allocation.
        let used_bytes = live_bytes + self.logs_bytes();
        let due_bytes = self.trigger_bytes.max(live_bytes);
        let due_bytes = due_bytes.min(room_bytes(self.limit_bytes, used_bytes));
        self.sweep_at_bytes = if self.zeal { 0 } else { due_bytes };
    }

    #[cold]
    #[inline(never)]
    fn take_grown(&mut self, slot_bytes: usize) -> NonNull<u8> {
        self.grow(slot_bytes);
        self.region.take(slot_bytes).expect("a new chunk has a free slot")
    }

    fn logs_bytes(&self) -> usize {
        self.allocated.held_bytes() + self.open.capacity() * size_of::<u32>()
    }

    fn held_bytes(&self) -> usize {
        self.region.held_bytes() + self.logs_bytes()
    }
}

// SAFETY: P1: a slot is handed out once until a sweep frees it, unmarked (P3).
unsafe impl<T: Tally> Uncounted for RegionSweepHeap<T> {
    type Mark = usize;

    #[inline(always)]
    fn mark(&self) -> usize {
        self.open.len()
    }

    #[inline(always)]
    fn take<F: Family>(&mut self, bytes: usize) -> NonNull<u8> {
        let bytes = slot_bytes(bytes);
        let at = match self.region.take(bytes) {
            Some(at) => at,
            None => self.take_grown(bytes),
        };
        self.tally.add(Event::Allocated, 1);
        self.fresh_bytes += bytes;
        // SAFETY: F2, for `open` too, which needs a word less for large slots.
        unsafe {
            let end = self.open.len();
            self.open.as_mut_ptr().add(end).write(self.allocated.len() as u32);
            self.open.set_len(end + 1);
            self.allocated.push_within_capacity(at, bytes);
        }
        at
    }
    #[inline(always)]
    fn is_immortal(&self, at: NonNull<u8>) -> bool {
        self.tally.is_immortal(at.as_ptr())
    }
    /// The write may let any cell escape its scope: all stay (P3).
    fn write_barrier<F: Family>(&mut self, _: NonNull<u8>) {
        self.tally.add(Event::Remembered, 1);
        self.pinned = self.open.len();
    }
    #[inline(always)]
    fn filter_chain<'gc, D: Item>(
        &mut self,
        chain: Option<&Ptr<Chain<D>>>,
        keep: impl FnMut(D) -> bool,
    ) -> Link<'gc, Self, Chain<D>> {
        if self.speculate {
            slots::filter_free_list(self, chain, keep)
        } else {
            chain::filter_borrowed(self, chain, keep)
        }
    }
}

impl<T: Tally> Recycling for RegionSweepHeap<T> {
    type Notes = Ends;

    #[inline(always)]
    fn region(&mut self) -> &mut slots::Region {
        &mut self.region
    }
    fn grow(&mut self, slot_bytes: usize) {
        let words = self.region.grow(slot_bytes, self.logs_bytes());
        assert!(words <= u32::MAX as usize, "P4");
        self.allocated.reserve_words(words);
        self.open.reserve(words - self.open.len());
        self.heap_peak_bytes = self.heap_peak_bytes.max(self.held_bytes());
        if self.held_bytes() > self.limit_bytes {
            self.sweep_at_bytes = 0;
        }
    }
    #[inline(always)]
    fn notes(&mut self) -> Ends {
        // SAFETY: the end of the vector's memory in use.
        let open = unsafe { self.open.as_mut_ptr().add(self.open.len()) };
        Ends { allocated: self.allocated.room().start, open, index: self.allocated.len() as u32 }
    }
    #[inline(always)]
    unsafe fn noted(&mut self, cells: usize, slot_bytes: usize) {
        self.tally.add(Event::Allocated, cells as u64);
        self.fresh_bytes += cells * slot_bytes;
        debug_assert_eq!(words_of(slot_bytes), 1);
        // SAFETY: by contract.
        unsafe {
            self.allocated.advance(cells);
            self.open.set_len(self.open.len() + cells);
        }
    }
}

impl<'gc, T: Tally> Checked<'gc> for RegionSweepHeap<T> {
    fn check<F: Family>(&self, at: &Ptr<F>, _seen: usize) -> Result<(), String> {
        let bytes = slot_bytes(object_bytes::<F::Of<'gc, Self>>());
        if self.allocated.marks(at.address(), bytes) {
            Ok(())
        } else {
            Err("a reference leads to a cell that is not marked".into())
        }
    }
}

impl<'gc, T: Tally> Runtime<'gc> for RegionSweepHeap<T> {
    #[inline(always)]
    fn close(&mut self, mark: usize) {
        self.tally.add(Event::Scoped, 1);
        self.unmark_from(mark.max(self.pinned));
    }
    #[inline(always)]
    fn poll(&self) -> bool {
        self.fresh_bytes >= self.sweep_at_bytes
    }
    fn safepoint(&mut self, roots: &mut impl Object<'gc, Self>) -> Result<(), HeapError> {
        let since = self.tally.stop();
        self.sweep();
        self.tally.resume(since);
        if self.zeal {
            verify::insist(self, roots);
        }
        self.region.check(self.logs_bytes(), &self.allocated)
    }
    fn abandon(&mut self, _: &mut impl Object<'gc, Self>) {}
}

impl<T: Tally> Heap for RegionSweepHeap<T> {
    fn new(settings: &Settings) -> Self {
        let mut heap = RegionSweepHeap {
            region: slots::Region::new(settings.bytes("chunk"), settings.limit_bytes),
            allocated: Log::default(),
            open: Vec::new(),
            pinned: 0,
            fresh_bytes: 0,
            sweep_at_bytes: 0,
            trigger_bytes: settings.bytes("trigger"),
            limit_bytes: settings.limit_bytes,
            speculate: settings.is("append", "speculate"),
            zeal: settings.zealous(),
            live_peak_bytes: 0,
            heap_peak_bytes: 0,
            tally: T::new(settings),
        };
        heap.plan(0);
        heap
    }
    fn run<P: Program>(&mut self, program: &P) -> Result<P::Out, HeapError> {
        let out = machine::drive(self, program);
        if std::mem::take(&mut self.pinned) > 0 {
            self.unmark_from(0);
        }
        if out.is_err() && self.open.is_empty() {
            self.sweep();
            self.region.clear();
            (self.allocated, self.open) = (Log::default(), Vec::new());
            self.sweep();
        }
        out
    }
    fn settle(&mut self) {
        self.sweep();
    }
    fn stats(&self) -> Stats {
        let (live_cells, live_bytes) = self.allocated.sum();
        Stats {
            live_cells: live_cells as u64,
            live_bytes,
            live_peak_bytes: self.live_peak_bytes,
            heap_peak_bytes: self.heap_peak_bytes,
            ..Stats::counted(&self.tally)
        }
    }
    fn pauses(&mut self) -> Option<&mut Pauses> {
        self.tally.pauses()
    }
    fn immortals(&self) -> Option<&Immortals> {
        self.tally.immortals()
    }
    fn validate(&self) -> Result<(), String> {
        if !self.open.is_sorted() || self.open.len() > self.allocated.len() {
            return Err("the log of open scopes is out of order".into());
        }
        self.region.validate(self.allocated.sum().0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parts::trial_scopes::trial;

    #[test]
    fn scopes_pins_zeal_and_limits() {
        trial::<RegionSweep>(|_| 0);
    }
}
