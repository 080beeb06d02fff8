//! `gc`: a generational tracing collector.
//!
//! Objects are bumped into a nursery that fits a cache. When it is nearly
//! full, a minor collection copies what the roots and the remembered set reach
//! into the old generation (promotion at the first collection) and resets the
//! nursery's pointer: the dead cost nothing. The old generation lies in size
//! classes, is marked from the roots once it has grown by a factor, and swept
//! lazily; it does not move.
//!
//! Object: its fields, no header; 16 bytes for a cell, in both generations.
//! References are typed, so tracing knows each object's shape from the
//! reference it came by; marks are in bitmaps beside the objects.
//! Allocate: add and compare. Read: one load. Share and release: nothing.
//! Write: one range test, and one list entry for an old object's first write.
//! Minor collection: time in the survivors. Major: time in the live objects.
//! Memory returns at a minor collection (young) or at a major one's sweep (old).
//! A heap with a limit has a major collection once a quarter of the room that is
//! left below it may be in use.
//! Cannot: bound a pause; run destructors.
//!
//! Invariants:
//!
//! - G1. Young objects lie in `[nursery base, bump.top)`; old ones in `old`.
//!   A reference leads to one of either, or to an immortal object (A4).
//! - G2. An old object that refers to a young one is in `remembered`.
//! - G3. During a minor collection an object whose forwarding bit is set holds
//!   its new address in its first word; no other young object is changed.
//! - G4. Work list entries are old objects whose references were not visited
//!   since they were copied, or that are to be marked, with the functions of
//!   their own type.
//! - G5. Before a major collection the nursery is empty.
//!
//! Papers: Ungar, "Generation scavenging", 1984; Doligez & Leroy, "A
//! concurrent, generational garbage collector for ML", POPL 1993; Appel,
//! "Simple generational garbage collection and fast allocation", 1989.

use crate::Settings;
use crate::heap::{Backend, Family, Heap, Program};
use crate::immortals::Immortals;
use crate::info::{APPEND, Info, Kind, Param, Unit};
use crate::machine::{self, NoRoots, Runtime};
use crate::object::{Chain, Item, Link, Object, Visitor};
use crate::parts::address::Ptr;
use crate::parts::ahead::Ahead;
use crate::parts::bits::Bits;
use crate::parts::blocks::Blocks;
use crate::parts::bump::{Bump, Chunk, object_bytes};
use crate::parts::chain::{self, Bumping};
use crate::parts::poison;
use crate::parts::remembered::{Grey, Remembered};
use crate::parts::room::room_bytes;
use crate::parts::uncounted::Uncounted;
use crate::parts::verify::{self, Checked};
use crate::pauses::Pauses;
use crate::tally::{Event, HeapError, Off, Stats, Tally};
use std::ptr::NonNull;

/// A generational tracing collector.
pub struct Gc;

impl Backend for Gc {
    const INFO: Info = Info {
        name: "gc",
        kind: Kind::Tracing,
        about: "generational: bump nursery, promotion by copying, mark-sweep old generation",
        returns: "young objects at minor, old ones at major collections",
        moves: true,
        cycles: true,
        generational: true,
        reclaims: true,
        problem_specific: false,
        header_bytes: 0,
        cell_bytes: 16,
        params: &[
            APPEND,
            Param {
                name: "nursery",
                unit: Unit::Bytes(1 << 10, 1 << 30),
                default: "256KiB",
                about: "size of the nursery, at most a quarter of the heap limit",
            },
            Param {
                name: "growth",
                unit: Unit::Factor(1.1, 16.0),
                default: "2.0",
                about: "a major collection starts when the old generation has grown by this factor",
            },
        ],
    };
    type Heap<T: Tally> = GcHeap<T>;
}

/// The old generation may grow by this much whatever the factor says.
const LEAST_GROWTH_BYTES: usize = 1 << 20;

/// The heap of [`Gc`].
pub struct GcHeap<T: 'static> {
    bump: Bump,
    /// At or above this top, a poll wants a safepoint.
    soft_end: *mut u8,
    nursery: Chunk,
    forwarded: Bits,
    old: Blocks,
    remembered: Remembered<&'static Shape<T>>,
    grey: Vec<Grey<&'static Shape<T>>>,
    speculate: bool,
    zeal: bool,
    growth: f64,
    limit_bytes: usize,
    /// A major collection starts when this much may be allocated in `old`.
    major_at_bytes: usize,
    live_peak_bytes: usize,
    heap_peak_bytes: usize,
    tally: T,
}

/// How to visit the references of one object type, in each kind of collection.
struct Shape<T: 'static> {
    evacuate: unsafe fn(&mut GcHeap<T>, NonNull<u8>),
    mark: unsafe fn(&mut GcHeap<T>, NonNull<u8>),
}

impl<T: Tally> GcHeap<T> {
    fn shape<F: Family>() -> &'static Shape<T> {
        &const { Shape { evacuate: evacuate::<F, T>, mark: mark::<F, T> } }
    }

    #[inline(always)]
    fn is_young(&self, address: NonNull<u8>) -> bool {
        (address.as_ptr() as usize).wrapping_sub(self.nursery.base() as usize)
            < self.nursery.bytes()
    }

    /// Allocates an old object because the nursery has no room for it. Its
    /// fields may refer to young objects, so it is remembered (G2).
    #[cold]
    #[inline(never)]
    fn take_old<F: Family>(&mut self, bytes: usize) -> NonNull<u8> {
        self.tally.add(Event::AllocatedOld, 1);
        let at = self.old.take(bytes, &mut self.tally);
        self.soft_end = self.nursery.base();
        // SAFETY: G1: it lies in `old`.
        unsafe { self.remembered.add(&mut self.old, at, Self::shape::<F>()) };
        at
    }

    /// Objects in the old generation, in the counted instance.
    fn old_cells(&self) -> u64 {
        self.tally.get(Event::Copied) + self.tally.get(Event::AllocatedOld)
            - self.tally.get(Event::Swept)
    }

    /// Promotes what is reachable in the nursery, and empties it.
    fn collect_minor<'gc>(&mut self, roots: &mut impl Object<'gc, Self>) {
        self.tally.add(Event::CollectedMinor, 1);
        roots.each_ref(&mut Evacuate(self));
        // SAFETY: G2: they lie in `old`.
        while let Some(grey) = unsafe { self.remembered.pop(&mut self.old) } {
            // SAFETY: G2: an old object; G4: of this shape.
            unsafe { (grey.shape.evacuate)(self, grey.address) };
        }
        while let Some(grey) = self.grey.pop() {
            // SAFETY: G4.
            unsafe { (grey.shape.evacuate)(self, grey.address) };
        }
        self.forwarded.clear_below(self.bump.top);
        self.bump = self.nursery.bump();
        self.tally.hold(self.old_cells());
        // SAFETY: all that is reachable has left the nursery.
        unsafe { poison::dead(self.nursery.base(), self.nursery.bytes()) };
    }

    /// Marks the old generation and lets it be swept. The nursery is empty (G5).
    fn collect_major<'gc>(&mut self, roots: &mut impl Object<'gc, Self>) {
        self.tally.add(Event::CollectedMajor, 1);
        self.old.clear_marks();
        roots.each_ref(&mut Mark(self));
        let mut ahead = Ahead::new();
        while let Some(grey) =
            ahead.pop(&mut self.grey, |grey| Blocks::fetch(grey.address.as_ptr()))
        {
            // SAFETY: G1, G5: the object is old; G4.
            unsafe {
                if self.old.mark(grey.address.as_ptr()) {
                    (grey.shape.mark)(self, grey.address);
                }
            }
        }
        self.old.sweep();
        let live_bytes = self.old.marked_bytes();
        let marked = self.old.marked_cells() as u64;
        self.tally.add(Event::Marked, marked);
        if T::ON {
            self.tally.add(Event::Swept, self.old_cells() - marked);
        }
        self.tally.hold(marked);
        self.live_peak_bytes = self.live_peak_bytes.max(live_bytes);
        let growth_bytes = (live_bytes as f64 * (self.growth - 1.0)) as usize;
        self.major_at_bytes =
            growth_bytes.max(LEAST_GROWTH_BYTES).min(self.old_room_bytes(live_bytes));
    }

    /// What the limit lets be promoted before a major collection.
    fn old_room_bytes(&self, live_bytes: usize) -> usize {
        room_bytes(self.limit_bytes, self.nursery.bytes() + live_bytes)
    }

    /// Gives up the memory that is kept for later.
    fn trim(&mut self) {
        self.old.trim();
        self.grey.shrink_to_fit();
        self.remembered.trim();
    }

    fn held_bytes(&self) -> usize {
        self.nursery.bytes()
            + self.forwarded.held_bytes()
            + self.old.held_bytes()
            + self.remembered.held_bytes()
            + self.grey.capacity() * size_of::<Grey<&Shape<T>>>()
    }
}

/// Visits an old object's references in a minor collection.
///
/// # Safety
///
/// An old object of family `F` lies at `address`, and nobody looks at it.
unsafe fn evacuate<F: Family, T: Tally>(heap: &mut GcHeap<T>, address: NonNull<u8>) {
    // SAFETY: by contract.
    let object = unsafe { address.cast::<F::Of<'_, GcHeap<T>>>().as_mut() };
    object.each_ref(&mut Evacuate(heap));
}

/// Visits an old object's references in a major collection.
///
/// # Safety
///
/// As for [`evacuate`].
unsafe fn mark<F: Family, T: Tally>(heap: &mut GcHeap<T>, address: NonNull<u8>) {
    // SAFETY: by contract.
    let object = unsafe { address.cast::<F::Of<'_, GcHeap<T>>>().as_mut() };
    object.each_ref(&mut Mark(heap));
}

struct Evacuate<'h, T: 'static>(&'h mut GcHeap<T>);

impl<'gc, T: Tally> Visitor<'gc, GcHeap<T>> for Evacuate<'_, T> {
    #[inline]
    fn visit<F: Family>(&mut self, at: &mut Ptr<F>) {
        let heap = &mut *self.0;
        let from = at.address();
        if !heap.is_young(from) {
            return;
        }
        if heap.forwarded.get(from.as_ptr()) {
            // SAFETY: G3.
            *at = Ptr::new(unsafe { from.cast::<NonNull<u8>>().read() });
            return;
        }
        let object_bytes = const { object_bytes::<F::Of<'static, GcHeap<T>>>() };
        // What it sweeps for that is part of this pause, not one of its own.
        let to = heap.old.take(object_bytes, &mut Off);
        // SAFETY: G1, G3: a young object that has not moved, and a free slot.
        unsafe {
            from.copy_to_nonoverlapping(to, object_bytes);
            from.cast::<NonNull<u8>>().write(to);
        }
        heap.forwarded.set(from.as_ptr());
        heap.tally.add(Event::CopiedBytes, object_bytes as u64);
        heap.tally.add(Event::Copied, 1);
        *at = Ptr::new(to);
        heap.grey.push(Grey { address: to, shape: GcHeap::shape::<F>() });
    }
}

struct Mark<'h, T: 'static>(&'h mut GcHeap<T>);

impl<'gc, T: Tally> Visitor<'gc, GcHeap<T>> for Mark<'_, T> {
    #[inline]
    fn visit<F: Family>(&mut self, at: &mut Ptr<F>) {
        let address = at.address();
        if !self.0.is_immortal(address) {
            self.0.grey.push(Grey { address, shape: GcHeap::shape::<F>() });
        }
    }
}

// SAFETY: G1: what `take` returns lies above the nursery's top, or in a free
// slot of `old`.
unsafe impl<T: Tally> Uncounted for GcHeap<T> {
    type Mark = ();

    #[inline(always)]
    fn mark(&self) {}

    #[inline(always)]
    fn take<F: Family>(&mut self, bytes: usize) -> NonNull<u8> {
        self.tally.add(Event::Allocated, 1);
        match self.bump.take(bytes) {
            Some(at) => at,
            None => self.take_old::<F>(bytes),
        }
    }
    #[inline(always)]
    fn is_immortal(&self, at: NonNull<u8>) -> bool {
        self.tally.is_immortal(at.as_ptr())
    }
    #[inline(always)]
    fn write_barrier<F: Family>(&mut self, at: NonNull<u8>) {
        if !self.is_young(at) {
            // SAFETY: G1: neither young nor immortal, so it lies in `old`.
            unsafe {
                self.remembered.written(&mut self.old, at, Self::shape::<F>(), &mut self.tally);
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
            chain::filter_bump(self, chain, keep)
        } else {
            chain::filter_borrowed(self, chain, keep)
        }
    }
}

impl<T: Tally> Bumping for GcHeap<T> {
    #[inline(always)]
    fn bump(&mut self) -> &mut Bump {
        &mut self.bump
    }
    #[inline(always)]
    fn appended(&mut self, cells: u64) {
        self.tally.add(Event::Allocated, cells);
    }
}

impl<'gc, T: Tally> Checked<'gc> for GcHeap<T> {
    fn check<F: Family>(&self, at: &Ptr<F>, _seen: usize) -> Result<(), String> {
        let at = at.address();
        let young = self.is_young(at) && at.as_ptr() < self.bump.top;
        if young || self.old.may_hold(at.as_ptr()) {
            Ok(())
        } else {
            Err("a reference leads to no object".into())
        }
    }
}

impl<'gc, T: Tally> Runtime<'gc> for GcHeap<T> {
    #[inline(always)]
    fn close(&mut self, (): ()) {}
    #[inline(always)]
    fn poll(&self) -> bool {
        self.bump.top >= self.soft_end
    }
    fn safepoint(&mut self, roots: &mut impl Object<'gc, Self>) -> Result<(), HeapError> {
        let since = self.tally.stop();
        self.collect_minor(roots);
        self.heap_peak_bytes = self.heap_peak_bytes.max(self.held_bytes());
        let over = self.held_bytes() > self.limit_bytes;
        if self.zeal {
            // Before a major collection follows a reference that a minor one missed.
            verify::insist(self, roots);
        }
        if over || self.zeal || self.old.fresh_bytes() >= self.major_at_bytes {
            self.collect_major(roots);
        }
        if over {
            self.trim();
        }
        self.tally.resume(since);
        if self.zeal {
            verify::insist(self, roots);
        }
        self.soft_end = soft_end(&self.nursery, self.zeal || self.held_bytes() > self.limit_bytes);
        if self.held_bytes() > self.limit_bytes {
            return Err(HeapError::OutOfMemory {
                limit_bytes: self.limit_bytes,
                live_bytes: self.old.marked_bytes(),
            });
        }
        Ok(())
    }
    fn abandon(&mut self, _: &mut impl Object<'gc, Self>) {}
}

/// The top at which a safepoint is wanted: a step's worth of cells before the
/// end, so that steps rarely overflow into the old generation; the base when
/// every poll wants one.
fn soft_end(nursery: &Chunk, always: bool) -> *mut u8 {
    let slack_bytes = (nursery.bytes() / 8).min(4 << 10);
    nursery.base().wrapping_add(if always { 0 } else { nursery.bytes() - slack_bytes })
}

impl<T: Tally> Heap for GcHeap<T> {
    fn new(settings: &Settings) -> Self {
        let nursery = Chunk::new(settings.bytes("nursery").min(settings.limit_bytes / 4));
        let forwarded = Bits::new(nursery.base(), nursery.bytes());
        let mut heap = GcHeap {
            bump: nursery.bump(),
            soft_end: soft_end(&nursery, settings.zealous()),
            nursery,
            forwarded,
            old: Blocks::new(),
            remembered: Remembered::NONE,
            grey: Vec::new(),
            speculate: settings.is("append", "speculate"),
            zeal: settings.zealous(),
            growth: settings.factor("growth"),
            limit_bytes: settings.limit_bytes,
            major_at_bytes: LEAST_GROWTH_BYTES,
            live_peak_bytes: 0,
            heap_peak_bytes: 0,
            tally: T::new(settings),
        };
        heap.major_at_bytes = heap.major_at_bytes.min(heap.old_room_bytes(0));
        heap.heap_peak_bytes = heap.held_bytes();
        heap
    }
    fn run<P: Program>(&mut self, program: &P) -> Result<P::Out, HeapError> {
        machine::drive(self, program)
    }
    fn settle(&mut self) {
        self.collect_minor(&mut NoRoots);
        self.collect_major(&mut NoRoots);
        if self.held_bytes() > self.limit_bytes {
            self.trim();
        }
        self.soft_end = soft_end(&self.nursery, self.zeal || self.held_bytes() > self.limit_bytes);
    }
    fn stats(&self) -> Stats {
        Stats {
            live_cells: self.old.marked_cells() as u64,
            live_bytes: self.old.marked_bytes(),
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
        if !self.nursery.spans(self.bump.top) {
            return Err("the top is outside the nursery".into());
        }
        if !self.grey.is_empty() {
            return Err("a collection left work behind".into());
        }
        self.old.validate()
    }
}
