//! The answer in a few sentences, made from the data: other data, other sentences.

use crate::format::{human_time, significant};
use crate::record::{Record, Status};
use crate::stats::Estimate;
use crate::summary::{Row, Summary};

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
    let mut sentences = vec![fastest(summary, n)];
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

fn fastest(summary: &Summary, n: u32) -> String {
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
    let of = match rows.len() {
        1 => "the only general-purpose backend with a time at".to_owned(),
        many => format!("the fastest of {many} general-purpose backends at"),
    };
    format!("{} is {of} n = {n}: {}{interval}.", row.label, human_time(time.value))
}

fn counting(records: &[Record], summary: &Summary, name: &str, n: u32) -> Option<String> {
    let against = summary.groups.iter().find(|group| group.backend == COLLECTOR)?;
    let other;
    let summary = match summary.baseline.as_ref() == Some(&against.label) {
        true => summary,
        false => {
            other = Summary::new(records, Some(COLLECTOR)).ok()?;
            &other
        }
    };
    let row = summary.rows_at(n).find(|row| summary.group_of(row).backend == name)?;
    let ratio = compared(&row.ratio?, summary.noise_at(n).map(|noise| noise.fraction()));
    Some(format!("Naive reference counting ({}) is {ratio} {}.", row.label, against.label))
}

/// A ratio in words, to be followed by the name of what it is compared with.
fn compared(ratio: &Estimate, noise: Option<f64>) -> String {
    let below_noise = ratio.value.ln().abs() < noise.unwrap_or(0.0).ln_1p();
    let (low, high) = ratio.interval().unwrap_or((ratio.value, ratio.value));
    if below_noise || (low..=high).contains(&1.0) {
        return "not distinguishable from".to_owned();
    }
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
mod tests {
    use super::*;

    #[test]
    fn words_follow_numbers() {
        let ratio = |value, low, high| Estimate { value, low, high, samples: 9 };
        assert_eq!(
            compared(&ratio(2.0, 1.9, 2.1), None),
            "2.00 times slower (95 %: 1.90 to 2.10) than"
        );
        assert_eq!(
            compared(&ratio(0.5, 0.4, 0.8), None),
            "2.00 times faster (95 %: 1.25 to 2.50) than"
        );
        assert_eq!(compared(&ratio(1.01, 1.005, 1.02), Some(0.02)), "not distinguishable from");
        assert_eq!(compared(&ratio(1.1, 0.9, 1.2), Some(0.02)), "not distinguishable from");
    }
}
