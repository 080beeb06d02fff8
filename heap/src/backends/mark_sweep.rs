//! `mark-sweep`: a non-moving tracing collector on size classes.
//!
//! Objects lie in blocks of equal slots and never move. Once enough has been
//! allocated, a collection marks what the roots reach; the blocks are then
//! swept lazily, a piece at a time, when a free list runs out.
//!
//! Object: its fields, no header, in a slot of its size; 16 bytes for a cell.
//! References are typed, so marking knows each object's shape from the
//! reference it came by; marks are in bitmaps beside the objects (3 % with the
//! rest of a block's header).
//! Allocate: one load, one store and a test for the end of the list, and the
//! sweep of one slot; filtering writes the free list itself into a chain.
//! Read: one load. Share, release and write: nothing.
//! Collect: time in the live objects, and a bit per slot to clear.
//! The mark stack holds 16 bytes per reference found and not yet looked at: one
//! for a chain of any length, all of an object's for a wide one, at worst one
//! per reference between live objects; it counts as heap, and goes back to the
//! platform when it was large. What leaves it is fetched ahead of its turn.
//! Memory returns at the sweep after a collection. A heap with a limit collects
//! once a quarter of the room that is left below it may be in use.
//! Cannot: bound a pause; run destructors; use a free slot for another size.
//!
//! Invariants:
//!
//! - M1. Objects lie in `blocks`, and have not moved since they were allocated.
//! - M2. Entries of the mark stack are reachable objects, with the function of
//!   their own type. A marked object's references were visited, or are being.
//!
//! Papers: McCarthy, "Recursive functions of symbolic expressions and their
//! computation by machine", CACM 1960; Hughes, "A semi-incremental garbage
//! collection algorithm" (lazy sweeping), 1982; Boehm & Weiser, "Garbage
//! collection in an uncooperative environment", 1988.

use crate::Settings;
use crate::heap::{Backend, Family, Heap, Program};
use crate::info::{APPEND, Info, Kind, Param, Unit};
use crate::machine::{self, NoRoots, Runtime};
use crate::object::{Chain, Item, Link, Node, Object, Visitor};
use crate::parts::address::Ptr;
use crate::parts::ahead::Ahead;
use crate::parts::blocks::{self, Blocks};
use crate::parts::bump::object_bytes;
use crate::parts::chain::{self, Listed};
use crate::parts::room::room_bytes;
use crate::parts::uncounted::Uncounted;
use crate::parts::verify::{self, Checked};
use crate::pauses::Pauses;
use crate::tally::{Event, HeapError, Stats, Tally};
use std::ptr::NonNull;

/// A non-moving mark-sweep collector.
pub struct MarkSweep;

impl Backend for MarkSweep {
    const INFO: Info = Info {
        name: "mark-sweep",
        kind: Kind::Tracing,
        about: "non-moving: size classes with free lists, mark bits, lazy sweep",
        returns: "at the sweep after a collection",
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
                unit: Unit::Bytes(4 << 10, 1 << 30),
                default: "512KiB",
                about: "least bytes allocated between two collections, far from the heap limit",
            },
            Param {
                name: "growth",
                unit: Unit::Factor(1.1, 16.0),
                default: "2.0",
                about: "a collection starts when the heap has grown by this factor",
            },
        ],
    };
    type Heap<T: Tally> = MarkSweepHeap<T>;
}

/// Mark stack entries kept for the next collection.
const MOST_SPARE_ENTRIES: usize = 4 << 10;

/// The heap of [`MarkSweep`].
pub struct MarkSweepHeap<T: 'static> {
    blocks: Blocks,
    /// A collection starts when this much may have been allocated since the last.
    collect_at_bytes: usize,
    grey: Vec<Grey<T>>,
    speculate: bool,
    zeal: bool,
    trigger_bytes: usize,
    growth: f64,
    limit_bytes: usize,
    live_peak_bytes: usize,
    heap_peak_bytes: usize,
    tally: T,
}

/// An object that is to be marked, and its references visited by `visit`.
struct Grey<T: 'static> {
    address: NonNull<u8>,
    visit: unsafe fn(&mut MarkSweepHeap<T>, NonNull<u8>),
}

impl<T: Tally> MarkSweepHeap<T> {
    /// Marks what is reachable, and lets the rest be swept.
    fn collect<'gc>(&mut self, roots: &mut impl Object<'gc, Self>) {
        self.blocks.clear_marks();
        roots.each_ref(&mut Mark(self));
        let mut ahead = Ahead::new();
        while let Some(grey) =
            ahead.pop(&mut self.grey, |grey| Blocks::fetch(grey.address.as_ptr()))
        {
            // SAFETY: M1, M2.
            unsafe {
                if self.blocks.mark(grey.address.as_ptr()) {
                    (grey.visit)(self, grey.address);
                }
            }
        }
        self.note_peak();
        self.grey.shrink_to(MOST_SPARE_ENTRIES);
        self.blocks.sweep();
        let live_bytes = self.blocks.marked_bytes();
        self.live_peak_bytes = self.live_peak_bytes.max(live_bytes);
        let growth_bytes = (live_bytes as f64 * (self.growth - 1.0)) as usize;
        let due_bytes = growth_bytes.max(self.trigger_bytes);
        let due_bytes = due_bytes.min(room_bytes(self.limit_bytes, live_bytes));
        self.collect_at_bytes = if self.zeal { 0 } else { due_bytes };
        if T::ON {
            let marked = self.blocks.marked_cells() as u64;
            let dead = self.tally.get(Event::Allocated) - self.tally.get(Event::Swept) - marked;
            self.tally.add(Event::CollectedMajor, 1);
            self.tally.add(Event::Marked, marked);
            self.tally.add(Event::Swept, dead);
            self.tally.hold(marked);
        }
    }

    /// Gives up what is only kept for later, if the heap is over its limit.
    fn trim(&mut self) {
        if self.held_bytes() > self.limit_bytes {
            self.blocks.trim();
            self.grey = Vec::new();
        }
    }

    fn held_bytes(&self) -> usize {
        self.blocks.held_bytes() + self.grey.capacity() * size_of::<Grey<T>>()
    }
    fn note_peak(&mut self) {
        self.heap_peak_bytes = self.heap_peak_bytes.max(self.held_bytes());
    }
}

struct Mark<'h, T: 'static>(&'h mut MarkSweepHeap<T>);

impl<'gc, T: Tally> Visitor<'gc, MarkSweepHeap<T>> for Mark<'_, T> {
    #[inline]
    fn visit<F: Family>(&mut self, at: &mut Ptr<F>) {
        self.0.grey.push(Grey { address: at.address(), visit: visit::<F, T> });
    }
}

/// Puts what an object refers to on the mark stack.
///
/// # Safety
///
/// An object of family `F` lies at `address`, and nobody looks at it.
unsafe fn visit<F: Family, T: Tally>(heap: &mut MarkSweepHeap<T>, address: NonNull<u8>) {
    // SAFETY: by contract.
    let object = unsafe { address.cast::<F::Of<'_, MarkSweepHeap<T>>>().as_mut() };
    object.each_ref(&mut Mark(heap));
}

// SAFETY: M1: what `take` returns was a free slot, which is swept only once
// its object is unreachable.
unsafe impl<T: Tally> Uncounted for MarkSweepHeap<T> {
    type Mark = ();

    #[inline(always)]
    fn mark(&self) {}

    #[inline(always)]
    fn take<F: Family>(&mut self, bytes: usize) -> NonNull<u8> {
        self.tally.add(Event::Allocated, 1);
        self.blocks.take(bytes, &mut self.tally)
    }
    #[inline(always)]
    fn write_barrier<F: Family>(&mut self, _: NonNull<u8>) {}
    #[inline(always)]
    fn filter_chain<'gc, D: Item>(
        &mut self,
        chain: Option<&Ptr<Chain<D>>>,
        keep: impl FnMut(D) -> bool,
    ) -> Link<'gc, Self, Chain<D>> {
        let exact = const { blocks::has_exact_class(object_bytes::<Node<'_, Self, D>>()) };
        if self.speculate && exact {
            chain::filter_listed(self, chain, keep)
        } else {
            chain::filter_borrowed(self, chain, keep)
        }
    }
}

// SAFETY: the free lists of `Blocks` link free slots by their last word, and a
// `Ptr` is an address.
unsafe impl<'gc, T: Tally> Listed<'gc> for MarkSweepHeap<T> {
    #[inline(always)]
    fn cell_bytes<D: Item>() -> usize {
        object_bytes::<Node<'gc, Self, D>>()
    }
    #[inline(always)]
    fn free_list<D: Item>(&mut self) -> &mut *mut u8 {
        self.blocks.free_list(<Self as Listed<'gc>>::cell_bytes::<D>(), &mut self.tally)
    }
    #[inline(always)]
    unsafe fn fresh<D: Item>(cell: NonNull<u8>) -> Ptr<Chain<D>> {
        Ptr::new(cell)
    }
    #[inline(always)]
    fn appended<D: Item>(&mut self, cells: u64) {
        self.tally.add(Event::Allocated, cells);
    }
}

impl<'gc, T: Tally> Checked<'gc> for MarkSweepHeap<T> {
    fn check<F: Family>(&self, at: &Ptr<F>, _seen: usize) -> Result<(), String> {
        if self.blocks.may_hold(at.address().as_ptr()) {
            Ok(())
        } else {
            Err("a reference leads to no object".into())
        }
    }
}

impl<'gc, T: Tally> Runtime<'gc> for MarkSweepHeap<T> {
    #[inline(always)]
    fn close(&mut self, (): ()) {}
    #[inline(always)]
    fn poll(&self) -> bool {
        self.blocks.fresh_bytes() >= self.collect_at_bytes
    }
    fn safepoint(&mut self, roots: &mut impl Object<'gc, Self>) -> Result<(), HeapError> {
        let since = self.tally.stop();
        self.collect(roots);
        self.trim();
        self.tally.resume(since);
        if self.zeal {
            verify::insist(self, roots);
        }
        if self.held_bytes() > self.limit_bytes {
            // The next run starts with a collection.
            self.collect_at_bytes = 0;
            return Err(HeapError::OutOfMemory {
                limit_bytes: self.limit_bytes,
                live_bytes: self.blocks.marked_bytes(),
            });
        }
        Ok(())
    }
    fn abandon(&mut self, _: &mut impl Object<'gc, Self>) {}
}

impl<T: Tally> Heap for MarkSweepHeap<T> {
    fn new(settings: &Settings) -> Self {
        let trigger_bytes = settings.bytes("trigger").min(room_bytes(settings.limit_bytes, 0));
        let mut blocks = Blocks::new();
        blocks.set_limit(settings.limit_bytes);
        blocks.set_spare(trigger_bytes);
        MarkSweepHeap {
            blocks,
            collect_at_bytes: if settings.zealous() { 0 } else { trigger_bytes },
            grey: Vec::new(),
            speculate: settings.is("append", "speculate"),
            zeal: settings.zealous(),
            trigger_bytes,
            growth: settings.factor("growth"),
            limit_bytes: settings.limit_bytes,
            live_peak_bytes: 0,
            heap_peak_bytes: 0,
            tally: T::default(),
        }
    }
    fn run<P: Program>(&mut self, program: &P) -> Result<P::Out, HeapError> {
        machine::drive(self, program)
    }
    fn settle(&mut self) {
        self.collect(&mut NoRoots);
        // What fits a new heap must fit this one, too.
        self.grey = Vec::new();
        self.trim();
    }
    fn stats(&self) -> Stats {
        Stats {
            live_cells: self.blocks.marked_cells() as u64,
            live_bytes: self.blocks.marked_bytes(),
            live_peak_bytes: self.live_peak_bytes,
            heap_peak_bytes: self.heap_peak_bytes.max(self.held_bytes()),
            ..Stats::counted(&self.tally)
        }
    }
    fn pauses(&mut self) -> Option<&mut Pauses> {
        self.tally.pauses()
    }
    fn validate(&self) -> Result<(), String> {
        if !self.grey.is_empty() {
            return Err("a collection left work behind".into());
        }
        self.blocks.validate()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parts::trial;

    #[test]
    fn traces() {
        trial::trace::<MarkSweep>(&[
            &[],
            &[("append", "branch"), ("trigger", "4KiB")],
            &[("trigger", "4KiB"), ("growth", "1.1")],
        ]);
    }

    #[test]
    fn a_chain_needs_no_mark_stack() {
        let mut heap = trial::heap::<MarkSweep>(&[], |_| {});
        heap.run(&trial::Grow { cells: 1_000_000, each_step: 1_000 }).unwrap();
        assert!(heap.grey.capacity() <= 8);
        assert!(heap.stats().cells_marked > 500_000);
    }
}
