//! Counting of a heap's work, in an instance of its own.

use std::fmt;

/// Something a heap does that is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// Objects allocated.
    Allocated,
    /// Objects freed one by one (heaps that know each death).
    Freed,
    /// Reference counts raised.
    Incremented,
    /// Reference counts lowered.
    Decremented,
    /// Scopes opened and closed.
    Scoped,
    /// Collections of the nursery.
    CollectedMinor,
    /// Collections of the whole heap.
    CollectedMajor,
    /// Bytes copied by collections.
    CopiedBytes,
    /// Objects marked.
    Marked,
    /// Dead objects swept.
    Swept,
    /// Writes that the barrier remembered.
    Remembered,
}

const EVENTS: usize = Event::Remembered as usize + 1;

/// Counts events, or vanishes at compile time.
pub trait Tally: Default + 'static {
    /// Whether anything is counted.
    const ON: bool;
    /// Counts `by` events.
    fn add(&mut self, event: Event, by: u64);
    /// Events so far; zero when off.
    fn get(&self, event: Event) -> u64;
}

/// Counts nothing: the timed instance.
#[derive(Default)]
pub struct Off;

impl Tally for Off {
    const ON: bool = false;
    #[inline(always)]
    fn add(&mut self, _: Event, _: u64) {}
    #[inline(always)]
    fn get(&self, _: Event) -> u64 {
        0
    }
}

/// Counts: the counted instance.
#[derive(Default)]
pub struct On([u64; EVENTS]);

impl Tally for On {
    const ON: bool = true;
    #[inline(always)]
    fn add(&mut self, event: Event, by: u64) {
        self.0[event as usize] += by;
    }
    #[inline(always)]
    fn get(&self, event: Event) -> u64 {
        self.0[event as usize]
    }
}

/// What a heap did and holds. Counts are of the counted instance only.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// Objects allocated.
    pub cells_allocated: u64,
    /// Objects the heap still holds (valid after [`settle`](crate::Heap::settle)).
    pub live_cells: u64,
    /// Reference counts raised.
    pub rc_increments: u64,
    /// Reference counts lowered.
    pub rc_decrements: u64,
    /// Scopes opened and closed.
    pub scopes: u64,
    /// Collections of the nursery.
    pub collections_minor: u64,
    /// Collections of the whole heap.
    pub collections_major: u64,
    /// Bytes copied by collections.
    pub bytes_copied: u64,
    /// Objects marked.
    pub cells_marked: u64,
    /// Dead objects swept.
    pub cells_swept: u64,
    /// Writes the barrier remembered.
    pub barrier_hits: u64,
    /// Bytes of objects held now, headers included.
    pub live_bytes: usize,
    /// Most bytes of objects known to be held at once, headers included.
    pub live_peak_bytes: usize,
    /// Most bytes of memory the heap held at once, free space included.
    pub heap_peak_bytes: usize,
}

impl Stats {
    /// The counts of a tally; sizes and live cells are left to the heap.
    pub(crate) fn counted(tally: &impl Tally) -> Self {
        Stats {
            cells_allocated: tally.get(Event::Allocated),
            live_cells: tally.get(Event::Allocated).saturating_sub(tally.get(Event::Freed)),
            rc_increments: tally.get(Event::Incremented),
            rc_decrements: tally.get(Event::Decremented),
            scopes: tally.get(Event::Scoped),
            collections_minor: tally.get(Event::CollectedMinor),
            collections_major: tally.get(Event::CollectedMajor),
            bytes_copied: tally.get(Event::CopiedBytes),
            cells_marked: tally.get(Event::Marked),
            cells_swept: tally.get(Event::Swept),
            barrier_hits: tally.get(Event::Remembered),
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
