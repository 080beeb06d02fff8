//! What share of split reference counting is counting, allocation, atomic instructions: claim S3.

use super::ladder::Ladder;
use super::pages::percent_interval;
use super::scope::Sides;
use crate::format::significant;
use crate::stats::Estimate;

/// Split reference counting, the dearer first.
const SPLIT: [&str; 2] = ["arc-split", "rc-split"];

/// What the claim takes for the price without counting.
const UNCOUNTED: &str = "malloc";

/// One sentence, or why there is none.
pub(super) fn answer(split: Option<&Ladder>, sides: &Sides, n: u32) -> String {
    let Some(split) = split.filter(|split| SPLIT.contains(&split.end().backend.as_str())) else {
        return format!(
            "What split reference counting is made of cannot be said: at n = {n} it takes times of \
             {} and of a heap below it, in the same rounds.",
            SPLIT.join(" or ")
        );
    };
    let total = split.total_ns_per_cell;
    let one = |share: f64| Estimate { value: share, low: share, high: share, samples: 1 };
    let base = split.start.ns_per_cell / total;
    let mut parts = vec![format!("{} is {}", percent_interval(&one(base)), split.start_is)];
    for step in &split.steps {
        let what = step.changes.join(", and ");
        let share = percent_interval(&step.share);
        parts.push(format!("{share} {what} ({} -> {})", step.from.label, step.to.label));
    }
    let parts = parts.join("; ");
    let end = &split.end().label;
    let total = significant(total);
    format!(
        "Of the {total} ns per cell that {end} takes at n = {n}, {parts}{}.",
        claim(split, sides)
    )
}

/// The claim's own comparison, which has everything but malloc and free for counting.
fn claim(split: &Ladder, sides: &Sides) -> String {
    let handling = || {
        let (end, without) = (sides.of(&split.end().backend)?, sides.of(UNCOUNTED)?);
        end.paired(without, |all, without| (all - without) / all)
    };
    handling().map_or(String::new(), |share| {
        format!(
            "; all of it that {UNCOUNTED} does not have, which claim S3 calls reference-count \
             handling and puts at about 80 %, is {}",
            percent_interval(&share)
        )
    })
}
