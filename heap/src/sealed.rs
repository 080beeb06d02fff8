//! Heaps are this crate's own. Someone else's mutator could push frames with a
//! mark from before their objects were allocated:
//!
//! ```compile_fail,E0277
//! use heap::{Chain, Family, Item, Link, Mutator};
//!
//! struct Fake<'gc, M: Mutator<'gc>>(M::Mark);
//!
//! impl<'gc, M: Mutator<'gc>> Mutator<'gc> for Fake<'gc, M> {
//!     type Ref<T: Family> = ();
//!     type Mark = M::Mark;
//!
//!     fn mark(&self) -> M::Mark {
//!         self.0
//!     }
//!     fn alloc<T: Family>(&mut self, _: T::Of<'gc, Self>) {}
//!     fn get<'a, T: Family>(&'a self, _: &'a ()) -> &'a T::Of<'gc, Self> {
//!         panic!()
//!     }
//!     fn set<T: Family>(&mut self, _: &(), _: T::Of<'gc, Self>) {}
//!     fn same<T: Family>(&self, _: &(), _: &()) -> bool {
//!         true
//!     }
//!     fn share<T: Family>(&mut self, _: &()) {}
//!     fn release<T: Family>(&mut self, _: ()) {}
//!     fn load<T: Family, U: Family>(
//!         &mut self,
//!         _: &(),
//!         _: impl for<'x> FnOnce(&'x T::Of<'gc, Self>) -> &'x Link<'gc, Self, U>,
//!     ) -> Link<'gc, Self, U> {
//!         Link::NONE
//!     }
//!     fn fold<D: Item, A>(&mut self, _: Option<&()>, start: A, _: impl FnMut(A, D) -> A) -> A {
//!         start
//!     }
//!     fn filter<D: Item>(
//!         &mut self,
//!         _: Option<&()>,
//!         _: impl FnMut(D) -> bool,
//!     ) -> Link<'gc, Self, Chain<D>> {
//!         Link::NONE
//!     }
//! }
//! ```

/// Implemented by this crate's heaps, and out of reach for others.
pub trait Sealed {}
