//! A borrow of an object ends with the step.

use heap::{Chain, Frames, Link, Mutator, Program};
use std::cell::Cell;

struct Bad {
    item: Cell<Option<&'static u32>>,
}

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
        if let Some(at) = frame.as_ref() {
            self.item.set(Some(&heap.get(at).item));
        }
        let _ = (stack, out);
    }
}

fn main() {}
