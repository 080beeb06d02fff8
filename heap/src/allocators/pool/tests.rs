use super::slab::{HEADER_BYTES, SLAB_BYTES};
use super::*;
use crate::allocators::Nodes;
use crate::allocators::trial::{Random, churn};
use std::panic::{AssertUnwindSafe, catch_unwind};

const SUPERBLOCK_BYTES: usize = SUPERBLOCK_SLABS as usize * SLAB_BYTES;

fn pool(limit_bytes: usize) -> Pool {
    Pool::new(Limits { limit_bytes, zeal: false })
}

fn nodes(bytes: usize) -> Layout {
    Layout::from_size_align(bytes, 8).unwrap()
}

fn burst(pool: &Pool, layout: Layout, count: usize) -> Vec<NonNull<u8>> {
    let mut nodes = Vec::with_capacity(count);
    pool.allocate_nodes(layout, count, |node| nodes.push(node)).unwrap();
    nodes
}

fn capacity(bytes: usize) -> usize {
    (SLAB_BYTES - 2 * HEADER_BYTES) / bytes
}

#[test]
fn metadata_is_at_most_two_percent_of_one_full_slab() {
    for bytes in (8..=LARGEST_BYTES).step_by(8) {
        let pool = pool(usize::MAX);
        let taken = burst(&pool, nodes(bytes), capacity(bytes));
        assert_eq!(pool.superblocks.slabs().count(), 1);
        let rest_bytes = SLAB_BYTES - taken.len() * bytes + size_of::<Pool>();
        assert!(rest_bytes * 50 <= SLAB_BYTES, "{rest_bytes} bytes beside nodes of {bytes}");
        let unused_bytes = (SUPERBLOCK_SLABS as usize - 1) * HEADER_BYTES;
        assert_eq!(pool.metadata_bytes(), Some(rest_bytes + unused_bytes));
        assert_eq!(pool.held_bytes(), Some(size_of::<Pool>() + SUPERBLOCK_BYTES));
        assert_ne!(burst(&pool, nodes(bytes), 1), [], "in a slab of its own");
        assert_eq!(pool.superblocks.slabs().count(), 2);
        pool.validate().unwrap();
    }
}

#[test]
fn what_is_freed_is_used_again_and_an_emptied_slab_in_its_order() {
    let pool = pool(usize::MAX);
    let layout = nodes(24);
    let mut taken = burst(&pool, layout, 1000);
    assert!(taken.is_sorted() && taken[999].addr().get() - taken[0].addr().get() == 999 * 24);
    // SAFETY: each is freed once.
    unsafe {
        pool.deallocate(taken[7], layout);
        pool.deallocate(taken[3], layout);
        assert_eq!(burst(&pool, layout, 2), [taken[3], taken[7]]);
        Random(3).shuffle(&mut taken);
        pool.deallocate_nodes(layout, taken.iter().copied());
    }
    pool.validate().unwrap();
    let again = burst(&pool, layout, 1000);
    taken.sort();
    assert!(again == taken);
}

#[test]
fn empty_slabs_serve_other_sizes_and_empty_superblocks_go_back() {
    let pool = pool(usize::MAX);
    let superblocks = 20;
    let count = superblocks * SUPERBLOCK_SLABS as usize * capacity(64);
    let held = || (pool.held_bytes().unwrap() - size_of::<Pool>()) / SUPERBLOCK_BYTES;
    let mut taken = burst(&pool, nodes(64), count);
    assert_eq!(held(), superblocks);
    Random(1).shuffle(&mut taken);
    let (some, others) = taken.split_at(count / 2);
    // SAFETY: each is freed once.
    unsafe { pool.deallocate_nodes(nodes(64), some.iter().copied()) };
    assert_eq!(held(), superblocks, "half of the nodes of each slab are in use");
    pool.validate().unwrap();
    // SAFETY: likewise.
    unsafe { pool.deallocate_nodes(nodes(64), others.iter().copied()) };
    pool.validate().unwrap();
    assert_eq!(held(), 3, "an eighth is spare, and one has the idle slab");
    let taken = burst(&pool, nodes(128), 3 * (SUPERBLOCK_SLABS as usize - 1) * capacity(128));
    assert_eq!(held(), 3);
    // SAFETY: likewise.
    unsafe { pool.deallocate_nodes(nodes(128), taken.into_iter()) };
    // The peak is forgotten when as many slabs as it had fell empty, twice.
    for _ in 0..3 * superblocks {
        let taken = burst(&pool, nodes(512), SUPERBLOCK_SLABS as usize * capacity(512));
        // SAFETY: likewise.
        unsafe { pool.deallocate_nodes(nodes(512), taken.into_iter()) };
        pool.validate().unwrap();
    }
    assert!(held() <= 2, "{} superblocks are held", held());
}

#[test]
fn a_container_filled_again_and_again_does_not_go_to_the_platform() {
    let pool = pool(usize::MAX);
    let mut seen = Vec::new();
    for _ in 0..50 {
        let taken = burst(&pool, nodes(16), 30_000);
        seen.push(taken[0].min(*taken.iter().min().unwrap()));
        // SAFETY: each is freed once.
        unsafe { taken.into_iter().for_each(|node| pool.deallocate(node, nodes(16))) };
        assert_eq!(pool.held_bytes(), Some(size_of::<Pool>() + SUPERBLOCK_BYTES));
    }
    assert!(seen.windows(2).all(|pair| pair[0] == pair[1]));
}

#[test]
fn one_idle_slab_is_kept_and_no_more() {
    let pool = pool(usize::MAX);
    for round in 0..10 {
        for bytes in [8, 16, 24] {
            let [node] = burst(&pool, nodes(bytes), 1)[..] else { panic!("one node") };
            // SAFETY: freed once.
            unsafe { pool.deallocate(node, nodes(bytes)) };
            let idle = pool.idle.get();
            assert_eq!(idle, slab_of(node.as_ptr()), "round {round}");
            // SAFETY: the slab has a size, and is the pool's.
            unsafe { assert_eq!(usize::from((*idle).node_bytes), bytes) };
            pool.validate().unwrap();
        }
    }
}

#[test]
fn it_keeps_to_its_limit_and_uses_all_of_it() {
    for slabs in [0, 1, 3, 17, 40] {
        let limit_bytes = size_of::<Pool>() + slabs * SLAB_BYTES + SLAB_BYTES / 2;
        let pool = pool(limit_bytes);
        let mut taken = Vec::new();
        let all = pool.allocate_nodes(nodes(504), usize::MAX, |node| taken.push(node));
        assert_eq!(all, Err(AllocError));
        assert!(taken.len() >= slabs * (capacity(504) - 1), "{} in {slabs} slabs", taken.len());
        assert!(pool.held_bytes().unwrap() <= limit_bytes);
        pool.validate().unwrap();
        assert_eq!(pool.allocate(Layout::new::<[u8; SLAB_BYTES]>()).err(), Some(AllocError));
        // SAFETY: each is freed once.
        unsafe { pool.deallocate_nodes(nodes(504), taken.into_iter()) };
        if slabs > 0 {
            // What is spare or idle makes room for others.
            let large = Layout::from_size_align(slabs * SLAB_BYTES, 8).unwrap();
            let at = pool.allocate(large).unwrap().cast();
            assert_eq!(pool.held_bytes(), Some(size_of::<Pool>() + large.size()));
            // SAFETY: as allocated, freed once.
            unsafe { pool.deallocate(at, large) };
            let at = pool.allocate(nodes(8)).unwrap().cast();
            // SAFETY: likewise.
            unsafe { pool.deallocate(at, nodes(8)) };
            pool.allocate(nodes(512)).unwrap();
        }
        pool.validate().unwrap();
    }
}

#[test]
fn a_burst_may_come_back_to_the_pool_and_may_panic() {
    let pool = pool(usize::MAX);
    let layout = nodes(48);
    let mut own = Vec::new();
    let mut handed = Vec::new();
    pool.allocate_nodes(layout, 5000, |node| {
        handed.push(node);
        own.extend(burst(&pool, layout, handed.len() % 3));
        if handed.len() % 2 == 0 {
            // SAFETY: in use, and freed once.
            unsafe { pool.deallocate(own.pop().unwrap_or_else(|| handed.pop().unwrap()), layout) };
        }
    })
    .unwrap();
    handed.append(&mut own);
    handed.sort();
    assert!(handed.windows(2).all(|pair| pair[0] < pair[1]), "nodes are distinct");
    pool.validate().unwrap();
    let mut count = 0;
    let broken = catch_unwind(AssertUnwindSafe(|| {
        pool.allocate_nodes(layout, 5000, |node| {
            handed.push(node);
            count += 1;
            assert!(count < 1500, "as the test wants it");
        })
    }));
    assert!(broken.is_err());
    pool.validate().unwrap();
    // SAFETY: those that were handed out are in use.
    unsafe { pool.deallocate_nodes(layout, handed.into_iter()) };
    pool.validate().unwrap();
    let slabs = pool.superblocks.slabs();
    // SAFETY: slabs of the pool.
    let used = slabs.filter(|&slab| unsafe { (*slab).node_bytes } > 0).count();
    assert_eq!(used, 1, "those that were not handed out were freed");
}

#[test]
fn alignments_and_layouts_without_bytes() {
    for zeal in [false, true] {
        let pool = Pool::new(Limits { limit_bytes: usize::MAX, zeal });
        for align in (0..=12).map(|shift| 1 << shift) {
            for bytes in [0, 1, 8, 24, 40, 64, 100, 512, 513, 5000] {
                let layout = Layout::from_size_align(bytes, align).unwrap();
                let taken = burst(&pool, layout, 20);
                assert!(taken.iter().all(|at| at.addr().get().is_multiple_of(align)));
                // SAFETY: each is freed once.
                unsafe { pool.deallocate_nodes(layout, taken.into_iter()) };
            }
        }
        pool.validate().unwrap();
        assert_eq!(pool.large_bytes.get(), 0);
    }
}

#[test]
fn damage_is_found() {
    let pool = pool(usize::MAX);
    let taken = burst(&pool, nodes(32), 10);
    let slab = slab_of(taken[0].as_ptr());
    // SAFETY: the slab is the pool's; the damage is mended before it is used.
    unsafe {
        (*slab).countdown += 1;
        assert!(pool.validate().is_err(), "a wrong count");
        (*slab).countdown -= 1;
        (*slab).listed = false;
        assert!(pool.validate().is_err(), "listed, and does not know");
        (*slab).listed = true;
        pool.deallocate(taken[5], nodes(32));
        taken[5].cast::<*mut u8>().write(taken[5].as_ptr());
        assert!(pool.validate().is_err(), "freed twice");
        taken[5].cast::<*mut u8>().write(ptr::null_mut());
        pool.superblocks.trim();
    }
    pool.validate().unwrap();
}

#[test]
fn random_operations() {
    churn::<Pool>(false, 20_000, 1 << 30);
    churn::<Pool>(true, 300, 1 << 30);
    churn::<Pool>(false, 20_000, 1 << 20);
}
