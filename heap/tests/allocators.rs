//! Random programs on every allocator of our own, against a model: what is
//! handed out does not overlap, is aligned, keeps its contents, and is given back.

#[path = "allocators/programs.rs"]
mod programs;

use heap::allocators::boundary_tag::BoundaryTag;
use heap::allocators::pool::Pool;
use heap::allocators::region::Region;
use heap::allocators::{AllocError, Layout, Limits, Managed};
use programs::{Block, Op, Order, op};
use proptest::collection::vec;
use proptest::test_runner::{Config, FileFailurePersistence, RngSeed, TestRunner};
use std::collections::BTreeMap;
use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::NonNull;

/// What is checked of every allocator.
trait Check {
    fn check<A: Managed>(&self);
}

fn every_allocator(check: &impl Check) {
    // One line per allocator.
    check.check::<BoundaryTag>();
    check.check::<Pool>();
    check.check::<Region>();
}

const PROGRAMS: u32 = if cfg!(miri) {
    2
} else if cfg!(debug_assertions) {
    24
} else {
    300
};
const MOST_OPS: usize = if cfg!(miri) { 20 } else { 60 };
/// How often a program runs on one allocator.
const TIMES: usize = 3;
const LIMIT_BYTES: usize = 2 << 20;
const NO_LIMIT: Limits = Limits { limit_bytes: usize::MAX, zeal: false };

/// An allocator with all that it has handed out.
struct Model<A> {
    of: A,
    limits: Limits,
    /// By address; what has no bytes is apart.
    blocks: BTreeMap<usize, Block>,
    empty: Vec<Block>,
    seed: u8,
    peak_bytes: usize,
}

impl<A: Managed> Model<A> {
    fn new(limits: Limits) -> Self {
        let of = A::new(limits);
        let (blocks, empty) = (BTreeMap::new(), Vec::new());
        Model { of, limits, blocks, empty, seed: 0, peak_bytes: 0 }
    }

    /// Notes what was handed out, and fills it.
    fn add(&mut self, at: NonNull<u8>, layout: Layout) {
        let start = at.addr().get();
        assert!(start.is_multiple_of(layout.align()), "{start:#x} is not aligned to {layout:?}");
        self.seed = self.seed.wrapping_add(101);
        let block = Block { at, layout, seed: self.seed };
        if layout.size() == 0 {
            return self.empty.push(block);
        }
        if let Some((&before, last)) = self.blocks.range(..=start).next_back() {
            assert!(before + last.layout.size() <= start, "{layout:?} overlaps {:?}", last.layout);
        }
        if let Some((&after, first)) = self.blocks.range(start..).next() {
            assert!(start + layout.size() <= after, "{layout:?} overlaps {:?}", first.layout);
        }
        self.blocks.insert(start, block.fill());
    }

    /// Takes one out of the model, whose contents are as they were.
    fn pick(&mut self, at: usize) -> Option<Block> {
        let len = self.blocks.len() + self.empty.len();
        let at = at.checked_rem(len)?;
        if at >= self.blocks.len() {
            return Some(self.empty.swap_remove(at - self.blocks.len()));
        }
        let address = *self.blocks.keys().nth(at)?;
        self.blocks.remove(&address).inspect(|block| block.check(block.layout.size()))
    }

    /// The same of all that are asked for.
    fn pick_all(&mut self, mut asked: impl FnMut(&Block) -> bool) -> Vec<Block> {
        let (mut picked, kept): (Vec<_>, _) =
            mem::take(&mut self.empty).into_iter().partition(&mut asked);
        self.empty = kept;
        let (blocks, kept): (BTreeMap<_, _>, _) =
            mem::take(&mut self.blocks).into_iter().partition(|(_, block)| asked(block));
        self.blocks = kept;
        picked.extend(blocks.into_values().inspect(|block| block.check(block.layout.size())));
        picked
    }

    fn free(&mut self, block: Block) {
        // SAFETY: handed out with this layout, and out of the model.
        unsafe { self.of.deallocate(block.at, block.layout) };
    }

    fn run(&mut self, op: Op) -> Result<(), AllocError> {
        match op {
            Op::Allocate { layout, zeroed: false } => {
                let block = self.of.allocate(layout)?;
                assert!(block.len() >= layout.size());
                self.add(block.cast(), layout);
            }
            Op::Allocate { layout, zeroed: true } => {
                let at = self.of.allocate_zeroed(layout)?.cast();
                Block::check_zero(at, 0, layout.size());
                self.add(at, layout);
            }
            Op::Burst { layout, count } => {
                let mut nodes = Vec::new();
                let done = self.of.allocate_nodes(layout, count, |node| nodes.push(node));
                assert!(done.is_err() || nodes.len() == count, "{} of {count}", nodes.len());
                nodes.into_iter().for_each(|node| self.add(node, layout));
                done?;
            }
            Op::Free { at } => {
                if let Some(block) = self.pick(at) {
                    self.free(block);
                }
            }
            Op::FreeMany { at, order } => {
                let Some(first) = self.pick(at) else { return Ok(()) };
                let mut many = vec![first];
                let layout = first.layout;
                many.extend(self.pick_all(|block| block.layout == layout));
                many.sort_by_key(|block| block.at);
                match order {
                    Order::Up => {}
                    Order::Down => many.reverse(),
                    Order::Mixed => many.sort_by_key(|block| block.seed % 7),
                }
                // SAFETY: handed out with this layout, and out of the model.
                unsafe { self.of.deallocate_nodes(layout, many.iter().map(|block| block.at)) };
            }
            Op::Grow { at, bytes, align, zeroed } => {
                let Some(block) = self.pick(at) else { return Ok(()) };
                let old = block.layout;
                let new = Layout::from_size_align(old.size() + bytes, align).unwrap();
                // SAFETY: handed out with this layout, and out of the model.
                let grown = unsafe {
                    if zeroed {
                        self.of.grow_zeroed(block.at, old, new)
                    } else {
                        self.of.grow(block.at, old, new)
                    }
                };
                self.resized(block, new, grown, zeroed)?;
            }
            Op::Shrink { at, part, align } => {
                let Some(block) = self.pick(at) else { return Ok(()) };
                let old = block.layout;
                let new = Layout::from_size_align(old.size() * part / 256, align).unwrap();
                // SAFETY: as above.
                let shrunk = unsafe { self.of.shrink(block.at, old, new) };
                self.resized(block, new, shrunk, false)?;
            }
            Op::EraseHalf { mut seed } => {
                let half = self.pick_all(|_| {
                    seed ^= seed << 13;
                    seed ^= seed >> 7;
                    seed ^= seed << 17;
                    seed & 1 == 0
                });
                half.into_iter().for_each(|block| self.free(block));
            }
        }
        Ok(())
    }

    /// Notes what became of a block; it is as before if there was no memory.
    fn resized(
        &mut self,
        block: Block,
        new: Layout,
        result: Result<NonNull<[u8]>, AllocError>,
        zeroed: bool,
    ) -> Result<(), AllocError> {
        match result {
            Ok(at) => {
                let at = at.cast();
                let kept_bytes = block.layout.size().min(new.size());
                Block { at, ..block }.check(kept_bytes);
                if zeroed {
                    Block::check_zero(at, kept_bytes, new.size());
                }
                self.add(at, new);
                Ok(())
            }
            Err(error) => {
                block.check(block.layout.size());
                if block.layout.size() == 0 {
                    self.empty.push(block);
                } else {
                    self.blocks.insert(block.at.addr().get(), block);
                }
                Err(error)
            }
        }
    }

    fn validate(&mut self) {
        self.of.validate().unwrap();
        let live_bytes = self.blocks.values().map(|block| block.layout.size()).sum::<usize>();
        if let (Some(held), Some(books)) = (self.of.held_bytes(), self.of.metadata_bytes()) {
            assert!(
                held >= live_bytes + books,
                "{held} held, {live_bytes} live, {books} of its own"
            );
            assert!(held <= self.limits.limit_bytes, "{held} held, beyond the limit");
            self.peak_bytes = self.peak_bytes.max(held);
        }
    }

    fn free_all(&mut self) {
        while let Some(block) = self.pick(0) {
            self.free(block);
        }
        self.validate();
    }
}

/// The same programs each time, unless the library's variables ask for others.
fn programs<A: Managed>(limits: Limits, programs: u32) {
    let config = Config {
        cases: programs,
        failure_persistence: None::<Box<FileFailurePersistence>>.map(|f| f as _),
        rng_seed: RngSeed::Fixed(0x9ee4),
        ..Config::default()
    };
    let result = TestRunner::new(config).run(&vec(op(), 1..MOST_OPS), |ops| {
        let mut model = Model::<A>::new(limits);
        let mut first_peak_bytes = 0;
        for time in 0..TIMES {
            for &op in &ops {
                if model.run(op).is_err() {
                    assert!(limits.limit_bytes < usize::MAX, "no memory for {op:?}");
                }
                model.validate();
            }
            model.free_all();
            if time == 0 {
                first_peak_bytes = model.peak_bytes;
            }
        }
        let held_bytes = model.of.held_bytes().unwrap_or(0);
        // Blocks may be larger each time; but what leaks would add up.
        assert!(held_bytes <= 2 * first_peak_bytes, "{held_bytes} bytes are held of nothing");
        Ok(())
    });
    if let Err(error) = result {
        panic!("{}, {limits:?}: {error}", A::BRIEF.name);
    }
}

#[test]
fn random_programs_keep_to_the_model() {
    struct Random;
    impl Check for Random {
        fn check<A: Managed>(&self) {
            programs::<A>(NO_LIMIT, PROGRAMS);
            programs::<A>(Limits { zeal: true, ..NO_LIMIT }, PROGRAMS / 4);
            programs::<A>(Limits { limit_bytes: LIMIT_BYTES, ..NO_LIMIT }, PROGRAMS);
        }
    }
    every_allocator(&Random);
}

#[test]
fn the_limit_is_refused_and_never_passed() {
    struct Limited;
    impl Check for Limited {
        fn check<A: Managed>(&self) {
            let limits = Limits { limit_bytes: LIMIT_BYTES, zeal: false };
            let layout = Layout::new::<[u64; 9]>();
            for bursts in [1, 1_000, usize::MAX] {
                let mut model = Model::<A>::new(limits);
                let mut nodes = Vec::new();
                while model.of.allocate_nodes(layout, bursts, |node| nodes.push(node)).is_ok() {}
                nodes.into_iter().for_each(|node| model.add(node, layout));
                model.validate();
                let bytes = model.blocks.len() * layout.size();
                // An allocator may refuse at once what can never be.
                assert!(
                    bursts == usize::MAX || bytes > LIMIT_BYTES / 2,
                    "{}: {bytes} bytes of {LIMIT_BYTES}",
                    A::BRIEF.name
                );
                assert!(model.of.allocate(Layout::new::<[u8; LIMIT_BYTES]>()).is_err());
                model.free_all();
                assert!(model.of.allocate(layout).is_ok_and(|at| {
                    model.add(at.cast(), layout);
                    true
                }));
                model.free_all();
            }
            let tiny = A::new(Limits { limit_bytes: 1, zeal: true });
            assert!(tiny.allocate(layout).is_err());
            assert!(tiny.allocate_nodes(layout, 2, |_| panic!("a node beyond the limit")).is_err());
            tiny.validate().unwrap();
        }
    }
    every_allocator(&Limited);
}

#[test]
fn what_has_no_bytes_takes_none() {
    struct Empty;
    impl Check for Empty {
        fn check<A: Managed>(&self) {
            let mut model = Model::<A>::new(NO_LIMIT);
            let held = model.of.held_bytes();
            for align in [1, 16, 4_096] {
                let layout = Layout::from_size_align(0, align).unwrap();
                model.run(Op::Allocate { layout, zeroed: true }).unwrap();
                model.run(Op::Burst { layout, count: 3 }).unwrap();
            }
            assert_eq!(model.of.held_bytes(), held);
            model.run(Op::FreeMany { at: 0, order: Order::Up }).unwrap();
            for at in [1, 2, 3] {
                model.run(Op::Grow { at, bytes: 40, align: 64, zeroed: true }).unwrap();
            }
            model.validate();
            model.free_all();
        }
    }
    every_allocator(&Empty);
}

#[test]
fn impossible_requests_are_refused() {
    struct Impossible;
    impl Check for Impossible {
        fn check<A: Managed>(&self) {
            let of = A::new(NO_LIMIT);
            let most = isize::MAX as usize;
            for (bytes, align) in [(most, 1), (most - 15, 16), (most / 2, 1 << 40), (8, 1 << 62)] {
                let layout = Layout::from_size_align(bytes, align).unwrap();
                assert!(of.allocate(layout).is_err(), "{layout:?}");
                assert!(of.allocate_nodes(layout, 2, |_| panic!("{layout:?}")).is_err());
                of.validate().unwrap();
            }
            let layout = Layout::new::<u64>();
            let at = of.allocate(layout).unwrap().cast();
            let most = Layout::from_size_align(most - 7, 8).unwrap();
            // SAFETY: handed out with this layout; not grown, so it is given back as it was.
            unsafe {
                assert!(of.grow(at, layout, most).is_err());
                of.deallocate(at, layout);
            }
            of.validate().unwrap();
        }
    }
    every_allocator(&Impossible);
}

#[test]
fn a_panic_amid_a_burst_leaves_the_rest_free() {
    struct Panicking;
    impl Check for Panicking {
        fn check<A: Managed>(&self) {
            for zeal in [false, true] {
                let mut model = Model::<A>::new(Limits { zeal, ..NO_LIMIT });
                let layout = Layout::new::<[u64; 3]>();
                for stop in [1, 2, 500, 1_000] {
                    let mut nodes = Vec::new();
                    let burst = || {
                        model.of.allocate_nodes(layout, 1_000, |node| {
                            nodes.push(node);
                            assert!(nodes.len() < stop, "this is meant to panic");
                        })
                    };
                    catch_unwind(AssertUnwindSafe(burst)).unwrap_err();
                    assert_eq!(nodes.len(), stop);
                    nodes.into_iter().for_each(|node| model.add(node, layout));
                    model.validate();
                }
                model.free_all();
            }
        }
    }
    every_allocator(&Panicking);
}

/// The caller may use the allocator while nodes are handed out, and give back those it has.
#[test]
fn a_burst_may_be_joined() {
    struct Joined;
    impl Check for Joined {
        fn check<A: Managed>(&self) {
            for zeal in [false, true] {
                let mut model = Model::<A>::new(Limits { zeal, ..NO_LIMIT });
                let (layout, other) = (Layout::new::<[u64; 3]>(), Layout::new::<[u64; 9]>());
                let (mut kept, mut others, mut count) = (Vec::new(), Vec::new(), 0);
                let of = &model.of;
                of.allocate_nodes(layout, 1_000, |node| {
                    count += 1;
                    if count % 3 == 0 {
                        kept.push(node);
                    } else {
                        // SAFETY: just handed out.
                        unsafe { of.deallocate(node, layout) };
                    }
                    others.push(of.allocate(other).unwrap().cast());
                    if count % 100 == 0 {
                        of.allocate_nodes(other, 10, |node| others.push(node)).unwrap();
                    }
                })
                .unwrap();
                kept.into_iter().for_each(|node| model.add(node, layout));
                others.into_iter().for_each(|node| model.add(node, other));
                model.validate();
                assert_eq!(model.blocks.len(), 333 + 1_000 + 100);
                model.free_all();
            }
        }
    }
    every_allocator(&Joined);
}
