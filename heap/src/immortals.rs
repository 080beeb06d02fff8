//! Immortal objects: outside any heap, never counted, never collected, never changed,
//! and read by any number of threads.
//!
//! They lie in one range of addresses, so that a collector tells them from its own
//! objects by one subtraction and one comparison; a counted pointer marks its
//! references to them instead (`parts/mortal.rs`). Only the instances of a heap whose
//! tally is [`Immortal`] make either test: in the others both vanish.
//!
//! Invariants:
//!
//! - I1. `[base, base + top)`, of the `bytes` that there are, was handed out, each part
//!   once, to the thread that fills it; what is filled is not written again before
//!   [`Immortals::clear`]. `FRONT_BYTES` of the same memory lie before `base`.
//! - I2. A heap that may refer to immortal objects holds their region, so the memory
//!   outlives its references. Room is taken, and what was filled is read, under a
//!   `Lease`; `clear` sees that there is none.
//!
//! Papers: CPython's PEP 683, "Immortal objects, using a fixed refcount"; the static
//! data of native OCaml, which its collector tells by address.

use crate::curve::Live;
use crate::parts::mortal::Mortal;
use crate::parts::pointer::Pointer;
use crate::pauses::Pauses;
use crate::sealed::Sealed;
use crate::{Event, Settings, Tally};
use std::alloc::{Layout, alloc, dealloc, handle_alloc_error};
use std::ptr::NonNull;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// A region of immortal objects. Clones are handles of the same one.
#[derive(Clone, Debug)]
pub struct Immortals(Arc<Region>);

#[derive(Debug)]
struct Region {
    base: NonNull<u8>,
    bytes: usize,
    /// What was asked for, which `bytes` is rounded up from.
    limit_bytes: usize,
    top: AtomicUsize,
    /// Leases that were given out and not given back.
    leases: Mutex<usize>,
}

/// The right to take room in a region and to read what is in it, for as long as it lasts.
#[derive(Debug)]
pub(crate) struct Lease(Immortals);

impl Lease {
    /// The region.
    pub fn of(&self) -> &Immortals {
        &self.0
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        *self.0.leases() -= 1;
    }
}

// SAFETY: I1: each thread writes only what was handed out to it, once.
unsafe impl Send for Region {}
// SAFETY: as above; what others read was filled before it was sent to them.
unsafe impl Sync for Region {}

/// Alignment of the region and of the objects in it.
const ALIGN: usize = 16;

/// Unused bytes in front of the first object: a counted reference may lead to where a header
/// would be.
pub(crate) const FRONT_BYTES: usize = ALIGN;

impl Immortals {
    /// Room for so many bytes. The platform gives memory for it as it is filled.
    ///
    /// # Panics
    ///
    /// If that is more than an address space can have.
    pub fn new(limit_bytes: usize) -> Self {
        let layout_of =
            |bytes: usize| Layout::from_size_align(bytes.checked_add(FRONT_BYTES)?, ALIGN).ok();
        let (bytes, layout) = limit_bytes
            .max(1)
            .checked_next_multiple_of(ALIGN)
            .and_then(|bytes| Some((bytes, layout_of(bytes)?)))
            .expect("a region of less than 2^63 bytes");
        // SAFETY: I1: the layout is not empty, `FRONT_BYTES` are in it.
        let Some(front) = NonNull::new(unsafe { alloc(layout) }) else {
            handle_alloc_error(layout)
        };
        // SAFETY: I1: that much was allocated.
        let base = unsafe { front.add(FRONT_BYTES) };
        let (top, leases) = (AtomicUsize::new(0), Mutex::new(0));
        Immortals(Arc::new(Region { base, bytes, limit_bytes, top, leases }))
    }

    /// Whether an address lies in the region.
    #[inline(always)]
    pub fn hold(&self, address: *const u8) -> bool {
        (address as usize).wrapping_sub(self.0.base.as_ptr() as usize) < self.0.bytes
    }

    /// Whether both are handles of one region.
    pub fn same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// Bytes that were handed out.
    pub fn used_bytes(&self) -> usize {
        self.0.top.load(Ordering::Relaxed)
    }

    /// Bytes of room, as they were asked for.
    pub fn limit_bytes(&self) -> usize {
        self.0.limit_bytes
    }

    /// Makes the whole room free again; false where tasks or running programs may still
    /// refer to objects in it.
    pub fn clear(&self) -> bool {
        let leases = self.leases();
        if *leases == 0 {
            self.0.top.store(0, Ordering::Relaxed);
        }
        *leases == 0
    }

    pub(crate) fn lease(&self) -> Lease {
        *self.leases() += 1;
        Lease(self.clone())
    }

    fn leases(&self) -> std::sync::MutexGuard<'_, usize> {
        self.0.leases.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Room of the caller's own, or `None` where too little is left.
    pub(crate) fn take(&self, bytes: usize) -> Option<NonNull<u8>> {
        let bytes = bytes.checked_next_multiple_of(ALIGN)?;
        let end = |top: usize| top.checked_add(bytes).filter(|&end| end <= self.0.bytes);
        let top = self.0.top.fetch_update(Ordering::Relaxed, Ordering::Relaxed, end).ok()?;
        // SAFETY: within the region (I1).
        Some(unsafe { self.0.base.add(top) })
    }
}

impl Drop for Region {
    fn drop(&mut self) {
        // SAFETY: made with this layout (I1); I2: no handle is left.
        unsafe {
            let layout = Layout::from_size_align_unchecked(FRONT_BYTES + self.bytes, ALIGN);
            dealloc(self.base.as_ptr().sub(FRONT_BYTES), layout);
        };
    }
}

/// A tally of heaps whose objects may refer to immortal ones.
#[derive(Default)]
pub struct Immortal<T> {
    tally: T,
    region: Option<Immortals>,
}

impl<T: Tally> Sealed for Immortal<T> {}
impl<T: Tally> Tally for Immortal<T> {
    const ON: bool = T::ON;
    const IMMORTALS: bool = true;
    type Since = T::Since;
    type Sweep = T::Sweep;
    type Mark = T::Mark;
    type Pointer<P: Pointer> = Mortal<P>;

    fn new(settings: &Settings) -> Self {
        Immortal { tally: T::new(settings), region: settings.immortals.clone() }
    }
    #[inline(always)]
    fn is_immortal(&self, address: *const u8) -> bool {
        self.region.as_ref().is_some_and(|region| region.hold(address))
    }
    fn immortals(&self) -> Option<&Immortals> {
        self.region.as_ref()
    }
    #[inline(always)]
    fn add(&mut self, event: Event, by: u64) {
        self.tally.add(event, by);
    }
    #[inline(always)]
    fn get(&self, event: Event) -> u64 {
        self.tally.get(event)
    }
    #[inline(always)]
    fn stop(&mut self) -> T::Since {
        self.tally.stop()
    }
    #[inline(always)]
    fn resume(&mut self, since: T::Since) {
        self.tally.resume(since);
    }
    #[inline(always)]
    fn released(&mut self, since: T::Since) {
        self.tally.released(since);
    }
    #[inline(always)]
    fn sweep_starts(&self) -> T::Sweep {
        self.tally.sweep_starts()
    }
    #[inline(always)]
    fn sweep_ends(&mut self, since: T::Sweep) {
        self.tally.sweep_ends(since);
    }
    fn pauses(&mut self) -> Option<&mut Pauses> {
        self.tally.pauses()
    }
    #[inline(always)]
    fn forgets_write(&mut self) -> bool {
        self.tally.forgets_write()
    }
    #[inline(always)]
    fn mark(&self) -> T::Mark {
        self.tally.mark()
    }
    #[inline(always)]
    fn rewind(&mut self, mark: T::Mark) {
        self.tally.rewind(mark);
    }
    #[inline(always)]
    fn hold(&mut self, cells: u64) {
        self.tally.hold(cells);
    }
    fn curve(&self) -> &[Live] {
        self.tally.curve()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Barrier;

    #[test]
    fn room_is_handed_out_once() {
        let region = Immortals::new(100);
        assert_eq!(region.limit_bytes(), 100);
        let first = region.take(24).unwrap();
        let second = region.take(1).unwrap();
        assert_eq!(second.as_ptr() as usize - first.as_ptr() as usize, 32);
        assert!(region.hold(first.as_ptr()) && !region.hold(first.as_ptr().wrapping_sub(1)));
        assert!(region.take(80).is_none() && region.take(usize::MAX - 64).is_none());
        assert!(region.take(64).is_some() && region.take(1).is_none());
        assert_eq!(region.used_bytes(), 112);
        let lease = region.lease();
        assert!(lease.of().same(&region) && !region.clear(), "somebody may still read it");
        drop(lease);
        assert!(region.clear());
        assert_eq!(region.used_bytes(), 0);
    }

    /// No size is rounded up to one that is too small, in a release build neither.
    #[test]
    fn a_region_without_end_is_refused() {
        let wraps = [usize::MAX, usize::MAX - (ALIGN - 1), usize::MAX - 2 * ALIGN, 1 << 63];
        for bytes in wraps.into_iter().chain([isize::MAX as usize]) {
            let made = std::panic::catch_unwind(|| Immortals::new(bytes));
            assert!(made.is_err(), "{bytes} bytes");
        }
        // None at all is room for no object that has a size.
        assert!(Immortals::new(0).take(ALIGN + 1).is_none());
    }

    /// Threads that ask for more than there is disturb none of those for whom there is enough.
    #[test]
    fn many_threads_are_given_room_apart() {
        const THREADS: usize = 4;
        const ASKS: usize = if cfg!(miri) { 50 } else { 100_000 };
        let region = Immortals::new(THREADS * ASKS * ALIGN);
        let together = Barrier::new(THREADS);
        let ask = |thread: usize| {
            together.wait();
            let grants = (0..ASKS).map(|i| {
                assert!(region.take(region.limit_bytes() + 1 + i).is_none());
                let at = region.take(1 + (i + thread) % ALIGN).expect("its share");
                at.as_ptr() as usize
            });
            grants.collect::<Vec<_>>()
        };
        let mut all: Vec<usize> = std::thread::scope(|scope| {
            let ask = &ask;
            let threads: Vec<_> =
                (0..THREADS).map(|thread| scope.spawn(move || ask(thread))).collect();
            threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
        });
        all.sort_unstable();
        assert!(all.windows(2).all(|pair| pair[0] + ALIGN == pair[1]));
        assert_eq!(region.used_bytes(), region.limit_bytes());
    }
}
