//! The containers of the burst study against a vector, over each allocator, and
//! over one that runs out of memory and knows what it handed out.

use heap::allocators::boundary_tag::BoundaryTag;
use heap::allocators::dlmalloc::Dlmalloc;
use heap::allocators::mimalloc::Mimalloc;
use heap::allocators::pool::Pool;
use heap::allocators::region::Region;
use heap::allocators::system::System;
use heap::allocators::{AllocError, Allocator, Layout, Limits, Managed, Nodes};
use heap::nodes::{Container, List, StableVector};
use proptest::prelude::*;
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::NonNull;
use std::rc::Rc;

const LIMITS: Limits = Limits { limit_bytes: usize::MAX, zeal: true };

/// Hands out so many blocks, and knows each of them.
struct Strict {
    inner: System,
    budget: Cell<usize>,
    blocks: RefCell<HashMap<NonNull<u8>, Layout>>,
}

impl Strict {
    fn new(budget: usize) -> Self {
        let blocks = RefCell::default();
        Strict { inner: System::new(LIMITS), budget: Cell::new(budget), blocks }
    }
}

// SAFETY: blocks are those of `System`, and checked as they come back.
unsafe impl Allocator for Strict {
    fn allocate(&self, layout: Layout) -> Result<NonNull<[u8]>, AllocError> {
        self.budget.set(self.budget.get().checked_sub(1).ok_or(AllocError)?);
        let block = self.inner.allocate(layout)?;
        self.blocks.borrow_mut().insert(block.cast(), layout);
        Ok(block)
    }
    unsafe fn deallocate(&self, at: NonNull<u8>, layout: Layout) {
        assert_eq!(self.blocks.borrow_mut().remove(&at), Some(layout), "a block that is out");
        // SAFETY: so it is one of `System`, of this layout.
        unsafe { self.inner.deallocate(at, layout) };
    }
}

// SAFETY: node by node, as provided.
unsafe impl Nodes for Strict {}

impl Drop for Strict {
    fn drop(&mut self) {
        let left = self.blocks.get_mut().len();
        assert!(left == 0 || std::thread::panicking(), "{left} blocks were not given back");
    }
}

/// A value that counts its live clones in its first cell, and panics when the second runs out.
struct Value {
    live: Rc<Cell<usize>>,
    clones: Rc<Cell<usize>>,
    number: u32,
}

impl Value {
    fn new(live: &Rc<Cell<usize>>, clones: usize, number: u32) -> Self {
        live.set(live.get() + 1);
        Value { live: live.clone(), clones: Rc::new(Cell::new(clones)), number }
    }
}

impl Clone for Value {
    fn clone(&self) -> Self {
        self.clones.set(self.clones.get().checked_sub(1).expect("no more clones"));
        self.live.set(self.live.get() + 1);
        Value { live: self.live.clone(), clones: self.clones.clone(), number: self.number }
    }
}

impl Drop for Value {
    fn drop(&mut self) {
        self.live.set(self.live.get() - 1);
    }
}

/// What is done to a container.
#[derive(Clone, Debug)]
enum Step {
    Insert(usize),
    Retain(Vec<bool>),
    EraseAll,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        4 => (0..70_usize).prop_map(Step::Insert),
        3 => prop::collection::vec(any::<bool>(), 1..20).prop_map(Step::Retain),
        1 => Just(Step::EraseAll),
    ];
    prop::collection::vec(step, 1..20)
}

/// Every step leaves what it leaves in a vector, elements that stay where they were, and as many
/// values alive as are in it.
fn agrees<A: Nodes, C: Container<Value, A>>(allocator: A, steps: &[Step]) {
    let live = Rc::new(Cell::new(0));
    let mut container = C::new_in(allocator);
    let mut model: Vec<(u32, *const Value)> = Vec::new();
    for (number, step) in (0..).zip(steps) {
        match step {
            Step::Insert(count) => {
                let value = Value::new(&live, usize::MAX, number);
                container.insert_range(*count, value).unwrap();
                let new =
                    container.iter().skip(model.len()).map(|value| (number, &raw const *value));
                let new: Vec<_> = new.collect();
                assert_eq!(new.len(), *count);
                model.extend(new);
            }
            Step::Retain(keep) => {
                let keep = |index: usize| keep[index % keep.len()];
                container.retain(keep);
                let mut indices = 0..;
                model.retain(|_| keep(indices.next().unwrap()));
            }
            Step::EraseAll => {
                container.erase_all();
                model.clear();
            }
        }
        container.validate().unwrap();
        let seen: Vec<_> =
            container.iter().map(|value| (value.number, &raw const *value)).collect();
        assert_eq!(seen, model);
        assert_eq!((container.len(), live.get()), (model.len(), model.len()));
    }
    drop(container);
    assert_eq!(live.get(), 0);
}

fn agrees_over<A: Managed>(steps: &[Step]) {
    let allocator = A::new(LIMITS);
    agrees::<_, List<_, _>>(&allocator, steps);
    agrees::<_, StableVector<_, _>>(&allocator, steps);
    allocator.validate().unwrap();
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn containers_do_as_a_vector_does(steps in steps()) {
        let strict = Strict::new(usize::MAX);
        agrees::<_, List<_, _>>(&strict, &steps);
        agrees::<_, StableVector<_, _>>(&strict, &steps);
        // One line per allocator.
        agrees_over::<System>(&steps);
        agrees_over::<Dlmalloc>(&steps);
        agrees_over::<Mimalloc>(&steps);
        agrees_over::<BoundaryTag>(&steps);
        agrees_over::<Pool>(&steps);
        agrees_over::<Region>(&steps);
    }
}

/// What was inserted before memory ran out, or before a clone panicked, stays; all is given back.
fn stops_midway<'a, C: Container<Value, &'a Strict>>(strict: &'a Strict, arrays: usize) {
    let live = Rc::new(Cell::new(0));
    let mut container = C::new_in(strict);
    strict.budget.set(10 + arrays);
    assert!(container.insert_range(11, Value::new(&live, usize::MAX, 0)).is_err());
    assert_eq!((container.len(), live.get()), (10, 10));
    container.validate().unwrap();

    strict.budget.set(usize::MAX);
    let value = Value::new(&live, 5, 1);
    let insert = || container.insert_range(8, value);
    assert!(catch_unwind(AssertUnwindSafe(insert)).is_err());
    assert_eq!((container.len(), live.get()), (15, 15));
    container.validate().unwrap();
    assert_eq!(strict.blocks.borrow().len(), 15 + arrays, "the node without element is given back");

    let keep = |index| if index == 9 { panic!("no more") } else { index % 2 == 1 };
    assert!(catch_unwind(AssertUnwindSafe(|| container.retain(keep))).is_err());
    container.validate().unwrap();
    assert_eq!(container.len(), live.get());
    assert_eq!(container.iter().count(), live.get());

    strict.budget.set(3);
    assert!(container.insert_range(usize::MAX, Value::new(&live, 3, 2)).is_err());
    container.validate().unwrap();
    drop(container);
    assert_eq!(live.get(), 0);
}

#[test]
fn a_container_that_is_stopped_midway_stays_whole() {
    stops_midway::<List<_, _>>(&Strict::new(0), 0);
    stops_midway::<StableVector<_, _>>(&Strict::new(0), 1);
}

/// A clone that panics amid a burst of our own allocators, which hold the rest of it then.
fn panics_amid_a_burst<'a, A: Managed, C: Container<Value, &'a A>>(allocator: &'a A) {
    for inserted in [0, 1, 2, 7, 99, 100, 2_000, 2_999] {
        let live = Rc::new(Cell::new(0));
        let mut container = C::new_in(allocator);
        let value = Value::new(&live, inserted, 0);
        let insert = || container.insert_range(3_000, value);
        assert!(catch_unwind(AssertUnwindSafe(insert)).is_err());
        assert_eq!((container.len(), live.get()), (inserted, inserted));
        allocator.validate().and_then(|()| container.validate()).unwrap();
        container.insert_range(50, Value::new(&live, usize::MAX, 1)).unwrap();
        allocator.validate().and_then(|()| container.validate()).unwrap();
        drop(container);
        assert_eq!(live.get(), 0);
        allocator.validate().unwrap();
    }
}

#[test]
fn a_clone_that_panics_amid_a_burst_leaves_all_whole() {
    fn over<A: Managed>() {
        for zeal in [false, true] {
            let allocator = A::new(Limits { limit_bytes: usize::MAX, zeal });
            panics_amid_a_burst::<A, List<_, _>>(&allocator);
            panics_amid_a_burst::<A, StableVector<_, _>>(&allocator);
        }
    }
    over::<BoundaryTag>();
    over::<Pool>();
    over::<Region>();
}

/// A value that takes memory of the container's own allocator when it is cloned, and gives it
/// back when it is dropped.
struct Nested<'a, A: Allocator>(allocator_api2::boxed::Box<u64, &'a A>, &'a A);

impl<A: Allocator> Clone for Nested<'_, A> {
    fn clone(&self) -> Self {
        Nested(allocator_api2::boxed::Box::new_in(*self.0, self.1), self.1)
    }
}

fn nests<'a, A: Managed, C: Container<Nested<'a, A>, &'a A>>(allocator: &'a A) {
    let mut container = C::new_in(allocator);
    let mut model = Vec::new();
    for round in 1..5_u64 {
        let value = allocator_api2::boxed::Box::new_in(round, allocator);
        container.insert_range(100, Nested(value, allocator)).unwrap();
        container.retain(|index| index % 2 == 0);
        allocator.validate().unwrap();
        model.extend([round; 100]);
        model = model.into_iter().step_by(2).collect();
    }
    assert!(container.iter().map(|nested| *nested.0).eq(model));
    drop(container);
    allocator.validate().unwrap();
}

fn nests_over<A: Managed>() {
    let allocator = A::new(LIMITS);
    nests::<A, List<_, _>>(&allocator);
    nests::<A, StableVector<_, _>>(&allocator);
}

#[test]
fn elements_may_have_memory_of_the_same_allocator() {
    // One line per allocator.
    nests_over::<System>();
    nests_over::<Dlmalloc>();
    nests_over::<Mimalloc>();
    nests_over::<BoundaryTag>();
    nests_over::<Pool>();
    nests_over::<Region>();
}

#[test]
fn an_element_of_any_alignment_is_where_it_should_be() {
    #[derive(Clone)]
    #[repr(align(256))]
    struct Aligned(u8);
    fn aligned<C: Container<Aligned, System>>() {
        let mut container = C::new_in(System::new(LIMITS));
        container.insert_range(9, Aligned(7)).unwrap();
        assert!(container.iter().all(|element| (&raw const *element).addr() % 256 == 0));
        assert_eq!(container.iter().map(|element| element.0 as u32).sum::<u32>(), 63);
    }
    aligned::<List<_, _>>();
    aligned::<StableVector<_, _>>();
}
