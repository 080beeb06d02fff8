//! What the pointers point to: three types with a common base.

use heap::pointers::Base;
use std::mem::MaybeUninit;

/// A value, and room that nobody writes to: constructor and destructor are
/// trivial, as the original's are.
#[derive(Clone, Copy)]
pub struct Object<const WORDS: usize> {
    value: u64,
    _room: [MaybeUninit<u64>; WORDS],
}

/// 8 bytes.
pub type Small = Object<0>;
/// 24 bytes.
pub type Medium = Object<2>;
/// 56 bytes.
pub type Large = Object<6>;

impl<const WORDS: usize> Object<WORDS> {
    #[inline(always)]
    pub fn new(value: u64) -> Self {
        Object { value, _room: [MaybeUninit::uninit(); WORDS] }
    }
}

impl<const WORDS: usize> Base for Object<WORDS> {
    fn value(&self) -> u64 {
        self.value
    }
}

/// The value of the object that is alive after `objects` were made, again and
/// again, and that `age` of the living are younger than. An object's type
/// follows from its value's remainder by three, which divides `objects`.
pub fn value_at(age: u64, objects: u64) -> u64 {
    objects - 1 - age % objects
}
