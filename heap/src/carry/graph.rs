//! The objects that a step's frames refer to, copied out of their heap: each once, in one
//! piece of memory, with its references told as numbers beside it.
//!
//! Invariants, besides those of `carry.rs`:
//!
//! - J1. `words` from `Entry::word` on hold a copy of an object of the type whose functions
//!   the entry has. References in it are left as they were, and are not used.
//! - J2. `Entry::first_ref` is where the numbers of the object's references begin, in the
//!   order in which the object shows them; a [`Roots`] is the same for a frame.
//! - J3. A reference that was made is in `made`; the first use of it takes it over, the
//!   others share it, while whatever took it over keeps its object.
//! - J4. An entry's functions are of the mutator type that gathered the graph, whatever its
//!   lifetime; no other settles or imports it.

use super::Carrying;
use crate::heap::{Family, Mutator};
use crate::immortals::Immortals;
use crate::object::{Object, Visitor};
use std::any::TypeId;
use std::collections::HashMap;
use std::marker::PhantomData;
use std::mem::{ManuallyDrop, MaybeUninit};
use std::ptr::NonNull;

/// Objects on their way.
#[derive(Default)]
pub struct Graph {
    words: Vec<MaybeUninit<u64>>,
    entries: Vec<Entry>,
    /// Numbers of objects.
    refs: Vec<u32>,
}

/// One object. Its functions are those of its type in `Scan`, `Import` and `Point`, whose
/// lifetimes are forgotten with the graph's.
#[derive(Clone, Copy)]
struct Entry {
    word: usize,
    first_ref: usize,
    refs: usize,
    scan: *const (),
    import: *const (),
    point: *const (),
}

/// Where a frame's references begin among the graph's.
#[derive(Clone, Copy)]
pub struct Roots(usize);

impl Roots {
    pub fn first(self) -> usize {
        self.0
    }
}

type Scan<'h, 'gc, M> = unsafe fn(&mut Gathering<'h, 'gc, M>, usize);
type Import<'h, 'gc, M> = unsafe fn(&mut Importer<'h, 'gc, M>, usize);
type Point<'gc, M> = unsafe fn(&Placed<'_>, NonNull<u8>, usize, PhantomData<(&'gc (), M)>);

/// Copies what frames refer to out of a heap.
pub struct Gathering<'h, 'gc, M> {
    heap: &'h M,
    graph: Graph,
    /// The number of each object, by its identity and family: an object without a size may
    /// lie where another one does.
    numbers: HashMap<(usize, TypeId), u32>,
    brand: PhantomData<&'gc ()>,
}

impl<'h, 'gc, M: Mutator<'gc>> Gathering<'h, 'gc, M> {
    pub fn new(heap: &'h M) -> Self {
        let (graph, numbers) = (Graph::default(), HashMap::new());
        Gathering { heap, graph, numbers, brand: PhantomData }
    }

    /// What a frame refers to.
    pub fn frame(&mut self, frame: &mut impl Object<'gc, M>) -> Roots {
        let roots = Roots(self.graph.refs.len());
        frame.each_ref(self);
        roots
    }

    /// All that this leads to.
    pub fn finish(mut self) -> Graph {
        let mut index = 0;
        while let Some(entry) = self.graph.entries.get_mut(index) {
            entry.first_ref = self.graph.refs.len();
            // SAFETY: J4.
            let scan = unsafe { std::mem::transmute::<*const (), Scan<'h, 'gc, M>>(entry.scan) };
            // SAFETY: J1.
            unsafe { scan(&mut self, index) };
            let entry = &mut self.graph.entries[index];
            entry.refs = self.graph.refs.len() - entry.first_ref;
            index += 1;
        }
        self.graph
    }
}

/// # Safety
///
/// The object is of family `F`.
unsafe fn scan<'gc, F: Family, M: Mutator<'gc>>(
    gathering: &mut Gathering<'_, 'gc, M>,
    index: usize,
) {
    // SAFETY: J1.
    let mut copy = unsafe { gathering.graph.copy::<F::Of<'gc, M>>(index) };
    copy.each_ref(gathering);
}

impl<'gc, M: Mutator<'gc>> Visitor<'gc, M> for Gathering<'_, 'gc, M> {
    fn visit<F: Family>(&mut self, at: &mut M::Ref<F>) {
        const { assert!(align_of::<F::Of<'gc, M>>() <= align_of::<u64>()) };
        let next = u32::try_from(self.graph.entries.len()).expect("fewer than 2^32 objects");
        let identity = (self.heap.identity::<F>(at), TypeId::of::<F>());
        let number = *self.numbers.entry(identity).or_insert(next);
        self.graph.refs.push(number);
        if number != next {
            return;
        }
        let word = self.graph.words.len();
        // One at least: an address past the end of immortal memory is no immortal object's.
        let words = size_of::<F::Of<'gc, M>>().div_ceil(size_of::<u64>()).max(1);
        self.graph.words.resize(word + words, MaybeUninit::uninit());
        // SAFETY: J1: there is room for the object, and its alignment; the copy is not used
        // as an object before its references have been replaced.
        unsafe {
            let object: *const F::Of<'gc, M> = self.heap.get::<F>(at);
            let to = self.graph.words.as_mut_ptr().add(word);
            to.cast::<F::Of<'gc, M>>().copy_from_nonoverlapping(object, 1);
        }
        self.graph.entries.push(Entry {
            word,
            first_ref: 0,
            refs: 0,
            scan: scan::<F, M> as Scan<'_, 'gc, M> as *const (),
            import: import::<F, M> as Import<'_, 'gc, M> as *const (),
            point: point::<F, M> as Point<'gc, M> as *const (),
        });
    }
}

// SAFETY: it refers to nothing: J1. Plain data may be read on any thread, and functions too.
unsafe impl Send for Graph {}
// SAFETY: as above.
unsafe impl Sync for Graph {}

impl Graph {
    /// # Safety
    ///
    /// The object is an `O` (J1).
    unsafe fn copy<O>(&self, index: usize) -> ManuallyDrop<O> {
        // SAFETY: by contract.
        unsafe {
            self.words.as_ptr().add(self.entries[index].word).cast::<ManuallyDrop<O>>().read()
        }
    }

    /// Copies the objects to where they are immortal; `None` where there is no room.
    ///
    /// # Safety
    ///
    /// The graph was gathered by a mutator of type `M` (J4).
    pub unsafe fn settle<'gc, M: Mutator<'gc>>(&self, region: &Immortals) -> Option<Placed<'_>> {
        let base = region.take(self.words.len() * size_of::<u64>())?;
        // SAFETY: J1; the region has room for all words, and is aligned for them.
        unsafe {
            let words = base.cast::<MaybeUninit<u64>>().as_ptr();
            words.copy_from_nonoverlapping(self.words.as_ptr(), self.words.len());
        }
        let placed = Placed { base, graph: self };
        for (index, entry) in placed.graph.entries.iter().enumerate() {
            // SAFETY: J1, J2; by contract (J4).
            unsafe {
                let point = std::mem::transmute::<*const (), Point<'gc, M>>(entry.point);
                point(&placed, placed.address(index), entry.first_ref, PhantomData);
            }
        }
        Some(placed)
    }
}

/// Immortal copies of a graph's objects.
pub struct Placed<'g> {
    base: NonNull<u8>,
    graph: &'g Graph,
}

impl Placed<'_> {
    pub fn objects(&self) -> u64 {
        self.graph.entries.len() as u64
    }

    fn address(&self, index: usize) -> NonNull<u8> {
        let offset_bytes = self.graph.entries[index].word * size_of::<u64>();
        // SAFETY: J1: within the memory that was taken for all words.
        unsafe { self.base.add(offset_bytes) }
    }

    /// Makes references lead to the immortal copies.
    ///
    /// # Safety
    ///
    /// The numbers of the object's references begin at `first_ref` (J2).
    pub unsafe fn point<'gc, M: Mutator<'gc>>(
        &self,
        object: &mut impl Object<'gc, M>,
        first_ref: usize,
    ) {
        object.each_ref(&mut Pointing { placed: self, next: first_ref });
    }
}

struct Pointing<'p, 'g> {
    placed: &'p Placed<'g>,
    next: usize,
}

impl<'gc, M: Mutator<'gc>> Visitor<'gc, M> for Pointing<'_, '_> {
    fn visit<F: Family>(&mut self, at: &mut M::Ref<F>) {
        let number = self.placed.graph.refs[self.next];
        self.next += 1;
        let to = self.placed.address(number as usize).cast();
        // SAFETY: J1, J2: the object of this number is of family `F`. What the reference was
        // is not used.
        unsafe { std::ptr::from_mut(at).write(M::immortal::<F>(to, Carrying(()))) };
    }
}

/// # Safety
///
/// A copy of an object of family `F` lies at `address`, whose references begin at `first_ref`.
unsafe fn point<'gc, F: Family, M: Mutator<'gc>>(
    placed: &Placed<'_>,
    address: NonNull<u8>,
    first_ref: usize,
    _: PhantomData<(&'gc (), M)>,
) {
    // SAFETY: by contract (J1, J2); nobody else knows of it yet.
    unsafe { placed.point::<M>(address.cast::<F::Of<'gc, M>>().as_mut(), first_ref) };
}

/// Copies a graph's objects into a heap, those that a frame leads to.
pub struct Importer<'h, 'gc, M> {
    heap: &'h mut M,
    graph: &'h Graph,
    made: Vec<Made>,
    /// Objects that wait for those they refer to.
    path: Vec<u32>,
    objects: u64,
    brand: PhantomData<&'gc ()>,
}

/// What has become of an object.
#[derive(Clone, Copy)]
enum Made {
    Not,
    /// The reference to it, and whether something took it over.
    Yes([MaybeUninit<usize>; 2], bool),
}

impl<'h, 'gc, M: Mutator<'gc>> Importer<'h, 'gc, M> {
    pub fn new(heap: &'h mut M, graph: &'h Graph) -> Self {
        let made = vec![Made::Not; graph.entries.len()];
        Importer { heap, graph, made, path: Vec::new(), objects: 0, brand: PhantomData }
    }

    /// Gives a frame references to copies of what it referred to.
    ///
    /// # Safety
    ///
    /// The roots are the frame's (J2); the graph was gathered by a mutator of type `M` (J4).
    pub unsafe fn frame(&mut self, frame: &mut impl Object<'gc, M>, roots: Roots) {
        frame.each_ref(&mut Filling { importer: self, next: roots.first() });
    }

    /// How many objects were copied.
    pub fn finish(self) -> u64 {
        self.objects
    }

    /// Makes an object, after all that it refers to.
    fn make(&mut self, number: u32) {
        self.path.push(number);
        while let Some(&top) = self.path.last() {
            let Entry { first_ref, refs, import, .. } = self.graph.entries[top as usize];
            let refers_to = &self.graph.refs[first_ref..first_ref + refs];
            let missing = |&&other: &&u32| matches!(self.made[other as usize], Made::Not);
            let done = !matches!(self.made[top as usize], Made::Not);
            match refers_to.iter().find(missing).filter(|_| !done) {
                Some(&other) => {
                    let longest = self.graph.entries.len();
                    assert!(
                        self.path.len() <= longest,
                        "a frame that reaches a cycle is not copied"
                    );
                    self.path.push(other);
                }
                None => {
                    self.path.pop();
                    if !done {
                        // SAFETY: J1, J4.
                        unsafe {
                            let import =
                                std::mem::transmute::<*const (), Import<'h, 'gc, M>>(import);
                            import(self, top as usize);
                        }
                    }
                }
            }
        }
    }

    /// A reference to an object that was made.
    ///
    /// # Safety
    ///
    /// The object is of family `F`.
    unsafe fn refer<F: Family>(&mut self, number: u32) -> M::Ref<F> {
        let Made::Yes(words, taken) = &mut self.made[number as usize] else {
            unreachable!("it was made")
        };
        let reference = words.as_ptr().cast::<M::Ref<F>>();
        // SAFETY: J3; by contract it is a reference of this type.
        unsafe {
            match std::mem::replace(taken, true) {
                false => reference.read(),
                true => self.heap.share::<F>(&*reference),
            }
        }
    }
}

/// # Safety
///
/// The object is of family `F`, and all that it refers to was made.
unsafe fn import<'gc, F: Family, M: Mutator<'gc>>(
    importer: &mut Importer<'_, 'gc, M>,
    index: usize,
) {
    const { assert!(size_of::<M::Ref<F>>() <= size_of::<[usize; 2]>()) };
    let next = importer.graph.entries[index].first_ref;
    // SAFETY: J1.
    let mut object = unsafe { importer.graph.copy::<F::Of<'gc, M>>(index) };
    object.each_ref(&mut Filling { importer, next });
    let at = importer.heap.alloc::<F>(ManuallyDrop::into_inner(object));
    importer.objects += 1;
    let mut words = [MaybeUninit::<usize>::uninit(); 2];
    // SAFETY: J3: a reference is at most two words.
    unsafe { words.as_mut_ptr().cast::<M::Ref<F>>().write(at) };
    importer.made[index] = Made::Yes(words, false);
}

/// Writes references to what was made, making it where it was not.
struct Filling<'i, 'h, 'gc, M> {
    importer: &'i mut Importer<'h, 'gc, M>,
    next: usize,
}

impl<'gc, M: Mutator<'gc>> Visitor<'gc, M> for Filling<'_, '_, 'gc, M> {
    fn visit<F: Family>(&mut self, at: &mut M::Ref<F>) {
        let number = self.importer.graph.refs[self.next];
        self.next += 1;
        if matches!(self.importer.made[number as usize], Made::Not) {
            self.importer.make(number);
        }
        // SAFETY: J1, J2: the object of this number is of family `F`. What the reference was
        // is not used.
        unsafe { std::ptr::from_mut(at).write(self.importer.refer::<F>(number)) };
    }
}
