//! The times of a sample: as many as it took, in a bounded list.

/// Most values that are kept.
const MAX_VALUES: usize = 1_000;

/// Times of searches. Where there are more than [`MAX_VALUES`], each value is
/// the mean of a batch of searches that followed each other, all batches being
/// of one size; so a sample may last as long as it should, also where a search
/// takes a microsecond.
#[derive(Debug, Default)]
pub struct Times {
    values_ns: Vec<u64>,
    /// Searches of a batch, but for the first one: a power of two.
    batch: u64,
    /// The batch that is being filled.
    sum_ns: u64,
    searches: u64,
}

impl Times {
    /// Adds the time of one search.
    pub fn push(&mut self, ns: u64) {
        if self.values_ns.capacity() == 0 {
            // At once, so that no timed search meets the list's growth.
            self.values_ns.reserve_exact(MAX_VALUES);
            self.batch = 1;
        }
        self.sum_ns += ns;
        self.searches += 1;
        if self.searches < self.batch {
            return;
        }
        if self.values_ns.len() == MAX_VALUES {
            self.halve();
            // This search is the first of a batch of the new size.
            return;
        }
        self.values_ns.push(mean(self.sum_ns, self.searches));
        (self.sum_ns, self.searches) = (0, 0);
    }

    /// Two batches become one.
    fn halve(&mut self) {
        for i in 0..MAX_VALUES / 2 {
            self.values_ns[i] = mean(self.values_ns[2 * i] + self.values_ns[2 * i + 1], 2);
        }
        self.values_ns.truncate(MAX_VALUES / 2);
        self.batch *= 2;
    }

    /// The values in nanoseconds; a last batch that is not full is left out.
    pub fn into_values_ns(self) -> Vec<u64> {
        self.values_ns
    }
}

/// The mean, rounded.
fn mean(sum: u64, count: u64) -> u64 {
    (sum + count / 2) / count
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(ns: impl Iterator<Item = u64>) -> Vec<u64> {
        let mut times = Times::default();
        ns.for_each(|ns| times.push(ns));
        times.into_values_ns()
    }

    #[test]
    fn few_are_kept_as_they_are() {
        assert_eq!(of(0..0), [0; 0]);
        assert_eq!(of(1..=1000), (1..=1000).collect::<Vec<_>>());
    }

    #[test]
    fn many_become_means_of_batches() {
        let values = of(0..2_000);
        assert_eq!(values.len(), 1_000);
        assert_eq!((values[0], values[1], values[999]), (1, 3, 1999));
        // The batch of the 2001st search is not full, and left out.
        assert_eq!((of(0..2_001), of(0..2_002).len()), (values, 500));
        let many = of((0..100_000).map(|i| 100 + i % 2));
        assert!((500..=1_000).contains(&many.len()), "{}", many.len());
        assert!(many.iter().all(|&ns| ns == 101), "{many:?}");
    }
}
