//! The chunks of an allocator: taking, giving back, growing and shrinking them.

use super::super::{AllocError, Limits};
use super::bins::Bins;
use super::chunk::{
    BEFORE_FREE, Chunk, END, FREE, FRONT_BYTES, HEADER_BYTES, LEAST_BYTES, MOST_BYTES, STEP_BYTES,
    WATCHED, bytes_of,
};
use super::segment::{self, SEGMENT_BYTES, Segment, Segments};
use crate::parts::poison;
use std::ptr::NonNull;

/// The least that is asked of the platform for the chunks to come.
const LEAST_SEGMENT_BYTES: usize = 1 << 20;
/// Chunks of more bytes have a segment of their own.
const MOST_SHARED_BYTES: usize = LEAST_SEGMENT_BYTES / 2;
/// A new segment is at least this part of all that is held.
const GROWTH: usize = 8;
/// An empty segment of up to so many bytes is kept.
const MOST_SPARE_BYTES: usize = 2 << 20;
/// Segments are whole pages with what the platform is likely to put before them.
const PAGE_BYTES: usize = 4096;
const PLATFORM_BYTES: usize = 32;
/// What a zealous allocator writes over what is given back, as `poison` does.
const OVERWRITTEN: u8 = 0xF5;
/// A piece of a burst has at least so many nodes, unless there is no more memory.
const LEAST_RUN_NODES: usize = 8;

/// The chunks of an allocator.
pub struct State {
    /// Where the top of the current segment begins: room without a header, at least a chunk.
    top: Option<Chunk>,
    /// A chunk taken from the top ends here at the latest; zero if there is no top, or zeal.
    bump_end: usize,
    pub bins: Bins,
    current: Option<NonNull<Segment>>,
    /// An empty segment, not in use.
    pub spare: Option<NonNull<Segment>>,
    pub segments: Segments,
    pub limit_bytes: usize,
    /// `WATCHED` if zealous.
    watched: usize,
    /// Bursts under way.
    pub bursts: usize,
}

impl State {
    pub fn new(limits: Limits, own_bytes: usize) -> Self {
        State {
            top: None,
            bump_end: 0,
            bins: Bins::new(),
            current: None,
            spare: None,
            segments: Segments::default(),
            limit_bytes: limits.limit_bytes.saturating_sub(own_bytes),
            watched: if limits.zeal { WATCHED } else { 0 },
            bursts: 0,
        }
    }

    #[inline(always)]
    pub fn is_zealous(&self) -> bool {
        self.watched != 0
    }

    /// The top and its bytes.
    pub fn top(&self) -> Option<(Chunk, usize)> {
        let (top, segment) = (self.top?, self.current?);
        // SAFETY: B1: the current segment is live.
        Some((top, unsafe { segment::end_of(segment) }.addr() - top.addr()))
    }

    /// The most that can be taken from the top, of which a chunk is left.
    fn room_bytes(&self) -> usize {
        self.top().map_or(0, |(_, bytes)| bytes - LEAST_BYTES)
    }

    /// A chunk from the front of the top, if there is room; never if zealous.
    #[inline(always)]
    pub fn bump(&mut self, bytes: usize) -> Option<Chunk> {
        let top = self.top?;
        // SAFETY: B1: the bytes lie in the top.
        (top.addr() + bytes <= self.bump_end).then(|| unsafe { self.cut(top, bytes) })
    }

    /// # Safety
    ///
    /// This is the top, and it has more bytes than these by a chunk.
    #[inline(always)]
    unsafe fn cut(&mut self, top: Chunk, bytes: usize) -> Chunk {
        poison::reborn(top.as_ptr(), bytes);
        // SAFETY: B1, B3: nothing is free before the top.
        unsafe {
            top.set_header(bytes | self.watched);
            self.top = Some(top.after(bytes));
        }
        top
    }

    /// The same from the top, zealous or not.
    fn cut_top(&mut self, bytes: usize) -> Option<Chunk> {
        let top = self.top?;
        // SAFETY: just compared.
        (bytes <= self.room_bytes()).then(|| unsafe { self.cut(top, bytes) })
    }

    /// A chunk of at least so many bytes, in use.
    #[inline(never)]
    pub fn take(&mut self, bytes: usize) -> Result<Chunk, AllocError> {
        if let Some(chunk) = self.take_free(bytes) {
            return Ok(chunk);
        }
        if bytes <= MOST_SHARED_BYTES {
            self.refill(bytes, bytes)?;
            return self.cut_top(bytes).ok_or(AllocError);
        }
        if bytes > MOST_BYTES {
            return Err(AllocError);
        }
        let segment = self.add_segment(bytes, bytes)?;
        // SAFETY: B1: its one chunk, all of it.
        unsafe {
            let (chunk, end) = (segment::first_of(segment), segment::end_of(segment));
            poison::reborn(chunk.as_ptr(), end.bytes());
            chunk.set_header(end.bytes() | self.watched);
            Ok(chunk)
        }
    }

    /// The same of what is held.
    #[inline(always)]
    fn take_free(&mut self, bytes: usize) -> Option<Chunk> {
        let Some(chunk) = self.bins.find(bytes) else { return self.cut_top(bytes) };
        // SAFETY: B2 to B4: it is free, and what follows is not.
        unsafe {
            let whole = chunk.bytes();
            self.settle(chunk, whole, bytes, (chunk, whole));
        }
        Some(chunk)
    }

    /// A chunk at an alignment above that of all chunks.
    #[cold]
    pub fn take_aligned(&mut self, bytes: usize, align: usize) -> Result<Chunk, AllocError> {
        let room_bytes = bytes.checked_add(align).ok_or(AllocError)?.checked_add(STEP_BYTES);
        let chunk = self.take(room_bytes.ok_or(AllocError)?)?;
        // SAFETY: B5: the chunk is ours, and has room for gap and payload: a gap that is too small
        // for a chunk is one step, and is wider by the alignment then.
        unsafe {
            let mut gap_bytes = chunk.payload().addr().get().wrapping_neg() & (align - 1);
            if gap_bytes == 0 {
                self.trim(chunk, bytes);
                return Ok(chunk);
            }
            if gap_bytes < LEAST_BYTES {
                gap_bytes += align;
            }
            let aligned = chunk.after(gap_bytes);
            aligned.set_header((chunk.bytes() - gap_bytes) | self.watched);
            chunk.set_header(gap_bytes | self.watched);
            self.give_back(chunk, gap_bytes);
            self.trim(aligned, bytes);
            Ok(aligned)
        }
    }

    /// One chunk for up to `count` nodes of so many bytes each, and for how many: all of them if
    /// any free chunk, the top, or the platform has room, else what is largest.
    pub fn take_run(&mut self, bytes: usize, count: usize) -> Result<(Chunk, usize), AllocError> {
        let count = count.min(MOST_BYTES / bytes);
        if count == 0 {
            return Err(AllocError);
        }
        if let Some(chunk) = self.take_free(count * bytes) {
            return Ok((chunk, count));
        }
        // SAFETY: B4.
        let large_nodes = self.bins.large().map_or(0, |chunk| unsafe { chunk.bytes() } / bytes);
        let nodes = large_nodes.max(self.room_bytes() / bytes);
        if nodes < LEAST_RUN_NODES && self.refill(bytes, count * bytes).is_ok() {
            let count = count.min(self.room_bytes() / bytes);
            return self.cut_top(count * bytes).map(|chunk| (chunk, count)).ok_or(AllocError);
        }
        // Not zero bytes, so that it fails if there is nothing.
        let nodes = nodes.clamp(1, count);
        self.take_free(nodes * bytes).map(|chunk| (chunk, nodes)).ok_or(AllocError)
    }

    /// Makes a chunk in use of the front of `whole` bytes, and a free one of the rest.
    ///
    /// # Safety
    ///
    /// The bytes from here on are the allocator's; they end with this free chunk, which is in its
    /// bin, and is all of them, or follows one in use.
    #[inline(always)]
    unsafe fn settle(&mut self, chunk: Chunk, whole: usize, bytes: usize, free: (Chunk, usize)) {
        // SAFETY: by contract; B2: what follows has `BEFORE_FREE`.
        unsafe {
            let flags = chunk.header() & (BEFORE_FREE | WATCHED);
            let rest_bytes = whole - bytes;
            if rest_bytes >= LEAST_BYTES {
                let rest = chunk.after(bytes);
                poison::reborn(chunk.as_ptr(), bytes + FRONT_BYTES);
                self.bins.replace(free, (rest, rest_bytes));
                rest.set_free(rest_bytes, self.watched);
                chunk.set_header(bytes | flags);
            } else {
                self.bins.remove(free.0, free.1);
                poison::reborn(chunk.as_ptr(), whole);
                chunk.set_header(whole | flags);
                chunk.after(whole).clear(BEFORE_FREE);
            }
        }
    }

    /// Gives back a chunk, or a run of adjacent ones of so many bytes together.
    ///
    /// # Safety
    ///
    /// All of them are in use, and nobody uses them again.
    pub unsafe fn give_back(&mut self, mut chunk: Chunk, mut bytes: usize) {
        // SAFETY: by contract, B1 to B4.
        unsafe {
            let header = chunk.header();
            debug_assert_eq!(header & FREE, 0, "given back twice");
            let next = chunk.after(bytes);
            // The free chunk whose place in a bin is taken over.
            let mut place = None;
            // Both flags in one test, so that zeal costs nothing without it.
            if header & (BEFORE_FREE | WATCHED) != 0 {
                if header & WATCHED != 0 {
                    self.insist();
                    chunk.payload().write_bytes(OVERWRITTEN, bytes - HEADER_BYTES);
                }
                poison::dead(chunk.as_ptr(), bytes);
                if header & BEFORE_FREE != 0 {
                    let before_bytes = chunk.bytes_before();
                    poison::dead(chunk.before(HEADER_BYTES).as_ptr(), HEADER_BYTES);
                    chunk = chunk.before(before_bytes);
                    place = Some((chunk, before_bytes));
                    bytes += before_bytes;
                }
            } else {
                poison::dead(chunk.as_ptr(), bytes);
            }
            if Some(next) == self.top {
                if let Some((before, before_bytes)) = place {
                    self.bins.remove(before, before_bytes);
                    poison::dead(before.as_ptr(), FRONT_BYTES);
                }
                return self.lower_top(chunk);
            }
            let after = next.header();
            let mut end = next;
            if after & (FREE | END) == FREE {
                let after_bytes = bytes_of(after);
                if let Some((before, before_bytes)) = place {
                    self.bins.remove(before, before_bytes);
                }
                place = Some((next, after_bytes));
                bytes += after_bytes;
                end = next.after(after_bytes);
            } else {
                next.set(BEFORE_FREE);
            }
            // All that lies before the end of a segment?
            if end.header() & END != 0 && end.bytes() == bytes {
                if let Some((free, free_bytes)) = place {
                    self.bins.remove(free, free_bytes);
                }
                return self.emptied(segment::ended_by(end));
            }
            poison::reborn(chunk.as_ptr(), FRONT_BYTES);
            poison::reborn(chunk.after(bytes - HEADER_BYTES).as_ptr(), HEADER_BYTES);
            match place {
                Some(free) => self.bins.replace(free, (chunk, bytes)),
                None => self.bins.insert(chunk, bytes),
            }
            if end != next {
                poison::dead(next.as_ptr(), FRONT_BYTES);
            }
            chunk.set_free(bytes, self.watched);
        }
    }

    /// Gives back what a chunk has beyond so many bytes.
    ///
    /// # Safety
    ///
    /// It is in use, and nobody uses the rest again.
    pub unsafe fn trim(&mut self, chunk: Chunk, bytes: usize) {
        // SAFETY: by contract; the rest becomes a chunk in use, and is given back as such.
        unsafe {
            let header = chunk.header();
            let rest_bytes = bytes_of(header) - bytes;
            let rest = chunk.after(bytes);
            if Some(rest.after(rest_bytes)) == self.top {
                chunk.set_header(header - rest_bytes);
                poison::dead(rest.as_ptr(), rest_bytes);
                self.top = Some(rest);
            } else if rest_bytes >= LEAST_BYTES {
                chunk.set_header(header - rest_bytes);
                rest.set_header(rest_bytes | self.watched);
                self.give_back(rest, rest_bytes);
            }
        }
    }

    /// Grows a chunk into the top, if the top follows it and has room; never if zealous.
    ///
    /// # Safety
    ///
    /// It is in use, its header is this, and it has fewer bytes than these.
    #[inline(always)]
    pub unsafe fn bump_on(&mut self, chunk: Chunk, header: usize, bytes: usize) -> bool {
        // SAFETY: by contract, B1.
        unsafe {
            let follows = Some(chunk.after(bytes_of(header))) == self.top;
            let fits = follows && chunk.addr() + bytes <= self.bump_end;
            if fits {
                self.extend(chunk, header, bytes);
            }
            fits
        }
    }

    /// # Safety
    ///
    /// As for `bump_on`, and the top follows and has room.
    #[inline(always)]
    unsafe fn extend(&mut self, chunk: Chunk, header: usize, bytes: usize) {
        // SAFETY: by contract.
        unsafe {
            let more_bytes = bytes - bytes_of(header);
            poison::reborn(chunk.after(bytes_of(header)).as_ptr(), more_bytes);
            chunk.set_header(header + more_bytes);
            self.top = Some(chunk.after(bytes));
        }
    }

    /// Grows a chunk into the top or the free chunk after it, if that is large enough.
    ///
    /// # Safety
    ///
    /// It is in use, and has fewer bytes than these.
    pub unsafe fn grow(&mut self, chunk: Chunk, bytes: usize) -> bool {
        // SAFETY: by contract, B1 to B4.
        unsafe {
            let header = chunk.header();
            let old_bytes = bytes_of(header);
            let next = chunk.after(old_bytes);
            if Some(next) == self.top {
                let fits = bytes - old_bytes <= self.room_bytes();
                if fits {
                    self.extend(chunk, header, bytes);
                }
                return fits;
            }
            let after = next.header();
            let whole = old_bytes + bytes_of(after);
            let fits = after & (FREE | END) == FREE && whole >= bytes;
            if fits {
                self.settle(chunk, whole, bytes, (next, bytes_of(after)));
            }
            fits
        }
    }

    /// The top begins here now.
    #[inline(always)]
    fn lower_top(&mut self, chunk: Chunk) {
        self.top = Some(chunk);
        if self.is_current_empty() {
            self.emptied_current();
        }
    }

    /// The current segment is empty: kept if it is small, and no other is.
    #[cold]
    fn emptied_current(&mut self) {
        if self.current.is_some_and(|segment| self.is_small(segment)) {
            self.drop_spare();
        } else {
            self.drop_current();
        }
    }

    /// Another segment is empty: kept as the spare one if it is small, and there is no other.
    #[cold]
    unsafe fn emptied(&mut self, segment: NonNull<Segment>) {
        // SAFETY: B1: live, and nothing in it is in use.
        unsafe {
            let end = segment::end_of(segment);
            end.set_header(end.header() & !BEFORE_FREE);
            if self.spare.is_none() && self.is_small(segment) && !self.is_current_empty() {
                self.spare = Some(segment);
                poison::dead(segment::first_of(segment).as_ptr(), end.bytes());
            } else {
                self.segments.give_back(segment);
            }
        }
    }

    fn is_small(&self, segment: NonNull<Segment>) -> bool {
        // SAFETY: B1: live.
        let bytes = unsafe { segment::bytes_of(segment) };
        bytes <= MOST_SPARE_BYTES.max((self.segments.held_bytes - bytes) / GROWTH)
    }

    #[inline(always)]
    fn is_current_empty(&self) -> bool {
        // SAFETY: B1: live.
        self.current.is_some_and(|current| self.top == Some(unsafe { segment::first_of(current) }))
    }

    /// Gives the current segment back, which is empty.
    fn drop_current(&mut self) {
        let empty = self.current;
        self.set_current(None);
        if let Some(segment) = empty {
            // SAFETY: B1: nothing in it is in use.
            unsafe { self.segments.give_back(segment) };
        }
    }

    fn drop_spare(&mut self) {
        if let Some(spare) = self.spare.take() {
            // SAFETY: B1: an empty segment.
            unsafe { self.segments.give_back(spare) };
        }
    }

    /// Makes an empty segment the current one.
    fn set_current(&mut self, segment: Option<NonNull<Segment>>) {
        self.current = segment;
        // SAFETY: B1: live.
        self.top = segment.map(|segment| unsafe { segment::first_of(segment) });
        let end = self.top().map_or(0, |(top, bytes)| top.addr() + bytes - LEAST_BYTES);
        self.bump_end = if self.is_zealous() { 0 } else { end };
    }

    /// A new current segment, from whose top `least` bytes can be taken, and `wanted` if there is
    /// memory. The old top becomes a free chunk, or its segment goes if it is empty.
    #[cold]
    fn refill(&mut self, least: usize, wanted: usize) -> Result<(), AllocError> {
        if self.is_current_empty() {
            self.drop_current();
        }
        // SAFETY: B1: live.
        let spare_fits = |spare: &NonNull<Segment>| unsafe {
            segment::end_of(*spare).bytes() >= wanted + LEAST_BYTES
        };
        let segment = match self.spare.take_if(|spare| spare_fits(spare)) {
            Some(spare) => spare,
            None => {
                let growth = LEAST_SEGMENT_BYTES.max(self.segments.held_bytes / GROWTH);
                self.add_segment(least + LEAST_BYTES, growth.max(wanted + LEAST_BYTES))?
            }
        };
        if let Some((top, bytes)) = self.top() {
            poison::reborn(top.as_ptr(), FRONT_BYTES);
            // SAFETY: B1, B3: at least a chunk, nothing free before it, the end after it.
            unsafe {
                poison::reborn(top.after(bytes - HEADER_BYTES).as_ptr(), HEADER_BYTES);
                top.set_free(bytes, self.watched);
                top.after(bytes).set(BEFORE_FREE);
                self.bins.insert(top, bytes);
            }
        }
        self.set_current(Some(segment));
        Ok(())
    }

    /// A segment with `wanted` bytes of chunks, and some to fill its last page; with fewer, but at
    /// least `least`, if the limit or the platform has no more.
    #[cold]
    fn add_segment(&mut self, least: usize, wanted: usize) -> Result<NonNull<Segment>, AllocError> {
        const OTHER_BYTES: usize = SEGMENT_BYTES + PLATFORM_BYTES;
        let paged_bytes = (wanted + OTHER_BYTES).next_multiple_of(PAGE_BYTES) - OTHER_BYTES;
        if self.allowed_bytes() < paged_bytes {
            self.drop_spare();
        }
        let area_bytes = paged_bytes.min(self.allowed_bytes());
        if area_bytes < least {
            return Err(AllocError);
        }
        if let Some(segment) = self.segments.add(area_bytes) {
            return Ok(segment);
        }
        self.drop_spare();
        self.segments.add(least.max(area_bytes.min(LEAST_SEGMENT_BYTES))).ok_or(AllocError)
    }

    /// Bytes of chunks that a new segment may have.
    fn allowed_bytes(&self) -> usize {
        let bytes = self.limit_bytes.saturating_sub(self.segments.held_bytes + SEGMENT_BYTES);
        bytes & !(STEP_BYTES - 1)
    }
}

impl Drop for State {
    fn drop(&mut self) {
        while let Some(segment) = self.segments.first {
            // SAFETY: the allocator ends, and what it handed out with it.
            unsafe { self.segments.give_back(segment) };
        }
    }
}
