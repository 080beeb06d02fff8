//! The claims as they are written down.

use super::ClaimError;
use super::verdict::Band;
use serde::Deserialize;
use std::ops::Bound;

/// The program that a test is about where it names none.
const PROGRAM: &str = "nqueens";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    claim: Vec<Claim>,
}

/// A published claim.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, try_from = "RawClaim")]
pub(super) struct Claim {
    pub id: String,
    pub sentence: String,
    pub source: String,
    pub tests: Vec<Test>,
}

/// A comparison that tests a claim, or why there is none.
#[derive(Clone, Debug, Deserialize)]
#[serde(try_from = "RawTest")]
pub(super) struct Test {
    pub title: String,
    pub how: How,
}

#[derive(Clone, Debug)]
pub(super) enum How {
    /// Judged by records, once there are some.
    Compare(Box<Comparison>),
    /// Judged by no record: what it would take.
    Untestable(String),
}

/// A quantity and what the claim predicts of it.
#[derive(Clone, Debug)]
pub(super) struct Comparison {
    /// Name of the measured program, without its version.
    pub program: String,
    /// The part of an allocation study that it is about; without, n-queens.
    pub part: Option<Part>,
    /// The one size at which it is judged.
    pub n: Option<u32>,
    pub expression: String,
    pub unit: Unit,
    pub band: Band,
    /// What measures it; either this or `needs`.
    pub command: Option<String>,
    /// What it takes to measure it.
    pub needs: Option<String>,
}

/// A phase of a workload of an allocation study.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Part {
    pub study: String,
    pub workload: String,
    pub phase: String,
}

/// The unit of a value; `times` makes it a ratio, which has a logarithmic scale.
#[derive(Clone, Debug, Deserialize)]
#[serde(transparent)]
pub(super) struct Unit(pub String);

impl Unit {
    pub fn is_ratio(&self) -> bool {
        self.0 == "times"
    }

    /// A number with the unit behind it.
    pub fn after(&self, number: &str) -> String {
        format!("{number} {}", self.0).trim_end().to_owned()
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawClaim {
    id: String,
    sentence: String,
    source: String,
    test: Vec<Test>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawTest {
    title: String,
    program: Option<String>,
    study: Option<String>,
    workload: Option<String>,
    phase: Option<String>,
    n: Option<u32>,
    expression: Option<String>,
    predicts: Option<RawBand>,
    unit: Option<Unit>,
    command: Option<String>,
    needs: Option<String>,
    untestable: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawBand {
    at_least: Option<f64>,
    above: Option<f64>,
    at_most: Option<f64>,
    below: Option<f64>,
}

/// Reads the file's text.
pub(super) fn read(text: &str) -> Result<Vec<Claim>, ClaimError> {
    let file: Result<File, toml::de::Error> = toml::from_str(text);
    let claims = file.map(|file| file.claim).map_err(|why| {
        let start = why.span().map_or(0, |span| span.start);
        let before = text.get(..start).unwrap_or_default();
        let reason = why.message().lines().collect::<Vec<_>>().join(" ");
        ClaimError::File { line: before.matches('\n').count() + 1, reason }
    })?;
    Ok(claims)
}

impl TryFrom<RawClaim> for Claim {
    type Error = String;

    fn try_from(raw: RawClaim) -> Result<Self, String> {
        let RawClaim { id, sentence, source, test: tests } = raw;
        let texts = [("id", &id), ("sentence", &sentence), ("source", &source)];
        if let Some((what, _)) = texts.iter().find(|(_, text)| text.trim().is_empty()) {
            return Err(format!("claim '{id}': {what} is empty"));
        }
        match tests.is_empty() {
            true => Err(format!("claim '{id}': has no test; say at least why it is untestable")),
            false => Ok(Self { id, sentence, source, tests }),
        }
    }
}

impl TryFrom<RawTest> for Test {
    type Error = String;

    fn try_from(raw: RawTest) -> Result<Self, String> {
        let title = raw.title;
        let wrong = |what: &str| format!("test '{title}': {what}");
        if let Some(untestable) = raw.untestable {
            let alone = raw.expression.is_none()
                && raw.predicts.is_none()
                && raw.unit.is_none()
                && raw.program.is_none()
                && raw.study.is_none()
                && raw.workload.is_none()
                && raw.phase.is_none()
                && raw.n.is_none()
                && raw.command.is_none()
                && raw.needs.is_none();
            return match alone && !untestable.trim().is_empty() {
                true => Ok(Self { title, how: How::Untestable(untestable) }),
                false => Err(wrong("an untestable one has a reason, and nothing else")),
            };
        }
        let missing = |what: &str| wrong(&format!("has no {what}, and is not untestable"));
        let part = match (raw.study, raw.workload, raw.phase) {
            (None, None, None) => None,
            (Some(study), Some(workload), Some(phase)) => Some(Part { study, workload, phase }),
            _ => return Err(wrong("of a study, give its name, a workload and a phase")),
        };
        let of_study = part.as_ref().map(|part| part.study.clone());
        let comparison = Comparison {
            program: raw.program.or(of_study).unwrap_or_else(|| PROGRAM.to_owned()),
            part,
            n: raw.n,
            expression: raw.expression.ok_or_else(|| missing("expression"))?,
            unit: raw.unit.ok_or_else(|| missing("unit"))?,
            band: band(&raw.predicts.ok_or_else(|| missing("prediction"))?).map_err(wrong)?,
            command: raw.command,
            needs: raw.needs,
        };
        match comparison.command.is_some() == comparison.needs.is_some() {
            true => Err(wrong("give either the command that measures it, or what it needs")),
            false => Ok(Self { title, how: How::Compare(Box::new(comparison)) }),
        }
    }
}

fn band(raw: &RawBand) -> Result<Band, &'static str> {
    let end = |included: Option<f64>, excluded: Option<f64>| match (included, excluded) {
        (Some(_), Some(_)) => Err("give one lower and one upper end"),
        (Some(end), None) => Ok(Bound::Included(end)),
        (None, Some(end)) => Ok(Bound::Excluded(end)),
        (None, None) => Ok(Bound::Unbounded),
    };
    let low = end(raw.at_least, raw.above)?;
    let high = end(raw.at_most, raw.below)?;
    Band::new(low, high).ok_or("no value, or every value, is as predicted")
}
