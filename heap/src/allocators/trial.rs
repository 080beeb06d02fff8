//! What the tests of several allocators share: operations at random, with
//! contents that no other allocation may change.

use super::{Layout, Limits, Managed};
use std::ptr::NonNull;

/// Marsaglia's xorshift: the same numbers in each run.
pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % end as u64) as usize
    }
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last + 1));
        }
    }
}

/// An allocation, all of whose bytes hold the low byte of `mark`.
struct Live {
    at: NonNull<u8>,
    layout: Layout,
    mark: usize,
}

impl Live {
    fn new(at: NonNull<u8>, layout: Layout, mark: usize) -> Live {
        assert!(at.addr().get().is_multiple_of(layout.align()));
        // SAFETY: the allocation has this size.
        unsafe { at.write_bytes(mark as u8, layout.size()) };
        Live { at, layout, mark }
    }
    fn check(&self, bytes: usize) {
        let same = |&byte: &u8| byte == self.mark as u8;
        // SAFETY: the allocation has as many bytes at least, all of them written.
        let bytes = unsafe { std::slice::from_raw_parts(self.at.as_ptr(), bytes) };
        assert!(bytes.iter().all(same), "the contents of an allocation changed");
    }
}

fn layout(random: &mut Random) -> Layout {
    let size = match random.below(12) {
        0 => 0,
        1 => random.below(5000),
        2 => 500 + random.below(30),
        _ => random.below(100),
    };
    let align = if random.below(4) == 0 { 1 << random.below(9) } else { 8 };
    Layout::from_size_align(size, align).expect("a small layout")
}

/// Allocates, frees, grows, shrinks, in bursts and alone, at random.
pub fn churn<A: Managed>(zeal: bool, steps: usize, limit_bytes: usize) {
    let allocator = A::new(Limits { limit_bytes, zeal });
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    let mut live: Vec<Live> = Vec::new();
    for step in 0..steps {
        match random.below(if step % 4000 < 2000 { 10 } else { 16 }) {
            0..=3 => {
                let layout = layout(&mut random);
                if let Ok(at) = allocator.allocate(layout) {
                    assert_eq!(at.len(), layout.size());
                    live.push(Live::new(at.cast(), layout, step));
                }
            }
            4 => {
                let (layout, count) = (layout(&mut random), random.below(80));
                let each = |at| live.push(Live::new(at, layout, step));
                let _ = allocator.allocate_nodes(layout, count, each);
            }
            5 if !live.is_empty() => {
                let index = random.below(live.len());
                let old = &mut live[index];
                let new = layout(&mut random);
                let kept = old.layout.size().min(new.size());
                // SAFETY: allocated with this layout; if it moved, `at` is not used again.
                let moved = unsafe {
                    if new.size() >= old.layout.size() {
                        allocator.grow(old.at, old.layout, new)
                    } else {
                        allocator.shrink(old.at, old.layout, new)
                    }
                };
                if let Ok(at) = moved {
                    old.at = at.cast();
                    old.check(kept);
                    *old = Live::new(at.cast(), new, step);
                }
            }
            6 if step % 8 == 0 && !live.is_empty() => {
                // All of one layout that are left of some bursts, in any order.
                random.shuffle(&mut live);
                let layout = live[0].layout;
                let (same, others): (Vec<_>, Vec<_>) =
                    live.into_iter().partition(|one| one.layout == layout);
                live = others;
                same.iter().for_each(|one| one.check(layout.size()));
                // SAFETY: each is freed once.
                unsafe { allocator.deallocate_nodes(layout, same.iter().map(|one| one.at)) };
            }
            _ if !live.is_empty() => {
                let one = live.swap_remove(random.below(live.len()));
                one.check(one.layout.size());
                // SAFETY: allocated with this layout, freed once.
                unsafe { allocator.deallocate(one.at, one.layout) };
            }
            _ => {}
        }
        if step % 500 == 0 {
            allocator.validate().expect("a sound allocator");
            assert!(allocator.held_bytes().is_none_or(|bytes| bytes <= limit_bytes));
        }
    }
    for one in live {
        one.check(one.layout.size());
        // SAFETY: as above.
        unsafe { allocator.deallocate(one.at, one.layout) };
    }
    allocator.validate().expect("a sound allocator");
}
