//! Speed-ups and processor times of made-up records, as their charts show them.

use super::super::figures_of_threads;
use super::super::tests::assert_tidy;
use crate::record::{Parallel, Record, Status};
use crate::studies::Both;

/// Name, how lists are shared, and the part of one thread's time that each more costs.
type Made<'a> = (&'a str, Option<&'a str>, f64);

fn records(mode: &str, threads: &[u32], cores: u32, rows: &[Made]) -> Vec<Record> {
    let mut records = Vec::new();
    for (round, &threads) in (0..6).flat_map(|round| threads.iter().map(move |it| (round, it))) {
        for &(backend, lists, friction) in rows {
            let busy = f64::from(threads.min(cores));
            let searches = if mode == "throughput" { threads } else { 1 };
            let cpu = 1e7 * f64::from(searches) * (1.0 + friction * (busy - 1.0));
            let noise = 1.0 + f64::from(round % 3) / 200.0;
            let mut record = Record {
                backend: backend.to_owned(),
                n: 9,
                threads,
                round,
                iterations_ns: vec![(cpu * noise / busy) as u64],
                parallel: Some(Parallel {
                    cpu_ns: vec![(cpu * noise) as u64],
                    cores,
                    ..Parallel::default()
                }),
                ..Record::new()
            };
            record.params.insert("mode".into(), mode.into());
            if mode != "throughput" {
                record.params.insert("split-depth".into(), "2".into());
            }
            record.params.extend(lists.map(|lists| ("lists".to_owned(), lists.to_owned())));
            records.push(record);
        }
    }
    records
}

/// Stem, title, alternative text and caption of each figure.
fn told(records: &[Record]) -> Vec<[String; 4]> {
    let both = Both::new(records, None).unwrap();
    let figures = figures_of_threads(&both.threads).into_iter().flatten();
    figures.map(|it| [it.file_stem(), it.title(), it.alt(), it.caption()]).collect()
}

#[test]
fn the_ideal_ends_at_the_cores_and_more_threads_are_marked() {
    let told = told(&records("split", &[1, 2, 8], 4, &[("gc", None, 0.0), ("arc", None, 0.25)]));
    let [speed_up, cpu] = &told[..] else { panic!("{}", told.len()) };
    assert_eq!(speed_up[0], "threads-split");
    assert_eq!(speed_up[1], "One search, split: speed-up by threads at n = 9, split depth 2");
    let alt = &speed_up[2];
    let ideal = "ideal: 1 thread 1.00x, 2 threads 2.00x, 4 threads 4.00x, 8 threads 4.00x;";
    assert!(alt.contains(ideal), "{alt}");
    // Twice as fast where each thread costs a quarter more: 2 / 1.25; then 4 / 1.75.
    let arc = "arc: 1 thread 1.00x, 2 threads 1.60x, 8 threads 2.29x (oversubscribed)";
    assert!(alt.contains(arc), "{alt}");
    assert!(
        speed_up[3].contains("Hollow points are oversubscribed: more threads than the 4 cores")
    );
    assert_eq!(cpu[0], "threads-split-cpu");
    let arc = "arc: 1 thread 1.00x, 2 threads 1.25x, 8 threads 1.75x (oversubscribed)";
    assert!(cpu[2].contains(arc), "{}", cpu[2]);
    assert!(cpu[2].contains("as one thread: 1 thread 1.00x, 8 threads 1.00x"), "{}", cpu[2]);
}

#[test]
fn the_ideal_bends_at_the_physical_cores_where_these_are_fewer() {
    let with = |threads: &[u32], physical: Option<u32>| {
        let mut records = records("split", threads, 4, &[("gc", None, 0.0)]);
        for record in &mut records {
            record.parallel.as_mut().unwrap().physical_cores = physical;
        }
        let [speed_up, cpu] = <[_; 2]>::try_from(told(&records)).unwrap();
        (speed_up, cpu)
    };
    let note = "Threads beyond 2 share physical cores.";
    let unit = "or for execution units of a core that another thread uses.";
    let (speed_up, cpu) = with(&[1, 2, 4], Some(2));
    let ideal = "ideal: 1 thread 1.00x, 2 threads 2.00x, 4 threads 2.00x;";
    assert!(speed_up[2].contains(ideal), "{}", speed_up[2]);
    let caption = &speed_up[3];
    assert!(caption.contains("up to the number of physical cores. Threads beyond"), "{caption}");
    assert!(caption.ends_with(note) && !caption.contains("ollow"), "{caption}");
    assert!(cpu[3].contains(unit) && cpu[3].ends_with(note), "{}", cpu[3]);
    // A bend between two numbers of threads, and more threads than cores beside.
    let (speed_up, _) = with(&[1, 8], Some(2));
    let ideal = "ideal: 1 thread 1.00x, 2 threads 2.00x, 8 threads 2.00x;";
    assert!(speed_up[2].contains(ideal), "{}", speed_up[2]);
    let hollow = format!("{note} Hollow points are oversubscribed: more threads than the 4 cores");
    assert!(speed_up[3].contains(&hollow), "{}", speed_up[3]);
    // Nothing shares one, or there is nothing to share.
    let (speed_up, cpu) = with(&[1, 2], Some(2));
    assert!(!speed_up[3].contains("beyond") && !cpu[3].contains("units"), "{}", cpu[3]);
    for physical in [Some(4), None] {
        let (speed_up, cpu) = with(&[1, 2, 4], physical);
        assert!(speed_up[2].contains("4 threads 4.00x; gc"), "{}", speed_up[2]);
        assert!(!speed_up[3].contains("physical") && !cpu[3].contains("units"), "{}", cpu[3]);
    }
}

#[test]
fn what_processor_time_contains_is_told() {
    for (mode, end) in
        [("throughput", "waking them."), ("split", "waking them and looking for tasks.")]
    {
        let told = told(&records(mode, &[1, 2], 2, &[("gc", None, 0.0)]));
        let [speed_up, cpu] = &told[..] else { panic!("{}", told.len()) };
        let says = format!(
            "Processor time is that of the process from when the threads are woken to when all are \
             done, so it includes {end}"
        );
        assert!(cpu[3].contains(&says) && !speed_up[3].contains("woken"), "{}", cpu[3]);
    }
}

#[test]
fn with_a_core_each_nothing_is_marked() {
    for [_, _, alt, caption] in told(&records("throughput", &[1, 2], 2, &[("gc", None, 0.0)])) {
        assert!(!alt.contains("oversubscribed") && !caption.contains("ollow"), "{alt} {caption}");
        assert!(alt.contains("gc: 1 thread 1.00x, 2 threads "), "{alt}");
    }
}

#[test]
fn ways_to_share_lists_have_a_panel_each() {
    let rows =
        [("arc", Some("copied"), 0.0), ("arc", Some("counted"), 0.5), ("gc", Some("copied"), 0.0)];
    let told = told(&records("shared", &[1, 2], 2, &rows));
    let alt = &told[0][2];
    let (counted, copied) = alt.split_once("Lists copied").unwrap();
    assert!(counted.starts_with("Lists counted: ") && counted.contains("arc: 1 thread"), "{alt}");
    assert!(!counted.contains("gc") && copied.contains("gc: ") && copied.contains("arc: "));
    assert!(!alt.contains('{'), "{alt}");
    // With one way there is nothing to tell apart; the lines tell which it is.
    let told = self::told(&records("shared", &[1, 2], 2, &rows[1..2]));
    assert!(told[0][2].contains("; arc{lists=counted}: 1 thread 1.00x"), "{}", told[0][2]);
}

#[test]
fn each_depth_has_charts_of_its_own_and_so_has_each_machine() {
    let split = records("split", &[1, 2], 2, &[("gc", None, 0.0)]);
    let with = |change: fn(&mut Record)| {
        let mut records = split.clone();
        records.iter_mut().for_each(change);
        records
    };
    let deeper = with(|record| _ = record.params.insert("split-depth".into(), "3".into()));
    let elsewhere = with(|record| record.machine.cores = 64);
    let stems = |parts: &[Vec<Record>]| {
        told(&parts.concat()).into_iter().map(|[stem, ..]| stem).collect::<Vec<_>>()
    };
    let both = ["threads-split-depth-2", "threads-split-depth-2-cpu", "threads-split-depth-3"];
    assert_eq!(stems(&[split.clone(), deeper])[..3], both);
    let machines = ["threads-split", "threads-split-cpu", "threads-split-2", "threads-split-cpu-2"];
    assert_eq!(stems(&[split.clone(), elsewhere]), machines);
    // A mode that is not known, and one that would lead elsewhere.
    let odd = with(|record| _ = record.params.insert("mode".into(), "../A b".into()));
    assert_eq!(stems(&[odd]), ["threads-a-b", "threads-a-b-cpu"]);
}

#[test]
fn failures_are_told_and_one_number_of_threads_is_no_picture() {
    let mut split = records("split", &[1, 2, 4], 2, &[("gc", None, 0.0)]);
    for record in split.iter_mut().filter(|record| record.threads == 4) {
        record.status = Status::OutOfMemory;
    }
    let [speed_up, _] = &told(&split)[..] else { panic!() };
    let alt = &speed_up[2];
    assert!(alt.contains("gc: out of memory on 4 threads: 1 thread"), "{alt}");
    split.retain(|record| record.threads != 2);
    assert!(told(&split).is_empty());
    let without_one = records("split", &[2, 4], 2, &[("gc", None, 0.0)]);
    assert!(told(&without_one).is_empty());
}

/// Backends with long names, whose lines lie on each other or far apart, on few cores and on many; in three
/// ways to share lists.
#[test]
fn no_text_touches_another_or_leaves_the_paper() {
    let names: Vec<String> = (0..16).map(|i| format!("a-backend-of-a-long-name-{i}")).collect();
    for (threads, cores) in [(&[1, 2, 4, 8][..], 2), (&[1, 2, 3, 24, 96, 128], 128)] {
        for step in [0.0, 0.2] {
            let row = |(i, name), lists| (name, lists, step * i as f64);
            let of = |count: usize, lists: Option<&'static str>| {
                let names = names.iter().take(count).map(String::as_str).enumerate();
                names.map(move |name| row(name, lists)).collect::<Vec<Made>>()
            };
            let shared =
                [of(3, Some("counted")), of(9, Some("copied")), of(8, Some("immortal"))].concat();
            for (mode, rows) in [("throughput", of(16, None)), ("shared", shared)] {
                let mut records = records(mode, threads, cores, &rows);
                for record in &mut records {
                    record.capabilities.problem_specific = record.backend.ends_with('3');
                    // Of many cores two are parts of one.
                    let physical = (cores > 2).then_some(cores / 2);
                    record.parallel.as_mut().unwrap().physical_cores = physical;
                    if record.backend.ends_with('7') && record.threads > 2 {
                        record.status = Status::OutOfMemory;
                    }
                }
                let both = Both::new(&records, None).unwrap();
                let figures = figures_of_threads(&both.threads);
                assert_eq!(figures[0].len(), 2);
                for figure in figures.iter().flatten() {
                    assert_tidy(figure.as_ref(), &format!("{mode}, {cores} cores, {step}"));
                }
            }
        }
    }
}
