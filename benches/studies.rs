//! The allocation studies: a group for each study, workload, size and phase, in it each row.
//! Times are per iteration, as the study's own clock tells them; the throughput is per operation.
#![forbid(unsafe_code)]

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use heap::allocators::Limits;
use heap::settings::DEFAULT_LIMIT_BYTES;
use std::time::Duration;
use studies::{Bench, Phases, Setup, Study};

const LIMITS: Limits = Limits { limit_bytes: DEFAULT_LIMIT_BYTES, zeal: false };

/// Measures every row of a study, on each workload at each of its sizes.
fn measure(criterion: &mut Criterion, study: &Study) {
    for workload in study.workloads {
        for &n in study.sizes {
            let right = (study.answer)(workload.name, n);
            for (place, phase) in study.phases.iter().enumerate() {
                let name = [study.name, workload.name, &n.to_string(), phase.name].join("-");
                let mut group = criterion.benchmark_group(name);
                group.throughput(Throughput::Elements((study.operations)(n)));
                for row in study.rows {
                    let setup = Setup { workload: workload.name, n, limits: LIMITS };
                    let mut bench = (row.start)(&setup).expect("memory for the study");
                    group.bench_function(BenchmarkId::from_parameter(row.brief.name), |bencher| {
                        bencher.iter_custom(|iterations| {
                            let times =
                                (0..iterations).map(|_| phase_of(&mut *bench, study, place, right));
                            times.sum()
                        });
                    });
                }
            }
        }
    }
}

/// The time of one phase of an iteration, whose answer is checked.
fn phase_of(bench: &mut dyn Bench, study: &Study, place: usize, right: u64) -> Duration {
    let mut phases = Phases::new(study.phases.len());
    let answer = bench.iterate(&mut phases).expect("memory for the study");
    assert_eq!(answer, right);
    Duration::from_nanos(phases.ns[place])
}

fn pointers(criterion: &mut Criterion) {
    measure(criterion, &studies::pointers::STUDY);
}

fn burst(criterion: &mut Criterion) {
    measure(criterion, &studies::burst::STUDY);
}

fn growth(criterion: &mut Criterion) {
    measure(criterion, &studies::growth::STUDY);
}

criterion_group!(benches, pointers, burst, growth);
criterion_main!(benches);
