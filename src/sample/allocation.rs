//! A sample of a row of an allocation study: one iteration to warm up, then so many on the clock
//! that the sample lasts long enough; after its peak memory was read, its figures.

use super::checks::Failure;
use super::median_ns;
use crate::config::{WORKLOAD, row};
use crate::counters::perf;
use crate::machine;
use crate::times::Times;
use anyhow::{Context, anyhow};
use heap::allocators::Limits;
use heap::settings::{parse_bytes, show_bytes};
use report::record::params::HEAP_LIMIT;
use report::{Phase, Record, Status};
use std::time::Instant;
use studies::{Bench, Phases, Setup, Study, Term};

/// What is to be done in a sample.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wanted {
    /// How long the warm-up and the timed iterations last together at least, in nanoseconds.
    pub iterations_ns: u64,
    /// Whether the processor's events are counted too.
    pub perf: bool,
    /// Whether callgrind watches: one iteration after the warm-up, and nothing else.
    pub profiled: bool,
}

/// Runs a sample in this process and fills in its record. A failure of the row is part of the record.
///
/// # Errors
///
/// A record that does not fit the studies.
pub(super) fn run(record: &mut Record, name: &str, wanted: Wanted) -> anyhow::Result<()> {
    let study = studies::find(name).with_context(|| format!("no study is called '{name}'"))?;
    let row = row(study, &record.backend);
    let row = row.ok_or_else(|| anyhow!("{name} has no row '{}'", record.backend))?;
    let param = |name: &str| {
        let value = record.params.get(name).map(String::as_str);
        value.with_context(|| format!("the record has no {name}"))
    };
    let workload = param(WORKLOAD)?.to_owned();
    if !study.workloads.iter().any(|term| term.name == workload) {
        return Err(anyhow!("{name} has no workload '{workload}'"));
    }
    let limit = param(HEAP_LIMIT)?;
    let limit_bytes = parse_bytes(limit).with_context(|| format!("'{limit}' is not a size"))?;
    let n = record.n;
    if !(1..=study.most_n).contains(&n) {
        return Err(anyhow!("n = {n} is not from 1 to {}", study.most_n));
    }
    let limits = Limits { limit_bytes, zeal: false };
    let setup = Setup { workload: &workload, n, limits };
    let started = (row.start)(&setup).map_err(|why| failure(why, limit_bytes));
    let done = started.and_then(|bench| {
        let mut sample = Sample { study, setup, bench };
        sample.take(record, wanted)
    });
    if let Err(failure) = done {
        record.status = failure.status;
        record.message = Some(failure.message);
    }
    Ok(())
}

/// A row at work, and what it is put to.
struct Sample<'a> {
    study: &'static Study,
    setup: Setup<'a>,
    bench: Box<dyn Bench>,
}

impl Sample<'_> {
    fn take(&mut self, record: &mut Record, wanted: Wanted) -> Result<(), Failure> {
        let start = Instant::now();
        self.iterate()?;
        if wanted.profiled {
            return self.watched_search();
        }
        let mut times: Vec<Times> = self.study.phases.iter().map(|_| Times::default()).collect();
        loop {
            let phases = self.iterate()?;
            times.iter_mut().zip(&phases.ns).for_each(|(times, &ns)| times.push(ns));
            if start.elapsed().as_nanos() >= u128::from(wanted.iterations_ns) {
                break;
            }
        }
        record.rss_peak_bytes = machine::rss_peak_bytes();
        record.solutions = Some(self.right());
        let operations = (self.study.operations)(self.setup.n);
        let phase = |(term, times): (&Term, Times)| Phase {
            name: term.name.to_owned(),
            operations,
            iterations_ns: times.into_values_ns(),
        };
        let phases: Vec<Phase> = self.study.phases.iter().zip(times).map(phase).collect();
        let iterations = phases.first().map_or(0, |phase| phase.iterations_ns.len());
        let sum = |i: usize| phases.iter().map(|phase| phase.iterations_ns[i]).sum();
        record.iterations_ns = (0..iterations).map(sum).collect();
        record.wall_ns = median_ns(&record.iterations_ns);
        if wanted.perf {
            let (counters, done) = perf::count_of(|| self.watched_search());
            record.counters.push(counters);
            done.unwrap_or(Ok(()))?;
        }
        let figures = self.bench.figures().map_err(|why| self.failure(why))?;
        if let Some(study) = &mut record.study {
            study.phases = phases;
            let figures = figures.into_iter().map(|(name, figure)| (name.to_owned(), figure));
            study.figures = figures.collect();
        }
        Ok(())
    }

    /// One iteration, its answer checked.
    fn iterate(&mut self) -> Result<Phases, Failure> {
        let mut phases = Phases::new(self.study.phases.len());
        let found = self.bench.iterate(&mut phases).map_err(|why| self.failure(why))?;
        let right = self.right();
        if found == right {
            return Ok(phases);
        }
        let message = format!("{found} as the answer instead of {right}");
        Err(Failure { status: Status::WrongAnswer, message })
    }

    /// The iteration whose events are counted. Callgrind finds it by its name
    /// ([`crate::counters::callgrind::SEARCH`]), so it must stay a function of its own.
    #[inline(never)]
    fn watched_search(&mut self) -> Result<(), Failure> {
        self.iterate().map(|_| ())
    }

    fn right(&self) -> u64 {
        (self.study.answer)(self.setup.workload, self.setup.n)
    }

    fn failure(&self, why: studies::Failure) -> Failure {
        failure(why, self.setup.limits.limit_bytes)
    }
}

fn failure(why: studies::Failure, limit_bytes: usize) -> Failure {
    match why {
        studies::Failure::OutOfMemory => {
            let message = format!(
                "out of memory: the limit is {}, or there is no more",
                show_bytes(limit_bytes)
            );
            Failure { status: Status::OutOfMemory, message }
        }
        studies::Failure::Broken(message) => Failure { status: Status::Crashed, message },
    }
}
