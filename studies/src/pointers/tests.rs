//! Every row, on windows of all kinds.

use super::*;
use heap::allocators::Limits;

/// Few enough for an unoptimised build, in which a study's iteration takes a while.
const FEW: u64 = 4_998;

fn setup(n: u32, limit_bytes: usize) -> Setup<'static> {
    Setup { workload: "window", n, limits: Limits { limit_bytes, zeal: false } }
}

type Opened = Result<Box<dyn Bench>, Failure>;

fn few<P: Pointer>(setup: &Setup) -> Opened {
    Ok(Box::new(Window::<P>::new(setup, FEW)?))
}

/// Each row, set up for fewer objects.
const SMALLER: [fn(&Setup) -> Opened; ROWS.len()] = [
    few::<Boxed>,
    few::<Split>,
    few::<SplitAtomic>,
    few::<FusedLookup>,
    few::<FusedLookupName>,
    few::<FusedUntyped>,
    few::<Rc>,
    few::<Arc>,
    few::<Triomphe>,
    few::<Intrusive>,
    |setup| rings::start("gc", setup, FEW),
    |setup| rings::start("gc-arena", setup, FEW),
];

fn iterate(bench: &mut dyn Bench) -> Result<u64, Failure> {
    let mut phases = Phases::new(STUDY.phases.len());
    let answer = bench.iterate(&mut phases)?;
    assert!(phases.ns[0] > 0);
    Ok(answer)
}

#[test]
fn every_window_gives_the_same_answer_again_and_again() {
    for (row, start) in ROWS.iter().zip(SMALLER) {
        for n in [1, 2, 3, 97, 1_000, FEW as u32 + 1] {
            let mut bench = start(&setup(n, 1 << 30)).unwrap();
            for _ in 0..2 {
                let answer = iterate(&mut *bench);
                assert_eq!(answer, Ok(crate::sum_of(FEW)), "{}, {n}", row.brief.name);
            }
        }
    }
}

#[test]
fn whole_iterations_give_the_answer_of_the_study() {
    for row in [row::<Boxed>(), rings::GC] {
        let mut bench = (row.start)(&setup(1_000, 1 << 30)).unwrap();
        let answer = iterate(&mut *bench);
        assert_eq!(answer, Ok((STUDY.answer)("window", 1_000)), "{}", row.brief.name);
    }
}

#[test]
fn a_limit_too_small_for_the_window_is_an_error() {
    for (row, start) in ROWS.iter().zip(SMALLER) {
        for limit_bytes in [1, 1_000, 100_000] {
            let setup = setup(10_000, limit_bytes);
            let end = start(&setup).and_then(|mut bench| iterate(&mut *bench));
            assert_eq!(end, Err(Failure::OutOfMemory), "{}, {limit_bytes}", row.brief.name);
        }
    }
}

#[test]
fn heaps_hold_out_under_zeal_and_in_little_memory() {
    for name in ["gc", "gc-arena"] {
        let mut setup = setup(50, 1 << 20);
        setup.limits.zeal = true;
        let mut bench = rings::start(name, &setup, FEW).unwrap();
        assert_eq!(iterate(&mut *bench), Ok(crate::sum_of(FEW)), "{name}");
    }
}

#[test]
fn heaps_are_described_as_they_describe_themselves() {
    for row in [rings::GC, rings::GC_ARENA] {
        let info = heap::find(row.brief.name).unwrap();
        assert_eq!((row.brief.kind, row.brief.returns), (info.kind, info.returns));
    }
}

#[test]
fn the_smallest_object_is_a_box_and_split_ones_take_two_allocations() {
    let figure = |name: &str, figure| {
        let row = ROWS.iter().find(|row| row.brief.name == name).unwrap();
        let figures = (row.start)(&setup(1, 1 << 20)).unwrap().figures().unwrap();
        figures.into_iter().find(|(name, _)| *name == figure).map(|(_, value)| value)
    };
    let mean_with = |header_bytes| Some(f64::from(8 + 24 + 56 + 3 * header_bytes) / 3.0);
    assert_eq!(figure("box", "bytes_per_object"), mean_with(0));
    assert_eq!(figure("split", "bytes_per_object"), mean_with(24));
    assert_eq!(figure("gc", "bytes_per_object"), mean_with(0));
    assert_eq!(figure("gc-arena", "bytes_per_object"), mean_with(16));
    assert_eq!(figure("split", "allocations_per_object"), Some(2.0));
    assert_eq!(figure("fused-untyped", "allocations_per_object"), Some(1.0));
    assert_eq!(figure("split", "pointer_bytes"), Some(24.0));
}
