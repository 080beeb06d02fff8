//! What `sweep` varies: a parameter and the values it takes.

use crate::values;
use heap::settings::{parse_bytes, show_bytes};
use heap::{Info, Param, Unit};
use report::record::params::{ALLOCATOR, HEAP_LIMIT};

/// Most values of one parameter.
const MAX_VALUES: usize = 64;

/// A parameter that takes several values.
#[derive(Clone, Debug, PartialEq)]
pub enum Axis {
    /// A parameter of a backend.
    Param {
        /// The backend.
        backend: &'static str,
        /// The parameter's name.
        name: &'static str,
        /// Its values, as they are written.
        values: Vec<String>,
    },
    /// The heap limit of every backend of the run.
    Limit(Vec<Limit>),
    /// The library that takes the place of the platform's malloc, in every
    /// backend of the run; none for the platform's own.
    Allocator(Vec<Option<String>>),
}

/// One heap limit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Limit {
    /// In bytes.
    Bytes(usize),
    /// As a multiple of the most that lives at once.
    Multiple(f64),
}

/// Reads an axis: `gc.nursery=8KiB..8MiB`, `heap-limit=1.1x..8x`, `gc.append=speculate,branch`,
/// `allocator=system,/usr/lib/libjemalloc.so.2`.
///
/// A range runs from its first value to its last, both included: sizes double,
/// other numbers grow by the square root of two.
pub fn axis(text: &str) -> Result<Axis, String> {
    let form = "the form is BACKEND.NAME=VALUES, heap-limit=VALUES or allocator=FILES, such as \
                gc.nursery=8KiB..8MiB or heap-limit=1.1x..8x";
    let (target, list) = text.split_once('=').ok_or(form)?;
    if target == HEAP_LIMIT {
        let each = |item: &str| limits(item);
        return Ok(Axis::Limit(items(list, each)?));
    }
    if target == ALLOCATOR {
        return Ok(Axis::Allocator(items(list, |item| Ok(vec![allocator(item)?]))?));
    }
    let (backend, name) = target.split_once('.').ok_or(form)?;
    let info = values::backend(backend).map_err(|why| format!("'{backend}': {why}"))?;
    let param = param(info, name)?;
    let each = |item: &str| param_values(info, param, item);
    Ok(Axis::Param { backend: info.name, name: param.name, values: items(list, each)? })
}

fn param(info: &Info, name: &str) -> Result<&'static Param, String> {
    info.params.iter().find(|param| param.name == name).ok_or_else(|| {
        let known: Vec<_> = info.params.iter().map(|param| param.name).collect();
        let known = if known.is_empty() { "none".into() } else { known.join(", ") };
        format!("'{}' has no parameter '{name}' (it has: {known})", info.name)
    })
}

/// The values of a comma list, each once.
fn items<T: PartialEq>(
    list: &str,
    each: impl Fn(&str) -> Result<Vec<T>, String>,
) -> Result<Vec<T>, String> {
    let mut values: Vec<T> = Vec::new();
    for item in list.split(',') {
        for value in each(item.trim())? {
            if !values.contains(&value) {
                values.push(value);
            }
        }
    }
    match values.len() {
        1..=MAX_VALUES => Ok(values),
        many => Err(format!("{many} values; give 1 to {MAX_VALUES}")),
    }
}

/// The ends of a range `a..b` or `a..=b`.
fn range(item: &str) -> Option<(&str, &str)> {
    let (first, last) = item.split_once("..")?;
    Some((first, last.strip_prefix('=').unwrap_or(last)))
}

/// A library's whole path, or none for `system`.
fn allocator(item: &str) -> Result<Option<String>, String> {
    if item == "system" {
        return Ok(None);
    }
    if !cfg!(target_os = "linux") {
        return Err("another allocator can be put in place on Linux only".into());
    }
    let library = std::fs::canonicalize(item).ok().filter(|path| path.is_file());
    // The loader separates libraries by blanks and colons.
    let path = library.and_then(|path| path.to_str().map(str::to_owned));
    let path = path.filter(|path| !path.contains([' ', ':']));
    path.map(Some).ok_or_else(|| {
        format!("'{item}': give system, or the file of a library, such as libjemalloc.so.2")
    })
}

fn limits(item: &str) -> Result<Vec<Limit>, String> {
    let wrong = || {
        format!("'{item}': give limits such as 1MiB, 64KiB..1MiB, 2x or 1.1x..8x (of what lives)")
    };
    let multiple = |text: &str| {
        let number = text.strip_suffix(['x', 'X'])?.parse::<f64>().ok()?;
        (0.1..=1e6).contains(&number).then_some(number)
    };
    let (first, last) = range(item).unwrap_or((item, item));
    if let (Some(first), Some(last)) = (multiple(first), multiple(last)) {
        return Ok(growing(first, last).ok_or_else(wrong)?.map(Limit::Multiple).collect());
    }
    let ends = parse_bytes(first).zip(parse_bytes(last));
    let (first, last) = ends.ok_or_else(wrong)?;
    Ok(doubling(first, last).ok_or_else(wrong)?.map(Limit::Bytes).collect())
}

fn param_values(info: &Info, param: &Param, item: &str) -> Result<Vec<String>, String> {
    let single = || vec![item.to_owned()];
    let values = match (range(item), param.unit) {
        (None, _) | (_, Unit::Choice(_)) => Some(single()),
        (Some((first, last)), Unit::Bytes(..)) => parse_bytes(first)
            .zip(parse_bytes(last))
            .and_then(|(first, last)| Some(doubling(first, last)?.map(show_bytes).collect())),
        (Some((first, last)), Unit::Factor(..)) => (first.parse().ok())
            .zip(last.parse().ok())
            .and_then(|(first, last)| growing(first, last))
            .map(|values| values.map(|value| value.to_string()).collect()),
    };
    let values = values.ok_or_else(|| format!("'{item}' is no range of values that grow"))?;
    // The backend's own bounds and words.
    let mut settings = heap::Settings::new(info);
    for value in &values {
        settings.set(info, param.name, value).map_err(|why| why.to_string())?;
    }
    Ok(values)
}

/// `first`, twice that, and so on up to `last`, which is always among them.
fn doubling(first: usize, last: usize) -> Option<impl Iterator<Item = usize>> {
    let steps = std::iter::successors(Some(first), |value| value.checked_mul(2));
    let below = steps.take_while(move |&value| value < last);
    (first <= last).then(|| below.chain([last]))
}

/// From `first` to `last` in steps of the square root of two, to two digits.
fn growing(first: f64, last: f64) -> Option<impl Iterator<Item = f64>> {
    let two_digits = |value: f64| {
        let unit = 10_f64.powf(value.log10().floor() - 1.0);
        // Through text, since 22 * 0.1 is not 2.2.
        format!("{:.6}", (value / unit).round() * unit).parse().unwrap_or(value)
    };
    let step = move |k: i32| if k == 0 { first } else { two_digits(first * 2_f64.sqrt().powi(k)) };
    // A step that would all but reach the end is left out.
    let below = (0..).map(step).take_while(move |&value| value * 1.1 < last);
    (first.is_finite() && last.is_finite() && 0.0 < first && first <= last)
        .then(|| below.take(MAX_VALUES + 1).chain([last]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn swept(text: &str) -> Vec<String> {
        match axis(text) {
            Ok(Axis::Param { values, .. }) => values,
            other => panic!("{text}: {other:?}"),
        }
    }

    #[test]
    fn sizes_double() {
        assert_eq!(swept("gc.nursery=8KiB..64KiB"), ["8KiB", "16KiB", "32KiB", "64KiB"]);
        assert_eq!(swept("gc.nursery=8KiB..=20KiB"), ["8KiB", "16KiB", "20KiB"]);
        assert_eq!(swept("gc.nursery=8KiB,1MiB,8KiB"), ["8KiB", "1MiB"]);
        assert_eq!(swept("gc.nursery=8KiB..8KiB"), ["8KiB"]);
    }

    #[test]
    fn factors_grow() {
        assert_eq!(swept("gc.growth=1.5..4"), ["1.5", "2.1", "3", "4"]);
        assert_eq!(swept("gc.append=speculate,branch"), ["speculate", "branch"]);
        let Ok(Axis::Limit(limits)) = axis("heap-limit=1.1x..8x,1MiB..2MiB") else { panic!() };
        let multiples = [1.1, 1.6, 2.2, 3.1, 4.4, 6.2, 8.0].map(Limit::Multiple);
        assert_eq!(limits[..7], multiples);
        assert_eq!(limits[7..], [Limit::Bytes(1 << 20), Limit::Bytes(2 << 20)]);
    }

    #[test]
    fn what_is_wrong_is_said() {
        let wrong = [
            "nursery",
            "gc=1",
            "gc.x=1",
            "gd.nursery=1KiB",
            "rc.x=1",
            "gc.nursery=",
            "gc.nursery=1",
            "gc.nursery=8MiB..8KiB",
            "gc.nursery=x..y",
            "gc.nursery=8KiB..",
            "gc.growth=nan..2",
            "gc.growth=2..inf",
            "gc.growth=1..2",
            "gc.append=speculate..branch",
            "heap-limit=0x",
            "heap-limit=1x..2",
            "heap-limit=-1x",
            "heap-limit=8x..1x",
            "heap-limit=infx",
            "heap-limit=1..1TiB,1x..1000000x",
            "allocator=",
            "allocator=no/such/file",
            "allocator=.",
        ];
        for text in wrong {
            let why = axis(text).expect_err(text);
            assert!(!why.is_empty() && !why.contains('\n'), "{text}: {why}");
        }
    }
}
