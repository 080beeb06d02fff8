//! Pointers: what a smart pointer's allocation costs.
//!
//! Source: the Boost mailing list, "make_shared slower than shared_ptr(new)",
//! 2012, and Boost's ticket 6830. Objects of three sizes with a common base are
//! made in turn, and each is given up when `n` younger ones are alive.
//!
//! Before the clock starts the window is full, with the objects that an
//! iteration leaves behind: each then makes and gives up as many, and the values
//! that it reads, of objects that the one before it made or it itself, are all
//! the values there are, once each.

mod objects;
mod rings;

use crate::{Bench, Failure, Figures, Phases, Row, Setup, Study, Term};
use heap::pointers::{
    Arc, Base, Boxed, FusedLookup, FusedLookupName, FusedUntyped, Intrusive, Pointer, Rc, Split,
    SplitAtomic, Triomphe,
};
use objects::{Large, Medium, Small, value_at};
use std::hint::black_box;

/// Objects made in one iteration.
pub const OBJECTS: u64 = 999_999;

/// The study.
pub const STUDY: Study = Study {
    name: "pointers",
    about: "What does it cost to make an object that a smart pointer owns, and to give it up?",
    program: concat!("pointers ", env!("CARGO_PKG_VERSION")),
    size: "live objects",
    sizes: &[1, 1_000],
    most_n: 1_000_000,
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
        let slot = &mut slots[std::mem::replace(at, next)];
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

#[cfg(test)]
mod tests {
    use super::*;
    use heap::allocators::Limits;

    /// Few enough for an unoptimised build, in which a study's iteration takes a while.
    const FEW: u64 = 4_998;

    fn setup(n: u32, limit_bytes: usize) -> Setup<'static> {
        Setup { workload: "window", n, limits: Limits { limit_bytes, zeal: false } }
    }

    type Opened = Result<Box<dyn Bench>, Failure>;

    fn few<P: Pointer>(setup: &Setup) -> Opened {
        Ok(Box::new(Window::<P>::new(setup, FEW)?))
    }

    /// Each row, set up for fewer objects.
    const SMALLER: [fn(&Setup) -> Opened; ROWS.len()] = [
        few::<Boxed>,
        few::<Split>,
        few::<SplitAtomic>,
        few::<FusedLookup>,
        few::<FusedLookupName>,
        few::<FusedUntyped>,
        few::<Rc>,
        few::<Arc>,
        few::<Triomphe>,
        few::<Intrusive>,
        |setup| rings::start("gc", setup, FEW),
        |setup| rings::start("gc-arena", setup, FEW),
    ];

    fn iterate(bench: &mut dyn Bench) -> Result<u64, Failure> {
        let mut phases = Phases::new(STUDY.phases.len());
        let answer = bench.iterate(&mut phases)?;
        assert!(phases.ns[0] > 0);
        Ok(answer)
    }

    #[test]
    fn every_window_gives_the_same_answer_again_and_again() {
        for (row, start) in ROWS.iter().zip(SMALLER) {
            for n in [1, 2, 3, 97, 1_000, FEW as u32 + 1] {
                let mut bench = start(&setup(n, 1 << 30)).unwrap();
                for _ in 0..2 {
                    let answer = iterate(&mut *bench);
                    assert_eq!(answer, Ok(crate::sum_of(FEW)), "{}, {n}", row.brief.name);
                }
            }
        }
    }

    #[test]
    fn whole_iterations_give_the_answer_of_the_study() {
        for row in [row::<Boxed>(), rings::GC] {
            let mut bench = (row.start)(&setup(1_000, 1 << 30)).unwrap();
            let answer = iterate(&mut *bench);
            assert_eq!(answer, Ok((STUDY.answer)("window", 1_000)), "{}", row.brief.name);
        }
    }

    #[test]
    fn a_limit_too_small_for_the_window_is_an_error() {
        for (row, start) in ROWS.iter().zip(SMALLER) {
            for limit_bytes in [1, 1_000, 100_000] {
                let setup = setup(10_000, limit_bytes);
                let end = start(&setup).and_then(|mut bench| iterate(&mut *bench));
                assert_eq!(end, Err(Failure::OutOfMemory), "{}, {limit_bytes}", row.brief.name);
            }
        }
    }

    #[test]
    fn heaps_hold_out_under_zeal_and_in_little_memory() {
        for name in ["gc", "gc-arena"] {
            let mut setup = setup(50, 1 << 20);
            setup.limits.zeal = true;
            let mut bench = rings::start(name, &setup, FEW).unwrap();
            assert_eq!(iterate(&mut *bench), Ok(crate::sum_of(FEW)), "{name}");
        }
    }

    #[test]
    fn heaps_are_described_as_they_describe_themselves() {
        for row in [rings::GC, rings::GC_ARENA] {
            let info = heap::find(row.brief.name).unwrap();
            assert_eq!((row.brief.kind, row.brief.returns), (info.kind, info.returns));
        }
    }

    #[test]
    fn the_smallest_object_is_a_box_and_split_ones_take_two_allocations() {
        let figure = |name: &str, figure| {
            let row = ROWS.iter().find(|row| row.brief.name == name).unwrap();
            let figures = (row.start)(&setup(1, 1 << 20)).unwrap().figures().unwrap();
            figures.into_iter().find(|(name, _)| *name == figure).map(|(_, value)| value)
        };
        let mean_with = |header_bytes| Some(f64::from(8 + 24 + 56 + 3 * header_bytes) / 3.0);
        assert_eq!(figure("box", "bytes_per_object"), mean_with(0));
        assert_eq!(figure("split", "bytes_per_object"), mean_with(24));
        assert_eq!(figure("gc", "bytes_per_object"), mean_with(0));
        assert_eq!(figure("gc-arena", "bytes_per_object"), mean_with(16));
        assert_eq!(figure("split", "allocations_per_object"), Some(2.0));
        assert_eq!(figure("fused-untyped", "allocations_per_object"), Some(1.0));
        assert_eq!(figure("split", "pointer_bytes"), Some(24.0));
    }
}
