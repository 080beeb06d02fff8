//! The search on `std::rc::Rc`, by hand: borrowed traversals, iterative
//! release, live bytes compared with a limit once per step.

use std::rc::Rc;

struct Cell {
    x: i32,
    y: i32,
    tail: Option<Rc<Cell>>,
}

const CELL_BYTES: usize = 32;

/// Counts the solutions for a board of `n` by `n`.
pub fn search(n: i32) -> u64 {
    let mut search = Search { n, live_bytes: 0, most_bytes: 0, solutions: 0, stack: Vec::new() };
    let mut board = None;
    for x in (0..n).rev() {
        for y in (0..n).rev() {
            board = Some(search.cell(x, y, board));
        }
    }
    search.descend(None, board);
    while let Some((qs, ps)) = search.stack.pop() {
        let (x, y) = (ps.x, ps.y);
        let qs = Some(search.cell(x, y, qs));
        let left = search.filter(x, y, &ps);
        search.release(ps);
        search.descend(qs, left);
        if search.live_bytes > search.most_bytes {
            search.most_bytes = search.live_bytes;
            assert!(search.most_bytes < 1 << 30, "out of memory");
        }
    }
    search.solutions
}

struct Search {
    n: i32,
    live_bytes: usize,
    most_bytes: usize,
    solutions: u64,
    stack: Vec<(Option<Rc<Cell>>, Rc<Cell>)>,
}

impl Search {
    #[inline(always)]
    fn cell(&mut self, x: i32, y: i32, tail: Option<Rc<Cell>>) -> Rc<Cell> {
        self.live_bytes += CELL_BYTES;
        Rc::new(Cell { x, y, tail })
    }

    #[inline(always)]
    fn release(&mut self, cell: Rc<Cell>) {
        let mut next = Some(cell);
        while let Some(mut cell) = next.and_then(Rc::into_inner) {
            self.live_bytes -= CELL_BYTES;
            next = cell.tail.take();
        }
    }

    #[inline(always)]
    fn filter(&mut self, x: i32, y: i32, from: &Rc<Cell>) -> Option<Rc<Cell>> {
        let mut head = None;
        let mut hole = &mut head;
        let mut at = Some(from);
        while let Some(cell) = at {
            let safe = (x != cell.x)
                & (y != cell.y)
                & (cell.x - x != cell.y - y)
                & (x - cell.y != cell.x - y);
            if safe {
                self.live_bytes += CELL_BYTES;
                let kept = hole.insert(Rc::new(Cell { x: cell.x, y: cell.y, tail: None }));
                // SAFETY: nobody else knows the new cell yet.
                hole = unsafe { &mut (*Rc::as_ptr(kept).cast_mut()).tail };
            }
            at = cell.tail.as_ref();
        }
        head
    }

    #[inline(always)]
    fn descend(&mut self, qs: Option<Rc<Cell>>, ps: Option<Rc<Cell>>) {
        let mut rest = ps;
        while let Some(ps) = rest {
            rest = ps.tail.clone();
            self.stack.push((qs.clone(), ps));
        }
        let mut length = 0;
        let mut at = qs.as_ref();
        while let Some(cell) = at {
            length += 1;
            at = cell.tail.as_ref();
        }
        self.solutions += u64::from(length == self.n);
        if let Some(qs) = qs {
            self.release(qs);
        }
    }
}
