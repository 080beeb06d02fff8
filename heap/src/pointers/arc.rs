//! `arc`: Rust's own counted pointer for many threads.
//!
//! As `rc`, but the counts are changed by atomic instructions, whether or not
//! there is a second thread.
//! Object: strong count (8 bytes), weak count (8), fields. Pointer: two words,
//! the counts and the table of the object's type.
//! Make: one call of malloc, two words more than the fields; nobody else knows
//! of the object yet, so its counts are plainly written. Give up: two atomic
//! subtractions, the destructor if there is one, one call of free.
//! Memory returns when the last pointer goes, and the last weak one.
//! Cannot: reclaim cycles.

use super::{Base, Pointer};
use crate::info::{Brief, Kind};

/// Rust's `Arc`.
#[derive(Debug)]
pub struct Arc;

impl Pointer for Arc {
    const BRIEF: Brief = Brief {
        name: "arc",
        kind: Kind::ReferenceCounting,
        about: "std Arc<dyn Base>: object and two atomic counts in one allocation",
        returns: "when the last reference is released",
    };
    type Of = std::sync::Arc<dyn Base>;

    #[inline(always)]
    fn make<T: Base>(value: T) -> Self::Of {
        std::sync::Arc::new(value)
    }
    #[inline(always)]
    fn get(of: &Self::Of) -> &dyn Base {
        &**of
    }
    fn object_bytes<T: Base>() -> usize {
        size_of::<([usize; 2], T)>()
    }
}
