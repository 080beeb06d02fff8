//! A worker that fails ends the run: with an error, without waiting for ever, and without leaving
//! threads or references behind.

mod common;

use common::{done_at, heaps, team};
use heap::carry::{Lists, Split};
use heap::conformance::{Check, every_backend};
use heap::{
    Backend, Chain, Edge, Frames, Heap, HeapError, Link, Mutator, Node, Off, On, Program, Settings,
};
use std::ops::AddAssign;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Once};
use std::time::{Duration, Instant};
use threads::{Failure, Order, Team};

/// Counts down a list, twice at each element; panics when it has made so many steps.
#[derive(Clone)]
struct Fork {
    depth: u32,
    steps_left: Arc<AtomicU32>,
}

impl Program for Fork {
    type Frame<'gc, M: Mutator<'gc>> = Edge<'gc, M, Chain<u32>>;
    type Out = u64;

    fn start<'gc, M: Mutator<'gc>>(
        &self,
        heap: &mut M,
        stack: &mut Frames<'gc, M, Self>,
        _: &mut u64,
    ) {
        let mut list = Link::NONE;
        for item in 0..self.depth {
            list = Link(Some(heap.alloc::<Chain<u32>>(Node { item, next: list })));
        }
        if let Some(list) = list.0 {
            stack.push(Edge(list), heap);
        }
    }

    fn step<'gc, M: Mutator<'gc>>(
        &self,
        heap: &mut M,
        Edge(list): Edge<'gc, M, Chain<u32>>,
        stack: &mut Frames<'gc, M, Self>,
        out: &mut u64,
    ) {
        if self.steps_left.fetch_sub(1, Ordering::Relaxed) == 0 {
            self.steps_left.store(0, Ordering::Relaxed);
            heap.release(list);
            panic!("out of steps");
        }
        *out += 1;
        let rest = heap.load(&list, |node| &node.next);
        heap.release(list);
        if let Some(rest) = rest.0 {
            stack.push(Edge(heap.share(&rest)), heap);
            stack.push(Edge(rest), heap);
        }
    }
}

/// Panics of workers are expected here, and many: they are not printed.
fn quiet_workers() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let print = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            let worker = std::thread::current().name().is_some_and(|n| n.starts_with("worker "));
            if !worker {
                print(panic);
            }
        }));
    });
}

fn threads_of_process() -> usize {
    std::fs::read_dir("/proc/self/task").map_or(1, Iterator::count)
}

fn ways(name: &str) -> impl Iterator<Item = Lists> + '_ {
    [Lists::Copied, Lists::Counted]
        .into_iter()
        .filter(|&l| heap::carry::possible(name, l) == Some(true))
}

#[test]
fn a_panic_ends_the_run() {
    #[derive(Clone, Copy)]
    struct Panics;
    impl Check for Panics {
        fn check<B: Backend>(self) {
            let settings = Settings::new(&B::INFO);
            for lists in ways(B::INFO.name) {
                let worked = team(3).work(heaps::<B, Off>(&settings), |workers| {
                    let split = Split { lists, depth: 6 };
                    for steps in [0, 5, 60] {
                        let program =
                            Fork { depth: 8, steps_left: Arc::new(AtomicU32::new(steps)) };
                        let failed = workers.split(&program, split, Order::Depth);
                        let failure = failed.unwrap_err();
                        assert_eq!(failure, Failure::Panic("out of steps".into()));
                    }
                    // The heaps are as good as new.
                    let program = Fork { depth: 8, steps_left: Arc::new(AtomicU32::new(u32::MAX)) };
                    let done = workers.split(&program, split, Order::Depth).unwrap();
                    assert_eq!(done.out, 255, "{lists:?}");
                    let all = Fork { depth: 8, steps_left: Arc::new(AtomicU32::new(600)) };
                    let failure = workers.each(&all).unwrap_err();
                    assert_eq!(failure, Failure::Panic("out of steps".into()));
                });
                worked.unwrap();
            }
        }
    }
    quiet_workers();
    every_backend(Panics);
}

#[test]
fn a_full_heap_ends_the_run() {
    #[derive(Clone, Copy)]
    struct Full;
    impl Check for Full {
        fn check<B: Backend>(self) {
            let mut settings = Settings::new(&B::INFO);
            settings.limit_bytes = 400 << 10;
            for lists in ways(B::INFO.name) {
                let worked = team(2).work(heaps::<B, Off>(&settings), |workers| {
                    // More than the limit in one list.
                    let program =
                        Fork { depth: 100_000, steps_left: Arc::new(AtomicU32::new(u32::MAX)) };
                    let split = Split { lists, depth: 3 };
                    let failed = workers.split(&program, split, Order::Depth);
                    let Failure::Heap(error) = failed.unwrap_err() else { panic!("no such error") };
                    let HeapError::OutOfMemory { limit_bytes, .. } = error;
                    assert_eq!(limit_bytes, settings.limit_bytes);
                    let failed = workers.each(&Fork {
                        depth: 100_000,
                        steps_left: Arc::new(AtomicU32::new(u32::MAX)),
                    });
                    assert!(matches!(failed, Err(Failure::Heap(_))));
                });
                worked.unwrap();
            }
        }
    }
    every_backend(Full);
}

#[test]
fn no_thread_outlives_its_team() {
    #[derive(Clone, Copy)]
    struct Leaves;
    impl Check for Leaves {
        fn check<B: Backend>(self) {
            if B::INFO.name != "gc" {
                return;
            }
            let settings = Settings::new(&B::INFO);
            let named = || {
                let tasks = std::fs::read_dir("/proc/self/task").into_iter().flatten().flatten();
                let names =
                    tasks.filter_map(|t| std::fs::read_to_string(t.path().join("comm")).ok());
                names.filter(|name| name.starts_with("counted by this")).count()
            };
            let name = |_| {
                // Named by what only this test does.
                let _ = std::fs::write("/proc/thread-self/comm", "counted by this");
            };
            let team = Team { threads: 5, begin: &name };
            let inside = team.work(heaps::<B, Off>(&settings), |workers| {
                let program = Fork { depth: 8, steps_left: Arc::new(AtomicU32::new(3)) };
                let split = Split { lists: Lists::Copied, depth: 4 };
                workers.split(&program, split, Order::Depth).unwrap_err();
                (named(), threads_of_process())
            });
            let (inside, all) = inside.unwrap();
            assert!(all > 5);
            if cfg!(target_os = "linux") {
                assert_eq!(inside, 5);
            }
            // The system may still be ending them.
            let start = Instant::now();
            while named() > 0 && start.elapsed() < Duration::from_secs(10) {
                std::thread::yield_now();
            }
            assert_eq!(named(), 0);
        }
    }
    quiet_workers();
    every_backend(Leaves);
}

#[test]
fn a_heap_that_cannot_be_made_is_a_failure() {
    quiet_workers();
    #[derive(Clone, Copy)]
    struct Makes;
    impl Check for Makes {
        fn check<B: Backend>(self) {
            if B::INFO.name != "rc" {
                return;
            }
            let made = AtomicU32::new(0);
            let worked = team(4).work(
                || -> B::Heap<Off> {
                    assert!(made.fetch_add(1, Ordering::Relaxed) != 2, "no third heap");
                    B::Heap::<Off>::new(&Settings::new(&B::INFO))
                },
                |_| unreachable!("no work without heaps"),
            );
            assert_eq!(worked.unwrap_err(), Failure::Panic("no third heap".into()));
        }
    }
    every_backend(Makes);
}

/// A thread that cannot begin is no thread that is waited for.
#[test]
fn a_thread_that_cannot_begin_is_a_failure() {
    quiet_workers();
    #[derive(Clone, Copy)]
    struct Begins;
    impl Check for Begins {
        fn check<B: Backend>(self) {
            if B::INFO.name != "rc" {
                return;
            }
            let begin = |worker: usize| assert!(worker != 1, "no second thread");
            let team = Team { threads: 3, begin: &begin };
            let settings = Settings::new(&B::INFO);
            let worked = team.work(heaps::<B, Off>(&settings), |_| unreachable!("no whole team"));
            assert_eq!(worked.unwrap_err(), Failure::Panic("no second thread".into()));
        }
    }
    every_backend(Begins);
}

/// A result that cannot be added up, after a number of tasks.
#[derive(Clone, Debug, Default)]
struct Fragile(u64);

impl AddAssign for Fragile {
    fn add_assign(&mut self, other: Self) {
        self.0 += other.0;
        assert!(self.0 < 20, "it broke");
    }
}

/// As `Fork`, with such a result.
#[derive(Clone)]
struct Breaks(Fork);

impl Program for Breaks {
    type Frame<'gc, M: Mutator<'gc>> = <Fork as Program>::Frame<'gc, M>;
    type Out = Fragile;

    fn start<'gc, M: Mutator<'gc>>(
        &self,
        heap: &mut M,
        stack: &mut Frames<'gc, M, Self>,
        out: &mut Fragile,
    ) {
        self.0.start(heap, stack, &mut out.0);
    }

    fn step<'gc, M: Mutator<'gc>>(
        &self,
        heap: &mut M,
        frame: Self::Frame<'gc, M>,
        stack: &mut Frames<'gc, M, Self>,
        out: &mut Fragile,
    ) {
        self.0.step(heap, frame, stack, &mut out.0);
    }
}

#[test]
fn a_result_that_panics_ends_the_run() {
    quiet_workers();
    #[derive(Clone, Copy)]
    struct Adds;
    impl Check for Adds {
        fn check<B: Backend>(self) {
            let settings = Settings::new(&B::INFO);
            for lists in ways(B::INFO.name) {
                let worked = team(3).work(heaps::<B, On>(&settings), |workers| {
                    let steps_left = Arc::new(AtomicU32::new(u32::MAX));
                    let program = Breaks(Fork { depth: 8, steps_left });
                    let split = Split { lists, depth: 8 };
                    let failure = workers.split(&program, split, Order::Depth).unwrap_err();
                    assert_eq!(failure, Failure::Panic("it broke".into()));
                    workers.on_each(Heap::settle).unwrap();
                    done_at(workers)
                });
                // The tasks of the one that broke were given up like all others.
                let done = worked.unwrap();
                assert!(done.allocated >= 8, "{}", B::INFO.name);
                if B::INFO.reclaims {
                    assert_eq!(done.allocated, done.freed, "{}, {lists:?}", B::INFO.name);
                }
            }
        }
    }
    every_backend(Adds);
}
