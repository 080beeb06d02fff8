//! What expressions can ask. Names of backends are data throughout: they are compared, never parsed.

use super::rounds::{self, Scene, TIME, Values};
use super::select::Selection;
use minijinja::value::{Kwargs, Object, Rest};
use minijinja::{Environment, Error, ErrorKind, State, UndefinedBehavior, Value};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Steps that one evaluation may take; the longest of our own takes about fifty.
const FUEL: u64 = 10_000;

/// A figure of an allocation study.
const FIGURE: &str = "figure";

/// Variable that holds the round; no expression has a use for it.
const HERE: &str = "here";

/// The round that an expression is evaluated in.
#[derive(Debug)]
pub(super) struct Here {
    pub scene: Arc<Scene>,
    /// `None` to ask only for what is the same in every round.
    pub round: Option<usize>,
    pub notes: Arc<Mutex<Notes>>,
}

/// All that an expression can name beside functions is the round itself.
impl Object for Here {
    fn get_value(self: &Arc<Self>, key: &Value) -> Option<Value> {
        (key.as_str() == Some(HERE)).then(|| Value::from_dyn_object(self.clone()))
    }
}

/// What became of the questions.
#[derive(Debug, Default)]
pub(super) struct Notes {
    /// What no round has, in words.
    pub lacks: Vec<String>,
    /// Whether this round lacks a value that others have.
    pub absent: bool,
    /// Whether any value is another one in each round.
    pub by_round: bool,
    /// Whether any of them is a time.
    pub timed: bool,
    /// Places of the configurations that were asked.
    pub of: BTreeSet<usize>,
}

/// An environment with nothing but what the header of `claims.toml` describes.
pub(super) fn environment() -> Environment<'static> {
    let mut env = Environment::empty();
    env.set_undefined_behavior(UndefinedBehavior::Strict);
    env.set_fuel(Some(FUEL));
    for quantity in rounds::quantities() {
        env.add_function(quantity, move |state: &State, backend: &str, params: Option<Value>| {
            let selection = Selection::one(backend, settings(params)?);
            Ok::<f64, Error>(here(state)?.value_of(quantity, &selection))
        });
    }
    for (name, most) in [("least", false), ("most", true)] {
        env.add_function(
            name,
            move |state: &State, quantity: &str, params: Option<Value>, named: Kwargs| {
                let quantity = known(quantity)?;
                let selection = selection(params, &named)?;
                Ok::<f64, Error>(here(state)?.extreme(quantity, &selection, most))
            },
        );
    }
    env.add_function(FIGURE, |state: &State, backend: &str, name: &str, params: Option<Value>| {
        let selection = Selection::one(backend, settings(params)?);
        Ok::<f64, Error>(here(state)?.figure(name, &selection))
    });
    env.add_function("bound", |state: &State| Ok::<f64, Error>(here(state)?.bound()));
    // Of times, one that is not known makes the whole unknown.
    env.add_function("min", |values: Rest<f64>| of_all(&values, f64::min));
    env.add_function("max", |values: Rest<f64>| of_all(&values, f64::max));
    env
}

/// Names of all functions.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    rounds::quantities().chain(["least", "most", FIGURE, "bound", "min", "max"])
}

fn of_all(values: &[f64], of: impl Fn(f64, f64) -> f64) -> Result<f64, Error> {
    if values.iter().any(|value| value.is_nan()) {
        return Ok(f64::NAN);
    }
    let nothing = || Error::new(ErrorKind::MissingArgument, "give at least one number");
    values.iter().copied().reduce(of).ok_or_else(nothing)
}

fn here(state: &State) -> Result<Arc<Here>, Error> {
    let here = state.lookup(HERE).and_then(|here| here.downcast_object::<Here>());
    here.ok_or_else(|| Error::new(ErrorKind::InvalidOperation, format!("{HERE} is set elsewhere")))
}

fn known(quantity: &str) -> Result<&'static str, Error> {
    rounds::quantities().find(|known| *known == quantity).ok_or_else(|| {
        let known = rounds::quantities().collect::<Vec<_>>().join(", ");
        let why = format!("there is no quantity '{quantity}'; there are: {known}");
        Error::new(ErrorKind::UnknownFunction, why)
    })
}

/// Parameters with their values, from `{"nursery": "256KiB"}`.
fn settings(params: Option<Value>) -> Result<BTreeMap<String, String>, Error> {
    let Some(params) = params else { return Ok(BTreeMap::new()) };
    let wrong = || Error::new(ErrorKind::InvalidOperation, "parameters are {\"name\": \"value\"}");
    let names = params.try_iter().map_err(|_| wrong())?;
    names
        .map(|name| {
            let value = params.get_item(&name)?;
            let name = name.as_str().ok_or_else(wrong)?;
            match value.as_str().map(str::to_owned).or_else(|| Some(value.as_i64()?.to_string())) {
                Some(value) => Ok((name.to_owned(), value)),
                None => Err(wrong()),
            }
        })
        .collect()
}

fn selection(params: Option<Value>, named: &Kwargs) -> Result<Selection, Error> {
    let selection = Selection {
        backend: named.get("backend")?,
        families: named.get("families")?,
        except: named.get::<Option<Vec<String>>>("except")?.unwrap_or_default(),
        general: named.get("general")?,
        generational: named.get("generational")?,
        peers: named.get::<Option<bool>>("peers")?.unwrap_or_default(),
        params: settings(params)?,
        over: named.get("over")?,
    };
    named.assert_all_used()?;
    match selection.over.is_some() && selection.backend.is_none() {
        true => Err(Error::new(ErrorKind::MissingArgument, "'over' takes a backend")),
        false => Ok(selection),
    }
}

impl Here {
    pub fn notes(&self) -> MutexGuard<'_, Notes> {
        // Notes are whole after each change.
        self.notes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What is asked for, or not a number where this round lacks it: so that all that is lacking is
    /// found, not only what is asked for first.
    fn value_of(&self, quantity: &'static str, selection: &Selection) -> f64 {
        let place = selection.first(&self.scene);
        match place.filter(|&place| self.scene.configs[place].values(quantity).is_some()) {
            Some(place) => self.value(quantity, place),
            None => self.lacking(describe(quantity, selection)),
        }
    }

    /// A figure, which is the same in every round.
    fn figure(&self, name: &str, selection: &Selection) -> f64 {
        let place = selection.first(&self.scene);
        let found = place.and_then(|place| Some((place, self.scene.configs[place].figure(name)?)));
        match found {
            Some((place, figure)) => {
                self.notes().of.insert(place);
                figure.typical()
            }
            None => self.lacking(describe(&format!("figure {name}"), selection)),
        }
    }

    /// Of the configuration that has least or most over all rounds, its value in this one. The least
    /// and most of each round by itself would be that of its noise.
    fn extreme(&self, quantity: &'static str, selection: &Selection, most: bool) -> f64 {
        let typical = |place: usize| Some(self.scene.configs[place].values(quantity)?.typical());
        let all: Vec<(usize, f64)> = (selection.all(&self.scene).into_iter())
            .filter_map(|place| Some((place, typical(place)?)))
            .collect();
        // One point is no sweep.
        if all.is_empty() || selection.over.is_some() && all.len() < 2 {
            return self.lacking(describe(quantity, selection));
        }
        let order = |a: &&(usize, f64), b: &&(usize, f64)| a.1.total_cmp(&b.1);
        let found = if most { all.iter().max_by(order) } else { all.iter().min_by(order) };
        found.map_or(f64::NAN, |&(place, _)| self.value(quantity, place))
    }

    /// Time of the cheapest mutator.
    fn bound(&self) -> f64 {
        match self.scene.bound {
            Some((place, mutator)) => self.value(TIME, place) * mutator,
            None => self.lacking("time of any backend".to_owned()),
        }
    }

    fn value(&self, quantity: &'static str, place: usize) -> f64 {
        let mut notes = self.notes();
        notes.of.insert(place);
        match self.scene.configs[place].values(quantity) {
            Some(&Values::Same(value)) => value,
            Some(Values::ByRound { by_round, .. }) => {
                notes.by_round = true;
                notes.timed |= quantity == TIME;
                let value = self.round.and_then(|round| by_round[round]);
                notes.absent |= value.is_none();
                value.unwrap_or(f64::NAN)
            }
            None => f64::NAN,
        }
    }

    fn lacking(&self, what: String) -> f64 {
        let mut notes = self.notes();
        if !notes.lacks.contains(&what) {
            notes.lacks.push(what);
        }
        f64::NAN
    }
}

/// What was asked for, in words: `time of ocaml`, `time of gc at several values of nursery`.
fn describe(quantity: &str, selection: &Selection) -> String {
    let quantity = quantity.replace('_', " ");
    let mut parts = vec![match (&selection.backend, &selection.families) {
        (Some(backend), _) => format!("{quantity} of {backend}"),
        (None, Some(families)) => format!("{quantity} of any {} backend", families.join(" or ")),
        (None, None) => format!("{quantity} of any other backend"),
    }];
    parts.extend(selection.params.iter().map(|(name, value)| format!("with {name} {value}")));
    parts.extend(selection.over.iter().map(|over| format!("at several values of {over}")));
    parts.join(" ")
}
