//! `mark-region`: a non-moving tracing collector with a bitwise sweep.
//!
//! Objects of all sizes are bumped into runs of free granules of 16 bytes. A
//! collection marks what the roots reach, a bit for each granule, in the bitmap
//! of its region; what lies between set bits is free. So the sweep is a search
//! for set and clear bits, 64 at a time, without a look at what is dead, and it
//! goes on only as allocation does. The next cycle starts in the first region
//! again, in memory that is in the cache still.
//!
//! Object: its fields, no header, rounded up to 16 bytes; 16 bytes for a cell.
//! References are typed, so marking knows each object's shape and size from the
//! reference it came by. A bitmap takes 1/128 of its region (1/64 of the smallest).
//! Allocate: add and compare; at a run's end, the search for the next one. A
//! filtered chain is built without a branch if its cells are whole granules.
//! Read: one load. Share, release and write: nothing.
//! Collect: time in the live objects, and a word to clear for each KiB. The
//! mark stack is that of `mark-sweep`: 16 bytes per reference found and not yet
//! looked at, one for a chain of any length.
//! Memory returns at the sweep after a collection, to the platform by the
//! region. A heap with a limit collects once a quarter of the room that is left
//! below it may be in use.
//! Space: `heap/tests/fragmentation.rs` allocates objects of 16 bytes to 70 KiB
//! and drops a random half, round after round, each with other sizes. Of what
//! lived at once, the heap held at most 2.1 times as much, the growth factor's
//! 2 included, and a limit of 1.8 times as much sufficed. The test's bound is
//! 2.25: never more is held, and as a limit it suffices.
//! Cannot: bound a pause; run destructors; move an object out of a region that
//! is nearly empty.
//!
//! Invariants:
//!
//! - E1. Objects lie in `memory`, at the size of their type in whole granules,
//!   and have not moved since they were allocated. A reference leads to one of
//!   them, or to an immortal object (A4).
//! - E2. Entries of the mark stack are reachable objects of ours, with the function
//!   of their own type. A marked object's references were visited, or are being.
//! - E3. At the end of marking all reachable objects are marked.
//!
//! Papers: Blackburn & McKinley, "Immix: a mark-region garbage collector with
//! space efficiency, fast collection, and mutator performance", PLDI 2008;
//! Hughes, "A semi-incremental garbage collection algorithm" (lazy sweeping), 1982.

use crate::Settings;
use crate::heap::{Backend, Family, Heap, Program};
use crate::immortals::Immortals;
use crate::info::{APPEND, GROWTH, Info, Kind, Param, Unit};
use crate::machine::{self, NoRoots, Runtime};
use crate::object::{Chain, Item, Link, Node, Object, Visitor};
use crate::parts::address::Ptr;
use crate::parts::ahead::Ahead;
use crate::parts::bump::{Bump, object_bytes};
use crate::parts::chain::{self, Bumping};
use crate::parts::granules::{Granules, LEAST_REGION_BYTES, MOST_REGION_BYTES, whole_granules};
use crate::parts::room::room_bytes;
use crate::parts::uncounted::Uncounted;
use crate::parts::verify::{self, Checked};
use crate::pauses::Pauses;
use crate::tally::{Event, HeapError, Stats, Tally};
use std::ptr::{self, NonNull};

/// A non-moving collector that marks regions.
pub struct MarkRegion;

impl Backend for MarkRegion {
    const INFO: Info = Info {
        name: "mark-region",
        kind: Kind::Tracing,
        about: "non-moving: bump allocation into the runs between mark bits, bitwise sweep",
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
                name: "region",
                unit: Unit::Bytes(LEAST_REGION_BYTES, MOST_REGION_BYTES),
                default: "64KiB",
                about: "memory taken from the platform at once, rounded up to a power of two; \
                        at most an eighth of the heap limit, if that is 4 KiB or more",
            },
            Param {
                name: "trigger",
                unit: Unit::Bytes(4 << 10, 1 << 30),
                default: "256KiB",
                about: "least bytes allocated between two collections, far from the heap limit",
            },
            GROWTH,
        ],
    };
    type Heap<T: Tally> = MarkRegionHeap<T>;
}

/// Mark stack entries kept for the next collection.
const MOST_SPARE_ENTRIES: usize = 4 << 10;

/// The heap of [`MarkRegion`].
pub struct MarkRegionHeap<T: 'static> {
    memory: Granules,
    /// At or above this top, a poll wants a safepoint.
    soft_end: *mut u8,
    /// A collection starts when this much was allocated since the last.
    due_bytes: usize,
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

/// An object that `visit` is to mark, and its references to visit.
struct Grey<T: 'static> {
    address: NonNull<u8>,
    visit: unsafe fn(&mut MarkRegionHeap<T>, NonNull<u8>),
}

impl<T: Tally> MarkRegionHeap<T> {
    /// Marks what is reachable, and frees the rest.
    fn collect<'gc>(&mut self, roots: &mut impl Object<'gc, Self>) {
        self.memory.clear_marks();
        roots.each_ref(&mut Mark(self));
        let mut ahead = Ahead::new();
        while let Some(grey) =
            ahead.pop(&mut self.grey, |grey| self.memory.fetch(grey.address.as_ptr()))
        {
            // SAFETY: E1, E2.
            unsafe { (grey.visit)(self, grey.address) };
        }
        self.note_peak();
        self.grey.shrink_to(MOST_SPARE_ENTRIES);
        // SAFETY: E3.
        unsafe { self.memory.sweep(&mut self.tally) };
        let live_bytes = self.memory.marked().bytes;
        self.live_peak_bytes = self.live_peak_bytes.max(live_bytes);
        let growth_bytes = (live_bytes as f64 * (self.growth - 1.0)) as usize;
        let due_bytes = growth_bytes.max(self.trigger_bytes);
        let due_bytes = due_bytes.min(room_bytes(self.limit_bytes, live_bytes));
        self.due_bytes = if self.zeal { 0 } else { due_bytes };
        self.memory.release(due_bytes);
        self.pace();
        if T::ON {
            let marked = self.memory.marked().cells as u64;
            let dead = self.tally.get(Event::Allocated) - self.tally.get(Event::Swept) - marked;
            self.tally.add(Event::CollectedMajor, 1);
            self.tally.add(Event::Marked, marked);
            self.tally.add(Event::Swept, dead);
            self.tally.hold(marked);
        }
    }

    /// Says where in the run in use a collection is due.
    fn pace(&mut self) {
        let Bump { top, .. } = self.memory.bump;
        let free_bytes = self.memory.bump.free_bytes();
        let left_bytes = self.due_bytes.saturating_sub(self.memory.fresh_bytes());
        self.soft_end = if left_bytes == 0 || self.memory.held_bytes() > self.limit_bytes {
            ptr::null_mut()
        } else if left_bytes > free_bytes {
            // The run may be filled to its end: another one follows.
            ptr::without_provenance_mut(usize::MAX)
        } else {
            top.wrapping_add(left_bytes)
        };
    }

    #[cold]
    #[inline(never)]
    fn take_elsewhere(&mut self, bytes: usize) -> NonNull<u8> {
        let at = self.memory.take_elsewhere(bytes, &mut self.tally);
        self.pace();
        at
    }

    /// Gives up what is only kept for later, if the heap is over its limit.
    fn trim(&mut self) {
        if self.held_bytes() > self.limit_bytes {
            self.memory.release(0);
            self.grey = Vec::new();
        }
    }

    fn held_bytes(&self) -> usize {
        self.memory.held_bytes() + self.grey.capacity() * size_of::<Grey<T>>()
    }
    fn note_peak(&mut self) {
        self.heap_peak_bytes = self.heap_peak_bytes.max(self.held_bytes());
    }
}

/// Bytes of memory that an object of family `F` takes.
const fn taken_bytes<F: Family, T: Tally>() -> usize {
    whole_granules(object_bytes::<F::Of<'static, MarkRegionHeap<T>>>())
}

struct Mark<'h, T: 'static>(&'h mut MarkRegionHeap<T>);

impl<'gc, T: Tally> Visitor<'gc, MarkRegionHeap<T>> for Mark<'_, T> {
    #[inline]
    fn visit<F: Family>(&mut self, at: &mut Ptr<F>) {
        let address = at.address();
        if !self.0.is_immortal(address) {
            self.0.grey.push(Grey { address, visit: visit::<F, T> });
        }
    }
}

/// Marks an object, and puts what it refers to on the mark stack if it was not
/// marked before.
///
/// # Safety
///
/// An object of family `F` lies at `address`, and nobody looks at it.
unsafe fn visit<F: Family, T: Tally>(heap: &mut MarkRegionHeap<T>, address: NonNull<u8>) {
    // SAFETY: by contract, and E1.
    unsafe {
        if heap.memory.mark(address.as_ptr(), const { taken_bytes::<F, T>() }) {
            address.cast::<F::Of<'_, MarkRegionHeap<T>>>().as_mut().each_ref(&mut Mark(heap));
        }
    }
}

// SAFETY: E1; L2 of `granules.rs`: what `take` returns is free memory.
unsafe impl<T: Tally> Uncounted for MarkRegionHeap<T> {
    type Mark = ();

    #[inline(always)]
    fn mark(&self) {}

    #[inline(always)]
    fn take<F: Family>(&mut self, bytes: usize) -> NonNull<u8> {
        self.tally.add(Event::Allocated, 1);
        let bytes = whole_granules(bytes);
        match self.memory.bump.take(bytes) {
            Some(at) => at,
            None => self.take_elsewhere(bytes),
        }
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
        let bytes = const { object_bytes::<Node<'_, Self, D>>() };
        // Cells that are built in a row must start at granules.
        if self.speculate && bytes == whole_granules(bytes) {
            chain::filter_bump(self, chain, keep)
        } else {
            chain::filter_borrowed(self, chain, keep)
        }
    }
}

impl<T: Tally> Bumping for MarkRegionHeap<T> {
    #[inline(always)]
    fn bump(&mut self) -> &mut Bump {
        &mut self.memory.bump
    }
    #[inline(always)]
    fn appended(&mut self, cells: u64) {
        self.tally.add(Event::Allocated, cells);
    }
}

impl<'gc, T: Tally> Checked<'gc> for MarkRegionHeap<T> {
    fn check<F: Family>(&self, at: &Ptr<F>, _seen: usize) -> Result<(), String> {
        if self.memory.is_marked(at.address().as_ptr(), taken_bytes::<F, T>()) {
            Ok(())
        } else {
            Err("a reference leads to no object, or to one that is not marked".into())
        }
    }
}

impl<'gc, T: Tally> Runtime<'gc> for MarkRegionHeap<T> {
    #[inline(always)]
    fn close(&mut self, (): ()) {}
    #[inline(always)]
    fn poll(&self) -> bool {
        self.memory.bump.top >= self.soft_end
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
            self.due_bytes = 0;
            self.pace();
            return Err(HeapError::OutOfMemory {
                limit_bytes: self.limit_bytes,
                live_bytes: self.memory.marked().bytes,
            });
        }
        Ok(())
    }
    fn abandon(&mut self, _: &mut impl Object<'gc, Self>) {}
}

/// The size of regions in a heap with these settings.
fn region_bytes(settings: &Settings) -> usize {
    let most_bytes = (settings.limit_bytes / 8).max(LEAST_REGION_BYTES);
    settings.bytes("region").next_power_of_two().min(1 << most_bytes.ilog2())
}

impl<T: Tally> Heap for MarkRegionHeap<T> {
    fn new(settings: &Settings) -> Self {
        let trigger_bytes = settings.bytes("trigger").min(room_bytes(settings.limit_bytes, 0));
        let mut heap = MarkRegionHeap {
            memory: Granules::new(region_bytes(settings)),
            soft_end: ptr::null_mut(),
            due_bytes: if settings.zealous() { 0 } else { trigger_bytes },
            grey: Vec::new(),
            speculate: settings.is("append", "speculate"),
            zeal: settings.zealous(),
            trigger_bytes,
            growth: settings.factor("growth"),
            limit_bytes: settings.limit_bytes,
            live_peak_bytes: 0,
            heap_peak_bytes: 0,
            tally: T::new(settings),
        };
        heap.pace();
        heap
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
        let marked = self.memory.marked();
        Stats {
            live_cells: marked.cells as u64,
            live_bytes: marked.bytes,
            live_peak_bytes: self.live_peak_bytes,
            heap_peak_bytes: self.heap_peak_bytes.max(self.held_bytes()),
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
        if !self.grey.is_empty() {
            return Err("a collection left work behind".into());
        }
        self.memory.validate()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::heap::{Frames, Mutator};
    use crate::object::Plain;
    use crate::parts::trial;

    #[test]
    fn traces() {
        trial::trace::<MarkRegion>(&[
            &[],
            &[("append", "branch"), ("region", "4KiB"), ("trigger", "4KiB")],
            &[("region", "5000"), ("trigger", "4KiB"), ("growth", "1.1")],
            &[("region", "1MiB"), ("trigger", "1MiB")],
        ]);
    }

    #[test]
    fn a_chain_needs_no_mark_stack() {
        let mut heap = trial::heap::<MarkRegion>(&[], |_| {});
        heap.run(&trial::Grow { cells: 1_000_000, each_step: 1_000 }).unwrap();
        assert!(heap.grey.capacity() <= 8);
        assert!(heap.stats().cells_marked > 500_000);
    }

    /// Filters a chain whose cells are no whole granules, and keeps what is left.
    struct Odd;
    type Two = [u64; 2];

    impl Program for Odd {
        type Frame<'gc, M: Mutator<'gc>> = (Plain<u64>, Link<'gc, M, Chain<Two>>);
        type Out = u64;
        fn start<'gc, M: Mutator<'gc>>(
            &self,
            heap: &mut M,
            stack: &mut Frames<'gc, M, Self>,
            _: &mut u64,
        ) {
            let mut chain = Link::NONE;
            for number in 0..1_000 {
                let item = [number, !number];
                chain = Link(Some(heap.alloc::<Chain<Two>>(Node { item, next: chain })));
            }
            stack.push((Plain(2), chain), heap);
        }
        fn step<'gc, M: Mutator<'gc>>(
            &self,
            heap: &mut M,
            (Plain(factor), chain): Self::Frame<'gc, M>,
            stack: &mut Frames<'gc, M, Self>,
            sum: &mut u64,
        ) {
            // There is a run in use, so that the filter may go on in it.
            let first = heap.alloc::<Chain<Two>>(Node { item: [0; 2], next: Link::NONE });
            heap.release(first);
            let kept = heap.filter(chain.as_ref(), |[number, _]| number % factor == 0);
            heap.release_link(chain);
            if factor < 32 {
                stack.push((Plain(factor * 2), kept), heap);
            } else {
                *sum = heap.fold(kept.as_ref(), 0, |sum, [number, other]| {
                    assert_eq!(number, !other);
                    sum + number
                });
                heap.release_link(kept);
            }
        }
    }

    #[test]
    fn chains_of_odd_cells_are_filtered_into_whole_granules() {
        let right = (0..1_000).filter(|number| number % 32 == 0).sum();
        let mut heap = trial::heap::<MarkRegion>(&[], trial::zealous);
        assert_eq!(heap.run(&Odd), Ok(right));
    }
}
