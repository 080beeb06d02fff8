//! A counted pointer whose counts lie beside the object, not in it: the model
//! of `boost::shared_ptr<T>(new T)`.
//!
//! A reference is two words: the object, and its control block, a second
//! allocation with a table of virtual functions, a strong and a weak count of
//! 32 bits each, and the object's address once more. The weak count stands at
//! one while strong references exist. The last strong one disposes of the
//! object, the last weak one destroys the control block, both through the
//! table, since a C++ pointer may have been given a deleter.
//!
//! Counts are signed: one that overflows becomes `STUCK`, which no change
//! lets reach zero, so its object stays until the process ends.
//!
//! Invariants:
//!
//! - P1. `Control<K>` is the first field of the `Block<K, T>` whose table it
//!   names, made for the same `T`.
//! - P2. The object is freed by `dispose` alone, called once, when the strong
//!   count has reached zero; the block by `destroy` alone, called once, when
//!   the weak count has.

use super::pointer::{GlobalStore, Pointer};
use std::cell::Cell;
use std::marker::PhantomData;
use std::mem::ManuallyDrop;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicI32, Ordering};

/// Far from zero and from overflow, whatever is added or subtracted once.
const STUCK: i32 = i32::MIN / 2;

/// A 32-bit reference count.
pub trait Count: 'static {
    /// Whether it may be changed by several threads at once.
    const ATOMIC: bool;
    /// A count of one.
    fn one() -> Self;
    fn get(&self) -> i32;
    /// Adds one.
    fn raise(&self);
    /// Subtracts one; whether that leaves zero.
    fn lower(&self) -> bool;
}

/// A count for one thread.
pub struct Plain(Cell<i32>);

impl Plain {
    #[cold]
    fn settle(&self) -> bool {
        if self.0.get() < 0 {
            self.0.set(STUCK);
        }
        self.0.get() == 0
    }
}

impl Count for Plain {
    const ATOMIC: bool = false;
    #[inline(always)]
    fn one() -> Self {
        Plain(Cell::new(1))
    }
    fn get(&self) -> i32 {
        self.0.get()
    }
    #[inline(always)]
    fn raise(&self) {
        self.0.set(self.0.get().wrapping_add(1));
        if self.0.get() < 0 {
            self.settle();
        }
    }
    #[inline(always)]
    fn lower(&self) -> bool {
        self.0.set(self.0.get().wrapping_sub(1));
        if self.0.get() < 0 {
            return self.settle();
        }
        self.0.get() == 0
    }
}

/// A count for many threads, with the memory orders of Boost.
pub struct Atomic(AtomicI32);

impl Atomic {
    #[cold]
    fn settle(&self) -> bool {
        self.0.store(STUCK, Ordering::Relaxed);
        false
    }
}

impl Count for Atomic {
    const ATOMIC: bool = true;
    #[inline(always)]
    fn one() -> Self {
        Atomic(AtomicI32::new(1))
    }
    fn get(&self) -> i32 {
        self.0.load(Ordering::Acquire)
    }
    #[inline(always)]
    fn raise(&self) {
        if self.0.fetch_add(1, Ordering::Relaxed).wrapping_add(1) < 0 {
            self.settle();
        }
    }
    #[inline(always)]
    fn lower(&self) -> bool {
        let before = self.0.fetch_sub(1, Ordering::AcqRel);
        if before <= 0 {
            return self.settle();
        }
        before == 1
    }
}

/// What is virtual in a control block.
struct Table<K: 'static> {
    /// Frees the object, whose value was moved out.
    dispose: unsafe fn(NonNull<Control<K>>),
    /// Frees the block.
    destroy: unsafe fn(NonNull<Control<K>>),
}

/// A control block, whatever it controls.
struct Control<K: 'static> {
    table: &'static Table<K>,
    strong: K,
    weak: K,
}

/// A control block of an object of type `T`.
#[repr(C)]
struct Block<K: 'static, T> {
    control: Control<K>,
    object: NonNull<T>,
}

/// # Safety
///
/// `control` is that of a `Block<K, T>` (P1) whose object is not used again (P2).
unsafe fn dispose<K, T>(control: NonNull<Control<K>>) {
    // SAFETY: by contract; made by `Box` in `new`. The value was moved out.
    unsafe {
        let object = control.cast::<Block<K, T>>().as_ref().object;
        drop(Box::from_raw(object.cast::<ManuallyDrop<T>>().as_ptr()));
    }
}

/// # Safety
///
/// `control` is that of a `Block<K, T>` (P1) that is not used again (P2).
unsafe fn destroy<K, T>(control: NonNull<Control<K>>) {
    // SAFETY: by contract; made by `Box` in `new`.
    drop(unsafe { Box::from_raw(control.cast::<Block<K, T>>().as_ptr()) });
}

/// The pointer, with counts of type `K`.
pub struct Split<K>(PhantomData<K>);

/// A reference of two words.
#[repr(C)]
pub struct Handle<K: 'static, T> {
    object: NonNull<T>,
    control: NonNull<Control<K>>,
}

// SAFETY: R1: `raise` and `lower` keep the strong count at or above the number
// of handles; the object stays where it is until the count is zero (P2).
unsafe impl<K: Count> Pointer for Split<K> {
    type To<T> = Handle<K, T>;
    type Dead<T> = Handle<K, T>;
    type Store = GlobalStore;
    const ATOMIC: bool = K::ATOMIC;

    fn object_bytes<T>() -> usize {
        size_of::<T>() + size_of::<Block<K, T>>()
    }
    fn before_bytes<T>() -> usize {
        0
    }
    #[inline(always)]
    fn new<T>(_: &mut GlobalStore, value: T) -> Handle<K, T> {
        let object = NonNull::from(Box::leak(Box::new(ManuallyDrop::new(value)))).cast();
        let table = const { &Table { dispose: dispose::<K, T>, destroy: destroy::<K, T> } };
        let control = Control { table, strong: K::one(), weak: K::one() };
        let block = NonNull::from(Box::leak(Box::new(Block { control, object })));
        Handle { object, control: block.cast() }
    }
    #[inline(always)]
    fn as_ptr<T>(at: &Handle<K, T>) -> *mut T {
        at.object.as_ptr()
    }
    fn count<T>(at: &Handle<K, T>) -> usize {
        // SAFETY: P2: a handle exists.
        match unsafe { at.control.as_ref() }.strong.get() {
            STUCK => usize::MAX,
            count => usize::try_from(count).unwrap_or(0),
        }
    }
    #[inline(always)]
    fn share<T>(at: &Handle<K, T>) -> Handle<K, T> {
        // SAFETY: P2: a handle exists.
        unsafe { at.control.as_ref() }.strong.raise();
        Handle { ..*at }
    }
    #[inline(always)]
    fn lower<T>(at: Handle<K, T>) -> Option<Handle<K, T>> {
        // SAFETY: P2: this handle exists until here.
        unsafe { at.control.as_ref() }.strong.lower().then_some(at)
    }
    #[inline(always)]
    fn take<T>(_: &mut GlobalStore, dead: Handle<K, T>) -> T {
        // SAFETY: P1, P2: the strong count is zero; each is called once.
        unsafe {
            let value = dead.object.read();
            let table = dead.control.as_ref().table;
            (table.dispose)(dead.control);
            if dead.control.as_ref().weak.lower() {
                (table.destroy)(dead.control);
            }
            value
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts<K: Count>(from: impl Fn(i32) -> K) {
        let count = K::one();
        count.raise();
        assert!(!count.lower());
        assert!(count.lower());
        let count = from(i32::MAX);
        count.raise();
        assert_eq!(count.get(), STUCK);
        for _ in 0..10 {
            assert!(!count.lower());
        }
        count.raise();
        assert_eq!(count.get(), STUCK, "a count that overflowed stays where it is");
    }

    #[test]
    fn a_count_that_overflows_is_stuck() {
        counts(|value| Plain(Cell::new(value)));
        counts(|value| Atomic(AtomicI32::new(value)));
    }
}
