//! A program that panics in the middle of a step, or of a walk, leaves a heap
//! that can be used again: nothing is half built, freed twice or still in use.

use heap::conformance::{Check, every_backend, settings, zealous};
use heap::{
    Backend, Chain, Frames, Heap, Kind, Link, Mutator, Node, Off, On, Plain, Program, Settings,
};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

/// Calls after which a program panics: in the first step, and in later ones.
const MOST_CALLS: u32 = if cfg!(miri) { 40 } else { 400 };
const CALLS_APART: usize = 7;
/// Cells of the chain that is filtered: more than the least nursery holds.
const CELLS: u32 = 100;

/// Builds, filters, folds and mutates chains; panics in the `fuse`-th of the
/// calls that the heap makes into the program, if there are so many.
struct Fused {
    fuse: std::cell::Cell<u32>,
}

impl Fused {
    fn new(fuse: u32) -> Self {
        Fused { fuse: std::cell::Cell::new(fuse) }
    }
    fn call(&self) {
        match self.fuse.get() {
            // Without the panic hook: thousands of messages would help nobody.
            1 => resume_unwind(Box::new("as planned")),
            left => self.fuse.set(left.saturating_sub(1)),
        }
    }
}

impl Program for Fused {
    type Frame<'gc, M: Mutator<'gc>> = (Plain<u32>, Link<'gc, M, Chain<u32>>);
    type Out = u64;

    fn start<'gc, M: Mutator<'gc>>(
        &self,
        heap: &mut M,
        stack: &mut Frames<'gc, M, Self>,
        _: &mut u64,
    ) {
        let mut chain = Link::NONE;
        for item in 0..CELLS {
            chain = Link(Some(heap.alloc::<Chain<u32>>(Node { item, next: chain })));
        }
        stack.push((Plain(4), chain), heap);
    }

    fn step<'gc, M: Mutator<'gc>>(
        &self,
        heap: &mut M,
        (Plain(left), chain): Self::Frame<'gc, M>,
        stack: &mut Frames<'gc, M, Self>,
        sum: &mut u64,
    ) {
        self.call();
        let kept = heap.filter(chain.as_ref(), |item| {
            self.call();
            item % 4 != left
        });
        *sum = heap.fold(kept.as_ref(), *sum, |sum, item| {
            self.call();
            sum.wrapping_mul(31) + u64::from(item)
        });
        if let Some(first) = &kept.0 {
            let next = heap.load(first, |cell| {
                self.call();
                &cell.next
            });
            heap.set::<Chain<u32>>(first, Node { item: 1_000 + left, next });
        }
        heap.release_link(chain);
        if left > 0 {
            stack.push((Plain(left - 1), heap.share_link(&kept)), heap);
            stack.push((Plain(0), kept), heap);
        } else {
            heap.release_link(kept);
        }
    }
}

fn panic_everywhere<H: Heap>(what: &str, settings: &Settings) -> H {
    let right = H::new(settings).run(&Fused::new(0)).expect("the limit is far away");
    let mut heap = H::new(settings);
    for fuse in (1..MOST_CALLS).step_by(CALLS_APART) {
        let program = Fused::new(fuse);
        let result = catch_unwind(AssertUnwindSafe(|| heap.run(&program)));
        assert!(result.is_err(), "{what}, fuse {fuse}: no panic");
        heap.validate().expect(what);
        if fuse % 8 == 0 {
            heap.settle();
            heap.validate().expect(what);
        }
        assert_eq!(heap.run(&Fused::new(0)), Ok(right), "{what}, after the panic of fuse {fuse}");
        heap.validate().expect(what);
        if fuse % 16 == 0 {
            heap.settle();
            heap.validate().expect(what);
        }
    }
    heap
}

#[derive(Clone, Copy)]
struct Panics;

impl Check for Panics {
    fn check<B: Backend>(self) {
        for (name, settings) in settings(&B::INFO).iter().chain(&zealous(&B::INFO)) {
            let what = format!("{}, {name}", B::INFO.name);
            panic_everywhere::<B::Heap<Off>>(&what, settings);
            let mut heap = panic_everywhere::<B::Heap<On>>(&what, settings);
            heap.settle();
            // A count that was not given up cannot be found again; a trace finds all.
            let scopes_tell = ["region-runs", "region-local"].contains(&B::INFO.name);
            if B::INFO.kind == Kind::Tracing || scopes_tell {
                assert_eq!(heap.stats().live_cells, 0, "{what}: cells left");
            }
        }
    }
}

#[test]
fn a_panic_anywhere_leaves_a_usable_heap() {
    every_backend(Panics);
}
