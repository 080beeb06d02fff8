//! The claims: first those on which the records say something, then the rest.

use super::is_measured;
use crate::claims::{Finding, Judged, Tested, Verdict};
use minijinja::{Value, context};

/// Title, and which claims come below it.
const GROUPS: [(&str, bool); 2] =
    [("On which these records say something", true), ("On which they say nothing", false)];

/// Verdicts in the order of the tally, each with its sign and style: never colour alone.
const VERDICTS: [(Verdict, &str, &str); 6] = [
    (Verdict::Reproduced, "✓", "yes"),
    (Verdict::Contradicted, "✗", "no"),
    (Verdict::NotDistinguishable, "≈", "open"),
    (Verdict::TooFewRounds, "…", "open"),
    (Verdict::NotTestable, "–", "none"),
    (Verdict::NotMeasured, "○", "none"),
];

/// The claims in groups; a group without any is left out.
pub(super) fn views(judged: &[Judged]) -> Vec<Value> {
    let group = |(title, told): (&str, bool)| {
        let claims = judged.iter().filter(|claim| is_measured(claim) == told);
        let claims: Vec<Value> = claims.map(claim_view).collect();
        (!claims.is_empty()).then(|| context! { title, claims })
    };
    GROUPS.into_iter().filter_map(group).collect()
}

/// How often each verdict was reached.
pub(super) fn tally(judged: &[Judged]) -> Vec<Value> {
    let findings = || judged.iter().flat_map(|claim| &claim.tests).flat_map(|test| &test.findings);
    let count = |(verdict, sign, class): (Verdict, &str, &str)| {
        let count = findings().filter(|finding| finding.verdict == verdict).count();
        let words = verdict.words();
        (count > 0).then(|| context! { count, words, sign, class })
    };
    VERDICTS.into_iter().filter_map(count).collect()
}

/// With the tests that were measured before the others.
fn claim_view(claim: &Judged) -> Value {
    let mut tests: Vec<&Tested> = claim.tests.iter().collect();
    tests.sort_by_key(|test| test.findings.iter().all(|finding| finding.value.is_none()));
    context! {
        id => &claim.id,
        sentence => &claim.sentence,
        source => &claim.source,
        tests => tests.into_iter().map(test_view).collect::<Vec<_>>(),
    }
}

fn test_view(test: &Tested) -> Value {
    context! {
        title => test.title.trim_end_matches('.'),
        predicted => &test.predicted,
        command => &test.command,
        needs => &test.needs,
        findings => test.findings.iter().map(finding_view).collect::<Vec<_>>(),
    }
}

fn finding_view(finding: &Finding) -> Value {
    let known = VERDICTS.iter().find(|(verdict, ..)| *verdict == finding.verdict);
    let (_, sign, class) = known.copied().unwrap_or((finding.verdict, "", "none"));
    context! {
        origin => &finding.origin,
        n => finding.n,
        measured => &finding.measured,
        verdict => finding.verdict.words(),
        why => &finding.why,
        unmeasured => finding.value.is_none(),
        sign,
        class,
    }
}
