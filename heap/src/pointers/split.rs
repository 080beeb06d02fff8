//! `split`, `split-atomic`: object and control block apart, as
//! `boost::shared_ptr<T>(new T)` has them.
//!
//! The object is made first and alone; the pointer that takes it over must
//! allocate a block for the counts beside it.
//! Object: its fields. Control block: table (8 bytes), strong and weak count (4
//! each), the object's address (8). Pointer: three words, see `shared.rs`.
//! Make: two calls of malloc. Share: one addition and test. Give up: two
//! subtractions and tests, two virtual calls, two calls of free.
//! Memory returns when the last pointer goes.
//! Cannot: reclaim cycles; find a deleter, since it was given none.
//!
//! Invariants: those of `shared.rs`, and:
//!
//! - P1. `object` was made by `Box`, and is freed by `dispose` alone.
//!
//! Source: Boost 1.48, `sp_counted_impl_p` in `smart_ptr/detail/sp_counted_impl.hpp`.

use super::shared::{Block, Control, Found, Shared, Strong};
use super::{Base, Pointer};
use crate::info::{Brief, Kind};
use crate::parts::split::{Atomic, Count, Plain};
use std::any::TypeId;
use std::ptr::NonNull;

/// Object and control block apart, plain counts.
#[derive(Debug)]
pub struct Split;

/// Object and control block apart, atomic counts.
#[derive(Debug)]
pub struct SplitAtomic;

/// The control block of an object elsewhere.
#[repr(C)]
struct Beside<K: 'static, T> {
    control: Control<K>,
    object: NonNull<T>,
}

// SAFETY: `control` comes first.
unsafe impl<K: Count, T: Base> Block<K> for Beside<K, T> {
    unsafe fn dispose(block: NonNull<Self>) {
        // SAFETY: S1; P1; by contract nobody uses the object.
        unsafe { drop(Box::from_raw((*block.as_ptr()).object.as_ptr())) }
    }
    fn deleter_by_id(_: NonNull<Self>, _: TypeId) -> Found {
        None
    }
    fn deleter_by_name(_: NonNull<Self>, _: &'static str) -> Found {
        None
    }
    fn untyped_deleter(_: NonNull<Self>) -> Found {
        None
    }
}

/// `shared_ptr<Base>(new T(value))`.
#[inline(always)]
fn make<K: Count, T: Base>(value: T) -> Shared<K> {
    let object = NonNull::from(Box::leak(Box::new(value)));
    let count = Strong::new(|control| Beside { control, object });
    // SAFETY: S4: P1.
    unsafe { Shared::new(object, count) }
}

fn object_bytes<K: Count, T>() -> usize {
    size_of::<T>() + size_of::<Beside<K, T>>()
}

impl Pointer for Split {
    const BRIEF: Brief = Brief {
        name: "split",
        kind: Kind::ReferenceCounting,
        about: "object and control block in two allocations, plain counts: shared_ptr(new)",
        returns: "when the last reference is released",
    };
    const ALLOCATIONS: usize = 2;
    type Of = Shared<Plain>;

    #[inline(always)]
    fn make<T: Base>(value: T) -> Self::Of {
        make(value)
    }
    #[inline(always)]
    fn get(of: &Self::Of) -> &dyn Base {
        of.get()
    }
    fn object_bytes<T: Base>() -> usize {
        object_bytes::<Plain, T>()
    }
}

impl Pointer for SplitAtomic {
    const BRIEF: Brief = Brief {
        name: "split-atomic",
        kind: Kind::ReferenceCounting,
        about: "object and control block in two allocations, atomic counts: shared_ptr(new)",
        returns: "when the last reference is released",
    };
    const ALLOCATIONS: usize = 2;
    type Of = Shared<Atomic>;

    #[inline(always)]
    fn make<T: Base>(value: T) -> Self::Of {
        make(value)
    }
    #[inline(always)]
    fn get(of: &Self::Of) -> &dyn Base {
        of.get()
    }
    fn object_bytes<T: Base>() -> usize {
        object_bytes::<Atomic, T>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pointers::shared::tests::Noted;

    #[test]
    fn there_is_no_deleter_to_be_found() {
        let (value, drops) = Noted::new(7);
        let object = NonNull::from(Box::leak(Box::new(value)));
        let count: Strong<Plain> = Strong::new(|control| Beside { control, object });
        assert_eq!(count.deleter_by_id(TypeId::of::<Noted>()), None);
        assert_eq!(count.deleter_by_name(std::any::type_name::<Noted>()), None);
        assert_eq!(count.untyped_deleter(), None);
        drop(count);
        assert_eq!(drops.get(), 1);
    }
}
