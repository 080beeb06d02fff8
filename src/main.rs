use heap::{Backend, Heap, Off, On, Settings, Visit, visit};
use std::time::Instant;
struct Go {
    n: u32,
    iter: u32,
    sets: Vec<(String, String)>,
}
impl Visit for Go {
    type Out = ();
    fn visit<B: Backend>(self) {
        let mut s = Settings::new(&B::INFO);
        for (k, v) in &self.sets {
            s.set(&B::INFO, k, v).unwrap();
        }
        let mut h = <B::Heap<On>>::new(&s);
        let a = h.run(&nqueens::Queens::<On>::new(self.n.min(8))).unwrap();
        h.settle();
        eprintln!("{:?} {:?}", a, h.stats());
        let mut h = <B::Heap<Off>>::new(&s);
        for i in 0..self.iter {
            let t = Instant::now();
            let a = h.run(&nqueens::Queens::<Off>::new(self.n)).unwrap();
            let ns = t.elapsed().as_nanos();
            h.settle();
            if i == 0 {
                println!("solutions={}", a.solutions);
            }
            println!("ns={ns}");
        }
    }
}
fn main() {
    let a: Vec<String> = std::env::args().collect();
    let sets = a[4..]
        .iter()
        .map(|s| {
            let (k, v) = s.split_once('=').unwrap();
            (k.to_string(), v.to_string())
        })
        .collect();
    visit(&a[1], Go { n: a[2].parse().unwrap(), iter: a[3].parse().unwrap(), sets }).unwrap();
}
