//! Every limit that a small workload can run into: the right answer or an
//! error, and a heap that is whole and usable afterwards.

use heap::conformance::{Check, every_backend, tiny, zealous};
use heap::{
    Backend, Chain, Edge, Family, Frames, Heap, HeapError, Link, Mutator, Node, On, Plain, Program,
    Settings, Visit, Zeal,
};
use nqueens::Queens;

/// Limits are a cell apart, or further apart so that there are at most as many:
/// heaps made of blocks reach their peak far above the workload's size.
const MOST_LIMITS: usize = if cfg!(miri) {
    10
} else if cfg!(debug_assertions) || cfg!(heap_asan) {
    400
} else {
    100_000
};
const CELL_BYTES: usize = 16;

/// A node with two references and some data.
struct Branch;
impl Family for Branch {
    type Of<'gc, M: Mutator<'gc>> =
        (Plain<[u32; 3]>, Link<'gc, M, Branch>, Link<'gc, M, Chain<u32>>);
}

/// A search tree of choice points: each step allocates a cell, a filtered copy
/// of a chain and a branch, mutates an older branch, and forks.
struct Tree {
    depth: u32,
}

/// How deep to go on, the branch above, and a chain.
type Choice<'gc, M> = (Plain<u32>, Edge<'gc, M, Branch>, Link<'gc, M, Chain<u32>>);

impl Program for Tree {
    type Frame<'gc, M: Mutator<'gc>> = Choice<'gc, M>;
    type Out = u64;

    fn start<'gc, M: Mutator<'gc>>(
        &self,
        heap: &mut M,
        stack: &mut Frames<'gc, M, Self>,
        _: &mut u64,
    ) {
        let mut chain = Link::NONE;
        for item in 0..4 {
            chain = Link(Some(heap.alloc::<Chain<u32>>(Node { item, next: chain })));
        }
        let root = heap.alloc::<Branch>((Plain([0; 3]), Link::NONE, Link::NONE));
        stack.push((Plain(self.depth), Edge(root), chain), heap);
    }

    fn step<'gc, M: Mutator<'gc>>(
        &self,
        heap: &mut M,
        (Plain(depth), Edge(parent), chain): Choice<'gc, M>,
        stack: &mut Frames<'gc, M, Self>,
        sum: &mut u64,
    ) {
        let items = heap.fold(chain.as_ref(), 0, |sum, item| sum + u64::from(item));
        *sum = sum.wrapping_mul(31) + items + u64::from(heap.get(&parent).0.0[0]);
        if depth == 0 {
            heap.release(parent);
            heap.release_link(chain);
            return;
        }
        let longer = heap.alloc::<Chain<u32>>(Node { item: depth, next: chain });
        let odd = heap.filter(Some(&longer), |item| item % 2 == 1);
        let upward = heap.load(&parent, |branch| &branch.1);
        let kept = Link(Some(heap.share(&longer)));
        heap.set::<Branch>(&parent, (Plain([depth; 3]), upward, kept));
        let upward = Link(Some(parent));
        let child = heap.alloc::<Branch>((Plain([depth + 7; 3]), upward, Link::NONE));
        stack.push((Plain(depth - 1), Edge(heap.share(&child)), odd), heap);
        stack.push((Plain(depth - 1), Edge(child), Link(Some(longer))), heap);
    }
}

const TREE: Tree = Tree { depth: if cfg!(miri) { 2 } else { 4 } };
/// Needs a fraction of what the tree needs.
const SMALL: Tree = Tree { depth: 1 };

fn with_limit(settings: &Settings, limit_bytes: usize) -> Settings {
    let mut settings = settings.clone();
    settings.limit_bytes = limit_bytes;
    settings
}

/// Runs a program on a heap that may be out of memory: whether it ended.
fn run<H: Heap>(what: &str, heap: &mut H, program: &Tree, limit_bytes: usize, right: u64) -> bool {
    let result = heap.run(program);
    heap.validate().expect(what);
    match result {
        Ok(sum) => assert_eq!(sum, right, "{what}"),
        Err(error) => {
            let HeapError::OutOfMemory { limit_bytes: limit, live_bytes } = error;
            assert_eq!(limit, limit_bytes, "{what}");
            let text = error.to_string();
            assert!(text.contains(&limit.to_string()), "{what}: {text}");
            assert!(text.contains(&live_bytes.to_string()), "{what}: {text}");
        }
    }
    result.is_ok()
}

fn settle<B: Backend>(what: &str, heap: &mut B::Heap<On>) {
    heap.settle();
    heap.validate().expect(what);
    if B::INFO.reclaims {
        assert_eq!(heap.stats().live_cells, 0, "{what}: cells left");
    }
}

fn every_limit<B: Backend>(name: &str, settings: &Settings) {
    let mut free = <B::Heap<On>>::new(settings);
    let right = free.run(&TREE).expect("the limit is far away");
    let peak_bytes = free.stats().heap_peak_bytes;
    assert!(peak_bytes > 0, "{}: no peak", B::INFO.name);
    let small_right = <B::Heap<On>>::new(settings).run(&SMALL).expect("the limit is far away");

    let apart_bytes = CELL_BYTES.max(peak_bytes / MOST_LIMITS);
    let mut ended = 0;
    let limits = (1..peak_bytes).step_by(apart_bytes);
    for limit_bytes in limits.chain([peak_bytes, 4 * peak_bytes]) {
        let what = format!("{}, {name}, limit {limit_bytes}", B::INFO.name);
        let settings = with_limit(settings, limit_bytes);
        let mut heap = <B::Heap<On>>::new(&settings);
        let first = run(&what, &mut heap, &TREE, limit_bytes, right);
        ended += u32::from(first);
        settle::<B>(&what, &mut heap);
        // What fits a new heap of this limit fits this one, too.
        let mut new = <B::Heap<On>>::new(&settings);
        let fits = run(&what, &mut new, &SMALL, limit_bytes, small_right);
        let fits_again = run(&what, &mut heap, &SMALL, limit_bytes, small_right);
        assert!(fits_again || !fits || !B::INFO.reclaims, "{what}: not usable any more");
        settle::<B>(&what, &mut heap);
        let again = run(&what, &mut heap, &TREE, limit_bytes, right);
        assert!(again || !first || !B::INFO.reclaims, "{what}: the program ended before");
        settle::<B>(&what, &mut heap);
        match limit_bytes {
            1 => assert!(!first, "{what}: ended in a heap of one byte"),
            limit => assert!(first || limit < 4 * peak_bytes, "{what}: the peak was {peak_bytes}"),
        }
    }
    assert!(ended > 0, "{}: no limit was high enough", B::INFO.name);
}

#[derive(Clone, Copy)]
struct EveryLimit;

impl Check for EveryLimit {
    fn check<B: Backend>(self) {
        every_limit::<B>("defaults", &Settings::new(&B::INFO));
        every_limit::<B>("tiny", &tiny(&B::INFO));
    }
}

#[test]
fn every_limit_gives_the_answer_or_an_error() {
    every_backend(EveryLimit);
}

#[derive(Clone, Copy)]
struct EveryLimitZealous;

impl Check for EveryLimitZealous {
    fn check<B: Backend>(self) {
        for (name, settings) in zealous(&B::INFO) {
            assert_eq!(settings.zeal, Zeal::EverySafepoint);
            every_limit::<B>(&name, &settings);
        }
    }
}

#[test]
fn every_limit_gives_the_answer_or_an_error_under_zeal() {
    every_backend(EveryLimitZealous);
}

/// Whether a search ends in a heap of so many bytes, its parameters being those
/// of a heap without a limit.
struct Fits(usize);

impl Visit for Fits {
    type Out = bool;
    fn visit<B: Backend>(self) -> bool {
        let settings = with_limit(&Settings::new(&B::INFO), self.0);
        let mut heap = <B::Heap<On>>::new(&settings);
        heap.run(&Queens::<On>::new(if cfg!(miri) { 4 } else { 7 })).is_ok()
    }
}

/// The room that was found to do; each needs twice as much where it collects only
/// once the limit is passed.
#[test]
fn heaps_near_their_limit_collect_instead_of_passing_it() {
    for (name, limit_bytes) in
        [("gc", 128 << 10), ("mark-sweep", 64 << 10), ("mark-region", 8 << 10)]
    {
        assert_eq!(heap::visit(name, Fits(limit_bytes)), Some(true), "{name}");
    }
}
