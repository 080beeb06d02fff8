//! Mechanisms that several memory managers share.

pub mod address;
pub mod ahead;
pub mod append;
pub mod bit_runs;
pub mod bits;
pub mod block;
pub mod blocks;
pub mod bump;
pub mod chain;
pub mod counting;
pub mod granules;
pub mod lists;
pub mod log;
pub mod marked_region;
pub mod marking;
pub mod meter;
pub mod mortal;
pub mod pointer;
pub mod poison;
pub mod pool;
pub mod region;
pub mod remembered;
pub mod room;
pub mod runs;
pub mod shadow;
pub mod shadow_walks;
pub mod slabs;
pub mod space;
pub mod split;
#[cfg(test)]
pub mod trial;
#[cfg(test)]
pub mod trial_scopes;
pub mod uncounted;
pub mod verify;
