//! What the tests share.

use heap::{Backend, Heap, Settings, Tally};
use threads::{Team, Workers};

/// A team of which nobody is kept on a core.
pub fn team(threads: usize) -> Team<'static> {
    Team { threads, begin: &|_| {} }
}

/// Makes heaps of one instance of a backend.
pub fn heaps<'a, B: Backend, T: Tally>(
    settings: &'a Settings,
) -> impl Fn() -> B::Heap<T> + Sync + 'a {
    || B::Heap::<T>::new(settings)
}

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
