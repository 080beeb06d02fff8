//! How each value is written on the command line. Every error says what would
//! be right; the option and the value are put before it.

use crate::parallel::{MOST_DEPTH, MOST_THREADS};
use heap::carry::Lists;
use heap::settings::parse_bytes;
use heap::{BACKENDS, Info};
use nqueens::MAX_N;
use std::ops::RangeInclusive;
use std::time::Duration;

/// Most rounds of a run.
pub const MAX_ROUNDS: u32 = 100_000;

/// Shortest time that can be given.
const SHORTEST: Duration = Duration::from_micros(1);

/// Longest time that can be given.
const LONGEST: Duration = Duration::from_secs(7 * 24 * 60 * 60);

/// How many samples to take of each configuration at each size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rounds {
    /// So many.
    Count(u32),
    /// Until the ratios are precise, or the time is up.
    Auto,
}

/// One `--set`, not yet checked against the backend's parameters.
#[derive(Clone, Debug)]
pub struct Setting {
    /// The backend.
    pub backend: &'static Info,
    /// The parameter's name.
    pub name: String,
    /// The value as it was written.
    pub value: String,
}

/// What means every backend, or every row of a study.
pub const ALL: &str = "all";

/// Reads the name of a study.
pub fn study(text: &str) -> Result<&'static studies::Study, String> {
    studies::find(text).ok_or_else(|| {
        let names: Vec<&str> = studies::STUDIES.iter().map(|study| study.name).collect();
        let meant = did_you_mean(&nearest(text, names.iter().copied()));
        format!("{meant}the studies are {}", names.join(", "))
    })
}

/// Reads the name of a backend.
pub fn backend(text: &str) -> Result<&'static Info, String> {
    heap::find(text).ok_or_else(|| {
        let meant = did_you_mean(&nearest(text, BACKENDS.iter().map(|info| info.name)));
        format!("no backend is called that; {meant}'rc-vs-gc list' names all")
    })
}

/// Reads the name of a peer, or of a folder of peers, or `all`; which there are is seen later.
pub fn peer(text: &str) -> Result<String, String> {
    match text.trim() {
        "" => Err("give names, or all; 'rc-vs-gc peers list' names them".into()),
        name => Ok(name.to_owned()),
    }
}

/// Reads a size or a range of them, up to a largest: `8`, `6..=10`, `6..11`. `None` where it is none.
pub fn sizes(text: &str, most: u32) -> Option<RangeInclusive<u32>> {
    let size = |text: &str| text.trim().parse::<u32>().ok();
    let (first, last) = if let Some((first, last)) = text.split_once("..=") {
        (size(first)?, size(last)?)
    } else if let Some((first, end)) = text.split_once("..") {
        (size(first)?, size(end)?.checked_sub(1)?)
    } else {
        (size(text)?, size(text)?)
    };
    (1 <= first && first <= last && last <= most).then_some(first..=last)
}

/// Reads a board size or a range of them.
pub fn board_sizes(text: &str) -> Result<RangeInclusive<u32>, String> {
    let wrong = || format!("give board sizes from 1 to {MAX_N}, such as 8 or 8,9 or 6..=10");
    sizes(text, MAX_N).ok_or_else(wrong)
}

/// Reads a number of threads or a range of them.
pub fn threads(text: &str) -> Result<RangeInclusive<u32>, String> {
    let wrong = || format!("give numbers from 1 to {MOST_THREADS}, such as 2 or 1,2,4 or 1..=8");
    sizes(text, MOST_THREADS).ok_or_else(wrong)
}

/// Reads a number of levels that are split.
pub fn split_depth(text: &str) -> Result<u32, String> {
    let depth = text.parse().ok().filter(|depth| (0..=MOST_DEPTH).contains(depth));
    depth.ok_or_else(|| format!("give a number of levels from 0 to {MOST_DEPTH}"))
}

/// Reads the name of a way to share lists.
pub fn lists(text: &str) -> Result<String, String> {
    let names = Lists::ALL.map(Lists::name);
    let known = names.contains(&text);
    known.then(|| text.to_owned()).ok_or_else(|| format!("the ways are {}", names.join(", ")))
}

/// Reads a size in bytes: `64MiB`.
pub fn bytes(text: &str) -> Result<usize, String> {
    parse_bytes(text).ok_or_else(|| "give a size such as 4096, 64KiB, 1.5MiB or 2GiB".into())
}

/// Reads a number of rounds, or `auto`.
pub fn rounds(text: &str) -> Result<Rounds, String> {
    if text == "auto" {
        return Ok(Rounds::Auto);
    }
    let rounds = text.parse().ok().filter(|rounds| (1..=MAX_ROUNDS).contains(rounds));
    let rounds = rounds.ok_or_else(|| format!("give a count from 1 to {MAX_ROUNDS}, or auto"));
    rounds.map(Rounds::Count)
}

/// Reads the width of an interval, as a fraction: `2%` is 0.02.
pub fn target(text: &str) -> Result<f64, String> {
    let target = percent(text).ok().filter(|target| (0.0001..=1.0).contains(target));
    target.ok_or_else(|| "give per cent from 0.01 to 100, such as 2%".into())
}

/// Reads a time: `60s`, `1h 30m`, `100ms`.
pub fn time(text: &str) -> Result<Duration, String> {
    let time = humantime::parse_duration(text).ok();
    let time = time.filter(|time| (SHORTEST..=LONGEST).contains(time));
    time.ok_or_else(|| "give a time from 1us to 7days, such as 100ms, 60s or 5min".into())
}

/// Reads a percentage, as a fraction: `5%` is 0.05.
pub fn percent(text: &str) -> Result<f64, String> {
    let number = text.strip_suffix('%').unwrap_or(text).trim_end().parse::<f64>().ok();
    let fraction = number.map(|percent| percent / 100.0).filter(|part| (0.0..=10.0).contains(part));
    fraction.ok_or_else(|| "give per cent from 0 to 1000, such as 5%".into())
}

/// Reads a seed.
pub fn seed(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| format!("give a whole number from 0 to {}", u64::MAX))
}

/// Reads a setting: `gc.nursery=256KiB`.
pub fn setting(text: &str) -> Result<Setting, String> {
    let form = || "the form is BACKEND.NAME=VALUE, such as gc.nursery=256KiB".to_owned();
    let (target, value) = text.split_once('=').ok_or_else(form)?;
    let (name, parameter) = target.split_once('.').ok_or_else(form)?;
    let backend = backend(name).map_err(|why| format!("'{name}': {why}"))?;
    Ok(Setting { backend, name: parameter.to_owned(), value: value.to_owned() })
}

/// A question, with a space behind it; empty where nothing is near.
pub fn did_you_mean(nearest: &[&str]) -> String {
    match nearest.is_empty() {
        true => String::new(),
        false => format!("did you mean {}? ", nearest.join(" or ")),
    }
}

/// The names that differ least from `text`, at most three, none if all differ much.
pub fn nearest<'a>(text: &str, names: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let text = text.to_lowercase();
    let mut near: Vec<(usize, &str)> = names
        .map(|name| (strsim::damerau_levenshtein(&text, name), name))
        .filter(|&(distance, name)| distance <= (name.len() / 2).clamp(1, 4))
        .collect();
    near.sort();
    near.dedup();
    near.into_iter().map(|(_, name)| name).take(3).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_of_sizes() {
        assert_eq!(board_sizes("8"), Ok(8..=8));
        assert_eq!(board_sizes("6..=10"), Ok(6..=10));
        assert_eq!(board_sizes("6..10"), Ok(6..=9));
        assert_eq!(sizes("33..1000", 1000), Some(33..=999));
        for wrong in ["", "0", "33", "x", "-1", "8..8", "9..=8", "0..=4", "30..=33", "..", "1..0"] {
            assert!(board_sizes(wrong).is_err() && sizes(wrong, MAX_N).is_none(), "{wrong:?}");
        }
    }

    #[test]
    fn times_and_rounds() {
        assert_eq!(time("1m 30s"), Ok(Duration::from_secs(90)));
        assert_eq!(time("100ms"), Ok(Duration::from_millis(100)));
        for wrong in ["", "60", "0s", "-1s", "x", "1ns", "8days", "1e3s"] {
            assert!(time(wrong).is_err(), "{wrong:?}");
        }
        assert_eq!((rounds("auto"), rounds("7")), (Ok(Rounds::Auto), Ok(Rounds::Count(7))));
        assert!(rounds("Auto").is_err() && target("0%").is_err() && target("2%") == Ok(0.02));
    }

    #[test]
    fn percentages() {
        assert_eq!((percent("5%"), percent("2.5")), (Ok(0.05), Ok(0.025)));
        for wrong in ["", "%", "-1%", "nan", "inf", "5 percent", "1001%"] {
            assert!(percent(wrong).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn nearest_names_first() {
        let names = ["rc", "arc", "rc-value", "arc-value", "mark-sweep", "semispace"];
        let near = |text| nearest(text, names.into_iter());
        assert_eq!(near("rcvalue"), ["rc-value", "arc-value"]);
        assert_eq!(near("marksweep"), ["mark-sweep"]);
        assert_eq!(near("Arc"), ["arc", "rc"]);
        assert_eq!(near("java"), [""; 0]);
    }
}
