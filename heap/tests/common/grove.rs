//! A program to split that writes to no object.

use super::objects::{Leaf, Pair, Wide, bulk};
use super::tasks::Read;
use heap::{Chain, Edge, Family, Frames, Link, Mutator, Node, Plain, Program};

/// Objects of no size, of two types: those of one type may all lie at one address.
pub struct Unit;
impl Family for Unit {
    type Of<'gc, M: Mutator<'gc>> = Plain<()>;
}
pub struct Nothing;
impl Family for Nothing {
    type Of<'gc, M: Mutator<'gc>> = Plain<[u64; 0]>;
}

/// A tree of choice points that share objects of several types and write to none.
#[derive(Clone, Copy, Debug)]
pub struct Grove {
    pub levels: u32,
    pub branches: u32,
}

fn mix(sum: u64, item: u32) -> u64 {
    (sum ^ sum >> 29).wrapping_mul(0x9E37_79B9_7F4A_7C15).wrapping_add(u64::from(item))
}

impl Grove {
    /// An object that refers to others, to the pair in four places.
    fn tie<'gc, M: Mutator<'gc>>(
        heap: &mut M,
        number: u32,
        pair: M::Ref<Pair>,
        chain: Link<'gc, M, Chain<u32>>,
        out: &mut Read,
    ) -> Edge<'gc, M, Wide> {
        let leaf = Link(Some(heap.alloc::<Leaf>(Plain((number, !number)))));
        let mut pairs = [const { Link::NONE }; 8];
        for slot in [0, 3, 7] {
            pairs[slot] = Link(Some(heap.share(&pair)));
        }
        pairs[4] = heap.load(&pair, |pair| &pair.1);
        pairs[5] = Link(Some(pair));
        out.made += 2;
        Edge(heap.alloc::<Wide>((bulk(number, number), pairs, (chain, leaf))))
    }

    /// All that an object leads to, in a number; what was one object must be one.
    fn read<'gc, M: Mutator<'gc>>(heap: &mut M, wide: &M::Ref<Wide>) -> u64 {
        let mut sum = 0;
        let mut next = Link(Some(heap.share(wide)));
        while let Some(wide) = next.0 {
            let data = heap.get::<Wide>(&wide).0;
            let number = data.0.1.0;
            assert_eq!(data, bulk(number, number), "an object was overwritten");
            let pair = heap.load(&wide, |wide| &wide.1[0]).0.expect("a pair");
            for slot in [3, 5, 7] {
                let other = heap.load(&wide, |wide| &wide.1[slot]).0.expect("a pair");
                assert!(heap.same(&other, &pair), "what was one object is two");
                heap.release(other);
            }
            let leaf = heap.load(&wide, |wide| &wide.2.1).0.expect("a leaf");
            assert_eq!(heap.get(&leaf).0, (number, !number));
            heap.release(leaf);
            let chain = heap.load(&wide, |wide| &wide.2.0);
            sum = heap.fold(chain.as_ref(), mix(sum, number), mix);
            heap.release_link(chain);
            // The pair leads to the object that this one was made of.
            next = heap.load(&pair, |pair| &pair.2);
            heap.release(pair);
            heap.release(wide);
        }
        sum
    }
}

impl Program for Grove {
    /// Levels left, and a number; the objects.
    type Frame<'gc, M: Mutator<'gc>> =
        (Plain<[u32; 2]>, Edge<'gc, M, Wide>, (Edge<'gc, M, Unit>, Edge<'gc, M, Nothing>));
    type Out = Read;

    fn start<'gc, M: Mutator<'gc>>(
        &self,
        heap: &mut M,
        stack: &mut Frames<'gc, M, Self>,
        out: &mut Read,
    ) {
        let mut chain = Link::NONE;
        for item in 0..20 {
            chain = Link(Some(heap.alloc::<Chain<u32>>(Node { item, next: chain })));
        }
        let pair = heap.alloc::<Pair>((Plain((1, 2)), Link::NONE, Link::NONE));
        let unit = Edge(heap.alloc::<Unit>(Plain(())));
        let nothing = Edge(heap.alloc::<Nothing>(Plain([])));
        out.made += 23;
        let wide = Self::tie(heap, 1, pair, chain, out);
        stack.push((Plain([self.levels, 1]), wide, (unit, nothing)), heap);
    }

    fn step<'gc, M: Mutator<'gc>>(
        &self,
        heap: &mut M,
        (Plain([level, path]), Edge(wide), (Edge(unit), Edge(nothing))): Self::Frame<'gc, M>,
        stack: &mut Frames<'gc, M, Self>,
        out: &mut Read,
    ) {
        assert_eq!((heap.get(&unit).0, heap.get(&nothing).0), ((), []));
        out.sum = out.sum.wrapping_add(mix(Self::read(heap, &wide), path));
        for branch in (0..self.branches).filter(|_| level > 0) {
            let number = path * self.branches + branch;
            let old = heap.load(&wide, |wide| &wide.2.0);
            // Branches share the list's end, or have a filtered list.
            let chain = if branch % 2 == 0 {
                out.made += 1;
                Link(Some(heap.alloc::<Chain<u32>>(Node { item: number, next: old })))
            } else {
                let kept = heap.filter(old.as_ref(), |item| !(item ^ number).is_multiple_of(3));
                out.made += heap.fold(kept.as_ref(), 0, |cells, _| cells + 1);
                heap.release_link(old);
                kept
            };
            let left = heap.load(&wide, |wide| &wide.1[0]);
            let made_of = Link(Some(heap.share(&wide)));
            let pair = heap.alloc::<Pair>((Plain((number, level)), left, made_of));
            out.made += 1;
            let wide = Self::tie(heap, number, pair, chain, out);
            let others = (Edge(heap.share(&unit)), Edge(heap.share(&nothing)));
            stack.push((Plain([level - 1, number]), wide, others), heap);
        }
        heap.release(wide);
        heap.release(unit);
        heap.release(nothing);
    }
}
