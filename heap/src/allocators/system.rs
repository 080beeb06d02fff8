//! `malloc`: the platform's malloc, realloc and free.
//!
//! Layout, cost and limits are the platform's. In glibc: 8 bytes before each
//! block, blocks in multiples of 16 bytes and at least 32, a cache per thread
//! in front of the bins.
//! Memory returns when the top of the heap is free, and when a block of more
//! than 128 KiB (a threshold that adapts) is freed.
//! Cannot: hand out many nodes in one call.

use super::global::{Adapter, Library};
use crate::info::{Brief, Kind};

/// The platform's malloc, realloc and free.
pub type System = Adapter<std::alloc::System>;

// SAFETY: the allocator is the process's; the value holds nothing.
unsafe impl Library for std::alloc::System {
    const BRIEF: Brief = Brief {
        name: "malloc",
        kind: Kind::Manual,
        about: "the platform's malloc, realloc and free, node by node",
        returns: "when a node is freed",
    };
    fn new() -> Self {
        std::alloc::System
    }
}
