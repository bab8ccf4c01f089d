//! Our derivatives of inverse and forward dynamics, the matrices of their terms, and rates of Jacobians, in one
//! state.

use crate::reference::State;
use crate::worst::Worst;
use stiction_dynamics::spatial::{Motion, Vec3};
use stiction_dynamics::{
    AbaDerivatives, Accelerations, Centroidal, ColumnRates, CoriolisMatrix, Kinematics, Model, Regressor,
    RneaDerivatives, Velocities, body_jacobian_rate_into, point_jacobian_rate_into,
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
        let mut coriolis = CoriolisMatrix::new(model);
        coriolis.update(kin, vel, &rates);
        vec![
            ("dtau_dq", self.rows(&d.tau_q)),
            ("dtau_dv", self.rows(&d.tau_v)),
            ("coriolis", self.rows(&coriolis.entries)),
        ]
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

    /// The rate of the Jacobian of a link's origin, which is `at` in the axes of its body.
    pub(crate) fn rates(
        &self,
        (body, at): (Option<usize>, Vec3),
        state: &State,
        dofs: &[usize],
        worst: &mut Worst,
    ) {
        let Moving { model, kin, vel, v } = *self;
        let (Some(theirs), Some(b)) = (state.rows("jacobian_rate"), body) else { return };
        let mut rates = ColumnRates::new(model);
        rates.update(model, kin, vel, v);
        let (mut angular, mut linear) = (vec![Motion::ZERO; model.nv()], vec![Vec3::ZERO; model.nv()]);
        body_jacobian_rate_into(model, kin, vel, &rates, body, &mut angular);
        let p_W = kin.X_WB[b].transform(at);
        point_jacobian_rate_into(model, kin, vel, &rates, body, p_W, &mut linear);
        for (row, theirs) in theirs.iter().enumerate() {
            let entry = |i: &usize| match row {
                0..3 => angular[*i].angular.to_array()[row],
                _ => linear[*i].to_array()[row - 3],
            };
            let ours: Vec<f64> = dofs.iter().map(entry).collect();
            worst.vector_above("jacobian_rate", &ours, theirs, 1.0);
        }
    }

    /// A_G, Ȧ_G v and the Jacobian of the centre of mass.
    pub(crate) fn centroidal(&self, state: &State, dofs: &[usize], worst: &mut Worst) {
        let Moving { model, kin, vel, .. } = *self;
        let mut ours = Centroidal::new(model);
        ours.update(model, kin, vel);
        let both = |angular: Vec3, linear: Vec3| [angular.to_array(), linear.to_array()].concat();
        if let Some(theirs) = state.rows("centroidal_matrix") {
            let column = |i: &usize| both(ours.momentum_matrix[*i].angular, ours.momentum_matrix[*i].linear);
            worst.vector(
                "centroidal_matrix",
                &dofs.iter().flat_map(column).collect::<Vec<_>>(),
                &columns(&theirs),
            );
        }
        if let Some(theirs) = state.vector("centroidal_bias") {
            // A robot at rest relative to itself has none: measured against a thousandth of its momentum.
            let momentum = state.vector("centroidal_momentum").unwrap_or_default();
            let floor = momentum.iter().fold(1e-300, |m: f64, x| m.max(1e-3 * x.abs()));
            worst.vector_above("centroidal_bias", &both(ours.bias.angular, ours.bias.linear), &theirs, floor);
        }
        if let Some(theirs) = state.rows("com_jacobian") {
            let mut J = vec![Vec3::ZERO; model.nv()];
            ours.com_jacobian_into(&mut J);
            let ours: Vec<f64> = dofs.iter().flat_map(|i| J[*i].to_array()).collect();
            worst.vector("com_jacobian", &ours, &columns(&theirs));
        }
    }

    /// The torque regressor: ten columns for every joint of theirs, whose bodies are ours.
    pub(crate) fn regressor(
        &self,
        a: &[f64],
        state: &State,
        (dofs, bodies): (&[usize], &[usize]),
        worst: &mut Worst,
    ) {
        let Moving { model, kin, vel, v } = *self;
        let Some(theirs) = state.rows("regressor") else { return };
        let mut rates = ColumnRates::new(model);
        rates.update(model, kin, vel, v);
        let mut acc = Accelerations::new(model);
        acc.update(model, kin, vel, &rates, v, a);
        let mut Y = Regressor::new(model);
        Y.update(model, kin, vel, &acc);
        let width = 10 * model.bodies.len();
        let row = |i: &usize| {
            let row = &Y.entries[i * width..][..width];
            bodies.iter().flat_map(|b| row[10 * b..][..10].to_vec()).collect::<Vec<_>>()
        };
        worst.vector("regressor", &dofs.iter().flat_map(row).collect::<Vec<_>>(), &theirs.concat());
    }

    fn rows(&self, entries: &[f64]) -> Matrix {
        entries.chunks(self.model.nv().max(1)).map(<[f64]>::to_vec).collect()
    }
}

/// Adds the difference of two matrices, relative to the largest entry of theirs; `dofs` are ours
/// in the order of theirs.
pub(crate) fn compare(
    what: &'static str,
    ours: &Matrix,
    theirs: &Matrix,
    (dofs, floor): (&[usize], f64),
    worst: &mut Worst,
) {
    let ours: Vec<f64> = dofs.iter().flat_map(|&i| dofs.iter().map(move |&j| ours[i][j])).collect();
    worst.vector_above(what, &ours, &theirs.concat(), floor);
}

/// The entries of a matrix column by column.
fn columns(rows: &Matrix) -> Vec<f64> {
    let width = rows.first().map_or(0, Vec::len);
    (0..width).flat_map(|j| rows.iter().map(move |row| row[j])).collect()
}
