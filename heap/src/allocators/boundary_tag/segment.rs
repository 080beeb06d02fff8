//! Segments: what the allocator has of the platform, each a list node, chunks,
//! and a header alone at the end.

use super::chunk::{Chunk, END, FREE, HEADER_BYTES, STEP_BYTES};
use crate::parts::poison;
use std::alloc::{GlobalAlloc, Layout, System};
use std::ptr::NonNull;

/// The front of a segment, its size a step less a header, so that payloads are aligned.
#[repr(C)]
pub struct Segment {
    pub next: Option<NonNull<Segment>>,
    pub prev: Option<NonNull<Segment>>,
    bytes: usize,
}

/// Bytes of a segment that are in no chunk.
pub const SEGMENT_BYTES: usize = size_of::<Segment>() + HEADER_BYTES;
const _: () = assert!(SEGMENT_BYTES.is_multiple_of(STEP_BYTES));

/// A list of segments.
#[derive(Default)]
pub struct Segments {
    pub first: Option<NonNull<Segment>>,
    pub held_bytes: usize,
}

impl Segments {
    /// A new segment with so many bytes of chunks, a multiple of the step, none yet written;
    /// `None` if the platform has no more.
    pub fn add(&mut self, area_bytes: usize) -> Option<NonNull<Segment>> {
        let bytes = area_bytes + SEGMENT_BYTES;
        let layout = Layout::from_size_align(bytes, STEP_BYTES).ok()?;
        // SAFETY: the size is not zero; the memory is ours, large enough for the front and the end.
        unsafe {
            let segment = NonNull::new(System.alloc(layout))?.cast::<Segment>();
            segment.write(Segment { next: self.first, prev: None, bytes });
            if let Some(next) = self.first {
                (*next.as_ptr()).prev = Some(segment);
            }
            let end = end_of(segment);
            end.set_header(area_bytes | FREE | END);
            poison::dead(first_of(segment).as_ptr(), area_bytes);
            self.first = Some(segment);
            self.held_bytes += bytes;
            Some(segment)
        }
    }

    /// Gives a segment back to the platform.
    ///
    /// # Safety
    ///
    /// It is in this list, and nothing in it is used any more.
    pub unsafe fn give_back(&mut self, segment: NonNull<Segment>) {
        // SAFETY: by contract; the neighbours are in the list.
        unsafe {
            let Segment { next, prev, bytes } = segment.read();
            match prev {
                Some(prev) => (*prev.as_ptr()).next = next,
                None => self.first = next,
            }
            if let Some(next) = next {
                (*next.as_ptr()).prev = prev;
            }
            self.held_bytes -= bytes;
            poison::reborn(segment.as_ptr().cast(), bytes);
            System.dealloc(
                segment.as_ptr().cast(),
                Layout::from_size_align_unchecked(bytes, STEP_BYTES),
            );
        }
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = NonNull<Segment>> {
        // SAFETY: the list holds live segments only.
        std::iter::successors(self.first, |segment| unsafe { (*segment.as_ptr()).next })
    }
}

/// Its bytes.
///
/// # Safety
///
/// As for all below: the segment is live.
pub unsafe fn bytes_of(segment: NonNull<Segment>) -> usize {
    // SAFETY: by contract.
    unsafe { (*segment.as_ptr()).bytes }
}

/// Its first chunk.
pub unsafe fn first_of(segment: NonNull<Segment>) -> Chunk {
    // SAFETY: by contract, a segment is larger than its front.
    Chunk::at(unsafe { segment.add(1) }.cast())
}

/// The header at its end.
pub unsafe fn end_of(segment: NonNull<Segment>) -> Chunk {
    // SAFETY: by contract, its last word.
    unsafe { Chunk::at(segment.cast::<u8>().add(bytes_of(segment) - HEADER_BYTES)) }
}

/// The segment that ends here.
///
/// # Safety
///
/// It is the header at the end of a segment.
pub unsafe fn ended_by(end: Chunk) -> NonNull<Segment> {
    // SAFETY: by contract; the end says how many bytes of chunks lie before it.
    unsafe { end.before(end.bytes() + size_of::<Segment>()).cast() }
}
