//! Threads: how much more work they do than one, and how much more processor time they take for it.
//!
//! A chart of each for every mode and machine; of several ways to share lists a panel for each.

use super::bars::LABEL_CHARS;
use super::panels::Panels;
use super::plot::{Kind, Plot, Plotted, Scale, Series, Style};
use super::sweep::stem;
use super::swept::{number, whiskers};
use super::{Made, made};
use crate::format::{shorten, significant};
use crate::record::Status;
use crate::stats::Estimate;
use crate::threads::{Block, Line, Spot, by_lists, counted, counted_cores};
use std::collections::BTreeSet;
use texts::texts;

#[cfg(test)]
mod tests;
mod texts;

/// What a hole in a marker means.
const OVERSUBSCRIBED: &str = "oversubscribed";

/// What is drawn against the number of threads.
#[derive(Clone, Copy, PartialEq)]
enum What {
    SpeedUp,
    Cpu,
}

/// The charts of one mode among others, those of each program and machine together: none where nothing
/// has times with one thread and with more.
pub(super) fn scaling<'a>(
    block: &'a Block,
    blocks: &[Block],
    stems: &mut BTreeSet<String>,
) -> Vec<Made<'a>> {
    let depth = block.depth_among(blocks);
    let depth = depth.map_or(String::new(), |depth| format!("-depth-{depth}"));
    let name = format!("{}{depth}", block.mode.name());
    let mut charts = Vec::new();
    for origin in 0..block.origins().len() {
        let lines = block.telling_lines(origin);
        for (what, end) in [(What::SpeedUp, ""), (What::Cpu, "-cpu")] {
            let drawn: Vec<Drawn> =
                lines.iter().filter_map(|line| Drawn::new(line, what)).collect();
            if !drawn.is_empty() {
                let stem = stem("threads", &format!("{name}{end}"), stems);
                charts.push(chart(block, origin, what, &drawn, stem));
            }
        }
    }
    charts
}

/// A line with what it has at each number of threads.
struct Drawn<'a> {
    line: &'a Line<'a>,
    points: Vec<(Spot<'a>, Estimate)>,
}

impl<'a> Drawn<'a> {
    /// `None` of fewer than two numbers of threads.
    fn new(line: &'a Line, what: What) -> Option<Self> {
        let value = |spot: &Spot| match what {
            What::SpeedUp => line.speed_up(spot),
            What::Cpu => line.cpu_growth(spot),
        };
        let points = line.spots.iter().filter_map(|spot| Some((*spot, value(spot)?)));
        let points: Vec<(Spot, Estimate)> = points.collect();
        (points.len() > 1).then_some(Self { line, points })
    }

    /// The name, without how lists are shared where its panel tells that, and where it failed.
    fn name(&self, with_lists: bool) -> String {
        let group = self.line.group();
        let config = match with_lists {
            true => group.config.clone(),
            false => self.line.config_without_lists(),
        };
        let name = shorten(&config, LABEL_CHARS);
        let specific = if group.capabilities.problem_specific { " (problem-specific)" } else { "" };
        let failed = self.line.spots.iter().find(|spot| spot.row.status != Status::Ok);
        let failed = failed.map_or(String::new(), |spot| {
            format!(": {} on {}", spot.row.status.words(), counted(spot.threads()))
        });
        format!("{name}{specific}{failed}")
    }

    fn series(&self, name: String, variant: usize) -> Series {
        let threads = |spot: &Spot| f64::from(spot.threads());
        let hollow = |spot: &Spot| spot.oversubscribed().then_some(OVERSUBSCRIBED);
        // What has no width is no interval.
        let ends = |(spot, value): &(Spot, Estimate)| match spot.threads() {
            1 => (value.value, value.value),
            _ => (value.low, value.high),
        };
        Series {
            name,
            backend: self.line.group().backend.clone(),
            variant,
            points: self.points.iter().map(|(spot, value)| (threads(spot), value.value)).collect(),
            intervals: self.points.iter().map(ends).collect(),
            hollow: self.points.iter().map(|(spot, _)| hollow(spot)).collect(),
            style: match self.line.group().capabilities.problem_specific {
                true => Style::Dashed,
                false => Style::Marked,
            },
        }
    }
}

/// The cores that the threads of some points have.
struct Cores {
    /// As the system counts them; of points that differ the fewest.
    all: u32,
    /// Physical ones, where these are fewer.
    physical: Option<u32>,
    /// Whether some points have threads that share physical cores.
    shared: bool,
    /// Whether some have more threads than cores.
    oversubscribed: bool,
}

impl Cores {
    fn of<'a>(spots: &(impl Iterator<Item = Spot<'a>> + Clone)) -> Self {
        Self {
            all: spots.clone().map(|spot| spot.cores()).min().unwrap_or(1),
            physical: spots.clone().filter_map(|spot| spot.physical_cores()).min(),
            shared: spots.clone().any(|spot| spot.shares_physical_cores()),
            oversubscribed: spots.clone().any(|spot| spot.oversubscribed()),
        }
    }

    /// As many threads, and no more, have a core each.
    fn apart(&self) -> u32 {
        self.physical.unwrap_or(self.all).max(1)
    }
}

/// Of lines of one program, machine and n; never none.
fn chart<'a>(block: &Block, origin: usize, what: What, drawn: &[Drawn], stem: String) -> Made<'a> {
    let points = || drawn.iter().flat_map(|drawn| &drawn.points);
    let counts: BTreeSet<u32> = points().map(|(spot, _)| spot.threads()).collect();
    let cores = Cores::of(&points().map(|(spot, _)| *spot));
    let [first, last] = [counts.first(), counts.last()].map(|end| end.copied().unwrap_or(1));

    let guide = |name: &str, points: &[(u32, u32)]| Series {
        name: name.to_owned(),
        points: points.iter().map(|&(x, y)| (f64::from(x), f64::from(y))).collect(),
        style: Style::Guide,
        ..Series::default()
    };
    let guide = match what {
        What::SpeedUp => {
            // No more work is done than by as many threads as there are cores.
            let most = cores.apart();
            let mut bends = counts.clone();
            bends.extend((first..=last).contains(&most).then_some(most));
            let ideal: Vec<(u32, u32)> =
                bends.iter().map(|&threads| (threads, threads.min(most))).collect();
            guide("ideal", &ideal)
        }
        What::Cpu => guide("as one thread", &[(first, 1), (last, 1)]),
    };
    let at_cores = || (f64::from(cores.all), counted_cores(cores.all, ""));
    let uprights: Vec<(f64, String)> = cores.oversubscribed.then(at_cores).into_iter().collect();
    let x = || Scale {
        ticks: Some(counts.iter().map(|&count| (f64::from(count), count.to_string())).collect()),
        uprights: uprights.clone(),
        ..Scale::new("threads (logarithmic scale)", Kind::Binary, number, |count| {
            counted(count as u32)
        })
    };
    let times = |value: f64| format!("{}x", significant(value));
    // Sums of steps miss round numbers by a little.
    let tick = |value: f64| format!("{}x", number((value * 1e6).round() / 1e6));
    let y_title = match what {
        What::SpeedUp => "speed-up",
        What::Cpu => "CPU time of one search over that of one thread",
    };
    let y = || Scale::new(y_title, Kind::Log, tick, times);
    let of_panel = |some: &[&Drawn], with_lists: bool| {
        let series = some.iter().enumerate().map(|(i, drawn)| {
            let backend = |drawn: &Drawn| drawn.line.group().backend.clone();
            let alike = some[..i].iter().filter(|other| backend(other) == backend(drawn)).count();
            drawn.series(drawn.name(with_lists), alike)
        });
        [guide.clone()].into_iter().chain(series).collect::<Vec<Series>>()
    };

    let n = drawn[0].line.n;
    let name = match block.origins()[origin].1.as_str() {
        "" => String::new(),
        name => format!(" [{name}]"),
    };
    let whiskers = whiskers(points().map(|(_, value)| *value));
    let (title, subtitle, caption) = texts(block, what, whiskers, &cores);
    let title = format!("{title} at n = {n}{}{name}", depth(block));

    let ways = by_lists(drawn, |drawn| drawn.line);
    if ways.len() < 2 {
        let all: Vec<&Drawn> = drawn.iter().collect();
        let series = of_panel(&all, true);
        let plot = Plot { title, subtitle, x: x(), y: y(), series };
        return made(Some(Plotted { stem, caption, plot }));
    }
    let plots = ways.into_iter().map(|(lists, some)| Plot {
        title: match lists {
            Some(lists) => format!("Lists {lists}"),
            None => "Lists as the records do not tell".to_owned(),
        },
        subtitle: String::new(),
        x: x(),
        y: y(),
        series: of_panel(&some, false),
    });
    made(Some(Panels::new(stem, (title, subtitle, caption), plots.collect())))
}

/// `, split depth 2`, where a search is split.
fn depth(block: &Block) -> String {
    block.depth.as_ref().map_or(String::new(), |depth| format!(", split depth {depth}"))
}
