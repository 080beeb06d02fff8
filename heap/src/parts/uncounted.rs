//! Heaps whose references are bare addresses: sharing and releasing do
//! nothing, so all of `Mutator` follows from where memory comes from, what a
//! write costs and how chains are filtered.

use super::address::{Ptr, Raw};
use super::bump::object_bytes;
use super::chain;
use crate::carry::Carrying;
use crate::heap::{Family, Mutator};
use crate::machine::Kept;
use crate::object::{Chain, Item, Link, Object, Visitor};
use crate::sealed::Sealed;
use std::ptr::NonNull;

/// A heap that manages memory without counting references.
///
/// # Safety
///
/// `take` returns the address of memory of the asked size, aligned to 8 bytes,
/// in which no object lies; it stays the object's as long as it can be reached
/// (A2 of `address.rs`). `is_immortal` tells each immortal object to which there may
/// be a reference; the heap writes to none of them (A4).
pub unsafe trait Uncounted: Sized {
    /// As in [`Mutator`].
    type Mark: Copy;
    /// As in [`Mutator`].
    fn mark(&self) -> Self::Mark;
    /// Memory for a new object of family `F`.
    fn take<F: Family>(&mut self, bytes: usize) -> NonNull<u8>;
    /// Whether an immortal object lies there, rather than one of the heap's own: it
    /// is left alone. Always false, and known to be, in instances without them.
    fn is_immortal(&self, at: NonNull<u8>) -> bool;
    /// Called before the object at `at`, one of the heap's own, is overwritten.
    fn write_barrier<F: Family>(&mut self, at: NonNull<u8>);
    /// Whether the heap is told of the program's variables, as below.
    const TOLD_OF_VARIABLES: bool = false;
    /// A variable begins to hold this reference.
    #[inline(always)]
    fn defined<F: Family>(&mut self, _: NonNull<u8>) {}
    /// So many variables' references were given up, or moved into an object.
    #[inline(always)]
    fn given_up(&mut self, _references: usize) {}
    /// A frame is kept: its references move out of variables of the step.
    #[inline(always)]
    fn suspended<'gc>(&mut self, _: &mut impl Object<'gc, Self>)
    where
        Self: Mutator<'gc>,
    {
    }
    /// As in [`Mutator`].
    #[inline(always)]
    fn fold_chain<D: Item, A>(
        &mut self,
        chain: Option<&Ptr<Chain<D>>>,
        start: A,
        each: impl FnMut(A, D) -> A,
    ) -> A {
        chain::fold_borrowed(self, chain, start, each)
    }
    /// As in [`Mutator`]; heaps that can build without a branch override it.
    #[inline(always)]
    fn filter_chain<'gc, D: Item>(
        &mut self,
        chain: Option<&Ptr<Chain<D>>>,
        keep: impl FnMut(D) -> bool,
    ) -> Link<'gc, Self, Chain<D>>
    where
        Self: Mutator<'gc, Ref<Chain<D>> = Ptr<Chain<D>>>,
    {
        chain::filter_borrowed(self, chain, keep)
    }
}

// SAFETY: a `Ptr` holds the address that `take`, or a collector, gave it.
unsafe impl<'gc, H: Uncounted> Raw<'gc> for H {
    #[inline(always)]
    fn raw<F: Family>(at: &Ptr<F>) -> *mut F::Of<'gc, Self> {
        at.address().as_ptr().cast()
    }
}

impl<H: Uncounted> Sealed for H {}

impl<'gc, H: Uncounted> Mutator<'gc> for H {
    type Ref<F: Family> = Ptr<F>;
    type Mark = H::Mark;

    #[inline(always)]
    fn mark(&self) -> H::Mark {
        Uncounted::mark(self)
    }

    #[inline(always)]
    fn suspend(&mut self, frame: &mut impl Object<'gc, Self>, _: Kept) {
        self.suspended(frame);
    }
    #[inline(always)]
    fn identity<F: Family>(&self, at: &Ptr<F>) -> usize {
        at.address().as_ptr() as usize
    }
    #[inline(always)]
    fn immortal<F: Family>(at: NonNull<F::Of<'gc, Self>>, _: Carrying) -> Ptr<F> {
        Ptr::new(at.cast())
    }
    #[inline(always)]
    fn alloc<F: Family>(&mut self, mut value: F::Of<'gc, Self>) -> Ptr<F> {
        let at = self.take::<F>(object_bytes::<F::Of<'gc, Self>>());
        if Self::TOLD_OF_VARIABLES {
            self.given_up(references(&mut value));
            self.defined::<F>(at);
        }
        // SAFETY: by the contract of `take`.
        unsafe { at.cast::<F::Of<'gc, Self>>().write(value) };
        Ptr::new(at)
    }
    #[inline(always)]
    fn get<'a, F: Family>(&'a self, at: &'a Ptr<F>) -> &'a F::Of<'gc, Self> {
        // SAFETY: A1 and A2; the heap is borrowed as long as the object.
        unsafe { &*Self::raw::<F>(at) }
    }
    #[inline]
    fn set<F: Family>(&mut self, at: &Ptr<F>, mut value: F::Of<'gc, Self>) {
        // Other threads may be reading it.
        assert!(!self.is_immortal(at.address()), "an immortal object cannot be changed");
        self.write_barrier::<F>(at.address());
        if Self::TOLD_OF_VARIABLES {
            self.given_up(references(&mut value));
        }
        // SAFETY: A1, A2: the heap is borrowed mutably, nobody reads the object.
        unsafe { *Self::raw::<F>(at) = value };
    }
    #[inline(always)]
    fn same<F: Family>(&self, a: &Ptr<F>, b: &Ptr<F>) -> bool {
        a.address() == b.address()
    }
    #[inline(always)]
    fn share<F: Family>(&mut self, at: &Ptr<F>) -> Ptr<F> {
        self.defined::<F>(at.address());
        *at
    }
    #[inline(always)]
    fn release<F: Family>(&mut self, _: Ptr<F>) {
        self.given_up(1);
    }
    #[inline(always)]
    fn load<F: Family, U: Family>(
        &mut self,
        at: &Ptr<F>,
        field: impl for<'x> FnOnce(&'x F::Of<'gc, Self>) -> &'x Link<'gc, Self, U>,
    ) -> Link<'gc, Self, U> {
        let link = Link(field(self.get::<F>(at)).0);
        if let Some(to) = link.0 {
            self.defined::<U>(Ptr::<U>::address(to));
        }
        link
    }
    #[inline(always)]
    fn fold<D: Item, A>(
        &mut self,
        chain: Option<&Ptr<Chain<D>>>,
        start: A,
        each: impl FnMut(A, D) -> A,
    ) -> A {
        self.fold_chain(chain, start, each)
    }
    #[inline(always)]
    fn filter<D: Item>(
        &mut self,
        chain: Option<&Ptr<Chain<D>>>,
        keep: impl FnMut(D) -> bool,
    ) -> Link<'gc, Self, Chain<D>> {
        self.filter_chain(chain, keep)
    }
}

/// How many references an object has.
#[inline(always)]
fn references<'gc, H: Uncounted>(object: &mut impl Object<'gc, H>) -> usize {
    struct Count(usize);
    impl<'gc, H: Uncounted> Visitor<'gc, H> for Count {
        #[inline(always)]
        fn visit<F: Family>(&mut self, _: &mut Ptr<F>) {
            self.0 += 1;
        }
    }
    let mut count = Count(0);
    object.each_ref(&mut count);
    count.0
}
