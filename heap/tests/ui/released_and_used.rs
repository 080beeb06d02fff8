//! A reference that was given up is gone.

use heap::{Chain, Frames, Link, Mutator, Program};

struct Bad;

impl Program for Bad {
    type Frame<'gc, M: Mutator<'gc>> = Link<'gc, M, Chain<u32>>;
    type Out = u32;

    fn start<'gc, M: Mutator<'gc>>(
        &self,
        heap: &mut M,
        stack: &mut Frames<'gc, M, Self>,
        _: &mut Self::Out,
    ) {
        stack.push(Link::NONE, heap);
    }

    fn step<'gc, M: Mutator<'gc>>(
        &self,
        heap: &mut M,
        frame: Self::Frame<'gc, M>,
        stack: &mut Frames<'gc, M, Self>,
        out: &mut Self::Out,
    ) {
        if let Some(at) = frame.0 {
            heap.release(at);
            *out += heap.get(&at).item;
        }
        let _ = stack;
    }
}

fn main() {}
