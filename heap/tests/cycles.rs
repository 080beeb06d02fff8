//! Rings of objects: reclaimed exactly where the capability record says so.

use heap::conformance::{Check, every_backend, settings, tiny, zealous};
use heap::{
    Backend, Chain, Family, Frames, Heap, HeapError, Kind, Link, Mutator, Node, Off, On, Plain,
    Program, Settings,
};

/// Times that a shape is made and dropped, when the objects that are left are counted.
const TIMES: u32 = if cfg!(miri) { 10 } else { 100 };
/// Times when a heap of `LIMIT_BYTES` must hold out: several times its size in all.
const TIMES_WITHIN_LIMIT: u32 = 8_000;
const LIMIT_BYTES: usize = 512 << 10;
/// Objects in a longer ring or list.
const LENGTH: u32 = 10;

/// A node with two references.
struct Double;
impl Family for Double {
    type Of<'gc, M: Mutator<'gc>> = (Plain<u32>, [Link<'gc, M, Double>; 2]);
}

/// What is made and dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shape {
    /// A node that refers to itself.
    Loop,
    /// Two nodes that refer to each other.
    RingOfTwo,
    /// A ring of chain cells, the shape that heaps know.
    ChainRing,
    /// A doubly linked list.
    DoublyLinked,
    /// A ring that a node outside it refers to, and that refers to a node outside it.
    TiedRing,
    /// No ring: a chain, and a node set to refer to another one twice.
    Acyclic,
}

impl Shape {
    const ALL: [Shape; 6] = [
        Shape::Loop,
        Shape::RingOfTwo,
        Shape::ChainRing,
        Shape::DoublyLinked,
        Shape::TiedRing,
        Shape::Acyclic,
    ];

    /// Objects allocated each time, and how many of them counting leaks.
    fn objects(self) -> (u32, u32) {
        match self {
            Shape::Loop => (1, 1),
            Shape::RingOfTwo => (2, 2),
            Shape::ChainRing | Shape::DoublyLinked => (LENGTH, LENGTH),
            Shape::TiedRing => (4, 3),
            Shape::Acyclic => (LENGTH + 2, 0),
        }
    }

    fn make<'gc, M: Mutator<'gc>>(self, heap: &mut M) {
        match self {
            Shape::Loop => {
                let at = node(heap, Link::NONE);
                let itself = Link(Some(heap.share(&at)));
                heap.set::<Double>(&at, (Plain(1), [itself, Link::NONE]));
                heap.release(at);
            }
            Shape::RingOfTwo => {
                let a = ring_of_two(heap, Link::NONE);
                heap.release(a);
            }
            Shape::ChainRing => {
                let (head, last) = chain(heap);
                heap.set::<Chain<u32>>(&last, Node { item: 0, next: Link(Some(head)) });
                heap.release(last);
            }
            Shape::DoublyLinked => {
                let mut last = node(heap, Link::NONE);
                for _ in 1..LENGTH {
                    let before = heap.load(&last, |node| &node.1[0]);
                    let back = Link(Some(heap.share(&last)));
                    let new = node(heap, back);
                    let forth = Link(Some(heap.share(&new)));
                    heap.set::<Double>(&last, (Plain(1), [before, forth]));
                    heap.release(std::mem::replace(&mut last, new));
                }
                heap.release(last);
            }
            Shape::TiedRing => {
                let outside = node(heap, Link::NONE);
                let ring = ring_of_two(heap, Link(Some(outside)));
                let user = node(heap, Link(Some(ring)));
                heap.release(user);
            }
            Shape::Acyclic => {
                let (head, last) = chain(heap);
                heap.release(head);
                heap.release(last);
                let (a, b) = (node(heap, Link::NONE), node(heap, Link::NONE));
                let twice = [Link(Some(heap.share(&b))), Link(Some(b))];
                heap.set::<Double>(&a, (Plain(1), twice));
                heap.release(a);
            }
        }
    }
}

fn node<'gc, M: Mutator<'gc>>(heap: &mut M, first: Link<'gc, M, Double>) -> M::Ref<Double> {
    heap.alloc::<Double>((Plain(0), [first, Link::NONE]))
}

/// The first node of a ring that refers to `other`, too.
fn ring_of_two<'gc, M: Mutator<'gc>>(heap: &mut M, other: Link<'gc, M, Double>) -> M::Ref<Double> {
    let a = node(heap, Link::NONE);
    let back = Link(Some(heap.share(&a)));
    let b = node(heap, back);
    heap.set::<Double>(&a, (Plain(1), [Link(Some(b)), other]));
    a
}

/// A chain's first and last cell.
fn chain<'gc, M: Mutator<'gc>>(heap: &mut M) -> (M::Ref<Chain<u32>>, M::Ref<Chain<u32>>) {
    let mut head = heap.alloc::<Chain<u32>>(Node { item: 0, next: Link::NONE });
    let last = heap.share(&head);
    for item in 1..LENGTH {
        head = heap.alloc::<Chain<u32>>(Node { item, next: Link(Some(head)) });
    }
    (head, last)
}

/// Makes a shape in each of so many steps, and drops it.
struct Drop {
    shape: Shape,
    times: u32,
}

impl Program for Drop {
    type Frame<'gc, M: Mutator<'gc>> = Plain<u32>;
    type Out = u32;

    fn start<'gc, M: Mutator<'gc>>(
        &self,
        heap: &mut M,
        stack: &mut Frames<'gc, M, Self>,
        _: &mut u32,
    ) {
        stack.push(Plain(self.times), heap);
    }

    fn step<'gc, M: Mutator<'gc>>(
        &self,
        heap: &mut M,
        Plain(left): Plain<u32>,
        stack: &mut Frames<'gc, M, Self>,
        made: &mut u32,
    ) {
        if left > 0 {
            self.shape.make(heap);
            *made += 1;
            stack.push(Plain(left - 1), heap);
        }
    }
}

fn count_what_is_left<B: Backend>(name: &str, settings: &Settings, shape: Shape) {
    let what = format!("{}, {name}, {shape:?}", B::INFO.name);
    let mut heap = <B::Heap<On>>::new(settings);
    let (allocated, cyclic) = shape.objects();
    assert_eq!(heap.run(&Drop { shape, times: TIMES }), Ok(TIMES), "{what}");
    assert_eq!(heap.stats().cells_allocated, u64::from(TIMES * allocated), "{what}");
    heap.validate().expect(&what);
    heap.settle();
    heap.validate().expect(&what);
    if B::INFO.reclaims {
        let left = if B::INFO.cycles { 0 } else { TIMES * cyclic };
        assert_eq!(heap.stats().live_cells, u64::from(left), "{what}: cells left");
    }
}

#[derive(Clone, Copy)]
struct AfterTheRun;

impl Check for AfterTheRun {
    fn check<B: Backend>(self) {
        for (name, settings) in settings(&B::INFO).iter().chain(&zealous(&B::INFO)) {
            for shape in Shape::ALL {
                count_what_is_left::<B>(name, settings, shape);
            }
        }
    }
}

#[test]
fn what_is_left_after_a_run_is_what_the_record_says() {
    every_backend(AfterTheRun);
}

#[derive(Clone, Copy)]
struct WithinTheLimit;

impl Check for WithinTheLimit {
    fn check<B: Backend>(self) {
        for shape in [Shape::ChainRing, Shape::DoublyLinked, Shape::Acyclic] {
            let mut settings = tiny(&B::INFO);
            settings.limit_bytes = LIMIT_BYTES;
            let mut heap = <B::Heap<Off>>::new(&settings);
            let result = heap.run(&Drop { shape, times: TIMES_WITHIN_LIMIT });
            let what = format!("{}, {shape:?}: {result:?}", B::INFO.name);
            heap.validate().expect(&what);
            let reclaims = B::INFO.reclaims && (B::INFO.cycles || shape == Shape::Acyclic);
            // After a write, a heap with scopes keeps all until the run ends.
            let scopes = matches!(B::INFO.kind, Kind::Manual | Kind::Region);
            match result {
                Ok(made) => assert!(reclaims && made == TIMES_WITHIN_LIMIT, "{what}"),
                Err(HeapError::OutOfMemory { .. }) => {
                    assert!(!reclaims || scopes, "{what}");
                }
            }
        }
    }
}

#[test]
#[cfg_attr(miri, ignore = "takes too long under Miri")]
fn what_is_reclaimed_is_reclaimed_during_the_run() {
    every_backend(WithinTheLimit);
}
