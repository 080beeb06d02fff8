//! What `split` and `fused` have in common, as `boost::shared_ptr` has: a handle
//! that names an object and the control block that keeps it.
//!
//! A control block begins with a table of virtual functions, a strong and a
//! weak count of 32 bits each. The weak count stands at one while strong
//! references exist. The last strong one disposes of the object, the last weak
//! one destroys the block, both through the table, since a C++ pointer may have
//! been given a deleter. The deleter can be asked for, by its type or not,
//! through the table too.
//!
//! Handle: three words, the object (two, since a `dyn` reference carries the
//! table of its type, which C++ keeps in the object) and the control block.
//! Counts: those of `parts/split.rs`; one that overflows is stuck.
//!
//! Invariants:
//!
//! - S1. `Control` is the first field of the `Block` whose table it names; the
//!   block was made by `Box`, and its address is derived from the whole of it.
//! - S2. The strong count is stuck, or at least the number of `Strong`s; the
//!   weak count is stuck, or one while strong ones exist.
//! - S3. `dispose` is called by the `Strong` that finds the strong count at zero,
//!   `destroy` by the `Weak` that finds the weak count there; each is once.
//! - S4. The object of a `Shared` lives until its block is disposed of.
//!
//! Sources: Boost 1.48, `smart_ptr/shared_ptr.hpp`,
//! `smart_ptr/detail/sp_counted_base*.hpp`. (Its `destroy` calls the virtual
//! destructor in turn, which is one virtual call more than here.)

use super::Base;
use crate::parts::split::Count;
use std::any::TypeId;
use std::ptr::NonNull;

/// The address of a deleter, if there is one.
pub type Found = Option<NonNull<u8>>;

/// What is virtual in a control block.
struct Table<K: 'static> {
    dispose: unsafe fn(NonNull<Control<K>>),
    destroy: unsafe fn(NonNull<Control<K>>),
    deleter_by_id: unsafe fn(NonNull<Control<K>>, TypeId) -> Found,
    deleter_by_name: unsafe fn(NonNull<Control<K>>, &'static str) -> Found,
    untyped_deleter: unsafe fn(NonNull<Control<K>>) -> Found,
}

/// The beginning of each control block.
pub struct Control<K: 'static> {
    table: &'static Table<K>,
    strong: K,
    weak: K,
}

/// A whole control block, and what it does when it is asked through its table.
///
/// # Safety
///
/// It is `repr(C)`, and its first field is the [`Control`] that it is made of.
pub unsafe trait Block<K: Count>: Sized + 'static {
    /// Ends the object, with its memory if that is not the block's.
    ///
    /// # Safety
    ///
    /// Called once, when nobody uses the object.
    unsafe fn dispose(block: NonNull<Self>);
    /// The deleter in this block, if its type is the one with this identity.
    fn deleter_by_id(block: NonNull<Self>, asked: TypeId) -> Found;
    /// The deleter in this block, if its type is one of this name.
    fn deleter_by_name(block: NonNull<Self>, asked: &'static str) -> Found;
    /// The deleter in this block.
    fn untyped_deleter(block: NonNull<Self>) -> Found;
}

/// The table of blocks of type `B`.
fn table<K: Count, B: Block<K>>() -> &'static Table<K> {
    const {
        &Table {
            // SAFETY: by S3.
            dispose: |control| unsafe { B::dispose(control.cast()) },
            // SAFETY: S1, S3.
            destroy: |control| drop(unsafe { Box::from_raw(control.cast::<B>().as_ptr()) }),
            deleter_by_id: |control, asked| B::deleter_by_id(control.cast(), asked),
            deleter_by_name: |control, asked| B::deleter_by_name(control.cast(), asked),
            untyped_deleter: |control| B::untyped_deleter(control.cast()),
        }
    }
}

/// A strong reference to a control block, whatever it controls.
pub struct Strong<K: Count>(NonNull<Control<K>>);

/// A weak one.
struct Weak<K: Count>(NonNull<Control<K>>);

impl<K: Count> Strong<K> {
    /// Makes a block.
    #[inline(always)]
    pub fn new<B: Block<K>>(block: impl FnOnce(Control<K>) -> B) -> Self {
        let control = Control { table: table::<K, B>(), strong: K::one(), weak: K::one() };
        Strong(NonNull::from(Box::leak(Box::new(block(control)))).cast())
    }

    #[inline(always)]
    fn control(&self) -> &Control<K> {
        // SAFETY: S1 to S3: this reference keeps it.
        unsafe { self.0.as_ref() }
    }

    /// The table, as a virtual call loads it. Volatile, for that load alone: where
    /// a block has just been made, the compiler would know its table, make a plain
    /// call of the virtual one, and find the comparison in it to be true.
    #[inline(always)]
    fn table(&self) -> &'static Table<K> {
        // SAFETY: S1 to S3, as above.
        unsafe { (&raw const (*self.0.as_ptr()).table).read_volatile() }
    }

    /// The block's deleter, if its type has this identity.
    #[inline(always)]
    pub fn deleter_by_id(&self, asked: TypeId) -> Found {
        // SAFETY: S1.
        unsafe { (self.table().deleter_by_id)(self.0, asked) }
    }
    /// The block's deleter, if its type has this name; types of other crates may share it.
    #[inline(always)]
    pub fn deleter_by_name(&self, asked: &'static str) -> Found {
        // SAFETY: S1.
        unsafe { (self.table().deleter_by_name)(self.0, asked) }
    }
    /// The block's deleter.
    #[inline(always)]
    pub fn untyped_deleter(&self) -> Found {
        // SAFETY: S1.
        unsafe { (self.table().untyped_deleter)(self.0) }
    }
}

impl<K: Count> Clone for Strong<K> {
    #[inline(always)]
    fn clone(&self) -> Self {
        self.control().strong.raise();
        Strong(self.0)
    }
}

impl<K: Count> Drop for Strong<K> {
    #[inline(always)]
    fn drop(&mut self) {
        let control = self.control();
        if control.strong.lower() {
            let table = control.table;
            // The block goes even if the object's destructor panics.
            let _block = Weak(self.0);
            // SAFETY: S1, S3, S4.
            unsafe { (table.dispose)(self.0) };
        }
    }
}

impl<K: Count> Drop for Weak<K> {
    #[inline(always)]
    fn drop(&mut self) {
        // SAFETY: S1, S3: the block was not destroyed yet.
        let control = unsafe { self.0.as_ref() };
        if control.weak.lower() {
            // SAFETY: S1, S3.
            unsafe { (control.table.destroy)(self.0) };
        }
    }
}

/// A counted pointer to an object.
pub struct Shared<K: Count> {
    object: NonNull<dyn Base>,
    count: Strong<K>,
}

impl<K: Count> Shared<K> {
    /// A pointer to an object that a block keeps.
    ///
    /// # Safety
    ///
    /// S4: the object lives until the block of `count` is disposed of, and nobody changes it.
    #[inline(always)]
    pub unsafe fn new(object: NonNull<dyn Base>, count: Strong<K>) -> Self {
        Shared { object, count }
    }

    /// The object.
    #[inline(always)]
    pub fn get(&self) -> &dyn Base {
        // SAFETY: S3, S4: `count` keeps it.
        unsafe { self.object.as_ref() }
    }
}

impl<K: Count> Clone for Shared<K> {
    #[inline(always)]
    fn clone(&self) -> Self {
        Shared { object: self.object, count: self.count.clone() }
    }
}

#[cfg(test)]
pub mod tests {
    use super::*;
    use crate::parts::split::{Atomic, Plain};
    use crate::pointers::{FusedUntyped, Pointer, Split, SplitAtomic};
    use std::cell::Cell;
    use std::rc::Rc;

    /// An object that counts how often it is dropped.
    pub struct Noted {
        value: u64,
        drops: Rc<Cell<u32>>,
    }

    impl Noted {
        pub fn new(value: u64) -> (Self, Rc<Cell<u32>>) {
            let drops = Rc::new(Cell::new(0));
            (Noted { value, drops: drops.clone() }, drops)
        }
    }
    impl Base for Noted {
        fn value(&self) -> u64 {
            self.value
        }
    }
    impl Drop for Noted {
        fn drop(&mut self) {
            self.drops.set(self.drops.get() + 1);
        }
    }

    fn shares<K: Count, P: Pointer<Of = Shared<K>>>() {
        let (object, drops) = Noted::new(7);
        let first = P::make(object);
        let counts = |of: &Shared<K>| {
            let control = of.count.control();
            (control.strong.get(), control.weak.get())
        };
        assert_eq!(counts(&first), (1, 1));
        let second = first.clone();
        assert_eq!(counts(&first), (2, 1));
        drop(first);
        assert_eq!((second.get().value(), counts(&second), drops.get()), (7, (1, 1), 0));
        drop(second);
        assert_eq!(drops.get(), 1);
    }

    #[test]
    fn the_last_handle_disposes_of_the_object() {
        shares::<Plain, Split>();
        shares::<Atomic, SplitAtomic>();
        shares::<Plain, FusedUntyped>();
    }
}
