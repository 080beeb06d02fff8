//! What searches must do, and what heaps say that they did.

use heap::Heap;
use nqueens::Answer;
use threads::Workers;

/// Objects allocated and freed by all heaps of a team, so far.
pub struct Done {
    pub allocated: u64,
    pub freed: u64,
}

pub fn done_at<H: Heap + 'static>(workers: &Workers<H>) -> Done {
    let each = workers.on_each(|heap| heap.stats()).unwrap();
    Done {
        allocated: each.iter().map(|stats| stats.cells_allocated).sum(),
        freed: each.iter().map(|stats| stats.cells_freed).sum(),
    }
}

/// What a search must do, as counted by a program without lists.
pub struct Known {
    solutions: u64,
    allocated: u64,
    filtered: u64,
    length: u64,
}

impl Known {
    pub fn of(n: u32) -> Self {
        let [solutions, allocated, filtered, length] = match n {
            4 => [2, 172, 296, 184],
            5 => [10, 922, 1_588, 1_295],
            6 => [4, 5_268, 9_222, 8_980],
            _ => panic!("not known"),
        };
        Known { solutions, allocated, filtered, length }
    }

    pub fn is_answer(&self, out: &Answer, what: &str) {
        let found = [out.solutions, out.cells_filtered, out.cells_length];
        assert_eq!(found, [self.solutions, self.filtered, self.length], "{what}");
    }

    pub fn is_work(&self, allocated: u64, what: &str) {
        assert_eq!(allocated, self.allocated, "{what}: cells allocated");
    }
}
