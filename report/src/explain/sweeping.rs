//! How memory becomes free again, told in counts: what a sweep looks at is why it costs what it costs
//! (claim S7).

use super::pages::percent;
use super::scope::{Side, Sides};
use super::steps::{SWEEPING, Way};
use crate::format::exact_count;
use serde::Serialize;

/// How one heap finds free memory, in counts of one search; `None` of what was not counted.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Sweeping {
    /// Label of the configuration.
    pub label: String,
    /// What it looks for.
    pub way: Way,
    /// Sweeps, or collections.
    pub collections: Option<u64>,
    /// Scopes closed.
    pub scopes: Option<u64>,
    /// Cells known to be reclaimed.
    pub cells_freed: Option<u64>,
    /// Dead cells that sweeps found.
    pub cells_swept: Option<u64>,
    /// Runs of free memory that sweeps found, or that scopes gave back.
    pub runs_found: Option<u64>,
    /// Words of mark bits that sweeps looked at.
    pub words_scanned: Option<u64>,
    /// The part of a search that sweeps take, from 0 to 1; `None` where none was timed.
    pub sweep_share: Option<f64>,
}

impl Sweeping {
    /// Those that have times and counted what their way takes.
    pub(super) fn all(sides: &Sides) -> Vec<Self> {
        let of = |(backend, way)| Some(Self::new(sides.of(backend)?, way));
        let all = SWEEPING.into_iter().filter_map(of);
        all.filter(|sweeping| sweeping.clause().is_some()).collect()
    }

    fn new(side: &Side, way: Way) -> Self {
        let row = side.row;
        Self {
            label: row.label.clone(),
            way,
            collections: row.collections,
            scopes: row.scopes,
            cells_freed: row.cells_freed,
            cells_swept: row.cells_swept,
            runs_found: row.runs_found,
            words_scanned: row.words_scanned,
            sweep_share: row.pauses.as_ref().and_then(|pauses| pauses.sweep_share),
        }
    }

    /// What it did; `None` where it did nothing of its kind.
    fn clause(&self) -> Option<String> {
        let label = &self.label;
        Some(match self.way {
            Way::Cells => {
                let cells = counted(self.cells_swept, "dead cell")?;
                let sweeps =
                    counted(self.collections, "sweep").map(|sweeps| format!(", in {sweeps}"));
                format!("{label} gave {cells} back one by one{}", sweeps.unwrap_or_default())
            }
            Way::Runs => {
                let runs = counted(self.runs_found, "run")?;
                let cells =
                    counted(self.cells_freed, "cell").map(|cells| format!("freed {cells} and "));
                format!("{label} {}gave memory back in {runs}", cells.unwrap_or_default())
            }
            Way::Words => {
                let words = counted(self.words_scanned, "word")?;
                let runs = counted(self.runs_found, "run").unwrap_or_else(|| "no run".to_owned());
                let collections =
                    counted(self.collections, "collection").zip(counted(self.cells_swept, "cell"));
                let left = collections
                    .map(|(collections, cells)| format!("left {cells} dead in {collections}, "));
                format!(
                    "{label} {}looked at {words} of mark bits and found {runs} of free memory",
                    left.unwrap_or_default()
                )
            }
            Way::Boundary => {
                let scopes = counted(self.scopes, "scope")?;
                let swept = counted(self.cells_swept, "dead cell")
                    .map(|cells| format!(", and found {cells} in sweeps"));
                format!(
                    "{label} closed {scopes}, each by moving a boundary back{}",
                    swept.unwrap_or_default()
                )
            }
        })
    }
}

/// A count with its noun; `None` of none.
fn counted(count: Option<u64>, noun: &str) -> Option<String> {
    let count = count.filter(|&count| count > 0)?;
    Some(format!("{} {noun}{}", exact_count(count), if count == 1 { "" } else { "s" }))
}

/// What each did, and what part of its time that took; `None` where there is nothing to tell.
pub(super) fn sentences(all: &[Sweeping], cells_allocated: u64) -> Option<String> {
    let clauses: Vec<String> = all.iter().filter_map(Sweeping::clause).collect();
    if clauses.is_empty() {
        return None;
    }
    let mut text = format!(
        "How memory becomes free again, in a search that allocates {} cells: {}.",
        exact_count(cells_allocated),
        clauses.join("; ")
    );
    let share = |of: &Sweeping| Some(format!("{} {}", of.label, percent(of.sweep_share?)));
    let shares: Vec<String> = all.iter().filter_map(share).collect();
    if !shares.is_empty() {
        text.push_str(&format!(
            " The part of a search that sweeps take, timed in an instance of its own: {}.",
            shares.join(", ")
        ));
    }
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(label: &str, way: Way) -> Sweeping {
        Sweeping {
            label: label.to_owned(),
            way,
            collections: Some(27),
            scopes: Some(915_442),
            cells_freed: Some(1_830_900),
            cells_swept: Some(1_830_882),
            runs_found: Some(1_204),
            words_scanned: Some(8_123),
            sweep_share: None,
        }
    }

    #[test]
    fn each_way_in_its_counts() {
        let clause = |way| made("it", way).clause().unwrap();
        assert_eq!(
            clause(Way::Cells),
            "it gave 1,830,882 dead cells back one by one, in 27 sweeps"
        );
        assert_eq!(
            clause(Way::Runs),
            "it freed 1,830,900 cells and gave memory back in 1,204 runs"
        );
        assert_eq!(
            clause(Way::Words),
            "it left 1,830,882 cells dead in 27 collections, looked at 8,123 words of mark bits and \
             found 1,204 runs of free memory"
        );
        assert_eq!(
            clause(Way::Boundary),
            "it closed 915,442 scopes, each by moving a boundary back, and found 1,830,882 dead cells \
             in sweeps"
        );
    }

    #[test]
    fn what_was_not_counted_is_not_told() {
        let none = |label: &str, way| Sweeping {
            collections: None,
            scopes: Some(0),
            cells_freed: None,
            cells_swept: Some(0),
            runs_found: None,
            words_scanned: Some(0),
            ..made(label, way)
        };
        for way in [Way::Cells, Way::Runs, Way::Words, Way::Boundary] {
            assert_eq!(none("it", way).clause(), None, "{way:?}");
        }
        let of = |sweeping: &Sweeping| sweeping.clause().unwrap();
        let cells = Sweeping { cells_swept: Some(1), ..none("it", Way::Cells) };
        assert_eq!(of(&cells), "it gave 1 dead cell back one by one");
        let runs = Sweeping { runs_found: Some(2), ..none("it", Way::Runs) };
        assert_eq!(of(&runs), "it gave memory back in 2 runs");
        let words = Sweeping { words_scanned: Some(1), ..none("it", Way::Words) };
        assert_eq!(of(&words), "it looked at 1 word of mark bits and found no run of free memory");
        let boundary = Sweeping { scopes: Some(1), ..none("it", Way::Boundary) };
        assert_eq!(of(&boundary), "it closed 1 scope, each by moving a boundary back");
    }

    #[test]
    fn shares_stand_behind_the_counts() {
        assert_eq!(sentences(&[], 5), None);
        let timed =
            |label: &str, share| Sweeping { sweep_share: Some(share), ..made(label, Way::Cells) };
        let told =
            sentences(&[timed("a", 0.124), made("b", Way::Cells), timed("c", 0.003)], 1_900_000);
        let told = told.unwrap();
        let start =
            "How memory becomes free again, in a search that allocates 1,900,000 cells: a gave ";
        assert!(told.starts_with(start), "{told}");
        let end = "in 27 sweeps. The part of a search that sweeps take, timed in an instance of its own: \
                   a 12 %, c 0.3 %.";
        assert!(told.ends_with(end), "{told}");
    }
}
