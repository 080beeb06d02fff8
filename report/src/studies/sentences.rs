//! What a study asks, and what its numbers mean for someone who writes Rust.

use super::View;

/// What a study asks, in a sentence; nothing of one that is not known here.
pub fn asked(_study: &str) -> &'static str {
    ""
}

/// Sentences made from the views of one study.
pub fn sentences(_views: &[View]) -> Vec<String> {
    Vec::new()
}
