//! The search on a generational collector, by hand: a bump nursery of 256 KiB
//! with the choice stack as roots, survivors promoted into chunks that a full
//! collection copies.
//!
//! Invariants:
//!
//! - H1. Young cells lie below `top` in `nursery`; old ones in `old`.
//! - H2. While a collection runs, a moved cell's `x` is `MOVED` and its `tail`
//!   is its new address (no position has a negative column).

use std::ptr;

#[derive(Clone, Copy)]
struct Cell {
    x: i32,
    y: i32,
    tail: *mut Cell,
}

const MOVED: i32 = -1;
const NURSERY_CELLS: usize = (256 << 10) / 16;
/// Room left at a safepoint for one step.
const STEP_CELLS: usize = 256;
const CHUNK_CELLS: usize = 4_000;

/// Counts the solutions for a board of `n` by `n`.
pub fn search(n: i32) -> u64 {
    let mut nursery = Vec::<Cell>::with_capacity(NURSERY_CELLS);
    let base = nursery.as_mut_ptr();
    let mut search = Search {
        n,
        base,
        top: base,
        end: base.wrapping_add(NURSERY_CELLS),
        old: Vec::new(),
        old_cells: 0,
        full_at_cells: 1 << 16,
        solutions: 0,
        stack: Vec::with_capacity(1 << 10),
    };
    let mut board = ptr::null_mut();
    for x in (0..n).rev() {
        for y in (0..n).rev() {
            board = search.cell(x, y, board);
        }
    }
    search.descend(ptr::null_mut(), board);
    while let Some((qs, ps)) = search.stack.pop() {
        // SAFETY: H1.
        let Cell { x, y, .. } = unsafe { *ps };
        let qs = search.cell(x, y, qs);
        let left = search.filter(x, y, ps);
        search.descend(qs, left);
        if search.top >= search.end.wrapping_sub(STEP_CELLS) {
            search.collect();
        }
    }
    search.solutions
}

struct Search {
    n: i32,
    base: *mut Cell,
    top: *mut Cell,
    end: *mut Cell,
    old: Vec<Vec<Cell>>,
    old_cells: usize,
    full_at_cells: usize,
    solutions: u64,
    stack: Vec<(*mut Cell, *mut Cell)>,
}

impl Search {
    #[inline(always)]
    fn cell(&mut self, x: i32, y: i32, tail: *mut Cell) -> *mut Cell {
        assert!(self.top < self.end, "a step fits the nursery's slack");
        let at = self.top;
        // SAFETY: H1, and the test above.
        unsafe { at.write(Cell { x, y, tail }) };
        self.top = at.wrapping_add(1);
        at
    }

    #[inline(always)]
    fn filter(&mut self, x: i32, y: i32, from: *mut Cell) -> *mut Cell {
        let first = self.top;
        let mut top = first;
        // SAFETY: H1 for `from`'s cells; the test below for the ones written.
        unsafe {
            let mut cell = *from;
            loop {
                assert!(top < self.end, "a step fits the nursery's slack");
                let more = !cell.tail.is_null();
                let next = if more { *cell.tail } else { cell };
                let safe = (x != cell.x)
                    & (y != cell.y)
                    & (cell.x - x != cell.y - y)
                    & (x - cell.y != cell.x - y);
                top.write(Cell { x: cell.x, y: cell.y, tail: top.wrapping_add(1) });
                top = top.wrapping_add(usize::from(safe));
                if !more {
                    break;
                }
                cell = next;
            }
            if top == first {
                return ptr::null_mut();
            }
            (*top.sub(1)).tail = ptr::null_mut();
        }
        self.top = top;
        first
    }

    #[inline(always)]
    fn descend(&mut self, qs: *mut Cell, mut ps: *mut Cell) {
        while !ps.is_null() {
            self.stack.push((qs, ps));
            // SAFETY: H1.
            ps = unsafe { (*ps).tail };
        }
        let mut length = 0;
        let mut at = qs;
        while !at.is_null() {
            length += 1;
            // SAFETY: H1.
            at = unsafe { (*at).tail };
        }
        self.solutions += u64::from(length == self.n);
    }

    /// Moves the young cells that live, or all of them, into `old`.
    #[cold]
    fn collect(&mut self) {
        let full = self.old_cells > self.full_at_cells;
        let from = if full { std::mem::take(&mut self.old) } else { Vec::new() };
        self.old_cells = if full { 0 } else { self.old_cells };
        let mut stack = std::mem::take(&mut self.stack);
        for (qs, ps) in &mut stack {
            self.evacuate(qs, full);
            self.evacuate(ps, full);
        }
        if full {
            self.full_at_cells = (2 * self.old_cells).max(1 << 16);
        }
        self.stack = stack;
        self.top = self.base;
        drop(from);
    }

    /// Moves a chain, up to its first cell that need not move.
    fn evacuate(&mut self, hole: &mut *mut Cell, full: bool) {
        let mut hole: *mut *mut Cell = hole;
        // SAFETY: H1, H2; `hole` is a root or the tail of a moved cell.
        unsafe {
            while !(*hole).is_null() && (full || (self.base..self.end).contains(&*hole)) {
                let cell = *hole;
                if (*cell).x == MOVED {
                    *hole = (*cell).tail;
                    return;
                }
                let to = self.old_cell(*cell);
                *cell = Cell { x: MOVED, y: 0, tail: to };
                *hole = to;
                hole = &raw mut (*to).tail;
            }
        }
    }

    fn old_cell(&mut self, cell: Cell) -> *mut Cell {
        if self.old.last().is_none_or(|chunk| chunk.len() == CHUNK_CELLS) {
            self.old.push(Vec::with_capacity(CHUNK_CELLS));
        }
        self.old_cells += 1;
        let chunk = self.old.last_mut().expect("just pushed");
        chunk.push(cell);
        // SAFETY: the chunk never grows past its capacity, so its cells stay.
        unsafe { chunk.as_mut_ptr().add(chunk.len() - 1) }
    }
}
