//! The allocation studies of the source documents, each written once over what
//! it compares, as n-queens is over its heaps.
//!
//! - [`pointers`]: what a smart pointer's allocation costs
//! - [`burst`]: what a node container gains from many nodes in one call
//! - [`growth`]: what a vector gains from growing in place
//!
//! A [`Study`] has rows, which are measured against each other, workloads that
//! each row is put to, and phases of an iteration that are timed apart.

#![forbid(unsafe_code)]

pub mod burst;
pub mod growth;
pub mod pointers;
mod resident;
mod study;

pub use study::{Bench, Failure, Figures, Phases, Row, Setup, Study, Term, sum_of};

/// The studies.
pub const STUDIES: [&Study; 3] = [&pointers::STUDY, &burst::STUDY, &growth::STUDY];

/// The study of this name.
pub fn find(name: &str) -> Option<&'static Study> {
    STUDIES.into_iter().find(|study| study.name == name)
}
