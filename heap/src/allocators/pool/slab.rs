//! A slab: equal nodes behind one header.
//!
//! The invariants N1-N5 are those of `pool.rs`.

use super::superblock::Superblock;
use crate::parts::poison;
use std::ptr;

/// Size and alignment of a slab.
pub const SLAB_BYTES: usize = 64 << 10;
/// A slab's header, and its superblock's in the first one.
pub const HEADER_BYTES: usize = 64;
/// Largest node of a slab.
pub const LARGEST_BYTES: usize = 512;
/// Largest alignment of a node: that of a slab's first node.
pub const LARGEST_ALIGN_BYTES: usize = HEADER_BYTES;

/// The header of a slab.
#[repr(C, align(64))]
pub struct Slab {
    /// The node that was freed last; its first word leads to the next one.
    pub free: *mut u8,
    /// The first node that was not used since the slab was reset.
    pub fresh: *mut u8,
    /// The end of the last node.
    pub end: *mut u8,
    /// How many of the nodes in use are freed before `settle` must look.
    pub countdown: u32,
    /// The other nodes in use.
    pub others: u32,
    /// Neighbours in the list of its size, or the next slab without a size.
    pub next: *mut Slab,
    pub prev: *mut Slab,
    pub superblock: *mut Superblock,
    /// Zero in a slab without a size.
    pub node_bytes: u16,
    /// Whether it is in the list of its size.
    pub listed: bool,
}

const _: () = assert!(size_of::<Slab>() == HEADER_BYTES);

struct Full(Slab);

// SAFETY: nobody writes it (N4).
unsafe impl Sync for Full {}

static FULL: Full = Full(Slab {
    free: ptr::null_mut(),
    fresh: ptr::null_mut(),
    end: ptr::null_mut(),
    countdown: 0,
    others: 0,
    next: ptr::null_mut(),
    prev: ptr::null_mut(),
    superblock: ptr::null_mut(),
    node_bytes: 0,
    listed: false,
});

/// Stands at the head of an empty list: a slab that has no node to give.
#[inline(always)]
pub fn full() -> *mut Slab {
    (&raw const FULL.0).cast_mut()
}

/// The slab of a node.
#[inline(always)]
pub fn slab_of(node: *mut u8) -> *mut Slab {
    node.map_addr(|address| address & !(SLAB_BYTES - 1)).cast()
}

/// Makes a slab one of nodes of a size, none of them in use.
///
/// # Safety
///
/// It is a slab of a superblock, without a size.
pub unsafe fn begin(slab: *mut Slab, node_bytes: usize) {
    // SAFETY: by contract all of it is ours; N1.
    unsafe {
        (*slab).node_bytes = node_bytes as u16;
        (*slab).countdown = 0;
        (*slab).others = 0;
        (*slab).listed = false;
        let start = start(slab);
        (*slab).end = start.add(capacity(slab) * node_bytes);
        poison::dead(start, capacity(slab) * node_bytes);
        reset(slab);
    }
}

/// Lets a slab hand out its nodes from the first one on.
///
/// # Safety
///
/// It is a slab with a size, and none of its nodes is in use.
pub unsafe fn reset(slab: *mut Slab) {
    // SAFETY: by contract; N1.
    unsafe {
        (*slab).free = ptr::null_mut();
        (*slab).fresh = start(slab);
    }
}

/// The first node.
///
/// # Safety
///
/// As for the functions below: it is a slab of a superblock.
pub unsafe fn start(slab: *mut Slab) -> *mut u8 {
    // SAFETY: by contract; N5.
    unsafe { slab.byte_add(header_bytes(slab)).cast() }
}

/// # Safety
///
/// It is a slab of a superblock.
pub unsafe fn header_bytes(slab: *mut Slab) -> usize {
    // SAFETY: by contract.
    let superblock = unsafe { (*slab).superblock };
    if slab_of(superblock.cast()) == slab { 2 * HEADER_BYTES } else { HEADER_BYTES }
}

/// How many nodes a slab with a size has.
///
/// # Safety
///
/// It is a slab of a superblock.
pub unsafe fn capacity(slab: *mut Slab) -> usize {
    // SAFETY: by contract.
    unsafe { (SLAB_BYTES - header_bytes(slab)) / usize::from((*slab).node_bytes) }
}

/// Bytes of a slab that are neither free nor in use: its header, and behind
/// the last node.
///
/// # Safety
///
/// It is a slab of a superblock.
pub unsafe fn metadata_bytes(slab: *mut Slab) -> usize {
    // SAFETY: by contract.
    unsafe {
        match usize::from((*slab).node_bytes) {
            0 => header_bytes(slab),
            node_bytes => SLAB_BYTES - capacity(slab) * node_bytes,
        }
    }
}

/// Takes a node, without looking whether there is one for longer than it must.
///
/// # Safety
///
/// It is a slab of nodes of this size, or the full one (N4).
#[inline(always)]
pub unsafe fn take(slab: *mut Slab, node_bytes: usize) -> Option<ptr::NonNull<u8>> {
    // SAFETY: by contract; N2.
    unsafe {
        let mut node = (*slab).free;
        if !node.is_null() {
            (*slab).free = node.cast::<*mut u8>().read();
        } else {
            node = (*slab).fresh;
            if node == (*slab).end {
                return None;
            }
            (*slab).fresh = node.add(node_bytes);
        }
        (*slab).countdown += 1;
        poison::reborn(node, node_bytes);
        Some(ptr::NonNull::new_unchecked(node))
    }
}

/// Lets `settle` look when the next node is freed.
///
/// # Safety
///
/// It is a slab with a size, and has a node in use.
pub unsafe fn watch(slab: *mut Slab) {
    // SAFETY: by contract; N3.
    unsafe {
        (*slab).others += (*slab).countdown - 1;
        (*slab).countdown = 1;
    }
}

/// Checks a slab with a size: that each node is free once, or in use (N2, N3).
///
/// # Safety
///
/// It is a slab of a superblock.
pub unsafe fn check(slab: *mut Slab) -> Result<(), String> {
    // SAFETY: by contract.
    unsafe {
        let (node_bytes, start) = (usize::from((*slab).node_bytes), start(slab));
        let within = |node: *mut u8, end: *mut u8| {
            let offset = node.addr().wrapping_sub(start.addr());
            let inside = start <= node && node <= end && offset.is_multiple_of(node_bytes);
            inside.then_some(offset / node_bytes)
        };
        let begun = within((*slab).fresh, (*slab).end).ok_or("a slab's fresh nodes are nowhere")?;
        let mut free = vec![false; begun];
        let mut node = (*slab).free;
        while !node.is_null() {
            let index = within(node, (*slab).end).filter(|&index| index < begun);
            let index = index.ok_or("a free list leaves the used nodes of its slab")?;
            if std::mem::replace(&mut free[index], true) {
                return Err("a node is on its slab's free list twice".into());
            }
            node = node.cast::<*mut u8>().read();
        }
        let used = free.iter().filter(|&&free| !free).count();
        let (countdown, others) = ((*slab).countdown as usize, (*slab).others as usize);
        if countdown + others != used {
            return Err(format!("{used} nodes are not free, {countdown} + {others} are counted"));
        }
        if countdown == 0 && others > 0 {
            return Err(format!("nobody looks after {others} nodes in use"));
        }
        if !(*slab).listed && used != capacity(slab) {
            return Err(format!("a slab with {used} nodes in use is in no list"));
        }
    }
    Ok(())
}
