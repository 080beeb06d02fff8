//! The driver: pops frames, runs steps, stops at safepoints.

use crate::HeapError;
use crate::heap::{Frames, Mutator, Program};
use crate::object::{Object, Visitor};
use std::mem::ManuallyDrop;
use std::ptr;

/// What a backend implements for the driver and a program must not call.
pub trait Runtime<'gc>: Mutator<'gc> {
    /// Frees what was allocated since `mark`: nothing refers to it any more.
    fn close(&mut self, mark: Self::Mark);
    /// A step begins with the references of this frame in its variables, and
    /// with no others: those of the step before are gone. For shadow stacks.
    #[inline(always)]
    fn enter(&mut self, _: &mut impl Object<'gc, Self>) {}
    /// Whether the heap wants to see the roots now. One compare.
    fn poll(&self) -> bool;
    /// Collects if it should, checks the limit. `roots` are all references.
    fn safepoint(&mut self, roots: &mut impl Object<'gc, Self>) -> Result<(), HeapError>;
    /// Gives up the references of a frame that will not be resumed.
    fn abandon(&mut self, frame: &mut impl Object<'gc, Self>);
}

/// The program's stack: frames, each with the mark of when it was pushed.
///
/// All that was allocated since a frame was pushed belongs to frames pushed
/// after it, and to steps that resumed those. When the frame is resumed they
/// are gone, and so is every reference to it: the frame's scope is closed.
/// Where nothing needs scopes a mark is `()`.
pub struct Stack<F, K> {
    entries: Vec<(F, K)>,
}

impl<F, K> Stack<F, K> {
    pub(crate) fn new() -> Self {
        Stack { entries: Vec::with_capacity(1 << 10) }
    }

    /// Pushes a frame; the last one pushed is resumed first.
    #[inline(always)]
    pub fn push<'gc, M: Mutator<'gc, Mark = K>>(&mut self, mut frame: F, heap: &mut M)
    where
        F: Object<'gc, M>,
    {
        let mark = heap.mark();
        heap.suspend(&mut frame, Kept(()));
        self.entries.push((frame, mark));
    }
}

impl<F, K> Stack<F, K> {
    /// Takes all frames off, the one that was pushed first is the first.
    pub(crate) fn drain(&mut self) -> impl Iterator<Item = F> {
        self.entries.drain(..).map(|(frame, _)| frame)
    }
}

/// Proof that a frame is being kept: only [`Stack::push`] has one.
pub struct Kept(());

/// The stack's own view as an object: its references are the roots.
pub(crate) struct Roots<'a, F, K>(pub &'a mut Stack<F, K>);

impl<F, K> crate::object::Sealed for Roots<'_, F, K> {}
impl<'gc, M: Mutator<'gc>, F: Object<'gc, M>, K> Object<'gc, M> for Roots<'_, F, K> {
    fn each_ref(&mut self, visitor: &mut impl Visitor<'gc, M>) {
        for (frame, _) in &mut self.0.entries {
            frame.each_ref(visitor);
        }
    }
}

/// No references: what is left when a program has ended.
pub struct NoRoots;

impl crate::object::Sealed for NoRoots {}
impl<'gc, M: Mutator<'gc>> Object<'gc, M> for NoRoots {
    fn each_ref(&mut self, _: &mut impl Visitor<'gc, M>) {}
}

/// Runs steps until the program ends (true) or the heap asks for a safepoint (false).
#[inline(always)]
pub(crate) fn steps<'gc, M: Runtime<'gc>, P: Program>(
    heap: &mut M,
    program: &P,
    stack: &mut Frames<'gc, M, P>,
    out: &mut P::Out,
) -> bool {
    while let Some((mut frame, mark)) = stack.entries.pop() {
        heap.close(mark);
        heap.enter(&mut frame);
        program.step(heap, frame, stack, out);
        if heap.poll() {
            return false;
        }
    }
    true
}

/// A heap that lives on the driver's stack while a program runs: its fields
/// are then reached from the stack pointer and no register is spent on its
/// address, which the filter loop needs for itself (7 % of the time of `gc`).
///
/// Invariant T1: `here` is the heap; what is left at `home` is not used before
/// `here` has moved back.
struct Resident<'h, H> {
    home: &'h mut H,
    here: ManuallyDrop<H>,
}

impl<'h, H> Resident<'h, H> {
    fn new(home: &'h mut H) -> Self {
        // SAFETY: T1.
        let here = ManuallyDrop::new(unsafe { ptr::read(home) });
        Resident { home, here }
    }
}

impl<H> Drop for Resident<'_, H> {
    fn drop(&mut self) {
        // SAFETY: T1; also after a panic in the program.
        unsafe { ptr::write(self.home, ManuallyDrop::take(&mut self.here)) }
    }
}

/// Runs a whole program on a heap that is its own mutator. A function of its
/// own, so that the machine code does not depend on who calls it.
#[inline(never)]
pub(crate) fn drive<'gc, M: Runtime<'gc>, P: Program>(
    heap: &mut M,
    program: &P,
) -> Result<P::Out, HeapError> {
    let mut resident = Resident::new(heap);
    let heap = &mut *resident.here;
    let mut stack = Stack::new();
    let mut out = P::Out::default();
    let mark = heap.mark();
    program.start(heap, &mut stack, &mut out);
    let mut result = if heap.poll() { heap.safepoint(&mut Roots(&mut stack)) } else { Ok(()) };
    while result.is_ok() && !steps(heap, program, &mut stack, &mut out) {
        result = heap.safepoint(&mut Roots(&mut stack));
    }
    unwind::<M, P>(heap, &mut stack);
    heap.close(mark);
    result.map(|()| out)
}

/// Gives up the frames that an error left.
pub(crate) fn unwind<'gc, M: Runtime<'gc>, P: Program>(
    heap: &mut M,
    stack: &mut Frames<'gc, M, P>,
) {
    while let Some((mut frame, _)) = stack.entries.pop() {
        heap.abandon(&mut frame);
    }
}
