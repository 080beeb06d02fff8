//! Reads all that a script's registers reach, as the model shows it.

use super::model::{Graph, REGISTERS, WALK};
use super::objects::{Leaf, Pair, Wide, bulk};
use super::registers::Registers;
use heap::{Chain, Family, Link, Mutator};
use std::collections::BTreeMap;

/// Objects of one family that were met: references (owned, since the heap is
/// not borrowed between two of them), and where each number is among them.
struct Met<'gc, M: Mutator<'gc>, T: Family> {
    refs: Vec<M::Ref<T>>,
    places: BTreeMap<u32, usize>,
    done: usize,
}

impl<'gc, M: Mutator<'gc>, T: Family> Met<'gc, M, T> {
    fn new() -> Self {
        Met { refs: Vec::new(), places: BTreeMap::new(), done: 0 }
    }

    /// Takes a reference to an object whose number is read by `id`: what it
    /// leads to, as the model shows it. One number must be one object.
    fn meet(
        &mut self,
        heap: &mut M,
        link: Link<'gc, M, T>,
        id: impl for<'x> Fn(&'x T::Of<'gc, M>) -> u32,
    ) -> Vec<u32> {
        let Some(at) = link.0 else { return vec![] };
        let id = id(heap.get(&at));
        match self.places.get(&id) {
            Some(&place) => {
                assert!(heap.same(&self.refs[place], &at), "object {id} exists twice");
                heap.release(at);
            }
            None => {
                let others = self.refs.iter().all(|other| !heap.same(other, &at));
                assert!(others, "object {id} is also another one");
                self.places.insert(id, self.refs.len());
                self.refs.push(at);
            }
        }
        vec![id]
    }

    /// The next object whose references were not looked at.
    fn next(&mut self, heap: &mut M) -> Option<M::Ref<T>> {
        let at = self.refs.get(self.done)?;
        self.done += 1;
        Some(heap.share(at))
    }

    fn release(self, heap: &mut M) {
        self.refs.into_iter().for_each(|at| heap.release(at));
    }
}

struct Look<'gc, M: Mutator<'gc>> {
    pairs: Met<'gc, M, Pair>,
    wides: Met<'gc, M, Wide>,
    leaves: Met<'gc, M, Leaf>,
}

impl<'gc, M: Mutator<'gc>> Look<'gc, M> {
    fn pair(&mut self, heap: &mut M, link: Link<'gc, M, Pair>) -> Vec<u32> {
        self.pairs.meet(heap, link, |pair| pair.0.0.0)
    }
    fn wide(&mut self, heap: &mut M, link: Link<'gc, M, Wide>) -> Vec<u32> {
        self.wides.meet(heap, link, |wide| wide.0.0.1.0)
    }
    fn leaf(&mut self, heap: &mut M, link: Link<'gc, M, Leaf>) -> Vec<u32> {
        self.leaves.meet(heap, link, |leaf| leaf.0.0)
    }
}

/// The first items of a chain.
fn items<'gc, M: Mutator<'gc>>(heap: &mut M, chain: Link<'gc, M, Chain<u32>>) -> Vec<u32> {
    let mut items = Vec::new();
    let mut rest = chain;
    while let Some(cell) = rest.0 {
        if items.len() == WALK {
            heap.release(cell);
            break;
        }
        items.push(heap.get(&cell).item);
        rest = heap.load(&cell, |cell| &cell.next);
        heap.release(cell);
    }
    items
}

/// All that the registers reach.
pub fn look<'gc, M: Mutator<'gc>>(heap: &mut M, registers: &Registers<'gc, M>) -> Graph {
    let mut graph = Graph::new();
    let mut met = Look { pairs: Met::new(), wides: Met::new(), leaves: Met::new() };
    let ((chains, pairs), (wides, leaves)) = registers.share(heap);
    let mut shown: Vec<_> = chains.into_iter().map(|link| items(heap, link)).collect();
    shown.extend(pairs.into_iter().map(|link| met.pair(heap, link)));
    shown.extend(wides.into_iter().map(|link| met.wide(heap, link)));
    shown.extend(leaves.into_iter().map(|link| met.leaf(heap, link)));
    graph.insert(REGISTERS, (0, shown));
    loop {
        if let Some(at) = met.pairs.next(heap) {
            let (id, value) = heap.get(&at).0.0;
            let left = heap.load(&at, |pair| &pair.1);
            let right = heap.load(&at, |pair| &pair.2);
            heap.release(at);
            graph.insert(id, (value, vec![met.pair(heap, left), met.wide(heap, right)]));
        } else if let Some(at) = met.wides.next(heap) {
            let data = heap.get(&at).0;
            let (id, value) = data.0.1;
            assert_eq!(data, bulk(id, value), "plain data of object {id}");
            let mut shown = Vec::new();
            for slot in 0..8 {
                let pair = heap.load(&at, |wide| &wide.1[slot]);
                shown.push(met.pair(heap, pair));
            }
            let chain = heap.load(&at, |wide| &wide.2.0);
            shown.push(items(heap, chain));
            let leaf = heap.load(&at, |wide| &wide.2.1);
            shown.push(met.leaf(heap, leaf));
            heap.release(at);
            graph.insert(id, (value, shown));
        } else if let Some(at) = met.leaves.next(heap) {
            let (id, value) = heap.get(&at).0;
            heap.release(at);
            graph.insert(id, (value, vec![]));
        } else {
            break;
        }
    }
    met.pairs.release(heap);
    met.wides.release(heap);
    met.leaves.release(heap);
    graph
}
