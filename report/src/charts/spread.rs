//! Moving labels apart, each as little as possible.

/// New places for labels, in the order given, at least `gap` apart and within `low..=high` as far as
/// there is room, with the least sum of squared moves.
///
/// With the labels in order and the i-th moved back by i gaps, "apart" becomes "not falling", which is
/// isotonic regression: neighbours that fall are pooled at their mean (Barlow et al., Statistical
/// Inference under Order Restrictions, 1972).
pub(super) fn spread(wanted: &[f64], gap: f64, (low, high): (f64, f64)) -> Vec<f64> {
    let mut order: Vec<usize> = (0..wanted.len()).collect();
    order.sort_by(|&a, &b| wanted[a].total_cmp(&wanted[b]));
    let mut pools: Vec<(f64, usize)> = Vec::new();
    for (i, &label) in order.iter().enumerate() {
        let (mut sum, mut size) = (wanted[label] - i as f64 * gap, 1);
        while let Some(&(before, many)) = pools.last() {
            if before / many as f64 <= sum / size as f64 {
                break;
            }
            pools.pop();
            sum += before;
            size += many;
        }
        pools.push((sum, size));
    }
    let last = high - wanted.len().saturating_sub(1) as f64 * gap;
    let means = pools.iter().flat_map(|&(sum, size)| vec![sum / size as f64; size]);
    let mut places = vec![0.0; wanted.len()];
    for (i, (mean, label)) in means.zip(order).enumerate() {
        places[label] = mean.min(last).max(low) + i as f64 * gap;
    }
    places
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn labels_end_up_apart_in_order_and_inside(wanted in proptest::collection::vec(0.0..300.0_f64, 0..20)) {
            let places = spread(&wanted, 15.0, (0.0, 300.0));
            for (i, a) in places.iter().enumerate() {
                prop_assert!((-1e-9..=300.0 + 1e-9).contains(a));
                for (j, b) in places[..i].iter().enumerate() {
                    prop_assert!((a - b).abs() >= 15.0 - 1e-9);
                    prop_assert!((wanted[i] - wanted[j]) * (a - b) >= 0.0);
                }
            }
        }
    }

    #[test]
    fn what_is_apart_stays() {
        assert_eq!(spread(&[50.0, 10.0, 52.0], 10.0, (0.0, 100.0)), [46.0, 10.0, 56.0]);
    }
}
