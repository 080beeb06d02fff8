//! A task as a program: the heap runs it like any other. The invariants are those of `carry.rs`.

use super::graph::{Gathering, Importer};
use super::{Carrying, Lists, Load, Task, Words};
use crate::HeapError;
use crate::heap::{Family, Frames, Heap, Mutator, Program};
use crate::immortals::Lease;
use crate::object::{Object, Visitor};
use std::cell::RefCell;
use std::sync::Arc;

/// One task of a run.
///
/// The program lies here itself and what changes lies behind a pointer: so the machine code of
/// the program's steps may keep what it reads of it in registers, as on one thread (3 % of the
/// time of `gc`).
pub struct Part<P, H> {
    program: P,
    errand: Box<Errand<P, H>>,
}

/// What the first step does besides the program's own.
struct Errand<P, H> {
    /// The task, its load until it has been taken out.
    task: Task<P, H>,
    load: RefCell<Option<Load>>,
    /// What the frames became that the first step pushed. They are here and not in what the
    /// run returns, since they hold references even if it ends with an error.
    tasks: RefCell<Vec<Task<P, H>>>,
    /// For the immortal objects that this task may read or make.
    lease: Option<Arc<Lease>>,
    /// Whether the frames that the first step pushes become tasks.
    splits: bool,
    /// Whether nothing is done, and the frame given up.
    discard: bool,
}

/// What a part did.
pub struct Out<P: Program> {
    pub out: P::Out,
    pub objects_copied: u64,
    pub objects_immortal: u64,
    /// That there was no room for more immortal objects.
    pub no_room: Option<HeapError>,
}

impl<P: Program> Default for Out<P> {
    fn default() -> Self {
        Out { out: P::Out::default(), objects_copied: 0, objects_immortal: 0, no_room: None }
    }
}

impl<P: Program + Clone, H: Heap + 'static> Part<P, H> {
    pub fn new(mut task: Task<P, H>, lease: Option<Arc<Lease>>, discard: bool) -> Self {
        let load = std::mem::replace(&mut task.load, Load::Start);
        let splits = task.level < task.split.depth;
        let load = RefCell::new(Some(load));
        let program = task.program.clone();
        let tasks = RefCell::default();
        Part { program, errand: Box::new(Errand { task, load, tasks, lease, splits, discard }) }
    }

    /// The tasks that were made, in the order in which their frames were pushed.
    pub fn into_tasks(self) -> Vec<Task<P, H>> {
        self.errand.tasks.into_inner()
    }

    /// Does the one step of a task that is split. Apart from `step`, which is the program's own and
    /// tests nothing.
    #[cold]
    #[inline(never)]
    fn step_and_split<'gc, M: Mutator<'gc>>(
        &self,
        heap: &mut M,
        frame: P::Frame<'gc, M>,
        stack: &mut Frames<'gc, M, Self>,
        out: &mut Out<P>,
    ) {
        self.program.step(heap, frame, stack, &mut out.out);
        self.split(heap, stack, out);
    }

    /// Makes tasks of the frames that a step pushed.
    #[cold]
    #[inline(never)]
    fn split<'gc, M: Mutator<'gc>>(
        &self,
        heap: &mut M,
        stack: &mut Frames<'gc, M, Self>,
        out: &mut Out<P>,
    ) {
        let mut frames: Vec<P::Frame<'gc, M>> = stack.drain().collect();
        if frames.is_empty() {
            return;
        }
        let Errand { task, tasks, lease, .. } = &*self.errand;
        let mut tasks = tasks.borrow_mut();
        if task.split.lists == Lists::Counted {
            for mut frame in frames {
                heap.leave(&mut frame, Carrying(()));
                tasks.push(task.child(Load::Counted(Words::of(frame))));
            }
            return;
        }
        let mut gathering = Gathering::new(heap);
        let mut roots = Vec::with_capacity(frames.len());
        for frame in &mut frames {
            roots.push(gathering.frame(frame));
        }
        let graph = gathering.finish();
        for frame in &mut frames {
            heap.give_up(frame, Carrying(()));
        }
        match lease {
            None => {
                let graph = Arc::new(graph);
                for (frame, roots) in frames.into_iter().zip(roots) {
                    let load = Load::Copied(Words::of((frame, roots)), Arc::clone(&graph));
                    tasks.push(task.child(load));
                }
            }
            Some(lease) => {
                let region = lease.of();
                // SAFETY: J4: it was gathered by this mutator.
                let Some(placed) = (unsafe { graph.settle::<M>(region) }) else {
                    out.no_room = Some(HeapError::OutOfMemory {
                        limit_bytes: region.limit_bytes(),
                        live_bytes: region.used_bytes(),
                    });
                    return;
                };
                out.objects_immortal += placed.objects();
                for (mut frame, roots) in frames.into_iter().zip(roots) {
                    // SAFETY: J2, J4: the roots are of this frame.
                    unsafe { placed.point::<M>(&mut frame, roots.first()) };
                    let load = Load::Immortal(Words::of(frame), Arc::clone(lease));
                    tasks.push(task.child(load));
                }
            }
        }
    }

    /// Takes the task's frame in.
    fn unload<'gc, M: Mutator<'gc>>(
        heap: &mut M,
        load: Load,
        objects_copied: &mut u64,
    ) -> Option<P::Frame<'gc, M>> {
        match load {
            Load::Start => None,
            Load::Counted(words) => {
                // SAFETY: K1.
                let mut frame: P::Frame<'gc, M> = unsafe { words.into() };
                heap.arrive(&mut frame, Carrying(()));
                Some(frame)
            }
            Load::Immortal(words, _) => {
                // SAFETY: K1.
                let mut frame: P::Frame<'gc, M> = unsafe { words.into() };
                frame.each_ref(&mut Arrive(heap));
                Some(frame)
            }
            Load::Copied(words, graph) => {
                // SAFETY: K1.
                let (mut frame, roots): (P::Frame<'gc, M>, _) = unsafe { words.into() };
                let mut importer = Importer::new(heap, &graph);
                // SAFETY: J2, J4 (K1); the frame's references were left behind (J1).
                unsafe { importer.frame(&mut frame, roots) };
                *objects_copied += importer.finish();
                Some(frame)
            }
        }
    }
}

/// References to immortal objects arrive in variables, of which a heap with a shadow stack is
/// told when they are shared. They are counted nowhere.
struct Arrive<'h, M>(&'h mut M);

impl<'gc, M: Mutator<'gc>> Visitor<'gc, M> for Arrive<'_, M> {
    fn visit<F: Family>(&mut self, at: &mut M::Ref<F>) {
        std::mem::forget(self.0.share::<F>(at));
    }
}

impl<P: Program + Clone, H: Heap + 'static> Program for Part<P, H> {
    type Frame<'gc, M: Mutator<'gc>> = P::Frame<'gc, M>;
    type Out = Out<P>;

    // Apart, so that what it needs of the driver's stack is not between what the steps need.
    #[inline(never)]
    fn start<'gc, M: Mutator<'gc>>(
        &self,
        heap: &mut M,
        stack: &mut Frames<'gc, M, Self>,
        out: &mut Out<P>,
    ) {
        let load = self.errand.load.borrow_mut().take().expect("a part is run once");
        match Self::unload(heap, load, &mut out.objects_copied) {
            Some(mut frame) if self.errand.discard => heap.give_up(&mut frame, Carrying(())),
            Some(frame) if self.errand.splits => self.step_and_split(heap, frame, stack, out),
            Some(frame) => stack.push(frame, heap),
            None => {
                self.program.start(heap, stack, &mut out.out);
                if self.errand.splits {
                    self.split(heap, stack, out);
                }
            }
        }
    }

    #[inline(always)]
    fn step<'gc, M: Mutator<'gc>>(
        &self,
        heap: &mut M,
        frame: P::Frame<'gc, M>,
        stack: &mut Frames<'gc, M, Self>,
        out: &mut Out<P>,
    ) {
        self.program.step(heap, frame, stack, &mut out.out);
    }
}
