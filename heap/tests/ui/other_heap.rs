//! A reference is of one heap: another one, even of the same type, does not take it.

use heap::{Chain, Frames, Link, Mutator, Program};

struct Bad<B: heap::Backend>(std::cell::RefCell<B::Heap<heap::Off>>);

struct Inner<'a, 'gc, M: Mutator<'gc>>(&'a Link<'gc, M, Chain<u32>>);
impl<'a, 'outer, O: Mutator<'outer>> Program for Inner<'a, 'outer, O> {
    type Frame<'gc, M: Mutator<'gc>> = Link<'gc, M, Chain<u32>>;
    type Out = u32;

    fn start<'gc, M: Mutator<'gc>>(
        &self,
        heap: &mut M,
        stack: &mut Frames<'gc, M, Self>,
        _: &mut u32,
    ) {
        stack.push(heap.share_link(self.0));
    }

    fn step<'gc, M: Mutator<'gc>>(
        &self,
        _: &mut M,
        _: Self::Frame<'gc, M>,
        _: &mut Frames<'gc, M, Self>,
        _: &mut u32,
    ) {
    }
}

impl<B: heap::Backend> Program for Bad<B> {
    type Frame<'gc, M: Mutator<'gc>> = Link<'gc, M, Chain<u32>>;
    type Out = u32;

    fn start<'gc, M: Mutator<'gc>>(
        &self,
        _: &mut M,
        stack: &mut Frames<'gc, M, Self>,
        _: &mut Self::Out,
    ) {
        stack.push(Link::NONE);
    }

    fn step<'gc, M: Mutator<'gc>>(
        &self,
        heap: &mut M,
        frame: Self::Frame<'gc, M>,
        stack: &mut Frames<'gc, M, Self>,
        out: &mut Self::Out,
    ) {
        *out = heap::Heap::run(&mut *self.0.borrow_mut(), &Inner(&frame)).unwrap();
        let _ = (heap, stack);
    }
}

fn main() {}
