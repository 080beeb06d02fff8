//! The slabs of each node size that have a node to give, or are about to be
//! found full; under zeal, put away between two operations.
//!
//! The invariants N1-N5 are those of `pool.rs`.

use super::slab::{LARGEST_BYTES, Slab, full};
use std::cell::Cell;
use std::ptr::{self, NonNull};

/// The first slab of each size, in words less one.
type Heads = [Cell<*mut Slab>; LARGEST_BYTES / 8];

/// Lists of slabs, by the size of their nodes.
pub struct Lists {
    heads: Heads,
    /// Where the heads are between two operations under zeal.
    away: Option<Box<Heads>>,
}

impl Lists {
    pub fn new(zeal: bool) -> Self {
        let heads = || std::array::from_fn(|_| Cell::new(full()));
        Lists { heads: heads(), away: zeal.then(|| Box::new(heads())) }
    }

    /// The head of the list of a size.
    #[inline(always)]
    pub fn of(&self, node_bytes: usize) -> &Cell<*mut Slab> {
        &self.heads[node_bytes / 8 - 1]
    }

    pub fn zeal(&self) -> bool {
        self.away.is_some()
    }

    /// Under zeal, gets or puts away the heads.
    pub fn swap(&self) {
        for (head, away) in self.away.iter().flat_map(|away| self.heads.iter().zip(away.iter())) {
            head.swap(away);
        }
    }

    /// Lists a slab behind the first one, which is used up first.
    ///
    /// # Safety
    ///
    /// It has a size, and is not listed.
    pub unsafe fn insert(&self, slab: *mut Slab) {
        // SAFETY: by contract; N4.
        unsafe {
            let list = self.of(usize::from((*slab).node_bytes));
            let head = list.get();
            (*slab).listed = true;
            if head == full() {
                (*slab).prev = ptr::null_mut();
                (*slab).next = ptr::null_mut();
                list.set(slab);
            } else {
                (*slab).prev = head;
                (*slab).next = (*head).next;
                (*head).next = slab;
                if let Some(next) = NonNull::new((*slab).next) {
                    (*next.as_ptr()).prev = slab;
                }
            }
        }
    }

    /// Takes a slab out of its list.
    ///
    /// # Safety
    ///
    /// It is listed.
    pub unsafe fn remove(&self, slab: *mut Slab) {
        // SAFETY: by contract; N4.
        unsafe {
            let (next, prev) = (NonNull::new((*slab).next), NonNull::new((*slab).prev));
            (*slab).listed = false;
            if let Some(next) = next {
                (*next.as_ptr()).prev = (*slab).prev;
            }
            match prev {
                Some(prev) => (*prev.as_ptr()).next = (*slab).next,
                None => self
                    .of(usize::from((*slab).node_bytes))
                    .set(next.map_or(full(), NonNull::as_ptr)),
            }
        }
    }

    /// Checks the lists (N4); returns how many slabs are in them.
    pub fn check(&self) -> Result<usize, String> {
        let mut listed = 0;
        for (list, words) in self.heads.iter().zip(1..) {
            let (mut slab, mut prev) = (list.get(), ptr::null_mut());
            // SAFETY: N4, N5.
            unsafe {
                while slab != full() && !slab.is_null() {
                    if !(*slab).listed || usize::from((*slab).node_bytes) != words * 8 {
                        return Err(format!("a list of {words} words has another's slab"));
                    }
                    if (*slab).prev != prev {
                        return Err(format!("the list of {words} words is not linked backwards"));
                    }
                    (listed, prev, slab) = (listed + 1, slab, (*slab).next);
                }
            }
        }
        Ok(listed)
    }
}
