//! Pauses of every backend: the great ones are found, and nothing else is taken
//! for one.

use heap::conformance::{Check, every_backend, tiny};
use heap::pauses::Summary;
use heap::{
    Backend, Chain, Clocked, Frames, Heap, Kind, Link, Mutator, Node, Off, On, Plain, Program,
    Settings, Stats, Visit,
};
use nqueens::Queens;
use std::time::Instant;

/// Cells of a long chain.
const CELLS: u32 = if cfg!(miri) {
    1_000
} else if cfg!(debug_assertions) || cfg!(heap_asan) {
    100_000
} else {
    1_000_000
};
/// Cells built in one step.
const CELLS_PER_STEP: u32 = 1_000;
/// No processor frees a cell in less time, in nanoseconds.
const LEAST_NS_PER_CELL: f64 = 0.2;

/// Builds a chain step by step, without garbage, and gives it up.
struct Grow;

impl Program for Grow {
    type Frame<'gc, M: Mutator<'gc>> = (Plain<u32>, Link<'gc, M, Chain<u32>>);
    type Out = u64;

    fn start<'gc, M: Mutator<'gc>>(
        &self,
        heap: &mut M,
        stack: &mut Frames<'gc, M, Self>,
        _: &mut u64,
    ) {
        stack.push((Plain(0), Link::NONE), heap);
    }

    fn step<'gc, M: Mutator<'gc>>(
        &self,
        heap: &mut M,
        (Plain(built), mut chain): Self::Frame<'gc, M>,
        stack: &mut Frames<'gc, M, Self>,
        sum: &mut u64,
    ) {
        if built == CELLS {
            heap.release_link(chain);
            *sum = u64::from(built);
            return;
        }
        let end = CELLS.min(built + CELLS_PER_STEP);
        for item in built..end {
            chain = Link(Some(heap.alloc::<Chain<u32>>(Node { item, next: chain })));
        }
        stack.push((Plain(end), chain), heap);
    }
}

/// Runs a program in the clocked instance.
fn clocked<B: Backend>(settings: &Settings, program: &impl Program) -> Summary {
    let mut heap = <B::Heap<Clocked>>::new(settings);
    let start = Instant::now();
    assert!(heap.run(program).is_ok());
    let run_ns = start.elapsed().as_nanos() as u64;
    let summary = heap.pauses().expect("a clocked instance").summary(run_ns);
    heap.settle();
    heap.validate().unwrap();
    summary
}

/// What the counted instance says of the same run.
fn counted<B: Backend>(settings: &Settings, program: &impl Program) -> Stats {
    let mut heap = <B::Heap<On>>::new(settings);
    assert!(heap.run(program).is_ok());
    assert!(heap.pauses().is_none());
    heap.stats()
}

/// What holds of any pauses.
fn check_summary(name: &str, summary: &Summary) {
    let what = format!("{name}: {summary:?}");
    let &Summary { count, total_ns, max_ns, run_ns, .. } = summary;
    assert!(max_ns <= total_ns && total_ns <= run_ns, "{what}");
    assert!(total_ns <= count.saturating_mul(max_ns), "{what}");
    let percentiles = [summary.p50_ns, summary.p99_ns, summary.p999_ns, max_ns];
    assert!(percentiles.is_sorted(), "{what}");
    assert!(summary.percentiles.is_sorted_by(|a, b| a.0 < b.0 && a.1 <= b.1), "{what}");
    for &(window_ns, utilisation) in &summary.mmu {
        let window_ns = window_ns.min(run_ns) as f64;
        let at_most = 1.0 - (max_ns as f64).min(window_ns) / window_ns;
        assert!((0.0..=at_most + 1e-9).contains(&utilisation), "{window_ns}, {what}");
        assert!(utilisation + 1e-9 >= 1.0 - total_ns as f64 / window_ns, "{window_ns}, {what}");
    }
}

#[derive(Clone, Copy)]
struct LongChain;

impl Check for LongChain {
    fn check<B: Backend>(self) {
        let name = B::INFO.name;
        let settings = Settings::new(&B::INFO);
        let summary = clocked::<B>(&settings, &Grow);
        check_summary(name, &summary);
        let least_ns = (f64::from(CELLS) * LEAST_NS_PER_CELL) as u64;
        match name {
            // Nothing is freed, or in no time.
            "leak" | "stack" => assert_eq!((summary.count, summary.max_ns), (0, 0), "{name}"),
            // The chain dies at once.
            "malloc" | "region" => assert_eq!(summary.count, 1, "{name}: {summary:?}"),
            _ if B::INFO.kind == Kind::ReferenceCounting => {
                assert_eq!(summary.count, 1, "{name}: {summary:?}");
            }
            // It is collected around while it grows.
            _ => {
                let stats = counted::<B>(&settings, &Grow);
                let collections = stats.collections_minor.max(stats.collections_major);
                assert!(collections > 0 && summary.count >= collections, "{name}: {summary:?}");
            }
        }
        if summary.count == 1 {
            assert!(summary.max_ns >= least_ns, "{name}: {summary:?}");
            assert!(summary.max_ns * 10 >= summary.total_ns * 9, "{name}: {summary:?}");
        }
    }
}

#[test]
fn the_release_of_a_long_chain_is_a_pause() {
    every_backend(LongChain);
}

#[derive(Clone, Copy)]
struct Search;

impl Check for Search {
    fn check<B: Backend>(self) {
        let name = B::INFO.name;
        let n = if cfg!(miri) { 4 } else { 6 };
        for settings in [Settings::new(&B::INFO), tiny(&B::INFO)] {
            let summary = clocked::<B>(&settings, &Queens::<Off>::new(n));
            check_summary(name, &summary);
            let stats = counted::<B>(&settings, &Queens::<On>::new(n));
            let scopes = stats.scopes;
            match name {
                // Each collection, and nothing else.
                "semispace" => assert_eq!(summary.count, stats.collections_major),
                // With it a major one, in one go; and what is swept by and by.
                "gc" => assert!(summary.count >= stats.collections_minor),
                "mark-sweep" => assert!(summary.count >= stats.collections_major),
                // Slices of a collection.
                "gc-arena" => assert!(summary.count >= stats.collections_major),
                // Only scopes with more than a cell in them.
                "malloc" | "region" => assert!((1..scopes).contains(&summary.count), "{name}"),
                "region-sweep" => {
                    assert!((1..scopes + stats.collections_major).contains(&summary.count));
                }
                // Each sweep and, if there was one, what is left to be freed at the end.
                "region-local" => {
                    let sweeps = stats.collections_minor + stats.collections_major;
                    assert!((sweeps..=sweeps + 1).contains(&summary.count), "{name}");
                }
                "leak" | "stack" => assert_eq!(summary.count, 0),
                // Most releases free nothing, or one cell.
                _ => assert!((1..stats.rc_decrements / 4).contains(&summary.count), "{name}"),
            }
        }
    }
}

#[test]
fn pauses_of_a_search_are_those_of_its_collections_and_releases() {
    every_backend(Search);
}

struct Sweeps;

impl Visit for Sweeps {
    type Out = (u64, u64);
    fn visit<B: Backend>(self) -> (u64, u64) {
        let queens = (Queens::<Off>::new(7), Queens::<On>::new(7));
        let settings = tiny(&B::INFO);
        let count = clocked::<B>(&settings, &queens.0).count;
        (count, counted::<B>(&settings, &queens.1).collections_major)
    }
}

#[test]
fn lazy_sweeps_are_pauses_too() {
    let (pauses, collections) = heap::visit("mark-sweep", Sweeps).unwrap();
    assert!(pauses > collections + 10, "{pauses} pauses, {collections} collections");
}
