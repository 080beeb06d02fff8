//! How much more work threads do than one, and what processor time it takes.

use super::super::{Block, Line, Spot, counted};
use super::{list, name, range, telling_threads};
use crate::format::significant;
use crate::stats::Estimate;
use crate::verdict::{Verdict, clause};

/// Of more lines than that, the first and the last are told.
const MOST_TOLD: usize = 6;
const FIRST: usize = 3;
const LAST: usize = 2;

/// A line with its speed-up.
struct Told<'a> {
    line: &'a Line<'a>,
    spot: Spot<'a>,
    speed_up: Estimate,
}

/// Of lines that share lists in one way: how much more they do with the threads that tell most, and with
/// the most of them; empty where nothing has a speed-up.
pub(super) fn scaling<'a>(block: &Block, lines: &[&'a Line<'a>], way: Option<&str>) -> Vec<String> {
    let Some(threads) = telling_threads(lines) else { return Vec::new() };
    let told_first = told(lines, threads);
    let Some(first) = told_first.first() else { return Vec::new() };
    let with_lists = way.map_or(String::new(), |lists| format!(" and lists {lists}"));
    let n = first.line.n;
    let head =
        format!("With {} on {}{with_lists} at n = {n}", counted(threads), cores(&first.spot));
    let mut said = vec![format!("{head}, {}.", work(block, &told_first))];
    let most = lines.iter().flat_map(|line| &line.spots).filter(|spot| spot.oversubscribed());
    let most = most.map(Spot::threads).max().filter(|&most| most != threads);
    said.extend(most.and_then(|most| oversubscribed(most, &told(lines, most), &with_lists)));
    said
}

/// Those with a speed-up with so many threads, the highest first.
fn told<'a>(lines: &[&'a Line<'a>], threads: u32) -> Vec<Told<'a>> {
    let of = |line: &'a Line<'a>| {
        let spot = line.with(threads)?;
        Some(Told { speed_up: line.speed_up(&spot)?, line, spot })
    };
    let mut told: Vec<Told> = lines.iter().filter_map(|line| of(line)).collect();
    told.sort_by(|a, b| b.speed_up.value.total_cmp(&a.speed_up.value));
    told
}

fn cores(spot: &Spot) -> String {
    let oversubscribed = if spot.oversubscribed() { " (oversubscribed)" } else { "" };
    match spot.cores() {
        1 => format!("1 core{oversubscribed}"),
        cores => format!("{cores} cores{oversubscribed}"),
    }
}

/// `stack does 1.97 times the work of one thread (95 %: 1.95 to 1.98), gc 1.96 times (...)`.
fn work(block: &Block, told: &[Told]) -> String {
    let some = |told: &[Told], first: bool| {
        let each = told.iter().enumerate();
        each.map(|(i, told)| told.words(block, first && i == 0)).collect::<Vec<String>>()
    };
    if told.len() <= MOST_TOLD {
        return some(told, true).join("; ");
    }
    let (first, rest) = told.split_at(FIRST);
    let (between, last) = rest.split_at(rest.len() - LAST);
    let between = match between.len() {
        1 => "1 lies".to_owned(),
        many => format!("{many} lie"),
    };
    let (first, last) = (some(first, true).join("; "), some(last, false));
    format!("{first}; {between} between these and the last, {}", list(&last))
}

impl Told<'_> {
    /// What it is beside one thread; in full, or as one of a list.
    fn words(&self, block: &Block, in_full: bool) -> String {
        let Self { line, spot, speed_up } = self;
        let (name, value) = (name(line), significant(speed_up.value));
        let floor = line.floor(spot);
        match line.verdict(spot) {
            Some(Verdict::Faster { .. } | Verdict::TooFew { .. }) if speed_up.value >= 1.0 => {
                let what = match (in_full, block.mode.side_by_side()) {
                    (false, _) => format!("{value} times"),
                    (true, true) => format!("does {value} times the work of one thread"),
                    (true, false) => format!("is {value} times as fast as one thread"),
                };
                format!("{name} {what} ({})", range(speed_up))
            }
            _ => {
                format!("{name} {}", clause(&speed_up.inverse(), floor, "one thread"))
            }
        }
    }
}

/// The most and the least of more threads than cores.
fn oversubscribed(threads: u32, told: &[Told], with_lists: &str) -> Option<String> {
    let times = |told: &Told| format!("{} times", significant(told.speed_up.value));
    let (first, last) = (told.first()?, told.last()?);
    let head = format!("With {}{with_lists}, more than the cores", counted(threads));
    let name_of = |told: &Told| name(told.line);
    Some(match told.len() {
        1 => format!("{head}, {} does {} the work of one.", name_of(first), times(first)),
        _ => format!(
            "{head}, {} does the most, {} the work of one, and {} the least, {}.",
            name_of(first),
            times(first),
            name_of(last),
            times(last)
        ),
    })
}

/// Whose searches take more processor time than with one thread; `None` where no times are known.
pub(super) fn processor_time(lines: &[Line]) -> Option<String> {
    const MOST: usize = 4;
    let all: Vec<&Line> = lines.iter().collect();
    let threads = telling_threads(&all)?;
    let mut known: Vec<(&Line, Estimate, Verdict)> = Vec::new();
    for line in lines {
        let grown = line
            .with(threads)
            .and_then(|spot| Some((line.cpu_growth(&spot)?, line.cpu_verdict(&spot)?)));
        known.extend(grown.map(|(growth, verdict)| (line, growth, verdict)));
    }
    let of = known.len();
    if known.iter().all(|(_, growth, _)| !growth.confident()) {
        return None;
    }
    let mut more: Vec<_> = (known.into_iter())
        .filter(|(.., verdict)| matches!(verdict, Verdict::Slower { .. }))
        .collect();
    more.sort_by(|(_, a, _), (_, b, _)| b.value.total_cmp(&a.value));
    let threads = counted(threads);
    if more.is_empty() {
        return Some(format!(
            "With {threads} no search takes more processor time than with one, as far as noise lets tell."
        ));
    }
    let told = more.iter().take(MOST).map(|(line, growth, _)| {
        let lists = line.spots[0].lists().map_or(String::new(), |lists| format!(" ({lists})"));
        let (name, times) = (name(line), significant(growth.value));
        format!("{name}{lists} {times} times as long ({})", range(growth))
    });
    let mut told: Vec<String> = told.collect();
    if more.len() > MOST {
        told.push(format!("{} more less so", more.len() - MOST));
    }
    Some(format!(
        "The processor time of one search, of all threads together, is longer with {threads} than with \
         one in {} of {of}: {}.",
        more.len(),
        list(&told)
    ))
}
