//! A program that runs on a second heap inside a step takes no reference along.

use heap::{Chain, Frames, Link, Mutator, Plain, Program};

struct Inner<'gc, M: Mutator<'gc>>(Link<'gc, M, Chain<u32>>);

impl<'outer, O: Mutator<'outer>> Program for Inner<'outer, O> {
    type Frame<'gc, M: Mutator<'gc>> = Plain<()>;
    type Out = u32;

    fn start<'gc, M: Mutator<'gc>>(
        &self,
        _: &mut M,
        _: &mut Frames<'gc, M, Self>,
        _: &mut u32,
    ) {
    }

    fn step<'gc, M: Mutator<'gc>>(
        &self,
        _: &mut M,
        _: Plain<()>,
        _: &mut Frames<'gc, M, Self>,
        _: &mut u32,
    ) {
    }
}

fn main() {}
