//! The steps, as data: what is compared with what, and what changes between the two.
//!
//! A line is a chain of backends, each rung with what changes from the rung before it. Adding a
//! rung is adding a line here. The names are those of the backends in the records; what the records
//! lack is bridged. That a filter branches on one side only, or that closed scopes give memory back at
//! once, is not written here: the records' parameters `append` and `exits` say so.

use serde::Serialize;

/// A chain of backends.
pub(super) struct Line {
    /// What the line climbs through.
    pub title: &'static str,
    /// The first rung, and what its time is made of.
    pub first: (&'static str, &'static str),
    /// The other rungs, each with the changes from the one before it.
    pub rungs: &'static [(&'static str, &'static [&'static str])],
}

/// The ladder: from the heap that does least to the one that does most.
pub(super) const LADDER: [Line; 3] = [
    Line {
        title: "From no reclamation to atomic reference counts",
        first: ("leak", "the program, and fresh memory for each cell"),
        rungs: &[
            ("stack", &["a pointer is reset when a scope closes"]),
            ("malloc", &["malloc and free for each cell"]),
            ("fused", &["counts in place of scopes", "a pool in place of malloc"]),
            ("rc", &["malloc in place of the pool", "a header of two words"]),
            ("rc-value", &["local variables count, also in walks"]),
            ("rc-split", &["count and cell in two blocks, references of two words"]),
            ("arc-split", &["atomic counts"]),
        ],
    },
    Line {
        title: "From a region to generational collection",
        first: ("region", "the program, and a free list"),
        rungs: &[
            ("region-sweep", &[SCOPES_CLEAR_BITS]),
            ("region-runs", &[LISTS_IN_RUNS, "a pointer is bumped within a run"]),
            ("mark-region", &["marking from the roots in place of scopes", SWEEPS_BY_WORDS]),
            ("gc", &["a nursery", "survivors are copied"]),
        ],
    },
    Line {
        title: "From roots for free to a shadow stack",
        first: ("mark-sweep", "the program, marking and lazy sweeps; its roots cost nothing"),
        rungs: &[(ROOTING.1, &[ROOTING.2])],
    },
];

const SCOPES_CLEAR_BITS: &str = "scopes clear mark bits, sweeps free the cells";
const LISTS_IN_RUNS: &str = "free lists and allocated list in runs";
const SWEEPS_BY_WORDS: &str = "sweeps by whole words of mark bits";

/// Changes that do not last: the rung that has it no more, and the change. A step that bridges the
/// rungs between is without it.
const UNDONE: [(&str, &str); 3] =
    [("region-runs", SCOPES_CLEAR_BITS), ("mark-region", LISTS_IN_RUNS), ("gc", SWEEPS_BY_WORDS)];

/// Whether a change of a rung below is none from this backend on.
pub(super) fn is_undone(backend: &str, change: &str) -> bool {
    UNDONE.contains(&(backend, change))
}

/// Two backends between which nothing changes but that roots are stored: from, to, the change.
pub(super) const ROOTING: (&str, &str, &str) =
    ("mark-sweep", "shadow-stack", "each local variable is stored in a shadow stack");

/// How a heap finds the memory that is free again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Way {
    /// Dead cells, one by one.
    Cells,
    /// Runs of dead cells.
    Runs,
    /// Words of mark bits.
    Words,
    /// A boundary that closed scopes move back.
    Boundary,
}

/// Heaps on one program whose ways differ: what claim S7 is about.
pub(super) const SWEEPING: [(&str, Way); 4] = [
    ("region-sweep", Way::Cells),
    ("region-runs", Way::Runs),
    ("mark-region", Way::Words),
    ("region-local", Way::Boundary),
];

/// What a split, atomic reference count is made of, in the terms of claim S3: the price of
/// `shared_ptr` against that of malloc and free.
pub(super) const SPLIT: Line = Line {
    title: "What split reference counting is made of",
    first: ("stack", "the program itself"),
    rungs: &[
        ("malloc", &["malloc and free"]),
        ("rc-value", &["plain counting"]),
        ("rc-split", &["a second block for the count"]),
        ("arc-split", &["atomic instructions"]),
    ],
};

/// Steps beside the ladder: from, to, what changes.
pub(super) const BESIDE: [(&str, &str, &[&str]); 13] = [
    ("malloc", "region", &["free lists in place of malloc"]),
    ("malloc", "rc", &["counts in place of scopes"]),
    ("region", "fused", &["counts in place of scopes"]),
    ("fused", "fused-value", &["local variables count, also in walks"]),
    ("arc", "arc-value", &["local variables count, also in walks"]),
    ("rc", "arc", &["atomic counts"]),
    ("rc-value", "arc-value", &["atomic counts"]),
    ("arc-value", "arc-split", &["count and cell in two blocks, references of two words"]),
    ("leak", "semispace", &["the same memory again and again", "survivors are copied"]),
    ("region-sweep", "region-local", &["a dead tail is swept at once, by moving a boundary back"]),
    ("region-sweep", "mark-sweep", &["marking from the roots", "lazy sweeps by size class"]),
    ("mark-sweep", "semispace", &["a pointer is bumped", "survivors are copied"]),
    ("semispace", "gc", &["generations"]),
];

/// Which operations a difference in time is spread over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Over {
    /// Those that one side makes and the other does not.
    Added,
    /// All, since both sides make the same ones in another way.
    All,
}

/// Pairs in which counting is the difference: from, to, the operations that it is spread over, and
/// what one of them is.
pub(super) const COUNTING: [(&str, &str, Over, &str); 8] = [
    ("malloc", "rc", Over::Added, "a count, in place of scopes"),
    ("rc", "rc-value", Over::Added, "a count for a local variable"),
    ("arc", "arc-value", Over::Added, "an atomic count for a local variable"),
    ("fused", "fused-value", Over::Added, "a count for a local variable"),
    ("malloc", "rc-value", Over::Added, "a count, in place of scopes"),
    ("rc", "arc", Over::All, "the atomic instruction"),
    ("rc-value", "arc-value", Over::All, "the atomic instruction"),
    ("rc-split", "arc-split", Over::All, "the atomic instruction"),
];

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn no_step_is_there_twice() {
        let lines = LADDER.iter().flat_map(|line| {
            let from = std::iter::once(line.first.0).chain(line.rungs.iter().map(|rung| rung.0));
            from.zip(line.rungs).map(|(from, (to, changes))| (from, *to, *changes))
        });
        let mut seen = BTreeSet::new();
        for (from, to, changes) in lines.chain(BESIDE) {
            assert!(from != to && seen.insert((from, to)), "{from} -> {to}");
            assert!(!changes.is_empty() && changes.iter().all(|change| !change.is_empty()));
        }
        for (backend, undone) in UNDONE {
            let line = LADDER.iter().find(|line| line.rungs.iter().any(|rung| rung.0 == backend));
            let mut below = line.unwrap().rungs.iter().take_while(|rung| rung.0 != backend);
            assert!(below.any(|rung| rung.1.contains(&undone)), "{backend}: {undone}");
        }
        let pairs: BTreeSet<_> = COUNTING.iter().map(|pair| (pair.0, pair.1)).collect();
        assert_eq!(pairs.len(), COUNTING.len());
    }
}
