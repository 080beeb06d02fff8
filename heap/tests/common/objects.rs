//! The object types of the tests: small and large, with few and many references.

use heap::{Chain, Family, Link, Mutator, Plain};

/// An object's number, in the order of allocation, and its data.
pub type Tag = Plain<(u32, u32)>;

/// A cell that can be part of a ring: 24 bytes with addresses.
pub struct Pair;
impl Family for Pair {
    type Of<'gc, M: Mutator<'gc>> = (Tag, Link<'gc, M, Pair>, Link<'gc, M, Wide>);
}

/// Plain data around the number, so that it fills 100 bytes.
pub type Bulk = Plain<([u8; 92], (u32, u32))>;

/// A large object with an array of references.
pub struct Wide;
impl Family for Wide {
    type Of<'gc, M: Mutator<'gc>> =
        (Bulk, [Link<'gc, M, Pair>; 8], (Link<'gc, M, Chain<u32>>, Link<'gc, M, Leaf>));
}

/// The smallest object: no reference.
pub struct Leaf;
impl Family for Leaf {
    type Of<'gc, M: Mutator<'gc>> = Tag;
}

/// The plain data of a wide object: its bytes follow from its value.
pub fn bulk(id: u32, value: u32) -> Bulk {
    Plain(([value as u8; 92], (id, value)))
}
