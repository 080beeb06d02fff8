//! The driver: pops frames, runs steps, stops at safepoints.

use crate::HeapError;
use crate::heap::{Frames, Mutator, Program};
use crate::object::{Object, Visitor};

/// What a backend implements for the driver and a program must not call.
pub trait Runtime<'gc>: Mutator<'gc> {
    /// Opens a scope for the objects of one step and of all that follows from
    /// it; `None` at compile time where nothing needs scopes.
    fn open(&mut self) -> Option<Self::Scope>;
    /// Closes the youngest scope: nothing refers to its objects any more.
    fn close(&mut self, scope: Self::Scope);
    /// Whether the heap wants to see the roots now. One compare.
    fn poll(&self) -> bool;
    /// Collects if it should, checks the limit. `roots` are all references.
    fn safepoint(&mut self, roots: &mut impl Object<'gc, Self>) -> Result<(), HeapError>;
    /// Gives up the references of a frame that will not be resumed.
    fn abandon(&mut self, frame: &mut impl Object<'gc, Self>);
}

/// The program's stack: frames, and marks where a scope must be closed.
pub struct Stack<F, S> {
    entries: Vec<Entry<F, S>>,
}

enum Entry<F, S> {
    Frame(F),
    Leave(S),
}

impl<F, S> Stack<F, S> {
    pub(crate) fn new() -> Self {
        Stack { entries: Vec::with_capacity(1 << 10) }
    }

    /// Pushes a frame; the last one pushed is resumed first.
    #[inline(always)]
    pub fn push(&mut self, frame: F) {
        self.entries.push(Entry::Frame(frame));
    }
}

/// The stack's own view as an object: its references are the roots.
pub(crate) struct Roots<'a, F, S>(pub &'a mut Stack<F, S>);

impl<F, S> crate::object::Sealed for Roots<'_, F, S> {}
impl<'gc, M: Mutator<'gc>, F: Object<'gc, M>, S> Object<'gc, M> for Roots<'_, F, S> {
    fn each_ref(&mut self, visitor: &mut impl Visitor<'gc, M>) {
        for entry in &mut self.0.entries {
            if let Entry::Frame(frame) = entry {
                frame.each_ref(visitor);
            }
        }
    }
}

/// No references: what is left when a program has ended.
pub struct NoRoots;

impl crate::object::Sealed for NoRoots {}
impl<'gc, M: Mutator<'gc>> Object<'gc, M> for NoRoots {
    fn each_ref(&mut self, _: &mut impl Visitor<'gc, M>) {}
}

/// Pushes the program's first frames, inside an outermost scope.
pub(crate) fn start<'gc, M: Runtime<'gc>, P: Program>(
    heap: &mut M,
    program: &P,
    stack: &mut Frames<'gc, M, P>,
    out: &mut P::Out,
) {
    if let Some(scope) = heap.open() {
        stack.entries.push(Entry::Leave(scope));
    }
    program.start(heap, stack, out);
}

/// Runs steps until the program ends (true) or the heap asks for a safepoint (false).
#[inline(always)]
pub(crate) fn steps<'gc, M: Runtime<'gc>, P: Program>(
    heap: &mut M,
    program: &P,
    stack: &mut Frames<'gc, M, P>,
    out: &mut P::Out,
) -> bool {
    loop {
        match stack.entries.pop() {
            None => return true,
            Some(Entry::Leave(scope)) => heap.close(scope),
            Some(Entry::Frame(frame)) => {
                if let Some(scope) = heap.open() {
                    stack.entries.push(Entry::Leave(scope));
                }
                program.step(heap, frame, stack, out);
            }
        }
        if heap.poll() {
            return false;
        }
    }
}

/// Runs a whole program on a heap that is its own mutator.
pub(crate) fn drive<'gc, M: Runtime<'gc>, P: Program>(
    heap: &mut M,
    program: &P,
) -> Result<P::Out, HeapError> {
    let mut stack = Stack::new();
    let mut out = P::Out::default();
    start(heap, program, &mut stack, &mut out);
    while !steps(heap, program, &mut stack, &mut out) {
        if let Err(error) = heap.safepoint(&mut Roots(&mut stack)) {
            unwind::<M, P>(heap, &mut stack);
            return Err(error);
        }
    }
    Ok(out)
}

/// Gives up every frame and closes every scope after an error.
pub(crate) fn unwind<'gc, M: Runtime<'gc>, P: Program>(
    heap: &mut M,
    stack: &mut Frames<'gc, M, P>,
) {
    while let Some(entry) = stack.entries.pop() {
        match entry {
            Entry::Leave(scope) => heap.close(scope),
            Entry::Frame(mut frame) => heap.abandon(&mut frame),
        }
    }
}
