//! How much more work threads do than one, and what processor time it takes.

use super::super::{Block, Line, Spot, counted, counted_cores};
use super::{list, name, range, telling_threads};
use crate::format::significant;
use crate::stats::Estimate;
use crate::verdict::{Verdict, clause, from_to, percent};

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
    let most = lines.iter().flat_map(|line| &line.spots).filter(|spot| !spot.apart());
    let most = most.map(Spot::threads).max().filter(|&most| most != threads);
    said.extend(most.and_then(|most| without_a_core_each(&told(lines, most), &with_lists)));
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
    if spot.oversubscribed() {
        return format!("{} (oversubscribed)", counted_cores(spot.cores(), ""));
    }
    let shared = if spot.shares_physical_cores() { " (shared)" } else { "" };
    match spot.physical_cores() {
        Some(physical) => format!("{}{shared}", counted_cores(physical, "physical")),
        None => counted_cores(spot.cores(), ""),
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
        let side_by_side = block.mode.side_by_side();
        match line.verdict(spot) {
            Some(Verdict::Faster { .. } | Verdict::TooFew { .. }) if speed_up.value >= 1.0 => {
                let what = match (in_full, side_by_side) {
                    (false, _) => format!("{value} times"),
                    (true, true) => format!("does {value} times the work of one thread"),
                    (true, false) => format!("is {value} times as fast as one thread"),
                };
                format!("{name} {what} ({})", range(speed_up))
            }
            // Each thread does the whole work: a time beside that of one thread would be of as many
            // searches as there are threads.
            Some(Verdict::NoDifference { floor }) if side_by_side => format!(
                "{name} does as much work as one thread in the same time (no difference above the \
                 noise floor of {})",
                percent(floor)
            ),
            Some(Verdict::Unclear) if side_by_side => {
                format!("{name} does work that is not distinguishable from that of one thread")
            }
            _ if side_by_side => format!(
                "{name} does {value} times the work of one thread in the same time ({})",
                range(speed_up)
            ),
            _ => {
                let floor = line.floor(spot);
                format!("{name} {}", clause(&speed_up.inverse(), floor, "one thread"))
            }
        }
    }

    fn times(&self) -> String {
        format!("{} times", significant(self.speed_up.value))
    }
}

/// The most and the least that threads do that share cores. Where intervals overlap, which does more is
/// chance: one is named only where its interval lies apart from all others.
fn without_a_core_each(told: &[Told], with_lists: &str) -> Option<String> {
    let (first, last) = (told.first()?, told.last()?);
    let cores = if first.spot.oversubscribed() { "cores" } else { "physical cores" };
    let threads = counted(first.spot.threads());
    let head = format!("With {threads}{with_lists}, more than the {cores}");
    let named = |told: &Told, what: &str| {
        let (times, range) = (told.times(), range(&told.speed_up));
        format!("{} {what}{times} the work of one ({range})", name(told.line))
    };
    if told.len() == 1 {
        return Some(format!("{head}, {}.", named(first, "does ")));
    }
    let (all_but_first, all_but_last) = (&told[1..], &told[..told.len() - 1]);
    let confident = told.iter().all(|told| told.speed_up.confident());
    let most = all_but_first.iter().all(|other| other.speed_up.high < first.speed_up.low);
    let least = all_but_last.iter().all(|other| other.speed_up.low > last.speed_up.high);
    let said = match (confident && most, confident && least) {
        (true, true) => format!(
            "{}, and {} the least, {} ({})",
            named(first, "does the most, "),
            name(last.line),
            last.times(),
            range(&last.speed_up)
        ),
        (true, false) => {
            let others = span(all_but_first, "");
            format!("{}; the others do {others}", named(first, "does the most, "))
        }
        (false, true) => {
            let others = span(all_but_last, "");
            format!("{}; the others do {others}", named(last, "does the least, "))
        }
        (false, false) => {
            let all =
                if told.len() == 2 { "both".to_owned() } else { format!("all {}", told.len()) };
            let times = span(told, " the work of one");
            format!("{all} do {times}, and none stands out as the most or the least")
        }
    };
    Some(format!("{head}, {said}."))
}

/// From the lowest end of any interval to the highest: `1.86 to 1.91 times (95 %)`.
fn span(told: &[Told], of_what: &str) -> String {
    let ends = told.iter().map(|told| (told.speed_up.low, told.speed_up.high));
    let (low, high) = ends.fold((f64::INFINITY, 0.0), |(low, high): (f64, f64), (from, to)| {
        (low.min(from), high.max(to))
    });
    let confident = told.iter().all(|told| told.speed_up.confident());
    let rounds = if confident { "95 %" } else { "few rounds" };
    format!("{} times{of_what} ({rounds})", from_to(low, high))
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
        let lists = line.lists().map_or(String::new(), |lists| format!(" ({lists})"));
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
