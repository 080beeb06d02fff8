//! A block of a region. The invariants G1-G3 are those of `region.rs`.

use std::alloc::Layout;

/// The header of a block.
#[repr(C, align(16))]
pub struct Block {
    /// The block that is older.
    pub next: *mut Block,
    /// Size, this header included.
    pub bytes: usize,
}

/// Where the first allocation goes.
///
/// # Safety
///
/// The block is one of the region's.
pub unsafe fn start_of(block: *mut Block) -> *mut u8 {
    // SAFETY: by contract; G1.
    unsafe { block.add(1).cast() }
}

/// Where the block ends.
///
/// # Safety
///
/// The block is one of the region's.
pub unsafe fn end_of(block: *mut Block) -> *mut u8 {
    // SAFETY: by contract; G1.
    unsafe { block.cast::<u8>().add((*block).bytes) }
}

/// How a block is allocated.
pub fn layout_of(bytes: usize) -> Option<Layout> {
    Layout::from_size_align(bytes, align_of::<Block>()).ok()
}
