use super::*;
use proptest::prelude::*;

/// The utilisation by definition: every window that starts at a whole number,
/// among which is a worst one, since all pauses start and end at some.
fn least_utilisation(pauses: &[(u64, u64)], run_ns: u64, width_ns: u64) -> f64 {
    let width_ns = width_ns.min(run_ns);
    let paused = |from: u64| -> u64 {
        let to = from + width_ns;
        pauses.iter().map(|&(start, end)| end.min(to).saturating_sub(start.max(from))).sum()
    };
    let worst_ns = (0..=run_ns - width_ns).map(paused).max().unwrap_or(0);
    1.0 - worst_ns as f64 / width_ns as f64
}

proptest! {
    #[test]
    fn utilisation_is_that_of_the_worst_window(
        steps in prop::collection::vec((0..20_u64, 0..12_u64), 0..40),
        rest_ns in 1..30_u64,
        mut widths_ns in prop::collection::vec(1..120_u64, 1..=WIDTHS_NS.len()),
    ) {
        widths_ns.sort_unstable();
        let mut pauses = Pauses::with_windows(&widths_ns);
        let (mut now_ns, mut all) = (0, Vec::new());
        for (work_ns, pause_ns) in steps {
            all.push((now_ns + work_ns, now_ns + work_ns + pause_ns));
            now_ns += work_ns + pause_ns;
        }
        all.iter().for_each(|&(start_ns, end_ns)| pauses.add(start_ns, end_ns));
        let run_ns = now_ns + rest_ns;
        let summary = pauses.summary(run_ns);
        prop_assert!(summary.mmu.iter().map(|point| point.0).eq(widths_ns));
        for (width_ns, found) in summary.mmu {
            let right = least_utilisation(&all, run_ns, width_ns);
            prop_assert!((found - right).abs() < 1e-12, "{width_ns}: {found}, not {right}");
        }
        prop_assert_eq!(summary.count, all.len() as u64);
        prop_assert_eq!(summary.total_ns, all.iter().map(|(start, end)| end - start).sum::<u64>());
    }
}

#[test]
fn memory_is_that_of_the_widest_window() {
    let mut pauses = Pauses::default();
    for number in 0..1_000_000 {
        pauses.add(number * 1_000, number * 1_000 + 100);
    }
    assert!((100_000..=100_001).contains(&pauses.recent.len()), "{}", pauses.recent.len());
    let summary = pauses.summary(1_000_000_000);
    assert!(summary.mmu.iter().all(|(_, share)| (share - 0.9).abs() < 0.001), "{summary:?}");
}

#[test]
fn lengths_from_a_nanosecond_to_hours_are_told() {
    let hour_ns = 3_600_000_000_000_u64;
    let lengths_ns = [1, 2, 999, 1_000, 123_456, 7_000_000, 59_000_000_000, hour_ns, 30 * hour_ns];
    let mut pauses = Pauses::default();
    let mut now_ns = 0;
    for length_ns in lengths_ns {
        pauses.add(now_ns, now_ns + length_ns);
        now_ns += length_ns + 10;
    }
    for (place, length_ns) in lengths_ns.into_iter().enumerate() {
        let percent = 100.0 * (place as f64 + 0.5) / lengths_ns.len() as f64;
        let found_ns = pauses.percentile(percent);
        assert!(found_ns.abs_diff(length_ns) <= length_ns / 1_000, "{found_ns}, not {length_ns}");
    }
    let summary = pauses.summary(now_ns);
    assert_eq!((summary.max_ns, summary.total_ns), (30 * hour_ns, lengths_ns.iter().sum()));
    assert_eq!(summary.percentiles.first(), Some(&(0.0, 1)));
    assert_eq!(summary.percentiles.last(), Some(&(100.0, 30 * hour_ns)));
    assert!(summary.mmu.iter().all(|&(_, share)| share == 0.0), "a pause fills any window");
}

#[test]
fn a_percentile_needs_pauses_to_tell_it() {
    assert_eq!(points(0), [0.0; 0]);
    assert_eq!(points(9), [0.0, 10.0, 25.0, 50.0, 75.0, 100.0]);
    assert_eq!(points(100)[5..], [90.0, 95.0, 97.5, 99.0, 99.5, 99.75, 100.0]);
    let million = points(1_000_000);
    assert!(million.contains(&99.9999) && million.is_sorted() && million.len() <= 30);
}

#[test]
fn a_run_without_pauses_is_the_programs_own() {
    let summary = Pauses::default().summary(5);
    assert_eq!((summary.count, summary.total_ns, summary.max_ns, summary.p999_ns), (0, 0, 0, 0));
    assert!(summary.mmu.iter().all(|&(_, share)| share == 1.0));
    assert!((1..100_000).contains(&summary.clock_ns), "{}", summary.clock_ns);
}

#[test]
fn what_was_before_is_forgotten() {
    let mut pauses = Pauses::default();
    pauses.record(Instant::now(), Instant::now() + std::time::Duration::from_millis(3));
    assert_eq!(pauses.summary(5_000_000).count, 1);
    pauses.clear();
    let (found, new) = (pauses.summary(5_000_000), Pauses::default().summary(5_000_000));
    assert_eq!(found, Summary { clock_ns: found.clock_ns, ..new });
    pauses.add(0, 1);
    assert_eq!(pauses.summary(1_000_000).max_ns, 1);
}

#[test]
fn keeping_account_is_no_time_of_the_program() {
    let mut pauses = Pauses::default();
    let run = Instant::now();
    let mut paused_ns = 0;
    for _ in 0..20 * MOST_WAITING as u32 + 7 {
        let start = Instant::now();
        let end = Instant::now();
        paused_ns += end.duration_since(start).as_nanos() as u64;
        pauses.record(start, end);
    }
    let wall_ns = run.elapsed().as_nanos() as u64;
    let lost_ns = pauses.lost_ns;
    assert!(lost_ns > 0 && lost_ns + paused_ns < wall_ns, "{lost_ns} of {wall_ns}");
    let last_end_ns = pauses.recent[pauses.recent.len() - 1].1;
    let summary = pauses.summary(wall_ns);
    assert_eq!(pauses.lost_ns, lost_ns, "what waits at the end is worked off after the run");
    assert_eq!((summary.count, summary.total_ns), (20 * MOST_WAITING as u64 + 7, paused_ns));
    assert_eq!(summary.run_ns, wall_ns - lost_ns);
    // The time line has no gaps where lists were worked off.
    assert!(last_end_ns + lost_ns <= wall_ns, "{last_end_ns}");
    // Stops cost a reading of the clock each, but no more than there was time for.
    pauses.stopped(3);
    let again = pauses.summary(wall_ns);
    assert_eq!(again.run_ns, wall_ns - lost_ns - 3 * again.clock_ns);
    pauses.stopped(u64::MAX / 2);
    assert_eq!(pauses.summary(wall_ns).run_ns, paused_ns);
}
