//! Of every counted pointer: the words of references, and heaps with immortal objects in them.

use super::*;
use crate::backends::{arc, arc_split, arc_value, fused, fused_value, rc, rc_split, rc_value};
use crate::heap::{Backend, Family, Heap, Mutator};
use crate::immortals::{Immortal, Immortals};
use crate::object::{Chain, Edge, Link, Node};
use crate::parts::counting::{Counting, scenarios};
use crate::parts::pointer::{Borrowed, ByValue, Convention, Store};
use crate::parts::split::{Atomic, Plain, Split};
use crate::parts::verify;
use crate::tally::On;
use crate::{Info, Settings, Zeal};
use std::panic::{AssertUnwindSafe, catch_unwind};

type Heaped<P, C> = Counting<Mortal<P>, C, Immortal<On>>;
type Cell<P, C> = Node<'static, Heaped<P, C>, u64>;
type Numbers<P, C> = Link<'static, Heaped<P, C>, Chain<u64>>;

/// Something to do with a backend's pointer, its convention and its description.
trait Each {
    fn of<P: Pointer, C: Convention>(&self, info: &Info);
}

fn every_pointer(each: &impl Each) {
    each.of::<rc::StdRc, Borrowed>(&rc::Rc::INFO);
    each.of::<rc::StdRc, ByValue>(&rc_value::RcValue::INFO);
    each.of::<Split<Plain>, ByValue>(&rc_split::RcSplit::INFO);
    each.of::<arc::StdArc, Borrowed>(&arc::Arc::INFO);
    each.of::<arc::StdArc, ByValue>(&arc_value::ArcValue::INFO);
    each.of::<Split<Atomic>, ByValue>(&arc_split::ArcSplit::INFO);
    each.of::<fused::FusedPointer, Borrowed>(&fused::Fused::INFO);
    each.of::<fused::FusedPointer, ByValue>(&fused_value::FusedValue::INFO);
}

#[test]
fn it_counts_as_the_other_pointer_does() {
    struct Scenarios;
    impl Each for Scenarios {
        fn of<P: Pointer, C: Convention>(&self, info: &Info) {
            scenarios::all::<Mortal<P>, C>(info, 100_000);
        }
    }
    every_pointer(&Scenarios);
}

/// A value of each size and alignment: what it is made of, and how to tell it.
fn words_of<P: Pointer, T: Copy + PartialEq + std::fmt::Debug>(info: &Info, value: T) {
    type To<P, T> = <Mortal<P> as Pointer>::To<T>;
    assert_eq!(size_of::<To<P, T>>(), size_of::<P::To<T>>());
    assert_eq!(size_of::<Option<To<P, T>>>(), size_of::<To<P, T>>());

    let mut store = P::Store::new(&Settings::new(info));
    let own = Mortal::<P>::new(&mut store, value);
    assert!(!Mortal::<P>::is_immortal(&own));
    assert_eq!(Mortal::<P>::as_ptr(&own), P::as_ptr(&own.0));
    let twin = Mortal::<P>::share(&own);
    assert_eq!((Mortal::<P>::count(&own), P::count(&twin.0)), (2, 2));
    assert!(Mortal::<P>::lower(twin).is_none());
    let dead = Mortal::<P>::lower(own).expect("the last reference");
    assert_eq!(Mortal::<P>::take(&mut store, dead), value);

    let region = Immortals::new(64);
    let place = region.take(size_of::<T>()).unwrap().cast::<T>();
    // SAFETY: it has room for the value.
    unsafe { place.write(value) };
    let at = Mortal::<P>::immortal(place);
    assert_eq!(Mortal::<P>::as_ptr(&at), place.as_ptr());
    let twin = Mortal::<P>::share(&at);
    for at in [at, twin] {
        assert!(Mortal::<P>::is_immortal(&at));
        assert_eq!(Mortal::<P>::count(&at), usize::MAX);
        let Some(at) = Some(at) else { panic!("it looks like none") };
        assert!(Mortal::<P>::lower(at).is_none());
    }
    // SAFETY: nobody wrote to it.
    assert_eq!(unsafe { place.read() }, value);
}

#[test]
fn a_reference_is_as_large_as_the_other_one_and_leads_to_the_value() {
    struct Words;
    impl Each for Words {
        fn of<P: Pointer, C: Convention>(&self, info: &Info) {
            words_of::<P, ()>(info, ());
            words_of::<P, u8>(info, 7);
            words_of::<P, [u16; 3]>(info, [7, 8, 9]);
            words_of::<P, u32>(info, 7);
            words_of::<P, [u64; 5]>(info, [7, 8, 9, 10, 11]);
        }
    }
    every_pointer(&Words);
}

/// A heap and its immortal objects.
fn heap<P: Pointer, C: Convention>(info: &Info, append: &str) -> (Heaped<P, C>, Immortals) {
    let region = Immortals::new(1 << 16);
    let mut settings = Settings::new(info);
    settings.immortals = Some(region.clone());
    settings.zeal = Zeal::EverySafepoint;
    if !info.params.is_empty() {
        settings.set(info, "append", append).unwrap();
    }
    (Heaped::new(&settings), region)
}

/// A chain of the numbers from `from` on that lives for ever.
fn immortal_chain<P: Pointer, C: Convention>(
    region: &Immortals,
    numbers: std::ops::Range<u64>,
) -> Numbers<P, C> {
    numbers.rev().fold(Link::NONE, |next, item| {
        let place = region.take(size_of::<Cell<P, C>>()).unwrap().cast::<Cell<P, C>>();
        // SAFETY: it has room for a cell.
        unsafe { place.write(Node { item, next }) };
        Link(Some(Mortal::<P>::immortal(place)))
    })
}

fn contents(region: &Immortals) -> Vec<u8> {
    let bytes = region.used_bytes();
    let start = region.take(0).unwrap().as_ptr().wrapping_sub(bytes);
    // SAFETY: all of it was filled.
    (0..bytes).map(|at| unsafe { start.add(at).read() }).collect()
}

/// Nothing is left, and no count was changed for an immortal object.
fn assert_empty<P: Pointer, C: Convention>(heap: &mut Heaped<P, C>) {
    heap.settle();
    heap.validate().unwrap();
    let stats = heap.stats();
    assert_eq!((stats.live_cells, stats.live_bytes), (0, 0));
    assert_eq!(stats.rc_decrements, stats.rc_increments + stats.cells_allocated);
}

fn walks<P: Pointer, C: Convention>(info: &Info, append: &str, own: u64, immortal: u64) {
    let (heap, region) = &mut heap::<P, C>(info, append);
    let all = own + immortal;
    let mut chain = immortal_chain::<P, C>(region, own..all);
    let before = contents(region);
    for item in (0..own).rev() {
        chain = Link(Some(heap.alloc::<Chain<u64>>(Node { item, next: chain })));
    }
    for keep in [|_| true, |_| false, |x: u64| x.is_multiple_of(3), |x: u64| x >= 4] {
        let kept = heap.filter(chain.as_ref(), keep);
        let found = heap.fold(kept.as_ref(), vec![], |mut found, x| {
            found.push(x);
            found
        });
        assert_eq!(found, (0..all).filter(|&x| keep(x)).collect::<Vec<_>>());
        assert_eq!(heap.fold(chain.as_ref(), 0, |sum, x| sum + x), (0..all).sum());
        let mut roots = (chain, kept);
        let reached = own as usize + found.len();
        assert_eq!(verify::reachable(heap, &mut roots), Ok(reached), "the others are skipped");
        let kept;
        (chain, kept) = roots;
        heap.release_link(kept);
    }
    heap.release_link(chain);
    assert_empty(heap);
    assert_eq!(contents(region), before, "nothing wrote to them");
}

#[test]
fn chains_may_be_immortal_from_any_cell_on() {
    struct Walks;
    impl Each for Walks {
        fn of<P: Pointer, C: Convention>(&self, info: &Info) {
            for append in ["speculate", "branch"] {
                for (own, immortal) in [(0, 0), (0, 1), (1, 1), (3, 0), (0, 90), (90, 5), (5, 90)] {
                    walks::<P, C>(info, append, own, immortal);
                }
            }
        }
    }
    every_pointer(&Walks);
}

/// A family whose dead objects have more than one reference to take out.
struct Tree;
impl Family for Tree {
    type Of<'gc, M: Mutator<'gc>> =
        (Link<'gc, M, Tree>, Link<'gc, M, Chain<u64>>, Link<'gc, M, Tree>);
}

#[test]
fn the_last_release_takes_out_immortal_references_too() {
    struct Dies;
    impl Each for Dies {
        fn of<P: Pointer, C: Convention>(&self, info: &Info) {
            let (heap, region) = &mut heap::<P, C>(info, "branch");
            type Fork<P, C> = <Tree as Family>::Of<'static, Heaped<P, C>>;
            let place = region.take(size_of::<Fork<P, C>>()).unwrap().cast::<Fork<P, C>>();
            let numbers = immortal_chain::<P, C>(region, 0..3);
            // SAFETY: it has room for a tree.
            unsafe { place.write((Link::NONE, numbers, Link::NONE)) };
            let for_ever: Link<'_, Heaped<P, C>, Tree> = Link(Some(Mortal::<P>::immortal(place)));
            let before = contents(region);
            for deaths in 0..8_u32 {
                let mut tree = heap.share_link(&for_ever);
                for place in 0..3 {
                    // Of three references to trees in a row, some are immortal.
                    let other = if deaths & 1 << place == 0 {
                        heap.share_link(&for_ever)
                    } else {
                        let numbers =
                            heap.load::<Tree, _>(for_ever.as_ref().unwrap(), |tree| &tree.1);
                        Link(Some(heap.alloc::<Tree>((Link::NONE, numbers, Link::NONE))))
                    };
                    let cell = heap.alloc::<Chain<u64>>(Node { item: 1, next: Link::NONE });
                    tree = Link(Some(heap.alloc::<Tree>((other, Link(Some(cell)), tree))));
                }
                let root = heap.load::<Tree, _>(tree.as_ref().unwrap(), |tree| &tree.0);
                heap.release_link(tree);
                heap.release_link(root);
            }
            assert_empty(heap);
            assert_eq!(contents(region), before, "nothing wrote to them");
        }
    }
    every_pointer(&Dies);
}

#[test]
fn an_immortal_object_is_not_written_to() {
    struct Writes;
    impl Each for Writes {
        fn of<P: Pointer, C: Convention>(&self, info: &Info) {
            let (heap, region) = &mut heap::<P, C>(info, "speculate");
            let chain = immortal_chain::<P, C>(region, 0..2);
            let at = chain.as_ref().unwrap();
            let write = || heap.set::<Chain<u64>>(at, Node { item: 7, next: Link::NONE });
            let panic = catch_unwind(AssertUnwindSafe(write)).unwrap_err();
            let message = panic.downcast_ref::<&str>().expect("a text");
            assert_eq!(*message, "an immortal object cannot be changed");
            assert_eq!(heap.fold(chain.as_ref(), vec![], |a, x| [a, vec![x]].concat()), [0, 1]);
        }
    }
    every_pointer(&Writes);
}

#[test]
fn own_objects_are_written_to_and_may_refer_to_immortal_ones() {
    struct Writes;
    impl Each for Writes {
        fn of<P: Pointer, C: Convention>(&self, info: &Info) {
            let (heap, region) = &mut heap::<P, C>(info, "speculate");
            let chain = immortal_chain::<P, C>(region, 1..4);
            let own = heap.alloc::<Chain<u64>>(Node { item: 9, next: Link::NONE });
            for _ in 0..2 {
                let next = heap.share_link(&chain);
                heap.set::<Chain<u64>>(&own, Node { item: 0, next });
            }
            assert_eq!(heap.stats().rc_increments, 0, "nothing was counted");
            assert_eq!(heap.fold(Some(&own), 0, |sum, x| sum * 10 + x), 123);
            heap.set::<Chain<u64>>(&own, Node { item: 5, next: Link::NONE });
            heap.release::<Chain<u64>>(own);
            assert_eq!(heap.fold(chain.as_ref(), 0, |sum, x| sum * 10 + x), 123);
            assert_empty(heap);
        }
    }
    every_pointer(&Writes);
}

#[test]
fn a_mark_on_a_reference_to_no_immortal_object_is_found() {
    struct Wrong;
    impl Each for Wrong {
        fn of<P: Pointer, C: Convention>(&self, info: &Info) {
            let (heap, _) = &mut heap::<P, C>(info, "speculate");
            let other = Immortals::new(1 << 10);
            let chain = immortal_chain::<P, C>(&other, 0..2);
            let mut roots = Edge::<_, Chain<u64>>(chain.0.unwrap());
            assert!(verify::reachable(heap, &mut roots).is_err());
        }
    }
    every_pointer(&Wrong);
}
