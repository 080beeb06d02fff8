//! Whether two runs did the same work.

use super::{CompareError, Row, Side};
use crate::format::clean;
use crate::labels::{Key, Origin, origin_names};
use crate::record::{Record, Status};
use std::collections::{BTreeMap, BTreeSet};

/// That both sides have times, and a row in common.
pub(super) fn check(before: &[Record], after: &[Record]) -> Result<(), CompareError> {
    for (side, records) in [("BEFORE", before), ("AFTER", after)] {
        if records.iter().all(|record| record.counted) {
            return Err(CompareError::NoTimes { side });
        }
        // Programs are told apart by the rows.
        let origins: BTreeSet<Origin> = records
            .iter()
            .map(|record| Origin { program: String::new(), ..Origin::of(record) })
            .collect();
        if origins.len() > 1 {
            let names = origin_names(&origins.iter().collect());
            return Err(CompareError::SeveralOrigins { side, origins: names.join("; ") });
        }
    }
    let places = |side: &[Record]| -> BTreeSet<(String, u32, Key)> {
        side.iter()
            .map(|record| (clean(&record.program), record.n, Key::anywhere(record)))
            .collect()
    };
    match places(before).is_disjoint(&places(after)) {
        true => Err(difference(before, after)),
        false => Ok(()),
    }
}

/// What a row is of, the first to tell first: what stands before its value, and its value.
type Aspect = (&'static str, fn(&Record) -> String);

const ASPECTS: [Aspect; 4] = [
    ("", |record| clean(&record.program)),
    // Aligned, so that 9 comes before 10.
    ("n = ", |record| format!("{:2}", record.n)),
    ("", |record| clean(&record.backend)),
    ("threads = ", |record| format!("{:5}", record.threads)),
];

/// In what runs without a row in common differ.
fn difference(before: &[Record], after: &[Record]) -> CompareError {
    let both = [before, after];
    // Together with those before it: `rc` at 8 and `rc` at 9 have nothing in common.
    let is_common = |count: &usize| {
        let place =
            |record| ASPECTS[..*count].iter().map(|(_, aspect)| aspect(record)).collect::<Vec<_>>();
        let [before, after] = both.map(|side| side.iter().map(place).collect::<BTreeSet<_>>());
        !before.is_disjoint(&after)
    };
    let Some(count) = (1..=ASPECTS.len()).find(|count| !is_common(count)) else {
        let [before, after] =
            other_parameters(before, after).map(|values| match values.is_empty() {
                true => "none of these parameters".to_owned(),
                false => listed("", &values),
            });
        return CompareError::NothingInCommon { before, after };
    };
    let (name, aspect) = ASPECTS[count - 1];
    let values = both.map(|side| side.iter().map(aspect).collect::<BTreeSet<_>>());
    let [before, after] = match values[0].is_disjoint(&values[1]) {
        true => values.map(|values| listed(name, &values)),
        false => both.map(rows),
    };
    CompareError::NothingInCommon { before, after }
}

fn listed(name: &str, values: &BTreeSet<String>) -> String {
    name.to_owned() + &values.iter().map(|value| value.trim()).collect::<Vec<_>>().join(", ")
}

/// The rows of a run, without their parameters: `gc at n = 8, 9; rc at n = 8`.
fn rows(records: &[Record]) -> String {
    let mut rows: BTreeMap<String, BTreeSet<u32>> = BTreeMap::new();
    for record in records {
        rows.entry(clean(&record.backend)).or_default().insert(record.n);
    }
    let row = |(name, sizes): (String, BTreeSet<u32>)| {
        let sizes: Vec<String> = sizes.iter().map(u32::to_string).collect();
        format!("{name} at n = {}", sizes.join(", "))
    };
    rows.into_iter().map(row).collect::<Vec<_>>().join("; ")
}

fn parameters(record: &Record) -> BTreeSet<String> {
    let params = record.params.iter();
    params.map(|(name, value)| clean(&format!("{name} = {value}"))).collect()
}

/// The parameters in which a backend that both runs have differs.
fn other_parameters(before: &[Record], after: &[Record]) -> [BTreeSet<String>; 2] {
    let both = before.iter().find_map(|was| {
        Some((was, after.iter().find(|is| is.backend == was.backend && is.n == was.n)?))
    });
    let [was, is] =
        both.map_or_else(Default::default, |(was, is)| [parameters(was), parameters(is)]);
    [&was - &is, &is - &was]
}

/// That the same question had the same answer.
pub(super) fn check_answers(rows: &[Row]) -> Result<(), CompareError> {
    for row in rows {
        let Some((before, after)) = row.before.as_ref().zip(row.after.as_ref()) else { continue };
        let is_right = |side: &Side| side.status == Status::Ok;
        match (before.solutions, after.solutions) {
            (Some(was), Some(is)) if was != is && is_right(before) && is_right(after) => {
                return Err(CompareError::OtherAnswer {
                    label: row.label.clone(),
                    n: row.n,
                    before: was,
                    after: is,
                });
            }
            _ => {}
        }
    }
    Ok(())
}

/// A line about rows that reached the same answer by allocating more or fewer cells, if there are any.
pub(super) fn other_cells(rows: &[Row]) -> Option<String> {
    let changed = |row: &&Row| {
        let cells = |side: &Option<Side>| side.as_ref()?.cells_allocated;
        cells(&row.before).zip(cells(&row.after)).is_some_and(|(before, after)| before != after)
    };
    let names: Vec<String> = rows.iter().filter(changed).map(Row::name).collect();
    (!names.is_empty()).then(|| format!("another number of cells allocated: {}", names.join(", ")))
}
