//! Sentences of made-up records whose answer is known.
