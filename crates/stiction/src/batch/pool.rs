//! Threads that step shards. The caller is one of them; the others wait between steps.
//!
//! Shards are handed over whole: who steps one owns it, so nothing is shared and which thread steps which shard
//! changes no bit. A step allocates nothing.

use super::alone::AloneError;
use super::plan::Plan;
use super::shard::{Shard, Worker};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

/// See the module.
pub(super) struct Pool {
    plan: Arc<Plan>,
    /// All of them, between steps.
    shards: Vec<Option<Shard>>,
    own: Worker,
    desk: Arc<Desk>,
    threads: Vec<JoinHandle<()>>,
}

/// Where shards change hands.
struct Desk {
    state: Mutex<Hands>,
    /// There is work, or no more will come.
    work: Condvar,
    /// A shard is done.
    done: Condvar,
}

struct Hands {
    waiting: Vec<Shard>,
    finished: Vec<Shard>,
    closed: bool,
}

impl Pool {
    pub(super) fn new(plan: &Arc<Plan>, shards: Vec<Shard>) -> Result<Self, AloneError> {
        let n = shards.len();
        let hands = Hands { waiting: Vec::with_capacity(n), finished: Vec::with_capacity(n), closed: false };
        let desk = Arc::new(Desk { state: Mutex::new(hands), work: Condvar::new(), done: Condvar::new() });
        let others = plan.settings.threads.min(n).saturating_sub(1);
        let mut pool = Self {
            plan: plan.clone(),
            shards: shards.into_iter().map(Some).collect(),
            own: Worker::new(plan)?,
            desk,
            threads: Vec::new(),
        };
        for _ in 0..others {
            let (plan, desk, worker) = (plan.clone(), pool.desk.clone(), Worker::new(plan)?);
            pool.threads.push(std::thread::spawn(move || serve(&plan, &desk, worker)));
        }
        Ok(pool)
    }

    /// One step of all shards.
    pub(super) fn step(&mut self) {
        if self.threads.is_empty() {
            for shard in self.shards.iter_mut().flatten() {
                shard.step(&self.plan, &mut self.own);
            }
            return;
        }
        let n = self.shards.len();
        let mut hands = self.desk.lock();
        for shard in &mut self.shards {
            hands.waiting.extend(shard.take());
        }
        self.desk.work.notify_all();
        while let Some(mut shard) = hands.waiting.pop() {
            drop(hands);
            shard.step(&self.plan, &mut self.own);
            hands = self.desk.lock();
            hands.finished.push(shard);
        }
        while hands.finished.len() < n {
            hands = self.desk.done.wait(hands).unwrap_or_else(PoisonError::into_inner);
            assert!(!hands.closed, "a thread of the batch panicked");
        }
        for shard in hands.finished.drain(..) {
            let index = shard.index;
            self.shards[index] = Some(shard);
        }
    }

    pub(super) fn shards(&self) -> impl Iterator<Item = &Shard> + '_ {
        self.shards.iter().flatten()
    }

    pub(super) fn shards_mut(&mut self) -> impl Iterator<Item = &mut Shard> + '_ {
        self.shards.iter_mut().flatten()
    }

    pub(super) fn shard(&self, k: usize) -> &Shard {
        self.shards[k].as_ref().expect("all shards are here between steps")
    }

    /// Environment i of shard k.
    pub(super) fn place_mut(&mut self, k: usize, i: usize) -> (&mut Shard, usize) {
        (self.shards[k].as_mut().expect("all shards are here between steps"), i)
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        self.desk.lock().closed = true;
        self.desk.work.notify_all();
        for thread in self.threads.drain(..) {
            // A panic there has been told by the step that waited for it.
            let _ended = thread.join();
        }
    }
}

impl Desk {
    fn lock(&self) -> MutexGuard<'_, Hands> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Tells those who wait when the thread panics.
struct Alarm<'a>(&'a Desk);

impl Drop for Alarm<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.lock().closed = true;
            self.0.done.notify_all();
        }
    }
}

fn serve(plan: &Plan, desk: &Desk, mut worker: Worker) {
    let _alarm = Alarm(desk);
    let mut hands = desk.lock();
    while !hands.closed {
        if let Some(mut shard) = hands.waiting.pop() {
            drop(hands);
            shard.step(plan, &mut worker);
            hands = desk.lock();
            hands.finished.push(shard);
            desk.done.notify_one();
        } else {
            hands = desk.work.wait(hands).unwrap_or_else(PoisonError::into_inner);
        }
    }
}
