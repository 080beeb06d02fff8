//! References that are addresses.
//!
//! Invariants cited by SAFETY comments here and in `chain.rs`:
//!
//! - A1. A `Ref<T>` is made only by the heap's `alloc` (or by a collector that
//!   moved the object) for an initialised `T::Of<'gc, M>`; or it leads to an
//!   immortal one, outside of the heap, where `Tally::IMMORTALS` says so.
//! - A2. While the program can use a `Ref`, its object is not freed, moved or
//!   overwritten, except by `set`, which borrows the heap mutably; `get`
//!   borrows it shared.
//! - A3. A walk borrows its first reference, and holds the heap mutably for
//!   its whole length, so nothing it reaches is freed or changed under it.
//! - A4. An immortal object is never written to, by the program or by the heap, since
//!   other threads may read it. All that it refers to is immortal, too.

use crate::heap::{Family, Mutator};
use std::marker::PhantomData;
use std::ptr::NonNull;

/// The address of an object of family `T`, without a count.
pub struct Ptr<T: Family> {
    address: NonNull<u8>,
    family: PhantomData<fn() -> T>,
}

impl<T: Family> Clone for Ptr<T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T: Family> Copy for Ptr<T> {}

impl<T: Family> Ptr<T> {
    #[inline(always)]
    pub fn new(address: NonNull<u8>) -> Self {
        Ptr { address, family: PhantomData }
    }
    #[inline(always)]
    pub fn address(self) -> NonNull<u8> {
        self.address
    }
}

/// Heaps whose references lead to an address.
///
/// # Safety
///
/// `raw` returns the address of the object that `at` names, valid for reads
/// and writes as long as the reference is (A1, A2).
pub unsafe trait Raw<'gc>: Mutator<'gc> {
    /// The object's address.
    fn raw<T: Family>(at: &Self::Ref<T>) -> *mut T::Of<'gc, Self>;
}

/// `Mutator::get` of every heap with addresses.
#[inline(always)]
pub fn get<'a, 'gc, M: Raw<'gc>, T: Family>(_heap: &'a M, at: &'a M::Ref<T>) -> &'a T::Of<'gc, M> {
    // SAFETY: A1 and A2; the heap is borrowed as long as the object.
    unsafe { &*M::raw(at) }
}
