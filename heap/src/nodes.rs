//! Containers of the burst study: each element in a node of its own.
//!
//! A range of elements is inserted with one [`Nodes::allocate_nodes`], whose
//! nodes are written and linked as they are handed out, and erased with one
//! [`Nodes::deallocate_nodes`], which walks the container itself.
//!
//! Adding a container: a file here, and a workload in the study.

mod list;
mod vector;

pub use list::List;
pub use vector::StableVector;

use crate::allocators::{AllocError, Layout, Nodes};
use std::ptr::NonNull;

/// A sequence of elements, each in a node.
pub trait Container<T, A: Nodes>: Sized {
    /// Bytes of a node as they are asked for.
    const NODE_BYTES: usize;

    /// An empty one, without memory.
    fn new_in(allocator: A) -> Self;

    /// Puts `count` clones of a value at the end. Whether it ends with an error or with a panic
    /// of `clone`, the elements that were made until then stay.
    ///
    /// # Errors
    ///
    /// There is no memory for all of them.
    fn insert_range(&mut self, count: usize, value: T) -> Result<(), AllocError>
    where
        T: Clone;

    /// Erases all elements. If one panics as it is dropped, the container is empty all the same,
    /// but those after it are not dropped, and no memory is given back.
    fn erase_all(&mut self);

    /// Erases the elements whose index `keep` does not want, the others stay in their order and in
    /// their nodes. If `keep` panics, some elements may be erased and the order may be another.
    fn retain(&mut self, keep: impl FnMut(usize) -> bool);

    /// Number of elements.
    fn len(&self) -> usize;

    /// Whether there is no element.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The elements in order.
    fn iter<'a>(&'a self) -> impl Iterator<Item = &'a T>
    where
        T: 'a;

    /// Checks that its nodes refer to each other as they should; the error says what is broken.
    ///
    /// # Errors
    ///
    /// What is broken.
    fn validate(&self) -> Result<(), String>;
}

/// A node that was handed out and has no element yet: given back if there will be none.
struct Vacant<'a, A: Nodes> {
    node: NonNull<u8>,
    layout: Layout,
    allocator: &'a A,
}

impl<A: Nodes> Drop for Vacant<'_, A> {
    #[cold]
    fn drop(&mut self) {
        // SAFETY: the node was handed out by this allocator, with this layout, and is unused.
        unsafe { self.allocator.deallocate(self.node, self.layout) };
    }
}
