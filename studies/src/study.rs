//! What the studies have in common.

use heap::Brief;
use heap::allocators::{AllocError, Limits};
use std::time::Instant;

/// A study: what is compared, on what, and what is timed.
#[derive(Debug)]
pub struct Study {
    /// Name on the command line and in records.
    pub name: &'static str,
    /// What it asks, in one sentence.
    pub about: &'static str,
    /// The program in records, with its version.
    pub program: &'static str,
    /// What `n` counts, for instance `live objects`.
    pub size: &'static str,
    /// The sizes of a default run.
    pub sizes: &'static [u32],
    /// The largest size that may be asked for.
    pub most_n: u32,
    /// What each row is put to.
    pub workloads: &'static [Term],
    /// The parts of an iteration that are timed, in order.
    pub phases: &'static [Term],
    /// Name of the row that the others are compared with.
    pub baseline: &'static str,
    /// What is compared.
    pub rows: &'static [Row],
    /// Operations of each phase in one iteration at a size.
    pub operations: fn(n: u32) -> u64,
    /// The right answer of an iteration of a workload at a size.
    pub answer: fn(workload: &str, n: u32) -> u64,
}

/// A name with what it means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Term {
    /// The name, in records and on the command line.
    pub name: &'static str,
    /// What it means, in a few words.
    pub about: &'static str,
}

/// One of the things that a study compares.
#[derive(Debug)]
pub struct Row {
    /// Name and description.
    pub brief: Brief,
    /// Sets it up for a workload.
    pub start: fn(&Setup) -> Result<Box<dyn Bench>, Failure>,
}

/// What a row is put to.
#[derive(Clone, Copy, Debug)]
pub struct Setup<'a> {
    /// Name of the workload.
    pub workload: &'a str,
    /// The size.
    pub n: u32,
    /// Memory limit, and self-checking.
    pub limits: Limits,
}

/// A row at work.
pub trait Bench {
    /// Does one iteration, adds the time of each phase, and gives its answer.
    ///
    /// # Errors
    ///
    /// What stopped it.
    fn iterate(&mut self, phases: &mut Phases) -> Result<u64, Failure>;

    /// Figures beside the times, each with its name; nothing of it is timed.
    ///
    /// # Errors
    ///
    /// What stopped it.
    fn figures(&mut self) -> Result<Figures, Failure>;
}

/// Figures by name.
pub type Figures = Vec<(&'static str, f64)>;

/// Nanoseconds of each phase of one iteration.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Phases {
    /// In the order of the study's phases.
    pub ns: Vec<u64>,
}

impl Phases {
    /// Of so many phases, each without time yet.
    pub fn new(count: usize) -> Self {
        Self { ns: vec![0; count] }
    }

    /// Times what is done as a part of a phase.
    #[inline(always)]
    pub fn time<T>(&mut self, phase: usize, work: impl FnOnce() -> T) -> T {
        let start = Instant::now();
        let out = work();
        self.ns[phase] += start.elapsed().as_nanos() as u64;
        out
    }
}

/// Why a row could not do its work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// There was no memory, or the limit was reached.
    OutOfMemory,
    /// It found itself broken: what is wrong.
    Broken(String),
}

impl From<AllocError> for Failure {
    fn from(_: AllocError) -> Self {
        Self::OutOfMemory
    }
}

/// 0 + 1 + ... + (count - 1).
pub const fn sum_of(count: u64) -> u64 {
    count * count.saturating_sub(1) / 2
}
