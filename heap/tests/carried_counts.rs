//! Frames of counting heaps on their way to other heaps, in each way that there is: the answers
//! and the work are those of one run, and the counts come to nothing, whoever frees what.

mod common;

use common::grove::Grove;
use common::heavy::Heavy;
use common::objects::Pair;
use common::on_a_small_stack;
use common::tasks::{Totals, in_turn, on_threads, with_room};
use heap::carry::{self, Done, Lists, Split, Task};
use heap::conformance::{Check, every_backend, settings, zealous};
use heap::{
    Backend, Edge, Frames, Heap, HeapError, Immortal, Immortals, Kind, Link, Mutator, Off, On,
    Plain, Program, Settings, Stats, Tally,
};
use nqueens::{Answer, Queens, oracle};
use std::fmt::Debug;
use std::ops::AddAssign;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Room for immortal objects: far more than any run here needs.
const REGION_BYTES: usize = 4 << 20;

/// What is to be seen of one instance of a backend, in one way to carry lists.
trait Trial: Copy {
    fn on<B: Backend, T: Tally>(self, lists: Lists);
}

/// Every instance of every counting backend, with all that it can do.
#[derive(Clone, Copy)]
struct Counting<C>(C);

impl<C: Trial> Check for Counting<C> {
    fn check<B: Backend>(self) {
        if B::INFO.kind != Kind::ReferenceCounting {
            return;
        }
        let Counting(trial) = self;
        trial.on::<B, On>(Lists::Copied);
        trial.on::<B, Off>(Lists::Copied);
        trial.on::<B, Immortal<On>>(Lists::Copied);
        trial.on::<B, Immortal<On>>(Lists::Immortal);
        trial.on::<B, Immortal<Off>>(Lists::Immortal);
        if <B::Heap<On> as Heap>::CARRIES {
            trial.on::<B, On>(Lists::Counted);
            trial.on::<B, Off>(Lists::Counted);
            trial.on::<B, Immortal<On>>(Lists::Counted);
        }
    }
}

#[test]
fn which_heaps_carry_what() {
    #[derive(Clone, Copy)]
    struct Ways;
    impl Check for Ways {
        fn check<B: Backend>(self) {
            let name = B::INFO.name;
            if B::INFO.kind == Kind::ReferenceCounting {
                let ways = Lists::ALL.map(|lists| carry::possible(name, lists).unwrap());
                assert_eq!(ways, [true, name.starts_with("arc"), true], "{name}");
            }
        }
    }
    every_backend(Ways);
}

fn with_limit<B: Backend>(limit_bytes: usize) -> (Settings, Immortals) {
    let (mut settings, region) = with_room(&Settings::new(&B::INFO), REGION_BYTES);
    settings.limit_bytes = limit_bytes;
    (settings, region)
}

fn end(mut heap: impl Heap) -> Stats {
    heap.settle();
    heap.validate().unwrap();
    heap.stats()
}

/// Of what heaps allocated nothing is left, by the sum of their accounts, nor a count; and
/// nobody holds immortal objects.
fn nothing_is_left<T: Tally>(what: &str, ends: &[Stats], region: &Immortals) {
    if T::ON {
        let sum = |count: fn(&Stats) -> u64| ends.iter().map(count).sum::<u64>();
        let allocated = sum(|end| end.cells_allocated);
        assert!(allocated > 0, "{what}");
        assert_eq!(sum(|end| end.cells_freed), allocated, "{what}: something leaked");
        let raised = sum(|end| end.rc_increments);
        assert_eq!(sum(|end| end.rc_decrements), raised + allocated, "{what}");
    }
    assert!(region.clear(), "{what}: somebody may still read immortal objects");
}

/// A program to split, and what it must come to.
struct Case<P: Program> {
    program: P,
    out: P::Out,
    /// Objects that it makes.
    made: u64,
}

impl<P: Program + Clone + Send + Sync> Case<P>
where
    P::Out: AddAssign + Debug + PartialEq + Send,
{
    fn is_done<T: Tally>(
        &self,
        what: &str,
        split: Split,
        (totals, ends): (Totals<P::Out>, &[Stats]),
        region: &Immortals,
    ) {
        let what = format!("{what}, {split:?}");
        assert_eq!(totals.out, self.out, "{what}");
        assert_eq!(totals.tasks > 1, split.depth > 0, "{what}: {} tasks", totals.tasks);
        assert_eq!(totals.copied > 0, split.depth > 0 && split.lists == Lists::Copied, "{what}");
        let immortal = split.depth > 0 && split.lists == Lists::Immortal;
        assert_eq!(totals.immortal > 0, immortal, "{what}");
        if T::ON {
            let allocated: u64 = ends.iter().map(|end| end.cells_allocated).sum();
            assert_eq!(allocated - totals.copied, self.made, "{what}: objects made");
        }
        nothing_is_left::<T>(&what, ends, region);
    }

    fn on_heaps<B: Backend, T: Tally>(&self, heaps: usize, settings: &Settings, split: Split) {
        let (settings, region) = with_room(settings, REGION_BYTES);
        let mut heaps: Vec<_> = (0..heaps).map(|_| <B::Heap<T>>::new(&settings)).collect();
        let totals = in_turn(&mut heaps, &self.program, split).expect("the limit is far away");
        let ends: Vec<_> = heaps.into_iter().map(end).collect();
        self.is_done::<T>(B::INFO.name, split, (totals, &ends), &region);
    }

    fn on_threads<B: Backend, T: Tally>(&self, threads: usize, settings: &Settings, split: Split) {
        let (settings, region) = with_room(settings, REGION_BYTES);
        let make = || <B::Heap<T>>::new(&settings);
        let (totals, ends) = on_threads(threads, &self.program, split, make, end);
        self.is_done::<T>(B::INFO.name, split, (totals, &ends), &region);
    }
}

/// The n-queens search, its visits counted, for n = 4, 5 or 6.
fn queens(n: u32) -> Case<Queens<On>> {
    let work = [(172, 296, 184), (922, 1_588, 1_295), (5_268, 9_222, 8_980)];
    let (made, cells_filtered, cells_length) = work[n as usize - 4];
    let out = Answer { solutions: oracle(n), cells_filtered, cells_length };
    Case { program: Queens::new(n), out, made }
}

fn grove(levels: u32, branches: u32) -> Case<Grove> {
    struct Whole(Grove);
    impl heap::Visit for Whole {
        type Out = Case<Grove>;
        fn visit<B: Backend>(self) -> Case<Grove> {
            let heap = &mut <B::Heap<Off>>::new(&Settings::new(&B::INFO));
            let out = heap.run(&self.0).unwrap();
            Case { program: self.0, out, made: out.made }
        }
    }
    // A heap that frees nothing, in which no frame is on its way.
    heap::visit("leak", Whole(Grove { levels, branches })).expect("a backend")
}

#[test]
fn tasks_on_heaps_in_turn_do_the_work_of_one_run() {
    #[derive(Clone, Copy)]
    struct InTurn;
    impl Trial for InTurn {
        fn on<B: Backend, T: Tally>(self, lists: Lists) {
            let (board, grove) = (queens(5), grove(4, 2));
            for (_, settings) in settings(&B::INFO) {
                for split in (0..=4).map(|depth| Split { lists, depth }) {
                    for heaps in [1, 2, 3] {
                        board.on_heaps::<B, T>(heaps, &settings, split);
                        grove.on_heaps::<B, T>(heaps, &settings, split);
                    }
                }
            }
        }
    }
    every_backend(Counting(InTurn));
}

#[test]
fn zeal_finds_nothing_wrong() {
    #[derive(Clone, Copy)]
    struct Zealous;
    impl Trial for Zealous {
        fn on<B: Backend, T: Tally>(self, lists: Lists) {
            let (board, grove) = (queens(4), grove(3, 2));
            for (_, settings) in zealous(&B::INFO) {
                for split in (0..=3).map(|depth| Split { lists, depth }) {
                    board.on_heaps::<B, T>(2, &settings, split);
                    grove.on_heaps::<B, T>(2, &settings, split);
                }
            }
        }
    }
    every_backend(Counting(Zealous));
}

#[test]
fn tasks_on_threads_do_the_work_of_one_run() {
    #[derive(Clone, Copy)]
    struct OnThreads;
    impl Trial for OnThreads {
        fn on<B: Backend, T: Tally>(self, lists: Lists) {
            let (board, grove) = (queens(6), grove(6, 2));
            let settings = Settings::new(&B::INFO);
            for (threads, depth) in [(2, 2), (2, 5), (4, 3), (4, 5)] {
                board.on_threads::<B, T>(threads, &settings, Split { lists, depth });
                grove.on_threads::<B, T>(threads, &settings, Split { lists, depth });
            }
        }
    }
    every_backend(Counting(OnThreads));
}

/// Counts are compared while other threads change them.
#[test]
fn zeal_on_threads_finds_nothing_wrong() {
    #[derive(Clone, Copy)]
    struct ZealousThreads;
    impl Trial for ZealousThreads {
        fn on<B: Backend, T: Tally>(self, lists: Lists) {
            let (board, grove) = (queens(5), grove(5, 2));
            for (_, settings) in zealous(&B::INFO) {
                for threads in [2, 4] {
                    board.on_threads::<B, T>(threads, &settings, Split { lists, depth: 3 });
                    grove.on_threads::<B, T>(threads, &settings, Split { lists, depth: 4 });
                }
            }
        }
    }
    every_backend(Counting(ZealousThreads));
}

/// Does a task and those that it makes, on the other of two heaps.
fn both<H: Heap + 'static>(
    heaps: &mut [H; 2],
    task: Task<Heavy, H>,
) -> Result<(u64, u64), HeapError> {
    let Done { mut out, tasks, mut objects_copied, .. } = carry::run(&mut heaps[0], task)?;
    for task in tasks {
        let done = carry::run(&mut heaps[1], task)?;
        out += done.out;
        objects_copied += done.objects_copied;
    }
    Ok((out, objects_copied))
}

#[test]
fn a_task_that_finds_no_room_gives_all_back() {
    #[derive(Clone, Copy)]
    struct NoRoom;
    impl Trial for NoRoom {
        fn on<B: Backend, T: Tally>(self, lists: Lists) {
            let what = format!("{}, {lists:?}", B::INFO.name);
            let limit_bytes = 16 << 10;
            let (settings, region) = with_limit::<B>(limit_bytes);
            let mut heaps = [(); 2].map(|()| <B::Heap<T>>::new(&settings));
            for round in 0..3 {
                let what = format!("{what}, round {round}");
                // In a task.
                let done =
                    carry::run(&mut heaps[0], Heavy::task(20, 2_000, 3, lists)).expect(&what);
                let mut tasks = done.tasks.into_iter();
                let error = carry::run(&mut heaps[1], tasks.next().unwrap()).err().expect(&what);
                let HeapError::OutOfMemory { limit_bytes: limit, live_bytes } = error;
                assert_eq!(limit, limit_bytes, "{what}");
                assert!(live_bytes > limit_bytes, "{what}: {live_bytes}");
                tasks.for_each(|task| carry::discard(&mut heaps[1], task));
                // In the step that made tasks.
                let task = Heavy::task(2_000, 0, 3, lists);
                match carry::run(&mut heaps[0], task) {
                    Err(_) => {}
                    // By then the list had been copied out, and released.
                    Ok(done) => {
                        assert_ne!(lists, Lists::Counted, "{what}: there was room for all");
                        done.tasks.into_iter().for_each(|t| carry::discard(&mut heaps[1], t));
                    }
                }
                // What there is room for.
                let (cells, _) = both(&mut heaps, Heavy::task(20, 10, 3, lists)).expect(&what);
                assert_eq!(cells, 90, "{what}");
            }
            nothing_is_left::<T>(&what, &heaps.map(end), &region);
        }
    }
    every_backend(Counting(NoRoom));
}

/// One heap allocates what another one frees, for far more bytes than the limit of either.
#[test]
fn what_others_free_is_not_held_against_a_heap() {
    #[derive(Clone, Copy)]
    struct Drain;
    impl Trial for Drain {
        fn on<B: Backend, T: Tally>(self, lists: Lists) {
            let what = format!("{}, {lists:?}", B::INFO.name);
            let (settings, region) = with_limit::<B>(64 << 10);
            let mut heaps = [(); 2].map(|()| <B::Heap<T>>::new(&settings));
            for _ in 0..50 {
                let (cells, copied) = both(&mut heaps, Heavy::task(300, 1, 2, lists)).expect(&what);
                assert_eq!(cells, 602, "{what}");
                assert_eq!(copied, if lists == Lists::Copied { 600 } else { 0 }, "{what}");
                assert!(region.clear(), "{what}: no task is left");
            }
            nothing_is_left::<T>(&what, &heaps.map(end), &region);
        }
    }
    every_backend(Counting(Drain));
}

#[test]
fn a_region_that_is_too_small_is_an_error() {
    #[derive(Clone, Copy)]
    struct Small;
    impl Trial for Small {
        fn on<B: Backend, T: Tally>(self, lists: Lists) {
            if lists != Lists::Immortal {
                return;
            }
            let what = B::INFO.name;
            // There is room for the first list, but not for the longer ones of its tasks.
            let (settings, region) = with_room(&Settings::new(&B::INFO), 3 << 10);
            let mut heaps = [(); 2].map(|()| <B::Heap<T>>::new(&settings));
            for _ in 0..3 {
                let split = Split { lists, depth: 2 };
                let heavy = Heavy { shared: 100, own: 100, branches: 3 };
                let done = carry::run(&mut heaps[0], Task::new(heavy, split)).expect(what);
                assert!((100..=200).contains(&done.objects_immortal), "{what}");
                for task in done.tasks {
                    assert!(!region.clear(), "{what}: a task refers to immortal objects");
                    let error = carry::run(&mut heaps[1], task).err().expect(what);
                    let HeapError::OutOfMemory { limit_bytes, .. } = error;
                    assert_eq!(limit_bytes, region.limit_bytes(), "{what}");
                }
                assert!(region.clear(), "{what}: the tasks were given up");
                let (cells, _) = both(&mut heaps, Heavy::task(20, 10, 3, lists)).expect(what);
                assert_eq!(cells, 90, "{what}");
            }
            nothing_is_left::<T>(what, &heaps.map(end), &region);
        }
    }
    every_backend(Counting(Small));
}

#[test]
fn what_is_given_up_is_given_back() {
    #[derive(Clone, Copy)]
    struct GivenUp;
    impl Trial for GivenUp {
        fn on<B: Backend, T: Tally>(self, lists: Lists) {
            for discarded_at in 0..=3 {
                let what = format!("{}, {lists:?}, level {discarded_at}", B::INFO.name);
                let (settings, region) = with_room(&Settings::new(&B::INFO), REGION_BYTES);
                let mut heaps = [(); 2].map(|()| <B::Heap<T>>::new(&settings));
                let grove = Grove { levels: 5, branches: 2 };
                let mut tasks = vec![Task::new(grove, Split { lists, depth: 4 })];
                let mut discarded = 0;
                while let Some(task) = tasks.pop() {
                    if task.level() == discarded_at {
                        carry::discard(&mut heaps[1], task);
                        discarded += 1;
                    } else {
                        tasks.extend(carry::run(&mut heaps[0], task).expect(&what).tasks);
                    }
                }
                // The frame that the start pushed, and two of each level below it.
                assert_eq!(discarded, [1, 1, 2, 4][discarded_at as usize], "{what}");
                if discarded_at > 0 {
                    nothing_is_left::<T>(&what, &heaps.map(end), &region);
                }
            }
        }
    }
    every_backend(Counting(GivenUp));
}

#[test]
fn a_long_list_is_freed_by_whoever_gives_it_up() {
    #[derive(Clone, Copy)]
    struct Long;
    impl Trial for Long {
        fn on<B: Backend, T: Tally>(self, lists: Lists) {
            let what = format!("{}, {lists:?}", B::INFO.name);
            let (settings, region) = with_room(&Settings::new(&B::INFO), REGION_BYTES);
            let mut heaps = [(); 2].map(|()| <B::Heap<T>>::new(&settings));
            let cells = if cfg!(miri) { 1_000 } else { 20_000 };
            let out = both(&mut heaps, Heavy::task(cells, 0, 2, lists)).expect(&what);
            assert_eq!(out.0, 2 * u64::from(cells), "{what}");
            nothing_is_left::<T>(&what, &heaps.map(end), &region);
        }
    }
    on_a_small_stack(|| every_backend(Counting(Long)));
}

/// Writes to what it was given, or to an object of its own.
#[derive(Clone)]
struct Writes {
    own: bool,
}

impl Program for Writes {
    type Frame<'gc, M: Mutator<'gc>> = Edge<'gc, M, Pair>;
    type Out = u32;

    fn start<'gc, M: Mutator<'gc>>(
        &self,
        heap: &mut M,
        stack: &mut Frames<'gc, M, Self>,
        _: &mut u32,
    ) {
        let pair = heap.alloc::<Pair>((Plain((1, 2)), Link::NONE, Link::NONE));
        heap.set::<Pair>(&pair, (Plain((1, 3)), Link::NONE, Link::NONE));
        stack.push(Edge(pair), heap);
    }

    fn step<'gc, M: Mutator<'gc>>(
        &self,
        heap: &mut M,
        Edge(given): Self::Frame<'gc, M>,
        _: &mut Frames<'gc, M, Self>,
        out: &mut u32,
    ) {
        let given = if self.own {
            let left = Link(Some(given));
            heap.alloc::<Pair>((Plain((2, 4)), left, Link::NONE))
        } else {
            given
        };
        let left = heap.load(&given, |pair| &pair.1);
        heap.set::<Pair>(&given, (Plain((1, 5)), left, Link::NONE));
        *out = heap.get(&given).0.0.1;
        heap.release(given);
    }
}

#[test]
fn what_others_read_is_not_written_to() {
    #[derive(Clone, Copy)]
    struct Written;
    impl Trial for Written {
        fn on<B: Backend, T: Tally>(self, lists: Lists) {
            for own in [false, true] {
                let what = format!("{}, {lists:?}, own {own}", B::INFO.name);
                let (settings, region) = with_room(&Settings::new(&B::INFO), REGION_BYTES);
                let mut heaps = [(); 2].map(|()| <B::Heap<T>>::new(&settings));
                assert_eq!(heaps[0].run(&Writes { own }), Ok(5), "{what}: on one heap");
                let task = Task::new(Writes { own }, Split { lists, depth: 1 });
                let mut done = carry::run(&mut heaps[0], task).expect(&what);
                let task = done.tasks.pop().expect("a frame was pushed");
                let written = catch_unwind(AssertUnwindSafe(|| carry::run(&mut heaps[1], task)));
                let refused = match lists {
                    Lists::Copied => None,
                    Lists::Immortal if own => None,
                    Lists::Immortal => Some("an immortal object cannot be changed"),
                    Lists::Counted => Some("objects that threads share cannot be changed"),
                };
                match (written, refused) {
                    (Ok(done), None) => {
                        assert_eq!(done.expect(&what).out, 5, "{what}");
                        nothing_is_left::<T>(&what, &heaps.map(end), &region);
                    }
                    (Err(panic), Some(refused)) => {
                        assert_eq!(panic.downcast_ref::<&str>(), Some(&refused), "{what}");
                        assert!(region.clear(), "{what}: the task is gone");
                        heaps.iter().for_each(|heap| heap.validate().expect(&what));
                        let out = both(&mut heaps, Heavy::task(20, 10, 3, lists)).expect(&what);
                        assert_eq!(out.0, 90, "{what}: after a panic");
                    }
                    (written, _) => panic!("{what}: refused: {}", written.is_err()),
                }
            }
        }
    }
    every_backend(Counting(Written));
}
