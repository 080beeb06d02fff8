//! The steps, as data: what is compared with what, and what changes between the two.
//!
//! A line is a chain of backends, each rung with what changes from the rung before it. Adding a
//! rung is adding a line here. The names are those of the backends in the records; what the records
//! lack is bridged. That a filter branches on one side only is not written here: the records'
//! parameter `append` says so.

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
pub(super) const LADDER: [Line; 2] = [
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
            ("region-sweep", &["scopes clear mark bits, sweeps free the cells"]),
            ("mark-region", &["sweeps by whole words of mark bits", "marking from the roots"]),
            ("gc", &["a nursery by bumping a pointer", "survivors are copied"]),
        ],
    },
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
pub(super) const BESIDE: [(&str, &str, &[&str]); 12] = [
    ("malloc", "region", &["free lists in place of malloc"]),
    ("malloc", "rc", &["counts in place of scopes"]),
    ("region", "fused", &["counts in place of scopes"]),
    ("fused", "fused-value", &["local variables count, also in walks"]),
    ("arc", "arc-value", &["local variables count, also in walks"]),
    ("rc", "arc", &["atomic counts"]),
    ("rc-value", "arc-value", &["atomic counts"]),
    ("arc-value", "arc-split", &["count and cell in two blocks, references of two words"]),
    ("leak", "semispace", &["the same memory again and again", "survivors are copied"]),
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
        let pairs: BTreeSet<_> = COUNTING.iter().map(|pair| (pair.0, pair.1)).collect();
        assert_eq!(pairs.len(), COUNTING.len());
    }
}
