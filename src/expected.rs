//! What every backend must answer, and the work it must do for it.

use nqueens::{KNOWN_SOLUTIONS, oracle};
use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Mutex, PoisonError};

/// Cells allocated, visited by `filter` and visited by `length`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Work {
    /// Cells allocated, those of the board included.
    pub allocated: u64,
    /// Cells visited by `filter`, which starts at the chosen cell itself.
    pub filtered: u64,
    /// Cells visited by `length`.
    pub length: u64,
}

impl fmt::Display for Work {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Work { allocated, filtered, length } = self;
        write!(f, "{allocated} cells allocated, {filtered} filtered, {length} walked by length")
    }
}

/// Solutions for a board of `n` by `n`. Beyond the known counts this takes
/// long, but not as long as any search on a heap, and only once for each size.
pub fn solutions(n: u32) -> u64 {
    static FOUND: Mutex<BTreeMap<u32, u64>> = Mutex::new(BTreeMap::new());
    KNOWN_SOLUTIONS.get(n as usize - 1).copied().unwrap_or_else(|| {
        let mut found = FOUND.lock().unwrap_or_else(PoisonError::into_inner);
        *found.entry(n).or_insert_with(|| oracle(n))
    })
}

/// The work of one search; `None` beyond n = 12.
pub fn work(n: u32) -> Option<Work> {
    /// Counted by a program without lists, for n = 1, 2, ...
    const KNOWN: [[u64; 3]; 12] = [
        [2, 1, 1],
        [8, 10, 4],
        [34, 56, 25],
        [172, 296, 184],
        [922, 1_588, 1_295],
        [5_268, 9_222, 8_980],
        [33_738, 58_661, 68_703],
        [237_936, 412_930, 564_880],
        [1_830_882, 3_168_099, 4_983_157],
        [15_070_736, 26_146_842, 46_239_572],
        [133_614_466, 232_453_806, 457_359_929],
        [1_266_886_812, 2_212_106_182, 4_793_249_584],
    ];
    let &[allocated, filtered, length] = KNOWN.get(n as usize - 1)?;
    Some(Work { allocated, filtered, length })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The search on slices: what it would do on lists, counted.
    fn search(depth: u64, ps: &[(i64, i64)], work: &mut Work) {
        work.length += depth;
        for (i, &(x, y)) in ps.iter().enumerate() {
            let safe = |&(a, b): &(i64, i64)| a != x && b != y && a - x != b - y && x - b != a - y;
            let left: Vec<_> = ps[i..].iter().copied().filter(safe).collect();
            work.filtered += (ps.len() - i) as u64;
            work.allocated += 1 + left.len() as u64;
            search(depth + 1, &left, work);
        }
    }

    #[test]
    fn known_work_is_right() {
        for n in 1..=6 {
            let board: Vec<_> = (0..n).flat_map(|x| (0..n).map(move |y| (x, y))).collect();
            let mut counted = Work { allocated: board.len() as u64, filtered: 0, length: 0 };
            search(0, &board, &mut counted);
            assert_eq!(work(n as u32), Some(counted), "n = {n}");
        }
        assert_eq!((work(13), solutions(14)), (None, 365_596));
    }
}
