//! Which samples belong together, and what each group is called.

use crate::format::clean;
use crate::record::params::{
    ALLOCATOR, HEAP_LIMIT, HEAP_MULTIPLE, LISTS, MODE, ORDER, SPLIT_DEPTH,
};
use crate::record::{Machine, Record};
use std::collections::{BTreeMap, BTreeSet};

/// Name of the number of threads, beside the parameters.
pub(crate) const THREADS: &str = "threads";

/// What makes two samples samples of the same configuration, whatever their n.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Key {
    pub origin: Origin,
    pub backend: String,
    /// The parameters, and the number of threads among them.
    params: BTreeMap<String, String>,
}

impl Key {
    pub fn of(record: &Record) -> Self {
        Self { origin: Origin::of(record), ..Self::anywhere(record) }
    }

    /// The same wherever it was measured, to compare one origin with another.
    pub fn anywhere(record: &Record) -> Self {
        let mut params: BTreeMap<_, _> =
            record.params.iter().map(|(name, value)| (clean(name), clean(value))).collect();
        params.insert(THREADS.to_owned(), record.threads.to_string());
        // A limit that is a multiple of what lives is another number of bytes at each n.
        if params.contains_key(HEAP_MULTIPLE) {
            params.remove(HEAP_LIMIT);
        }
        Self { origin: Origin::default(), backend: clean(&record.backend), params }
    }

    /// The same whatever the number of threads, for where that is told by itself.
    pub fn without_threads(record: &Record) -> Self {
        let mut key = Self::of(record);
        key.params.remove(THREADS);
        key
    }

    /// How many threads there are, what they do, and how a search is split for it.
    pub fn what_threads_do(&self) -> [Option<&String>; 3] {
        [THREADS, MODE, SPLIT_DEPTH].map(|name| self.params.get(name))
    }

    fn config(&self) -> Config<'_> {
        (&self.backend, &self.params)
    }
}

/// What was measured, and on what. Samples of different origins are never in one row, and never the
/// two sides of a ratio.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Origin {
    /// The measured program and its version.
    pub program: String,
    /// Commit of the measuring program.
    pub commit: String,
    /// What tells the machine from others, and the compiler, in a line.
    pub machine: String,
}

impl Origin {
    pub(crate) fn of(record: &Record) -> Self {
        Self {
            program: clean(&record.program),
            commit: match record.dirty {
                Some(true) if !record.commit.ends_with("-dirty") => {
                    format!("{}-dirty", clean(&record.commit))
                }
                _ => clean(&record.commit),
            },
            machine: identity(&record.machine),
        }
    }
}

/// What must be equal for times to be comparable. Load and governor may change from sample to sample.
fn identity(machine: &Machine) -> String {
    let parts = [
        machine.processor.clone(),
        format!("{} cores", machine.cores),
        machine.os.clone(),
        machine.kernel.clone(),
        machine.compiler.clone(),
        machine.flags.clone().unwrap_or_default(),
        machine.id.as_ref().map_or(String::new(), |id| format!("id {id}")),
        if machine.debug_build { "built without optimisation" } else { "" }.to_owned(),
    ];
    let told: Vec<&str> =
        parts.iter().map(String::as_str).filter(|part| !part.is_empty()).collect();
    clean(&told.join(", "))
}

/// What each origin is called beside the others: only what differs is told, and machines, whose
/// descriptions are long, are counted. Empty where there is only one.
pub(crate) fn origin_names(origins: &BTreeSet<&Origin>) -> Vec<String> {
    let distinct = |field: fn(&Origin) -> &String| -> Vec<&String> {
        let values: BTreeSet<_> = origins.iter().map(|origin| field(origin)).collect();
        values.into_iter().collect()
    };
    let programs = distinct(|origin| &origin.program);
    let commits = distinct(|origin| &origin.commit);
    let machines = distinct(|origin| &origin.machine);
    let name = |origin: &&Origin| {
        let mut parts = Vec::new();
        if programs.len() > 1 {
            parts.push(origin.program.clone());
        }
        if commits.len() > 1 {
            parts.push(origin.commit.clone());
        }
        if machines.len() > 1 {
            let place = machines.iter().position(|machine| **machine == origin.machine);
            parts.push(format!("machine {}", place.unwrap_or(0) + 1));
        }
        parts.join(", ")
    };
    origins.iter().map(name).collect()
}

/// What some records are called: their configurations, and the programs and machines.
#[derive(Debug)]
pub(crate) struct Names<'a> {
    pub labels: Labels<'a>,
    /// Each origin with its name, see [`origin_names`].
    pub origins: Vec<(Origin, String)>,
}

impl<'a> Names<'a> {
    /// Of records, each with its key.
    pub fn new(samples: impl Iterator<Item = (&'a Key, &'a Record)> + Clone) -> Self {
        let origins: BTreeSet<&Origin> = samples.clone().map(|(key, _)| &key.origin).collect();
        let names = origin_names(&origins);
        let origins = origins.into_iter().cloned().zip(names).collect();
        Self { labels: Labels::new(samples), origins }
    }
}

/// What the configurations of some records are called, and which of them are points of a sweep.
#[derive(Debug)]
pub(crate) struct Labels<'a> {
    names: BTreeMap<Config<'a>, String>,
    swept: BTreeSet<Config<'a>>,
}

/// A backend and its parameters, wherever they were measured.
type Config<'a> = (&'a str, &'a BTreeMap<String, String>);

impl<'a> Labels<'a> {
    /// Of records, each with its key.
    ///
    /// A backend's configuration is a point of a sweep where the runs that it is in have the backend
    /// with other parameters too, while another configuration of the same backend stands by itself
    /// in some run. So the runs of a study and the sweeps beside them can be shown together: the
    /// study's configurations keep the plain names of their backends. Ways to share lists are no
    /// points of a sweep, but apart as backends are.
    pub fn new(samples: impl Iterator<Item = (&'a Key, &'a Record)>) -> Self {
        let mut runs: BTreeMap<_, BTreeSet<Config>> = BTreeMap::new();
        for (key, record) in samples {
            let run = (&key.origin, record.seed, &record.command, which(&key.config()));
            runs.entry(run).or_default().insert(key.config());
        }
        let all: BTreeSet<Config> = runs.values().flatten().copied().collect();
        let alone = runs.values().filter(|configs| configs.len() == 1).flatten();
        let plain: BTreeSet<Config> = alone.copied().collect();
        let has_plain: BTreeSet<_> = plain.iter().map(which).collect();
        let is_swept =
            |config: &Config| !plain.contains(config) && has_plain.contains(&which(config));
        let swept: BTreeSet<Config> = all.iter().copied().filter(is_swept).collect();
        let shown = all.iter().copied().filter(|config| !swept.contains(config));
        let mut names = names(shown);
        let among_all = self::names(all.iter().copied());
        names.extend(swept.iter().map(|config| (*config, among_all[config].clone())));
        let distinct: BTreeSet<&String> = names.values().collect();
        if distinct.len() < names.len() {
            names = among_all;
        }
        Self { names, swept }
    }

    /// The backend, and in braces the parameters that tell it from the other configurations of the
    /// same backend. The same in each origin.
    pub fn name<'b>(&'b self, key: &'b Key) -> &'b str {
        self.names.get(&key.config()).map_or("", String::as_str)
    }

    /// Whether the configuration is a point of a sweep beside a study.
    pub fn is_swept(&self, key: &Key) -> bool {
        self.swept.contains(&key.config())
    }
}

/// A backend, and how its tasks share lists.
fn which<'a>(&(backend, params): &Config<'a>) -> (&'a str, Option<&'a String>) {
    (backend, params.get(LISTS))
}

/// A configuration's name without how its tasks share lists, for where that is told by itself.
pub(crate) fn without_lists(name: &str, params: &BTreeMap<String, String>) -> String {
    let Some(lists) = params.get(LISTS) else { return name.to_owned() };
    let told = format!("{LISTS}={lists}");
    let found = [format!("{{{told}}}"), format!("{told},"), format!(",{told}")];
    let found = found.iter().find(|told| name.contains(told.as_str()));
    found.map_or_else(|| name.to_owned(), |told| name.replacen(told, "", 1))
}

/// The name of each key's configuration, where runs are not told apart.
pub(crate) fn labels<'a>(keys: impl Iterator<Item = &'a Key>) -> BTreeMap<&'a Key, String> {
    let keys: Vec<&Key> = keys.collect();
    let names = names(keys.iter().map(|key| key.config()));
    keys.iter().map(|&key| (key, names[&key.config()].clone())).collect()
}

fn names<'a>(configs: impl Iterator<Item = Config<'a>>) -> BTreeMap<Config<'a>, String> {
    let configs: BTreeSet<Config> = configs.collect();
    // A missing parameter differs from a given one, so each name is looked up in every one.
    let mut known: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (backend, params) in &configs {
        known.entry(backend).or_default().extend(params.keys().map(String::as_str));
    }
    let mut values: BTreeMap<(&str, &str), BTreeSet<Option<&str>>> = BTreeMap::new();
    for (backend, params) in &configs {
        for name in &known[backend] {
            let value = params.get(*name).map(String::as_str);
            values.entry((backend, name)).or_default().insert(value);
        }
    }
    let name = |(backend, params): &Config<'a>| {
        // How lists are shared is asked of a backend even where it has one way only, and another
        // order of tasks than the usual one.
        let tells =
            |name: &str| [LISTS, ORDER].contains(&name) || values[&(*backend, name)].len() > 1;
        let telling = params.iter().filter(|(name, _)| tells(name));
        let telling: Vec<String> = telling
            .map(|(name, value)| match name.as_str() {
                // A library's file; its folder says little.
                ALLOCATOR => format!("{name}={}", value.rsplit('/').next().unwrap_or(value)),
                _ => format!("{name}={value}"),
            })
            .collect();
        match telling.is_empty() {
            true => (*backend).to_owned(),
            false => format!("{backend}{{{}}}", telling.join(",")),
        }
    };
    configs.iter().map(|config| (*config, name(config))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(command: &str, backend: &str, nursery: &str) -> Record {
        Record {
            command: command.into(),
            backend: backend.into(),
            params: [("nursery".to_owned(), nursery.to_owned())].into(),
            ..Record::new()
        }
    }

    /// Each configuration's name, with a star at a point of a sweep.
    fn named(records: &[Record]) -> Vec<String> {
        let keys: Vec<Key> = records.iter().map(Key::of).collect();
        let labels = Labels::new(keys.iter().zip(records));
        let star = |key: &Key| if labels.is_swept(key) { "*" } else { "" };
        keys.iter().map(|key| format!("{}{}", labels.name(key), star(key))).collect()
    }

    #[test]
    fn a_study_keeps_its_names_beside_a_sweep() {
        let study = [record("study", "gc", "256KiB"), record("study", "rc", "")];
        let sweep = ["8KiB", "256KiB", "1MiB"].map(|nursery| record("sweep", "gc", nursery));
        assert_eq!(named(&study), ["gc", "rc"]);
        assert_eq!(named(&sweep), ["gc{nursery=8KiB}", "gc{nursery=256KiB}", "gc{nursery=1MiB}"]);
        assert_eq!(
            named(&[&study[..], &sweep].concat()),
            ["gc", "rc", "gc{nursery=8KiB}*", "gc", "gc{nursery=1MiB}*"]
        );
    }

    #[test]
    fn two_runs_with_other_parameters_are_no_sweep() {
        let records = [record("one", "gc", "8KiB"), record("two", "gc", "1MiB")];
        assert_eq!(named(&records), ["gc{nursery=8KiB}", "gc{nursery=1MiB}"]);
    }
}
