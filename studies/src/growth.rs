//! Growth: what a vector gains when its block grows in place.
//!
//! Source: Ion Gaztañaga, the Boost mailing list, 2014-07-14, on
//! `bench_alloc_expand_fwd`: 10,000 times 10,000 elements are pushed to the end
//! of an empty vector.

use crate::{Row, Study, Term};

/// Elements pushed to each vector.
pub const PUSHES: u64 = 10_000;

/// Vectors filled in one iteration, at least.
const VECTORS: u64 = 100;

/// The study.
pub const STUDY: Study = Study {
    name: "growth",
    about: "What does a vector gain when its block grows in place?",
    program: concat!("growth ", env!("CARGO_PKG_VERSION")),
    size: "vectors that grow in turn",
    sizes: &[1, 64],
    most_n: 10_000,
    workloads: &[
        Term { name: "int", about: "elements are integers" },
        Term { name: "class", about: "elements are of a class with a copy of its own" },
    ],
    phases: &[Term { name: "push", about: "an element pushed to the end" }],
    baseline: "vec",
    rows: ROWS,
    operations: |n| groups(n) * n as u64 * PUSHES,
    answer: |_, n| groups(n) * n as u64 * crate::sum_of(PUSHES),
};

/// Groups of `n` vectors in one iteration.
const fn groups(n: u32) -> u64 {
    let groups = VECTORS / n as u64;
    if groups == 0 { 1 } else { groups }
}

/// What is compared.
const ROWS: &[Row] = &[];
