//! The study's own heaps at the same work: a program whose state is a ring of
//! slots, which are objects of the heap as well.
//!
//! What differs from a pointer: an object is given up by overwriting the slot
//! that refers to it, which is all that happens then; the write goes through
//! the heap's barrier. A slot has a reference for each type, one of which is
//! set and tells the type, in place of a base.

use super::{Large, Medium, OBJECTS, Object, Small, value_at};
use crate::{Bench, Failure, Figures, Phases, Row, Setup};
use heap::pointers::Base;
use heap::{
    Backend, Brief, Family, Frames, Heap, HeapError, Kind, Link, Mutator, Off, Plain, Program,
    Settings, Visit, Zeal,
};
use std::marker::PhantomData;
use std::time::Instant;

/// The heap `gc`.
pub const GC: Row = Row {
    brief: Brief {
        name: "gc",
        kind: Kind::Tracing,
        about: "generational heap: made by bumping a pointer, given up by overwriting a slot of \
                the window, which lies in the heap; no destructor, a tag in place of the base",
        returns: "young objects at minor, old ones at major collections",
    },
    start: |setup| start("gc", setup, OBJECTS),
};

/// The heap `gc-arena`.
pub const GC_ARENA: Row = Row {
    brief: Brief {
        name: "gc-arena",
        kind: Kind::Tracing,
        about: "the crate gc-arena: made by malloc, given up by overwriting a slot of the window, \
                which lies in the heap; no destructor, a tag in place of the base",
        returns: "when the sweep comes to it",
    },
    start: |setup| start("gc-arena", setup, OBJECTS),
};

/// Objects made in one step, at most: no more than a few KiB, so that a heap
/// with a nursery has room for them when the step begins.
const OBJECTS_PER_STEP: u64 = 96;

/// Sets up a heap for a window.
pub fn start(name: &str, setup: &Setup, objects: u64) -> Result<Box<dyn Bench>, Failure> {
    let open = Open { setup, ring: Ring { n: setup.n.into(), objects } };
    heap::visit(name, open).ok_or_else(|| Failure::Broken(format!("there is no heap '{name}'")))
}

struct Open<'a> {
    setup: &'a Setup<'a>,
    ring: Ring,
}

impl Visit for Open<'_> {
    type Out = Box<dyn Bench>;

    fn visit<B: Backend>(self) -> Box<dyn Bench> {
        let mut settings = Settings::new(&B::INFO);
        settings.limit_bytes = self.setup.limits.limit_bytes;
        if self.setup.limits.zeal {
            settings.zeal = Zeal::EverySafepoint;
        }
        let bytes = size_of::<(Small, Medium, Large)>() + 3 * B::INFO.header_bytes as usize;
        let bytes_per_object = bytes as f64 / 3.0;
        Box::new(Turning {
            heap: <B::Heap<Off>>::new(&settings),
            ring: self.ring,
            bytes_per_object,
        })
    }
}

/// A heap at work.
struct Turning<H> {
    heap: H,
    ring: Ring,
    bytes_per_object: f64,
}

impl<H: Heap> Bench for Turning<H> {
    fn iterate(&mut self, phases: &mut Phases) -> Result<u64, Failure> {
        let run = self.heap.run(&self.ring).map_err(|error| match error {
            HeapError::OutOfMemory { .. } => Failure::OutOfMemory,
        })?;
        self.heap.validate().map_err(Failure::Broken)?;
        phases.ns[0] += run.ns;
        Ok(run.sum)
    }

    fn figures(&mut self) -> Result<Figures, Failure> {
        Ok(vec![("bytes_per_object", self.bytes_per_object)])
    }
}

/// The program: `objects` are made in a ring of `n` slots.
struct Ring {
    n: u64,
    objects: u64,
}

/// The sum of the values read, and how long it took once the ring was full.
#[derive(Default)]
struct Run {
    sum: u64,
    start: Option<Instant>,
    ns: u64,
}

/// Names the objects of so many words besides the value.
struct Held<const WORDS: usize>(PhantomData<[u64; WORDS]>);
impl<const WORDS: usize> Family for Held<WORDS> {
    type Of<'gc, M: Mutator<'gc>> = Plain<Object<WORDS>>;
}

/// A reference to an object of one of the three types.
type Any<'gc, M> = (Link<'gc, M, Held<0>>, Link<'gc, M, Held<2>>, Link<'gc, M, Held<6>>);

/// Names the slots: an object, and the slot of the next younger one.
struct Slot;
impl Family for Slot {
    type Of<'gc, M: Mutator<'gc>> = (Any<'gc, M>, Link<'gc, M, Slot>);
}

/// What is to be done next, after how many.
#[derive(Clone, Copy)]
enum Stage {
    /// The ring is to be filled, from the youngest object to the oldest.
    Fill(u64),
    /// The oldest object is to be given up, and another made, again and again.
    Turn(u64),
}

fn none<'gc, M: Mutator<'gc>>() -> Any<'gc, M> {
    (Link::NONE, Link::NONE, Link::NONE)
}

#[inline(always)]
fn small<'gc, M: Mutator<'gc>>(heap: &mut M, value: u64) -> Any<'gc, M> {
    (Link(Some(heap.alloc::<Held<0>>(Plain(Object::new(value))))), Link::NONE, Link::NONE)
}
#[inline(always)]
fn medium<'gc, M: Mutator<'gc>>(heap: &mut M, value: u64) -> Any<'gc, M> {
    (Link::NONE, Link(Some(heap.alloc::<Held<2>>(Plain(Object::new(value))))), Link::NONE)
}
#[inline(always)]
fn large<'gc, M: Mutator<'gc>>(heap: &mut M, value: u64) -> Any<'gc, M> {
    (Link::NONE, Link::NONE, Link(Some(heap.alloc::<Held<6>>(Plain(Object::new(value))))))
}

/// The value of the object of a slot, 0 if there is none.
#[inline(always)]
fn value<'gc, M: Mutator<'gc>>(heap: &M, at: &M::Ref<Slot>) -> u64 {
    let ((small, medium, large), _) = heap.get::<Slot>(at);
    match (small.as_ref(), medium.as_ref(), large.as_ref()) {
        (Some(at), ..) => heap.get::<Held<0>>(at).0.value(),
        (_, Some(at), _) => heap.get::<Held<2>>(at).0.value(),
        (.., Some(at)) => heap.get::<Held<6>>(at).0.value(),
        _ => 0,
    }
}

/// Overwrites the oldest object with a new one; the old one's value, and the slot that is oldest now.
#[inline(always)]
fn turn<'gc, M: Mutator<'gc>>(
    heap: &mut M,
    at: Link<'gc, M, Slot>,
    make: impl FnOnce(&mut M) -> Any<'gc, M>,
) -> (u64, Link<'gc, M, Slot>) {
    let Some(at) = at.0 else { return (0, at) };
    let old = value(heap, &at);
    let next = heap.load(&at, |slot| &slot.1);
    let new = make(heap);
    let same = heap.share_link(&next);
    heap.set::<Slot>(&at, (new, same));
    heap.release(at);
    (old, next)
}

#[inline(always)]
fn any<'gc, M: Mutator<'gc>>(heap: &mut M, value: u64) -> Any<'gc, M> {
    match value % 3 {
        0 => small(heap, value),
        1 => medium(heap, value),
        _ => large(heap, value),
    }
}

impl Ring {
    /// Makes slots with their objects, each before the one made last; when all
    /// are there, closes the ring and starts the clock.
    fn fill<'gc, M: Mutator<'gc>>(
        &self,
        heap: &mut M,
        made: u64,
        mut oldest: Link<'gc, M, Slot>,
        youngest: Link<'gc, M, Slot>,
        stack: &mut Frames<'gc, M, Self>,
        run: &mut Run,
    ) {
        let end = self.n.min(made + OBJECTS_PER_STEP);
        for age in made..end {
            let new = any(heap, value_at(age, self.objects));
            oldest = Link(Some(heap.alloc::<Slot>((new, oldest))));
        }
        if end < self.n {
            return stack.push((Plain(Stage::Fill(end)), oldest, youngest), heap);
        }
        if let Some(at) = youngest.0 {
            let new = any(heap, value_at(0, self.objects));
            let next = heap.share_link(&oldest);
            heap.set::<Slot>(&at, (new, next));
            heap.release(at);
        }
        run.start = Some(Instant::now());
        stack.push((Plain(Stage::Turn(0)), oldest, Link::NONE), heap);
    }

    /// Makes objects in the place of the oldest; after the last one stops the
    /// clock, and breaks the ring for heaps that count.
    #[inline(always)]
    fn turn<'gc, M: Mutator<'gc>>(
        &self,
        heap: &mut M,
        made: u64,
        mut oldest: Link<'gc, M, Slot>,
        stack: &mut Frames<'gc, M, Self>,
        run: &mut Run,
    ) {
        let end = self.objects.min(made + OBJECTS_PER_STEP);
        for new in (made..end).step_by(3) {
            let (first, second, third);
            (first, oldest) = turn(heap, oldest, |heap| small(heap, new));
            (second, oldest) = turn(heap, oldest, |heap| medium(heap, new + 1));
            (third, oldest) = turn(heap, oldest, |heap| large(heap, new + 2));
            run.sum += first + second + third;
        }
        if end < self.objects {
            return stack.push((Plain(Stage::Turn(end)), oldest, Link::NONE), heap);
        }
        run.ns = run.start.map_or(0, |start| start.elapsed().as_nanos() as u64);
        if let Some(at) = oldest.0 {
            heap.set::<Slot>(&at, (none(), Link::NONE));
            heap.release(at);
        }
    }
}

impl Program for Ring {
    /// The stage, the slot of the oldest object, and while the ring is filled that of the youngest.
    type Frame<'gc, M: Mutator<'gc>> = (Plain<Stage>, Link<'gc, M, Slot>, Link<'gc, M, Slot>);
    type Out = Run;

    fn start<'gc, M: Mutator<'gc>>(
        &self,
        heap: &mut M,
        stack: &mut Frames<'gc, M, Self>,
        _: &mut Run,
    ) {
        let youngest = heap.alloc::<Slot>((none(), Link::NONE));
        let oldest = heap.share(&youngest);
        stack.push((Plain(Stage::Fill(1)), Link(Some(oldest)), Link(Some(youngest))), heap);
    }

    #[inline(always)]
    fn step<'gc, M: Mutator<'gc>>(
        &self,
        heap: &mut M,
        (Plain(stage), oldest, youngest): Self::Frame<'gc, M>,
        stack: &mut Frames<'gc, M, Self>,
        run: &mut Run,
    ) {
        match stage {
            Stage::Fill(made) => self.fill(heap, made, oldest, youngest, stack, run),
            Stage::Turn(made) => self.turn(heap, made, oldest, stack, run),
        }
    }
}
