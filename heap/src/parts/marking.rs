//! Mark-sweep: a non-moving tracing collector on size classes, over how its roots
//! are known.
//!
//! The heaps `mark-sweep`, which sees the program's frames, and `shadow-stack`, to
//! which each variable is told, are the same collector: what differs is `R`. What
//! an object takes, what each operation costs and when memory returns is told in
//! the header of `mark_sweep.rs`.
//!
//! Invariants:
//!
//! - M1. Objects lie in `blocks`, and have not moved since they were allocated. A
//!   reference, a variable's on the shadow stack too, leads to one of them, or to
//!   an immortal object (A4).
//! - M2. Entries of the mark stack are reachable objects of ours, with the function of
//!   their own type. A marked object's references were visited, or are being.

use super::address::Ptr;
use super::ahead::Ahead;
use super::blocks::{self, Blocks};
use super::bump::object_bytes;
use super::chain::{self, Listed};
use super::room::room_bytes;
use super::shadow::{Shadow, Slots};
use super::shadow_walks::{self, Shadowed};
use super::uncounted::Uncounted;
use super::verify::{self, Checked};
use crate::Settings;
use crate::heap::{Family, Heap, Program};
use crate::immortals::Immortals;
use crate::machine::{self, NoRoots, Runtime};
use crate::object::{Chain, Item, Link, Node, Object, Visitor};
use crate::pauses::Pauses;
use crate::tally::{Event, HeapError, Stats, Tally};
use std::ptr::NonNull;

/// How a collector knows its roots.
pub trait Roots: 'static {
    /// Whether the program's variables are written down in a shadow stack, which
    /// is then the only place where roots are looked for.
    const SHADOW: bool;
    /// What a frame keeps for the shadow stack.
    type Mark: Copy;
    /// So many slots are in use.
    fn mark(height: usize) -> Self::Mark;
    /// So many slots were in use.
    fn height(mark: Self::Mark) -> usize;
}

/// Mark stack entries kept for the next collection.
const MOST_SPARE_ENTRIES: usize = 4 << 10;

/// A mark-sweep heap whose roots are known as `R` says.
pub struct Marking<R: Roots, T: 'static> {
    blocks: Blocks,
    /// A collection starts when this much may have been allocated since the last.
    collect_at_bytes: usize,
    grey: Vec<Grey<R, T>>,
    /// The program's variables, where the heap is told of them.
    pub shadow: Shadow<Visit<R, T>>,
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
struct Grey<R: Roots, T: 'static> {
    address: NonNull<u8>,
    visit: Visit<R, T>,
}

/// Puts what an object of one type refers to on the mark stack.
type Visit<R, T> = unsafe fn(&mut Marking<R, T>, NonNull<u8>);

impl<R: Roots, T: Tally> Marking<R, T> {
    /// Marks what is reachable, and lets the rest be swept.
    fn collect<'gc>(&mut self, roots: &mut impl Object<'gc, Self>) {
        self.blocks.clear_marks();
        if R::SHADOW {
            let Marking { shadow, grey, tally, .. } = self;
            shadow.each(|address, visit| {
                if !tally.is_immortal(address.as_ptr()) {
                    grey.push(Grey { address, visit });
                }
            });
        } else {
            roots.each_ref(&mut Mark(self));
        }
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
        let since = self.tally.sweep_starts();
        self.blocks.sweep();
        self.tally.sweep_ends(since);
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
            self.shadow.trim();
            self.grey = Vec::new();
        }
    }

    /// Room of the mark stack.
    #[cfg(test)]
    pub fn mark_stack_entries(&self) -> usize {
        self.grey.capacity()
    }

    fn held_bytes(&self) -> usize {
        let stack_bytes = self.grey.capacity() * size_of::<Grey<R, T>>();
        self.blocks.held_bytes() + stack_bytes + self.shadow.held_bytes()
    }
    fn note_peak(&mut self) {
        self.heap_peak_bytes = self.heap_peak_bytes.max(self.held_bytes());
    }
}

/// A frame's references move from variables of the step to those of a frame.
struct Suspend<'h, R: Roots, T: 'static>(&'h mut Marking<R, T>);

impl<'gc, R: Roots, T: Tally> Visitor<'gc, Marking<R, T>> for Suspend<'_, R, T> {
    #[inline(always)]
    fn visit<F: Family>(&mut self, at: &mut Ptr<F>) {
        self.0.tally.add(Event::Rooted, 1);
        if self.0.shadow.suspended.push(at.address(), visit::<F, R, T>) {
            self.0.grew();
        }
    }
}

/// A frame's references are given to a step.
struct Resume<'h, R: Roots, T: 'static>(&'h mut Marking<R, T>);

impl<'gc, R: Roots, T: Tally> Visitor<'gc, Marking<R, T>> for Resume<'_, R, T> {
    #[inline(always)]
    fn visit<F: Family>(&mut self, at: &mut Ptr<F>) {
        self.0.defined::<F>(at.address());
    }
}

struct Mark<'h, R: Roots, T: 'static>(&'h mut Marking<R, T>);

impl<'gc, R: Roots, T: Tally> Visitor<'gc, Marking<R, T>> for Mark<'_, R, T> {
    #[inline]
    fn visit<F: Family>(&mut self, at: &mut Ptr<F>) {
        let address = at.address();
        if !self.0.is_immortal(address) {
            self.0.grey.push(Grey { address, visit: visit::<F, R, T> });
        }
    }
}

/// Puts what an object refers to on the mark stack.
///
/// # Safety
///
/// An object of family `F` lies at `address`, and nobody looks at it.
unsafe fn visit<F: Family, R: Roots, T: Tally>(heap: &mut Marking<R, T>, address: NonNull<u8>) {
    // SAFETY: by contract.
    let object = unsafe { address.cast::<F::Of<'_, Marking<R, T>>>().as_mut() };
    object.each_ref(&mut Mark(heap));
}

// SAFETY: M1: what `take` returns was a free slot, which is swept only once
// its object is unreachable.
unsafe impl<R: Roots, T: Tally> Uncounted for Marking<R, T> {
    type Mark = R::Mark;
    const TOLD_OF_VARIABLES: bool = R::SHADOW;

    #[inline(always)]
    fn mark(&self) -> R::Mark {
        R::mark(self.shadow.suspended.height())
    }

    #[inline(always)]
    fn take<F: Family>(&mut self, bytes: usize) -> NonNull<u8> {
        self.tally.add(Event::Allocated, 1);
        self.blocks.take(bytes, &mut self.tally)
    }
    #[inline(always)]
    fn is_immortal(&self, at: NonNull<u8>) -> bool {
        self.tally.is_immortal(at.as_ptr())
    }
    #[inline(always)]
    fn write_barrier<F: Family>(&mut self, _: NonNull<u8>) {}
    #[inline(always)]
    fn defined<F: Family>(&mut self, at: NonNull<u8>) {
        if R::SHADOW {
            self.tally.add(Event::Rooted, 1);
            if self.shadow.running.push(at, visit::<F, R, T>) {
                self.grew();
            }
        }
    }
    #[inline(always)]
    fn given_up(&mut self, references: usize) {
        if R::SHADOW {
            self.shadow.running.pop(references);
        }
    }
    #[inline(always)]
    fn suspended<'gc>(&mut self, frame: &mut impl Object<'gc, Self>) {
        if R::SHADOW {
            let height = self.shadow.suspended.height();
            frame.each_ref(&mut Suspend(self));
            self.given_up(self.shadow.suspended.height() - height);
            #[cfg(test)]
            if self.shadow.forgetful {
                self.shadow.suspended.cut(height);
            }
        }
    }
    #[inline(always)]
    fn fold_chain<D: Item, A>(
        &mut self,
        chain: Option<&Ptr<Chain<D>>>,
        start: A,
        each: impl FnMut(A, D) -> A,
    ) -> A {
        if R::SHADOW {
            shadow_walks::fold(self, chain, start, each)
        } else {
            chain::fold_borrowed(self, chain, start, each)
        }
    }
    #[inline(always)]
    fn filter_chain<'gc, D: Item>(
        &mut self,
        chain: Option<&Ptr<Chain<D>>>,
        keep: impl FnMut(D) -> bool,
    ) -> Link<'gc, Self, Chain<D>> {
        let exact = const { blocks::has_exact_class(object_bytes::<Node<'_, Self, D>>()) };
        match (R::SHADOW, self.speculate && exact) {
            (false, true) => chain::filter_listed(self, chain, keep),
            (false, false) => chain::filter_borrowed(self, chain, keep),
            (true, true) => shadow_walks::filter_listed(self, chain, keep),
            (true, false) => shadow_walks::filter(self, chain, keep),
        }
    }
}

// SAFETY: the free lists of `Blocks` link free slots by their last word, and a
// `Ptr` is an address.
unsafe impl<'gc, R: Roots, T: Tally> Listed<'gc> for Marking<R, T> {
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

// SAFETY: `visit` is the visiting function of the chain's cells; the free lists are
// as for `Listed`.
unsafe impl<R: Roots, T: Tally> Shadowed for Marking<R, T> {
    type Visit = Visit<R, T>;
    #[inline(always)]
    fn variables(&mut self) -> &mut Slots<Visit<R, T>> {
        &mut self.shadow.running
    }
    #[inline(always)]
    fn visit<D: Item>() -> Visit<R, T> {
        visit::<Chain<D>, R, T>
    }
    fn grew(&mut self) {
        self.note_peak();
        if self.held_bytes() > self.limit_bytes {
            self.blocks.alarm();
        }
    }
    #[inline(always)]
    fn stored(&mut self, stores: u64) {
        self.tally.add(Event::Rooted, stores);
    }
    #[inline(always)]
    fn free_cells(&mut self, cell_bytes: usize) -> &mut *mut u8 {
        self.blocks.free_list(cell_bytes, &mut self.tally)
    }
    #[inline(always)]
    fn appended(&mut self, cells: u64) {
        self.tally.add(Event::Allocated, cells);
    }
}

impl<'gc, R: Roots, T: Tally> Checked<'gc> for Marking<R, T> {
    fn check<F: Family>(&self, at: &Ptr<F>, _seen: usize) -> Result<(), String> {
        if self.blocks.may_hold(at.address().as_ptr()) {
            Ok(())
        } else {
            Err("a reference leads to no object".into())
        }
    }
}

impl<'gc, R: Roots, T: Tally> Runtime<'gc> for Marking<R, T> {
    #[inline(always)]
    fn close(&mut self, mark: R::Mark) {
        if R::SHADOW {
            self.shadow.suspended.cut(R::height(mark));
        }
    }
    #[inline(always)]
    fn enter(&mut self, frame: &mut impl Object<'gc, Self>) {
        if R::SHADOW {
            self.shadow.running.cut(0);
            frame.each_ref(&mut Resume(self));
        }
    }
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

impl<R: Roots, T: Tally> Heap for Marking<R, T> {
    fn new(settings: &Settings) -> Self {
        let trigger_bytes = settings.bytes("trigger").min(room_bytes(settings.limit_bytes, 0));
        let mut blocks = Blocks::new();
        blocks.set_limit(settings.limit_bytes);
        blocks.set_spare(trigger_bytes);
        Marking {
            blocks,
            collect_at_bytes: if settings.zealous() { 0 } else { trigger_bytes },
            grey: Vec::new(),
            shadow: Shadow::new(),
            speculate: settings.is("append", "speculate"),
            zeal: settings.zealous(),
            trigger_bytes,
            growth: settings.factor("growth"),
            limit_bytes: settings.limit_bytes,
            live_peak_bytes: 0,
            heap_peak_bytes: 0,
            tally: T::new(settings),
        }
    }
    fn run<P: Program>(&mut self, program: &P) -> Result<P::Out, HeapError> {
        // As in `settle`.
        self.shadow.clear();
        let out = machine::drive(self, program);
        self.shadow.clear();
        out
    }
    fn settle(&mut self) {
        // A program that panicked left variables behind.
        self.shadow.clear();
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
    fn immortals(&self) -> Option<&Immortals> {
        self.tally.immortals()
    }
    fn validate(&self) -> Result<(), String> {
        if !self.grey.is_empty() {
            return Err("a collection left work behind".into());
        }
        self.blocks.validate()
    }
}
