//! Plain data holds no reference of a heap, not even under another name.

use heap::{Chain, Family, Mutator, Plain};

struct Smuggled;
impl Family for Smuggled {
    type Of<'gc, M: Mutator<'gc>> = Plain<Option<M::Ref<Chain<u32>>>>;
}

fn main() {}
