//! Sentences of made-up records whose answer is known.

use super::super::tests::{blocks, runs, sample, twice};
use super::{headline, sentences};
use crate::record::{Parallel, Record, Status};

const THROUGHPUT: (&str, Option<&str>) = ("throughput", None);
const SPLIT: (&str, Option<&str>) = ("split", None);

/// A backend whose threads cost this part of the time each beyond the first, with one, two and eight threads
/// on two cores.
fn of(backend: &str, mode: (&str, Option<&str>), friction: f64) -> Vec<Record> {
    let time = |threads: u32| {
        let searches = if mode == THROUGHPUT { f64::from(threads) } else { 1.0 };
        let busy = f64::from(threads.min(2));
        let cpu = 10.0 * searches * (1.0 + friction * (busy - 1.0));
        (threads, (cpu / busy, cpu))
    };
    runs(backend, mode, &[1, 2, 8].map(time))
}

fn said(records: &[Record]) -> Vec<String> {
    let blocks = blocks(records);
    assert_eq!(blocks.len(), 1);
    sentences(&blocks[0])
}

#[test]
fn throughput_is_told_in_work_and_in_processor_time() {
    let records = [
        twice(of("gc", THROUGHPUT, 0.0)),
        of("malloc", THROUGHPUT, 0.6),
        // As slow as one after the other.
        of("locked", THROUGHPUT, 1.0),
        of("worse", THROUGHPUT, 1.5),
    ];
    let said = said(&records.concat());
    assert_eq!(
        said,
        [
            "With 2 threads on 2 cores at n = 9, gc does 2.00 times the work of one thread (95 %: 2.00); \
             malloc 1.25 times (95 %: 1.25); locked does as much work as one thread in the same time (no \
             difference above the noise floor of 0.5 %); worse does 0.800 times the work of one thread in \
             the same time (95 %: 0.800).",
            "With 8 threads, more than the cores, gc does the most, 2.00 times the work of one (95 %: 2.00), \
             and worse the least, 0.800 times (95 %: 0.800).",
            "The processor time of one search, of all threads together, is longer with 2 threads than with \
             one in 3 of 4: worse 2.50 times as long (95 %: 2.50), locked 2.00 times as long (95 %: 2.00) \
             and malloc 1.60 times as long (95 %: 1.60).",
        ]
    );
}

/// Backends with this friction whose times with eight threads differ by so much from round to round.
fn unsteady(backends: &[(&str, f64)], part: f64) -> Vec<Record> {
    let mut records = Vec::new();
    for (place, &(name, friction)) in (0..).zip(backends) {
        let mut of = of(name, SPLIT, friction);
        for record in of.iter_mut().filter(|record| record.threads == 8) {
            let off = f64::from((record.round + place) % 4) / 3.0;
            let by = 1.0 + part * off;
            record.iterations_ns.iter_mut().for_each(|ns| *ns = (*ns as f64 * by) as u64);
        }
        records.extend(of);
    }
    records
}

#[test]
fn none_does_the_most_where_intervals_overlap() {
    let second = |backends: &[(&str, f64)], part| said(&unsteady(backends, part))[1].clone();
    let close = [("gc", 0.0), ("rc", 0.01), ("arc", 0.02)];
    let told = second(&close, 0.2);
    let start = "With 8 threads, more than the cores, all 3 do 1.6";
    assert!(
        told.starts_with(start) && told.contains(" to 2.00 times the work of one (95 %),"),
        "{told}"
    );
    assert!(told.ends_with(", and none stands out as the most or the least."), "{told}");
    assert!(second(&close[..2], 0.2).contains("more than the cores, both do 1.6"));
    // One is apart from the others, which are not from each other.
    let told = second(&[("gc", 0.0), ("rc", 0.5), ("arc", 0.51)], 0.1);
    let start = "With 8 threads, more than the cores, gc does the most, 1.9";
    assert!(told.starts_with(start) && told.contains("; the others do 1.2"), "{told}");
    assert!(!told.contains("the least") && told.ends_with(" times (95 %)."), "{told}");
    let told = second(&[("gc", 0.0), ("rc", 0.01), ("arc", 0.5)], 0.1);
    let start = "With 8 threads, more than the cores, arc does the least, 1.2";
    assert!(told.starts_with(start) && told.contains("; the others do 1.8"), "{told}");
    assert!(!told.contains("the most"), "{told}");
    // Few rounds have no intervals to lie apart.
    let mut few = unsteady(&[("gc", 0.0), ("arc", 0.5)], 0.0);
    few.retain(|record| record.round == 0);
    let told = said(&few)[1].clone();
    let both = "both do 1.33 to 2.00 times the work of one (few rounds), and none stands out";
    assert!(told.contains(both), "{told}");
}

#[test]
fn in_throughput_mode_no_time_is_told_beside_that_of_one_search() {
    let mut noisy = of("gc", THROUGHPUT, 1.0);
    for record in noisy.iter_mut().filter(|record| record.threads == 2) {
        let by = [9, 11][record.round as usize % 2];
        record.iterations_ns.iter_mut().for_each(|ns| *ns = *ns * by / 10);
    }
    let told = said(&noisy)[0].clone();
    let unclear = "gc does work that is not distinguishable from that of one thread.";
    assert!(told.ends_with(unclear), "{told}");
    let mut few = of("gc", THROUGHPUT, 1.5);
    few.retain(|record| record.round < 3);
    let told = said(&few)[0].clone();
    let range =
        "gc does 0.800 times the work of one thread in the same time (range of 3 rounds: 0.800).";
    assert!(told.ends_with(range), "{told}");
}

#[test]
fn threads_with_a_physical_core_each_are_told_first() {
    let with = |physical: Option<u32>| {
        let mut records = of("gc", SPLIT, 0.0);
        for record in &mut records {
            let parallel = record.parallel.as_mut().unwrap();
            (parallel.cores, parallel.physical_cores) = (8, physical);
        }
        records
    };
    // Two threads of eight have a physical core each; with eight threads each has a part of one.
    let told = said(&with(Some(4)));
    assert!(
        told[0].starts_with("With 2 threads on 4 physical cores at n = 9, gc is 2.00"),
        "{told:?}"
    );
    let shared =
        "With 8 threads, more than the physical cores, gc does 2.00 times the work of one (";
    assert!(told[1].starts_with(shared), "{told:?}");
    assert!(told.last().unwrap().contains("With 2 threads no search takes more"), "{told:?}");
    // Where none has one, the fewest that share them are told to be what they are.
    let told = said(&with(Some(1)));
    assert!(
        told[0].starts_with("With 2 threads on 1 physical core (shared) at n = 9, "),
        "{told:?}"
    );
    // As many as there are cores, or none told, change nothing.
    for physical in [Some(8), None] {
        let told = said(&with(physical));
        assert!(told[0].starts_with("With 8 threads on 8 cores at n = 9, gc is "), "{told:?}");
        assert!(!told.concat().contains("physical"), "{told:?}");
    }
}

#[test]
fn of_many_the_first_and_the_last_are_told() {
    let names: Vec<String> = (0..9).map(|i| format!("backend-{i}")).collect();
    let each = names.iter().enumerate().map(|(i, name)| of(name, SPLIT, 0.05 * i as f64));
    let said = said(&each.collect::<Vec<_>>().concat());
    assert_eq!(
        said[0],
        "With 2 threads on 2 cores at n = 9, backend-0 is 2.00 times as fast as one thread (95 %: 2.00); \
         backend-1 1.90 times (95 %: 1.90); backend-2 1.82 times (95 %: 1.82); 4 lie between these and the \
         last, backend-7 1.48 times (95 %: 1.48) and backend-8 1.43 times (95 %: 1.43)."
    );
    assert!(said[2].ends_with(" and 4 more less so."), "{}", said[2]);
}

#[test]
fn threads_beyond_the_cores_are_never_the_scaling() {
    // With four cores, eight threads are too many, and two the most that have one each.
    let mut records = twice(of("gc", SPLIT, 0.0));
    records.iter_mut().for_each(|record| record.parallel.as_mut().unwrap().cores = 4);
    assert!(said(&records)[0].starts_with("With 2 threads on 4 cores at n = 9, gc is "));
    // Nothing else being there, they are told to be what they are.
    records.retain(|record| record.threads != 2);
    let told = said(&records);
    let start = "With 8 threads on 4 cores (oversubscribed) at n = 9, ";
    assert!(told[0].starts_with(start), "{told:?}");
}

/// What sharing costs `arc` with two threads, beside copies and immortal lists; `gc` has the latter two.
fn shared() -> Vec<Record> {
    let of = |backend: &str, lists: &'static str, friction: f64| {
        let mut records = of(backend, ("shared", Some(lists)), friction);
        records.retain(|record| record.threads < 8);
        for record in &mut records {
            record.rc_increments = (backend == "arc").then_some(2_000_000);
            if lists == "counted" {
                record.rc_increments = Some(2_650_000);
            }
            let parallel = record.parallel.as_mut().unwrap();
            parallel.cells_copied = Some(if lists == "copied" { 45_678 } else { 0 });
        }
        records
    };
    [
        twice(of("gc", "copied", 0.04)),
        twice(of("gc", "immortal", 0.0)),
        of("arc", "copied", 0.0),
        twice(of("arc", "counted", 0.3)),
        of("arc", "immortal", 0.0),
    ]
    .concat()
}

#[test]
fn sharing_through_counts_is_held_against_copies() {
    let told = said(&shared());
    assert_eq!(
        told[0],
        "With 2 threads, sharing lists through counted references in arc takes 1.30 times as long as copying \
         them for each task (95 %: 1.30); it takes 1.30 times as long as immortal lists (95 %: 1.30); with \
         one thread it shows no difference from copying above the noise floor of 0.5 %. In one search of 100 \
         tasks, 2.65 million counts are raised; with copies 2.00 million are, and 45,678 cells are copied."
    );
    let scaling: Vec<&String> = told.iter().filter(|text| text.contains(" and lists ")).collect();
    assert_eq!(scaling.len(), 3, "one for each way: {told:?}");
    let counted = "and lists counted at n = 9, arc is 1.54 times as fast as one thread";
    assert!(scaling[0].contains(counted), "{}", scaling[0]);
    let immortal = told.iter().find(|text| text.contains("in place of copies")).unwrap();
    assert_eq!(
        immortal,
        "With 2 threads and immortal lists in place of copies for each task, 1 of 2 take less time (gc is \
         1.04 times as fast as its copies (95 %: 1.04)) and 1 of 2 show no difference that can be told."
    );
    assert!(told.iter().any(|text| text.contains("arc (counted) 1.30 times as long")), "{told:?}");
}

#[test]
fn names_that_are_cut_are_no_same_configurations() {
    // Alike in more characters than a sentence has room for.
    let of_arena = |arena: &str, lists, friction| {
        let mut records = of("arc", ("shared", Some(lists)), friction);
        let arena = format!("a-library-of-a-name-that-is-longer-than-all-others-{arena}");
        records.iter_mut().for_each(|r| _ = r.params.insert("allocator".into(), arena.clone()));
        records
    };
    let both = |arena, counted| {
        [of_arena(arena, "copied", 0.0), of_arena(arena, "counted", counted)].concat()
    };
    let mut records = [both("a", 0.2), both("b", 0.6)].concat();
    // Copies of the second are slow: beside those of the first it would be told slower.
    for record in records.iter_mut().filter(|record| record.params["allocator"].ends_with('b')) {
        record.iterations_ns.iter_mut().for_each(|ns| *ns *= 3);
    }
    let told = said(&records);
    let ratios: Vec<&str> =
        told[..2].iter().filter_map(|text| text.split(" takes ").nth(1)).collect();
    // What costs most comes first.
    assert!(ratios[0].starts_with("1.60 times as long as copying"), "{told:?}");
    assert!(ratios[1].starts_with("1.20 times as long as copying"), "{told:?}");
}

#[test]
fn without_noise_floor_or_rounds_no_more_is_told_than_is_known() {
    let mut few = of("gc", SPLIT, 0.0);
    few.retain(|record| record.round < 3);
    let told = said(&few);
    assert!(told[0].contains("gc is 2.00 times as fast as one thread (range of 3 rounds: 2.00)."));
    assert!(told.last().unwrap().contains("fewer than 6 rounds"), "{told:?}");
    assert!(!told.iter().any(|text| text.contains("processor time")), "{told:?}");
    few.retain(|record| record.round == 0);
    assert!(said(&few)[0].contains("(one round)"));
}

#[test]
fn what_has_nothing_to_tell_says_so() {
    let alone = runs("gc", SPLIT, &[(1, (10.0, 10.0))]);
    assert_eq!(said(&alone), ["Nothing has a time with more than one thread."]);
    let several = runs("gc", SPLIT, &[(2, (10.0, 10.0)), (4, (10.0, 10.0))]);
    assert_eq!(said(&several), ["Nothing has a time with one thread, so no speed-up is known."]);
    let failed = Record { status: Status::Crashed, ..sample(SPLIT, 2, 0, (1.0, 1.0)) };
    let told = said(&[failed]);
    assert_eq!(
        told,
        ["Nothing has a time in these records.", "Failed: gc (crashed on 2 threads at n = 9)."]
    );
}

#[test]
fn each_machine_speaks_for_itself_and_each_mode_has_its_headline() {
    let mut other = of("gc", SPLIT, 0.5);
    for record in &mut other {
        record.machine.cores = 8;
        record.parallel = Some(Parallel { cores: 8, ..record.parallel.clone().unwrap() });
    }
    let records = [of("gc", SPLIT, 0.0), other, of("gc", THROUGHPUT, 0.0)].concat();
    let blocks = blocks(&records);
    let split = sentences(&blocks[1]);
    assert!(split[0].starts_with("machine 1: With 2 threads on 2 cores at n = 9, gc is 2.00"));
    assert!(split.iter().any(|text| text.starts_with("machine 2: With 8 threads on 8 cores")));
    let headline = headline(&blocks);
    assert_eq!(headline.len(), 2);
    assert!(headline[0].starts_with("Throughput: "), "{headline:?}");
    assert!(headline[1].starts_with("One search, split: machine 1: With 2 threads on 2 cores"));
}
