//! Walks all that is reachable and asks the heap about each reference: the
//! part of zeal mode that catches a collector's mistakes at the next safepoint.

use super::address::Raw;
use crate::heap::Family;
use crate::immortals::Immortals;
use crate::object::{Object, Visitor};
use std::collections::HashMap;
use std::mem::ManuallyDrop;

/// Heaps that can say whether a reachable object makes sense.
pub trait Checked<'gc>: Raw<'gc> {
    /// An error if no object can lie at the reference's address, or if it
    /// cannot have the number of references that were `seen`, as far as the
    /// heap can tell.
    fn check<T: Family>(&self, at: &Self::Ref<T>, seen: usize) -> Result<(), String>;
}

type Step<'h, M> = unsafe fn(&mut Walk<'h, M>, *mut u8);

struct Walk<'h, M> {
    heap: &'h M,
    immortals: Option<&'h Immortals>,
    seen: HashMap<(usize, usize), usize>,
    todo: Vec<(*mut u8, Step<'h, M>)>,
    error: Option<String>,
}

impl<'gc, M: Checked<'gc>> Walk<'_, M> {
    /// # Safety
    ///
    /// An object of family `T` lives at `address`, and nobody writes to it.
    unsafe fn step<T: Family>(&mut self, address: *mut u8) {
        // SAFETY: by contract. `each_ref` wants the references in place and mutable; it gets
        // a copy's, since other threads may read the object too.
        let mut copy = ManuallyDrop::new(unsafe { address.cast::<T::Of<'gc, M>>().read() });
        copy.each_ref(self);
    }
}

impl<'gc, M: Checked<'gc>> Visitor<'gc, M> for Walk<'_, M> {
    fn visit<T: Family>(&mut self, at: &mut M::Ref<T>) {
        let address = M::raw::<T>(at);
        if self.immortals.is_some_and(|immortals| immortals.hold(address.cast())) {
            // It refers to its like only.
            return;
        }
        let seen = self.seen.entry((address as usize, size_of::<T::Of<'gc, M>>())).or_default();
        *seen += 1;
        if let Err(error) = self.heap.check::<T>(at, *seen) {
            self.error.get_or_insert(format!("{address:p}: {error}"));
        } else if *seen == 1 {
            self.todo.push((address.cast(), Walk::step::<T>));
        }
    }
}

/// Checks all that is reachable from `roots`; the number of objects, or the
/// first thing that is wrong.
pub fn reachable<'gc, M: Checked<'gc> + crate::heap::Heap>(
    heap: &M,
    roots: &mut impl Object<'gc, M>,
) -> Result<usize, String> {
    let mut walk = Walk {
        heap,
        immortals: heap.immortals(),
        seen: HashMap::new(),
        todo: Vec::new(),
        error: None,
    };
    roots.each_ref(&mut walk);
    while let Some((address, step)) = walk.todo.pop() {
        // SAFETY: A1: the reference was checked, and its object lives at a safepoint.
        unsafe { step(&mut walk, address) };
    }
    walk.error.map_or(Ok(walk.seen.len()), Err)
}

/// Panics when something reachable, or the heap itself, is broken.
pub fn insist<'gc, M: Checked<'gc> + crate::heap::Heap>(heap: &M, roots: &mut impl Object<'gc, M>) {
    if let Err(error) = heap.validate().and_then(|()| reachable(heap, roots).map(|_| ())) {
        panic!("heap corruption found at a safepoint: {error}");
    }
}
