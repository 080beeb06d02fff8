//! Frames as tasks: parts of one run that other threads do, each on a heap of its own.
//!
//! A program's choice points are independent of each other, so each may be resumed
//! anywhere. A [`Task`] is one of them on its way. [`run`] resumes it, on a heap that
//! belongs to the calling thread: in the first [levels](Split::depth) of the search one
//! step is done and the frames it pushed become tasks; below, all is done. The program's
//! text is what it is on one thread, and so is the work; what its lists go through on
//! their way is told apart from it. A [`Lists`] says how a frame's objects get to the
//! other heap.
//!
//! Room is left for heaps that share more. [`leave`](crate::Mutator::leave) and
//! [`arrive`](crate::Mutator::arrive) are shown each frame on its way: a collector with an
//! old generation of all threads and a nursery of each can promote there what a frame refers
//! to, and knows its roots while it waits; its heaps meet in their settings, as those with
//! immortal objects do, and one that runs nothing is as at a safepoint. A biased count asks
//! for its thread where it is changed, in a pointer of its own.
//!
//! Invariants:
//!
//! - K1. A task is run on heaps of the type `H` that made it, and all programs of a heap
//!   run on one mutator type (heaps are sealed), whatever its lifetime is: so the frame in
//!   a `Load` has the type that `Part` gives it.
//! - K2. A frame is in one place: in a load, from which it is taken once, or on a stack.
//! - K3. [`Lists::Counted`]: counts are atomic ([`Heap::CARRIES`]), and from when the first
//!   frame leaves or enters, no object of the heap is written to. [`Lists::Immortal`]: the
//!   heap holds the task's region, and the task a lease of it. [`Lists::Copied`]: a load
//!   refers to no object. Plain data may be read on any thread ([`crate::Item`]).

mod graph;
mod part;

use crate::HeapError;
use crate::heap::{Heap, Program};
use crate::immortals::{Immortals, Lease};
use graph::Graph;
use part::{Out, Part};
use std::marker::PhantomData;
use std::mem::{ManuallyDrop, MaybeUninit};
use std::sync::Arc;

/// Proof that it is this module that carries: only it has one.
pub struct Carrying(());

/// How the objects that a frame refers to get to the heap where it is resumed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lists {
    /// Copied out, once for all frames of a step, and into the other heap for each task.
    Copied,
    /// Shared, and counted atomically: the frame moves as it is. Objects are freed by whoever
    /// releases the last reference; a heap's limit is for what one task allocates in it and
    /// does not free, since what is left at its end belongs to the tasks that it made. A heap
    /// that has shared objects so runs no program any more that writes to them: it panics.
    Counted,
    /// Copied out, once for all frames of a step, to where they are immortal: neither
    /// counted nor collected, and read by all.
    Immortal,
}

impl Lists {
    /// All, in order.
    pub const ALL: [Lists; 3] = [Lists::Copied, Lists::Counted, Lists::Immortal];

    /// Its name on the command line and in records.
    pub fn name(self) -> &'static str {
        match self {
            Lists::Copied => "copied",
            Lists::Counted => "counted",
            Lists::Immortal => "immortal",
        }
    }

    /// Whether a heap can do it.
    pub fn possible<H: Heap>(self, heap: &H) -> bool {
        match self {
            Lists::Copied => true,
            Lists::Counted => H::CARRIES,
            Lists::Immortal => heap.immortals().is_some(),
        }
    }
}

/// How a run is split.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Split {
    /// How objects are carried.
    pub lists: Lists,
    /// Levels of the search whose frames become tasks; with 0 the whole run is one task.
    pub depth: u32,
}

/// A part of a run of `P` that a heap of type `H` can do. Each has the program, whose larger
/// parts, if there are any, should be shared by its clones.
pub struct Task<P, H> {
    program: P,
    split: Split,
    /// Levels above it.
    level: u32,
    load: Load,
    heap: PhantomData<fn(H)>,
}

/// What a task begins with.
enum Load {
    /// Nothing: it is the whole run.
    Start,
    /// A frame whose references are to be made anew, to copies of a graph's objects.
    Copied(Words, Arc<Graph>),
    /// A frame as it was.
    Counted(Words),
    /// A frame that refers to immortal objects.
    Immortal(Words, Arc<Lease>),
}

/// A frame, its type forgotten.
struct Words(Box<[MaybeUninit<u64>]>);

// SAFETY: K3: whatever the frame refers to may be used on another thread, and so may the
// program. Nothing of `H` is in it.
unsafe impl<P: Send, H> Send for Task<P, H> {}

impl Words {
    fn of<F>(frame: F) -> Self {
        const { assert!(align_of::<F>() <= align_of::<u64>()) };
        let frame = ManuallyDrop::new(frame);
        let mut words = Box::new_uninit_slice(size_of::<F>().div_ceil(size_of::<u64>()));
        // SAFETY: K2: there is room for an `F`, and its alignment; it is nowhere else now.
        unsafe { words.as_mut_ptr().cast::<ManuallyDrop<F>>().write(frame) };
        // SAFETY: K2: words that may be uninitialised, as those are that are not wholly the
        // frame's, are always valid.
        Words(unsafe { Box::<[MaybeUninit<MaybeUninit<u64>>]>::assume_init(words) })
    }

    /// # Safety
    ///
    /// It was made of an `F`, of any lifetime (K1).
    unsafe fn into<F>(self) -> F {
        // SAFETY: by contract; K2: it is not used again.
        unsafe { self.0.as_ptr().cast::<F>().read() }
    }
}

/// What a task did.
pub struct Done<P: Program, H> {
    /// Its result.
    pub out: P::Out,
    /// What is left to do, in the order in which the frames were pushed: on one thread the
    /// last would be the next.
    pub tasks: Vec<Task<P, H>>,
    /// Objects that were copied into this heap, which counts them among those allocated.
    pub objects_copied: u64,
    /// Objects that were made immortal.
    pub objects_immortal: u64,
}

impl<P: Program + Clone, H> Task<P, H> {
    /// A whole run.
    pub fn new(program: P, split: Split) -> Self {
        Task { program, split, level: 0, load: Load::Start, heap: PhantomData }
    }

    /// How many levels of the search lie above.
    pub fn level(&self) -> u32 {
        self.level
    }

    /// Puts a task into words for another one.
    fn child(&self, load: Load) -> Self {
        Task {
            program: self.program.clone(),
            split: self.split,
            level: self.level + 1,
            load,
            heap: PhantomData,
        }
    }
}

/// Does a task, on a heap of the calling thread's own.
///
/// # Errors
///
/// The heap's own; then the task is given up. Also that no room is left for immortal objects.
///
/// # Panics
///
/// If the heap cannot carry objects in the way of the task (see [`Lists::possible`]), or refers
/// to other immortal objects than the task; if a frame reaches a cycle, which has no order to
/// copy it in, and is to be copied.
pub fn run<H: Heap + 'static, P: Program + Clone>(
    heap: &mut H,
    task: Task<P, H>,
) -> Result<Done<P, H>, HeapError> {
    resume(heap, task, false)
}

/// Gives a task up, with the references that it holds: what to do with those that are left when
/// one has failed.
pub fn discard<H: Heap + 'static, P: Program + Clone>(heap: &mut H, task: Task<P, H>) {
    if matches!(task.load, Load::Counted(_)) {
        // What an error would tell is that the heap is full, which the next run finds out.
        let _ = resume(heap, task, true);
    }
}

fn resume<H: Heap + 'static, P: Program + Clone>(
    heap: &mut H,
    task: Task<P, H>,
    discard_it: bool,
) -> Result<Done<P, H>, HeapError> {
    let lists = task.split.lists;
    assert!(lists.possible(heap), "this heap cannot share its objects: {}", lists.name());
    let lease = match (&task.load, heap.immortals()) {
        (Load::Immortal(_, lease), Some(region)) => {
            assert!(region.same(lease.of()), "the heap refers to other immortal objects");
            Some(Arc::clone(lease))
        }
        (_, Some(region)) if lists == Lists::Immortal => Some(Arc::new(region.lease())),
        _ => None,
    };
    let part = Part::new(task, lease, discard_it);
    let result = heap.run(&part);
    let tasks = part.into_tasks();
    match result {
        Ok(Out { no_room: Some(error), .. }) => Err(error),
        Ok(Out { out, objects_copied, objects_immortal, no_room: None }) => {
            Ok(Done { out, tasks, objects_copied, objects_immortal })
        }
        Err(error) => {
            // The step that made them was the last that the heap had room for.
            tasks.into_iter().for_each(|task| discard(heap, task));
            Err(error)
        }
    }
}

/// Whether the backend of this name can carry objects in this way, in one of its instances.
pub fn possible(backend: &str, lists: Lists) -> Option<bool> {
    struct Ask(Lists);
    impl crate::Visit for Ask {
        type Out = bool;
        fn visit<B: crate::Backend>(self) -> bool {
            let mut settings = crate::Settings::new(&B::INFO);
            settings.immortals = Some(Immortals::new(1));
            self.0.possible(&<B::Heap<crate::Immortal<crate::Off>> as Heap>::new(&settings))
        }
    }
    crate::visit(backend, Ask(lists))
}
