//! The order of a run.
//!
//! Each round is a block: it takes every configuration at every size once. In
//! a block the sizes come in random order, and at each size the configurations
//! do, so that samples that are compared lie close together in time. The
//! baseline is entered twice; its ratio to itself shows the noise.

use crate::config::Config;
use fastrand::Rng;

/// What is measured, and how often.
#[derive(Clone, Debug)]
pub struct Study {
    /// The configurations.
    pub configs: Vec<Config>,
    /// The board sizes.
    pub sizes: Vec<u32>,
    /// Blocks.
    pub rounds: u32,
    /// Seed of the order.
    pub seed: u64,
}

/// One sample to take.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Entry {
    /// The block, from 0.
    pub round: u32,
    /// The board size.
    pub n: u32,
    /// Place in [`Study::configs`].
    pub config: usize,
}

impl Study {
    /// Enters the baseline a second time: the one of this name, or `gc`, or the first.
    pub fn add_control(&mut self, baseline: Option<&str>) {
        let named = |name| self.configs.iter().position(|config| config.info.name == name);
        let place = named(baseline.unwrap_or("gc")).unwrap_or(0);
        if let Some(config) = self.configs.get(place) {
            let control = Config { control: true, ..config.clone() };
            self.configs.push(control);
        }
    }

    /// Number of samples in all.
    pub fn len(&self) -> usize {
        self.configs.len() * self.sizes.len() * self.rounds as usize
    }

    /// The samples in the order to take them; the seed decides it.
    pub fn order(&self) -> impl Iterator<Item = Entry> {
        let mut rng = Rng::with_seed(self.seed);
        (0..self.rounds).flat_map(move |round| {
            let mut block = Vec::new();
            for n in shuffled(&mut rng, self.sizes.iter().copied()) {
                let configs = shuffled(&mut rng, 0..self.configs.len());
                block.extend(configs.into_iter().map(|config| Entry { round, n, config }));
            }
            block
        })
    }
}

fn shuffled<T>(rng: &mut Rng, items: impl Iterator<Item = T>) -> Vec<T> {
    let mut items: Vec<T> = items.collect();
    rng.shuffle(&mut items);
    items
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    fn study(seed: u64) -> Study {
        let config = |info| Config { info, params: BTreeMap::new(), control: false };
        let configs = heap::BACKENDS.iter().map(config).collect();
        Study { configs, sizes: vec![4, 6], rounds: 3, seed }
    }

    #[test]
    fn each_round_takes_each_sample_once() {
        let mut study = study(1);
        study.add_control(None);
        assert!(study.configs.last().is_some_and(|last| last.control && last.info.name == "gc"));
        let order: Vec<Entry> = study.order().collect();
        assert!(order.is_sorted_by_key(|entry| entry.round));
        let mut sorted = order.clone();
        sorted.sort();
        sorted.dedup();
        assert_eq!((sorted.len(), order.len()), (study.len(), study.len()));
    }

    #[test]
    fn the_seed_decides_the_order() {
        let order = |seed| study(seed).order().collect::<Vec<_>>();
        assert_eq!(order(7), order(7));
        assert_ne!(order(7), order(8));
    }
}
