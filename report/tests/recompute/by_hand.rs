//! The numbers of a row in a few lines of their own, from lines of JSON.

use crate::page::{Wanted, rounded};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// One line of the record file.
pub struct Sample(Value);

impl Sample {
    pub fn lines(text: &str) -> Vec<Self> {
        text.lines().map(|line| Self(serde_json::from_str(line).unwrap())).collect()
    }

    fn text(&self, field: &str) -> &str {
        self.0[field].as_str().unwrap_or("")
    }

    fn count(&self, field: &str) -> Option<u64> {
        self.0[field].as_u64()
    }

    fn is(&self, field: &str) -> bool {
        self.0[field].as_bool().unwrap_or(false)
    }

    fn is_ok(&self) -> bool {
        self.text("status") == "ok"
    }

    /// Median of its iterations.
    fn time_ns(&self) -> Option<f64> {
        let iterations = self.0["iterations_ns"].as_array()?;
        median(iterations.iter().map(|ns| ns.as_f64().unwrap()).collect())
    }

    /// What pairs it with others: seed, round and command line.
    fn round(&self) -> (u64, u64, String) {
        (self.count("seed").unwrap(), self.count("round").unwrap(), self.text("command").into())
    }
}

/// All samples of one configuration and n.
pub struct Row<'a> {
    pub label: String,
    pub n: u64,
    samples: Vec<&'a Sample>,
}

/// The rows, by n. In these records only a nursery tells configurations of one backend apart, and a
/// run whose command line names several is a sweep beside the study.
pub fn rows(samples: &[Sample]) -> Vec<Row<'_>> {
    let nursery = |sample: &Sample| sample.0["params"]["nursery"].clone();
    let is_sweep = |sample: &Sample| sample.text("command").contains("--nursery");
    let studied: BTreeSet<(&str, String)> = samples
        .iter()
        .filter(|sample| !is_sweep(sample))
        .map(|sample| (sample.text("backend"), nursery(sample).to_string()))
        .collect();
    let mut rows: BTreeMap<(u64, String), Vec<&Sample>> = BTreeMap::new();
    for sample in samples {
        let backend = sample.text("backend");
        let label = match studied.contains(&(backend, nursery(sample).to_string())) {
            true => backend.to_owned(),
            false => format!("{backend}{{nursery={}}}", nursery(sample).as_str().unwrap()),
        };
        rows.entry((sample.count("n").unwrap(), label)).or_default().push(sample);
    }
    let row = |((n, label), samples)| Row { label, n, samples };
    rows.into_iter().map(row).collect()
}

/// How far a backend differs from itself at one n, as a fraction; `None` where none stands twice.
pub fn floor(rows: &[Row], n: u64) -> Option<f64> {
    let twice = rows.iter().filter(|row| row.n == n).filter_map(|row| {
        let again = paired(&row.times(true), &row.times(false))?;
        Some(again.low.ln().abs().max(again.high.ln().abs()).exp() - 1.0)
    });
    twice.reduce(f64::max)
}

type Times = BTreeMap<(u64, u64, String), f64>;

impl Row<'_> {
    pub fn swept(&self) -> bool {
        self.label.contains('{')
    }

    /// Whether a reader may compare others with it.
    pub fn is_offered(&self) -> bool {
        let is_peer = self.samples.iter().any(|sample| !sample.0["peer"].is_null());
        !self.swept() && (!is_peer || self.label == "ocaml")
    }

    /// Time of each search before those that count, over the time of these.
    pub fn warm_up(&self) -> Vec<f64> {
        let time = median(self.times(false).into_values().collect()).unwrap();
        let of = |search: usize| {
            let times = self.samples.iter().map(|s| s.0["warm_up_ns"][search].as_f64());
            Some(median(times.collect::<Option<_>>()?)? / time)
        };
        (0..).map_while(of).collect()
    }

    fn is_ok(&self) -> bool {
        self.samples.iter().all(|sample| sample.is_ok())
    }

    fn timed(&self, control: bool) -> impl Iterator<Item = &Sample> {
        let chosen =
            move |sample: &&Sample| !sample.is("counted") && sample.is("control") == control;
        self.samples.iter().copied().filter(chosen)
    }

    /// Times by round.
    fn times(&self, control: bool) -> Times {
        let timed = self.timed(control).filter(|_| self.is_ok());
        timed.map(|sample| (sample.round(), sample.time_ns().unwrap())).collect()
    }

    /// Time over another's, paired by round.
    pub fn ratio(&self, base: &Self) -> Option<Interval> {
        paired(&self.times(false), &base.times(false))
    }

    /// Lower median of a count over some samples.
    fn middle<'a>(
        samples: impl Iterator<Item = &'a Sample>,
        count: impl Fn(&Value) -> Option<u64>,
    ) -> Option<f64> {
        let mut counts: Vec<u64> = samples.filter_map(|sample| count(&sample.0)).collect();
        counts.sort_unstable();
        counts.get(counts.len().saturating_sub(1) / 2).map(|&count| count as f64)
    }

    fn any(&self, field: &str) -> Option<f64> {
        Self::middle(self.samples.iter().copied(), |sample| sample[field].as_u64())
    }

    fn memory(&self, field: &str) -> Option<f64> {
        Self::middle(self.timed(false), |sample| sample[field].as_u64())
    }

    /// The most the heap held over the fewest cells that any backend held when it held most, of those
    /// that count references if there are any, in bytes of this one.
    fn space_overhead(&self, rows: &[Self]) -> Option<f64> {
        let cell_bytes = |row: &Self| row.samples[0].0["capabilities"]["cell_bytes"].as_f64();
        let heap = |row: &Self, field: &str| row.memory(field).or(row.any(field));
        let cells = |counting: bool| {
            let family = |row: &&Self| row.samples[0].0["family"] == "reference counting";
            rows.iter()
                .filter(|row| row.n == self.n && row.is_ok())
                .filter(|row| !counting || family(row))
                .filter_map(|row| Some(heap(row, "live_peak_bytes")? / cell_bytes(row)?))
                .filter(|&cells| cells > 0.0)
                .reduce(f64::min)
        };
        let live = cells(true).or(cells(false))?;
        Some(heap(self, "heap_peak_bytes")? / (live * cell_bytes(self)?))
    }

    /// Instructions of callgrind, else of the processor, of the first round that has them.
    fn instructions(&self) -> Option<f64> {
        let mut samples = self.samples.clone();
        samples.sort_by_key(|sample| sample.count("round"));
        let of = |source: &str| {
            let counters = samples.iter().filter_map(|sample| sample.0["counters"].as_array());
            let mut counters = counters.flatten().filter(|counts| counts["source"] == source);
            counters.find_map(|counts| counts["instructions"].as_f64())
        };
        of("callgrind").or_else(|| of("perf"))
    }

    /// What the table must tell, by column.
    pub fn cells(&self, rows: &[Self]) -> Vec<(&'static str, Wanted)> {
        let times: Vec<f64> =
            self.timed(false).filter(|_| self.is_ok()).filter_map(Sample::time_ns).collect();
        let time = Interval::of(&times);
        let base = rows.iter().find(|row| row.n == self.n && row.label == "gc").unwrap();
        let ratio = self.ratio(base).filter(|_| self.label != "gc");
        let cells = self.any("cells_allocated");
        let per_cell = |of: Option<f64>| Some(of? / cells?);
        let pauses = |field: &str| {
            let samples = self.samples.iter().copied().filter(|_| self.is_ok());
            Self::middle(samples, |sample| sample["pauses"][field].as_u64())
        };
        let collections = Self::middle(self.samples.iter().copied(), |sample| {
            let counts = ["collections_minor", "collections_major"].map(|f| sample[f].as_u64());
            counts.into_iter().flatten().reduce(|a, b| a + b)
        });
        let spread = time.filter(|time| time.samples >= 6).and_then(|time| {
            let away = times.iter().map(|ns| (ns - time.value).abs()).collect();
            Some(1.4826 * median(away)? / time.value)
        });
        vec![
            ("backend", Wanted::Text(self.label.clone())),
            ("n", Wanted::number(Some(self.n as f64))),
            (
                "time",
                match self.is_ok() {
                    true => Wanted::number(time.map(|time| time.value)),
                    false => Wanted::Unknown,
                },
            ),
            ("interval", Wanted::Interval(time.filter(|time| time.samples > 1))),
            (
                "ratio",
                match self.label == "gc" && time.is_some() {
                    true => Wanted::number(Some(1.0)),
                    false => Wanted::Ratio(ratio),
                },
            ),
            ("verdict", Wanted::Verdict(ratio)),
            ("ns-per-cell", Wanted::number(per_cell(time.map(|time| time.value)))),
            ("instructions-per-cell", Wanted::number(per_cell(self.instructions()))),
            (
                "heap-peak",
                Wanted::number(self.memory("heap_peak_bytes").or(self.any("heap_peak_bytes"))),
            ),
            ("rss-peak", Wanted::number(self.memory("rss_peak_bytes"))),
            ("space-overhead", Wanted::number(self.space_overhead(rows))),
            ("collections", Wanted::number(collections)),
            ("pause-max", Wanted::number(pauses("max_ns").filter(|_| pauses("count") > Some(0.0)))),
            ("spread", Wanted::number(spread)),
            ("samples", Wanted::number(Some(times.len() as f64))),
        ]
    }
}

/// A median, and where its 95 % interval ends; the range of fewer than six.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    pub value: f64,
    pub low: f64,
    pub high: f64,
    pub samples: usize,
}

impl Interval {
    /// By interpolated order statistics (Hettmansperger & Sheather 1986, Statistics & Probability
    /// Letters 4:75-79), which the page's own bootstrap approaches.
    pub fn of(values: &[f64]) -> Option<Self> {
        let mut sorted = values.to_vec();
        sorted.sort_by(f64::total_cmp);
        let n = sorted.len();
        let (value, first, last) = (median(sorted.clone())?, sorted[0], sorted[n - 1]);
        if n < 6 {
            return Some(Self { value, low: first, high: last, samples: n });
        }
        // Coverage from the k-th value to the k-th from the end.
        let choose = |k: usize| (0..k).fold(1.0, |c, i| c * (n - i) as f64 / (i + 1) as f64);
        let covered = |k: usize| 1.0 - 2.0 * (0..k).map(choose).sum::<f64>() / 2_f64.powi(n as i32);
        let k = (1..n / 2).take_while(|&k| covered(k) >= 0.95).last().unwrap();
        let part = (covered(k) - 0.95) / (covered(k) - covered(k + 1));
        let part = (n - k) as f64 * part / (k as f64 + (n as f64 - 2.0 * k as f64) * part);
        let between = |outer: f64, inner: f64| outer + part * (inner - outer);
        Some(Self {
            value,
            low: between(sorted[k - 1], sorted[k]),
            high: between(sorted[n - k], sorted[n - 1 - k]),
            samples: n,
        })
    }

    /// Against value, low and high of the page. The bootstrap's ends differ a little from these:
    /// by no more than a fiftieth of the way to the median.
    pub fn compare(&self, [value, low, high]: &[f64; 3], place: &str) {
        assert!(close(*value, self.value, 0.0), "{place}");
        assert!(close(*low, self.low, (self.value - self.low) / 50.0), "{place}");
        assert!(close(*high, self.high, (self.high - self.value) / 50.0), "{place}");
    }
}

/// Equal to the nine digits that the page tells, or within a margin.
pub fn close(a: f64, b: f64, margin: f64) -> bool {
    (a - b).abs() <= 2e-9 * b.abs() + margin
}

fn paired(side: &Times, base: &Times) -> Option<Interval> {
    let logs = side.iter().filter_map(|(round, a)| Some((a / base.get(round)?).ln()));
    let logs = Interval::of(&logs.collect::<Vec<_>>())?;
    let [value, low, high] = [logs.value, logs.low, logs.high].map(f64::exp);
    Some(Interval { value, low, high, ..logs })
}

fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    let n = values.len();
    Some((values.get(n.checked_sub(1)? / 2)? + values[n / 2]) / 2.0)
}

impl Wanted {
    fn number(value: Option<f64>) -> Self {
        value.map_or(Self::Unknown, Self::Number)
    }

    /// Against what a cell tells to scripts and to readers.
    pub fn compare(&self, value: &str, text: &str, place: &str) {
        let number = || value.parse::<f64>().unwrap_or_else(|_| panic!("{place}"));
        match self {
            Self::Unknown | Self::Interval(None) | Self::Ratio(None) | Self::Verdict(None) => {
                assert_eq!(value, "", "{place}");
            }
            Self::Text(wanted) => assert!(value == wanted && text.starts_with(wanted), "{place}"),
            Self::Number(wanted) => {
                assert!(close(number(), *wanted, 0.0), "{place}: {wanted}");
                rounded(&[*wanted], text, place);
            }
            Self::Interval(Some(wanted)) => {
                let low = number();
                assert!(close(low, wanted.low, (wanted.value - wanted.low) / 50.0), "{place}");
                let ends = crate::page::numbers(text);
                let margin = (wanted.high - wanted.value) / 50.0 + ends[1].half_a_digit;
                assert!(close(ends[1].value, wanted.high, margin), "{place}: {wanted:?}");
                rounded(&[low], text, place);
            }
            Self::Ratio(Some(wanted)) => {
                assert!(close(number(), wanted.value, 0.0), "{place}: {wanted:?}");
                rounded(&[wanted.value], text, place);
            }
            Self::Verdict(Some(wanted)) => {
                assert!(close(number(), wanted.value, 0.0) && text.len() > 1, "{place}");
            }
        }
    }
}
