//! Reference counting, over any counted pointer and passing convention.
//!
//! A backend names a [`Pointer`] (where the count lives, how it is changed,
//! where memory comes from) and a [`Convention`] (whether local variables
//! count). Releasing is iterative: a dead object's references are taken out
//! and released in a loop, the first one of the same family at once (a chain
//! never touches the list of pending releases), the others through a list.
//!
//! Invariants:
//!
//! - R1. An object's count is at least the number of `Ref`s that exist (more
//!   only if the program forgot one), so whoever gives up the last one owns
//!   the object.
//! - R2. Every pending entry, and every reference taken out of an object that
//!   is not used again, is one `Ref` that exists nowhere else.
//! - R3. `Pointer::To<U::Of>` and `Pointer::To<T::Of>` are one type when `U` is `T`.

use super::address::{self, Raw};
use super::chain;
use super::meter::Meter;
use super::verify::{self, Checked};
use crate::heap::{Family, Heap, Mutator, NoScope, Program};
use crate::machine::{self, Runtime};
use crate::object::{Chain, Item, Link, Node, Object, Visitor};
use crate::tally::{Event, HeapError, Stats, Tally};
use crate::{Settings, Zeal};
use std::any::TypeId;
use std::marker::PhantomData;
use std::mem::MaybeUninit;

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
        chain: Option<&Self::To<Node<'gc, Counting<Self, C, T>, D>>>,
        keep: impl FnMut(D) -> bool,
    ) -> Link<'gc, Counting<Self, C, T>, Chain<D>> {
        chain::filter_borrowed(heap, chain, keep)
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

/// A reference-counting heap.
pub struct Counting<P: Pointer, C, T> {
    store: P::Store,
    pending: Vec<Pending<P, C, T>>,
    tally: T,
    zeal: bool,
    convention: PhantomData<C>,
}

/// A reference of any family that waits for its release.
struct Pending<P: Pointer, C, T> {
    words: MaybeUninit<[usize; 2]>,
    release: unsafe fn(&mut Counting<P, C, T>, MaybeUninit<[usize; 2]>),
}

impl<P: Pointer, C: Convention, T: Tally> Counting<P, C, T> {
    /// Frees a dead object of family `F`, and all that dies of it. Out of
    /// line, so that a release that frees nothing stays small.
    #[inline(never)]
    fn release_dead<'gc, F: Family>(&mut self, dead: P::Dead<F::Of<'gc, Self>>) {
        // Known to stay false at compile time where `F` has one reference.
        let mut pushed = false;
        let Counting { store, pending, .. } = self;
        let buried = P::bury(store, dead, |value: &mut F::Of<'gc, Self>| {
            let mut drain = Drain::<P, C, T, P::To<F::Of<'gc, Self>>> {
                pending,
                family: Some(TypeId::of::<F>()),
                next: None,
                pushed: &mut pushed,
            };
            value.each_ref(&mut drain);
            drain.next
        });
        self.buried::<F>(&buried);
        while pushed {
            let Some(Pending { words, release }) = self.pending.pop() else { break };
            // SAFETY: R2; `words` were written for this function by `visit`.
            unsafe { release(self, words) }
        }
    }

    /// The memory behind the objects.
    #[inline(always)]
    pub fn store(&mut self) -> &mut P::Store {
        &mut self.store
    }

    /// Accounts for new objects of family `F`.
    #[inline(always)]
    pub fn made<'gc, F: Family>(&mut self, objects: u64) {
        if P::Store::METERED || T::ON {
            self.store.made(objects as usize * P::object_bytes::<F::Of<'gc, Self>>());
        }
        self.tally.add(Event::Allocated, objects);
    }

    /// Releases one pending reference; what it held becomes pending.
    ///
    /// # Safety
    ///
    /// `words` holds a `To<F::Of>` that exists nowhere else (R2).
    unsafe fn release_pending<'gc, F: Family>(&mut self, words: MaybeUninit<[usize; 2]>) {
        // SAFETY: by contract.
        let at = unsafe { words.as_ptr().cast::<P::To<F::Of<'gc, Self>>>().read() };
        self.tally.add(Event::Decremented, 1);
        let Some(dead) = P::lower(at) else { return };
        let Counting { store, pending, .. } = self;
        let buried = P::bury(store, dead, |value: &mut F::Of<'gc, Self>| {
            let pushed = &mut false;
            value.each_ref(&mut Drain::<P, C, T, ()> { pending, family: None, next: None, pushed });
            None
        });
        self.buried::<F>(&buried);
    }

    #[inline(always)]
    fn buried<'gc, F: Family>(&mut self, buried: &Buried) {
        if P::Store::METERED || T::ON {
            self.store.freed(buried.freed * P::object_bytes::<F::Of<'gc, Self>>());
        }
        self.tally.add(Event::Freed, buried.freed as u64);
        self.tally.add(Event::Decremented, buried.lowered as u64);
    }
}

/// Takes the references out of a dead object: the first one of `family` into
/// `next` (of type `N`), the others into the pending list.
struct Drain<'h, P: Pointer, C, T, N> {
    pending: &'h mut Vec<Pending<P, C, T>>,
    family: Option<TypeId>,
    next: Option<N>,
    /// Set when something became pending.
    pushed: &'h mut bool,
}

impl<'gc, P: Pointer, C: Convention, T: Tally, N> Visitor<'gc, Counting<P, C, T>>
    for Drain<'_, P, C, T, N>
{
    #[inline(always)]
    fn visit<U: Family>(&mut self, at: &mut P::To<U::Of<'gc, Counting<P, C, T>>>) {
        if self.family == Some(TypeId::of::<U>()) && self.next.is_none() {
            // SAFETY: `family` is set only with `N = To<F>` and U is F (R3);
            // the object is dead, so the reference is moved out of it (R2).
            self.next = Some(unsafe { std::ptr::from_mut(at).cast::<N>().read() });
            return;
        }
        const { assert!(size_of::<P::To<U::Of<'gc, Counting<P, C, T>>>>() <= 16) };
        let mut words = MaybeUninit::<[usize; 2]>::uninit();
        // SAFETY: as above; a `To` is at most two words.
        unsafe {
            let at = std::ptr::from_mut(at).read();
            words.as_mut_ptr().cast::<P::To<U::Of<'gc, Counting<P, C, T>>>>().write(at);
        }
        *self.pushed = true;
        self.pending.push(Pending { words, release: Counting::release_pending::<U> });
    }
}

/// Releases the references of a frame or of contents that were replaced.
struct Abandon<'h, P: Pointer, C, T>(&'h mut Counting<P, C, T>);

impl<'gc, P: Pointer, C: Convention, T: Tally> Visitor<'gc, Counting<P, C, T>>
    for Abandon<'_, P, C, T>
{
    fn visit<U: Family>(&mut self, at: &mut P::To<U::Of<'gc, Counting<P, C, T>>>) {
        // SAFETY: the frame or contents are never used again (R2).
        let at = unsafe { std::ptr::from_mut(at).read() };
        self.0.release::<U>(at);
    }
}

// SAFETY: by the contract of `Pointer::as_ptr`.
unsafe impl<'gc, P: Pointer, C: Convention, T: Tally> Raw<'gc> for Counting<P, C, T> {
    #[inline(always)]
    fn raw<F: Family>(at: &Self::Ref<F>) -> *mut F::Of<'gc, Self> {
        P::as_ptr(at)
    }
}

impl<'gc, P: Pointer, C: Convention, T: Tally> Checked<'gc> for Counting<P, C, T> {
    fn check<F: Family>(&self, at: &Self::Ref<F>, seen: usize) -> Result<(), String> {
        if !self.store.may_hold(P::as_ptr(at).cast()) {
            return Err("a reference leads to no object".into());
        }
        let count = P::count(at);
        if seen > count {
            return Err(format!("{seen} references to an object with a count of {count}"));
        }
        Ok(())
    }
}

impl<'gc, P: Pointer, C: Convention, T: Tally> Mutator<'gc> for Counting<P, C, T> {
    type Ref<F: Family> = P::To<F::Of<'gc, Self>>;
    type Scope = NoScope;

    #[inline(always)]
    fn alloc<F: Family>(&mut self, value: F::Of<'gc, Self>) -> Self::Ref<F> {
        self.made::<F>(1);
        P::new(&mut self.store, value)
    }
    #[inline(always)]
    fn get<'a, F: Family>(&'a self, at: &'a Self::Ref<F>) -> &'a F::Of<'gc, Self> {
        address::get::<Self, F>(self, at)
    }
    fn set<F: Family>(&mut self, at: &Self::Ref<F>, value: F::Of<'gc, Self>) {
        // SAFETY: A2: the heap is borrowed mutably, so nobody reads the object.
        let mut old = unsafe { std::mem::replace(&mut *P::as_ptr(at), value) };
        old.each_ref(&mut Abandon(self));
    }
    #[inline(always)]
    fn same<F: Family>(&self, a: &Self::Ref<F>, b: &Self::Ref<F>) -> bool {
        std::ptr::eq(P::as_ptr(a), P::as_ptr(b))
    }
    #[inline(always)]
    fn share<F: Family>(&mut self, at: &Self::Ref<F>) -> Self::Ref<F> {
        self.tally.add(Event::Incremented, 1);
        P::share(at)
    }
    #[inline(always)]
    fn release<F: Family>(&mut self, at: Self::Ref<F>) {
        self.tally.add(Event::Decremented, 1);
        if let Some(dead) = P::lower(at) {
            self.release_dead::<F>(dead);
        }
    }
    #[inline(always)]
    fn load<F: Family, U: Family>(
        &mut self,
        at: &Self::Ref<F>,
        field: impl for<'x> FnOnce(&'x F::Of<'gc, Self>) -> &'x Link<'gc, Self, U>,
    ) -> Link<'gc, Self, U> {
        // SAFETY: A1 and A2; sharing changes counts only.
        let link = field(unsafe { &*P::as_ptr(at) });
        self.share_link(link)
    }
    #[inline(always)]
    fn fold<D: Item, A>(
        &mut self,
        chain: Option<&Self::Ref<Chain<D>>>,
        start: A,
        each: impl FnMut(A, D) -> A,
    ) -> A {
        if C::BY_VALUE {
            chain::fold_by_value(self, chain, start, each)
        } else {
            chain::fold_borrowed(self, chain, start, each)
        }
    }
    #[inline(always)]
    fn filter<D: Item>(
        &mut self,
        chain: Option<&Self::Ref<Chain<D>>>,
        keep: impl FnMut(D) -> bool,
    ) -> Link<'gc, Self, Chain<D>> {
        if C::BY_VALUE {
            chain::filter_by_value(self, chain, keep)
        } else {
            P::filter(self, chain, keep)
        }
    }
}

impl<'gc, P: Pointer, C: Convention, T: Tally> Runtime<'gc> for Counting<P, C, T> {
    #[inline(always)]
    fn open(&mut self) -> Option<NoScope> {
        None
    }
    #[inline(always)]
    fn close(&mut self, scope: NoScope) {
        match scope {}
    }
    #[inline(always)]
    fn poll(&self) -> bool {
        self.store.alarmed()
    }
    fn safepoint(&mut self, roots: &mut impl Object<'gc, Self>) -> Result<(), HeapError> {
        if self.zeal {
            verify::insist(self, roots);
        }
        self.store.check()
    }
    fn abandon(&mut self, frame: &mut impl Object<'gc, Self>) {
        frame.each_ref(&mut Abandon(self));
    }
}

impl<P: Pointer, C: Convention, T: Tally> Heap for Counting<P, C, T> {
    fn new(settings: &Settings) -> Self {
        Counting {
            store: P::Store::new(settings),
            pending: Vec::new(),
            tally: T::default(),
            zeal: settings.zeal == Zeal::EverySafepoint,
            convention: PhantomData,
        }
    }
    fn run<Q: Program>(&mut self, program: &Q) -> Result<Q::Out, HeapError> {
        let out = machine::drive(self, program);
        if out.is_err() {
            self.store.settle();
        }
        out
    }
    fn settle(&mut self) {
        self.store.settle();
    }
    fn stats(&self) -> Stats {
        let mut stats = Stats::counted(&self.tally);
        self.store.fill(&mut stats);
        stats
    }
    fn validate(&self) -> Result<(), String> {
        if !self.pending.is_empty() {
            return Err("a release left work behind".into());
        }
        self.store.validate()
    }
}
