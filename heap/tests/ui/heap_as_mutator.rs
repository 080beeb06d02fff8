//! A heap is reached through the registry alone: whoever could name its type
//! could call it as a mutator outside of a run, and keep what it allocates.

use heap::backends::gc::Gc;
use heap::{Backend, Chain, Heap, Link, Mutator, Node, Off, Settings};

fn main() {
    let mut heap = <<Gc as Backend>::Heap<Off> as Heap>::new(&Settings::new(&Gc::INFO));
    let at = heap.alloc::<Chain<u32>>(Node { item: 1, next: Link::NONE });
    heap.settle();
    println!("{}", heap.get(&at).item);
}
