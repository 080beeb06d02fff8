//! Samples far from the others: marked, never dropped.

use super::{middle, sorted};

/// What the median absolute deviation is multiplied with to estimate the standard deviation of
/// normal samples: 1 / Φ⁻¹(3/4).
pub const MAD_TO_SIGMA: f64 = 1.4826;

/// The same for the mean absolute deviation: √(π/2).
const MEAN_AD_TO_SIGMA: f64 = 1.2533;

/// Distance from the median, in estimated standard deviations, from which a sample is an outlier
/// (Iglewicz & Hoaglin 1993, How to Detect and Handle Outliers).
pub const OUTLIER_Z: f64 = 3.5;

/// The median absolute deviation from the median, unscaled (Hampel 1974, JASA 69:383-393); `None` of
/// nothing. Multiply with [`MAD_TO_SIGMA`] to compare with a standard deviation.
pub fn mad(values: &[f64]) -> Option<f64> {
    let median = super::median(values)?;
    super::median(&deviations(values, median))
}

/// Which values are outliers, by the modified z-score of Iglewicz & Hoaglin: farther from the median
/// than [`OUTLIER_Z`] times the scaled median absolute deviation.
///
/// Where that is zero, because half of the values are equal, the scaled mean absolute deviation stands
/// in for it, as they advise. Of equal values none is an outlier. For times, give logarithms.
pub fn outliers(values: &[f64]) -> Vec<bool> {
    let median = middle(&sorted(values));
    let deviations = deviations(values, median);
    let sigma = match MAD_TO_SIGMA * middle(&sorted(&deviations)) {
        0.0 => MEAN_AD_TO_SIGMA * deviations.iter().sum::<f64>() / values.len() as f64,
        sigma => sigma,
    };
    deviations.iter().map(|&deviation| deviation > OUTLIER_Z * sigma).collect()
}

fn deviations(values: &[f64], median: f64) -> Vec<f64> {
    values.iter().map(|value| (value - median).abs()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const NONE: [f64; 0] = [];

    fn marked(values: &[f64]) -> Vec<f64> {
        let marks = outliers(values);
        values.iter().zip(marks).filter(|(_, marked)| *marked).map(|(value, _)| *value).collect()
    }

    #[test]
    fn spread_by_hand() {
        assert_eq!(mad(&[]), None);
        assert_eq!(mad(&[4.0]), Some(0.0));
        // Deviations from 3: 2, 1, 0, 1, 97.
        assert_eq!(mad(&[1.0, 2.0, 3.0, 4.0, 100.0]), Some(1.0));
    }

    #[test]
    fn far_samples_are_marked() {
        assert_eq!(marked(&[]), NONE);
        // 3.5 x 1.4826 = 5.19 deviations from 3.
        assert_eq!(marked(&[1.0, 2.0, 3.0, 4.0, 8.1]), NONE);
        assert_eq!(marked(&[1.0, 2.0, 3.0, 4.0, 8.3]), [8.3]);
        assert_eq!(marked(&[-3.0, 2.0, 3.0, 4.0, 3.0]), [-3.0]);
    }

    #[test]
    fn half_of_the_samples_may_be_equal() {
        let mut values = [5.0; 12];
        assert_eq!(marked(&values), NONE);
        values[3] = 5.1;
        // Mean deviation 0.1 / 12, so this one lies 9.6 of them away.
        assert_eq!(marked(&values), [5.1]);
        values[4] = 4.9;
        values[5] = 5.1;
        values[6] = 4.9;
        assert_eq!(marked(&values), NONE);
    }
}
