//! `shadow-stack`: `mark-sweep` without stack maps, as in HLVM.
//!
//! A compiler that cannot tell its collector where the references are writes each
//! one down itself: every variable that holds a reference has a slot on a shadow
//! stack, and the collector looks for roots there and nowhere else. The collector is
//! that of `mark-sweep`; so the difference of the two is what the shadow stack costs.
//!
//! What is modelled: a step is a function. Its arguments, and what it allocates,
//! shares or reads, are pushed when they become variables of it, and popped when
//! they are given up or move into an object or a frame; a frame that waits keeps its
//! own in slots; walks have a slot for each of their variables, and store to it
//! whenever they assign. Slots are two words (a reference and the function that
//! visits its object, since objects have no header), written by volatile stores, so
//! that none is left out or moved out of a loop. That is what HLVM does, which
//! pushes each value when it is bound, and resets the stack's height when a function
//! returns. LLVM's own shadow stack links a frame with a map into a list at each
//! call instead: one word more for a function, one less for each variable.
//!
//! What is left out: calls that could not be inlined, which would have their own
//! arguments; and roots that a compiler could prove to be superfluous, since another
//! variable holds them.
//!
//! Object: as in `mark-sweep`; 16 bytes for a cell.
//! Allocate: as in `mark-sweep`, and a push (two stores, one test for room). Read:
//! one load; of a reference, and a push. Share: a push. Release: a pop. Walk: one
//! store for each cell; filter: one more for each cell kept, or, without a branch,
//! for each cell. Frame: a push for each reference when it is kept, and when it is
//! resumed.
//! Collect: as in `mark-sweep`. Memory returns at the sweep after a collection.
//! Cannot: bound a pause; run destructors; use a free slot for another size.
//!
//! The invariants are those of `parts/marking.rs` and `parts/shadow.rs`.
//!
//! Papers: Henderson, "Accurate garbage collection in an uncooperative environment",
//! ISMM 2002; Flying Frog Consultancy, "Boost's shared_ptr up to 10x slower than
//! OCaml's garbage collection" (HLVM, and what its shadow stack takes).

use crate::backends::mark_sweep::TRIGGER;
use crate::heap::Backend;
use crate::info::{APPEND, GROWTH, Info, Kind};
use crate::parts::marking::{Marking, Roots};
use crate::tally::Tally;

/// A non-moving mark-sweep collector with a shadow stack.
pub struct ShadowStack;

impl Backend for ShadowStack {
    const INFO: Info = Info {
        name: "shadow-stack",
        kind: Kind::Tracing,
        about: "mark-sweep whose roots are on a shadow stack: each variable is stored there",
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
    type Heap<T: Tally> = Marking<Variables, T>;
}

/// Roots are the variables that the program wrote down.
pub struct Variables;

impl Roots for Variables {
    const SHADOW: bool = true;
    type Mark = usize;
    #[inline(always)]
    fn mark(height: usize) -> usize {
        height
    }
    #[inline(always)]
    fn height(mark: usize) -> usize {
        mark
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::heap::{Family, Frames, Heap, Mutator, Program};
    use crate::object::{Chain, Link, Node, Plain};
    use crate::parts::trial;
    use std::panic::{AssertUnwindSafe, catch_unwind};

    #[test]
    fn traces() {
        trial::trace::<ShadowStack>(&[
            &[],
            &[("append", "branch"), ("trigger", "4KiB")],
            &[("trigger", "4KiB"), ("growth", "1.1")],
        ]);
    }

    #[test]
    fn a_step_that_allocates_much_needs_few_slots() {
        let mut heap = trial::heap::<ShadowStack>(&[], |_| {});
        heap.run(&trial::Grow { cells: 1_000_000, each_step: 500_000 }).unwrap();
        let stats = heap.stats();
        // An allocation for each cell, and a walk over all.
        assert!((2_000_000..2_000_100).contains(&stats.roots_stored), "{stats:?}");
        // A chain is 16 bytes a cell; two would be in slots if each stayed in one.
        assert!(stats.heap_peak_bytes < 24_000_000, "{stats:?}");
    }

    #[test]
    #[should_panic(expected = "heap corruption found at a safepoint")]
    fn roots_come_from_the_shadow_stack_only() {
        let mut heap = trial::heap::<ShadowStack>(&[], trial::zealous);
        heap.shadow.forgetful = true;
        let _ = heap.run(&trial::Grow { cells: 100, each_step: 10 });
    }

    /// Filters a chain with a panic that it catches, allocates what is no chain in the
    /// cells that the filter had in hand, and goes on to a safepoint.
    struct Caught;

    struct Pair;
    impl Family for Pair {
        type Of<'gc, M: Mutator<'gc>> = Plain<[u64; 2]>;
    }

    impl Program for Caught {
        type Frame<'gc, M: Mutator<'gc>> = (Plain<u32>, Link<'gc, M, Chain<u64>>);
        type Out = u64;
        fn start<'gc, M: Mutator<'gc>>(
            &self,
            heap: &mut M,
            stack: &mut Frames<'gc, M, Self>,
            _: &mut u64,
        ) {
            let mut chain = Link::NONE;
            for item in 0..20 {
                chain = Link(Some(heap.alloc::<Chain<u64>>(Node { item, next: chain })));
            }
            stack.push((Plain(50), chain), heap);
        }
        fn step<'gc, M: Mutator<'gc>>(
            &self,
            heap: &mut M,
            (Plain(left), chain): Self::Frame<'gc, M>,
            stack: &mut Frames<'gc, M, Self>,
            sum: &mut u64,
        ) {
            let filter = || {
                let kept = heap.filter(chain.as_ref(), |item| {
                    assert!(item != 10, "amid the filter");
                    true
                });
                heap.release_link(kept);
            };
            assert!(catch_unwind(AssertUnwindSafe(filter)).is_err());
            for _ in 0..20 {
                let pair = heap.alloc::<Pair>(Plain([u64::MAX, 8 + 2]));
                heap.release(pair);
            }
            *sum = heap.fold(chain.as_ref(), 0, |sum, item| sum + item);
            if left > 0 {
                stack.push((Plain(left - 1), chain), heap);
            } else {
                heap.release_link(chain);
            }
        }
    }

    #[test]
    fn a_panic_that_a_step_catches_leaves_no_roots() {
        for append in ["speculate", "branch"] {
            let mut heap = trial::heap::<ShadowStack>(&[("append", append)], trial::zealous);
            assert_eq!(heap.run(&Caught), Ok(190));
            trial::settled(&mut heap);
        }
    }
}
