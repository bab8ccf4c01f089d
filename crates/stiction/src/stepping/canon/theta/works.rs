//! The energy ledger of a step of the θ-method.

use super::super::ended::{add_changes, works_of_rows};
use super::super::method::Shared;
use super::super::rows::Rows;
use super::super::search::velocities_into;
use super::laws::ThetaLaw;
use super::{Room, Theta};
use crate::energy_ledger::EnergyLedger;
use crate::stepping::attempt::Step;
use stiction_assembly::BlockKey;
use stiction_assembly::rows::kind::Work;
use stiction_dynamics::MassMatrix;

impl<L: ThetaLaw> Theta<L> {
    /// The ledger of the step, [`crate::energy_ledger`]. Leaves `ahead` at the end of the step.
    pub(super) fn ledger(&mut self, step: &Step<'_>, at: &Shared) -> EnergyLedger {
        let Step { world, input, start: state, h } = *step;
        let Shared { points, rows: Rows { posed, impulses, .. }, q: q_next, v: v_next, .. } = at;
        let (s, share, by_theta) = (h * self.rule.theta, self.rule.share, self.rule.inertial);
        let pushes = !self.rule.lasts; // overlaps, within the step
        let before = self.start.energies(world, (&state.q, &state.v));
        let n = state.v.len();
        let Room { w, difference, change, scratch, along, .. } = &mut self.room;
        let mean: Vec<f64> = state.v.iter().zip(v_next).map(|(v, next)| 0.5 * (v + next)).collect();
        difference.iter_mut().zip(v_next).zip(&*w).for_each(|((x, next), w)| *x = next - w);
        if by_theta {
            self.ahead.inertial_change_into([1.0, s], difference, change);
        } else {
            change.fill(0.0);
        }
        let mut of_actuators = vec![0.0; n];
        self.ahead.add_actuator_change(world, [1.0, s], difference, &mut of_actuators);
        let mut ledger = EnergyLedger::default();
        let (mut inertial, mut springs) = (0.0, 0.0);
        let (a, b) = (&self.ahead.forces, &self.start.forces);
        let inertial_share = if by_theta { share } else { 0.0 };
        for i in 0..n {
            let both = |ahead: &[f64], start: &[f64], share: f64| share * ahead[i] + (1.0 - share) * start[i];
            let (v, x) = (mean[i], difference[i]);
            inertial += v * (h * both(&a.inertial, &b.inertial, inertial_share) + s * change[i]);
            springs += v * (h * both(&a.springs, &b.springs, share) - s * s * self.start.springs[i] * x);
            let damping = h * both(&a.damping, &b.damping, share) - s * self.start.dampers[i] * x;
            ledger.damping += v * (damping - self.added[i] * (x + h * state.v[i]));
            ledger.actuators += v * (h * both(&a.actuators, &b.actuators, share) + s * of_actuators[i]);
            ledger.applied += v * h * input.generalized.get(i).copied().unwrap_or(0.0);
        }
        let rows = works_of_rows(posed, impulses, &state.v, v_next);
        ledger = ledger.followed_by(&rows);
        // What undoes overlaps and errors of loops and couplings pushes until the end of the step.
        velocities_into(posed, v_next, along);
        for (block, what) in posed.blocks.iter().enumerate() {
            let normal = posed.normal_row(block);
            // Rows that turn hold the mean of both velocities.
            let pushed = 0.5 * impulses[normal] * (along[normal] + what.bias.turn);
            let from = match what.key {
                BlockKey::Contact(c) => {
                    if !(pushes && points[c].gap < 0.0) {
                        continue;
                    }
                    &mut ledger.normal
                }
                BlockKey::Row(key) => match key.kind().work() {
                    Work::Constraints => &mut ledger.constraints,
                    Work::Limits | Work::DryFriction | Work::Actuators => continue,
                },
            };
            *from -= pushed;
            ledger.stabilization += pushed;
        }
        let half = |mass: &MassMatrix, v: &[f64], out: &mut Vec<f64>| {
            out.clear();
            out.resize(n, 0.0);
            mass.mul_into(v, out);
            0.5 * v.iter().zip(&*out).map(|(a, b)| a * b).sum::<f64>()
        };
        let moved = half(&self.ahead.mass, v_next, scratch) - half(&self.ahead.mass, &state.v, scratch);
        self.ahead.look(world, q_next, v_next);
        let after = self.ahead.energies(world, (q_next, v_next));
        let carried = add_changes(&mut ledger, before, after);
        ledger.integrator =
            ledger.kinetic - moved + (inertial - carried + ledger.gravity) + (springs + ledger.springs);
        ledger
    }
}
