//! What every counted pointer must do, in any convention: called by the tests
//! of each backend.

use super::Counting;
use crate::heap::{Family, Frames, Heap, Mutator, Program};
use crate::object::{Chain, Edge, Link, Node, Plain};
use crate::parts::pointer::{Convention, Pointer};
use crate::parts::verify;
use crate::tally::{Event, HeapError, On, Tally};
use crate::{Info, Settings, Zeal};

type Heaped<P, C> = Counting<P, C, On>;
type Numbers<'gc, P, C> = Link<'gc, Heaped<P, C>, Chain<u64>>;

/// A family of more than one reference, of more than one family.
struct Tree;
impl Family for Tree {
    type Of<'gc, M: Mutator<'gc>> =
        (Link<'gc, M, Chain<u64>>, Link<'gc, M, Tree>, Link<'gc, M, Tree>);
}

/// All of them; the long chain has `cells` cells.
pub fn all<P: Pointer, C: Convention>(info: &Info, cells: u64) {
    let mut settings = Settings::new(info);
    let appends: &[&str] = if info.params.is_empty() { &[""] } else { &["branch", "speculate"] };
    for append in appends {
        if !append.is_empty() {
            settings.set(info, "append", append).unwrap();
        }
        for zeal in [Zeal::Off, Zeal::EverySafepoint] {
            settings.zeal = zeal;
            filters_and_walks::<P, C>(&settings);
            two_families::<P, C>(&settings);
            sizes::<P, C>(&settings);
            a_broken_count_is_found::<P, C>(&settings);
            the_limit_is_an_error::<P, C>(&settings);
        }
    }
    settings.zeal = Zeal::Off;
    a_cycle_is_reported::<P, C>(&settings);
    let cells = if cfg!(miri) { 1_000 } else { cells };
    a_long_chain_is_released::<P, C>(&settings, cells);
    assert_eq!(P::object_bytes::<Node<'_, Heaped<P, C>, [i32; 2]>>(), info.cell_bytes as usize);
}

fn chain<P: Pointer, C: Convention>(heap: &mut Heaped<P, C>, cells: u64) -> Numbers<'static, P, C> {
    let mut chain = Link::NONE;
    for item in (0..cells).rev() {
        chain = Link(Some(heap.alloc::<Chain<u64>>(Node { item, next: chain })));
    }
    chain
}

/// Nothing is left, by every account.
fn assert_empty<P: Pointer, C: Convention>(heap: &mut Heaped<P, C>) {
    heap.settle();
    heap.validate().unwrap();
    let stats = heap.stats();
    assert_eq!((stats.live_cells, stats.live_bytes), (0, 0));
    assert_eq!(stats.rc_decrements, stats.rc_increments + stats.cells_allocated);
}

fn filters_and_walks<P: Pointer, C: Convention>(settings: &Settings) {
    let heap = &mut Heaped::<P, C>::new(settings);
    let cell_bytes = P::object_bytes::<Node<'_, Heaped<P, C>, u64>>();
    for cells in [0, 1, 2, 41, 42, 43, 300] {
        let mut from = chain(heap, cells);
        for keep in
            [|_| true, |_| false, |x: u64| x.is_multiple_of(3), |x: u64| !x.is_multiple_of(3)]
        {
            let kept = heap.filter(from.as_ref(), keep);
            let expected: Vec<_> = (0..cells).filter(|&x| keep(x)).collect();
            // Something else, allocated from what the filter left over.
            let other = chain(heap, 5);
            let found = heap.fold(kept.as_ref(), vec![], |mut found, x| {
                found.push(x);
                found
            });
            assert_eq!(found, expected);
            assert_eq!(heap.fold(from.as_ref(), 0, |sum, x| sum + x), (0..cells).sum());
            let live = cells as usize + expected.len() + 5;
            let mut roots = (kept, other, from);
            assert_eq!(verify::reachable(heap, &mut roots), Ok(live));
            heap.validate().unwrap();
            let stats = heap.stats();
            assert_eq!((stats.live_cells, stats.live_bytes), (live as u64, live * cell_bytes));
            let (kept, other, back) = roots;
            from = back;
            heap.release_link(kept);
            heap.release_link(other);
        }
        heap.release_link(from);
    }
    assert_empty(heap);
}

/// A tree whose subtrees are shared, with chains at its nodes.
fn tree<P: Pointer, C: Convention>(
    heap: &mut Heaped<P, C>,
    depth: u64,
) -> Link<'static, Heaped<P, C>, Tree> {
    if depth == 0 {
        return Link::NONE;
    }
    let left = tree(heap, depth - 1);
    let right =
        if depth.is_multiple_of(2) { heap.share_link(&left) } else { tree(heap, depth / 2) };
    let numbers = chain(heap, depth);
    Link(Some(heap.alloc::<Tree>((numbers, left, right))))
}

fn two_families<P: Pointer, C: Convention>(settings: &Settings) {
    let heap = &mut Heaped::<P, C>::new(settings);
    let root = tree(heap, 12);
    let stats = heap.stats();
    let mut roots = (root, Link::<_, Tree>::NONE);
    assert_eq!(verify::reachable(heap, &mut roots), Ok(stats.cells_allocated as usize));
    let Link(Some(root)) = roots.0 else { unreachable!() };
    // Contents that are replaced are released.
    let left = heap.load::<Tree, Tree>(&root, |tree| &tree.1);
    heap.set::<Tree>(&root, (Link::NONE, Link::NONE, left));
    assert!(heap.stats().live_cells < stats.live_cells);
    heap.release::<Tree>(root);
    assert_empty(heap);
}

/// A family without references, smaller than a word.
struct Byte;
impl Family for Byte {
    type Of<'gc, M: Mutator<'gc>> = Plain<u8>;
}

fn sizes<P: Pointer, C: Convention>(settings: &Settings) {
    let heap = &mut Heaped::<P, C>::new(settings);
    let bytes: Vec<_> = (0..=255).map(|byte| heap.alloc::<Byte>(Plain(byte))).collect();
    // Cells of more than 1 KiB.
    let mut large = Link::NONE;
    for item in 0..20 {
        large =
            Link(Some(heap.alloc::<Chain<[u8; 3_000]>>(Node { item: [item; 3_000], next: large })));
    }
    let kept = heap.filter(large.as_ref(), |item| item[2_999] % 2 == 0);
    let sum = heap.fold(kept.as_ref(), 0, |sum, item| sum + u64::from(item[0]));
    assert_eq!(sum, (0..20).filter(|x| x % 2 == 0).sum());
    heap.release_link(large);
    heap.release_link(kept);
    for (byte, at) in bytes.into_iter().enumerate() {
        assert_eq!(usize::from(heap.get::<Byte>(&at).0), byte);
        heap.release::<Byte>(at);
    }
    assert_empty(heap);
}

fn a_broken_count_is_found<P: Pointer, C: Convention>(settings: &Settings) {
    let heap = &mut Heaped::<P, C>::new(settings);
    let cell = heap.alloc::<Chain<u64>>(Node { item: 7, next: Link::NONE });
    // SAFETY: breaks R1 to see that it is noticed; one of the two is forgotten.
    let twin = unsafe { std::ptr::read(&cell) };
    let mut roots = (Edge::<_, Chain<u64>>(cell), Edge::<_, Chain<u64>>(twin));
    assert!(verify::reachable(heap, &mut roots).is_err());
    let (Edge(cell), Edge(twin)) = roots;
    std::mem::forget(twin);
    heap.release::<Chain<u64>>(cell);
    assert_empty(heap);
}

fn a_cycle_is_reported<P: Pointer, C: Convention>(settings: &Settings) {
    let heap = &mut Heaped::<P, C>::new(settings);
    let cell = heap.alloc::<Chain<u64>>(Node { item: 7, next: Link::NONE });
    let itself: Numbers<'_, P, C> = Link(Some(heap.share::<Chain<u64>>(&cell)));
    heap.set::<Chain<u64>>(&cell, Node { item: 8, next: itself });
    let again = heap.share::<Chain<u64>>(&cell);
    heap.release::<Chain<u64>>(cell);
    heap.settle();
    assert_eq!(heap.stats().live_cells, 1);
    assert_ne!(heap.stats().live_bytes, 0);
    heap.set::<Chain<u64>>(&again, Node { item: 9, next: Link::NONE });
    heap.release::<Chain<u64>>(again);
    assert_empty(heap);
}

fn a_long_chain_is_released<P: Pointer, C: Convention>(settings: &Settings, cells: u64) {
    let heap = &mut Heaped::<P, C>::new(settings);
    let long = chain(heap, cells);
    let stats = heap.stats();
    assert!(stats.heap_peak_bytes as f64 <= 1.1 * stats.live_bytes as f64);
    heap.release_link(long);
    assert_empty(heap);
}

/// Builds a chain, one cell and one frame per step.
struct Builds(u64);
impl Program for Builds {
    type Frame<'gc, M: Mutator<'gc>> = Link<'gc, M, Chain<u64>>;
    type Out = u64;
    fn start<'gc, M: Mutator<'gc>>(
        &self,
        heap: &mut M,
        stack: &mut Frames<'gc, M, Self>,
        _: &mut u64,
    ) {
        stack.push(Link::NONE, heap);
    }
    fn step<'gc, M: Mutator<'gc>>(
        &self,
        heap: &mut M,
        chain: Link<'gc, M, Chain<u64>>,
        stack: &mut Frames<'gc, M, Self>,
        built: &mut u64,
    ) {
        *built += 1;
        let older = heap.share_link(&chain);
        let chain = Link(Some(heap.alloc::<Chain<u64>>(Node { item: *built, next: chain })));
        if *built == self.0 {
            heap.release_link(older);
            heap.release_link(chain);
        } else {
            // The older frame ends the program at once when it is resumed.
            if built.is_multiple_of(2) {
                heap.release_link(older);
            } else {
                let kept = heap.filter(older.as_ref(), |x| x % 2 == 0);
                heap.release_link(older);
                heap.release_link(kept);
            }
            stack.push(chain, heap);
        }
    }
}

fn the_limit_is_an_error<P: Pointer, C: Convention>(settings: &Settings) {
    let mut settings = settings.clone();
    for limit_bytes in [1, 24, 100, 1000, 2000] {
        settings.limit_bytes = limit_bytes;
        let heap = &mut Heaped::<P, C>::new(&settings);
        let Err(HeapError::OutOfMemory { limit_bytes: named, live_bytes }) = heap.run(&Builds(100))
        else {
            panic!("a limit of {limit_bytes} bytes was passed")
        };
        assert_eq!(named, limit_bytes);
        assert!(live_bytes > 0);
        assert_eq!(heap.tally.get(Event::Allocated), heap.tally.get(Event::Freed));
        assert_empty(heap);
        if limit_bytes >= 100 {
            assert_eq!(heap.run(&Builds(1)), Ok(1), "the heap is usable after an error");
        }
    }
    settings.limit_bytes = 1 << 20;
    let heap = &mut Heaped::<P, C>::new(&settings);
    assert_eq!(heap.run(&Builds(100)), Ok(100));
    assert_empty(heap);
}
