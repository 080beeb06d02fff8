//! `snmalloc`: Microsoft Research's allocator, made for frees by other threads.
//!
//! Blocks of one size class share a slab; a block that another thread frees
//! goes back to its owner as a message, many at a time. No header before a
//! block.
//! Memory returns when a slab has become empty, to the library's own ranges first.
//! Cannot: hand out many nodes in one call.
//!
//! Papers: Lietar et al., "Snmalloc: a message passing allocator", ISMM 2019.

use super::global::{Adapter, Library};
use crate::info::{Brief, Kind};
use snmalloc_rs::SnMalloc;

/// The library snmalloc.
pub type Snmalloc = Adapter<SnMalloc>;

// SAFETY: the allocator is the process's; the value holds nothing.
unsafe impl Library for SnMalloc {
    const BRIEF: Brief = Brief {
        name: "snmalloc",
        kind: Kind::Manual,
        about: "the library snmalloc, node by node",
        returns: "to its own ranges when a slab is empty",
    };
    fn new() -> Self {
        SnMalloc
    }
}
