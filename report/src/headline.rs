//! The answer in a few sentences, made from the data: other data, other sentences.

use crate::format::{human_time, significant};
use crate::record::{Record, Status};
use crate::stats::Estimate;
use crate::summary::{NoiseFloor, Row, Summary};
use std::borrow::Cow;
use std::iter;

/// What naive reference counting is called: by value, the first that the records have.
const NAIVE_COUNTING: [&str; 2] = ["arc-split", "rc-value"];
/// The collector that it is compared with.
const COLLECTOR: &str = "gc";

/// The sentences, the most important first; never empty.
pub(crate) fn sentences(records: &[Record], summary: &Summary) -> Vec<String> {
    if records.is_empty() {
        return vec!["There are no measurements in these records.".to_owned()];
    }
    let timed = summary.rows.iter().filter(|row| row.time_ns.is_some());
    let Some(n) = timed.map(|row| row.n).max() else {
        let mut sentences = vec![
            "No backend has a time: every sample failed or was made to count work.".to_owned(),
        ];
        sentences.extend(failures(summary));
        return sentences;
    };
    let mut sentences = vec![fastest(records, summary, n)];
    sentences.extend(NAIVE_COUNTING.iter().find_map(|name| counting(records, summary, name, n)));
    sentences.push(match summary.noise_at(n) {
        Some(noise) => format!("{}; a difference below it is no difference.", noise.sentence()),
        None => format!("No backend was entered twice at n = {n}, so the noise floor is unknown."),
    });
    sentences.extend(failures(summary));
    if records.iter().any(|record| record.machine.debug_build) {
        sentences.push(
            "Some samples come from a build without optimisation: their times say nothing."
                .to_owned(),
        );
    }
    sentences
}

/// Names a winner only where the runner-up is slower by more than noise.
fn fastest(records: &[Record], summary: &Summary, n: u32) -> String {
    let general = |row: &&Row| !summary.group_of(row).capabilities.problem_specific;
    let mut rows: Vec<(&Row, Estimate)> =
        summary.rows_at(n).filter(general).filter_map(|row| Some((row, row.time_ns?))).collect();
    rows.sort_by(|a, b| a.1.value.total_cmp(&b.1.value));
    let Some((row, time)) = rows.first() else {
        return format!("At n = {n} only problem-specific backends have a time.");
    };
    let interval = time.interval().map_or(String::new(), |(low, high)| {
        format!(" (95 %: {} to {})", human_time(low), human_time(high))
    });
    let noise = summary.noise_at(n).map(NoiseFloor::fraction);
    let ratios = against(records, summary, &row.label);
    let mut all_below = noise.is_some();
    let mut tied = |(other, other_time): &&(&Row, Estimate)| {
        let ratios = ratios.as_ref().map(|summary| summary.rows_at(n));
        let ratio = ratios.and_then(|mut rows| rows.find(|r| r.label == other.label)?.ratio);
        let below = ratio.is_some_and(|ratio| below_noise(&ratio, noise));
        let tied = match ratio {
            Some(ratio) => below || includes_one(&ratio),
            // Of another run: all there is to compare are the intervals.
            None => other_time.low <= time.high,
        };
        all_below &= below || !tied;
        tied
    };
    let ties: Vec<_> = rows[1..].iter().filter(|other| tied(other)).collect();
    if let Some((_, slowest)) = ties.last() {
        let names = iter::once(row).chain(ties.iter().map(|(row, _)| row));
        let no_difference = match noise.filter(|_| all_below) {
            Some(noise) => {
                format!("with no difference above the noise floor of {:.1} %", noise * 100.0)
            }
            None => "not distinguishable from each other".to_owned(),
        };
        return format!(
            "{} are the fastest of {} general-purpose backends at n = {n}, {no_difference}: {} to {}.",
            list(names.map(|row| row.label.clone()).collect()),
            rows.len(),
            human_time(time.value),
            human_time(slowest.value),
        );
    }
    let of = match rows.len() {
        1 => "the only general-purpose backend with a time at".to_owned(),
        many => format!("the fastest of {many} general-purpose backends at"),
    };
    format!("{} is {of} n = {n}: {}{interval}.", row.label, human_time(time.value))
}

fn counting(records: &[Record], summary: &Summary, name: &str, n: u32) -> Option<String> {
    let against = summary.groups.iter().find(|group| group.backend == COLLECTOR)?;
    let label = &against.label;
    let summary = self::against(records, summary, label)?;
    let row = summary.rows_at(n).find(|row| summary.group_of(row).backend == name)?;
    let ratio = compared(&row.ratio?, summary.noise_at(n).map(NoiseFloor::fraction));
    Some(format!("Naive reference counting ({}) is {ratio} {label}.", row.label))
}

/// The summary with its ratios to one label.
fn against<'a>(records: &[Record], summary: &'a Summary, label: &str) -> Option<Cow<'a, Summary>> {
    match summary.baseline.as_deref() == Some(label) {
        true => Some(Cow::Borrowed(summary)),
        false => Summary::new(records, Some(label)).ok().map(Cow::Owned),
    }
}

/// Whether the noise may be all of it; never of equals where the noise is unknown.
fn below_noise(ratio: &Estimate, noise: Option<f64>) -> bool {
    ratio.value.ln().abs() <= noise.map_or(-1.0, f64::ln_1p)
}

fn includes_one(ratio: &Estimate) -> bool {
    let (low, high) = ratio.interval().unwrap_or((ratio.value, ratio.value));
    (low..=high).contains(&1.0)
}

/// A ratio in words, to be followed by the name of what it is compared with.
fn compared(ratio: &Estimate, noise: Option<f64>) -> String {
    if below_noise(ratio, noise) || includes_one(ratio) {
        return "not distinguishable from".to_owned();
    }
    let (low, high) = (ratio.low, ratio.high);
    let (word, value, low, high) = match ratio.value > 1.0 {
        true => ("slower", ratio.value, low, high),
        false => ("faster", 1.0 / ratio.value, 1.0 / high, 1.0 / low),
    };
    let [value, low, high] = [value, low, high].map(significant);
    match ratio.interval() {
        Some(_) => format!("{value} times {word} (95 %: {low} to {high}) than"),
        None => format!("{value} times {word} (one pair, no interval) than"),
    }
}

/// Names with commas and a last "and"; of many the first six.
fn list(mut names: Vec<String>) -> String {
    if names.len() > 7 {
        let more = names.len() - 6;
        names.truncate(6);
        names.push(format!("{more} more"));
    }
    let last = names.pop().unwrap_or_default();
    match names.is_empty() {
        true => last,
        false => format!("{} and {last}", names.join(", ")),
    }
}

fn failures(summary: &Summary) -> Option<String> {
    let failed = summary.rows.iter().filter(|row| row.status != Status::Ok);
    let mut named: Vec<String> = failed
        .map(|row| format!("{} ({} at n = {})", row.label, row.status.words(), row.n))
        .collect();
    let more = named.len().saturating_sub(4);
    named.truncate(4);
    if more > 0 {
        named.push(format!("and {more} more, listed below"));
    }
    (!named.is_empty()).then(|| format!("Failed: {}.", named.join(", ")))
}

#[cfg(test)]
mod tests;
