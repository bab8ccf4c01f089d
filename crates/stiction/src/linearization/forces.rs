//! Derivatives of what moves a step without constraint impulses.
//!
//! The velocity at the end of a step obeys, with Δ = v⁺ − v and M̂ = M + h k,
//!
//! ```text
//!     M Δ + h k Δ − h (τ − b) − Jᵀλ = 0                                                            (1)
//!     M̂ δv⁺ = M̂ δv − h ∂(M a + b)/∂(q, v) − δ(h k) Δ + h δτ + δ(Jᵀ) λ + Jᵀ δλ,   a = Δ/h            (2)
//! ```
//!
//! ∂(M a + b) is that of inverse dynamics at the acceleration of the step. This file writes all of (2) but
//! the last two terms.

use super::columns::Columns;
use super::middle::Middle;
use super::parameter::Parameter;
use crate::input::Input;
use crate::state::State;
use crate::stepping::Accepted;
use crate::stepping::integrate::tangent::spring_stretch_change;
use nalgebra::DMatrix;
use stiction_assembly::forces::actuators;
use stiction_assembly::forces::tendons::length_and_rate;
use stiction_assembly::laws::actuator::AffineActuator;
use stiction_assembly::laws::gyroscopic::midpoint_moment;
use stiction_dynamics::spatial::{Force, vec3};
use stiction_dynamics::{
    Accelerations, ColumnRates, Dual, JointKind, Kinematics, MassMatrix, Model, Regressor, RneaDerivatives,
    Velocities,
};
use stiction_world::{Actuator, World};

/// A step, as far as its forces go.
#[derive(Clone, Copy)]
pub(super) struct Forces<'a> {
    pub(super) world: &'a World,
    pub(super) start: &'a State,
    pub(super) input: &'a Input,
    pub(super) h: f64,
    pub(super) accepted: &'a Accepted<'a>,
    /// Where the step is posed; the stepper's may be of its end.
    pub(super) kin: &'a Kinematics,
    pub(super) columns: Columns,
    /// v⁺ − v.
    pub(super) change: &'a [f64],
    pub(super) parameters: &'a [Parameter],
    /// The middle of a step that is posed there: columns of q and v are those of the middle, where `kin` is.
    pub(super) middle: Option<&'a Middle<'a>>,
}

/// θ of a spring, damper or servo, and its derivative; the latter is empty where θ does not change.
pub(super) struct Share {
    pub(super) theta: f64,
    pub(super) change: Vec<f64>,
}

impl Forces<'_> {
    /// The right-hand side of (2), nv rows, and M.
    pub(super) fn right_hand_side(&self) -> (DMatrix<f64>, MassMatrix) {
        let mut out = self.columns.zeros(self.columns.nv);
        self.add_momentum(&mut out);
        let mass = self.add_inverse_dynamics(&mut out);
        self.add_gyroscopic(&mut out);
        self.add_carried_weight(&mut out);
        self.add_passive(&mass, &mut out);
        self.add_actuators(&mass, &mut out);
        self.add_gains(&mass, &mut out);
        (out, mass)
    }

    /// Adds M̂ δv.
    pub(super) fn add_momentum(&self, out: &mut DMatrix<f64>) {
        let (columns, nv, mass) = (self.columns, self.columns.nv, self.accepted.mass.to_dense());
        for (i, j) in (0..nv).flat_map(|i| (0..nv).map(move |j| (i, j))) {
            out[(i, columns.v(j))] += mass[i * nv + j];
        }
    }

    /// −∂M̂ y of velocities y, which springs and servos whose θ changes are part of.
    pub(super) fn inertia_change(&self, mass: &MassMatrix, y: &[f64]) -> DMatrix<f64> {
        let mut out = self.mass_change(y);
        let shorter: Forces<'_> = *self;
        Forces { change: y, ..shorter }.add_gains(mass, &mut out);
        out
    }

    /// −∂M y of velocities y.
    pub(super) fn mass_change(&self, y: &[f64]) -> DMatrix<f64> {
        let (nv, kin) = (self.columns.nv, self.kin);
        let mut out = self.columns.zeros(nv);
        let still = vec![0.0; nv];
        let [moved, rest] = [y, &still].map(|a| inverse_dynamics(&self.world.model, kin, &still, a));
        for i in 0..nv {
            let by = |j: usize| rest.tau_q[i * nv + j] - moved.tau_q[i * nv + j];
            self.by_position(by, |column, x| out[(i, column)] += x);
        }
        self.add_inertial(&still, y, [-1.0, 1.0], &mut out);
        out
    }

    /// −h ∂(M a + b); M, without what is implicit.
    fn add_inverse_dynamics(&self, out: &mut DMatrix<f64>) -> MassMatrix {
        let (columns, h) = (self.columns, self.h);
        let kin = self.kin;
        let a: Vec<f64> = self.change.iter().map(|x| x / h).collect();
        let (v, share) = self.coriolis();
        let derivatives = inverse_dynamics(&self.world.model, kin, v, &a);
        for (i, j) in (0..columns.nv).flat_map(|i| (0..columns.nv).map(move |j| (i, j))) {
            out[(i, columns.v(j))] -= share * h * derivatives.tau_v[i * columns.nv + j];
        }
        for i in 0..columns.nv {
            let by = |j: usize| -h * derivatives.tau_q[i * columns.nv + j];
            self.by_position(by, |column, x| out[(i, column)] += x);
        }
        derivatives.M
    }

    /// The velocities of which Coriolis forces are, and the share of them that is of the start.
    pub(super) fn coriolis(&self) -> (&[f64], f64) {
        self.middle.map_or((&self.start.v, 1.0), |middle| (middle.posed.mean, 0.5))
    }

    /// M̂ and the part of h ∂b that is of v⁺, of a step whose Coriolis forces are of the mean velocity.
    pub(super) fn turning_mass(&self) -> Option<DMatrix<f64>> {
        let (nv, (v, share)) = (self.columns.nv, self.coriolis());
        let middle = self.middle?;
        let still = vec![0.0; nv];
        let by_v = inverse_dynamics(&self.world.model, self.kin, v, &still).tau_v;
        let mass = self.accepted.mass.to_dense();
        let model = &self.world.model;
        let moves = |dof: usize| middle.takes(model.bodies[model.dofs[dof].body].tree);
        Some(DMatrix::from_fn(nv, nv, |i, j| match moves(i) && moves(j) {
            true => mass[i * nv + j] + share * self.h * by_v[i * nv + j],
            false => f64::from(u8::from(i == j)),
        }))
    }

    /// Calls `add` with every column and what is in it of a derivative `by` the tangent of the positions
    /// where M and b are.
    fn by_position(&self, by: impl Fn(usize) -> f64, mut add: impl FnMut(usize, f64)) {
        (0..self.columns.nv).for_each(|j| add(self.columns.q(j), by(j)));
    }

    /// Calls `add` with the columns, and x times the entries, by which coordinate `dof` of q at the start of the step changes.
    pub(super) fn by_start(&self, dof: usize, x: f64, mut add: impl FnMut(usize, f64)) {
        match self.middle {
            Some(middle) => middle.start_by_middle(dof, self.columns, |column, by| add(column, x * by)),
            None => add(self.columns.q(dof), x),
        }
    }

    /// Whether body `b` is posed in the middle of the step.
    pub(super) fn is_posed_in_middle(&self, b: usize) -> bool {
        self.middle.is_some_and(|m| m.takes(self.world.model.bodies[b].tree))
    }

    /// Free bodies alone in their trees take their gyroscopic moment at the middle of the step.
    fn add_gyroscopic(&self, out: &mut DMatrix<f64>) {
        let (model, v) = (&self.world.model, &self.start.v);
        for &b in self.accepted.facts.gyroscopic.iter().filter(|b| !self.is_posed_in_middle(**b)) {
            let first = model.bodies[b].dofs.start + 3;
            let omega = std::array::from_fn::<_, 3, _>(|k| Dual::<3>::variable(v[first + k], k));
            let inertia = model.bodies[b].inertia.about_com().cast(omega[0]);
            let moment =
                midpoint_moment(&inertia, vec3(omega[0], omega[1], omega[2]), Dual::constant(self.h));
            for (k, m) in [moment.x, moment.y, moment.z].into_iter().enumerate() {
                for (l, by) in m.tangent.into_iter().enumerate() {
                    out[(first + k, self.columns.v(first + l))] -= self.h * by;
                }
            }
        }
    }

    /// Carried weight, forces f in the world at points of bodies: ∂(S_i · (r × f, f))/∂q_j = (S_j × S_i) · (r
    /// × f, f) + S_i · (∂r × f, 0), the first where j moves the axis i.
    fn add_carried_weight(&self, out: &mut DMatrix<f64>) {
        let (model, kin) = (&self.world.model, self.kin);
        for (body, p, f) in self.accepted.facts.gravity_compensation.forces(kin) {
            let arm = p - kin.reference[model.bodies[body].tree];
            let wrench = Force::new(arm.cross(f), f) * self.h;
            let tip = model.bodies[body].dofs.clone().next_back();
            let chain: Vec<_> = std::iter::successors(tip, |&d| model.dofs[d].parent).collect();
            for &i in &chain {
                let by = |j: usize| {
                    if !chain.contains(&j) {
                        return 0.0;
                    }
                    let moved = kin.S[j].linear_at(arm).cross(f) * self.h;
                    let turned =
                        if j < end_of_motion(model, i) { kin.S[j].cross(kin.S[i]).dot(wrench) } else { 0.0 };
                    turned + kin.S[i].angular.dot(moved)
                };
                self.by_position(by, |column, x| out[(i, column)] += x);
            }
        }
    }

    /// Springs and dampers of joints.
    fn add_passive(&self, mass: &MassMatrix, out: &mut DMatrix<f64>) {
        let (model, h, columns) = (&self.world.model, self.h, self.columns);
        let (q, v) = (&self.start.q, &self.start.v);
        for (i, dof) in model.dofs.iter().enumerate().filter(|(_, dof)| dof.damping > 0.0) {
            out[(i, columns.v(i))] -= h * dof.damping;
            self.columns_of(Parameter::JointDamping { dof: i }, |p| out[(i, p)] -= h * v[i]);
        }
        for (number, joint) in model.springs() {
            let (first, n, stiffness) = (joint.idx_v, joint.kind.nv(), joint.stiffness);
            let q = &q[joint.idx_q..];
            let (displacement, displacement_q) = (joint.spring_stretch(q), spring_stretch_change(joint, q));
            let parameter = Parameter::JointStiffness { joint: number };
            for k in 0..n {
                let i = first + k;
                let share = self.spring_share(i, mass);
                for l in 0..n {
                    let by_q = -h * stiffness * displacement_q[k][l];
                    self.by_start(first + l, by_q, |column, x| out[(i, column)] += x);
                }
                let part = share.theta * h;
                out[(i, columns.v(i))] -= h * stiffness * part;
                add_scaled(out, i, -h * h * stiffness * v[i], &share.change);
                self.columns_of(parameter, |p| out[(i, p)] -= h * (displacement[k] + part * v[i]));
            }
        }
    }

    /// `moving` Y(q, v, a) δπ + `rest` Y(q, 0, 0) δπ, in the columns of inertial parameters.
    pub(super) fn add_inertial(
        &self,
        v: &[f64],
        a: &[f64],
        [moving, rest]: [f64; 2],
        out: &mut DMatrix<f64>,
    ) {
        let (model, columns) = (&self.world.model, self.columns);
        let changes: Vec<_> =
            self.parameters.iter().enumerate().filter_map(|(p, x)| Some((p, x.inertial(model)?))).collect();
        if changes.is_empty() {
            return;
        }
        let kin = self.kin;
        let still = vec![0.0; columns.nv];
        for (share, v, a) in [(moving, v, a), (rest, &still[..], &still[..])] {
            if share == 0.0 {
                continue;
            }
            let mut regressor = Regressor::new(model);
            let (vel, _, acc) = motion(model, kin, v, a);
            regressor.update(model, kin, &vel, &acc);
            let width = 10 * model.bodies.len();
            for (p, (body, change)) in &changes {
                for i in 0..columns.nv {
                    let row = &regressor.entries[i * width + 10 * body..][..10];
                    let by: f64 = row.iter().zip(change).map(|(y, x)| y * x).sum();
                    out[(i, columns.p(*p))] += share * by;
                }
            }
        }
    }

    /// Actuators that are no rows.
    fn add_actuators(&self, mass: &MassMatrix, out: &mut DMatrix<f64>) {
        for (index, a) in self.world.actuators.iter().enumerate().filter(|(i, _)| self.acts(*i)) {
            let change = self.effort_change(index, a, mass);
            for &(dof, c) in &a.transmission {
                add_scaled(out, dof, self.h * c, &change.start);
            }
        }
    }

    /// Whether an actuator acts by its law, within its limit and not as a row.
    fn acts(&self, index: usize) -> bool {
        let (law, expected, row) = self.accepted.facts.servos.of(index);
        !row && (law.implicit == 0.0 || expected.implicit > 0.0)
    }

    /// −δ(h k) Δ, where θ changes.
    fn add_gains(&self, mass: &MassMatrix, out: &mut DMatrix<f64>) {
        let (model, h) = (&self.world.model, self.h);
        for (i, dof) in model.dofs.iter().enumerate().filter(|(_, dof)| dof.damping > 0.0) {
            let parameter = Parameter::JointDamping { dof: i };
            let share = self.share(&[(i, 1.0)], h * dof.damping, mass, &[(parameter, h)]);
            add_scaled(out, i, -h * dof.damping * self.change[i], &share.change);
            self.columns_of(parameter, |p| out[(i, p)] -= h * share.theta * self.change[i]);
        }
        for (number, joint) in model.springs() {
            for i in joint.idx_v..joint.idx_v + joint.kind.nv() {
                let share = self.spring_share(i, mass);
                let by_theta = -2.0 * h * h * joint.stiffness * share.theta * self.change[i];
                add_scaled(out, i, by_theta, &share.change);
                let by_stiffness = (h * share.theta).powi(2) * self.change[i];
                self.columns_of(Parameter::JointStiffness { joint: number }, |p| out[(i, p)] -= by_stiffness);
            }
        }
        for (index, a) in self.world.actuators.iter().enumerate().filter(|(i, _)| self.acts(*i)) {
            if let [(dof, c)] = a.transmission[..] {
                let change = self.effort_change(index, a, mass);
                add_scaled(out, dof, -h * c * c * self.change[dof], &change.implicit);
            }
        }
    }

    /// The derivative of the law of actuator `index`, (1) of [`stiction_assembly::laws::actuator`].
    pub(super) fn effort_change(&self, index: usize, a: &Actuator, mass: &MassMatrix) -> EffortChange {
        let (columns, h, law) = (self.columns, self.h, actuators::law(a));
        let by = [
            (Parameter::BiasLength { actuator: index }, -h * h),
            (Parameter::BiasVelocity { actuator: index }, -h),
        ];
        let implicit = self.accepted.facts.servos.of(index).0.implicit > 0.0;
        let mut change = EffortChange { start: vec![0.0; columns.count()], implicit: Vec::new() };
        if !implicit && self.is_at_limit(index, a) {
            return change;
        }
        let share = self.share(&a.transmission, law.damping_and_stiffness(h).iter().sum(), mass, &by);
        let u = self.input.control.get(index).copied().unwrap_or(0.0);
        let q_of_dof = self.accepted.facts.q_of_dof;
        let (length, rate) = length_and_rate(&a.transmission, &self.start.q, &self.start.v, q_of_dof);
        let x = |value: f64, k: usize| Dual::<7>::variable(value, k);
        let law = AffineActuator {
            gain: x(law.gain, 3),
            bias_length: x(law.bias_length, 4),
            bias_velocity: x(law.bias_velocity, 5),
            ..law.cast(Dual::constant(0.0))
        };
        let theta = x(if implicit { share.theta } else { 0.0 }, 6);
        let of = law.at_share(x(u, 0), x(length, 1), x(rate, 2), Dual::constant(h), theta);
        let [by_control, by_length, by_rate, by_gain, by_stiffness, by_damping, by_theta] = of.start.tangent;
        change.start[columns.u(index)] = by_control;
        for &(dof, c) in &a.transmission {
            self.by_start(dof, c * by_length, |column, x| change.start[column] += x);
            change.start[columns.v(dof)] += c * by_rate;
        }
        self.columns_of(Parameter::Gain { actuator: index }, |p| change.start[p] = by_gain);
        for (parameter, slope) in [(by[0].0, by_stiffness), (by[1].0, by_damping)] {
            self.columns_of(parameter, |p| change.start[p] = slope);
        }
        if !implicit {
            return change;
        }
        let [.., by_stiffness, by_damping, implicit_by_theta] = of.implicit.tangent;
        change.start.iter_mut().zip(&share.change).for_each(|(x, t)| *x += by_theta * t);
        change.implicit = share.change.iter().map(|t| implicit_by_theta * t).collect();
        for (parameter, slope) in [(by[0].0, by_stiffness), (by[1].0, by_damping)] {
            self.columns_of(parameter, |p| {
                change.implicit.resize(columns.count(), 0.0);
                change.implicit[p] += slope;
            });
        }
        change
    }

    /// ∂effort/∂u of an actuator that is no servo; `None` at a limit.
    pub(super) fn given_gain(&self, index: usize, a: &Actuator) -> Option<f64> {
        let u = self.input.control.get(index).copied().unwrap_or(0.0);
        let [.., by_control] = actuators::effort_and_slopes(&actuators::law(a), u, 0.0, 0.0).tangent;
        (!self.is_at_limit(index, a)).then_some(by_control)
    }

    /// Whether an explicit actuator is at its limit.
    fn is_at_limit(&self, index: usize, a: &Actuator) -> bool {
        let [lo, hi] = actuators::law(a).effort_range;
        let effort = self.accepted.facts.servos.of(index).0.start;
        effort <= lo || effort >= hi
    }

    /// Calls `at` with the columns of a parameter.
    fn columns_of(&self, parameter: Parameter, mut at: impl FnMut(usize)) {
        for (p, _) in self.parameters.iter().enumerate().filter(|(_, of)| **of == parameter) {
            at(self.columns.p(p));
        }
    }

    /// θ of the spring of a joint on one of its dofs, which is that of its damper.
    fn spring_share(&self, dof: usize, mass: &MassMatrix) -> Share {
        let damper = self.h * self.world.model.dofs[dof].damping;
        self.share(&[(dof, 1.0)], damper, mass, &[(Parameter::JointDamping { dof }, self.h)])
    }

    /// θ along Σ c q, which depends on q where what is stiff is not stiff beyond measure; `by` are parameters
    /// that the gain changes by.
    pub(super) fn share(
        &self,
        along: &[(usize, f64)],
        gain: f64,
        mass: &MassMatrix,
        by: &[(Parameter, f64)],
    ) -> Share {
        let [theta, slope, by_gain] = self.accepted.facts.bodies.share_and_slope(along, gain, mass);
        if slope == 0.0 {
            return Share { theta, change: Vec::new() };
        }
        let columns = self.columns;
        let mut change = vec![0.0; columns.count()];
        for &(parameter, times) in by {
            self.columns_of(parameter, |p| change[p] += by_gain * times);
        }
        for &(dof, c) in along {
            let by = -slope * (c / mass.diagonal(dof)).powi(2);
            let diagonal = self.diagonal_change(dof);
            self.by_position(|j| by * diagonal[j], |column, x| change[column] += x);
            let (still, mut unit) = (vec![0.0; columns.nv], vec![0.0; columns.nv]);
            unit[dof] = 1.0;
            let mut inertial = columns.zeros(columns.nv);
            self.add_inertial(&still, &unit, [by, -by], &mut inertial);
            (0..columns.np).for_each(|p| change[columns.p(p)] += inertial[(dof, columns.p(p))]);
        }
        Share { theta, change }
    }

    /// ∂M_ii/∂q, of what inverse dynamics gives for a unit acceleration of dof i and for none.
    fn diagonal_change(&self, i: usize) -> Vec<f64> {
        let (nv, kin) = (self.columns.nv, self.kin);
        let (still, mut unit) = (vec![0.0; nv], vec![0.0; nv]);
        unit[i] = 1.0;
        let [moved, rest] = [&unit, &still].map(|a| inverse_dynamics(&self.world.model, kin, &still, a));
        (0..nv).map(|j| moved.tau_q[i * nv + j] - rest.tau_q[i * nv + j]).collect()
    }
}

/// The derivative of e₀ and of k; the latter is empty where k does not change.
pub(super) struct EffortChange {
    pub(super) start: Vec<f64>,
    pub(super) implicit: Vec<f64>,
}

/// Velocities, rates of columns and accelerations of a motion at `kin`.
fn motion(model: &Model, kin: &Kinematics, v: &[f64], a: &[f64]) -> (Velocities, ColumnRates, Accelerations) {
    let (mut vel, mut rates) = (Velocities::new(model), ColumnRates::new(model));
    let mut acc = Accelerations::new(model);
    vel.update(model, kin, v);
    rates.update(model, kin, &vel, v);
    acc.update(model, kin, &vel, &rates, v, a);
    (vel, rates, acc)
}

/// Derivatives of inverse dynamics at `kin`, velocity `v` and acceleration `a`.
fn inverse_dynamics(model: &Model, kin: &Kinematics, v: &[f64], a: &[f64]) -> RneaDerivatives {
    let ((vel, rates, acc), mut derivatives) = (motion(model, kin, v, a), RneaDerivatives::new(model));
    derivatives.update(model, kin, &vel, &rates, &acc);
    derivatives
}

/// The dof after the last whose axis moves with that of dof i: those of a joint, but shifts and turns of a
/// free joint apart.
pub(super) fn end_of_motion(model: &Model, i: usize) -> usize {
    let joint = &model.joints[model.dofs[i].joint];
    match joint.kind {
        JointKind::Free if i < joint.idx_v + 3 => joint.idx_v + 3,
        kind => joint.idx_v + kind.nv(),
    }
}

/// Adds `scale` times a row, which may be empty.
fn add_scaled(out: &mut DMatrix<f64>, row: usize, scale: f64, of: &[f64]) {
    for (j, x) in of.iter().enumerate().filter(|(_, x)| **x != 0.0) {
        out[(row, j)] += scale * x;
    }
}
