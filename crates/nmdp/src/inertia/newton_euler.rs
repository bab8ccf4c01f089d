//! Backward Euler on the recursive Newton–Euler equations.
//!
//! ```text
//!     G = M(q⁺) v̇⁺ + C(q⁺, v⁺) v⁺ + g(q⁺)                                            (1)
//!     K = ½ v⁺ᵀ M(q⁺) v⁺                                                             (2)
//!     ∂K/∂q_j = p_j · ψ̇_j,   p_j the momentum of all that dof j moves                (3)
//! ```
//!
//! with v⁺ and v̇⁺ those of [`crate::end_of_step`]: of backward Euler ν and (ν − v)/h. Derivatives are by v⁺.
//!
//! (3): a displacement that carried the velocities along would not change K; what is left of ∂V/∂q_j = ψ̇_j − V × S_j is ψ̇_j
//! [Singh2022].

use super::Parts;
use crate::end_of_step::{EndOfStep, Start};
use stiction_dynamics::spatial::{Force, Vec3};
use stiction_dynamics::{
    Accelerations, ColumnRates, MassMatrix, Model, RneaDerivatives, RneaWorkspace, Velocities, rnea_into,
};

/// Workspace of the recursive equations and their derivatives.
#[derive(Clone, Debug)]
pub struct NewtonEuler {
    vel: Velocities,
    rates: ColumnRates,
    acc: Accelerations,
    derivatives: RneaDerivatives,
    workspace: RneaWorkspace,
    efforts: Vec<f64>,
    momentum: Vec<Force>,
}

impl NewtonEuler {
    /// For `model`.
    pub fn new(model: &Model) -> Self {
        let nv = model.nv();
        Self {
            vel: Velocities::new(model),
            rates: ColumnRates::new(model),
            acc: Accelerations::new(model),
            derivatives: RneaDerivatives::new(model),
            workspace: RneaWorkspace::new(model),
            efforts: vec![0.0; nv],
            momentum: vec![Force::new(Vec3::ZERO, Vec3::ZERO); model.bodies.len()],
        }
    }

    /// Adds (1) and its derivatives.
    #[inline(always)]
    pub(super) fn add(&mut self, model: &Model, start: &Start<'_>, end: &EndOfStep, parts: &mut Parts<'_>) {
        let nv = model.nv();
        self.vel.update(model, &end.kin, &end.v);
        self.rates.update(model, &end.kin, &self.vel, &end.v);
        self.acc.update(model, &end.kin, &self.vel, &self.rates, &end.v, &end.rate);
        rnea_into(model, &end.kin, &self.vel, &end.rate, &mut self.workspace, &mut self.efforts);
        self.derivatives.update(model, &end.kin, &self.vel, &self.rates, &self.acc);
        for (g, effort) in parts.g.iter_mut().zip(&self.efforts) {
            *g += effort;
        }
        let RneaDerivatives { M, tau_q, tau_v, .. } = &self.derivatives;
        for (out, x) in parts.by_q.iter_mut().zip(tau_q) {
            *out += x;
        }
        for (out, x) in parts.by_v.iter_mut().zip(tau_v) {
            *out += x;
        }
        for i in 0..nv {
            for (M_ij, j) in M.row(i).iter().zip(M.columns(i)) {
                let j = *j as usize;
                let entry = M_ij * end.gain / start.h;
                parts.by_v[i * nv + j] += entry;
                if j != i {
                    parts.by_v[j * nv + i] += entry;
                }
            }
        }
    }

    /// The kinetic energy (2), with its derivatives, by q⁺ (3) and by v⁺.
    pub(super) fn kinetic_energy(
        &mut self,
        model: &Model,
        end: &EndOfStep,
        [by_q, by_v]: [&mut [f64]; 2],
    ) -> f64 {
        for (p, (I, V)) in self.momentum.iter_mut().zip(end.kin.I.iter().zip(&self.vel.V)) {
            *p = *I * *V;
        }
        for b in (0..self.momentum.len()).rev() {
            if let Some(p) = model.bodies[b].parent {
                let carried = self.momentum[b];
                self.momentum[p] += carried;
            }
        }
        let mut twice = 0.0;
        for (i, dof) in model.dofs.iter().enumerate() {
            let p = self.momentum[dof.body];
            let of_v = end.kin.S[i].dot(p) + dof.armature * end.v[i];
            by_q[i] += self.rates.psi_dot[i].dot(p);
            by_v[i] += of_v;
            twice += of_v * end.v[i];
        }
        0.5 * twice
    }

    pub(super) fn mass(&self) -> &MassMatrix {
        &self.derivatives.M
    }
}
