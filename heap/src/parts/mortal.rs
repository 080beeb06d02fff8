//! A counted pointer that may lead to an immortal object too, which is counted nowhere.
//!
//! A reference is the one of another pointer, in as many words, or one to an immortal object,
//! told by a bit of the reference itself: sharing and releasing test it, and read and write
//! nothing of the object, which other threads read. Walking does not test: the first word
//! leads to as far before the value in either, so that reading masks the bit off.
//!
//! Invariants:
//!
//! - V1. The last word of a reference is odd if and only if `immortal` made it, for an object
//!   that outlives it and is not written to. A reference whose last word is even is one of
//!   `P`'s own, and is used as such; the others are never.
//! - V2. The first word of a reference, less the mark, leads to `P::before_bytes` in front of
//!   the value, within the same memory: by the contract of `Pointer`, and since no immortal
//!   object lies at the very beginning of its region (I1 in `immortals.rs`).

use super::pointer::{Buried, Pointer};
use crate::immortals::FRONT_BYTES;
use std::marker::PhantomData;
use std::mem::transmute_copy;
use std::ptr::NonNull;

/// The pointer `P`, to objects that are mortal or not.
pub struct Mortal<P>(PhantomData<P>);

/// A reference in the words of `R`, a reference of `P`'s, which it is if it has no mark.
#[repr(transparent)]
pub struct Marked<R>(R);

/// The bit of a reference's last word that is set if it leads to an immortal object.
const MARK: usize = 1;

impl<R> Marked<R> {
    const WORDS: usize = {
        assert!(align_of::<R>() == align_of::<*mut u8>(), "a reference is one or two words");
        assert!(matches!(size_of::<R>() / size_of::<*mut u8>(), 1 | 2));
        size_of::<R>() / size_of::<*mut u8>()
    };

    /// One of its words. Of the last one, the mark is a part.
    #[inline(always)]
    fn word(&self, index: usize) -> *mut u8 {
        let index = index.min(Self::WORDS - 1);
        // SAFETY: by the contract of `Pointer` these are words that hold addresses.
        unsafe { std::ptr::from_ref(self).cast::<*mut u8>().add(index).read() }
    }

    #[inline(always)]
    fn is_marked(&self) -> bool {
        self.word(Self::WORDS - 1).addr() & MARK != 0
    }

    /// `P`'s own reference, unless it leads to an immortal object.
    #[inline(always)]
    fn mortal(self) -> Option<R> {
        if self.is_marked() { None } else { Some(self.0) }
    }
}

// SAFETY: V1: references without a mark are `P`'s, which keep R1; the others lead to objects
// that are not freed, and `lower` returns none of them. A marked word holds no null either;
// that the last one is even is of use to one `Mortal` only, which is not put into another.
unsafe impl<P: Pointer> Pointer for Mortal<P> {
    type To<T> = Marked<P::To<T>>;
    type Dead<T> = P::Dead<T>;
    type Store = P::Store;
    const ATOMIC: bool = P::ATOMIC;

    fn object_bytes<T>() -> usize {
        P::object_bytes::<T>()
    }
    #[inline(always)]
    fn before_bytes<T>() -> usize {
        P::before_bytes::<T>()
    }
    #[inline(always)]
    fn new<T>(store: &mut P::Store, value: T) -> Self::To<T> {
        let at = Marked(P::new(store, value));
        debug_assert!(!at.is_marked() && Self::as_ptr(&at) == P::as_ptr(&at.0), "V1, V2");
        at
    }
    #[inline(always)]
    fn as_ptr<T>(at: &Self::To<T>) -> *mut T {
        // The first of two words has no mark.
        let mark = if Marked::<P::To<T>>::WORDS == 1 { MARK } else { 0 };
        let first = at.word(0).map_addr(|word| word & !mark);
        // SAFETY: V2: the value lies in the memory that the first word leads to.
        unsafe { first.add(P::before_bytes::<T>()).cast() }
    }
    fn count<T>(at: &Self::To<T>) -> usize {
        if at.is_marked() { usize::MAX } else { P::count(&at.0) }
    }
    #[inline(always)]
    fn share<T>(at: &Self::To<T>) -> Self::To<T> {
        if at.is_marked() {
            // SAFETY: V1: it is counted nowhere, and may be copied.
            return unsafe { std::ptr::from_ref(at).read() };
        }
        Marked(P::share(&at.0))
    }
    #[inline(always)]
    fn lower<T>(at: Self::To<T>) -> Option<P::Dead<T>> {
        P::lower(at.mortal()?)
    }
    #[inline(always)]
    fn take<T>(store: &mut P::Store, dead: P::Dead<T>) -> T {
        P::take(store, dead)
    }
    #[inline(always)]
    fn bury<T>(
        store: &mut P::Store,
        dead: P::Dead<T>,
        mut next: impl FnMut(&mut T) -> Option<Self::To<T>>,
    ) -> Buried {
        P::bury(store, dead, |value| next(value)?.mortal())
    }
    #[inline(always)]
    unsafe fn fresh<T>(cell: NonNull<u8>) -> Self::To<T> {
        // SAFETY: by contract.
        Marked(unsafe { P::fresh(cell) })
    }
    #[inline(always)]
    fn is_immortal<T>(at: &Self::To<T>) -> bool {
        at.is_marked()
    }
    #[inline(always)]
    fn immortal<T>(at: NonNull<T>) -> Self::To<T> {
        assert!(P::before_bytes::<T>() <= FRONT_BYTES, "objects are aligned to at most 16 bytes");
        // SAFETY: V2: by contract so many bytes of the same memory lie before it.
        let first = unsafe { at.as_ptr().cast::<u8>().sub(P::before_bytes::<T>()) };
        let last = first.map_addr(|word| word | MARK);
        let words = if Marked::<P::To<T>>::WORDS == 1 { [last; 2] } else { [first, last] };
        // SAFETY: V1, V2; by the contract of `Pointer` any words do that are not null.
        unsafe { transmute_copy(&words) }
    }
}

#[cfg(test)]
mod tests;
