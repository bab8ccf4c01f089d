//! The shards of a batch, stepped on threads.

use super::alone::AloneError;
use super::plan::Plan;
use super::shard::{Shard, Worker};
use std::sync::Arc;
use stiction_solvers::worker_pool::WorkerPool;

/// See the module.
pub(super) struct Pool {
    /// All of them, in order, between steps.
    shards: Vec<Shard>,
    pool: WorkerPool<Shard, Worker>,
}

impl Pool {
    pub(super) fn new(plan: &Arc<Plan>, shards: Vec<Shard>) -> Result<Self, AloneError> {
        let others = plan.settings.threads.min(shards.len()).saturating_sub(1);
        let others = (0..others).map(|_| Worker::new(plan)).collect::<Result<_, _>>()?;
        let (own, plan) = (Worker::new(plan)?, plan.clone());
        Ok(Self {
            shards,
            pool: WorkerPool::new(own, others, move |shard: &mut Shard, worker: &mut Worker| {
                shard.step(&plan, worker)
            }),
        })
    }

    /// One step of all shards.
    pub(super) fn step(&mut self) {
        self.shards.drain(..).for_each(|shard| self.pool.give(shard));
        self.pool.finish(&mut self.shards);
        self.shards.sort_unstable_by_key(|shard| shard.index);
    }

    pub(super) fn shards(&self) -> impl Iterator<Item = &Shard> + '_ {
        self.shards.iter()
    }

    pub(super) fn shards_mut(&mut self) -> impl Iterator<Item = &mut Shard> + '_ {
        self.shards.iter_mut()
    }

    pub(super) fn shard(&self, k: usize) -> &Shard {
        &self.shards[k]
    }

    /// Environment i of shard k.
    pub(super) fn place_mut(&mut self, k: usize, i: usize) -> (&mut Shard, usize) {
        (&mut self.shards[k], i)
    }
}
