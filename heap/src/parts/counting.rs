//! Reference counting, over any counted pointer and passing convention.
//!
//! A backend names a [`Pointer`] (where the count lives, how it is changed,
//! where memory comes from) and a [`Convention`] (whether local variables
//! count). Releasing is iterative: a dead object's references are taken out
//! and released in a loop, the first one of the same family through a local
//! variable (a chain never touches the list of pending releases), the others
//! through a list.
//!
//! Invariants:
//!
//! - R1. An object's count equals the number of `Ref`s that exist, so whoever
//!   gives up the last one owns the object.
//! - R2. Every pending entry is one `Ref` that exists nowhere else.
//! - R3. `Pointer::To<U>` and `Pointer::To<T>` are one type when `U` is `T`.

use super::address::{self, Raw};
use super::chain;
use super::meter::Meter;
use crate::heap::{Family, Heap, Mutator, NoScope, Program};
use crate::machine::{self, Runtime};
use crate::object::{Chain, Item, Link, Object, Visitor};
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
/// `into_inner` returns the value exactly when no other `To` exists (R1).
pub unsafe trait Pointer: 'static {
    /// An owned, counted reference. It has no drop of its own.
    type To<T>;
    /// Where memory comes from and returns to.
    type Store: Store;
    /// Bytes of one object, count and other overhead included.
    fn object_bytes<T>() -> usize;
    /// Moves a value into a new object with a count of one.
    fn new<T>(store: &mut Self::Store, value: T) -> Self::To<T>;
    /// The value's address.
    fn as_ptr<T>(at: &Self::To<T>) -> *mut T;
    /// Raises the count.
    fn share<T>(at: &Self::To<T>) -> Self::To<T>;
    /// Lowers the count; the last one frees the object and returns its value.
    fn into_inner<T>(store: &mut Self::Store, at: Self::To<T>) -> Option<T>;
    /// Builds a filtered chain without a branch, where the pointer can.
    fn speculate<'gc, M: Raw<'gc>, D: Item>(
        heap: &mut M,
        chain: Option<&M::Ref<Chain<D>>>,
        keep: impl FnMut(D) -> bool,
    ) -> Link<'gc, M, Chain<D>> {
        chain::filter_borrowed(heap, chain, keep)
    }
}

/// The memory behind a counted pointer.
pub trait Store {
    fn new(settings: &Settings) -> Self;
    /// Bytes of memory held, if the store holds more than the objects.
    fn held_bytes(&self) -> usize {
        0
    }
    fn validate(&self) -> Result<(), String> {
        Ok(())
    }
}

/// The platform's allocator, through the global one.
pub struct GlobalStore;
impl Store for GlobalStore {
    fn new(_: &Settings) -> Self {
        GlobalStore
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
    meter: Meter,
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
    /// Frees what a dead object of family `F` held, and all that dies of it.
    #[inline]
    fn release_dead<'gc, F: Family>(&mut self, value: F::Of<'gc, Self>) {
        let mut value = value;
        loop {
            self.meter.sub(P::object_bytes::<F::Of<'gc, Self>>());
            self.tally.add(Event::Freed, 1);
            let mut drain = Drain::<P, C, T, P::To<F::Of<'gc, Self>>> {
                pending: &mut self.pending,
                family: Some(TypeId::of::<F>()),
                next: None,
            };
            value.each_ref(&mut drain);
            let Some(next) = drain.next else { break };
            self.tally.add(Event::Decremented, 1);
            match P::into_inner(&mut self.store, next) {
                Some(next_value) => value = next_value,
                None => break,
            }
        }
        while let Some(pending) = self.pending.pop() {
            // SAFETY: R2; `words` were written for this function by `visit`.
            unsafe { (pending.release)(self, pending.words) }
        }
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
        if let Some(mut value) = P::into_inner(&mut self.store, at) {
            self.meter.sub(P::object_bytes::<F::Of<'gc, Self>>());
            self.tally.add(Event::Freed, 1);
            value.each_ref(&mut Drain::<P, C, T, ()> {
                pending: &mut self.pending,
                family: None,
                next: None,
            });
        }
    }
}

/// Takes the references out of a dead object: the first one of `family` into
/// `next` (of type `N`), the others into the pending list.
struct Drain<'h, P: Pointer, C, T, N> {
    pending: &'h mut Vec<Pending<P, C, T>>,
    family: Option<TypeId>,
    next: Option<N>,
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

impl<'gc, P: Pointer, C: Convention, T: Tally> Mutator<'gc> for Counting<P, C, T> {
    type Ref<F: Family> = P::To<F::Of<'gc, Self>>;
    type Scope = NoScope;

    #[inline(always)]
    fn alloc<F: Family>(&mut self, value: F::Of<'gc, Self>) -> Self::Ref<F> {
        self.meter.add(P::object_bytes::<F::Of<'gc, Self>>());
        self.tally.add(Event::Allocated, 1);
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
        if let Some(value) = P::into_inner(&mut self.store, at) {
            self.release_dead::<F>(value);
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
            chain::filter_borrowed(self, chain, keep)
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
        self.meter.alarmed()
    }
    fn safepoint(&mut self, _roots: &mut impl Object<'gc, Self>) -> Result<(), HeapError> {
        self.meter.check()
    }
    fn abandon(&mut self, frame: &mut impl Object<'gc, Self>) {
        frame.each_ref(&mut Abandon(self));
    }
}

impl<P: Pointer, C: Convention, T: Tally> Heap for Counting<P, C, T> {
    fn new(settings: &Settings) -> Self {
        Counting {
            store: P::Store::new(settings),
            meter: Meter::new(settings.limit_bytes, settings.zealous()),
            pending: Vec::new(),
            tally: T::default(),
            zeal: settings.zeal == Zeal::EverySafepoint,
            convention: PhantomData,
        }
    }
    fn run<Q: Program>(&mut self, program: &Q) -> Result<Q::Out, HeapError> {
        machine::drive(self, program)
    }
    fn settle(&mut self) {}
    fn stats(&self) -> Stats {
        let mut stats = Stats::counted(&self.tally);
        self.meter.fill(&mut stats, self.store.held_bytes());
        stats
    }
    fn validate(&self) -> Result<(), String> {
        self.store.validate()
    }
}
