//! What searches must do.

use nqueens::Answer;

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
