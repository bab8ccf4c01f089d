//! The residual of the targets and its Jacobian.
//!
//! With φ = log(R*ᵀ R) and the velocity (v, ω) of the frame in axes of the target,
//!
//! ```text
//!     d/dt R*ᵀ (p − p*) = v,   dφ/dt = J_l⁻¹(φ) ω                       (1)
//!     J_l⁻¹(φ) = 1 − ½ φ× + (1/θ² − cot(θ/2)/(2θ)) φ× φ×,   θ = ‖φ‖      (2)
//! ```
//!
//! The matrix is exact for any rotation, so that a gradient that vanishes is one
//! [Sola2018, eq. 146].

use super::Task;
use crate::frames::frame_pose;
use crate::kinematics::Kinematics;
use crate::model::Model;
use crate::spatial::{Mat3, Vec3, vec3};

/// How far off a configuration is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Errors {
    /// ½ ‖r‖².
    pub(super) cost: f64,
    /// Largest over the targets, of the axes that weigh [m], [rad].
    pub(super) position: f64,
    pub(super) rotation: f64,
}

/// r and J of a task at a configuration.
#[derive(Clone, Debug)]
pub(super) struct Problem {
    kin: Kinematics,
    /// The dofs that move a target, ascending.
    pub(super) dofs: Vec<usize>,
    /// Per dof of the model: its place in `dofs`.
    column: Vec<Option<usize>>,
    /// 6 numbers per target.
    pub(super) r: Vec<f64>,
    /// By columns: as many numbers as r per entry of `dofs`.
    pub(super) J: Vec<f64>,
    /// Jᵀ r.
    pub(super) gradient: Vec<f64>,
}

impl Problem {
    pub(super) fn new(model: &Model) -> Self {
        Self {
            kin: Kinematics::new(model),
            dofs: Vec::with_capacity(model.nv()),
            column: vec![None; model.nv()],
            r: Vec::new(),
            J: Vec::new(),
            gradient: Vec::new(),
        }
    }

    /// Finds the dofs that matter and sizes everything for them.
    pub(super) fn prepare(&mut self, task: &Task<'_>) {
        self.column.fill(None);
        for target in task.targets {
            for i in task.model.chain(task.model.links[target.link].body) {
                self.column[i] = Some(0);
            }
        }
        self.dofs.clear();
        for (i, column) in self.column.iter_mut().enumerate().filter(|(_, c)| c.is_some()) {
            *column = Some(self.dofs.len());
            self.dofs.push(i);
        }
        let (m, n) = (6 * task.targets.len(), self.dofs.len());
        self.r.resize(m, 0.0);
        self.J.resize(m * n, 0.0);
        self.gradient.resize(n, 0.0);
    }

    /// The place of `dof` among those that matter.
    pub(super) fn column_of(&self, dof: usize) -> Option<usize> {
        self.column[dof]
    }

    /// r at `q`, and how far off that is; J is left where it was.
    pub(super) fn evaluate(&mut self, task: &Task<'_>, q: &[f64]) -> Errors {
        self.kin.update(task.model, q);
        let mut errors = Errors { cost: 0.0, position: 0.0, rotation: 0.0 };
        for (t, r) in task.targets.iter().zip(self.r.chunks_exact_mut(6)) {
            let X = frame_pose(task.model, &self.kin, t.link);
            let R_TW = t.X_WT.rotation.conjugate();
            let e_p = R_TW.rotate(X.translation - t.X_WT.translation);
            let e_R = (R_TW * X.rotation).log();
            r[..3].copy_from_slice(&times(t.position_weight, e_p).to_array());
            r[3..].copy_from_slice(&times(t.rotation_weight, e_R).to_array());
            errors.position = worse(errors.position, asked(e_p, t.position_weight).norm());
            errors.rotation = worse(errors.rotation, asked(e_R, t.rotation_weight).norm());
        }
        errors.cost = 0.5 * dot(&self.r, &self.r);
        errors
    }

    /// J and Jᵀ r at the configuration last evaluated.
    pub(super) fn linearise(&mut self, task: &Task<'_>) {
        let m = self.r.len();
        self.J.fill(0.0);
        for (k, t) in task.targets.iter().enumerate() {
            let Some(body) = task.model.links[t.link].body else { continue };
            let X = frame_pose(task.model, &self.kin, t.link);
            let R_TW = t.X_WT.rotation.conjugate();
            let spin = left_jacobian_inverse((R_TW * X.rotation).log());
            let r = X.translation - self.kin.reference[self.kin.tree_of(body)];
            for i in task.model.chain(Some(body)) {
                let (S, Some(column)) = (self.kin.S[i], self.column[i]) else { continue };
                let linear = times(t.position_weight, R_TW.rotate(S.linear_at(r)));
                let angular = times(t.rotation_weight, spin * R_TW.rotate(S.angular));
                let J = &mut self.J[column * m + 6 * k..][..6];
                J[..3].copy_from_slice(&linear.to_array());
                J[3..].copy_from_slice(&angular.to_array());
            }
        }
        for (g, column) in self.gradient.iter_mut().zip(self.J.chunks_exact(m.max(1))) {
            *g = dot(column, &self.r);
        }
    }

    /// The largest ‖column of J‖².
    pub(super) fn steepest(&self) -> f64 {
        self.J.chunks_exact(self.r.len().max(1)).map(|c| dot(c, c)).fold(0.0, f64::max)
    }
}

/// The larger; NaN is the largest of all.
fn worse(a: f64, b: f64) -> f64 {
    if a >= b || a.is_nan() { a } else { b }
}

/// Component by component.
fn times(w: Vec3, e: Vec3) -> Vec3 {
    vec3(w.x * e.x, w.y * e.y, w.z * e.z)
}

/// The components that weigh anything.
fn asked(e: Vec3, w: Vec3) -> Vec3 {
    let pick = |e: f64, w: f64| if w > 0.0 { e } else { 0.0 };
    vec3(pick(e.x, w.x), pick(e.y, w.y), pick(e.z, w.z))
}

/// Inverse (2) of the left Jacobian of rotations.
fn left_jacobian_inverse(phi: Vec3) -> Mat3 {
    let theta = phi.norm();
    let cross = Mat3 { rows: [vec3(0.0, -phi.z, phi.y), vec3(phi.z, 0.0, -phi.x), vec3(-phi.y, phi.x, 0.0)] };
    // The factor tends to 1/12 + θ²/720: below 0.01 the next term is < 1e-13.
    let factor = if theta < 0.01 {
        1.0 / 12.0 + theta * theta / 720.0
    } else {
        (1.0 - 0.5 * theta / (0.5 * theta).tan()) / (theta * theta)
    };
    Mat3::IDENTITY - cross * 0.5 + cross * cross * factor
}

pub(super) fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
