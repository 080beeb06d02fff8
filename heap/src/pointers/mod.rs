//! Smart pointers of the pointer study: each is made of an object of a known
//! type, and then held as a [`Base`].
//!
//! Adding a pointer: a file here with its `mod` line, and a line in the rows of
//! the study.

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
    /// The pointer.
    type Of;
    /// Makes an object and a pointer that owns it.
    fn make<T: Base>(value: T) -> Self::Of;
    /// The object.
    fn get(of: &Self::Of) -> &dyn Base;
    /// Bytes that an object takes with all that is allocated for it, the allocator's own excluded.
    fn object_bytes<T: Base>() -> usize;
}
