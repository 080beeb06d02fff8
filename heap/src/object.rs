//! What objects are made of.
//!
//! A collector must see every reference in an object and a frame. Rather than
//! trust each program to list them (an omission would be a dangling
//! reference), objects are composed of the parts below, and [`Object`] is
//! sealed: references are enumerated by construction. A part needs no drop:
//! the heap takes references out of a dead object itself, without recursion.

use crate::heap::{Family, Mutator};
use std::marker::PhantomData;

pub(crate) mod sealed {
    pub trait Sealed {}
}
pub(crate) use sealed::Sealed;

/// A composition of plain data and references.
pub trait Object<'gc, M: Mutator<'gc>>: Sealed + Sized {
    /// Shows each reference, in place and in order, to `visitor`.
    fn each_ref(&mut self, visitor: &mut impl Visitor<'gc, M>);
}

/// Sees the references of objects; a moving collector writes through them.
pub trait Visitor<'gc, M: Mutator<'gc>> {
    /// Called with one reference, in place.
    fn visit<T: Family>(&mut self, at: &mut M::Ref<T>);
}

/// Plain data without references. `'static` keeps references out; `Copy`
/// keeps destructors out; and it may be read on any thread. Most heaps align objects to 8 bytes and refuse, when
/// they are compiled for it, data that needs more, or a chain cell of more than
/// 64 KiB.
pub trait Item: Copy + Send + Sync + 'static {}
impl<D: Copy + Send + Sync + 'static> Item for D {}

/// Plain data as a part of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plain<D>(pub D);

/// A reference that is always present, as a part of an object.
pub struct Edge<'gc, M: Mutator<'gc>, T: Family>(pub M::Ref<T>);

/// A reference that may be absent, as a part of an object.
pub struct Link<'gc, M: Mutator<'gc>, T: Family>(pub Option<M::Ref<T>>);

impl<'gc, M: Mutator<'gc>, T: Family> Link<'gc, M, T> {
    /// No reference.
    pub const NONE: Self = Link(None);
    /// The reference, borrowed.
    #[inline(always)]
    pub fn as_ref(&self) -> Option<&M::Ref<T>> {
        self.0.as_ref()
    }
}

/// The family of chain cells (singly linked nodes) that carry a `D`: the one
/// shape heaps know, so that they can build it in order.
pub struct Chain<D>(PhantomData<D>);

impl<D: Item> Family for Chain<D> {
    type Of<'gc, M: Mutator<'gc>> = Node<'gc, M, D>;
}

/// A cell of a chain. The layout is fixed (`item`, then `next`) so that a free
/// list can keep its link where `next` will be.
#[repr(C)]
pub struct Node<'gc, M: Mutator<'gc>, D: Item> {
    /// The cell's data.
    pub item: D,
    /// The rest of the chain.
    pub next: Link<'gc, M, Chain<D>>,
}

impl<D> Sealed for Plain<D> {}
impl<'gc, M: Mutator<'gc>, D: Item> Object<'gc, M> for Plain<D> {
    #[inline(always)]
    fn each_ref(&mut self, _: &mut impl Visitor<'gc, M>) {}
}

impl<'gc, M: Mutator<'gc>, T: Family> Sealed for Edge<'gc, M, T> {}
impl<'gc, M: Mutator<'gc>, T: Family> Object<'gc, M> for Edge<'gc, M, T> {
    #[inline(always)]
    fn each_ref(&mut self, visitor: &mut impl Visitor<'gc, M>) {
        visitor.visit::<T>(&mut self.0);
    }
}

impl<'gc, M: Mutator<'gc>, T: Family> Sealed for Link<'gc, M, T> {}
impl<'gc, M: Mutator<'gc>, T: Family> Object<'gc, M> for Link<'gc, M, T> {
    #[inline(always)]
    fn each_ref(&mut self, visitor: &mut impl Visitor<'gc, M>) {
        if let Some(at) = &mut self.0 {
            visitor.visit::<T>(at);
        }
    }
}

impl<'gc, M: Mutator<'gc>, D: Item> Sealed for Node<'gc, M, D> {}
impl<'gc, M: Mutator<'gc>, D: Item> Object<'gc, M> for Node<'gc, M, D> {
    #[inline(always)]
    fn each_ref(&mut self, visitor: &mut impl Visitor<'gc, M>) {
        self.next.each_ref(visitor);
    }
}

impl<A: Sealed, B: Sealed> Sealed for (A, B) {}
impl<'gc, M: Mutator<'gc>, A: Object<'gc, M>, B: Object<'gc, M>> Object<'gc, M> for (A, B) {
    #[inline(always)]
    fn each_ref(&mut self, visitor: &mut impl Visitor<'gc, M>) {
        self.0.each_ref(visitor);
        self.1.each_ref(visitor);
    }
}

impl<A: Sealed, B: Sealed, C: Sealed> Sealed for (A, B, C) {}
impl<'gc, M, A, B, C> Object<'gc, M> for (A, B, C)
where
    M: Mutator<'gc>,
    A: Object<'gc, M>,
    B: Object<'gc, M>,
    C: Object<'gc, M>,
{
    #[inline(always)]
    fn each_ref(&mut self, visitor: &mut impl Visitor<'gc, M>) {
        self.0.each_ref(visitor);
        self.1.each_ref(visitor);
        self.2.each_ref(visitor);
    }
}

impl<A: Sealed, const N: usize> Sealed for [A; N] {}
impl<'gc, M: Mutator<'gc>, A: Object<'gc, M>, const N: usize> Object<'gc, M> for [A; N] {
    #[inline(always)]
    fn each_ref(&mut self, visitor: &mut impl Visitor<'gc, M>) {
        for part in self {
            part.each_ref(visitor);
        }
    }
}
