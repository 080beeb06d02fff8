//! Time against the heap limit: collectors that get more room collect less often; manual and
//! reference-counting backends are horizontal lines.

use super::levels::{Level, choose, provenance, studied};
use super::plot::{Kind, Plot, Plotted, Scale};
use super::swept::{Line, lines, number, of_one_size, origin, variant, whiskers};
use super::time_per_backend::tick;
use crate::format::{human_bytes, human_time};
use crate::record::params::{HEAP_LIMIT, HEAP_MULTIPLE};
use crate::summary::Summary;
use std::collections::BTreeSet;

/// Fewer limits show no shape.
const LEAST_LIMITS: usize = 3;

/// Families whose time depends on the room they get.
const RESPONDING: [&str; 2] = ["tracing", "region"];

/// What limits are given in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unit {
    /// Multiples of what lives at most.
    Multiple,
    /// Bytes.
    Bytes,
}

/// `None` where no tracing or region backend has several limits in this unit.
pub(super) fn time_against_heap_limit(summary: &Summary, unit: Unit) -> Option<Plotted> {
    let mut all = lines(summary, unit.param(), LEAST_LIMITS);
    if unit == Unit::Bytes {
        // The limit of a study is far above all that it needs: no point of a sweep.
        all.iter_mut().for_each(|line| line.forget_default());
        all.retain(|line| line.spots.len() >= LEAST_LIMITS);
    }
    let responds = |line: &Line| RESPONDING.contains(&line.group.family.as_str());
    let (responding, others): (Vec<_>, Vec<_>) = all.into_iter().partition(responds);
    let responding = of_one_size(responding);
    let first = responding.first()?;
    let levels = levels(summary, first, &others, unit);
    let value = unit.value();
    let mut x = Scale::new(unit.title(), unit.kind(), value, value);
    let limits = responding.iter().flat_map(|line| line.spots.iter().map(|s| s.value.to_bits()));
    // Of positive numbers, bits are in their order.
    let limits: BTreeSet<u64> = limits.collect();
    x.ticks = Some(limits.into_iter().map(f64::from_bits).map(|at| (at, value(at))).collect());
    let series = responding
        .iter()
        .enumerate()
        .map(|(i, line)| line.series(line.named(&responding, value), variant(&responding, i)));
    let times = responding.iter().flat_map(Line::times).chain(levels.iter().map(|l| l.time));
    let origin = origin(summary, first);
    Some(Plotted {
        stem: unit.stem().to_owned(),
        caption: format!(
            "Median time of one search by heap limit, {}, for backends that collect less often \
             where they have more room. Those that free at once do not depend on it: the dashed \
             lines across, each the median over the limits. A cross is a limit that was not enough.{}",
            unit.words(),
            provenance(&levels, &responding)
        ),
        plot: Plot {
            title: format!("Time against heap limit at n = {}{origin}", first.n),
            subtitle: format!(
                "Median time of one search (logarithmic scale); whiskers: {}; lower is better; \
                     crosses: not enough memory",
                whiskers(times)
            ),
            series: series.chain(levels.iter().map(Level::series)).collect(),
            x,
            y: Scale::new("time of one search", Kind::Log, tick, time),
        },
    })
}

/// The median over the limits of what does not respond to them, or of what has none, its only time.
fn levels<'a>(
    summary: &'a Summary,
    beside: &Line<'a>,
    others: &[Line<'a>],
    unit: Unit,
) -> Vec<Level<'a>> {
    let here = |line: &&Line| (line.n, line.group.origin) == (beside.n, beside.group.origin);
    let limited = others.iter().filter(here).filter_map(|line| {
        let mut spots: Vec<_> =
            line.spots.iter().filter_map(|spot| Some((spot, spot.row.time_ns?))).collect();
        spots.sort_by(|(_, a), (_, b)| a.value.total_cmp(&b.value));
        let &(spot, time) = spots.get(spots.len().saturating_sub(1) / 2)?;
        let name = line.named(others, unit.value());
        Some(Level { group: line.group, row: spot.row, name, time })
    });
    let mut levels: Vec<Level> = limited.collect();
    let mut plain = studied(summary, beside);
    plain.retain(|level| {
        let known = levels.iter().any(|other| other.group.backend == level.group.backend);
        !known && !RESPONDING.contains(&level.group.family.as_str())
    });
    levels.append(&mut plain);
    choose(levels)
}

fn time(ns: f64) -> String {
    if ns.is_finite() { human_time(ns) } else { "out of memory".to_owned() }
}

impl Unit {
    fn param(self) -> &'static str {
        match self {
            Self::Multiple => HEAP_MULTIPLE,
            Self::Bytes => HEAP_LIMIT,
        }
    }

    fn kind(self) -> Kind {
        match self {
            Self::Multiple => Kind::Log,
            Self::Bytes => Kind::Binary,
        }
    }

    fn stem(self) -> &'static str {
        match self {
            Self::Multiple => "time-against-heap-limit",
            Self::Bytes => "time-against-heap-limit-bytes",
        }
    }

    fn words(self) -> &'static str {
        match self {
            Self::Multiple => "a multiple of the most bytes that the program has live at once",
            Self::Bytes => "bytes",
        }
    }

    fn title(self) -> &'static str {
        match self {
            Self::Multiple => "heap limit over what lives at most",
            Self::Bytes => "heap limit (logarithmic scale)",
        }
    }

    fn value(self) -> fn(f64) -> String {
        match self {
            Self::Multiple => |multiple| format!("{}x", number(multiple)),
            Self::Bytes => |bytes| human_bytes(bytes as u64),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Figure;
    use super::super::made_up::{exhausted, sample, study, summary};
    use super::*;
    use crate::record::Record;

    /// One sample for each multiple: a time in milliseconds, or none for out of memory.
    fn limited(backend: &str, times_ms: &[(&str, Option<u64>)]) -> Vec<Record> {
        let of = |&(multiple, ms): &(&str, Option<u64>)| {
            // Another number of bytes each time, as for each n.
            let bytes = format!("{}B", 1000 + multiple.len());
            let params = [("heap-limit", bytes.as_str()), ("heap-multiple", multiple)];
            match ms {
                Some(ms) => sample("limits", backend, &params, 9, ms),
                None => exhausted("limits", backend, &params, 9),
            }
        };
        times_ms.iter().map(of).collect()
    }

    fn figure(parts: &[Vec<Record>], unit: Unit) -> Option<Plotted> {
        time_against_heap_limit(&summary(parts), unit)
    }

    #[test]
    fn collectors_are_lines_and_others_levels() {
        let gc =
            [("2x", None), ("10x", None), ("25x", Some(30)), ("50x", Some(20)), ("100x", Some(12))];
        let never = [("2x", None), ("10x", None), ("25x", None)];
        let rc = [("1.1x", None), ("2x", Some(41)), ("10x", Some(40)), ("25x", Some(45))];
        let parts =
            [study(9), limited("gc", &gc), limited("semispace", &never), limited("rc", &rc)];
        let figure = figure(&parts, Unit::Multiple).unwrap();
        let series = &figure.plot.series;
        let names: Vec<_> = series.iter().map(|series| series.name.as_str()).collect();
        // Nothing is known of what has no time at all.
        let levels = ["malloc", "arc", "stack (problem-specific)"];
        assert_eq!(names[..2], ["gc: out of memory below 25x", "rc: out of memory below 2x"]);
        assert_eq!(names[2..], levels);
        let crosses = series[0].points.iter().filter(|(_, ns)| ns.is_infinite());
        assert_eq!(crosses.map(|&(x, _)| x).collect::<Vec<_>>(), [2.0, 10.0]);
        assert_eq!(series[0].points[2..], [(25.0, 30e6), (50.0, 20e6), (100.0, 12e6)]);
        // The median over the limits.
        assert_eq!(series[1].points[0].1, 41e6);
        assert!(figure.alt().contains("gc: out of memory below 25x: 2x out of memory, 10x out of"));
        assert!(figure.caption().contains("only roughly comparable: malloc, arc, stack"));
    }

    #[test]
    fn limits_in_bytes_leave_the_default_out() {
        let limit = |limit: &str, ms| {
            let params = [("nursery", "256KiB"), ("growth", "2.0"), ("heap-limit", limit)];
            sample("limits", "gc", &params, 9, ms)
        };
        let limits = vec![limit("1MiB", 20), limit("4MiB", 12), limit("16MiB", 11)];
        let with_study = figure(&[study(9), limits.clone()], Unit::Bytes).unwrap();
        let points = &with_study.plot.series[0].points;
        assert_eq!(points.iter().map(|p| p.0 / 1048576.0).collect::<Vec<_>>(), [1.0, 4.0, 16.0]);
        assert_eq!(with_study.file_stem(), "time-against-heap-limit-bytes");
        assert!(figure(&[study(9), limits[..2].to_vec()], Unit::Bytes).is_none());
        assert!(figure(&[limits], Unit::Multiple).is_none());
    }

    #[test]
    fn without_collectors_there_is_nothing_to_see() {
        let rc = [("2x", Some(41)), ("10x", Some(40)), ("25x", Some(45))];
        assert!(figure(&[limited("rc", &rc)], Unit::Multiple).is_none());
        assert!(figure(&[study(9)], Unit::Multiple).is_none());
        assert!(time_against_heap_limit(&Summary::default(), Unit::Bytes).is_none());
    }
}
