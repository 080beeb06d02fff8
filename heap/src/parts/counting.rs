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
use super::chain::{self, Listed};
use super::pointer::{Buried, Convention, Pointer, Store};
use super::verify::{self, Checked};
use crate::carry::Carrying;
use crate::heap::{Family, Heap, Mutator, Program};
use crate::immortals::Immortals;
use crate::machine::{self, Runtime};
use crate::object::{Chain, Item, Link, Node, Object, Visitor};
use crate::pauses::Pauses;
use crate::sealed::Sealed;
use crate::tally::{Event, HeapError, Stats, Tally};
use crate::{Settings, Zeal};
use std::any::TypeId;
use std::marker::PhantomData;
use std::mem::{MaybeUninit, offset_of};
use std::ptr::NonNull;

/// A reference-counting heap.
pub struct Counting<P: Pointer, C, T> {
    store: P::Store,
    pending: Vec<Pending<P, C, T>>,
    tally: T,
    zeal: bool,
    /// Whether other threads may read the objects, where counts are atomic.
    frozen: bool,
    convention: PhantomData<C>,
}

/// A reference of any family that waits for its release.
struct Pending<P: Pointer, C, T> {
    words: MaybeUninit<[usize; 2]>,
    release: Release<P, C, T>,
}

type Release<P, C, T> = unsafe fn(&mut Counting<P, C, T>, MaybeUninit<[usize; 2]>);

impl<P: Pointer, C: Convention, T: Tally> Counting<P, C, T> {
    /// Frees a dead object of family `F`, and all that dies of it. Out of
    /// line, so that a release that frees nothing stays small.
    #[inline(never)]
    fn release_dead<'gc, F: Family>(&mut self, dead: P::Dead<F::Of<'gc, Self>>) {
        let since = self.tally.stop();
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
        if pushed {
            self.release_all_pending();
        }
        self.tally.released(since);
    }

    /// Accounts for new objects of family `F`.
    #[inline(always)]
    fn made<F: Family>(&mut self, objects: u64) {
        if P::Store::METERED || T::ON {
            self.store.made(objects as usize * P::object_bytes::<F::Of<'_, Self>>());
        }
        self.tally.add(Event::Allocated, objects);
    }

    #[inline(never)]
    fn release_all_pending(&mut self) {
        while let Some(Pending { words, release }) = self.pending.pop() {
            // SAFETY: R2; `words` were written for this function by `visit`.
            unsafe { release(self, words) }
        }
    }

    /// Releases one pending reference; what it held becomes pending.
    ///
    /// # Safety
    ///
    /// `words` holds a `To<F::Of>` that exists nowhere else (R2).
    unsafe fn release_pending<F: Family>(&mut self, words: MaybeUninit<[usize; 2]>) {
        // SAFETY: by contract.
        let at = unsafe { words.as_ptr().cast::<P::To<F::Of<'_, Self>>>().read() };
        self.tally.add(Event::Decremented, 1);
        let Some(dead) = P::lower(at) else { return };
        let Counting { store, pending, .. } = self;
        let buried = P::bury(store, dead, |value: &mut F::Of<'_, Self>| {
            let pushed = &mut false;
            value.each_ref(&mut Drain::<P, C, T, ()> { pending, family: None, next: None, pushed });
            None
        });
        self.buried::<F>(&buried);
    }

    #[inline(always)]
    fn buried<F: Family>(&mut self, buried: &Buried) {
        if P::Store::METERED || T::ON {
            self.store.freed(buried.freed * P::object_bytes::<F::Of<'_, Self>>());
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
        if P::is_immortal(at) {
            return;
        }
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
        // A walk asks about none that leads to where the immortal objects are.
        if P::is_immortal(at) {
            return Err("a reference is marked as one to an immortal object, and is not".into());
        }
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

impl<P: Pointer, C: Convention, T: Tally> Sealed for Counting<P, C, T> {}

impl<'gc, P: Pointer, C: Convention, T: Tally> Mutator<'gc> for Counting<P, C, T> {
    type Ref<F: Family> = P::To<F::Of<'gc, Self>>;
    type Mark = ();

    #[inline(always)]
    fn mark(&self) {}

    #[inline(always)]
    fn identity<F: Family>(&self, at: &Self::Ref<F>) -> usize {
        P::as_ptr(at) as usize
    }
    fn give_up(&mut self, frame: &mut impl Object<'gc, Self>, _: Carrying) {
        frame.each_ref(&mut Abandon(self));
    }
    fn leave(&mut self, _: &mut impl Object<'gc, Self>, _: Carrying) {
        self.frozen = true;
    }
    fn arrive(&mut self, _: &mut impl Object<'gc, Self>, _: Carrying) {
        self.frozen = true;
    }
    #[inline(always)]
    fn immortal<F: Family>(at: NonNull<F::Of<'gc, Self>>, _: Carrying) -> Self::Ref<F> {
        P::immortal(at)
    }
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
        assert!(!P::is_immortal(at), "an immortal object cannot be changed");
        assert!(!(P::ATOMIC && self.frozen), "objects that threads share cannot be changed");
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
        if !P::is_immortal(at) {
            self.tally.add(Event::Incremented, 1);
        }
        P::share(at)
    }
    #[inline(always)]
    fn release<F: Family>(&mut self, at: Self::Ref<F>) {
        if P::is_immortal(&at) {
            return;
        }
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
        } else if self.store.speculates(Self::cell_bytes::<D>()) {
            chain::filter_listed(self, chain, keep)
        } else {
            chain::filter_borrowed(self, chain, keep)
        }
    }
}

// SAFETY: by the contract of `Pointer::fresh`; `next` is a cell's last word, asserted, and the
// address of a free cell is that of the object it becomes.
unsafe impl<'gc, P: Pointer, C: Convention, T: Tally> Listed<'gc> for Counting<P, C, T> {
    #[inline(always)]
    fn cell_bytes<D: Item>() -> usize {
        const {
            let next = offset_of!(Node<'gc, Self, D>, next);
            assert!(next + size_of::<Self::Ref<Chain<D>>>() == size_of::<Node<'gc, Self, D>>());
        }
        P::object_bytes::<Node<'gc, Self, D>>()
    }
    #[inline(always)]
    fn free_list<D: Item>(&mut self) -> &mut *mut u8 {
        self.store.free_list(Self::cell_bytes::<D>())
    }
    #[inline(always)]
    unsafe fn fresh<D: Item>(cell: NonNull<u8>) -> Self::Ref<Chain<D>> {
        // SAFETY: by contract.
        unsafe { P::fresh(cell) }
    }
    #[inline(always)]
    fn appended<D: Item>(&mut self, cells: u64) {
        self.made::<Chain<D>>(cells);
    }
}

impl<'gc, P: Pointer, C: Convention, T: Tally> Runtime<'gc> for Counting<P, C, T> {
    #[inline(always)]
    fn close(&mut self, (): ()) {}
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
    const CARRIES: bool = P::ATOMIC;
    fn new(settings: &Settings) -> Self {
        Counting {
            store: P::Store::new(settings),
            pending: Vec::new(),
            tally: T::new(settings),
            zeal: settings.zeal == Zeal::EverySafepoint,
            frozen: false,
            convention: PhantomData,
        }
    }
    fn run<Q: Program>(&mut self, program: &Q) -> Result<Q::Out, HeapError> {
        let out = machine::drive(self, program);
        if out.is_err() {
            self.store.settle();
        }
        if P::ATOMIC && self.frozen {
            // Else the account would grow from task to task, by all that others free.
            self.store.disown();
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
    fn pauses(&mut self) -> Option<&mut Pauses> {
        self.tally.pauses()
    }
    fn immortals(&self) -> Option<&Immortals> {
        self.tally.immortals()
    }
    fn validate(&self) -> Result<(), String> {
        if !self.pending.is_empty() {
            return Err("a release left work behind".into());
        }
        self.store.validate()
    }
}

#[cfg(test)]
pub mod scenarios;
