//! Answers and work do not depend on the number of threads, on how lists are carried, or on who
//! steals what.

mod common;
#[path = "common/known.rs"]
mod known;

use common::{done_at, heaps, team};
use heap::carry::{Lists, Split};
use heap::conformance::{Check, every_backend};
use heap::{Backend, Immortal, Immortals, Off, On, Settings, Tally};
use known::Known;
use nqueens::Queens;
use threads::Order;

/// Heaps, so that the instances with and without immortal objects are tested alike.
#[derive(Clone, Copy)]
struct Splits {
    threads: usize,
    n: u32,
    seeds: u64,
}

impl Splits {
    fn instance<B: Backend, T: Tally>(self, lists: Lists) {
        let mut settings = Settings::new(&B::INFO);
        settings.immortals = Some(Immortals::new(1 << 20));
        let known = Known::of(self.n);
        let name = B::INFO.name;
        let worked = team(self.threads).work(heaps::<B, T>(&settings), |workers| {
            for depth in 0..=3 {
                for seed in 0..self.seeds {
                    let order = match seed {
                        0 => Order::Depth,
                        1 => Order::Breadth,
                        seed => Order::Random(seed),
                    };
                    let program = Queens::<On>::new(self.n);
                    let before = done_at(workers);
                    let together = workers.split(&program, Split { lists, depth }, order).unwrap();
                    let what = format!("{name}, {lists:?}, depth {depth}, {order:?}");
                    known.is_answer(&together.out, &what);
                    if T::ON {
                        let allocated = done_at(workers).allocated - before.allocated;
                        known.is_work(allocated - together.tasks.objects_copied, &what);
                    }
                    assert_eq!(
                        together.tasks.objects_copied > 0,
                        lists == Lists::Copied && depth > 0,
                        "{what}"
                    );
                    assert_eq!(
                        together.tasks.objects_immortal > 0,
                        lists == Lists::Immortal && depth > 0,
                        "{what}"
                    );
                    assert_eq!(together.tasks.done > 1, depth > 0, "{what}");
                    assert!(
                        settings.immortals.as_ref().unwrap().clear(),
                        "{what}: no task is left"
                    );
                }
            }
            workers.on_each(heap::Heap::settle).unwrap();
            let end = done_at(workers);
            if T::ON && B::INFO.reclaims {
                assert_eq!(end.allocated, end.freed, "{name}, {lists:?}: nothing leaks");
            }
            workers.on_each(|heap| heap::Heap::validate(heap).unwrap()).unwrap();
        });
        worked.unwrap();
    }
}

impl Check for Splits {
    fn check<B: Backend>(self) {
        for lists in Lists::ALL {
            let possible = heap::carry::possible(B::INFO.name, lists).unwrap();
            match lists {
                _ if !possible => {}
                Lists::Immortal => self.instance::<B, Immortal<On>>(lists),
                Lists::Copied | Lists::Counted => self.instance::<B, On>(lists),
            }
        }
    }
}

#[test]
fn any_number_of_threads() {
    for threads in 1..=8 {
        every_backend(Splits { threads, n: 5, seeds: 3 });
    }
}

/// A hundred orders of stealing with each number of threads, those of breadth and depth among
/// them.
#[test]
fn any_order_of_stealing() {
    #[derive(Clone, Copy)]
    struct Some;
    impl Check for Some {
        fn check<B: Backend>(self) {
            // The others share all that this could find with one of these.
            if ["gc", "fused", "arc-value", "arc-split", "region-local"].contains(&B::INFO.name) {
                for threads in 1..=8 {
                    Splits { threads, n: 4, seeds: 100 }.check::<B>();
                }
            }
        }
    }
    every_backend(Some);
}

#[test]
fn every_worker_does_all_of_it() {
    #[derive(Clone, Copy)]
    struct Whole;
    impl Check for Whole {
        fn check<B: Backend>(self) {
            let settings = Settings::new(&B::INFO);
            for threads in 1..=4 {
                let worked = team(threads).work(heaps::<B, Off>(&settings), |workers| {
                    let apart = workers.each(&Queens::<On>::new(6)).unwrap();
                    assert_eq!(apart.outs.len(), threads);
                    assert!(apart.wall_ns > 0);
                    apart.outs.iter().for_each(|out| Known::of(6).is_answer(out, B::INFO.name));
                });
                worked.unwrap();
            }
        }
    }
    every_backend(Whole);
}

/// What was split off is done by others, if they are there and it takes long enough.
#[test]
fn tasks_are_stolen() {
    #[derive(Clone, Copy)]
    struct Stolen;
    impl Check for Stolen {
        fn check<B: Backend>(self) {
            if B::INFO.name != "gc" {
                return;
            }
            let settings = Settings::new(&B::INFO);
            let worked = team(2).work(heaps::<B, Off>(&settings), |workers| {
                let program = Queens::<Off>::new(8);
                let split = Split { lists: Lists::Copied, depth: 2 };
                (0..100).any(|_| {
                    let together = workers.split(&program, split, Order::Depth).unwrap();
                    together.tasks.stolen > 0
                })
            });
            assert!(worked.unwrap(), "a second worker never did a task");
        }
    }
    every_backend(Stolen);
}
