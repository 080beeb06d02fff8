//! `rc`: Rust's own counted pointer for one thread.
//!
//! The counts lie in front of the object, in its allocation: what
//! `std::make_shared` arrived at, without a table in the object.
//! Object: strong count (8 bytes), weak count (8), fields. Pointer: two words,
//! the counts and the table of the object's type.
//! Make: one call of malloc, two words more than the fields. Give up: two
//! subtractions and tests, the destructor if there is one, one call of free.
//! Memory returns when the last pointer goes, and the last weak one.
//! Cannot: reclaim cycles; be sent to another thread.

use super::{Base, Pointer};
use crate::info::{Brief, Kind};

/// Rust's `Rc`.
#[derive(Debug)]
pub struct Rc;

impl Pointer for Rc {
    const BRIEF: Brief = Brief {
        name: "rc",
        kind: Kind::ReferenceCounting,
        about: "std Rc<dyn Base>: object and two plain counts in one allocation",
        returns: "when the last reference is released",
    };
    type Of = std::rc::Rc<dyn Base>;

    #[inline(always)]
    fn make<T: Base>(value: T) -> Self::Of {
        std::rc::Rc::new(value)
    }
    #[inline(always)]
    fn get(of: &Self::Of) -> &dyn Base {
        &**of
    }
    fn object_bytes<T: Base>() -> usize {
        size_of::<([usize; 2], T)>()
    }
}
