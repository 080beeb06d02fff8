//! `semispace`: Cheney's copying collector, without generations.
//!
//! Objects are bumped into one space. When it is nearly full, all that the
//! roots reach is copied into another, breadth first, and the old space is
//! free: the dead cost nothing, the living are copied every time. Allocation
//! is that of `gc`; the difference between the two is what generations buy.
//!
//! Object: its fields, no header; 16 bytes for a cell. Since a copy's shape
//! cannot be read from it, the scan pointer runs through a queue of *runs*,
//! ranges of new objects of one type: one entry however many they are, when
//! they are alike (24 bytes for each change of type at worst).
//! Beside a space lies one forwarding bit per 8 bytes (1.6 %).
//! Allocate: add and compare. Read: one load. Share, release, write: nothing.
//! Collect: time in the live objects, whatever their age.
//! Memory returns at a collection. Space: twice the live objects while
//! copying, so a heap limit allows a little less than half of it to be live.
//! Cannot: bound a pause; keep an object in place; run destructors.
//!
//! Invariants:
//!
//! - S1. Outside a collection all objects lie in `space`, and `from` is empty.
//!   A reference leads to one of them, or to an immortal object (A4).
//! - S2. During a collection a reference to an object of ours leads to `from` if
//!   it was not visited yet, and to `space` if it was; each is visited once. An
//!   object in `from` is unchanged until its forwarding bit is set; then its first
//!   word is the address of its copy.
//! - S3. A run covers copies whose references were not visited yet, all of the
//!   type of its `scan`.
//!
//! Papers: Cheney, "A nonrecursive list compacting algorithm", CACM 1970;
//! Fenichel & Yochelson, "A LISP garbage-collector for virtual-memory computer
//! systems", CACM 1969.

use crate::Settings;
use crate::heap::{Backend, Family, Heap, Program};
use crate::immortals::Immortals;
use crate::info::{APPEND, Info, Kind, Param, Unit};
use crate::machine::{self, NoRoots, Runtime};
use crate::object::{Chain, Item, Link, Object, Visitor};
use crate::parts::address::Ptr;
use crate::parts::bump::{Bump, object_bytes};
use crate::parts::chain::{self, Bumping};
use crate::parts::space::{Piece, Space};
use crate::parts::uncounted::Uncounted;
use crate::parts::verify::{self, Checked};
use crate::pauses::Pauses;
use crate::tally::{Event, HeapError, Stats, Tally};
use std::collections::VecDeque;
use std::ptr::NonNull;

/// Cheney's copying collector.
pub struct Semispace;

impl Backend for Semispace {
    const INFO: Info = Info {
        name: "semispace",
        kind: Kind::Tracing,
        about: "Cheney copying, no generations: every collection copies all that is live",
        returns: "at a collection",
        moves: true,
        cycles: true,
        generational: false,
        reclaims: true,
        problem_specific: false,
        header_bytes: 0,
        cell_bytes: 16,
        params: &[
            APPEND,
            Param {
                name: "space",
                unit: Unit::Bytes(1 << 10, 1 << 30),
                default: "256KiB",
                about: "least size of the space in use, at most what the heap limit leaves for one",
            },
            Param {
                name: "growth",
                unit: Unit::Factor(1.1, 16.0),
                default: "2.0",
                about: "the space in use becomes this many times the live bytes",
            },
        ],
    };
    type Heap<T: Tally> = SemispaceHeap<T>;
}

/// Smallest chunk that a step takes when it outgrows the space.
const LEAST_OVERDRAFT_BYTES: usize = 32 << 10;

/// The heap of [`Semispace`].
pub struct SemispaceHeap<T: 'static> {
    space: Space,
    /// At or above this top, a poll wants a safepoint.
    soft_end: *mut u8,
    /// Bytes that may be taken in another chunk before a collection.
    budget_bytes: usize,
    /// What is copied out of during a collection.
    from: Space,
    /// The first chunk of the next collection's copies.
    spare: Option<Piece>,
    runs: VecDeque<Run<T>>,
    live_cells: usize,
    speculate: bool,
    zeal: bool,
    space_bytes: usize,
    growth: f64,
    limit_bytes: usize,
    /// Most bytes that may be live: half the limit, less the bits beside.
    most_live_bytes: usize,
    live_peak_bytes: usize,
    heap_peak_bytes: usize,
    tally: T,
}

/// Adjacent copies of one type, in `[start, end)`, whose references are to be visited.
struct Run<T: 'static> {
    start: NonNull<u8>,
    end: NonNull<u8>,
    shape: &'static Shape<T>,
}

/// How to visit the references of a run of objects of one type.
struct Shape<T: 'static> {
    scan: unsafe fn(&mut SemispaceHeap<T>, NonNull<u8>, NonNull<u8>),
}

impl<T: Tally> SemispaceHeap<T> {
    /// Goes on in another chunk, planned or not.
    #[cold]
    #[inline(never)]
    fn take_in_new_chunk(&mut self, bytes: usize) -> NonNull<u8> {
        let planned = self.budget_bytes >= bytes;
        let overdraft_bytes = (self.space.used_bytes() / 2).max(LEAST_OVERDRAFT_BYTES);
        let chunk_bytes = if planned { self.budget_bytes } else { overdraft_bytes.max(bytes) };
        self.space.push(Piece::new(chunk_bytes));
        self.note_peak();
        self.budget_bytes = 0;
        self.soft_end = self.space.bump.top;
        if planned {
            self.soft_end = soft_end(self.space.bump, chunk_bytes);
        }
        self.space.bump.take(bytes).expect("a new chunk has room")
    }

    /// Copies what is reachable, and frees the rest.
    fn collect<'gc>(&mut self, roots: &mut impl Object<'gc, Self>) {
        self.from = std::mem::replace(&mut self.space, Space::new());
        if let Some(spare) = self.spare.take() {
            self.space.push(spare);
        }
        self.live_cells = 0;
        roots.each_ref(&mut Evacuate(self));
        while let Some(run) = self.runs.pop_front() {
            // SAFETY: S3.
            unsafe { (run.shape.scan)(self, run.start, run.end) };
        }
        self.note_peak();
        let live_bytes = self.space.used_bytes();
        let grown_bytes = (live_bytes as f64 * self.growth) as usize;
        let space_bytes = grown_bytes.max(self.space_bytes).min(self.most_live_bytes);
        let from = std::mem::replace(&mut self.from, Space::new());
        // SAFETY: S2: all references were visited, and lead to `space`.
        self.spare = unsafe { from.leave(space_bytes) };
        self.runs.shrink_to(1 << 10);
        self.plan(space_bytes.saturating_sub(live_bytes));
        self.live_peak_bytes = self.live_peak_bytes.max(live_bytes);
        self.tally.add(Event::CollectedMajor, 1);
        self.tally.add(Event::CopiedBytes, live_bytes as u64);
        self.tally.add(Event::Copied, self.live_cells as u64);
        self.tally.hold(self.live_cells as u64);
    }

    /// Allows `bytes` to be allocated before the next collection.
    fn plan(&mut self, bytes: usize) {
        let bump = self.space.bump;
        self.budget_bytes = bytes.saturating_sub(bump.free_bytes());
        self.soft_end = if self.zeal {
            std::ptr::null_mut()
        } else if self.budget_bytes > 0 {
            // The chunk may be filled to its end: another one follows.
            std::ptr::without_provenance_mut(usize::MAX)
        } else {
            soft_end(bump, bytes)
        };
    }

    /// Memory for a copy.
    #[inline(always)]
    fn take_copy(&mut self, bytes: usize) -> NonNull<u8> {
        match self.space.bump.take(bytes) {
            Some(at) => at,
            None => self.take_copy_in_new_chunk(bytes),
        }
    }
    #[cold]
    #[inline(never)]
    fn take_copy_in_new_chunk(&mut self, bytes: usize) -> NonNull<u8> {
        let copied_bytes = self.space.used_bytes();
        let left_bytes = self.from.used_bytes() - copied_bytes;
        let chunk_bytes = copied_bytes.min(left_bytes).max(self.space_bytes).max(bytes);
        self.space.push(Piece::new(chunk_bytes));
        self.space.bump.take(bytes).expect("a new chunk has room")
    }

    fn held_bytes(&self) -> usize {
        self.space.held_bytes()
            + self.from.held_bytes()
            + self.spare.as_ref().map_or(0, Piece::held_bytes)
            + self.runs.capacity() * size_of::<Run<T>>()
    }
    fn note_peak(&mut self) {
        self.heap_peak_bytes = self.heap_peak_bytes.max(self.held_bytes());
    }
}

/// The top at which a safepoint is wanted when `bytes` may be allocated: a
/// step's worth of cells earlier, so that steps rarely need another chunk.
fn soft_end(bump: Bump, bytes: usize) -> *mut u8 {
    bump.top.wrapping_add(bytes - (bytes / 8).min(4 << 10))
}

struct Evacuate<'h, T: 'static>(&'h mut SemispaceHeap<T>);

impl<'gc, T: Tally> Visitor<'gc, SemispaceHeap<T>> for Evacuate<'_, T> {
    #[inline]
    fn visit<F: Family>(&mut self, at: &mut Ptr<F>) {
        let heap = &mut *self.0;
        let from = at.address();
        if heap.is_immortal(from) {
            return;
        }
        // SAFETY: S2.
        if let Some(to) = unsafe { heap.from.forwarded(from) } {
            *at = Ptr::new(to);
            return;
        }
        let object_bytes = const { object_bytes::<F::Of<'static, SemispaceHeap<T>>>() };
        let to = heap.take_copy(object_bytes);
        // SAFETY: S2: an object that has not moved, and free memory; then the
        // place right behind the copy.
        let end = unsafe {
            from.copy_to_nonoverlapping(to, object_bytes);
            heap.from.forward(from, to);
            to.add(object_bytes)
        };
        *at = Ptr::new(to);
        let shape = &const { Shape { scan: scan::<F, T> } };
        match heap.runs.back_mut() {
            Some(run) if run.end == to && std::ptr::eq(run.shape, shape) => run.end = end,
            _ => heap.runs.push_back(Run { start: to, end, shape }),
        }
    }
}

/// Visits the references of adjacent objects.
///
/// # Safety
///
/// Objects of family `F` fill `[start, end)`, and nobody looks at them.
unsafe fn scan<F: Family, T: Tally>(
    heap: &mut SemispaceHeap<T>,
    start: NonNull<u8>,
    end: NonNull<u8>,
) {
    let object_bytes = const { object_bytes::<F::Of<'static, SemispaceHeap<T>>>() };
    let mut at = start;
    while at != end {
        // SAFETY: by contract.
        unsafe {
            at.cast::<F::Of<'_, SemispaceHeap<T>>>().as_mut().each_ref(&mut Evacuate(heap));
            at = at.add(object_bytes);
        }
        heap.live_cells += 1;
    }
}

// SAFETY: S1: what `take` returns lies above the top of `space`.
unsafe impl<T: Tally> Uncounted for SemispaceHeap<T> {
    type Mark = ();

    #[inline(always)]
    fn mark(&self) {}

    #[inline(always)]
    fn take<F: Family>(&mut self, bytes: usize) -> NonNull<u8> {
        self.tally.add(Event::Allocated, 1);
        match self.space.bump.take(bytes) {
            Some(at) => at,
            None => self.take_in_new_chunk(bytes),
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
        if self.speculate {
            chain::filter_bump(self, chain, keep)
        } else {
            chain::filter_borrowed(self, chain, keep)
        }
    }
}

impl<T: Tally> Bumping for SemispaceHeap<T> {
    #[inline(always)]
    fn bump(&mut self) -> &mut Bump {
        &mut self.space.bump
    }
    #[inline(always)]
    fn appended(&mut self, cells: u64) {
        self.tally.add(Event::Allocated, cells);
    }
}

impl<'gc, T: Tally> Checked<'gc> for SemispaceHeap<T> {
    fn check<F: Family>(&self, at: &Ptr<F>, _seen: usize) -> Result<(), String> {
        if self.space.may_hold(at.address().as_ptr()) {
            Ok(())
        } else {
            Err("a reference leads to no object".into())
        }
    }
}

impl<'gc, T: Tally> Runtime<'gc> for SemispaceHeap<T> {
    #[inline(always)]
    fn close(&mut self, (): ()) {}
    #[inline(always)]
    fn poll(&self) -> bool {
        self.space.bump.top >= self.soft_end
    }
    fn safepoint(&mut self, roots: &mut impl Object<'gc, Self>) -> Result<(), HeapError> {
        let since = self.tally.stop();
        self.collect(roots);
        self.tally.resume(since);
        if self.zeal {
            verify::insist(self, roots);
        }
        if self.held_bytes() > self.limit_bytes {
            self.spare = None;
        }
        // With less room than this, the heap would do little else than copy.
        let least_room_bytes = self.most_live_bytes / 16;
        let live_bytes = self.space.used_bytes();
        let over = live_bytes + least_room_bytes > self.most_live_bytes;
        if over || self.held_bytes() > self.limit_bytes {
            // The next run starts with a collection.
            self.soft_end = std::ptr::null_mut();
            return Err(HeapError::OutOfMemory { limit_bytes: self.limit_bytes, live_bytes });
        }
        Ok(())
    }
    fn abandon(&mut self, _: &mut impl Object<'gc, Self>) {}
}

impl<T: Tally> Heap for SemispaceHeap<T> {
    fn new(settings: &Settings) -> Self {
        let most_live_bytes = settings.limit_bytes / 2 - settings.limit_bytes / 64;
        let space_bytes = settings.bytes("space").min(most_live_bytes);
        let mut heap = SemispaceHeap {
            space: Space::new(),
            soft_end: std::ptr::null_mut(),
            budget_bytes: 0,
            from: Space::new(),
            spare: None,
            runs: VecDeque::new(),
            live_cells: 0,
            speculate: settings.is("append", "speculate"),
            zeal: settings.zealous(),
            space_bytes,
            growth: settings.factor("growth"),
            limit_bytes: settings.limit_bytes,
            most_live_bytes,
            live_peak_bytes: 0,
            heap_peak_bytes: 0,
            tally: T::new(settings),
        };
        heap.space.push(Piece::new(space_bytes));
        heap.plan(space_bytes);
        heap
    }
    fn run<P: Program>(&mut self, program: &P) -> Result<P::Out, HeapError> {
        machine::drive(self, program)
    }
    fn settle(&mut self) {
        self.collect(&mut NoRoots);
    }
    fn stats(&self) -> Stats {
        Stats {
            live_cells: self.live_cells as u64,
            live_bytes: self.space.used_bytes(),
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
        if !self.runs.is_empty() || self.from.held_bytes() > 0 {
            return Err("a collection left work behind".into());
        }
        self.space.validate()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parts::trial;

    #[test]
    fn traces() {
        trial::trace::<Semispace>(&[
            &[],
            &[("append", "branch"), ("space", "1KiB")],
            &[("space", "1KiB"), ("growth", "1.1")],
        ]);
    }

    #[test]
    fn alike_copies_need_few_runs() {
        let mut heap = trial::heap::<Semispace>(&[], |_| {});
        heap.run(&trial::Grow { cells: 1_000_000, each_step: 1_000 }).unwrap();
        assert!(heap.runs.capacity() <= 8);
        assert!(heap.stats().bytes_copied > 16_000_000);
    }

    #[test]
    fn space_follows_what_is_live() {
        let mut heap = trial::heap::<Semispace>(&[], |_| {});
        heap.run(&trial::Grow { cells: 1_000_000, each_step: 1_000 }).unwrap();
        let live_bytes = heap.live_peak_bytes;
        assert!(heap.heap_peak_bytes < live_bytes * 4, "{live_bytes} {}", heap.heap_peak_bytes);
        heap.settle();
        heap.settle();
        assert!(heap.held_bytes() < 4 * heap.space_bytes);
    }
}
