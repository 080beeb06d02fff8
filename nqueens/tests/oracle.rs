//! The oracle against the known counts, up to the largest that are known.

use nqueens::{KNOWN_SOLUTIONS, oracle};

/// The larger boards take seconds in a debug build.
const MOST_N: u32 = if cfg!(miri) {
    8
} else if cfg!(debug_assertions) {
    11
} else {
    14
};

#[test]
fn the_oracle_agrees_with_the_known_counts() {
    for (n, known) in (1..=MOST_N).zip(KNOWN_SOLUTIONS) {
        assert_eq!(oracle(n), known, "n = {n}");
    }
}
