//! Peers and backends at one n: a bar for each, the fastest first, coloured by what its memory manager is,
//! and beside it its ratio to one of them.

use super::Figure;
use super::axis::Axis;
use super::bars::{Lines, Whiskers};
use super::canvas::{Canvas, Mark};
use super::colour::{FAINT, INK, family_colour};
use super::font::{cut, width_px as text_px};
use super::frame::{EM_PX, Frame};
use super::legend::Legend;
use super::plot::dashed;
use super::time_per_backend::tick;
use crate::format::{human_time, shorten, significant, with_interval};
use crate::record::Status;
use crate::stats::Estimate;
use crate::summary::{Group, Row, Summary};

/// Longest title in characters, and most of a wide paper that names may take.
const NAME_CHARS: usize = 64;
const NAMES_SHARE: f64 = 0.38;
/// Left of the longest name: it is long, may be in capitals, and a browser's font wider than ours.
const SPARE_PX: f64 = 28.0;

pub(super) struct Peers<'a> {
    summary: &'a Summary,
    n: u32,
    /// The fastest first and failed ones last.
    rows: Vec<&'a Row>,
}

impl<'a> Peers<'a> {
    /// `None` where no peer was measured, or nothing beside them has a time.
    pub fn new(summary: &'a Summary) -> Option<Self> {
        let n = summary.peers_n()?;
        let mut rows: Vec<&Row> = summary.beside_peers(n).collect();
        let time = |row: &Row| row.time_ns.map_or(f64::INFINITY, |time| time.value);
        rows.sort_by(|a, b| time(a).total_cmp(&time(b)));
        rows.first()?.time_ns?;
        Some(Self { summary, n, rows })
    }

    fn group(&self, row: &Row) -> &'a Group {
        self.summary.group_of(row)
    }

    /// The title of a peer; of a backend its name, and that it is one.
    fn name(&self, row: &Row) -> String {
        let group = self.group(row);
        let Some(peer) = &group.peer else { return format!("{} (this study)", row.label) };
        let title = if peer.title.is_empty() { &group.config } else { &peer.title };
        // What tells its parameters or its machine from others.
        format!("{title}{}", row.label.strip_prefix(&group.backend).unwrap_or_default())
    }

    /// The family, generations told apart: that is what the study's question turns on.
    fn kind(&self, row: &Row) -> String {
        let group = self.group(row);
        match group.capabilities.generational && group.family == "tracing" {
            true => format!("{}, generational", group.family),
            false => group.family.clone(),
        }
    }

    /// What ratios are over; of several machines each has its own.
    fn reference(&self) -> Option<&'a Row> {
        self.summary.reference_of(self.rows.first()?)
    }

    fn reference_name(&self) -> &str {
        self.reference().map_or("nothing", |row| &self.group(row).config)
    }

    fn ratio(&self, row: &Row) -> Option<Estimate> {
        let reference = self.summary.reference_of(row).filter(|other| other.group != row.group)?;
        self.summary.ratio(row, reference)
    }

    /// Right of the bar: the ratio; the time where there is none.
    fn value(&self, row: &Row) -> String {
        let is_reference = || {
            let reference = self.summary.reference_of(row);
            reference.is_some_and(|other| other.group == row.group)
        };
        match (row.status, row.time_ns) {
            (Status::Ok, Some(_)) if is_reference() => "1".to_owned(),
            (Status::Ok, Some(time)) => {
                let time = || human_time(time.value);
                self.ratio(row).map_or_else(time, |ratio| significant(ratio.value))
            }
            (Status::Ok, None) => "not timed".to_owned(),
            (failed, _) => failed.words().to_owned(),
        }
    }

    fn tip(&self, row: &Row) -> String {
        let group = self.group(row);
        let time = row.time_ns.map_or_else(
            || self.value(row),
            |time| {
                let interval = time.interval().map_or(String::new(), |(low, high)| {
                    format!(" ({} to {})", human_time(low), human_time(high))
                });
                format!("{}{interval}", human_time(time.value))
            },
        );
        let ratio = self.ratio(row).map_or(String::new(), |ratio| {
            format!(", {} times {}", with_interval(&ratio, 1.0), self.reference_name())
        });
        format!("{} ({}): {time}{ratio}. {}", self.name(row), row.label, group.about)
    }

    fn times(&self) -> impl Iterator<Item = Estimate> {
        self.rows.iter().filter_map(|row| row.time_ns)
    }

    fn whiskers(&self) -> Whiskers {
        Whiskers::of(self.times())
    }

    fn frame(&self, width_px: u32) -> Frame {
        let subtitle = format!(
            "Median time of one search, beside it the ratio to {}, whose time is the dashed line; \
             whiskers: {}; hatched: problem-specific; shorter is better",
            shorten(self.reference_name(), 30),
            self.whiskers().short()
        );
        Frame::new(width_px, &self.title(), &subtitle)
    }

    fn legend(&self, frame: &Frame) -> Legend {
        Legend::new(frame, self.rows.iter().map(|row| self.kind(row)))
    }

    /// The paper, and what lies on it below the legend.
    fn lines(&self, width_px: u32) -> (Frame, Lines, Vec<String>) {
        let mut frame = self.frame(width_px);
        frame.top_px += self.legend(&frame).height_px();
        let room = frame.width_px * NAMES_SHARE;
        let name = |row: &&Row| {
            let name = shorten(&self.name(row), NAME_CHARS);
            if frame.narrow() { name } else { cut(&name, EM_PX, room) }
        };
        let names: Vec<String> = self.rows.iter().map(name).collect();
        let values = self.rows.iter().filter(|row| row.time_ns.is_some());
        let values = values.map(|row| text_px(&self.value(row), EM_PX)).fold(0.0, f64::max);
        let mut lines = Lines::new(&frame, &names, values + 12.0);
        if !frame.narrow() {
            lines.pixels.0 += SPARE_PX;
        }
        (frame, lines, names)
    }
}

impl Figure for Peers<'_> {
    fn file_stem(&self) -> String {
        "peers".to_owned()
    }

    fn title(&self) -> String {
        format!("Peers and backends at n = {}", self.n)
    }

    fn caption(&self) -> String {
        format!(
            "Median time of one search of the same program in other languages and with other memory \
             managers, and of the backends of this study, fastest first; beside each bar its ratio to \
             {}, whose time is the dashed line. Whiskers are {}; hatched bars serve only programs of \
             this shape; colours tell families.",
            self.reference_name(),
            self.whiskers().words()
        )
    }

    fn alt(&self) -> String {
        let said = |row: &&Row| {
            let time = row.time_ns.map_or_else(|| self.value(row), |time| human_time(time.value));
            let ratio = self
                .ratio(row)
                .map_or(String::new(), |ratio| format!(", ratio {}", with_interval(&ratio, 1.0)));
            format!("{} {time}{ratio}", self.name(row))
        };
        let rows: Vec<String> = self.rows.iter().map(said).collect();
        format!(
            "Bars, fastest first, with ratios to {}. {}.",
            self.reference_name(),
            rows.join("; ")
        )
    }

    fn height_px(&self, width_px: u32) -> u32 {
        Lines::height_px(&self.lines(width_px).0, self.rows.len())
    }

    fn draw(&self, canvas: &mut Canvas, width_px: u32) {
        let (frame, lines, names) = self.lines(width_px);
        frame.draw(canvas, f64::from(self.height_px(width_px)));
        self.legend(&self.frame(width_px)).draw(canvas);
        let least = self.times().map(|time| time.low).fold(f64::INFINITY, f64::min);
        let most = self.times().map(|time| time.high).fold(0.0, f64::max);
        let axis = Axis::for_bars(least, most, lines.pixels);
        let ticks: Vec<_> = axis.ticks().into_iter().map(|t| (t, tick(t))).collect();
        let scale = if axis.log { " (logarithmic scale)" } else { "" };
        lines.grid(canvas, &axis, &ticks, &format!("time of one search{scale}"));
        if let Some(time) = self.reference().and_then(|row| row.time_ns) {
            let x = axis.at(time.value);
            dashed(canvas, &[(x, frame.top_px), (x, lines.bottom_px())], FAINT, 1.0);
        }
        for (line, row) in self.rows.iter().enumerate() {
            let mark = Mark::tip(format!("bar:{}", row.label), self.tip(row));
            canvas.marked(mark, |canvas| {
                lines.name(canvas, line, &names[line]);
                let Some(time) = row.time_ns else {
                    lines.value(canvas, line, lines.pixels.0, &self.value(row), FAINT);
                    return;
                };
                let hatched = self.group(row).capabilities.problem_specific;
                let colour = family_colour(&self.kind(row));
                let end = lines.measured(canvas, &axis, line, time, (colour, hatched));
                lines.value(canvas, line, end, &self.value(row), INK);
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{assert_tidy, texts};
    use super::super::{WIDE_PX, figures_of_peers, made_up};
    use crate::record::{Peer, Record, Status};
    use crate::summary::Summary;

    /// A study, and so many peers with long titles, whose times lie `ratio` apart.
    fn crowded(ratio: f64, count: i32) -> Vec<Record> {
        let mut records = made_up::study(9);
        for place in 0..count {
            let ms = (8.0 * ratio.powi(place)).ceil() as u64;
            let mut record = made_up::sample("study", &format!("peer-{place}"), &[], 9, ms);
            record.family = ["manual", "tracing", "none", "reference counting", "region"]
                [place as usize % 5]
                .to_owned();
            record.capabilities.generational = place % 3 == 0;
            record.warm_up_ns = (1..=(place % 4) as u64 * 20).map(|k| ms + 1_000_000 / k).collect();
            record.peer = Some(Peer {
                title: format!(
                    "A language {place}, with a memory manager of MANY_LETTERS::by<const&>"
                ),
                language: "A language".to_owned(),
                notes: Vec::new(),
            });
            if place == 7 {
                record.status = Status::TimedOut;
            }
            records.push(record);
        }
        records
    }

    #[test]
    fn eighty_peers_are_tidy() {
        for (ratio, count) in [(1.0, 80), (1.05, 80), (1.4, 20), (1.0, 1)] {
            let summary = Summary::new(&crowded(ratio, count), None).unwrap();
            let figures = figures_of_peers(&summary);
            assert_eq!(figures.len(), if count > 1 { 2 } else { 1 });
            for figure in &figures {
                assert_tidy(figure.as_ref(), &format!("{count} peers, ratio {ratio}"));
            }
        }
    }

    #[test]
    fn the_reference_is_ocaml_where_it_is_there() {
        let mut records = crowded(1.5, 3);
        let subtitle = |records: &[Record]| {
            let summary = Summary::new(records, None).unwrap();
            texts(figures_of_peers(&summary)[0].as_ref(), WIDE_PX)[1].clone()
        };
        assert!(subtitle(&records).contains("the ratio to gc,"), "{}", subtitle(&records));
        records.last_mut().unwrap().backend = "ocaml".to_owned();
        assert!(subtitle(&records).contains("the ratio to ocaml,"));
        // A backend of that name is none.
        records.last_mut().unwrap().peer = None;
        assert!(subtitle(&records).contains("the ratio to gc,"));
    }
}
