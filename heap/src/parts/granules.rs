//! Non-moving memory in which objects of all sizes share the free space:
//! regions of granules of 16 bytes, a mark bit for each, and bump allocation
//! into the runs of unmarked granules.
//!
//! A region is aligned to its size, a power of two, so an object's address leads
//! to the start of its region, where the bitmap lies. A marked object has the
//! bits of all its granules set, and so has the bitmap itself: what is between
//! set bits is free, for an object of any size.
//!
//! A collection calls `clear_marks`, `mark` for each object that it reaches, and
//! `sweep`, which only starts over: the next run is looked for when one is full,
//! through all regions in order, then in new ones.
//!
//! Small objects go into the run in use, or the next one that has room. A larger
//! one that does not fit the run in use goes into a *wide* run, which is looked
//! for further on: so a hole is not given up for one large object (the overflow
//! allocation of Immix). The bits of a wide run are set, since the search for the
//! next run is yet to come by. An object of more than half a region has a region
//! of its own.
//!
//! Invariants:
//!
//! - L1. An object starts in the first `region_bytes` of a region of ours, which
//!   is aligned to `region_bytes` and starts with its bitmap.
//! - L2. What is free is what `bump` and `wide` have, and from `cursor` on the
//!   granules whose bits are clear. No object lies there.
//! - L3. When `sweep` is called, an object whose bits are clear is not used again.
//! - L4. In a region that is `empty` only the bitmap's own bits are set.
//!
//! Papers: Blackburn & McKinley, "Immix: a mark-region garbage collector with
//! space efficiency, fast collection, and mutator performance", PLDI 2008.

use super::ahead;
use super::bit_runs::{self, WORD_BITS};
use super::bump::Bump;
use super::marked_region::{GRANULE_BYTES, Region, own_granules};
use crate::tally::{Event, Tally};
use std::ops::Range;
use std::ptr::NonNull;

/// The lower bound of a region's size.
pub const LEAST_REGION_BYTES: usize = 4 << 10;
/// The upper one.
pub const MOST_REGION_BYTES: usize = 1 << 20;
/// Larger objects are wide.
const SMALL_BYTES: usize = 128;
/// Wide objects are told apart by the logarithm of their size.
const WIDE_CLASSES: usize = MOST_REGION_BYTES.ilog2() as usize;

/// Bytes that an object of `bytes` bytes takes.
#[inline(always)]
pub const fn whole_granules(bytes: usize) -> usize {
    bytes.next_multiple_of(GRANULE_BYTES)
}

/// A region of one object.
struct Large {
    region: Region,
    object_bytes: usize,
}

/// A granule of a region, both by number: in the order in which they are used.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Place {
    region: usize,
    granule: usize,
}

/// Memory in regions.
pub struct Granules {
    /// Free memory of the run in use.
    pub bump: Bump,
    /// That of the wide run in use, and its region.
    wide: (Bump, usize),
    /// Where the search for the next run goes on: where the last one ended.
    cursor: Place,
    /// Where that for the next wide run goes on, unless `cursor` is further. All
    /// runs that it passed over are too small for an object of the next class.
    wide_cursors: [Place; WIDE_CLASSES],
    regions: Vec<Region>,
    large: Vec<Large>,
    region_bytes: usize,
    large_bytes: usize,
    /// Bits that wide runs set.
    wide_granules: usize,
    /// Bytes of runs and wide objects that were handed out since the last sweep.
    handed_out_bytes: usize,
    marked: Marked,
    marked_large_bytes: usize,
}

/// What a collection found live.
#[derive(Clone, Copy, Default)]
pub struct Marked {
    /// Objects.
    pub cells: usize,
    /// Bytes of their granules.
    pub bytes: usize,
}

impl Granules {
    /// No memory yet.
    pub fn new(region_bytes: usize) -> Self {
        let right = LEAST_REGION_BYTES..=MOST_REGION_BYTES;
        assert!(region_bytes.is_power_of_two() && right.contains(&region_bytes));
        Granules {
            bump: Bump::EMPTY,
            wide: (Bump::EMPTY, 0),
            cursor: Place::default(),
            wide_cursors: [Place::default(); WIDE_CLASSES],
            regions: Vec::new(),
            large: Vec::new(),
            region_bytes,
            large_bytes: 0,
            wide_granules: 0,
            handed_out_bytes: 0,
            marked: Marked::default(),
            marked_large_bytes: 0,
        }
    }

    /// Bytes for objects in a region.
    fn room_bytes(&self) -> usize {
        self.region_bytes - own_granules(self.region_bytes) * GRANULE_BYTES
    }

    /// Memory for an object that `bump` has no room for; `bytes` is a multiple
    /// of the granule. The tally times the search.
    pub fn take_elsewhere(&mut self, bytes: usize, tally: &mut impl Tally) -> NonNull<u8> {
        if bytes <= SMALL_BYTES {
            let (region, run) = self.next_run(self.cursor, bytes, tally);
            self.cursor = Place { region, granule: run.end };
            self.bump = self.regions[region].span(run);
            self.handed_out_bytes += self.bump.free_bytes();
            return self.bump.take(bytes).expect("the run has room");
        }
        self.handed_out_bytes += bytes;
        if bytes > self.room_bytes() / 2 {
            return self.take_large(bytes);
        }
        if self.wide.0.free_bytes() < bytes {
            self.next_wide_run(bytes, tally);
        }
        self.wide.0.take(bytes).expect("the run has room")
    }

    /// Finds the next run of at least `bytes` bytes, from `at` on, in a new
    /// region if need be. It is a pause if marks were looked at for that.
    fn next_run(
        &mut self,
        mut at: Place,
        bytes: usize,
        tally: &mut impl Tally,
    ) -> (usize, Range<usize>) {
        let (stopped, swept) = (tally.stop(), tally.sweep_starts());
        let mut scanned_words = 0;
        let run = loop {
            let Some(region) = self.regions.get_mut(at.region) else {
                self.regions.push(Region::new(self.region_bytes, self.region_bytes));
                continue;
            };
            if region.empty {
                region.empty = false;
                break region.granules();
            }
            let run = bit_runs::next_clear_run(region.words(), at.granule);
            let end = run.as_ref().map_or(region.granules().end, |run| run.end);
            scanned_words += end.div_ceil(WORD_BITS) - at.granule / WORD_BITS;
            match run {
                Some(run) if run.len() * GRANULE_BYTES >= bytes => break run,
                Some(run) => at.granule = run.end,
                None => at = Place { region: at.region + 1, granule: 0 },
            }
        };
        if scanned_words > 0 {
            tally.sweep_ends(swept);
            tally.resume(stopped);
        }
        tally.add(Event::RunsFound, 1);
        tally.add(Event::WordsScanned, scanned_words as u64);
        (at.region, run)
    }

    /// Goes on with wide objects in another run.
    fn next_wide_run(&mut self, bytes: usize, tally: &mut impl Tally) {
        self.leave_wide_run();
        let class = bytes.ilog2() as usize;
        let from = self.wide_cursors[class].max(self.cursor);
        let (region, run) = self.next_run(from, bytes, tally);
        // Its start, since what is left of it in the end is free again.
        self.wide_cursors[class] = Place { region, granule: run.start };
        bit_runs::set(self.regions[region].words_mut(), run.clone());
        self.wide_granules += run.len();
        self.wide = (self.regions[region].span(run), region);
    }
    /// What is left of the wide run is found again.
    fn leave_wide_run(&mut self) {
        let (left, region) = std::mem::replace(&mut self.wide, (Bump::EMPTY, 0));
        if left.free_bytes() > 0 {
            let region = &mut self.regions[region];
            let granules = region.granules_of(left);
            self.wide_granules -= granules.len();
            bit_runs::clear(region.words_mut(), granules);
        }
    }

    fn take_large(&mut self, object_bytes: usize) -> NonNull<u8> {
        let own_bytes = own_granules(self.region_bytes) * GRANULE_BYTES;
        let mut region = Region::new(self.region_bytes, own_bytes + object_bytes);
        region.empty = false;
        let mut bump = region.span(region.granules());
        bump.end = bump.top.wrapping_add(object_bytes);
        self.large_bytes += region.bytes();
        self.large.push(Large { region, object_bytes });
        bump.take(object_bytes).expect("the region was made for it")
    }

    #[inline(always)]
    fn base_of(&self, address: *mut u8) -> *mut u8 {
        address.map_addr(|a| a & !(self.region_bytes - 1))
    }
    #[inline(always)]
    fn granule_of(&self, address: *mut u8) -> usize {
        (address.addr() & (self.region_bytes - 1)) / GRANULE_BYTES
    }
    /// The granules with bits of an object.
    fn granules_of(&self, address: *mut u8, bytes: usize) -> Range<usize> {
        let start = self.granule_of(address);
        start..(start + bytes / GRANULE_BYTES).min(self.region_bytes / GRANULE_BYTES)
    }

    /// Fetches what `mark`, and then a visit, will look at.
    #[inline(always)]
    pub fn fetch(&self, address: *mut u8) {
        let words = self.base_of(address).cast::<u64>();
        ahead::fetch(words.wrapping_add(self.granule_of(address) / WORD_BITS));
        ahead::fetch(address);
    }

    /// Forgets all marks: the start of a collection.
    pub fn clear_marks(&mut self) {
        let large = self.large.iter_mut().map(|large| &mut large.region);
        let regions = self.regions.iter_mut().chain(large);
        regions.filter(|region| !region.empty).for_each(Region::clear_marks);
        self.marked = Marked::default();
    }

    /// Marks an object; false if it was marked already.
    ///
    /// # Safety
    ///
    /// An object of this size, a multiple of the granule, lies at `address` (L1).
    #[inline(always)]
    pub unsafe fn mark(&mut self, address: *mut u8, bytes: usize) -> bool {
        let start = self.granule_of(address);
        let (first, granules) = (start % WORD_BITS, bytes / GRANULE_BYTES);
        // SAFETY: L1.
        let word = unsafe { &mut *self.base_of(address).cast::<u64>().add(start / WORD_BITS) };
        if *word & (1 << first) != 0 {
            return false;
        }
        if first + granules <= WORD_BITS {
            *word |= bit_runs::mask(first, granules);
        } else {
            // SAFETY: by contract.
            unsafe { self.mark_words(address, bytes) };
        }
        self.marked.cells += 1;
        self.marked.bytes += bytes;
        true
    }

    /// `mark` for an object with bits in more than one word.
    ///
    /// # Safety
    ///
    /// As for `mark`.
    #[inline(never)]
    unsafe fn mark_words(&mut self, address: *mut u8, bytes: usize) {
        let words = self.region_bytes / GRANULE_BYTES / WORD_BITS;
        let granules = self.granules_of(address, bytes);
        // SAFETY: L1.
        let words =
            unsafe { std::slice::from_raw_parts_mut(self.base_of(address).cast::<u64>(), words) };
        bit_runs::set(words, granules);
    }

    /// Ends a collection: what is unmarked is free.
    ///
    /// # Safety
    ///
    /// It holds no object that is used again (L3).
    pub unsafe fn sweep(&mut self, tally: &mut impl Tally) {
        let swept = tally.sweep_starts();
        let mut scanned_words = 0;
        for region in self.regions.iter_mut().filter(|region| !region.empty) {
            let granules = region.granules();
            let first = region.first_marked();
            region.empty = first.is_none();
            let end = first.map_or(granules.end, |first| first + 1);
            scanned_words += end.div_ceil(WORD_BITS) - granules.start / WORD_BITS;
            // SAFETY: by contract.
            unsafe { region.poison_free() };
        }
        self.large.retain(|large| large.region.first_marked().is_some());
        self.large_bytes = self.large.iter().map(|large| large.region.bytes()).sum();
        self.marked_large_bytes = self.large.iter().map(|large| large.object_bytes).sum();
        self.bump = Bump::EMPTY;
        self.wide = (Bump::EMPTY, 0);
        self.wide_granules = 0;
        self.cursor = Place::default();
        self.wide_cursors.fill(Place::default());
        self.handed_out_bytes = 0;
        tally.add(Event::WordsScanned, scanned_words as u64);
        tally.sweep_ends(swept);
    }

    /// Right after a sweep: gives empty regions back to the platform that are
    /// not needed to have `free_bytes` free bytes.
    pub fn release(&mut self, free_bytes: usize) {
        let used = self.regions.iter().filter(|region| !region.empty).count();
        let room_bytes = self.room_bytes();
        let marked_bytes = self.marked.bytes - self.marked_large_bytes;
        let missing_bytes = free_bytes.saturating_sub(used * room_bytes - marked_bytes);
        let mut kept = missing_bytes.div_ceil(room_bytes);
        self.regions.retain(|region| {
            let keep = !region.empty || kept > 0;
            kept -= usize::from(region.empty && keep);
            keep
        });
    }

    /// Bytes of memory held, bitmaps and free granules included.
    pub fn held_bytes(&self) -> usize {
        self.regions.len() * self.region_bytes + self.large_bytes
    }
    /// Bytes allocated since the last sweep, and what was too small for it.
    pub fn fresh_bytes(&self) -> usize {
        self.handed_out_bytes - self.bump.free_bytes()
    }
    /// What the last collection found live.
    pub fn marked(&self) -> Marked {
        self.marked
    }

    /// Whether an object of this size lies at this address and is marked. For
    /// checks only; slow.
    pub fn is_marked(&self, address: *mut u8, bytes: usize) -> bool {
        let base = self.base_of(address);
        let large = self.large.iter().filter(|large| large.object_bytes == bytes);
        let regions = self.regions.iter().chain(large.map(|large| &large.region));
        let granules = self.granules_of(address, bytes);
        regions.filter(|region| region.base() == base).any(|region| {
            address.addr().is_multiple_of(GRANULE_BYTES)
                && granules.start >= region.granules().start
                && bit_runs::count(region.words(), granules.clone()) == granules.len()
        })
    }

    /// Checks the bitmaps, the runs in use, and the counts.
    pub fn validate(&self) -> Result<(), String> {
        let large = self.large.iter().map(|large| &large.region);
        self.regions.iter().chain(large).try_for_each(Region::validate)?;
        let bits: usize = self.regions.iter().map(Region::marked).sum();
        let marked = (self.marked.bytes - self.marked_large_bytes) / GRANULE_BYTES;
        if bits != marked + self.wide_granules {
            return Err(format!("{bits} bits are set, {marked} of them by marks"));
        }
        for (run, region, set) in
            [(self.bump, self.cursor.region, false), (self.wide.0, self.wide.1, true)]
        {
            if run.free_bytes() > 0 {
                let region = self.regions.get(region).ok_or("a run in use is in no region")?;
                region.validate_run(run, set)?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tally::Off;
    use proptest::collection::vec;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    fn take(memory: &mut Granules, bytes: usize) -> *mut u8 {
        let taken = memory.bump.take(bytes);
        taken.unwrap_or_else(|| memory.take_elsewhere(bytes, &mut Off)).as_ptr()
    }

    /// Objects by address, with their sizes.
    type Objects = BTreeMap<*mut u8, usize>;

    /// Takes memory that must not be another object's, and fills it.
    fn take_apart(memory: &mut Granules, live: &mut Objects, bytes: usize) {
        let at = take(memory, bytes);
        let end = at.wrapping_add(bytes);
        assert!(at.addr().is_multiple_of(GRANULE_BYTES));
        let before = live.range(..end).next_back();
        assert!(before.is_none_or(|(&other, &bytes)| other.wrapping_add(bytes) <= at));
        // SAFETY: the memory was handed out.
        unsafe { at.write_bytes(0xAA, bytes) };
        live.insert(at, bytes);
    }

    /// A collection that finds the `live` objects.
    fn collect(memory: &mut Granules, live: &Objects) {
        memory.clear_marks();
        for (&at, &bytes) in live {
            // SAFETY: objects of this memory.
            unsafe { assert!(memory.mark(at, bytes) && !memory.mark(at, bytes)) };
        }
        // SAFETY: the others are not used again.
        unsafe { memory.sweep(&mut Off) };
        memory.validate().unwrap();
        assert_eq!(memory.marked().cells, live.len());
        assert_eq!(memory.marked().bytes, live.values().sum());
        assert!(live.iter().all(|(&at, &bytes)| memory.is_marked(at, bytes)));
    }

    /// Sizes of objects, and whether each lives on.
    fn cycles() -> impl Strategy<Value = Vec<Vec<(usize, bool)>>> {
        let granules = prop_oneof![4 => 1..9_usize, 4 => 9..64_usize, 2 => 64..400_usize];
        vec(
            vec((granules.prop_map(|granules| granules * GRANULE_BYTES), any::<bool>()), 0..150),
            1..6,
        )
    }

    proptest! {
        #[test]
        fn live_objects_are_apart_and_the_dead_come_back(cycles in cycles(), shift in 0..3) {
            let mut memory = Granules::new(LEAST_REGION_BYTES << shift);
            let mut live = Objects::new();
            for cycle in cycles {
                for &(bytes, _) in &cycle {
                    take_apart(&mut memory, &mut live, bytes);
                    memory.validate().unwrap();
                }
                let fresh_bytes: usize = cycle.iter().map(|&(bytes, _)| bytes).sum();
                prop_assert!(memory.fresh_bytes() >= fresh_bytes);
                let mut keeps = cycle.iter().map(|&(_, keep)| keep).cycle();
                live.retain(|_, _| keeps.next().unwrap_or(true));
                collect(&mut memory, &live);
                memory.release(0);
                memory.validate().unwrap();
            }
            collect(&mut memory, &Objects::new());
            memory.release(1);
            let least_bytes = memory.regions.first().map_or(0, Region::bytes);
            prop_assert_eq!(memory.held_bytes(), least_bytes);
            memory.release(0);
            prop_assert_eq!(memory.held_bytes(), 0);
        }
    }

    /// Objects of a size that fit before more memory is asked for.
    fn fill(memory: &mut Granules, live: &mut Objects, bytes: usize) -> usize {
        let held_bytes = memory.held_bytes();
        (0..)
            .take_while(|_| {
                take_apart(memory, live, bytes);
                memory.held_bytes() == held_bytes
            })
            .count()
    }

    #[test]
    fn holes_are_filled_by_objects_of_all_sizes() {
        let mut memory = Granules::new(64 << 10);
        let mut live = Objects::new();
        (0..64 * 4).for_each(|_| take_apart(&mut memory, &mut live, 1_008));
        let mut index = 0;
        live.retain(|_, _| {
            index += 1;
            index % 2 == 0
        });
        collect(&mut memory, &live);
        let holes = live.len();
        // They pass over all holes, and leave no room behind.
        (0..3).for_each(|_| take_apart(&mut memory, &mut live, 21_600));
        // Two in each hole of 1,008 bytes; what they leave is for the small.
        let wide = fill(&mut memory, &mut live, 448);
        assert!((2 * holes..2 * holes + 8).contains(&wide), "{wide} objects in {holes} holes");
        let small = fill(&mut memory, &mut live, 16);
        assert!((7 * holes..7 * holes + 300).contains(&small), "{small} objects in {holes} holes");
    }
}
