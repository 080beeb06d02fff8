//! Warm-up: the time of each search by its number, of peers that need several before they are as fast as
//! they get.

use super::canvas::Point;
use super::plot::{Kind, Plot, Plotted, Scale, Series, Style};
use super::swept::number;
use crate::format::significant;
use crate::summary::{Row, Summary};

/// From one place of a line to the next: on a logarithmic scale more are a smear.
const STEP: f64 = 1.1;

/// `None` where no peer warms up for more than one search.
pub(super) fn warm_up(summary: &Summary) -> Option<Plotted> {
    let n = summary.peers_n()?;
    let warms = |row: &&Row| {
        let peer = summary.group_of(row).peer.is_some();
        peer && row.time_ns.is_some() && row.warm_up_ns.len() > 1
    };
    let rows: Vec<&Row> = summary.rows_at(n).filter(warms).collect();
    let searches = rows.iter().map(|row| row.warm_up_ns.len()).max()?;
    let guide = Series {
        name: "when timed".to_owned(),
        points: vec![(1.0, 1.0), (searches as f64, 1.0)],
        style: Style::Guide,
        ..Series::default()
    };
    let series = rows.iter().filter_map(|row| Some(series(summary, row, row.time_ns?.value)));
    let times = |times| format!("{}x", significant(times));
    Some(Plotted {
        stem: "warm-up".to_owned(),
        caption: "Time of each search before those that count, over the peer’s own median of those \
                  that do: what runs on a compiler of its own starts slower, and is as fast as it gets \
                  where its line comes down to 1. Medians of the samples, on logarithmic scales. Peers \
                  that warm up for a single search, as the backends do, have no line."
            .to_owned(),
        plot: Plot {
            title: format!("Warm-up at n = {n}"),
            subtitle: "Time of each search of a process, in order, over the median of those that are \
                       timed; both scales are logarithmic; 1 is warm"
                .to_owned(),
            x: Scale::new("number of the search", Kind::Binary, number, |search| {
                format!("search {}", number(search))
            }),
            y: Scale::new("time over that of the timed searches", Kind::Log, |t| format!("{}x", number(t)), times),
            series: [guide].into_iter().chain(series).collect(),
        },
    })
}

fn series(summary: &Summary, row: &Row, warm_ns: f64) -> Series {
    let mut points: Vec<Point> = Vec::new();
    for (search, ns) in (1..).map(f64::from).zip(&row.warm_up_ns) {
        let is_last = search as usize == row.warm_up_ns.len();
        if is_last || points.last().is_none_or(|(last, _)| search >= last * STEP) {
            // Logarithmic axes have no zero.
            points.push((search, ns.max(1.0) / warm_ns));
        }
    }
    Series::of(summary, row.group, points)
}
