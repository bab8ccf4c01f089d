//! Our derivatives of inverse and forward dynamics in one state.

use crate::worst::Worst;
use stiction_dynamics::{
    AbaDerivatives, Accelerations, ColumnRates, Kinematics, Model, RneaDerivatives, Velocities,
};

/// Where and how a model moves.
pub(crate) struct Moving<'a> {
    pub(crate) model: &'a Model,
    pub(crate) kin: &'a Kinematics,
    pub(crate) vel: &'a Velocities,
    pub(crate) v: &'a [f64],
}

type Matrix = Vec<Vec<f64>>;

impl Moving<'_> {
    /// ∂τ/∂q and ∂τ/∂v at acceleration `a`, named as the reference does.
    pub(crate) fn of_inverse_dynamics(&self, a: &[f64]) -> Vec<(&'static str, Matrix)> {
        let Moving { model, kin, vel, v } = *self;
        let mut rates = ColumnRates::new(model);
        rates.update(model, kin, vel, v);
        let mut acc = Accelerations::new(model);
        acc.update(model, kin, vel, &rates, v, a);
        let mut d = RneaDerivatives::new(model);
        d.update(model, kin, vel, &rates, &acc);
        vec![("dtau_dq", self.rows(&d.tau_q)), ("dtau_dv", self.rows(&d.tau_v))]
    }

    /// ∂v̇/∂q, ∂v̇/∂v and M⁻¹ under the efforts `tau`; nothing where M is singular.
    pub(crate) fn of_forward_dynamics(&self, tau: &[f64]) -> Vec<(&'static str, Matrix)> {
        let Moving { model, kin, vel, v } = *self;
        let mut d = AbaDerivatives::new(model);
        if d.update(model, kin, vel, v, tau, None).is_err() {
            return Vec::new();
        }
        let inverse = self.rows(&d.inverse_mass);
        vec![
            ("da_dq", self.rows(&d.acceleration_q)),
            ("da_dv", self.rows(&d.acceleration_v)),
            ("Minv", inverse),
        ]
    }

    fn rows(&self, entries: &[f64]) -> Matrix {
        entries.chunks(self.model.nv().max(1)).map(<[f64]>::to_vec).collect()
    }
}

/// Adds the difference of two matrices, relative to the largest entry of theirs; `dofs` are ours
/// in the order of theirs.
pub(crate) fn compare(what: &'static str, ours: &Matrix, theirs: &Matrix, dofs: &[usize], worst: &mut Worst) {
    let ours: Vec<f64> = dofs.iter().flat_map(|&i| dofs.iter().map(move |&j| ours[i][j])).collect();
    worst.vector(what, &ours, &theirs.concat());
}
