//! What is particular to this allocator; `tests/allocators.rs` has random programs.

use super::chunk::{HEADER_BYTES, chunk_bytes};
use super::*;

const NODE: Layout = Layout::new::<[u64; 3]>();

fn new() -> BoundaryTag {
    BoundaryTag::new(Limits { limit_bytes: usize::MAX, zeal: true })
}

fn layout(bytes: usize) -> Layout {
    Layout::from_size_align(bytes, 8).unwrap()
}

fn take(of: &BoundaryTag, bytes: usize) -> NonNull<u8> {
    of.allocate(layout(bytes)).unwrap().cast()
}

fn free(of: &BoundaryTag, at: NonNull<u8>, bytes: usize) {
    // SAFETY: each test gives back what it has, once.
    unsafe { of.deallocate(at, layout(bytes)) };
}

fn grow(of: &BoundaryTag, at: NonNull<u8>, old: usize, new: usize) -> NonNull<u8> {
    // SAFETY: as above.
    unsafe { of.grow(at, layout(old), layout(new)).unwrap().cast() }
}

/// Bytes and number of free chunks that are in bins.
fn binned(of: &BoundaryTag) -> (usize, usize) {
    let mut free = BTreeMap::new();
    // SAFETY: B8.
    unsafe { of.state() }.books(&mut free).unwrap();
    (free.values().sum(), free.len())
}

fn distance(from: NonNull<u8>, to: NonNull<u8>) -> usize {
    to.addr().get() - from.addr().get()
}

#[test]
fn chunks_have_eight_bytes_of_their_own() {
    for (payload, chunk) in [(1, 32), (24, 32), (25, 48), (40, 48), (41, 64), (1_000, 1_008)] {
        assert_eq!(chunk_bytes(payload), chunk);
        let of = new();
        let (a, b) = (take(&of, payload), take(&of, payload));
        assert_eq!(distance(a, b), chunk);
        let before = of.metadata_bytes().unwrap();
        let c = take(&of, payload);
        assert_eq!(of.metadata_bytes().unwrap() - before, HEADER_BYTES);
        for at in [a, b, c] {
            free(&of, at, payload);
        }
    }
}

#[test]
fn neighbours_merge_whatever_the_order() {
    for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
        let of = new();
        let three = [take(&of, 24), take(&of, 40), take(&of, 1_000)];
        let guard = take(&of, 24);
        for i in order {
            free(&of, three[i], [24, 40, 1_000][i]);
        }
        assert_eq!(binned(&of), (32 + 48 + 1_008, 1), "freed as {order:?}");
        assert_eq!(take(&of, 32 + 48 + 1_000), three[0], "all of it serves again");
        free(&of, three[0], 32 + 48 + 1_000);
        free(&of, guard, 24);
        assert_eq!(binned(&of), (0, 0), "all is in the top");
    }
}

#[test]
fn a_block_grows_into_the_top() {
    let of = new();
    let at = take(&of, 100);
    for bytes in [200, 10_000, 500_000] {
        assert_eq!(grow(&of, at, 100, bytes), at);
    }
    let after = take(&of, 24);
    let moved = grow(&of, at, 500_000, 500_001 + 16);
    assert_ne!(moved, at, "boxed in");
    free(&of, after, 24);
    free(&of, moved, 500_017);
    assert_eq!(binned(&of), (0, 0));
}

#[test]
fn a_block_grows_into_the_free_chunk_after_it() {
    let of = new();
    let (a, b, guard) = (take(&of, 24), take(&of, 1_000), take(&of, 24));
    free(&of, b, 1_000);
    assert_eq!(grow(&of, a, 24, 500), a);
    assert_eq!(binned(&of), (32 + 1_008 - 512, 1), "no more than asked for");
    assert_eq!(grow(&of, a, 500, 1_024), a, "the rest is too little for a chunk");
    assert_eq!(binned(&of), (0, 0));
    let moved = grow(&of, a, 1_024, 1_033);
    assert_ne!(moved, a);
    free(&of, moved, 1_033);
    free(&of, guard, 24);
}

#[test]
fn a_block_shrinks_where_it_is() {
    let of = new();
    let (at, guard) = (take(&of, 1_000), take(&of, 24));
    // SAFETY: as above.
    let shrunk = unsafe { of.shrink(at, layout(1_000), layout(100)).unwrap().cast() };
    assert_eq!(at, shrunk);
    assert_eq!(binned(&of), (1_008 - 112, 1));
    free(&of, guard, 24);
    assert_eq!(binned(&of), (0, 0), "what was cut off merges with the top");
    free(&of, at, 100);
}

#[test]
fn a_burst_is_one_chunk_and_each_node_is_free_alone() {
    let orders: [fn(usize) -> usize; 4] = [|i| i, |i| 99 - i, |i| i * 37 % 100, |i| i ^ 1];
    for order in orders {
        let of = new();
        let mut nodes = Vec::new();
        of.allocate_nodes(NODE, 100, |node| nodes.push(node)).unwrap();
        assert!(nodes.windows(2).all(|two| distance(two[0], two[1]) == 32));
        let guard = take(&of, 24);
        for i in 0..100 {
            free(&of, nodes[order(i)], 24);
            of.validate().unwrap();
        }
        assert_eq!(binned(&of), (3_200, 1));
        free(&of, guard, 24);
    }
}

#[test]
fn nodes_given_back_together_are_one_chunk() {
    let of = new();
    let mut nodes = Vec::new();
    of.allocate_nodes(NODE, 1_000, |node| nodes.push(node)).unwrap();
    let guard = take(&of, 24);
    let (odd, even) = nodes.split_at(500);
    // SAFETY: each once.
    unsafe {
        of.deallocate_nodes(NODE, odd.iter().rev().copied());
        assert_eq!(binned(&of), (500 * 32, 1));
        of.deallocate_nodes(NODE, even.iter().copied());
    }
    assert_eq!(binned(&of), (1_000 * 32, 1));
    free(&of, guard, 24);
    assert_eq!(binned(&of), (0, 0));
}

#[test]
fn a_burst_takes_the_pieces_that_there_are() {
    let of = new();
    let block = take(&of, 100 * 32 - 8);
    // All of the rest of the segment.
    // SAFETY: B8.
    let room_bytes = unsafe { of.state() }.top().unwrap().1 - 32;
    let halves = [room_bytes / 32 * 16, room_bytes / 32 * 16 - 32];
    let rest = halves.map(|bytes| take(&of, bytes));
    let held = of.held_bytes().unwrap();
    free(&of, block, 100 * 32 - 8);
    let mut nodes = Vec::new();
    of.allocate_nodes(NODE, 300, |node| nodes.push(node)).unwrap();
    assert_eq!(nodes[0], block, "the free chunk serves as many as it can");
    assert!(nodes[..100].windows(2).all(|two| distance(two[0], two[1]) == 32));
    assert!(of.held_bytes().unwrap() > held);
    // SAFETY: each once.
    unsafe { of.deallocate_nodes(NODE, nodes.into_iter()) };
    for (at, bytes) in rest.into_iter().zip(halves) {
        free(&of, at, bytes);
    }
}

#[test]
fn empty_segments_return() {
    let of = new();
    let own_bytes = of.held_bytes().unwrap();
    let large = take(&of, 5 << 20);
    assert!(of.held_bytes().unwrap() > 5 << 20);
    free(&of, large, 5 << 20);
    assert_eq!(of.held_bytes().unwrap(), own_bytes, "large ones at once");
    let small: Vec<_> = (0..40).map(|_| take(&of, 400_000)).collect();
    assert!(of.held_bytes().unwrap() > 15 << 20);
    for at in small {
        free(&of, at, 400_000);
        of.validate().unwrap();
    }
    let kept_bytes = of.held_bytes().unwrap() - own_bytes;
    assert!((1 << 19..=2 << 20).contains(&kept_bytes), "{kept_bytes} are kept");
    let at = take(&of, 400_000);
    assert_eq!(of.held_bytes().unwrap() - own_bytes, kept_bytes, "and serve again");
    free(&of, at, 400_000);
}

#[test]
fn alignments_beyond_a_page() {
    for align in [32, 64, 4_096, 1 << 16] {
        let of = new();
        let layout = Layout::from_size_align(100, align).unwrap();
        let blocks: Vec<_> = (0..20).map(|_| of.allocate(layout).unwrap()).collect();
        assert!(blocks.iter().all(|block| block.cast::<u8>().addr().get() % align == 0));
        assert!(of.held_bytes().unwrap() < (2 << 20) + 20 * (align + 200), "gaps are given back");
        for block in blocks {
            // SAFETY: each once.
            unsafe { of.deallocate(block.cast(), layout) };
        }
        assert_eq!(binned(&of), (0, 0));
    }
}

#[test]
#[should_panic(expected = "broken allocator")]
fn zeal_finds_what_is_overwritten() {
    let of = new();
    let (a, _) = (take(&of, 24), take(&of, 24));
    // SAFETY: this writes beyond its block, into the header of the next one, still in a segment.
    unsafe { a.cast::<usize>().add(3).write(7) };
    free(&of, a, 24);
}
