//! A stable vector: an array of the addresses of its nodes.
//!
//! An element stays where it is while the vector lives, since only the array of
//! addresses grows, as in `boost::container::stable_vector`.
//!
//! Layout: a node is a back pointer, the address of its slot in the array (by
//! which an iterator that holds a node finds its neighbours), and the element.
//! The vector is the array's address, length and capacity, and the allocator.
//! Insert: three words written per element, and back pointers mended when the
//! array has moved. Erase: one walk over the array.
//!
//! Invariants:
//!
//! - V1. `slots` is an array of `capacity` slots from `allocator`; without
//!   capacity it is not allocated.
//! - V2. The first `len` slots hold addresses of distinct nodes, each from
//!   `allocator` with the layout `NODE`, each with an element.
//! - V3. Each of these nodes has the address of its slot. It is compared, and
//!   never read through.

use super::{Container, Vacant};
use crate::allocators::{AllocError, Layout, Nodes};
use std::mem::{forget, needs_drop};
use std::ptr::NonNull;

type Slot<T> = NonNull<Node<T>>;

struct Node<T> {
    slot: NonNull<Slot<T>>,
    element: T,
}

/// A vector whose elements stay where they are.
pub struct StableVector<T, A: Nodes> {
    slots: NonNull<Slot<T>>,
    len: usize,
    capacity: usize,
    allocator: A,
}

/// The end of a vector to which a range is being inserted; dropping it makes the vector whole.
struct End<'a, T> {
    slot: NonNull<Slot<T>>,
    slots: NonNull<Slot<T>>,
    vector_len: &'a mut usize,
}

impl<T> Drop for End<'_, T> {
    #[inline]
    fn drop(&mut self) {
        // SAFETY: V1: both are in the array, or at its end.
        *self.vector_len = unsafe { self.slot.offset_from_unsigned(self.slots) };
    }
}

impl<T, A: Nodes> StableVector<T, A> {
    const NODE: Layout = Layout::new::<Node<T>>();

    /// The slots with a node.
    #[inline]
    fn filled(&self) -> &[Slot<T>] {
        // SAFETY: V2.
        unsafe { NonNull::slice_from_raw_parts(self.slots, self.len).as_ref() }
    }

    /// Writes the address of each slot into its node.
    ///
    /// # Safety
    ///
    /// They are filled slots.
    unsafe fn mend(slots: NonNull<Slot<T>>, indices: impl IntoIterator<Item = usize>) {
        for index in indices {
            // SAFETY: by contract, and V2.
            unsafe {
                let slot = slots.add(index);
                (*slot.read().as_ptr()).slot = slot;
            }
        }
    }

    /// Makes room for so many more elements.
    #[inline]
    fn reserve(&mut self, more: usize) -> Result<(), AllocError> {
        if self.capacity - self.len >= more {
            return Ok(());
        }
        self.enlarge(more)
    }

    /// Enlarges the array, by a factor of at least two.
    #[inline(never)]
    fn enlarge(&mut self, more: usize) -> Result<(), AllocError> {
        let needed = self.len.checked_add(more).ok_or(AllocError)?;
        let capacity = needed.max(self.capacity.saturating_mul(2));
        let new = Layout::array::<Slot<T>>(capacity).map_err(|_| AllocError)?;
        let slots = match self.capacity {
            0 => self.allocator.allocate(new)?,
            // SAFETY: V1.
            _ => unsafe { self.allocator.grow(self.slots.cast(), self.array(), new)? },
        };
        let before = self.slots.addr();
        self.slots = slots.cast();
        self.capacity = capacity;
        if self.slots.addr() != before {
            // SAFETY: V2.
            unsafe { Self::mend(self.slots, 0..self.len) };
        }
        Ok(())
    }

    /// Layout of the array.
    fn array(&self) -> Layout {
        Layout::array::<Slot<T>>(self.capacity).expect("as allocated")
    }

    /// Erases the elements from an index on.
    #[inline]
    fn erase_from(&mut self, start: usize) {
        let end = std::mem::replace(&mut self.len, start);
        // SAFETY: V2.
        let nodes =
            unsafe { NonNull::slice_from_raw_parts(self.slots.add(start), end - start).as_ref() };
        if needs_drop::<T>() {
            for node in nodes {
                // SAFETY: V2; the vector has the node no more, so its element is not used again.
                unsafe { (&raw mut (*node.as_ptr()).element).drop_in_place() };
            }
        }
        let nodes = nodes.iter().map(|node| node.cast());
        // SAFETY: V2; they are given back once.
        unsafe { self.allocator.deallocate_nodes(Self::NODE, nodes) };
    }
}

impl<T, A: Nodes> Container<T, A> for StableVector<T, A> {
    const NODE_BYTES: usize = Self::NODE.size();

    fn new_in(allocator: A) -> Self {
        StableVector { slots: NonNull::dangling(), len: 0, capacity: 0, allocator }
    }

    #[inline]
    fn insert_range(&mut self, count: usize, value: T) -> Result<(), AllocError>
    where
        T: Clone,
    {
        self.reserve(count)?;
        let StableVector { slots, len, allocator, .. } = self;
        let allocator = &*allocator;
        // SAFETY: V1.
        let slot = unsafe { slots.add(*len) };
        let mut end = End { slot, slots: *slots, vector_len: len };
        allocator.allocate_nodes(Self::NODE, count, |node| {
            let vacant = Vacant { node, layout: Self::NODE, allocator };
            let element = value.clone();
            forget(vacant);
            let node = node.cast::<Node<T>>();
            // SAFETY: the node is ours, and of this layout; there is room for `count` (V1), and by
            // the contract of `Nodes` there are no more.
            unsafe {
                node.write(Node { slot: end.slot, element });
                end.slot.write(node);
                end.slot = end.slot.add(1);
            }
        })
    }

    #[inline]
    fn erase_all(&mut self) {
        self.erase_from(0);
    }

    /// Those that stay change places with those that do not, so that every slot is filled
    /// whenever `keep` is called.
    fn retain(&mut self, mut keep: impl FnMut(usize) -> bool) {
        let mut kept = 0;
        for index in 0..self.len {
            if keep(index) {
                // SAFETY: V2: both are filled slots.
                unsafe {
                    self.slots.add(index).swap(self.slots.add(kept));
                    Self::mend(self.slots, [index, kept]);
                }
                kept += 1;
            }
        }
        self.erase_from(kept);
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
        // SAFETY: V2; the vector is borrowed.
        self.filled().iter().map(|node| unsafe { &(*node.as_ptr()).element })
    }

    fn validate(&self) -> Result<(), String> {
        if self.len > self.capacity {
            return Err(format!("{} elements in {} slots", self.len, self.capacity));
        }
        for (index, slot) in self.filled().iter().enumerate() {
            // SAFETY: V2.
            if unsafe { (*slot.as_ptr()).slot } != NonNull::from(slot) {
                return Err(format!("node {index} of a vector does not know its slot"));
            }
        }
        Ok(())
    }
}

impl<T, A: Nodes> Drop for StableVector<T, A> {
    #[inline]
    fn drop(&mut self) {
        self.erase_all();
        if self.capacity > 0 {
            // SAFETY: V1; not used again.
            unsafe { self.allocator.deallocate(self.slots.cast(), self.array()) };
        }
    }
}
