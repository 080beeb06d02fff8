//! Programs on several threads, over any heap.
//!
//! A [`Team`] is a pool of threads, each with a heap of its own that it alone uses. Its workers
//! run a whole program each, side by side ([`Workers::each`]), or one program together
//! ([`Workers::split`]): the frames of its first levels become tasks, which idle workers steal.
//! The program's text is that of one thread, and the work too.
//!
//! Whatever fails in a worker, by an error or a panic, ends the run with a [`Failure`]: nobody
//! waits for who is gone, and no thread does anything any more when [`Team::work`] returns.

#![forbid(unsafe_code)]
#![warn(missing_docs)]

mod failure;
mod split;
mod team;

pub use failure::Failure;
pub use split::{Order, Tasks, Together};
pub use team::{Apart, Team, Workers};
