//! The remembered set of a generational heap: old objects that may refer to
//! young ones, because they were written to since the last collection.
//!
//! Invariants:
//!
//! - J1. An object is in the set once, and its bit, which its memory keeps
//!   beside it, is set as long. It has the shape that it was added with.

use crate::tally::{Event, Tally};
use std::ptr::NonNull;

/// An object whose references are to be visited; the shape knows how.
pub struct Grey<S> {
    pub address: NonNull<u8>,
    pub shape: S,
}

/// Old objects, in memory with a bit for each.
pub trait Old {
    /// Sets an object's bit; false if it was set.
    ///
    /// # Safety
    ///
    /// An old object lies at `at`.
    unsafe fn remember(&mut self, at: *mut u8) -> bool;
    /// Clears an object's bit.
    ///
    /// # Safety
    ///
    /// As for `remember`.
    unsafe fn forget(&mut self, at: *mut u8);
}

/// Old objects that were written to.
pub struct Remembered<S> {
    objects: Vec<Grey<S>>,
}

impl<S> Remembered<S> {
    /// None.
    pub const NONE: Self = Remembered { objects: Vec::new() };

    /// The write barrier: a program writes to an old object.
    ///
    /// # Safety
    ///
    /// It lies at `at`, and `shape` is its own.
    #[inline]
    pub unsafe fn written(
        &mut self,
        old: &mut impl Old,
        at: NonNull<u8>,
        shape: S,
        tally: &mut impl Tally,
    ) {
        // SAFETY: by contract.
        if !tally.forgets_write() && unsafe { self.add(old, at, shape) } {
            tally.add(Event::Remembered, 1);
        }
    }

    /// Adds an object; false if it was in the set.
    ///
    /// # Safety
    ///
    /// As for `written`.
    #[inline]
    pub unsafe fn add(&mut self, old: &mut impl Old, at: NonNull<u8>, shape: S) -> bool {
        // SAFETY: by contract.
        let new = unsafe { old.remember(at.as_ptr()) };
        if new {
            self.objects.push(Grey { address: at, shape });
        }
        new
    }

    /// Takes an object out of the set, in no particular order.
    ///
    /// # Safety
    ///
    /// The objects are old still, in the memory that has their bits (J1).
    #[inline]
    pub unsafe fn pop(&mut self, old: &mut impl Old) -> Option<Grey<S>> {
        let grey = self.objects.pop()?;
        // SAFETY: by contract.
        unsafe { old.forget(grey.address.as_ptr()) };
        Some(grey)
    }

    /// Empties the set; the bits are cleared by whoever keeps them (J1).
    pub fn clear(&mut self) {
        self.objects.clear();
    }

    /// How many.
    pub fn len(&self) -> usize {
        self.objects.len()
    }

    /// Gives up memory that is not in use.
    pub fn trim(&mut self) {
        self.objects.shrink_to_fit();
    }

    /// Bytes of the set itself.
    pub fn held_bytes(&self) -> usize {
        self.objects.capacity() * size_of::<Grey<S>>()
    }
}
