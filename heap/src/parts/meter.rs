//! Accounting of bytes for heaps whose memory is allocated cell by cell.

use crate::tally::{HeapError, Stats};

/// Live bytes, their peak, and the limit. Live bytes are those allocated here less those freed
/// here: where frames are carried between threads, a negative number is a right one. The peak is brought up to date at
/// safepoints, so that allocation only adds and the program's poll compares.
pub struct Meter {
    live_bytes: usize,
    /// A safepoint is wanted above this: the peak so far (zero under zeal).
    alarm_bytes: usize,
    peak_bytes: usize,
    limit_bytes: usize,
    zeal: bool,
}

impl Meter {
    pub fn new(limit_bytes: usize, zeal: bool) -> Self {
        let limit_bytes = limit_bytes.min(isize::MAX as usize);
        Meter { live_bytes: 0, alarm_bytes: 0, peak_bytes: 0, limit_bytes, zeal }
    }
    #[inline(always)]
    pub fn add(&mut self, bytes: usize) {
        self.live_bytes = self.live_bytes.wrapping_add(bytes);
    }
    #[inline(always)]
    pub fn sub(&mut self, bytes: usize) {
        self.live_bytes = self.live_bytes.wrapping_sub(bytes);
    }
    /// Whether `check` has something to do.
    #[inline(always)]
    pub fn alarmed(&self) -> bool {
        self.live_bytes as isize > self.alarm_bytes as isize
    }
    /// Moves the peak; an error above the limit.
    #[cold]
    pub fn check(&mut self) -> Result<(), HeapError> {
        self.peak_bytes = self.peak_bytes.max(self.live_bytes());
        if !self.zeal {
            self.alarm_bytes = self.peak_bytes.min(self.limit_bytes);
        }
        if self.live_bytes() > self.limit_bytes {
            return Err(HeapError::OutOfMemory {
                limit_bytes: self.limit_bytes,
                live_bytes: self.live_bytes(),
            });
        }
        Ok(())
    }
    /// Bytes of objects allocated here and not freed; zero where more were freed.
    pub fn live_bytes(&self) -> usize {
        usize::try_from(self.live_bytes as isize).unwrap_or(0)
    }
    /// Fills in the sizes; `heap_bytes` is what the cells' memory took, if more.
    pub fn fill(&self, stats: &mut Stats, heap_bytes: usize) {
        stats.live_bytes = self.live_bytes();
        stats.live_peak_bytes = self.peak_bytes.max(stats.live_bytes);
        stats.heap_peak_bytes = stats.live_peak_bytes.max(heap_bytes);
    }
}
