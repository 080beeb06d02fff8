//! A program for the tests of heaps with scopes: chains of two sizes, shared
//! between choice points, and old cells that are made to refer to young ones.

use crate::backends::rc::Rc;
use crate::heap::{Backend, Family, Frames, Heap, Mutator, Program};
use crate::object::{Chain, Edge, Link, Node, Plain};
use crate::{HeapError, Off, On, Settings, Zeal};

/// A binary tree of choice points, each of which builds and filters a chain.
pub struct Trial {
    /// Levels of choice points.
    pub depth: u32,
    /// Cells that each adds.
    pub width: u32,
    /// Whether each hangs its newest cell below the oldest one, which outlives it.
    pub mutates: bool,
}

/// What the program read: equal on any heap that works.
#[derive(Debug, Default, PartialEq, Eq, Clone)]
pub struct Read {
    sums: Vec<u64>,
}

fn mix(sum: u64, item: u64) -> u64 {
    sum.wrapping_mul(31).wrapping_add(item)
}

/// A large object with a reference.
pub struct Wide;
impl Family for Wide {
    type Of<'gc, M: Mutator<'gc>> = (Plain<[u64; 24]>, Link<'gc, M, Chain<u64>>);
}

impl Program for Trial {
    /// Level, the oldest cell, a large object, the chain so far.
    type Frame<'gc, M: Mutator<'gc>> =
        (Plain<u32>, Edge<'gc, M, Chain<u64>>, (Link<'gc, M, Wide>, Link<'gc, M, Chain<u64>>));
    type Out = Read;

    fn start<'gc, M: Mutator<'gc>>(
        &self,
        heap: &mut M,
        stack: &mut Frames<'gc, M, Self>,
        _: &mut Read,
    ) {
        let oldest = heap.alloc::<Chain<u64>>(Node { item: 1, next: Link::NONE });
        stack.push((Plain(self.depth), Edge(oldest), (Link::NONE, Link::NONE)), heap);
    }

    fn step<'gc, M: Mutator<'gc>>(
        &self,
        heap: &mut M,
        (Plain(level), Edge(oldest), (wide, chain)): Self::Frame<'gc, M>,
        stack: &mut Frames<'gc, M, Self>,
        out: &mut Read,
    ) {
        let mut sum = heap.fold(Some(&oldest), 0, mix);
        if let Some(wide) = wide.as_ref() {
            let (Plain(numbers), inner) = heap.get(wide);
            sum = mix(sum, numbers[23] + inner.as_ref().map_or(0, |cell| heap.get(cell).item));
        }
        out.sums.push(heap.fold(chain.as_ref(), sum, mix));
        heap.release_link(wide);
        if level == 0 {
            heap.release(oldest);
            return heap.release_link(chain);
        }
        let mut longer = chain;
        for i in 0..self.width {
            let item = u64::from(level * 1_000 + i);
            longer = Link(Some(heap.alloc::<Chain<u64>>(Node { item, next: longer })));
        }
        let kept = heap.filter(longer.as_ref(), |item| item % 3 != 0);
        if self.mutates && level % 2 == 0 {
            let young = heap.alloc::<Chain<u64>>(Node { item: u64::from(level), next: Link::NONE });
            heap.set(&oldest, Node { item: 2, next: Link(Some(young)) });
        }
        for _ in 0..2 {
            let inner = heap.share_link(&kept);
            let wide = Link(Some(heap.alloc::<Wide>((Plain([u64::from(level); 24]), inner))));
            let frame = (heap.share(&oldest), heap.share_link(&kept));
            stack.push((Plain(level - 1), Edge(frame.0), (wide, frame.1)), heap);
        }
        heap.release_link(longer);
        heap.release_link(kept);
        heap.release(oldest);
    }
}

/// Runs the program on a backend in every way: each value of `append`, with and
/// without mutation and zeal, and at many limits.
pub fn trial<B: Backend>(expected_live_after: fn(&crate::Stats) -> u64) {
    let appends = if B::INFO.params.iter().any(|p| p.name == "append") {
        &["speculate", "branch"][..]
    } else {
        &[][..]
    };
    let mut settings = Settings::new(&B::INFO);
    if B::INFO.params.iter().any(|p| p.name == "chunk") {
        settings.set(&B::INFO, "chunk", "4KiB").unwrap();
    }
    if B::INFO.params.iter().any(|p| p.name == "trigger") {
        settings.set(&B::INFO, "trigger", "1KiB").unwrap();
    }
    for mutates in [false, true] {
        let program = Trial { depth: 5, width: 20, mutates };
        let counting = &mut <<Rc as Backend>::Heap<Off>>::new(&Settings::new(&Rc::INFO));
        let right = counting.run(&program).unwrap();
        for append in appends.iter().map(Some).chain([None]) {
            if let Some(append) = append {
                settings.set(&B::INFO, "append", append).unwrap();
            }
            for zeal in [Zeal::Off, Zeal::EverySafepoint] {
                settings.zeal = zeal;
                let mut heap = <B::Heap<On>>::new(&settings);
                let read = heap.run(&program).unwrap();
                assert_eq!(read, right);
                heap.validate().unwrap();
                heap.settle();
                heap.validate().unwrap();
                let stats = heap.stats();
                assert_eq!(stats.live_cells, expected_live_after(&stats), "{:?}", stats);
                assert_eq!(stats.live_bytes == 0, stats.live_cells == 0);
            }
            settings.zeal = Zeal::Off;
            limits::<B>(&settings, &program, &right);
        }
    }
}

/// The program at growing limits: an error or the right answer, and always a
/// heap that works afterwards.
fn limits<B: Backend>(settings: &Settings, program: &Trial, right: &Read) {
    let mut settings = settings.clone();
    let mut errors = 0;
    for limit_bytes in (0..60).map(|i| (16.0 * 1.25_f64.powi(i)) as usize) {
        settings.limit_bytes = limit_bytes;
        let mut heap = <B::Heap<Off>>::new(&settings);
        match heap.run(program) {
            Ok(read) => assert_eq!(read, *right),
            Err(HeapError::OutOfMemory { limit_bytes: limit, .. }) => {
                errors += 1;
                assert_eq!(limit, limit_bytes);
                heap.validate().unwrap();
                let small = Trial { depth: 0, width: 0, mutates: false };
                if limit_bytes > 1 << 10 {
                    assert!(heap.run(&small).is_ok(), "{} after an error", B::INFO.name);
                }
            }
        }
        heap.validate().unwrap();
        heap.settle();
        assert_eq!(heap.stats().live_cells == 0, B::INFO.reclaims);
    }
    assert!(errors > 0 && errors < 60, "{errors} errors");
}
