//! What is said below the tables of threads.

use crate::common::threads::{Setting, TWO_CORES, only, shared, split, throughput};
use report::studies::Both;
use report::{Parallel, Pauses, Record, table};

/// Of `gc` alone, the notes in one line each.
fn notes(records: Vec<Record>, change: impl Fn(u32, &mut Record, &mut Parallel)) -> Vec<String> {
    let mut records = only(records, &["gc"]);
    for record in &mut records {
        let mut parallel = record.parallel.take().unwrap();
        change(record.threads, record, &mut parallel);
        record.parallel = Some(parallel);
    }
    let both = Both::new(&records, None).unwrap();
    let text = table::threads_table(&both.threads, 1_000);
    let is_note = |line: &&str| line.starts_with("time/gc: ") || line.starts_with("ratio: ");
    text.lines().skip_while(|line| !is_note(line)).map(str::to_owned).collect()
}

fn has(notes: &[String], note: &str) -> bool {
    notes.iter().any(|told| told == note)
}

#[test]
fn pauses_of_threads_that_take_turns_contain_those_turns() {
    let note = "* their pauses contain the time in which the system ran other threads";
    let paused = |_, record: &mut Record, _: &mut Parallel| {
        record.pauses =
            Some(Pauses { count: 3, max_ns: 1_000, run_ns: 10_000, ..Pauses::default() });
    };
    assert!(has(&notes(split(TWO_CORES), paused), note));
    assert!(!has(&notes(split(TWO_CORES), |_, _, _| ()), note), "there are no pauses");
    let enough = Setting { threads: &[1, 2], ..TWO_CORES };
    assert!(!has(&notes(split(enough), paused), note), "nothing takes turns");
}

#[test]
fn what_heap_peaks_and_processor_times_are_is_told() {
    let heap =
        "heap peak: that of the heaps; what waits in tasks, copies on their way, is not in it";
    let cpu = "CPU time: that of the process from when the threads are woken to when all are done, so it \
               includes waking them";
    let tasks = format!("{cpu} and looking for tasks");
    let of = |records: Vec<Record>| notes(records, |_, _, _| ());
    let told = of(throughput(TWO_CORES));
    assert!(has(&told, cpu) && !told.iter().any(|note| note.starts_with("heap peak:")), "{told:?}");
    let told = of(split(TWO_CORES));
    assert!(has(&told, &tasks) && has(&told, heap), "{told:?}");
    let told = of(shared(TWO_CORES));
    assert!(has(&told, &format!("{heap}, but immortal lists are")), "{told:?}");
    let told = notes(split(TWO_CORES), |_, record, _| record.heap_peak_bytes = None);
    assert!(!has(&told, heap), "{told:?}");
}

#[test]
fn threads_are_told_to_be_kept_on_cores_only_where_they_were() {
    let pinned = |of: fn(u32) -> Option<bool>| {
        notes(split(TWO_CORES), move |threads, _, parallel| parallel.pinned = of(threads))
    };
    let kept = "each thread was kept on one core";
    let some = format!("{kept}, where there was one for each; the system placed the others");
    assert!(has(&pinned(|threads| (threads <= 2).then_some(true)), &some));
    // As records were written before there was a third answer, and as if they did not tell it.
    assert!(has(&pinned(|threads| Some(threads <= 2)), &some));
    assert!(has(&pinned(|_| None), &some));
    assert!(has(&pinned(|_| Some(true)), kept));
    let refused = "the system refused to keep threads on cores, and placed them itself";
    assert!(has(&pinned(|threads| (threads <= 2).then_some(false)), refused));
    let once = format!("with 2 threads the system refused to keep them on cores; else {kept}");
    assert!(has(&pinned(|threads| (threads <= 2).then_some(threads < 2)), &once));
    let never = Setting { threads: &[4, 8], ..TWO_CORES };
    let placed = notes(split(never), |_, _, parallel| parallel.pinned = None);
    assert!(has(&placed, "threads were not kept on cores: the system placed them"), "{placed:?}");
}

#[test]
fn threads_that_share_physical_cores_are_told() {
    let four = Setting { cores: 4, ..TWO_CORES };
    let physical =
        |of: Option<u32>| notes(split(four), move |_, _, parallel| parallel.physical_cores = of);
    let told = physical(Some(2));
    assert!(has(&told, "threads beyond 2 share physical cores"), "{told:?}");
    let cores = "* oversubscribed: more threads than the 4 cores, so they take turns";
    assert!(has(&told, cores), "{told:?}");
    for none in [Some(4), None] {
        assert!(!physical(none).iter().any(|note| note.contains("physical")), "{none:?}");
    }
}

#[test]
fn processor_times_have_a_noise_floor_of_their_own() {
    let told = notes(split(TWO_CORES), |_, record, parallel| {
        // The second entries take 2 % more processor time, as steadily as can be.
        let by = if record.control { 102 } else { 100 };
        parallel.cpu_ns = vec![by * 1_000_000; record.iterations_ns.len()];
    });
    let floor = told.iter().find(|note| note.starts_with("Noise floor at n = 9: ")).unwrap();
    let cpu =
        "; of CPU time 2.0 % with 1 thread, 2.0 % with 2, 2.0 % with 4, 2.0 % with 8 (gc against";
    assert!(floor.contains(cpu), "{floor}");
}
