//! The model: what a script does, on a plain arena without memory management.

use super::script::{CHAINS, Kind, LEAVES, Op, PAIRS, WIDES, source};
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

/// How far a look walks along a chain, which may be a ring.
pub const WALK: usize = 300;

/// All that can be reached: each object's number, with its value and what each
/// of its references leads to (nothing, an object's number, or a chain's
/// items). The registers are an object themselves, of number `REGISTERS`.
pub type Graph = BTreeMap<u32, (u32, Vec<Vec<u32>>)>;
pub const REGISTERS: u32 = u32::MAX;

/// What a program saw of its heap.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Seen {
    pub allocated: u32,
    pub reports: Vec<Vec<u32>>,
    pub graphs: Vec<Graph>,
}

/// What a heap must show of a script.
pub struct Expected {
    pub seen: Seen,
    /// Objects on cycles or reachable from them that nobody refers to at the
    /// end: what counting cannot reclaim.
    pub cyclic: u64,
}

struct Object {
    kind: Kind,
    value: u32,
    links: Vec<Option<usize>>,
}

/// The registers of each kind, one after the other.
type Registers = [Option<usize>; CHAINS + PAIRS + WIDES + LEAVES];

#[derive(Default)]
struct Model {
    objects: Vec<Object>,
    seen: Seen,
}

fn base(kind: Kind) -> (usize, usize) {
    match kind {
        Kind::Chain => (0, CHAINS),
        Kind::Pair => (CHAINS, PAIRS),
        Kind::Wide => (CHAINS + PAIRS, WIDES),
        Kind::Leaf => (CHAINS + PAIRS + WIDES, LEAVES),
    }
}

fn index(kind: Kind, register: u8) -> usize {
    let (base, registers) = base(kind);
    base + register as usize % registers
}

/// The kinds that an object's references lead to.
fn kinds(kind: Kind) -> &'static [Kind] {
    use Kind::{Chain, Leaf, Pair, Wide};
    match kind {
        Chain => &[Chain],
        Pair => &[Pair, Wide],
        Wide => &[Pair, Pair, Pair, Pair, Pair, Pair, Pair, Pair, Chain, Leaf],
        Leaf => &[],
    }
}

fn links(registers: &Registers, kind: Kind, from: u8) -> Vec<Option<usize>> {
    let link = |(slot, &kind): (usize, &Kind)| {
        let (base, count) = base(kind);
        source(from, slot, count).and_then(|register| registers[base + register])
    };
    kinds(kind).iter().enumerate().map(link).collect()
}

impl Model {
    fn make(&mut self, kind: Kind, value: u32, links: Vec<Option<usize>>) -> Option<usize> {
        self.objects.push(Object { kind, value, links });
        self.seen.allocated += 1;
        Some(self.objects.len() - 1)
    }

    /// The first cells of a chain, and whether it ends there.
    fn items(&self, mut at: Option<usize>, most: usize) -> (Vec<u32>, bool) {
        let mut items = Vec::new();
        while let Some(cell) = at.filter(|_| items.len() < most) {
            items.push(self.objects[cell].value);
            at = self.objects[cell].links[0];
        }
        (items, at.is_none())
    }

    fn look(&mut self, registers: &Registers) {
        let mut graph = Graph::new();
        let mut todo = Vec::new();
        let show = |link: &Option<usize>, todo: &mut Vec<usize>| match *link {
            None => vec![],
            Some(at) if self.objects[at].kind == Kind::Chain => self.items(*link, WALK).0,
            Some(at) => {
                todo.push(at);
                vec![at as u32]
            }
        };
        let shown = registers.iter().map(|link| show(link, &mut todo)).collect();
        graph.insert(REGISTERS, (0, shown));
        while let Some(at) = todo.pop() {
            if let Entry::Vacant(place) = graph.entry(at as u32) {
                let object = &self.objects[at];
                let shown = object.links.iter().map(|link| show(link, &mut todo)).collect();
                place.insert((object.value, shown));
            }
        }
        self.seen.graphs.push(graph);
    }

    /// Does one operation; false if it would never end on this heap.
    fn op(&mut self, registers: &mut Registers, op: &Op) -> bool {
        match *op {
            Op::Make { kind, to, value, from } => {
                let links = links(registers, kind, from);
                registers[index(kind, to)] = self.make(kind, value, links);
            }
            Op::Set { kind, at, value, from } => {
                if let Some(at) = registers[index(kind, at)] {
                    self.objects[at] = Object { kind, value, links: links(registers, kind, from) };
                }
            }
            Op::Load { kind, at, slot, to } => {
                if let (Some(at), false) = (registers[index(kind, at)], kinds(kind).is_empty()) {
                    let slot = slot as usize % kinds(kind).len();
                    registers[index(kinds(kind)[slot], to)] = self.objects[at].links[slot];
                }
            }
            Op::Share { kind, from, to } => {
                registers[index(kind, to)] = registers[index(kind, from)];
            }
            Op::Drop { kind, at } => registers[index(kind, at)] = None,
            Op::Build { to, cells } => {
                let to = index(Kind::Chain, to);
                for item in 0..u32::from(cells) {
                    registers[to] = self.make(Kind::Chain, item, vec![registers[to]]);
                }
            }
            Op::Filter { from, to, modulus } => {
                let chain = registers[index(Kind::Chain, from)];
                let (mut items, ends) = self.items(chain, self.objects.len());
                if !ends {
                    return false;
                }
                items.retain(|item| item % (u32::from(modulus) + 1) != 0);
                let mut head = None;
                for item in items.into_iter().rev() {
                    head = self.make(Kind::Chain, item, vec![head]);
                }
                registers[index(Kind::Chain, to)] = head;
            }
            Op::Fold { from } => {
                let chain = registers[index(Kind::Chain, from)];
                let (items, ends) = self.items(chain, self.objects.len());
                if !ends {
                    return false;
                }
                self.seen.reports.push(items);
            }
            Op::Same { kind, a, b } => {
                let (a, b) = (registers[index(kind, a)], registers[index(kind, b)]);
                let same = a.zip(b).map(|(a, b)| u32::from(a == b));
                self.seen.reports.push(same.into_iter().collect());
            }
            Op::Look => self.look(registers),
            Op::Yield | Op::Fork { .. } => {}
        }
        true
    }

    /// Objects that stay when those that nobody refers to are taken away, again and again.
    fn cyclic(&self) -> u64 {
        let mut counts = vec![0; self.objects.len()];
        for at in self.objects.iter().flat_map(|object| object.links.iter().flatten()) {
            counts[*at] += 1;
        }
        let mut dead: Vec<_> = (0..counts.len()).filter(|&at| counts[at] == 0).collect();
        let mut left = self.objects.len();
        while let Some(at) = dead.pop() {
            left -= 1;
            for &to in self.objects[at].links.iter().flatten() {
                counts[to] -= 1;
                if counts[to] == 0 {
                    dead.push(to);
                }
            }
        }
        left as u64
    }
}

/// Says what a heap must show of a script, after replacing the operations that
/// would walk along a ring for ever.
pub fn expect(ops: &mut [Op]) -> Expected {
    let mut model = Model::default();
    let mut registers = Registers::default();
    let mut saved: Vec<(usize, Registers)> = Vec::new();
    let mut end = ops.len();
    for at in 0..=ops.len() {
        while at == end {
            model.look(&registers);
            let Some((outer_end, outer)) = saved.pop() else { break };
            (end, registers) = (outer_end, outer);
        }
        let Some(op) = ops.get_mut(at) else { break };
        if let Op::Fork { ops } = *op {
            saved.push((end, registers));
            end = end.min(at + 1 + ops as usize);
        } else if !model.op(&mut registers, op) {
            *op = Op::Yield;
        }
    }
    Expected { cyclic: model.cyclic(), seen: model.seen }
}
