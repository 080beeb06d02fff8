//! Random scripts, and how they are run on a heap and compared with the model.

use super::model::{Expected, expect};
use super::script::{Kind, Op, Script};
use heap::{Backend, Heap, Off, On, Settings};
use proptest::prelude::*;
use proptest::test_runner::{Config, FileFailurePersistence, RngSeed, TestRunner};

fn kind() -> impl Strategy<Value = Kind> {
    prop_oneof![Just(Kind::Chain), Just(Kind::Pair), Just(Kind::Wide), Just(Kind::Leaf)]
}

/// An operation; `writes` and `loads` say how often it is one of these.
pub fn op(writes: u32, loads: u32) -> impl Strategy<Value = Op> {
    let byte = any::<u8>;
    prop_oneof![
        8 => (kind(), byte(), any::<u32>(), byte())
            .prop_map(|(kind, to, value, from)| Op::Make { kind, to, value, from }),
        writes => (kind(), byte(), any::<u32>(), byte())
            .prop_map(|(kind, at, value, from)| Op::Set { kind, at, value, from }),
        loads => (kind(), byte(), byte(), byte())
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

/// The same scripts each time, unless the library's variables ask for others.
pub fn runner(seed: u64, cases: u32) -> TestRunner {
    TestRunner::new(Config {
        cases,
        failure_persistence: None::<Box<FileFailurePersistence>>.map(|f| f as _),
        rng_seed: RngSeed::Fixed(seed),
        ..Config::default()
    })
}

/// Runs scripts of these operations on a backend, with each of the settings.
pub fn fuzz<B: Backend>(
    mut runner: TestRunner,
    variants: &[(String, Settings)],
    ops: impl Strategy<Value = Vec<Op>>,
) {
    let result = runner.run(&ops, |mut ops| {
        let expected = expect(&mut ops);
        let script = Script(ops);
        for (name, settings) in variants {
            run::<B>(&format!("{}, {name}", B::INFO.name), settings, &script, &expected);
        }
        Ok(())
    });
    if let Err(error) = result {
        panic!("{}: {error}", B::INFO.name);
    }
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
