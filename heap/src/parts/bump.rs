//! Bump allocation: the next object goes where the last one ended.
//!
//! Invariants:
//!
//! - B1. `[top, end)` lies inside one live allocation and holds no object;
//!   `top` is a multiple of 8 (every object size is rounded up to it).
//! - B2. A chunk is freed only when the `Chunks` that owns it says so, when no
//!   object in it is referred to.
//! - B3. `floor` lies in the current chunk, at or below `top`: its base, or the
//!   top that `pin` keeps. (A mark or a pin of another chunk cannot be compared
//!   with an address of this one: chunks lie in any order.)

use super::poison;
use crate::Settings;
use crate::tally::HeapError;
use std::alloc::{Layout, alloc, dealloc, handle_alloc_error};
use std::ptr::NonNull;

/// No chunk ends below this address, so that a cell's size can be subtracted
/// from a chunk's end without a test. (No system maps the first 64 KiB.)
pub const LEAST_ADDRESS: usize = 64 << 10;
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
        top: std::ptr::without_provenance_mut(LEAST_ADDRESS),
        end: std::ptr::without_provenance_mut(LEAST_ADDRESS),
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
        let layout = Chunk::layout(bytes);
        // SAFETY: the size is not zero.
        let base = unsafe { alloc(layout) };
        let Some(base) = NonNull::new(base) else { handle_alloc_error(layout) };
        assert!(base.addr().get() >= LEAST_ADDRESS, "the platform maps the lowest addresses");
        Chunk { base, bytes }
    }
    /// One word more than is used, so that the end of a chunk is never the start
    /// of another, whatever the platform's allocator does between them.
    fn layout(bytes: usize) -> Layout {
        Layout::from_size_align(bytes + ALIGN_BYTES, 64).expect("a chunk fits the address space")
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
    /// Whether an address lies in it, or is its end: no other chunk's either way.
    #[inline(always)]
    pub fn spans(&self, address: *mut u8) -> bool {
        (address as usize).wrapping_sub(self.base() as usize) <= self.bytes
    }
}

impl Drop for Chunk {
    fn drop(&mut self) {
        let layout = Chunk::layout(self.bytes);
        poison::reborn(self.base(), self.bytes);
        // SAFETY: allocated in `new` with this layout (B2).
        unsafe { dealloc(self.base(), layout) }
    }
}

/// Chunks filled one after the other, within a byte limit.
pub struct Chunks {
    /// Free memory of the current (last) chunk.
    pub bump: Bump,
    floor: *mut u8,
    /// What `pin` keeps: all chunks before this one (counted from one), and
    /// this one's objects below the address.
    pinned: Option<(usize, *mut u8)>,
    chunks: Vec<Chunk>,
    spare: Option<Chunk>,
    chunk_bytes: usize,
    held_bytes: usize,
    peak_bytes: usize,
    limit_bytes: usize,
    zeal: bool,
    /// Whether a safepoint is wanted: the limit was passed, or always.
    pub alarm: bool,
}

/// Chunks beyond the limit (the rest of a step may need some) are this large.
const LEAST_CHUNK_BYTES: usize = 4 << 10;

impl Chunks {
    pub fn new(chunk_bytes: usize, settings: &Settings) -> Self {
        Chunks {
            bump: Bump::EMPTY,
            floor: Bump::EMPTY.top,
            pinned: None,
            chunks: Vec::new(),
            spare: None,
            chunk_bytes,
            held_bytes: 0,
            peak_bytes: 0,
            limit_bytes: settings.limit_bytes,
            zeal: settings.zealous(),
            alarm: settings.zealous(),
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
        let room_bytes = self.limit_bytes.saturating_sub(self.held_bytes) & !(ALIGN_BYTES - 1);
        let chunk = match self.spare.take() {
            Some(spare) if spare.bytes() >= bytes => spare,
            _ if room_bytes >= bytes => Chunk::new(self.chunk_bytes.min(room_bytes).max(bytes)),
            _ => Chunk::new(self.chunk_bytes.min(LEAST_CHUNK_BYTES).max(bytes)),
        };
        self.held_bytes += chunk.bytes();
        self.peak_bytes = self.peak_bytes.max(self.held_bytes);
        self.alarm |= self.held_bytes > self.limit_bytes;
        self.chunks.push(chunk);
        self.enter_last();
        self.bump.take(bytes).expect("a new chunk has room")
    }

    fn enter_last(&mut self) {
        self.bump = self.chunks.last().map_or(Bump::EMPTY, Chunk::bump);
        self.floor = match self.pinned {
            Some((chunk, top)) if chunk == self.chunks.len() => top,
            _ => self.bump.top,
        };
    }

    /// Frees what was allocated since the top was `mark`, but what is pinned.
    #[inline(always)]
    pub fn rewind(&mut self, mark: *mut u8) {
        let free_bytes = self.bump.end as usize - self.floor as usize;
        if (mark as usize).wrapping_sub(self.floor as usize) <= free_bytes {
            self.free_above(mark);
        } else {
            self.rewind_further(mark);
        }
    }

    /// `rewind` to a mark below the floor, or in an earlier chunk.
    #[cold]
    #[inline(never)]
    fn rewind_further(&mut self, mark: *mut u8) {
        let kept_chunks = self.pinned.map_or(1, |(chunk, _)| chunk.max(1));
        while self.chunks.len() > kept_chunks && !self.in_last(mark) {
            self.leave_last();
        }
        let above_floor = self.in_last(mark) && mark >= self.floor;
        self.free_above(if above_floor { mark } else { self.floor });
    }

    #[inline(always)]
    fn free_above(&mut self, mark: *mut u8) {
        // SAFETY: nothing refers to what was allocated above the mark.
        unsafe { poison::dead(mark, (self.bump.top as usize).wrapping_sub(mark as usize)) };
        self.bump.top = mark;
    }

    fn in_last(&self, address: *mut u8) -> bool {
        self.chunks.last().is_some_and(|chunk| chunk.spans(address))
    }

    /// Leaves the current chunk; the one before it becomes current, full.
    fn leave_last(&mut self) {
        if let Some(chunk) = self.chunks.pop() {
            // SAFETY: nothing refers to this chunk's objects any more.
            unsafe { poison::dead(chunk.base(), chunk.bytes()) };
            self.held_bytes -= chunk.bytes();
            self.spare = Some(chunk);
        }
        self.enter_last();
        self.bump.top = self.bump.end;
    }

    /// Keeps all that is allocated now until `unpin`.
    pub fn pin(&mut self) {
        self.floor = self.bump.top;
        self.pinned = Some((self.chunks.len(), self.floor));
    }

    /// Frees what was pinned; no scope is open.
    pub fn unpin(&mut self) {
        if self.pinned.take().is_some() {
            while self.chunks.len() > 1 {
                self.leave_last();
            }
            self.floor = self.chunks.last().map_or(Bump::EMPTY.top, Chunk::base);
            self.free_above(self.floor);
        }
    }

    /// Frees everything and gives it back to the platform.
    pub fn clear(&mut self) {
        *self = Chunks {
            peak_bytes: self.peak_bytes,
            chunks: Vec::new(),
            spare: None,
            bump: Bump::EMPTY,
            floor: Bump::EMPTY.top,
            pinned: None,
            held_bytes: 0,
            alarm: self.zeal,
            ..*self
        };
    }

    /// Bytes of objects, and of earlier chunks' unused ends.
    pub fn used_bytes(&self) -> usize {
        self.held_bytes - self.bump.free_bytes()
    }

    pub fn peak_bytes(&self) -> usize {
        self.peak_bytes
    }

    /// An error if the limit is passed.
    pub fn check(&mut self) -> Result<(), HeapError> {
        let over = self.held_bytes > self.limit_bytes;
        self.alarm = over || self.zeal;
        if !over {
            return Ok(());
        }
        Err(HeapError::OutOfMemory { limit_bytes: self.limit_bytes, live_bytes: self.used_bytes() })
    }

    /// Whether an object may lie at an address. For checks only; slow.
    pub fn may_hold(&self, address: *mut u8) -> bool {
        let Some((last, full)) = self.chunks.split_last() else { return false };
        full.iter().any(|chunk| chunk.spans(address))
            || last.spans(address) && address < self.bump.top
    }

    pub fn validate(&self) -> Result<(), String> {
        let held: usize = self.chunks.iter().map(Chunk::bytes).sum();
        if held != self.held_bytes {
            return Err(format!("chunks hold {held} bytes, not {}", self.held_bytes));
        }
        let Some(chunk) = self.chunks.last() else { return Ok(()) };
        if !chunk.spans(self.bump.top) || self.bump.end != chunk.bump().end {
            return Err("the top is outside the current chunk".into());
        }
        if !chunk.spans(self.floor) || self.floor > self.bump.top {
            return Err("the floor is not below the top in the current chunk".into());
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::BACKENDS;

    fn chunks(limit_bytes: usize) -> Chunks {
        let mut settings = Settings::new(&BACKENDS[0]);
        settings.limit_bytes = limit_bytes;
        Chunks::new(64, &settings)
    }

    /// Allocates `cells` cells, each filled with its address.
    fn fill(chunks: &mut Chunks, cells: usize) -> Vec<NonNull<u8>> {
        let taken: Vec<_> = (0..cells).map(|_| chunks.take(16)).collect();
        // SAFETY: 16 bytes each.
        taken.iter().for_each(|at| unsafe { at.cast().write(at.as_ptr() as usize) });
        taken
    }

    fn intact(cells: &[NonNull<u8>]) -> bool {
        // SAFETY: cells that were filled and not freed.
        cells.iter().all(|at| unsafe { at.cast::<usize>().read() } == at.as_ptr() as usize)
    }

    #[test]
    fn rewinding_crosses_chunks_and_comes_back_to_the_mark() {
        let mut chunks = chunks(1 << 20);
        let outer = chunks.bump.top;
        let kept = fill(&mut chunks, 3);
        let mark = chunks.bump.top;
        for round in 0..3 {
            let inner = fill(&mut chunks, 9);
            assert!(intact(&kept) && intact(&inner));
            let used_bytes = chunks.used_bytes();
            // A scope that opened in a later chunk closes there, wherever the
            // earlier chunk lies.
            let late = chunks.bump.top;
            fill(&mut chunks, round);
            chunks.rewind(late);
            chunks.validate().unwrap();
            assert_eq!((chunks.bump.top, chunks.used_bytes()), (late, used_bytes));
            chunks.rewind(mark);
            chunks.validate().unwrap();
            assert_eq!(chunks.bump.top, mark);
            assert_eq!(chunks.used_bytes(), 48);
            assert!(intact(&kept));
        }
        chunks.rewind(outer);
        assert_eq!(chunks.used_bytes(), 0);
        assert_eq!(chunks.peak_bytes(), 4 * 64, "fourteen cells at most");
    }

    #[test]
    fn what_is_pinned_stays_until_it_is_unpinned() {
        let mut chunks = chunks(1 << 20);
        let outer = chunks.bump.top;
        fill(&mut chunks, 1);
        let mark = chunks.bump.top;
        let kept = fill(&mut chunks, 6);
        chunks.pin();
        fill(&mut chunks, 20);
        chunks.rewind(mark);
        assert_eq!(chunks.used_bytes(), 7 * 16, "six pinned cells stay");
        let again = fill(&mut chunks, 20);
        assert!(intact(&kept) && intact(&again));
        chunks.rewind(mark);
        chunks.rewind(outer);
        chunks.validate().unwrap();
        assert!(intact(&kept));
        assert_eq!(chunks.used_bytes(), 7 * 16);
        chunks.unpin();
        chunks.validate().unwrap();
        assert_eq!(chunks.used_bytes(), 0);
    }

    #[test]
    fn passing_the_limit_is_an_error_until_memory_is_freed() {
        let mut chunks = chunks(200);
        let mark = chunks.bump.top;
        fill(&mut chunks, 8);
        assert!(!chunks.alarm);
        fill(&mut chunks, 100);
        assert!(chunks.alarm);
        let error = chunks.check().unwrap_err();
        assert!(
            matches!(error, HeapError::OutOfMemory { limit_bytes: 200, live_bytes } if live_bytes >= 108 * 16)
        );
        chunks.rewind(mark);
        assert_eq!(chunks.check(), Ok(()));
        assert!(!chunks.alarm && chunks.held_bytes <= 64);
        fill(&mut chunks, 1);
        chunks.clear();
        assert_eq!(chunks.held_bytes, 0);
        chunks.validate().unwrap();
    }
}
