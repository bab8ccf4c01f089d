//! The derivatives of a step of a tree that no constraint acts upon: the methods of [`super::free_tree`], differentiated stage by stage.
//!
//! The coordinates of a stage are a sum, normalised; with δq̂ the derivative of the sum,
//!
//! ```text
//!     quaternions     δx = (1 − x xᵀ) δx̂/‖x̂‖,   δθ = 2 (x̄ δx) without its first number                  (1)
//!     rates           δ(½ x (0, ω)) = ½ δx (0, ω) + ½ x (0, δω)                                     (2)
//!     forces          δv̇ = ∂v̇/∂q δθ + ∂v̇/∂v δv + M⁻¹ δτ                                             (3)
//!     implicit part   (M + γ h D + γ² h² K) δk = M δf + δM (f − k) − h D δs_v − h K δ(s_q + γ (v + h s_v))     (4)
//! ```
//!
//! The parts in which the step was done, and which servos were within their limits, are as they were. Cost: a derivative of forward
//! dynamics a stage.

use super::free_tree::FreeTree;
use super::rosenbrock::{self, ALPHA, BELOW, GAMMA};
use super::runge_kutta;
use super::system::{STAGES, System};
use super::tangent::spring_stretch_change;
use crate::input::Input;
use crate::state::State;
use nalgebra::DMatrix;
use stiction_dynamics::spatial::{Quat, vec3};
use stiction_dynamics::{
    AbaDerivatives, Accelerations, ColumnRates, Joint, JointKind, Kinematics, Model, RneaDerivatives,
    Velocities,
};
use stiction_world::World;

/// ∂(q⁺, v⁺) of a tree, 2 nv rows in its own order; columns are the tangent of its q, its v, efforts on its dofs, and the controls of its
/// servos.
pub(crate) struct FreeTreeDerivative {
    pub(crate) end: DMatrix<f64>,
    /// Places in v of the whole, of its dofs.
    pub(crate) dofs: Vec<usize>,
    /// Actuators that are its servos.
    pub(crate) servos: Vec<usize>,
}

/// Derivatives of coordinates, as numbers of q, and of velocities.
#[derive(Clone)]
struct Point {
    q: DMatrix<f64>,
    v: DMatrix<f64>,
}

impl FreeTree {
    /// Differentiates the last step, which was found from `state` under the efforts `applied`.
    pub(crate) fn derivative(
        &self,
        world: &World,
        state: &State,
        (applied, input): (&[f64], &Input),
        h: f64,
    ) -> Option<FreeTreeDerivative> {
        let mut again = FreeTree::new(world, self.number);
        again.system.start(state, applied, input);
        let nv = again.system.v.len();
        let columns = 3 * nv + again.system.servos.len();
        let mut point =
            Point { q: DMatrix::zeros(again.system.q.len(), columns), v: DMatrix::zeros(nv, columns) };
        let mut first = DMatrix::zeros(nv, columns);
        (0..nv).for_each(|i| (first[(i, i)], point.v[(i, nv + i)]) = (1.0, 1.0));
        point.q = raised(again.system.model(), &again.system.q, &first);
        for share in &self.parts {
            let system = &mut again.system;
            system.q0.copy_from_slice(&system.q);
            system.v0.copy_from_slice(&system.v);
            point = if self.stiff {
                again.implicit_part(&point, h * share)?
            } else {
                explicit_part(&mut again.system, &point, h * share)?
            };
        }
        let System { tree, servos, q, .. } = &again.system;
        let mut end = DMatrix::zeros(2 * nv, columns);
        end.rows_mut(0, nv).copy_from(&lowered(&tree.model, q, &point.q));
        end.rows_mut(nv, nv).copy_from(&point.v);
        Some(FreeTreeDerivative {
            end,
            dofs: tree.v.clone(),
            servos: servos.iter().map(|s| s.index).collect(),
        })
    }

    /// (4) and what follows from it.
    fn implicit_part(&mut self, start: &Point, h: f64) -> Option<Point> {
        const STAGES: usize = rosenbrock::B.len();
        let Self { system, implicit, .. } = self;
        let columns = start.v.ncols();
        let nv = system.v.len();
        // All values of the part, and those of the stages.
        let (q0, v0) = (system.q0.clone(), system.v0.clone());
        let mut rates: Vec<Point> = Vec::with_capacity(STAGES);
        let mut turns: Vec<DMatrix<f64>> = Vec::with_capacity(STAGES);
        let _ = implicit.part(system, h, true);
        let (k, taken) = (system.v_dot.clone(), implicit.taken.clone());
        let (values, end) = (implicit.turns.clone(), (system.q.clone(), system.v.clone()));
        let q_dot = system.q_dot.clone();
        let model = system.model().clone();
        let M = dense_mass(&model, &q0);
        let theta0 = lowered(&model, &q0, &start.q);
        let mut s_v = DMatrix::zeros(nv, columns);
        let mut s_q = DMatrix::zeros(nv, columns);
        for stage in 0..STAGES {
            let mut at = start.clone();
            let mut sum = (q0.clone(), v0.clone());
            if stage > 0 {
                let (weights, below) = (ALPHA[stage - 1], BELOW[stage - 1]);
                s_v.fill(0.0);
                s_q.fill(0.0);
                for j in 0..stage {
                    at.q += &rates[j].q * (h * weights[j]);
                    at.v += &rates[j].v * (h * weights[j]);
                    sum.0.iter_mut().zip(&q_dot[j]).for_each(|(x, k)| *x += h * weights[j] * k);
                    sum.1.iter_mut().zip(&k[j]).for_each(|(x, k)| *x += h * weights[j] * k);
                    s_v += &rates[j].v * below[j];
                    s_q += &turns[j] * below[j];
                }
            }
            at.q = normalized(&model, &sum.0, &at.q);
            let q = unit(&model, &sum.0);
            system.q.copy_from_slice(&q);
            system.v.copy_from_slice(&sum.1);
            system.evaluate(0);
            let f = system.v_dot[0].clone();
            let df = forward(system, &at)?;
            let theta = lowered(&model, &q, &at.q);
            let _ = theta;
            // The right-hand side of (4).
            let y: Vec<f64> = f.iter().zip(&k[stage]).map(|(f, k)| f - k).collect();
            let mut right = &M * &df + inertia_change(&model, &q0, &y) * &theta0;
            for (i, [damper, spring]) in taken.iter().enumerate() {
                for j in 0..columns {
                    let turn = s_q[(i, j)] + GAMMA * (at.v[(i, j)] + h * s_v[(i, j)]);
                    right[(i, j)] -= h * (damper * s_v[(i, j)] + spring * turn);
                }
            }
            right.as_mut_slice().chunks_exact_mut(nv).for_each(|c| implicit.factor.solve_in_place(c));
            let more = (&s_v + &right * GAMMA) * h;
            turns.push(&at.v + &more);
            // h (s_v + γ k) of the stage, as a number: what it adds to the turn.
            let turn: Vec<f64> = values[stage].iter().zip(&sum.1).map(|(t, v)| t - v).collect();
            let dq = rates_change(&model, (&q, &sum.1), &at)
                + rates_change(&model, (&q0, &turn), &Point { q: start.q.clone(), v: more });
            rates.push(Point { q: dq, v: right });
        }
        let mut out = start.clone();
        let mut sum = q0;
        for (j, b) in rosenbrock::B.iter().enumerate() {
            out.q += &rates[j].q * (h * b);
            out.v += &rates[j].v * (h * b);
            sum.iter_mut().zip(&q_dot[j]).for_each(|(x, k)| *x += h * b * k);
        }
        out.q = normalized(&model, &sum, &out.q);
        (system.q, system.v) = end;
        Some(out)
    }
}

/// A part by [`runge_kutta`].
fn explicit_part(system: &mut System, start: &Point, h: f64) -> Option<Point> {
    let mut rates: Vec<Point> = Vec::with_capacity(STAGES);
    for stage in 0..STAGES {
        let (at, _) = if stage == 0 {
            (start.clone(), ())
        } else {
            let weights = runge_kutta::A[stage - 1];
            system.combine(weights, h);
            (combined(system, start, &rates, weights, h), ())
        };
        system.evaluate(stage);
        let dq = rates_change(system.model(), (&system.q, &system.v), &at);
        let dv = forward(system, &at)?;
        rates.push(Point { q: dq, v: dv });
    }
    system.combine(&runge_kutta::B, h);
    Some(combined(system, start, &rates, &runge_kutta::B, h))
}

/// The derivative of [`System::combine`].
fn combined(system: &System, start: &Point, rates: &[Point], weights: &[f64], h: f64) -> Point {
    let mut out = start.clone();
    let mut sum = system.q0.clone();
    for (j, w) in weights.iter().enumerate().filter(|(_, w)| **w != 0.0) {
        out.q += &rates[j].q * (h * w);
        out.v += &rates[j].v * (h * w);
        sum.iter_mut().zip(&system.q_dot[j]).for_each(|(x, k)| *x += h * w * k);
    }
    out.q = normalized(system.model(), &sum, &out.q);
    out
}

/// (3) at the q and v of the system, which were evaluated last.
fn forward(system: &System, at: &Point) -> Option<DMatrix<f64>> {
    let model = system.model();
    let (nv, columns) = (model.nv(), at.v.ncols());
    let mut aba = AbaDerivatives::new(model);
    aba.update(model, &system.kin, &system.vel, &system.v, &system.tau, None).ok()?;
    let theta = lowered(model, &system.q, &at.q);
    let mut tau = DMatrix::zeros(nv, columns);
    for (i, dof) in model.dofs.iter().enumerate() {
        tau[(i, 2 * nv + i)] = 1.0;
        (0..columns).for_each(|j| tau[(i, j)] -= dof.damping * at.v[(i, j)]);
    }
    for (_, joint) in model.springs() {
        let (first, change) = (joint.idx_v, spring_stretch_change(joint, &system.q[joint.idx_q..]));
        for (k, l) in (0..joint.kind.nv()).flat_map(|k| (0..joint.kind.nv()).map(move |l| (k, l))) {
            let x = joint.stiffness * change[k][l];
            (0..columns).for_each(|j| tau[(first + k, j)] -= x * theta[(first + l, j)]);
        }
    }
    for (s, servo) in system.servos.iter().enumerate() {
        if !servo.effort(&system.q, &system.v).1 {
            continue;
        }
        let (i, c) = (servo.dof, servo.c);
        let [by_length, by_rate, by_control] = servo.effort_and_slopes(&system.q, &system.v).tangent;
        for j in 0..columns {
            tau[(i, j)] += c * c * (by_length * theta[(i, j)] + by_rate * at.v[(i, j)]);
        }
        tau[(i, 3 * nv + s)] += c * by_control;
    }
    let matrix = |of: &[f64]| DMatrix::from_row_slice(nv, nv, of);
    Some(
        matrix(&aba.acceleration_q) * theta
            + matrix(&aba.acceleration_v) * &at.v
            + matrix(&aba.inverse_mass) * tau,
    )
}

/// M at q, all of it.
fn dense_mass(model: &Model, q: &[f64]) -> DMatrix<f64> {
    let nv = model.nv();
    DMatrix::from_row_slice(nv, nv, &inverse_dynamics(model, q, &vec![0.0; nv]).M.to_dense())
}

/// ∂(M y)/∂q.
fn inertia_change(model: &Model, q: &[f64], y: &[f64]) -> DMatrix<f64> {
    let nv = model.nv();
    let [moved, rest] = [y, &vec![0.0; nv]].map(|a| inverse_dynamics(model, q, a));
    DMatrix::from_row_slice(nv, nv, &moved.tau_q) - DMatrix::from_row_slice(nv, nv, &rest.tau_q)
}

/// Derivatives of inverse dynamics at rest, for the accelerations `a`.
fn inverse_dynamics(model: &Model, q: &[f64], a: &[f64]) -> RneaDerivatives {
    let (mut kin, mut vel) = (Kinematics::new(model), Velocities::new(model));
    let (mut rates, mut acc) = (ColumnRates::new(model), Accelerations::new(model));
    let (mut out, still) = (RneaDerivatives::new(model), vec![0.0; model.nv()]);
    kin.update(model, q);
    vel.update(model, &kin, &still);
    rates.update(model, &kin, &vel, &still);
    acc.update(model, &kin, &vel, &rates, &still, a);
    out.update(model, &kin, &vel, &rates, &acc);
    out
}

/// Where the quaternion of a joint starts, in its q and in its v.
fn quaternion(joint: &Joint) -> Option<[usize; 2]> {
    match joint.kind {
        JointKind::Ball => Some([joint.idx_q, joint.idx_v]),
        JointKind::Free => Some([joint.idx_q + 3, joint.idx_v + 3]),
        JointKind::Hinge | JointKind::Slide | JointKind::Screw => None,
    }
}

/// Calls `copy` with the place in q and in v of every coordinate that is no quaternion's.
fn plain(model: &Model, mut copy: impl FnMut(usize, usize)) {
    for joint in &model.joints {
        let n = match joint.kind {
            JointKind::Hinge | JointKind::Slide | JointKind::Screw => 1,
            JointKind::Ball => 0,
            JointKind::Free => 3,
        };
        (0..n).for_each(|k| copy(joint.idx_q + k, joint.idx_v + k));
    }
}

fn read(q: &[f64]) -> Quat {
    Quat::new(q[0], q[1], q[2], q[3])
}

fn column(of: &DMatrix<f64>, first: usize, j: usize) -> Quat {
    Quat::new(of[(first, j)], of[(first + 1, j)], of[(first + 2, j)], of[(first + 3, j)])
}

fn write(x: Quat, first: usize, j: usize, out: &mut DMatrix<f64>) {
    x.to_array().into_iter().enumerate().for_each(|(k, x)| out[(first + k, j)] = x);
}

/// The numbers of q from their tangent: x (0, δθ)/2.
fn raised(model: &Model, q: &[f64], theta: &DMatrix<f64>) -> DMatrix<f64> {
    let mut out = DMatrix::zeros(q.len(), theta.ncols());
    for j in 0..theta.ncols() {
        plain(model, |a, b| out[(a, j)] = theta[(b, j)]);
        for [a, b] in model.joints.iter().filter_map(quaternion) {
            let half = vec3(theta[(b, j)], theta[(b + 1, j)], theta[(b + 2, j)]) * 0.5;
            write(read(&q[a..]) * Quat::new(0.0, half.x, half.y, half.z), a, j, &mut out);
        }
    }
    out
}

/// The inverse, the second half of (1).
fn lowered(model: &Model, q: &[f64], of: &DMatrix<f64>) -> DMatrix<f64> {
    let mut out = DMatrix::zeros(model.nv(), of.ncols());
    for j in 0..of.ncols() {
        plain(model, |a, b| out[(b, j)] = of[(a, j)]);
        for [a, b] in model.joints.iter().filter_map(quaternion) {
            let turn = read(&q[a..]).conjugate() * column(of, a, j);
            [turn.x, turn.y, turn.z].into_iter().enumerate().for_each(|(k, x)| out[(b + k, j)] = 2.0 * x);
        }
    }
    out
}

/// q with quaternions of norm one.
fn unit(model: &Model, q: &[f64]) -> Vec<f64> {
    let mut out = q.to_vec();
    stiction_dynamics::normalize(model, &mut out);
    out
}

/// The first half of (1), of a sum `q`.
fn normalized(model: &Model, q: &[f64], of: &DMatrix<f64>) -> DMatrix<f64> {
    let mut out = of.clone();
    for [a, _] in model.joints.iter().filter_map(quaternion) {
        let norm = read(&q[a..]).norm_squared().sqrt();
        for j in 0..of.ncols() {
            let along: f64 = (0..4).map(|k| q[a + k] * of[(a + k, j)]).sum::<f64>() / (norm * norm);
            (0..4).for_each(|k| out[(a + k, j)] = (of[(a + k, j)] - q[a + k] * along) / norm);
        }
    }
    out
}

/// (2) at q and v.
fn rates_change(model: &Model, (q, v): (&[f64], &[f64]), of: &Point) -> DMatrix<f64> {
    let mut out = DMatrix::zeros(q.len(), of.q.ncols());
    for j in 0..of.q.ncols() {
        plain(model, |a, b| out[(a, j)] = of.v[(b, j)]);
        for [a, b] in model.joints.iter().filter_map(quaternion) {
            let spin = |x: f64, y: f64, z: f64| Quat::new(0.0, 0.5 * x, 0.5 * y, 0.5 * z);
            let with = column(&of.q, a, j) * spin(v[b], v[b + 1], v[b + 2]);
            let and = read(&q[a..]) * spin(of.v[(b, j)], of.v[(b + 1, j)], of.v[(b + 2, j)]);
            write(with + and, a, j, &mut out);
        }
    }
    out
}
