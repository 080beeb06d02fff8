//! One configuration over the numbers of threads.

use super::block::{Block, View};
use crate::compare::ratio_of_medians;
use crate::labels::without_lists;
use crate::record::params::LISTS;
use crate::stats::{Estimate, SEED, paired_ratio};
use crate::summary::{Group, NoiseFloor, Rounds, Row, pairs};
use crate::verdict::Verdict;

/// One configuration at one n.
#[derive(Clone, Debug)]
pub struct Line<'a> {
    pub(super) block: &'a Block,
    /// Size of the problem.
    pub n: u32,
    /// Place of its origin in [`Block::origins`].
    pub origin: usize,
    /// Its rows, fewest threads first; never none.
    pub spots: Vec<Spot<'a>>,
}

/// One configuration with one number of threads.
#[derive(Clone, Copy, Debug)]
pub struct Spot<'a> {
    /// All with that number.
    pub view: &'a View,
    /// Its row there.
    pub row: &'a Row,
}

impl<'a> Spot<'a> {
    /// Threads that ran the program.
    pub fn threads(&self) -> u32 {
        self.view.threads
    }

    /// The configuration.
    pub fn group(&self) -> &'a Group {
        self.view.summary.group_of(self.row)
    }

    /// Cores that the threads could run on.
    pub fn cores(&self) -> u32 {
        let machine = &self.view.summary.machines[self.group().origin];
        self.row.parallel.as_ref().map_or(machine.cores, |threads| threads.cores)
    }

    /// Physical cores that the threads could run on, where these are told to be fewer than the cores:
    /// some of the cores are then parts of one (hyperthreads).
    pub fn physical_cores(&self) -> Option<u32> {
        let physical = self.row.parallel.as_ref()?.physical_cores?;
        (1..self.cores()).contains(&physical).then_some(physical)
    }

    /// Whether each thread had a core for itself, and as far as is told a physical one.
    pub fn apart(&self) -> bool {
        self.threads() <= self.physical_cores().unwrap_or(self.cores()).max(1)
    }

    /// Whether threads shared the physical cores that are told.
    pub fn shares_physical_cores(&self) -> bool {
        self.physical_cores().is_some() && !self.apart()
    }

    /// Whether each thread was kept on a core of its own, or the system refused that; `None` where it
    /// was not tried.
    pub fn pinned(&self) -> Option<bool> {
        let told = self.row.parallel.as_ref()?.pinned;
        match self.oversubscribed() {
            // Earlier versions told of threads without a core each that they were not kept on one.
            true => told.filter(|&pinned| pinned),
            // What does not tell it is taken for older, where that was always done.
            false => told.or(Some(true)),
        }
    }

    /// Whether there were more threads than cores: they took turns.
    pub fn oversubscribed(&self) -> bool {
        self.threads() > self.cores().max(1)
    }

    /// How its tasks shared lists.
    pub fn lists(&self) -> Option<&'a str> {
        self.group().params.get(LISTS).map(String::as_str)
    }

    /// Processor time of one search in nanoseconds, of all threads together.
    pub fn cpu_ns(&self, block: &Block) -> Option<Estimate> {
        let cpu_ns = self.row.parallel.as_ref()?.cpu_ns?;
        Some(cpu_ns.map(|ns| ns / self.searches(block)))
    }

    /// Searches of one iteration.
    fn searches(&self, block: &Block) -> f64 {
        if block.mode.side_by_side() { f64::from(self.threads().max(1)) } else { 1.0 }
    }

    fn floor(&self) -> Option<f64> {
        self.view.summary.noise_of(self.row).map(NoiseFloor::fraction)
    }

    fn cpu_floor(&self) -> Option<f64> {
        self.view.summary.cpu_floor_of(self.row)
    }
}

impl<'a> Line<'a> {
    /// The configuration.
    pub fn group(&self) -> &'a Group {
        self.spots[0].group()
    }

    /// Its n, origin and backend.
    pub(super) fn backend(&self) -> (u32, usize, &'a str) {
        (self.n, self.origin, &self.group().backend)
    }

    /// How its tasks share lists.
    pub fn lists(&self) -> Option<&'a str> {
        self.spots[0].lists()
    }

    /// What it is called where how it shares lists is told by itself.
    pub(crate) fn config_without_lists(&self) -> String {
        let group = self.group();
        without_lists(&group.config, &group.params)
    }

    /// Its row with so many threads.
    pub fn with(&self, threads: u32) -> Option<Spot<'a>> {
        self.spots.iter().copied().find(|spot| spot.threads() == threads)
    }

    /// Its row with one thread, if that has a time.
    pub fn alone(&self) -> Option<Spot<'a>> {
        self.with(1).filter(|spot| spot.row.time_ns.is_some())
    }

    /// Times as much work as one thread does in the same time; `None` without a time of one thread.
    pub fn speed_up(&self, spot: &Spot) -> Option<Estimate> {
        Some(self.time_ratio(spot)?.inverse())
    }

    /// The speed-up over the number of threads: 1 is the ideal.
    pub fn efficiency(&self, spot: &Spot) -> Option<Estimate> {
        Some(self.speed_up(spot)?.map(|times| times / f64::from(spot.threads().max(1))))
    }

    /// Time for the same work over that of one thread: below 1 is faster.
    fn time_ratio(&self, spot: &Spot) -> Option<Estimate> {
        let alone = self.alone()?;
        let ratio = ratio(&spot.row.rounds, &alone.row.rounds)?;
        Some(ratio.map(|ratio| ratio / spot.searches(self.block)))
    }

    /// Processor time of one search over that of one thread: what more there is, threads cost.
    pub fn cpu_growth(&self, spot: &Spot) -> Option<Estimate> {
        let alone = self.alone()?;
        let rounds = |row: &'a Row| Some(&row.parallel.as_ref()?.cpu_rounds);
        let ratio = ratio(&spot.row.parallel.as_ref()?.cpu_rounds, rounds(alone.row)?)?;
        Some(ratio.map(|ratio| ratio / spot.searches(self.block)))
    }

    /// What the time for the same work says beside one thread's; `None` of one thread itself.
    pub fn verdict(&self, spot: &Spot) -> Option<Verdict> {
        let ratio = self.time_ratio(spot).filter(|_| spot.threads() != 1)?;
        Some(Verdict::new(&ratio, self.floor(spot)))
    }

    /// The same of processor times, beside the noise floor of processor times.
    pub fn cpu_verdict(&self, spot: &Spot) -> Option<Verdict> {
        let ratio = self.cpu_growth(spot).filter(|_| spot.threads() != 1)?;
        Some(Verdict::new(&ratio, self.higher(spot, |spot| spot.cpu_floor())))
    }

    /// The noise floor of a comparison with one thread: the higher of both, where both are known.
    pub fn floor(&self, spot: &Spot) -> Option<f64> {
        self.higher(spot, |spot| spot.floor())
    }

    fn higher(&self, spot: &Spot, floor: fn(&Spot) -> Option<f64>) -> Option<f64> {
        let floors = [Some(*spot), self.alone()].map(|spot| floor(&spot?));
        floors.into_iter().flatten().reduce(f64::max)
    }
}

/// Of the rounds that both have; where they have none in common, of runs that were made apart, of the
/// medians.
fn ratio(side: &Rounds, base: &Rounds) -> Option<Estimate> {
    let values = |rounds: &Rounds| rounds.values().copied().collect::<Vec<f64>>();
    let apart = || ratio_of_medians(&values(side), &values(base));
    paired_ratio(&pairs(side, base), SEED).or_else(apart)
}
