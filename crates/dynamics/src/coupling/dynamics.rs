//! Equation (2): reduced bias, inverse and forward dynamics.

use super::Reduction;
use crate::crba::CrbaWorkspace;
use crate::crba::crba_into;
use crate::dense;
use crate::factor::NotPositive;
use crate::kinematics::Kinematics;
use crate::mass_matrix::MassMatrix;
use crate::model::Model;
use crate::rnea::RneaWorkspace;
use crate::rnea::{bias_into, rnea_into};
use crate::velocity::Velocities;

/// Scratch of the reduced dynamics.
#[derive(Clone, Debug)]
pub struct ReducedWorkspace {
    crba: CrbaWorkspace,
    rnea: RneaWorkspace,
    M: MassMatrix,
    /// Gᵀ M G, then its Cholesky factor.
    M_r: Vec<f64>,
    bias_r: Vec<f64>,
    /// Length nv of the model.
    a: Vec<f64>,
    tau: Vec<f64>,
}

impl ReducedWorkspace {
    pub fn new(model: &Model, reduction: &Reduction) -> Self {
        let (nv, n) = (model.nv(), reduction.nv());
        Self {
            crba: CrbaWorkspace::new(model),
            rnea: RneaWorkspace::new(model),
            M: MassMatrix::new(model),
            M_r: vec![0.0; n * n],
            bias_r: vec![0.0; n],
            a: vec![0.0; nv],
            tau: vec![0.0; nv],
        }
    }
}

/// Gᵀ (C v + g), at receipts of q = Γ(q_r) and v = G v_r.
pub fn reduced_bias_into(
    model: &Model,
    reduction: &Reduction,
    kin: &Kinematics,
    vel: &Velocities,
    workspace: &mut ReducedWorkspace,
    bias_r: &mut [f64],
) {
    bias_into(model, kin, vel, &mut workspace.rnea, &mut workspace.tau);
    reduction.project_into(&workspace.tau, bias_r);
}

/// (2) from left to right: the efforts τ_r = Gᵀ τ that go with `a_r`.
pub fn reduced_inverse_dynamics_into(
    model: &Model,
    reduction: &Reduction,
    kin: &Kinematics,
    vel: &Velocities,
    a_r: &[f64],
    workspace: &mut ReducedWorkspace,
    tau_r: &mut [f64],
) {
    let ReducedWorkspace { rnea, a, tau, .. } = workspace;
    reduction.expand_into(a_r, a);
    rnea_into(model, kin, vel, a, rnea, tau);
    reduction.project_into(tau, tau_r);
}

/// (2) solved for v̇_r under the efforts `tau_r`. An error names the reduced dof without inertia.
pub fn reduced_forward_dynamics_into(
    model: &Model,
    reduction: &Reduction,
    kin: &Kinematics,
    vel: &Velocities,
    tau_r: &[f64],
    workspace: &mut ReducedWorkspace,
    a_r: &mut [f64],
) -> Result<(), NotPositive> {
    let w = workspace;
    bias_into(model, kin, vel, &mut w.rnea, &mut w.tau);
    reduction.project_into(&w.tau, &mut w.bias_r);
    crba_into(model, kin, &mut w.crba, &mut w.M);
    reduction.mass_matrix_into(&w.M, &mut w.M_r);
    for ((a, tau), bias) in a_r.iter_mut().zip(tau_r).zip(&w.bias_r) {
        *a = tau - bias;
    }
    dense::cholesky(&mut w.M_r, reduction.nv()).map_err(|dof| NotPositive { dof, lanes: 1 })?;
    dense::cholesky_solve(&w.M_r, reduction.nv(), a_r);
    Ok(())
}
