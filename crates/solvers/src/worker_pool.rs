//! Threads that share out jobs. The caller is one of them; the others sleep while there is nothing to do.
//!
//! Jobs are handed over whole: who does one owns it, so nothing is shared, and which thread does which changes no bit.
//! Handing them over allocates nothing once the lists have grown.

use std::collections::VecDeque;
use std::panic::resume_unwind;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{Builder, JoinHandle};

/// Jobs of type `J`, done by workers with a memory `W` of their own each.
pub struct WorkerPool<J, W> {
    desk: Arc<Desk<J>>,
    task: Arc<Task<J, W>>,
    /// Memory of the caller.
    own: W,
    threads: Vec<Option<JoinHandle<()>>>,
    /// Jobs given and not yet back.
    out: usize,
}

type Task<J, W> = dyn Fn(&mut J, &mut W) + Send + Sync;

/// Where jobs change hands.
struct Desk<J> {
    hands: Mutex<Hands<J>>,
    /// There is work, or no more will come.
    work: Condvar,
    /// All jobs given so far are done, or will never be.
    done: Condvar,
}

struct Hands<J> {
    waiting: VecDeque<J>,
    finished: Vec<J>,
    /// Jobs somebody is at.
    taken: usize,
    /// Threads that sleep and have not been called.
    idle: usize,
    closed: bool,
    /// The thread that panicked.
    broken: Option<usize>,
}

impl<J: Send + 'static, W: Send + 'static> WorkerPool<J, W> {
    /// One worker for each memory: the first is the caller, the others get threads.
    pub fn new(own: W, others: Vec<W>, task: impl Fn(&mut J, &mut W) + Send + Sync + 'static) -> Self {
        let (waiting, finished) = (VecDeque::new(), Vec::new());
        let hands = Hands { waiting, finished, taken: 0, idle: 0, closed: false, broken: None };
        let desk = Desk { hands: Mutex::new(hands), work: Condvar::new(), done: Condvar::new() };
        let (desk, task): (_, Arc<Task<J, W>>) = (Arc::new(desk), Arc::new(task));
        let start = |(index, mut memory): (usize, W)| {
            let (desk, task) = (desk.clone(), task.clone());
            let serve = move || serve(&desk, index, |job| task(job, &mut memory));
            // Where the system gives no thread, those there are do the work.
            Builder::new().name(format!("stiction-{index}")).spawn(serve).ok()
        };
        let threads = others.into_iter().enumerate().map(start).collect();
        Self { desk, task, own, threads, out: 0 }
    }

    /// Puts a job up for whoever is free; those given first are begun first.
    pub fn give(&mut self, job: J) {
        self.out += 1;
        let mut hands = self.desk.lock();
        hands.waiting.push_back(job);
        if hands.idle > 0 {
            hands.idle -= 1;
            self.desk.work.notify_one();
        }
    }

    /// Works along until all jobs are done; they go into `out`, in no order. A panic of another thread goes on here.
    pub fn finish(&mut self, out: &mut Vec<J>) {
        let mut hands = self.desk.lock();
        while let Some(mut job) = hands.waiting.pop_front() {
            drop(hands);
            (self.task)(&mut job, &mut self.own);
            hands = self.desk.lock();
            hands.finished.push(job);
        }
        while hands.taken > 0 && hands.broken.is_none() {
            hands = self.desk.done.wait(hands).unwrap_or_else(PoisonError::into_inner);
        }
        if let Some(index) = hands.broken {
            drop(hands);
            if let Some(Err(cause)) = self.threads[index].take().map(JoinHandle::join) {
                resume_unwind(cause);
            }
            panic!("a thread panicked in an earlier step");
        }
        assert_eq!(hands.finished.len(), self.out, "every job comes back, unless an earlier one panicked");
        self.out = 0;
        out.append(&mut hands.finished);
    }
}

impl<J, W> Drop for WorkerPool<J, W> {
    fn drop(&mut self) {
        self.desk.lock().closed = true;
        self.desk.work.notify_all();
        for thread in self.threads.drain(..).flatten() {
            // Its panic has been told by `finish`, or nobody has asked for its work.
            let _ended = thread.join();
        }
    }
}

impl<J> Desk<J> {
    fn lock(&self) -> MutexGuard<'_, Hands<J>> {
        self.hands.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn serve<J>(desk: &Desk<J>, index: usize, mut task: impl FnMut(&mut J)) {
    let _alarm = Alarm { desk, index };
    let mut hands = desk.lock();
    while !hands.closed {
        if let Some(mut job) = hands.waiting.pop_front() {
            hands.taken += 1;
            drop(hands);
            task(&mut job);
            hands = desk.lock();
            hands.finished.push(job);
            hands.taken -= 1;
            if hands.taken == 0 && hands.waiting.is_empty() {
                desk.done.notify_one();
            }
        } else {
            hands.idle += 1;
            hands = desk.work.wait(hands).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

/// Tells who waits when the thread panics.
struct Alarm<'a, J> {
    desk: &'a Desk<J>,
    index: usize,
}

impl<J> Drop for Alarm<'_, J> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.desk.lock().broken = Some(self.index);
            self.desk.done.notify_one();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::time::Duration;

    /// Every job is done once, whoever does it, time and again.
    #[test]
    fn all_jobs_come_back_done() {
        for others in [0, 1, 3] {
            let mut pool =
                WorkerPool::new(0, vec![0; others], |job: &mut (usize, usize), done: &mut usize| {
                    std::thread::sleep(Duration::from_micros(20));
                    job.1 += 1;
                    *done += 1;
                });
            let mut jobs: Vec<_> = (0..50).map(|i| (i, 0)).collect();
            for round in 1..=5 {
                jobs.drain(..).for_each(|job| pool.give(job));
                pool.finish(&mut jobs);
                jobs.sort_unstable();
                assert!(jobs.iter().enumerate().all(|(i, job)| *job == (i, round)), "{jobs:?}");
            }
            assert!(others > 0 || pool.own == 250);
        }
    }

    #[test]
    fn no_jobs_are_done_at_once() {
        let mut pool = WorkerPool::new((), vec![(); 2], |(), ()| {});
        let mut jobs = Vec::new();
        pool.finish(&mut jobs);
        assert!(jobs.is_empty());
    }

    /// Where the others panic, the caller is told in their words instead of waiting for ever.
    #[test]
    fn a_panic_is_told() {
        let mut pool = WorkerPool::new((), vec![()], |bad: &mut bool, ()| assert!(!*bad, "the job was bad"));
        pool.give(true);
        // The caller leaves it to the other.
        while pool.desk.lock().taken == 0 && pool.desk.lock().broken.is_none() {
            std::thread::yield_now();
        }
        let told = catch_unwind(AssertUnwindSafe(|| pool.finish(&mut Vec::new()))).unwrap_err();
        assert_eq!(told.downcast_ref::<&str>(), Some(&"the job was bad"));
        assert!(catch_unwind(AssertUnwindSafe(|| pool.finish(&mut Vec::new()))).is_err());
    }
}
