//! Runs against a model: what was handed out is kept as plain ranges.

use super::*;
use proptest::prelude::*;

const CHUNK_BYTES: usize = 1 << 10;
const FAR_BYTES: usize = 1 << 30;

/// Runs, and the objects in them: each has its own number in all its words.
struct Model {
    runs: Runs,
    objects: Vec<(Run, usize)>,
    made: usize,
}

impl Model {
    fn new(chunk_bytes: usize) -> Self {
        Model { runs: Runs::new(chunk_bytes), objects: Vec::new(), made: 0 }
    }

    fn alloc(&mut self, bytes: usize) {
        let run = self.runs.take(bytes).unwrap_or_else(|| self.runs.grow(bytes, FAR_BYTES));
        assert!(run.bytes() >= bytes);
        let object = Run { start: run.start, end: run.start.wrapping_add(bytes) };
        poison::reborn(object.start, bytes);
        self.made += 1;
        // SAFETY: N1: the object's memory was just handed out; the rest is given back.
        unsafe {
            self.runs.give_back(Run { start: object.end, end: run.end });
            for word in 0..bytes / 8 {
                object.start.cast::<usize>().add(word).write(self.made);
            }
        }
        self.objects.push((object, self.made));
    }

    fn intact(&(object, number): &(Run, usize)) -> bool {
        // SAFETY: the object lives, and all its words were written.
        (0..object.bytes() / 8)
            .all(|word| unsafe { object.start.cast::<usize>().add(word).read() } == number)
    }

    /// Frees the object that this number chooses.
    fn free(&mut self, chosen: usize) {
        if !self.objects.is_empty() {
            let object = self.objects.swap_remove(chosen % self.objects.len());
            assert!(Model::intact(&object));
            // SAFETY: it is not used again.
            unsafe { self.runs.bury(object.0) };
        }
    }

    fn check(&self) {
        // They tile the chunks: no overlap, nothing is lost.
        self.runs.validate(self.objects.iter().map(|object| object.0)).unwrap();
        assert!(self.objects.iter().all(Model::intact));
    }

    fn sweep(&mut self) {
        self.runs.sweep();
        self.check();
        assert_eq!(self.runs.dead_bytes(), 0);
        // N3: as few runs as there can be.
        let mut free: Vec<Run> = self.runs.bins.iter().flatten().copied().collect();
        free.sort_unstable_by_key(|run| run.start);
        assert!(free.windows(2).all(|two| two[0].end != two[1].start));
    }

    fn live_bytes(&self) -> usize {
        self.objects.iter().map(|object| object.0.bytes()).sum()
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn nothing_overlaps_is_lost_or_stays_apart(
        steps in prop::collection::vec((0..8_u8, 1..300_usize, any::<usize>()), 1..200),
    ) {
        let mut model = Model::new(CHUNK_BYTES);
        for (kind, words, chosen) in steps {
            match kind {
                0..4 => model.alloc(words * 8),
                4..7 => model.free(chosen),
                _ => model.sweep(),
            }
            model.check();
        }
        while !model.objects.is_empty() {
            model.free(0);
        }
        model.sweep();
        // Chunks that are free as a whole, and nothing else: all go back.
        model.runs.trim();
        model.check();
        prop_assert_eq!(model.runs.held_bytes(), 0);
    }

    #[test]
    fn what_dies_in_nested_order_is_one_run(pieces in prop::collection::vec(1..20_usize, 2..50)) {
        let mut runs = Runs::new(64 << 10);
        let whole = runs.grow(8, FAR_BYTES);
        let mut ends = vec![whole.start];
        for words in pieces {
            ends.push(ends[ends.len() - 1].wrapping_add(words * 8));
        }
        // Every other one first, as scopes of siblings do, then what lies around them.
        let piece = |at: usize| Run { start: ends[at - 1], end: ends[at] };
        // SAFETY: all of it was handed out, and is given up piece by piece.
        unsafe {
            (1..ends.len()).filter(|at| at % 2 == 0).for_each(|at| runs.bury(piece(at)));
            (1..ends.len()).rev().filter(|at| at % 2 == 1).for_each(|at| runs.bury(piece(at)));
        }
        prop_assert!(runs.dead.iter().filter(|run| !run.is_empty()).count() <= 1);
        prop_assert_eq!(runs.sweep(), 1);
    }
}

#[test]
fn a_run_is_found_wherever_it_is() {
    let mut model = Model::new(CHUNK_BYTES);
    for bytes in [8, 16, 1_000, 1_024, 8, 4_096, 40] {
        model.alloc(bytes);
    }
    let held_bytes = model.runs.held_bytes();
    for bytes in [4_096, 1_024, 1_000] {
        let at = model.objects.iter().position(|object| object.0.bytes() == bytes).unwrap();
        model.free(at);
        model.sweep();
        model.alloc(bytes);
    }
    assert!(model.runs.held_bytes() <= held_bytes + 64 * size_of::<Run>(), "no new chunk");
    model.check();
}

/// Many sizes, a random half freed, other sizes: what is held stays within a bound
/// of what lives.
#[test]
fn fragmentation_stays_in_bounds() {
    let mut seed = 1_u64;
    let mut random = |below: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as usize % below
    };
    let mut model = Model::new(64 << 10);
    let mut worst = 0.0_f64;
    for round in 0..6 {
        while model.live_bytes() < 1 << 20 {
            // From 16 bytes to 2 KiB, as many of each power of two; other sizes each round.
            model.alloc((16 << random(7)) + 8 * random(2 + round));
        }
        worst = worst.max(model.runs.held_bytes() as f64 / model.live_bytes() as f64);
        for _ in 0..model.objects.len() / 2 {
            model.free(random(usize::MAX));
        }
        model.sweep();
    }
    assert!(worst < 1.25, "{worst}");
}
