//! The velocity without constraint impulses: (1) and (2) of [`super`].

use super::fast::Here;
use super::{Input, TimeStepper};
use crate::State;
use crate::actuation;
use crate::gyroscopic::midpoint_moment;
use crate::tendons::pulls;
use stiction_dynamics::{bias_into, crba_into, lanes};
use stiction_models::{Actuator, World};

impl TimeStepper {
    /// (1), (2) and the actuators.
    pub(super) fn free_motion(&mut self, world: &World, state: &State, input: &Input) -> Result<(), String> {
        let (model, h) = (&world.model, self.params.dt);
        let Self { kin, middle, vel, rnea, tau, crba, mass, fast, factor, .. } = self;
        let kin = middle.or(kin);
        lanes::plain(
            #[inline(always)]
            || {
                vel.update(model, kin, &state.v);
                bias_into(model, kin, vel, rnea, tau);
                crba_into(model, kin, crba, mass);
            },
        );
        let here = Here { kin, q: middle.q_or(&state.q), v: &state.v, h, mass };
        fast.hold(model, &here, (rnea, factor), tau);
        for &b in self.free_bodies.iter().filter(|&&b| kin.selects(model.bodies[b].tree)) {
            let i = model.bodies[b].dofs.start + 3;
            let moment = midpoint_moment(&model.bodies[b].inertia.about_com(), &state.v[i..i + 3], h);
            self.tau[i..i + 3].iter_mut().zip(moment.to_array()).for_each(|(t, m)| *t += m);
        }
        self.tau.iter_mut().for_each(|t| *t = -*t);
        self.tau.iter_mut().zip(&input.generalized).for_each(|(t, f)| *t += f);
        self.carried.add(world, kin, &mut self.tau);
        self.pulls.clear();
        let Self { mass, means, tau, diagonal, .. } = self;
        let trapezoidal = self.trapezoidal;
        let mut theta = |along: &[(usize, f64)], gain: [f64; 2]| {
            if trapezoidal { means.share(along, gain, mass) } else { 1.0 }
        };
        diagonal.fill(0.0);
        let of_joint = |dof: usize, gain: [f64; 2]| theta(&[(dof, 1.0)], gain);
        actuation::add_passive(model, state, h, of_joint, tau, diagonal);
        let of_servo =
            |a: &Actuator| theta(&a.transmission, [-h * a.law.bias_velocity, -h * h * a.law.bias_length]);
        self.servos.evaluate(world, input, state, &self.q_of_dof, h, of_servo);
        self.pulls.extend(self.servos.rows());
        self.pulls.extend(pulls(world, state, &self.q_of_dof, h));
        for i in kin.selected_dofs().iter().cloned().flatten() {
            self.mass.add_diagonal(i, self.diagonal[i]);
        }
        for still in self.sleepers.dofs() {
            self.tau[still.clone()].fill(0.0);
        }
        self.solve_free(world, state)?;
        // Efforts beyond their limit stay there: one more solve without their gains.
        if self.servos.saturate(&state.v, &self.v_free, h, &mut self.mass) {
            self.factor_and_solve(world, state)?;
        }
        Ok(())
    }

    /// Adds the gains of single-dof actuators to M̂, then solves (2).
    fn solve_free(&mut self, world: &World, state: &State) -> Result<(), String> {
        self.servos.add_gains(self.params.dt, &mut self.mass);
        self.factor_and_solve(world, state)
    }

    fn factor_and_solve(&mut self, world: &World, state: &State) -> Result<(), String> {
        let (model, h) = (&world.model, self.params.dt);
        let Self { factor, mass, v_free, .. } = self;
        let factored = lanes::plain(
            #[inline(always)]
            || factor.factor(mass),
        );
        factored.map_err(|e| {
            let joint = &model.joints[model.dofs[e.dof].joint].name;
            format!("the mass matrix is not positive definite at joint `{joint}`")
        })?;
        v_free.copy_from_slice(&self.tau);
        self.servos.add_efforts(&world.actuators, v_free);
        v_free.iter_mut().for_each(|t| *t *= h);
        lanes::plain(
            #[inline(always)]
            || factor.solve_in_place(v_free),
        );
        self.dv_free.copy_from_slice(&self.v_free);
        self.v_free.iter_mut().zip(&state.v).for_each(|(f, v)| *f += v);
        if let Some(dof) = self.v_free.iter().position(|v| !v.is_finite()) {
            let joint = &model.joints[model.dofs[dof].joint].name;
            return Err(format!("the free velocity of joint `{joint}` is {}", self.v_free[dof]));
        }
        Ok(())
    }
}
