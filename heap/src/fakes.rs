//! Backends for tests of the harness: what is equal must come out as equal, and
//! what is slower as slower. They are found by name, and listed nowhere.

use crate::backends::fused::Fused;
use crate::heap::{Backend, Heap, Program};
use crate::pauses::Pauses;
use crate::registry::Visit;
use crate::tally::{HeapError, Stats, Tally};
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

impl<H: Heap> Heap for Slowed<H> {
    fn new(settings: &Settings) -> Self {
        Slowed(H::new(settings))
    }
    fn run<P: Program>(&mut self, program: &P) -> Result<P::Out, HeapError> {
        let start = Instant::now();
        let out = self.0.run(program);
        let end_ns = start.elapsed().as_nanos() * 11 / 10;
        while start.elapsed().as_nanos() < end_ns {
            std::hint::spin_loop();
        }
        out
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
    fn validate(&self) -> Result<(), String> {
        self.0.validate()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parts::trial::Grow;
    use crate::{BACKENDS, Off, find};

    #[test]
    fn fakes_are_found_and_not_listed() {
        for fake in FAKES {
            assert_eq!(find(fake.name).map(|info| info.about), Some(fake.about));
            assert!(BACKENDS.iter().all(|info| info.name != fake.name));
        }
        assert!(BACKENDS.iter().all(|info| find(info.name).is_some()));
        assert!(find("fake").is_none() && visit("fake", Time).is_none());
    }

    /// The time of a run, as the heap's caller sees it, and the heap's own.
    struct Time;

    impl Visit for Time {
        type Out = u128;
        fn visit<B: Backend>(self) -> u128 {
            let mut heap = <B::Heap<Off>>::new(&Settings::new(&B::INFO));
            let start = Instant::now();
            let program = Grow { cells: 100_000, each_step: 1_000 };
            assert_eq!(heap.run(&program), Ok(100_000 * 100_001 / 2));
            heap.settle();
            heap.validate().unwrap();
            start.elapsed().as_nanos()
        }
    }

    #[test]
    fn the_slow_one_is_slower() {
        let mut slower = 0;
        for _ in 0..20 {
            let [plain, twin, slow] = ["fake-plain", "fake-twin", "fake-slow"].map(|name| {
                // The least of a few: a busy machine only adds.
                (0..5).filter_map(|_| visit(name, Time)).min().expect("a fake")
            });
            slower += u32::from(slow > plain.max(twin));
        }
        assert!(slower >= 15, "in {slower} of 20");
    }
}
