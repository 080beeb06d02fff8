use super::*;
use crate::allocators::trial::churn;
use std::panic::{AssertUnwindSafe, catch_unwind};

const WORDS: Layout = Layout::new::<[u64; 3]>();

fn region(limit_bytes: usize, zeal: bool) -> Region {
    Region::new(Limits { limit_bytes, zeal })
}

fn burst(region: &Region, layout: Layout, count: usize) -> Vec<NonNull<u8>> {
    let mut nodes = Vec::with_capacity(count);
    region.allocate_nodes(layout, count, |node| nodes.push(node)).unwrap();
    nodes
}

#[test]
fn nothing_comes_back_before_all_is_free_and_then_all_but_the_largest_block() {
    let region = region(usize::MAX, false);
    let first = region.allocate(WORDS).unwrap().cast::<u8>();
    let nodes = burst(&region, WORDS, 100_000);
    let held_bytes = region.held_bytes().unwrap();
    assert!(held_bytes > 100_001 * WORDS.size());
    // SAFETY: each is freed once.
    unsafe {
        region.deallocate_nodes(WORDS, nodes[1..].iter().copied());
        region.deallocate(first, WORDS);
        region.validate().unwrap();
        assert_eq!(region.held_bytes(), Some(held_bytes), "one object keeps everything");
        region.deallocate(nodes[0], WORDS);
    }
    region.validate().unwrap();
    assert_eq!(region.held_bytes(), Some(held_bytes - FIRST_BYTES));
    let gap = |pair: &[NonNull<u8>]| pair[0].addr().get() + WORDS.size() != pair[1].addr().get();
    let rest = &nodes[nodes.windows(2).position(gap).unwrap() + 1..];
    assert!(burst(&region, WORDS, rest.len()) == rest, "the largest, from its start");
}

#[test]
fn the_last_allocation_grows_and_shrinks_in_place() {
    for zeal in [false, true] {
        let region = region(usize::MAX, zeal);
        let (small, large) = (Layout::new::<[u64; 2]>(), Layout::new::<[u64; 20]>());
        let first = region.allocate(small).unwrap().cast::<u8>();
        // SAFETY: each has the layout that is given.
        unsafe {
            first.write_bytes(7, 16);
            assert_eq!(region.grow(first, small, large).unwrap().cast(), first);
            let second = region.allocate(small).unwrap().cast::<u8>();
            let moved = region.grow(first, large, Layout::new::<[u64; 21]>()).unwrap();
            assert_ne!(moved.cast(), first, "it is not the last one");
            assert_eq!(moved.cast::<[u8; 16]>().read(), [7; 16]);
            let third = region.allocate(large).unwrap().cast::<u8>();
            assert_eq!(region.shrink(third, large, small).unwrap().cast(), third);
            let after = region.allocate(small).unwrap().cast::<u8>();
            assert_eq!(after, third.add(16), "what was cut off is free");
            for at in [second, third, after] {
                region.deallocate(at, small);
            }
            region.validate().unwrap();
            let none = Layout::new::<()>();
            region.shrink(moved.cast(), Layout::new::<[u64; 21]>(), none).unwrap();
        }
        assert_eq!(region.live(), 0, "without bytes nothing lives");
        region.validate().unwrap();
    }
}

#[test]
fn it_keeps_to_its_limit() {
    let limit_bytes = 300_000;
    let region = region(limit_bytes, false);
    let mut nodes = Vec::new();
    while let Ok(node) = region.allocate(WORDS) {
        nodes.push(node.cast());
        assert!(region.held_bytes().unwrap() <= limit_bytes);
    }
    assert!(nodes.len() * WORDS.size() > limit_bytes * 9 / 10, "{} nodes", nodes.len());
    region.validate().unwrap();
    // SAFETY: each is freed once.
    unsafe { region.deallocate_nodes(WORDS, nodes.into_iter()) };
    region.validate().unwrap();
    assert!(region.allocate(Layout::new::<[u8; 290_000]>()).is_ok(), "an empty block makes room");
}

#[test]
fn every_byte_is_accounted_for() {
    let region = region(usize::MAX, false);
    for count in [1, 100, 5000, 3, 70_000] {
        burst(&region, WORDS, count);
    }
    let used_bytes = 75_104 * WORDS.size();
    let free_bytes = region.end.get().addr() - region.top.get().addr();
    let metadata_bytes = region.metadata_bytes().unwrap();
    assert_eq!(region.held_bytes(), Some(used_bytes + free_bytes + metadata_bytes));
}

#[test]
fn nodes_that_a_panic_keeps_from_the_caller_are_freed() {
    let region = region(usize::MAX, false);
    let mut handed = Vec::new();
    let broken = catch_unwind(AssertUnwindSafe(|| {
        region.allocate_nodes(WORDS, 100, |node| {
            handed.push(node);
            assert!(handed.len() < 30, "as the test wants it");
        })
    }));
    assert!(broken.is_err());
    assert_eq!(region.live(), 30);
    // SAFETY: each is freed once.
    unsafe { region.deallocate_nodes(WORDS, handed.into_iter()) };
    region.validate().unwrap();
    assert_eq!(region.live(), 0);
}

#[test]
fn alignments_and_layouts_without_bytes() {
    for zeal in [false, true] {
        let region = region(usize::MAX, zeal);
        for align in (0..=12).map(|shift| 1 << shift) {
            for bytes in [0, 1, 24, 100, 5000] {
                let layout = Layout::from_size_align(bytes, align).unwrap();
                let nodes = burst(&region, layout, 20);
                assert!(nodes.iter().all(|at| at.addr().get().is_multiple_of(align)));
                assert_eq!(region.live(), if bytes > 0 { 20 } else { 0 });
                // SAFETY: each is freed once.
                unsafe { region.deallocate_nodes(layout, nodes.into_iter()) };
            }
        }
        region.validate().unwrap();
    }
}

#[test]
fn random_operations() {
    churn::<Region>(false, 20_000, 1 << 30);
    churn::<Region>(true, 1000, 1 << 30);
    churn::<Region>(false, 20_000, 1 << 20);
}
