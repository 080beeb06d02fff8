//! One run, done together.

use crate::failure::{Failure, guarded};
use crate::team::{Workers, on_heap};
use fastrand::Rng;
use heap::carry::{self, Done, Split, Task};
use heap::{Heap, Program};
use rayon::{Scope, ScopeFifo, current_thread_index};
use std::ops::AddAssign;
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::Instant;

/// Which task a worker does next, and which one is stolen from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// A worker does the task that it made last, as on one thread; the oldest is stolen, which
    /// is the largest. Tasks of one parent are mostly done by one worker.
    Depth,
    /// The oldest first, of whichever worker: those that share a parent are done by all workers
    /// at the same time.
    Breadth,
    /// As `Depth`, but tasks of one parent in an order that the seed draws, and workers give way
    /// to others at random: for tests.
    Random(u64),
}

/// What workers did together.
#[derive(Clone, Debug)]
pub struct Together<O> {
    /// The result.
    pub out: O,
    /// From the first task's beginning to the last one's end.
    pub wall_ns: u64,
    /// What it was split into.
    pub tasks: Tasks,
}

/// Tasks that were done, and what became of the objects that they refer to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tasks {
    /// How many.
    pub done: u64,
    /// Of these, those that another worker did than the one that made them.
    pub stolen: u64,
    /// Objects that were copied for tasks. The heaps count them among those allocated.
    pub objects_copied: u64,
    /// Objects that were made immortal.
    pub objects_immortal: u64,
}

impl AddAssign for Tasks {
    fn add_assign(&mut self, other: Self) {
        self.done += other.done;
        self.stolen += other.stolen;
        self.objects_copied += other.objects_copied;
        self.objects_immortal += other.objects_immortal;
    }
}

/// Where tasks wait, in one order or the other.
trait Spawn<'s> {
    fn spawn(&self, task: impl FnOnce(&Self) + Send + 's);
}

impl<'s> Spawn<'s> for Scope<'s> {
    fn spawn(&self, task: impl FnOnce(&Self) + Send + 's) {
        Scope::spawn(self, task);
    }
}

impl<'s> Spawn<'s> for ScopeFifo<'s> {
    fn spawn(&self, task: impl FnOnce(&Self) + Send + 's) {
        self.spawn_fifo(task);
    }
}

/// A run that goes on. Its tasks are spawned in a scope that ends before it does.
struct Run<O> {
    /// What each worker has done.
    accounts: Vec<Mutex<Account<O>>>,
    order: Order,
    /// The first one.
    failure: OnceLock<Failure>,
}

/// In cache lines of its own, and in the one that is fetched with it: its worker writes to it
/// after each task.
#[repr(align(128))]
struct Account<O> {
    out: O,
    tasks: Tasks,
    rng: Rng,
}

impl<H: Heap + 'static> Workers<'_, H> {
    /// They run one program together, split as it is said.
    ///
    /// # Errors
    ///
    /// A task failed. The others are given up.
    pub fn split<P: Program + Clone + Send + Sync>(
        &self,
        program: &P,
        split: Split,
        order: Order,
    ) -> Result<Together<P::Out>, Failure>
    where
        P::Out: AddAssign + Send,
    {
        let seed = match order {
            Order::Depth | Order::Breadth => 0,
            Order::Random(seed) => seed,
        };
        let account = |worker| {
            let rng = Rng::with_seed(seed.wrapping_add(worker as u64));
            Mutex::new(Account { out: P::Out::default(), tasks: Tasks::default(), rng })
        };
        let run = Run {
            accounts: (0..self.count()).map(account).collect(),
            order,
            failure: OnceLock::new(),
        };
        let whole = guarded(|| Ok(Task::<P, H>::new(program.clone(), split)))?;
        // A worker, so that what is timed begins when a worker does.
        let wall = self.pool.install(|| {
            let start = Instant::now();
            let worker = current_thread_index();
            match order {
                Order::Breadth => rayon::scope_fifo(|scope| run.take(scope, whole, worker)),
                Order::Depth | Order::Random(_) => {
                    rayon::scope(|scope| run.take(scope, whole, worker));
                }
            }
            start.elapsed()
        });
        if let Some(failure) = run.failure.into_inner() {
            return Err(failure);
        }
        let mut together = Together {
            out: P::Out::default(),
            wall_ns: wall.as_nanos() as u64,
            tasks: Tasks::default(),
        };
        for account in run.accounts {
            let account = account.into_inner().unwrap_or_else(PoisonError::into_inner);
            together.out += account.out;
            together.tasks += account.tasks;
        }
        Ok(together)
    }
}

impl<O: Default + AddAssign + Send> Run<O> {
    /// Does a task, and leaves those that it made to whoever comes first.
    fn take<'s, P, H, S>(&'s self, scope: &S, task: Task<P, H>, maker: Option<usize>)
    where
        S: Spawn<'s>,
        P: Program<Out = O> + Clone + Send,
        H: Heap + 'static,
    {
        if self.failure.get().is_some() {
            let discarded = guarded(|| {
                on_heap(|heap: &mut H| carry::discard(heap, task));
                Ok(())
            });
            discarded.unwrap_or_else(|failure| self.fail(failure));
            return;
        }
        if matches!(self.order, Order::Random(_)) && self.account(|account| account.rng.bool()) {
            std::thread::yield_now();
        }
        match guarded(|| Ok(on_heap(|heap: &mut H| carry::run(heap, task))?)) {
            Ok(mut done) => {
                let tasks = std::mem::take(&mut done.tasks);
                // Adding up is the program's own. If it panics the tasks are given up by whoever
                // takes them.
                let noted = guarded(|| {
                    self.note(done, maker);
                    Ok(())
                });
                noted.unwrap_or_else(|failure| self.fail(failure));
                self.spawn(scope, tasks);
            }
            Err(failure) => self.fail(failure),
        }
    }

    /// Adds what a task did to the worker's account.
    fn note<P: Program<Out = O>, H>(&self, done: Done<P, H>, maker: Option<usize>) {
        self.account(|account| {
            account.out += done.out;
            account.tasks += Tasks {
                done: 1,
                stolen: u64::from(maker != current_thread_index()),
                objects_copied: done.objects_copied,
                objects_immortal: done.objects_immortal,
            };
        });
    }

    fn spawn<'s, P, H, S>(&'s self, scope: &S, mut tasks: Vec<Task<P, H>>)
    where
        S: Spawn<'s>,
        P: Program<Out = O> + Clone + Send,
        H: Heap + 'static,
    {
        if matches!(self.order, Order::Random(_)) {
            self.account(|account| account.rng.shuffle(&mut tasks));
        }
        let maker = current_thread_index();
        for task in tasks {
            scope.spawn(move |scope| self.take(scope, task, maker));
        }
    }

    /// This worker's account. Nobody else asks for it meanwhile.
    fn account<R>(&self, work: impl FnOnce(&mut Account<O>) -> R) -> R {
        let worker = current_thread_index().expect("a worker's thread");
        work(&mut self.accounts[worker].lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn fail(&self, failure: Failure) {
        // Those after the first one mostly follow from it.
        let _ = self.failure.set(failure);
    }
}
