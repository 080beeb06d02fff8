//! A short queue between a mark stack and the marking of what it holds.
//!
//! What leaves the stack is fetched into the cache when it enters the queue
//! and looked at when it leaves it, so that several misses are served at once.
//! Papers: Cher, Hosking & Vijaykumar, "Software prefetching for mark-sweep
//! garbage collection", ASPLOS 2004.

/// Entries fetched ahead: the misses a core serves at once.
const AHEAD: usize = 16;

/// A queue of at most `AHEAD` entries.
pub struct Ahead<E> {
    ring: [Option<E>; AHEAD],
    first: usize,
    len: usize,
}

impl<E> Ahead<E> {
    pub fn new() -> Self {
        Ahead { ring: [const { None }; AHEAD], first: 0, len: 0 }
    }
    /// Takes an entry from `stack`, by way of the queue, which it fills first;
    /// `fetch` is told of each entry that enters it.
    #[inline(always)]
    pub fn pop(&mut self, stack: &mut Vec<E>, fetch: impl Fn(&E)) -> Option<E> {
        if self.len == 0 && stack.len() == 1 {
            // A chain: there is nothing to overlap.
            return stack.pop();
        }
        while self.len < AHEAD
            && let Some(entry) = stack.pop()
        {
            fetch(&entry);
            self.ring[(self.first + self.len) % AHEAD] = Some(entry);
            self.len += 1;
        }
        let entry = self.ring[self.first].take()?;
        self.first = (self.first + 1) % AHEAD;
        self.len -= 1;
        Some(entry)
    }
}

/// Asks for the cache line of an address. It may be any address.
#[inline(always)]
pub fn fetch<T>(at: *const T) {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    // SAFETY: a prefetch has no effect that the program could notice.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(at.cast());
    }
    let _ = at;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_lost() {
        let mut stack: Vec<u32> = (0..100).collect();
        let mut ahead = Ahead::new();
        let mut seen = Vec::new();
        while let Some(entry) = ahead.pop(&mut stack, |_| {}) {
            seen.push(entry);
            if entry == 50 {
                stack.extend(100..140);
            }
        }
        seen.sort_unstable();
        assert_eq!(seen, (0..140).collect::<Vec<_>>());
    }
}
