//! The program cannot keep a reference in itself: it names no heap either.

use heap::{Chain, Frames, Link, Mutator, Program};
use std::cell::RefCell;

struct Bad {
    kept: RefCell<Vec<Box<dyn Keep>>>,
}
trait Keep {}
impl<T> Keep for T {}

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
        self.kept.borrow_mut().push(Box::new(frame));
        let _ = (heap, stack, out);
    }
}

fn main() {}
