//! Events of one search, such as instructions: simulated by callgrind, or
//! counted by the processor. Both count the same: one search on a warm heap of
//! the timed instance, without start-up, in user mode. What a source does not
//! give is left out with the reason, never estimated.

use heap::{Backend, Heap, HeapError, Off, Settings};
use nqueens::{Answer, Queens};
use report::{CounterSource, Counters};

pub mod callgrind;
pub mod perf;

/// Reads a source.
pub fn source(text: &str) -> Result<CounterSource, String> {
    match text {
        "callgrind" => Ok(CounterSource::Callgrind),
        "perf" => Ok(CounterSource::Perf),
        _ => Err("give callgrind or perf, or both: callgrind,perf".into()),
    }
}

/// The sources of one sample, of those that were asked for. Simulated counts
/// hardly vary and take long: once for each configuration and size is enough.
pub fn of_sample(asked: &[CounterSource], round: u32, control: bool) -> Vec<CounterSource> {
    let often = |source: &CounterSource| *source == CounterSource::Perf;
    let mut sources = asked.to_vec();
    sources.sort_unstable();
    sources.dedup();
    sources.retain(|source| often(source) || (round == 0 && !control));
    sources
}

/// No counts, and why.
fn unavailable(source: CounterSource, why: impl Into<String>) -> Counters {
    Counters { unavailable: Some(why.into()), ..Counters::none(source) }
}

/// A heap that has run the search once, so that it is as in a timed search.
pub struct Warm<H> {
    heap: H,
    queens: Queens<Off>,
}

/// Makes a heap and runs the search to warm it up.
///
/// # Errors
///
/// The search's own.
pub fn warm<B: Backend>(settings: &Settings, n: u32) -> Result<Warm<B::Heap<Off>>, HeapError> {
    let mut heap = <B::Heap<Off>>::new(settings);
    let queens = Queens::<Off>::new(n);
    heap.run(&queens)?;
    heap.settle();
    if !B::INFO.reclaims {
        // As before each timed search.
        drop(heap);
        heap = <B::Heap<Off>>::new(settings);
    }
    Ok(Warm { heap, queens })
}

impl<H: Heap> Warm<H> {
    /// The search whose events are counted. Callgrind finds it by its name
    /// ([`callgrind::SEARCH`]), so it must stay a function of its own.
    ///
    /// # Errors
    ///
    /// The search's own.
    #[inline(never)]
    pub fn watched_search(&mut self) -> Result<Answer, HeapError> {
        self.heap.run(&self.queens)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn callgrind_runs_once_for_each_configuration() {
        use CounterSource::{Callgrind, Perf};
        let asked = [Perf, Callgrind, Perf];
        assert_eq!(of_sample(&asked, 0, false), [Callgrind, Perf]);
        assert_eq!(of_sample(&asked, 0, true), [Perf]);
        assert_eq!(of_sample(&asked, 1, false), [Perf]);
        assert_eq!(of_sample(&[], 0, false), []);
    }
}
