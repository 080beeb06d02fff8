//! What the generations buy: the generational collector against collectors without.

use super::field::Field;
use crate::stats::Estimate;
use crate::summary::Row;
use crate::verdict::{Verdict, clause};

const GENERATIONAL: &str = "gc";
/// Copies like the generational one, but always everything: only the generations differ.
const COPYING: &str = "semispace";
/// Marks and sweeps; more than the generations differs.
const MARKING: &str = "mark-sweep";

/// `None` where the generational collector, or both of the others, have no time.
pub(super) fn generations(field: &Field) -> Option<String> {
    let generational = field.find(GENERATIONAL)?;
    let gc = field.name(generational);
    let against = |other: Option<&Row>| {
        let (other, ratio) = (field.name(other?), field.ratio(generational, other?)?);
        Some((other, ratio, Verdict::new(&ratio, field.floor())))
    };
    let told = |other: &str, ratio: &Estimate| clause(ratio, field.floor(), other);
    let (copying, marking) = (field.find(COPYING), field.find(MARKING));
    Some(match (against(copying), against(marking)) {
        (None, None) => return None,
        (None, Some((marking, ratio, _))) => {
            format!("Generational collection, {gc}, {}.", told(&marking, &ratio))
        }
        (Some((copying, ratio, verdict)), None) => {
            format!("{}: {gc} {}.", said(verdict), told(&copying, &ratio))
        }
        // Once for both, where it would be the same words.
        (Some((copying, ratio, verdict)), Some((marking, _, other))) if alike(verdict, other) => {
            let both = format!("{copying} or {marking}");
            format!("{}: {gc} {}.", said(verdict), told(&both, &ratio))
        }
        (Some((copying, ratio, verdict)), Some((marking, to_marking, _))) => format!(
            "{}: {gc} {}; {} {}.",
            said(verdict),
            told(&copying, &ratio),
            if matches!(verdict, Verdict::NoDifference { .. } | Verdict::Unclear) {
                "but it"
            } else {
                "it"
            },
            told(&marking, &to_marking)
        ),
    })
}

/// The verdict on the generations alone.
fn said(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Faster { .. } => "Generations pay",
        Verdict::Slower { .. } => "Generations cost more than they save",
        Verdict::NoDifference { .. } | Verdict::Unclear => {
            "Generations buy nothing that this run can tell"
        }
        Verdict::TooFew { .. } => "Whether generations pay takes more rounds to tell",
    }
}

/// Whether both are the same absence of a difference.
fn alike(a: Verdict, b: Verdict) -> bool {
    a == b && matches!(a, Verdict::NoDifference { .. } | Verdict::Unclear)
}
