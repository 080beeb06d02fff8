//! What samples tell beside times and memory: pauses, and events of the processor.

use crate::format::clean;
use crate::record::{CounterSource, Counters, Mmu, Pauses, Record};
use crate::stats::median;
use std::collections::BTreeMap;

/// The pauses of one row's samples together.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PauseTimes {
    /// Number of pauses of one search: the median of the samples.
    pub count: u64,
    /// Their lengths together, in nanoseconds: the median of the samples.
    pub total_ns: u64,
    /// Median length: the median of the samples.
    pub p50_ns: u64,
    /// 99th percentile: the median of the samples.
    pub p99_ns: u64,
    /// 99.9th percentile: the median of the samples.
    pub p999_ns: u64,
    /// The longest of one search: the median of the samples. The longest of all would be what the
    /// system did to one of them, since pauses are wall time.
    pub max_ns: u64,
    /// Number of sweeps of one search, within pauses or not: the median of the samples; `None` where
    /// none recorded it.
    pub sweeps: Option<u64>,
    /// The part of a search that sweeps take, from 0 to 1: the median of the samples that swept.
    pub sweep_share: Option<f64>,
    /// Time of one search less what keeping account of its pauses took: the median of the samples.
    pub run_ns: u64,
    /// What reading the clock twice costs, part of each pause: the median of the samples.
    pub clock_ns: u64,
    /// The curve of lengths: per cent of the pauses, and the length in nanoseconds that they do not
    /// exceed; the medians of the samples.
    pub percentiles: Vec<(f64, u64)>,
    /// The least utilisation of one search, by window, shortest first: the median of the samples.
    pub mmu: Vec<Mmu>,
}

impl PauseTimes {
    pub(super) fn new(samples: &[&Record]) -> Option<Self> {
        let pauses: Vec<&Pauses> = samples.iter().filter_map(|s| s.pauses.as_ref()).collect();
        let middle =
            |field: fn(&Pauses) -> u64| super::row::middle(pauses.iter().map(|p| field(p)));
        let mut mmu: BTreeMap<u64, Vec<f64>> = BTreeMap::new();
        for point in pauses.iter().flat_map(|p| &p.mmu) {
            mmu.entry(point.window_ns).or_default().push(point.utilisation);
        }
        // Percentages are never NaN or negative, so their bits are in their order.
        let mut curve: BTreeMap<u64, Vec<u64>> = BTreeMap::new();
        for &(percent, ns) in pauses.iter().flat_map(|p| &p.percentiles) {
            curve.entry(percent.abs().to_bits()).or_default().push(ns);
        }
        Some(Self {
            percentiles: curve
                .into_iter()
                .filter_map(|(bits, lengths)| {
                    Some((f64::from_bits(bits), super::row::middle(lengths.into_iter())?))
                })
                .collect(),
            count: middle(|p| p.count)?,
            total_ns: middle(|p| p.total_ns)?,
            p50_ns: middle(|p| p.p50_ns)?,
            p99_ns: middle(|p| p.p99_ns)?,
            p999_ns: middle(|p| p.p999_ns)?,
            max_ns: middle(|p| p.max_ns)?,
            sweeps: super::row::middle(pauses.iter().filter_map(|p| p.sweeps)),
            sweep_share: median(&pauses.iter().filter_map(|p| p.sweep_share()).collect::<Vec<_>>()),
            run_ns: middle(|p| p.run_ns)?,
            clock_ns: middle(|p| p.clock_ns)?,
            mmu: mmu
                .into_iter()
                .filter_map(|(window_ns, shares)| {
                    Some(Mmu { window_ns, utilisation: median(&shares)? })
                })
                .collect(),
        })
    }
}

/// Events of one search from one source, of the first round that has them.
#[derive(Clone, Debug, PartialEq)]
pub struct Events {
    /// The counts, or why there are none.
    pub counters: Counters,
    /// Instructions over cells allocated.
    pub instructions_per_cell: Option<f64>,
}

impl Events {
    /// Of each source that any sample names, in the order of sources.
    pub(super) fn all(samples: &[&Record], cells: Option<u64>) -> Vec<Self> {
        let mut by_round = samples.to_vec();
        by_round.sort_by_key(|s| s.round);
        let mut found: BTreeMap<CounterSource, &Counters> = BTreeMap::new();
        for counters in by_round.iter().flat_map(|s| &s.counters) {
            let known = found.entry(counters.source).or_insert(counters);
            if known.instructions.is_none() && counters.instructions.is_some() {
                *known = counters;
            }
        }
        found.into_values().map(|counters| Self::new(counters, cells)).collect()
    }

    fn new(counters: &Counters, cells: Option<u64>) -> Self {
        let cells = cells.filter(|&cells| cells > 0);
        Self {
            counters: Counters {
                unavailable: counters.unavailable.as_deref().map(clean),
                ..counters.clone()
            },
            instructions_per_cell: counters
                .instructions
                .zip(cells)
                .map(|(instructions, cells)| instructions as f64 / cells as f64),
        }
    }
}
