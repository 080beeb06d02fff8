//! Events that the processor counts, by way of Linux's `perf_event_open`.

use super::{unavailable, warm};
use heap::{Backend, HeapError, Settings};
use nqueens::Answer;
use report::{CounterSource, Counters};

/// Counts the events of one search. Its answer is absent where the processor
/// cannot be asked.
///
/// # Errors
///
/// The search's own.
pub fn count<B: Backend>(
    settings: &Settings,
    n: u32,
) -> Result<(Counters, Option<Answer>), HeapError> {
    let mut warm = warm::<B>(settings, n)?;
    let (counters, answer) = count_of(|| warm.watched_search());
    Ok((counters, answer.transpose()?))
}

/// Counts the events of some work, which is not done where the processor cannot be asked.
pub fn count_of<T>(work: impl FnOnce() -> T) -> (Counters, Option<T>) {
    let mut events = match events::Events::open() {
        Ok(events) => events,
        Err(why) => return (unavailable(CounterSource::Perf, why), None),
    };
    let started = events.start();
    let done = work();
    let stopped = events.stop();
    let counters = match started.and(stopped).and_then(|()| events.read()) {
        Ok(counters) => counters,
        Err(why) => unavailable(CounterSource::Perf, why),
    };
    (counters, Some(done))
}

/// Processors whose counters the `perf-event` crate knows, on Linux.
#[cfg(all(
    target_os = "linux",
    any(target_arch = "aarch64", target_arch = "riscv64", target_arch = "x86_64")
))]
mod events;

/// No counters: they are known for Linux only.
#[cfg(not(all(
    target_os = "linux",
    any(target_arch = "aarch64", target_arch = "riscv64", target_arch = "x86_64")
)))]
mod events {
    use report::Counters;

    /// There are none.
    pub enum Events {}

    impl Events {
        pub fn open() -> Result<Self, String> {
            let (os, processor) = (std::env::consts::OS, std::env::consts::ARCH);
            Err(format!("the processor's counters cannot be read here ({os}, {processor})"))
        }

        pub fn start(&mut self) -> Result<(), String> {
            match *self {}
        }

        pub fn stop(&mut self) -> Result<(), String> {
            match *self {}
        }

        pub fn read(&mut self) -> Result<Counters, String> {
            match *self {}
        }
    }
}
