//! Backends for tests of the harness: what is equal must come out as equal, and
//! what is slower as slower. They are found by name, and listed nowhere. And an
//! instance of any backend for tests of its tests: a write barrier that fails.

use crate::backends::fused::Fused;
use crate::heap::{Backend, Heap, Program};
use crate::immortals::Immortals;
use crate::parts::pointer::Pointer;
use crate::pauses::Pauses;
use crate::registry::Visit;
use crate::sealed::Sealed;
use crate::tally::{Event, HeapError, Stats, Tally};
use crate::{Info, Settings};
use std::time::Instant;

/// Their descriptions.
pub const FAKES: &[Info] = &[Plain::INFO, Twin::INFO, Slow::INFO];

/// Does `visitor` with the fake of this name; `None` if there is none.
pub fn visit<V: Visit>(name: &str, visitor: V) -> Option<V::Out> {
    if name == Plain::INFO.name {
        Some(visitor.visit::<Plain>())
    } else if name == Twin::INFO.name {
        Some(visitor.visit::<Twin>())
    } else if name == Slow::INFO.name {
        Some(visitor.visit::<Slow>())
    } else {
        None
    }
}

/// The heap of `fused`.
struct Plain;

impl Backend for Plain {
    const INFO: Info = Info { name: "fake-plain", about: "fused, for tests", ..Fused::INFO };
    type Heap<T: Tally> = <Fused as Backend>::Heap<T>;
}

/// The same.
struct Twin;

impl Backend for Twin {
    const INFO: Info = Info { name: "fake-twin", about: "fused again, for tests", ..Fused::INFO };
    type Heap<T: Tally> = <Fused as Backend>::Heap<T>;
}

/// The same, a tenth slower.
struct Slow;

impl Backend for Slow {
    const INFO: Info =
        Info { name: "fake-slow", about: "fused and a tenth slower, for tests", ..Fused::INFO };
    type Heap<T: Tally> = Slowed<<Fused as Backend>::Heap<T>>;
}

/// A heap whose runs take a tenth longer.
struct Slowed<H>(H);

impl<H> Sealed for Slowed<H> {}
impl<H: Heap> Heap for Slowed<H> {
    const CARRIES: bool = H::CARRIES;
    fn new(settings: &Settings) -> Self {
        Slowed(H::new(settings))
    }
    fn run<P: Program>(&mut self, program: &P) -> Result<P::Out, HeapError> {
        a_tenth_slower(|| self.0.run(program))
    }
    fn settle(&mut self) {
        self.0.settle();
    }
    fn stats(&self) -> Stats {
        self.0.stats()
    }
    fn pauses(&mut self) -> Option<&mut Pauses> {
        self.0.pauses()
    }
    fn immortals(&self) -> Option<&Immortals> {
        self.0.immortals()
    }
    fn validate(&self) -> Result<(), String> {
        self.0.validate()
    }
}

/// Does some work, and then nothing for a tenth of its time.
fn a_tenth_slower<O>(work: impl FnOnce() -> O) -> O {
    let start = Instant::now();
    let out = work();
    let end_ns = start.elapsed().as_nanos() * 11 / 10;
    while start.elapsed().as_nanos() < end_ns {
        std::hint::spin_loop();
    }
    out
}

/// An instance that counts nothing, and whose write barrier forgets one write
/// to an old object: the `NTH`, counted from one.
#[derive(Default)]
pub struct Forgetful<const NTH: u64> {
    writes: u64,
}

impl<const NTH: u64> Sealed for Forgetful<NTH> {}
impl<const NTH: u64> Tally for Forgetful<NTH> {
    const ON: bool = false;
    type Since = ();
    type Sweep = ();
    type Mark = ();
    type Pointer<P: Pointer> = P;
    fn add(&mut self, _: Event, _: u64) {}
    fn get(&self, _: Event) -> u64 {
        0
    }
    fn stop(&mut self) {}
    fn resume(&mut self, (): ()) {}
    fn released(&mut self, (): ()) {}
    fn sweep_starts(&self) {}
    fn sweep_ends(&mut self, (): ()) {}
    fn forgets_write(&mut self) -> bool {
        self.writes += 1;
        self.writes == NTH
    }
    fn mark(&self) {}
    fn rewind(&mut self, (): ()) {}
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parts::trial::Grow;
    use crate::{BACKENDS, Off, find};
    use std::time::Duration;

    #[test]
    fn fakes_are_found_and_not_listed() {
        for fake in FAKES {
            assert_eq!(find(fake.name).map(|info| info.about), Some(fake.about));
            assert!(BACKENDS.iter().all(|info| info.name != fake.name));
        }
        assert!(BACKENDS.iter().all(|info| find(info.name).is_some()));
        assert!(find("fake").is_none() && visit("fake", Grown).is_none());
        assert!(FAKES.iter().all(|fake| visit(fake.name, Grown) == Some(500_500)));
    }

    /// What a program finds.
    struct Grown;

    impl Visit for Grown {
        type Out = u64;
        fn visit<B: Backend>(self) -> u64 {
            let mut heap = <B::Heap<Off>>::new(&Settings::new(&B::INFO));
            let sum = heap.run(&Grow { cells: 1_000, each_step: 10 }).unwrap();
            heap.settle();
            heap.validate().unwrap();
            assert_eq!(heap.stats().live_cells, 0);
            sum
        }
    }

    #[test]
    fn slow_work_takes_a_tenth_longer() {
        let ratio = || {
            let start = Instant::now();
            let work = a_tenth_slower(|| {
                std::thread::sleep(Duration::from_millis(10));
                start.elapsed()
            });
            let ratio = start.elapsed().as_secs_f64() / work.as_secs_f64();
            assert!(ratio >= 1.0999, "{ratio}");
            ratio
        };
        // A busy machine may add to any one of them.
        let least = (0..10).map(|_| ratio()).fold(f64::INFINITY, f64::min);
        assert!(least < 1.15, "{least}");
    }
}
