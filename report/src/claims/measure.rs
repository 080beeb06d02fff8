//! An expression over all rounds: a median with its interval.

use super::file::Unit;
use super::functions::{Here, Notes, environment, names};
use super::rounds::Scene;
use crate::format::significant;
use crate::stats::{Estimate, SEED, median_interval, paired_ratio};
use crate::verdict::from_to;
use minijinja::{Environment, Error, ErrorKind, Expression, Value as Item};
use std::mem;
use std::sync::{Arc, Mutex};

/// Longest expression, in bytes: reading one takes the more of the stack the longer it is, which no
/// fuel counts.
const LONGEST_BYTES: usize = 1000;

/// What an expression comes to.
pub(super) enum Measured {
    Value(Value),
    /// What the records lack, in words.
    Lacking(String),
}

/// A value with what it rests on.
#[derive(Debug)]
pub(super) struct Value {
    pub estimate: Estimate,
    /// Whether it is the same in all rounds, so that its interval is nothing but itself.
    pub exact: bool,
    /// Whether times are in it.
    pub timed: bool,
    /// The highest noise floor of the times in it: 0.012 is 1.2 %.
    pub floor: Option<f64>,
    /// Labels of the configurations that were asked, the fastest first.
    pub of: Vec<String>,
}

/// Evaluates expressions.
#[derive(Debug)]
pub(super) struct Meter {
    env: Environment<'static>,
}

impl Meter {
    pub fn new() -> Self {
        Self { env: environment() }
    }

    /// Whether an expression asks only for what there is, in the right form; else what is wrong.
    pub fn check(&self, expression: &str) -> Result<(), String> {
        if expression.len() > LONGEST_BYTES {
            return Err(format!("it has more than {LONGEST_BYTES} bytes; make it shorter"));
        }
        let compiled = self.env.compile_expression(expression).map_err(|why| why.to_string())?;
        let mut asked: Vec<String> = compiled.undeclared_variables(false).into_iter().collect();
        asked.sort_unstable();
        if let Some(unknown) = asked.iter().find(|asked| !names().any(|name| name == **asked)) {
            let known = names().collect::<Vec<_>>().join(", ");
            return Err(format!("there is no '{unknown}'; there are: {known}"));
        }
        // Where everything lacks, every question is asked and none answered.
        evaluate(&compiled, &Here::new(&Arc::default(), None)).map_err(|why| why.to_string())?;
        Ok(())
    }

    /// The value over all rounds of a scene; the error is what is wrong with the expression.
    ///
    /// A ratio has a logarithmic scale, on which it lies as far from 1 as its inverse does.
    pub fn measure(
        &self,
        expression: &str,
        ratio: bool,
        scene: &Arc<Scene>,
    ) -> Result<Measured, String> {
        let compiled = self.env.compile_expression(expression).map_err(|why| why.to_string())?;
        let first = Here::new(scene, None);
        let value = answer(&compiled, &first)?;
        let notes = mem::take(&mut *first.notes());
        if !notes.lacks.is_empty() {
            return Ok(Measured::Lacking(format!(
                "No sample that ended well has: {}",
                notes.lacks.join("; ")
            )));
        }
        let fit = |value: &f64| value.is_finite() && (!ratio || *value > 0.0);
        let of: Vec<String> =
            notes.of.iter().map(|&place| scene.configs[place].label.clone()).collect();
        let floors = notes.of.iter().filter_map(|&place| scene.configs[place].floor);
        let floor = floors.reduce(f64::max);
        let mut values = Vec::new();
        if notes.by_round {
            for round in 0..scene.rounds {
                let here = Here::new(scene, Some(round));
                let value = answer(&compiled, &here)?;
                values.extend(value.filter(|_| !here.notes().absent));
            }
        } else {
            values.extend(value);
        }
        if values.is_empty() {
            let why = match notes.by_round {
                true => format!("no round has them all: {}", of.join(", ")),
                false => "it would divide by zero".to_owned(),
            };
            return Ok(Measured::Lacking(why));
        }
        values.retain(fit);
        // What is the same in every round stays as it is: a logarithm and back may miss an exact end.
        let estimate = match ratio && notes.by_round {
            true => paired_ratio(&values.iter().map(|&v| (v, 1.0)).collect::<Vec<_>>(), SEED),
            false => median_interval(&values, SEED),
        };
        Ok(match estimate {
            Some(estimate) => Measured::Value(Value {
                estimate,
                exact: !notes.by_round,
                timed: notes.timed,
                floor,
                of,
            }),
            None => Measured::Lacking("the value is zero or has no end".to_owned()),
        })
    }
}

impl Here {
    fn new(scene: &Arc<Scene>, round: Option<usize>) -> Arc<Self> {
        let notes = Arc::<Mutex<Notes>>::default();
        Arc::new(Self { scene: scene.clone(), round, notes })
    }
}

/// The value in one round.
fn evaluate(expression: &Expression, here: &Arc<Here>) -> Result<f64, Error> {
    f64::try_from(expression.eval(Item::from_dyn_object(here.clone()))?)
}

/// The same, `None` where it divides by zero: all that records give is numbers, and with numbers the
/// expression was checked.
fn answer(expression: &Expression, here: &Arc<Here>) -> Result<Option<f64>, String> {
    match evaluate(expression, here) {
        Ok(value) => Ok(Some(value)),
        Err(why) if why.kind() == ErrorKind::InvalidOperation => Ok(None),
        Err(why) => Err(why.to_string()),
    }
}

impl Value {
    /// The value with its unit and interval: `7.91 times (95 %: 7.64 to 8.24)`.
    pub fn words(&self, unit: &Unit) -> String {
        let Estimate { value, low, high, samples } = self.estimate;
        let spread = match samples {
            _ if self.exact => "the same in every round".to_owned(),
            1 => "one round".to_owned(),
            n if !self.estimate.confident() => {
                format!("range of {n} rounds: {}", from_to(low, high))
            }
            _ => format!("95 %: {}", from_to(low, high)),
        };
        format!("{} ({spread})", unit.after(&significant(value)))
    }
}
