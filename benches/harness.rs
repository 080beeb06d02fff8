//! What the harness costs: the search called directly against the same search
//! in a sample, which must be less than 1 % slower; and a sample's process
//! from start to end, at a board whose search takes no time: under 5 ms.
//!
//! A machine that slows down for a few seconds makes one of the two look slow:
//! below criterion's times stands their ratio, of pairs taken in turn.
#![forbid(unsafe_code)]

use criterion::{Criterion, criterion_group, criterion_main};
use heap::{Backend, Heap, Off, Settings, Visit, visit};
use nqueens::Queens;
use rc_vs_gc::sample::{Task, run};
use report::stats::paired_ratio;
use report::{Record, Status};
use std::hint::black_box;
use std::io::Write;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// A backend on which a search leaves nothing behind that the next one feels.
const BACKEND: &str = "stack";

/// The smallest board of a default study: the harness weighs most there.
const N: u32 = 8;

/// As in a study.
const SEARCH_NS: u64 = 100_000_000;

fn task(n: u32, search_ns: u64) -> Task {
    let record = Record { backend: BACKEND.to_owned(), n, ..Record::new() };
    Task { record, search_ns, ..Task::default() }
}

/// Searches one after the other, with nothing in between and one clock around all.
struct Direct {
    searches: u64,
}

impl Visit for Direct {
    type Out = Duration;
    fn visit<B: Backend>(self) -> Duration {
        let mut heap = <B::Heap<Off>>::new(&Settings::new(&B::INFO));
        let queens = Queens::<Off>::new(N);
        let mut search = || heap.run(black_box(&queens)).expect("no limit is reached");
        black_box(search());
        let start = Instant::now();
        for _ in 0..self.searches {
            black_box(search());
        }
        start.elapsed()
    }
}

/// The times of so many searches, as samples record them.
fn sampled(searches: u64) -> Duration {
    let mut times = Vec::new();
    while times.len() < searches as usize {
        let record = run(task(N, SEARCH_NS)).expect("a backend of the registry");
        assert_eq!((record.status, record.message), (Status::Ok, None));
        times.extend(record.iterations_ns);
    }
    Duration::from_nanos(times[..searches as usize].iter().sum())
}

/// A sample's process, given its task and waited for.
fn process(task: &[u8]) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_rc-vs-gc"))
        .arg("sample")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("this package's program");
    child.stdin.take().expect("a pipe").write_all(task).expect("a reader");
    let output = child.wait_with_output().expect("an end");
    assert!(output.status.success());
}

fn harness(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("harness");
    group.sample_size(20);
    group.bench_function("direct", |bencher| {
        bencher.iter_custom(|searches| visit(BACKEND, Direct { searches }).expect("registered"));
    });
    group.bench_function("sampled", |bencher| bencher.iter_custom(sampled));
    let task = serde_json::to_vec(&task(1, 1)).expect("a task");
    group.bench_function("startup", |bencher| bencher.iter(|| process(&task)));
}

/// Times both in turn, and prints the ratio with its interval.
fn overhead(_: &mut Criterion) {
    let pairs = if std::env::args().any(|argument| argument == "--test") { 1 } else { 40 };
    let searches = 50;
    let times: Vec<(f64, f64)> = (0..pairs)
        .map(|pair| {
            let direct = || visit(BACKEND, Direct { searches }).expect("registered").as_secs_f64();
            let sampled = || sampled(searches).as_secs_f64();
            // Each comes first in every other pair.
            if pair % 2 == 0 {
                let direct = direct();
                (sampled(), direct)
            } else {
                (sampled(), direct())
            }
        })
        .collect();
    let ratio = paired_ratio(&times, 1).expect("at least one pair");
    let [value, low, high] = [ratio.value, ratio.low, ratio.high].map(|r| (r - 1.0) * 100.0);
    println!("harness/overhead        {value:+.2} % ({low:+.2} to {high:+.2}), {pairs} pairs\n");
}

criterion_group!(benches, harness, overhead);
criterion_main!(benches);
