//! Very long chains: built over many steps, collected around, walked, released
//! and abandoned, on a stack that has no room for a recursion along them.

mod common;

use common::on_a_small_stack;
use heap::conformance::{Check, every_backend};
use heap::{
    Backend, Chain, Edge, Family, Frames, Heap, HeapError, Link, Mutator, Node, On, Plain, Program,
    Settings,
};

/// Cells of the longest chain.
const CELLS: u32 = if cfg!(miri) {
    1_000
} else if cfg!(debug_assertions) || cfg!(heap_asan) {
    1_000_000
} else {
    10_000_000
};
/// Cells built in one step.
const CELLS_PER_STEP: u32 = CELLS / 500;

/// Objects whose longest path goes through the last of their references, and
/// alternates between two families: nothing that a heap could treat as a chain.
struct Odd;
impl Family for Odd {
    type Of<'gc, M: Mutator<'gc>> = (Plain<u32>, Link<'gc, M, Odd>, Link<'gc, M, Even>);
}
struct Even;
impl Family for Even {
    type Of<'gc, M: Mutator<'gc>> = (Link<'gc, M, Chain<u8>>, [Link<'gc, M, Odd>; 3]);
}

/// Builds a path of `cells` objects, walks it, and gives it up.
trait Path: 'static {
    type Cell: Family;
    fn grow<'gc, M: Mutator<'gc>>(
        heap: &mut M,
        item: u32,
        rest: Link<'gc, M, Self::Cell>,
    ) -> M::Ref<Self::Cell>;
    fn sum<'gc, M: Mutator<'gc>>(heap: &mut M, path: &M::Ref<Self::Cell>) -> u64;
    /// Objects per cell.
    const OBJECTS: u32;
}

struct Cells;
impl Path for Cells {
    type Cell = Chain<u32>;
    const OBJECTS: u32 = 1;

    fn grow<'gc, M: Mutator<'gc>>(
        heap: &mut M,
        item: u32,
        next: Link<'gc, M, Chain<u32>>,
    ) -> M::Ref<Chain<u32>> {
        heap.alloc::<Chain<u32>>(Node { item, next })
    }
    fn sum<'gc, M: Mutator<'gc>>(heap: &mut M, path: &M::Ref<Chain<u32>>) -> u64 {
        heap.fold(Some(path), 0, |sum, item| sum + u64::from(item))
    }
}

struct Alternating;
impl Path for Alternating {
    type Cell = Odd;
    const OBJECTS: u32 = 2;

    fn grow<'gc, M: Mutator<'gc>>(heap: &mut M, item: u32, rest: Link<'gc, M, Odd>) -> M::Ref<Odd> {
        let even = heap.alloc::<Even>((Link::NONE, [Link::NONE, Link::NONE, rest]));
        heap.alloc::<Odd>((Plain(item), Link::NONE, Link(Some(even))))
    }
    fn sum<'gc, M: Mutator<'gc>>(heap: &mut M, path: &M::Ref<Odd>) -> u64 {
        let mut sum = 0;
        let mut rest = Link(Some(heap.share(path)));
        while let Some(odd) = rest.0 {
            sum += u64::from(heap.get::<Odd>(&odd).0.0);
            let even = heap
                .load::<Odd, Even>(&odd, |odd| &odd.2)
                .0
                .expect("each odd object has an even one");
            heap.release::<Odd>(odd);
            rest = heap.load::<Even, Odd>(&even, |even| &even.1[2]);
            heap.release::<Even>(even);
        }
        sum
    }
}

/// Grows a path step by step. The frame holds the cells that are missing.
struct Grow<P: Path> {
    cells: u32,
    path: std::marker::PhantomData<P>,
}

impl<P: Path> Program for Grow<P> {
    type Frame<'gc, M: Mutator<'gc>> = (Plain<u32>, Edge<'gc, M, P::Cell>);
    type Out = u64;

    fn start<'gc, M: Mutator<'gc>>(
        &self,
        heap: &mut M,
        stack: &mut Frames<'gc, M, Self>,
        _: &mut u64,
    ) {
        stack.push((Plain(self.cells - 1), Edge(P::grow(heap, 0, Link::NONE))), heap);
    }

    fn step<'gc, M: Mutator<'gc>>(
        &self,
        heap: &mut M,
        (Plain(missing), Edge(mut path)): Self::Frame<'gc, M>,
        stack: &mut Frames<'gc, M, Self>,
        sum: &mut u64,
    ) {
        if missing == 0 {
            *sum += P::sum(heap, &path);
            heap.release(path);
            return;
        }
        let now = missing.min(CELLS_PER_STEP);
        for item in (1..=missing).rev().take(now as usize) {
            // Garbage between the cells, so that nothing stays where it was.
            let garbage = heap.alloc::<Chain<u32>>(Node { item, next: Link::NONE });
            path = P::grow(heap, item, Link(Some(path)));
            heap.release(garbage);
        }
        stack.push((Plain(missing - now), Edge(path)), heap);
    }
}

/// A whole path within the default limit, then one that outgrows a limit.
fn grow<B: Backend, P: Path>(cells: u32) {
    let program = Grow::<P> { cells, path: std::marker::PhantomData };
    let what = format!("{}, {} object(s) per cell", B::INFO.name, P::OBJECTS);
    let mut heap = <B::Heap<On>>::new(&Settings::new(&B::INFO));
    let sum = u64::from(cells) * u64::from(cells - 1) / 2;
    assert_eq!(heap.run(&program), Ok(sum), "{what}");
    let allocated = u64::from(cells) * u64::from(P::OBJECTS) + u64::from(cells - 1);
    assert_eq!(heap.stats().cells_allocated, allocated, "{what}");
    settle::<B>(&what, &mut heap);

    let mut settings = Settings::new(&B::INFO);
    // Half of what the smallest cells take.
    settings.limit_bytes = cells as usize * 8;
    drop(heap);
    let mut heap = <B::Heap<On>>::new(&settings);
    let result = heap.run(&program);
    assert!(matches!(result, Err(HeapError::OutOfMemory { .. })), "{what}: {result:?}");
    settle::<B>(&what, &mut heap);
}

fn settle<B: Backend>(what: &str, heap: &mut B::Heap<On>) {
    heap.settle();
    heap.validate().expect(what);
    if B::INFO.reclaims {
        assert_eq!(heap.stats().live_cells, 0, "{what}: cells left");
    }
}

#[derive(Clone, Copy)]
struct LongChain;

impl Check for LongChain {
    fn check<B: Backend>(self) {
        on_a_small_stack(|| grow::<B, Cells>(CELLS));
    }
}

#[test]
fn a_long_chain_is_built_walked_released_and_abandoned() {
    every_backend(LongChain);
}

#[derive(Clone, Copy)]
struct LongPath;

impl Check for LongPath {
    fn check<B: Backend>(self) {
        on_a_small_stack(|| grow::<B, Alternating>(CELLS / 10));
    }
}

#[test]
fn a_long_path_through_other_objects_needs_no_stack_either() {
    every_backend(LongPath);
}
