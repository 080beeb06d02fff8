//! `region-runs`: a region whose lists are run-length encoded, all of them.
//!
//! Memory is free, dead or allocated in runs, pieces without a gap, of any size
//! and for objects of all sizes. Allocation bumps a pointer through a free run;
//! what was allocated is remembered as segments, the runs that the pointer went
//! through; a scope that closes gives up its segments, and never looks at a cell.
//! A sweep sorts dead and free runs and joins those that touch. This is what the
//! source proposed for regions: that lists of what died together be manipulated
//! "in run-length encoded form".
//!
//! Parameter `exits`: with `coalesce` a scope's part of the current run is joined
//! to what is free of it at once, and earlier segments are left to the sweep; with
//! `defer` all is left to the sweep, as in `region-sweep`. So the two tell apart
//! what encoding runs saves and what using memory again sooner saves.
//!
//! Object: its fields, no header, in multiples of 8 bytes; 16 bytes for a cell.
//! 16 bytes beside it for each segment, free run and dead run.
//! Allocate: add and compare. Read: one load. Share and release: nothing.
//! Scope: two words saved; closing is a compare and a store, and a few more
//! instructions for each segment (with `defer`, always for one at least).
//! Sweep: n log n in runs. A run that fits is found in constant time.
//! Space: objects of all sizes share the runs, and a run that is too short for an
//! object is kept for smaller ones; what the lists by
//! themselves cost when objects of many sizes are freed at random is told in
//! `parts/runs.rs`; scopes nest, so a program cannot do that.
//! Memory returns when a scope closes, or at a sweep, to the runs; to the platform
//! near the heap's limit, and when the heap ends or after an error.
//! Cannot: know by itself what is unreachable; after a mutation, free what was
//! allocated before it (the write may have let it escape) until the run ends.
//!
//! Invariants:
//!
//! - Q1. Objects lie in `segments` and in `[start, bump.top)`, in order of
//!   allocation; `[bump.top, bump.end)` is the rest of the current run, N1. A
//!   reference leads to one of them, or to an immortal object (A4).
//! - Q2. Closing a scope gives up only what was allocated since its mark and since
//!   the last write; nothing refers to it (see `heap.rs`, point 3).
//! - Q3. A mark's segment is there still, or was pinned by a write: a segment is
//!   cut off only by the scope of an older mark.
//!
//! Papers: Tofte & Talpin, "Region-based memory management", 1997; Flying Frog
//! Consultancy, "Boost's shared_ptr up to 10x slower than OCaml's garbage
//! collection" (the proposal).

use crate::Settings;
use crate::heap::{Backend, Family, Heap, Program};
use crate::immortals::Immortals;
use crate::info::{APPEND, Info, Kind, Param, Unit};
use crate::machine::{self, Runtime};
use crate::object::{Chain, Item, Link, Object};
use crate::parts::address::Ptr;
use crate::parts::bump::Bump;
use crate::parts::chain::{self, Bumping};
use crate::parts::poison;
use crate::parts::room::room_bytes;
use crate::parts::runs::{Run, Runs, any_holds};
use crate::parts::uncounted::Uncounted;
use crate::parts::verify::{self, Checked};
use crate::pauses::Pauses;
use crate::tally::{Event, HeapError, Stats, Tally};
use std::ptr::NonNull;

/// A region with run-length encoded lists.
pub struct RegionRuns;

impl Backend for RegionRuns {
    const INFO: Info = Info {
        name: "region-runs",
        kind: Kind::Region,
        about: "a region whose lists are run-length encoded: scopes and sweeps free runs, not cells",
        returns: "when a scope closes; what lies apart from the current run, at a sweep",
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
                name: "exits",
                unit: Unit::Choice(&["coalesce", "defer"]),
                default: "coalesce",
                about: "scopes join their cells to the current run, or leave all to the sweep",
            },
            Param {
                name: "trigger",
                unit: Unit::Bytes(16, 1 << 40),
                default: "128KiB",
                about: "dead memory that triggers a sweep (or as much as lives, if more)",
            },
            Param {
                name: "chunk",
                unit: Unit::Bytes(1 << 10, 1 << 30),
                default: "64KiB",
                about: "memory taken from the platform at once",
            },
        ],
    };
    type Heap<T: Tally> = RegionRunsHeap<T>;
}

/// The heap of [`RegionRuns`].
pub struct RegionRunsHeap<T: Tally> {
    /// The rest of the current run.
    bump: Bump,
    /// Where its allocated part starts.
    start: *mut u8,
    segments: Vec<Run>,
    segments_bytes: usize,
    /// Segments below this index stay until the run ends.
    pinned: usize,
    held_at_pin: T::Mark,
    /// Objects in dead runs, in the counted instance.
    buried_cells: u64,
    runs: Runs,
    sweep_at_bytes: usize,
    trigger_bytes: usize,
    limit_bytes: usize,
    /// Whether a safepoint is wanted.
    alarm: bool,
    coalesce: bool,
    speculate: bool,
    zeal: bool,
    live_peak_bytes: usize,
    heap_peak_bytes: usize,
    tally: T,
}

/// Where allocation stands: the number of segments, and the top.
#[derive(Clone, Copy)]
pub struct Mark<M> {
    segments: usize,
    top: *mut u8,
    held: M,
}

impl<T: Tally> RegionRunsHeap<T> {
    /// What is allocated of the current run.
    fn current(&self) -> Run {
        Run { start: self.start, end: self.bump.top }
    }

    fn live_bytes(&self) -> usize {
        self.segments_bytes + self.current().bytes()
    }

    /// Makes a segment of what is allocated of the current run.
    #[inline(always)]
    fn close_segment(&mut self) {
        let segment = self.current();
        self.start = self.bump.top;
        self.segments_bytes += segment.bytes();
        self.segments.push(segment);
    }

    #[inline(always)]
    fn bury(&mut self, run: Run) {
        if !run.is_empty() {
            // SAFETY: Q1, Q2: handed out, and given up by its scope.
            unsafe { self.runs.bury(run) };
        }
    }

    /// Gives up what is allocated of the current run from `top` on.
    #[inline(always)]
    fn give_up_current(&mut self, top: *mut u8) {
        if self.coalesce {
            let dead = Run { start: top, end: self.bump.top };
            self.tally.add(Event::RunsFound, u64::from(!dead.is_empty()));
            // SAFETY: Q2.
            unsafe { poison::dead(dead.start, dead.bytes()) };
            self.bump.top = top;
            return;
        }
        // What was given up since the mark was taken lies below `start` (Q3).
        let top = top.max(self.start);
        let dead = Run { start: top, end: self.bump.top };
        if !dead.is_empty() {
            self.bury(dead);
            let segment = Run { start: self.start, end: top };
            self.start = self.bump.top;
            if !segment.is_empty() {
                self.segments_bytes += segment.bytes();
                self.segments.push(segment);
            }
        }
    }

    /// Whether a mark is the end of the last segment: a scope of siblings, the first of
    /// which gave up what followed the mark.
    #[inline(always)]
    fn ends_last_segment(&self, mark: &Mark<T::Mark>) -> bool {
        let last = self.segments.last();
        last.is_some_and(|last| last.end == mark.top) && mark.segments + 1 == self.segments.len()
    }

    /// Gives up what was allocated since the top was `top`, in the segment of this
    /// index, which is not the current one.
    #[inline(never)]
    fn give_up_segments(&mut self, index: usize, top: *mut u8) {
        let since = self.tally.stop();
        self.give_up_current(self.start);
        let kept = if index < self.pinned { self.pinned } else { index + 1 };
        while self.segments.len() > kept {
            let Some(segment) = self.segments.pop() else { break };
            self.segments_bytes -= segment.bytes();
            self.bury(segment);
        }
        if index >= self.pinned {
            // The mark's own segment stays, empty or not: older marks may be in it, too.
            let segment = &mut self.segments[index];
            let dead = Run { start: top.max(segment.start), end: segment.end };
            segment.end = dead.start;
            self.segments_bytes -= dead.bytes();
            self.bury(dead);
        }
        self.tally.resume(since);
    }

    /// Counts the objects allocated since `held` as freed, at once or by the next sweep.
    #[inline(always)]
    fn rewind(&mut self, held: T::Mark, at_once: bool) {
        let freed_cells = self.tally.get(Event::Freed);
        self.tally.rewind(held);
        if T::ON && !at_once {
            self.buried_cells += self.tally.get(Event::Freed) - freed_cells;
        }
    }

    /// Leaves the current run: what is allocated of it becomes a segment, the rest
    /// is free.
    fn leave(&mut self) {
        // A segment that is empty is one, too: marks count it.
        self.close_segment();
        let rest = Run { start: self.bump.top, end: self.bump.end };
        // SAFETY: N1, Q1: no object lies in it.
        unsafe { self.runs.give_back(rest) };
        self.enter(Run { start: Bump::EMPTY.top, end: Bump::EMPTY.end });
    }

    fn enter(&mut self, run: Run) {
        self.start = run.start;
        self.bump = Bump { top: run.start, end: run.end };
    }

    /// Takes memory for an object that does not fit the current run.
    #[cold]
    #[inline(never)]
    fn take_in_next_run(&mut self, bytes: usize) -> NonNull<u8> {
        self.leave();
        if self.runs.dead_bytes() >= self.sweep_at_bytes {
            let since = self.tally.stop();
            self.sweep();
            self.tally.resume(since);
        }
        let run = self.runs.take(bytes).unwrap_or_else(|| self.grow(bytes));
        // The lists may have grown, too.
        let held_bytes = self.held_bytes();
        self.heap_peak_bytes = self.heap_peak_bytes.max(held_bytes);
        self.alarm |= held_bytes > self.limit_bytes;
        self.enter(run);
        self.bump.take(bytes).expect("the run is long enough")
    }

    fn grow(&mut self, bytes: usize) -> Run {
        self.runs.grow(bytes, self.limit_bytes.saturating_sub(self.held_bytes()))
    }

    /// Joins what is dead to what is free.
    fn sweep(&mut self) {
        let since = self.tally.sweep_starts();
        let dead_runs = self.runs.sweep();
        self.tally.add(Event::CollectedMajor, 1);
        self.tally.add(Event::RunsFound, dead_runs as u64);
        self.tally.add(Event::Swept, std::mem::take(&mut self.buried_cells));
        let due_bytes = self.trigger_bytes.max(self.live_bytes());
        self.sweep_at_bytes = due_bytes.min(room_bytes(self.limit_bytes, self.held_bytes()));
        self.tally.sweep_ends(since);
    }

    /// Gives up all that is allocated: no program is running.
    fn free_all(&mut self) {
        self.pinned = 0;
        self.held_at_pin = T::Mark::default();
        if self.live_bytes() > 0 {
            match self.segments.first() {
                Some(first) => self.give_up_segments(0, first.start),
                None => self.give_up_current(self.start),
            }
            self.rewind(T::Mark::default(), false);
        }
        // Empty ones, which no mark counts any more.
        self.segments.clear();
    }

    /// Gives all memory back; nothing lives.
    fn clear(&mut self) {
        self.enter(Run { start: Bump::EMPTY.top, end: Bump::EMPTY.end });
        self.segments = Vec::new();
        self.runs.clear();
        self.sweep_at_bytes = self.trigger_bytes.min(room_bytes(self.limit_bytes, 0));
    }

    /// Gives up what is only kept for later, if the heap is over its limit.
    fn trim(&mut self) {
        if self.held_bytes() > self.limit_bytes {
            self.runs.trim();
            self.segments.shrink_to_fit();
        }
    }

    fn held_bytes(&self) -> usize {
        self.runs.held_bytes() + self.segments.capacity() * size_of::<Run>()
    }

    /// The runs that were handed out, objects in them or not.
    fn handed_out(&self) -> impl Iterator<Item = Run> {
        let rest = Run { start: self.bump.top, end: self.bump.end };
        self.segments.iter().copied().chain([self.current(), rest])
    }
}

// SAFETY: Q1: `take` returns memory above the top, which then moves past it.
unsafe impl<T: Tally> Uncounted for RegionRunsHeap<T> {
    type Mark = Mark<T::Mark>;

    #[inline(always)]
    fn mark(&self) -> Self::Mark {
        Mark { segments: self.segments.len(), top: self.bump.top, held: self.tally.mark() }
    }

    #[inline(always)]
    fn take<F: Family>(&mut self, bytes: usize) -> NonNull<u8> {
        self.tally.add(Event::Allocated, 1);
        match self.bump.take(bytes) {
            Some(at) => at,
            None => self.take_in_next_run(bytes),
        }
    }
    #[inline(always)]
    fn is_immortal(&self, at: NonNull<u8>) -> bool {
        self.tally.is_immortal(at.as_ptr())
    }
    /// The write may let any object escape its scope: all stay (Q2).
    fn write_barrier<F: Family>(&mut self, _: NonNull<u8>) {
        self.tally.add(Event::Remembered, 1);
        if self.start != self.bump.top {
            self.close_segment();
        }
        self.pinned = self.segments.len();
        self.held_at_pin = self.tally.mark();
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

impl<T: Tally> Bumping for RegionRunsHeap<T> {
    #[inline(always)]
    fn bump(&mut self) -> &mut Bump {
        &mut self.bump
    }
    #[inline(always)]
    fn appended(&mut self, cells: u64) {
        self.tally.add(Event::Allocated, cells);
    }
}

impl<'gc, T: Tally> Checked<'gc> for RegionRunsHeap<T> {
    fn check<F: Family>(&self, at: &Ptr<F>, _seen: usize) -> Result<(), String> {
        let segments = self.segments.iter().copied().chain([self.current()]);
        match any_holds(segments, at.address().as_ptr()) {
            true => Ok(()),
            false => Err("a reference leads to memory of no open scope".into()),
        }
    }
}

impl<'gc, T: Tally> Runtime<'gc> for RegionRunsHeap<T> {
    #[inline(always)]
    fn close(&mut self, mark: Self::Mark) {
        self.tally.add(Event::Scoped, 1);
        if T::ON {
            self.live_peak_bytes = self.live_peak_bytes.max(self.live_bytes());
        }
        let in_current = mark.segments == self.segments.len();
        if in_current {
            self.give_up_current(mark.top);
        } else if self.ends_last_segment(&mark) {
            self.give_up_current(self.start);
        } else {
            self.give_up_segments(mark.segments, mark.top);
        }
        self.rewind(mark.held.max(self.held_at_pin), in_current && self.coalesce);
    }
    #[inline(always)]
    fn poll(&self) -> bool {
        self.alarm
    }
    fn safepoint(&mut self, roots: &mut impl Object<'gc, Self>) -> Result<(), HeapError> {
        let since = self.tally.stop();
        self.leave();
        self.sweep();
        self.trim();
        self.tally.resume(since);
        if self.zeal {
            verify::insist(self, roots);
        }
        self.alarm = self.zeal;
        if self.held_bytes() > self.limit_bytes {
            return Err(HeapError::OutOfMemory {
                limit_bytes: self.limit_bytes,
                live_bytes: self.live_bytes(),
            });
        }
        Ok(())
    }
    fn abandon(&mut self, _: &mut impl Object<'gc, Self>) {}
}

impl<T: Tally> Heap for RegionRunsHeap<T> {
    fn new(settings: &Settings) -> Self {
        let trigger_bytes = settings.bytes("trigger");
        RegionRunsHeap {
            bump: Bump::EMPTY,
            start: Bump::EMPTY.top,
            segments: Vec::new(),
            segments_bytes: 0,
            pinned: 0,
            held_at_pin: T::Mark::default(),
            buried_cells: 0,
            runs: Runs::new(settings.bytes("chunk")),
            sweep_at_bytes: trigger_bytes.min(room_bytes(settings.limit_bytes, 0)),
            trigger_bytes,
            limit_bytes: settings.limit_bytes,
            alarm: settings.zealous(),
            coalesce: settings.is("exits", "coalesce"),
            speculate: settings.is("append", "speculate"),
            zeal: settings.zealous(),
            live_peak_bytes: 0,
            heap_peak_bytes: 0,
            tally: T::new(settings),
        }
    }
    fn run<P: Program>(&mut self, program: &P) -> Result<P::Out, HeapError> {
        // What a program left that panicked.
        self.free_all();
        let out = machine::drive(self, program);
        self.free_all();
        if out.is_err() {
            self.clear();
        }
        out
    }
    fn settle(&mut self) {
        self.free_all();
        self.leave();
        self.sweep();
        // No scope is open whose mark might count them.
        self.segments.clear();
        // Chunks that were cut to what was left below the limit serve no other program well.
        if self.held_bytes() > self.limit_bytes / 8 {
            self.clear();
        }
    }
    fn stats(&self) -> Stats {
        let mut stats = Stats {
            live_bytes: self.live_bytes(),
            live_peak_bytes: self.live_peak_bytes,
            heap_peak_bytes: self.heap_peak_bytes.max(self.held_bytes()),
            ..Stats::counted(&self.tally)
        };
        if !T::ON {
            // As if all were n-queens cells.
            stats.live_cells =
                self.live_bytes().div_ceil(RegionRuns::INFO.cell_bytes as usize) as u64;
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
        let bytes: usize = self.segments.iter().map(|segment| segment.bytes()).sum();
        if bytes != self.segments_bytes {
            return Err(format!("segments have {bytes} bytes, not {}", self.segments_bytes));
        }
        self.runs.validate(self.handed_out())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parts::trial;
    use crate::parts::trial_scopes;

    #[test]
    fn scopes_pins_zeal_and_limits() {
        trial_scopes::trial::<RegionRuns>(|_| 0);
    }

    #[test]
    fn many_runs_leave_no_segments_behind() {
        let mut heap = trial::heap::<RegionRuns>(&[("chunk", "1KiB")], |_| {});
        for _ in 0..100 {
            heap.run(&trial::Grow { cells: 200, each_step: 10 }).unwrap();
        }
        assert_eq!(heap.segments.len(), 0);
    }
}
