//! `stack`: bump allocation; closing a scope resets the pointer.
//!
//! The program's scopes nest, so all that a scope allocated lies above the
//! place where it opened. Problem-specific: it relies on last-in, first-out
//! lifetimes, and cannot manage memory in general.
//!
//! Object: its fields, no header. 16 bytes for a cell.
//! Allocate: add and compare. Read: one load. Share and release: nothing.
//! Scope: one word saved; closing is one compare and one maximum.
//! Memory returns when a scope closes.
//! Cannot: free anything before its scope closes; after a mutation, free what
//! was allocated before it (the write may have let it escape) until the end.
//!
//! Invariants:
//!
//! - S1. Objects lie below `bump.top` in the current chunk, or in earlier chunks.
//! - S2. Closing a scope frees only what lies above its mark and above
//!   `floor`; nothing refers to it (see `heap.rs`, point 3).
//!
//! Papers: Tofte & Talpin, "Region-based memory management", 1997.

use crate::Settings;
use crate::heap::{Backend, Family, Heap, Program};
use crate::info::{APPEND, Info, Kind, Param, Unit};
use crate::machine::{self, Runtime};
use crate::object::{Chain, Item, Link, Object};
use crate::parts::address::Ptr;
use crate::parts::bump::{Bump, Chunks, object_bytes};
use crate::parts::chain::{self, Bumping};
use crate::parts::uncounted::Uncounted;
use crate::tally::{Event, HeapError, Stats, Tally};
use std::ptr::NonNull;

/// Bump allocation with pointer reset.
pub struct Stack;

impl Backend for Stack {
    const INFO: Info = Info {
        name: "stack",
        kind: Kind::Manual,
        about: "bump allocation, pointer reset when a scope closes",
        returns: "when a scope closes",
        moves: false,
        cycles: true,
        reclaims: true,
        problem_specific: true,
        header_bytes: 0,
        cell_bytes: 16,
        params: &[
            APPEND,
            Param {
                name: "chunk",
                unit: Unit::Bytes(4 << 10, 1 << 30),
                default: "1MiB",
                about: "memory taken from the platform at once",
            },
        ],
    };
    type Heap<T: Tally> = StackHeap<T>;
}

/// The heap of [`Stack`].
pub struct StackHeap<T> {
    chunks: Chunks,
    /// Nothing below this in the current chunk is freed before the run ends.
    floor: *mut u8,
    /// The chunk, counted from one, and the top at the last mutation.
    pinned: (usize, *mut u8),
    speculate: bool,
    zeal: bool,
    live_peak_bytes: usize,
    tally: T,
}

/// Where the top was when a scope opened.
pub struct Mark(NonNull<u8>);

impl<T: Tally> StackHeap<T> {
    /// Nothing in a new chunk is pinned: the floor of the one before may well
    /// be a higher address.
    #[cold]
    #[inline(never)]
    fn take_in_new_chunk(&mut self, bytes: usize) -> NonNull<u8> {
        let at = self.chunks.take(bytes);
        self.floor = self.chunks.base;
        at
    }

    /// Frees chunks until the one of `mark`, or the one pinned by a mutation.
    #[cold]
    #[inline(never)]
    fn close_across_chunks(&mut self, mark: *mut u8) {
        while !self.chunks.in_last(mark) {
            if self.chunks.len() <= self.pinned.0.max(1) {
                break;
            }
            self.chunks.leave_last();
        }
        self.floor =
            if self.chunks.len() == self.pinned.0 { self.pinned.1 } else { self.chunks.base };
        let mark = if self.chunks.in_last(mark) { mark } else { self.chunks.base };
        // SAFETY: S2; both lie in the current chunk.
        unsafe { self.chunks.drop_to(mark.max(self.floor)) };
    }
}

// SAFETY: S1: `take` returns memory above the top, which then moves past it.
unsafe impl<T: Tally> Uncounted for StackHeap<T> {
    type Scope = Mark;

    #[inline(always)]
    fn take<F: Family>(&mut self, bytes: usize) -> NonNull<u8> {
        self.tally.add(Event::Allocated, 1);
        match self.chunks.bump.take(bytes) {
            Some(at) => at,
            None => self.take_in_new_chunk(bytes),
        }
    }
    /// The write may let any object escape its scope: all stay (S2).
    fn write_barrier<F: Family>(&mut self, _: NonNull<u8>) {
        self.floor = self.chunks.bump.top;
        self.pinned = (self.chunks.len(), self.floor);
    }
    #[inline(always)]
    fn filter_chain<'gc, D: Item>(
        &mut self,
        chain: Option<&Ptr<Chain<D>>>,
        keep: impl FnMut(D) -> bool,
    ) -> Link<'gc, Self, Chain<D>> {
        if self.speculate {
            chain::filter_bump(self, chain, keep)
        } else {
            chain::filter_borrowed(self, chain, keep)
        }
    }
}

impl<T: Tally> Bumping for StackHeap<T> {
    #[inline(always)]
    fn bump(&mut self) -> &mut Bump {
        &mut self.chunks.bump
    }
    #[inline(always)]
    fn appended(&mut self, cells: u64) {
        self.tally.add(Event::Allocated, cells);
    }
}

impl<'gc, T: Tally> Runtime<'gc> for StackHeap<T> {
    #[inline(always)]
    fn open(&mut self) -> Option<Mark> {
        self.tally.add(Event::Scoped, 1);
        NonNull::new(self.chunks.bump.top).map(Mark)
    }
    #[inline(always)]
    fn close(&mut self, Mark(mark): Mark) {
        if T::ON {
            self.live_peak_bytes = self.live_peak_bytes.max(self.chunks.used_bytes());
        }
        if self.chunks.in_last(mark.as_ptr()) {
            // SAFETY: S2.
            unsafe { self.chunks.drop_to(mark.as_ptr().max(self.floor)) };
        } else {
            self.close_across_chunks(mark.as_ptr());
        }
    }
    #[inline(always)]
    fn poll(&self) -> bool {
        self.chunks.alarm
    }
    fn safepoint(&mut self, _roots: &mut impl Object<'gc, Self>) -> Result<(), HeapError> {
        self.chunks.check()
    }
    fn abandon(&mut self, _: &mut impl Object<'gc, Self>) {}
}

impl<T: Tally> Heap for StackHeap<T> {
    fn new(settings: &Settings) -> Self {
        StackHeap {
            chunks: Chunks::new(settings.bytes("chunk"), settings.limit_bytes),
            floor: std::ptr::null_mut(),
            pinned: (0, std::ptr::null_mut()),
            speculate: settings.is("append", "speculate"),
            zeal: settings.zealous(),
            live_peak_bytes: 0,
            tally: T::default(),
        }
    }
    fn run<P: Program>(&mut self, program: &P) -> Result<P::Out, HeapError> {
        machine::drive(self, program)
    }
    fn settle(&mut self) {
        self.floor = std::ptr::null_mut();
        self.pinned = (0, std::ptr::null_mut());
        self.chunks.clear();
    }
    fn stats(&self) -> Stats {
        Stats {
            live_cells: self.chunks.used_bytes() as u64 / 16,
            live_bytes: self.chunks.used_bytes(),
            live_peak_bytes: self.live_peak_bytes,
            heap_peak_bytes: self.chunks.peak_bytes(),
            ..Stats::counted(&self.tally)
        }
    }
    fn validate(&self) -> Result<(), String> {
        self.chunks.validate()
    }
}
