//! Growth: what a vector gains when its block grows in place.
//!
//! Source: Ion Gaztañaga, the Boost mailing list, 2014-07-14, on
//! `bench_alloc_expand_fwd`: 10,000 times 10,000 elements are pushed to the end
//! of an empty vector. One vector alone is a special case, since the end of the
//! heap is free to grow into; `n` of them that grow in turn are not.
//!
//! Rust moves elements bit by bit, so that any vector may grow by `realloc`; a
//! C++ vector may only if its elements say that they can be moved so. The rows
//! `copy` and `clone` do what C++ does: a new block at each growth, to which
//! elements are copied, or cloned one by one.

use crate::resident::page_faults;
use crate::{Bench, Failure, Figures, Phases, Row, Setup, Study, Term, sum_of};
use allocator_api2::vec::Vec as VecIn;
use heap::allocators::boundary_tag::BoundaryTag;
use heap::allocators::copying::Copying;
use heap::allocators::counting::Counting;
use heap::allocators::dlmalloc::Dlmalloc;
use heap::allocators::mimalloc::Mimalloc;
use heap::allocators::system::System;
use heap::allocators::{Allocator, Limits, Managed};
use heap::{Brief, Kind};
use std::hint::black_box;
use std::marker::PhantomData;

/// Elements pushed to each vector.
const PUSHES: u64 = 10_000;

/// Vectors filled in one iteration, at least.
const VECTORS: u64 = 100;

/// Capacity of the first block of a vector, as of the standard library's for small elements.
const FIRST_CAPACITY: usize = 4;

/// The study.
pub const STUDY: Study = Study {
    name: "growth",
    about: "What does a vector gain when its block grows in place?",
    program: concat!("growth ", env!("CARGO_PKG_VERSION")),
    size: "vectors that grow in turn",
    sizes: &[1, 64],
    most_n: 10_000,
    workloads: &[
        Term { name: "int", about: "elements are integers of 32 bits" },
        Term {
            name: "class",
            about: "elements are such integers with a copy of their own; to Rust, which moves bits, the same",
        },
    ],
    phases: &[Term { name: "push", about: "an element pushed to the end" }],
    baseline: "vec",
    rows: ROWS,
    operations: |n| groups(n) * n as u64 * PUSHES,
    answer: |_, n| groups(n) * n as u64 * sum_of(PUSHES),
};

/// Groups of `n` vectors in one iteration.
const fn groups(n: u32) -> u64 {
    let groups = VECTORS / n as u64;
    if groups == 0 { 1 } else { groups }
}

/// What is compared.
const ROWS: &[Row] = &[
    row::<System, Own>("vec", "std::vec::Vec: the system's realloc, capacity doubled"),
    row::<System, Double>("malloc", "the vector of the rows below over the system's realloc"),
    row::<System, Half>("vec-1.5", "Vec over the system's realloc, capacity raised by half"),
    row::<Copying<System>, Double>(
        "copy",
        "Vec over malloc; each growth is a new block and a copy",
    ),
    row::<Copying<System>, Half>("copy-1.5", "as copy, capacity raised by half"),
    row::<System, Anew>("clone", "each growth clones the elements one by one, as C++ copies them"),
    row::<Dlmalloc, Double>("dlmalloc", "Vec over the realloc of the crate dlmalloc"),
    row::<Mimalloc, Double>("mimalloc", "Vec over the realloc of mimalloc"),
    #[cfg(feature = "all-allocators")]
    row::<heap::allocators::jemalloc::Jemalloc, Double>("jemalloc", "Vec over jemalloc's realloc"),
    #[cfg(feature = "all-allocators")]
    row::<heap::allocators::snmalloc::Snmalloc, Double>("snmalloc", "Vec over snmalloc's realloc"),
    row::<BoundaryTag, Double>(
        "expand",
        "Vec over our allocator, which first expands a block forward",
    ),
    row::<BoundaryTag, Half>("expand-1.5", "as expand, capacity raised by half"),
];

const fn row<A: Managed, G: Growth>(name: &'static str, about: &'static str) -> Row {
    let returns = "when the vector ends, to the allocator";
    Row { brief: Brief { name, kind: Kind::Manual, about, returns }, start: start::<A, G> }
}

/// An element.
trait Element: Clone + 'static {
    fn new(value: u32) -> Self;
    fn value(&self) -> u32;
}

impl Element for u32 {
    #[inline(always)]
    fn new(value: u32) -> Self {
        value
    }
    #[inline(always)]
    fn value(&self) -> u32 {
        *self
    }
}

/// The original's element: an integer whose copy is written by its user.
struct Class(u32);

impl Clone for Class {
    #[inline(always)]
    fn clone(&self) -> Self {
        Class(self.0)
    }
}

impl Element for Class {
    #[inline(always)]
    fn new(value: u32) -> Self {
        Class(value)
    }
    #[inline(always)]
    fn value(&self) -> u32 {
        self.0
    }
}

/// A vector that elements are pushed to, over an allocator.
trait Vector<'a, T, A>: Sized {
    fn empty(allocator: &'a A) -> Self;
    fn push(&mut self, element: T) -> Result<(), Failure>;
    fn elements(&self) -> &[T];
    fn capacity(&self) -> usize;
}

/// How a vector makes room.
trait Growth: 'static {
    type Vector<'a, T: Element, A: Allocator + 'a>: Vector<'a, T, A>;
    /// The same over an allocator that counts.
    type Told: Room;
}

/// The standard library's vector, as everybody has it.
struct Own;

impl Growth for Own {
    type Vector<'a, T: Element, A: Allocator + 'a> = Vec<T>;
    type Told = Double;
}

impl<'a, T: Element, A: Allocator> Vector<'a, T, A> for Vec<T> {
    #[inline(always)]
    fn empty(_: &'a A) -> Self {
        Vec::new()
    }
    #[inline(always)]
    fn push(&mut self, element: T) -> Result<(), Failure> {
        Vec::push(self, element);
        Ok(())
    }
    fn elements(&self) -> &[T] {
        self
    }
    fn capacity(&self) -> usize {
        Vec::capacity(self)
    }
}

/// A vector over an allocator of its own, which makes room as `G` says.
struct Over<'a, T, A: Allocator, G>(VecIn<T, &'a A>, PhantomData<G>);

impl<'a, T: Element, A: Allocator, G: Room> Vector<'a, T, A> for Over<'a, T, A, G> {
    #[inline(always)]
    fn empty(allocator: &'a A) -> Self {
        Over(VecIn::new_in(allocator), PhantomData)
    }
    #[inline(always)]
    fn push(&mut self, element: T) -> Result<(), Failure> {
        // One test where there is room, as in the standard library's vector.
        let Err(element) = self.0.push_within_capacity(element) else { return Ok(()) };
        G::make(&mut self.0)?;
        self.0.push(element);
        Ok(())
    }
    fn elements(&self) -> &[T] {
        &self.0
    }
    fn capacity(&self) -> usize {
        self.0.capacity()
    }
}

/// Makes room in a full vector.
trait Room: 'static {
    fn make<T: Element, A: Allocator>(vector: &mut VecIn<T, &A>) -> Result<(), Failure>;
}

impl<G: Room> Growth for G {
    type Vector<'a, T: Element, A: Allocator + 'a> = Over<'a, T, A, G>;
    type Told = G;
}

/// To a capacity, by the allocator's `grow`.
fn grow_to<T, A: Allocator>(vector: &mut VecIn<T, &A>, capacity: usize) -> Result<(), Failure> {
    let more = capacity.max(FIRST_CAPACITY) - vector.len();
    vector.try_reserve_exact(more).map_err(|_| Failure::OutOfMemory)
}

/// Doubles the capacity, as Rust's vector and GCC's do.
struct Double;

impl Room for Double {
    #[cold]
    #[inline(never)]
    fn make<T: Element, A: Allocator>(vector: &mut VecIn<T, &A>) -> Result<(), Failure> {
        grow_to(vector, 2 * vector.capacity())
    }
}

/// Raises the capacity by half, as Microsoft's vector does.
struct Half;

impl Room for Half {
    #[cold]
    #[inline(never)]
    fn make<T: Element, A: Allocator>(vector: &mut VecIn<T, &A>) -> Result<(), Failure> {
        grow_to(vector, vector.capacity() + vector.capacity() / 2)
    }
}

/// Doubles the capacity, and clones the elements, which stay where they are until they are dropped.
struct Cloned;

impl Room for Cloned {
    #[cold]
    #[inline(never)]
    fn make<T: Element, A: Allocator>(vector: &mut VecIn<T, &A>) -> Result<(), Failure> {
        let mut grown = VecIn::new_in(*vector.allocator());
        grow_to(&mut grown, 2 * vector.capacity())?;
        grown.extend(vector.iter().cloned());
        *vector = grown;
        Ok(())
    }
}

/// The standard library's vector that is never grown: it is cloned into one of twice the capacity. Its
/// `extend` knows how many elements come, which that of vectors over other allocators tests for each.
struct Anew;

impl Growth for Anew {
    type Vector<'a, T: Element, A: Allocator + 'a> = ClonedAnew<T>;
    type Told = Cloned;
}

struct ClonedAnew<T>(Vec<T>);

impl<T: Element> ClonedAnew<T> {
    #[cold]
    #[inline(never)]
    fn grow(&mut self) -> Result<(), Failure> {
        let mut grown = Vec::new();
        let capacity = (2 * self.0.capacity()).max(FIRST_CAPACITY);
        grown.try_reserve_exact(capacity).map_err(|_| Failure::OutOfMemory)?;
        grown.extend(self.0.iter().cloned());
        self.0 = grown;
        Ok(())
    }
}

impl<'a, T: Element, A: Allocator> Vector<'a, T, A> for ClonedAnew<T> {
    #[inline(always)]
    fn empty(_: &'a A) -> Self {
        ClonedAnew(Vec::new())
    }
    #[inline(always)]
    fn push(&mut self, element: T) -> Result<(), Failure> {
        if self.0.len() == self.0.capacity() {
            self.grow()?;
        }
        self.0.push(element);
        Ok(())
    }
    fn elements(&self) -> &[T] {
        &self.0
    }
    fn capacity(&self) -> usize {
        self.0.capacity()
    }
}

/// A row, with the allocator that all its vectors use.
struct Pushing<T, A, G> {
    allocator: A,
    setup: Limited,
    of: PhantomData<(T, G)>,
}

/// What is kept of the setup.
#[derive(Clone, Copy)]
struct Limited {
    n: u32,
    limits: Limits,
}

fn start<A: Managed, G: Growth>(setup: &Setup) -> Result<Box<dyn Bench>, Failure> {
    match setup.workload {
        "class" => start_with::<Class, A, G>(setup),
        _ => start_with::<u32, A, G>(setup),
    }
}

fn start_with<T: Element, A: Managed, G: Growth>(setup: &Setup) -> Result<Box<dyn Bench>, Failure> {
    let setup = Limited { n: setup.n, limits: setup.limits };
    let row = Pushing { allocator: A::new(setup.limits), setup, of: PhantomData::<(T, G)> };
    // Whether there is memory is found out before anything is timed.
    row.counted()?;
    Ok(Box::new(row))
}

impl<T: Element, A: Managed, G: Growth> Pushing<T, A, G> {
    /// What `n` vectors ask of the allocator, each of them on average; that they find memory.
    fn counted(&self) -> Result<Figures, Failure> {
        let Limited { n, limits } = self.setup;
        let counting = <Counting<A>>::new(limits);
        let empty = |_| Over::<T, _, G::Told>::empty(&counting);
        let mut vectors: Vec<_> = (0..n).map(empty).collect();
        push_in_turn(&mut vectors)?;
        let counts = counting.counts();
        let each = |count: u64| count as f64 / f64::from(n);
        let capacity = vectors.iter().map(Vector::capacity).max().unwrap_or(0);
        Ok(vec![
            ("capacity", capacity as f64),
            ("new_blocks", each(counts.allocations + counts.moves)),
            ("expansions", each(counts.expansions)),
        ])
    }
}

impl<T: Element, A: Managed, G: Growth> Bench for Pushing<T, A, G> {
    fn iterate(&mut self, phases: &mut Phases) -> Result<u64, Failure> {
        let Limited { n, limits } = self.setup;
        let mut answer = 0;
        for _ in 0..groups(n) {
            answer += match n {
                1 => alone::<T, A, G>(&self.allocator, phases)?,
                n => in_turn::<T, A, G>(&self.allocator, n, phases)?,
            };
            if limits.zeal {
                self.allocator.validate().map_err(Failure::Broken)?;
            }
        }
        Ok(answer)
    }

    fn figures(&mut self) -> Result<Figures, Failure> {
        let mut figures = self.counted()?;
        let n = self.setup.n;
        // What the system is asked for again and again, since it was given back.
        let before = page_faults();
        self.iterate(&mut Phases::new(STUDY.phases.len()))?;
        let faults = page_faults().zip(before).map(|(after, before)| after - before);
        let per_1000 = |faults| faults as f64 * 1e3 / (STUDY.operations)(n) as f64;
        figures.extend(faults.map(|faults| ("page_faults_per_1000", per_1000(faults))));
        Ok(figures)
    }
}

/// Fills one vector; its pushes are timed. The sum of its elements.
fn alone<T: Element, A: Managed, G: Growth>(
    allocator: &A,
    phases: &mut Phases,
) -> Result<u64, Failure> {
    let mut vector = <G::Vector<'_, T, A>>::empty(allocator);
    phases.time(0, || {
        (0..PUSHES).try_for_each(|i| vector.push(T::new(i as u32)))?;
        black_box(&vector);
        Ok::<_, Failure>(())
    })?;
    Ok(sum(&vector))
}

/// Fills `n` vectors in turn; the pushes are timed. The sum of all elements.
fn in_turn<T: Element, A: Managed, G: Growth>(
    allocator: &A,
    n: u32,
    phases: &mut Phases,
) -> Result<u64, Failure> {
    let mut vectors: Vec<_> = (0..n).map(|_| <G::Vector<'_, T, A>>::empty(allocator)).collect();
    phases.time(0, || {
        push_in_turn(&mut vectors)?;
        black_box(&vectors);
        Ok::<_, Failure>(())
    })?;
    Ok(vectors.iter().map(sum).sum())
}

fn push_in_turn<'a, T: Element, A: 'a, V: Vector<'a, T, A>>(
    vectors: &mut [V],
) -> Result<(), Failure> {
    for i in 0..PUSHES {
        for vector in &mut *vectors {
            vector.push(T::new(i as u32))?;
        }
    }
    Ok(())
}

fn sum<'a, T: Element, A: 'a, V: Vector<'a, T, A>>(vector: &V) -> u64 {
    vector.elements().iter().map(|element| u64::from(element.value())).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: Limits = Limits { limit_bytes: 1 << 30, zeal: true };

    fn row(name: &str) -> &'static Row {
        ROWS.iter().find(|row| row.brief.name == name).unwrap()
    }

    fn figures(name: &str, n: u32) -> [f64; 3] {
        let mut bench = (row(name).start)(&Setup { workload: "class", n, limits: LIMITS }).unwrap();
        let figures = bench.figures().unwrap();
        ["capacity", "new_blocks", "expansions"]
            .map(|name| figures.iter().find(|figure| figure.0 == name).unwrap().1)
    }

    #[test]
    fn every_row_pushes_everything() {
        for (row, workload) in ROWS.iter().zip(["int", "class"].into_iter().cycle()) {
            for n in [1, 3] {
                let setup = Setup { workload, n, limits: LIMITS };
                let mut bench = (row.start)(&setup).unwrap();
                let mut phases = Phases::new(1);
                let answer = bench.iterate(&mut phases).unwrap();
                assert_eq!(answer, (STUDY.answer)(workload, n), "{} {workload}", row.brief.name);
                assert!(phases.ns[0] > 0);
            }
        }
    }

    #[test]
    fn growth_is_counted() {
        // 4, 8, ... 16,384: thirteen blocks, where each growth is a new one.
        for name in ["copy", "clone"] {
            assert_eq!(figures(name, 3), [16_384.0, 13.0, 0.0], "{name}");
        }
        let [capacity, new_blocks, expansions] = figures("expand", 1);
        assert_eq!((capacity, new_blocks + expansions), (16_384.0, 13.0));
        assert!(new_blocks < 3.0, "alone, it expands: {new_blocks} new blocks");
        let [capacity, new_blocks, expansions] = figures("copy-1.5", 1);
        assert!(capacity < 14_000.0 && new_blocks > 15.0 && expansions == 0.0);
    }

    #[test]
    fn what_does_not_fit_is_refused_before_it_is_timed() {
        for row in ROWS {
            let limits = Limits { limit_bytes: 10_000, zeal: false };
            let started = (row.start)(&Setup { workload: "int", n: 2, limits });
            assert_eq!(started.err(), Some(Failure::OutOfMemory), "{}", row.brief.name);
        }
    }
}
