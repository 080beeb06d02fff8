//! Does being generic cost anything? The same search, hand-written for one
//! cell type and one memory manager, against the generic instance.
//!
//! `cargo bench -p heap --bench handwritten` compares times; instructions are
//! compared by running this program under callgrind, once per benchmark, as
//! `--test NAME` (the README has the command).

mod gc;
mod rc;
mod stack;

use criterion::{Criterion, criterion_group, criterion_main};
use heap::{Backend, Heap, Off, Settings, Visit};
use std::hint::black_box;

/// Runs the generic search on a heap that is kept between runs.
struct Generic<'c> {
    criterion: &'c mut Criterion,
    n: u32,
}

impl Visit for Generic<'_> {
    type Out = ();
    fn visit<B: Backend>(self) {
        let mut heap = <B::Heap<Off>>::new(&Settings::new(&B::INFO));
        let queens = nqueens::Queens::<Off>::new(self.n);
        let known = nqueens::KNOWN_SOLUTIONS[self.n as usize - 1];
        self.criterion.bench_function(&format!("{}/generic", B::INFO.name), |bencher| {
            bencher.iter(|| {
                let answer = heap.run(black_box(&queens)).expect("no limit is reached");
                assert_eq!(answer.solutions, known);
            });
        });
    }
}

fn compare(criterion: &mut Criterion) {
    let n = 8;
    type Search = fn(i32) -> u64;
    let by_hand = [("stack", stack::search as Search), ("rc", rc::search), ("gc", gc::search)];
    for (name, search) in by_hand {
        heap::visit(name, Generic { criterion, n }).expect("a backend of the registry");
        let known = nqueens::KNOWN_SOLUTIONS[n as usize - 1];
        criterion.bench_function(&format!("{name}/handwritten"), |bencher| {
            bencher.iter(|| assert_eq!(search(black_box(n as i32)), known));
        });
    }
}

criterion_group!(benches, compare);
criterion_main!(benches);
