//! The contract between a program and a memory manager.
//!
//! A [`Program`] is written once over [`Mutator`]; a [`Heap`] runs it. The
//! program's whole live state is a [`Stack`] of frames (choice points) that
//! the heap owns: the heap pops a frame, lends itself to [`Program::step`],
//! and between two steps it may collect, move objects or close scopes.
//!
//! Why safe code cannot reach freed memory:
//!
//! 1. `step` is generic over `'gc` and `M`, so a reference has no nameable
//!    type outside it: it can leave a step only inside a pushed frame.
//! 2. Objects are built from the parts in [`crate::object`], which this crate
//!    alone implements, so a collector sees every reference.
//! 3. Heaps with scopes free, when a frame is resumed, what was allocated since
//!    it was pushed. The frame itself cannot refer to that, frames pushed later
//!    are gone, and those below are older still. [`Mutator::set`] alone can make
//!    an older object refer to a younger one; these heaps take it as an escape
//!    that keeps all that was allocated before it until the run ends.

use crate::carry::Carrying;
use crate::immortals::Immortals;
use crate::machine::Kept;
use crate::object::{Chain, Item, Link, Object};
use crate::pauses::Pauses;
use crate::sealed::Sealed;
use crate::{HeapError, Info, Settings, Stack, Stats, Tally};
use std::ptr::NonNull;

/// Names an object type whose fields hold the mutator's own references.
pub trait Family: Sized + 'static {
    /// The object itself, made of the parts in [`crate::object`].
    type Of<'gc, M: Mutator<'gc>>: Object<'gc, M>;
}

/// What the program may do with a heap between two safepoints.
///
/// References are owned and linear: [`share`](Mutator::share) makes another
/// one, [`release`](Mutator::release) gives one up. A tracing heap does
/// nothing in either; a counting heap counts. Forgetting to release leaks (and
/// the conformance suite finds it) but is never unsafe. Allocation cannot fail
/// inside a step: a heap over its limit says so at the next safepoint.
///
/// Only this crate implements it (a mutator of someone else's could lie about
/// where allocation stands).
pub trait Mutator<'gc>: Sealed + Sized {
    /// An owned reference to an object of family `T`.
    type Ref<T: Family>;
    /// Where allocation stands; `()` where nothing needs scopes.
    type Mark: Copy;

    /// Where allocation stands now: [`Stack::push`] keeps it with the frame.
    fn mark(&self) -> Self::Mark;
    /// Told of each frame that [`Stack::push`] keeps, after `mark`: a heap that
    /// cannot see the frames keeps their references itself. The others do nothing.
    #[inline(always)]
    fn suspend(&mut self, _frame: &mut impl Object<'gc, Self>, _: Kept) {}
    /// A number that names the object until the next safepoint: two references have the
    /// same one if they are the [`same`](Mutator::same).
    fn identity<T: Family>(&self, at: &Self::Ref<T>) -> usize;
    /// Gives up the references of a frame that is not resumed here, but in another heap.
    #[inline(always)]
    fn give_up(&mut self, _frame: &mut impl Object<'gc, Self>, _: Carrying) {}
    /// Told of a frame that leaves as it is, for another thread's heap: its objects are that
    /// one's too from now on, so that none may be written to.
    #[inline(always)]
    fn leave(&mut self, _frame: &mut impl Object<'gc, Self>, _: Carrying) {}
    /// The same of a frame that has arrived.
    #[inline(always)]
    fn arrive(&mut self, _frame: &mut impl Object<'gc, Self>, _: Carrying) {}
    /// A reference to an immortal object, which is counted nowhere; only of heaps that
    /// [can have them](Heap::immortals).
    fn immortal<T: Family>(_at: NonNull<T::Of<'gc, Self>>, _: Carrying) -> Self::Ref<T> {
        unreachable!("this heap refers to its own objects only")
    }
    /// Allocates an object; the references inside `value` move into it.
    fn alloc<T: Family>(&mut self, value: T::Of<'gc, Self>) -> Self::Ref<T>;
    /// Reads an object.
    fn get<'a, T: Family>(&'a self, at: &'a Self::Ref<T>) -> &'a T::Of<'gc, Self>;
    /// Replaces an object's contents, releasing the old ones (write barrier).
    fn set<T: Family>(&mut self, at: &Self::Ref<T>, value: T::Of<'gc, Self>);
    /// Whether two references name the same object.
    fn same<T: Family>(&self, a: &Self::Ref<T>, b: &Self::Ref<T>) -> bool;
    /// Another reference to the same object.
    fn share<T: Family>(&mut self, at: &Self::Ref<T>) -> Self::Ref<T>;
    /// Gives a reference up; a counting heap frees what nobody else holds.
    fn release<T: Family>(&mut self, at: Self::Ref<T>);
    /// Reads a reference out of an object and shares it.
    fn load<T: Family, U: Family>(
        &mut self,
        at: &Self::Ref<T>,
        field: impl for<'x> FnOnce(&'x T::Of<'gc, Self>) -> &'x Link<'gc, Self, U>,
    ) -> Link<'gc, Self, U>;

    /// Walks a chain front to back in the heap's passing convention (borrowed,
    /// or by value: each local variable that holds a reference counts).
    fn fold<D: Item, A>(
        &mut self,
        chain: Option<&Self::Ref<Chain<D>>>,
        start: A,
        each: impl FnMut(A, D) -> A,
    ) -> A;
    /// Builds, front to back, a new chain of the items of `chain` that `keep`
    /// accepts ("append if"). `keep` is called once per item, in order. A bump
    /// allocator can do it without a branch: write always, advance if kept.
    fn filter<D: Item>(
        &mut self,
        chain: Option<&Self::Ref<Chain<D>>>,
        keep: impl FnMut(D) -> bool,
    ) -> Link<'gc, Self, Chain<D>>;

    /// [`share`](Mutator::share) for a reference that may be absent.
    #[inline(always)]
    fn share_link<T: Family>(&mut self, link: &Link<'gc, Self, T>) -> Link<'gc, Self, T> {
        Link(link.0.as_ref().map(|at| self.share(at)))
    }
    /// [`release`](Mutator::release) for a reference that may be absent.
    #[inline(always)]
    fn release_link<T: Family>(&mut self, link: Link<'gc, Self, T>) {
        if let Some(at) = link.0 {
            self.release(at);
        }
    }
}

/// A program as a machine of choice points (explicit frames, no recursion).
pub trait Program: 'static {
    /// A suspended computation, made of references and plain data.
    type Frame<'gc, M: Mutator<'gc>>: Object<'gc, M>;
    /// The result; it cannot hold references (it names neither `'gc` nor `M`).
    type Out: Default;
    /// Builds the initial objects and pushes the first frames.
    fn start<'gc, M: Mutator<'gc>>(
        &self,
        heap: &mut M,
        stack: &mut Frames<'gc, M, Self>,
        out: &mut Self::Out,
    );
    /// Resumes one frame: may allocate, push frames and add to `out`.
    fn step<'gc, M: Mutator<'gc>>(
        &self,
        heap: &mut M,
        frame: Self::Frame<'gc, M>,
        stack: &mut Frames<'gc, M, Self>,
        out: &mut Self::Out,
    );
}

/// The stack of a program `P` in a heap `M`; the program can only push.
pub type Frames<'gc, M, P> = Stack<<P as Program>::Frame<'gc, M>, <M as Mutator<'gc>>::Mark>;

/// A memory manager, set up and ready to run programs.
///
/// Only this crate implements it: one heap runs all programs on the same mutator, on which
/// tasks rely that are carried from heap to heap (see [`crate::carry`]).
pub trait Heap: Sealed + Sized {
    /// Whether frames can be carried to a heap of the same type on another thread as they
    /// are, since references are counted atomically.
    const CARRIES: bool = false;

    /// Makes a heap; `settings` were checked against the backend's [`Info`].
    fn new(settings: &Settings) -> Self;
    /// Runs a program to its end. On an error all its objects are given up.
    fn run<P: Program>(&mut self, program: &P) -> Result<P::Out, HeapError>;
    /// Between runs, outside the measured time: reclaims what can be
    /// reclaimed, so that [`stats`](Heap::stats) tells what leaked.
    fn settle(&mut self);
    /// What the heap did and holds; counts are zero unless it is a counted instance.
    fn stats(&self) -> Stats;
    /// The pauses so far; `None` unless it is a [`Clocked`](crate::Clocked) instance.
    fn pauses(&mut self) -> Option<&mut Pauses>;
    /// The immortal objects that this heap's own may refer to; `None` where it cannot.
    fn immortals(&self) -> Option<&Immortals> {
        None
    }
    /// Checks the heap's own structures; the error says what is broken.
    fn validate(&self) -> Result<(), String>;
}

/// A backend as the registry lists it: its description, and its heap without
/// ([`Off`](crate::Off)) or with ([`On`](crate::On)) counting of its work, or
/// with a clock for its pauses ([`Clocked`](crate::Clocked)); each of them may be one whose
/// objects can refer to immortal ones ([`Immortal`](crate::Immortal)).
pub trait Backend {
    /// Name, capabilities and parameters.
    const INFO: Info;
    /// The heap, instantiated with a tally that counts or vanishes.
    type Heap<T: Tally>: Heap + 'static;
}
