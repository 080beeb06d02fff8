//! Plain data needs no drop: a heap frees objects without running destructors.

use heap::{Chain, Family, Link, Mutator, Plain};

struct Named;
impl Family for Named {
    type Of<'gc, M: Mutator<'gc>> = (Plain<String>, Link<'gc, M, Chain<u32>>);
}

fn main() {}
