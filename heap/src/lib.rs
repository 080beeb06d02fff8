//! One heap interface and a memory manager per file.
//!
//! - [`heap`]: the contract between a program and a memory manager
//! - [`object`]: what objects are made of
//! - [`registry`]: the list of backends, one file per memory manager; their types are
//!   not public, since a heap that is its own mutator would let safe code outside
//!   of a run hold a reference across a collection
//! - [`tally`]: counts of a heap's work, in an instance of its own
//! - [`pauses`]: how long it made the program stand still, in another
//! - [`carry`]: frames as tasks, carried to heaps on other threads
//! - [`immortals`]: objects outside of all heaps, which any thread may read
//! - [`allocators`], [`nodes`]: allocators of the allocation studies, and containers over them
//! - [`pointers`]: smart pointers of the allocation studies
//! - [`conformance`]: how tests go through all of them
//!
//! All `unsafe` code of the study is in this crate; its public interface is
//! safe and sound.

pub mod allocators;
mod backends;
pub mod carry;
pub mod conformance;
mod curve;
#[cfg(feature = "fakes")]
mod fakes;
pub mod heap;
pub mod immortals;
pub mod info;
mod machine;
pub mod nodes;
pub mod object;
mod parts;
pub mod pauses;
pub mod pointers;
pub mod registry;
mod sealed;
pub mod settings;
pub mod tally;

pub use curve::Live;
#[cfg(feature = "fakes")]
pub use fakes::Forgetful;
pub use heap::{Backend, Family, Frames, Heap, Mutator, Program};
pub use immortals::{Immortal, Immortals};
pub use info::{Brief, Info, Kind, Param, Unit};
pub use machine::Stack;
pub use object::{Chain, Edge, Item, Link, Node, Object, Plain, Visitor};
pub use pauses::Pauses;
pub use registry::{BACKENDS, Visit, find, visit};
pub use settings::{SettingError, Settings, Zeal};
pub use tally::{Clocked, Event, HeapError, Off, On, Stats, Tally};
