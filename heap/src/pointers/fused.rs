//! `fused-lookup`, `fused-lookup-name`, `fused-untyped`: object and control
//! block in one allocation, as `boost::make_shared` makes them; three ways of
//! finding the object's place.
//!
//! Boost has a control block for a pointer with a deleter of any type.
//! `make_shared` gives it a deleter with room for the object, and then has to
//! find that deleter in the block, whose type it has let go of. Until 1.52 it
//! called the public `get_deleter`: a virtual call that compares the run-time
//! identity of the type that is asked for with that of the deleter's. Since
//! 1.53 it calls one that compares nothing (ticket 6830).
//!
//! - `fused-lookup` compares identities, here 128 bits of hash. Compilers that
//!   merge the descriptions of a type compare the addresses of two instead,
//!   which is the same work or less.
//! - `fused-lookup-name` compares names, byte by byte and out of line, as the
//!   `type_info::operator==` of VC++ 9 and 10 compared them with `strcmp`: the
//!   cause of the slowness that the source document reports. (Rust's names have
//!   a length where C's have a zero at the end; it is looked at once a byte, as
//!   the zero is, never for a shortcut. They are 60 bytes for the study's
//!   objects; VC++ would have some 46 for a class with a name of 8.)
//! - `fused-untyped` compares nothing: the fix.
//!
//! All three go the original's way otherwise: they find the place by a virtual
//! call, construct there, tell the deleter so, and make the pointer that they
//! return as a copy of the first one, which goes: the count rises and falls.
//! An inlined virtual call on a block just made would be none, see `shared.rs`.
//!
//! Block: table (8 bytes), strong and weak count (4 each), the pointer that the
//! deleter would be given (8, null), whether there is an object (1, padded to
//! the object's alignment), object. Pointer: three words, see `shared.rs`.
//! Make: one call of malloc, one virtual call. Share: one addition and test.
//! Give up: two subtractions and tests, two virtual calls, one call of free.
//! Memory returns when the last pointer goes, and the last weak one.
//! Cannot: reclaim cycles.
//!
//! Invariants: those of `shared.rs`, and:
//!
//! - D1. `initialized` says whether `storage` holds an object.
//! - D2. A block of type `Within<T>` finds its own deleter, of type
//!   `Deleter<T>`, and no other one, whichever way it is asked.
//!
//! Sources: Boost 1.48 and 1.53, `smart_ptr/make_shared.hpp`, and
//! `sp_counted_impl_pd` in `smart_ptr/detail/sp_counted_impl.hpp`.

use super::shared::{Block, Control, Found, Shared, Strong};
use super::{Base, Pointer};
use crate::info::{Brief, Kind};
use crate::parts::split::Plain;
use std::any::{TypeId, type_name};
use std::marker::PhantomData;
use std::mem::{MaybeUninit, offset_of};
use std::ptr::{self, NonNull};

/// Object and control block in one allocation, the deleter found as `F` finds it.
#[derive(Debug)]
pub struct Fused<F>(PhantomData<F>);

/// The deleter is found by comparing identities of types.
pub type FusedLookup = Fused<ById>;
/// The deleter is found by comparing names of types.
pub type FusedLookupName = Fused<ByName>;
/// The deleter is found without comparing anything.
pub type FusedUntyped = Fused<Untyped>;

/// The room for an object, and what ends it.
struct Deleter<T> {
    initialized: bool,
    storage: MaybeUninit<T>,
}

impl<T> Deleter<T> {
    fn destroy(&mut self) {
        if self.initialized {
            // First, since a destructor that panics is not called again.
            self.initialized = false;
            // SAFETY: D1.
            unsafe { self.storage.assume_init_drop() };
        }
    }
}

impl<T> Drop for Deleter<T> {
    fn drop(&mut self) {
        self.destroy();
    }
}

/// A control block with its deleter.
#[repr(C)]
struct Within<T> {
    control: Control<Plain>,
    /// What the deleter would be given to delete.
    _given: *mut T,
    deleter: Deleter<T>,
}

impl<T: Base> Within<T> {
    /// A block without an object yet.
    #[inline(always)]
    fn strong() -> Strong<Plain> {
        Strong::new(|control| Within::<T> {
            control,
            _given: ptr::null_mut(),
            deleter: Deleter { initialized: false, storage: MaybeUninit::uninit() },
        })
    }

    fn deleter(block: NonNull<Self>) -> Found {
        NonNull::new(block.as_ptr().cast::<u8>().wrapping_add(offset_of!(Self, deleter)))
    }
}

// SAFETY: `control` comes first.
unsafe impl<T: Base> Block<Plain> for Within<T> {
    unsafe fn dispose(block: NonNull<Self>) {
        // SAFETY: S1; by contract nobody uses the object.
        unsafe { (*block.as_ptr()).deleter.destroy() };
    }
    fn deleter_by_id(block: NonNull<Self>, asked: TypeId) -> Found {
        if asked == TypeId::of::<Deleter<T>>() { Self::deleter(block) } else { None }
    }
    fn deleter_by_name(block: NonNull<Self>, asked: &'static str) -> Found {
        if same_name(asked, type_name::<Deleter<T>>()) { Self::deleter(block) } else { None }
    }
    fn untyped_deleter(block: NonNull<Self>) -> Found {
        Self::deleter(block)
    }
}

/// C's `strcmp`, for equality.
#[inline(never)]
fn same_name(a: &str, b: &str) -> bool {
    let (mut a, mut b) = (a.bytes(), b.bytes());
    loop {
        match (a.next(), b.next()) {
            (None, None) => return true,
            (a, b) if a != b => return false,
            _ => {}
        }
    }
}

/// A way to find the deleter of a type in a control block.
pub trait Find: 'static {
    /// Name and description of the pointer that does so.
    const BRIEF: Brief;
    /// Finds it.
    fn find<D: 'static>(block: &Strong<Plain>) -> Found;
}

/// By identity.
#[derive(Debug)]
pub struct ById;
/// By name.
#[derive(Debug)]
pub struct ByName;
/// Without comparison.
#[derive(Debug)]
pub struct Untyped;

const RETURNS: &str = "when the last reference is released";

impl Find for ById {
    const BRIEF: Brief = Brief {
        name: "fused-lookup",
        kind: Kind::ReferenceCounting,
        about: "one allocation, plain counts; a virtual call finds the object's place by comparing type identities",
        returns: RETURNS,
    };
    #[inline(always)]
    fn find<D: 'static>(block: &Strong<Plain>) -> Found {
        block.deleter_by_id(TypeId::of::<D>())
    }
}

impl Find for ByName {
    const BRIEF: Brief = Brief {
        name: "fused-lookup-name",
        kind: Kind::ReferenceCounting,
        about: "one allocation, plain counts; a virtual call finds the object's place by comparing type names: \
                make_shared before Boost 1.53 with VC++",
        returns: RETURNS,
    };
    #[inline(always)]
    fn find<D: 'static>(block: &Strong<Plain>) -> Found {
        block.deleter_by_name(type_name::<D>())
    }
}

impl Find for Untyped {
    const BRIEF: Brief = Brief {
        name: "fused-untyped",
        kind: Kind::ReferenceCounting,
        about: "one allocation, plain counts; a virtual call finds the object's place, comparing nothing: \
                make_shared since Boost 1.53",
        returns: RETURNS,
    };
    #[inline(always)]
    fn find<D: 'static>(block: &Strong<Plain>) -> Found {
        block.untyped_deleter()
    }
}

impl<F: Find> Pointer for Fused<F> {
    const BRIEF: Brief = F::BRIEF;
    type Of = Shared<Plain>;

    #[inline(always)]
    fn make<T: Base>(value: T) -> Self::Of {
        let first = Within::<T>::strong();
        // SAFETY: D2; D1; S4: the object lives until `dispose`.
        unsafe {
            let deleter = F::find::<Deleter<T>>(&first).unwrap_unchecked().cast::<Deleter<T>>();
            let object = (&raw mut (*deleter.as_ptr()).storage).cast::<T>();
            object.write(value);
            (*deleter.as_ptr()).initialized = true;
            Shared::new(NonNull::new_unchecked(object), first.clone())
        }
    }
    #[inline(always)]
    fn get(of: &Self::Of) -> &dyn Base {
        of.get()
    }
    fn object_bytes<T: Base>() -> usize {
        size_of::<Within<T>>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pointers::shared::tests::Noted;

    struct Other(u64);
    impl Base for Other {
        fn value(&self) -> u64 {
            self.0
        }
    }

    fn finds<F: Find, D: 'static>() -> bool {
        F::find::<D>(&Within::<Noted>::strong()).is_some()
    }

    #[test]
    fn a_lookup_compares_types() {
        assert!(finds::<ById, Deleter<Noted>>() && !finds::<ById, Deleter<Other>>());
        assert!(finds::<ByName, Deleter<Noted>>() && !finds::<ByName, Deleter<Other>>());
        assert!(finds::<Untyped, Deleter<Noted>>() && finds::<Untyped, Deleter<Other>>());
    }

    #[test]
    fn names_are_compared_to_their_ends() {
        assert!(same_name("", "") && same_name("name", "name"));
        assert!(!same_name("name", "nome") && !same_name("name", "names"));
        assert!(!same_name("name", "nam") && !same_name("", "n"));
    }

    #[test]
    fn a_block_without_an_object_drops_none() {
        let (value, drops) = Noted::new(7);
        drop(Within::<Noted>::strong());
        drop(FusedUntyped::make(value));
        assert_eq!(drops.get(), 1);
    }
}
