//! The configurations of a sweep.

use super::{Config, Subject, uniform};
use crate::axis::{Axis, Limit};
use crate::exit::Stop;
use crate::values::Setting;
use anyhow::anyhow;
use heap::settings::show_bytes;
use report::record::params::{ALLOCATOR, HEAP_LIMIT};

/// Every combination of the axes' values that apply to one configuration.
///
/// # Errors
///
/// [`crate::exit::Exit::BadInput`]: a parameter that is swept twice, or set as well.
pub(super) fn combinations(
    plain: &Config,
    axes: &[Axis],
    set: &[Setting],
) -> Result<Vec<Config>, Stop> {
    let Subject::Backend(info) = &plain.subject else { return Ok(vec![plain.clone()]) };
    let mut swept: Vec<&str> = Vec::new();
    let mut configs = vec![plain.clone()];
    for axis in axes {
        let name = match axis {
            Axis::Param { backend, .. } if *backend != info.name => continue,
            Axis::Param { name, .. } => *name,
            Axis::Limit(_) => HEAP_LIMIT,
            Axis::Allocator(_) => ALLOCATOR,
        };
        let is_set = set.iter().any(|set| set.backend.name == info.name && set.name == name);
        if is_set || swept.contains(&name) {
            let other = if is_set { "--set" } else { "another sweep" };
            let why = anyhow!("sweep {}.{name}: is given by {other} too; give one", info.name);
            return Err(Stop::bad_input(why));
        }
        swept.push(name);
        configs = match axis {
            Axis::Param { values, .. } => product(&configs, values, |config, value| {
                let param = info.params.iter().find(|param| param.name == name);
                let value = param.map_or_else(|| value.clone(), |param| uniform(param, value));
                config.params.insert(name.to_owned(), value);
            }),
            Axis::Limit(limits) => product(&configs, limits, |config, limit| match limit {
                Limit::Bytes(bytes) => {
                    config.params.insert(HEAP_LIMIT.to_owned(), show_bytes(*bytes));
                }
                Limit::Multiple(multiple) => config.multiple = Some(*multiple),
            }),
            Axis::Allocator(files) => product(&configs, files, |config, file| {
                let file = file.iter().map(|file| (ALLOCATOR.to_owned(), file.clone()));
                config.params.extend(file);
            }),
        };
    }
    Ok(configs)
}

fn product<V>(configs: &[Config], values: &[V], apply: impl Fn(&mut Config, &V)) -> Vec<Config> {
    let mut all = Vec::with_capacity(configs.len() * values.len());
    for config in configs {
        all.extend(values.iter().map(|value| {
            let mut config = config.clone();
            apply(&mut config, value);
            config
        }));
    }
    all
}

#[cfg(test)]
mod tests {
    use super::super::params;
    use super::*;
    use crate::axis::axis;
    use std::collections::BTreeSet;

    fn plain(name: &str) -> Config {
        let info = heap::find(name).unwrap();
        let params = params(info, 1 << 30, &[]).unwrap();
        Config {
            subject: Subject::Backend(info),
            params,
            threads: 1,
            multiple: None,
            control: false,
        }
    }

    #[test]
    fn axes_of_one_backend_are_combined() {
        let axes = ["gc.nursery=8KiB..32KiB", "gc.growth=2,4", "semispace.space=1MiB"];
        let axes = axes.map(|text| axis(text).unwrap());
        let configs = combinations(&plain("gc"), &axes, &[]).unwrap();
        let pairs: BTreeSet<_> =
            configs.iter().map(|c| (&c.params["nursery"], &c.params["growth"])).collect();
        assert_eq!((configs.len(), pairs.len()), (6, 6));
        assert_eq!(combinations(&plain("rc"), &axes, &[]).unwrap(), [plain("rc")]);
    }

    #[test]
    fn limits_apply_to_all_and_follow_what_lives() {
        let axes = [axis("heap-limit=2x,1MiB").unwrap()];
        let [multiple, bytes] = &combinations(&plain("rc"), &axes, &[]).unwrap()[..] else {
            panic!("two limits")
        };
        assert_eq!(bytes.params[HEAP_LIMIT], "1MiB");
        let params = multiple.params_at(Some(100));
        assert_eq!((&*params[HEAP_LIMIT], &*params["heap-multiple"]), ("6400B", "2x"));
    }

    #[test]
    fn a_parameter_is_given_once() {
        let twice = ["gc.nursery=8KiB", "gc.nursery=16KiB"].map(|text| axis(text).unwrap());
        let why = combinations(&plain("gc"), &twice, &[]).unwrap_err().to_string();
        assert!(why.contains("gc.nursery"), "{why}");
        let set = [crate::values::setting("gc.nursery=8KiB").unwrap()];
        assert!(combinations(&plain("gc"), &twice[..1], &set).is_err());
    }
}
