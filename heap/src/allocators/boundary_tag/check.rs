//! The books of an allocator, and whether its tags agree.

use super::chunk::{BEFORE_FREE, Chunk, END, FREE, HEADER_BYTES, LEAST_BYTES, WATCHED, bytes_of};
use super::segment::{self, SEGMENT_BYTES, Segment};
use super::state::State;
use std::collections::BTreeMap;
use std::ptr::NonNull;

/// What a walk through all segments finds; together it is all that is held of the platform.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Books {
    /// Payloads of chunks in use.
    pub used_bytes: usize,
    /// What free chunks, the top and the spare segment have beyond headers.
    pub free_bytes: usize,
    /// Headers, and the fronts and ends of segments.
    pub tag_bytes: usize,
}

impl State {
    /// Panics if a zealous allocator finds itself broken; not amid a burst, nor
    /// a second time.
    #[inline(always)]
    pub fn insist(&self) {
        #[cold]
        fn check(state: &State) {
            if state.bursts == 0 && !std::thread::panicking() {
                state.validate().unwrap_or_else(|broken| panic!("broken allocator: {broken}"));
            }
        }
        if self.is_zealous() {
            check(self);
        }
    }

    /// Checks all segments and bins.
    pub fn validate(&self) -> Result<(), String> {
        let mut free = BTreeMap::new();
        let books = self.books(&mut free)?;
        let held_bytes = self.segments.held_bytes;
        if books.used_bytes + books.free_bytes + books.tag_bytes != held_bytes {
            return Err(format!("{books:?} is not what is held, {held_bytes} bytes"));
        }
        if held_bytes > self.limit_bytes {
            return Err(format!("{held_bytes} bytes are held, more than the limit"));
        }
        self.bins.validate(free)
    }

    /// Adds everything up, and the free chunks of bins with their bytes.
    pub fn books(&self, free: &mut BTreeMap<Chunk, usize>) -> Result<Books, String> {
        if self.bursts > 0 {
            return Err("a burst is under way".into());
        }
        let mut books = Books::default();
        let mut has_top = false;
        for segment in self.segments.iter() {
            books.tag_bytes += SEGMENT_BYTES;
            // SAFETY: B1: segments in the list are live.
            let (first, end) = unsafe { (segment::first_of(segment), segment::end_of(segment)) };
            let top = if self.spare == Some(segment) {
                Some(first)
            } else {
                self.top().map(|(top, _)| top).filter(|top| (first..=end).contains(top))
            };
            has_top |= self.spare != Some(segment) && top.is_some();
            // SAFETY: B1.
            unsafe { self.add(segment, top, &mut books, free)? };
        }
        if has_top != self.top().is_some() {
            return Err("the top lies in no segment".into());
        }
        Ok(books)
    }

    /// Adds a segment, whose chunks go up to a top or to its end.
    ///
    /// # Safety
    ///
    /// It is live.
    unsafe fn add(
        &self,
        segment: NonNull<Segment>,
        top: Option<Chunk>,
        books: &mut Books,
        free: &mut BTreeMap<Chunk, usize>,
    ) -> Result<(), String> {
        // SAFETY: by contract; B1: each chunk leads to the next, as is checked before it is read.
        unsafe {
            let (mut at, end) = (segment::first_of(segment), segment::end_of(segment));
            let area_bytes = end.addr() - at.addr();
            if end.header() & !BEFORE_FREE != area_bytes | FREE | END {
                return Err("the end of a segment is overwritten".into());
            }
            let last = top.unwrap_or(end);
            let mut before = None;
            while at != last {
                let header = at.header();
                let bytes = bytes_of(header);
                if bytes < LEAST_BYTES || bytes > last.addr() - at.addr() {
                    return Err(format!("a chunk of {bytes} bytes leaves its segment"));
                }
                let is_free = header & FREE != 0;
                if header & END != 0 || (header & WATCHED != 0) != self.is_zealous() {
                    return Err(format!("a chunk of {bytes} bytes has flags that it cannot have"));
                }
                check_before(header, at, before)?;
                if is_free && before.is_some() {
                    return Err("two free chunks are adjacent".into());
                }
                books.tag_bytes += HEADER_BYTES;
                if is_free {
                    books.free_bytes += bytes - HEADER_BYTES;
                    free.insert(at, bytes);
                } else {
                    books.used_bytes += bytes - HEADER_BYTES;
                }
                before = is_free.then_some(bytes);
                at = at.after(bytes);
            }
            if top.is_none() {
                return check_before(end.header(), end, before);
            }
            let top_bytes = end.addr() - last.addr();
            books.free_bytes += top_bytes;
            if before.is_some() || end.header() & BEFORE_FREE != 0 || top_bytes < LEAST_BYTES {
                return Err(format!("a top of {top_bytes} bytes is not apart"));
            }
            Ok(())
        }
    }
}

/// Whether a chunk says of the one before it what is so: its bytes, if it is free.
unsafe fn check_before(header: usize, at: Chunk, before: Option<usize>) -> Result<(), String> {
    let says = header & BEFORE_FREE != 0;
    // SAFETY: by contract a chunk or end; the word before it is a size if the chunk there is free.
    if says != before.is_some() || before.is_some_and(|bytes| unsafe { at.bytes_before() } != bytes)
    {
        return Err("a chunk and the one after it disagree whether it is free".into());
    }
    Ok(())
}
