//! Lists of cells that a heap must find again, one word per cell: what the open
//! scopes allocated, or all that was allocated since the last sweep.
//!
//! Memory is asked for in slots: multiples of 16 bytes up to 112, powers of
//! two above. So a cell's address leaves four bits free, and the word says what
//! is needed to free the cell without looking at it.
//!
//! Invariants:
//!
//! - W1. A word is a cell's address (a multiple of 16), plus its class (slot
//!   size / 16), plus 8 while it is marked. Class 0 is that of all larger
//!   slots; the word that follows is then the slot's size.
//! - W2. An index of a cell is that of its first word.

use std::ops::Range;
use std::ptr::{self, NonNull};

/// Every slot starts at a multiple of this.
pub const SLOT_ALIGN_BYTES: usize = 16;
/// Larger slots take two words in a log.
pub const MOST_SMALL_BYTES: usize = 7 * SLOT_ALIGN_BYTES;

const LARGE: usize = 0;
const CLASS: usize = 0b0111;
const MARK: usize = 0b1000;

/// The slot size for an object of `bytes` bytes.
#[inline(always)]
pub const fn slot_bytes(bytes: usize) -> usize {
    if bytes <= MOST_SMALL_BYTES {
        bytes.next_multiple_of(SLOT_ALIGN_BYTES)
    } else {
        bytes.next_power_of_two()
    }
}

/// Words that a slot takes in a log.
#[inline(always)]
pub const fn words_of(slot_bytes: usize) -> usize {
    if slot_bytes <= MOST_SMALL_BYTES { 1 } else { 2 }
}

/// The first word of a cell, marked.
#[inline(always)]
pub fn word_of(at: *mut u8, slot_bytes: usize) -> *mut u8 {
    let class = if slot_bytes <= MOST_SMALL_BYTES { slot_bytes / SLOT_ALIGN_BYTES } else { LARGE };
    debug_assert!(at.addr().is_multiple_of(SLOT_ALIGN_BYTES));
    at.wrapping_add(class + MARK)
}

/// A list of cells.
#[derive(Default)]
pub struct Log {
    words: Vec<*mut u8>,
}

impl Log {
    /// Words in use; the index of the next cell.
    #[inline(always)]
    pub fn len(&self) -> usize {
        self.words.len()
    }

    /// Appends a cell.
    #[inline(always)]
    pub fn push(&mut self, at: NonNull<u8>, slot_bytes: usize) {
        self.words.push(word_of(at.as_ptr(), slot_bytes));
        if words_of(slot_bytes) == 2 {
            self.words.push(ptr::without_provenance_mut(slot_bytes));
        }
    }

    /// Appends a cell.
    ///
    /// # Safety
    ///
    /// There is capacity for the cell's words.
    #[inline(always)]
    pub unsafe fn push_within_capacity(&mut self, at: NonNull<u8>, slot_bytes: usize) {
        debug_assert!(self.words.len() + words_of(slot_bytes) <= self.words.capacity());
        // SAFETY: by contract.
        unsafe {
            let len = self.words.len();
            let end = self.words.as_mut_ptr().add(len);
            end.write(word_of(at.as_ptr(), slot_bytes));
            if words_of(slot_bytes) == 2 {
                end.add(1).write(ptr::without_provenance_mut(slot_bytes));
            }
            self.words.set_len(len + words_of(slot_bytes));
        }
    }

    /// Makes sure that there is capacity for `words` words in all.
    pub fn reserve_words(&mut self, words: usize) {
        self.words.reserve(words.saturating_sub(self.words.len()));
    }

    /// The memory for the words that come next: where it starts and ends.
    #[inline(always)]
    pub fn room(&mut self) -> Range<*mut *mut u8> {
        let room = self.words.spare_capacity_mut().as_mut_ptr_range();
        room.start.cast()..room.end.cast()
    }

    /// Makes more of it.
    #[cold]
    #[inline(never)]
    pub fn grow(&mut self) {
        self.words.reserve(self.words.len().max(64));
    }

    /// Takes over words that were written to `room`.
    ///
    /// # Safety
    ///
    /// `words` words were written there, from its start on (W1).
    #[inline(always)]
    pub unsafe fn advance(&mut self, words: usize) {
        // SAFETY: by contract.
        unsafe { self.words.set_len(self.words.len() + words) }
    }

    /// The cells from an index on, oldest first, with their slot sizes.
    #[inline(always)]
    pub fn from(&self, start: usize) -> Cells<'_> {
        Cells { words: self.words[start..].iter() }
    }

    /// Forgets the cells from an index on.
    #[inline(always)]
    pub fn truncate(&mut self, start: usize) {
        self.words.truncate(start);
    }

    /// Clears the mark of a cell.
    ///
    /// # Safety
    ///
    /// `index` is that of a cell (W2).
    #[inline(always)]
    pub unsafe fn unmark(&mut self, index: usize) {
        debug_assert!(self.words[index].addr() & MARK != 0);
        // SAFETY: by contract.
        let word = unsafe { self.words.get_unchecked_mut(index) };
        *word = word.map_addr(|word| word & !MARK);
    }

    /// Removes the unmarked cells, closing the gaps: an iterator over them that
    /// must be run to its end. `kept` is told the new index of each marked
    /// cell. All in order.
    #[inline(always)]
    pub fn sweep<K: FnMut(usize)>(&mut self, kept: K) -> Sweep<'_, K> {
        Sweep { words: &mut self.words, from: 0, to: 0, kept }
    }

    /// Cells and the bytes of their slots.
    pub fn sum(&self) -> (usize, usize) {
        self.from(0).fold((0, 0), |(cells, sum), (_, bytes)| (cells + 1, sum + bytes))
    }

    /// Whether there is a (marked) cell at an address. For checks only; slow.
    pub fn marks(&self, at: NonNull<u8>, slot_bytes: usize) -> bool {
        self.words.contains(&word_of(at.as_ptr(), slot_bytes))
    }

    /// Bytes of the log itself.
    pub fn held_bytes(&self) -> usize {
        self.words.capacity() * size_of::<*mut u8>()
    }
}

/// The class of a word's cell, and the cell.
#[inline(always)]
fn read(word: *mut u8) -> (usize, NonNull<u8>) {
    // SAFETY: W1: the address of a cell.
    let at = unsafe { NonNull::new_unchecked(word.map_addr(|word| word & !(CLASS | MARK))) };
    (word.addr() & CLASS, at)
}

/// Cells with their slot sizes.
pub struct Cells<'a> {
    words: std::slice::Iter<'a, *mut u8>,
}

impl Iterator for Cells<'_> {
    type Item = (NonNull<u8>, usize);
    #[inline(always)]
    fn next(&mut self) -> Option<Self::Item> {
        let (class, at) = read(*self.words.next()?);
        let slot_bytes = if class == LARGE {
            self.words.next().map_or(0, |size| size.addr())
        } else {
            class * SLOT_ALIGN_BYTES
        };
        Some((at, slot_bytes))
    }
}

/// Unmarked cells with their slot sizes, on their way out of a log.
pub struct Sweep<'a, K: FnMut(usize)> {
    words: &'a mut Vec<*mut u8>,
    from: usize,
    to: usize,
    kept: K,
}

impl<K: FnMut(usize)> Iterator for Sweep<'_, K> {
    type Item = (NonNull<u8>, usize);
    #[inline(always)]
    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let Some(&word) = self.words.get(self.from) else {
                self.words.truncate(self.to);
                return None;
            };
            let (class, at) = read(word);
            let words = if class == LARGE { 2 } else { 1 };
            let from = self.from;
            self.from += words;
            if word.addr() & MARK == 0 {
                let large_bytes = || self.words[from + 1].addr();
                let small_bytes = class * SLOT_ALIGN_BYTES;
                return Some((at, if class == LARGE { large_bytes() } else { small_bytes }));
            }
            (self.kept)(self.to);
            self.words.copy_within(from..self.from, self.to);
            self.to += words;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell(number: usize) -> NonNull<u8> {
        NonNull::new(ptr::without_provenance_mut(number * 1024)).unwrap()
    }

    const SIZES: [usize; 6] = [16, 112, 128, 32, 4096, 16];

    fn log() -> Log {
        let mut log = Log::default();
        SIZES.iter().enumerate().for_each(|(i, &bytes)| log.push(cell(i + 1), bytes));
        log
    }

    #[test]
    fn a_word_tells_the_address_and_the_size() {
        let log = log();
        let expected: Vec<_> = SIZES.iter().enumerate().map(|(i, &b)| (cell(i + 1), b)).collect();
        assert_eq!(log.from(0).collect::<Vec<_>>(), expected);
        assert_eq!(log.from(2).collect::<Vec<_>>(), expected[2..]);
        assert_eq!(log.sum(), (6, SIZES.iter().sum()));
    }

    #[test]
    fn slots_are_never_smaller_than_the_object() {
        assert_eq!([1, 8, 16, 17, 112, 113, 129].map(slot_bytes), [16, 16, 16, 32, 112, 128, 256]);
    }

    #[test]
    fn compacting_keeps_the_marked_in_order() {
        let mut log = log();
        // SAFETY: the indices of the second, third and last cell.
        [1, 2, 7].into_iter().for_each(|index| unsafe { log.unmark(index) });
        let mut kept = Vec::new();
        let dead: Vec<_> = log.sweep(|index| kept.push(index)).collect();
        assert_eq!(dead, [(cell(2), 112), (cell(3), 128), (cell(6), 16)]);
        assert_eq!(kept, [0, 1, 2]);
        assert_eq!(
            log.from(0).collect::<Vec<_>>(),
            [(cell(1), 16), (cell(4), 32), (cell(5), 4096)]
        );
        assert!(log.marks(cell(4), 32) && !log.marks(cell(2), 112));
    }
}
