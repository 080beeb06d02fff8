//! Runs that are split into tasks, and a program to split: a tree of choice points over
//! objects of several types that share structure.

use super::objects::{Leaf, Pair, Wide, bulk};
use heap::carry::{self, Done, Split, Task};
use heap::{
    Chain, Edge, Frames, Heap, HeapError, Immortals, Link, Mutator, Node, Plain, Program, Settings,
};
use std::ops::AddAssign;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Condvar, Mutex};

/// What the tasks of a run did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Totals<O> {
    pub out: O,
    pub tasks: u64,
    pub copied: u64,
    pub immortal: u64,
}

impl<O: AddAssign> Totals<O> {
    fn add<P: Program<Out = O>, H>(&mut self, done: Done<P, H>) -> Vec<Task<P, H>> {
        self.out += done.out;
        self.tasks += 1;
        self.copied += done.objects_copied;
        self.immortal += done.objects_immortal;
        done.tasks
    }
}

/// The settings, with room for immortal objects.
pub fn with_room(settings: &Settings, bytes: usize) -> (Settings, Immortals) {
    let (mut settings, region) = (settings.clone(), Immortals::new(bytes));
    settings.immortals = Some(region.clone());
    (settings, region)
}

/// Runs a program on this thread, its tasks on one heap after the other. Those that are left
/// when one has failed are given up.
pub fn in_turn<H: Heap + 'static, P: Program + Clone>(
    heaps: &mut [H],
    program: &P,
    split: Split,
) -> Result<Totals<P::Out>, HeapError>
where
    P::Out: AddAssign,
{
    let mut totals = Totals { out: P::Out::default(), tasks: 0, copied: 0, immortal: 0 };
    let mut tasks = vec![Task::new(program.clone(), split)];
    while let Some(task) = tasks.pop() {
        let heap = &mut heaps[totals.tasks as usize % heaps.len()];
        match carry::run(heap, task) {
            Ok(done) => tasks.extend(totals.add(done)),
            Err(error) => {
                tasks.into_iter().for_each(|task| carry::discard(heap, task));
                return Err(error);
            }
        }
    }
    Ok(totals)
}

/// Tasks that wait, and what those did that do not.
struct Queue<P: Program, H> {
    tasks: Vec<Task<P, H>>,
    busy: usize,
    totals: Totals<P::Out>,
}

/// Runs a program on so many threads, each with a heap of its own; `end` is called with each
/// heap when all is done.
pub fn on_threads<H, P, R>(
    threads: usize,
    program: &P,
    split: Split,
    make: impl Fn() -> H + Sync,
    end: impl Fn(H) -> R + Sync,
) -> (Totals<P::Out>, Vec<R>)
where
    H: Heap + 'static,
    P: Program + Clone + Send + Sync,
    P::Out: AddAssign + Send,
    R: Send,
{
    let totals = Totals { out: P::Out::default(), tasks: 0, copied: 0, immortal: 0 };
    let tasks = vec![Task::new(program.clone(), split)];
    let queue = Mutex::new(Queue { tasks, busy: 0, totals });
    let changed = Condvar::new();
    let work = || {
        let mut heap = make();
        let mut waiting = queue.lock().unwrap();
        loop {
            if let Some(task) = waiting.tasks.pop() {
                waiting.busy += 1;
                drop(waiting);
                let done = catch_unwind(AssertUnwindSafe(|| carry::run(&mut heap, task)));
                waiting = queue.lock().unwrap();
                waiting.busy -= 1;
                changed.notify_all();
                match done {
                    Ok(done) => {
                        let tasks = waiting.totals.add(done.expect("the limit is far away"));
                        waiting.tasks.extend(tasks);
                    }
                    Err(panic) => {
                        drop(waiting);
                        resume_unwind(panic);
                    }
                }
            } else if waiting.busy > 0 {
                waiting = changed.wait(waiting).unwrap();
            } else {
                break;
            }
        }
        drop(waiting);
        end(heap)
    };
    let ends = std::thread::scope(|scope| {
        let all: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        let join = |thread: std::thread::ScopedJoinHandle<R>| {
            thread.join().unwrap_or_else(|panic| resume_unwind(panic))
        };
        all.into_iter().map(join).collect()
    });
    (queue.into_inner().unwrap().totals, ends)
}

/// A tree of choice points, each of which reads what it is given and gives its branches new
/// objects that refer to it. A leaf goes on for some steps, writing to an object of its own.
#[derive(Clone, Copy, Debug)]
pub struct Forest {
    pub levels: u32,
    pub branches: u32,
    pub rounds: u32,
}

/// What was read, in an order that does not matter, and the number of objects made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Read {
    pub sum: u64,
    pub made: u64,
}

impl AddAssign for Read {
    fn add_assign(&mut self, other: Self) {
        self.sum = self.sum.wrapping_add(other.sum);
        self.made += other.made;
    }
}

impl Read {
    fn note(&mut self, path: u32, what: u64) {
        let mixed = (u64::from(path) << 32 ^ what).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        self.sum = self.sum.wrapping_add(mixed ^ mixed >> 29);
    }
    fn made<R>(&mut self, reference: R) -> R {
        self.made += 1;
        reference
    }
}

fn mix(sum: u64, item: u32) -> u64 {
    sum.wrapping_mul(31).wrapping_add(u64::from(item))
}

/// A pair, a chain, and an object that refers to both.
type Given<'gc, M> = (Edge<'gc, M, Pair>, Link<'gc, M, Chain<u32>>, Edge<'gc, M, Wide>);

fn share<'gc, M: Mutator<'gc>>(heap: &mut M, given: &Given<'gc, M>) -> Given<'gc, M> {
    let (Edge(pair), chain, Edge(wide)) = given;
    (Edge(heap.share(pair)), heap.share_link(chain), Edge(heap.share(wide)))
}

fn release<'gc, M: Mutator<'gc>>(heap: &mut M, (Edge(pair), chain, Edge(wide)): Given<'gc, M>) {
    heap.release(pair);
    heap.release_link(chain);
    heap.release(wide);
}

/// The object that refers to the two others, and to a leaf of its own.
fn tie<'gc, M: Mutator<'gc>>(
    heap: &mut M,
    number: u32,
    (pair, chain): (M::Ref<Pair>, Link<'gc, M, Chain<u32>>),
    out: &mut Read,
) -> Given<'gc, M> {
    let leaf = Link(Some(out.made(heap.alloc::<Leaf>(Plain((number, !number))))));
    let pairs = std::array::from_fn(|slot| match slot % 2 {
        0 => Link(Some(heap.share(&pair))),
        _ => heap.load(&pair, |pair| &pair.1),
    });
    let list = heap.share_link(&chain);
    let wide = out.made(heap.alloc::<Wide>((bulk(number, number), pairs, (list, leaf))));
    (Edge(pair), chain, Edge(wide))
}

/// Reads all that a chain of pairs has.
fn read_pairs<'gc, M: Mutator<'gc>>(heap: &mut M, first: &M::Ref<Pair>) -> u64 {
    let mut sum = 0;
    let mut at = Link(Some(heap.share(first)));
    while let Some(pair) = at.0 {
        let (number, value) = heap.get::<Pair>(&pair).0.0;
        sum = mix(mix(sum, number), value);
        at = heap.load::<Pair, Pair>(&pair, |pair| &pair.1);
        heap.release(pair);
    }
    sum
}

/// Reads what is given, and sees that it is shared as it was when it was made.
fn read<'gc, M: Mutator<'gc>>(heap: &mut M, given: &Given<'gc, M>) -> u64 {
    let (Edge(pair), chain, Edge(wide)) = given;
    let data = heap.get(wide).0;
    let number = data.0.1.0;
    assert_eq!(data, bulk(number, number), "an object was overwritten");
    for slot in [0, 2, 6] {
        let shared = heap.load(wide, |wide| &wide.1[slot]).0.expect("a pair");
        assert!(heap.same(&shared, pair), "what was one object is two");
        heap.release(shared);
    }
    let list = heap.load(wide, |wide| &wide.2.0);
    let same = list.as_ref().zip(chain.as_ref()).is_none_or(|(a, b)| heap.same(a, b));
    assert!(same, "what was one list is two");
    let sum = read_pairs(heap, pair);
    let sum = heap.fold(list.as_ref(), sum, mix);
    heap.release_link(list);
    let leaf = heap.load(wide, |wide| &wide.2.1).0.expect("a leaf");
    assert_eq!(heap.get(&leaf).0, (number, !number));
    heap.release(leaf);
    sum
}

impl Program for Forest {
    /// How much is left to do, and a number of its own; a leaf's object; what is given.
    type Frame<'gc, M: Mutator<'gc>> = (Plain<[u32; 3]>, Link<'gc, M, Pair>, Given<'gc, M>);
    type Out = Read;

    fn start<'gc, M: Mutator<'gc>>(
        &self,
        heap: &mut M,
        stack: &mut Frames<'gc, M, Self>,
        out: &mut Read,
    ) {
        let mut chain = Link::NONE;
        for item in 0..20 {
            let cell = out.made(heap.alloc::<Chain<u32>>(Node { item, next: chain }));
            chain = Link(Some(cell));
        }
        let pair = out.made(heap.alloc::<Pair>((Plain((1, 2)), Link::NONE, Link::NONE)));
        let given = tie(heap, 1, (pair, chain), out);
        stack.push((Plain([self.levels, self.rounds, 1]), Link::NONE, given), heap);
    }

    fn step<'gc, M: Mutator<'gc>>(
        &self,
        heap: &mut M,
        (Plain([level, rounds, path]), own, given): Self::Frame<'gc, M>,
        stack: &mut Frames<'gc, M, Self>,
        out: &mut Read,
    ) {
        let sum = read(heap, &given);
        out.note(path, sum);
        if level > 0 {
            for branch in 0..self.branches {
                let number = path * self.branches + branch;
                let (Edge(pair), chain, Edge(wide)) = share(heap, &given);
                // Branches share the list's end, or have a filtered list.
                let item = number;
                let chain = Link(Some(out.made(heap.alloc(Node { item, next: chain }))));
                let kept = heap.filter(chain.as_ref(), |item| (item ^ branch) % 3 != 0);
                out.made += heap.fold(kept.as_ref(), 0, |cells, _| cells + 1);
                let (list, other) = if branch % 2 == 0 { (chain, kept) } else { (kept, chain) };
                heap.release_link(other);
                let links = (Plain((number, level)), Link(Some(pair)), Link(Some(wide)));
                let pair = out.made(heap.alloc::<Pair>(links));
                let given = tie(heap, number, (pair, list), out);
                stack.push((Plain([level - 1, rounds, number]), Link::NONE, given), heap);
            }
            return release(heap, given);
        }
        let own = match own.0 {
            Some(own) => own,
            None => out.made(heap.alloc::<Pair>((Plain((path, 0)), Link::NONE, Link::NONE))),
        };
        let (Edge(pair), _, Edge(wide)) = &given;
        let seen = read_pairs(heap, &own);
        out.note(rounds, seen);
        // It refers to what is given, to what is new, or to both in turn.
        let (left, right) = (heap.share(pair), heap.share(wide));
        let left = match rounds % 3 {
            0 => left,
            _ => {
                let links = (Plain((path, rounds)), Link(Some(left)), Link::NONE);
                out.made(heap.alloc::<Pair>(links))
            }
        };
        heap.set::<Pair>(&own, (Plain((path, rounds)), Link(Some(left)), Link(Some(right))));
        // And something to collect.
        let kept = heap.filter(given.1.as_ref(), |item| item % 4 != rounds % 4);
        out.made += heap.fold(kept.as_ref(), 0, |cells, _| cells + 1);
        heap.release_link(kept);
        if rounds > 0 {
            stack.push((Plain([0, rounds - 1, path]), Link(Some(own)), given), heap);
        } else {
            heap.release(own);
            release(heap, given);
        }
    }
}
