//! Published claims, held against the records: each with what was measured, and a verdict.
//!
//! The claims, and how each is tested, are data: `claims.toml` beside the sources, whose header
//! explains the expressions. Adding a claim adds no code.
//!
//! | file | one idea |
//! |---|---|
//! | `file` | the claims as they are written down |
//! | `rounds` | the records by round, as expressions read them |
//! | `select` | which configuration an expression means |
//! | `functions` | what expressions can ask |
//! | `measure` | an expression over all rounds: a median with its interval |
//! | `verdict` | a measured value against what the claim predicts |

use crate::format::shorten;
use crate::record::Record;
use crate::stats::Estimate;
use crate::studies::{self, View};
use crate::summary::Summary;
use crate::threads::is_of_threads;
use file::{Claim, Comparison, How, Part, Test};
use measure::{Measured, Meter};
use rayon::prelude::*;
use rounds::Scene;
use std::collections::BTreeSet;
use std::sync::Arc;
use thiserror::Error;

mod file;
mod functions;
mod measure;
mod rounds;
mod select;
mod verdict;

pub use verdict::Verdict;

/// The claims of this study.
const CLAIMS: &str = include_str!("../claims.toml");

/// A claim with what the records say about it.
#[derive(Clone, Debug, PartialEq)]
pub struct Judged {
    /// What the claim is called, for instance `S1`.
    pub id: String,
    /// The claim, in its own words.
    pub sentence: String,
    /// Where it was made.
    pub source: String,
    /// The comparisons that test it; never none.
    pub tests: Vec<Tested>,
}

/// One comparison that tests a claim.
#[derive(Clone, Debug, PartialEq)]
pub struct Tested {
    /// What is compared, in a line.
    pub title: String,
    /// The allocation study that it is about; `None` of n-queens.
    pub study: Option<String>,
    /// The measured quantity, as an expression over records; `None` of what cannot be tested.
    pub expression: Option<String>,
    /// The values that reproduce the claim: `5 to 10 times`. Empty of what cannot be tested.
    pub predicted: String,
    /// Command line that measures it.
    pub command: Option<String>,
    /// What it would take to measure it, where no command of this version does.
    pub needs: Option<String>,
    /// What was found, one for each program and machine; never none.
    pub findings: Vec<Finding>,
}

/// What the records of one program and machine say about one comparison.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// Name of the origin, as in [`Summary::origins`]: empty where there is only one, or where none
    /// of them has a value.
    pub origin: String,
    /// Size of the problem.
    pub n: Option<u32>,
    /// The measured value in the unit of the prediction: the median over the rounds, with its 95 %
    /// interval. Of a value that is the same in all rounds, both ends are the value.
    pub value: Option<Estimate>,
    /// The value with its unit and interval; empty where there is none.
    pub measured: String,
    /// Labels of the configurations that were compared, in the order of the summary.
    pub of: Vec<String>,
    /// Whether the claim holds here.
    pub verdict: Verdict,
    /// What the verdict does not say by itself: why it is none, or what it rests on.
    pub why: Option<String>,
}

/// Why claims cannot be judged: a defect of their file. Each message is one line.
#[derive(Debug, Error, PartialEq)]
pub enum ClaimError {
    /// The file is not as its header says.
    #[error("claims, line {line}: {reason}")]
    File {
        /// Line, from 1.
        line: usize,
        /// What is wrong.
        reason: String,
    },
    /// Two claims have the same name.
    #[error("claim {id}: is there twice; give each its own id")]
    Twice {
        /// The name.
        id: String,
    },
    /// An expression is none, asks for what there is not, or does not end in time.
    #[error("claim {claim}, '{title}': {}: {reason}", shorten(expression, 200))]
    Expression {
        /// The claim.
        claim: String,
        /// The test.
        title: String,
        /// Its expression.
        expression: String,
        /// What is wrong.
        reason: String,
    },
}

/// The claims of this study, judged, in the order of their file; for the tests that were measured,
/// see [`Finding`].
///
/// `summary` must be that of `records`, without those of the allocation studies among them. Where some
/// are of threads, those of one thread are summarised anew.
///
/// # Errors
///
/// [`ClaimError`], a defect of the file `claims.toml`, whatever the records.
pub fn judge(records: &[Record], summary: &Summary) -> Result<Vec<Judged>, ClaimError> {
    Claims::read(CLAIMS)?.judge(records, summary)
}

/// The same where both kinds are summarised already.
pub(crate) fn judge_both(both: &studies::Both) -> Result<Vec<Judged>, ClaimError> {
    Claims::read(CLAIMS)?.judge_parts(&both.queens, &both.summary, &both.together, &both.views)
}

/// Claims with their tests.
#[derive(Clone, Debug)]
pub struct Claims {
    claims: Vec<Claim>,
}

impl Claims {
    /// Claims from TOML; for its form see the header of `claims.toml`.
    ///
    /// # Errors
    ///
    /// What is wrong with the file, and where.
    pub fn read(text: &str) -> Result<Self, ClaimError> {
        let claims = file::read(text)?;
        let mut seen = BTreeSet::new();
        if let Some(twice) = claims.iter().find(|claim| !seen.insert(&claim.id)) {
            return Err(ClaimError::Twice { id: twice.id.clone() });
        }
        let meter = Meter::new();
        for claim in &claims {
            for test in &claim.tests {
                if let How::Compare(comparison) = &test.how {
                    let checked = meter.check(&comparison.expression);
                    checked.map_err(|reason| wrong(claim, test, comparison, reason))?;
                }
            }
        }
        Ok(Self { claims })
    }

    /// Every claim in order, judged by records and their summary.
    ///
    /// An expression is evaluated once in each round, at the largest n at which it has values; an n
    /// with less than half the rounds of another only where no other has values.
    ///
    /// # Errors
    ///
    /// [`ClaimError::Expression`].
    pub fn judge(&self, records: &[Record], summary: &Summary) -> Result<Vec<Judged>, ClaimError> {
        let (queens, of_studies) = studies::split(records);
        // Without a baseline to look for, these cannot fail.
        let views = studies::views(&of_studies, None).unwrap_or_default();
        if !queens.iter().any(is_of_threads) {
            return self.judge_parts(&queens, summary, &[], &views);
        }
        let alone = studies::only(&queens, |record| !is_of_threads(record));
        let summary = Summary::new(&alone, None).unwrap_or_default();
        self.judge_parts(&alone, &summary, &queens, &views)
    }

    fn judge_parts(
        &self,
        queens: &[Record],
        summary: &Summary,
        together: &[Record],
        views: &[View],
    ) -> Result<Vec<Judged>, ClaimError> {
        let mut scenes = rounds::scenes(queens, summary);
        scenes.extend(rounds::of_threads(together));
        scenes.extend(views.iter().flat_map(rounds::of_view));
        let meter = Meter::new();
        let judged = self.claims.par_iter().map(|claim| {
            let tests = claim.tests.iter().map(|test| {
                test.judge(&meter, &scenes)
                    .map_err(|(comparison, reason)| wrong(claim, test, comparison, reason))
            });
            Ok(Judged {
                id: claim.id.clone(),
                sentence: claim.sentence.clone(),
                source: claim.source.clone(),
                tests: tests.collect::<Result<_, _>>()?,
            })
        });
        judged.collect()
    }
}

fn wrong(claim: &Claim, test: &Test, comparison: &Comparison, reason: String) -> ClaimError {
    ClaimError::Expression {
        claim: claim.id.clone(),
        title: test.title.clone(),
        expression: comparison.expression.clone(),
        reason,
    }
}

impl Test {
    /// The error is what is wrong with the comparison's expression.
    fn judge(&self, meter: &Meter, scenes: &[Arc<Scene>]) -> Result<Tested, (&Comparison, String)> {
        let tested = Tested {
            title: self.title.clone(),
            study: None,
            expression: None,
            predicted: String::new(),
            command: None,
            needs: None,
            findings: Vec::new(),
        };
        match &self.how {
            How::Untestable(needs) => Ok(Tested {
                needs: Some(needs.clone()),
                findings: vec![Finding::without(Verdict::NotTestable, None)],
                ..tested
            }),
            How::Compare(comparison) => Ok(Tested {
                study: comparison.part.as_ref().map(|part| part.study.clone()),
                expression: Some(comparison.expression.clone()),
                predicted: comparison.band.words(&comparison.unit),
                command: comparison.command.clone(),
                needs: comparison.needs.clone(),
                findings: comparison
                    .judge(meter, scenes)
                    .map_err(|why| (comparison.as_ref(), why))?,
                ..tested
            }),
        }
    }
}

impl Comparison {
    /// One finding for each origin of the program, or a single one where none has a value.
    fn judge(&self, meter: &Meter, scenes: &[Arc<Scene>]) -> Result<Vec<Finding>, String> {
        let mut findings = Vec::new();
        let mut scenes: Vec<Arc<Scene>> =
            scenes.iter().filter(|scene| self.is_about(scene)).cloned().collect();
        // Views come size by size. What one thread tells alone is not asked of several.
        scenes.sort_by_key(|scene| (scene.together, scene.origin, scene.n));
        for scenes in scenes.chunk_by(|a, b| a.together == b.together) {
            let mut found = Vec::new();
            for origin in scenes.chunk_by(|a, b| a.origin == b.origin) {
                let finding = self.judge_origin(meter, origin)?;
                found.push(Finding { origin: origin[0].origin_name.clone(), ..finding });
            }
            if found.iter().any(|finding| finding.value.is_some()) {
                return Ok(found);
            }
            findings.extend(found);
        }
        let why = findings.into_iter().find_map(|finding| finding.why);
        let why = why.or_else(|| Some(format!("There are no records of {}", self.name())));
        Ok(vec![Finding::without(Verdict::NotMeasured, why)])
    }

    /// What it is about, in words.
    fn name(&self) -> String {
        let part =
            |Part { study, workload, phase }: &Part| format!("{study} ({workload}, {phase})");
        let name = self.part.as_ref().map_or_else(|| self.program.clone(), part);
        self.n.map_or_else(|| name.clone(), |n| format!("{name} at n = {n}"))
    }

    fn is_about(&self, scene: &Scene) -> bool {
        scene.program == self.program
            && scene.part == self.part
            && self.n.is_none_or(|n| scene.n == n)
    }

    /// At the largest n that has a value, those with few rounds last; scenes are in order of n.
    fn judge_origin(&self, meter: &Meter, scenes: &[Arc<Scene>]) -> Result<Finding, String> {
        if scenes.iter().any(|scene| scene.debug_build) {
            let why = "built without optimisation, so times say nothing".to_owned();
            return Ok(Finding::without(Verdict::NotMeasured, Some(why)));
        }
        let mut lacking: Vec<String> = Vec::new();
        let most = scenes.iter().map(|scene| scene.rounds).max().unwrap_or(0);
        let (enough, few): (Vec<_>, Vec<_>) =
            scenes.iter().rev().partition(|scene| 2 * scene.rounds >= most);
        for scene in enough.into_iter().chain(few) {
            match meter.measure(&self.expression, self.unit.is_ratio(), scene)? {
                Measured::Value(value) => return Ok(self.finding(scene, &value)),
                Measured::Lacking(why) => lacking.push(why),
            }
        }
        // The size that lacks least, as far as can be told.
        let why = lacking.into_iter().min_by_key(String::len);
        Ok(Finding::without(Verdict::NotMeasured, why))
    }

    fn finding(&self, scene: &Scene, value: &measure::Value) -> Finding {
        let floor = value.floor.filter(|_| value.timed && self.unit.is_ratio());
        let (verdict, mut why) = verdict::decide(value, &self.band, floor);
        if why.is_none() && value.timed && self.unit.is_ratio() && value.floor.is_none() {
            why = Some("the noise floor is unknown: no backend was entered twice".to_owned());
        }
        Finding {
            origin: String::new(),
            n: Some(scene.n),
            value: Some(value.estimate),
            measured: value.words(&self.unit),
            of: value.of.clone(),
            verdict,
            why,
        }
    }
}

impl Finding {
    fn without(verdict: Verdict, why: Option<String>) -> Self {
        Self {
            origin: String::new(),
            n: None,
            value: None,
            measured: String::new(),
            of: Vec::new(),
            verdict,
            why,
        }
    }
}
