//! The program on every backend: right answers, and exactly the work of the design.

use heap::conformance::{Check, every_backend, settings, zealous};
use heap::{Backend, Heap, Off, On, Settings};
use nqueens::{Answer, KNOWN_SOLUTIONS, Queens, oracle};

/// Largest board by default; a debug build is an order of magnitude slower.
const MOST_N: u32 = if cfg!(miri) {
    4
} else if cfg!(debug_assertions) || cfg!(heap_asan) {
    8
} else {
    10
};
/// Largest board with small sizes and with each choice.
const MOST_N_VARIED: u32 = if MOST_N < 7 { MOST_N } else { 7 };
/// Largest board when all that is reachable is checked at every step.
const MOST_N_ZEAL: u32 = if MOST_N < 5 { MOST_N } else { 5 };

/// Cells allocated, visited by `filter` and by `length`, for n = 4..=8.
const WORK: [(u32, u64, u64, u64); 5] = [
    (4, 172, 296, 184),
    (5, 922, 1_588, 1_295),
    (6, 5_268, 9_222, 8_980),
    (7, 33_738, 58_661, 68_703),
    (8, 237_936, 412_930, 564_880),
];

/// Runs the timed instance and compares with the oracle.
fn answers<B: Backend>(name: &str, settings: &Settings, boards: std::ops::RangeInclusive<u32>) {
    let mut heap = <B::Heap<Off>>::new(settings);
    for n in boards {
        let answer = heap.run(&Queens::<Off>::new(n)).expect("the limit is far away");
        let what = format!("{}, {name}, n = {n}", B::INFO.name);
        assert_eq!(answer, Answer { solutions: oracle(n), ..Answer::default() }, "{what}");
        assert_eq!(answer.solutions, KNOWN_SOLUTIONS[n as usize - 1], "{what}");
        heap.validate().expect(&what);
        heap.settle();
        heap.validate().expect(&what);
    }
}

/// Runs the counted instance and compares with the design's table.
fn work<B: Backend>(name: &str, settings: &Settings, most_n: u32) {
    for (n, cells_allocated, cells_filtered, cells_length) in WORK {
        if n > most_n {
            break;
        }
        let what = format!("{}, {name}, n = {n}", B::INFO.name);
        let mut heap = <B::Heap<On>>::new(settings);
        let answer = heap.run(&Queens::<On>::new(n)).expect("the limit is far away");
        assert_eq!(answer, Answer { solutions: oracle(n), cells_filtered, cells_length }, "{what}");
        assert_eq!(heap.stats().cells_allocated, cells_allocated, "{what}");
        heap.validate().expect(&what);
        heap.settle();
        heap.validate().expect(&what);
        if B::INFO.reclaims {
            assert_eq!(heap.stats().live_cells, 0, "{what}: cells are left");
        }
    }
}

#[derive(Clone, Copy)]
struct AsConfigured;

impl Check for AsConfigured {
    fn check<B: Backend>(self) {
        answers::<B>("defaults", &Settings::new(&B::INFO), 1..=MOST_N);
        work::<B>("defaults", &Settings::new(&B::INFO), 8.min(MOST_N));
    }
}

#[test]
fn answers_and_work_are_right() {
    every_backend(AsConfigured);
}

#[derive(Clone, Copy)]
struct Varied;

impl Check for Varied {
    fn check<B: Backend>(self) {
        for (name, settings) in settings(&B::INFO) {
            answers::<B>(&name, &settings, 1..=MOST_N_VARIED);
            work::<B>(&name, &settings, MOST_N_VARIED);
        }
    }
}

#[test]
fn no_setting_changes_answers_or_work() {
    every_backend(Varied);
}

#[derive(Clone, Copy)]
struct Zealous;

impl Check for Zealous {
    fn check<B: Backend>(self) {
        for (name, settings) in zealous(&B::INFO) {
            answers::<B>(&name, &settings, 1..=MOST_N_ZEAL);
            work::<B>(&name, &settings, MOST_N_ZEAL);
        }
    }
}

#[test]
fn a_collection_at_every_safepoint_changes_nothing() {
    every_backend(Zealous);
}
