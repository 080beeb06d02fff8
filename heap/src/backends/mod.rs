//! One file per memory manager; each header tells the idea, the layout, the
//! costs, the limits, the invariants and the papers.

pub mod gc;
pub mod gc_arena;
pub mod mark_sweep;
pub mod rc;
pub mod semispace;
pub mod stack;
