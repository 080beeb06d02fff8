//! Smart pointers of the pointer study: each is made of an object of a known
//! type, and then held as a [`Base`].
//!
//! | file | pointer | models |
//! |---|---|---|
//! | `boxed` | [`Boxed`] | nothing: the floor |
//! | `split` | [`Split`], [`SplitAtomic`] | `boost::shared_ptr<T>(new T)` |
//! | `fused` | [`FusedLookup`], [`FusedLookupName`], [`FusedUntyped`] | `boost::make_shared<T>()`, until 1.52 and since |
//! | `rc`, `arc`, `triomphe` | [`Rc`], [`Arc`], [`Triomphe`] | themselves |
//! | `intrusive` | [`Intrusive`] | `boost::intrusive_ptr<T>` |
//!
//! `shared` is what split and fused have in common: the handle and the counts.
//!
//! Adding a pointer: a file here with its `mod` line, and a line in the rows of
//! the study.

mod arc;
mod boxed;
mod fused;
mod intrusive;
mod rc;
mod shared;
mod split;
mod triomphe;

pub use arc::Arc;
pub use boxed::Boxed;
pub use fused::{FusedLookup, FusedLookupName, FusedUntyped};
pub use intrusive::Intrusive;
pub use rc::Rc;
pub use split::{Split, SplitAtomic};
pub use triomphe::Triomphe;

use crate::info::Brief;

/// The common base of the objects, as in the source document: classes of
/// different sizes with trivial constructors and destructors.
pub trait Base: 'static {
    /// What the object was made with.
    fn value(&self) -> u64;
}

/// A kind of owning pointer to a [`Base`].
pub trait Pointer: 'static {
    /// Name and description.
    const BRIEF: Brief;
    /// Allocations of an object.
    const ALLOCATIONS: usize = 1;
    /// The pointer.
    type Of: 'static;
    /// Makes an object and a pointer that owns it.
    fn make<T: Base>(value: T) -> Self::Of;
    /// The object.
    fn get(of: &Self::Of) -> &dyn Base;
    /// Bytes that an object takes with all that is allocated for it, the allocator's own excluded.
    fn object_bytes<T: Base>() -> usize;
}
