//! Claims on threads, and the others beside them.

use crate::common::threads::{TWO_CORES, shared};
use crate::common::{sample, study_of, with_events};
use crate::{finding, findings, value};
use report::claims::{Verdict, judge};
use report::studies::Both;
use report::{Record, Summary};

/// Of `arc` and `gc` without a mode, and in mode shared with one and two threads: `gc` is entered twice, and
/// differs the more the more threads there are.
fn of_threads() -> Vec<Record> {
    let times: [(&str, Option<&str>, u32, u64); 8] = [
        ("arc", None, 1, 4_000),
        ("gc", None, 1, 1_000),
        ("arc", Some("counted"), 1, 4_200),
        ("arc", Some("copied"), 1, 4_100),
        ("arc", Some("counted"), 2, 3_000),
        ("arc", Some("copied"), 2, 2_000),
        ("gc", Some("copied"), 1, 1_100),
        ("gc", Some("copied"), 2, 500),
    ];
    let mut records = Vec::new();
    for (backend, lists, threads, ns) in times {
        for round in 0..8 {
            let mut record = Record { threads, ..sample(backend, 8, round, ns) };
            record.iterations_ns = vec![ns * (100 + u64::from(round))];
            if let Some(lists) = lists {
                record.command = "rc-vs-gc --mode shared".into();
                let params = [("mode", "shared"), ("split-depth", "2"), ("lists", lists)];
                record.params.extend(params.map(|(name, value)| (name.into(), value.into())));
            }
            records.push(record);
        }
    }
    let again = |record: &Record| {
        let mut again = Record { control: true, ..record.clone() };
        let of_threads = record.params.contains_key("mode");
        let percent = u64::from(if of_threads { 5 * record.threads } else { 1 });
        let by = if record.round.is_multiple_of(2) { 100 + percent } else { 100 - percent };
        again.iterations_ns[0] = again.iterations_ns[0] * by / 100;
        again
    };
    let controls: Vec<Record> = records.iter().filter(|r| r.backend == "gc").map(again).collect();
    [records, controls].concat()
}

#[test]
fn threads_are_meant_where_they_are_asked_for() {
    let records = of_threads();
    let value = |expression: &str| (value(expression, &records) / 103.5).round();
    assert_eq!(value("time('arc')"), 4_000.0);
    assert_eq!(value("time('arc', {'threads': 1})"), 4_000.0);
    assert_eq!(value("least('time')"), 1_000.0);
    assert_eq!(value("bound()"), 1_000.0);
    for (lists, threads, ns) in
        [("counted", 1, 4_200.0), ("copied", 1, 4_100.0), ("counted", 2, 3_000.0)]
    {
        let params = format!("{{'mode': 'shared', 'lists': '{lists}', 'threads': {threads}}}");
        assert_eq!(value(&format!("time('arc', {params})")), ns, "{params}");
    }
    // A mode without a number of threads is one of one thread.
    assert_eq!(value("time('gc', {'mode': 'shared'})"), 1_100.0);
    let split = "time('gc', {'mode': 'split', 'threads': 2})";
    let missing = findings(split, "above = 0", "units", &records).remove(0);
    assert_eq!(missing.verdict, Verdict::NotMeasured);
    let why = missing.why.unwrap();
    assert!(why.ends_with("has: time of gc with mode split with threads 2"), "{why}");
}

#[test]
fn a_claim_on_threads_has_their_noise_floor() {
    let shared = |lists: &str, threads: u32| {
        format!("time('arc', {{'mode': 'shared', 'lists': '{lists}', 'threads': {threads}}})")
    };
    let judged = |expression: &str, predicts: &str| finding(expression, predicts, &of_threads());
    // Sharing takes half as long again with two threads: more than their noise of ten per cent.
    let ratio = format!("{} / {}", shared("counted", 2), shared("copied", 2));
    let found = judged(&ratio, "at_least = 1.3");
    assert_eq!(found.verdict, Verdict::Reproduced);
    let of = ["copied", "counted"]
        .map(|lists| format!("arc{{lists={lists},mode=shared,split-depth=2,threads=2}}"));
    assert_eq!(found.of, of);
    // With one thread the difference is within their five per cent, though not within the one per cent of
    // one thread without a mode.
    let ratio = format!("{} / {}", shared("counted", 1), shared("copied", 1));
    assert_eq!(judged(&ratio, "above = 1").verdict, Verdict::NotDistinguishable);
    assert_eq!(judged("time('arc') / time('gc')", "at_least = 3.95").verdict, Verdict::Reproduced);
    // Of both kinds, in one run, the higher counts; in runs of their own they have no round in common.
    let ratio = format!("{} / time('arc')", shared("counted", 1));
    assert_eq!(judged(&ratio, "above = 1").verdict, Verdict::NotMeasured);
    let mut together = of_threads();
    together.iter_mut().for_each(|record| record.command.clear());
    let found = finding(&ratio, "above = 1", &together);
    assert_eq!(found.verdict, Verdict::NotDistinguishable, "{found:?}");
}

/// No claim of the study changes its verdict where samples of threads lie beside those that it is about.
#[test]
fn threads_beside_them_change_no_verdict() {
    let records = with_events(study_of(7));
    let plain = judge(&records, &Summary::new(&records, None).unwrap()).unwrap();
    let more = shared(TWO_CORES);
    let together = [records, more].concat();
    let both = Both::new(&together, None).unwrap();
    let beside = judge(&together, &both.summary).unwrap();
    assert_eq!(plain, beside);
}
