//! The program of the study: n-queens by logic programming.
//!
//! Harrop's text: positions are pairs, the board is the list of all of them,
//! and a search extends a list of queens by each position that is left,
//! filtering out what the new queen attacks:
//!
//! ```text
//! safe (x1,y1) (x2,y2) = x1<>x2 && y1<>y2 && x2-x1 <> y2-y1 && x1-y2 <> x2-y1
//! search n qs ps accu =
//!   if ps is empty: if length qs = n then accu+1 else accu
//!   else let q = head ps in
//!        search n (q::qs) (filter (safe q) ps) (search n qs (tail ps) accu)
//! ```
//!
//! It counts every solution and visits every partial placement; the lists are
//! the workload. Here it is a machine of choice points, written once over any
//! heap ([`Queens`]), and an oracle on bit masks that never touches one
//! ([`oracle()`]).
#![forbid(unsafe_code)]

mod oracle;
mod solver;

pub use oracle::{KNOWN_SOLUTIONS, oracle};
pub use solver::{Answer, Position, Queens};

/// Largest board: a row is a 32-bit mask in the oracle.
pub const MAX_N: u32 = 32;
