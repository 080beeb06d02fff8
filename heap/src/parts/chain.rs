//! Walking and building chains, for heaps whose references are addresses.
//!
//! The invariants A1-A3 are those of `address.rs`. One more:
//!
//! - C1. `Bump` hands out `[top, end)`, memory that no object occupies; a cell
//!   written at `top` is unreachable until `top` has moved past it.

use super::address::{Ptr, Raw};
use super::bump::{Bump, LEAST_ADDRESS, object_bytes};
use super::poison;
use super::uncounted::Uncounted;
use crate::heap::Mutator;
use crate::object::{Chain, Item, Link, Node};
use std::hint::select_unpredictable;
use std::ptr::{self, NonNull};

/// The address of a chain's first cell, or null.
#[inline(always)]
pub fn first_cell<'gc, M: Raw<'gc>, D: Item>(
    chain: Option<&M::Ref<Chain<D>>>,
) -> *const Node<'gc, M, D> {
    chain.map_or(ptr::null(), |at| M::raw(at).cast_const())
}

/// `Mutator::fold`, borrowed: no reference is made while walking.
#[inline(always)]
pub fn fold_borrowed<'gc, M: Raw<'gc>, D: Item, A>(
    _heap: &mut M,
    chain: Option<&M::Ref<Chain<D>>>,
    start: A,
    mut each: impl FnMut(A, D) -> A,
) -> A {
    let mut acc = start;
    let mut at = first_cell::<M, D>(chain);
    while !at.is_null() {
        // SAFETY: A1 and A3.
        let node = unsafe { &*at };
        acc = each(acc, node.item);
        at = first_cell::<M, D>(node.next.as_ref());
    }
    acc
}

/// `Mutator::filter`, borrowed, with a branch per cell.
#[inline(always)]
pub fn filter_borrowed<'gc, M: Raw<'gc>, D: Item>(
    heap: &mut M,
    chain: Option<&M::Ref<Chain<D>>>,
    keep: impl FnMut(D) -> bool,
) -> Link<'gc, M, Chain<D>> {
    filter_from(heap, first_cell::<M, D>(chain), keep)
}

#[inline(always)]
fn filter_from<'gc, M: Raw<'gc>, D: Item>(
    heap: &mut M,
    mut at: *const Node<'gc, M, D>,
    mut keep: impl FnMut(D) -> bool,
) -> Link<'gc, M, Chain<D>> {
    let mut head: Link<'gc, M, Chain<D>> = Link::NONE;
    let mut hole: *mut Link<'gc, M, Chain<D>> = &raw mut head;
    while !at.is_null() {
        // SAFETY: A1 and A3.
        let node = unsafe { &*at };
        at = first_cell::<M, D>(node.next.as_ref());
        if keep(node.item) {
            let cell = heap.alloc::<Chain<D>>(Node { item: node.item, next: Link::NONE });
            let next_hole = M::raw(&cell);
            // SAFETY: `hole` is `head`, or the `next` of the newest cell (A1),
            // to which nothing else refers yet.
            unsafe {
                *hole = Link(Some(cell));
                hole = &raw mut (*next_hole).next;
            }
        }
    }
    head
}

/// `Mutator::fold`, by value: the walking variable owns what it points to.
#[inline(always)]
pub fn fold_by_value<'gc, M: Mutator<'gc>, D: Item, A>(
    heap: &mut M,
    chain: Option<&M::Ref<Chain<D>>>,
    start: A,
    mut each: impl FnMut(A, D) -> A,
) -> A {
    let mut acc = start;
    let mut at = chain.map(|first| heap.share(first));
    while let Some(cell) = at {
        acc = each(acc, heap.get(&cell).item);
        at = heap.load(&cell, |node| &node.next).0;
        heap.release(cell);
    }
    acc
}

/// `Mutator::filter`, by value: the walking variable, the new cell and the
/// variable that holds the newest cell each own what they point to, and
/// assigning one to another copies it.
#[inline(always)]
pub fn filter_by_value<'gc, M: Raw<'gc>, D: Item>(
    heap: &mut M,
    chain: Option<&M::Ref<Chain<D>>>,
    mut keep: impl FnMut(D) -> bool,
) -> Link<'gc, M, Chain<D>> {
    let mut at = chain.map(|first| heap.share(first));
    let mut head: Link<'gc, M, Chain<D>> = Link::NONE;
    let mut last: Link<'gc, M, Chain<D>> = Link::NONE;
    while let Some(cell) = at {
        let item = heap.get(&cell).item;
        if keep(item) {
            let kept = heap.alloc::<Chain<D>>(Node { item, next: Link::NONE });
            let linked = Link(Some(heap.share(&kept)));
            match &last.0 {
                None => head = linked,
                // SAFETY: A1; the newest cell is known to its predecessor (or
                // `head`) and to `last` alone, and its `next` is still empty.
                Some(newest) => unsafe { (*M::raw(newest)).next = linked },
            }
            let copy = Link(Some(heap.share(&kept)));
            heap.release_link(std::mem::replace(&mut last, copy));
            heap.release(kept);
        }
        at = heap.load(&cell, |node| &node.next).0;
        heap.release(cell);
    }
    heap.release_link(last);
    head
}

/// What `filter_listed` needs of its heap: chain cells that lie on a free list.
///
/// # Safety
///
/// A free cell's last word is the address of the next free one, or null; in an
/// object that word is `Node::next`, and an address is how it is represented.
pub unsafe trait Listed<'gc>: Raw<'gc> {
    /// Bytes of a cell, header included.
    fn cell_bytes<D: Item>() -> usize;
    /// The first free cell, or null.
    fn free_list<D: Item>(&mut self) -> &mut *mut u8;
    /// Makes a free cell an object, all but its value.
    ///
    /// # Safety
    ///
    /// The cell is on the free list, and leaves it before anything else is allocated.
    unsafe fn fresh<D: Item>(cell: NonNull<u8>) -> Self::Ref<Chain<D>>;
    /// Told of cells that were built behind `alloc`'s back.
    fn appended<D: Item>(&mut self, cells: u64);
}

/// `Mutator::filter` without a branch, on a free list: each cell is written at
/// the list's head, which then advances by the condition. What the free list
/// links is the new chain already; only its end is cut off. A chain that
/// outgrows the list goes on cell by cell through `alloc`.
#[inline(always)]
pub fn filter_listed<'gc, M: Listed<'gc>, D: Item>(
    heap: &mut M,
    chain: Option<&M::Ref<Chain<D>>>,
    mut keep: impl FnMut(D) -> bool,
) -> Link<'gc, M, Chain<D>> {
    let cell_bytes = M::cell_bytes::<D>();
    let first = *heap.free_list::<D>();
    let mut free = first;
    let mut last: *mut u8 = ptr::null_mut();
    let mut cells = 0;
    // Not a null pointer for the end: where a cell has a header, telling the
    // end from an address beside the reference would cost instructions.
    let mut at = chain.map(|first| M::raw(first));
    while let Some(from) = at
        && let Some(to) = NonNull::new(free)
    {
        poison::reborn(free, cell_bytes);
        // SAFETY: A1 and A3 for the cell read; the contract of `Listed` for
        // the cell written, which is free, and whose link is read.
        unsafe {
            let item = (*from).item;
            at = (*from).next.as_ref().map(|next| M::raw(next));
            let node = M::raw(&M::fresh::<D>(to));
            (&raw mut (*node).item).write(item);
            let next_free = (&raw const (*node).next).cast::<*mut u8>().read();
            let kept = keep(item);
            last = select_unpredictable(kept, free, last);
            free = select_unpredictable(kept, next_free, free);
            cells += u64::from(kept);
        }
    }
    *heap.free_list::<D>() = free;
    if !free.is_null() {
        // SAFETY: the cell is free, whatever was written to it.
        unsafe { poison::dead(free, cell_bytes - size_of::<usize>()) };
    }
    heap.appended::<D>(cells);
    let rest = match at {
        None => Link::NONE,
        Some(at) => filter_tail(heap, at, keep),
    };
    match (NonNull::new(first), NonNull::new(last)) {
        (Some(first), Some(last)) => {
            // SAFETY: the cells from `first` to `last` have left the list.
            unsafe {
                (*M::raw(&M::fresh::<D>(last))).next = rest;
                Link(Some(M::fresh::<D>(first)))
            }
        }
        _ => rest,
    }
}

/// What `filter_bump` needs of its heap.
pub trait Bumping: Uncounted {
    /// The free memory in which the next object goes.
    fn bump(&mut self) -> &mut Bump;
    /// Told of cells that were built behind `take`'s back.
    fn appended(&mut self, cells: u64);
}

/// `Mutator::filter` without a branch: each cell is written at the top, which
/// then advances by the condition. A chain that outgrows the free memory goes
/// on cell by cell through `take`.
///
/// The next cell is read before the current one is written: a load that comes
/// after a store waits for the store's address, which here hangs on the test
/// of the cell before.
#[inline(always)]
pub fn filter_bump<'gc, H: Bumping, D: Item>(
    heap: &mut H,
    chain: Option<&Ptr<Chain<D>>>,
    mut keep: impl FnMut(D) -> bool,
) -> Link<'gc, H, Chain<D>> {
    let cell_bytes = object_bytes::<Node<'gc, H, D>>();
    let Bump { top: first, end } = *heap.bump();
    const { assert!(size_of::<Node<'_, H, D>>() <= LEAST_ADDRESS, "a chain cell takes at most 64 KiB") };
    // The highest place where a cell fits.
    let highest = end as usize - cell_bytes;
    let mut top = first;
    let mut at = first_cell::<H, D>(chain);
    if !at.is_null() {
        // SAFETY: A1 and A3.
        let (mut item, mut next) = unsafe { read_cell::<H, D>(at) };
        while top as usize <= highest {
            if next.is_null() {
                // SAFETY: C1, by the test above.
                top = unsafe { append::<H, D>(top, item, keep(item)) };
                at = next;
                break;
            }
            at = next;
            // SAFETY: A1 and A3; C1, by the test above.
            unsafe {
                let (next_item, after_next) = read_cell::<H, D>(next);
                top = append::<H, D>(top, item, keep(item));
                (item, next) = (next_item, after_next);
            }
        }
    }
    heap.bump().top = top;
    let rest = if at.is_null() { Link::NONE } else { filter_tail(heap, at, keep) };
    if top == first {
        return rest;
    }
    // SAFETY: C1; the first cell kept lies at `first`, the last right below `top`.
    unsafe {
        heap.appended((top.offset_from_unsigned(first) / cell_bytes) as u64);
        (*top.sub(cell_bytes).cast::<Node<'gc, H, D>>()).next = rest;
        Link(Some(Ptr::new(NonNull::new_unchecked(first))))
    }
}

/// A cell's item and the address of the next cell, or null.
///
/// # Safety
///
/// A cell lies at `at` (A1, A3).
#[inline(always)]
pub unsafe fn read_cell<'gc, H: Uncounted, D: Item>(
    at: *const Node<'gc, H, D>,
) -> (D, *const Node<'gc, H, D>) {
    // SAFETY: by contract.
    let node = unsafe { &*at };
    (node.item, first_cell::<H, D>(node.next.as_ref()))
}

/// Writes a cell whose `next` is the place above it; returns that place if the
/// cell is kept, `top` otherwise.
///
/// # Safety
///
/// A cell fits at `top`, where no object lies (C1).
#[inline(always)]
unsafe fn append<H: Bumping, D: Item>(top: *mut u8, item: D, keep: bool) -> *mut u8 {
    let cell_bytes = object_bytes::<Node<'_, H, D>>();
    // SAFETY: by contract.
    unsafe {
        let next = Link(Some(Ptr::new(NonNull::new_unchecked(top.add(cell_bytes)))));
        poison::reborn(top, cell_bytes);
        top.cast::<Node<'_, H, D>>().write(Node { item, next });
        top.add(cell_bytes * usize::from(keep))
    }
}

/// The rest of a chain that outgrew the free memory, from the cell at `at` on.
#[cold]
#[inline(never)]
fn filter_tail<'gc, M: Raw<'gc>, D: Item>(
    heap: &mut M,
    at: *const Node<'gc, M, D>,
    keep: impl FnMut(D) -> bool,
) -> Link<'gc, M, Chain<D>> {
    filter_from(heap, at, keep)
}
