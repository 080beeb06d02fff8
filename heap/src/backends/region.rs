//! `region`: a region with its own free lists; closing a scope frees its cells
//! into them, one by one, oldest first (FIFO order).
//!
//! Manual memory management without the platform's allocator: what malloc
//! itself costs is the difference to `malloc`.
//!
//! Object: its fields, no header, in slots of multiples of 16 bytes; 16 bytes
//! for a cell, and one word in the log while it lives.
//! Allocate: one link read, one word logged. Read: one load. Share and release:
//! nothing. Scope: one word saved. Closing: one link written per cell.
//! Memory returns to the free lists when a scope closes, to the platform when
//! the heap ends or after an error.
//! Cannot: free anything before its scope closes; after a mutation, free what
//! was allocated before it (the write may have let it escape) until the run
//! ends; use a free slot for another size.
//!
//! Invariants:
//!
//! - E1. The log lists each slot that was handed out and not freed, once. A
//!   reference leads to one of them, or to an immortal object (A4).
//! - E2. Closing a scope frees what was logged after its mark and not pinned
//!   by a mutation; nothing refers to it (see `heap.rs`, point 3).
//!
//! Papers: Ross, "The AED free storage package", CACM 1967 (zones); Weinstock
//! & Wulf, "Quick fit", SIGPLAN Notices 1988 (a free list per size).

use crate::Settings;
use crate::heap::{Backend, Family, Heap, Program};
use crate::immortals::Immortals;
use crate::info::{APPEND, Info, Kind, Param, Unit};
use crate::machine::{self, Runtime};
use crate::object::{Chain, Item, Link, Object};
use crate::parts::address::Ptr;
use crate::parts::bump::object_bytes;
use crate::parts::chain;
use crate::parts::log::{Log, slot_bytes, word_of};
use crate::parts::region::{self as slots, Notes, Recycling};
use crate::parts::uncounted::Uncounted;
use crate::parts::verify::{self, Checked};
use crate::pauses::Pauses;
use crate::tally::{Event, HeapError, Stats, Tally};
use std::ptr::NonNull;

/// A region with explicit frees.
pub struct Region;

impl Backend for Region {
    const INFO: Info = Info {
        name: "region",
        kind: Kind::Region,
        about: "a region with its own free lists; the cells of a closed scope are freed into them",
        returns: "when a scope closes",
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
                name: "chunk",
                unit: Unit::Bytes(1 << 10, 1 << 30),
                default: "64KiB",
                about: "memory taken from the platform at once",
            },
        ],
    };
    type Heap<T: Tally> = RegionHeap<T>;
}

/// The heap of [`Region`].
pub struct RegionHeap<T> {
    region: slots::Region,
    log: Log,
    /// Cells with a smaller index stay until the run ends.
    pinned: usize,
    /// The region grew, so the limit must be checked.
    grown: bool,
    speculate: bool,
    zeal: bool,
    /// Live bytes, in the counted instance.
    live_bytes: usize,
    live_peak_bytes: usize,
    heap_peak_bytes: usize,
    tally: T,
}

/// The end of the log.
#[derive(Clone, Copy)]
pub struct End(*mut *mut u8);

impl Notes for End {
    #[inline(always)]
    unsafe fn write(self, number: usize, at: *mut u8, slot_bytes: usize) {
        // SAFETY: by contract.
        unsafe { self.0.add(number).write(word_of(at, slot_bytes)) }
    }
}

impl<T: Tally> RegionHeap<T> {
    #[inline(always)]
    fn free_from(&mut self, start: usize) {
        let since = self.tally.stop();
        if T::ON {
            self.live_bytes -= self.log.from(start).map(|(_, bytes)| bytes).sum::<usize>();
        }
        // SAFETY: E1, E2.
        let freed = unsafe { self.region.give_back(self.log.from(start)) };
        self.tally.add(Event::Freed, freed);
        self.log.truncate(start);
        self.tally.released(since);
    }

    /// Counts cells that were handed out.
    #[inline(always)]
    fn count(&mut self, cells: usize, slot_bytes: usize) {
        if T::ON {
            self.tally.add(Event::Allocated, cells as u64);
            self.live_bytes += cells * slot_bytes;
            self.live_peak_bytes = self.live_peak_bytes.max(self.live_bytes);
        }
    }

    #[cold]
    #[inline(never)]
    fn take_grown(&mut self, slot_bytes: usize) -> NonNull<u8> {
        self.grow(slot_bytes);
        self.region.take(slot_bytes).expect("a new chunk has a free slot")
    }

    fn held_bytes(&self) -> usize {
        self.region.held_bytes() + self.log.held_bytes()
    }
}

// SAFETY: E1: a slot is handed out once until its scope frees it.
unsafe impl<T: Tally> Uncounted for RegionHeap<T> {
    type Mark = usize;

    #[inline(always)]
    fn mark(&self) -> usize {
        self.log.len()
    }

    #[inline(always)]
    fn take<F: Family>(&mut self, bytes: usize) -> NonNull<u8> {
        let bytes = slot_bytes(bytes);
        self.count(1, bytes);
        let at = match self.region.take(bytes) {
            Some(at) => at,
            None => self.take_grown(bytes),
        };
        // SAFETY: F2.
        unsafe { self.log.push_within_capacity(at, bytes) };
        at
    }
    #[inline(always)]
    fn is_immortal(&self, at: NonNull<u8>) -> bool {
        self.tally.is_immortal(at.as_ptr())
    }
    /// The write may let any cell escape its scope: all stay (E2).
    fn write_barrier<F: Family>(&mut self, _: NonNull<u8>) {
        self.tally.add(Event::Remembered, 1);
        self.pinned = self.log.len();
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

impl<T: Tally> Recycling for RegionHeap<T> {
    type Notes = End;

    #[inline(always)]
    fn region(&mut self) -> &mut slots::Region {
        &mut self.region
    }
    fn grow(&mut self, slot_bytes: usize) {
        let words = self.region.grow(slot_bytes, self.log.held_bytes());
        self.log.reserve_words(words);
        self.grown = true;
        self.heap_peak_bytes = self.heap_peak_bytes.max(self.held_bytes());
    }
    #[inline(always)]
    fn notes(&mut self) -> End {
        End(self.log.room().start)
    }
    #[inline(always)]
    unsafe fn noted(&mut self, cells: usize, slot_bytes: usize) {
        self.count(cells, slot_bytes);
        // SAFETY: by contract.
        unsafe { self.log.advance(cells) };
    }
}

impl<'gc, T: Tally> Checked<'gc> for RegionHeap<T> {
    fn check<F: Family>(&self, at: &Ptr<F>, _seen: usize) -> Result<(), String> {
        if self.log.marks(at.address(), slot_bytes(object_bytes::<F::Of<'gc, Self>>())) {
            Ok(())
        } else {
            Err("a reference leads to a cell of no open scope".into())
        }
    }
}

impl<'gc, T: Tally> Runtime<'gc> for RegionHeap<T> {
    #[inline(always)]
    fn close(&mut self, mark: usize) {
        self.tally.add(Event::Scoped, 1);
        self.free_from(mark.max(self.pinned));
    }
    #[inline(always)]
    fn poll(&self) -> bool {
        self.grown
    }
    fn safepoint(&mut self, roots: &mut impl Object<'gc, Self>) -> Result<(), HeapError> {
        if self.zeal {
            verify::insist(self, roots);
        }
        self.grown = self.zeal;
        self.region.check(self.log.held_bytes(), &self.log)
    }
    fn abandon(&mut self, _: &mut impl Object<'gc, Self>) {}
}

impl<T: Tally> Heap for RegionHeap<T> {
    fn new(settings: &Settings) -> Self {
        RegionHeap {
            region: slots::Region::new(settings.bytes("chunk"), settings.limit_bytes),
            log: Log::default(),
            pinned: 0,
            grown: settings.zealous(),
            speculate: settings.is("append", "speculate"),
            zeal: settings.zealous(),
            live_bytes: 0,
            live_peak_bytes: 0,
            heap_peak_bytes: 0,
            tally: T::new(settings),
        }
    }
    fn run<P: Program>(&mut self, program: &P) -> Result<P::Out, HeapError> {
        let out = machine::drive(self, program);
        if std::mem::take(&mut self.pinned) > 0 {
            self.free_from(0);
        }
        if out.is_err() && self.log.len() == 0 {
            self.region.clear();
            self.log = Log::default();
        }
        out
    }
    /// Nothing to do: the last scope of a run frees the last cell.
    fn settle(&mut self) {}
    fn stats(&self) -> Stats {
        let (live_cells, live_bytes) = self.log.sum();
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
        self.region.validate(self.log.sum().0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parts::trial_scopes::trial;

    #[test]
    fn scopes_pins_zeal_and_limits() {
        trial::<Region>(|_| 0);
    }
}
