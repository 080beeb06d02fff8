//! What a report costs: made again from 10,000 records, file and drawings included (at most 2 s); and
//! every interval of a full study, nothing known beforehand (at most 1 s).

#[path = "../tests/common/mod.rs"]
mod common;

use criterion::{Criterion, criterion_group, criterion_main};
use report::{LiveCells, Record, read_records, stats, write_record, write_report};
use std::fs;
use std::hint::black_box;
use std::io::BufWriter;

const RECORDS: usize = 10_000;

/// Records of 96 rounds of 20 backends at 5 sizes, with all that a record may have.
fn records() -> Vec<Record> {
    let mut records = common::with_events(common::study_of(96));
    records.truncate(RECORDS);
    for record in &mut records {
        let curve = (0..200).map(|i| LiveCells { allocated: 1_000 * i, live: 40 + i % 7 });
        record.live_cells = curve.collect();
    }
    records
}

fn rerender(criterion: &mut Criterion) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("records.jsonl");
    let mut file = BufWriter::new(fs::File::create(&path).expect("a new file"));
    for record in &records() {
        write_record(&mut file, record).expect("room for the records");
    }
    file.into_inner().expect("room for the records");
    let bytes = fs::metadata(&path).expect("the file just written").len();
    println!("{RECORDS} records, {:.1} MB", bytes as f64 / 1e6);

    let mut group = criterion.benchmark_group("rerender");
    group.sample_size(10);
    group.bench_function("read", |bench| bench.iter(|| read_records(&path).map(black_box)));
    group.bench_function("read, summarise, draw, write", |bench| {
        bench.iter(|| {
            let records = read_records(&path).expect("records just written");
            write_report(&records, None, folder.path().join("report")).expect("a report")
        });
    });
    group.finish();
}

/// 20 configurations at 3 sizes, each with its median and its ratio, all of 11 to 50 rounds, so that
/// as many numbers of rounds as can be are met for the first time.
fn intervals(criterion: &mut Criterion) {
    let rounds = |row: usize| 11 + row % 40;
    let pairs: Vec<Vec<(f64, f64)>> = (0..20 * 3)
        .map(|row| {
            let time = |i: usize| 1e6 + ((i * 7919 + row * 104_729) % 10_007) as f64;
            (0..rounds(row)).map(|round| (time(2 * round), time(2 * round + 1))).collect()
        })
        .collect();
    // Another seed each time: what is known of an earlier one does not help.
    let mut seed = 0;
    let mut group = criterion.benchmark_group("intervals");
    group.sample_size(10);
    group.bench_function("full study", |bench| {
        bench.iter(|| {
            seed += 1;
            for pairs in &pairs {
                let side: Vec<f64> = pairs.iter().map(|(side, _)| *side).collect();
                black_box(stats::median_interval(&side, seed));
                black_box(stats::paired_ratio(pairs, seed));
            }
        });
    });
    group.finish();
}

criterion_group!(benches, rerender, intervals);
criterion_main!(benches);
