//! `Mutator::filter` into slots in order of allocation, without a branch: each
//! cell is written to the next free slot, which is taken if the cell is kept.
//!
//! The invariants A1-A3 are those of `address.rs`, Q1 is that of `lists.rs`.

use super::address::Ptr;
use super::bump::object_bytes;
use super::chain::{first_cell, read_cell};
use super::lists::{Free, Lists};
use super::log::slot_bytes;
use super::poison;
use super::uncounted::Uncounted;
use crate::object::{Chain, Item, Link, Node};
use std::ptr::NonNull;

/// A heap on `Lists`.
pub trait InOrder: Uncounted {
    fn lists(&mut self) -> &mut Lists;
    /// Makes sure that the list of a size is the current one and has a free slot.
    fn ready(&mut self, slot_bytes: usize);
    /// Told of slots that were taken behind `take`'s back.
    fn appended(&mut self, cells: usize, slot_bytes: usize);
}

/// The free slots of a size; there is one at least.
#[inline(always)]
fn free<H: InOrder>(heap: &mut H, slot_bytes: usize) -> Free {
    match heap.lists().free(slot_bytes) {
        Some(free) => free,
        None => more(heap, slot_bytes),
    }
}

#[cold]
#[inline(never)]
fn more<H: InOrder>(heap: &mut H, slot_bytes: usize) -> Free {
    heap.ready(slot_bytes);
    heap.lists().free(slot_bytes).expect("a list made ready has a free slot")
}

/// The next cell is read before the current one is written, as in `filter_bump`.
#[inline(always)]
pub fn filter_in_order<'gc, H: InOrder, D: Item>(
    heap: &mut H,
    chain: Option<&Ptr<Chain<D>>>,
    mut keep: impl FnMut(D) -> bool,
) -> Link<'gc, H, Chain<D>> {
    let slot = const { slot_bytes(object_bytes::<Node<'_, H, D>>()) };
    let at = first_cell::<H, D>(chain);
    if at.is_null() {
        return Link::NONE;
    }
    let Free { mut next, mut end } = free(heap, slot);
    let mut first = next;
    // SAFETY: A1 and A3 for the cells read. Q1: `next` is below `end`, so it is
    // the place of a free slot's address, and the word after it can be read.
    unsafe {
        let head = *next;
        let (mut item, mut rest) = read_cell::<H, D>(at);
        while !rest.is_null() {
            let (rest_item, after_rest) = read_cell::<H, D>(rest);
            next = append::<H, D>(next, item, keep(item));
            if next == end {
                heap_takes::<H>(heap, slot, next);
                let last = *next.sub(1);
                Free { next, end } = more(heap, slot);
                link::<H, D>(last, Some(*next));
                // Something was kept, wherever it is.
                first = std::ptr::null_mut();
            }
            (item, rest) = (rest_item, after_rest);
        }
        next = append::<H, D>(next, item, keep(item));
        if next != end {
            poison::dead(*next, slot);
        }
        if next == first {
            return Link::NONE;
        }
        link::<H, D>(*next.sub(1), None);
        heap_takes::<H>(heap, slot, next);
        Link(Some(Ptr::new(NonNull::new_unchecked(head))))
    }
}

/// The slots below `next` are taken.
///
/// # Safety
///
/// As for `Lists::taken`.
#[inline(always)]
unsafe fn heap_takes<H: InOrder>(heap: &mut H, slot_bytes: usize, next: *mut *mut u8) {
    // SAFETY: by contract.
    let cells = unsafe { heap.lists().taken(slot_bytes, next) };
    heap.appended(cells, slot_bytes);
}

/// Writes a cell, linked to the one that will follow it, to the next free slot;
/// the place of the free slot after that.
///
/// # Safety
///
/// `next` is the place of a free slot's address, and not the last word.
#[inline(always)]
unsafe fn append<H: InOrder, D: Item>(next: *mut *mut u8, item: D, keep: bool) -> *mut *mut u8 {
    // SAFETY: by contract; Q1: neither word is null.
    unsafe {
        let cell = *next;
        let link = Link(Some(Ptr::new(NonNull::new_unchecked(*next.add(1)))));
        poison::reborn(cell, slot_bytes(object_bytes::<Node<'_, H, D>>()));
        cell.cast::<Node<'_, H, D>>().write(Node { item, next: link });
        next.add(usize::from(keep))
    }
}

/// Sets what follows a cell that is in no object yet.
///
/// # Safety
///
/// A cell lies at `cell`.
#[inline(always)]
unsafe fn link<H: InOrder, D: Item>(cell: *mut u8, next: Option<*mut u8>) {
    let next = Link(next.and_then(NonNull::new).map(Ptr::new));
    // SAFETY: by contract.
    unsafe { (*cell.cast::<Node<'_, H, D>>()).next = next }
}
