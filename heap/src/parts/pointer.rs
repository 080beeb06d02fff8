//! What a reference-counting heap is made of: a counted pointer, the memory
//! behind it, and a passing convention. The invariants are those of
//! `counting.rs`.

use super::chain;
use super::counting::Counting;
use super::meter::Meter;
use crate::Settings;
use crate::object::{Chain, Item, Link, Node};
use crate::tally::{HeapError, Stats, Tally};

/// A counted pointer.
///
/// # Safety
///
/// `as_ptr` gives the address of the value, valid while a `To` exists;
/// `lower` returns the object exactly when no other `To` exists (R1).
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
    /// `Mutator::filter` of borrowed traversals; a pointer whose cells lie on
    /// a free list can do it without a branch.
    #[inline(always)]
    fn filter<'gc, C: Convention, T: Tally, D: Item>(
        heap: &mut Counting<Self, C, T>,
        chain: Option<&ChainRef<'gc, Self, C, T, D>>,
        keep: impl FnMut(D) -> bool,
    ) -> Link<'gc, Counting<Self, C, T>, Chain<D>> {
        chain::filter_borrowed(heap, chain, keep)
    }
}

/// A reference to a chain of a counting heap.
pub type ChainRef<'gc, P, C, T, D> = <P as Pointer>::To<Node<'gc, Counting<P, C, T>, D>>;

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
