//! Coverage: on made-up runs whose true ratio is known, the 95 % interval holds it 95 % of the time.

use super::*;
use rand_pcg::Pcg32;
use rand_pcg::rand_core::{Rng, SeedableRng};
use std::f64::consts::TAU;

const TRIALS: usize = 2_000;
const TRUTH: f64 = 1.37;

/// Disturbances of one round: the logarithms of what the two sides' times are multiplied with.
type Noise = fn(&mut Pcg32, round: usize) -> (f64, f64);

fn uniform(rng: &mut Pcg32) -> f64 {
    (f64::from(rng.next_u32()) + 0.5) / (1u64 << 32) as f64
}

/// A standard normal number (Box & Muller 1958).
fn normal(rng: &mut Pcg32) -> f64 {
    (-2.0 * uniform(rng).ln()).sqrt() * (TAU * uniform(rng)).cos()
}

fn log_normal(rng: &mut Pcg32, _: usize) -> (f64, f64) {
    (0.02 * normal(rng), 0.02 * normal(rng))
}

/// One sample in ten is disturbed twenty times as much, and only ever slowed down.
fn contaminated(rng: &mut Pcg32, round: usize) -> (f64, f64) {
    let mut slowed = |x: f64| if uniform(rng) < 0.1 { x + 0.4 * normal(rng).abs() } else { x };
    let (a, b) = (slowed(0.0), slowed(0.0));
    let (c, d) = log_normal(rng, round);
    (a + c, b + d)
}

/// The machine slows down fivefold in the course of the run, and up and down from round to round.
fn drifting(rng: &mut Pcg32, round: usize) -> (f64, f64) {
    let shared = 0.05 * round as f64 + 0.3 * normal(rng);
    let (a, b) = log_normal(rng, round);
    (a + shared, b + shared)
}

/// Share of the trials whose interval holds the truth.
fn coverage(rounds: usize, noise: Noise, rng: &mut Pcg32) -> f64 {
    let held = (0..TRIALS).filter(|_| {
        let pairs: Vec<_> = (0..rounds)
            .map(|round| {
                let (a, b) = noise(rng, round);
                (1e6 * TRUTH * a.exp(), 1e6 * b.exp())
            })
            .collect();
        let ratio = paired_ratio(&pairs, 1).unwrap();
        ratio.low <= TRUTH && TRUTH <= ratio.high
    });
    held.count() as f64 / TRIALS as f64
}

#[test]
fn intervals_hold_the_truth_95_times_in_100() {
    let shapes: [(&str, Noise); 3] =
        [("log-normal", log_normal), ("contaminated", contaminated), ("drifting", drifting)];
    let mut rng = Pcg32::seed_from_u64(20);
    for (shape, noise) in shapes {
        for rounds in [6, 7, 8, 10, 11, 15, 30, 50] {
            let share = coverage(rounds, noise, &mut rng);
            println!("{shape}, {rounds} rounds: {share:.4}");
            assert!((0.93..=0.97).contains(&share), "{shape}, {rounds} rounds: {share}");
        }
    }
}

/// The same trials find an interval that is too narrow: the range of four samples.
#[test]
fn the_range_of_four_holds_it_less_often() {
    let share = coverage(4, log_normal, &mut Pcg32::seed_from_u64(3));
    // 1 - 2 / 2^4 = 87.5 %.
    assert!((0.855..0.895).contains(&share), "{share}");
}
