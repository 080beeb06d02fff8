//! `triomphe`: the crate's `Arc`, which has no weak count.
//!
//! One atomic count in front of the object: the last reference needs no second
//! subtraction, and no word for it.
//! Object: count (8 bytes), fields. Pointer: two words, the count and the table
//! of the object's type.
//! Make: one call of malloc, one word more than the fields. Give up: one atomic
//! subtraction, the destructor if there is one, one call of free.
//! Memory returns when the last pointer goes.
//! Cannot: reclaim cycles, nor avoid them by weak references.
//!
//! The crate has no coercion to a `dyn` type without a nightly compiler or one
//! crate more; the raw pointer has.
//!
//! Invariant:
//!
//! - T1. What `from_raw` is given is what `into_raw` gave, used nowhere else;
//!   the table that was added is that of the object's type.

use super::{Base, Pointer};
use crate::info::{Brief, Kind};
use triomphe::Arc;

/// The `Arc` of the crate triomphe.
#[derive(Debug)]
pub struct Triomphe;

impl Pointer for Triomphe {
    const BRIEF: Brief = Brief {
        name: "triomphe",
        kind: Kind::ReferenceCounting,
        about: "the crate triomphe's Arc<dyn Base>: object and one atomic count in one allocation",
        returns: "when the last reference is released",
    };
    type Of = Arc<dyn Base>;

    #[inline(always)]
    fn make<T: Base>(value: T) -> Self::Of {
        let object: *const T = Arc::into_raw(Arc::new(value));
        // SAFETY: T1.
        unsafe { Arc::from_raw(object as *const dyn Base) }
    }
    #[inline(always)]
    fn get(of: &Self::Of) -> &dyn Base {
        &**of
    }
    fn object_bytes<T: Base>() -> usize {
        size_of::<(usize, T)>()
    }
}
