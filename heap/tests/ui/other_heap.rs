//! A reference is of one heap: another one does not take it.

use heap::{Chain, Mutator};

fn read<'gc, A: Mutator<'gc>, B: Mutator<'gc>>(at: &A::Ref<Chain<u32>>, other: &B) -> u32 {
    other.get::<Chain<u32>>(at).item
}

fn main() {}
