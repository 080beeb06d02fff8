//! Speed-up against the number of threads.

use super::plot::{Kind, Plot, Plotted, Scale, Series, Style};
use super::swept::{Line, lines, number, of_one_size, variant};
use crate::format::significant;
use crate::labels::THREADS;
use crate::record::Status;
use crate::summary::Summary;
use std::collections::BTreeSet;

/// `None` where no backend has times with several numbers of threads.
pub(super) fn time_against_threads(summary: &Summary) -> Option<Plotted> {
    let all = lines(summary, THREADS, 2);
    let timed = |line: &Line| line.spots.iter().find(|s| s.row.time_ns.is_some()).map(|s| s.value);
    let fewest = all.iter().filter_map(timed).min_by(f64::total_cmp)?;
    // A speed-up over other numbers of threads is another one.
    let comparable = all.into_iter().filter(|line| timed(line) == Some(fewest));
    let lines = of_one_size(comparable.filter(|line| line.times().count() > 1).collect());
    let first = lines.first()?;
    let counts = lines.iter().flat_map(|line| line.spots.iter().map(|s| s.value.to_bits()));
    // Of positive numbers, bits are in their order.
    let counts: BTreeSet<u64> = counts.collect();
    let counts: Vec<f64> = counts.into_iter().map(f64::from_bits).collect();
    let ideal = Series {
        name: "ideal".to_owned(),
        points: counts.iter().map(|&threads| (threads, threads / fewest)).collect(),
        style: Style::Guide,
        ..Series::default()
    };
    let series = lines.iter().enumerate();
    let series =
        series.map(|(i, line)| speed_up(summary, line, line.name(&lines), variant(&lines, i)));
    let series: Vec<Series> = [ideal].into_iter().chain(series).collect();
    let value = |speed_up| format!("{}x", significant(speed_up));
    Some(Plotted {
        stem: "time-against-threads".to_owned(),
        caption: format!(
            "How many times as fast the search is as with {}, by the number of threads that share \
             it. The grey line is what it would be if threads never waited for each other.",
            threads(fewest)
        ),
        plot: Plot {
            title: format!("Speed-up by threads at n = {}", first.n),
            subtitle: format!(
                "Median time with {} over that with more; both scales are logarithmic; higher is \
                     better",
                threads(fewest)
            ),
            x: Scale {
                ticks: Some(counts.into_iter().map(|count| (count, number(count))).collect()),
                ..Scale::new("threads", Kind::Binary, number, threads)
            },
            y: Scale::new("speed-up", Kind::Log, |times| format!("{}x", number(times)), value),
            series,
        },
    })
}

fn threads(count: f64) -> String {
    match count == 1.0 {
        true => "1 thread".to_owned(),
        false => format!("{} threads", number(count)),
    }
}

/// Time with the fewest threads over time with more, paired by round where both have rounds in common.
fn speed_up(summary: &Summary, line: &Line, name: String, variant: usize) -> Series {
    let fewest = line.spots.iter().map(|spot| spot.row).find(|row| row.time_ns.is_some());
    let ratio = |i: usize| {
        let row = line.spots[i].row;
        let (fewest, time) = (fewest?, row.time_ns?);
        Some(match summary.ratio(row, fewest).filter(|_| row.group != fewest.group) {
            Some(ratio) => {
                let speed_up = ratio.inverse();
                (speed_up.value, (speed_up.low, speed_up.high))
            }
            None => {
                let value = fewest.time_ns?.value / time.value;
                (value, (value, value))
            }
        })
    };
    let spots = (0..line.spots.len()).filter_map(|i| Some((line.spots[i].value, ratio(i)?)));
    let spots: Vec<_> = spots.collect();
    let failed = line.spots.iter().find(|spot| spot.row.status != Status::Ok);
    Series {
        name: match failed {
            Some(spot) => format!("{name}: {} at {}", spot.row.status.words(), threads(spot.value)),
            None => name,
        },
        points: spots.iter().map(|&(threads, (value, _))| (threads, value)).collect(),
        intervals: spots.iter().map(|&(_, (_, interval))| interval).collect(),
        ..line.series(String::new(), variant)
    }
}

#[cfg(test)]
mod tests {
    use super::super::Figure;
    use super::super::made_up::{exhausted, sample, study, summary};
    use super::*;
    use crate::record::Record;

    fn threaded(backend: &str, times_ms: &[(u32, u64)]) -> Vec<Record> {
        let of =
            |&(threads, ms): &(u32, u64)| Record { threads, ..sample("run", backend, &[], 9, ms) };
        times_ms.iter().map(of).collect()
    }

    #[test]
    fn speed_ups_are_over_the_fewest_threads() {
        let arc = threaded("arc", &[(1, 40), (2, 25), (4, 20)]);
        let gc = threaded("gc", &[(1, 10), (4, 2)]);
        // Of no known speed-up: nothing with one thread.
        let other = threaded("semispace", &[(2, 10), (4, 5)]);
        let figure = time_against_threads(&summary(&[arc, gc, other])).unwrap();
        let series = &figure.plot.series;
        let rounded = |(threads, times): (f64, f64)| (threads, (times * 1e9).round() / 1e9);
        let points = series.iter().map(|series| {
            (series.name.as_str(), series.points.iter().copied().map(rounded).collect())
        });
        let expected = [
            ("ideal", vec![(1.0, 1.0), (2.0, 2.0), (4.0, 4.0)]),
            ("gc", vec![(1.0, 1.0), (4.0, 5.0)]),
            ("arc", vec![(1.0, 1.0), (2.0, 1.6), (4.0, 2.0)]),
        ];
        assert_eq!(points.collect::<Vec<(_, Vec<_>)>>(), expected);
        assert!(figure.alt().contains("arc: 1 thread 1.00x, 2 threads 1.60x"), "{}", figure.alt());
        assert_eq!(series[0].style, Style::Guide);
    }

    #[test]
    fn failures_are_told() {
        let mut records = threaded("arc", &[(1, 40), (2, 25)]);
        records.push(Record { threads: 4, ..exhausted("run", "arc", &[], 9) });
        let figure = time_against_threads(&summary(&[records])).unwrap();
        assert_eq!(figure.plot.series[1].name, "arc: out of memory at 4 threads");
        assert_eq!(figure.plot.series[1].points.len(), 2);
    }

    #[test]
    fn one_number_of_threads_is_no_picture() {
        assert!(time_against_threads(&summary(&[study(9)])).is_none());
        assert!(time_against_threads(&Summary::default()).is_none());
        let apart = [threaded("arc", &[(1, 40)]), threaded("gc", &[(2, 10)])];
        assert!(time_against_threads(&summary(&apart)).is_none());
    }
}
