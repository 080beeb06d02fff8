//! The steps of random programs, and what an allocation must hold.

use heap::allocators::Layout;
use proptest::prelude::*;
use std::ptr::NonNull;

/// One step of a program.
#[derive(Clone, Copy, Debug)]
pub enum Op {
    Allocate {
        layout: Layout,
        zeroed: bool,
    },
    Burst {
        layout: Layout,
        count: usize,
    },
    Free {
        at: usize,
    },
    /// All of one layout, in the order of their addresses or in another.
    FreeMany {
        at: usize,
        order: Order,
    },
    /// By so many bytes, to another alignment.
    Grow {
        at: usize,
        bytes: usize,
        align: usize,
        zeroed: bool,
    },
    /// To so many 256ths.
    Shrink {
        at: usize,
        align: usize,
        part: usize,
    },
    EraseHalf {
        seed: u64,
    },
}

/// In which order many are given back.
#[derive(Clone, Copy, Debug)]
pub enum Order {
    Up,
    Down,
    Mixed,
}

fn bytes() -> impl Strategy<Value = usize> {
    prop_oneof![
        1 => Just(0_usize),
        12 => 1..100_usize,
        6 => 100..4_000_usize,
        2 => 4_000..100_000_usize,
        1 => 100_000..2_500_000_usize,
    ]
}

fn align() -> impl Strategy<Value = usize> {
    prop_oneof![8 => 0..=4_u32, 2 => 5..=12_u32].prop_map(|log| 1 << log)
}

fn layout() -> impl Strategy<Value = Layout> {
    (bytes(), align()).prop_map(|(bytes, align)| Layout::from_size_align(bytes, align).unwrap())
}

/// Any step.
pub fn op() -> impl Strategy<Value = Op> {
    let at = any::<usize>;
    let node = prop_oneof![4 => 1..=64_usize, 1 => 65..=3_000_usize, 1 => Just(0_usize)];
    let node =
        (node, align()).prop_map(|(bytes, align)| Layout::from_size_align(bytes, align).unwrap());
    prop_oneof![
        8 => (layout(), any::<bool>())
            .prop_map(|(layout, zeroed)| Op::Allocate { layout, zeroed }),
        4 => (node, prop_oneof![4 => 0..40_usize, 1 => 40..700_usize])
            .prop_map(|(layout, count)| Op::Burst { layout, count }),
        5 => at().prop_map(|at| Op::Free { at }),
        3 => (at(), prop_oneof![Just(Order::Up), Just(Order::Down), Just(Order::Mixed)])
            .prop_map(|(at, order)| Op::FreeMany { at, order }),
        6 => (at(), bytes(), align(), any::<bool>())
            .prop_map(|(at, bytes, align, zeroed)| Op::Grow { at, bytes, align, zeroed }),
        4 => (at(), 0..256_usize, align())
            .prop_map(|(at, part, align)| Op::Shrink { at, part, align }),
        1 => any::<u64>().prop_map(|seed| Op::EraseHalf { seed }),
    ]
}

/// An allocation, and what it was filled with.
#[derive(Clone, Copy)]
pub struct Block {
    pub at: NonNull<u8>,
    pub layout: Layout,
    pub seed: u8,
}

/// The bytes that are looked at: all of what is small.
fn places(bytes: usize) -> impl Iterator<Item = usize> {
    const ALL: usize = 1_000;
    (0..bytes.min(ALL)).chain((ALL..bytes).step_by(509))
}

impl Block {
    pub fn fill(self) -> Self {
        for i in places(self.layout.size()) {
            // SAFETY: within the allocation, which is the model's.
            unsafe { self.at.add(i).write(self.byte(i)) };
        }
        self
    }
    /// Neither the same in all bytes, nor in all allocations.
    pub fn byte(self, i: usize) -> u8 {
        self.seed ^ (i as u8).wrapping_mul(31)
    }
    /// The first `bytes` are as they were filled.
    pub fn check(self, bytes: usize) {
        for i in places(bytes) {
            // SAFETY: within the allocation, filled.
            let byte = unsafe { self.at.add(i).read() };
            assert_eq!(byte, self.byte(i), "byte {i} of {:?}", self.layout);
        }
    }
    pub fn check_zero(at: NonNull<u8>, from: usize, to: usize) {
        for i in places(to).filter(|&i| i >= from) {
            // SAFETY: within the allocation, zeroed.
            assert_eq!(unsafe { at.add(i).read() }, 0, "byte {i} of {to}");
        }
    }
}
