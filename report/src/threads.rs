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

use crate::record::Record;
use crate::record::params::MODE;
use std::collections::BTreeMap;

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

/// Lines, or what is made of them, by how they share lists: in order, others after those that are known,
/// and none last.
pub(crate) fn by_lists<'a, T>(
    all: impl IntoIterator<Item = T>,
    line: impl Fn(&T) -> &Line<'a>,
) -> Vec<(Option<&'a str>, Vec<T>)> {
    let place = |lists: Option<&str>| {
        let known = lists.and_then(|lists| LISTS.iter().position(|known| *known == lists));
        known.unwrap_or(LISTS.len() + usize::from(lists.is_none()))
    };
    let mut ways: BTreeMap<(usize, Option<&str>), Vec<T>> = BTreeMap::new();
    for one in all {
        let lists = line(&one).lists();
        ways.entry((place(lists), lists)).or_default().push(one);
    }
    ways.into_iter().map(|((_, lists), some)| (lists, some)).collect()
}

/// A number of threads: `1 thread`, `2 threads`.
pub(crate) fn counted(threads: u32) -> String {
    match threads {
        1 => "1 thread".to_owned(),
        many => format!("{many} threads"),
    }
}

/// What is to be said where more threads than these physical cores have a core each.
pub(crate) fn beyond(physical_cores: u32) -> String {
    format!("threads beyond {physical_cores} share physical cores")
}

/// A number of cores: `1 core`, `2 cores`; `4 physical cores` of a kind of them.
pub(crate) fn counted_cores(cores: u32, kind: &str) -> String {
    let blank = if kind.is_empty() { "" } else { " " };
    match cores {
        1 => format!("1 {kind}{blank}core"),
        many => format!("{many} {kind}{blank}cores"),
    }
}
