//! How often the median lies between two order statistics, whatever the distribution.
//!
//! The number of samples below the true median is binomial with chance 1/2. So the interval from the
//! d-th smallest to the d-th greatest of n samples covers it with the chance
//! 1 - 2 P(Bin(n, 1/2) < d). Between order statistics the coverage depends on the distribution, but
//! little; it is interpolated as Hettmansperger & Sheather do (1986, Statistics & Probability Letters
//! 4:75-79), who found half a per cent of error for symmetric distributions of light and heavy tails.
//! Logarithms of ratios of equally noisy times are symmetric.

use super::bootstrap::Place;

/// The coverage of all symmetric intervals in n samples.
pub(super) struct Coverage {
    n: usize,
    /// `below[d]` is the chance that fewer than d samples lie below the median, d up to n / 2.
    below: Vec<f64>,
}

impl Coverage {
    pub fn new(n: usize) -> Self {
        // From the middle outward, relative to the middle term: 2^-n itself may be too small.
        let mut terms = vec![1.0; n / 2 + 1];
        for k in (1..=n / 2).rev() {
            terms[k - 1] = terms[k] * k as f64 / (n - k + 1) as f64;
        }
        let half: f64 = terms.iter().sum();
        // The other half mirrors it; of an even n the middle term is in both.
        let total = if n.is_multiple_of(2) { 2.0 * half - 1.0 } else { 2.0 * half };
        let mut sum = 0.0;
        let mut below = vec![0.0];
        below.extend(terms.iter().map(|term| {
            sum += term / total;
            sum
        }));
        Self { n, below }
    }

    /// The coverage from a place to its mirror image.
    pub fn between(&self, place: Place) -> f64 {
        let Place { rank, part } = place;
        let covered = |rank: usize| 1.0 - 2.0 * self.below[rank.min(self.below.len() - 1)];
        let (rank_n, n) = (rank as f64, self.n as f64);
        // The inverse of their weight (n - d) I / (d + (n - 2 d) I).
        let weight = part * rank_n / (n - rank_n - part * (n - 2.0 * rank_n));
        covered(rank) - weight * (covered(rank) - covered(rank + 1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coverage_by_hand() {
        let at = |n, rank| Coverage::new(n).between(Place { rank, part: 0.0 });
        for (n, rank, exact) in [
            (5, 1, 1.0 - 2.0 / 32.0),
            (6, 1, 1.0 - 2.0 / 64.0),
            (8, 2, 1.0 - 2.0 * 9.0 / 256.0),
            (11, 2, 1.0 - 2.0 * 12.0 / 2048.0),
        ] {
            assert!((at(n, rank) - exact).abs() < 1e-15, "{n} {rank}");
        }
        // Far beyond where 2^-n is zero: two standard deviations from the middle.
        assert!((at(10_000, 4901) - 0.9532).abs() < 1e-3, "{}", at(10_000, 4901));
        let nearly = Coverage::new(8).between(Place { rank: 1, part: 1.0 - 1e-9 });
        assert!((nearly - at(8, 2)).abs() < 1e-6);
    }
}
