//! Mechanisms that several memory managers share.

pub mod address;
pub mod bits;
pub mod blocks;
pub mod bump;
pub mod chain;
pub mod counting;
pub mod log;
pub mod meter;
pub mod pointer;
pub mod poison;
pub mod pool;
pub mod region;
pub mod split;
#[cfg(test)]
pub mod trial;
pub mod uncounted;
pub mod verify;
