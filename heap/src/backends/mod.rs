//! One file per memory manager; each header tells the idea, the layout, the
//! costs, the limits, the invariants and the papers.

pub mod gc;
pub mod leak;
pub mod malloc;
pub mod rc;
pub mod region;
pub mod region_sweep;
pub mod stack;
