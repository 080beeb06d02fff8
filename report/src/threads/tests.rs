//! Made-up records of threads, small enough to reckon by hand.

use super::*;
use crate::record::{Parallel, Status};
use crate::studies::Both;
use crate::summary::SummaryError;
use crate::verdict::Verdict;

/// A sample of `gc` in a mode: milliseconds of wall time, and of processor time.
pub(super) fn sample(
    (mode, lists): (&str, Option<&str>),
    threads: u32,
    round: u32,
    (wall_ms, cpu_ms): (f64, f64),
) -> Record {
    let ns = |ms: f64| (ms * 1e6) as u64;
    let mut record = Record {
        command: format!("rc-vs-gc --mode {mode}"),
        backend: "gc".into(),
        family: "tracing".into(),
        n: 9,
        threads,
        round,
        iterations_ns: vec![ns(wall_ms); 3],
        cells_allocated: Some(1_000_000),
        parallel: Some(Parallel {
            cpu_ns: vec![ns(cpu_ms); 3],
            cores: 2,
            pinned: (threads <= 2).then_some(true),
            tasks: (mode != "throughput").then_some(100),
            ..Parallel::default()
        }),
        ..Record::new()
    };
    record.machine.cores = 2;
    record.params.insert(MODE.into(), mode.into());
    if mode != "throughput" {
        record.params.insert("split-depth".into(), "2".into());
    }
    record.params.extend(lists.map(|lists| ("lists".to_owned(), lists.to_owned())));
    record
}

/// A backend with each number of threads over eight rounds, of which each is a little slower than the last:
/// wall and processor time in milliseconds.
pub(super) fn runs(
    backend: &str,
    mode: (&str, Option<&str>),
    times: &[(u32, (f64, f64))],
) -> Vec<Record> {
    let mut records = Vec::new();
    for round in 0..8 {
        let by = 1.0 + f64::from(round) / 100.0;
        for &(threads, (wall, cpu)) in times {
            let record = sample(mode, threads, round, (wall * by, cpu * by));
            records.push(Record { backend: backend.into(), ..record });
        }
    }
    records
}

/// The same entered twice, the second time differing by half a per cent up and down, in wall time and in
/// processor time.
pub(super) fn twice(records: Vec<Record>) -> Vec<Record> {
    twice_within(records, (0.005, 0.005))
}

/// The same by other parts of the wall time and of the processor time.
fn twice_within(records: Vec<Record>, (wall, cpu): (f64, f64)) -> Vec<Record> {
    let again = |record: &Record| {
        let sign = if record.round.is_multiple_of(2) { 1.0 } else { -1.0 };
        let by = |times: &[u64], part: f64| {
            times.iter().map(|&ns| (ns as f64 * (1.0 + sign * part)) as u64).collect()
        };
        let iterations_ns = by(&record.iterations_ns, wall);
        let parallel = record.parallel.clone();
        let parallel = parallel.map(|it| Parallel { cpu_ns: by(&it.cpu_ns, cpu), ..it });
        Record { control: true, iterations_ns, parallel, ..record.clone() }
    };
    let controls: Vec<Record> = records.iter().map(again).collect();
    [records, controls].concat()
}

pub(super) fn blocks(records: &[Record]) -> Vec<Block> {
    Both::new(records, None).unwrap().threads
}

const THROUGHPUT: (&str, Option<&str>) = ("throughput", None);
const SPLIT: (&str, Option<&str>) = ("split", None);

/// `gc` with two threads does twice the work, with four no more, and takes a tenth more processor time.
fn of_gc(mode: (&str, Option<&str>)) -> Vec<Record> {
    let searches = |threads: f64| if mode == THROUGHPUT { threads } else { 1.0 };
    let time = |threads: u32, wall: f64, cpu: f64| {
        let searches = searches(f64::from(threads));
        (threads, (wall * searches, cpu * searches))
    };
    twice(runs("gc", mode, &[time(1, 10.0, 10.0), time(2, 5.0, 10.0), time(4, 5.5, 11.0)]))
}

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() < 1e-6
}

#[test]
fn speed_up_and_processor_time_are_of_one_search() {
    for mode in [THROUGHPUT, SPLIT] {
        let blocks = blocks(&of_gc(mode));
        let lines = blocks[0].lines();
        let [line] = &lines[..] else { panic!("{}", lines.len()) };
        let told = line.spots.iter().map(|spot| {
            let [speed_up, efficiency] =
                [line.speed_up(spot), line.efficiency(spot)].map(Option::unwrap);
            let cpu = spot.cpu_ns(&blocks[0]).unwrap().value / 1e6;
            let growth = line.cpu_growth(spot).unwrap();
            (spot.threads(), [speed_up.value, efficiency.value, cpu, growth.value])
        });
        // The processor time is the median of eight rounds, 3.5 % above the first.
        let wanted = [
            (1, [1.0, 1.0, 10.35, 1.0]),
            (2, [2.0, 1.0, 10.35, 1.0]),
            (4, [10.0 / 5.5, 10.0 / 22.0, 11.385, 1.1]),
        ];
        for ((threads, told), (wanted_threads, wanted)) in told.zip(wanted) {
            assert_eq!(threads, wanted_threads);
            assert!(
                told.iter().zip(wanted).all(|(a, b)| close(*a, b)),
                "{mode:?} {threads}: {told:?}"
            );
        }
        let verdicts: Vec<_> = line.spots.iter().map(|spot| line.verdict(spot)).collect();
        assert_eq!(verdicts[0], None);
        assert!(matches!(verdicts[1], Some(Verdict::Faster { .. })), "{verdicts:?}");
        assert!(matches!(line.cpu_verdict(&line.spots[1]), Some(Verdict::NoDifference { .. })));
        assert!(matches!(line.cpu_verdict(&line.spots[2]), Some(Verdict::Slower { .. })));
        let oversubscribed: Vec<bool> = line.spots.iter().map(Spot::oversubscribed).collect();
        assert_eq!(oversubscribed, [false, false, true]);
    }
}

#[test]
fn intervals_are_of_pairs_in_the_same_rounds() {
    // A disturbed round slows both down, so that each round has the same speed-up but one.
    let mut records = runs("gc", SPLIT, &[(1, (10.0, 10.0)), (2, (6.0, 12.0))]);
    for record in &mut records {
        let by = if record.round == 3 { 7 } else { 1 };
        record.iterations_ns.iter_mut().for_each(|ns| *ns *= by);
    }
    let blocks = blocks(&records);
    let line = &blocks[0].lines()[0];
    let speed_up = line.speed_up(&line.spots[1]).unwrap();
    assert!(close(speed_up.value, 10.0 / 6.0) && speed_up.samples == 8, "{speed_up:?}");
    assert!(close(speed_up.low, speed_up.high), "{speed_up:?}");
}

#[test]
fn runs_made_apart_are_compared_by_their_medians() {
    let mut records = runs("gc", SPLIT, &[(1, (10.0, 10.0)), (2, (5.0, 10.0))]);
    records.iter_mut().filter(|r| r.threads == 2).for_each(|r| r.command += " --threads 2");
    let blocks = blocks(&records);
    let line = &blocks[0].lines()[0];
    let speed_up = line.speed_up(&line.spots[1]).unwrap();
    assert!(close(speed_up.value, 2.0), "{speed_up:?}");
    // The rounds differ by up to 7 %, and nothing pairs them.
    assert!(speed_up.low < 1.97 && speed_up.high > 2.03, "{speed_up:?}");
}

#[test]
fn each_mode_and_depth_is_a_block_with_a_view_for_each_number_of_threads() {
    let mut deeper = of_gc(SPLIT);
    deeper.iter_mut().for_each(|r| _ = r.params.insert("split-depth".into(), "10".into()));
    let alone = Record { params: [].into(), parallel: None, ..sample(SPLIT, 1, 0, (3.0, 3.0)) };
    let records = [deeper, of_gc(SPLIT), of_gc(THROUGHPUT), vec![alone.clone()]].concat();
    let both = Both::new(&records, None).unwrap();
    let told = |block: &Block| {
        let threads: Vec<u32> = block.views.iter().map(|view| view.threads).collect();
        (block.mode.name().to_owned(), block.depth.clone(), threads)
    };
    let told: Vec<_> = both.threads.iter().map(told).collect();
    let depth = |levels: &str| Some(levels.to_owned());
    let threads = vec![1, 2, 4];
    assert_eq!(
        told,
        [
            ("throughput".to_owned(), None, threads.clone()),
            ("split".to_owned(), depth("2"), threads.clone()),
            ("split".to_owned(), depth("10"), threads),
        ]
    );
    // What has no mode and one thread is none of it.
    assert_eq!(both.queens.as_ref(), [alone]);
    assert_eq!(both.summary.rows.len(), 1);
    for view in both.threads.iter().flat_map(|block| &block.views) {
        assert_eq!(view.summary.baseline.as_deref(), Some("gc"));
        assert_eq!(view.summary.noise.len(), 1, "each number of threads has its floor");
        assert_eq!(view.summary.rows[0].label, "gc", "neither mode, depth nor threads");
    }
    // Nanoseconds for each of all cells that were allocated meanwhile.
    let per_cell = |block: &Block| block.views[1].summary.rows[0].ns_per_cell.unwrap();
    assert!(close(per_cell(&both.threads[0]), per_cell(&both.threads[1])));
}

#[test]
fn each_kind_of_time_has_its_own_noise_floor() {
    // A tenth more processor time with two threads, and no shorter than with one.
    let times = [(1, (10.0, 10.0)), (2, (11.0, 11.0))];
    let verdicts = |noise: (f64, f64)| {
        let blocks = blocks(&twice_within(runs("gc", SPLIT, &times), noise));
        let line = &blocks[0].lines()[0];
        (line.verdict(&line.spots[1]).unwrap(), line.cpu_verdict(&line.spots[1]).unwrap())
    };
    let (wall, cpu) = verdicts((0.2, 0.01));
    assert!(matches!(wall, Verdict::NoDifference { floor } if floor > 0.2), "{wall:?}");
    assert!(matches!(cpu, Verdict::Slower { .. }), "{cpu:?}");
    let (wall, cpu) = verdicts((0.01, 0.2));
    assert!(matches!(wall, Verdict::Slower { .. }), "{wall:?}");
    assert!(matches!(cpu, Verdict::NoDifference { floor } if floor > 0.2), "{cpu:?}");
    // The higher of both sides: of one thread, too.
    let mut records = twice_within(runs("gc", SPLIT, &times), (0.01, 0.01));
    for record in records.iter_mut().filter(|record| record.control && record.threads == 1) {
        let by = if record.round.is_multiple_of(2) { 12 } else { 8 };
        record.parallel.as_mut().unwrap().cpu_ns.iter_mut().for_each(|ns| *ns = *ns * by / 10);
    }
    let of_both = blocks(&records);
    let line = &of_both[0].lines()[0];
    let cpu = line.cpu_verdict(&line.spots[1]).unwrap();
    assert!(matches!(cpu, Verdict::NoDifference { floor } if floor > 0.2), "{cpu:?}");
    // Without controls there is none, as of wall times.
    let alone = blocks(&runs("gc", SPLIT, &times));
    let line = &alone[0].lines()[0];
    assert!(matches!(line.cpu_verdict(&line.spots[1]), Some(Verdict::Slower { .. })));
}

#[test]
fn each_way_to_share_lists_has_its_own_noise_floor() {
    let of = |backend: &str, lists: &'static str, two: f64| {
        let times = [(1, (10.0, 10.0)), (2, (two, 2.0 * two))];
        runs(backend, ("shared", Some(lists)), &times)
    };
    // The collector was disturbed in one way; in the other nothing was entered twice.
    let mut records = twice_within(of("gc", "copied", 5.0), (0.2, 0.2));
    records.extend(twice(of("arc", "counted", 7.0)));
    records.extend(of("arc", "copied", 6.0));
    records.extend(of("arc", "immortal", 5.5));
    let blocks = blocks(&records);
    let summary = &blocks[0].views[1].summary;
    let row = |label: &str| summary.rows.iter().find(|row| row.label == label).unwrap();
    let [copied, counted, immortal] =
        ["copied", "counted", "immortal"].map(|lists| row(&format!("arc{{lists={lists}}}")));
    let floor = |row| summary.noise_of(row).unwrap().fraction();
    assert!(floor(counted) < 0.01 && summary.cpu_floor_of(counted).unwrap() < 0.01);
    assert!(floor(copied) > 0.2 && summary.cpu_floor_of(copied).unwrap() > 0.2);
    assert!(floor(immortal) > 0.2, "the highest, where its own way has none");
    // Of a comparison the higher one, whichever side it is of: a sixth more is no difference.
    assert_eq!(summary.floor_between(counted, copied), Some(floor(copied)));
    assert_eq!(summary.floor_between(copied, counted), Some(floor(copied)));
    assert_eq!(summary.floor_between(counted, counted), Some(floor(counted)));
    let ratio = summary.ratio(counted, copied).unwrap();
    let verdict = Verdict::new(&ratio, summary.floor_between(counted, copied));
    assert!(matches!(verdict, Verdict::NoDifference { .. }), "{verdict:?}");
    // Of the baseline's floor, too: `gc` copied is what the verdicts are about.
    assert_eq!(summary.baseline.as_deref(), Some("gc{lists=copied}"));
    records.retain(|record| record.params["lists"] != "immortal");
    records.extend(twice(of("arc", "immortal", 5.6)));
    let both = Both::new(&records, Some("gc{lists=copied}")).unwrap();
    let summary = &both.threads[0].views[1].summary;
    let arc = summary.rows.iter().find(|row| row.label == "arc{lists=immortal}").unwrap();
    assert!(summary.noise_of(arc).unwrap().fraction() < 0.01);
    assert!(matches!(summary.verdict(arc), Some(Verdict::NoDifference { floor }) if floor > 0.2));
}

/// Of two backends, the one that counts in each way, the collector in two.
fn shared() -> Vec<Record> {
    let of = |backend: &str, lists: &'static str, two: f64| {
        let times = [(1, (10.0, 10.0)), (2, (two, 2.0 * two))];
        runs(backend, ("shared", Some(lists)), &times)
    };
    let mut records = twice(of("gc", "immortal", 5.0));
    records.extend(twice(of("gc", "copied", 5.2)));
    records.extend(twice(of("arc", "counted", 7.8)));
    records.extend(of("arc", "copied", 6.0));
    records.extend(of("rc", "copied", 9.0));
    records
}

#[test]
fn ways_to_share_lists_have_one_baseline_with_copies() {
    let blocks = blocks(&shared());
    assert_eq!(blocks[0].baseline(), Some("gc{lists=copied}"));
    let two = &blocks[0].views[1];
    let told: Vec<(&str, f64)> = (two.summary.rows.iter())
        .map(|row| (row.label.as_str(), (row.ratio.unwrap().value * 1e4).round() / 1e4))
        .collect();
    // One way alone is told too.
    assert_eq!(
        told,
        [
            ("gc{lists=immortal}", 0.9615),
            ("gc{lists=copied}", 1.0),
            ("arc{lists=copied}", 1.1538),
            ("arc{lists=counted}", 1.5),
            ("rc{lists=copied}", 1.7308),
        ]
    );
    let lines = blocks[0].lines();
    let lines: Vec<&str> = lines.iter().map(|line| line.group().label.as_str()).collect();
    // Those of one backend together.
    assert!(lines.windows(2).filter(|pair| pair[0][..2] != pair[1][..2]).count() == 2, "{lines:?}");
    // Another baseline, by its name and by its whole label.
    for (asked, chosen) in
        [("arc", "arc{lists=counted}"), ("gc{lists=immortal}", "gc{lists=immortal}")]
    {
        let records = shared();
        let both = Both::new(&records, Some(asked)).unwrap();
        assert_eq!(both.threads[0].baseline(), Some(chosen), "{asked}");
    }
    let records = shared();
    let unknown = Both::new(&records, Some("cg")).unwrap_err();
    assert!(matches!(unknown, SummaryError::UnknownBaseline { .. }), "{unknown}");
}

#[test]
fn a_run_of_one_way_beside_a_run_of_all_is_no_sweep() {
    let mut again =
        runs("arc", ("shared", Some("counted")), &[(1, (10.0, 10.0)), (2, (7.0, 14.0))]);
    again.iter_mut().for_each(|record| record.command += " --lists counted");
    let blocks = blocks(&[shared(), again].concat());
    let summary = &blocks[0].views[1].summary;
    assert!(summary.groups.iter().all(|group| !group.swept && group.label.contains("{lists=")));
}

#[test]
fn another_order_of_tasks_is_told_and_held_against_its_own_kind() {
    let breadth_first = |mut records: Vec<Record>| {
        records.iter_mut().for_each(|r| _ = r.params.insert("order".into(), "breadth".into()));
        records
    };
    // Even where it is the only one.
    let alone = blocks(&breadth_first(of_gc(SPLIT)));
    assert_eq!(alone[0].views[0].summary.rows[0].label, "gc{order=breadth}");
    let arc =
        |lists, ms| runs("arc", ("shared", Some(lists)), &[(1, (10.0, 10.0)), (2, (ms, 12.0))]);
    let contended = breadth_first([arc("counted", 8.0), arc("copied", 5.0)].concat());
    let blocks = blocks(&[arc("counted", 5.0), arc("copied", 5.0), contended].concat());
    assert_eq!(blocks[0].baseline(), Some("arc{lists=copied}"));
    let told = super::sentences(&blocks[0]).concat();
    let says = |what: &str| assert!(told.contains(what), "{told}");
    says("counted references in arc is not distinguishable from copying");
    says("counted references in arc{order=breadth} takes 1.60 times as long as copying");
}

#[test]
fn several_threads_without_a_mode_are_held_against_one() {
    let without = |threads, ms: f64| {
        runs("arc", SPLIT, &[(threads, (ms, ms))]).into_iter().map(|mut record| {
            record.params.clear();
            record.parallel = None;
            record
        })
    };
    let mut records: Vec<Record> = without(1, 10.0).chain(without(2, 5.0)).collect();
    // Of another backend there is no more than one thread.
    records.push(Record { params: [].into(), parallel: None, ..sample(SPLIT, 1, 0, (3.0, 3.0)) });
    let both = Both::new(&records, None).unwrap();
    assert!(both.summary.groups.iter().all(|group| group.threads == 1));
    assert_eq!(both.summary.rows.len(), 2);
    let [block] = &both.threads[..] else { panic!("{}", both.threads.len()) };
    assert_eq!((block.mode.name(), block.views.len()), ("", 2));
    let lines = block.lines();
    let [line] = &lines[..] else { panic!("{}", lines.len()) };
    assert!(close(line.speed_up(&line.spots[1]).unwrap().value, 2.0));
    let figures = crate::charts::figures_of_threads(&both.threads);
    let stems: Vec<String> = figures.iter().flatten().map(|figure| figure.file_stem()).collect();
    assert_eq!(stems, ["time-against-threads"]);
}

#[test]
fn machines_have_their_own_lines_and_cores() {
    let mut other = of_gc(SPLIT);
    for record in &mut other {
        record.machine.cores = 4;
        record.parallel.as_mut().unwrap().cores = 4;
    }
    other.retain(|record| record.threads != 2);
    let blocks = blocks(&[of_gc(SPLIT), other].concat());
    let told = |line: &Line| {
        let oversubscribed = line.spots.iter().filter(|spot| spot.oversubscribed()).count();
        (line.group().label.clone(), line.spots.len(), oversubscribed)
    };
    let told: Vec<_> = blocks[0].lines().iter().map(told).collect();
    // With two threads there is one machine only; its name stays.
    assert_eq!(told, [("gc [machine 1]".to_owned(), 3, 1), ("gc [machine 2]".to_owned(), 2, 0)]);
    assert_eq!(blocks[0].views[1].summary.origins.len(), 2);
}

#[test]
fn failures_have_no_speed_up() {
    let mut records = of_gc(SPLIT);
    records.iter_mut().filter(|record| record.threads == 2).for_each(|record| {
        record.status = Status::OutOfMemory;
        record.parallel = None;
        record.iterations_ns.clear();
    });
    let blocks = blocks(&records);
    let line = &blocks[0].lines()[0];
    let told: Vec<bool> = line.spots.iter().map(|spot| line.speed_up(spot).is_some()).collect();
    assert_eq!(told, [true, false, true]);
    // Without one thread there is nothing to hold it against.
    records.retain(|record| record.threads > 1);
    let blocks = self::blocks(&records);
    let line = &blocks[0].lines()[0];
    assert!(line.spots.iter().all(|spot| line.speed_up(spot).is_none()));
    assert_eq!(line.spots[0].cores(), 2, "of the machine, where the sample does not tell");
}
