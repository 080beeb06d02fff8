//! `region-local`: a region whose current part, the tail of the allocated list,
//! is swept at once and locally, instead of waiting for a sweep of everything.
//!
//! The allocated list and the free list of a slot size are the two parts of one
//! array, so freeing a dead tail is moving the boundary between them. A scope
//! that closes does this, back to where it opened or back to the last write
//! barrier: a write may have let any older object escape its scope. What it
//! leaves behind are suspects. With a remembered set, once enough is allocated
//! since the last sweep, a local sweep marks what the frames and the old objects
//! that were written to reach in that part of the list, and frees the rest;
//! survivors are old from then on, known by their mark bit. When the old objects
//! have grown by a factor, a full sweep does the same with all of the list. So
//! garbage of any shape is reclaimed, cycles included. Without the set
//! (`sweep=barrier`) suspects stay until the run ends.
//!
//! Object: its fields, no header, in slots of multiples of 16 bytes; 16 bytes
//! for a cell, one word in the array and two bits, allocated or free.
//! Allocate: one load, one compare, one store. Read: one load. Share and
//! release: nothing. Write: a compare, and one list entry for an old object's
//! first write. Scope: one word saved. Closing: one compare and one store, and
//! one step per switch between slot sizes.
//! Local sweep: time in the objects allocated since the last sweep and not freed,
//! the frames and the remembered set. Full sweep: time in all objects. The mark
//! stack holds 16 bytes per reference found and not yet looked at.
//! Memory returns to the free part when a scope closes or at a sweep, to the
//! platform when the heap ends or after an error.
//! Cannot: use a free slot for another size; bound a pause; run destructors.
//!
//! Why a mark of 64 bits is enough. A mark from before the fence (the last write
//! or sweep) is told by its number and frees what is newer than the fence, if
//! anything. That is right whatever the mark was: no write came after the
//! fence, so nothing older than it refers to anything newer, and the frames that
//! do were pushed after the frame of the mark, and are gone. So a stale mark
//! that were taken for a newer one would free only a part of what is dead. When
//! the numbers are spent (2^32 - 2 writes, sweeps or switches in a run), scopes free
//! nothing until the run ends, and sweeps free all.
//!
//! Invariants:
//!
//! - U1. Objects lie in slots of `lists` that are allocated, and do not move. A
//!   reference leads to one of them, or to an immortal object (A4).
//! - U2. Closing a scope frees only what is newer than its mark and the fence;
//!   nothing refers to it (above, and `heap.rs`, point 3).
//! - U3. Marked objects are the old ones; no other is remembered. An old object
//!   that refers to a young one is remembered.
//! - U4. During a sweep every marked object's references were visited, unless it
//!   is grey or was old when a local sweep began. Entries have the function of
//!   their own type.
//!
//! Papers: Demers et al., "Combining generational and conservative garbage
//! collection", POPL 1990 (mark bits that stay); Lieberman & Hewitt, "A
//! real-time garbage collector based on the lifetimes of objects", CACM 1983.

use crate::Settings;
use crate::heap::{Backend, Family, Heap, Program};
use crate::immortals::Immortals;
use crate::info::{APPEND, Info, Kind, Param, Unit};
use crate::machine::{self, Runtime};
use crate::object::{Chain, Item, Link, Object, Visitor};
use crate::parts::address::Ptr;
use crate::parts::append::{self, InOrder};
use crate::parts::bump::object_bytes;
use crate::parts::chain;
use crate::parts::lists::{Lists, Mark};
use crate::parts::log::slot_bytes;
use crate::parts::remembered::{Grey, Remembered};
use crate::parts::room::room_bytes;
use crate::parts::uncounted::Uncounted;
use crate::parts::verify::{self, Checked};
use crate::pauses::Pauses;
use crate::tally::{Event, HeapError, Stats, Tally};
use std::ptr::NonNull;

/// A region that is swept locally.
pub struct RegionLocal;

impl Backend for RegionLocal {
    const INFO: Info = Info {
        name: "region-local",
        kind: Kind::Region,
        about: "a region whose current part is swept locally, back to a mark or a write barrier",
        returns: "when a scope closes or, after writes, at a local or a full sweep",
        moves: false,
        cycles: true,
        generational: true,
        reclaims: true,
        problem_specific: false,
        header_bytes: 0,
        cell_bytes: 16,
        params: &[
            APPEND,
            Param {
                name: "sweep",
                unit: Unit::Choice(&["remembered", "barrier"]),
                default: "remembered",
                about: "sweep what scopes had to keep, from a remembered set, or keep it",
            },
            Param {
                name: "trigger",
                unit: Unit::Bytes(16, 1 << 40),
                default: "1MiB",
                about: "allocation of a slot size, not freed by scopes, that triggers a sweep",
            },
            Param {
                name: "growth",
                unit: Unit::Factor(1.1, 16.0),
                default: "2.0",
                about: "a sweep is a full one when the old objects have grown by this factor",
            },
            Param {
                name: "chunk",
                unit: Unit::Bytes(1 << 10, 16 << 20),
                default: "64KiB",
                about: "memory taken from the platform at once",
            },
        ],
    };
    type Heap<T: Tally> = RegionLocalHeap<T>;
}

/// Visits the references of an object of one type.
type Visit<T> = unsafe fn(&mut RegionLocalHeap<T>, NonNull<u8>);

/// The heap of [`RegionLocal`].
pub struct RegionLocalHeap<T: 'static> {
    lists: Lists,
    remembered: Remembered<Visit<T>>,
    grey: Vec<Grey<Visit<T>>>,
    /// Whether there is a remembered set, and there are sweeps.
    sweeps: bool,
    speculate: bool,
    zeal: bool,
    trigger_bytes: usize,
    growth: f64,
    limit_bytes: usize,
    /// The next sweep is a full one when so much is old.
    full_at_bytes: usize,
    /// Live bytes, in the counted instance.
    live_bytes: usize,
    live_peak_bytes: usize,
    heap_peak_bytes: usize,
    tally: T,
}

impl<T: Tally> RegionLocalHeap<T> {
    /// Frees what is unreachable among the young objects, or among all.
    fn sweep<'gc>(&mut self, roots: &mut impl Object<'gc, Self>, full: bool) {
        let since = self.tally.stop();
        if full {
            self.tally.add(Event::CollectedMajor, 1);
            self.remembered.clear();
            self.lists.rejuvenate();
        } else {
            self.tally.add(Event::CollectedMinor, 1);
            // SAFETY: U1, U3.
            while let Some(old) = unsafe { self.remembered.pop(self.lists.slabs()) } {
                // SAFETY: U3, U4.
                unsafe { (old.shape)(self, old.address) };
            }
        }
        roots.each_ref(&mut Reach(self));
        while let Some(grey) = self.grey.pop() {
            // SAFETY: U4.
            unsafe { (grey.shape)(self, grey.address) };
        }
        let sweep_since = self.tally.sweep_starts();
        // SAFETY: U4: all that is reachable is marked.
        let (cells, bytes) = unsafe { self.lists.sweep() };
        self.tally.add(Event::Swept, cells as u64);
        self.count_freed((cells, bytes));
        if full {
            self.plan_full();
        }
        self.plan();
        self.note_peak();
        self.tally.sweep_ends(sweep_since);
        self.tally.resume(since);
    }

    /// Says when a poll wants the next safepoint.
    fn plan(&mut self) {
        let room_bytes = self.room_bytes();
        self.lists.set_due(match (self.zeal, self.sweeps) {
            (true, _) => None,
            (false, true) => Some(self.trigger_bytes.min(room_bytes)),
            (false, false) => Some(usize::MAX),
        });
    }

    /// Says when a sweep is to be a full one. All objects are old.
    fn plan_full(&mut self) {
        let live_bytes = self.lists.old_bytes();
        let growth_bytes = (live_bytes as f64 * (self.growth - 1.0)) as usize;
        let growth_bytes = growth_bytes.max(self.trigger_bytes).min(self.room_bytes());
        self.full_at_bytes = live_bytes.saturating_add(growth_bytes);
    }

    /// What the limit lets become old or be allocated before a sweep.
    fn room_bytes(&self) -> usize {
        room_bytes(self.limit_bytes, self.lists.bytes() + self.lists.lists_bytes())
    }

    #[inline(always)]
    fn count_taken(&mut self, cells: usize, slot_bytes: usize) {
        if T::ON {
            self.tally.add(Event::Allocated, cells as u64);
            self.live_bytes += cells * slot_bytes;
            self.live_peak_bytes = self.live_peak_bytes.max(self.live_bytes);
        }
    }

    #[inline(always)]
    fn count_freed(&mut self, (cells, bytes): (usize, usize)) {
        if T::ON {
            self.tally.add(Event::Freed, cells as u64);
            self.live_bytes -= bytes;
        }
    }

    #[inline(never)]
    fn take_ready(&mut self, slot_bytes: usize) -> NonNull<u8> {
        self.ready(slot_bytes);
        self.lists.take(slot_bytes).expect("a list made ready has a free slot")
    }

    /// Frees everything: no program is running.
    fn free_all(&mut self) {
        let since = self.tally.stop();
        let old_bytes = self.lists.old_bytes();
        self.remembered.clear();
        // SAFETY: U1: no frame is left, nor any reference.
        let freed = unsafe { self.lists.free_all() };
        self.count_freed(freed);
        self.plan_full();
        self.plan();
        // Else it took no time that depends on the heap.
        if old_bytes > 0 {
            self.tally.resume(since);
        }
    }

    fn held_bytes(&self) -> usize {
        let grey_bytes = self.grey.capacity() * size_of::<Grey<Visit<T>>>();
        self.lists.held_bytes() + self.remembered.held_bytes() + grey_bytes
    }

    fn note_peak(&mut self) {
        self.heap_peak_bytes = self.heap_peak_bytes.max(self.held_bytes());
    }
}

/// Marks what is reached.
struct Reach<'h, T: 'static>(&'h mut RegionLocalHeap<T>);

impl<'gc, T: Tally> Visitor<'gc, RegionLocalHeap<T>> for Reach<'_, T> {
    #[inline]
    fn visit<F: Family>(&mut self, at: &mut Ptr<F>) {
        let (heap, address) = (&mut *self.0, at.address());
        if heap.is_immortal(address) {
            return;
        }
        // SAFETY: U1.
        if unsafe { heap.lists.slabs().mark(address.as_ptr()) } {
            heap.tally.add(Event::Marked, 1);
            heap.grey.push(Grey { address, shape: visit::<F, T> });
        }
    }
}

/// Marks what an object refers to.
///
/// # Safety
///
/// An object of family `F` lies at `address`, and nobody looks at it.
unsafe fn visit<F: Family, T: Tally>(heap: &mut RegionLocalHeap<T>, address: NonNull<u8>) {
    // SAFETY: by contract.
    let object = unsafe { address.cast::<F::Of<'_, RegionLocalHeap<T>>>().as_mut() };
    object.each_ref(&mut Reach(heap));
}

// SAFETY: U1: `take` returns a slot that was free; it is free again only when
// nothing refers to it (U2, U4).
unsafe impl<T: Tally> Uncounted for RegionLocalHeap<T> {
    type Mark = Mark;

    #[inline(always)]
    fn mark(&self) -> Mark {
        self.lists.mark()
    }

    #[inline(always)]
    fn take<F: Family>(&mut self, bytes: usize) -> NonNull<u8> {
        let bytes = slot_bytes(bytes);
        self.count_taken(1, bytes);
        match self.lists.take(bytes) {
            Some(at) => at,
            None => self.take_ready(bytes),
        }
    }
    #[inline(always)]
    fn is_immortal(&self, at: NonNull<u8>) -> bool {
        self.tally.is_immortal(at.as_ptr())
    }
    /// The write may let any object escape its scope: all stay until a sweep.
    #[inline]
    fn write_barrier<F: Family>(&mut self, at: NonNull<u8>) {
        self.lists.fence();
        if !self.sweeps {
            self.tally.add(Event::Remembered, 1);
            return;
        }
        // SAFETY: U1, U3.
        unsafe {
            let slabs = self.lists.slabs();
            if slabs.is_marked(at.as_ptr()) {
                self.remembered.written(slabs, at, visit::<F, T>, &mut self.tally);
            }
        }
    }
    #[inline(always)]
    fn filter_chain<'gc, D: Item>(
        &mut self,
        chain: Option<&Ptr<Chain<D>>>,
        keep: impl FnMut(D) -> bool,
    ) -> Link<'gc, Self, Chain<D>> {
        if self.speculate {
            append::filter_in_order(self, chain, keep)
        } else {
            chain::filter_borrowed(self, chain, keep)
        }
    }
}

impl<T: Tally> InOrder for RegionLocalHeap<T> {
    #[inline(always)]
    fn lists(&mut self) -> &mut Lists {
        &mut self.lists
    }
    fn ready(&mut self, slot_bytes: usize) {
        let has_free = self.lists.switch(slot_bytes);
        if self.lists.has_many_switches() {
            self.lists.set_due(None);
        }
        if has_free {
            return;
        }
        // Near the limit slabs are smaller, and arrays have some of the room.
        self.lists.grow(self.limit_bytes.saturating_sub(self.held_bytes()) / 4);
        self.note_peak();
        if self.held_bytes() > self.limit_bytes {
            self.lists.set_due(None);
        }
    }
    #[inline(always)]
    fn appended(&mut self, cells: usize, slot_bytes: usize) {
        self.count_taken(cells, slot_bytes);
    }
}

impl<'gc, T: Tally> Checked<'gc> for RegionLocalHeap<T> {
    fn check<F: Family>(&self, at: &Ptr<F>, _seen: usize) -> Result<(), String> {
        let bytes = slot_bytes(object_bytes::<F::Of<'gc, Self>>());
        if self.lists.may_hold(at.address(), bytes) {
            Ok(())
        } else {
            Err("a reference leads to a slot that is not allocated".into())
        }
    }
}

impl<'gc, T: Tally> Runtime<'gc> for RegionLocalHeap<T> {
    #[inline(always)]
    fn close(&mut self, mark: Mark) {
        self.tally.add(Event::Scoped, 1);
        // SAFETY: U2.
        let freed = unsafe { self.lists.close(mark) };
        self.count_freed(freed);
    }
    #[inline(always)]
    fn poll(&self) -> bool {
        self.lists.is_due()
    }
    fn safepoint(&mut self, roots: &mut impl Object<'gc, Self>) -> Result<(), HeapError> {
        let full = self.held_bytes() > self.limit_bytes
            || self.lists.old_bytes() >= self.full_at_bytes
            || self.zeal;
        if self.sweeps && (!full || self.zeal) {
            self.sweep(roots, false);
        }
        if self.zeal {
            // Before a full sweep follows a reference that a local one missed.
            verify::insist(self, roots);
        }
        if self.sweeps && full {
            self.sweep(roots, true);
            if self.zeal {
                verify::insist(self, roots);
            }
        }
        if !self.sweeps && self.lists.has_many_switches() {
            self.lists.fence();
            self.plan();
        }
        if self.held_bytes() > self.limit_bytes {
            let live_bytes = self.lists.bytes();
            return Err(HeapError::OutOfMemory { limit_bytes: self.limit_bytes, live_bytes });
        }
        Ok(())
    }
    fn abandon(&mut self, _: &mut impl Object<'gc, Self>) {}
}

impl<T: Tally> Heap for RegionLocalHeap<T> {
    fn new(settings: &Settings) -> Self {
        let mut heap = RegionLocalHeap {
            lists: Lists::new(settings.bytes("chunk")),
            remembered: Remembered::NONE,
            grey: Vec::new(),
            sweeps: settings.is("sweep", "remembered"),
            speculate: settings.is("append", "speculate"),
            zeal: settings.zealous(),
            trigger_bytes: settings.bytes("trigger"),
            growth: settings.factor("growth"),
            limit_bytes: settings.limit_bytes,
            full_at_bytes: 0,
            live_bytes: 0,
            live_peak_bytes: 0,
            heap_peak_bytes: 0,
            tally: T::new(settings),
        };
        heap.free_all();
        heap
    }
    fn run<P: Program>(&mut self, program: &P) -> Result<P::Out, HeapError> {
        let out = machine::drive(self, program);
        self.free_all();
        if out.is_err() {
            self.lists = Lists::new(self.lists.slab_bytes());
            (self.grey, self.remembered) = (Vec::new(), Remembered::NONE);
            self.plan();
        }
        out
    }
    /// Frees what a program left that panicked.
    fn settle(&mut self) {
        self.free_all();
    }
    fn stats(&self) -> Stats {
        Stats {
            live_cells: self.lists.cells() as u64,
            live_bytes: self.lists.bytes(),
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
        if !self.grey.is_empty() {
            return Err("a sweep left work behind".into());
        }
        self.lists.validate(self.remembered.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::heap::{Frames, Mutator};
    use crate::object::{Node, Plain};
    use crate::parts::trial;
    use crate::parts::trial_scopes;

    #[test]
    fn scopes_fences_zeal_and_limits() {
        trial_scopes::trial::<RegionLocal>(|_| 0);
    }

    #[test]
    fn traces() {
        trial::trace::<RegionLocal>(&[
            &[],
            &[("append", "branch"), ("trigger", "1KiB"), ("growth", "1.1"), ("chunk", "1KiB")],
        ]);
    }

    #[test]
    fn what_writes_made_scopes_keep_is_swept_or_kept_as_the_parameter_says() {
        let program = trial::Shuffle { seed: 1, steps: 5_000 };
        let right = trial::heap::<RegionLocal>(&[], |_| {}).run(&program);
        let run = |sweep| {
            let params = [("sweep", sweep), ("trigger", "16KiB"), ("chunk", "4KiB")];
            let limit = |settings: &mut Settings| settings.limit_bytes = 2 << 20;
            let mut heap = trial::heap::<RegionLocal>(&params, limit);
            (heap.run(&program), trial::settled(&mut heap))
        };
        let (swept, stats) = run("remembered");
        assert_eq!(swept, right);
        assert!(stats.collections_minor > stats.collections_major, "{stats:?}");
        assert!(stats.collections_major > 0 && stats.barrier_hits > 0, "{stats:?}");
        let (kept, stats) = run("barrier");
        assert!(kept.is_err());
        assert_eq!(stats.collections_minor + stats.collections_major, 0);
    }

    /// Filters two chains of cells of two sizes again and again, and keeps nothing.
    struct Alternate;

    type Two<'gc, M> = (Link<'gc, M, Chain<u64>>, Link<'gc, M, Chain<[u64; 3]>>);

    impl Program for Alternate {
        type Frame<'gc, M: Mutator<'gc>> = (Plain<u32>, Two<'gc, M>);
        type Out = ();
        fn start<'gc, M: Mutator<'gc>>(
            &self,
            heap: &mut M,
            stack: &mut Frames<'gc, M, Self>,
            (): &mut (),
        ) {
            let one = heap.alloc::<Chain<u64>>(Node { item: 1, next: Link::NONE });
            let three = heap.alloc::<Chain<[u64; 3]>>(Node { item: [1; 3], next: Link::NONE });
            stack.push((Plain(300_000), (Link(Some(one)), Link(Some(three)))), heap);
        }
        fn step<'gc, M: Mutator<'gc>>(
            &self,
            heap: &mut M,
            (Plain(left), (one, three)): Self::Frame<'gc, M>,
            stack: &mut Frames<'gc, M, Self>,
            (): &mut (),
        ) {
            let none = heap.filter(one.as_ref(), |_| false);
            heap.release_link(none);
            let none = heap.filter(three.as_ref(), |_| false);
            heap.release_link(none);
            if left > 0 {
                stack.push((Plain(left - 1), (one, three)), heap);
            }
        }
    }

    #[test]
    fn the_log_of_switches_is_bounded() {
        for sweep in ["remembered", "barrier"] {
            let mut heap = trial::heap::<RegionLocal>(&[("sweep", sweep)], |_| {});
            heap.run(&Alternate).unwrap();
            let stats = trial::settled(&mut heap);
            assert!(stats.heap_peak_bytes < 4 << 20, "{sweep}: {stats:?}");
        }
    }
}
