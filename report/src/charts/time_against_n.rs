//! Time against n: a line for each configuration, named at its end.

use super::plot::{Kind, Plot, Plotted, Scale, Series};
use super::time_per_backend::tick;
use crate::format::human_time;
use crate::record::Status;
use crate::summary::Summary;

/// `None` where there are times at fewer than two n.
pub(super) fn time_against_n(summary: &Summary) -> Option<Plotted> {
    let groups = summary.groups.iter().enumerate().filter(|(_, group)| group.studied);
    let series: Vec<Series> = groups.filter_map(|(place, _)| series(summary, place)).collect();
    let ns = || series.iter().flat_map(|s| s.points.iter().map(|&(n, _)| n as u32));
    let (first, last) = (ns().min()?, ns().max()?);
    if first == last {
        return None;
    }
    // Of billions of sizes, some hundreds are more than have room.
    let step = ((last - first) / 500 + 1) as usize;
    let ticks = (first..=last).step_by(step).map(|n| (f64::from(n), n.to_string()));
    let x = Scale {
        ticks: Some(ticks.collect()),
        range: Some((f64::from(first), f64::from(last))),
        ..Scale::new("n", Kind::Linear, whole, |n| format!("n = {n}"))
    };
    let y = Scale::new("time of one search", Kind::Log, tick, human_time);
    Some(Plotted { stem: "time-against-n".to_owned(), caption: "Median time of one search for each size of the board, with 95 % intervals where they are \
         wider than a line, on a logarithmic scale: parallel lines keep their ratio. \
         Problem-specific backends are dashed."
            .to_owned(), plot: Plot {
            title: "Time against n".to_owned(),
            subtitle: "Median time of one search (logarithmic scale) by size of the board"
                .to_owned(),
            x,
            y,
            series,
}})
}

fn whole(n: f64) -> String {
    format!("{n}")
}

/// The line of one configuration; `None` where it has no time.
fn series(summary: &Summary, place: usize) -> Option<Series> {
    let rows = || summary.rows.iter().filter(move |row| row.group == place);
    let timed = || rows().filter_map(|row| Some((row, row.time_ns?)));
    let (last, _) = timed().next_back()?;
    let failed = rows().find(|row| row.n > last.n && row.status != Status::Ok);
    let points = timed().map(|(row, time)| (f64::from(row.n), time.value)).collect();
    let series = Series::of(summary, place, points);
    Some(Series {
        name: match failed.map(|row| (row.n, row.status)) {
            Some((n, status)) => format!("{}: {} at {n}", series.name, status.words()),
            None => series.name,
        },
        intervals: timed().map(|(_, time)| (time.low, time.high)).collect(),
        ..series
    })
}
