//! The search on a stack allocator, by hand: bump allocation with a check,
//! append without a branch, the pointer reset when a choice is done.
//!
//! Invariant H1: cells lie below `top` in `memory`; what lies above is free.

use std::ptr;

#[derive(Clone, Copy)]
struct Cell {
    x: i32,
    y: i32,
    tail: *const Cell,
}

const MEMORY_CELLS: usize = 1 << 16;

/// Counts the solutions for a board of `n` by `n`.
pub fn search(n: i32) -> u64 {
    let mut memory = Vec::<Cell>::with_capacity(MEMORY_CELLS);
    let top = memory.as_mut_ptr();
    let mut search = Search {
        n,
        top,
        end: top.wrapping_add(MEMORY_CELLS),
        solutions: 0,
        stack: Vec::with_capacity(1 << 10),
    };
    let mut board = ptr::null();
    for x in (0..n).rev() {
        for y in (0..n).rev() {
            board = search.cell(x, y, board);
        }
    }
    search.descend(ptr::null(), board);
    while let Some((qs, ps, top)) = search.stack.pop() {
        search.top = top;
        // SAFETY: H1: the choice's cells lie below the top of its time.
        let Cell { x, y, .. } = unsafe { *ps };
        let qs = search.cell(x, y, qs);
        let left = search.filter(x, y, ps);
        search.descend(qs, left);
    }
    search.solutions
}

struct Search {
    n: i32,
    top: *mut Cell,
    end: *mut Cell,
    solutions: u64,
    /// Choices, each with the top of when it was pushed.
    stack: Vec<(*const Cell, *const Cell, *mut Cell)>,
}

impl Search {
    #[inline(always)]
    fn cell(&mut self, x: i32, y: i32, tail: *const Cell) -> *const Cell {
        assert!(self.top < self.end, "out of memory");
        let at = self.top;
        // SAFETY: H1, and the test above.
        unsafe { at.write(Cell { x, y, tail }) };
        self.top = at.wrapping_add(1);
        at
    }

    #[inline(always)]
    fn filter(&mut self, x: i32, y: i32, from: *const Cell) -> *const Cell {
        let first = self.top;
        let mut top = first;
        // SAFETY: H1 for `from`'s cells; the test below for the ones written.
        unsafe {
            let mut cell = *from;
            loop {
                assert!(top < self.end, "out of memory");
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
                return ptr::null();
            }
            (*top.sub(1)).tail = ptr::null();
        }
        self.top = top;
        first
    }

    #[inline(always)]
    fn descend(&mut self, qs: *const Cell, mut ps: *const Cell) {
        while !ps.is_null() {
            self.stack.push((qs, ps, self.top));
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
}
