//! The forces of a step of the θ-method: (3) or (4) of [`super`] about a velocity w, and what of them depends
//! on v⁺ − w.

use super::super::mechanics::Mechanics;
use super::super::method::Shared;
use super::laws::ThetaLaw;
use super::{Room, Theta};
use crate::stepping::attempt::Step;
use stiction_dynamics::integrate_into;

impl<L: ThetaLaw> Theta<L> {
    /// Forces and mass matrix about w.
    pub(super) fn linearise(&mut self, step: &Step<'_>) {
        let Step { world, input, start: state, h } = *step;
        let (theta, within) = (self.rule.theta, self.rule.within);
        let Room { q_ahead, w, scratch, .. } = &mut self.room;
        scratch.clear();
        scratch.extend(state.v.iter().zip(&*w).map(|(v, w)| theta * w + (1.0 - theta) * v));
        integrate_into(&world.model, &state.q, scratch, if within { theta * h } else { h }, q_ahead);
        let v_ahead = if within { &*scratch } else { &*w };
        self.ahead.look(world, q_ahead, v_ahead);
        self.ahead.find_forces(world, (q_ahead, v_ahead), &input.control);
        if self.rule.inertial {
            self.ahead.find_mass(world);
            self.ahead.find_derivatives(world, v_ahead);
        } else {
            self.ahead.mass.set_to(&self.start.mass);
        }
    }

    /// S, its factor, and the momentum that v⁺ = w is short of.
    pub(super) fn find_base(&mut self, step: &Step<'_>, at: &mut Shared) -> Result<(), String> {
        let Step { world, input, start: state, h } = *step;
        let (s, share) = (h * self.rule.theta, self.rule.share);
        let Room { w, implicit, base, scratch, .. } = &mut self.room;
        implicit.iter_mut().enumerate().for_each(|(i, x)| {
            *x = s * (self.start.dampers[i] + s * self.start.springs[i]);
        });
        for (k, a) in world.actuators.iter().enumerate() {
            if let ([(dof, c)], false) = (&a.transmission[..], self.ahead.forces.at_limit[k]) {
                let gain = -s * self.ahead.actuator_gain(k, [1.0, s]) * c * c;
                implicit[*dof] += gain.max(0.0);
            }
        }
        if let Some(share) = L::damping_inertia(&at.params.canon) {
            for (i, added) in self.added.iter_mut().enumerate() {
                *added = share * self.start.mass.diagonal(i);
                implicit[i] += *added;
            }
        }
        let (mass, factor) = (&mut at.rows.mass, &mut at.rows.factor);
        mass.set_to(&self.ahead.mass);
        implicit.iter().enumerate().for_each(|(i, x)| mass.add_diagonal(i, *x));
        factor.factor(mass).map_err(|e| format!("the mass matrix: {e}"))?;
        // −M̃ (w − v) + h Σ f − h B v.
        scratch.clear();
        scratch.extend(w.iter().zip(&state.v).map(|(w, v)| v - w));
        self.ahead.mass.mul_into(scratch, base);
        let (a, b) = (&self.ahead.forces, &self.start.forces);
        let inertial_share = if self.rule.inertial { share } else { 0.0 };
        for (i, base) in base.iter_mut().enumerate() {
            let mean = |ahead: &[f64], start: &[f64], share: f64| share * ahead[i] + (1.0 - share) * start[i];
            let given = input.generalized.get(i).copied().unwrap_or(0.0);
            *base += h
                * (mean(&a.inertial, &b.inertial, inertial_share)
                    + mean(&a.springs, &b.springs, share)
                    + mean(&a.damping, &b.damping, share)
                    + mean(&a.actuators, &b.actuators, share)
                    + given
                    - self.added[i] * state.v[i]);
        }
        Ok(())
    }

    /// Finds the part of the linearised forces that depends on v⁺ − w beyond the diagonal, into `change`.
    /// False if there is no such thing.
    pub(super) fn find_change(&mut self, step: &Step<'_>, v_next: &[f64]) -> bool {
        let (world, by_theta, s) = (step.world, self.rule.inertial, step.h * self.rule.theta);
        let several = world.actuators.iter().any(|a| a.transmission.len() > 1)
            || (0..world.actuators.len()).any(|i| self.ahead.actuator_gain(i, [1.0, s]) > 0.0);
        if !by_theta && !several {
            return false;
        }
        let Room { w, implicit, change, difference, scratch, .. } = &mut self.room;
        difference.iter_mut().zip(v_next).zip(&*w).for_each(|((x, next), w)| *x = next - w);
        if by_theta {
            self.ahead.inertial_change_into([1.0, s], difference, change);
        } else {
            change.fill(0.0);
        }
        scratch.clear();
        scratch.resize(change.len(), 0.0);
        self.ahead.add_actuator_change(world, [1.0, s], difference, scratch);
        let Mechanics { springs, dampers, .. } = &self.start;
        for (i, change) in change.iter_mut().enumerate() {
            let x = difference[i];
            *change = s * (*change + scratch[i] - (dampers[i] + s * springs[i]) * x) - self.added[i] * x
                + implicit[i] * x;
        }
        true
    }

    /// Efforts at the end of the step; true if one is found to be at its limit that was not.
    pub(super) fn reaches_limits(&mut self, step: &Step<'_>, at: &mut Shared) -> bool {
        let (theta, share) = (self.rule.theta, self.rule.share);
        let s = step.h * theta;
        let Self { ahead, start, room: Room { w, .. }, .. } = self;
        let Shared { efforts, v: v_next, .. } = at;
        let mut found = false;
        for (i, a) in step.world.actuators.iter().enumerate() {
            let change: f64 = a.transmission.iter().map(|&(d, c)| c * (v_next[d] - w[d])).sum();
            let mut effort = ahead.forces.efforts[i];
            if !ahead.forces.at_limit[i] {
                effort += theta / share * ahead.actuator_gain(i, [1.0, s]) * change;
                if let Some([lo, hi]) = a.effort_limit
                    && !(lo..=hi).contains(&effort)
                {
                    let limit = effort.clamp(lo, hi);
                    a.transmission.iter().for_each(|&(dof, c)| {
                        ahead.forces.actuators[dof] += c * (limit - ahead.forces.efforts[i]);
                    });
                    (ahead.forces.efforts[i], ahead.forces.at_limit[i]) = (limit, true);
                    found = true;
                }
            }
            efforts[i] = share * effort + (1.0 - share) * start.forces.efforts[i];
        }
        found
    }
}
