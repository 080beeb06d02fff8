//! A doubly linked list.
//!
//! Layout: a node is two words, of the one before and the one after it, and the
//! element. The list is its ends, a length and the allocator.
//! Insert: three words written per element. Erase: one walk.
//!
//! Invariants:
//!
//! - L1. The nodes that are reached from `first` by `next` are the list's: `len`
//!   of them, `last` being the last, each from `allocator` with the layout
//!   `NODE`, each with an element.
//! - L2. `previous` of each is the one before it.
//! - L3. While a range is inserted, `hole` is where the address of the next node
//!   belongs (`first`, or `next` of the last node), and is written last; until
//!   then nothing reads it.

use super::{Container, Vacant};
use crate::allocators::{AllocError, Layout, Nodes};
use std::iter::successors;
use std::mem::{forget, needs_drop};
use std::ptr::NonNull;

type Link<T> = Option<NonNull<Node<T>>>;

struct Node<T> {
    previous: Link<T>,
    next: Link<T>,
    element: T,
}

/// A doubly linked list.
pub struct List<T, A: Nodes> {
    first: Link<T>,
    last: Link<T>,
    len: usize,
    allocator: A,
}

/// The end of a list to which a range is being inserted; dropping it makes the list whole.
struct End<'a, T> {
    hole: *mut Link<T>,
    last: Link<T>,
    inserted: usize,
    list_last: &'a mut Link<T>,
    list_len: &'a mut usize,
}

impl<T> Drop for End<'_, T> {
    #[inline]
    fn drop(&mut self) {
        // SAFETY: L3.
        unsafe { self.hole.write(None) };
        *self.list_last = self.last;
        *self.list_len += self.inserted;
    }
}

/// Nodes on their way out, linked by `next`; dropping it drops their elements and gives them back.
struct Erased<'a, T, A: Nodes> {
    first: Link<T>,
    allocator: &'a A,
}

/// The nodes from a first one on.
#[inline]
fn nodes<T>(first: Link<T>) -> impl Iterator<Item = NonNull<Node<T>>> {
    // SAFETY: L1. A node is read before it is handed out, so its reader may free it.
    successors(first, |node| unsafe { (*node.as_ptr()).next })
}

impl<T, A: Nodes> Drop for Erased<'_, T, A> {
    #[inline]
    fn drop(&mut self) {
        if needs_drop::<T>() {
            for node in nodes(self.first) {
                // SAFETY: L1; no list has the node any more, so its element is not used again.
                unsafe { (&raw mut (*node.as_ptr()).element).drop_in_place() };
            }
        }
        let nodes = nodes(self.first).map(NonNull::cast);
        // SAFETY: L1; they are given back once.
        unsafe { self.allocator.deallocate_nodes(List::<T, A>::NODE, nodes) };
    }
}

impl<T, A: Nodes> List<T, A> {
    const NODE: Layout = Layout::new::<Node<T>>();
}

impl<T, A: Nodes> Container<T, A> for List<T, A> {
    const NODE_BYTES: usize = Self::NODE.size();

    fn new_in(allocator: A) -> Self {
        List { first: None, last: None, len: 0, allocator }
    }

    #[inline]
    fn insert_range(&mut self, count: usize, value: T) -> Result<(), AllocError>
    where
        T: Clone,
    {
        let List { first, last, len, allocator } = self;
        let allocator = &*allocator;
        let hole = match *last {
            // SAFETY: L1.
            Some(last) => unsafe { &raw mut (*last.as_ptr()).next },
            None => &raw mut *first,
        };
        let mut end = End { hole, last: *last, inserted: 0, list_last: last, list_len: len };
        allocator.allocate_nodes(Self::NODE, count, |node| {
            let vacant = Vacant { node, layout: Self::NODE, allocator };
            let element = value.clone();
            forget(vacant);
            let node = node.cast::<Node<T>>();
            // SAFETY: the node is ours, and of this layout; L3.
            unsafe {
                let at = node.as_ptr();
                (&raw mut (*at).previous).write(end.last);
                (&raw mut (*at).element).write(element);
                end.hole.write(Some(node));
                end.hole = &raw mut (*at).next;
            }
            end.last = Some(node);
            end.inserted += 1;
        })
    }

    #[inline]
    fn erase_all(&mut self) {
        self.last = None;
        self.len = 0;
        drop(Erased { first: self.first.take(), allocator: &self.allocator });
    }

    fn retain(&mut self, mut keep: impl FnMut(usize) -> bool) {
        let mut erased = Erased { first: None, allocator: &self.allocator };
        let mut last_erased: Link<T> = None;
        let mut at = self.first;
        for index in 0..self.len {
            let node = at.expect("as many nodes as the list is long");
            // SAFETY: L1.
            let Node { previous, next, .. } = unsafe { node.as_ref() };
            let (previous, next) = (*previous, *next);
            at = next;
            if keep(index) {
                continue;
            }
            // SAFETY: L1, L2: neighbours in the list, and the last one that left it.
            unsafe {
                *previous.map_or(&raw mut self.first, |node| &raw mut (*node.as_ptr()).next) = next;
                *next.map_or(&raw mut self.last, |node| &raw mut (*node.as_ptr()).previous) =
                    previous;
                (*node.as_ptr()).next = None;
                match last_erased.replace(node) {
                    Some(last) => (*last.as_ptr()).next = Some(node),
                    None => erased.first = Some(node),
                }
            }
            self.len -= 1;
        }
    }

    #[inline]
    fn len(&self) -> usize {
        self.len
    }

    #[inline]
    fn iter<'a>(&'a self) -> impl Iterator<Item = &'a T>
    where
        T: 'a,
    {
        // SAFETY: L1; the list is borrowed.
        nodes(self.first).map(|node| unsafe { &(*node.as_ptr()).element })
    }

    fn validate(&self) -> Result<(), String> {
        let mut previous = None;
        for (index, node) in nodes(self.first).enumerate() {
            if index == self.len {
                return Err(format!("a list of {} elements has more nodes", self.len));
            }
            // SAFETY: L1.
            if unsafe { (*node.as_ptr()).previous } != previous {
                return Err(format!("node {index} of a list does not know the one before it"));
            }
            previous = Some(node);
        }
        if previous != self.last {
            return Err("a list does not end with its last node".into());
        }
        let count = nodes(self.first).count();
        (count == self.len)
            .then_some(())
            .ok_or_else(|| format!("a list of {} elements has {count} nodes", self.len))
    }
}

impl<T, A: Nodes> Drop for List<T, A> {
    #[inline]
    fn drop(&mut self) {
        self.erase_all();
    }
}
