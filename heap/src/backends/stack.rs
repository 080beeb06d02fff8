//! `stack`: bump allocation; closing a scope resets the pointer.
//!
//! The program's scopes nest, so all that a scope allocated lies above the
//! place where it opened. Problem-specific: it relies on last-in, first-out
//! lifetimes, and cannot manage memory in general.
//!
//! Object: its fields, no header. 16 bytes for a cell.
//! Allocate: add and compare. Read: one load. Share and release: nothing.
//! Scope: one word saved; closing is one compare and one store, also to a mark
//! in an earlier chunk (out of line).
//! Memory returns when a scope closes.
//! Cannot: free anything before its scope closes; after a mutation, free what
//! was allocated before it (the write may have let it escape) until the end.
//!
//! Invariants:
//!
//! - S1. Objects lie below `bump.top` in the current chunk, or in earlier chunks.
//!   A reference leads to one of them, or to an immortal object (A4).
//! - S2. Closing a scope frees only what lies above its mark and was not
//!   pinned by a mutation; nothing refers to it (see `heap.rs`, point 3).
//!
//! Papers: Tofte & Talpin, "Region-based memory management", 1997.

use crate::Settings;
use crate::heap::{Backend, Family, Heap, Program};
use crate::immortals::Immortals;
use crate::info::{APPEND, Info, Kind, Param, Unit};
use crate::machine::{self, Runtime};
use crate::object::{Chain, Item, Link, Object};
use crate::parts::address::Ptr;
use crate::parts::bump::{Bump, Chunks};
use crate::parts::chain::{self, Bumping};
use crate::parts::uncounted::Uncounted;
use crate::parts::verify::{self, Checked};
use crate::pauses::Pauses;
use crate::tally::{Event, HeapError, Stats, Tally};
use std::ptr::NonNull;

/// Bump allocation with pointer reset.
pub struct Stack;

impl Backend for Stack {
    const INFO: Info = Info {
        name: "stack",
        kind: Kind::Manual,
        about: "bump allocation, pointer reset when a scope closes",
        returns: "when a scope closes",
        moves: false,
        cycles: true,
        generational: false,
        reclaims: true,
        problem_specific: true,
        header_bytes: 0,
        cell_bytes: 16,
        params: &[
            APPEND,
            Param {
                name: "chunk",
                unit: Unit::Bytes(4 << 10, 1 << 30),
                default: "1MiB",
                about: "memory taken from the platform at once",
            },
        ],
    };
    type Heap<T: Tally> = StackHeap<T>;
}

/// The heap of [`Stack`].
pub struct StackHeap<T: Tally> {
    chunks: Chunks,
    speculate: bool,
    zeal: bool,
    live_peak_bytes: usize,
    /// What a mutation keeps until the run ends.
    pinned: T::Mark,
    tally: T,
}

// SAFETY: S1: `take` returns memory above the top, which then moves past it.
unsafe impl<T: Tally> Uncounted for StackHeap<T> {
    type Mark = (*mut u8, T::Mark);

    #[inline(always)]
    fn mark(&self) -> Self::Mark {
        (self.chunks.bump.top, self.tally.mark())
    }

    #[inline(always)]
    fn take<F: Family>(&mut self, bytes: usize) -> NonNull<u8> {
        self.tally.add(Event::Allocated, 1);
        self.chunks.take(bytes)
    }
    #[inline(always)]
    fn is_immortal(&self, at: NonNull<u8>) -> bool {
        self.tally.is_immortal(at.as_ptr())
    }
    /// The write may let any object escape its scope: all stay (S2).
    fn write_barrier<F: Family>(&mut self, _: NonNull<u8>) {
        self.tally.add(Event::Remembered, 1);
        self.chunks.pin();
        self.pinned = self.tally.mark();
    }
    #[inline(always)]
    fn filter_chain<'gc, D: Item>(
        &mut self,
        chain: Option<&Ptr<Chain<D>>>,
        keep: impl FnMut(D) -> bool,
    ) -> Link<'gc, Self, Chain<D>> {
        if self.speculate {
            chain::filter_bump(self, chain, keep)
        } else {
            chain::filter_borrowed(self, chain, keep)
        }
    }
}

impl<T: Tally> Bumping for StackHeap<T> {
    #[inline(always)]
    fn bump(&mut self) -> &mut Bump {
        &mut self.chunks.bump
    }
    #[inline(always)]
    fn appended(&mut self, cells: u64) {
        self.tally.add(Event::Allocated, cells);
    }
}

impl<'gc, T: Tally> Checked<'gc> for StackHeap<T> {
    fn check<F: Family>(&self, at: &Ptr<F>, _seen: usize) -> Result<(), String> {
        if self.chunks.may_hold(at.address().as_ptr()) {
            Ok(())
        } else {
            Err("a reference leads above the top of the stack".into())
        }
    }
}

impl<'gc, T: Tally> Runtime<'gc> for StackHeap<T> {
    #[inline(always)]
    fn close(&mut self, (mark, held): Self::Mark) {
        self.tally.add(Event::Scoped, 1);
        if T::ON {
            self.live_peak_bytes = self.live_peak_bytes.max(self.chunks.used_bytes());
        }
        self.chunks.rewind(mark);
        self.tally.rewind(held.max(self.pinned));
    }
    #[inline(always)]
    fn poll(&self) -> bool {
        self.chunks.alarm
    }
    fn safepoint(&mut self, roots: &mut impl Object<'gc, Self>) -> Result<(), HeapError> {
        if self.zeal {
            verify::insist(self, roots);
        }
        self.chunks.check()
    }
    fn abandon(&mut self, _: &mut impl Object<'gc, Self>) {}
}

impl<T: Tally> Heap for StackHeap<T> {
    fn new(settings: &Settings) -> Self {
        StackHeap {
            chunks: Chunks::new(settings.bytes("chunk"), settings),
            speculate: settings.is("append", "speculate"),
            zeal: settings.zealous(),
            live_peak_bytes: 0,
            pinned: T::Mark::default(),
            tally: T::new(settings),
        }
    }
    fn run<P: Program>(&mut self, program: &P) -> Result<P::Out, HeapError> {
        let out = machine::drive(self, program);
        self.chunks.unpin();
        self.pinned = T::Mark::default();
        if self.chunks.used_bytes() == 0 {
            self.tally.rewind(T::Mark::default());
        }
        out
    }
    /// Nothing to do: the last scope of a run frees the last object.
    fn settle(&mut self) {}
    fn stats(&self) -> Stats {
        let live_bytes = self.chunks.used_bytes();
        let mut stats = Stats {
            live_bytes,
            live_peak_bytes: self.live_peak_bytes,
            heap_peak_bytes: self.chunks.peak_bytes(),
            ..Stats::counted(&self.tally)
        };
        if !T::ON {
            // As if all were n-queens cells.
            stats.live_cells = live_bytes.div_ceil(Stack::INFO.cell_bytes as usize) as u64;
        }
        stats
    }
    fn pauses(&mut self) -> Option<&mut Pauses> {
        self.tally.pauses()
    }
    fn immortals(&self) -> Option<&Immortals> {
        self.tally.immortals()
    }
    fn validate(&self) -> Result<(), String> {
        self.chunks.validate()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parts::trial_scopes::trial;

    #[test]
    fn scopes_pins_zeal_and_limits() {
        trial::<Stack>(|_| 0);
    }
}
