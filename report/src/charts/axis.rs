//! From values to pixels, and where the ticks go.

/// Beyond this ratio of the largest to the smallest value, a linear bar of the smallest says nothing.
pub(super) const LOG_FROM_RATIO: f64 = 20.0;

/// One axis.
#[derive(Clone, Copy, Debug)]
pub(super) struct Axis {
    /// Values at the two ends.
    pub range: (f64, f64),
    /// Pixels at the two ends.
    pub pixels: (f64, f64),
    /// Whether equal ratios, not equal differences, are equally far apart.
    pub log: bool,
}

impl Axis {
    /// From zero to the largest value; logarithmic, from below the smallest, where they lie far apart.
    pub fn for_bars(least: f64, most: f64, pixels: (f64, f64)) -> Self {
        if most / least > LOG_FROM_RATIO {
            return Self::log(least, most, pixels);
        }
        Self { range: (0.0, most), pixels, log: false }
    }

    /// Logarithmic, with some room on both sides so that no bar has length zero.
    pub fn log(least: f64, most: f64, pixels: (f64, f64)) -> Self {
        Self { range: (least / 1.6, most * 1.1), pixels, log: true }
    }

    /// The pixel of a value.
    pub fn at(&self, value: f64) -> f64 {
        let scale = |v: f64| if self.log { v.ln() } else { v };
        let (low, high) = (scale(self.range.0), scale(self.range.1));
        let share = ((scale(value) - low) / (high - low)).clamp(0.0, 1.0);
        self.pixels.0 + share * (self.pixels.1 - self.pixels.0)
    }

    /// Round decimal values to mark, seven or so.
    pub fn ticks(&self) -> Vec<f64> {
        let (low, high) = self.range;
        if !self.log {
            let step = round_step((high - low) / 6.0);
            let first = (low / step - 1e-6).ceil();
            return (0..100)
                .map(|i| (first + f64::from(i)) * step)
                .take_while(|&tick| tick <= high + step * 1e-6)
                .collect();
        }
        let decades = (low.log10().floor() as i32)..=(high.log10().ceil() as i32);
        let all = |steps: &[f64]| -> Vec<f64> {
            let values = decades.clone().flat_map(|d| steps.iter().map(move |s| s * 10f64.powi(d)));
            values.filter(|v| (low..=high).contains(v)).collect()
        };
        let fine = all(&[1.0, 2.0, 5.0]);
        if fine.len() <= 9 { fine } else { all(&[1.0]) }
    }

    /// Powers of two to mark, at most eight or so.
    pub fn binary_ticks(&self) -> Vec<f64> {
        let low = self.range.0.max(1.0).log2().ceil() as i32;
        let high = self.range.1.max(1.0).log2().floor() as i32;
        let step = ((high - low) / 7 + 1).max(1);
        // Multiples of the step, so that a step of ten gives 1 KiB, 1 MiB, 1 GiB.
        (low..=high).filter(|power| power % step == 0).map(|power| 2f64.powi(power)).collect()
    }
}

/// Ticks at equal steps, as many as have room.
pub(super) fn spaced(
    ticks: Vec<(f64, String)>,
    axis: &Axis,
    needed_px: impl Fn(&str) -> f64,
) -> Vec<(f64, String)> {
    let fits = |step: &usize| {
        let kept: Vec<&(f64, String)> = ticks.iter().step_by(*step).collect();
        kept.windows(2).all(|pair| {
            let gap = (axis.at(pair[1].0) - axis.at(pair[0].0)).abs();
            gap >= (needed_px(&pair[0].1) + needed_px(&pair[1].1)) / 2.0
        })
    };
    let step = (1..=ticks.len().max(1)).find(fits).unwrap_or(1);
    ticks.into_iter().step_by(step).collect()
}

/// The nearest 1, 2 or 5 times a power of ten that is not smaller.
fn round_step(step: f64) -> f64 {
    let power = 10f64.powf(step.log10().floor());
    let factor = [1.0, 2.0, 5.0, 10.0].into_iter().find(|f| f * power >= step * 0.999_999);
    factor.unwrap_or(10.0) * power
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_few() {
        let axis = Axis::for_bars(30.0, 125.0, (0.0, 100.0));
        assert_eq!(axis.ticks(), [0.0, 50.0, 100.0]);
        assert_eq!(axis.at(0.0), 0.0);
        let axis = Axis::for_bars(1.0, 50.0, (0.0, 100.0));
        assert!(axis.log);
        assert_eq!(axis.ticks(), [1.0, 2.0, 5.0, 10.0, 20.0, 50.0]);
        assert_eq!(Axis::log(1.0, 1e9, (0.0, 1.0)).ticks().len(), 10);
        let axis = Axis::log(1024.0, 1e9, (0.0, 1.0));
        assert_eq!(axis.binary_ticks().len(), 7);
    }

    #[test]
    fn one_value_is_no_special_case() {
        let axis = Axis::log(5.0, 5.0, (0.0, 100.0));
        assert!(axis.at(5.0) > 0.0 && axis.at(5.0) < 100.0);
        assert!(!axis.binary_ticks().is_empty());
    }
}
