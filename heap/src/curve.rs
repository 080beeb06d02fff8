//! Live objects over time, where time is what was allocated.

/// Most points that are kept.
const MOST_POINTS: usize = 256;

/// One point of the curve of live objects.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Live {
    /// Objects allocated so far.
    pub allocated: u64,
    /// Of these, the ones not known to be reclaimed.
    pub live: u64,
}

/// Points at each multiple of a number of allocations, which doubles when there
/// are too many. So a program gives the same curve each time, and a long one
/// takes no more memory.
#[derive(Debug)]
pub struct Curve {
    every: u64,
    /// Where the next point is due.
    next: u64,
    points: Vec<Live>,
}

impl Default for Curve {
    fn default() -> Self {
        Curve { every: 1, next: 1, points: Vec::new() }
    }
}

impl Curve {
    /// Told of each allocation: of how many objects there are then, and how
    /// many of them are live. They may come in batches, in which nothing dies.
    #[inline(always)]
    pub fn follow(&mut self, allocated: u64, live: u64) {
        if allocated >= self.next {
            self.draw(allocated, live);
        }
    }

    #[cold]
    #[inline(never)]
    fn draw(&mut self, allocated: u64, live: u64) {
        while self.next <= allocated {
            // A batch: these were not there yet.
            let live = live.saturating_sub(allocated - self.next);
            self.points.push(Live { allocated: self.next, live });
            if self.points.len() == MOST_POINTS {
                self.every *= 2;
                let every = self.every;
                self.points.retain(|point| point.allocated.is_multiple_of(every));
            }
            self.next = self.points.last().map_or(0, |last| last.allocated) + self.every;
        }
    }

    /// Allocations between two points.
    #[cfg(test)]
    pub fn every(&self) -> u64 {
        self.every
    }

    /// The curve so far, without its origin.
    pub fn points(&self) -> &[Live] {
        &self.points
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is live once so many were allocated: a sawtooth.
    fn live(allocated: u64) -> u64 {
        allocated % 1_000
    }

    #[test]
    fn a_long_curve_has_as_few_points_as_a_short_one() {
        let mut curve = Curve::default();
        for allocated in 1..=1_000_000 {
            curve.follow(allocated, live(allocated));
            let (points, every) = (curve.points(), curve.every());
            assert!(points.len() < MOST_POINTS);
            assert!(allocated - points.last().map_or(0, |last| last.allocated) < every);
        }
        assert!(curve.points().len() >= MOST_POINTS / 2);
        let right = |(i, point): (usize, &Live)| {
            let allocated = (i as u64 + 1) * curve.every();
            *point == Live { allocated, live: live(allocated) }
        };
        assert!(curve.points().iter().enumerate().all(right), "{:?}", curve.points());
    }

    #[test]
    fn batches_make_no_difference() {
        let (mut each, mut batches) = (Curve::default(), Curve::default());
        for allocated in 1..=10_000 {
            each.follow(allocated, live(allocated));
            if allocated % 999 == 0 || allocated % 1_000 == 999 {
                batches.follow(allocated, live(allocated));
            }
        }
        let known = batches.points().len();
        assert!(known > 100);
        assert_eq!(each.points()[..known], *batches.points());
    }
}
