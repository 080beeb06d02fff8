//! Walking and building chains in a heap with a shadow stack: each variable of a
//! walk has a slot, and each assignment to it is a store.
//!
//! The variables are those of `fold_by_value` and `filter_by_value` in `chain.rs`:
//! the cell that is looked at; in a filter also the first and the newest cell of the
//! new chain. The invariants A1-A3 are those of `address.rs`, H1-H3 those of
//! `shadow.rs`.

use super::address::Ptr;
use super::bump::object_bytes;
use super::poison;
use super::shadow::{Slots, Unwind, Walk};
use super::uncounted::Uncounted;
use crate::object::{Chain, Item, Link, Node};
use std::hint::select_unpredictable;
use std::ptr::{self, NonNull};

/// What the walks need of their heap.
///
/// # Safety
///
/// `visit` is the function that visits a chain cell of `D`. A free cell's last word is
/// the address of the next free one, or null; in a cell that word is `Node::next`.
pub unsafe trait Shadowed: Uncounted {
    /// How what a slot refers to is visited.
    type Visit: Copy;
    /// The slots of the running step.
    fn variables(&mut self) -> &mut Slots<Self::Visit>;
    /// The function that visits a cell.
    fn visit<D: Item>() -> Self::Visit;
    /// Told that the slots took more memory.
    fn grew(&mut self);
    /// Told of stores to slots.
    fn stored(&mut self, stores: u64);
    /// The first free cell of this size, or null.
    fn free_cells(&mut self, cell_bytes: usize) -> &mut *mut u8;
    /// Told of cells that were built behind `take`'s back.
    fn appended(&mut self, cells: u64);
}

/// The variables of a filter, by their slots.
const AT: usize = 0;
const FIRST: usize = 1;
const NEWEST: usize = 2;

/// The slots of a walk.
#[inline(always)]
fn enter<const N: usize, M: Shadowed, D: Item>(heap: &mut M) -> Walk<M::Visit, N> {
    let (walk, grew) = heap.variables().enter(M::visit::<D>());
    heap.stored(N as u64);
    if grew {
        heap.grew();
    }
    walk
}

#[inline(always)]
fn address<T: crate::heap::Family>(at: Option<&Ptr<T>>) -> *mut u8 {
    at.map_or(ptr::null_mut(), |at| at.address().as_ptr())
}

/// `Mutator::fold`: one store for the walk, and one for each cell.
#[inline(always)]
pub fn fold<M: Shadowed, D: Item, A>(
    heap: &mut M,
    chain: Option<&Ptr<Chain<D>>>,
    start: A,
    mut each: impl FnMut(A, D) -> A,
) -> A {
    let walk = enter::<1, M, D>(heap);
    let mut acc = start;
    let mut at = address(chain);
    while !at.is_null() {
        heap.stored(1);
        // SAFETY: A1 and A3; nothing is pushed before the walk ends.
        let node = unsafe {
            walk.store(AT, at);
            &*at.cast::<Node<'_, M, D>>()
        };
        acc = each(acc, node.item);
        at = address(node.next.as_ref());
    }
    heap.variables().pop(1);
    acc
}

/// `Mutator::filter` with a branch: three stores for the walk, one for each cell that
/// is looked at, and one for each that is kept (two for the first).
#[inline(always)]
pub fn filter<'gc, M: Shadowed, D: Item>(
    heap: &mut M,
    chain: Option<&Ptr<Chain<D>>>,
    keep: impl FnMut(D) -> bool,
) -> Link<'gc, M, Chain<D>> {
    let mut head = Link(None);
    filter_from(heap, address(chain), &mut head, keep);
    defined(heap, &head);
    head
}

/// Filters what starts at `at` into the empty link `hole`.
#[inline(always)]
fn filter_from<'gc, M: Shadowed, D: Item>(
    heap: &mut M,
    mut at: *mut u8,
    hole: &mut Link<'gc, M, Chain<D>>,
    mut keep: impl FnMut(D) -> bool,
) {
    let walk = enter::<3, M, D>(heap);
    let mut hole: *mut Link<'gc, M, Chain<D>> = hole;
    let mut kept_any = false;
    while !at.is_null() {
        heap.stored(1);
        // SAFETY: A1 and A3; nothing is pushed before the walk ends.
        let node = unsafe {
            walk.store(AT, at);
            &*at.cast::<Node<'gc, M, D>>()
        };
        at = address(node.next.as_ref());
        if keep(node.item) {
            let cell = heap.take::<Chain<D>>(object_bytes::<Node<'gc, M, D>>());
            // SAFETY: `take` gave memory for a cell; `hole` is the caller's link, or the
            // `next` of the newest cell (A1), to which nothing else refers yet.
            unsafe {
                let to = cell.cast::<Node<'gc, M, D>>();
                to.write(Node { item: node.item, next: Link::NONE });
                *hole = Link(Some(Ptr::new(cell)));
                hole = &raw mut (*to.as_ptr()).next;
                walk.store(NEWEST, cell.as_ptr());
                if !kept_any {
                    walk.store(FIRST, cell.as_ptr());
                }
            }
            heap.stored(1 + u64::from(!kept_any));
            kept_any = true;
        }
    }
    heap.variables().pop(3);
}

/// `Mutator::filter` without a branch, on a free list, as `chain::filter_listed`: four
/// stores for the walk and its first cell, two for each cell that is looked at.
#[inline(always)]
pub fn filter_listed<'gc, M: Shadowed, D: Item>(
    heap: &mut M,
    chain: Option<&Ptr<Chain<D>>>,
    mut keep: impl FnMut(D) -> bool,
) -> Link<'gc, M, Chain<D>> {
    let cell_bytes = object_bytes::<Node<'gc, M, D>>();
    let first = *heap.free_cells(cell_bytes);
    let walk = enter::<3, M, D>(heap);
    let unwind = Unwind(walk);
    let mut free = first;
    let mut last: *mut u8 = ptr::null_mut();
    let mut cells = 0;
    let mut at = address(chain);
    // SAFETY: the walk has begun. The first cell is a root as soon as it is one.
    unsafe { walk.store(FIRST, first) };
    heap.stored(1);
    while !at.is_null() && !free.is_null() {
        heap.stored(2);
        poison::reborn(free, cell_bytes);
        // SAFETY: A1 and A3 for the cell read; the contract of `Shadowed` for the cell
        // written, which is free, and whose link is read. Nothing is pushed before the
        // walk ends.
        unsafe {
            walk.store(AT, at);
            let from = at.cast::<Node<'gc, M, D>>();
            let item = (*from).item;
            at = address((*from).next.as_ref());
            let node = free.cast::<Node<'gc, M, D>>();
            (&raw mut (*node).item).write(item);
            let next_free = (&raw const (*node).next).cast::<*mut u8>().read();
            let kept = keep(item);
            last = select_unpredictable(kept, free, last);
            free = select_unpredictable(kept, next_free, free);
            walk.store(NEWEST, last);
            cells += u64::from(kept);
        }
    }
    unwind.done();
    heap.variables().pop(3);
    *heap.free_cells(cell_bytes) = free;
    if !free.is_null() {
        // SAFETY: the cell is free, whatever was written to it.
        unsafe { poison::dead(free, cell_bytes - size_of::<usize>()) };
    }
    heap.appended(cells);
    let mut rest = Link(None);
    if !at.is_null() {
        filter_rest(heap, at, &mut rest, keep);
    }
    let head = match (NonNull::new(first), NonNull::new(last)) {
        (Some(first), Some(last)) => {
            // SAFETY: the cells from `first` to `last` have left the list.
            unsafe { (*last.cast::<Node<'gc, M, D>>().as_ptr()).next = rest };
            Link(Some(Ptr::new(first)))
        }
        _ => rest,
    };
    defined(heap, &head);
    head
}

/// The rest of a chain that outgrew the free list.
#[cold]
#[inline(never)]
fn filter_rest<'gc, M: Shadowed, D: Item>(
    heap: &mut M,
    at: *mut u8,
    rest: &mut Link<'gc, M, Chain<D>>,
    keep: impl FnMut(D) -> bool,
) {
    filter_from(heap, at, rest, keep);
}

/// The variable that holds a filter's result.
#[inline(always)]
fn defined<'gc, M: Shadowed, D: Item>(heap: &mut M, head: &Link<'gc, M, Chain<D>>) {
    if let Some(head) = &head.0 {
        heap.defined::<Chain<D>>(head.address());
    }
}
