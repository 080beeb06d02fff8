//! The search as a machine of choice points.

use heap::{Chain, Edge, Frames, Link, Mutator, Node, Program};
use std::marker::PhantomData;
use std::ops::AddAssign;

/// A square: column and row, from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    /// Column.
    pub x: i32,
    /// Row.
    pub y: i32,
}

/// Whether a queen at `a` leaves `b` unattacked: the original's four tests
/// (column, row, both diagonals) on the differences. Written with `&` for `&&`:
/// a heap that builds without a branch then tests without one.
#[inline(always)]
fn safe(a: Position, b: Position) -> bool {
    let (dx, dy) = (b.x - a.x, b.y - a.y);
    (dx != 0) & (dy != 0) & (dx != dy) & (dx != -dy)
}

/// What a search found and, in the counted instance, how many cells it visited.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Answer {
    /// Solutions.
    pub solutions: u64,
    /// Cells visited by `filter`, which starts at the chosen cell itself.
    pub cells_filtered: u64,
    /// Cells visited by `length`.
    pub cells_length: u64,
}

/// What parts of a search found together.
impl AddAssign for Answer {
    fn add_assign(&mut self, other: Self) {
        self.solutions += other.solutions;
        self.cells_filtered += other.cells_filtered;
        self.cells_length += other.cells_length;
    }
}

/// The n-queens search for a board of `n` by `n`; `C` says whether visits are
/// counted ([`heap::On`]) or not ([`heap::Off`]).
pub struct Queens<C = heap::Off> {
    n: u32,
    tally: PhantomData<C>,
}

// Whatever `C` is.
impl<C> Clone for Queens<C> {
    fn clone(&self) -> Self {
        Self::new(self.n)
    }
}

impl<C> Queens<C> {
    /// The search on a board of `n` by `n`.
    pub fn new(n: u32) -> Self {
        Queens { n, tally: PhantomData }
    }
}

type Positions<'gc, M> = Link<'gc, M, Chain<Position>>;

impl<C: heap::Tally> Queens<C> {
    /// `search n qs (tail ps) accu`, down to the end of `ps`: looks at the leaf
    /// where no position is left, and pushes a choice point for each suffix of
    /// `ps`, so that the last one is resumed first. (The leaf comes first, since
    /// the processor can walk the list while it is still filtering.)
    #[inline(always)]
    fn descend<'gc, M: Mutator<'gc>>(
        &self,
        heap: &mut M,
        qs: Positions<'gc, M>,
        ps: Positions<'gc, M>,
        stack: &mut Frames<'gc, M, Self>,
        out: &mut Answer,
    ) {
        let length = heap.fold(qs.as_ref(), 0, |length, _| length + 1);
        if C::ON {
            out.cells_length += u64::from(length);
        }
        out.solutions += u64::from(length == self.n);
        let mut rest = ps;
        while let Some(ps) = rest.0 {
            rest = heap.load(&ps, |cell| &cell.next);
            stack.push((heap.share_link(&qs), Edge(ps)), heap);
        }
        heap.release_link(qs);
    }
}

impl<C: heap::Tally> Program for Queens<C> {
    /// A choice point: the queens so far, and the positions from the one to try.
    type Frame<'gc, M: Mutator<'gc>> =
        (Link<'gc, M, Chain<Position>>, Edge<'gc, M, Chain<Position>>);
    type Out = Answer;

    fn start<'gc, M: Mutator<'gc>>(
        &self,
        heap: &mut M,
        stack: &mut Frames<'gc, M, Self>,
        out: &mut Answer,
    ) {
        let n = self.n as i32;
        let mut board = Link::NONE;
        for x in (0..n).rev() {
            for y in (0..n).rev() {
                let item = Position { x, y };
                board = Link(Some(heap.alloc::<Chain<_>>(Node { item, next: board })));
            }
        }
        self.descend(heap, Link::NONE, board, stack, out);
    }

    #[inline(always)]
    fn step<'gc, M: Mutator<'gc>>(
        &self,
        heap: &mut M,
        (qs, Edge(ps)): Self::Frame<'gc, M>,
        stack: &mut Frames<'gc, M, Self>,
        out: &mut Answer,
    ) {
        let q = heap.get(&ps).item;
        let qs = Link(Some(heap.alloc::<Chain<_>>(Node { item: q, next: qs })));
        // By value, so that `q` need not lie in memory while filtering.
        let visited = &mut out.cells_filtered;
        let left = heap.filter(Some(&ps), move |p| {
            if C::ON {
                *visited += 1;
            }
            safe(q, p)
        });
        heap.release(ps);
        self.descend(heap, qs, left, stack, out);
    }
}
