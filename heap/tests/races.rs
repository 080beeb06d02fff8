//! Tasks of one run on several threads at the same time, in rounds, such that data races between
//! heaps can be looked for: the threads are only started and joined, by calls of the platform that
//! ThreadSanitizer knows even where the standard library is not built for it. It does not see
//! fences, so that `races.suppressions` names what `Arc` orders by one: the free after the last
//! release. `.ci/run` has the command.

use heap::carry::{self, Lists, Split, Task};
use heap::conformance::{Check, every_backend};
use heap::{Backend, Heap, Immortal, Immortals, Off, On, Settings, Tally};
use nqueens::{Answer, Queens};

const THREADS: usize = 3;

/// A run of which every level is dealt out anew, so that siblings, which share the most, are done
/// at the same time.
fn dealt_out<B: Backend, T: Tally>(lists: Lists) {
    let mut settings = Settings::new(&B::INFO);
    settings.immortals = Some(Immortals::new(1 << 20));
    let program = Queens::<Off>::new(5);
    let split = Split { lists, depth: 3 };
    let mut tasks: Vec<Task<_, B::Heap<T>>> = vec![Task::new(program, split)];
    let mut answer = Answer::default();
    while !tasks.is_empty() {
        let mut hands: [Vec<Task<_, _>>; THREADS] = Default::default();
        for (index, task) in tasks.drain(..).enumerate() {
            hands[index % THREADS].push(task);
        }
        let threads = hands.map(|hand| {
            let settings = settings.clone();
            std::thread::spawn(move || {
                let mut heap = B::Heap::<T>::new(&settings);
                let mut answer = Answer::default();
                let mut made = Vec::new();
                for task in hand {
                    let done = carry::run(&mut heap, task).unwrap();
                    answer += done.out;
                    made.extend(done.tasks);
                }
                (answer, made)
            })
        });
        for thread in threads {
            let (of_thread, made) = thread.join().unwrap();
            answer += of_thread;
            tasks.extend(made);
        }
    }
    assert_eq!(answer.solutions, 10, "{}, {lists:?}", B::INFO.name);
}

#[test]
fn siblings_at_the_same_time() {
    #[derive(Clone, Copy)]
    struct Siblings;
    impl Check for Siblings {
        fn check<B: Backend>(self) {
            for lists in Lists::ALL {
                match lists {
                    _ if carry::possible(B::INFO.name, lists) != Some(true) => {}
                    Lists::Immortal => dealt_out::<B, Immortal<Off>>(lists),
                    Lists::Copied | Lists::Counted => dealt_out::<B, On>(lists),
                }
            }
        }
    }
    every_backend(Siblings);
}
