//! Chunks that objects are bumped into, and copied out of by a collector.
//!
//! Beside each chunk lies one bit per 8 bytes: whether the object that starts
//! there was copied, so that its first word is its new address.
//!
//! Invariants:
//!
//! - P1. Objects lie below `bump.top` in the last piece, and below `top` in
//!   the others.
//! - P2. The forwarding bits of a piece that is not copied out of are clear.

use super::bits::Bits;
use super::bump::{Bump, Chunk};
use super::poison;
use std::ptr::NonNull;

/// A chunk with its forwarding bits.
pub struct Piece {
    chunk: Chunk,
    forwarded: Bits,
    /// Where its objects end, once it is not the last piece.
    top: *mut u8,
}

impl Piece {
    pub fn new(bytes: usize) -> Self {
        let chunk = Chunk::new(bytes);
        let forwarded = Bits::new(chunk.base(), chunk.bytes());
        Piece { top: chunk.base(), chunk, forwarded }
    }
    pub fn held_bytes(&self) -> usize {
        self.chunk.bytes() + self.forwarded.held_bytes()
    }
    /// Makes it free again: nothing refers to its objects any more.
    fn clear(&mut self) {
        self.forwarded.clear_below(self.top);
        // SAFETY: by the contract of `Space::leave`, no object is left in it.
        unsafe { poison::dead(self.chunk.base(), self.chunk.bytes()) };
        self.top = self.chunk.base();
    }
}

impl Drop for Piece {
    fn drop(&mut self) {
        poison::reborn(self.chunk.base(), self.chunk.bytes());
    }
}

/// Pieces, filled one after the other.
pub struct Space {
    /// Free memory of the last piece.
    pub bump: Bump,
    pieces: Vec<Piece>,
    /// Bytes of objects in all pieces but the last.
    earlier_bytes: usize,
}

impl Space {
    pub const fn new() -> Self {
        Space { bump: Bump::EMPTY, pieces: Vec::new(), earlier_bytes: 0 }
    }
    /// Goes on in another, free piece.
    pub fn push(&mut self, piece: Piece) {
        self.earlier_bytes = self.used_bytes();
        if let Some(last) = self.pieces.last_mut() {
            last.top = self.bump.top;
        }
        poison::reborn(piece.chunk.base(), piece.chunk.bytes());
        self.bump = piece.chunk.bump();
        self.pieces.push(piece);
    }
    /// Bytes of objects.
    pub fn used_bytes(&self) -> usize {
        let base = self.pieces.last().map_or(self.bump.top, |last| last.chunk.base());
        self.earlier_bytes + (self.bump.top as usize - base as usize)
    }
    /// Bytes of memory, forwarding bits included.
    pub fn held_bytes(&self) -> usize {
        self.pieces.iter().map(Piece::held_bytes).sum()
    }

    /// The new address of an object that was copied, or `None`.
    ///
    /// # Safety
    ///
    /// An object lies at `at` in this space, whose first word was overwritten
    /// by `forward` if it was called.
    #[inline(always)]
    pub unsafe fn forwarded(&self, at: NonNull<u8>) -> Option<NonNull<u8>> {
        let piece = &self.pieces[self.piece_of(at)];
        // SAFETY: by contract the first word is the new address.
        piece.forwarded.get(at.as_ptr()).then(|| unsafe { at.cast::<NonNull<u8>>().read() })
    }
    /// Says that an object was copied to `to`.
    ///
    /// # Safety
    ///
    /// An object lies at `at` in this space, and is not looked at any more.
    #[inline(always)]
    pub unsafe fn forward(&mut self, at: NonNull<u8>, to: NonNull<u8>) {
        // SAFETY: an object has at least a word.
        unsafe { at.cast::<NonNull<u8>>().write(to) };
        let index = self.piece_of(at);
        self.pieces[index].forwarded.set(at.as_ptr());
    }
    /// The piece of an object; the newest, and so largest, are tried first.
    #[inline(always)]
    fn piece_of(&self, at: NonNull<u8>) -> usize {
        let mut index = self.pieces.len() - 1;
        while index > 0 && !self.pieces[index].chunk.spans(at.as_ptr()) {
            index -= 1;
        }
        index
    }

    /// Gives all memory up but the largest piece of at most `most_bytes`.
    ///
    /// # Safety
    ///
    /// Nothing refers to this space's objects any more.
    pub unsafe fn leave(mut self, most_bytes: usize) -> Option<Piece> {
        if let Some(last) = self.pieces.last_mut() {
            last.top = self.bump.top;
        }
        let fit = self.pieces.into_iter().filter(|piece| piece.chunk.bytes() <= most_bytes);
        let mut spare = fit.max_by_key(|piece| piece.chunk.bytes());
        spare.iter_mut().for_each(Piece::clear);
        spare
    }

    /// Whether an object may lie at this address. For checks only.
    pub fn may_hold(&self, at: *mut u8) -> bool {
        let in_last = |p: &Piece| p.chunk.base() <= at && at < self.bump.top;
        let in_piece = |p: &Piece| p.chunk.base() <= at && at < p.top;
        let Some((last, earlier)) = self.pieces.split_last() else { return false };
        (at as usize).is_multiple_of(8) && (in_last(last) || earlier.iter().any(in_piece))
    }
    /// Checks its own structure.
    pub fn validate(&self) -> Result<(), String> {
        let Some((last, earlier)) = self.pieces.split_last() else { return Ok(()) };
        let top_is_inside = last.chunk.spans(self.bump.top) && last.chunk.spans(self.bump.end);
        if !top_is_inside || earlier.iter().any(|p| !p.chunk.spans(p.top)) {
            return Err("the top is outside its chunk".into());
        }
        let used = |p: &Piece| p.top as usize - p.chunk.base() as usize;
        if earlier.iter().map(used).sum::<usize>() != self.earlier_bytes {
            return Err("the bytes of earlier chunks are miscounted".into());
        }
        match self.pieces.iter().any(|p| p.forwarded.any()) {
            true => Err("an object is marked as copied outside a collection".into()),
            false => Ok(()),
        }
    }
}
