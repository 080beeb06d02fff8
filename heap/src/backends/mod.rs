//! One file per memory manager; each header tells the idea, the layout, the
//! costs, the limits, the invariants and the papers.

pub mod arc;
pub mod arc_split;
pub mod arc_value;
pub mod fused;
pub mod fused_value;
pub mod gc;
pub mod gc_arena;
pub mod leak;
pub mod malloc;
pub mod mark_sweep;
pub mod rc;
pub mod rc_split;
pub mod rc_value;
pub mod region;
pub mod region_local;
pub mod region_sweep;
pub mod semispace;
pub mod stack;
