//! Minimum mutator utilisation: of the worst window of each width, the share that was the program's.

use super::pauses::studied_with;
use super::plot::{Kind, Plot, Plotted, Scale, Series};
use super::time_per_backend::tick;
use crate::summary::{PauseTimes, Row, Summary};
use crate::verdict::percent;

/// `None` where no backend told its utilisation in two windows: one makes no line.
pub(super) fn utilisation(summary: &Summary) -> Option<Plotted> {
    let told = |row: &Row| row.pauses.as_ref().is_some_and(|pauses| points(pauses).len() > 1);
    let rows = studied_with(summary, told);
    let n = rows.first()?.n;
    let pauses = rows.into_iter().filter_map(|row| Some((row, row.pauses.as_ref()?)));
    let series: Vec<Series> =
        pauses.map(|(row, pauses)| Series::of(summary, row.group, points(pauses))).collect();
    let x = Scale::new("length of the window", Kind::Log, tick, tick);
    let y = Scale {
        range: Some((0.0, 1.0)),
        ..Scale::new("least share of the program", Kind::Linear, whole_percent, percent)
    };
    Some(Plotted { stem: "utilisation".to_owned(), caption: "Of all windows of one length that a search has, the one in which the memory manager took \
         most: the share of it that was left to the program (Cheng & Blelloch, PLDI 2001). At 0 % a \
         pause fills the window; to the right a line rises towards what the memory manager leaves on \
         average, and ends with the longest window that is shorter than the search. Many short \
         pauses in a row count like a long one, which pause lengths alone do not show. What the \
         system does during a pause is part of it, and so is a reading of the clock: where pauses \
         are very many and short, as with heaps that free cell by cell, much of what the program \
         lacks is the clock's own cost. Medians of the samples; problem-specific \
         backends are dashed."
            .to_owned(), plot: Plot {
            title: format!("Minimum mutator utilisation at n = {n}"),
            subtitle: "Share of the time that the program had for itself in the worst window of \
                       each length (logarithmic scale); higher is better"
                .to_owned(),
            x,
            y,
            series,
}})
}

/// The windows that are shorter than the search. Of a longer one the record tells the share of the
/// whole search, from which stops that were no pauses are cut out: another measure, no point of this
/// line.
fn points(pauses: &PauseTimes) -> Vec<(f64, f64)> {
    let within = pauses.mmu.iter().filter(|point| point.window_ns < pauses.run_ns);
    within.map(|point| (point.window_ns.max(1) as f64, point.utilisation)).collect()
}

fn whole_percent(share: f64) -> String {
    format!("{:.0} %", share * 100.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Mmu;

    #[test]
    fn windows_longer_than_the_search_are_no_part_of_the_line() {
        let mmu = |window_ns| Mmu { window_ns, utilisation: 0.5 };
        let pauses = PauseTimes {
            run_ns: 30_000,
            mmu: [0, 10_000, 30_000, 100_000].map(mmu).into(),
            ..PauseTimes::default()
        };
        assert_eq!(points(&pauses), [(1.0, 0.5), (10_000.0, 0.5)]);
    }
}
