//! Where a step of one group starts, where it is posed, and where it leads.

use super::Numbers64;
use super::free::{Start, fly};
use super::plan::Plan;
use stiction_dynamics::{Model, Real, integrate_into, lanes};

/// States and inputs of the environments of one group, one after another.
pub(super) struct Inputs<'a> {
    pub(super) q: &'a [f64],
    pub(super) v: &'a [f64],
    pub(super) control: &'a [f64],
    pub(super) force: &'a [f64],
    /// Numbers of their own, if they have any.
    pub(super) numbers: Option<&'a [Numbers64]>,
}

/// Where a step starts, where it is posed, and where it leads; its inputs.
pub(super) struct States<T> {
    pub(super) q: Vec<T>,
    pub(super) v: Vec<T>,
    pub(super) q_middle: Vec<T>,
    pub(super) v_middle: Vec<T>,
    pub(super) v_next: Vec<T>,
    /// By which everything moves.
    pub(super) v_by: Vec<T>,
    pub(super) control: Vec<T>,
    pub(super) force: Vec<T>,
    /// Mean forces of the constraints in the last step.
    pub(super) last_forces: Vec<T>,
}

impl<T: Real> States<T> {
    pub(super) fn new(kind: T, plan: &Plan) -> Self {
        let model = &plan.world.model;
        let (q, v) = (vec![kind; model.nq], vec![kind; model.nv()]);
        Self {
            q_middle: q.clone(),
            v_middle: v.clone(),
            v_next: v.clone(),
            v_by: v.clone(),
            control: vec![kind; plan.world.actuators.len()],
            force: v.clone(),
            last_forces: v.clone(),
            q,
            v,
        }
    }

    #[inline(always)]
    pub(super) fn gather(&mut self, kind: T, inputs: &Inputs<'_>) {
        for (x, all) in [
            (&mut self.q, inputs.q),
            (&mut self.v, inputs.v),
            (&mut self.control, inputs.control),
            (&mut self.force, inputs.force),
        ] {
            let n = x.len();
            for (i, x) in x.iter_mut().enumerate() {
                *x = lanes::gather(kind, all, i, n);
            }
        }
    }

    /// Moves by half a step to the middle.
    #[inline(always)]
    pub(super) fn pose(&mut self, plan: &Plan, model: &Model<T>, kind: T) {
        self.v_middle.copy_from_slice(&self.v);
        let half = 0.5 * plan.h();
        integrate_into(model, &self.q, &self.v, kind.like(half), &mut self.q_middle);
        for (_, body) in &plan.flying_bodies {
            let pose = body.idx_q..body.idx_q + 7;
            self.q_middle[pose.clone()].copy_from_slice(&self.q[pose]);
        }
        fly(plan, model, [&mut self.q_middle, &mut self.v_middle], half);
    }

    /// Finds the velocities by which everything moves from the middle; `correction` takes out position errors.
    #[inline(always)]
    pub(super) fn advance(&mut self, plan: &Plan, kind: T, correction: Option<&[T]>) {
        let v_by = &mut self.v_by;
        v_by.copy_from_slice(&self.v_next);
        for (v, more) in v_by.iter_mut().zip(correction.unwrap_or(&[])) {
            *v += kind.like(2.0) * *more;
        }
        for (_, body) in &plan.flying_bodies {
            let own = body.idx_v..body.idx_v + 6;
            match correction {
                Some(correction) => v_by[own.clone()].copy_from_slice(&correction[own]),
                None => v_by[own].fill(kind),
            }
        }
    }

    #[inline(always)]
    pub(super) fn start(&self) -> Start<'_, T> {
        Start {
            q: &self.q,
            v: &self.v,
            q_middle: &self.q_middle,
            v_middle: &self.v_middle,
            control: &self.control,
            force: &self.force,
            last_forces: &self.last_forces,
        }
    }
}
