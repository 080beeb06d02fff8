//! `mimalloc`: Microsoft's allocator, its free lists sharded by page.
//!
//! Blocks of one size class share a page (64 KiB for small ones), which has
//! three free lists of its own: to allocate from, of local frees, of frees by
//! other threads. No header before a block.
//! Memory returns a while after a page has become empty.
//! Cannot: hand out many nodes in one call.
//!
//! Papers: Leijen, Zorn & de Moura, "Mimalloc: free list sharding in action",
//! APLAS 2019.

use super::global::{Adapter, Library};
use crate::info::{Brief, Kind};
use ::mimalloc::MiMalloc;

/// The library mimalloc.
pub type Mimalloc = Adapter<MiMalloc>;

// SAFETY: the allocator is the process's; the value holds nothing.
unsafe impl Library for MiMalloc {
    const BRIEF: Brief = Brief {
        name: "mimalloc",
        kind: Kind::Manual,
        about: "the library mimalloc, node by node",
        returns: "a while after a page is empty",
    };
    fn new() -> Self {
        MiMalloc
    }
}
