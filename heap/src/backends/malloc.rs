//! `malloc`: the platform's malloc and free.
//!
//! A scope writes down the cells it allocates; when it closes they are freed
//! one by one, oldest first (FIFO order), as a program with manual memory
//! management would at the end of the same subtree.
//!
//! Object: its fields, no header of ours. 16 bytes for a cell, rounded up by
//! the allocator (32 in glibc), and one word in the log while it lives.
//! Allocate: malloc and one word. Read: one load. Share and release: nothing.
//! Scope: one word saved. Closing: one free per cell.
//! Memory returns when a scope closes.
//! Cannot: free anything before its scope closes; after a mutation, free what
//! was allocated before it (the write may have let it escape) until the run
//! ends. The allocator is general; that lifetimes nest is the program's.
//!
//! Invariants:
//!
//! - M1. The log lists each cell that was allocated and not freed, once. A
//!   reference leads to one of them, or to an immortal object (A4).
//! - M2. Closing a scope frees what was logged after its mark and not pinned
//!   by a mutation; nothing refers to it (see `heap.rs`, point 3).
//!
//! Papers: Wilson et al., "Dynamic storage allocation: a survey and critical
//! review", IWMM 1995.

use crate::Settings;
use crate::heap::{Backend, Family, Heap, Program};
use crate::immortals::Immortals;
use crate::info::{Info, Kind};
use crate::machine::{self, Runtime};
use crate::object::{Chain, Item, Link, Node, Object};
use crate::parts::address::Ptr;
use crate::parts::bump::object_bytes;
use crate::parts::chain;
use crate::parts::log::{Log, slot_bytes, word_of, words_of};
use crate::parts::meter::Meter;
use crate::parts::uncounted::Uncounted;
use crate::parts::verify::{self, Checked};
use crate::pauses::Pauses;
use crate::tally::{Event, HeapError, Stats, Tally};
use std::alloc::{Layout, handle_alloc_error};
use std::ops::Range;
use std::ptr::NonNull;

/// The platform's malloc and free.
pub struct Malloc;

impl Backend for Malloc {
    const INFO: Info = Info {
        name: "malloc",
        kind: Kind::Manual,
        about: "the platform's malloc; the cells of a closed scope are freed in FIFO order",
        returns: "when a scope closes",
        moves: false,
        cycles: true,
        generational: false,
        reclaims: true,
        problem_specific: false,
        header_bytes: 0,
        cell_bytes: 16,
        params: &[],
    };
    type Heap<T: Tally> = MallocHeap<T>;
}

/// The heap of [`Malloc`].
pub struct MallocHeap<T> {
    log: Log,
    /// Cells with a smaller index stay until the run ends.
    pinned: usize,
    meter: Meter,
    zeal: bool,
    tally: T,
}

impl<T: Tally> MallocHeap<T> {
    /// Frees the cells from an index on.
    #[inline(always)]
    fn free_from(&mut self, start: usize) {
        let since = self.tally.stop();
        let mut freed_bytes = 0;
        for (at, bytes) in self.log.from(start) {
            freed_bytes += bytes;
            self.tally.add(Event::Freed, 1);
            // SAFETY: M1: a cell from malloc; M2: nothing refers to it.
            unsafe { libc::free(at.as_ptr().cast()) };
        }
        self.meter.sub(freed_bytes);
        self.log.truncate(start);
        self.tally.released(since);
    }
}

impl<T: Tally> MallocHeap<T> {
    /// Takes over the words written to the log's room, of cells of a size.
    ///
    /// # Safety
    ///
    /// All up to `end` were written.
    #[inline(always)]
    unsafe fn noted(&mut self, end: *mut *mut u8, slot_bytes: usize) {
        // SAFETY: by contract.
        let cells = unsafe { end.offset_from_unsigned(self.log.room().start) };
        // SAFETY: by contract.
        unsafe { self.log.advance(cells) };
        self.tally.add(Event::Allocated, cells as u64);
        self.meter.add(cells * slot_bytes);
    }

    /// The same when the room is full, and new room.
    ///
    /// # Safety
    ///
    /// As for `noted`.
    #[cold]
    #[inline(never)]
    unsafe fn note(&mut self, end: *mut *mut u8, slot_bytes: usize) -> Range<*mut *mut u8> {
        // SAFETY: by contract.
        unsafe { self.noted(end, slot_bytes) };
        self.log.grow();
        self.log.room()
    }
}

impl<T> Drop for MallocHeap<T> {
    fn drop(&mut self) {
        for (at, _) in self.log.from(0) {
            // SAFETY: M1; the heap ends, so no reference exists.
            unsafe { libc::free(at.as_ptr().cast()) };
        }
    }
}

// SAFETY: M1: a cell is freed by its scope alone. Every 64-bit platform's
// malloc returns multiples of 16 for slots of 16 bytes and more.
unsafe impl<T: Tally> Uncounted for MallocHeap<T> {
    type Mark = usize;

    #[inline(always)]
    fn mark(&self) -> usize {
        self.log.len()
    }

    #[inline(always)]
    fn take<F: Family>(&mut self, bytes: usize) -> NonNull<u8> {
        const { assert!(size_of::<usize>() == 8, "the log relies on 16-byte alignment") };
        let bytes = slot_bytes(bytes);
        self.tally.add(Event::Allocated, 1);
        self.meter.add(bytes);
        let at = malloc(bytes);
        self.log.push(at, bytes);
        at
    }
    #[inline(always)]
    fn is_immortal(&self, at: NonNull<u8>) -> bool {
        self.tally.is_immortal(at.as_ptr())
    }
    /// The write may let any cell escape its scope: all stay (M2).
    fn write_barrier<F: Family>(&mut self, _: NonNull<u8>) {
        self.tally.add(Event::Remembered, 1);
        self.pinned = self.log.len();
    }
    /// As `chain::filter_borrowed`, but the accounts are settled at the end.
    #[inline(always)]
    fn filter_chain<'gc, D: Item>(
        &mut self,
        chain: Option<&Ptr<Chain<D>>>,
        mut keep: impl FnMut(D) -> bool,
    ) -> Link<'gc, Self, Chain<D>> {
        let bytes = const { slot_bytes(object_bytes::<Node<'_, Self, D>>()) };
        if words_of(bytes) != 1 {
            return chain::filter_borrowed(self, chain, keep);
        }
        let mut head = Link::NONE;
        let mut hole: *mut Link<'gc, Self, Chain<D>> = &raw mut head;
        let Range { start: mut word, mut end } = self.log.room();
        let mut at = chain.map(|at| at.address().cast::<Node<'gc, Self, D>>());
        while let Some(from) = at {
            // SAFETY: A1 and A3 for the cell read; the cell written is new, and
            // `hole` is `head` or the `next` of the newest cell.
            unsafe {
                let Node { item, next: Link(ref next) } = *from.as_ptr();
                at = next.as_ref().map(|next| next.address().cast());
                if keep(item) {
                    let cell = malloc(bytes);
                    if word == end {
                        Range { start: word, end } = self.note(word, bytes);
                    }
                    word.write(word_of(cell.as_ptr(), bytes));
                    word = word.add(1);
                    let node = cell.cast::<Node<'gc, Self, D>>().as_ptr();
                    (&raw mut (*node).item).write(item);
                    hole.write(Link(Some(Ptr::new(cell))));
                    hole = &raw mut (*node).next;
                }
            }
        }
        // SAFETY: as above; the words up to `word` were written.
        unsafe {
            hole.write(Link::NONE);
            self.noted(word, bytes);
        }
        head
    }
}

#[inline(always)]
fn malloc(bytes: usize) -> NonNull<u8> {
    #[cold]
    fn no_memory(bytes: usize) -> ! {
        handle_alloc_error(Layout::from_size_align(bytes, 16).unwrap_or(Layout::new::<u128>()))
    }
    // SAFETY: malloc may be called with any size.
    NonNull::new(unsafe { libc::malloc(bytes) }.cast()).unwrap_or_else(|| no_memory(bytes))
}

impl<'gc, T: Tally> Checked<'gc> for MallocHeap<T> {
    fn check<F: Family>(&self, at: &Ptr<F>, _seen: usize) -> Result<(), String> {
        if self.log.marks(at.address(), slot_bytes(object_bytes::<F::Of<'gc, Self>>())) {
            Ok(())
        } else {
            Err("a reference leads to a cell of no open scope".into())
        }
    }
}

impl<'gc, T: Tally> Runtime<'gc> for MallocHeap<T> {
    #[inline(always)]
    fn close(&mut self, mark: usize) {
        self.tally.add(Event::Scoped, 1);
        self.free_from(mark.max(self.pinned));
    }
    #[inline(always)]
    fn poll(&self) -> bool {
        self.meter.alarmed()
    }
    fn safepoint(&mut self, roots: &mut impl Object<'gc, Self>) -> Result<(), HeapError> {
        if self.zeal {
            verify::insist(self, roots);
        }
        self.meter.check()
    }
    fn abandon(&mut self, _: &mut impl Object<'gc, Self>) {}
}

impl<T: Tally> Heap for MallocHeap<T> {
    fn new(settings: &Settings) -> Self {
        MallocHeap {
            log: Log::default(),
            pinned: 0,
            meter: Meter::new(settings.limit_bytes, settings.zealous()),
            zeal: settings.zealous(),
            tally: T::new(settings),
        }
    }
    fn run<P: Program>(&mut self, program: &P) -> Result<P::Out, HeapError> {
        let out = machine::drive(self, program);
        if std::mem::take(&mut self.pinned) > 0 {
            self.free_from(0);
        }
        out
    }
    /// Nothing to do: the last scope of a run frees the last cell.
    fn settle(&mut self) {}
    fn stats(&self) -> Stats {
        let mut stats = Stats::counted(&self.tally);
        self.meter.fill(&mut stats, 0);
        stats.live_cells = self.log.sum().0 as u64;
        stats.heap_peak_bytes += self.log.held_bytes();
        stats
    }
    fn pauses(&mut self) -> Option<&mut Pauses> {
        self.tally.pauses()
    }
    fn immortals(&self) -> Option<&Immortals> {
        self.tally.immortals()
    }
    fn validate(&self) -> Result<(), String> {
        let (cells, bytes) = self.log.sum();
        if bytes != self.meter.live_bytes() {
            let live_bytes = self.meter.live_bytes();
            return Err(format!("{cells} cells of {bytes} bytes are logged, not {live_bytes}"));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parts::trial_scopes::trial;

    #[test]
    fn scopes_pins_zeal_and_limits() {
        trial::<Malloc>(|_| 0);
    }
}
