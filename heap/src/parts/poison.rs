//! Poisoning of reclaimed memory, so that a use after reclamation is caught
//! inside our own blocks too.
//!
//! With `--cfg heap_asan` (and `-Zsanitizer=address`) the sanitizer is told;
//! with debug assertions the memory is overwritten; otherwise nothing happens.

/// What overwritten memory holds: neither a valid address nor a small number.
#[cfg(all(debug_assertions, not(heap_asan)))]
const PATTERN: u8 = 0xF5;

#[cfg(heap_asan)]
unsafe extern "C" {
    fn __asan_poison_memory_region(at: *const u8, bytes: usize);
    fn __asan_unpoison_memory_region(at: *const u8, bytes: usize);
}

/// Says that `[at, at + bytes)` holds no object any more.
///
/// # Safety
///
/// The memory is the caller's, and no object in it is used again.
#[inline(always)]
pub unsafe fn dead(at: *mut u8, bytes: usize) {
    #[cfg(heap_asan)]
    // SAFETY: by contract.
    unsafe {
        __asan_poison_memory_region(at, bytes);
    }
    #[cfg(all(debug_assertions, not(heap_asan)))]
    // SAFETY: by contract.
    unsafe {
        at.write_bytes(PATTERN, bytes);
    }
    let _ = (at, bytes);
}

/// Says that `[at, at + bytes)` may be used again.
#[inline(always)]
pub fn reborn(at: *mut u8, bytes: usize) {
    #[cfg(heap_asan)]
    // SAFETY: the sanitizer only changes its shadow of this memory.
    unsafe {
        __asan_unpoison_memory_region(at, bytes);
    }
    let _ = (at, bytes);
}
