//! `jemalloc`: size classes in slabs, with a cache per thread.
//!
//! Blocks of one size class share a slab, whose bitmap lies apart; a thread
//! takes and gives back blocks through a cache that is filled and flushed many
//! at a time. No header before a block.
//! Memory returns some seconds after a slab has become empty (decay).
//! Cannot: hand out many nodes in one call, through this interface.
//!
//! Papers: Evans, "A scalable concurrent malloc(3) implementation for
//! FreeBSD", BSDCan 2006.

use super::global::{Adapter, Library};
use crate::info::{Brief, Kind};

/// The library jemalloc.
pub type Jemalloc = Adapter<tikv_jemallocator::Jemalloc>;

// SAFETY: the allocator is the process's; the value holds nothing.
unsafe impl Library for tikv_jemallocator::Jemalloc {
    const BRIEF: Brief = Brief {
        name: "jemalloc",
        kind: Kind::Manual,
        about: "the library jemalloc, node by node",
        returns: "some seconds after a slab is empty",
    };
    fn new() -> Self {
        tikv_jemallocator::Jemalloc
    }
}
