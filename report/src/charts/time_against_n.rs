//! Time against n: a line for each configuration, named at its end.

use super::Figure;
use super::bars::label;
use super::canvas::Canvas;
use super::plot::{Kind, Plot, Scale, Series, Style};
use super::time_per_backend::tick;
use crate::format::human_time;
use crate::record::Status;
use crate::summary::{Group, Summary};

pub(super) struct TimeAgainstN(Plot);

impl TimeAgainstN {
    /// `None` where there are times at fewer than two n.
    pub fn new(summary: &Summary) -> Option<Self> {
        let groups = summary.groups.iter().enumerate().filter(|(_, group)| !group.swept);
        let series: Vec<Series> =
            groups.filter_map(|(place, group)| series(summary, place, group)).collect();
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
        Some(Self(Plot {
            title: "Time against n".to_owned(),
            subtitle: "Median time of one search (logarithmic scale) by size of the board"
                .to_owned(),
            x,
            y,
            series,
        }))
    }
}

fn whole(n: f64) -> String {
    format!("{n}")
}

/// The line of one configuration; `None` where it has no time.
fn series(summary: &Summary, place: usize, group: &Group) -> Option<Series> {
    let rows = || summary.rows.iter().filter(move |row| row.group == place);
    let timed = || rows().filter_map(|row| Some((row, row.time_ns?)));
    let (last, _) = timed().next_back()?;
    let failed = rows().find(|row| row.n > last.n && row.status != Status::Ok);
    let name = label(group);
    let before = summary.groups[..place].iter().filter(|g| !g.swept && g.backend == group.backend);
    Some(Series {
        name: match failed.map(|row| (row.n, row.status)) {
            Some((n, status)) => format!("{name}: {} at {n}", status.words()),
            None => name,
        },
        backend: group.backend.clone(),
        variant: before.count(),
        points: timed().map(|(row, time)| (f64::from(row.n), time.value)).collect(),
        intervals: timed().map(|(_, time)| (time.low, time.high)).collect(),
        style: match group.capabilities.problem_specific {
            true => Style::Dashed,
            false => Style::Marked,
        },
    })
}

impl Figure for TimeAgainstN {
    fn file_stem(&self) -> String {
        "time-against-n".to_owned()
    }

    fn title(&self) -> String {
        self.0.title.clone()
    }

    fn caption(&self) -> String {
        "Median time of one search for each size of the board, with 95 % intervals where they are \
         wider than a line, on a logarithmic scale: parallel lines keep their ratio. \
         Problem-specific backends are dashed."
            .to_owned()
    }

    fn alt(&self) -> String {
        self.0.alt()
    }

    fn height_px(&self, width_px: u32) -> u32 {
        self.0.height_px(width_px)
    }

    fn draw(&self, canvas: &mut Canvas, width_px: u32) {
        self.0.draw(canvas, width_px);
    }
}
