//! The registers of a script on a heap, and the operations on them.

use super::look::look;
use super::model::Seen;
use super::objects::{Leaf, Pair, Wide, bulk};
use super::script::{CHAINS, Kind, LEAVES, Op, PAIRS, WIDES, source};
use heap::{Chain, Family, Link, Mutator, Node, Plain};

/// The registers: everything the program can reach.
pub struct Registers<'gc, M: Mutator<'gc>> {
    pub chains: [Link<'gc, M, Chain<u32>>; CHAINS],
    pub pairs: [Link<'gc, M, Pair>; PAIRS],
    pub wides: [Link<'gc, M, Wide>; WIDES],
    pub leaves: [Link<'gc, M, Leaf>; LEAVES],
}

/// The registers as a part of a frame.
pub type File<'gc, M> = (
    ([Link<'gc, M, Chain<u32>>; CHAINS], [Link<'gc, M, Pair>; PAIRS]),
    ([Link<'gc, M, Wide>; WIDES], [Link<'gc, M, Leaf>; LEAVES]),
);

fn pick<'gc, M: Mutator<'gc>, T: Family>(
    heap: &mut M,
    registers: &[Link<'gc, M, T>],
    from: u8,
    slot: usize,
) -> Link<'gc, M, T> {
    match source(from, slot, registers.len()) {
        Some(index) => heap.share_link(&registers[index]),
        None => Link::NONE,
    }
}

fn put<'gc, M: Mutator<'gc>, T: Family>(
    heap: &mut M,
    registers: &mut [Link<'gc, M, T>],
    to: u8,
    link: Link<'gc, M, T>,
) {
    let to = to as usize % registers.len();
    let old = std::mem::replace(&mut registers[to], link);
    heap.release_link(old);
}

fn at<'r, 'gc, M: Mutator<'gc>, T: Family>(
    registers: &'r [Link<'gc, M, T>],
    at: u8,
) -> Option<&'r M::Ref<T>> {
    registers[at as usize % registers.len()].as_ref()
}

fn copy<'gc, M: Mutator<'gc>, T: Family>(
    heap: &mut M,
    registers: &mut [Link<'gc, M, T>],
    from: u8,
    to: u8,
) {
    let link = heap.share_link(&registers[from as usize % registers.len()]);
    put(heap, registers, to, link);
}

fn same<'gc, M: Mutator<'gc>, T: Family>(
    heap: &M,
    registers: &[Link<'gc, M, T>],
    a: u8,
    b: u8,
) -> Option<bool> {
    Some(heap.same(at(registers, a)?, at(registers, b)?))
}

impl<'gc, M: Mutator<'gc>> Registers<'gc, M> {
    pub fn new(((chains, pairs), (wides, leaves)): File<'gc, M>) -> Self {
        Registers { chains, pairs, wides, leaves }
    }
    pub fn file(self) -> File<'gc, M> {
        ((self.chains, self.pairs), (self.wides, self.leaves))
    }
    pub fn share(&self, heap: &mut M) -> File<'gc, M> {
        (
            (
                self.chains.each_ref().map(|link| heap.share_link(link)),
                self.pairs.each_ref().map(|link| heap.share_link(link)),
            ),
            (
                self.wides.each_ref().map(|link| heap.share_link(link)),
                self.leaves.each_ref().map(|link| heap.share_link(link)),
            ),
        )
    }
    pub fn release(self, heap: &mut M) {
        self.chains.into_iter().for_each(|link| heap.release_link(link));
        self.pairs.into_iter().for_each(|link| heap.release_link(link));
        self.wides.into_iter().for_each(|link| heap.release_link(link));
        self.leaves.into_iter().for_each(|link| heap.release_link(link));
    }

    fn cell(&self, heap: &mut M, item: u32, from: u8) -> Node<'gc, M, u32> {
        Node { item, next: pick(heap, &self.chains, from, 0) }
    }
    fn pair(&self, heap: &mut M, id: u32, value: u32, from: u8) -> <Pair as Family>::Of<'gc, M> {
        let left = pick(heap, &self.pairs, from, 0);
        (Plain((id, value)), left, pick(heap, &self.wides, from, 1))
    }
    fn wide(&self, heap: &mut M, id: u32, value: u32, from: u8) -> <Wide as Family>::Of<'gc, M> {
        let pairs = std::array::from_fn(|slot| pick(heap, &self.pairs, from, slot));
        let chain = pick(heap, &self.chains, from, 8);
        (bulk(id, value), pairs, (chain, pick(heap, &self.leaves, from, 9)))
    }

    /// Does one operation that ends no step.
    pub fn op(&mut self, heap: &mut M, op: &Op, seen: &mut Seen) {
        match *op {
            Op::Make { kind, to, value, from } => {
                let id = seen.allocated;
                seen.allocated += 1;
                match kind {
                    Kind::Chain => {
                        let cell = self.cell(heap, value, from);
                        let cell = heap.alloc::<Chain<u32>>(cell);
                        put(heap, &mut self.chains, to, Link(Some(cell)));
                    }
                    Kind::Pair => {
                        let pair = self.pair(heap, id, value, from);
                        let pair = heap.alloc::<Pair>(pair);
                        put(heap, &mut self.pairs, to, Link(Some(pair)));
                    }
                    Kind::Wide => {
                        let wide = self.wide(heap, id, value, from);
                        let wide = heap.alloc::<Wide>(wide);
                        put(heap, &mut self.wides, to, Link(Some(wide)));
                    }
                    Kind::Leaf => {
                        let leaf = heap.alloc::<Leaf>(Plain((id, value)));
                        put(heap, &mut self.leaves, to, Link(Some(leaf)));
                    }
                }
            }
            Op::Set { kind, at: index, value, from } => match kind {
                Kind::Chain => {
                    if let Some(at) = at(&self.chains, index) {
                        let cell = self.cell(heap, value, from);
                        heap.set::<Chain<u32>>(at, cell);
                    }
                }
                Kind::Pair => {
                    if let Some(at) = at(&self.pairs, index) {
                        let id = heap.get(at).0.0.0;
                        let pair = self.pair(heap, id, value, from);
                        heap.set::<Pair>(at, pair);
                    }
                }
                Kind::Wide => {
                    if let Some(at) = at(&self.wides, index) {
                        let id = heap.get(at).0.0.1.0;
                        let wide = self.wide(heap, id, value, from);
                        heap.set::<Wide>(at, wide);
                    }
                }
                Kind::Leaf => {
                    if let Some(at) = at(&self.leaves, index) {
                        let id = heap.get(at).0.0;
                        heap.set::<Leaf>(at, Plain((id, value)));
                    }
                }
            },
            Op::Load { kind, at: index, slot, to } => match kind {
                Kind::Chain => {
                    if let Some(at) = at(&self.chains, index) {
                        let next = heap.load(at, |cell| &cell.next);
                        put(heap, &mut self.chains, to, next);
                    }
                }
                Kind::Pair => match (at(&self.pairs, index), slot % 2) {
                    (None, _) => {}
                    (Some(at), 0) => {
                        let left = heap.load(at, |pair| &pair.1);
                        put(heap, &mut self.pairs, to, left);
                    }
                    (Some(at), _) => {
                        let right = heap.load(at, |pair| &pair.2);
                        put(heap, &mut self.wides, to, right);
                    }
                },
                Kind::Wide => match (at(&self.wides, index), slot % 10) {
                    (None, _) => {}
                    (Some(at), 8) => {
                        let chain = heap.load(at, |wide| &wide.2.0);
                        put(heap, &mut self.chains, to, chain);
                    }
                    (Some(at), 9) => {
                        let leaf = heap.load(at, |wide| &wide.2.1);
                        put(heap, &mut self.leaves, to, leaf);
                    }
                    (Some(at), slot) => {
                        let pair = heap.load(at, |wide| &wide.1[slot as usize]);
                        put(heap, &mut self.pairs, to, pair);
                    }
                },
                Kind::Leaf => {}
            },
            Op::Share { kind, from, to } => match kind {
                Kind::Chain => copy(heap, &mut self.chains, from, to),
                Kind::Pair => copy(heap, &mut self.pairs, from, to),
                Kind::Wide => copy(heap, &mut self.wides, from, to),
                Kind::Leaf => copy(heap, &mut self.leaves, from, to),
            },
            Op::Drop { kind, at } => match kind {
                Kind::Chain => put(heap, &mut self.chains, at, Link::NONE),
                Kind::Pair => put(heap, &mut self.pairs, at, Link::NONE),
                Kind::Wide => put(heap, &mut self.wides, at, Link::NONE),
                Kind::Leaf => put(heap, &mut self.leaves, at, Link::NONE),
            },
            Op::Build { to, cells } => {
                let index = to as usize % CHAINS;
                for item in 0..u32::from(cells) {
                    let next = std::mem::replace(&mut self.chains[index], Link::NONE);
                    let cell = heap.alloc::<Chain<u32>>(Node { item, next });
                    self.chains[index] = Link(Some(cell));
                }
                seen.allocated += u32::from(cells);
            }
            Op::Filter { from, to, modulus } => {
                let modulus = u32::from(modulus) + 1;
                let mut kept = 0;
                let chain = heap.filter(at(&self.chains, from), |item| {
                    let keep = item % modulus != 0;
                    kept += u32::from(keep);
                    keep
                });
                seen.allocated += kept;
                put(heap, &mut self.chains, to, chain);
            }
            Op::Fold { from } => {
                let items = heap.fold(at(&self.chains, from), Vec::new(), |mut items, item| {
                    items.push(item);
                    items
                });
                seen.reports.push(items);
            }
            Op::Same { kind, a, b } => {
                let same = match kind {
                    Kind::Chain => same(heap, &self.chains, a, b),
                    Kind::Pair => same(heap, &self.pairs, a, b),
                    Kind::Wide => same(heap, &self.wides, a, b),
                    Kind::Leaf => same(heap, &self.leaves, a, b),
                };
                seen.reports.push(same.into_iter().map(u32::from).collect());
            }
            Op::Look => seen.graphs.push(look(heap, self)),
            Op::Yield | Op::Fork { .. } => unreachable!("ends a step"),
        }
    }
}
