//! The search on every backend of the registry, at n = 6, 7 and 8.
#![forbid(unsafe_code)]

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use heap::{BACKENDS, Backend, Heap, Off, Settings, Visit, visit};
use nqueens::{KNOWN_SOLUTIONS, Queens};
use std::hint::black_box;

/// Measures the search for one board on one backend; the heap is kept between
/// runs, and what `settle` does is part of the time.
struct Search<'c> {
    criterion: &'c mut Criterion,
    n: u32,
}

impl Visit for Search<'_> {
    type Out = ();
    fn visit<B: Backend>(self) {
        let mut heap = <B::Heap<Off>>::new(&Settings::new(&B::INFO));
        let queens = Queens::<Off>::new(self.n);
        let known = KNOWN_SOLUTIONS[self.n as usize - 1];
        let id = BenchmarkId::new(B::INFO.name, self.n);
        self.criterion.benchmark_group("queens").bench_function(id, |bencher| {
            bencher.iter(|| {
                let answer = heap.run(black_box(&queens)).expect("no limit is reached");
                heap.settle();
                assert_eq!(answer.solutions, known);
            });
        });
    }
}

fn queens(criterion: &mut Criterion) {
    for n in [6, 7, 8] {
        for info in BACKENDS {
            visit(info.name, Search { criterion, n }).expect("a name of the registry");
        }
    }
}

criterion_group!(benches, queens);
criterion_main!(benches);
