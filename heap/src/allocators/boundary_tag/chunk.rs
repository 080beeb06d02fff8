//! A chunk and its boundary tags: the header before its payload, and in a free
//! one two links and, in the last word, its size.

use super::super::Layout;
use std::ptr::NonNull;

/// Chunks are multiples of this.
pub const STEP_BYTES: usize = 16;
/// The header of a chunk.
pub const HEADER_BYTES: usize = size_of::<usize>();
/// The smallest chunk: header, two links, and the size once more.
pub const LEAST_BYTES: usize = size_of::<Free>() + size_of::<usize>();
/// No request is larger: a quarter of the address space of a process.
pub const MOST_BYTES: usize = 1 << 45;

/// The chunk is free, or the end of its segment.
pub const FREE: usize = 1;
/// The chunk before this one is free, so its last word is its size.
pub const BEFORE_FREE: usize = 2;
/// The allocator is zealous: set in all headers, so that the test of a flag finds it.
pub const WATCHED: usize = 4;
/// The end of a segment: a header alone, whose size is that of all chunks before it.
pub const END: usize = 8;
const FLAGS: usize = STEP_BYTES - 1;

/// The first words of a chunk; the links are there while it is free.
#[repr(C)]
struct Free {
    header: usize,
    next: Option<Chunk>,
    prev: Option<Chunk>,
}

/// Bytes at the front of a free chunk that are in use.
pub const FRONT_BYTES: usize = size_of::<Free>();

/// Bytes of the chunk for a payload.
#[inline(always)]
pub const fn chunk_bytes(payload_bytes: usize) -> usize {
    const { assert!(HEADER_BYTES == 8, "payloads are aligned by headers of 8 bytes") };
    // A layout has at most `isize::MAX` bytes, so nothing overflows.
    let bytes = (payload_bytes + HEADER_BYTES + FLAGS) & !FLAGS;
    if bytes < LEAST_BYTES { LEAST_BYTES } else { bytes }
}

/// Whether any chunk is aligned as the layout asks.
#[inline(always)]
pub const fn is_aligned(layout: Layout) -> bool {
    layout.align() <= STEP_BYTES
}

/// The bytes that a header states.
#[inline(always)]
pub const fn bytes_of(header: usize) -> usize {
    header & !FLAGS
}

/// Address of a chunk's header.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(transparent)]
pub struct Chunk(NonNull<Free>);

/// The contract of the unsafe ones: the words that a method reads or writes lie
/// in a segment of the allocator, and are the allocator's (B1, B4, B5).
impl Chunk {
    /// The one whose header is here.
    #[inline(always)]
    pub const fn at(address: NonNull<u8>) -> Self {
        Self(address.cast())
    }
    /// The one of a payload.
    #[inline(always)]
    pub unsafe fn of(payload: NonNull<u8>) -> Self {
        // SAFETY: by contract.
        Self(unsafe { payload.byte_sub(HEADER_BYTES) }.cast())
    }
    /// Its payload.
    #[inline(always)]
    pub unsafe fn payload(self) -> NonNull<u8> {
        // SAFETY: by contract.
        unsafe { self.0.byte_add(HEADER_BYTES) }.cast()
    }
    /// The address as that of another thing.
    #[inline(always)]
    pub const fn cast<T>(self) -> NonNull<T> {
        self.0.cast()
    }
    /// Address of the header.
    #[inline(always)]
    pub const fn as_ptr(self) -> *mut u8 {
        self.0.as_ptr().cast()
    }
    /// The address as a number.
    #[inline(always)]
    pub fn addr(self) -> usize {
        self.0.addr().get()
    }
    /// The one that begins so many bytes on.
    #[inline(always)]
    pub unsafe fn after(self, bytes: usize) -> Self {
        // SAFETY: by contract.
        Self(unsafe { self.0.byte_add(bytes) })
    }
    /// The header.
    #[inline(always)]
    pub unsafe fn header(self) -> usize {
        // SAFETY: by contract.
        unsafe { (*self.0.as_ptr()).header }
    }
    /// Writes the header.
    #[inline(always)]
    pub unsafe fn set_header(self, header: usize) {
        // SAFETY: by contract.
        unsafe { (*self.0.as_ptr()).header = header }
    }
    /// Sets flags, all of them clear, in the header. (Adding writes the whole word: a load that
    /// follows need not wait for a byte of it.)
    #[inline(always)]
    pub unsafe fn set(self, flags: usize) {
        // SAFETY: by contract.
        unsafe {
            debug_assert_eq!(self.header() & flags, 0);
            self.set_header(self.header() + flags);
        }
    }
    /// Clears flags, all of them set, in the header.
    #[inline(always)]
    pub unsafe fn clear(self, flags: usize) {
        // SAFETY: by contract.
        unsafe {
            debug_assert_eq!(self.header() & flags, flags);
            self.set_header(self.header() - flags);
        }
    }
    /// Its bytes, header included.
    #[inline(always)]
    pub unsafe fn bytes(self) -> usize {
        // SAFETY: by contract.
        bytes_of(unsafe { self.header() })
    }
    /// Bytes of the free chunk before it.
    #[inline(always)]
    pub unsafe fn bytes_before(self) -> usize {
        // SAFETY: by contract.
        unsafe { *self.0.as_ptr().cast::<usize>().sub(1) }
    }
    /// The one that begins so many bytes before.
    #[inline(always)]
    pub unsafe fn before(self, bytes: usize) -> Self {
        // SAFETY: by contract.
        Self(unsafe { self.0.byte_sub(bytes) })
    }
    /// Writes the header of a free chunk, and its size into its last word.
    #[inline(always)]
    pub unsafe fn set_free(self, bytes: usize, watched: usize) {
        // SAFETY: by contract.
        unsafe {
            self.set_header(bytes | FREE | watched);
            *self.0.as_ptr().byte_add(bytes).cast::<usize>().sub(1) = bytes;
        }
    }
    /// The next free one in its bin.
    #[inline(always)]
    pub unsafe fn next(self) -> Option<Self> {
        // SAFETY: by contract.
        unsafe { (*self.0.as_ptr()).next }
    }
    /// The free one before it in its bin.
    #[inline(always)]
    pub unsafe fn prev(self) -> Option<Self> {
        // SAFETY: by contract.
        unsafe { (*self.0.as_ptr()).prev }
    }
    /// Links it to the next one in its bin.
    #[inline(always)]
    pub unsafe fn set_next(self, next: Option<Self>) {
        // SAFETY: by contract.
        unsafe { (*self.0.as_ptr()).next = next }
    }
    /// Links it to the one before it in its bin.
    #[inline(always)]
    pub unsafe fn set_prev(self, prev: Option<Self>) {
        // SAFETY: by contract.
        unsafe { (*self.0.as_ptr()).prev = prev }
    }
}
