//! Containers of the burst study: each element in a node of its own.
