//! `leak`: bump allocation that never reclaims during a run.
//!
//! The no-reclaim reference: what a program costs when nothing is ever freed.
//! It is not the floor, because all memory it hands out is fresh, so it pays
//! page faults and cache misses that a heap which reuses memory does not.
//!
//! Object: its fields, no header. 16 bytes for a cell.
//! Allocate: add and compare. Read: one load. Share, release and write: nothing.
//! Memory returns between runs (`settle`), outside the measured time, and
//! after an error. What a run leaked stays in the statistics: all of it is
//! reported as live until the next run starts.
//! Cannot: reclaim. A long run ends at the heap limit.
//!
//! Invariants:
//!
//! - L1. Objects lie below `bump.top` in the current chunk, or in earlier
//!   chunks; chunks are freed only between runs, when no reference exists. A
//!   reference leads to one of them, or to an immortal object (A4).
//!
//! Papers: Cai et al., "Distilling the real cost of production garbage
//! collectors", ISPASS 2022 (what a no-reclaim reference does and does not bound).

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

/// Bump allocation without reclamation.
pub struct Leak;

impl Backend for Leak {
    const INFO: Info = Info {
        name: "leak",
        kind: Kind::None,
        about: "bump allocation, never reclaims during a run",
        returns: "between runs only",
        moves: false,
        cycles: false,
        generational: false,
        reclaims: false,
        problem_specific: false,
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
    type Heap<T: Tally> = LeakHeap<T>;
}

/// The heap of [`Leak`].
pub struct LeakHeap<T> {
    chunks: Chunks,
    speculate: bool,
    zeal: bool,
    /// What the memory that `give_back` freed had leaked.
    leaked: Leaked,
    /// Objects counted before the memory in use now was taken.
    allocated_before: u64,
    tally: T,
}

#[derive(Clone, Copy, Default)]
struct Leaked {
    cells: u64,
    bytes: usize,
}

impl<T: Tally> LeakHeap<T> {
    /// What the memory in use holds. The timed instance counts no objects and
    /// tells their number from their bytes, as if all were n-queens cells.
    fn in_use(&self) -> Leaked {
        let bytes = self.chunks.used_bytes();
        let cells = if T::ON {
            self.tally.get(Event::Allocated) - self.allocated_before
        } else {
            bytes.div_ceil(Leak::INFO.cell_bytes as usize) as u64
        };
        Leaked { cells, bytes }
    }

    /// What was leaked since the last run that followed a `settle` began.
    fn leaked(&self) -> Leaked {
        let in_use = self.in_use();
        Leaked { cells: self.leaked.cells + in_use.cells, bytes: self.leaked.bytes + in_use.bytes }
    }

    /// Frees all memory, and keeps account of what it had leaked.
    fn give_back(&mut self) {
        self.leaked = self.leaked();
        self.allocated_before = self.tally.get(Event::Allocated);
        self.chunks.clear();
    }
}

// SAFETY: L1: `take` returns memory above the top, which then moves past it.
unsafe impl<T: Tally> Uncounted for LeakHeap<T> {
    type Mark = ();

    #[inline(always)]
    fn mark(&self) {}

    #[inline(always)]
    fn take<F: Family>(&mut self, bytes: usize) -> NonNull<u8> {
        self.tally.add(Event::Allocated, 1);
        self.chunks.take(bytes)
    }
    #[inline(always)]
    fn is_immortal(&self, at: NonNull<u8>) -> bool {
        self.tally.is_immortal(at.as_ptr())
    }
    #[inline(always)]
    fn write_barrier<F: Family>(&mut self, _: NonNull<u8>) {}
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

impl<T: Tally> Bumping for LeakHeap<T> {
    #[inline(always)]
    fn bump(&mut self) -> &mut Bump {
        &mut self.chunks.bump
    }
    #[inline(always)]
    fn appended(&mut self, cells: u64) {
        self.tally.add(Event::Allocated, cells);
    }
}

impl<'gc, T: Tally> Checked<'gc> for LeakHeap<T> {
    fn check<F: Family>(&self, at: &Ptr<F>, _seen: usize) -> Result<(), String> {
        if self.chunks.may_hold(at.address().as_ptr()) {
            Ok(())
        } else {
            Err("a reference leads outside the chunks".into())
        }
    }
}

impl<'gc, T: Tally> Runtime<'gc> for LeakHeap<T> {
    #[inline(always)]
    fn close(&mut self, (): ()) {}
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

impl<T: Tally> Heap for LeakHeap<T> {
    fn new(settings: &Settings) -> Self {
        LeakHeap {
            chunks: Chunks::new(settings.bytes("chunk"), settings),
            speculate: settings.is("append", "speculate"),
            zeal: settings.zealous(),
            leaked: Leaked::default(),
            allocated_before: 0,
            tally: T::new(settings),
        }
    }
    fn run<P: Program>(&mut self, program: &P) -> Result<P::Out, HeapError> {
        if self.chunks.used_bytes() == 0 {
            self.leaked = Leaked::default();
        }
        let out = machine::drive(self, program);
        if out.is_err() {
            self.give_back();
        }
        out
    }
    fn settle(&mut self) {
        self.give_back();
    }
    fn stats(&self) -> Stats {
        let leaked = self.leaked();
        Stats {
            live_cells: leaked.cells,
            live_bytes: leaked.bytes,
            live_peak_bytes: self.chunks.peak_bytes().min(leaked.bytes),
            heap_peak_bytes: self.chunks.peak_bytes(),
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
        self.chunks.validate()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parts::trial_scopes::trial;

    #[test]
    fn all_that_was_allocated_is_reported_as_leaked() {
        trial::<Leak>(|stats| stats.cells_allocated);
    }
}
