//! Bump allocation: the next object goes where the last one ended.
//!
//! Invariants:
//!
//! - B1. `[top, end)` lies inside one live allocation and holds no object;
//!   `top` is a multiple of 8 (every object size is rounded up to it).
//! - B2. A chunk is freed only when the `Chunks` that owns it says so, when no
//!   object in it is referred to.

use super::poison;
use crate::tally::HeapError;
use std::alloc::{Layout, alloc, dealloc, handle_alloc_error};
use std::ptr::NonNull;

/// Every bump-allocated object starts at a multiple of this.
pub const ALIGN_BYTES: usize = 8;

/// Bytes that an object of type `O` takes.
pub const fn object_bytes<O>() -> usize {
    const { assert!(align_of::<O>() <= ALIGN_BYTES, "objects are aligned to at most 8 bytes") };
    let bytes = size_of::<O>().next_multiple_of(ALIGN_BYTES);
    if bytes == 0 { ALIGN_BYTES } else { bytes }
}

/// The free memory of the current chunk.
#[derive(Clone, Copy)]
pub struct Bump {
    /// Where the next object goes.
    pub top: *mut u8,
    /// Where the chunk ends.
    pub end: *mut u8,
}

impl Bump {
    /// No memory: the first allocation takes the slow path.
    pub const EMPTY: Bump = Bump {
        top: std::ptr::dangling_mut::<u64>().cast(),
        end: std::ptr::dangling_mut::<u64>().cast(),
    };

    /// Takes `bytes` (a multiple of 8), or says that they do not fit.
    #[inline(always)]
    pub fn take(&mut self, bytes: usize) -> Option<NonNull<u8>> {
        let after = self.top.wrapping_add(bytes);
        if after > self.end {
            return None;
        }
        let at = self.top;
        self.top = after;
        poison::reborn(at, bytes);
        // SAFETY: B1: `top` is never null.
        Some(unsafe { NonNull::new_unchecked(at) })
    }

    /// Free bytes.
    pub fn free_bytes(&self) -> usize {
        self.end as usize - self.top as usize
    }
}

/// A block of memory that objects are bumped into.
pub struct Chunk {
    base: NonNull<u8>,
    bytes: usize,
}

impl Chunk {
    /// Allocates a chunk; `bytes` is rounded up to a multiple of 8.
    pub fn new(bytes: usize) -> Self {
        let bytes = bytes.max(ALIGN_BYTES).next_multiple_of(ALIGN_BYTES);
        let layout = Layout::from_size_align(bytes, 64).expect("a chunk fits the address space");
        // SAFETY: the size is not zero.
        let base = unsafe { alloc(layout) };
        let Some(base) = NonNull::new(base) else { handle_alloc_error(layout) };
        Chunk { base, bytes }
    }
    /// Its size.
    pub fn bytes(&self) -> usize {
        self.bytes
    }
    /// Its first address.
    pub fn base(&self) -> *mut u8 {
        self.base.as_ptr()
    }
    /// All of it, free.
    pub fn bump(&self) -> Bump {
        // SAFETY: one past the end of the allocation.
        Bump { top: self.base(), end: unsafe { self.base().add(self.bytes) } }
    }
    /// Whether an address lies in it (or is its end).
    #[inline(always)]
    pub fn spans(&self, address: *mut u8) -> bool {
        (address as usize).wrapping_sub(self.base() as usize) <= self.bytes
    }
}

impl Drop for Chunk {
    fn drop(&mut self) {
        let layout = Layout::from_size_align(self.bytes, 64).expect("as allocated");
        poison::reborn(self.base(), self.bytes);
        // SAFETY: allocated in `new` with this layout (B2).
        unsafe { dealloc(self.base(), layout) }
    }
}

/// Chunks filled one after the other, within a byte limit.
pub struct Chunks {
    /// Free memory of the current (last) chunk.
    pub bump: Bump,
    /// Where the current chunk starts.
    pub base: *mut u8,
    chunks: Vec<Chunk>,
    spare: Option<Chunk>,
    chunk_bytes: usize,
    held_bytes: usize,
    peak_bytes: usize,
    limit_bytes: usize,
    /// Whether a safepoint is wanted: the limit was passed.
    pub alarm: bool,
}

impl Chunks {
    pub fn new(chunk_bytes: usize, limit_bytes: usize) -> Self {
        Chunks {
            bump: Bump::EMPTY,
            base: Bump::EMPTY.top,
            chunks: Vec::new(),
            spare: None,
            chunk_bytes: chunk_bytes.min(limit_bytes),
            held_bytes: 0,
            peak_bytes: 0,
            limit_bytes,
            alarm: false,
        }
    }

    /// Takes memory for an object.
    #[inline(always)]
    pub fn take(&mut self, bytes: usize) -> NonNull<u8> {
        match self.bump.take(bytes) {
            Some(at) => at,
            None => self.take_in_new_chunk(bytes),
        }
    }

    #[cold]
    #[inline(never)]
    fn take_in_new_chunk(&mut self, bytes: usize) -> NonNull<u8> {
        let room_bytes = self.limit_bytes.saturating_sub(self.held_bytes);
        let chunk = match self.spare.take() {
            Some(spare) if spare.bytes() >= bytes => spare,
            _ => Chunk::new(self.chunk_bytes.min(room_bytes).max(bytes)),
        };
        self.held_bytes += chunk.bytes();
        self.peak_bytes = self.peak_bytes.max(self.held_bytes);
        self.alarm |= self.held_bytes > self.limit_bytes;
        self.chunks.push(chunk);
        self.enter_last();
        self.bump.take(bytes).expect("a new chunk has room")
    }

    fn enter_last(&mut self) {
        match self.chunks.last() {
            Some(chunk) => (self.base, self.bump) = (chunk.base(), chunk.bump()),
            None => (self.base, self.bump) = (Bump::EMPTY.top, Bump::EMPTY),
        }
    }

    /// Gives the current chunk back; the one before it becomes current, full.
    pub fn leave_last(&mut self) {
        if let Some(chunk) = self.chunks.pop() {
            // SAFETY: B2: no object in it is referred to.
            unsafe { poison::dead(chunk.base(), chunk.bytes()) };
            self.held_bytes -= chunk.bytes();
            self.spare = Some(chunk);
        }
        self.enter_last();
        self.bump.top = self.bump.end;
    }

    /// Gives everything back to the platform but the first chunk.
    pub fn clear(&mut self) {
        self.spare = None;
        self.chunks.truncate(1);
        self.held_bytes = self.chunks.iter().map(Chunk::bytes).sum();
        self.alarm = self.held_bytes > self.limit_bytes;
        self.enter_last();
        // SAFETY: as by contract of the caller, nothing is referred to any more.
        unsafe { poison::dead(self.base, self.bump.free_bytes()) };
    }

    /// Frees the current chunk from `top` on.
    ///
    /// # Safety
    ///
    /// `top` lies between the start of the current chunk and its top, is a
    /// multiple of 8, and no object above it is referred to.
    #[inline(always)]
    pub unsafe fn drop_to(&mut self, top: *mut u8) {
        // SAFETY: by contract.
        unsafe { poison::dead(top, self.bump.top as usize - top as usize) };
        self.bump.top = top;
    }

    /// Whether an address lies in the current chunk.
    #[inline(always)]
    pub fn in_last(&self, address: *mut u8) -> bool {
        (address as usize).wrapping_sub(self.base as usize)
            <= self.bump.end as usize - self.base as usize
    }

    /// Chunks in use.
    pub fn len(&self) -> usize {
        self.chunks.len()
    }

    /// Bytes of objects, and of earlier chunks' unused ends.
    pub fn used_bytes(&self) -> usize {
        self.held_bytes - self.bump.free_bytes()
    }

    pub fn peak_bytes(&self) -> usize {
        self.peak_bytes
    }

    /// An error once the limit was passed.
    pub fn check(&self) -> Result<(), HeapError> {
        if self.held_bytes > self.limit_bytes {
            return Err(HeapError::OutOfMemory {
                limit_bytes: self.limit_bytes,
                live_bytes: self.used_bytes(),
            });
        }
        Ok(())
    }

    pub fn validate(&self) -> Result<(), String> {
        let held: usize = self.chunks.iter().map(Chunk::bytes).sum();
        if held != self.held_bytes {
            return Err(format!("chunks hold {held} bytes, not {}", self.held_bytes));
        }
        match self.chunks.last() {
            Some(chunk) if chunk.spans(self.bump.top) && chunk.spans(self.bump.end) => Ok(()),
            Some(_) => Err("the top is outside the current chunk".into()),
            None => Ok(()),
        }
    }
}
