//! Lifetimes that nest, and writes that let objects escape them: what a heap
//! with scopes must get right, and no other heap may stumble over.

use heap::conformance::{Check, every_backend, settings, zealous};
use heap::{
    Backend, Chain, Edge, Family, Frames, Heap, Link, Mutator, Node, On, Plain, Program, Settings,
};

/// A box whose contents are replaced.
struct Cell;
impl Family for Cell {
    type Of<'gc, M: Mutator<'gc>> = Link<'gc, M, Chain<u64>>;
}

/// Each level builds a chain, stores a part of it in a box of an outer level
/// (if it is a level that writes), starts a branch that ends at once, and goes
/// deeper; the way back reads its chain again, which later scopes must have
/// left alone, and the box, whose contents must have outlived their scope.
#[derive(Clone, Copy, Debug)]
struct Levels {
    depth: u32,
    /// Cells that each level builds.
    cells: u64,
    /// Which levels write: those whose number this divides; none if zero.
    writes_every: u32,
}

/// Fills several chunks, blocks and nurseries of the smallest size.
const LEVELS: Levels = if cfg!(miri) {
    Levels { depth: 5, cells: 20, writes_every: 0 }
} else {
    Levels { depth: 20, cells: 60, writes_every: 0 }
};
/// What is to be done at a frame's level.
#[derive(Clone, Copy)]
enum Do {
    Descend,
    Idle,
    Return,
}

type State<'gc, M> = (Plain<(Do, u32)>, Edge<'gc, M, Cell>, Link<'gc, M, Chain<u64>>);

fn read<'gc, M: Mutator<'gc>>(heap: &mut M, chain: Option<&M::Ref<Chain<u64>>>) -> u64 {
    heap.fold(chain, 0, |hash: u64, item| hash.wrapping_mul(31).wrapping_add(item))
}

fn copy_thirds<'gc, M: Mutator<'gc>>(heap: &mut M, chain: Option<&M::Ref<Chain<u64>>>) -> u64 {
    let copy = heap.filter(chain, |item| item % 3 == 0);
    let hash = read(heap, copy.as_ref());
    heap.release_link(copy);
    hash
}

impl Program for Levels {
    type Frame<'gc, M: Mutator<'gc>> = State<'gc, M>;
    type Out = Vec<u64>;

    fn start<'gc, M: Mutator<'gc>>(
        &self,
        heap: &mut M,
        stack: &mut Frames<'gc, M, Self>,
        _: &mut Vec<u64>,
    ) {
        let at = heap.alloc::<Cell>(Link::NONE);
        stack.push((Plain((Do::Descend, 0)), Edge(at), Link::NONE), heap);
    }

    fn step<'gc, M: Mutator<'gc>>(
        &self,
        heap: &mut M,
        (Plain((what, level)), Edge(at), mut chain): State<'gc, M>,
        stack: &mut Frames<'gc, M, Self>,
        out: &mut Vec<u64>,
    ) {
        match what {
            Do::Descend if level < self.depth => {
                for item in 0..self.cells {
                    let item = u64::from(level) * self.cells + item;
                    chain = Link(Some(heap.alloc::<Chain<u64>>(Node { item, next: chain })));
                }
                if self.writes_every > 0 && level % self.writes_every == 0 {
                    let odd = heap.filter(chain.as_ref(), |item| item % 64 == 1);
                    heap.set::<Cell>(&at, odd);
                }
                let back = (Plain((Do::Return, level)), Edge(heap.share(&at)));
                stack.push((back.0, back.1, heap.share_link(&chain)), heap);
                let deeper = (Plain((Do::Descend, level + 1)), Edge(heap.share(&at)));
                stack.push((deeper.0, deeper.1, heap.share_link(&chain)), heap);
                stack.push((Plain((Do::Idle, level)), Edge(at), chain), heap);
            }
            Do::Descend | Do::Idle => {
                out.push(copy_thirds(heap, chain.as_ref()));
                heap.release_link(chain);
                heap.release(at);
            }
            Do::Return => {
                // Overwrites what was freed too early.
                out.push(copy_thirds(heap, chain.as_ref()));
                out.push(read(heap, chain.as_ref()));
                let stored = heap.load::<Cell, Chain<u64>>(&at, |stored| stored);
                out.push(read(heap, stored.as_ref()));
                heap.release_link(stored);
                heap.release_link(chain);
                heap.release(at);
            }
        }
    }
}

/// The same with vectors.
fn expected(Levels { depth, cells, writes_every }: Levels) -> Vec<u64> {
    fn read(items: impl Iterator<Item = u64>) -> u64 {
        items.fold(0, |hash: u64, item| hash.wrapping_mul(31).wrapping_add(item))
    }
    let chain = |level: u32| (0..u64::from(level) * cells).rev();
    let thirds = |level| read(chain(level).filter(|item| item % 3 == 0));
    let mut out: Vec<_> = (1..=depth).chain([depth]).map(thirds).collect();
    let stored = match (depth - 1).checked_div(writes_every) {
        Some(writes) => read(chain(writes * writes_every + 1).filter(|item| item % 64 == 1)),
        None => 0,
    };
    for level in (1..=depth).rev() {
        out.extend([thirds(level), read(chain(level)), stored]);
    }
    out
}

/// Leaves holes for small chunks in the platform's memory, the highest to be
/// taken first, so that a chunk often lies below the one before it. Returns the
/// walls between them.
fn scatter() -> Vec<Box<[u8]>> {
    let mut blocks: Vec<_> = (0..100).map(|_| vec![0_u8; 6 << 10].into_boxed_slice()).collect();
    blocks.sort_by_key(|block| std::cmp::Reverse(block.as_ptr().addr()));
    let (holes, walls): (Vec<_>, Vec<_>) =
        blocks.into_iter().enumerate().partition(|(index, _)| index % 2 == 0);
    drop(holes);
    walls.into_iter().map(|(_, wall)| wall).collect()
}

fn run<B: Backend>(name: &str, settings: &Settings) {
    let _walls = scatter();
    let mut heap = <B::Heap<On>>::new(settings);
    for writes_every in [0, 1, 7, LEVELS.depth] {
        let levels = Levels { writes_every, ..LEVELS };
        let what = format!("{}, {name}, {levels:?}", B::INFO.name);
        let out = heap.run(&levels).expect("the limit is far away");
        assert_eq!(out, expected(levels), "{what}");
        heap.validate().expect(&what);
        // The first two runs share what they left: settling is no part of a run.
        if writes_every > 0 {
            heap.settle();
            heap.validate().expect(&what);
            if B::INFO.reclaims {
                assert_eq!(heap.stats().live_cells, 0, "{what}: cells left");
            }
        }
    }
}

#[derive(Clone, Copy)]
struct Nested;

impl Check for Nested {
    fn check<B: Backend>(self) {
        for (name, settings) in settings(&B::INFO).iter().chain(&zealous(&B::INFO)) {
            run::<B>(name, settings);
        }
    }
}

#[test]
fn nested_lifetimes_and_escapes_from_them() {
    every_backend(Nested);
}
