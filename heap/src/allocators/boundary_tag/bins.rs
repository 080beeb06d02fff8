//! Free chunks in segregated lists: a bin for each size below 1 KiB, and for
//! larger ones, as in TLSF, eight bins for each power of two. A bit for each bin
//! says whether it holds any, so finding a chunk takes a bounded number of steps.

use super::chunk::{BEFORE_FREE, Chunk, FREE, LEAST_BYTES, MOST_BYTES, STEP_BYTES};
use crate::parts::poison;

const SMALL_BINS: usize = 64;
/// Chunks of fewer bytes have a bin for their size alone.
pub const EXACT_BYTES: usize = SMALL_BINS * STEP_BYTES;
/// Second-level bins of a power of two, and their logarithm.
const STEPS: usize = 8;
const STEPS_LOG: u32 = STEPS.ilog2();
/// Two requests and the rest of a segment may be one free chunk.
const POWERS: usize = (MOST_BYTES.ilog2() + 2 - EXACT_BYTES.ilog2()) as usize;
const BINS: usize = SMALL_BINS + POWERS * STEPS;
const WORDS: usize = BINS.div_ceil(64);

/// The bin of chunks of so many bytes.
#[inline(always)]
pub const fn bin_of(bytes: usize) -> usize {
    if bytes < EXACT_BYTES {
        bytes / STEP_BYTES
    } else {
        let log = bytes.ilog2();
        let bin = SMALL_BINS - STEPS
            + (log - EXACT_BYTES.ilog2()) as usize * STEPS
            + (bytes >> (log - STEPS_LOG));
        if bin < BINS { bin } else { BINS - 1 }
    }
}

/// The free chunks.
pub struct Bins {
    /// A bit for each bin that holds a chunk.
    filled: [u64; WORDS],
    /// A bit for each of those words that is not zero.
    words: u64,
    heads: [Option<Chunk>; BINS],
}

impl Bins {
    pub const fn new() -> Self {
        Bins { filled: [0; WORDS], words: 0, heads: [None; BINS] }
    }

    /// Whether there is no free chunk.
    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.words == 0
    }

    /// Adds a chunk.
    ///
    /// # Safety
    ///
    /// It is free, of so many bytes, and in no bin.
    #[inline(always)]
    pub unsafe fn insert(&mut self, chunk: Chunk, bytes: usize) {
        let bin = bin_of(bytes);
        let head = self.heads[bin];
        // SAFETY: by contract; B4 for the head of a bin.
        unsafe {
            chunk.set_next(head);
            chunk.set_prev(None);
            match head {
                Some(head) => head.set_prev(Some(chunk)),
                None => {
                    self.filled[bin / 64] |= 1 << (bin % 64);
                    self.words |= 1 << (bin / 64);
                }
            }
        }
        self.heads[bin] = Some(chunk);
    }

    /// Takes out a chunk.
    ///
    /// # Safety
    ///
    /// It is in the bin of so many bytes.
    #[inline(always)]
    pub unsafe fn remove(&mut self, chunk: Chunk, bytes: usize) {
        // SAFETY: B4: a free chunk and its neighbours in the bin.
        unsafe {
            let (next, prev) = (chunk.next(), chunk.prev());
            if let Some(next) = next {
                next.set_prev(prev);
            }
            match prev {
                Some(prev) => prev.set_next(next),
                None => self.set_head(bin_of(bytes), next),
            }
        }
    }

    /// A chunk takes the place of another, or is that one with other bytes: in the same bin, as most
    /// are that are carved from or merged with a large one, only links change, if any.
    ///
    /// # Safety
    ///
    /// As of `remove` for the old one, and of `insert` for the new one.
    #[inline(always)]
    pub unsafe fn replace(&mut self, old: (Chunk, usize), new: (Chunk, usize)) {
        let bin = bin_of(new.1);
        // SAFETY: B4: a free chunk and its neighbours in the bin.
        unsafe {
            if bin != bin_of(old.1) {
                self.remove(old.0, old.1);
                self.insert(new.0, new.1);
            } else if old.0 != new.0 {
                let (next, prev) = (old.0.next(), old.0.prev());
                new.0.set_next(next);
                new.0.set_prev(prev);
                if let Some(next) = next {
                    next.set_prev(Some(new.0));
                }
                match prev {
                    Some(prev) => prev.set_next(Some(new.0)),
                    None => self.heads[bin] = Some(new.0),
                }
            }
        }
    }

    #[inline(always)]
    fn set_head(&mut self, bin: usize, head: Option<Chunk>) {
        self.heads[bin] = head;
        if head.is_none() {
            self.filled[bin / 64] &= !(1 << (bin % 64));
            if self.filled[bin / 64] == 0 {
                self.words &= !(1 << (bin / 64));
            }
        }
    }

    /// Takes out a chunk of exactly so many bytes, fewer than `EXACT_BYTES`, as one in use.
    #[inline(always)]
    pub fn pop_exact(&mut self, bytes: usize) -> Option<Chunk> {
        let chunk = self.heads[bin_of(bytes)]?;
        // SAFETY: B4: a free chunk of this size and its neighbours in the bin; B1: another follows.
        unsafe {
            let next = chunk.next();
            if let Some(next) = next {
                next.set_prev(None);
            }
            self.set_head(bin_of(bytes), next);
            chunk.clear(FREE);
            poison::reborn(chunk.as_ptr(), bytes);
            chunk.after(bytes).clear(BEFORE_FREE);
        }
        Some(chunk)
    }

    /// A chunk of at least so many bytes: of the bin where each is large enough, but for
    /// the first of the bin of this size, so that what was given back serves the same size again.
    #[inline(always)]
    pub fn find(&self, bytes: usize) -> Option<Chunk> {
        let own = bin_of(bytes);
        match self.heads[own] {
            // SAFETY: B4: a free chunk.
            Some(chunk) if unsafe { chunk.bytes() } >= bytes => Some(chunk),
            _ => self.heads[self.first_filled(own + 1)?],
        }
    }

    /// The first bin from here on that holds any.
    #[inline(always)]
    fn first_filled(&self, bin: usize) -> Option<usize> {
        let bits = self.filled.get(bin / 64)? & (u64::MAX << (bin % 64));
        if bits != 0 {
            return Some(bin / 64 * 64 + bits.trailing_zeros() as usize);
        }
        let words = self.words & (u64::MAX << (bin / 64) << 1);
        let word = words.trailing_zeros() as usize;
        Some(word * 64 + self.filled.get(word)?.trailing_zeros() as usize)
    }

    /// A chunk of the last bin that holds any: of an eighth fewer bytes than the largest, at worst.
    pub fn large(&self) -> Option<Chunk> {
        let word = self.words.checked_ilog2()? as usize;
        self.heads[word * 64 + self.filled[word].ilog2() as usize]
    }

    /// Checks that the bins hold these chunks, each with its bytes, and no other.
    pub fn validate(
        &self,
        mut free: std::collections::BTreeMap<Chunk, usize>,
    ) -> Result<(), String> {
        for (bin, &head) in self.heads.iter().enumerate() {
            let filled = self.filled[bin / 64] >> (bin % 64) & 1 == 1;
            if filled != head.is_some() {
                return Err(format!("the bit of bin {bin} does not say what it holds"));
            }
            let (mut prev, mut at) = (None, head);
            while let Some(chunk) = at {
                let Some(bytes) = free.remove(&chunk) else {
                    return Err(format!("bin {bin} holds a chunk that is not free, or twice"));
                };
                if bytes < LEAST_BYTES || bin_of(bytes) != bin {
                    return Err(format!("bin {bin} holds a chunk of {bytes} bytes"));
                }
                // SAFETY: a free chunk, as the walk through its segment has found.
                unsafe {
                    if chunk.prev() != prev {
                        return Err(format!("bin {bin} is not linked backwards"));
                    }
                    (prev, at) = (at, chunk.next());
                }
            }
        }
        if (0..WORDS).any(|word| (self.filled[word] != 0) != (self.words >> word & 1 == 1)) {
            return Err(format!("{:b} does not say which words are zero", self.words));
        }
        if free.is_empty() {
            Ok(())
        } else {
            Err(format!("{} free chunks are in no bin", free.len()))
        }
    }
}
