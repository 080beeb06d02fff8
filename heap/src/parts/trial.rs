//! Small programs that backends' unit tests run (tests only).

use crate::heap::{Backend, Family, Frames, Heap, Mutator, Program};
use crate::object::{Chain, Edge, Link, Node, Plain};
use crate::settings::{Settings, Zeal};
use crate::tally::{HeapError, On, Stats};

/// A heap of `B` with these parameters.
pub fn heap<B: Backend>(
    params: &[(&str, &str)],
    change: impl FnOnce(&mut Settings),
) -> B::Heap<On> {
    let mut settings = Settings::new(&B::INFO);
    for (name, value) in params {
        settings.set(&B::INFO, name, value).unwrap();
    }
    change(&mut settings);
    B::Heap::new(&settings)
}

/// Makes a heap zealous.
pub fn zealous(settings: &mut Settings) {
    settings.zeal = Zeal::EverySafepoint;
}

/// Settles and checks that nothing is left.
pub fn settled(heap: &mut impl Heap) -> Stats {
    heap.settle();
    heap.validate().unwrap();
    assert_eq!(heap.stats().live_cells, 0, "{:?}", heap.stats());
    heap.stats()
}

/// Builds a chain of `cells`, some each step, and counts it at the end.
pub struct Grow {
    pub cells: u64,
    pub each_step: u64,
}

impl Program for Grow {
    type Frame<'gc, M: Mutator<'gc>> = (Plain<u64>, Link<'gc, M, Chain<u64>>);
    type Out = u64;
    fn start<'gc, M: Mutator<'gc>>(
        &self,
        heap: &mut M,
        stack: &mut Frames<'gc, M, Self>,
        _: &mut u64,
    ) {
        stack.push((Plain(0), Link::NONE), heap);
    }
    fn step<'gc, M: Mutator<'gc>>(
        &self,
        heap: &mut M,
        (Plain(start), mut chain): Self::Frame<'gc, M>,
        stack: &mut Frames<'gc, M, Self>,
        out: &mut u64,
    ) {
        if start >= self.cells {
            let sum = heap.fold(chain.as_ref(), 0, |sum, item| sum + item + 1);
            heap.release_link(chain);
            *out = sum;
            return;
        }
        let end = self.cells.min(start + self.each_step);
        for item in start..end {
            chain = Link(Some(heap.alloc::<Chain<u64>>(Node { item, next: chain })));
        }
        stack.push((Plain(end), chain), heap);
    }
}

/// A node with a name, its check, and two references.
pub struct Fork;
impl Family for Fork {
    type Of<'gc, M: Mutator<'gc>> = (Plain<(u64, u64)>, [Link<'gc, M, Fork>; 2]);
}

/// An object of two kilobytes with eight references.
pub struct Wide;
impl Family for Wide {
    type Of<'gc, M: Mutator<'gc>> = (Plain<[u64; 248]>, [Link<'gc, M, Fork>; 8]);
}

/// Allocates, links, mutates (cycles included), drops, filters and reads
/// objects of several types at random; the result tells what was read.
pub struct Shuffle {
    pub seed: u64,
    pub steps: u64,
}

fn next(seed: u64) -> u64 {
    let x = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15).wrapping_add(0xD1B5_4A32_D192_ED03);
    (x ^ (x >> 31)).wrapping_mul(0xBF58_476D_1CE4_E5B9) ^ (x >> 17)
}

type Chosen<'gc, M> = (Link<'gc, M, Fork>, Link<'gc, M, Chain<u32>>, Edge<'gc, M, Wide>);

impl Program for Shuffle {
    type Frame<'gc, M: Mutator<'gc>> = (Plain<(u64, u64)>, Chosen<'gc, M>);
    type Out = u64;
    fn start<'gc, M: Mutator<'gc>>(
        &self,
        heap: &mut M,
        stack: &mut Frames<'gc, M, Self>,
        _: &mut u64,
    ) {
        let wide = heap.alloc::<Wide>((Plain([7; 248]), [const { Link::NONE }; 8]));
        stack.push((Plain((self.seed, 0)), (Link::NONE, Link::NONE, Edge(wide))), heap);
    }
    fn step<'gc, M: Mutator<'gc>>(
        &self,
        heap: &mut M,
        (Plain((seed, step)), (mut fork, mut chain, Edge(mut wide))): Self::Frame<'gc, M>,
        stack: &mut Frames<'gc, M, Self>,
        out: &mut u64,
    ) {
        let random = next(seed);
        let slot = (random >> 20) as usize % 8;
        match random % 10 {
            0..=2 => {
                let left = fork.as_ref().map(|at| heap.share(at));
                let name = (step, next(step));
                fork = Link(Some(heap.alloc::<Fork>((Plain(name), [Link(left), fork]))));
            }
            3 => {
                let kept = heap.load::<Wide, Fork>(&wide, |w| &w.1[slot]);
                if let (Some(at), true) = (fork.as_ref(), kept.0.is_some()) {
                    let (Plain(name), _) = *heap.get::<Fork>(at);
                    let other = heap.load::<Fork, Fork>(at, |f| &f.1[1]);
                    heap.set::<Fork>(at, (Plain(name), [kept, other]));
                } else {
                    heap.release_link(kept);
                }
            }
            4 => {
                let kept: [usize; 8] = std::array::from_fn(|i| i);
                let links = kept.map(|i| match i == slot {
                    true => heap.share_link(&fork),
                    false => heap.load::<Wide, Fork>(&wide, |w| &w.1[i]),
                });
                let numbers = heap.get::<Wide>(&wide).0;
                heap.set::<Wide>(&wide, (numbers, links));
            }
            5 => {
                let taken = heap.load::<Wide, Fork>(&wide, |w| &w.1[slot]);
                heap.release_link(std::mem::replace(&mut fork, taken));
            }
            6 => {
                for item in 0..(random >> 30) as u32 % 400 {
                    chain = Link(Some(heap.alloc::<Chain<u32>>(Node { item, next: chain })));
                }
            }
            7 => {
                let bit = random >> 40;
                let kept = heap.filter(chain.as_ref(), |item| (bit >> (item % 20)) & 3 != 0);
                heap.release_link(std::mem::replace(&mut chain, kept));
            }
            8 if slot == 0 => {
                let fresh = heap.alloc::<Wide>((Plain([step; 248]), [const { Link::NONE }; 8]));
                heap.release(std::mem::replace(&mut wide, fresh));
            }
            8 => heap.release_link(std::mem::replace(&mut fork, Link::NONE)),
            _ => heap.release_link(std::mem::replace(&mut chain, Link::NONE)),
        }
        // Walks down a few levels, and reads what it passes.
        let mut at = heap.share_link(&fork);
        for turn in 0..8 {
            let Some(here) = at.0 else { break };
            let (Plain((name, check)), _) = *heap.get::<Fork>(&here);
            assert_eq!(check, next(name), "an object was overwritten");
            *out = out.wrapping_mul(31).wrapping_add(name);
            at = heap.load::<Fork, Fork>(&here, |f| &f.1[(random >> (50 + turn)) as usize % 2]);
            heap.release(here);
        }
        heap.release_link(at);
        *out = heap.fold(chain.as_ref(), *out, |out, item| out.rotate_left(1) ^ u64::from(item));
        *out = out.wrapping_add(heap.get::<Wide>(&wide).0.0[slot + 240]);
        if step < self.steps {
            stack.push((Plain((random, step + 1)), (fork, chain, Edge(wide))), heap);
        } else {
            heap.release_link(fork);
            heap.release_link(chain);
            heap.release(wide);
        }
    }
}

/// What every tracing backend must pass, with each of the `settings`.
pub fn trace<B: Backend>(settings: &[&[(&str, &str)]]) {
    let chain = Grow { cells: 300_000, each_step: 1_000 };
    let step = Grow { cells: 200_000, each_step: 200_000 };
    for params in settings {
        for seed in 0..20 {
            let program = Shuffle { seed, steps: 2_000 };
            let right = heap::<crate::backends::stack::Stack>(&[], |_| {}).run(&program).unwrap();
            let mut plain = heap::<B>(params, |_| {});
            assert_eq!(plain.run(&program), Ok(right), "seed {seed}, {params:?}");
            settled(&mut plain);
        }
        let program = Shuffle { seed: 99, steps: 300 };
        let right = heap::<crate::backends::stack::Stack>(&[], |_| {}).run(&program).unwrap();
        assert_eq!(heap::<B>(params, zealous).run(&program), Ok(right), "zeal, {params:?}");

        let mut large = heap::<B>(params, |_| {});
        for program in [&chain, &step] {
            let sum = program.cells * (program.cells + 1) / 2;
            assert_eq!(large.run(program), Ok(sum));
            settled(&mut large);
        }
        // Limits of all sizes: an error that leaves the heap usable, or enough.
        for (limit_bytes, each_step) in (0..48).map(|i| (1 << (i / 2), [100, 25_000][i % 2])) {
            let mut small = heap::<B>(params, |settings| settings.limit_bytes = limit_bytes);
            match small.run(&Grow { cells: 30_000, each_step }) {
                Ok(_) => assert!(limit_bytes > 400_000),
                Err(HeapError::OutOfMemory { limit_bytes: limit, live_bytes }) => {
                    assert_eq!(limit, limit_bytes);
                    assert!(live_bytes <= 30_000 * 32 && limit_bytes < 2 << 20);
                }
            }
            settled(&mut small);
            if limit_bytes > 1 << 20 {
                assert_eq!(small.run(&Grow { cells: 2, each_step: 1 }), Ok(3));
                settled(&mut small);
            }
        }
    }
}
