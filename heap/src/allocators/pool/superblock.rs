//! Superblocks: where slabs come from, and when their memory goes back.
//!
//! A superblock is some slabs in one piece of the platform's memory. Its record
//! lies in its first slab, behind that slab's header. Those in use are in a
//! circle, the ones with a free slab first; empty ones are spare, or go back.
//!
//! Spare superblocks are kept up to an eighth of the most that were in use
//! lately, and at least one. Lately: in this epoch or the one before, and an
//! epoch ends when as many slabs fell empty as its peak had. So a program that
//! fills and empties its containers again and again finds a part of their
//! memory again, and a peak that does not return is forgotten.
//!
//! The invariants N1-N5 are those of `pool.rs`.

use super::slab::{self, HEADER_BYTES, SLAB_BYTES, Slab};
use crate::parts::poison;
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::ptr::{self, NonNull};

/// What part of the peak may be spare.
const SPARE_PART: u32 = 8;

/// The record of a superblock.
#[repr(C)]
pub struct Superblock {
    /// Slabs that had a size once and have none now, linked by `next`.
    free: *mut Slab,
    next: *mut Superblock,
    prev: *mut Superblock,
    slabs: u32,
    /// Slabs that have a header.
    begun: u32,
    /// Slabs that have a size.
    used: u32,
}

const _: () = assert!(size_of::<Superblock>() <= HEADER_BYTES);

/// The superblocks of a pool.
pub struct Superblocks {
    /// The first of those in use: it has a free slab, or none of them has.
    front: Cell<*mut Superblock>,
    spare: Cell<*mut Superblock>,
    held_bytes: Cell<usize>,
    spares: Cell<u32>,
    used: Cell<u32>,
    peak: Cell<u32>,
    peak_before: Cell<u32>,
    /// Slabs that fell empty in this epoch.
    emptied: Cell<u32>,
    most_slabs: u32,
}

fn layout(slabs: u32) -> Option<Layout> {
    Layout::from_size_align(slabs as usize * SLAB_BYTES, SLAB_BYTES).ok()
}

impl Superblocks {
    /// None yet; each will have this many slabs, or fewer near the limit.
    pub fn new(most_slabs: u32) -> Self {
        Superblocks {
            front: Cell::new(ptr::null_mut()),
            spare: Cell::new(ptr::null_mut()),
            held_bytes: Cell::new(0),
            spares: Cell::new(0),
            used: Cell::new(0),
            peak: Cell::new(0),
            peak_before: Cell::new(0),
            emptied: Cell::new(0),
            most_slabs,
        }
    }

    /// Bytes of all superblocks.
    pub fn held_bytes(&self) -> usize {
        self.held_bytes.get()
    }

    /// A slab without a size; at most this many bytes are asked of the platform.
    pub fn take(&self, room_bytes: usize) -> Option<*mut Slab> {
        let mut from = self.front.get();
        // SAFETY: N5: what `front` and `spare` lead to are superblocks.
        unsafe {
            if from.is_null() || (*from).used == (*from).slabs {
                from = self.take_spare().or_else(|| self.ask(room_bytes))?;
                self.insert(from);
                self.used.update(|used| used + 1);
                self.peak.update(|peak| peak.max(self.used.get()));
            }
            let mut slab = (*from).free;
            if slab.is_null() {
                slab = slab::slab_of(from.cast()).byte_add((*from).begun as usize * SLAB_BYTES);
                (*from).begun += 1;
                (&raw mut (*slab).superblock).write(from);
            } else {
                (*from).free = (*slab).next;
            }
            (*from).used += 1;
            if (*from).used == (*from).slabs {
                self.front.set((*from).next);
            }
            Some(slab)
        }
    }

    /// Takes a slab back.
    ///
    /// # Safety
    ///
    /// It is from `take`, and nothing in it is used again.
    pub unsafe fn give_back(&self, slab: *mut Slab) {
        // SAFETY: by contract; N5.
        unsafe {
            let to = (*slab).superblock;
            (*slab).node_bytes = 0;
            (*slab).next = (*to).free;
            (*to).free = slab;
            if (*to).used == (*to).slabs {
                self.remove(to);
                self.insert(to);
            }
            (*to).used -= 1;
            if (*to).used == 0 {
                self.retire(to);
            }
        }
        self.emptied.update(|emptied| emptied + 1);
        if self.emptied.get() >= self.peak.get() * self.most_slabs {
            self.emptied.set(0);
            self.peak_before.set(self.peak.replace(self.used.get()));
        }
        self.keep((self.peak.get().max(self.peak_before.get()) / SPARE_PART).max(1));
    }

    /// Gives all spare superblocks back to the platform.
    pub fn trim(&self) {
        self.keep(0);
    }

    /// A superblock of the platform.
    fn ask(&self, room_bytes: usize) -> Option<*mut Superblock> {
        let slabs = (room_bytes / SLAB_BYTES).min(self.most_slabs as usize) as u32;
        let layout = layout(slabs).filter(|layout| layout.size() > 0)?;
        // SAFETY: the size is not zero.
        let base = NonNull::new(unsafe { System.alloc(layout) })?;
        self.held_bytes.update(|bytes| bytes + layout.size());
        // SAFETY: the memory is ours; the record fits behind the first header.
        unsafe {
            let superblock = base.as_ptr().add(HEADER_BYTES).cast::<Superblock>();
            let (next, prev) = (ptr::null_mut(), ptr::null_mut());
            let free = ptr::null_mut();
            superblock.write(Superblock { free, next, prev, slabs, begun: 0, used: 0 });
            Some(superblock)
        }
    }

    /// Takes a superblock that fell empty out of use.
    ///
    /// # Safety
    ///
    /// It is in the circle, and none of its slabs has a size.
    unsafe fn retire(&self, superblock: *mut Superblock) {
        // SAFETY: by contract; N5. Its slabs will be taken in their order.
        unsafe {
            self.remove(superblock);
            (*superblock).free = ptr::null_mut();
            (*superblock).begun = 0;
            (*superblock).next = self.spare.replace(superblock);
        }
        self.spares.update(|spares| spares + 1);
        self.used.update(|used| used - 1);
    }

    /// Gives back spare superblocks, but for some.
    fn keep(&self, most: u32) {
        while self.spares.get() > most
            && let Some(superblock) = self.take_spare()
        {
            // SAFETY: N5: asked for with this layout, and none of it is used.
            unsafe { self.free(superblock) };
        }
    }

    /// # Safety
    ///
    /// The superblock is in no list, and nothing in it is used again.
    unsafe fn free(&self, superblock: *mut Superblock) {
        // SAFETY: by contract; allocated by `ask` with this layout.
        unsafe {
            let slabs = (*superblock).slabs;
            let base = superblock.byte_sub(HEADER_BYTES).cast::<u8>();
            if let Some(layout) = layout(slabs) {
                poison::reborn(base, layout.size());
                self.held_bytes.update(|bytes| bytes - layout.size());
                System.dealloc(base, layout);
            }
        }
    }

    fn take_spare(&self) -> Option<*mut Superblock> {
        let superblock = NonNull::new(self.spare.get())?.as_ptr();
        // SAFETY: N5.
        self.spare.set(unsafe { (*superblock).next });
        self.spares.update(|spares| spares - 1);
        Some(superblock)
    }

    /// Puts a superblock at the front of the circle.
    ///
    /// # Safety
    ///
    /// It is in no list.
    unsafe fn insert(&self, superblock: *mut Superblock) {
        let front = self.front.replace(superblock);
        // SAFETY: by contract; N5.
        unsafe {
            let (next, prev) =
                if front.is_null() { (superblock, superblock) } else { (front, (*front).prev) };
            (*superblock).next = next;
            (*superblock).prev = prev;
            (*next).prev = superblock;
            (*prev).next = superblock;
        }
    }

    /// Takes a superblock out of the circle.
    ///
    /// # Safety
    ///
    /// It is in the circle.
    unsafe fn remove(&self, superblock: *mut Superblock) {
        // SAFETY: by contract; N5.
        unsafe {
            let (next, prev) = ((*superblock).next, (*superblock).prev);
            (*prev).next = next;
            (*next).prev = prev;
            if self.front.get() == superblock {
                self.front.set(if next == superblock { ptr::null_mut() } else { next });
            }
        }
    }

    /// Those in use, front first, then the spare ones.
    fn all(&self) -> impl Iterator<Item = *mut Superblock> {
        // SAFETY: N5; the lists do not change while the pool is borrowed here.
        let after = |at: &*mut Superblock| NonNull::new(unsafe { (**at).next });
        let front = NonNull::new(self.front.get()).map(NonNull::as_ptr);
        let spare = NonNull::new(self.spare.get()).map(NonNull::as_ptr);
        let more = move |at: &*mut Superblock| {
            after(at).map(NonNull::as_ptr).filter(|&next| Some(next) != front)
        };
        let spares = move |at: &*mut Superblock| after(at).map(NonNull::as_ptr);
        std::iter::successors(front, more).chain(std::iter::successors(spare, spares))
    }

    /// Each slab that has a header.
    pub fn slabs(&self) -> impl Iterator<Item = *mut Slab> {
        self.all().flat_map(|superblock| {
            let first = slab::slab_of(superblock.cast());
            // SAFETY: N5.
            let begun = unsafe { (*superblock).begun as usize };
            (0..begun).map(move |index| first.wrapping_byte_add(index * SLAB_BYTES))
        })
    }

    /// Bytes of headers, used or not yet, and behind the last nodes of slabs.
    pub fn metadata_bytes(&self) -> usize {
        // SAFETY: N5.
        let unused = |at: *mut Superblock| unsafe { (*at).slabs - (*at).begun } as usize;
        let records: usize = self.all().map(|at| unused(at) * HEADER_BYTES).sum();
        // SAFETY: N5.
        let spares = self.all().filter(|&at| unsafe { (*at).begun == 0 }).count();
        // SAFETY: N5.
        let slabs: usize = self.slabs().map(|slab| unsafe { slab::metadata_bytes(slab) }).sum();
        records + spares * HEADER_BYTES + slabs
    }

    /// Checks counts and lists (N5).
    pub fn check(&self) -> Result<(), String> {
        let (mut held_bytes, mut used, mut spares, mut all_full) = (0, 0, 0, false);
        for superblock in self.all() {
            // SAFETY: N5.
            unsafe {
                let Superblock { slabs, begun, used: with_size, mut free, .. } = *superblock;
                held_bytes += slabs as usize * SLAB_BYTES;
                let mut without = 0;
                while !free.is_null() && without <= begun {
                    if (*free).superblock != superblock || (*free).node_bytes != 0 {
                        return Err("a superblock has a free slab that is not its own".into());
                    }
                    without += 1;
                    free = (*free).next;
                }
                if begun > slabs || with_size + without != begun {
                    return Err(format!("{with_size} and {without} slabs are not all {begun}"));
                }
                if with_size == 0 {
                    spares += 1;
                    continue;
                }
                used += 1;
                if all_full && with_size < slabs {
                    return Err("a superblock with a free slab is behind a full one".into());
                }
                all_full = with_size == slabs;
            }
        }
        let counted = (self.held_bytes.get(), self.used.get(), self.spares.get());
        if counted != (held_bytes, used, spares) {
            let found = (held_bytes, used, spares);
            return Err(format!("bytes, superblocks in use, spare: {found:?}, not {counted:?}"));
        }
        Ok(())
    }
}

impl Drop for Superblocks {
    fn drop(&mut self) {
        self.trim();
        while let Some(superblock) = NonNull::new(self.front.get()) {
            // SAFETY: N5; the pool ends, and its nodes with it.
            unsafe {
                self.remove(superblock.as_ptr());
                self.free(superblock.as_ptr());
            }
        }
    }
}
