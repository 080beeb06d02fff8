//! Random programs: scripts of operations, and the program that runs them on a heap.

use super::look::look;
use super::model::Seen;
use super::registers::{File, Registers};
use heap::{Frames, Link, Mutator, Plain, Program};

/// The object types, as operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Chain,
    Pair,
    Wide,
    Leaf,
}

/// Registers of each kind.
pub const CHAINS: usize = 3;
pub const PAIRS: usize = 3;
pub const WIDES: usize = 2;
pub const LEAVES: usize = 2;

/// One operation. Numbers are taken modulo what there is to choose from; an
/// operation on an empty register does nothing.
#[derive(Clone, Debug)]
pub enum Op {
    /// Allocates an object that refers to what the registers `from` hold.
    Make { kind: Kind, to: u8, value: u32, from: u8 },
    /// Overwrites an object (which may close a cycle, or make an old object refer to a young one).
    Set { kind: Kind, at: u8, value: u32, from: u8 },
    /// Reads a reference out of an object.
    Load { kind: Kind, at: u8, slot: u8, to: u8 },
    /// Copies a register.
    Share { kind: Kind, from: u8, to: u8 },
    /// Empties a register.
    Drop { kind: Kind, at: u8 },
    /// Allocates a chain, cell by cell, in front of what a register holds.
    Build { to: u8, cells: u8 },
    /// Filters a chain.
    Filter { from: u8, to: u8, modulus: u8 },
    /// Reports a chain's cells.
    Fold { from: u8 },
    /// Reports whether two registers name one object.
    Same { kind: Kind, a: u8, b: u8 },
    /// Reports all that can be reached.
    Look,
    /// A safepoint.
    Yield,
    /// The next operations work on a copy of the registers, which is lost after them.
    Fork { ops: u8 },
}

/// Which register a reference of a new object comes from: `slot` makes the
/// references differ; one choice in `registers + 1` is none.
pub fn source(from: u8, slot: usize, registers: usize) -> Option<usize> {
    let choice = (from as usize + slot * 5) % (registers + 1);
    (choice < registers).then_some(choice)
}

/// Runs a script. Its state is the place in the script, the place where the
/// frame ends, and the registers.
pub struct Script(pub Vec<Op>);

impl Program for Script {
    type Frame<'gc, M: Mutator<'gc>> = (Plain<(usize, usize)>, File<'gc, M>);
    type Out = Seen;

    fn start<'gc, M: Mutator<'gc>>(
        &self,
        heap: &mut M,
        stack: &mut Frames<'gc, M, Self>,
        _: &mut Seen,
    ) {
        let chains = [Link::NONE; CHAINS];
        let pairs = [Link::NONE; PAIRS];
        let wides = [Link::NONE; WIDES];
        let leaves = [Link::NONE; LEAVES];
        stack.push((Plain((0, self.0.len())), ((chains, pairs), (wides, leaves))), heap);
    }

    fn step<'gc, M: Mutator<'gc>>(
        &self,
        heap: &mut M,
        (Plain((mut at, end)), file): Self::Frame<'gc, M>,
        stack: &mut Frames<'gc, M, Self>,
        seen: &mut Seen,
    ) {
        let mut registers = Registers::new(file);
        while at < end {
            let op = &self.0[at];
            at += 1;
            match *op {
                Op::Yield => return stack.push((Plain((at, end)), registers.file()), heap),
                Op::Fork { ops } => {
                    let inner_end = end.min(at + ops as usize);
                    stack.push((Plain((inner_end, end)), registers.share(heap)), heap);
                    return stack.push((Plain((at, inner_end)), registers.file()), heap);
                }
                _ => registers.op(heap, op, seen),
            }
        }
        seen.graphs.push(look(heap, &registers));
        registers.release(heap);
    }
}
