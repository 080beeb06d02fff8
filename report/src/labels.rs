//! Which samples belong together, and what each group is called.

use crate::format::clean;
use crate::record::Record;
use std::collections::{BTreeMap, BTreeSet};

/// What makes two samples samples of the same configuration, whatever their n.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Key {
    pub backend: String,
    /// The parameters, and the number of threads among them.
    params: BTreeMap<String, String>,
}

impl Key {
    pub fn of(record: &Record) -> Self {
        let mut params: BTreeMap<_, _> =
            record.params.iter().map(|(name, value)| (clean(name), clean(value))).collect();
        params.insert("threads".to_owned(), record.threads.to_string());
        Self { backend: clean(&record.backend), params }
    }
}

/// A label for each key: the backend, and in braces the parameters that tell it from the other
/// groups of the same backend.
pub(crate) fn labels<'a>(keys: impl Iterator<Item = &'a Key> + Clone) -> BTreeMap<&'a Key, String> {
    let mut values: BTreeMap<(&str, &str), BTreeSet<Option<&str>>> = BTreeMap::new();
    for key in keys.clone() {
        for other in keys.clone().filter(|other| other.backend == key.backend) {
            // Also the names that only `other` has, since a missing parameter differs from a given one.
            for name in other.params.keys() {
                values
                    .entry((&key.backend, name))
                    .or_default()
                    .insert(key.params.get(name).map(String::as_str));
            }
        }
    }
    keys.map(|key| {
        let telling: Vec<String> = key
            .params
            .iter()
            .filter(|(name, _)| values[&(key.backend.as_str(), name.as_str())].len() > 1)
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        let label = match telling.is_empty() {
            true => key.backend.clone(),
            false => format!("{}{{{}}}", key.backend, telling.join(",")),
        };
        (key, label)
    })
    .collect()
}
