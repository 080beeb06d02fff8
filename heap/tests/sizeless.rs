//! Objects without a size among the immortal ones: they too lie where the heaps know them by.

mod common;

use common::tasks::{in_turn, with_room};
use heap::carry::{self, Lists, Split};
use heap::conformance::{Check, every_backend, zealous};
use heap::{
    Backend, Chain, Edge, Family, Frames, Heap, Immortal, Link, Mutator, Node, On, Plain, Program,
};

/// Cells, and objects without a size that may come to lie where the room ends.
#[derive(Clone)]
struct Sizeless;

/// An object without a size.
struct Unit;
impl Family for Unit {
    type Of<'gc, M: Mutator<'gc>> = Plain<()>;
}

impl Program for Sizeless {
    type Frame<'gc, M: Mutator<'gc>> = (Edge<'gc, M, Chain<u32>>, Edge<'gc, M, Unit>);
    type Out = u64;

    fn start<'gc, M: Mutator<'gc>>(
        &self,
        heap: &mut M,
        stack: &mut Frames<'gc, M, Self>,
        _: &mut u64,
    ) {
        for item in [20, 30] {
            let list = heap.alloc::<Chain<u32>>(Node { item, next: Link::NONE });
            let unit = heap.alloc::<Unit>(Plain(()));
            stack.push((Edge(list), Edge(unit)), heap);
        }
    }

    fn step<'gc, M: Mutator<'gc>>(
        &self,
        heap: &mut M,
        (Edge(list), Edge(unit)): Self::Frame<'gc, M>,
        stack: &mut Frames<'gc, M, Self>,
        out: &mut u64,
    ) {
        let Node { item, .. } = *heap.get(&list);
        heap.release(list);
        *out += 1;
        if item > 0 {
            let next = heap.alloc::<Chain<u32>>(Node { item: item - 1, next: Link::NONE });
            stack.push((Edge(next), Edge(unit)), heap);
        } else {
            heap.release(unit);
        }
    }
}

#[derive(Clone, Copy)]
struct Ends;

impl Check for Ends {
    fn check<B: Backend>(self) {
        if carry::possible(B::INFO.name, Lists::Immortal) != Some(true) {
            return;
        }
        let split = Split { lists: Lists::Immortal, depth: 1 };
        for (what, settings) in zealous(&B::INFO) {
            let (settings, region) = with_room(&settings, 1 << 20);
            let mut heap = <B::Heap<Immortal<On>>>::new(&settings);
            let totals = in_turn(std::slice::from_mut(&mut heap), &Sizeless, split).expect(&what);
            assert_eq!(totals.out, 52, "{what}");
            // The same with no byte to spare.
            let room_bytes = region.used_bytes();
            let (settings, region) = with_room(&settings, room_bytes);
            let mut heap = <B::Heap<Immortal<On>>>::new(&settings);
            let totals = in_turn(std::slice::from_mut(&mut heap), &Sizeless, split).expect(&what);
            assert_eq!((totals.out, region.used_bytes()), (52, room_bytes), "{what}");
            heap.settle();
            heap.validate().expect(&what);
            assert!(!B::INFO.reclaims || heap.stats().live_cells == 0, "{what}");
        }
    }
}

#[test]
fn objects_without_a_size_lie_in_the_room_too() {
    every_backend(Ends);
}
