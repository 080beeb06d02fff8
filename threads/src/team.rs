//! Threads with a heap each.

use crate::failure::{Failure, guarded};
use heap::{Heap, Program};
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::any::Any;
use std::cell::RefCell;
use std::marker::PhantomData;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

thread_local! {
    /// The heap of the worker that this thread is.
    static HEAP: RefCell<Option<Box<dyn Any>>> = const { RefCell::new(None) };
}

/// Does something with this worker's heap.
pub(crate) fn on_heap<H: 'static, R>(work: impl FnOnce(&mut H) -> R) -> R {
    HEAP.with_borrow_mut(|slot| {
        let heap = slot.as_mut().and_then(|heap| heap.downcast_mut::<H>());
        work(heap.expect("each worker has a heap while its team works"))
    })
}

/// Threads to be started.
pub struct Team<'a> {
    /// How many.
    pub threads: usize,
    /// Called on each thread as it begins, with its number from 0: to keep it on a core. If it
    /// panics, the team has failed.
    pub begin: &'a (dyn Fn(usize) + Sync),
}

impl Team<'_> {
    /// Starts the threads, makes each a heap there, and lets them work. When it returns their
    /// heaps are given up, and the threads have nothing left to do but to end.
    ///
    /// # Errors
    ///
    /// The system starts no more threads, or a heap cannot be made or given up.
    pub fn work<H: Heap + 'static, R>(
        &self,
        make: impl Fn() -> H + Sync,
        work: impl FnOnce(&Workers<H>) -> R,
    ) -> Result<R, Failure> {
        let builder = ThreadPoolBuilder::new().num_threads(self.threads.max(1));
        let builder = builder.thread_name(|worker| format!("worker {worker}"));
        let not_begun = OnceLock::new();
        let run = |thread: rayon::ThreadBuilder| {
            // A thread that did not run would be waited for.
            let begin = || {
                (self.begin)(thread.index());
                Ok(())
            };
            if let Err(failure) = guarded(begin) {
                let _ = not_begun.set(failure);
            }
            thread.run();
        };
        let worked = builder.build_scoped(run, |pool| {
            let workers = Workers { pool, heap: PhantomData };
            // Each has begun when it does this.
            let made = workers.all(|| {
                let heap: Box<dyn Any> = Box::new(make());
                HEAP.set(Some(heap));
                Ok(())
            });
            let ready = made.and_then(|_| not_begun.get().cloned().map_or(Ok(()), Err));
            let done = ready.map(|()| work(&workers));
            // Here, since a scope does not wait for what its threads do after their last job.
            let given_up = workers.all(|| {
                HEAP.set(None);
                Ok(())
            });
            done.and_then(|done| given_up.map(|_| done))
        });
        worked.map_err(|why| Failure::Threads(why.to_string()))?
    }
}

/// The threads of a team at work.
pub struct Workers<'p, H> {
    pub(crate) pool: &'p ThreadPool,
    pub(crate) heap: PhantomData<fn(H)>,
}

/// What workers did side by side.
#[derive(Clone, Debug)]
pub struct Apart<O> {
    /// Each worker's result.
    pub outs: Vec<O>,
    /// From when the first began, all of them being ready, to when the last had ended.
    pub wall_ns: u64,
}

impl<H: Heap + 'static> Workers<'_, H> {
    /// How many they are.
    pub fn count(&self) -> usize {
        self.pool.current_num_threads()
    }

    /// Does something with the heap of each, at the same time.
    ///
    /// # Errors
    ///
    /// One of them panicked.
    pub fn on_each<R: Send>(&self, work: impl Fn(&mut H) -> R + Sync) -> Result<Vec<R>, Failure> {
        self.all(|| Ok(on_heap(&work)))
    }

    /// Each runs the whole program.
    ///
    /// # Errors
    ///
    /// One of them failed.
    pub fn each<P: Program + Sync>(&self, program: &P) -> Result<Apart<P::Out>, Failure>
    where
        P::Out: Send,
    {
        let ready = AtomicUsize::new(0);
        let done = self.all(|| {
            // Waking threads up is no part of it. They may be more than there are cores.
            ready.fetch_add(1, Ordering::AcqRel);
            while ready.load(Ordering::Acquire) < self.count() {
                std::thread::yield_now();
            }
            let start = Instant::now();
            let out = on_heap(|heap: &mut H| heap.run(program));
            let end = Instant::now();
            Ok((start, end, out?))
        })?;
        let start = done.iter().map(|&(start, ..)| start).min();
        let end = done.iter().map(|&(_, end, _)| end).max();
        let wall = end.zip(start).map_or_else(Default::default, |(end, start)| end - start);
        let outs = done.into_iter().map(|(.., out)| out).collect();
        Ok(Apart { outs, wall_ns: wall.as_nanos() as u64 })
    }

    /// Every worker does it once; the first failure, if there is one.
    fn all<R: Send>(
        &self,
        work: impl Fn() -> Result<R, Failure> + Sync,
    ) -> Result<Vec<R>, Failure> {
        self.pool.broadcast(|_| guarded(&work)).into_iter().collect()
    }
}
