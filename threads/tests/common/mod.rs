//! What the tests share.

use heap::{Backend, Heap, Settings, Tally};
use threads::Team;

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
