//! Rows in the order of their parameters' values, as a sweep is read.

use super::{Row, Summary};
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

/// The n of some rows that tells most: the largest, but for those at which a row has not half as many
/// samples as at another n. A few rounds at a larger board do not outweigh many at a smaller one.
pub(crate) fn telling_n<'a>(rows: impl Iterator<Item = &'a Row>) -> Option<u32> {
    let mut samples: BTreeMap<u32, usize> = BTreeMap::new();
    for row in rows {
        let most = samples.entry(row.n).or_default();
        *most = row.samples_ns.len().max(*most);
    }
    let most = samples.values().copied().max()?;
    samples.into_iter().rev().find(|(_, samples)| 2 * samples >= most).map(|(n, _)| n)
}

impl Summary {
    /// Whether a backend is there with several values of a parameter, on one machine.
    pub fn is_sweep(&self) -> bool {
        let mut seen = BTreeSet::new();
        !self.groups.iter().all(|group| seen.insert((group.origin, &group.backend)))
    }

    /// Puts the rows of each n in the order of backends, and of each backend in that of its
    /// parameters: `8KiB` before `1MiB`, `1.1x` before `8x`. The backends come as the fastest of each
    /// does.
    pub fn sort_by_parameters(&mut self) {
        let groups = &self.groups;
        // Groups are sorted by speed.
        let place = |row: &Row| {
            let backend = &groups[row.group].backend;
            groups.iter().position(|group| &group.backend == backend)
        };
        self.rows.sort_by(|a, b| {
            let block = |row: &Row| (row.n, groups[row.group].origin, place(row));
            let params = |row: &Row| &groups[row.group].params;
            block(a).cmp(&block(b)).then_with(|| {
                let pairs = params(a).values().zip(params(b).values());
                let differing = pairs.map(|(a, b)| natural(a, b));
                // One that has a parameter more, such as a multiple, comes after.
                let count = params(a).len().cmp(&params(b).len());
                count.then(differing.fold(Ordering::Equal, Ordering::then))
            })
        });
    }
}

/// Compares sizes, multiples and numbers by what they mean, other values as texts.
fn natural(a: &str, b: &str) -> Ordering {
    match magnitude(a).zip(magnitude(b)) {
        Some((a, b)) => a.total_cmp(&b),
        None => a.cmp(b),
    }
}

/// What a number with a unit means: `8KiB` is 8192.
pub(crate) fn magnitude(text: &str) -> Option<f64> {
    let digits = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let number: f64 = text[..digits].parse().ok()?;
    let shift = match &text[digits..] {
        "" | "B" | "x" => 0,
        "KiB" => 10,
        "MiB" => 20,
        "GiB" => 30,
        "TiB" => 40,
        _ => return None,
    };
    Some(number * (1_u64 << shift) as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Record;

    #[test]
    fn values_come_in_their_order() {
        let values = ["1MiB", "8KiB", "100B", "64KiB"];
        let mut records = Vec::new();
        for (i, value) in (0..).zip(values) {
            for n in [8, 9] {
                records.push(Record {
                    backend: "gc".into(),
                    params: [("nursery".to_owned(), value.to_owned())].into(),
                    n,
                    iterations_ns: vec![100 + i],
                    ..Record::new()
                });
            }
        }
        let rc = Record { backend: "rc".into(), n: 8, iterations_ns: vec![50], ..Record::new() };
        records.push(rc);
        let mut summary = Summary::new(&records, None).unwrap();
        assert!(summary.is_sweep());
        summary.sort_by_parameters();
        let labels: Vec<_> = summary.rows.iter().map(|row| (row.n, row.label.as_str())).collect();
        let gc = ["gc{nursery=100B}", "gc{nursery=8KiB}", "gc{nursery=64KiB}", "gc{nursery=1MiB}"];
        let expected: Vec<_> = gc.map(|label| (8, label)).into_iter().chain([(8, "rc")]).collect();
        assert_eq!(labels[..5], expected);
        assert_eq!(labels[5..], gc.map(|label| (9, label)));
    }

    #[test]
    fn the_telling_size_is_the_largest_with_rounds_enough() {
        let rows = |sizes: &[(u32, usize)]| {
            let row = |&(n, samples)| Row { n, samples_ns: vec![1.0; samples], ..Row::default() };
            telling_n(sizes.iter().map(row).collect::<Vec<_>>().iter())
        };
        assert_eq!(rows(&[(8, 20), (9, 20), (10, 6)]), Some(9));
        assert_eq!(rows(&[(8, 8), (9, 7)]), Some(9));
        assert_eq!(rows(&[(9, 1), (9, 4), (10, 2)]), Some(10));
        assert_eq!(rows(&[(7, 0)]), Some(7));
        assert_eq!(rows(&[]), None);
    }

    #[test]
    fn magnitudes() {
        assert_eq!(natural("1.1x", "8x"), Ordering::Less);
        assert_eq!(natural("2.0", "16"), Ordering::Less);
        assert_eq!(natural("branch", "speculate"), Ordering::Less);
        assert_eq!((magnitude("1.5KiB"), magnitude("fast")), (Some(1536.0), None));
    }
}
