//! An object is made of the parts of `heap::object`; one of its own could hide
//! references from a collector.

use heap::{Chain, Mutator, Object, Visitor};

struct Hidden<'gc, M: Mutator<'gc>>(M::Ref<Chain<u32>>);

impl<'gc, M: Mutator<'gc>> Object<'gc, M> for Hidden<'gc, M> {
    fn each_ref(&mut self, _: &mut impl Visitor<'gc, M>) {}
}

fn main() {}
