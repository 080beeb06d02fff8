//! Mechanisms that several memory managers share.

pub mod address;
pub mod bump;
pub mod chain;
pub mod counting;
pub mod meter;
