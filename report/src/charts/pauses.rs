//! Pause lengths: how long the program stands still, from the median pause to the longest, for
//! collections and for releases on one scale.

use super::canvas::Point;
use super::plot::{Kind, Plot, Plotted, Scale, Series};
use super::time_per_backend::tick;
use crate::format::{human_count, human_time};
use crate::summary::{PauseTimes, Row, Summary, telling_n};

/// `None` where no backend paused.
pub(super) fn pause_lengths(summary: &Summary) -> Option<Plotted> {
    let paused = |row: &Row| row.pauses.as_ref().is_some_and(|pauses| pauses.count > 0);
    let rows = studied_with(summary, paused);
    let n = rows.first()?.n;
    let pauses = rows.iter().filter_map(|&row| Some((row, row.pauses.as_ref()?)));
    let clocks_ns = || pauses.clone().map(|(_, pauses)| pauses.clock_ns);
    let clock = match (clocks_ns().min()?, clocks_ns().max()?) {
        (least, most) if least == most => tick(least as f64),
        (least, most) => format!("{} to {}", tick(least as f64), tick(most as f64)),
    };
    let series: Vec<Series> = pauses
        .clone()
        .map(|(row, pauses)| Series::of(summary, row.group, points(pauses)))
        .collect();
    let ends = series.iter().flat_map(|series| &series.points).map(|&(nines, _)| nines);
    let most = ends.fold(1.0, f64::max);
    let ticks = [0.5, 0.9, 0.99].into_iter().map(nines).chain((3..=most as u32).map(f64::from));
    let x = Scale {
        range: Some((nines(0.5), most)),
        ticks: Some(ticks.map(|nines| (nines, share(nines))).collect()),
        ..Scale::new("share of the pauses that are no longer", Kind::Linear, share, share_or_rank)
    };
    let y = Scale::new("length of a pause", Kind::Log, tick, human_time);
    Some(Plotted {
        stem: "pause-lengths".to_owned(),
        caption: format!(
            "How long the program stands still: for a collection or a part of one, and for a release \
             or the close of a scope that frees more than one cell. Each step to the right leaves a \
             tenth of the pauses, so a line that has more of them reaches further, and ends with the \
             longest. Medians of the samples. The clock's own {clock} are part of each pause, and what \
             the system does meanwhile. Backends that never pause have no line; problem-specific \
             ones are dashed."
        ),
        plot: Plot {
            title: format!("Pause lengths at n = {n}"),
            subtitle: format!(
                "Length of a pause (logarithmic scale) that so many of the pauses of one search \
                     do not exceed; each line ends with its longest; lower is better. The clock's \
                     own {clock} are part of each pause"
            ),
            x,
            y,
            series,
        },
    })
}

/// The rows that have something to show, at the largest n at which any row of the study has.
pub(super) fn studied_with(summary: &Summary, has: impl Fn(&Row) -> bool) -> Vec<&Row> {
    let studied = |row: &&Row| has(row) && summary.group_of(row).studied;
    let n = telling_n(summary.rows.iter().filter(studied));
    summary.rows.iter().filter(studied).filter(|row| Some(row.n) == n).collect()
}

/// The median, then each further nine that the pauses are enough to tell, and the longest at the
/// place of one among so many.
fn points(pauses: &PauseTimes) -> Vec<Point> {
    let few = [(50.0, pauses.p50_ns), (99.0, pauses.p99_ns), (99.9, pauses.p999_ns)];
    // Older records have no curve.
    let curve = if pauses.percentiles.is_empty() { &few[..] } else { &pauses.percentiles };
    let last = (pauses.count as f64).log10().max(nines(0.5));
    let told = curve.iter().map(|&(percent, ns)| (nines(percent / 100.0), ns));
    let told = told.filter(|&(at, _)| is_marked(at) && at < last - 1e-6);
    told.chain([(last, pauses.max_ns)]).map(|(at, ns)| (at, ns.max(1) as f64)).collect()
}

/// How many nines a share has: 1 of 90 %, 2 of 99 %.
fn nines(share: f64) -> f64 {
    -(1.0 - share).log10()
}

/// Whether this is the median, or a whole number of nines.
fn is_marked(at: f64) -> bool {
    (at - nines(0.5)).abs() < 1e-6 || at > 0.5 && (at - at.round()).abs() < 1e-6
}

/// The share that has so many nines: `99.9 %`.
fn share(nines: f64) -> String {
    let percent = 100.0 - 100.0 * 10f64.powf(-nines);
    let decimals = (nines.round() as usize).saturating_sub(2);
    format!("{percent:.decimals$} %")
}

/// The same, or for the longest pause of how many it is.
fn share_or_rank(nines: f64) -> String {
    match is_marked(nines) {
        true => share(nines),
        false => format!("longest of {}", human_count(10f64.powf(nines).round() as u64)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(pauses: &PauseTimes) -> Vec<String> {
        let points = points(pauses).into_iter();
        points.map(|(at, ns)| format!("{} {ns}", share_or_rank(at))).collect()
    }

    #[test]
    fn a_line_ends_with_the_longest_of_its_pauses() {
        let curve = [0.0, 25.0, 50.0, 75.0, 90.0, 95.0, 99.0, 99.5, 99.9, 99.95, 99.99, 100.0];
        let percentiles: Vec<(f64, u64)> = curve.into_iter().zip(10..).collect();
        let most = |count| PauseTimes {
            count,
            max_ns: 30,
            percentiles: percentiles.clone(),
            ..PauseTimes::default()
        };
        let many = ["50 % 12", "90 % 14", "99 % 16", "99.9 % 18", "longest of 5000 30"];
        assert_eq!(told(&most(5_000)), many);
        assert_eq!(told(&most(40)), ["50 % 12", "90 % 14", "longest of 40 30"]);
        assert_eq!(told(&most(1_000)), ["50 % 12", "90 % 14", "99 % 16", "99.9 % 30"]);
        assert_eq!(told(&most(1)), ["50 % 30"], "the only one");
        let old = PauseTimes {
            count: 300,
            p50_ns: 0,
            p99_ns: 7,
            p999_ns: 8,
            max_ns: 9,
            ..PauseTimes::default()
        };
        assert_eq!(told(&old), ["50 % 1", "99 % 7", "longest of 300 9"]);
    }

    #[test]
    fn shares_are_written_with_their_nines() {
        let shares = [0.5, 0.9, 0.99, 0.999, 0.99999].map(|part| share(nines(part)));
        assert_eq!(shares, ["50 %", "90 %", "99 %", "99.9 %", "99.999 %"]);
    }
}
