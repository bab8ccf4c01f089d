//! Derivatives of the rows of joints and tendons: [`LinearRow::row`] at dual
//! numbers, and what turns.
//!
//! ```text
//!     ∂c/∂q_j, ∂c/∂v_j where J v⁺ stays      the biases of a row by q_j and v_j                       (1)
//! ```

use super::LinearizationError;
use super::forces::Forces;
use super::rows::Writer;
use crate::stepping::integrate::tangent::rotation_vector_change;
use nalgebra::DMatrix;
use stiction_assembly::RowKey;
use stiction_assembly::forces::ImplicitForce;
use stiction_assembly::forces::actuators::rotation_vector;
use stiction_assembly::forces::tendons::{law, length_and_rate};
use stiction_assembly::laws::actuator::Effort;
use stiction_assembly::row_key::CouplingRow;
use stiction_assembly::rows::kind::RowKind;
use stiction_assembly::rows::kind::{At, LinearRow};
use stiction_assembly::rows::{LinearTask, run_linear};
use stiction_dynamics::spatial::vec3;
use stiction_dynamics::{Dual, JointKind};

/// Writes the biases of a row whose direction is constant.
struct Biases<'a, 'b> {
    writer: &'a mut Writer<'b>,
    block: usize,
}

impl LinearTask for Biases<'_, '_> {
    type Output = Result<(), LinearizationError>;

    fn run<K: LinearRow>(self, row: K) -> Self::Output {
        self.writer.biases(self.block, row)
    }
}

impl Writer<'_> {
    /// A row of joints, tendons or loops.
    pub(super) fn row(
        &mut self,
        block: usize,
        key: RowKey,
        force: &mut DMatrix<f64>,
    ) -> Result<(), LinearizationError> {
        let Forces { world, accepted, .. } = *self.forces;
        let row = accepted.posed.problem.range(block).start;
        let lambda = self.at.impulses[row];
        // At the instant of an impact gaps ask for nothing.
        let instant = accepted.facts.rows.is_instant();
        if let RowKey::Limit(of) = key {
            if world.model.joints[of.joint].kind == JointKind::Ball {
                if self.forces.middle.is_some() {
                    return Err(LinearizationError::Row(key.kind().words(world)));
                }
                self.ball_limit(row, of.joint, self.at.biases && !instant, force);
                return Ok(());
            }
            if instant {
                return Ok(());
            }
        }
        if let RowKey::ImplicitForce(ImplicitForce::Actuator(i)) = key {
            self.actuator(row, i, lambda);
            return Ok(());
        }
        let in_middle = self.forces.middle.is_some() && self.at.biases;
        if let (RowKey::ImplicitForce(ImplicitForce::Tendon(i)), true) = (key, in_middle) {
            self.tendon(row, i, lambda);
            return Ok(());
        }
        if let (RowKey::Coupling(of), true) = (key, in_middle) {
            return self.turning_coupling(block, of);
        }
        let turns = || Err(LinearizationError::Row(key.kind().words(world)));
        run_linear(key, Biases { writer: self, block }).unwrap_or_else(turns)?;
        if let RowKey::Coupling(of) = key {
            self.curve(row, of.index, lambda, force);
        }
        Ok(())
    }

    /// (1) of a row whose direction is constant.
    fn biases(&mut self, block: usize, of: impl LinearRow) -> Result<(), LinearizationError> {
        if !self.at.biases {
            return Ok(());
        }
        let Forces { world, start, accepted, .. } = *self.forces;
        let (facts, bias) = (&accepted.facts, accepted.posed.blocks[block].bias);
        let row = accepted.posed.problem.range(block).start;
        let feedback = accepted.posed.choice().feedback;
        let numbers = |x: &[f64]| x.iter().map(|x| Dual::<2>::constant(*x)).collect::<Vec<_>>();
        let (mut q, mut v, free_velocity) =
            (numbers(&start.q), numbers(accepted.v), numbers(accepted.v_free));
        let in_middle = self.forces.middle.is_some();
        let lasts = accepted.posed.rolling.iter().any(|r| r.block == block && r.lasts);
        let (params, q_of_dof) = (facts.rows.cast(Dual::constant(0.0)), facts.q_of_dof);
        let model = self.model.get_or_insert_with(|| world.model.cast(Dual::constant(0.0)));
        for (dof, _) in of.terms(world).entries() {
            (q[q_of_dof[dof]].tangent[0], v[dof].tangent[1]) = (1.0, 1.0);
            if in_middle {
                q[q_of_dof[dof]].tangent[1] = -0.5 * self.forces.h; // of the start, where the middle stays
            }
            let at = At {
                params,
                q: &q,
                v: &v,
                free_velocity: &free_velocity,
                start: in_middle.then_some(&q[..]),
                lasts,
                q_of_dof,
                model,
                laws: &[],
                efforts: &[],
                tendons: None,
            };
            let change = of.row(world, &at);
            if (change.gap.value - bias.gap).abs() > 1e-9 * (1.0 + bias.gap.abs()) {
                return Err(LinearizationError::Row(of.words(world)));
            }
            let [by_q, by_v] = [0, 1].map(|k| change.gap.tangent[k] + feedback * change.feedback.tangent[k]);
            let at_q = (row, self.columns.q(dof));
            self.out.velocity[at_q] += by_q;
            let at_v = (row, self.columns.v(dof));
            self.out.velocity[at_v] += by_v;
            self.out.correction[at_q] += change.correction.tangent[0];
            self.out.correction[at_v] += change.correction.tangent[1];
            if change.error.tangent[0] != 0.0 {
                self.out.gap[at_q] += change.error.tangent[0];
                self.out.gap[at_v] += change.error.tangent[1];
                self.out.bias[at_q] += by_q;
            }
            (q[q_of_dof[dof]].tangent, v[dof].tangent[1]) = ([0.0; 2], 0.0);
        }
        Ok(())
    }

    /// An actuator that is a row, (3) of [`stiction_assembly::laws::actuator`].
    fn actuator(&mut self, row: usize, index: usize, lambda: f64) {
        if !self.at.biases {
            return;
        }
        let Forces { world, accepted, h, .. } = *self.forces;
        let a = &world.actuators[index];
        let change = self.forces.effort_change(index, a, self.mass);
        let Effort { start, implicit } = accepted.facts.servos.of(index).0;
        let effort = Effort { start: Dual::<2>::variable(start, 0), implicit: Dual::variable(implicit, 1) };
        let of = effort.row(Dual::constant(0.0), Dual::constant(h));
        for (j, x) in change.start.iter().enumerate() {
            self.out.velocity[(row, j)] += of.g.tangent[0] * x;
        }
        for (j, x) in change.implicit.iter().enumerate() {
            self.out.velocity[(row, j)] += (of.g.tangent[1] + lambda * of.compliance.tangent[1]) * x;
        }
        for &(dof, c) in &a.transmission {
            self.out.velocity[(row, self.columns.v(dof))] -= c;
        }
    }

    /// A tendon that pulls, in a step that is posed in its middle.
    fn tendon(&mut self, row: usize, index: usize, lambda: f64) {
        let Forces { world, accepted, h, start, columns, .. } = *self.forces;
        let tendon = &world.tendons[index];
        let share = self.forces.share(tendon.terms(), h * tendon.damping, self.mass, &[]);
        let (length, rate) = length_and_rate(tendon.terms(), &start.q, &start.v, accepted.facts.q_of_dof);
        let x = Dual::<3>::variable;
        let law = law(tendon).cast(Dual::constant(0.0));
        let effort = law.effort_at_share(x(length, 0), x(rate, 1), Dual::constant(h), x(share.theta, 2));
        let of = effort.row(Dual::constant(0.0), Dual::constant(h));
        let by = |k: usize| of.g.tangent[k] + lambda * of.compliance.tangent[k];
        for &(dof, c) in tendon.terms() {
            let velocity = &mut self.out.velocity;
            self.forces.by_start(dof, c * by(0), |column, x| velocity[(row, column)] += x);
            velocity[(row, columns.v(dof))] += c * (by(1) - 1.0);
        }
        for (j, x) in share.change.iter().enumerate() {
            self.out.velocity[(row, j)] += by(2) * x;
        }
    }

    /// A coupling that holds the mean velocity of a step that is posed in its middle ([`stiction_assembly::turning`]).
    fn turning_coupling(&mut self, block: usize, of: CouplingRow) -> Result<(), LinearizationError> {
        let Forces { world, accepted, h, start, columns, .. } = *self.forces;
        let coupling = &world.couplings[of.index];
        if coupling.curve.is_some() {
            return Err(LinearizationError::Row(of.words(world)));
        }
        let row = accepted.posed.problem.range(block).start;
        let (facts, feedback) = (&accepted.facts, accepted.posed.choice().feedback);
        let (length, _) = length_and_rate(&coupling.terms, &start.q, &start.v, facts.q_of_dof);
        let error = length - coupling.offset;
        let fast = (error / h).abs() > facts.rows.correction_speed;
        for &(dof, c) in &coupling.terms {
            let velocity = &mut self.out.velocity;
            let by_error = if fast { 0.0 } else { feedback * c / h };
            self.forces.by_start(dof, by_error, |column, x| velocity[(row, column)] += x);
            velocity[(row, columns.v(dof))] += c * (1.0 - 0.5 * feedback);
            self.forces.by_start(dof, c, |column, x| self.out.gap[(row, column)] += x);
        }
        Ok(())
    }

    /// The range of a ball joint, whose direction turns.
    fn ball_limit(&mut self, row: usize, joint: usize, biases: bool, force: &mut DMatrix<f64>) {
        let joint = &self.forces.world.model.joints[joint];
        let (first, lambda) = (joint.idx_v, self.at.impulses[row]);
        let most = joint.limit.map_or(f64::INFINITY, |[_, most]| most);
        let turn = rotation_vector(&self.forces.start.q[joint.idx_q..]);
        let one = |x: f64| Dual::<1>::variable(x, 0);
        let bias = self.forces.accepted.facts.rows.cast(one(0.0)).gap_bias(one(most - turn.norm()));
        let asks = f64::from(u8::from(biases));
        let Some(axis) = turn.normalized() else { return };
        let by_q = rotation_vector_change(turn);
        let w = [0, 1, 2].map(|k| self.at.v[first + k]);
        for l in 0..3 {
            let dr = vec3(by_q[0][l], by_q[1][l], by_q[2][l]);
            let rate = axis.dot(dr);
            let d_axis = (dr - axis * rate) * (1.0 / turn.norm());
            let column = self.columns.q(first + l);
            self.out.velocity[(row, column)] += -d_axis.dot(w.into()) - asks * bias.gap.tangent[0] * rate;
            self.out.correction[(row, column)] -= asks * bias.correction.tangent[0] * rate;
            self.out.gap[(row, column)] -= asks * rate;
            self.out.bias[(row, column)] -= asks * bias.gap.tangent[0] * rate;
            for (k, x) in d_axis.to_array().into_iter().enumerate() {
                force[(first + k, column)] -= x * lambda;
            }
        }
    }

    /// The curve p of a coupling Σ c q = d + p(Σ c' q − z₀), of joints that nothing turns.
    fn curve(&mut self, row: usize, index: usize, lambda: f64, force: &mut DMatrix<f64>) {
        let Forces { world, start, accepted, .. } = *self.forces;
        let Some(curve) = &world.couplings[index].curve else { return };
        let q_of_dof = accepted.facts.q_of_dof;
        let feedback = if self.at.biases { accepted.posed.choice().feedback } else { 0.0 };
        let rows = accepted.facts.rows.cast(Dual::<1>::constant(0.0));
        let share = feedback * rows.coupling_bias(Dual::variable(0.0, 0)).tangent[0];
        let z: f64 =
            curve.terms.iter().map(|&(d, c)| c * start.q[q_of_dof[d]]).sum::<f64>() - curve.reference;
        let (slope, bend) = (curve.at(z).1, curve.bend(z));
        let rate: f64 = curve.terms.iter().map(|&(d, c)| c * self.at.v[d]).sum();
        for &(dof, c) in &curve.terms {
            let column = self.columns.q(dof);
            self.out.velocity[(row, column)] -= c * (share * slope + bend * rate);
            if self.at.biases {
                self.out.gap[(row, column)] -= c * slope;
                self.out.bias[(row, column)] -= c * share * slope;
            }
            for &(d, e) in &curve.terms {
                force[(d, column)] -= lambda * bend * c * e;
            }
        }
    }
}
