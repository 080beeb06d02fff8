//! Pointers: what a smart pointer's allocation costs.
//!
//! Source: the Boost mailing list, "make_shared slower than shared_ptr(new)",
//! 2012, and Boost's ticket 6830. Objects of three sizes with a common base are
//! made in turn, and each is given up when `n` younger ones are alive.

use crate::{Row, Study, Term};

/// Objects made in one iteration.
pub const OBJECTS: u64 = 999_999;

/// The study.
pub const STUDY: Study = Study {
    name: "pointers",
    about: "What does it cost to make an object that a smart pointer owns, and to give it up?",
    program: concat!("pointers ", env!("CARGO_PKG_VERSION")),
    size: "live objects",
    sizes: &[1, 1_000],
    most_n: 1_000_000,
    workloads: &[Term {
        name: "window",
        about: "the oldest of n live objects is given up, a new one made",
    }],
    phases: &[Term { name: "object", about: "an object made, read once, and given up" }],
    baseline: "box",
    rows: ROWS,
    operations: |_| OBJECTS,
    answer: |_, _| crate::sum_of(OBJECTS),
};

/// What is compared.
const ROWS: &[Row] = &[];
