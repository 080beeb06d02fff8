//! A frame is an object, so it cannot hide references either.

use heap::{Chain, Family, Mutator};

struct Hidden;
impl Family for Hidden {
    type Of<'gc, M: Mutator<'gc>> = Vec<M::Ref<Chain<u32>>>;
}

fn main() {}
