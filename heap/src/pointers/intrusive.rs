//! `intrusive`: the count in front of the object, and nothing else.
//!
//! What the heap `fused` does for its cells, as a smart pointer over malloc:
//! 32 bits of count, no weak count, no atomic instruction.
//! Object: count (4 bytes), padding to the alignment of the fields, fields.
//! Pointer: two words, the count and the table of the object's type. (A table
//! in the object would make it one word, and each object 8 bytes larger; an
//! object that is held once is better off this way.)
//! Make: one call of malloc, one store more than the fields. Share: one
//! addition and test. Give up: one subtraction and test, the destructor if
//! there is one, one call of free.
//! Memory returns when the last pointer goes.
//! Cannot: reclaim cycles, nor avoid them by weak references; be sent to
//! another thread; free an object that once had more than 2^31 references (its
//! count is stuck).
//!
//! Invariants:
//!
//! - I1. A handle is the address of a `Counted` that `Box` made, whose count is
//!   stuck, or at least the number of its handles.
//! - I2. The object is freed by the handle that finds the count at zero, once.
//!
//! Papers: Collins, CACM 1960. Peer: Boost's `intrusive_ptr`.

use super::{Base, Pointer};
use crate::info::{Brief, Kind};
use crate::parts::split::{Count, Plain};
use std::ptr::NonNull;

/// The count in front of the object.
#[derive(Debug)]
pub struct Intrusive;

/// An object with its count.
#[repr(C)]
struct Counted<T: ?Sized> {
    count: Plain,
    object: T,
}

/// A counted reference.
pub struct Handle(NonNull<Counted<dyn Base>>);

impl Handle {
    #[inline(always)]
    fn counted(&self) -> &Counted<dyn Base> {
        // SAFETY: I1, I2: this handle keeps it; only its count is changed, which is a `Cell`.
        unsafe { self.0.as_ref() }
    }
}

impl Clone for Handle {
    #[inline(always)]
    fn clone(&self) -> Self {
        self.counted().count.raise();
        Handle(self.0)
    }
}

impl Drop for Handle {
    #[inline(always)]
    fn drop(&mut self) {
        if self.counted().count.lower() {
            // SAFETY: I1, I2.
            drop(unsafe { Box::from_raw(self.0.as_ptr()) });
        }
    }
}

impl Pointer for Intrusive {
    const BRIEF: Brief = Brief {
        name: "intrusive",
        kind: Kind::ReferenceCounting,
        about: "object and one plain 32-bit count in one allocation",
        returns: "when the last reference is released",
    };
    type Of = Handle;

    #[inline(always)]
    fn make<T: Base>(object: T) -> Handle {
        Handle(NonNull::from(Box::leak(Box::new(Counted { count: Plain::one(), object }))))
    }
    #[inline(always)]
    fn get(of: &Handle) -> &dyn Base {
        &of.counted().object
    }
    fn object_bytes<T: Base>() -> usize {
        size_of::<Counted<T>>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pointers::shared::tests::Noted;

    #[test]
    fn the_last_handle_frees_the_object() {
        let (object, drops) = Noted::new(7);
        let first = Intrusive::make(object);
        let second = first.clone();
        assert_eq!(first.counted().count.get(), 2);
        drop(first);
        assert_eq!((Intrusive::get(&second).value(), drops.get()), (7, 0));
        drop(second);
        assert_eq!(drops.get(), 1);
    }
}
