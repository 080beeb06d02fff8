//! Runs that are split into tasks between heaps whose objects may refer to immortal ones: the
//! answers and the work are those of a whole run, whoever does which task, and nothing is left.

mod common;

use common::objects::Pair;
use common::on_a_small_stack;
use common::tasks::{Forest, Read, Totals, in_turn, on_threads, with_room};
use heap::carry::{self, Lists, Split, Task};
use heap::conformance::{Check, every_backend, settings, tiny, zealous};
use heap::{
    BACKENDS, Backend, Chain, Edge, Frames, Heap, HeapError, Immortal, Immortals, Kind, Link,
    Mutator, Node, Off, On, Plain, Program, Settings, Stats, Tally, Visit,
};
use nqueens::{Answer, Queens, oracle};
use std::fmt::Debug;
use std::ops::AddAssign;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Room for immortal objects: far more than any run here needs.
const REGION_BYTES: usize = 8 << 20;
/// The levels of frames that become tasks.
const DEPTHS: std::ops::RangeInclusive<u32> = 0..=3;
/// A tree whose leaves, which write to what is theirs, are just below those levels.
const FOREST: Forest = Forest { levels: 2, branches: 3, rounds: 12 };

/// The ways to share objects that a backend's heaps can do; the counted one is tested elsewhere.
fn ways<B: Backend>() -> impl Iterator<Item = Lists> {
    let possible = |&lists: &Lists| carry::possible(B::INFO.name, lists) == Some(true);
    [Lists::Copied, Lists::Immortal].into_iter().filter(possible)
}

/// What a heap has done, and is left with.
fn end(mut heap: impl Heap) -> Stats {
    heap.validate().unwrap();
    heap.settle();
    heap.validate().unwrap();
    heap.stats()
}

/// A program to split, and what it must come to.
struct Case<P: Program> {
    program: P,
    out: P::Out,
    /// Objects that it makes.
    made: u64,
}

/// The n-queens search, its visits counted, for n = 4, 5 or 6.
fn queens(n: u32) -> Case<Queens<On>> {
    let work = [(172, 296, 184), (922, 1_588, 1_295), (5_268, 9_222, 8_980)];
    let (made, cells_filtered, cells_length) = work[n as usize - 4];
    let out = Answer { solutions: oracle(n), cells_filtered, cells_length };
    Case { program: Queens::new(n), out, made }
}

/// Objects of several types that share structure, and are written to.
fn forest(forest: Forest) -> Case<Forest> {
    struct Whole(Forest);
    impl Visit for Whole {
        type Out = Read;
        fn visit<B: Backend>(self) -> Read {
            <B::Heap<Off>>::new(&Settings::new(&B::INFO)).run(&self.0).unwrap()
        }
    }
    let out = heap::visit("rc", Whole(forest)).expect("a backend");
    Case { program: forest, out, made: out.made }
}

impl<P: Program + Clone + Send + Sync> Case<P>
where
    P::Out: AddAssign + Debug + PartialEq + Send,
{
    /// Does it on two heaps of this thread in turn.
    fn in_turn<B: Backend, T: Tally>(&self, name: &str, settings: &Settings, split: Split) {
        let (settings, region) = with_room(settings, REGION_BYTES);
        let mut heaps = [<B::Heap<T>>::new(&settings), <B::Heap<T>>::new(&settings)];
        let totals = in_turn(&mut heaps, &self.program, split).expect("the limit is far away");
        let ends = heaps.map(end);
        self.is_done::<B, T>(name, split, &totals, &ends, &region);
        if name.starts_with("tiny") && B::INFO.kind == Kind::Tracing && T::ON {
            let collections = |end: &Stats| end.collections_minor + end.collections_major;
            assert!(ends.iter().any(|end| collections(end) > 1), "{}: none", B::INFO.name);
        }
    }

    /// Does it on so many threads.
    fn on_threads<B: Backend, T: Tally>(&self, threads: usize, settings: &Settings, split: Split) {
        let (settings, region) = with_room(settings, REGION_BYTES);
        let make = || <B::Heap<T>>::new(&settings);
        let (totals, ends) = on_threads(threads, &self.program, split, make, end);
        self.is_done::<B, T>("threads", split, &totals, &ends, &region);
    }

    fn is_done<B: Backend, T: Tally>(
        &self,
        name: &str,
        split: Split,
        totals: &Totals<P::Out>,
        ends: &[Stats],
        region: &Immortals,
    ) {
        let what = format!("{}, {name}, {split:?}", B::INFO.name);
        assert_eq!(totals.out, self.out, "{what}");
        let is_split = split.depth > 0;
        assert_eq!(totals.tasks > 1, is_split, "{what}: {} tasks", totals.tasks);
        assert_eq!(totals.copied > 0, is_split && split.lists == Lists::Copied, "{what}");
        assert_eq!(totals.immortal > 0, is_split && split.lists == Lists::Immortal, "{what}");
        assert_eq!(totals.immortal > 0, region.used_bytes() > 0, "{what}");
        assert!(region.clear(), "{what}: somebody may still read immortal objects");
        if T::ON {
            let allocated: u64 = ends.iter().map(|end| end.cells_allocated).sum();
            assert_eq!(allocated - totals.copied, self.made, "{what}: objects made");
            if B::INFO.reclaims {
                assert!(ends.iter().all(|end| end.live_cells == 0), "{what}: {ends:?}");
            }
        }
    }
}

#[test]
fn heaps_without_counts_can_refer_to_immortal_objects() {
    for info in BACKENDS.iter().filter(|info| info.kind != Kind::ReferenceCounting) {
        // A reference of that crate leads to an object of its arena only.
        let can = info.name != "gc-arena";
        assert_eq!(carry::possible(info.name, Lists::Immortal), Some(can), "{}", info.name);
        assert_eq!(carry::possible(info.name, Lists::Copied), Some(true), "{}", info.name);
        assert_eq!(carry::possible(info.name, Lists::Counted), Some(false), "{}", info.name);
    }
}

#[derive(Clone, Copy)]
struct InTurn;

impl Check for InTurn {
    fn check<B: Backend>(self) {
        let forest = forest(FOREST);
        for (name, settings) in settings(&B::INFO) {
            let board = queens(if name.starts_with("tiny") { 5 } else { 4 });
            for lists in ways::<B>() {
                for split in DEPTHS.map(|depth| Split { lists, depth }) {
                    board.in_turn::<B, Immortal<On>>(&name, &settings, split);
                    forest.in_turn::<B, Immortal<On>>(&name, &settings, split);
                }
                forest.in_turn::<B, Immortal<Off>>(&name, &settings, Split { lists, depth: 2 });
            }
            let split = Split { lists: Lists::Copied, depth: 2 };
            forest.in_turn::<B, On>(&name, &settings, split);
        }
    }
}

#[test]
fn tasks_on_two_heaps_in_turn_do_the_work_of_one_run() {
    every_backend(InTurn);
}

#[derive(Clone, Copy)]
struct Zealous;

impl Check for Zealous {
    fn check<B: Backend>(self) {
        let board = queens(4);
        let forest = forest(Forest { rounds: 3, ..FOREST });
        for (name, settings) in zealous(&B::INFO) {
            for lists in ways::<B>() {
                for split in [1, 3].map(|depth| Split { lists, depth }) {
                    board.in_turn::<B, Immortal<On>>(&name, &settings, split);
                    forest.in_turn::<B, Immortal<On>>(&name, &settings, split);
                }
            }
        }
    }
}

#[test]
fn a_collection_at_every_safepoint_changes_nothing() {
    every_backend(Zealous);
}

#[derive(Clone, Copy)]
struct OnThreads;

impl Check for OnThreads {
    fn check<B: Backend>(self) {
        let (board, forest) = (queens(6), forest(Forest { levels: 3, ..FOREST }));
        let (_, zealous) = zealous(&B::INFO).swap_remove(0);
        for lists in ways::<B>() {
            for (threads, depth) in [(2, 2), (4, 3)] {
                let split = Split { lists, depth };
                let defaults = Settings::new(&B::INFO);
                board.on_threads::<B, Immortal<Off>>(threads, &defaults, split);
                board.on_threads::<B, Immortal<On>>(threads, &tiny(&B::INFO), split);
                forest.on_threads::<B, Immortal<On>>(threads, &tiny(&B::INFO), split);
            }
            queens(4).on_threads::<B, Immortal<On>>(4, &zealous, Split { lists, depth: 2 });
        }
    }
}

#[test]
fn tasks_on_threads_do_the_work_of_one_run() {
    every_backend(OnThreads);
}

/// In the heaps that copy only, too, whatever the selection of backends is.
#[test]
fn an_arena_of_its_own_is_no_obstacle_to_copies() {
    struct Copies;
    impl Visit for Copies {
        type Out = ();
        fn visit<B: Backend>(self) {
            let split = Split { lists: Lists::Copied, depth: 2 };
            for settings in [Settings::new(&B::INFO), tiny(&B::INFO)] {
                queens(5).on_threads::<B, On>(4, &settings, split);
                forest(FOREST).on_threads::<B, On>(4, &settings, split);
            }
        }
    }
    heap::visit("gc-arena", Copies).expect("a backend");
}

/// Makes a pair, and writes to it in the next step.
#[derive(Clone)]
struct Change;

impl Program for Change {
    type Frame<'gc, M: Mutator<'gc>> = Edge<'gc, M, Pair>;
    type Out = u32;
    fn start<'gc, M: Mutator<'gc>>(
        &self,
        heap: &mut M,
        stack: &mut Frames<'gc, M, Self>,
        _: &mut u32,
    ) {
        let pair = heap.alloc::<Pair>((Plain((1, 2)), Link::NONE, Link::NONE));
        stack.push(Edge(pair), heap);
    }
    fn step<'gc, M: Mutator<'gc>>(
        &self,
        heap: &mut M,
        Edge(pair): Edge<'gc, M, Pair>,
        _: &mut Frames<'gc, M, Self>,
        out: &mut u32,
    ) {
        heap.set::<Pair>(&pair, (Plain((1, 3)), Link::NONE, Link::NONE));
        *out = heap.get(&pair).0.0.1;
        heap.release(pair);
    }
}

#[derive(Clone, Copy)]
struct Changes;

impl Check for Changes {
    fn check<B: Backend>(self) {
        let right = forest(FOREST).out;
        for (name, settings) in settings(&B::INFO).iter().chain(&zealous(&B::INFO)) {
            let what = format!("{}, {name}", B::INFO.name);
            let (settings, region) = with_room(settings, REGION_BYTES);
            let mut heap = <B::Heap<Immortal<On>>>::new(&settings);
            for lists in ways::<B>() {
                let whole = |depth| Task::new(Change, Split { lists, depth });
                let done = carry::run(&mut heap, whole(0)).expect(&what);
                assert_eq!(done.out, 3, "{what}: it is the heap's own");
                let mut done = carry::run(&mut heap, whole(1)).expect(&what);
                let task = done.tasks.pop().expect("a frame was pushed");
                assert_eq!(region.clear(), lists == Lists::Copied, "{what}: there is a task");
                let changed = catch_unwind(AssertUnwindSafe(|| carry::run(&mut heap, task)));
                match (changed, lists) {
                    (Ok(done), Lists::Copied) => assert_eq!(done.expect(&what).out, 3, "{what}"),
                    (Err(panic), Lists::Immortal) => {
                        let message = panic.downcast_ref::<&str>().copied();
                        assert_eq!(message, Some("an immortal object cannot be changed"), "{what}");
                    }
                    _ => panic!("{what}: an immortal object was changed"),
                }
                assert!(region.clear(), "{what}: the task is gone");
                heap.validate().expect(&what);
            }
            assert_eq!(heap.run(&FOREST), Ok(right), "{what}: after a panic");
            assert!(!B::INFO.reclaims || end(heap).live_cells == 0, "{what}");
        }
    }
}

#[test]
fn an_immortal_object_cannot_be_changed() {
    every_backend(Changes);
}

#[derive(Clone, Copy)]
struct Room;

impl Check for Room {
    fn check<B: Backend>(self) {
        if carry::possible(B::INFO.name, Lists::Immortal) != Some(true) {
            return;
        }
        let (board, what) = (queens(5), B::INFO.name);
        let split = Split { lists: Lists::Immortal, depth: 2 };
        let (settings, region) = with_room(&tiny(&B::INFO), REGION_BYTES);
        let mut heap = <B::Heap<Immortal<On>>>::new(&settings);
        in_turn(std::slice::from_mut(&mut heap), &board.program, split).expect(what);
        let used_bytes = region.used_bytes();

        let (settings, region) = with_room(&tiny(&B::INFO), used_bytes);
        let mut heaps = [<B::Heap<Immortal<On>>>::new(&settings), B::Heap::new(&settings)];
        for _ in 0..3 {
            let totals = in_turn(&mut heaps, &board.program, split).expect(what);
            assert_eq!((totals.out, region.used_bytes()), (board.out, used_bytes), "{what}");
            // There is no room for a second one.
            let HeapError::OutOfMemory { limit_bytes, .. } =
                in_turn(&mut heaps, &board.program, split).unwrap_err();
            assert_eq!(limit_bytes, used_bytes, "{what}");
            heaps.iter().for_each(|heap| heap.validate().expect(what));
            assert!(region.clear() && region.used_bytes() == 0, "{what}: the tasks are gone");
        }
        tasks_hold_the_room(&mut heaps[0], &board.program, split, &region);
        // Half a run, and then the whole heaps for another one.
        let (settings, region) = with_room(&tiny(&B::INFO), used_bytes / 2);
        let mut heaps = [<B::Heap<Immortal<On>>>::new(&settings), B::Heap::new(&settings)];
        in_turn(&mut heaps, &board.program, split).unwrap_err();
        assert!(region.used_bytes() > 0 && region.clear(), "{what}: tasks were given up");
        let copied = Split { lists: Lists::Copied, ..split };
        let totals = in_turn(&mut heaps, &board.program, copied).expect(what);
        assert_eq!(totals.out, board.out, "{what}");
        assert!(!B::INFO.reclaims || heaps.map(end).iter().all(|end| end.live_cells == 0));
    }
}

/// The room is not made free before the last task is gone.
fn tasks_hold_the_room<H: Heap + 'static>(
    heap: &mut H,
    program: &Queens<On>,
    split: Split,
    region: &Immortals,
) {
    let whole = Task::new(program.clone(), split);
    let mut tasks = carry::run(heap, whole).expect("there is room").tasks;
    let used_bytes = region.used_bytes();
    assert!(used_bytes > 0 && !region.clear());
    // The one with the most to choose from.
    let first = tasks.swap_remove(0);
    let inner = carry::run(heap, first).expect("there is room").tasks;
    tasks.drain(..).for_each(|task| carry::discard(heap, task));
    assert!(!inner.is_empty() && !region.clear());
    assert!(region.used_bytes() > used_bytes);
    inner.into_iter().for_each(|task| carry::discard(heap, task));
    assert!(region.clear());
}

#[test]
fn room_is_used_again_when_no_task_is_left() {
    every_backend(Room);
}

/// Makes a long list, which is looked at in the next two steps.
#[derive(Clone)]
struct Long;

const CELLS: u32 = if cfg!(miri) { 1_000 } else { 100_000 };

impl Program for Long {
    /// The first cell; in the last step also some that are far apart.
    type Frame<'gc, M: Mutator<'gc>> = (Link<'gc, M, Chain<u32>>, [Link<'gc, M, Chain<u32>>; 4]);
    type Out = u64;
    fn start<'gc, M: Mutator<'gc>>(
        &self,
        heap: &mut M,
        stack: &mut Frames<'gc, M, Self>,
        _: &mut u64,
    ) {
        let mut list = Link::NONE;
        for item in 0..CELLS {
            list = Link(Some(heap.alloc::<Chain<u32>>(Node { item, next: list })));
        }
        stack.push((list, [const { Link::NONE }; 4]), heap);
    }
    fn step<'gc, M: Mutator<'gc>>(
        &self,
        heap: &mut M,
        (list, far): Self::Frame<'gc, M>,
        stack: &mut Frames<'gc, M, Self>,
        sum: &mut u64,
    ) {
        let add = |sum, item| sum + u64::from(item);
        *sum = heap.fold(list.as_ref(), *sum, add);
        if far[0].as_ref().is_some() {
            far.into_iter().for_each(|cell| heap.release_link(cell));
            return heap.release_link(list);
        }
        // So much that a collection follows.
        let most = heap.filter(list.as_ref(), |item| item % 8 != 0);
        *sum = heap.fold(most.as_ref(), *sum, add);
        heap.release_link(most);
        let mut at = heap.share_link(&list);
        let far = far.map(|_| {
            for _ in 0..CELLS / 5 {
                let cell = at.0.take().expect("four fifths of the list");
                at = heap.load(&cell, |cell| &cell.next);
                heap.release(cell);
            }
            heap.share_link(&at)
        });
        heap.release_link(at);
        stack.push((list, far), heap);
    }
}

/// Carries the list in one way.
#[derive(Clone, Copy)]
struct Carried(Lists);

impl Check for Carried {
    fn check<B: Backend>(self) {
        let Carried(lists) = self;
        if carry::possible(B::INFO.name, lists) != Some(true) {
            return;
        }
        let cells = u64::from(CELLS);
        let sum = cells * (cells - 1) + (0..cells).filter(|item| item % 8 != 0).sum::<u64>();
        let (settings, region) = with_room(&tiny(&B::INFO), REGION_BYTES);
        let mut heaps = [<B::Heap<Immortal<On>>>::new(&settings), B::Heap::new(&settings)];
        let totals = in_turn(&mut heaps, &Long, Split { lists, depth: 1 });
        let (copied, immortal) = match lists {
            Lists::Copied => (cells, 0),
            Lists::Counted => (0, 0),
            Lists::Immortal => (0, cells),
        };
        let right = Totals { out: sum, tasks: 2, copied, immortal };
        assert_eq!(totals, Ok(right), "{}", B::INFO.name);
        assert!(region.clear(), "{}", B::INFO.name);
    }
}

#[test]
fn a_long_list_is_copied_without_recursion() {
    on_a_small_stack(|| every_backend(Carried(Lists::Copied)));
}

#[test]
fn a_long_list_is_shared_without_recursion() {
    on_a_small_stack(|| every_backend(Carried(Lists::Counted)));
}

#[test]
fn a_long_list_is_made_immortal_without_recursion() {
    on_a_small_stack(|| every_backend(Carried(Lists::Immortal)));
}
