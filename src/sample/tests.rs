//! Samples, run in this process.

use super::*;
use heap::{BACKENDS, Kind};
use report::Status;

#[test]
fn failures_are_told_apart() {
    let info = heap::find("gc").unwrap();
    let mut record = Record { n: 4, ..Record::new() };
    let measure = Measure {
        settings: &Settings::new(info),
        record: &mut record,
        search_ns: 0,
        perf: false,
        profiled: false,
    };
    let mut answer = Answer { solutions: 2, cells_filtered: 296, cells_length: 184 };
    let mut stats = Stats { cells_allocated: 172, ..Stats::default() };
    assert_eq!(measure.check_answer(&answer).and(check_work(4, &answer, &stats)), Ok(()));
    assert_eq!(leaked(info, &stats), Ok(()));
    stats.cells_allocated += 1;
    let failure = check_work(4, &answer, &stats).unwrap_err();
    assert_eq!(failure.status, Status::WrongAnswer);
    assert!(failure.message.starts_with("other work: 173 cells"), "{}", failure.message);
    answer.solutions = 3;
    let failure = measure.check_answer(&answer).unwrap_err();
    assert_eq!(failure.message, "3 solutions instead of 2");
    stats.live_cells = 1;
    let failure = leaked(info, &stats).unwrap_err();
    assert_eq!(failure.status, Status::Leaked);
}

#[test]
fn medians() {
    assert_eq!(fill::median_ns(&[5, 1, 4, 2]), Some(3));
    assert_eq!((fill::median_ns(&[9, 7, 1]), fill::median_ns(&[1, 2])), (Some(7), Some(2)));
    assert_eq!(
        (fill::median_ns(&[]), fill::median_ns(&[u64::MAX, u64::MAX])),
        (None, Some(u64::MAX))
    );
}

#[test]
fn a_sample_lasts_long_enough() {
    let record = Record { backend: "stack".to_owned(), n: 3, ..Record::new() };
    let start = Instant::now();
    let record = run(Task { record, search_ns: 20_000_000, ..Task::default() }).unwrap();
    assert!(start.elapsed().as_millis() >= 20 && record.iterations_ns.len() > 10);
}

#[test]
fn every_backend_fills_its_record() {
    for info in BACKENDS {
        let settings = Settings::new(info);
        let params = settings.values().map(|(k, v)| (k.to_owned(), v.to_owned())).collect();
        let backend = info.name.to_owned();
        let record = Record { backend, params, n: 5, ..Record::new() };
        let record = run(Task { record, search_ns: 1, ..Task::default() }).unwrap();
        assert_eq!((record.status, record.message), (Status::Ok, None), "{}", info.name);
        assert_eq!((record.solutions, record.cells_allocated), (Some(10), Some(922)));
        assert_eq!(record.iterations_ns.len(), 1);
        let pauses = record.pauses.unwrap();
        assert_eq!(pauses.count > 0, pauses.total_ns > 0, "{}", info.name);
        assert!(pauses.total_ns <= pauses.run_ns, "{}", info.name);
        let windows_ns = pauses.mmu.iter().map(|point| point.window_ns);
        assert!(windows_ns.is_sorted_by(|a, b| a < b), "{}", info.name);
        for known in [1_000_000, 10_000_000, 100_000_000] {
            assert!(pauses.mmu.iter().any(|point| point.window_ns == known), "{}", info.name);
        }
        if info.kind == Kind::ReferenceCounting {
            assert!(pauses.count > 50, "{}: the dead chains of 40 cells", info.name);
        }
        let last = record.live_cells.last().unwrap();
        assert!(last.allocated > 900 && last.live <= last.allocated, "{}", info.name);
        let freed = record.cells_freed.unwrap();
        assert!(freed <= 922 && (freed == 922) <= info.reclaims, "{}", info.name);
    }
}
