//! What a reference-counting heap is made of: a counted pointer, the memory
//! behind it, and a passing convention. The invariants are those of
//! `counting.rs`.

use super::meter::Meter;
use crate::Settings;
use crate::tally::{HeapError, Stats};
use std::ptr::NonNull;

/// A counted pointer.
///
/// # Safety
///
/// `as_ptr` gives the address of the value, valid while a `To` exists;
/// `lower` returns the object exactly when no other `To` exists (R1).
///
/// A `To<T>` is one or two words, which hold addresses and not null (its validity asks for
/// no more). The first leads to `before_bytes::<T>()` in front of the value; the last, which
/// may be the first, is even, so that a bit is left for a [mark](super::mortal::Mortal).
///
/// A free cell that [`Store::free_list`] gives is one that `fresh` makes an object of.
pub unsafe trait Pointer: Sized + 'static {
    /// An owned, counted reference. It has no drop of its own.
    type To<T>;
    /// An object whose last reference is gone and that is not freed yet.
    type Dead<T>;
    /// Where memory comes from and returns to.
    type Store: Store;
    /// Whether `share` and `lower` may be called on several threads at once, on references
    /// of one object, and the last of them may free it on a thread other than its maker's.
    const ATOMIC: bool = false;
    /// Bytes of one object, count and other overhead included.
    fn object_bytes<T>() -> usize;
    /// Bytes from where the first word of a reference leads to the value; an even number.
    fn before_bytes<T>() -> usize;
    /// Moves a value into a new object with a count of one.
    fn new<T>(store: &mut Self::Store, value: T) -> Self::To<T>;
    /// The value's address.
    fn as_ptr<T>(at: &Self::To<T>) -> *mut T;
    /// References that exist, by the count.
    fn count<T>(at: &Self::To<T>) -> usize;
    /// Raises the count.
    fn share<T>(at: &Self::To<T>) -> Self::To<T>;
    /// Lowers the count; the last reference leaves the dead object.
    fn lower<T>(at: Self::To<T>) -> Option<Self::Dead<T>>;
    /// Moves the value out of a dead object and frees its memory.
    fn take<T>(store: &mut Self::Store, dead: Self::Dead<T>) -> T;
    /// Frees a dead object, and one after the other those that die of it by
    /// the reference that `next` takes out of each.
    #[inline(always)]
    fn bury<T>(
        store: &mut Self::Store,
        dead: Self::Dead<T>,
        mut next: impl FnMut(&mut T) -> Option<Self::To<T>>,
    ) -> Buried {
        let mut dead = dead;
        let mut buried = Buried { freed: 0, lowered: 0 };
        loop {
            buried.freed += 1;
            let Some(at) = next(&mut Self::take(store, dead)) else { break };
            buried.lowered += 1;
            let Some(next_dead) = Self::lower(at) else { break };
            dead = next_dead;
        }
        buried
    }
    /// Makes a free cell an object with a count of one, all but its value; of pointers whose
    /// store has [free lists](Store::free_list).
    ///
    /// # Safety
    ///
    /// The cell is on the store's free list for a `T`, and leaves it before anything else is
    /// allocated.
    unsafe fn fresh<T>(_cell: NonNull<u8>) -> Self::To<T> {
        unreachable!("the store has no free lists")
    }
    /// Whether a reference leads to an immortal object; known to be false at compile time
    /// where none can.
    #[inline(always)]
    fn is_immortal<T>(_at: &Self::To<T>) -> bool {
        false
    }
    /// A reference to an immortal object, which is counted nowhere.
    fn immortal<T>(_at: NonNull<T>) -> Self::To<T> {
        unreachable!("this heap refers to its own objects only")
    }
}

/// What [`Pointer::bury`] did.
pub struct Buried {
    /// Objects freed.
    pub freed: usize,
    /// Counts lowered on the way.
    pub lowered: usize,
}

/// The memory behind a counted pointer, and its accounting.
pub trait Store {
    /// Whether it must be told of each object; the counted instance always tells.
    const METERED: bool;
    fn new(settings: &Settings) -> Self;
    /// Told that an object of this size was made.
    fn made(&mut self, bytes: usize);
    /// Told that objects of this size altogether were freed.
    fn freed(&mut self, bytes: usize);
    /// Whether `check` has something to do.
    fn alarmed(&self) -> bool;
    /// An error above the limit.
    fn check(&mut self) -> Result<(), HeapError>;
    /// Gives memory back that no object needs.
    fn settle(&mut self) {}
    /// Fills in the sizes.
    fn fill(&self, stats: &mut Stats);
    /// Whether a filter should build a chain on the free list of cells of this size.
    #[inline(always)]
    fn speculates(&self, _bytes: usize) -> bool {
        false
    }
    /// The first free cell of a size, or null, where filters speculate. The last word of a
    /// free cell is the address of the next one, or null.
    fn free_list(&mut self, _bytes: usize) -> &mut *mut u8 {
        unreachable!("the store has no free lists")
    }
    /// Forgets what is live: tasks took it along, and whoever does them frees it.
    fn disown(&mut self) {}
    /// Whether an object may lie at this address, as far as the store knows.
    fn may_hold(&self, _address: *mut u8) -> bool {
        true
    }
    fn validate(&self) -> Result<(), String> {
        Ok(())
    }
}

/// The platform's allocator, through the global one.
pub struct GlobalStore(Meter);
impl Store for GlobalStore {
    const METERED: bool = true;
    fn new(settings: &Settings) -> Self {
        GlobalStore(Meter::new(settings.limit_bytes, settings.zealous()))
    }
    #[inline(always)]
    fn made(&mut self, bytes: usize) {
        self.0.add(bytes);
    }
    #[inline(always)]
    fn freed(&mut self, bytes: usize) {
        self.0.sub(bytes);
    }
    #[inline(always)]
    fn alarmed(&self) -> bool {
        self.0.alarmed()
    }
    fn check(&mut self) -> Result<(), HeapError> {
        self.0.check()
    }
    fn fill(&self, stats: &mut Stats) {
        self.0.fill(stats, 0);
    }
}

/// How references are passed to traversals.
pub trait Convention: 'static {
    const BY_VALUE: bool;
}
/// Traversals borrow, as Rust programs do.
pub struct Borrowed;
impl Convention for Borrowed {
    const BY_VALUE: bool = false;
}
/// Each local variable that holds a reference counts, as with C++ smart
/// pointers passed by value.
pub struct ByValue;
impl Convention for ByValue {
    const BY_VALUE: bool = true;
}
