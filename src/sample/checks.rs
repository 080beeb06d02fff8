//! What a sample must show before its time counts: its work, and that nothing leaked.

use crate::expected;
use heap::{HeapError, Info, Stats};
use nqueens::Answer;
use report::Status;

/// Why a sample has no time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Failure {
    /// How it ended.
    pub status: Status,
    /// The reason, in one line.
    pub message: String,
}

impl From<HeapError> for Failure {
    fn from(error: HeapError) -> Self {
        Failure { status: Status::OutOfMemory, message: error.to_string() }
    }
}

/// That the number of solutions is right.
pub(super) fn check_answer(n: u32, answer: &Answer) -> Result<(), Failure> {
    let (found, right) = (answer.solutions, expected::solutions(n));
    if found == right {
        return Ok(());
    }
    let message = format!("{found} solutions instead of {right}");
    Err(Failure { status: Status::WrongAnswer, message })
}

/// That the work was done which every backend must do.
pub(super) fn check_work(n: u32, answer: &Answer, stats: &Stats) -> Result<(), Failure> {
    let done = expected::Work {
        allocated: stats.cells_allocated,
        filtered: answer.cells_filtered,
        length: answer.cells_length,
    };
    match expected::work(n) {
        Some(right) if right != done => {
            let message = format!("other work: {done}; instead of {right}");
            Err(Failure { status: Status::WrongAnswer, message })
        }
        _ => Ok(()),
    }
}

/// Whether a settled heap that reclaims still holds something.
pub(super) fn leaked(info: &Info, stats: &Stats) -> Result<(), Failure> {
    let (cells, bytes) = (stats.live_cells, stats.live_bytes);
    if !info.reclaims || (cells == 0 && bytes == 0) {
        return Ok(());
    }
    let message = format!("{cells} cells ({bytes} bytes) are still held at the end");
    Err(Failure { status: Status::Leaked, message })
}
