//! `box`: one owner, nothing counted.
//!
//! The object alone, in an allocation of its own. The floor: what making and
//! giving up an object costs whoever owns it.
//! Object: its fields. Pointer: two words, the object and the table of its type.
//! Make: one call of malloc. Give up: the destructor if there is one, one call
//! of free; size and alignment for it come from the table.
//! Memory returns when the pointer goes.
//! Cannot: share the object.

use super::{Base, Pointer};
use crate::info::{Brief, Kind};

/// Rust's `Box`.
#[derive(Debug)]
pub struct Boxed;

impl Pointer for Boxed {
    const BRIEF: Brief = Brief {
        name: "box",
        kind: Kind::Manual,
        about: "Box<dyn Base>: one owner, nothing counted; the floor",
        returns: "when its owner gives it up",
    };
    type Of = Box<dyn Base>;

    #[inline(always)]
    fn make<T: Base>(value: T) -> Self::Of {
        Box::new(value)
    }
    #[inline(always)]
    fn get(of: &Self::Of) -> &dyn Base {
        &**of
    }
    fn object_bytes<T: Base>() -> usize {
        size_of::<T>()
    }
}
