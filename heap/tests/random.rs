//! Random programs on every backend, against a model without memory management:
//! allocation of several types, sharing, mutation, cycles, dropped roots, and
//! safepoints in between.

mod common;

use common::model::{Expected, expect};
use common::script::{Kind, Op, Script};
use heap::conformance::{Check, every_backend, settings, zealous};
use heap::{Backend, Heap, Off, On, Settings};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::{Config, FileFailurePersistence, RngSeed, TestRunner};

/// Scripts per backend; each runs with every setting, counted and not.
const SCRIPTS: u32 = if cfg!(miri) {
    2
} else if cfg!(heap_asan) {
    16
} else if cfg!(debug_assertions) {
    24
} else {
    400
};
/// Operations of the longest script.
const MOST_OPS: usize = if cfg!(miri) { 40 } else { 150 };

fn kind() -> impl Strategy<Value = Kind> {
    prop_oneof![Just(Kind::Chain), Just(Kind::Pair), Just(Kind::Wide), Just(Kind::Leaf)]
}

fn op() -> impl Strategy<Value = Op> {
    let byte = any::<u8>;
    prop_oneof![
        8 => (kind(), byte(), any::<u32>(), byte())
            .prop_map(|(kind, to, value, from)| Op::Make { kind, to, value, from }),
        6 => (kind(), byte(), any::<u32>(), byte())
            .prop_map(|(kind, at, value, from)| Op::Set { kind, at, value, from }),
        4 => (kind(), byte(), byte(), byte())
            .prop_map(|(kind, at, slot, to)| Op::Load { kind, at, slot, to }),
        2 => (kind(), byte(), byte()).prop_map(|(kind, from, to)| Op::Share { kind, from, to }),
        2 => (kind(), byte()).prop_map(|(kind, at)| Op::Drop { kind, at }),
        3 => (byte(), 0..60_u8).prop_map(|(to, cells)| Op::Build { to, cells }),
        3 => (byte(), byte(), 0..4_u8)
            .prop_map(|(from, to, modulus)| Op::Filter { from, to, modulus }),
        1 => byte().prop_map(|from| Op::Fold { from }),
        1 => (kind(), byte(), byte()).prop_map(|(kind, a, b)| Op::Same { kind, a, b }),
        1 => Just(Op::Look),
        6 => Just(Op::Yield),
        3 => (0..40_u8).prop_map(|ops| Op::Fork { ops }),
    ]
}

/// Runs a script twice on one heap and compares with the model.
fn run<B: Backend>(what: &str, settings: &Settings, script: &Script, expected: &Expected) {
    let mut timed = <B::Heap<Off>>::new(settings);
    let mut counted = <B::Heap<On>>::new(settings);
    for times in 1..=2 {
        assert_eq!(timed.run(script).as_ref(), Ok(&expected.seen), "{what}, not counted");
        timed.validate().expect(what);
        assert_eq!(counted.run(script).as_ref(), Ok(&expected.seen), "{what}");
        counted.validate().expect(what);
        let allocated = u64::from(expected.seen.allocated) * times;
        assert_eq!(counted.stats().cells_allocated, allocated, "{what}: cells allocated");
        timed.settle();
        timed.validate().expect(what);
        counted.settle();
        counted.validate().expect(what);
        if B::INFO.reclaims {
            let left = if B::INFO.cycles { 0 } else { expected.cyclic * times };
            assert_eq!(counted.stats().live_cells, left, "{what}: cells left after run {times}");
        }
    }
}

#[derive(Clone, Copy)]
struct Random;

impl Check for Random {
    fn check<B: Backend>(self) {
        // The same scripts each time, unless the library's variables ask for others.
        let config = Config {
            cases: SCRIPTS,
            failure_persistence: None::<Box<FileFailurePersistence>>.map(|f| f as _),
            rng_seed: RngSeed::Fixed(0x9ee4),
            ..Config::default()
        };
        let mut variants = settings(&B::INFO);
        variants.extend(zealous(&B::INFO));
        let result = TestRunner::new(config).run(&vec(op(), 1..MOST_OPS), |mut ops| {
            let expected = expect(&mut ops);
            let script = Script(ops);
            for (name, settings) in &variants {
                run::<B>(&format!("{}, {name}", B::INFO.name), settings, &script, &expected);
            }
            Ok(())
        });
        if let Err(error) = result {
            panic!("{}: {error}", B::INFO.name);
        }
    }
}

#[test]
fn random_programs_see_what_the_model_says() {
    every_backend(Random);
}
