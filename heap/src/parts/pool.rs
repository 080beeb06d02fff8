//! Pooled cells: free lists of equal cells, carved from chunks.
//!
//! A cell is taken from the head of its size's free list and returns there.
//! An empty list gets a handful of cells carved from the current chunk, so the
//! list names cells in the order of their addresses until they are mixed. A
//! free cell holds the address of the next one in its last word, where a chain
//! cell keeps its `next`. Objects of more than `LARGEST_BYTES` are left to the
//! platform's allocator, one by one.
//!
//! Invariants:
//!
//! - L1. A cell is on the free list of its size, once, or holds an object.
//! - L2. The last word of a cell on a free list is the address of the next
//!   one, or null; all lie in `chunks`.

use super::bump::{Bump, Chunk};
use super::pointer::Store;
use super::poison;
use crate::Settings;
use crate::tally::{HeapError, Stats};
use std::alloc::{Layout, alloc, dealloc, handle_alloc_error};
use std::ptr::{self, NonNull};

/// Largest cell that is pooled.
pub const LARGEST_BYTES: usize = 1 << 10;
/// Memory taken from the platform at once; under zeal, so little that every
/// path is taken early.
const CHUNK_BYTES: usize = 64 << 10;
const ZEAL_CHUNK_BYTES: usize = 256;
/// Carved at once for an empty list.
const CARVE_BYTES: usize = 1 << 10;

/// Memory in cells.
pub struct Pool {
    /// First free cell by size, in words.
    free: [*mut u8; LARGEST_BYTES / 8 + 1],
    bump: Bump,
    chunks: Vec<Chunk>,
    chunk_bytes: usize,
    /// Bytes of pooled cells, free or not.
    carved_bytes: usize,
    large_bytes: usize,
    held_bytes: usize,
    limit_bytes: usize,
    held_peak_bytes: usize,
    /// Bytes of objects, in the counted instance.
    metered_bytes: usize,
    /// Most bytes known to be live at once: by the meter, or when a list ran empty.
    live_peak_bytes: usize,
    alarm: bool,
    zeal: bool,
    /// Whether filters write into the free list without a branch: the
    /// `append` parameter of backends that have it.
    speculate: bool,
}

/// The place of the link in a free cell: its last word.
///
/// # Safety
///
/// `cell` is the address of a cell of this size (a multiple of 8).
#[inline(always)]
pub unsafe fn link_of(cell: *mut u8, bytes: usize) -> *mut *mut u8 {
    // SAFETY: by contract; a cell has at least one word.
    unsafe { cell.add(bytes - size_of::<usize>()).cast() }
}

impl Pool {
    /// Takes a cell of `bytes` bytes (a multiple of 8).
    #[inline(always)]
    pub fn take(&mut self, bytes: usize) -> NonNull<u8> {
        if bytes > LARGEST_BYTES {
            return self.take_large(bytes);
        }
        let cell = match NonNull::new(self.free[bytes / 8]) {
            Some(cell) => cell,
            None => self.carve(bytes),
        };
        // SAFETY: L1, L2.
        self.free[bytes / 8] = unsafe { *link_of(cell.as_ptr(), bytes) };
        poison::reborn(cell.as_ptr(), bytes);
        cell
    }

    /// Puts a run of cells, linked from `first` to `last`, on the free list.
    ///
    /// # Safety
    ///
    /// The cells came from `take(bytes)`, and their objects are not used again;
    /// each but `last` holds the address of the next in its last word (L2).
    #[inline(always)]
    pub unsafe fn give_back(&mut self, first: NonNull<u8>, last: NonNull<u8>, bytes: usize) {
        if bytes > LARGEST_BYTES {
            // SAFETY: by contract.
            return unsafe { self.give_back_large(first, last, bytes) };
        }
        // SAFETY: by contract the last word is ours (L1).
        unsafe { *link_of(last.as_ptr(), bytes) = self.free[bytes / 8] };
        self.free[bytes / 8] = first.as_ptr();
    }

    /// Puts some new cells on an empty free list; returns the first.
    #[cold]
    #[inline(never)]
    fn carve(&mut self, bytes: usize) -> NonNull<u8> {
        let live_bytes = self.live_bytes();
        self.live_peak_bytes = self.live_peak_bytes.max(live_bytes + bytes);
        if self.bump.free_bytes() < bytes {
            let room_bytes = self.limit_bytes.saturating_sub(self.held_bytes) & !7;
            let chunk = Chunk::new(self.chunk_bytes.min(room_bytes).max(bytes));
            self.bump = chunk.bump();
            self.hold(chunk.bytes());
            self.chunks.push(chunk);
        }
        let cells = (CARVE_BYTES.min(self.bump.free_bytes()) / bytes).max(1);
        let first = self.bump.take(cells * bytes).expect("a cell fits");
        self.carved_bytes += cells * bytes;
        let mut next = ptr::null_mut();
        for index in (0..cells).rev() {
            // SAFETY: the cells lie one after the other in what was just taken.
            unsafe {
                let cell = first.as_ptr().add(index * bytes);
                *link_of(cell, bytes) = next;
                poison::dead(cell, bytes - size_of::<usize>());
                next = cell;
            }
        }
        first
    }

    #[inline(never)]
    fn take_large(&mut self, bytes: usize) -> NonNull<u8> {
        let layout = Layout::from_size_align(bytes, 8).expect("an object fits the address space");
        self.large_bytes += bytes;
        self.hold(bytes);
        self.live_peak_bytes = self.live_peak_bytes.max(self.large_bytes);
        // SAFETY: the size is not zero.
        NonNull::new(unsafe { alloc(layout) }).unwrap_or_else(|| handle_alloc_error(layout))
    }

    /// # Safety
    ///
    /// As for `give_back`.
    #[inline(never)]
    unsafe fn give_back_large(&mut self, first: NonNull<u8>, last: NonNull<u8>, bytes: usize) {
        let layout = Layout::from_size_align(bytes, 8).expect("as allocated");
        let mut cell = first;
        loop {
            // SAFETY: by contract; allocated in `take_large` with this layout.
            let next = unsafe { *link_of(cell.as_ptr(), bytes) };
            // SAFETY: likewise.
            unsafe { dealloc(cell.as_ptr(), layout) };
            self.large_bytes -= bytes;
            self.held_bytes -= bytes;
            match NonNull::new(next) {
                Some(next) if cell != last => cell = next,
                _ => return,
            }
        }
    }

    fn hold(&mut self, bytes: usize) {
        self.held_bytes += bytes;
        self.held_peak_bytes = self.held_peak_bytes.max(self.held_bytes);
        self.alarm |= self.held_bytes > self.limit_bytes;
    }

    /// Each free cell of each size, with its size.
    fn free_cells(&self) -> impl Iterator<Item = (*mut u8, usize)> {
        self.free.iter().enumerate().flat_map(|(words, &first)| {
            let bytes = words * 8;
            // SAFETY: L2.
            let next = move |&cell: &*mut u8| unsafe { *link_of(cell, bytes) };
            let next = move |cell: &*mut u8| Some(next(cell)).filter(|next| !next.is_null());
            std::iter::successors(Some(first).filter(|first| !first.is_null()), next)
                .map(move |cell| (cell, bytes))
        })
    }

    /// Bytes of objects, counted by walking the free lists.
    fn live_bytes(&self) -> usize {
        self.carved_bytes + self.large_bytes
            - self.free_cells().map(|(_, bytes)| bytes).sum::<usize>()
    }
}

impl Store for Pool {
    const METERED: bool = false;
    fn new(settings: &Settings) -> Self {
        let zeal = settings.zealous();
        Pool {
            free: [ptr::null_mut(); LARGEST_BYTES / 8 + 1],
            bump: Bump::EMPTY,
            chunks: Vec::new(),
            chunk_bytes: if zeal { ZEAL_CHUNK_BYTES } else { CHUNK_BYTES },
            carved_bytes: 0,
            large_bytes: 0,
            held_bytes: 0,
            limit_bytes: settings.limit_bytes,
            held_peak_bytes: 0,
            metered_bytes: 0,
            live_peak_bytes: 0,
            alarm: zeal,
            zeal,
            speculate: settings.values().any(|set| set == ("append", "speculate")),
        }
    }
    fn made(&mut self, bytes: usize) {
        self.metered_bytes += bytes;
        self.live_peak_bytes = self.live_peak_bytes.max(self.metered_bytes);
    }
    fn freed(&mut self, bytes: usize) {
        self.metered_bytes -= bytes;
    }
    #[inline(always)]
    fn alarmed(&self) -> bool {
        self.alarm
    }
    fn check(&mut self) -> Result<(), HeapError> {
        self.alarm = self.zeal;
        if self.held_bytes > self.limit_bytes {
            self.alarm = true;
            let live_bytes = self.live_bytes();
            return Err(HeapError::OutOfMemory { limit_bytes: self.limit_bytes, live_bytes });
        }
        Ok(())
    }
    /// Forgets all chunks but one when no object is left.
    fn settle(&mut self) {
        if self.live_bytes() > 0 {
            return;
        }
        self.free.fill(ptr::null_mut());
        self.carved_bytes = 0;
        self.chunks.truncate(1);
        self.held_bytes = self.chunks.iter().map(Chunk::bytes).sum();
        self.bump = self.chunks.first().map_or(Bump::EMPTY, Chunk::bump);
        poison::reborn(self.bump.top, self.bump.free_bytes());
        self.alarm = self.zeal || self.held_bytes > self.limit_bytes;
    }
    fn fill(&self, stats: &mut Stats) {
        stats.live_bytes = self.live_bytes();
        stats.live_peak_bytes = self.live_peak_bytes.max(stats.live_bytes);
        stats.heap_peak_bytes = self.held_peak_bytes;
    }
    #[inline(always)]
    fn speculates(&self, bytes: usize) -> bool {
        bytes <= LARGEST_BYTES && self.speculate
    }
    #[inline(always)]
    fn free_list(&mut self, bytes: usize) -> &mut *mut u8 {
        &mut self.free[bytes / 8]
    }
    fn may_hold(&self, address: *mut u8) -> bool {
        self.large_bytes > 0 || self.chunks.iter().any(|chunk| chunk.spans(address))
    }
    fn validate(&self) -> Result<(), String> {
        let most = self.carved_bytes / 8;
        let mut count = 0;
        for (cell, bytes) in self.free_cells() {
            count += 1;
            if count > most {
                return Err(format!("a free list is cyclic, perhaps that of {bytes} bytes"));
            }
            if !self.chunks.iter().any(|chunk| chunk.spans(cell)) {
                return Err(format!("the free list of {bytes} bytes leaves its chunks"));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::heap::Backend;

    fn pool(limit_bytes: usize) -> Pool {
        let mut settings = Settings::new(&crate::backends::fused::Fused::INFO);
        settings.limit_bytes = limit_bytes;
        Pool::new(&settings)
    }

    #[test]
    fn cells_of_all_sizes_are_distinct_and_come_back() {
        let mut pool = pool(1 << 30);
        let sizes = [8, 16, 24, 1 << 10, (1 << 10) + 8, 1 << 20];
        let mut taken = Vec::new();
        for round in 0..500 {
            let bytes = sizes[round % sizes.len()];
            let cell = pool.take(bytes);
            // SAFETY: the cell has this size.
            unsafe { cell.write_bytes(round as u8, bytes) };
            taken.push((cell, bytes, round as u8));
        }
        assert_eq!(pool.live_bytes(), taken.iter().map(|(_, bytes, _)| bytes).sum());
        for &(cell, bytes, byte) in &taken {
            assert!(pool.may_hold(cell.as_ptr()));
            // SAFETY: the cell holds what was written, and is not used again.
            unsafe {
                assert!((0..bytes).all(|at| cell.add(at).read() == byte));
                pool.give_back(cell, cell, bytes);
            }
        }
        pool.validate().unwrap();
        assert_eq!(pool.live_bytes(), 0);
        pool.settle();
        assert!(pool.held_bytes <= CHUNK_BYTES);
    }

    #[test]
    fn a_run_of_cells_keeps_its_order() {
        let mut pool = pool(1 << 20);
        let cells: Vec<_> = (0..10).map(|_| pool.take(16)).collect();
        for pair in cells.windows(2) {
            // SAFETY: cells of 16 bytes.
            unsafe { *link_of(pair[0].as_ptr(), 16) = pair[1].as_ptr() };
        }
        // SAFETY: linked just now, and not used again.
        unsafe { pool.give_back(cells[0], cells[9], 16) };
        assert!(cells.iter().all(|&cell| pool.take(16) == cell));
    }

    #[test]
    fn the_limit_is_an_error_at_the_next_check() {
        let mut pool = pool(100);
        for _ in 0..4 {
            pool.take(24);
            assert!(pool.check().is_ok());
        }
        pool.take(24);
        assert!(pool.alarmed());
        assert_eq!(
            pool.check(),
            Err(HeapError::OutOfMemory { limit_bytes: 100, live_bytes: 5 * 24 })
        );
    }
}
