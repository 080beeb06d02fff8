//! Bursts: what a node container gains when it asks for many nodes at once.
//!
//! Source: Ion Gaztañaga, the Boost mailing list, 2014-07-14, on
//! `bench_alloc_stable_vector`: 400 times 10,000 elements are inserted in one
//! range at the end of a container whose every element is a node of its own.
//!
//! The original's iterations all go to one container, which grows to 4,000,000
//! elements; here each container is a new one of `n`, and the allocator lives as
//! long as the row, so that memory stays warm from one to the next. What is not timed: filling the
//! container that is erased, the sum of the elements, and the trial before the
//! first iteration, over an allocator that counts, which finds out whether the
//! limit allows the workload.

mod footprint;

use crate::{Bench, Failure, Figures, Phases, Row, Setup, Study, Term};
use heap::Brief;
use heap::allocators::boundary_tag::BoundaryTag;
use heap::allocators::counting::Counting;
use heap::allocators::dlmalloc::Dlmalloc;
#[cfg(feature = "all-allocators")]
use heap::allocators::jemalloc::Jemalloc;
use heap::allocators::mimalloc::Mimalloc;
use heap::allocators::one_by_one::OneByOne;
use heap::allocators::pool::Pool;
use heap::allocators::region::Region;
#[cfg(feature = "all-allocators")]
use heap::allocators::snmalloc::Snmalloc;
use heap::allocators::system::System;
use heap::allocators::{Limits, Managed, Nodes};
use heap::nodes::{Container, List, StableVector};
use std::hint::black_box;
use std::marker::PhantomData;

/// Containers filled and destroyed, and filled and erased, in one iteration.
const CONTAINERS: u32 = 10;

/// The study.
pub const STUDY: Study = Study {
    name: "burst",
    about: "What does a node container gain when its allocator hands out many nodes in one call?",
    program: concat!("burst ", env!("CARGO_PKG_VERSION")),
    size: "elements",
    sizes: &[10_000],
    most_n: 10_000_000,
    workloads: &[
        Term { name: "vector", about: "a stable vector: an array of pointers to nodes" },
        Term { name: "list", about: "a doubly linked list" },
    ],
    phases: &[
        Term { name: "insert", about: "n elements inserted at the end in one range" },
        Term { name: "erase", about: "all n elements erased in one range, the container kept" },
        Term { name: "destroy", about: "a container of n elements destroyed" },
    ],
    baseline: "malloc",
    rows: ROWS,
    operations: |n| CONTAINERS as u64 * n as u64,
    answer: |_, n| n as u64 * crate::sum_of(CONTAINERS as u64),
};

const INSERT: usize = 0;
const ERASE: usize = 1;
const DESTROY: usize = 2;

/// What is compared.
const ROWS: &[Row] = &[
    row::<System>(),
    row::<BoundaryTag>(),
    each::<BoundaryTag>("burst-each", "burst, asked for each node and given each back alone"),
    row::<Pool>(),
    each::<Pool>("pool-each", "pool, asked for each node and given each back alone"),
    row::<Region>(),
    row::<Dlmalloc>(),
    row::<Mimalloc>(),
    #[cfg(feature = "all-allocators")]
    row::<Jemalloc>(),
    #[cfg(feature = "all-allocators")]
    row::<Snmalloc>(),
];

const fn row<A: Managed>() -> Row {
    Row { brief: A::BRIEF, start: start::<A> }
}

/// An allocator without its bursts: what is left of the difference is the allocator's.
const fn each<A: Managed>(name: &'static str, about: &'static str) -> Row {
    Row { brief: Brief { name, about, ..A::BRIEF }, start: start::<OneByOne<A>> }
}

fn start<A: Managed>(setup: &Setup) -> Result<Box<dyn Bench>, Failure> {
    match setup.workload {
        "vector" => start_with::<Vectors, A>(setup),
        "list" => start_with::<Lists, A>(setup),
        other => Err(Failure::Broken(format!("`{other}` is no workload of bursts"))),
    }
}

fn start_with<S: Shape, A: Managed>(setup: &Setup) -> Result<Box<dyn Bench>, Failure> {
    let trial: Burst<S, Counting<A>> = Burst::new(setup);
    trial.round(0, &mut Phases::new(STUDY.phases.len()))?;
    drop(trial);
    Ok(Box::new(Burst::<S, A>::new(setup)))
}

/// A kind of container.
trait Shape: 'static {
    /// The container, over an allocator.
    type Of<A: Nodes>: Container<Element, A>;
}

struct Vectors;

impl Shape for Vectors {
    type Of<A: Nodes> = StableVector<Element, A>;
}

struct Lists;

impl Shape for Lists {
    type Of<A: Nodes> = List<Element, A>;
}

/// As `MyInt` of the original, a class with a copy of its own.
struct Element(u32);

impl Clone for Element {
    #[inline]
    fn clone(&self) -> Self {
        Element(self.0)
    }
}

/// A row at work: containers of a shape over an allocator.
struct Burst<S, A> {
    allocator: A,
    n: usize,
    limits: Limits,
    shape: PhantomData<S>,
}

impl<S: Shape, A: Managed> Burst<S, A> {
    fn new(setup: &Setup) -> Self {
        let Setup { n, limits, .. } = *setup;
        Burst { allocator: A::new(limits), n: n as usize, limits, shape: PhantomData }
    }

    /// Fills and destroys a container, fills and erases another; the sum of the first one's elements.
    fn round(&self, value: u32, phases: &mut Phases) -> Result<u64, Failure> {
        let element = || black_box(Element(value));
        let mut destroyed = S::Of::<&A>::new_in(&self.allocator);
        phases.time(INSERT, || destroyed.insert_range(self.n, element()))?;
        self.check(&destroyed)?;
        let sum = destroyed.iter().map(|element| element.0 as u64).sum();
        phases.time(DESTROY, || drop(destroyed));

        let mut erased = S::Of::<&A>::new_in(&self.allocator);
        self.check(&erased)?;
        erased.insert_range(self.n, element())?;
        black_box(&mut erased);
        phases.time(ERASE, || erased.erase_all());
        self.check(&erased)?;
        if !erased.is_empty() {
            return Err(Failure::Broken(format!("{} elements were not erased", erased.len())));
        }
        Ok(sum)
    }

    /// Under zeal, has the allocator and the container check themselves.
    fn check<'a>(&'a self, container: &S::Of<&'a A>) -> Result<(), Failure> {
        if !self.limits.zeal {
            return Ok(());
        }
        self.allocator.validate().and_then(|()| container.validate()).map_err(Failure::Broken)
    }
}

impl<S: Shape, A: Managed> Bench for Burst<S, A> {
    fn iterate(&mut self, phases: &mut Phases) -> Result<u64, Failure> {
        (0..CONTAINERS).map(|value| self.round(value, phases)).sum()
    }

    fn figures(&mut self) -> Result<Figures, Failure> {
        footprint::of::<A>(self.n, self.limits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    const LIMITS: Limits = Limits { limit_bytes: 1 << 30, zeal: false };

    /// Puts each row to each workload.
    fn each(n: u32, limits: Limits, test: impl Fn(&str, Result<Box<dyn Bench>, Failure>, Setup)) {
        for row in ROWS {
            for workload in STUDY.workloads {
                let setup = Setup { workload: workload.name, n, limits };
                let what = format!("{} {} {n}", row.brief.name, workload.name);
                test(&what, (row.start)(&setup), setup);
            }
        }
    }

    #[test]
    fn every_row_gives_the_right_answer_and_times_every_phase() {
        for n in [1, 7, 1_000] {
            each(n, LIMITS, |what, bench, setup| {
                let mut bench = bench.unwrap();
                for _ in 0..2 {
                    let mut phases = Phases::new(STUDY.phases.len());
                    let answer = bench.iterate(&mut phases);
                    assert_eq!(answer, Ok((STUDY.answer)(setup.workload, n)), "{what}");
                    assert!(phases.ns.iter().all(|&ns| ns > 0), "{what}: {phases:?}");
                }
            });
        }
    }

    #[test]
    fn a_row_that_checks_itself_finds_nothing() {
        each(500, Limits { zeal: true, ..LIMITS }, |what, bench, setup| {
            let answer = bench.unwrap().iterate(&mut Phases::new(STUDY.phases.len()));
            assert_eq!(answer, Ok((STUDY.answer)(setup.workload, 500)), "{what}");
        });
    }

    #[test]
    fn too_little_memory_is_a_failure() {
        each(1_000, Limits { limit_bytes: 1_000 * 16, zeal: false }, |what, bench, _| {
            assert_eq!(bench.err(), Some(Failure::OutOfMemory), "{what}");
        });
    }

    /// Once for each allocator: what one look leaves at hand, another does not see. So only what
    /// keeps no books is asked what the process has for it.
    #[test]
    #[cfg_attr(heap_asan, ignore = "the sanitizer's own memory is resident, too")]
    fn figures_are_those_of_lists_of_small_nodes() {
        let _alone = crate::resident::ALONE.lock();
        for row in ROWS {
            let name = row.brief.name;
            let bench = (row.start)(&Setup { workload: "list", n: 1_000, limits: LIMITS });
            let figures: BTreeMap<_, _> = bench.unwrap().figures().unwrap().into_iter().collect();
            assert_eq!(figures["node_bytes"], 24.0);
            for (figure, value) in &figures {
                assert!((0.0..=100.0).contains(value), "{name}: {figure} is {value}");
            }
            let resident = figures.get("resident_bytes_per_node");
            assert_eq!(resident.is_some(), cfg!(target_os = "linux"), "{name}");
            let bytes = figures.get("held_bytes_per_node").or(resident);
            assert!(bytes.is_none_or(|&bytes| bytes > 22.0), "{name}: {bytes:?} for a node");
        }
    }

    #[test]
    fn after_work_of_the_same_size_only_books_are_told() {
        let _alone = crate::resident::ALONE.lock();
        let names = |figures: Figures| -> Vec<&str> { figures.iter().map(|it| it.0).collect() };
        let of_pool = names(footprint::of::<Pool>(300_000, LIMITS).unwrap());
        assert!(!of_pool.contains(&"resident_bytes_per_node"), "{of_pool:?}");
        assert!(of_pool.contains(&"held_bytes_per_node"), "{of_pool:?}");
        assert_eq!(names(footprint::of::<System>(300_000, LIMITS).unwrap()), ["node_bytes"]);
    }

    #[test]
    fn a_limit_that_is_enough_for_the_work_alone_is_no_failure() {
        let limits = Limits { limit_bytes: 1 << 20, zeal: false };
        let figures = footprint::of::<System>(1, limits).unwrap();
        assert_eq!(figures, [("node_bytes", 24.0)]);
    }

    #[test]
    fn a_workload_that_is_not_ours_is_a_failure() {
        let setup = Setup { workload: "tree", n: 1, limits: LIMITS };
        assert!(matches!((ROWS[0].start)(&setup).err(), Some(Failure::Broken(_))));
    }
}
