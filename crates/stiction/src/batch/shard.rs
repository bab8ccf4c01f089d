//! Some environments of a batch, and one step of all of them.

use super::alone::{Alone, AloneError};
use super::group::{self, Next, Outcome};
use super::memory::Memory;
use super::plan::Plan;
use super::settings::{BatchReport, Path, Precision};
use super::states::Inputs;
use super::{Fields, Numbers64, WIDEST};
use crate::report::StepStatus;
use std::any::Any;
use stiction_dynamics::integrate_into;
use stiction_dynamics::lanes::{F32x8, F64x4, Lanes};

/// Environments of a shard: the unit of work of a thread.
pub(super) const SHARD: usize = 64;

/// States, inputs and memories, environment by environment.
pub(super) struct Shard {
    /// Its place among the shards.
    pub(super) index: usize,
    pub(super) q: Vec<f64>,
    pub(super) v: Vec<f64>,
    pub(super) control: Vec<f64>,
    /// Zeroed by every step.
    pub(super) force: Vec<f64>,
    pub(super) reports: Vec<BatchReport>,
    /// Per group of lanes.
    pub(super) memories: Vec<Memory>,
    /// Per environment, where all are stepped alone.
    alone: Vec<Alone>,
    /// Per environment, if it has numbers of its own.
    fields: Vec<Option<Box<Fields>>>,
    /// The same for lanes, per group.
    numbers: Vec<Option<Vec<Numbers64>>>,
    /// Of a group.
    v_next: Vec<f64>,
    v_by: Vec<f64>,
    one: One,
}

/// Scratch for one environment.
struct One {
    q_next: Vec<f64>,
    q_middle: Vec<f64>,
    v_middle: Vec<f64>,
}

/// What a thread keeps from shard to shard.
#[derive(Default)]
pub(super) struct Worker {
    /// What lanes work in, once they have.
    room: Option<Box<dyn Any + Send>>,
    /// For lanes that give up.
    alone: Option<Box<Alone>>,
}

impl Worker {
    pub(super) fn new(plan: &Plan) -> Result<Self, AloneError> {
        let alone = if plan.obstacle.is_none() { Some(Box::new(Alone::new(plan)?)) } else { None };
        Ok(Self { room: None, alone })
    }
}

impl Shard {
    /// `count` environments at the start.
    pub(super) fn new(plan: &Plan, index: usize, count: usize, width: usize) -> Result<Self, AloneError> {
        let model = &plan.world.model;
        let (nv, nu) = (model.nv(), plan.world.actuators.len());
        let alone = if plan.obstacle.is_some() { count } else { 0 };
        Ok(Self {
            index,
            q: model.neutral().repeat(count),
            v: vec![0.0; nv * count],
            control: vec![0.0; nu * count],
            force: vec![0.0; nv * count],
            reports: vec![BatchReport::none(); count],
            memories: vec![Memory::default(); count.div_ceil(width)],
            alone: (0..alone).map(|_| Alone::new(plan)).collect::<Result<_, _>>()?,
            fields: vec![None; count],
            numbers: vec![None; count.div_ceil(width)],
            v_next: vec![0.0; nv * width],
            v_by: vec![0.0; nv * width],
            one: One { q_next: vec![0.0; model.nq], q_middle: vec![0.0; model.nq], v_middle: vec![0.0; nv] },
        })
    }

    /// The next step of environment i starts cold.
    pub(super) fn forget(&mut self, i: usize, width: usize) {
        if let Some(alone) = self.alone.get_mut(i) {
            alone.forget();
        } else {
            self.memories[i / width].forget(i % width);
        }
    }

    /// What environment i has of its own.
    pub(super) fn fields(&self, i: usize) -> Option<&Fields> {
        self.fields[i].as_deref()
    }

    /// Gives environment i numbers of its own; they are valid.
    pub(super) fn set_fields(&mut self, plan: &Plan, i: usize, width: usize, fields: Fields) {
        if let Some(alone) = self.alone.get_mut(i) {
            alone.take(plan, Some(&fields));
        } else {
            let group = self.numbers[i / width].get_or_insert_with(|| plan.numbers.clone());
            for (lanes, number) in group.iter_mut().zip(fields.numbers(plan)) {
                lanes[i % width] = number;
            }
        }
        self.fields[i] = Some(Box::new(fields));
    }

    /// One step of all.
    pub(super) fn step(&mut self, plan: &Plan, worker: &mut Worker) {
        if plan.obstacle.is_some() {
            self.step_alone(plan);
        } else {
            match plan.settings.precision {
                Precision::Double => self.step_lanes::<F64x4>(plan, worker),
                Precision::Single => self.step_lanes::<F32x8>(plan, worker),
            }
        }
        self.force.fill(0.0);
    }

    fn step_alone(&mut self, plan: &Plan) {
        let model = &plan.world.model;
        let (nq, nv, nu) = (model.nq, model.nv(), plan.world.actuators.len());
        for (i, alone) in self.alone.iter_mut().enumerate() {
            let state = [&mut self.q[i * nq..(i + 1) * nq], &mut self.v[i * nv..(i + 1) * nv]];
            let (control, force) = (&self.control[i * nu..(i + 1) * nu], &self.force[i * nv..(i + 1) * nv]);
            self.reports[i] = alone.step(plan, state, control, force, Path::Alone);
        }
    }

    fn step_lanes<L: Lanes>(&mut self, plan: &Plan, worker: &mut Worker) {
        let Some(alone) = worker.alone.as_deref_mut() else { unreachable!("made with the worker") };
        let model = &plan.world.model;
        let (nq, nv, nu) = (model.nq, model.nv(), plan.world.actuators.len());
        let count = self.reports.len();
        for group in 0..self.memories.len() {
            let first = group * L::WIDTH;
            let here = L::WIDTH.min(count - first);
            let inputs = Inputs {
                q: &self.q[first * nq..(first + here) * nq],
                v: &self.v[first * nv..(first + here) * nv],
                control: &self.control[first * nu..(first + here) * nu],
                force: &self.force[first * nv..(first + here) * nv],
                numbers: self.numbers[group].as_deref(),
            };
            let (memory, mut outcomes) = (&mut self.memories[group], [Outcome::default(); WIDEST]);
            let next = Next { v: &mut self.v_next, by: &mut self.v_by };
            group::step::<L>(plan, &mut worker.room, &inputs, memory, next, &mut outcomes);
            for (lane, outcome) in outcomes[..here].iter().enumerate() {
                self.take(plan, alone, group, [first + lane, lane], outcome);
            }
        }
    }

    /// Takes the step of environment i: what its lane found, or one of its own.
    fn take(
        &mut self,
        plan: &Plan,
        alone: &mut Alone,
        group: usize,
        [i, lane]: [usize; 2],
        outcome: &Outcome,
    ) {
        let model = &plan.world.model;
        let (nq, nv, nu) = (model.nq, model.nv(), plan.world.actuators.len());
        let (q, v) = (&mut self.q[i * nq..(i + 1) * nq], &mut self.v[i * nv..(i + 1) * nv]);
        if !outcome.good {
            let (control, force) = (&self.control[i * nu..(i + 1) * nu], &self.force[i * nv..(i + 1) * nv]);
            let memory = &mut self.memories[group];
            alone.take(plan, self.fields[i].as_deref());
            alone.borrow(plan, memory, lane);
            self.reports[i] = alone.step(plan, [q, v], control, force, Path::FellBack);
            alone.give_back(plan, memory, lane);
            return;
        }
        let here = lane * nv..(lane + 1) * nv;
        let (v_next, by) = (&self.v_next[here.clone()], &self.v_by[here]);
        let one = &mut self.one;
        one.v_middle.copy_from_slice(v);
        integrate_into(model, q, v, 0.5 * plan.h(), &mut one.q_middle);
        v.copy_from_slice(v_next);
        integrate_into(model, &one.q_middle, by, 0.5 * plan.h(), &mut one.q_next);
        for (b, body) in &plan.flying_bodies {
            let own = self.fields[i].as_deref().map(|f| body.with_inertia(&f.inertia[*b]));
            let body = own.unwrap_or(*body);
            body.start_from(q, &mut one.q_next);
            body.fly(&mut one.q_next, &mut one.v_middle, 0.5 * plan.h());
            body.fly(&mut one.q_next, v, 0.5 * plan.h());
            if by[body.idx_v..body.idx_v + 6] != [0.0; 6] {
                body.push(&mut one.q_next, by, plan.h());
            }
        }
        q.copy_from_slice(&one.q_next);
        let report = &mut self.reports[i];
        report.status = StepStatus::Converged;
        report.path = Path::Lane;
        report.residual = outcome.residual;
        report.natural_map = outcome.natural_map;
        report.contacts = outcome.contacts;
        report.penetration = outcome.penetration;
    }
}
