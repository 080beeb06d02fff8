//! Counts of every backend: what must hold between them, whatever the program.

use heap::conformance::{Check, every_backend, settings, zealous};
use heap::{
    Backend, Chain, Edge, Family, Frames, Heap, Kind, Link, Live, Mutator, Node, On, Plain,
    Program, Settings, Stats, Visit, Zeal,
};
use nqueens::Queens;

/// Cells that the search allocates, by the size of the board.
const CELLS: [(u32, u64); 4] = [(1, 2), (4, 172), (6, 5_268), (7, 33_738)];

/// Bytes of a cell without a header.
const CELL_BYTES: u64 = 16;

/// A search in the counted instance: the counts at its end, and when its heap
/// has settled.
fn search<B: Backend>(settings: &Settings, n: u32) -> (Stats, Stats) {
    let mut heap = <B::Heap<On>>::new(settings);
    heap.run(&Queens::<On>::new(n)).expect("the limit is far away");
    let ended = heap.stats();
    heap.settle();
    heap.validate().unwrap();
    (ended, heap.stats())
}

/// Points at equal distances, as far as allocation went, none above it.
fn check_curve(what: &str, stats: &Stats) {
    let curve = &stats.live_curve;
    let (first, last) = (curve[0], curve[curve.len() - 1]);
    let every = if curve.len() > 1 { curve[1].allocated - first.allocated } else { 1 };
    assert!(every.is_power_of_two() && first.allocated == every, "{what}: {first:?}");
    assert!(curve.windows(2).all(|two| two[1].allocated - two[0].allocated == every), "{what}");
    assert!(curve.iter().all(|point| point.live <= point.allocated), "{what}");
    assert!(last.allocated <= stats.cells_allocated, "{what}: {last:?}");
    assert!(stats.cells_allocated - last.allocated < every, "{what}: {last:?}");
    assert!(curve.len() < 256, "{what}: {} points", curve.len());
}

/// The relations that hold of every search of `cells` cells.
fn check_counts<B: Backend>(what: &str, cells: u64, (ended, settled): &(Stats, Stats)) {
    let what = format!("{what}: {ended:?}");
    assert_eq!(ended.cells_allocated, cells, "{what}");
    assert!(ended.cells_freed <= cells, "{what}");
    let reclaimed = if B::INFO.reclaims { cells } else { 0 };
    assert_eq!(settled.cells_freed, reclaimed, "{what}, {settled:?}");
    assert_eq!(settled.cells_freed + settled.live_cells, cells, "{what}, {settled:?}");
    check_curve(&what, ended);
    match B::INFO.kind {
        Kind::ReferenceCounting => {
            assert_eq!(ended.cells_freed, cells, "{what}");
            assert_eq!(ended.rc_decrements, ended.rc_increments + cells, "{what}");
        }
        Kind::Manual => assert_eq!(ended.cells_freed, cells, "{what}"),
        Kind::None => {
            assert!(ended.live_curve.iter().all(|at| at.live == at.allocated), "{what}");
        }
        Kind::Region | Kind::Tracing => {}
    }
    if B::INFO.kind != Kind::ReferenceCounting {
        assert_eq!((ended.rc_increments, ended.rc_decrements), (0, 0), "{what}");
    }
    // A scope for each choice point, and the run's own. A choice point is pushed
    // for each cell of the board and of what is left of it, and makes one cell of
    // queens when it is resumed: half of all cells.
    let scoped = ["stack", "malloc", "region", "region-sweep", "region-runs", "region-local"]
        .contains(&B::INFO.name);
    assert_eq!(ended.scopes, if scoped { cells / 2 + 1 } else { 0 }, "{what}");
    // The search does not mutate.
    assert_eq!(ended.barrier_hits, 0, "{what}");
    collected(&what, B::INFO.name, cells, ended, settled);
}

/// What collections did.
fn collected(what: &str, backend: &str, cells: u64, ended: &Stats, settled: &Stats) {
    let copied_bytes = ended.cells_copied * CELL_BYTES;
    match backend {
        "gc" => {
            assert_eq!(ended.bytes_copied, copied_bytes, "{what}");
            // Each cell dies in the nursery or among the old, which it comes to once.
            assert!(settled.cells_swept >= settled.cells_copied, "{what}");
            assert!(settled.cells_swept <= cells && ended.cells_marked <= cells * 64, "{what}");
            // The first collection marks no more than there are.
            assert!(ended.cells_marked <= ended.collections_major * cells, "{what}");
        }
        "semispace" => {
            assert_eq!(ended.bytes_copied, copied_bytes, "{what}");
            assert!(ended.cells_copied <= ended.collections_major * cells, "{what}");
            assert_eq!((ended.cells_marked, ended.cells_swept), (0, 0), "{what}");
        }
        "mark-sweep" | "shadow-stack" | "mark-region" => {
            assert_eq!(ended.cells_swept, ended.cells_freed, "{what}");
            assert_eq!(settled.cells_swept, cells, "{what}");
        }
        "gc-arena" => {
            assert_eq!(ended.cells_swept, ended.cells_freed, "{what}");
            assert_eq!(settled.cells_swept, cells, "{what}");
        }
        "region-sweep" => assert_eq!(settled.cells_swept, cells, "{what}"),
        "region-local" => {
            // Scopes have freed the others.
            assert!(ended.cells_swept <= ended.cells_freed, "{what}");
            // Local sweeps mark a cell once, and each full one does.
            assert!(ended.cells_marked <= (ended.collections_major + 1) * cells, "{what}");
        }
        "region-runs" => {
            assert!(settled.cells_swept <= settled.cells_freed, "{what}");
            // At most what a scope gives up, and the pieces of it in earlier runs.
            assert!((1..=2 * ended.scopes).contains(&settled.runs_found), "{what}");
            if what.contains("exits=defer") {
                assert_eq!(settled.cells_swept, cells, "{what}");
            }
        }
        _ => {
            let work = [ended.collections_minor, ended.collections_major, ended.bytes_copied];
            assert_eq!(work, [0; 3], "{what}");
            let found = [ended.cells_copied, ended.cells_marked, ended.cells_swept];
            assert_eq!(found, [0; 3], "{what}");
        }
    }
    if backend != "gc" && backend != "semispace" {
        assert_eq!((ended.cells_copied, ended.bytes_copied), (0, 0), "{what}");
    }
    // What nobody else has.
    let has = |count: u64, of: &[&str]| assert!(count == 0 || of.contains(&backend), "{what}");
    has(ended.runs_found, &["region-runs", "mark-region"]);
    has(ended.words_scanned, &["mark-region"]);
    has(ended.roots_stored, &["shadow-stack"]);
}

#[derive(Clone, Copy)]
struct Counts;

impl Check for Counts {
    fn check<B: Backend>(self) {
        let most_n = if cfg!(miri) { 4 } else { 7 };
        for (name, settings) in settings(&B::INFO) {
            for (n, cells) in CELLS.into_iter().filter(|&(n, _)| n <= most_n) {
                let what = format!("{}, {name}, n = {n}", B::INFO.name);
                check_counts::<B>(&what, cells, &search::<B>(&settings, n));
            }
        }
        for (name, settings) in zealous(&B::INFO) {
            let what = format!("{}, {name}", B::INFO.name);
            check_counts::<B>(&what, CELLS[1].1, &search::<B>(&settings, CELLS[1].0));
        }
    }
}

#[test]
fn counts_add_up() {
    every_backend(Counts);
}

/// The curve of a search with collections as often as may be.
struct Curve {
    n: u32,
    zeal: bool,
}

impl Visit for Curve {
    type Out = Vec<Live>;
    fn visit<B: Backend>(self) -> Vec<Live> {
        let mut settings = Settings::new(&B::INFO);
        if self.zeal {
            settings = zealous(&B::INFO).swap_remove(0).1;
        }
        search::<B>(&settings, self.n).0.live_curve
    }
}

fn curve(backend: &str, n: u32, zeal: bool) -> Vec<Live> {
    heap::visit(backend, Curve { n, zeal }).expect("a backend of the registry")
}

#[test]
fn heaps_that_know_each_death_draw_the_same_curve() {
    let n = if cfg!(miri) { 4 } else { 6 };
    let right = curve("rc", n, false);
    for same in ["fused", "arc"] {
        assert_eq!(curve(same, n, false), right, "{same}");
    }
    let right = curve("malloc", n, false);
    for same in ["stack", "region", "region-runs", "region-local"] {
        assert_eq!(curve(same, n, false), right, "{same}");
    }
    let by_value = curve("rc-value", n, false);
    for same in ["arc-value", "rc-split", "arc-split", "fused-value"] {
        assert_eq!(curve(same, n, false), by_value, "{same}");
    }
}

/// Collecting at each safepoint, a heap knows one step later what counting knows
/// at once. A step of this search allocates at most as many cells as the board
/// has, and a queen. A scope is closed one step after its last cell died, and with
/// it those of all levels below, at most all that lives.
#[test]
fn heaps_that_collect_all_the_time_draw_nearly_the_same() {
    let n = if cfg!(miri) { 4 } else { 6 };
    let step = u64::from(n * n + 1);
    let near = |collecting: &str, exact: &str, most: u64| {
        let (found, right) = (curve(collecting, n, true), curve(exact, n, false));
        assert_eq!(found.len(), right.len(), "{collecting}");
        for (found, right) in found.iter().zip(&right) {
            assert!(found.live.abs_diff(right.live) <= most, "{collecting}: {found:?}, {right:?}");
        }
    };
    let tracing = ["gc", "semispace", "mark-sweep", "shadow-stack", "mark-region", "gc-arena"];
    for collecting in tracing.into_iter().chain(["region-local"]) {
        near(collecting, "rc", step);
    }
    let most = curve("malloc", n, false).iter().map(|at| at.live).max();
    near("region-sweep", "malloc", most.expect("a point at least"));
    let never = curve("mark-sweep", n, false);
    assert!(never.iter().all(|at| at.live == at.allocated), "no collection, no death");
}

/// A box whose contents are replaced.
struct Cell;
impl Family for Cell {
    type Of<'gc, M: Mutator<'gc>> = Link<'gc, M, Chain<u32>>;
}

/// Keeps a chain in a box, and in each of some steps writes to the box.
struct Keep;

impl Keep {
    const CELLS: u32 = 100;
    const STEPS: u32 = 10;
    const WRITES: u32 = 3;
}

impl Program for Keep {
    type Frame<'gc, M: Mutator<'gc>> = (Plain<u32>, Edge<'gc, M, Cell>);
    type Out = ();

    fn start<'gc, M: Mutator<'gc>>(
        &self,
        heap: &mut M,
        stack: &mut Frames<'gc, M, Self>,
        (): &mut (),
    ) {
        let mut chain = Link::NONE;
        for item in 0..Self::CELLS {
            chain = Link(Some(heap.alloc::<Chain<u32>>(Node { item, next: chain })));
        }
        let at = heap.alloc::<Cell>(chain);
        stack.push((Plain(Self::STEPS), Edge(at)), heap);
    }

    fn step<'gc, M: Mutator<'gc>>(
        &self,
        heap: &mut M,
        (Plain(steps), Edge(at)): Self::Frame<'gc, M>,
        stack: &mut Frames<'gc, M, Self>,
        (): &mut (),
    ) {
        if steps == 0 {
            return heap.release(at);
        }
        for _ in 0..Self::WRITES {
            let chain = heap.load::<Cell, Chain<u32>>(&at, |chain| chain);
            heap.set::<Cell>(&at, chain);
        }
        stack.push((Plain(steps - 1), Edge(at)), heap);
    }
}

#[derive(Clone, Copy)]
struct Kept;

impl Check for Kept {
    fn check<B: Backend>(self) {
        let mut settings = Settings::new(&B::INFO);
        settings.zeal = Zeal::EverySafepoint;
        let mut heap = <B::Heap<On>>::new(&settings);
        heap.run(&Keep).expect("the limit is far away");
        let stats = heap.stats();
        let what = format!("{}: {stats:?}", B::INFO.name);
        let (objects, steps) = (u64::from(Keep::CELLS) + 1, u64::from(Keep::STEPS));
        assert_eq!(stats.cells_allocated, objects, "{what}");
        // All survives the collections before each of the steps, the last included.
        let survivors = objects * (steps + 1);
        let (marked, copied) = match B::INFO.name {
            "gc" => (survivors, objects),
            "mark-sweep" | "shadow-stack" | "mark-region" => (survivors, 0),
            // Full sweeps find what the first local one found, again and again.
            "region-local" => (survivors + objects, 0),
            "semispace" => (0, survivors),
            // It may mark twice where it collects twice.
            "gc-arena" => (stats.cells_marked.clamp(survivors, 2 * survivors), 0),
            _ => (0, 0),
        };
        assert_eq!((stats.cells_marked, stats.cells_copied), (marked, copied), "{what}");
        // The box is half the size of a cell.
        let box_bytes = copied / objects * CELL_BYTES / 2;
        assert_eq!(stats.bytes_copied + box_bytes, copied * CELL_BYTES, "{what}");
        let barrier_hits = match B::INFO.name {
            // Once in each step.
            "gc" | "region-local" => steps,
            "stack" | "malloc" | "region" | "region-sweep" | "region-runs" => {
                steps * u64::from(Keep::WRITES)
            }
            _ => 0,
        };
        assert_eq!(stats.barrier_hits, barrier_hits, "{what}");
        // What the writes let escape is kept until the end, and swept later.
        let late = B::INFO.name == "region-sweep" || !B::INFO.reclaims;
        assert_eq!(stats.cells_freed, if late { 0 } else { objects }, "{what}");
    }
}

#[test]
fn survivors_and_writes_are_counted() {
    every_backend(Kept);
}

/// References stored in the shadow stack by a search without collections: the stores,
/// the cells, and those visited by `filter` and `length`.
struct Stores(u32, &'static str);

impl Visit for Stores {
    type Out = (u64, u64, u64);
    fn visit<B: Backend>(self) -> (u64, u64, u64) {
        let mut settings = Settings::new(&B::INFO);
        settings.set(&B::INFO, "append", self.1).expect("a word of the choice");
        let mut heap = <B::Heap<On>>::new(&settings);
        let answer = heap.run(&Queens::<On>::new(self.0)).expect("the limit is far away");
        let stats = heap.stats();
        (stats.roots_stored, stats.cells_allocated, answer.cells_filtered * 2 + answer.cells_length)
    }
}

/// Cells that `filter` visits.
struct Filtered(u32);

impl Visit for Filtered {
    type Out = u64;
    fn visit<B: Backend>(self) -> u64 {
        let mut heap = <B::Heap<On>>::new(&Settings::new(&B::INFO));
        heap.run(&Queens::<On>::new(self.0)).expect("the limit is far away").cells_filtered
    }
}

/// Each choice point is stored twice with both its lists (but for the n * n without
/// queens) when it is kept and when it is resumed. Its step stores the new queen, the
/// list that is left (unless it is empty), four times what begins the filter and once
/// what begins the walk of the queens; then each choice point after it, read from the
/// one before (but for the last), and the queens that it shares. Walks store once for
/// each cell of `length`, and twice for each of `filter`.
#[test]
fn every_variable_is_stored() {
    for n in 1..=6_u32 {
        let (stored, cells, walked) = heap::visit("shadow-stack", Stores(n, "speculate")).unwrap();
        let (choices, board) = (cells / 2, u64::from(n * n));
        let expected = 12 * choices + walked - 2 * board;
        // A filter whose free list ends begins again, with a branch.
        let cut = if cells < 256 { 0 } else { expected / 50 };
        assert!(stored.abs_diff(expected) <= cut, "n = {n}: {stored}, {expected}");
        // With a branch, cells of `filter` are stored once, and once more if kept; and of
        // each list that is left, at most one for a choice, the first.
        let (branching, ..) = heap::visit("shadow-stack", Stores(n, "branch")).unwrap();
        let filtered = heap::visit("shadow-stack", Filtered(n)).unwrap();
        let least = 12 * choices + walked - filtered - 3 * board;
        assert!((least..=least + choices).contains(&branching), "n = {n}: {branching}, {least}");
    }
}
