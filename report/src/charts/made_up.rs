//! Records for the tests of figures that show sweeps.

use crate::record::{Record, Status};
use crate::summary::Summary;

/// A sample of a run that is told by its command.
pub(super) fn sample(run: &str, backend: &str, params: &[(&str, &str)], n: u32, ms: u64) -> Record {
    let family = match backend {
        "rc" | "arc" | "fused" => "reference counting",
        "malloc" | "stack" => "manual",
        _ => "tracing",
    };
    let mut record = Record {
        command: run.to_owned(),
        backend: backend.to_owned(),
        family: family.to_owned(),
        params: params.iter().map(|&(name, value)| (name.to_owned(), value.to_owned())).collect(),
        n,
        threads: 1,
        iterations_ns: vec![ms * 1_000_000],
        ..Record::new()
    };
    record.machine.l2_bytes = Some(1 << 20);
    record.capabilities.problem_specific = ["stack", "fused"].contains(&backend);
    record
}

/// The same, out of memory.
pub(super) fn exhausted(run: &str, backend: &str, params: &[(&str, &str)], n: u32) -> Record {
    let status = Status::OutOfMemory;
    Record { status, iterations_ns: Vec::new(), ..sample(run, backend, params, n, 1) }
}

/// A study at one n: a collector and those it is held against.
pub(super) fn study(n: u32) -> Vec<Record> {
    let gc = [("nursery", "256KiB"), ("growth", "2.0"), ("heap-limit", "8GiB")];
    let mut records = vec![sample("study", "gc", &gc, n, 10)];
    let others = [("rc", 40), ("arc", 39), ("malloc", 30), ("stack", 9), ("fused", 20)];
    records
        .extend(others.map(|(name, ms)| sample("study", name, &[("heap-limit", "8GiB")], n, ms)));
    records
}

pub(super) fn summary(parts: &[Vec<Record>]) -> Summary {
    Summary::new(&parts.concat(), None).unwrap()
}
