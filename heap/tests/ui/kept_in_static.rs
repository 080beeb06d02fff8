//! A reference cannot be kept in a static or a thread-local variable.

use heap::{Chain, Frames, Link, Mutator, Program};
use std::any::Any;
use std::cell::RefCell;

thread_local! {
    static KEPT: RefCell<Vec<Box<dyn Any>>> = RefCell::new(Vec::new());
}
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
        KEPT.with_borrow_mut(|kept| kept.push(Box::new(frame)));
        let _ = (heap, stack, out);
    }
}

fn main() {}
