//! Which samples belong together, and what each group is called.

use crate::format::clean;
use crate::record::{Machine, Record};
use std::collections::{BTreeMap, BTreeSet};

/// Name of the library that takes malloc's place, among the parameters.
const ALLOCATOR: &str = "allocator";

/// Names of the heap limit, and of the multiple of what lives that it is, among the parameters.
const HEAP_LIMIT: &str = "heap-limit";
const HEAP_MULTIPLE: &str = "heap-multiple";

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
        params.insert("threads".to_owned(), record.threads.to_string());
        // A limit that is a multiple of what lives is another number of bytes at each n.
        if params.contains_key(HEAP_MULTIPLE) {
            params.remove(HEAP_LIMIT);
        }
        Self { origin: Origin::default(), backend: clean(&record.backend), params }
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

/// The name of each key's configuration: the backend, and in braces the parameters that tell it from
/// the other configurations of the same backend. The same in each origin.
pub(crate) fn labels<'a>(keys: impl Iterator<Item = &'a Key> + Clone) -> BTreeMap<&'a Key, String> {
    // A missing parameter differs from a given one, so each name is looked up in every key.
    let mut names: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for key in keys.clone() {
        names.entry(&key.backend).or_default().extend(key.params.keys().map(String::as_str));
    }
    let mut values: BTreeMap<(&str, &str), BTreeSet<Option<&str>>> = BTreeMap::new();
    for key in keys.clone() {
        for name in &names[key.backend.as_str()] {
            let value = key.params.get(*name).map(String::as_str);
            values.entry((&key.backend, name)).or_default().insert(value);
        }
    }
    keys.map(|key| {
        let telling: Vec<String> = key
            .params
            .iter()
            .filter(|(name, _)| values[&(key.backend.as_str(), name.as_str())].len() > 1)
            .map(|(name, value)| match name.as_str() {
                // A library's file; its folder says little.
                ALLOCATOR => format!("{name}={}", value.rsplit('/').next().unwrap_or(value)),
                _ => format!("{name}={value}"),
            })
            .collect();
        let label = match telling.is_empty() {
            true => key.backend.clone(),
            false => format!("{}{{{}}}", key.backend, telling.join(",")),
        };
        (key, label)
    })
    .collect()
}
