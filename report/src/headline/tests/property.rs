//! Whatever the records are: sentences that can be read, and no winner that noise may have made.

use super::{COLLECTORS_WIN, said, sample};
use crate::record::{Record, Status};
use crate::summary::{NoiseFloor, Row, Summary};
use crate::verdict::Verdict;
use proptest::prelude::*;
use rand_pcg::Pcg32;
use rand_pcg::rand_core::{Rng, SeedableRng};

/// Backends with the logarithm of each time, some of them absent; rounds, spread and luck.
type Made = (Vec<Option<f64>>, u32, f64, u64);

fn made() -> impl Strategy<Value = Made> {
    let times =
        proptest::collection::vec(proptest::option::of(-0.3..1.5_f64), COLLECTORS_WIN.len());
    (times, 1..10_u32, 0.0..0.4_f64, any::<u64>())
}

fn records((times, rounds, spread, luck): &Made) -> Vec<Record> {
    let mut rng = Pcg32::seed_from_u64(*luck);
    let mut uniform = || f64::from(rng.next_u32()) / f64::from(u32::MAX);
    let mut records = Vec::new();
    let (missing, two_sizes) = (uniform().powi(3), uniform() < 0.3);
    let (fails, twice) = (uniform() < 0.2, uniform() < 0.8);
    for round in 0..*rounds {
        for ((backend, _), time) in COLLECTORS_WIN.iter().zip(times) {
            let Some(time) = time else { continue };
            let ns = |part: f64| 1e6 * (time + spread * (part - 0.5)).exp();
            if uniform() < missing {
                continue;
            }
            let n = if two_sizes && uniform() < 0.5 { 7 } else { 8 };
            let mut record = sample(backend, n, round, ns(uniform()));
            record.heap_peak_bytes = Some((uniform() * 1e6) as u64);
            record.live_peak_bytes = Some((uniform() * 1e3) as u64);
            if fails && uniform() < 0.03 {
                record.status = Status::Crashed;
            }
            if twice && *backend == "gc" {
                let again = sample(backend, n, round, ns(uniform()));
                records.push(Record { control: true, ..again });
            }
            records.push(record);
        }
    }
    records
}

/// Whether a row may be said to be slower than another.
fn is_slower(summary: &Summary, row: &Row, other: &Row) -> bool {
    let floor = summary.noise_of(row).map(NoiseFloor::fraction);
    let Some(ratio) = summary.ratio(row, other) else {
        return row.time_ns.unwrap().low > other.time_ns.unwrap().high;
    };
    match Verdict::new(&ratio, floor) {
        Verdict::Slower { .. } => true,
        Verdict::TooFew { .. } => ratio.low > 1.0 && ratio.value > 1.0 + floor.unwrap_or(0.0),
        _ => false,
    }
}

/// Who is told to be among the fastest.
fn winners(summary: &Summary, told: &str) -> Option<Vec<String>> {
    let (_, rest) = told.split_once(" the fastest at n = 8 ")?;
    let rest = rest.strip_prefix("is ").or(rest.strip_prefix("are "))?;
    let names = rest.split([',', ';', '.', '(', ' ']);
    // Names of those that follow are after the semicolon.
    let ends = rest.find(';').unwrap_or(rest.len());
    let label = |name: &str| summary.groups.iter().any(|group| group.config == name);
    let firsts = names.filter(|name| {
        let place = name.as_ptr() as usize - rest.as_ptr() as usize;
        place < ends && label(name)
    });
    Some(firsts.map(str::to_owned).collect())
}

fn check(records: &[Record]) -> Result<(), TestCaseError> {
    let told = said(records);
    prop_assert!(!told.is_empty());
    for text in &told {
        let words = |sentence: &str| sentence.split_whitespace().count();
        prop_assert!(text.split(". ").all(|sentence| words(sentence) <= 65), "{text}");
        prop_assert!(text.ends_with('.') && !text.contains("  ") && !text.contains(".."), "{text}");
        prop_assert!(
            !text.contains("((") && !text.contains("))") && !text.contains("-0"),
            "{text}"
        );
        let odd = |word: &str| ["inf", "NaN", "nan"].contains(&word);
        prop_assert!(!text.split(|c: char| !c.is_alphanumeric()).any(odd), "{text}");
    }
    let summary = Summary::new(records, None).unwrap();
    let Some(winners) = told.iter().find_map(|text| winners(&summary, text)) else {
        return Ok(());
    };
    prop_assert!(!winners.is_empty(), "{told:?}");
    let general = |row: &&Row| {
        let group = summary.group_of(row);
        row.time_ns.is_some() && !group.capabilities.problem_specific && group.family != "none"
    };
    let rows: Vec<&Row> = summary.rows_at(8).filter(general).collect();
    let first = rows.iter().find(|row| row.label == winners[0]).unwrap();
    for row in &rows {
        let named =
            winners.contains(&row.label) || told.iter().any(|text| text.contains(" more, "));
        prop_assert!(named || is_slower(&summary, row, first), "{}: {told:?}", row.label);
    }
    let noise = summary.noise_of(first).map_or(0.0, NoiseFloor::fraction);
    prop_assert!(noise < 0.5, "{told:?}");
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn sentences_hold(made in made()) {
        check(&records(&made))?;
    }
}

#[test]
fn the_least_and_the_most_are_told() {
    let mut records = Vec::new();
    for (round, ns) in [0, u64::MAX, 1, 0, u64::MAX, 7, 3].into_iter().enumerate() {
        for (place, (backend, _)) in COLLECTORS_WIN.iter().enumerate() {
            let mut record = sample(backend, 8, round as u32, 0.0);
            record.iterations_ns = vec![ns.rotate_left(place as u32 * 9)];
            record.heap_peak_bytes = Some(u64::MAX);
            record.live_peak_bytes = Some(1);
            record.capabilities.cell_bytes = 0;
            records.push(record);
        }
    }
    check(&records).unwrap();
    records.iter_mut().for_each(|record| record.backend = record.backend.repeat(500));
    check(&records).unwrap();
}
