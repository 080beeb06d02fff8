//! Random programs that write most of the time, so that old objects refer to
//! young ones when a collection comes, at whatever moment. And the proof that
//! these programs are good for something: a write barrier that forgets a single
//! write is found out.

mod common;

use common::fuzz::{fuzz, op, runner};
use common::model::{Seen, expect};
use common::script::{Kind, Op, Script};
use heap::conformance::{Check, every_backend, settings, zealous};
use heap::{Backend, Forgetful, Heap, Off, Settings, Tally, Visit};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use std::marker::PhantomData;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Scripts per backend; each runs with tiny settings, with and without zeal.
const SCRIPTS: u32 = if cfg!(miri) {
    2
} else if cfg!(heap_asan) {
    16
} else if cfg!(debug_assertions) {
    24
} else {
    400
};
/// Scripts in which a forgotten write must be found out at least once.
const SCRIPTS_TO_NOTICE: u32 = 32;

/// Makes an object and hides it behind another one: only what was written to
/// that one, which may be old, leads to the new one.
fn hide() -> impl Strategy<Value = Vec<Op>> {
    let kind = prop_oneof![Just(Kind::Chain), Just(Kind::Pair)];
    (kind, 0..3_u8, 1..3_u8, any::<u32>(), any::<u8>()).prop_map(|(kind, to, next, value, from)| {
        let at = (to + next) % 3;
        vec![
            Op::Make { kind, to, value, from },
            Op::Set { kind, at, value, from: to },
            Op::Drop { kind, at: to },
        ]
    })
}

fn ops() -> impl Strategy<Value = Vec<Op>> {
    let one = op(16, 8).prop_map(|op| vec![op]);
    let groups = vec(prop_oneof![4 => one, 1 => hide()], 20..if cfg!(miri) { 40 } else { 120 });
    groups.prop_map(|groups| groups.concat())
}

#[derive(Clone, Copy)]
struct Mutation;

impl Check for Mutation {
    fn check<B: Backend>(self) {
        let mut variants = settings(&B::INFO);
        variants.retain(|(name, _)| name.starts_with("tiny"));
        variants.extend(zealous(&B::INFO));
        fuzz::<B>(runner(0x5e7, SCRIPTS), &variants, ops());
    }
}

#[test]
fn programs_that_write_see_what_the_model_says() {
    every_backend(Mutation);
}

/// In how many scripts an instance of a backend is found out, by what the
/// program sees or by the walk at a safepoint (which comes before anything
/// reads what the fault made the heap free).
struct FoundOut<T>(PhantomData<T>);

impl<T: Tally> Visit for FoundOut<T> {
    type Out = u32;
    fn visit<B: Backend>(self) -> u32 {
        let mut runner = runner(0xf0e6, SCRIPTS_TO_NOTICE);
        let (_, settings) = zealous(&B::INFO).swap_remove(0);
        let found_out = |mut script: Vec<Op>| {
            let expected = expect(&mut script);
            let run = || runs_right::<B, T>(&settings, &Script(script), &expected.seen);
            // The heap of the run is gone.
            !catch_unwind(AssertUnwindSafe(run)).unwrap_or(false)
        };
        let scripts = (0..SCRIPTS_TO_NOTICE).map(|_| ops().new_tree(&mut runner));
        let scripts = scripts.map(|tree| tree.expect("a script").current());
        scripts.map(found_out).map(u32::from).sum()
    }
}

fn runs_right<B: Backend, T: Tally>(settings: &Settings, script: &Script, seen: &Seen) -> bool {
    let mut heap = <B::Heap<T>>::new(settings);
    heap.run(script).as_ref() == Ok(seen) && heap.validate().is_ok()
}

fn found_out<T: Tally>(backend: &str) -> u32 {
    heap::visit(backend, FoundOut::<T>(PhantomData)).expect("a backend")
}

#[test]
#[cfg_attr(miri, ignore = "takes too long under Miri")]
fn a_barrier_that_forgets_a_write_is_found_out() {
    for backend in ["gc", "region-local"] {
        assert_eq!(found_out::<Off>(backend), 0, "{backend}: nothing is wrong");
        assert_eq!(found_out::<Forgetful<0>>(backend), 0, "{backend}: no write is forgotten");
        let times = [
            found_out::<Forgetful<1>>(backend),
            found_out::<Forgetful<2>>(backend),
            found_out::<Forgetful<4>>(backend),
        ];
        assert!(times.iter().all(|&times| times > 0), "{backend}: found out {times:?} times");
    }
}
