//! How much may be allocated before a heap near its limit looks for garbage.

/// Part of the room below the limit: a heap near it collects more often
/// instead of passing it.
pub fn room_bytes(limit_bytes: usize, used_bytes: usize) -> usize {
    limit_bytes.saturating_sub(used_bytes) / 4
}
