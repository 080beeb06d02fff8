//! Many nodes taken, and many given back, in one call.
//!
//! The invariants N1-N5 are those of `pool.rs`.

use super::slab::slab_of;
use super::{Place, Pool, bury, place};
use crate::allocators::{AllocError, Allocator, Layout, Nodes};
use crate::parts::poison;
use std::ptr::{self, NonNull};

/// Nodes that were taken and not handed out; what is left is freed.
struct Untold<'a> {
    pool: &'a Pool,
    at: *mut u8,
    end: *mut u8,
    node_bytes: usize,
}

impl Drop for Untold<'_> {
    #[inline(always)]
    fn drop(&mut self) {
        while self.at != self.end {
            let node = self.at;
            self.at = self.at.wrapping_add(self.node_bytes);
            poison::reborn(node, self.node_bytes);
            // SAFETY: taken and not handed out.
            unsafe { self.pool.give(node, self.node_bytes) };
        }
    }
}

/// Nodes of one slab that are freed together: linked from `first` to `last`.
struct Run<'a> {
    pool: &'a Pool,
    first: *mut u8,
    last: *mut u8,
    nodes: u32,
}

impl Drop for Run<'_> {
    #[inline(always)]
    fn drop(&mut self) {
        // SAFETY: as linked by `deallocate_nodes`.
        unsafe { self.pool.give_run(self.first, self.last, self.nodes) };
    }
}

// SAFETY: nodes of a burst are as those of `take`: in use until they are freed.
unsafe impl Nodes for Pool {
    #[inline]
    fn allocate_nodes(
        &self,
        layout: Layout,
        count: usize,
        mut each: impl FnMut(NonNull<u8>),
    ) -> Result<(), AllocError> {
        let Place::Slab(node_bytes) = place(layout) else {
            return (0..count).try_for_each(|_| self.allocate(layout).map(|at| each(at.cast())));
        };
        let mut left = count;
        while left > 0 {
            // Looked up each time: `each` may come back to this pool.
            let slab = self.lists.of(node_bytes).get();
            // SAFETY: N2, N4. A run is in use before any of it is handed out.
            unsafe {
                let (fresh, end) = ((*slab).fresh, (*slab).end);
                if !(*slab).free.is_null() {
                    left -= 1;
                    each(self.take(node_bytes)?);
                } else if fresh == end {
                    left -= 1;
                    each(self.take_slowly(node_bytes)?);
                } else {
                    let room_bytes = end.byte_offset_from_unsigned(fresh);
                    let run_bytes = room_bytes.min(left.saturating_mul(node_bytes));
                    let run_nodes = run_bytes / node_bytes;
                    let end = fresh.add(run_bytes);
                    (*slab).fresh = end;
                    (*slab).countdown += run_nodes as u32;
                    left -= run_nodes;
                    let mut run = Untold { pool: self, at: fresh, end, node_bytes };
                    while run.at != run.end {
                        let node = NonNull::new_unchecked(run.at);
                        run.at = run.at.add(node_bytes);
                        poison::reborn(node.as_ptr(), node_bytes);
                        each(node);
                    }
                }
            }
        }
        Ok(())
    }

    /// A run is linked by itself until it ends; until then its nodes count as in use.
    #[inline]
    unsafe fn deallocate_nodes(
        &self,
        layout: Layout,
        mut nodes: impl Iterator<Item = NonNull<u8>>,
    ) {
        let Place::Slab(node_bytes) = place(layout) else {
            // SAFETY: by contract.
            return nodes.for_each(|node| unsafe { self.deallocate(node, layout) });
        };
        let mut next = nodes.next();
        while let Some(node) = next {
            let node = node.as_ptr();
            let slab = slab_of(node);
            let mut run = Run { pool: self, first: node, last: node, nodes: 1 };
            // SAFETY: by contract; the link of `last` is written when the run ends.
            unsafe { bury(node, node_bytes, ptr::null_mut()) };
            loop {
                next = nodes.next();
                let Some(node) = next.map(NonNull::as_ptr) else { break };
                if slab_of(node) != slab {
                    break;
                }
                // SAFETY: by contract.
                unsafe { bury(node, node_bytes, run.first) };
                run.first = node;
                run.nodes += 1;
            }
        }
    }
}
