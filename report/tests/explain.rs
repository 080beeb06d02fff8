//! Tables derived from records whose costs are known, so that each number can be checked.

mod common;

use common::sample;
use report::explain::{
    Block, ExplainError, Explanation, Ladder, Verdict, explain, json, markdown, pages, text,
};
use report::{Pauses, Record, Status};

const CELLS: u64 = 1000;

/// Nanoseconds per cell, increments and decrements per cell.
type Made = (&'static str, u64, u64, u64);

const MADE: [Made; 18] = [
    ("leak", 10, 0, 0),
    ("stack", 6, 0, 0),
    ("malloc", 20, 0, 0),
    ("fused", 9, 1, 2),
    ("rc", 23, 1, 2),
    ("rc-value", 28, 6, 7),
    ("rc-split", 40, 6, 7),
    ("arc-split", 50, 6, 7),
    ("arc", 26, 1, 2),
    ("arc-value", 41, 6, 7),
    ("region", 9, 0, 0),
    ("region-sweep", 12, 0, 0),
    ("gc", 8, 0, 0),
    ("region-runs", 7, 0, 0),
    ("mark-region", 11, 0, 0),
    ("region-local", 9, 0, 0),
    ("mark-sweep", 20, 0, 0),
    ("shadow-stack", 32, 0, 0),
];

/// Rounds disturb both sides of a pair alike: what a round adds must vanish.
const ROUNDS_NS: [u64; 7] = [0, 40_000, 7, 900, 123_456, 20, 90_000];

fn record(&(backend, ns_per_cell, increments, decrements): &Made, n: u32, round: usize) -> Record {
    let ns = ns_per_cell * CELLS + ROUNDS_NS[round];
    let mut record = sample(backend, n, round as u32, ns);
    record.cells_allocated = Some(CELLS);
    record.rc_increments = Some(increments * CELLS);
    record.rc_decrements = Some(decrements * CELLS);
    record
}

fn records_of(backends: &[&str]) -> Vec<Record> {
    let made = MADE.iter().filter(|made| backends.is_empty() || backends.contains(&made.0));
    made.flat_map(|made| (0..ROUNDS_NS.len()).map(|round| record(made, 8, round))).collect()
}

fn explained(records: &[Record]) -> Explanation {
    let mut results = explain(records, &[]);
    assert_eq!(results.len(), 1);
    results.pop().unwrap().unwrap()
}

fn costs(ladder: &Ladder) -> Vec<(&str, f64)> {
    let cost = |value: f64| (value * 1e6).round() / 1e6;
    let steps = ladder.steps.iter();
    steps.map(|step| (step.to.backend.as_str(), cost(step.ns_per_cell.value))).collect()
}

#[test]
fn each_step_has_its_known_cost() {
    let explanation = explained(&records_of(&[]));
    assert_eq!((explanation.n, explanation.cells_allocated), (8, CELLS));
    let ladder = &explanation.ladders[0];
    let expected = [
        ("stack", -4.0),
        ("malloc", 14.0),
        ("fused", -11.0),
        ("rc", 14.0),
        ("rc-value", 5.0),
        ("rc-split", 12.0),
        ("arc-split", 10.0),
    ];
    assert_eq!(costs(ladder), expected);
    assert!(ladder.missing.is_empty());
    // Without noise within a round, medians add up.
    assert!((ladder.sum_ns_per_cell() - 40.0).abs() < 1e-6);
    assert!((ladder.whole.unwrap().value - 40.0).abs() < 1e-6);
    // A median of the rungs' own times has the median round's disturbance in it.
    assert!((ladder.total_ns_per_cell - 50.9).abs() < 1e-9);
    let share = ladder.steps[6].share;
    assert!((share.value - 10.0 / 50.9).abs() < 1e-9 && share.samples == 7);
    for step in &ladder.steps {
        assert!((step.ns_per_cell.low - step.ns_per_cell.high).abs() < 1e-6);
        let expected = if step.ns_per_cell.value > 0.0 { Verdict::Costs } else { Verdict::Saves };
        assert_eq!(step.verdict, expected, "{step:?}");
    }
    let several: Vec<_> =
        ladder.steps.iter().filter(|step| step.changes.len() > 1).map(|s| &s.to.backend).collect();
    assert_eq!(several, ["fused", "rc"]);
    let region = &explanation.ladders[1];
    let steps = [("region-sweep", 3.0), ("region-runs", -5.0), ("mark-region", 4.0), ("gc", -3.0)];
    assert_eq!(costs(region), steps);
    assert_eq!(costs(&explanation.ladders[2]), [("shadow-stack", 12.0)]);
    let beside = explanation.beside.steps.iter().find(|step| step.to.backend == "arc-value");
    let atomics = beside.unwrap();
    assert_eq!(atomics.from.backend, "arc");
    assert!((atomics.share.value - 15.0 / 41.9).abs() < 1e-9);
}

#[test]
fn missing_rungs_are_bridged() {
    let mut records = records_of(&["stack", "malloc", "fused", "rc-value", "arc-split"]);
    for record in records.iter_mut().filter(|record| record.backend == "fused") {
        record.status = Status::OutOfMemory;
        record.iterations_ns.clear();
        record.wall_ns = None;
    }
    let explanation = explained(&records);
    let [ladder] = &explanation.ladders[..] else { panic!("{:?}", explanation.ladders) };
    assert_eq!(ladder.start.backend, "stack");
    assert_eq!(ladder.start_is, "the lowest rung that was measured");
    assert_eq!(costs(ladder), [("malloc", 14.0), ("rc-value", 8.0), ("arc-split", 22.0)]);
    let bridge = &ladder.steps[1];
    assert_eq!(bridge.bridges, ["fused", "rc"]);
    // All changes on the way, those of the missing rungs among them.
    assert_eq!(bridge.changes.len(), 5, "{:?}", bridge.changes);
    assert_eq!(bridge.changes.last().unwrap(), "local variables count, also in walks");
    let missing: Vec<_> =
        ladder.missing.iter().map(|gone| (gone.backend.as_str(), gone.why.as_str())).collect();
    assert_eq!(
        missing,
        [
            ("leak", "not measured"),
            ("fused", "out of memory"),
            ("rc", "not measured"),
            ("rc-split", "not measured"),
        ]
    );
    assert!(explanation.beside.steps.is_empty());
    assert_eq!(explanation.beside.not_measured.len(), 13);
    assert_eq!(explanation.operations.len(), 1);
}

/// Of what a heap does not have, no step to it speaks.
#[test]
fn what_a_rung_has_no_more_is_no_change_over_a_gap() {
    let changes = |backends: &[&str]| {
        let explanation = explained(&records_of(backends));
        let [ladder] = &explanation.ladders[..] else { panic!("{:?}", explanation.ladders) };
        let steps = ladder.steps.iter().map(|step| step.changes.join("; "));
        steps.collect::<Vec<_>>()
    };
    // As records of earlier versions have them.
    let old = ["region", "region-sweep", "gc"];
    assert_eq!(
        changes(&old),
        [
            "scopes clear mark bits, sweeps free the cells",
            "a pointer is bumped within a run; marking from the roots in place of scopes; a nursery; \
             survivors are copied",
        ]
    );
    let bits = "marking from the roots in place of scopes; sweeps by whole words of mark bits";
    let one = changes(&["region", "mark-region"]);
    assert_eq!(one, [format!("a pointer is bumped within a run; {bits}")]);
    let all = changes(&["region", "region-sweep", "region-runs", "mark-region", "gc"]);
    let runs = "free lists and allocated list in runs; a pointer is bumped within a run";
    assert_eq!(all[1..], [runs, bits, "a nursery; survivors are copied"]);
}

#[test]
fn memory_that_comes_back_at_once_is_a_change() {
    let changes = |exits: &str| {
        let mut records = records_of(&["region-sweep", "region-runs", "mark-region"]);
        for record in records.iter_mut().filter(|record| record.backend == "region-runs") {
            record.params.insert("exits".into(), exits.into());
        }
        let steps = explained(&records).ladders.remove(0).steps;
        let last = |step: &report::explain::Step| step.changes.last().unwrap().clone();
        steps.iter().map(last).collect::<Vec<_>>()
    };
    let words = "sweeps by whole words of mark bits";
    assert_eq!(changes("coalesce"), ["closed scopes give memory back at once", words]);
    assert_eq!(changes("defer"), ["a pointer is bumped within a run", words]);
}

/// Records whose counts tell how memory becomes free again.
fn swept_records(backends: &[&str]) -> Vec<Record> {
    let mut records = records_of(backends);
    for record in &mut records {
        record.collections_major = Some(27);
        match record.backend.as_str() {
            "region-sweep" => record.cells_swept = Some(912),
            "region-runs" => (record.cells_freed, record.runs_found) = (Some(1000), Some(12)),
            "mark-region" => (record.words_scanned, record.runs_found) = (Some(81), Some(3)),
            "region-local" => record.scopes = Some(500),
            _ => continue,
        }
        // A tenth in the first round, two tenths in the next, and so on: the median is the fourth.
        record.pauses = Some(Pauses {
            sweeps: Some(27),
            sweep_ns: Some(100 * (1 + u64::from(record.round))),
            run_ns: 1000,
            ..Pauses::default()
        });
    }
    records
}

#[test]
fn how_memory_becomes_free_again_is_told_in_counts() {
    let explanation = explained(&swept_records(&[]));
    let told = explanation.swept().unwrap();
    assert_eq!(
        told,
        "How memory becomes free again, in a search that allocates 1,000 cells: region-sweep gave 912 \
         dead cells back one by one, in 27 sweeps; region-runs freed 1,000 cells and gave memory back \
         in 12 runs; mark-region looked at 81 words of mark bits and found 3 runs of free memory; \
         region-local closed 500 scopes, each by moving a boundary back. The part of a search that \
         sweeps take, timed in an instance of its own: region-sweep 40 %, region-runs 40 %, \
         mark-region 40 %, region-local 40 %."
    );
    let blocks = pages(&explanation);
    assert!(blocks.contains(&Block::Text(told)));
    let values: serde_json::Value = serde_json::from_str(&json(&[explanation]).unwrap()).unwrap();
    let runs = &values[0]["sweeping"][1];
    assert_eq!((runs["way"].as_str(), runs["runs_found"].as_u64()), (Some("runs"), Some(12)));
    assert_eq!(runs["sweep_share"].as_f64(), Some(0.4));
}

#[test]
fn what_was_not_measured_is_not_told_of() {
    let told = explained(&swept_records(&["region-sweep", "mark-region", "gc"])).swept().unwrap();
    assert!(told.contains("region-sweep gave") && told.contains("; mark-region looked"), "{told}");
    assert!(!told.contains("region-runs") && !told.contains("region-local"), "{told}");
    // Records of earlier versions, or none of these heaps.
    assert_eq!(explained(&records_of(&["region-sweep", "mark-region"])).swept(), None);
    assert_eq!(explained(&swept_records(&["gc", "rc"])).swept(), None);
    assert!(
        !pages(&explained(&records_of(&[])))
            .iter()
            .any(|block| matches!(block, Block::Heading(title) if title.contains("free again")))
    );
}

#[test]
fn a_store_to_the_shadow_stack_costs_what_it_should() {
    let mut records = records_of(&["mark-sweep", "shadow-stack", "gc"]);
    assert_eq!(explained(&records).store, None, "nothing is known of stores");
    for record in &mut records {
        record.roots_stored = Some(if record.backend == "shadow-stack" { 8 * CELLS } else { 0 });
    }
    let explanation = explained(&records);
    let store = explanation.store.as_ref().unwrap();
    assert_eq!(store.stores_per_cell, 8.0);
    assert!((store.ns_per_store.value - 1.5).abs() < 1e-9, "{store:?}");
    let told = explanation.stored().unwrap();
    assert_eq!(
        told,
        "shadow-stack stores 8.00 references in its shadow stack for each cell. The difference to \
         mark-sweep, +12.0 (+12.0 to +12.0) ns per cell (costs), is 36 % of its time; spread over the \
         stores it is +1.50 (+1.50 to +1.50) ns for each, what comes with a store included."
    );
    assert!(pages(&explanation).contains(&Block::Text(told)));
    // Where the filter branches on one side only, that is said.
    for record in records.iter_mut().filter(|record| record.backend == "mark-sweep") {
        record.params.insert("append".into(), "speculate".into());
    }
    let told = explained(&records).stored().unwrap();
    let also = "the cost is not the stores' alone: the filter branches.";
    assert!(told.ends_with(also), "{told}");
    records.retain(|record| record.backend != "mark-sweep");
    assert_eq!(explained(&records).store, None);
}

#[test]
fn a_ladder_may_end_early() {
    let explanation = explained(&records_of(&["leak", "stack", "gc"]));
    let [ladder] = &explanation.ladders[..] else { panic!("{:?}", explanation.ladders) };
    assert_eq!((costs(ladder), ladder.missing.len()), (vec![("stack", -4.0)], 6));
    assert_eq!(ladder.end().backend, "stack");
    assert!(explanation.answer.contains("cannot be said"), "{}", explanation.answer);
}

#[test]
fn backends_of_other_rounds_are_no_step() {
    let mut records = records_of(&["leak", "stack", "malloc"]);
    for record in records.iter_mut().filter(|record| record.backend == "stack") {
        record.seed += 1;
    }
    let explanation = explained(&records);
    let ladder = &explanation.ladders[0];
    assert_eq!(costs(ladder), [("malloc", 10.0)]);
    assert_eq!(ladder.missing[0].why, "no round in common with its neighbour");
    let bound = explanation.bound.unwrap();
    let unknown: Vec<_> =
        bound.overheads.iter().filter(|row| row.overhead.is_none()).map(|r| &r.label).collect();
    assert_eq!((bound.set_by.as_str(), unknown.len()), ("stack", 2));
}

#[test]
fn a_filter_that_branches_is_a_change() {
    let mut records = records_of(&["stack", "malloc", "region"]);
    let plain = explained(&records);
    let changes = |of: &Explanation| {
        let step = of.ladders[0].steps.iter().find(|step| step.to.backend == "malloc").unwrap();
        step.changes.clone()
    };
    assert_eq!(changes(&plain).len(), 1);
    for record in records.iter_mut().filter(|record| record.backend != "malloc") {
        record.params.insert("append".into(), "speculate".into());
    }
    let speculating = explained(&records);
    assert_eq!(changes(&speculating)[1..], ["the filter branches"]);
    assert_eq!(speculating.beside.steps[0].changes[1..], ["the filter does not branch"]);
}

#[test]
fn below_the_noise_is_no_difference() {
    let mut records = records_of(&["rc", "arc", "arc-split"]);
    // rc against itself differs by up to a third, arc against rc by an eighth.
    let again = records_of(&["rc"]).into_iter().enumerate().map(|(i, mut record)| {
        record.control = true;
        record.iterations_ns = vec![(32 - i as u64) * CELLS + ROUNDS_NS[i]];
        record
    });
    records.extend(again);
    let explanation = explained(&records);
    let noise = explanation.noise.unwrap();
    assert!((0.2..0.4).contains(&noise), "{noise}");
    let step = &explanation.beside.steps[0];
    assert_eq!((step.to.backend.as_str(), step.verdict), ("arc", Verdict::NoDifference));
    assert_eq!(step.ns_per_cell.value.round(), 3.0);
    assert_eq!(explanation.ladders[0].steps[0].verdict, Verdict::Costs);
}

#[test]
fn one_pair_allows_no_verdict_and_no_interval() {
    let records: Vec<Record> =
        records_of(&["leak", "stack"]).into_iter().filter(|record| record.round == 0).collect();
    let explanation = explained(&records);
    let step = &explanation.ladders[0].steps[0];
    assert_eq!((step.verdict, step.ns_per_cell.interval()), (Verdict::TooFew, None));
    let values: serde_json::Value = serde_json::from_str(&json(&[explanation]).unwrap()).unwrap();
    let cost = &values[0]["ladders"][0]["steps"][0]["ns_per_cell"];
    assert_eq!((cost["value"].as_f64(), cost["low"].is_null()), (Some(-4.0), true));
}

#[test]
fn an_operation_costs_what_it_should() {
    let explanation = explained(&records_of(&[]));
    let each = |from: &str, to: &str| {
        let mut all = explanation.operations.iter();
        let found = all.find(|o| o.step.from.backend == from && o.step.to.backend == to).unwrap();
        (found.operations_per_cell, (found.ns_per_operation.value * 1e6).round() / 1e6)
    };
    assert_eq!(each("malloc", "rc"), (3.0, 1.0));
    assert_eq!(each("rc", "rc-value"), (10.0, 0.5));
    assert_eq!(each("arc", "arc-value"), (10.0, 1.5));
    assert_eq!(each("rc-value", "arc-value"), (13.0, 1.0));
    assert_eq!(each("rc", "arc"), (3.0, 1.0));
    assert_eq!(each("malloc", "rc-value"), (13.0, 0.615385));
}

#[test]
fn without_counts_there_is_no_cost_of_a_count() {
    let mut records = records_of(&["malloc", "rc", "arc"]);
    for record in records.iter_mut().filter(|record| record.backend == "rc") {
        record.rc_increments = None;
    }
    for record in records.iter_mut().filter(|record| record.backend == "arc") {
        (record.rc_increments, record.rc_decrements) = (Some(0), Some(0));
    }
    assert_eq!(explained(&records).operations, []);
}

#[test]
fn reclamation_is_taken_out_of_the_bound() {
    let mut records = records_of(&["leak", "gc", "malloc"]);
    for record in &mut records {
        record.iterations_ns.clear();
        record.wall_ns = Some(CELLS * if record.backend == "malloc" { 20 } else { 10 });
        if record.backend == "gc" {
            let clock_ns = 50;
            // In another, slower search: a fifth of it, the clock's time left out.
            let (run_ns, total_ns) = (20_000 + 4 * clock_ns, 4_000 + 4 * clock_ns);
            let pauses = Pauses { count: 4, total_ns, run_ns, clock_ns, ..Pauses::default() };
            record.pauses = Some(pauses);
        }
    }
    let bound = explained(&records).bound.unwrap();
    assert_eq!(bound.set_by, "gc");
    assert!((bound.ns_per_cell - 8.0).abs() < 1e-9);
    let overhead = |label: &str| {
        let row = bound.overheads.iter().find(|row| row.label == label).unwrap();
        (row.reclamation, (row.overhead.unwrap().value * 1e9).round() / 1e9)
    };
    assert_eq!(overhead("gc"), (Some(0.2), 0.25));
    assert_eq!(overhead("leak"), (None, 0.25));
    assert_eq!(overhead("malloc"), (None, 1.5));
}

#[test]
fn the_claim_is_answered_with_numbers() {
    let answer = explained(&records_of(&[])).answer;
    for part in [
        "Of the 50.9 ns per cell that arc-split takes at n = 8, ",
        "14 % is the program itself",
        "28 % (28 to 28) malloc and free (stack -> malloc)",
        "16 % (16 to 16) plain counting (malloc -> rc-value)",
        "24 % (24 to 24) a second block for the count (rc-value -> rc-split)",
        "20 % (20 to 20) atomic instructions (rc-split -> arc-split)",
        "about 80 %, is 59 %",
    ] {
        assert!(answer.contains(part), "{part}: {answer}");
    }
    let without_atomics =
        explained(&records_of(&["stack", "malloc", "rc-value", "rc-split"])).answer;
    assert!(without_atomics.contains("that rc-split takes"), "{without_atomics}");
    assert!(!without_atomics.contains("atomic"), "{without_atomics}");
}

#[test]
fn the_fastest_of_several_configurations_is_the_rung() {
    let mut records = records_of(&["leak", "stack"]);
    let slow = records_of(&["stack"]).into_iter().map(|mut record| {
        record.params.insert("append".into(), "branch".into());
        record.iterations_ns = vec![90 * CELLS];
        record
    });
    records.extend(slow);
    let explanation = explained(&records);
    let step = &explanation.ladders[0].steps[0];
    assert_eq!(explanation.chosen.as_slice(), std::slice::from_ref(&step.to.label));
    assert_eq!(step.ns_per_cell.value.round(), -4.0);
    assert_eq!(explanation.bound.unwrap().overheads.len(), 3);
}

#[test]
fn machines_programs_and_builds_are_apart() {
    let mut records = Vec::new();
    for change in [
        |_: &mut Record| {},
        |record: &mut Record| record.machine.processor = "Another".into(),
        |record: &mut Record| record.machine.id = Some("feed".into()),
        |record: &mut Record| record.program = "nqueens 0.2.0".into(),
        |record: &mut Record| record.machine.debug_build = true,
        |record: &mut Record| record.commit = "4567def".into(),
    ] {
        let mut some = records_of(&["leak", "stack"]);
        some.iter_mut().for_each(change);
        records.extend(some);
    }
    let results = explain(&records, &[]);
    let mut headings: Vec<String> =
        results.into_iter().map(|result| result.unwrap().heading).collect();
    headings.sort();
    headings.dedup();
    assert_eq!(headings.len(), 6, "{headings:?}");
    assert_eq!(headings.iter().filter(|heading| heading.contains("4567def")).count(), 1);
}

#[test]
fn sizes_are_chosen() {
    let mut records = records_of(&["leak", "stack"]);
    records.extend((0..7).map(|round| record(&MADE[0], 9, round)));
    records.extend((0..7).map(|round| record(&MADE[0], 7, round)));
    // The largest with two backends, unless another is asked for.
    assert_eq!(explained(&records).n, 8);
    let asked = explain(&records, &[7, 8, 12]);
    let heading = "nqueens 0.1.0 on A Processor 3000 (rustc 1.95.0)".to_owned();
    let Err(ExplainError::OneBackend { backend, n, .. }) = &asked[0] else {
        panic!("{:?}", asked[0])
    };
    assert_eq!((backend.as_str(), *n), ("leak", 7));
    assert!(asked[1].is_ok());
    let hint = "there are some at n = 7, 8, 9".to_owned();
    assert_eq!(
        asked[2],
        Err(ExplainError::NoTimes { heading: heading.clone(), n: Some(12), hint })
    );
    records.iter_mut().for_each(|record| record.counted = true);
    let [Err(counted)] = &explain(&records, &[])[..] else { panic!() };
    assert!(counted.to_string().starts_with(&format!("{heading}: no timed samples; ")));
    assert!(explain(&[], &[]).is_empty());
}

#[test]
fn different_work_is_not_explained() {
    for change in [
        |record: &mut Record| record.solutions = Some(93),
        |record: &mut Record| record.cells_allocated = Some(CELLS + 1),
    ] {
        let mut records = records_of(&["leak", "stack"]);
        records.iter_mut().filter(|r| r.backend == "stack").for_each(change);
        let [Err(ExplainError::DifferentWork { first, second, .. })] = &explain(&records, &[])[..]
        else {
            panic!()
        };
        assert_eq!((first.as_str(), second.as_str()), ("leak", "stack"));
    }
}

#[test]
fn pages_fit_a_hundred_columns() {
    for records in [common::study(), records_of(&[])] {
        let explanation = explained(&records);
        let blocks = pages(&explanation);
        let text = text(&blocks, 100);
        for line in text.lines() {
            assert!(line.chars().count() <= 100, "{line}");
            assert_eq!(line, line.trim_end());
        }
        let document = markdown(&blocks);
        for block in &blocks {
            let Block::Table { header, rows, .. } = block else { continue };
            assert!(rows.iter().all(|row| row.len() == header.len()));
            for row in rows {
                assert!(text.contains(&row[0]) && document.contains(&row[0]), "{}", row[0]);
            }
        }
    }
}

#[test]
fn narrow_pages_break_no_words() {
    let blocks = pages(&explained(&common::study()));
    let text = text(&blocks, 80);
    for block in &blocks {
        let Block::Table { header, rows, words: 2 } = block else { continue };
        for word in [header].into_iter().chain(rows).flat_map(|row| row[1].split_whitespace()) {
            assert!(text.contains(word), "{word} in {text}");
        }
    }
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    // No row is lost to the sentences between them.
    let rows = blocks.iter().filter_map(|block| match block {
        Block::Table { rows, .. } => Some(rows),
        _ => None,
    });
    for row in rows.flatten() {
        assert!(text.lines().any(|line| line.starts_with(&row[0])), "{} in {text}", row[0]);
    }
}

#[test]
fn names_in_records_cannot_drive_a_terminal() {
    let mut records = records_of(&["leak", "stack"]);
    records.iter_mut().for_each(|record| {
        record.program = "a\u{1b}[31m".into();
        record.machine.processor = "b\u{202e}\n".into();
    });
    let text = text(&pages(&explained(&records)), 100);
    assert!(text.contains("a\u{FFFD}[31m on b\u{FFFD}\u{FFFD}"), "{text}");
    assert!(!text.contains(['\u{1b}', '\u{202e}']));
}

/// Two threads that do two searches in the time of one are no faster memory manager.
#[test]
fn threads_are_not_explained() {
    let plain = records_of(&["leak", "stack"]);
    let mut of_threads = plain.clone();
    for record in &mut of_threads {
        record.params.insert("mode".into(), "split".into());
        record.iterations_ns.iter_mut().for_each(|ns| *ns /= 3);
    }
    let twice = plain.iter().cloned().map(|mut record| {
        record.iterations_ns.iter_mut().for_each(|ns| *ns /= 2);
        Record { threads: 2, ..record }
    });
    let records = [plain.clone(), of_threads.clone(), twice.collect()].concat();
    assert_eq!(explained(&records), explained(&plain));
    for sizes in [&[][..], &[8]] {
        let [Err(why)] = &explain(&of_threads, sizes)[..] else { panic!("{sizes:?}") };
        assert!(why.to_string().contains("all samples are of threads, and"), "{why}");
    }
}
