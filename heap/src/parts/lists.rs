//! Slots in order of allocation: for each slot size one array of the addresses
//! of all its slots, first those that are allocated (the allocated list, oldest
//! first), then those that are free (the free list).
//!
//! Allocation reads the next address and moves the boundary between the two;
//! freeing the youngest objects, however many, moves it back. Between sizes the
//! order is kept by a log of the switches from one to another, which is empty
//! for a program that uses one size. A *fence* keeps what is older than it from
//! being freed this way; a sweep takes dead objects out of any place.
//!
//! A mark is a place in that order: the boundary, and the number of the *run*,
//! the allocation of one size without a switch, a fence or a sweep in between.
//!
//! Invariants:
//!
//! - Q1. A list has each slot of its size once: allocated ones below its
//!   boundary, in order, free ones above. A word that is no slot follows them.
//! - Q2. The boundary of the current list is `top.used`, of another one its
//!   `used`. `end` is the number of slots of the current list, zero for
//!   another: one compare tells that a slot can be taken.
//! - Q3. `switches` has what is to be undone, youngest last, to get from the
//!   current run back to the one at the fence, whose number is the fence's; the
//!   number of a run is one more than that of the run before it.
//! - Q4. A mark that is used comes from a run that exists still, or from one
//!   before the fence. The number at a new fence is larger than that of any mark
//!   until then, so a mark from before it is known by its number, whatever its
//!   boundary says. (When the numbers are spent, marks close nothing any more,
//!   until `free_all`.)
//! - Q5. A list has less than 2^32 slots (64 GiB), so a boundary is 32 bits.

#[cfg(test)]
mod tests;
mod validate;

use super::log::SLOT_ALIGN_BYTES;
use super::poison;
use super::region::{LISTS, list_bytes, list_of};
use super::slabs::Slabs;
use std::ptr::{self, NonNull};

/// A place in the order of allocation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C, align(8))] // read and written at once
pub struct Mark {
    used: u32,
    number: u32,
}

/// The first run's number.
const FIRST: Mark = Mark { used: 0, number: 1 };
/// The number in marks when numbers are spent; `open` is `NONE` then.
const SPENT: u32 = u32::MAX;
const NONE: u32 = 0;

/// Switches that are logged before a safepoint is wanted.
const MOST_SWITCHES: usize = 64 << 10;

/// No slot; it can be written as a reference, and is never followed.
const SENTINEL: *mut u8 = ptr::without_provenance_mut(SLOT_ALIGN_BYTES);

/// The slots of one size.
#[derive(Clone)]
struct List {
    slots: Vec<*mut u8>,
    used: u32,
    end: u32,
    /// Slots below this boundary hold old objects, which a sweep has kept.
    old: u32,
    /// At this boundary a poll wants a safepoint.
    soft_end: u32,
}

impl List {
    const EMPTY: List = List { slots: Vec::new(), used: 0, end: 0, old: 0, soft_end: 0 };

    fn slots(&self) -> u32 {
        self.slots.len().saturating_sub(1) as u32
    }
}

/// How to get back from a run of another list.
#[derive(Clone, Copy)]
struct Switch {
    /// The list of the run before.
    from: u32,
    /// The boundary of this run's list before it.
    used: u32,
}

/// The end of the current list: where the next slots' addresses are.
#[derive(Clone, Copy)]
pub struct Free {
    pub next: *mut *mut u8,
    pub end: *mut *mut u8,
}

/// All lists.
pub struct Lists {
    top: Mark,
    /// Marks of this number are of the current run.
    open: u32,
    soft_end: u32,
    current: usize,
    fence: Mark,
    lists: [List; LISTS],
    switches: Vec<Switch>,
    slabs: Slabs,
    arrays_bytes: usize,
    old_bytes: usize,
    /// Whether there may be marked slots.
    aged: bool,
}

impl Lists {
    pub fn new(slab_bytes: usize) -> Self {
        Lists {
            top: FIRST,
            open: FIRST.number,
            soft_end: 0,
            current: 0,
            fence: FIRST,
            lists: [List::EMPTY; LISTS],
            switches: Vec::new(),
            slabs: Slabs::new(slab_bytes),
            arrays_bytes: 0,
            old_bytes: 0,
            aged: false,
        }
    }

    /// Where allocation stands.
    #[inline(always)]
    pub fn mark(&self) -> Mark {
        self.top
    }

    /// Whether the current list has reached its soft end.
    #[inline(always)]
    pub fn is_due(&self) -> bool {
        self.top.used >= self.soft_end
    }

    /// Takes the next slot of a size; none if `switch` or `grow` is needed.
    #[inline(always)]
    pub fn take(&mut self, slot_bytes: usize) -> Option<NonNull<u8>> {
        let list = &self.lists[list_of(slot_bytes)];
        if self.top.used >= list.end {
            return None;
        }
        // SAFETY: Q1, Q2: the address of a free slot.
        let at =
            unsafe { NonNull::new_unchecked(*list.slots.as_ptr().add(self.top.used as usize)) };
        self.top.used += 1;
        poison::reborn(at.as_ptr(), slot_bytes);
        Some(at)
    }

    /// The free slots of a size, in order; none if `switch` or `grow` is needed.
    #[inline(always)]
    pub fn free(&mut self, slot_bytes: usize) -> Option<Free> {
        let list = &mut self.lists[list_of(slot_bytes)];
        if self.top.used >= list.end {
            return None;
        }
        let slots = list.slots.as_mut_ptr();
        Some(Free {
            next: slots.wrapping_add(self.top.used as usize),
            end: slots.wrapping_add(list.end as usize),
        })
    }

    /// Takes the free slots of the current list below an address in it; how many.
    ///
    /// # Safety
    ///
    /// `next` comes from `free` of this size, after which nothing else was
    /// called, and was moved to its `end` at most.
    #[inline(always)]
    pub unsafe fn taken(&mut self, slot_bytes: usize, next: *mut *mut u8) -> usize {
        let slots = self.lists[list_of(slot_bytes)].slots.as_mut_ptr();
        // SAFETY: by contract both are in the array.
        let used = unsafe { next.offset_from_unsigned(slots) };
        let cells = used - self.top.used as usize;
        self.top.used = used as u32;
        cells
    }

    /// Makes the list of a size the current one; whether it has a free slot.
    pub fn switch(&mut self, slot_bytes: usize) -> bool {
        let to = list_of(slot_bytes);
        if to != self.current {
            if self.open != NONE {
                let used = self.lists[to].used;
                self.switches.push(Switch { from: self.current as u32, used });
                self.renumber(self.open + 1);
            }
            self.enter(to);
        }
        self.top.used < self.lists[to].end
    }

    /// Whether so many switches are logged that a sweep, or a fence, should end the log:
    /// no scope that opened before them may close for long.
    pub fn has_many_switches(&self) -> bool {
        self.switches.len() >= MOST_SWITCHES
    }

    fn enter(&mut self, to: usize) {
        let from = &mut self.lists[self.current];
        (from.used, from.end) = (self.top.used, 0);
        let to_list = &mut self.lists[to];
        to_list.end = to_list.slots();
        self.top.used = to_list.used;
        self.soft_end = to_list.soft_end;
        self.current = to;
    }

    fn renumber(&mut self, number: u32) {
        self.top.number = number;
        self.open = number;
        if number == SPENT {
            self.open = NONE;
            self.switches.clear();
        }
    }

    /// Adds slots to the current list, in a slab of at most `most_bytes` if more
    /// than one fits in so many.
    pub fn grow(&mut self, most_bytes: usize) {
        let list = &mut self.lists[self.current];
        let slots = self.slabs.grow(list_bytes(self.current), most_bytes);
        self.arrays_bytes -= list.slots.capacity() * size_of::<*mut u8>();
        list.slots.pop();
        assert!(list.slots.len() + slots.len() < u32::MAX as usize, "Q5");
        // The sentinel needs a word, too.
        list.slots.reserve(slots.len() + 1);
        list.slots.extend(slots);
        list.slots.push(SENTINEL);
        list.end = list.slots();
        self.arrays_bytes += list.slots.capacity() * size_of::<*mut u8>();
    }

    /// Frees what was allocated since the mark and the fence: objects and bytes.
    ///
    /// # Safety
    ///
    /// Nothing refers to what was allocated after both. The mark was taken since
    /// `free_all`, and not before one that was closed (Q4).
    #[inline(always)]
    pub unsafe fn close(&mut self, mark: Mark) -> (usize, usize) {
        if mark.number == self.open { self.cut(mark.used) } else { self.close_further(mark) }
    }

    /// Frees what is in the current list from a boundary on.
    #[inline(always)]
    fn cut(&mut self, used: u32) -> (usize, usize) {
        debug_assert!(used <= self.top.used, "Q4");
        if cfg!(any(debug_assertions, heap_asan)) {
            self.poison(self.current, used, self.top.used);
        }
        let cells = (self.top.used - used) as usize;
        self.top.used = used;
        (cells, cells * list_bytes(self.current))
    }

    #[inline(never)]
    fn close_further(&mut self, mark: Mark) -> (usize, usize) {
        if self.open == NONE {
            return (0, 0);
        }
        let back_to = if mark.number < self.fence.number { self.fence } else { mark };
        let (mut cells, mut bytes) = (0, 0);
        let mut add = |(more, more_bytes)| (cells, bytes) = (cells + more, bytes + more_bytes);
        while self.open > back_to.number
            && let Some(switch) = self.switches.pop()
        {
            add(self.cut(switch.used));
            self.enter(switch.from as usize);
            self.renumber(self.open - 1);
        }
        add(self.cut(back_to.used));
        (cells, bytes)
    }

    /// Keeps what is allocated now from being freed by `close`.
    #[inline]
    pub fn fence(&mut self) {
        if self.top != self.fence {
            self.raise_fence();
        }
    }

    fn raise_fence(&mut self) {
        if self.open != NONE {
            self.switches.clear();
            self.renumber(self.open + 1);
            self.fence = self.top;
        }
    }

    /// The slabs, for the bits of slots.
    #[inline(always)]
    pub fn slabs(&mut self) -> &mut Slabs {
        &mut self.slabs
    }

    /// Bytes of a slab, far from a limit.
    pub fn slab_bytes(&self) -> usize {
        self.slabs.slab_bytes()
    }

    /// Makes all objects young again: none is marked or remembered.
    pub fn rejuvenate(&mut self) {
        if std::mem::take(&mut self.aged) {
            self.slabs.clear_bits();
        }
        self.lists.iter_mut().for_each(|list| list.old = 0);
        self.old_bytes = 0;
    }

    /// Frees the young objects that are not marked; the others are old now, and
    /// the fence is behind them. How many were freed, and their bytes.
    ///
    /// # Safety
    ///
    /// Nothing refers to a young object that is not marked.
    pub unsafe fn sweep(&mut self) -> (usize, usize) {
        self.lists[self.current].used = self.top.used;
        let (mut cells, mut bytes) = (0, 0);
        let mut dead = Vec::new();
        for (index, list) in self.lists.iter_mut().enumerate() {
            let young = list.old as usize..list.used as usize;
            let mut kept = young.start;
            for place in young.clone() {
                let at = list.slots[place];
                // SAFETY: Q1.
                if unsafe { self.slabs.is_marked(at) } {
                    list.slots[kept] = at;
                    kept += 1;
                } else {
                    // SAFETY: by contract.
                    unsafe { poison::dead(at, list_bytes(index)) };
                    dead.push(at);
                }
            }
            list.slots[kept..young.end].copy_from_slice(&dead);
            cells += dead.len();
            bytes += dead.len() * list_bytes(index);
            dead.clear();
            (list.used, list.old) = (kept as u32, kept as u32);
            self.old_bytes += (kept - young.start) * list_bytes(index);
        }
        self.aged = true;
        self.top.used = self.lists[self.current].used;
        self.raise_fence();
        (cells, bytes)
    }

    /// Frees all, whatever the fence is: objects and bytes. No mark is used again.
    ///
    /// # Safety
    ///
    /// Nothing refers to any object.
    pub unsafe fn free_all(&mut self) -> (usize, usize) {
        let freed = (self.cells(), self.bytes());
        self.rejuvenate();
        self.lists[self.current].used = self.top.used;
        for index in 0..LISTS {
            if cfg!(any(debug_assertions, heap_asan)) {
                self.poison(index, 0, self.lists[index].used);
            }
            self.lists[index].used = 0;
        }
        self.switches.clear();
        (self.top, self.open, self.fence) = (FIRST, FIRST.number, FIRST);
        freed
    }

    fn poison(&self, list: usize, from: u32, to: u32) {
        for &at in &self.lists[list].slots[from as usize..to as usize] {
            // SAFETY: by the contracts of `close` and `free_all`; Q1.
            unsafe { poison::dead(at, list_bytes(list)) };
        }
    }

    /// A poll wants a safepoint once so many bytes of one size are young; always
    /// if `None`.
    pub fn set_due(&mut self, young_bytes: Option<usize>) {
        for (index, list) in self.lists.iter_mut().enumerate() {
            let young = young_bytes.map(|bytes| bytes.div_ceil(list_bytes(index)));
            let place = |young| u32::try_from(young).unwrap_or(u32::MAX).saturating_add(list.old);
            list.soft_end = young.map_or(0, place);
        }
        self.soft_end = self.lists[self.current].soft_end;
    }

    fn used(&self, index: usize) -> usize {
        let other = self.lists[index].used;
        (if index == self.current { self.top.used } else { other }) as usize
    }

    /// Objects.
    pub fn cells(&self) -> usize {
        (0..LISTS).map(|index| self.used(index)).sum()
    }

    /// Bytes of the slots of objects.
    pub fn bytes(&self) -> usize {
        (0..LISTS).map(|index| self.used(index) * list_bytes(index)).sum()
    }

    /// Bytes of the slots of old objects.
    pub fn old_bytes(&self) -> usize {
        self.old_bytes
    }

    /// Bytes of the arrays and the log.
    pub fn lists_bytes(&self) -> usize {
        self.arrays_bytes + self.switches.capacity() * size_of::<Switch>()
    }

    /// Bytes of memory held, free slots included.
    pub fn held_bytes(&self) -> usize {
        self.slabs.held_bytes() + self.lists_bytes()
    }
}
