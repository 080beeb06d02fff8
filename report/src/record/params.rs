//! Names of parameters that tables and charts treat in a way of their own.

/// The library that takes malloc's place.
pub const ALLOCATOR: &str = "allocator";

/// The heap limit, in bytes.
pub const HEAP_LIMIT: &str = "heap-limit";

/// The multiple of what lives that the heap limit is.
pub const HEAP_MULTIPLE: &str = "heap-multiple";

/// What threads do: `throughput`, `split` or `shared`.
pub const MODE: &str = "mode";

/// Levels of the search that are split into tasks.
pub const SPLIT_DEPTH: &str = "split-depth";

/// How tasks share lists: `copied`, `counted` or `immortal`.
pub const LISTS: &str = "lists";

/// Which task a thread does next, where that is not the one it made last.
pub const ORDER: &str = "order";
