//! What a heap's single operations cost, on every backend of the registry:
//! allocate, share and release, walk, and collect (churn over live cells).
#![forbid(unsafe_code)]

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use heap::{
    BACKENDS, Backend, Chain, Edge, Frames, Heap, Link, Mutator, Node, Off, Plain, Program,
    Settings, Visit, visit,
};
use std::hint::black_box;

/// Operations per step, and cells of the chains they work on.
const CELLS: u32 = 1_000;
/// Cells that stay alive while `Collect` churns.
const LIVE_CELLS: u32 = 10_000;
/// Steps of one run.
const STEPS: u32 = 32;

/// One operation, done to a chain that stays alive.
#[derive(Clone, Copy)]
enum Operation {
    Allocate,
    ShareAndRelease,
    Walk,
    Collect,
}

impl Operation {
    const ALL: [(&str, Operation); 4] = [
        ("allocate", Operation::Allocate),
        ("share_and_release", Operation::ShareAndRelease),
        ("walk", Operation::Walk),
        ("collect", Operation::Collect),
    ];

    fn live_cells(self) -> u32 {
        match self {
            Operation::Collect => LIVE_CELLS,
            _ => CELLS,
        }
    }

    /// The answer of a run: what its steps add up to.
    fn expected(self) -> u64 {
        let sum = |cells: u32| u64::from(cells) * u64::from(cells - 1) / 2;
        u64::from(STEPS)
            * match self {
                Operation::Allocate | Operation::Collect => u64::from(CELLS - 1),
                Operation::ShareAndRelease => u64::from(CELLS),
                Operation::Walk => sum(CELLS),
            }
    }
}

/// A chain of `cells` cells, the last one allocated first.
fn build<'gc, M: Mutator<'gc>>(heap: &mut M, cells: u32) -> M::Ref<Chain<u32>> {
    let mut chain = heap.alloc::<Chain<u32>>(Node { item: 0, next: Link::NONE });
    for item in 1..cells {
        chain = heap.alloc::<Chain<u32>>(Node { item, next: Link(Some(chain)) });
    }
    chain
}

impl Program for Operation {
    type Frame<'gc, M: Mutator<'gc>> = (Plain<u32>, Edge<'gc, M, Chain<u32>>);
    type Out = u64;

    fn start<'gc, M: Mutator<'gc>>(
        &self,
        heap: &mut M,
        stack: &mut Frames<'gc, M, Self>,
        _: &mut u64,
    ) {
        let live = build(heap, self.live_cells());
        stack.push((Plain(STEPS), Edge(live)), heap);
    }

    fn step<'gc, M: Mutator<'gc>>(
        &self,
        heap: &mut M,
        (Plain(left), Edge(live)): Self::Frame<'gc, M>,
        stack: &mut Frames<'gc, M, Self>,
        out: &mut u64,
    ) {
        match self {
            Operation::Allocate | Operation::Collect => {
                let chain = build(heap, CELLS);
                *out += u64::from(heap.get(&chain).item);
                heap.release(chain);
            }
            Operation::ShareAndRelease => {
                for _ in 0..CELLS {
                    let shared = black_box(heap.share(&live));
                    *out += u64::from(heap.same(&live, &shared));
                    heap.release(shared);
                }
            }
            Operation::Walk => {
                *out = heap.fold(Some(&live), *out, |sum, item| sum + u64::from(item));
            }
        }
        if left > 1 {
            stack.push((Plain(left - 1), Edge(live)), heap);
        } else {
            heap.release(live);
        }
    }
}

struct Measure<'c> {
    criterion: &'c mut Criterion,
    name: &'static str,
    operation: Operation,
}

impl Visit for Measure<'_> {
    type Out = ();
    fn visit<B: Backend>(self) {
        let mut heap = <B::Heap<Off>>::new(&Settings::new(&B::INFO));
        let mut group = self.criterion.benchmark_group("heap_ops");
        group.throughput(Throughput::Elements(u64::from(STEPS * CELLS)));
        group.bench_function(BenchmarkId::new(self.name, B::INFO.name), |bencher| {
            bencher.iter(|| {
                let out = heap.run(black_box(&self.operation)).expect("no limit is reached");
                heap.settle();
                assert_eq!(out, self.operation.expected());
            });
        });
    }
}

fn heap_ops(criterion: &mut Criterion) {
    for (name, operation) in Operation::ALL {
        for info in BACKENDS {
            visit(info.name, Measure { criterion, name, operation })
                .expect("a name of the registry");
        }
    }
}

criterion_group!(benches, heap_ops);
criterion_main!(benches);
