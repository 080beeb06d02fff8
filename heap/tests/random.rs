//! Random programs on every backend, against a model without memory management:
//! allocation of several types, sharing, mutation, cycles, dropped roots, and
//! safepoints in between.

mod common;

use common::fuzz::{fuzz, op, runner};
use heap::Backend;
use heap::conformance::{Check, every_backend, settings, zealous};
use proptest::collection::vec;

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

#[derive(Clone, Copy)]
struct Random;

impl Check for Random {
    fn check<B: Backend>(self) {
        let mut variants = settings(&B::INFO);
        variants.extend(zealous(&B::INFO));
        fuzz::<B>(runner(0x9ee4, SCRIPTS), &variants, vec(op(6, 4), 1..MOST_OPS));
    }
}

#[test]
fn random_programs_see_what_the_model_says() {
    every_backend(Random);
}
