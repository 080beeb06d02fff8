//! Memory whose lists are run-length encoded: chunks, the free runs in them, and
//! the runs that are dead but not free yet. Nothing is kept for each object.
//!
//! Free runs lie in bins by size: bin `b` has those of 2^b to 2^(b+1) - 1
//! times 8 bytes. A run that serves a request is taken whole, from the request's
//! own bin where one of its last few runs is large enough, or else from the next
//! bin that is not empty: constant time, however many runs there are. What is left
//! of it comes back. A mebibyte of objects of 16 bytes to 2 KiB, a random half of
//! them freed and others allocated, again and again, takes 1.16 times its size
//! (asserted: 1.25). Runs become one run again at a [`sweep`](Runs::sweep): dead and free
//! ones are sorted by address and joined where they touch.
//!
//! Invariants:
//!
//! - N1. A byte of a chunk is free, dead, or handed out; never two of these.
//! - N2. Runs are of one chunk: the end of a chunk is no other one's start (see
//!   [`Chunk`]), so runs that touch may be joined.
//! - N3. After a sweep no two free runs touch.
//!
//! Papers: Knuth, "The Art of Computer Programming", vol. 1, 2.5 (joining free
//! neighbours); Masmano et al., "TLSF: a new dynamic memory allocator for
//! real-time systems", ECRTS 2004 (bins and their bitmap).

use super::bump::{ALIGN_BYTES, Bump, Chunk};
use super::poison;

/// Memory from `start` to `end`, in bytes a multiple of [`ALIGN_BYTES`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run {
    pub start: *mut u8,
    pub end: *mut u8,
}

impl Run {
    /// No memory; its address is no chunk's.
    const EMPTY: Run = Run { start: Bump::EMPTY.top, end: Bump::EMPTY.end };

    #[inline(always)]
    pub fn bytes(self) -> usize {
        self.end as usize - self.start as usize
    }
    pub fn is_empty(self) -> bool {
        self.start == self.end
    }
    fn contains(self, at: *mut u8) -> bool {
        self.start <= at && at < self.end
    }
}

const BINS: usize = usize::BITS as usize;
/// Runs of a request's own bin that are looked at.
const LOOKED_AT: usize = 8;

/// The bin of a run of this many bytes.
fn bin_of(bytes: usize) -> usize {
    (bytes / ALIGN_BYTES).ilog2() as usize
}

/// Chunks of memory, and what is free or dead in them.
pub struct Runs {
    chunks: Vec<Chunk>,
    bins: [Vec<Run>; BINS],
    /// A bit for each bin that is not empty.
    filled: u64,
    /// Runs that come back at the next sweep.
    dead: Vec<Run>,
    /// The one that died last, not in `dead` yet: the next one often touches it.
    newest_dead: Run,
    dead_bytes: usize,
    chunk_bytes: usize,
    chunks_bytes: usize,
}

impl Runs {
    pub fn new(chunk_bytes: usize) -> Self {
        Runs {
            chunks: Vec::new(),
            bins: [const { Vec::new() }; BINS],
            filled: 0,
            dead: Vec::new(),
            newest_dead: Run::EMPTY,
            dead_bytes: 0,
            chunk_bytes: chunk_bytes.next_multiple_of(ALIGN_BYTES),
            chunks_bytes: 0,
        }
    }

    /// A free run of at least `bytes`, whole; none if no bin is known to have one.
    pub fn take(&mut self, bytes: usize) -> Option<Run> {
        let own = bin_of(bytes);
        let last = self.bins[own].len().saturating_sub(LOOKED_AT);
        let fitting = self.bins[own][last..].iter().rposition(|run| run.bytes() >= bytes);
        let (bin, place) = match fitting {
            Some(place) => (own, last + place),
            None => {
                let larger = self.filled & (u64::MAX << own << 1);
                let bin = (larger != 0).then(|| larger.trailing_zeros() as usize)?;
                (bin, self.bins[bin].len() - 1)
            }
        };
        let run = self.bins[bin].swap_remove(place);
        if self.bins[bin].is_empty() {
            self.filled &= !(1 << bin);
        }
        Some(run)
    }

    /// Gives back what was not used of a run.
    ///
    /// # Safety
    ///
    /// The run is in chunks of ours and was handed out; nobody uses it (N1).
    pub unsafe fn give_back(&mut self, run: Run) {
        if run.is_empty() {
            return;
        }
        let bin = bin_of(run.bytes());
        self.bins[bin].push(run);
        self.filled |= 1 << bin;
    }

    /// Keeps a run for the next sweep, joined with those that died right before it
    /// if they touch.
    ///
    /// # Safety
    ///
    /// As for [`give_back`](Self::give_back).
    #[inline(always)]
    pub unsafe fn bury(&mut self, run: Run) {
        // SAFETY: by contract nobody looks at it.
        unsafe { poison::dead(run.start, run.bytes()) };
        self.dead_bytes += run.bytes();
        if self.newest_dead.end == run.start {
            self.newest_dead.end = run.end;
        } else if self.newest_dead.start == run.end {
            self.newest_dead.start = run.start;
            // Scopes nest: what died before it may end where it now starts.
            if let Some(before) = self.dead.pop_if(|before| before.end == run.start) {
                self.newest_dead.start = before.start;
            }
        } else {
            self.dead.push(std::mem::replace(&mut self.newest_dead, run));
        }
    }

    /// Makes dead runs free, and all free runs as long as can be; how many dead runs
    /// there were.
    pub fn sweep(&mut self) -> usize {
        let mut runs = std::mem::take(&mut self.dead);
        runs.push(std::mem::replace(&mut self.newest_dead, Run::EMPTY));
        runs.retain(|run| !run.is_empty());
        let dead_runs = runs.len();
        self.dead_bytes = 0;
        self.bins.iter_mut().for_each(|bin| runs.append(bin));
        self.filled = 0;
        runs.sort_unstable_by_key(|run| run.start);
        // N2: runs that touch are of one chunk.
        for joined in runs.chunk_by(|run, next| run.end == next.start) {
            let run = Run { start: joined[0].start, end: joined[joined.len() - 1].end };
            // SAFETY: N1: all of it was free or dead.
            unsafe { self.give_back(run) };
        }
        runs.clear();
        self.dead = runs;
        dead_runs
    }

    /// Takes another chunk, large enough for `bytes`, and not much larger than
    /// needed where less than four chunks' room is left.
    pub fn grow(&mut self, bytes: usize, room_bytes: usize) -> Run {
        let chunk = Chunk::new(self.chunk_bytes.min(room_bytes / 4).max(bytes));
        self.chunks_bytes += chunk.bytes();
        let bump = chunk.bump();
        self.chunks.push(chunk);
        Run { start: bump.top, end: bump.end }
    }

    /// Gives chunks that are free as a whole, and the lists' spare room, back to the
    /// platform. To be called after a sweep, since it looks at whole runs.
    pub fn trim(&mut self) {
        let Runs { chunks, bins, chunks_bytes, .. } = self;
        chunks.retain(|chunk| {
            let bump = chunk.bump();
            let whole = Run { start: bump.top, end: bump.end };
            let bin = &mut bins[bin_of(whole.bytes())];
            let Some(place) = bin.iter().position(|&run| run == whole) else { return true };
            bin.swap_remove(place);
            *chunks_bytes -= whole.bytes();
            false
        });
        self.dead.shrink_to_fit();
        self.filled = 0;
        for (bin, runs) in self.bins.iter_mut().enumerate() {
            runs.shrink_to_fit();
            self.filled |= u64::from(!runs.is_empty()) << bin;
        }
    }

    /// Gives all memory back; nothing of it is in use.
    pub fn clear(&mut self) {
        *self = Runs::new(self.chunk_bytes);
    }

    fn dead(&self) -> impl Iterator<Item = Run> {
        let all = self.dead.iter().copied().chain([self.newest_dead]);
        all.filter(|run| !run.is_empty())
    }

    /// Bytes that come back at the next sweep.
    #[inline(always)]
    pub fn dead_bytes(&self) -> usize {
        self.dead_bytes
    }
    /// Bytes of memory held, the lists included.
    pub fn held_bytes(&self) -> usize {
        let lists = self.bins.iter().map(Vec::capacity).sum::<usize>() + self.dead.capacity();
        self.chunks_bytes + lists * size_of::<Run>()
    }

    /// Checks that free and dead runs and those that were handed out tile the
    /// chunks (N1).
    pub fn validate(&self, handed_out: impl Iterator<Item = Run>) -> Result<(), String> {
        for (bin, runs) in self.bins.iter().enumerate() {
            if (self.filled >> bin & 1 == 1) == runs.is_empty() {
                return Err(format!("bin {bin} is not as its bit says"));
            }
            if runs.iter().any(|run| run.is_empty() || bin_of(run.bytes()) != bin) {
                return Err(format!("bin {bin} has a run of another size"));
            }
        }
        let dead_bytes: usize = self.dead().map(|run| run.bytes()).sum();
        if dead_bytes != self.dead_bytes {
            return Err(format!("{dead_bytes} bytes are dead, not {}", self.dead_bytes));
        }
        let mut all: Vec<Run> = handed_out.filter(|run| !run.is_empty()).collect();
        all.extend(self.bins.iter().flatten().copied().chain(self.dead()));
        all.sort_unstable_by_key(|run| run.start);
        let mut runs = all.into_iter();
        let mut chunks: Vec<&Chunk> = self.chunks.iter().collect();
        chunks.sort_unstable_by_key(|chunk| chunk.base());
        for chunk in chunks {
            let bump = chunk.bump();
            let mut at = bump.top;
            while at != bump.end {
                match runs.next() {
                    Some(run) if run.start == at && run.end <= bump.end => at = run.end,
                    Some(run) => {
                        return Err(format!("{run:?} is not the one that starts at {at:?}"));
                    }
                    None => return Err(format!("no run starts at {at:?}")),
                }
            }
        }
        runs.next().map_or(Ok(()), |run| Err(format!("{run:?} lies outside of all chunks")))
    }
}

/// Whether one of these runs holds an address. For checks only.
pub fn any_holds(mut runs: impl Iterator<Item = Run>, at: *mut u8) -> bool {
    runs.any(|run| run.contains(at))
}

#[cfg(test)]
mod tests;
