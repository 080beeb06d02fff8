//! Which configuration an expression means.

use super::rounds::{Config, Scene};
use crate::labels::THREADS;
use crate::record::params::{ALLOCATOR, HEAP_LIMIT, HEAP_MULTIPLE, MODE};
use std::collections::BTreeMap;

/// Parameters that configurations have only where they are varied: who does not ask for one of these
/// means the configurations without it, or, with threads, the one with a single thread.
const ASKED_FOR: [&str; 3] = [ALLOCATOR, HEAP_MULTIPLE, MODE];
/// Follows from the multiple, and is another one at each size.
const LIMIT_AND_MULTIPLE: (&str, &str) = (HEAP_LIMIT, HEAP_MULTIPLE);

/// What a configuration must be like.
#[derive(Debug, Default)]
pub(super) struct Selection {
    /// Only this backend.
    pub backend: Option<String>,
    /// Only these families.
    pub families: Option<Vec<String>>,
    /// None of these backends.
    pub except: Vec<String>,
    /// Only general-purpose backends, or only problem-specific ones.
    pub general: Option<bool>,
    /// Only those that collect young objects apart, or only others.
    pub generational: Option<bool>,
    /// Peers too.
    pub peers: bool,
    /// Parameters with their values.
    pub params: BTreeMap<String, String>,
    /// All values of this parameter, the others being those of the study.
    pub over: Option<String>,
}

impl Selection {
    /// One backend, with these parameters.
    pub fn one(backend: &str, params: BTreeMap<String, String>) -> Self {
        Self { backend: Some(backend.to_owned()), params, ..Self::default() }
    }

    /// The configuration that stands for a backend: the study's own before a point of a sweep, and
    /// of several the fastest, as in all of the report.
    pub fn first(&self, scene: &Scene) -> Option<usize> {
        let fitting = || (0..scene.configs.len()).filter(|&place| self.fits(scene, place));
        // Configurations are in order of speed.
        fitting().find(|&place| !scene.configs[place].swept).or_else(|| fitting().next())
    }

    /// All that fit. Of a backend with several configurations each is one.
    pub fn all(&self, scene: &Scene) -> Vec<usize> {
        let places = 0..scene.configs.len();
        let Some(over) = &self.over else {
            return places.filter(|&place| self.fits(scene, place)).collect();
        };
        let plain =
            Self { backend: self.backend.clone(), params: self.params.clone(), ..Self::default() };
        let Some(own) = plain.first(scene).map(|place| &scene.configs[place]) else {
            return Vec::new();
        };
        let points = places.filter(|&place| {
            let config = &scene.configs[place];
            config.backend == own.backend && beside(config, over).eq(beside(own, over))
        });
        points.collect()
    }

    fn fits(&self, scene: &Scene, place: usize) -> bool {
        let config = &scene.configs[place];
        let backend = self.backend.as_ref().is_none_or(|name| *name == config.backend)
            && !self.except.contains(&config.backend);
        let family =
            self.families.as_ref().is_none_or(|families| families.contains(&config.family));
        let general = self.general.is_none_or(|general| general != config.problem_specific);
        let generations = self.generational.is_none_or(|wanted| wanted == config.generational);
        // A peer is meant where it is named, or asked for.
        let ours = !config.peer || self.peers || self.backend.is_some();
        let params = self.params.iter().all(|(name, value)| config.params.get(name) == Some(value));
        let asked = |name: &str| self.params.contains_key(name);
        let plain = ASKED_FOR.iter().all(|name| asked(name) || !config.params.contains_key(*name))
            && (asked(THREADS) || config.params.get(THREADS).is_none_or(|threads| threads == "1"));
        let own = !config.swept || !self.params.is_empty();
        backend && family && general && generations && ours && params && plain && own
    }
}

/// All parameters but one, and what follows from it.
fn beside<'a>(
    config: &'a Config,
    name: &'a str,
) -> impl Iterator<Item = (&'a String, &'a String)> + 'a {
    let (limit, multiple) = LIMIT_AND_MULTIPLE;
    let follows = move |other: &str| other == limit && name == multiple;
    config.params.iter().filter(move |(other, _)| *other != name && !follows(other))
}
