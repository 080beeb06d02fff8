//! When a run without a number of rounds is enough: every ratio is precise, or
//! the time is up.
//!
//! The width of the intervals decides, never the ratios themselves: to stop as
//! soon as a difference shows would find differences where there are none.

use crate::exit::Stop;
use report::Summary;
use report::stats::Estimate;
use std::time::{Duration, Instant};

/// Fewest rounds: fewer pairs have no 95 % interval.
const LEAST_ROUNDS: u32 = report::stats::MIN_SAMPLES as u32;

/// How precise the ratios of a run are.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Precision {
    /// Ratios, that of the baseline to itself included.
    ratios: usize,
    /// Those whose interval is wider than the target.
    wide: usize,
    /// The widest: what it is of, and its width as a fraction.
    widest: Option<(String, f64)>,
}

impl Precision {
    /// Measures every paired ratio against the target, a fraction.
    pub fn of(summaries: &[Summary], target: f64) -> Self {
        let ratios_of = |summary: &'_ Summary| -> Vec<(String, u32, Estimate)> {
            let rows = summary.rows.iter().filter(|row| !summary.is_baseline(row));
            let ratios = rows.filter_map(|row| Some((row.label.clone(), row.n, row.ratio?)));
            let noise = summary.noise.iter().map(|n| (n.label.clone(), n.n, n.ratio));
            ratios.chain(noise).collect()
        };
        let mut precision = Precision::default();
        for (label, n, ratio) in summaries.iter().flat_map(ratios_of) {
            // Too few pairs say nothing about their spread.
            let width =
                if ratio.confident() { ratio.high / ratio.low - 1.0 } else { f64::INFINITY };
            precision.ratios += 1;
            precision.wide += usize::from(width > target);
            if precision.widest.as_ref().is_none_or(|&(_, widest)| width > widest) {
                precision.widest = Some((format!("{label} at n = {n}"), width));
            }
        }
        precision
    }

    /// Whether no ratio is wide.
    pub fn reached(&self) -> bool {
        self.wide == 0
    }

    /// The widest interval, for the progress line.
    pub fn widest(&self) -> String {
        let width = self.widest.as_ref().map(|(_, width)| percent(*width));
        width.map_or(String::new(), |width| format!("widest interval {width}"))
    }

    /// What there is to say of the ratios that are still wide.
    fn wide(&self, target: f64) -> String {
        let (wide, ratios, target) = (self.wide, self.ratios, percent(target));
        match &self.widest {
            Some((label, width)) if wide > 0 => format!(
                "{wide} of {ratios} ratios have a 95 % interval wider than {target} \
                 (widest: {label}, {})",
                percent(*width)
            ),
            _ if ratios == 1 => format!("the ratio has a 95 % interval of at most {target}"),
            _ => format!("all {ratios} ratios have a 95 % interval of at most {target}"),
        }
    }
}

fn percent(fraction: f64) -> String {
    match fraction.is_finite() {
        true => format!("{} %", report::format::significant(fraction * 100.0)),
        false => "unknown".to_owned(),
    }
}

/// What ended a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// All rounds were taken.
    Rounds,
    /// Every ratio is precise.
    Precise,
    /// The time was up.
    Budget,
    /// Ctrl-C, or nobody reads the results.
    Interrupted,
}

/// Watches a run, to end it in time.
pub struct Watch {
    start: Instant,
    budget: Option<Duration>,
    /// The target of the ratios, where they may end the run.
    target: Option<f64>,
    /// As the last round left it.
    pub precision: Precision,
}

impl Watch {
    /// Starts now.
    pub fn new(budget: Option<Duration>, target: Option<f64>) -> Self {
        Watch { start: Instant::now(), budget, target, precision: Precision::default() }
    }

    /// Time since the start.
    pub fn elapsed(&self) -> Duration {
        self.start.elapsed()
    }

    /// Whether a sample of this round is not to be started any more.
    pub fn is_late(&self, round: u32) -> bool {
        // A run without its first round would compare nothing.
        round > 0 && self.budget.is_some_and(|budget| self.elapsed() >= budget)
    }

    /// Looks at the ratios after so many whole rounds; whether they are precise.
    ///
    /// # Errors
    ///
    /// The summaries' own.
    pub fn is_precise(
        &mut self,
        rounds: u32,
        summaries: impl FnOnce() -> Result<Vec<Summary>, Stop>,
    ) -> Result<bool, Stop> {
        let Some(target) = self.target.filter(|_| rounds > 1) else { return Ok(false) };
        self.precision = Precision::of(&summaries()?, target);
        Ok(rounds >= LEAST_ROUNDS && self.precision.reached())
    }

    /// Says what ended the run, where that was not the number of rounds.
    pub fn says(&self, ended: Ended, rounds: u32, summaries: &[Summary]) -> Option<String> {
        let rounds = if rounds == 1 { "1 round".to_owned() } else { format!("{rounds} rounds") };
        let precision = self.target.map(|target| Precision::of(summaries, target).wide(target));
        match ended {
            Ended::Rounds | Ended::Interrupted => None,
            Ended::Precise => Some(format!("{rounds}: {}", precision.unwrap_or_default())),
            Ended::Budget => {
                let budget = humantime::format_duration(self.budget.unwrap_or_default());
                let text = format!("the budget of {budget} ended the run after {rounds}");
                Some(precision.map_or(text.clone(), |wide| format!("{text}: {wide}")))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use report::Record;

    /// The summary of rounds whose ratios spread by so much.
    fn summaries(spread: f64) -> Vec<Summary> {
        let mut records = Vec::new();
        for round in 0..8 {
            let ns = 1e6 * (1.0 + spread * f64::from(round % 4));
            let of = |backend: &str, ns: f64, control| Record {
                backend: backend.to_owned(),
                n: 8,
                round,
                control,
                iterations_ns: vec![ns as u64],
                ..Record::new()
            };
            records.extend([of("gc", 1e6, false), of("gc", 1e6, true), of("rc", ns, false)]);
        }
        vec![Summary::new(&records, Some("gc")).unwrap()]
    }

    #[test]
    fn narrow_ratios_end_a_run_after_enough_rounds() {
        let mut watch = Watch::new(None, Some(0.02));
        assert!(!watch.is_precise(5, || Ok(summaries(0.001))).unwrap());
        assert!(watch.is_precise(6, || Ok(summaries(0.001))).unwrap());
        assert!(!watch.is_precise(6, || Ok(summaries(0.1))).unwrap());
        assert!(!Watch::new(None, None).is_precise(6, || Ok(summaries(0.0))).unwrap());
        let said = watch.says(Ended::Precise, 6, &summaries(0.001)).unwrap();
        assert_eq!(said, "6 rounds: all 2 ratios have a 95 % interval of at most 2.00 %");
        let one_is_wide = || Ok([summaries(0.001), summaries(0.1)].concat());
        assert!(!watch.is_precise(6, one_is_wide).unwrap());
    }

    #[test]
    fn the_budget_spares_the_first_round() {
        let watch = Watch::new(Some(Duration::ZERO), Some(0.02));
        assert!(!watch.is_late(0) && watch.is_late(1));
        let said = watch.says(Ended::Budget, 1, &summaries(0.1)).unwrap();
        assert!(said.contains("after 1 round: 1 of 2 ratios have"), "{said}");
        assert!(said.contains("(widest: rc at n = 8, "), "{said}");
    }
}
