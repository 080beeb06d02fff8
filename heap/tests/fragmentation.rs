//! Space that fragmentation costs: objects of many sizes, of which a random half
//! dies while objects of other sizes are allocated, round after round.

use heap::{Backend, Family, Frames, Heap, Link, Mutator, On, Plain, Program, Settings, Visit};

/// An object of so many words, without references.
struct Block<const WORDS: usize>;
impl<const WORDS: usize> Family for Block<WORDS> {
    type Of<'gc, M: Mutator<'gc>> = Plain<[u64; WORDS]>;
}

/// A list of blocks of one size, which stay where they are when it is made anew.
struct Hold<const WORDS: usize>;
impl<const WORDS: usize> Family for Hold<WORDS> {
    type Of<'gc, M: Mutator<'gc>> = (Link<'gc, M, Block<WORDS>>, Link<'gc, M, Hold<WORDS>>);
}
const HOLD_BYTES: usize = 16;

type List<'gc, M, const WORDS: usize> = Link<'gc, M, Hold<WORDS>>;
type Three<'gc, M, const A: usize, const B: usize, const C: usize> =
    (List<'gc, M, A>, List<'gc, M, B>, List<'gc, M, C>);
/// Blocks from 16 bytes to more than a region holds; each round makes three sizes.
type All<'gc, M> =
    (Three<'gc, M, 2, 17, 700>, Three<'gc, M, 3, 50, 2_500>, Three<'gc, M, 6, 129, 9_000>);

/// Bytes that a step allocates, or one block.
const STEP_BYTES: usize = 8 << 10;

/// Where a program stands.
#[derive(Clone, Copy)]
struct State {
    random: u64,
    round: u32,
    /// Bytes that this round allocates before blocks die.
    left_bytes: usize,
    live_bytes: usize,
}

impl State {
    fn next(&mut self, below: u64) -> u64 {
        let factor = 0x5851_F42D_4C95_7F2D_u64;
        self.random = self.random.wrapping_mul(factor).wrapping_add(0x1405_7B7E_F767_814F);
        (self.random >> 33) % below
    }

    /// Allocates blocks of one size.
    fn add<'gc, M: Mutator<'gc>, const WORDS: usize>(
        &mut self,
        heap: &mut M,
        list: &mut List<'gc, M, WORDS>,
    ) {
        let bytes = WORDS * 8 + HOLD_BYTES;
        for _ in 0..(STEP_BYTES / bytes).max(1) {
            let block = heap.alloc::<Block<WORDS>>(Plain([self.next(1 << 31); WORDS]));
            let rest = std::mem::replace(list, Link::NONE);
            *list = Link(Some(heap.alloc::<Hold<WORDS>>((Link(Some(block)), rest))));
            self.live_bytes += bytes;
            self.left_bytes = self.left_bytes.saturating_sub(bytes);
        }
    }
    fn add_one_of<'gc, M: Mutator<'gc>, const A: usize, const B: usize, const C: usize>(
        &mut self,
        heap: &mut M,
        lists: &mut Three<'gc, M, A, B, C>,
    ) {
        match self.next(3) {
            0 => self.add(heap, &mut lists.0),
            1 => self.add(heap, &mut lists.1),
            _ => self.add(heap, &mut lists.2),
        }
    }

    /// Gives up about half of the blocks of one size, and checks them all.
    fn thin<'gc, M: Mutator<'gc>, const WORDS: usize>(
        &mut self,
        heap: &mut M,
        list: &mut List<'gc, M, WORDS>,
    ) {
        let mut rest = std::mem::replace(list, Link::NONE);
        while let Link(Some(hold)) = rest {
            let Link(block) = heap.load::<Hold<WORDS>, Block<WORDS>>(&hold, |hold| &hold.0);
            rest = heap.load::<Hold<WORDS>, Hold<WORDS>>(&hold, |hold| &hold.1);
            heap.release(hold);
            let block = block.expect("each holder has a block");
            let words = &heap.get::<Block<WORDS>>(&block).0;
            assert!(words.iter().all(|word| *word == words[0]), "a block was overwritten");
            if self.next(2) == 0 {
                let kept = std::mem::replace(list, Link::NONE);
                *list = Link(Some(heap.alloc::<Hold<WORDS>>((Link(Some(block)), kept))));
            } else {
                heap.release(block);
                self.live_bytes -= WORDS * 8 + HOLD_BYTES;
            }
        }
    }
    fn thin_all<'gc, M: Mutator<'gc>, const A: usize, const B: usize, const C: usize>(
        &mut self,
        heap: &mut M,
        lists: &mut Three<'gc, M, A, B, C>,
    ) {
        self.thin(heap, &mut lists.0);
        self.thin(heap, &mut lists.1);
        self.thin(heap, &mut lists.2);
    }
}

struct Churn {
    seed: u64,
    rounds: u32,
    round_bytes: usize,
}

impl Program for Churn {
    type Frame<'gc, M: Mutator<'gc>> = (Plain<State>, All<'gc, M>);
    /// Most bytes of objects that lived at once.
    type Out = usize;

    fn start<'gc, M: Mutator<'gc>>(
        &self,
        heap: &mut M,
        stack: &mut Frames<'gc, M, Self>,
        _: &mut usize,
    ) {
        let state =
            State { random: self.seed, round: 0, left_bytes: self.round_bytes, live_bytes: 0 };
        let none = (
            (Link::NONE, Link::NONE, Link::NONE),
            (Link::NONE, Link::NONE, Link::NONE),
            (Link::NONE, Link::NONE, Link::NONE),
        );
        stack.push((Plain(state), none), heap);
    }

    fn step<'gc, M: Mutator<'gc>>(
        &self,
        heap: &mut M,
        (Plain(mut state), mut all): Self::Frame<'gc, M>,
        stack: &mut Frames<'gc, M, Self>,
        live_peak_bytes: &mut usize,
    ) {
        if state.left_bytes > 0 {
            match state.round % 3 {
                0 => state.add_one_of(heap, &mut all.0),
                1 => state.add_one_of(heap, &mut all.1),
                _ => state.add_one_of(heap, &mut all.2),
            }
            *live_peak_bytes = state.live_bytes.max(*live_peak_bytes);
        } else {
            state.thin_all(heap, &mut all.0);
            state.thin_all(heap, &mut all.1);
            state.thin_all(heap, &mut all.2);
            state.left_bytes = self.round_bytes;
            state.round += 1;
        }
        if state.round < self.rounds {
            stack.push((Plain(state), all), heap);
        } else {
            release(heap, all.0);
            release(heap, all.1);
            release(heap, all.2);
        }
    }
}

fn release<'gc, M: Mutator<'gc>, const A: usize, const B: usize, const C: usize>(
    heap: &mut M,
    (a, b, c): Three<'gc, M, A, B, C>,
) {
    heap.release_link(a);
    heap.release_link(b);
    heap.release_link(c);
}

/// The program on a heap with a limit: the most bytes that lived at once, and
/// that the heap held; `None` if it was out of memory.
struct Run {
    churn: Churn,
    limit_bytes: Option<usize>,
}

impl Visit for Run {
    type Out = Option<(usize, usize)>;
    fn visit<B: Backend>(self) -> Option<(usize, usize)> {
        let mut settings = Settings::new(&B::INFO);
        settings.limit_bytes = self.limit_bytes.unwrap_or(settings.limit_bytes);
        let mut heap = <B::Heap<On>>::new(&settings);
        let live_peak_bytes = heap.run(&self.churn).ok()?;
        heap.validate().unwrap();
        let heap_peak_bytes = heap.stats().heap_peak_bytes;
        heap.settle();
        heap.validate().unwrap();
        assert_eq!(heap.stats().live_cells, 0);
        Some((live_peak_bytes, heap_peak_bytes))
    }
}

/// Programs, each with other random numbers.
const SEEDS: u64 = if cfg!(any(debug_assertions, heap_asan)) { 5 } else { 20 };

fn run(backend: &str, seed: u64, limit_bytes: Option<usize>) -> Option<(usize, usize)> {
    let small = cfg!(any(debug_assertions, heap_asan));
    let (rounds, round_bytes) = if small { (6, 1 << 20) } else { (12, 4 << 20) };
    let run = Run { churn: Churn { seed, rounds, round_bytes }, limit_bytes };
    heap::visit(backend, run).expect("a backend of the registry")
}

/// Most bytes held over the most that lived, as the backends' headers state it.
const BOUNDS: [(&str, f64); 1] = [("mark-region", 2.25)];

#[test]
#[cfg_attr(miri, ignore = "takes too long under Miri")]
fn fragmentation_stays_under_its_bound() {
    for (backend, bound) in BOUNDS {
        for seed in 0..SEEDS {
            let what = format!("{backend}, seed {seed}");
            let (live_peak, heap_peak) = run(backend, seed, None).expect("no limit");
            let most_bytes = (live_peak as f64 * bound) as usize;
            assert!(heap_peak <= most_bytes, "{what}: {heap_peak} bytes for {live_peak}");
            let (live_again, heap_peak) =
                run(backend, seed, Some(most_bytes)).expect("a limit at the bound suffices");
            assert_eq!(live_again, live_peak, "{what}: the program does not depend on the limit");
            assert!(heap_peak <= most_bytes, "{what}: the limit was passed");
        }
    }
}
