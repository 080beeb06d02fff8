//! Accounting of bytes for heaps whose memory is allocated cell by cell.

use crate::tally::{HeapError, Stats};

/// Live bytes, their peak, and the limit. Live bytes are those allocated here less those freed
/// here: where frames are carried between threads, a negative number is a right one. The peak
/// is brought up to date at safepoints, so that allocation only adds and the program's poll
/// compares.
pub struct Meter {
    live_bytes: usize,
    /// A safepoint is wanted above this: the peak so far (under zeal, less than any).
    alarm_bytes: usize,
    peak_bytes: usize,
    limit_bytes: usize,
    zeal: bool,
}

impl Meter {
    pub fn new(limit_bytes: usize, zeal: bool) -> Self {
        let limit_bytes = limit_bytes.min(isize::MAX as usize);
        let alarm_bytes = if zeal { isize::MIN as usize } else { 0 };
        Meter { live_bytes: 0, alarm_bytes, peak_bytes: 0, limit_bytes, zeal }
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
    /// Forgets what is live, but not the peak.
    pub fn disown(&mut self) {
        self.live_bytes = 0;
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

#[cfg(test)]
mod tests {
    use super::*;

    /// As in a heap that does tasks of others, whose objects it frees.
    #[test]
    fn more_may_be_freed_than_was_allocated() {
        let mut meter = Meter::new(100, false);
        meter.sub(1_000);
        assert!(!meter.alarmed());
        assert_eq!(meter.check(), Ok(()));
        meter.add(1_050);
        assert!(meter.alarmed() && meter.check() == Ok(()));
        assert_eq!(meter.live_bytes(), 50);
        meter.add(60);
        let full = HeapError::OutOfMemory { limit_bytes: 100, live_bytes: 110 };
        assert!(meter.alarmed() && meter.check() == Err(full));
        meter.disown();
        assert_eq!((meter.live_bytes(), meter.check()), (0, Ok(())));
        let mut zealous = Meter::new(100, true);
        zealous.sub(1_000);
        assert!(zealous.alarmed(), "each safepoint is looked at");
    }
}
