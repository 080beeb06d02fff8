//! Bursts: what a node container gains when it asks for many nodes at once.
//!
//! Source: Ion Gaztañaga, the Boost mailing list, 2014-07-14, on
//! `bench_alloc_stable_vector`: 400 times 10,000 elements are inserted in one
//! range at the end of a container whose every element is a node of its own.

use crate::{Row, Study, Term};

/// Containers filled, erased and destroyed in one iteration.
const CONTAINERS: u64 = 10;

/// The study.
pub const STUDY: Study = Study {
    name: "burst",
    about: "What does a node container gain when its allocator hands out many nodes in one call?",
    program: concat!("burst ", env!("CARGO_PKG_VERSION")),
    size: "elements",
    sizes: &[10_000],
    most_n: 10_000_000,
    workloads: &[
        Term { name: "vector", about: "a stable vector: an array of pointers to nodes" },
        Term { name: "list", about: "a doubly linked list" },
    ],
    phases: &[
        Term { name: "insert", about: "n elements inserted at the end in one range" },
        Term { name: "erase", about: "all n elements erased in one range, the container kept" },
        Term { name: "destroy", about: "a container of n elements destroyed" },
    ],
    baseline: "malloc",
    rows: ROWS,
    operations: |n| CONTAINERS * n as u64,
    answer: |_, n| CONTAINERS * crate::sum_of(n as u64),
};

/// What is compared.
const ROWS: &[Row] = &[];
