//! Pointers: what a smart pointer's allocation costs.
//!
//! Source: the Boost mailing list, "make_shared slower than shared_ptr(new)",
//! 2012, and Boost's ticket 6830. Objects of three sizes with a common base are
//! made in turn, and each is given up when `n` younger ones are alive.
//!
//! Before the clock starts the window is full, of such objects as an iteration
//! leaves behind. So each iteration gives up as many objects as it makes, the
//! first `n` from before and then its own, and reads each value once.

mod rings;
#[cfg(test)]
mod tests;

use crate::{Bench, Failure, Figures, Phases, Row, Setup, Study, Term};
use heap::pointers::{
    Arc, Base, Boxed, FusedLookup, FusedLookupName, FusedUntyped, Intrusive, Pointer, Rc, Split,
    SplitAtomic, Triomphe,
};
use std::hint::black_box;
use std::mem::{MaybeUninit, replace};

/// Objects made in one iteration.
pub const OBJECTS: u64 = 999_999;

/// The study.
pub const STUDY: Study = Study {
    name: "pointers",
    about: "What does it cost to make an object that a smart pointer owns, and to give it up?",
    program: concat!("pointers ", env!("CARGO_PKG_VERSION")),
    size: "live objects",
    sizes: &[1, 1_000],
    most_n: OBJECTS as u32,
    workloads: &[Term {
        name: "window",
        about: "the oldest of n live objects is given up, a new one made",
    }],
    phases: &[Term { name: "object", about: "an object made, read once, and given up" }],
    baseline: "box",
    rows: ROWS,
    operations: |_| OBJECTS,
    answer: |_, _| crate::sum_of(OBJECTS),
};

/// What is compared.
const ROWS: &[Row] = &[
    row::<Boxed>(),
    row::<Split>(),
    row::<SplitAtomic>(),
    row::<FusedLookup>(),
    row::<FusedLookupName>(),
    row::<FusedUntyped>(),
    row::<Rc>(),
    row::<Arc>(),
    row::<Triomphe>(),
    row::<Intrusive>(),
    rings::GC,
    rings::GC_ARENA,
];

const fn row<P: Pointer>() -> Row {
    Row { brief: P::BRIEF, start: |setup| Ok(Box::new(Window::<P>::new(setup, OBJECTS)?)) }
}

/// A value, and room that nobody writes to: constructor and destructor are
/// trivial, as the original's are.
#[derive(Clone, Copy)]
struct Object<const WORDS: usize> {
    value: u64,
    _room: [MaybeUninit<u64>; WORDS],
}

/// 8 bytes.
type Small = Object<0>;
/// 24 bytes.
type Medium = Object<2>;
/// 56 bytes.
type Large = Object<6>;

impl<const WORDS: usize> Object<WORDS> {
    #[inline(always)]
    fn new(value: u64) -> Self {
        Object { value, _room: [MaybeUninit::uninit(); WORDS] }
    }
}

impl<const WORDS: usize> Base for Object<WORDS> {
    fn value(&self) -> u64 {
        self.value
    }
}

/// The value of the object that is alive after `objects` were made, again and
/// again, and that `age` of the living are younger than. An object's type
/// follows from its value's remainder by three, which divides `objects`.
fn value_at(age: u64, objects: u64) -> u64 {
    objects - 1 - age % objects
}

/// A window of live objects, each held by a pointer.
struct Window<P: Pointer> {
    slots: Vec<Option<P::Of>>,
    /// The slot of the oldest object.
    at: usize,
    /// Objects made in one iteration.
    objects: u64,
}

impl<P: Pointer> Window<P> {
    fn new(setup: &Setup, objects: u64) -> Result<Self, Failure> {
        let window_bytes = f64::from(setup.n) * bytes_per_object::<P>();
        if window_bytes > setup.limits.limit_bytes as f64 {
            return Err(Failure::OutOfMemory);
        }
        let make = |age| match value_at(age, objects) {
            value if value % 3 == 0 => P::make(Small::new(value)),
            value if value % 3 == 1 => P::make(Medium::new(value)),
            value => P::make(Large::new(value)),
        };
        let slots = (0..u64::from(setup.n)).rev().map(|age| Some(make(age))).collect();
        Ok(Window { slots, at: 0, objects })
    }

    /// Gives the oldest object up, and makes another in its place; the value of the old one.
    #[inline(always)]
    fn turn<T: Base>(slots: &mut [Option<P::Of>], at: &mut usize, new: T) -> u64 {
        let next = if *at + 1 == slots.len() { 0 } else { *at + 1 };
        let slot = &mut slots[replace(at, next)];
        let old = slot.take();
        let value = old.as_ref().map_or(0, |old| P::get(old).value());
        drop(old);
        *slot = Some(P::make(new));
        value
    }
}

/// Bytes that an object of the window takes on average.
fn bytes_per_object<P: Pointer>() -> f64 {
    let bytes =
        P::object_bytes::<Small>() + P::object_bytes::<Medium>() + P::object_bytes::<Large>();
    bytes as f64 / 3.0
}

impl<P: Pointer> Bench for Window<P> {
    fn iterate(&mut self, phases: &mut Phases) -> Result<u64, Failure> {
        let (slots, mut at) = (&mut self.slots[..], self.at);
        let sum = phases.time(0, || {
            let mut sum = 0;
            for value in (0..self.objects).step_by(3) {
                sum += Self::turn(slots, &mut at, Small::new(value));
                sum += Self::turn(slots, &mut at, Medium::new(value + 1));
                sum += Self::turn(slots, &mut at, Large::new(value + 2));
            }
            black_box(sum)
        });
        self.at = at;
        Ok(sum)
    }

    fn figures(&mut self) -> Result<Figures, Failure> {
        Ok(vec![
            ("bytes_per_object", bytes_per_object::<P>()),
            ("allocations_per_object", P::ALLOCATIONS as f64),
            ("pointer_bytes", size_of::<P::Of>() as f64),
        ])
    }
}
