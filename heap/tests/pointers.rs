//! Every smart pointer of the pointer study: drops each object once, gives all
//! its memory back, and takes as much as it says.

use heap::pointers::{
    Arc, Base, Boxed, FusedLookup, FusedLookupName, FusedUntyped, Intrusive, Pointer, Rc, Split,
    SplitAtomic, Triomphe,
};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

thread_local! {
    /// Allocations of this thread less what it gave back, and their bytes; what
    /// another thread allocated it may give back as well.
    static HELD: Cell<(isize, isize)> = const { Cell::new((0, 0)) };
}

/// The platform's allocator, counting.
struct Counting;

// SAFETY: all is left to the platform's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let (count, bytes) = HELD.get();
        HELD.set((count + 1, bytes + layout.size() as isize));
        // SAFETY: by contract.
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        let (count, bytes) = HELD.get();
        HELD.set((count - 1, bytes - layout.size() as isize));
        // SAFETY: by contract.
        unsafe { System.dealloc(at, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

thread_local! {
    /// Objects dropped on this thread.
    static DROPS: Cell<usize> = const { Cell::new(0) };
}

/// An object with its data before its value.
struct Noted<D> {
    _data: D,
    value: u64,
    panics: bool,
}

impl<D: 'static> Base for Noted<D> {
    fn value(&self) -> u64 {
        self.value
    }
}

impl<D> Drop for Noted<D> {
    fn drop(&mut self) {
        DROPS.set(DROPS.get() + 1);
        if self.panics {
            resume_unwind(Box::new("a destructor that panics"));
        }
    }
}

/// An object without size.
struct Nothing;
impl Base for Nothing {
    fn value(&self) -> u64 {
        3
    }
}
impl Drop for Nothing {
    fn drop(&mut self) {
        DROPS.set(DROPS.get() + 1);
    }
}

/// Data that is aligned to more than any header.
#[repr(align(64))]
struct Aligned;

/// Objects without destructors, of the study's kind.
struct Trivial<const WORDS: usize>(u64, [u64; WORDS]);
impl<const WORDS: usize> Base for Trivial<WORDS> {
    fn value(&self) -> u64 {
        self.0 + self.1.iter().sum::<u64>()
    }
}

/// Something that holds for every pointer.
trait Check {
    fn check<P: Pointer>(&self);
}

fn every_pointer(check: impl Check) {
    check.check::<Boxed>();
    check.check::<Split>();
    check.check::<SplitAtomic>();
    check.check::<FusedLookup>();
    check.check::<FusedLookupName>();
    check.check::<FusedUntyped>();
    check.check::<Rc>();
    check.check::<Arc>();
    check.check::<Triomphe>();
    check.check::<Intrusive>();
}

fn is_dropped_once<P: Pointer, T: Base>(object: T, value: u64) {
    let what = P::BRIEF.name;
    let (held, drops) = (HELD.get(), DROPS.get());
    let pointer = P::make(object);
    assert_eq!(P::get(&pointer).value(), value, "{what}");
    let at = std::ptr::from_ref(P::get(&pointer)).cast::<u8>();
    assert!(at.addr().is_multiple_of(align_of::<T>()), "{what}");
    assert_eq!(DROPS.get(), drops, "{what}");
    drop(pointer);
    assert_eq!(DROPS.get(), drops + 1, "{what}");
    assert_eq!(HELD.get(), held, "{what}");
}

struct DroppedOnce;
impl Check for DroppedOnce {
    fn check<P: Pointer>(&self) {
        is_dropped_once::<P, _>(Noted { _data: (), value: 1, panics: false }, 1);
        is_dropped_once::<P, _>(Noted { _data: [0_u64; 100], value: 2, panics: false }, 2);
        is_dropped_once::<P, _>(Nothing, 3);
        is_dropped_once::<P, _>(Noted { _data: Aligned, value: 4, panics: false }, 4);
    }
}

#[test]
fn each_object_is_read_and_dropped_once() {
    every_pointer(DroppedOnce);
}

/// A destructor that panics is not called again, and the memory is given back all the same.
struct DroppedInPanic;
impl Check for DroppedInPanic {
    fn check<P: Pointer>(&self) {
        let what = P::BRIEF.name;
        let (held, drops) = (HELD.get(), DROPS.get());
        let pointer = P::make(Noted { _data: [0_u64; 4], value: 1, panics: true });
        let end = catch_unwind(AssertUnwindSafe(|| drop(pointer)));
        assert!(end.is_err(), "{what}");
        drop(end);
        assert_eq!(DROPS.get(), drops + 1, "{what}");
        assert_eq!(HELD.get(), held, "{what}");
    }
}

#[test]
fn a_destructor_may_panic() {
    every_pointer(DroppedInPanic);
}

fn takes<P: Pointer, const WORDS: usize>() {
    let held = HELD.get();
    let pointer = P::make(Trivial([1; WORDS].iter().sum(), [1; WORDS]));
    let (count, bytes) = HELD.get();
    assert_eq!(P::get(&pointer).value(), 2 * WORDS as u64);
    let said = (P::ALLOCATIONS as isize, P::object_bytes::<Trivial<WORDS>>() as isize);
    assert_eq!((count - held.0, bytes - held.1), said, "{}, {WORDS}", P::BRIEF.name);
}

struct Takes;
impl Check for Takes {
    fn check<P: Pointer>(&self) {
        takes::<P, 0>();
        takes::<P, 2>();
        takes::<P, 6>();
    }
}

#[test]
fn an_object_takes_as_much_as_is_said() {
    every_pointer(Takes);
}
