//! A program to split whose lists are as long as it is told.

use heap::carry::{Lists, Split, Task};
use heap::{Chain, Frames, Link, Mutator, Node, Program};

/// Some cells, which all branches share, and some in each of them.
#[derive(Clone)]
pub struct Heavy {
    pub shared: u32,
    pub own: u32,
    pub branches: u32,
}

impl Heavy {
    fn cells<'gc, M: Mutator<'gc>>(
        heap: &mut M,
        cells: u32,
        mut chain: Link<'gc, M, Chain<u32>>,
    ) -> Link<'gc, M, Chain<u32>> {
        for item in 0..cells {
            chain = Link(Some(heap.alloc::<Chain<u32>>(Node { item, next: chain })));
        }
        chain
    }

    pub fn task<H>(shared: u32, own: u32, branches: u32, lists: Lists) -> Task<Self, H> {
        Task::new(Heavy { shared, own, branches }, Split { lists, depth: 1 })
    }
}

impl Program for Heavy {
    type Frame<'gc, M: Mutator<'gc>> = Link<'gc, M, Chain<u32>>;
    type Out = u64;

    fn start<'gc, M: Mutator<'gc>>(
        &self,
        heap: &mut M,
        stack: &mut Frames<'gc, M, Self>,
        _: &mut u64,
    ) {
        let chain = Self::cells(heap, self.shared, Link::NONE);
        for _ in 0..self.branches {
            stack.push(heap.share_link(&chain), heap);
        }
        heap.release_link(chain);
    }

    fn step<'gc, M: Mutator<'gc>>(
        &self,
        heap: &mut M,
        chain: Link<'gc, M, Chain<u32>>,
        stack: &mut Frames<'gc, M, Self>,
        cells: &mut u64,
    ) {
        // A step of more cells than were asked for is the last.
        let length = heap.fold(chain.as_ref(), 0, |cells, _| cells + 1);
        if length > u64::from(self.shared) || self.own == 0 {
            *cells += length;
            return heap.release_link(chain);
        }
        stack.push(Self::cells(heap, self.own, chain), heap);
    }
}
