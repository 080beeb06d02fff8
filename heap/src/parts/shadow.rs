//! A shadow stack: the references that the program's variables hold, written down
//! where a collector finds them.
//!
//! Two stacks of slots. The *suspended* one has the variables of frames that wait
//! to be resumed; the *running* one those of the step that runs: what it was given,
//! what it allocated, shared or read, and the variables of walks. A slot is a
//! reference's address and the function that visits what lies there, since objects
//! have no header that would tell their type. A variable of a loop keeps its slot,
//! and only the address is stored again.
//!
//! Stores are volatile: the compiler of a language with a shadow stack cannot know
//! when the collector looks, so it may neither leave one out nor move one out of a
//! loop, and this one does not either. A variable's death pops a slot: which slot
//! it was a compiler knows, and it costs one subtraction; here the last one goes,
//! which is as good, since no collection happens in the midst of a step.
//!
//! Invariants:
//!
//! - H1. `top` lies in `[base, end]`, the stack's own memory; slots below `top` were
//!   written, or are a walk's whose variables hold nothing yet and are null.
//! - H2. Between steps, a slot that is not null holds the address of an object, of the
//!   heap or immortal, and the function of its type. In a step that ended all references are gone but forgotten
//!   ones, and each slot that is left was written in that step, or for its frame: so its
//!   object was not freed since, as collections happen between steps only. (Amid a filter
//!   a slot may name the cell that is written next, which is free; a panic there empties
//!   the walk's slots.)
//! - H3. A step gives up no more references than it was given or made: they are
//!   linear (see `heap.rs`), so `pop` never passes `base`.

use std::ptr::{self, NonNull};

/// A variable: what it refers to, and how that is visited.
#[derive(Clone, Copy)]
struct Slot<V> {
    address: *mut u8,
    visit: V,
}

/// A stack of slots.
pub struct Slots<V> {
    base: *mut Slot<V>,
    top: *mut Slot<V>,
    end: *mut Slot<V>,
    /// Owns the memory; its length stays zero.
    memory: Vec<Slot<V>>,
}

/// Slots of a new stack.
const LEAST_SLOTS: usize = 256;
/// Slots that a stack keeps when it is emptied.
const MOST_SPARE_SLOTS: usize = 16 << 10;

impl<V: Copy> Slots<V> {
    pub fn new() -> Self {
        let none = ptr::null_mut();
        Slots { base: none, top: none, end: none, memory: Vec::new() }
    }

    /// Slots in use.
    #[inline(always)]
    pub fn height(&self) -> usize {
        (self.top as usize - self.base as usize) / size_of::<Slot<V>>()
    }

    /// Makes sure that there is room for `slots` more; whether memory was taken for it.
    #[inline(always)]
    #[must_use]
    fn reserve(&mut self, slots: usize) -> bool {
        let grows = self.end as usize - (self.top as usize) < slots * size_of::<Slot<V>>();
        if grows {
            self.grow(slots);
        }
        grows
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self, slots: usize) {
        let height = self.height();
        self.move_to((2 * height).max(height + slots).max(LEAST_SLOTS));
    }

    /// Goes on in memory for this many slots, which are enough.
    fn move_to(&mut self, slots: usize) {
        let height = self.height();
        let mut memory = Vec::with_capacity(slots);
        let base: *mut Slot<V> = memory.as_mut_ptr();
        // SAFETY: H1: `height` slots were written, and fit the new memory.
        unsafe {
            if height > 0 {
                ptr::copy_nonoverlapping(self.base, base, height);
            }
            self.base = base;
            self.top = base.add(height);
            self.end = base.add(memory.capacity());
        }
        self.memory = memory;
    }

    /// A variable begins to hold a reference; there is room for it.
    #[inline(always)]
    fn push_within(&mut self, address: *mut u8, visit: V) {
        debug_assert!(self.top < self.end);
        // SAFETY: H1; there is room.
        unsafe {
            (&raw mut (*self.top).address).write_volatile(address);
            (&raw mut (*self.top).visit).write_volatile(visit);
            self.top = self.top.add(1);
        }
    }

    /// A variable begins to hold a reference; whether memory was taken for it.
    #[inline(always)]
    #[must_use]
    pub fn push(&mut self, address: NonNull<u8>, visit: V) -> bool {
        let grew = self.reserve(1);
        self.push_within(address.as_ptr(), visit);
        grew
    }

    /// `variables` die.
    #[inline(always)]
    pub fn pop(&mut self, variables: usize) {
        debug_assert!(variables <= self.height(), "H3");
        self.top = self.top.wrapping_sub(variables);
    }

    /// Only the first `height` slots stay.
    #[inline(always)]
    pub fn cut(&mut self, height: usize) {
        debug_assert!(height <= self.height());
        self.top = self.base.wrapping_add(height);
    }

    /// Slots for `N` variables of a walk, which hold nothing yet; whether memory was
    /// taken for them.
    #[inline(always)]
    pub fn enter<const N: usize>(&mut self, visit: V) -> (Walk<V, N>, bool) {
        let grew = self.reserve(N);
        let slots = self.top;
        for _ in 0..N {
            self.push_within(ptr::null_mut(), visit);
        }
        (Walk { slots }, grew)
    }

    /// What the variables hold.
    pub fn each(&self, mut visit: impl FnMut(NonNull<u8>, V)) {
        for index in 0..self.height() {
            // SAFETY: H1: the slot was written.
            let slot = unsafe { *self.base.add(index) };
            if let Some(address) = NonNull::new(slot.address) {
                visit(address, slot.visit);
            }
        }
    }

    /// Empties it; much memory goes back to the platform.
    pub fn clear(&mut self) {
        if self.memory.capacity() > MOST_SPARE_SLOTS {
            *self = Slots::new();
        }
        self.top = self.base;
    }

    /// Gives up memory that is not in use.
    pub fn trim(&mut self) {
        match self.height() {
            0 => *self = Slots::new(),
            height => self.move_to(height),
        }
    }

    /// Bytes of memory.
    pub fn held_bytes(&self) -> usize {
        self.memory.capacity() * size_of::<Slot<V>>()
    }
}

/// The slots of a walk's variables; they are on top until it ends, with
/// [`Slots::pop`], and no other slot is pushed until then.
#[derive(Clone, Copy)]
pub struct Walk<V, const N: usize> {
    slots: *mut Slot<V>,
}

impl<V, const N: usize> Walk<V, N> {
    /// Variable `variable` of the walk now holds this.
    ///
    /// # Safety
    ///
    /// The walk has not ended, and nothing was pushed since it began. An object of
    /// the walk's family lies at the address when the walk ends, if it is not null.
    #[inline(always)]
    pub unsafe fn store(self, variable: usize, address: *mut u8) {
        debug_assert!(variable < N);
        // SAFETY: H1; by contract the slot is the walk's still.
        unsafe { (&raw mut (*self.slots.add(variable)).address).write_volatile(address) };
    }
}

/// Empties a walk's variables if the program panics amid it: what they hold may be
/// no object, and a program that catches the panic goes on in the same step.
pub struct Unwind<V, const N: usize>(pub Walk<V, N>);

impl<V, const N: usize> Unwind<V, N> {
    /// The walk ends as it should.
    #[inline(always)]
    pub fn done(self) {
        std::mem::forget(self);
    }
}

impl<V, const N: usize> Drop for Unwind<V, N> {
    fn drop(&mut self) {
        for variable in 0..N {
            // SAFETY: H1: the panic came amid the walk, in which nothing is pushed.
            unsafe {
                let slot = self.0.slots.add(variable);
                (&raw mut (*slot).address).write_volatile(ptr::null_mut());
            }
        }
    }
}

/// The shadow stack of a heap.
pub struct Shadow<V> {
    /// Variables of the frames that wait.
    pub suspended: Slots<V>,
    /// Variables of the step that runs.
    pub running: Slots<V>,
    /// Whether frames are forgotten, for a test that this is noticed.
    #[cfg(test)]
    pub forgetful: bool,
}

impl<V: Copy> Shadow<V> {
    pub fn new() -> Self {
        Shadow {
            suspended: Slots::new(),
            running: Slots::new(),
            #[cfg(test)]
            forgetful: false,
        }
    }
    /// What any variable holds.
    pub fn each(&self, mut visit: impl FnMut(NonNull<u8>, V)) {
        self.suspended.each(&mut visit);
        self.running.each(&mut visit);
    }
    /// Empties it.
    pub fn clear(&mut self) {
        self.suspended.clear();
        self.running.clear();
    }
    /// Gives up memory that is not in use.
    pub fn trim(&mut self) {
        self.suspended.trim();
        self.running.trim();
    }
    /// Bytes of memory.
    pub fn held_bytes(&self) -> usize {
        self.suspended.held_bytes() + self.running.held_bytes()
    }
}
