//! N-queens on several threads, and what is made the same way with one to hold that against.
//!
//! A sample with a mode is another experiment than one without: all that this crate makes of one
//! thread is made of the samples of one thread alone. So the records of threads are split off first,
//! as those of the allocation studies are, and each mode is summarised by itself, each number of
//! threads apart: ratios compare like with like.
//!
//! | file | one idea |
//! |---|---|
//! | `block` | one mode: a summary for each number of threads |
//! | `line` | one configuration over the numbers of threads: speed-up, efficiency, processor time |
//! | `mode` | the modes, in words |
//! | `sentences` | what the numbers mean |

use crate::labels::MODE;
use crate::record::Record;

mod block;
mod line;
mod mode;
mod sentences;
#[cfg(test)]
mod tests;

use block::COPIED;
pub use block::{Block, View};
pub use line::{Line, Spot};
pub use mode::Mode;
pub use sentences::{headline, sentences};

/// Whether a sample is one of threads: it has a mode, or more than one thread.
pub fn is_of_threads(record: &Record) -> bool {
    let queens = record.study.is_none();
    queens && (record.threads > 1 || record.params.contains_key(MODE))
}

/// Ways to share lists, in the order in which they are shown.
const LISTS: [&str; 3] = ["counted", COPIED, "immortal"];

/// The place of a way to share lists; others come after those that are known, and none last.
pub(crate) fn lists_in_order(lists: Option<&str>) -> usize {
    let known = lists.and_then(|lists| LISTS.iter().position(|known| *known == lists));
    known.unwrap_or(LISTS.len() + usize::from(lists.is_none()))
}

/// A number of threads: `1 thread`, `2 threads`.
pub(crate) fn counted(threads: u32) -> String {
    match threads {
        1 => "1 thread".to_owned(),
        many => format!("{many} threads"),
    }
}
