//! `gc-arena`: the crate gc-arena, collecting between mutations.
//!
//! An incremental mark-sweep collector as a library: a program's references
//! carry a lifetime that only one mutation knows, so between two mutations
//! nothing but the arena's root can hold any, and the collector may run. Here
//! the root is the program's stack, and a mutation is a run of steps.
//!
//! Object: a link to the next object (8 bytes), a table of functions with the
//! colour in its low bits (8), fields, in a block of the platform's malloc; 32
//! bytes for a cell, the allocator's own excluded.
//! Allocate: malloc and two words. Read: one load. Share and release: nothing.
//! Write: the crate's barrier, a test of the phase.
//! Collect: marking in the live objects, sweeping in all of them, a free each;
//! spread over the program's steps by the pacing, in units of whole objects.
//! A queue of the objects found and not yet visited (8 bytes each, one for a
//! chain) is the crate's own and not seen in this heap's accounting.
//! Memory returns when the sweep comes to it.
//! Cannot: collect within a step; build a chain without a branch (malloc gives
//! no second slot to write into); refer to immortal objects (a `Gc` leads to an
//! object of its arena only).
//!
//! Invariants:
//!
//! - N1. An object is composed of plain data and of `Gc`s, which are `Copy`
//!   (`Object` is sealed): a bitwise copy shows the same references, and
//!   neither it nor the object has anything to drop.
//! - N2. Objects are read through `get`, which borrows the mutator, or while
//!   it is held mutably: whoever holds it mutably knows that no other
//!   reference into an object exists.
//!
//! Papers: the crate's documentation; Dijkstra et al., "On-the-fly garbage
//! collection: an exercise in cooperation", CACM 1978.

use crate::Settings;
use crate::heap::{Backend, Family, Frames, Heap, Mutator, Program};
use crate::info::{Info, Kind, Param, Unit};
use crate::machine::{self, Roots, Runtime, Stack};
use crate::object::{Chain, Item, Link, Node, Object, Visitor};
use crate::pauses::Pauses;
use crate::sealed::Sealed;
use crate::tally::{Event, HeapError, Stats, Tally};
use gc_arena::arena::{CollectionPhase, Rootable};
use gc_arena::collect::Trace;
use gc_arena::metrics::Pacing;
use gc_arena::{Arena, Collect, Gc, Mutation};
use std::cell::{Cell, RefCell};
use std::marker::PhantomData;
use std::mem::ManuallyDrop;

/// The crate gc-arena.
pub struct GcArena;

impl Backend for GcArena {
    const INFO: Info = Info {
        name: "gc-arena",
        kind: Kind::Tracing,
        about: "the crate gc-arena: incremental mark-sweep on malloc, collecting between mutations",
        returns: "when the sweep comes to it",
        moves: false,
        cycles: true,
        generational: false,
        reclaims: true,
        problem_specific: false,
        header_bytes: 16,
        cell_bytes: 32,
        params: &[
            Param {
                name: "pacing",
                unit: Unit::Choice(&["incremental", "stop"]),
                default: "incremental",
                about: "the crate's default work factors, or each collection at once",
            },
            Param {
                name: "sleep",
                unit: Unit::Factor(0.0, 64.0),
                default: "0.5",
                about: "a collection starts when this many times the objects kept were allocated",
            },
            Param {
                name: "min-sleep",
                unit: Unit::Factor(0.0, 1e9),
                default: "256",
                about: "but not before this many objects were allocated",
            },
            Param {
                name: "slice",
                unit: Unit::Factor(1.0, 1e9),
                default: "256",
                about: "objects allocated between two looks at what the collector is owed",
            },
        ],
    };
    type Heap<T: Tally> = GcArenaHeap<T>;
}

/// What the heap lends to the program during one mutation.
struct Lent<'gc, T: Tally> {
    arena: &'gc Mutation<'gc>,
    /// Objects in the arena at which a poll wants a safepoint.
    poll_at: usize,
    allocated_bytes: usize,
    tally: T,
}

/// An object in the arena.
struct Traced<'gc, F: Family, T: Tally> {
    object: F::Of<'gc, Lent<'gc, T>>,
}

thread_local! {
    /// Bytes of objects dropped on this thread. The crate counts objects, not
    /// bytes, and drops them in its own calls only: a heap reads the
    /// difference over each.
    static DROPPED_BYTES: Cell<usize> = const { Cell::new(0) };
    /// Objects traced on this thread, in counted instances.
    static TRACED: Cell<u64> = const { Cell::new(0) };
}

impl<F: Family, T: Tally> Drop for Traced<'_, F, T> {
    #[inline(always)]
    fn drop(&mut self) {
        DROPPED_BYTES.set(DROPPED_BYTES.get().wrapping_add(arena_bytes::<Self>()));
    }
}

/// Bytes of an object with the crate's header.
const fn arena_bytes<O>() -> usize {
    2 * size_of::<usize>() + size_of::<O>()
}

// SAFETY: `trace` shows every reference of the object, which `Object::each_ref`
// lists by construction; `drop` looks at none.
unsafe impl<'gc, F: Family, T: Tally> Collect<'gc> for Traced<'gc, F, T> {
    #[inline]
    fn trace<C: Trace<'gc>>(&self, collector: &mut C) {
        if T::ON {
            TRACED.set(TRACED.get() + 1);
        }
        // SAFETY: N1. `each_ref` wants the references in place and mutable;
        // it gets a copy's, since the collector moves nothing.
        let mut copy = ManuallyDrop::new(unsafe { std::ptr::read(&self.object) });
        copy.each_ref(&mut Show(collector));
    }
}

/// Shows references to the crate's collector.
struct Show<'c, C>(&'c mut C);

impl<'gc, C: Trace<'gc>, T: Tally> Visitor<'gc, Lent<'gc, T>> for Show<'_, C> {
    #[inline(always)]
    fn visit<F: Family>(&mut self, at: &mut Gc<'gc, Traced<'gc, F, T>>) {
        self.0.trace_gc(Gc::erase(*at));
    }
}

/// The arena's root: the program's stack.
struct Root<'gc, P: Program, T: Tally> {
    stack: RefCell<Frames<'gc, Lent<'gc, T>, P>>,
}

// SAFETY: `trace` shows every reference of the stack; there is no drop.
unsafe impl<'gc, P: Program, T: Tally> Collect<'gc> for Root<'gc, P, T> {
    fn trace<C: Trace<'gc>>(&self, collector: &mut C) {
        Roots(&mut self.stack.borrow_mut()).each_ref(&mut Show(collector));
    }
}

/// Names [`Root`] for any lifetime.
struct Rooted<P, T>(PhantomData<(P, T)>);

impl<'gc, P: Program, T: Tally> Rootable<'gc> for Rooted<P, T> {
    type Root = Root<'gc, P, T>;
}

/// Names the root of an arena without a program.
struct Unrooted;

impl Rootable<'_> for Unrooted {
    type Root = ();
}

impl<T: Tally> Sealed for Lent<'_, T> {}
impl<T: Tally> Sealed for GcArenaHeap<T> {}

impl<'gc, T: Tally> Mutator<'gc> for Lent<'gc, T> {
    type Ref<F: Family> = Gc<'gc, Traced<'gc, F, T>>;
    type Mark = ();

    #[inline(always)]
    fn mark(&self) {}

    #[inline(always)]
    fn identity<F: Family>(&self, at: &Self::Ref<F>) -> usize {
        Gc::as_ptr(*at) as usize
    }
    #[inline(always)]
    fn alloc<F: Family>(&mut self, value: F::Of<'gc, Self>) -> Self::Ref<F> {
        self.tally.add(Event::Allocated, 1);
        self.allocated_bytes += arena_bytes::<Traced<'gc, F, T>>();
        Gc::new(self.arena, Traced { object: value })
    }
    #[inline(always)]
    fn get<'a, F: Family>(&'a self, at: &'a Self::Ref<F>) -> &'a F::Of<'gc, Self> {
        &Gc::as_ref(*at).object
    }
    #[inline(always)]
    fn set<F: Family>(&mut self, at: &Self::Ref<F>, value: F::Of<'gc, Self>) {
        Gc::write(self.arena, *at);
        // SAFETY: N2: nobody else looks at the object; the barrier was called;
        // N1: the old contents need no drop.
        unsafe { (&raw mut (*Gc::as_ptr(*at).cast_mut()).object).write(value) };
    }
    #[inline(always)]
    fn same<F: Family>(&self, a: &Self::Ref<F>, b: &Self::Ref<F>) -> bool {
        Gc::ptr_eq(*a, *b)
    }
    #[inline(always)]
    fn share<F: Family>(&mut self, at: &Self::Ref<F>) -> Self::Ref<F> {
        *at
    }
    #[inline(always)]
    fn release<F: Family>(&mut self, _: Self::Ref<F>) {}
    #[inline(always)]
    fn load<F: Family, U: Family>(
        &mut self,
        at: &Self::Ref<F>,
        field: impl for<'x> FnOnce(&'x F::Of<'gc, Self>) -> &'x Link<'gc, Self, U>,
    ) -> Link<'gc, Self, U> {
        Link(field(self.get::<F>(at)).0)
    }
    #[inline(always)]
    fn fold<D: Item, A>(
        &mut self,
        chain: Option<&Self::Ref<Chain<D>>>,
        start: A,
        mut each: impl FnMut(A, D) -> A,
    ) -> A {
        let mut acc = start;
        let mut at = chain.copied();
        while let Some(cell) = at {
            acc = each(acc, cell.object.item);
            at = cell.object.next.0;
        }
        acc
    }
    #[inline(always)]
    fn filter<D: Item>(
        &mut self,
        chain: Option<&Self::Ref<Chain<D>>>,
        mut keep: impl FnMut(D) -> bool,
    ) -> Link<'gc, Self, Chain<D>> {
        let mut head = Link::NONE;
        let mut last: Option<(Self::Ref<Chain<D>>, D)> = None;
        let mut at = chain.copied();
        while let Some(cell) = at {
            let item = cell.object.item;
            at = cell.object.next.0;
            if keep(item) {
                let kept = self.alloc::<Chain<D>>(Node { item, next: Link::NONE });
                match last {
                    None => head = Link(Some(kept)),
                    Some((last, item)) => {
                        self.set::<Chain<D>>(&last, Node { item, next: Link(Some(kept)) });
                    }
                }
                last = Some((kept, item));
            }
        }
        head
    }
}

impl<'gc, T: Tally> Runtime<'gc> for Lent<'gc, T> {
    #[inline(always)]
    fn close(&mut self, (): ()) {}
    #[inline(always)]
    fn poll(&self) -> bool {
        self.arena.metrics().total_gc_count() >= self.poll_at
    }
    /// Nothing: the arena collects when the mutation is over.
    fn safepoint(&mut self, _: &mut impl Object<'gc, Self>) -> Result<(), HeapError> {
        Ok(())
    }
    fn abandon(&mut self, _: &mut impl Object<'gc, Self>) {}
}

/// The heap of [`GcArena`].
pub struct GcArenaHeap<T: Tally> {
    /// The arena between two runs; `None` within one, and after a panic in one.
    arena: Option<Arena<Unrooted>>,
    pacing: Pacing,
    /// Whether a collection is done at once rather than by and by.
    whole: bool,
    zeal: bool,
    slice: usize,
    limit_bytes: usize,
    live_bytes: usize,
    live_peak_bytes: usize,
    tally: T,
}

fn new_arena(pacing: Pacing) -> Arena<Unrooted> {
    let arena = Arena::<Unrooted>::new(|_| ());
    arena.metrics().set_pacing(pacing);
    arena
}

impl<T: Tally> GcArenaHeap<T> {
    /// The arena; a new one if a panic in the program took the last one, with
    /// all its objects and their accounts.
    fn take_arena(&mut self) -> Arena<Unrooted> {
        self.arena.take().unwrap_or_else(|| {
            self.live_bytes = 0;
            self.tally = T::default();
            new_arena(self.pacing)
        })
    }

    /// Runs steps until the program ends (true) or a safepoint is due (false).
    fn steps<P: Program>(
        &mut self,
        arena: &mut Arena<Rooted<P, T>>,
        run: impl for<'gc> FnOnce(&mut Lent<'gc, T>, &mut Frames<'gc, Lent<'gc, T>, P>) -> bool,
    ) -> bool {
        let tally = std::mem::take(&mut self.tally);
        let slice = if self.zeal { 0 } else { self.slice };
        let (ended, bytes, tally) = arena.mutate_root(|arena, root| {
            let poll_at = arena.metrics().total_gc_count() + slice;
            let mut lent = Lent { arena, poll_at, allocated_bytes: 0, tally };
            let ended = run(&mut lent, root.stack.get_mut());
            (ended, lent.allocated_bytes, lent.tally)
        });
        self.tally = tally;
        self.live_bytes += bytes;
        self.live_peak_bytes = self.live_peak_bytes.max(self.live_bytes);
        ended
    }

    /// Does what the collector is owed; a whole collection if the heap is over
    /// its limit.
    fn safepoint<P: Program>(&mut self, arena: &mut Arena<Rooted<P, T>>) -> Result<(), HeapError> {
        if self.zeal || self.live_bytes > self.limit_bytes {
            self.collect(arena, whole_collection);
        } else if arena.metrics().allocation_debt() > 0.0 {
            self.collect(arena, if self.whole { Arena::finish_cycle } else { Arena::cycle_debt });
        }
        if self.zeal {
            self.check(arena.metrics().total_gc_count()).unwrap_or_else(|error| panic!("{error}"));
        }
        if self.live_bytes > self.limit_bytes {
            return Err(HeapError::OutOfMemory {
                limit_bytes: self.limit_bytes,
                live_bytes: self.live_bytes,
            });
        }
        Ok(())
    }

    /// Lets the collector work, and keeps account of what it does.
    fn collect<R>(&mut self, arena: &mut Arena<R>, work: impl FnOnce(&mut Arena<R>))
    where
        R: for<'a> Rootable<'a>,
        for<'a> <R as Rootable<'a>>::Root: Sized,
    {
        let since = self.tally.stop();
        let count = arena.metrics().total_gc_count();
        let (dropped_bytes, traced) = (DROPPED_BYTES.get(), TRACED.get());
        work(arena);
        self.live_bytes -= DROPPED_BYTES.get().wrapping_sub(dropped_bytes);
        if T::ON {
            let freed = (count - arena.metrics().total_gc_count()) as u64;
            let ended = arena.collection_phase() == CollectionPhase::Sleeping;
            self.tally.add(Event::CollectedMajor, u64::from(ended));
            self.tally.add(Event::Marked, TRACED.get() - traced);
            self.tally.add(Event::Swept, freed);
            self.tally.add(Event::Freed, freed);
        }
        self.tally.resume(since);
    }

    /// Checks the accounting against the objects that the arena holds.
    fn check(&self, held: usize) -> Result<(), String> {
        let counted = self.tally.get(Event::Allocated) - self.tally.get(Event::Freed);
        if T::ON && counted != held as u64 {
            return Err(format!("the arena holds {held} objects, but {counted} were counted"));
        }
        if (held == 0) != (self.live_bytes == 0) {
            return Err(format!("{held} objects take {} bytes", self.live_bytes));
        }
        Ok(())
    }
}

/// Frees all that is unreachable now: the collection that is under way, which
/// keeps what was allocated since it began, and another one.
fn whole_collection<R>(arena: &mut Arena<R>)
where
    R: for<'a> Rootable<'a>,
    for<'a> <R as Rootable<'a>>::Root: Collect<'a>,
{
    if arena.collection_phase() != CollectionPhase::Sleeping {
        arena.finish_cycle();
    }
    arena.finish_cycle();
}

impl<T: Tally> Heap for GcArenaHeap<T> {
    fn new(settings: &Settings) -> Self {
        let whole = settings.is("pacing", "stop");
        let factors = if whole { Pacing::STOP_THE_WORLD } else { Pacing::DEFAULT };
        let pacing = Pacing {
            sleep_factor: settings.factor("sleep"),
            min_sleep: settings.factor("min-sleep") as usize,
            ..factors
        };
        GcArenaHeap {
            arena: Some(new_arena(pacing)),
            pacing,
            whole,
            zeal: settings.zealous(),
            slice: settings.factor("slice") as usize,
            limit_bytes: settings.limit_bytes,
            live_bytes: 0,
            live_peak_bytes: 0,
            tally: T::default(),
        }
    }
    fn run<P: Program>(&mut self, program: &P) -> Result<P::Out, HeapError> {
        let mut out = P::Out::default();
        let arena = self.take_arena();
        let mut arena: Arena<Rooted<P, T>> =
            arena.map_root(|_, ()| Root { stack: RefCell::new(Stack::new()) });
        self.steps(&mut arena, |heap, stack| {
            program.start(heap, stack, &mut out);
            false
        });
        let mut end = self.safepoint(&mut arena);
        while end.is_ok()
            && !self.steps(&mut arena, |heap, stack| machine::steps(heap, program, stack, &mut out))
        {
            end = self.safepoint(&mut arena);
        }
        self.arena = Some(arena.map_root(|_, _| ()));
        end.map(|()| out)
    }
    fn settle(&mut self) {
        let mut arena = self.take_arena();
        self.collect(&mut arena, whole_collection);
        self.arena = Some(arena);
    }
    fn stats(&self) -> Stats {
        let live = self.arena.as_ref().map_or(0, |arena| arena.metrics().total_gc_count());
        Stats {
            live_cells: live as u64,
            live_bytes: self.live_bytes,
            live_peak_bytes: self.live_peak_bytes,
            heap_peak_bytes: self.live_peak_bytes,
            ..Stats::counted(&self.tally)
        }
    }
    fn pauses(&mut self) -> Option<&mut Pauses> {
        self.tally.pauses()
    }
    fn validate(&self) -> Result<(), String> {
        match &self.arena {
            Some(arena) => self.check(arena.metrics().total_gc_count()),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parts::trial;

    #[test]
    fn traces() {
        trial::trace::<GcArena>(&[
            &[],
            &[("pacing", "stop"), ("min-sleep", "16")],
            &[("slice", "1"), ("sleep", "0")],
        ]);
    }

    #[test]
    fn bytes_are_those_of_the_objects_alive() {
        let mut heap = trial::heap::<GcArena>(&[("sleep", "64")], |_| {});
        heap.run(&trial::Grow { cells: 1_000, each_step: 10 }).unwrap();
        assert_eq!(heap.stats().live_cells, 1_000);
        assert_eq!(heap.live_bytes, 1_000 * 32);
        trial::settled(&mut heap);
        assert_eq!(heap.live_bytes, 0);
    }
}
