//! Counting of a heap's work, and timing of its pauses, each in an instance of
//! its own: a heap is generic over its tally, and the timed instance's vanishes.

use crate::Settings;
use crate::curve::{Curve, Live};
use crate::immortals::Immortals;
use crate::parts::pointer::Pointer;
use crate::pauses::Pauses;
use crate::sealed::Sealed;
use std::fmt;
use std::time::Instant;

/// Something a heap does that is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// Objects allocated.
    Allocated,
    /// Of these, the ones that a generational heap put among the old at once.
    AllocatedOld,
    /// Objects reclaimed, as soon as the heap knows of it.
    Freed,
    /// Reference counts raised.
    Incremented,
    /// Reference counts lowered.
    Decremented,
    /// Scopes closed.
    Scoped,
    /// Collections of the nursery.
    CollectedMinor,
    /// Collections of the whole heap.
    CollectedMajor,
    /// Objects copied by collections.
    Copied,
    /// Bytes copied by collections.
    CopiedBytes,
    /// Objects marked.
    Marked,
    /// Dead objects swept.
    Swept,
    /// Writes that the barrier remembered.
    Remembered,
    /// Runs of free memory that sweeps found, or that scopes gave back.
    RunsFound,
    /// Words of mark bits that sweeps looked at.
    WordsScanned,
    /// References stored in a shadow stack.
    Rooted,
}

const EVENTS: usize = Event::Rooted as usize + 1;

/// Counts events, times pauses, or vanishes at compile time.
///
/// Sealed: heaps call it in the midst of collections, where it must not panic.
pub trait Tally: Sealed + Default + 'static {
    /// Whether anything is counted.
    const ON: bool;
    /// Whether the heap's objects may refer to immortal ones (see [`crate::immortals`]).
    const IMMORTALS: bool = false;
    /// When the program stopped; `()` where nothing is timed.
    type Since;
    /// When a sweep began; `()` where nothing is timed.
    type Sweep;
    /// How many objects are held; `()` where nothing is counted.
    type Mark: Copy + Default + Ord;
    /// What refers to the objects of a heap that would count with `P` alone.
    #[doc(hidden)]
    type Pointer<P: Pointer>: Pointer;

    /// The tally of a new heap.
    fn new(_: &Settings) -> Self {
        Self::default()
    }
    /// Whether an immortal object lies at this address.
    #[inline(always)]
    fn is_immortal(&self, _: *const u8) -> bool {
        false
    }
    /// The immortal objects that the heap's own may refer to.
    fn immortals(&self) -> Option<&Immortals> {
        None
    }

    /// Counts `by` events.
    fn add(&mut self, event: Event, by: u64);
    /// Events so far; zero when off.
    fn get(&self, event: Event) -> u64;

    /// The program stops: memory management begins. A token that is dropped
    /// was of no pause. No other pause may begin before this one has ended.
    fn stop(&mut self) -> Self::Since;
    /// The program goes on: a pause ends.
    fn resume(&mut self, since: Self::Since);
    /// A release ends. It was a pause if it freed more than one object.
    fn released(&mut self, since: Self::Since);
    /// A sweep begins: dead memory is looked for, or made free. It may be a part
    /// of a pause, the whole of one, or too short to be one.
    fn sweep_starts(&self) -> Self::Sweep;
    /// The sweep ends. Sweeps are summed up, so that a collection's share of
    /// sweeping can be told from that of marking.
    fn sweep_ends(&mut self, since: Self::Sweep);
    /// The pauses so far, where they are timed.
    fn pauses(&mut self) -> Option<&mut Pauses> {
        None
    }

    /// Whether the write barrier is to fail now, for tests of what notices it.
    #[inline(always)]
    fn forgets_write(&mut self) -> bool {
        false
    }

    /// How many objects are held now.
    fn mark(&self) -> Self::Mark;
    /// Only so many objects are held: the youngest were freed.
    fn rewind(&mut self, mark: Self::Mark);
    /// Only `cells` objects are held: the others were reclaimed.
    #[inline(always)]
    fn hold(&mut self, cells: u64) {
        if Self::ON {
            let held = self.get(Event::Allocated) - self.get(Event::Freed);
            debug_assert!(cells <= held, "{cells} objects cannot be left of {held}");
            self.add(Event::Freed, held.saturating_sub(cells));
        }
    }
    /// Objects held, each time that so many more were allocated; nothing when off.
    fn curve(&self) -> &[Live] {
        &[]
    }
}

/// Counts nothing: the timed instance.
#[derive(Default)]
pub struct Off;

impl Sealed for Off {}
impl Tally for Off {
    const ON: bool = false;
    type Since = ();
    type Sweep = ();
    type Mark = ();
    type Pointer<P: Pointer> = P;
    #[inline(always)]
    fn add(&mut self, _: Event, _: u64) {}
    #[inline(always)]
    fn get(&self, _: Event) -> u64 {
        0
    }
    #[inline(always)]
    fn stop(&mut self) {}
    #[inline(always)]
    fn resume(&mut self, (): ()) {}
    #[inline(always)]
    fn released(&mut self, (): ()) {}
    #[inline(always)]
    fn sweep_starts(&self) {}
    #[inline(always)]
    fn sweep_ends(&mut self, (): ()) {}
    #[inline(always)]
    fn mark(&self) {}
    #[inline(always)]
    fn rewind(&mut self, (): ()) {}
}

/// Counts: the counted instance.
#[derive(Default)]
pub struct On {
    counts: [u64; EVENTS],
    curve: Curve,
}

impl Sealed for On {}
impl Tally for On {
    const ON: bool = true;
    type Since = ();
    type Sweep = ();
    type Mark = u64;
    type Pointer<P: Pointer> = P;
    #[inline(always)]
    fn add(&mut self, event: Event, by: u64) {
        self.counts[event as usize] += by;
        if event == Event::Allocated {
            self.curve.follow(self.get(Event::Allocated), self.mark());
        }
    }
    #[inline(always)]
    fn get(&self, event: Event) -> u64 {
        self.counts[event as usize]
    }
    #[inline(always)]
    fn stop(&mut self) {}
    #[inline(always)]
    fn resume(&mut self, (): ()) {}
    #[inline(always)]
    fn released(&mut self, (): ()) {}
    #[inline(always)]
    fn sweep_starts(&self) {}
    #[inline(always)]
    fn sweep_ends(&mut self, (): ()) {}
    #[inline(always)]
    fn mark(&self) -> u64 {
        // Where frames are carried between threads, more may be freed here than was allocated.
        self.get(Event::Allocated).saturating_sub(self.get(Event::Freed))
    }
    #[inline(always)]
    fn rewind(&mut self, mark: u64) {
        self.hold(mark);
    }
    fn curve(&self) -> &[Live] {
        self.curve.points()
    }
}

/// Times pauses: the clocked instance.
///
/// It counts nothing but what releases free, to know which of them cascade.
#[derive(Default)]
pub struct Clocked {
    freed: u64,
    /// Stops that the account of pauses was not told of.
    stops: u64,
    /// Made for the first pause, since some heaps make tallies all the time.
    pauses: Option<Box<Pauses>>,
}

impl Sealed for Clocked {}
impl Tally for Clocked {
    const ON: bool = false;
    /// And what was freed until then.
    type Since = (Instant, u64);
    type Sweep = Instant;
    type Mark = ();
    type Pointer<P: Pointer> = P;
    #[inline(always)]
    fn add(&mut self, event: Event, by: u64) {
        if event == Event::Freed {
            self.freed += by;
        }
    }
    #[inline(always)]
    fn get(&self, _: Event) -> u64 {
        0
    }
    #[inline(always)]
    fn stop(&mut self) -> (Instant, u64) {
        self.stops += 1;
        (Instant::now(), self.freed)
    }
    #[inline(always)]
    fn resume(&mut self, (start, _): (Instant, u64)) {
        let end = Instant::now();
        self.pauses.get_or_insert_default().record(start, end);
    }
    #[inline(always)]
    fn released(&mut self, since: (Instant, u64)) {
        if self.freed - since.1 > 1 {
            self.resume(since);
        }
    }
    #[inline(always)]
    fn sweep_starts(&self) -> Instant {
        Instant::now()
    }
    #[inline(always)]
    fn sweep_ends(&mut self, since: Instant) {
        let sweep_ns = since.elapsed().as_nanos() as u64;
        self.pauses.get_or_insert_default().swept(sweep_ns);
    }
    fn pauses(&mut self) -> Option<&mut Pauses> {
        let pauses = self.pauses.get_or_insert_default();
        pauses.stopped(std::mem::take(&mut self.stops));
        Some(pauses)
    }
    #[inline(always)]
    fn mark(&self) {}
    #[inline(always)]
    fn rewind(&mut self, (): ()) {}
}

/// What a heap did and holds. Counts are of the counted instance only.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// Objects allocated.
    pub cells_allocated: u64,
    /// Of these, the ones known to be reclaimed: at once, where the heap knows each
    /// death, or when a collection or a sweep finds out.
    pub cells_freed: u64,
    /// Objects the heap still holds (valid after [`settle`](crate::Heap::settle)).
    pub live_cells: u64,
    /// Reference counts raised.
    pub rc_increments: u64,
    /// Reference counts lowered.
    pub rc_decrements: u64,
    /// Scopes closed.
    pub scopes: u64,
    /// Collections of the nursery.
    pub collections_minor: u64,
    /// Collections of the whole heap.
    pub collections_major: u64,
    /// Objects copied by collections.
    pub cells_copied: u64,
    /// Bytes copied by collections.
    pub bytes_copied: u64,
    /// Objects marked.
    pub cells_marked: u64,
    /// Dead objects that collections left to be swept, or sweeps found.
    pub cells_swept: u64,
    /// Writes the barrier remembered; zero in heaps that are not told of it.
    pub barrier_hits: u64,
    /// Runs of free memory that sweeps found, or that scopes gave back.
    pub runs_found: u64,
    /// Words of mark bits that sweeps looked at.
    pub words_scanned: u64,
    /// References stored in a shadow stack.
    pub roots_stored: u64,
    /// Bytes of objects held now, headers included.
    pub live_bytes: usize,
    /// Most bytes of objects known to be held at once, headers included.
    pub live_peak_bytes: usize,
    /// Most bytes of memory the heap held at once, free space included.
    pub heap_peak_bytes: usize,
    /// Objects held over time, without the origin: what was allocated and is not
    /// known to be reclaimed, at each multiple of a number of allocations.
    pub live_curve: Vec<Live>,
}

impl Stats {
    /// The counts of a tally; sizes and live cells are left to the heap.
    pub(crate) fn counted(tally: &impl Tally) -> Self {
        Stats {
            cells_allocated: tally.get(Event::Allocated),
            cells_freed: tally.get(Event::Freed),
            live_cells: tally.get(Event::Allocated).saturating_sub(tally.get(Event::Freed)),
            rc_increments: tally.get(Event::Incremented),
            rc_decrements: tally.get(Event::Decremented),
            scopes: tally.get(Event::Scoped),
            collections_minor: tally.get(Event::CollectedMinor),
            collections_major: tally.get(Event::CollectedMajor),
            cells_copied: tally.get(Event::Copied),
            bytes_copied: tally.get(Event::CopiedBytes),
            cells_marked: tally.get(Event::Marked),
            cells_swept: tally.get(Event::Swept),
            barrier_hits: tally.get(Event::Remembered),
            runs_found: tally.get(Event::RunsFound),
            words_scanned: tally.get(Event::WordsScanned),
            roots_stored: tally.get(Event::Rooted),
            live_curve: tally.curve().to_vec(),
            ..Stats::default()
        }
    }
}

/// Why a run ended early.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HeapError {
    /// The heap reached its limit and could not free enough.
    OutOfMemory {
        /// The limit.
        limit_bytes: usize,
        /// Bytes of objects that live, headers included; in heaps that do not
        /// know which live, of those that were not reclaimed. The memory held
        /// is more: free slots, unused ends of chunks and blocks.
        live_bytes: usize,
    },
}

impl fmt::Display for HeapError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let HeapError::OutOfMemory { limit_bytes, live_bytes } = self;
        write!(
            f,
            "out of memory: the heap limit is {limit_bytes} bytes, {live_bytes} bytes of objects live"
        )
    }
}
impl std::error::Error for HeapError {}
