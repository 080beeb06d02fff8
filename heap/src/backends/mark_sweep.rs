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
//! The collector is in `parts/marking.rs`, where its invariants are; `shadow-stack`
//! is the same one with other roots.
//!
//! Papers: McCarthy, "Recursive functions of symbolic expressions and their
//! computation by machine", CACM 1960; Hughes, "A semi-incremental garbage
//! collection algorithm" (lazy sweeping), 1982; Boehm & Weiser, "Garbage
//! collection in an uncooperative environment", 1988.

use crate::heap::Backend;
use crate::info::{APPEND, GROWTH, Info, Kind, Param, Unit};
use crate::parts::marking::{Marking, Roots};
use crate::tally::Tally;

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
        params: &[APPEND, TRIGGER, GROWTH],
    };
    type Heap<T: Tally> = Marking<Frames, T>;
}

/// When a collection starts at the earliest.
pub const TRIGGER: Param = Param {
    name: "trigger",
    unit: Unit::Bytes(4 << 10, 1 << 30),
    default: "512KiB",
    about: "least bytes allocated between two collections, far from the heap limit",
};

/// Roots are the program's frames, which the collector is shown.
pub struct Frames;

impl Roots for Frames {
    const SHADOW: bool = false;
    type Mark = ();
    #[inline(always)]
    fn mark(_: usize) {}
    #[inline(always)]
    fn height((): ()) -> usize {
        0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::heap::Heap;
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
        assert!(heap.mark_stack_entries() <= 8);
        assert!(heap.stats().cells_marked > 500_000);
    }
}
