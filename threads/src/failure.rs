//! What ends a run early.

use heap::HeapError;
use std::any::Any;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Why a run has no result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// A worker's heap reached its limit.
    Heap(HeapError),
    /// A worker panicked, with this message.
    Panic(String),
    /// The system starts no more threads; its own words.
    Threads(String),
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Heap(error) => write!(f, "{error}"),
            Failure::Panic(message) => write!(f, "a worker panicked: {message}"),
            Failure::Threads(why) => write!(f, "cannot start the threads: {why}"),
        }
    }
}
impl std::error::Error for Failure {}

impl From<HeapError> for Failure {
    fn from(error: HeapError) -> Self {
        Failure::Heap(error)
    }
}

/// Does something that may panic. A heap whose program panicked has given its objects up, or
/// keeps them as garbage, so that it can be used afterwards.
pub fn guarded<R>(work: impl FnOnce() -> Result<R, Failure>) -> Result<R, Failure> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| Err(of_panic(&*panic)))
}

fn of_panic(panic: &(dyn Any + Send)) -> Failure {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
    let first_line = text.and_then(|text| text.lines().next());
    Failure::Panic(first_line.unwrap_or("without a message").to_owned())
}
