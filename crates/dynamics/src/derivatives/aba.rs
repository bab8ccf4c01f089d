//! Derivatives of forward dynamics v̇(q, v, τ).
//!
//! Inverse dynamics τ(q, v, v̇(q, v, τ)) = τ, differentiated at the acceleration that the efforts
//! cause [CarpentierMansard2018]:
//!
//! ```text
//!     ∂v̇/∂x = −M⁻¹ ∂τ/∂x  for x in (q, v),   ∂v̇/∂τ = M⁻¹                (1)
//! ```
//!
//! with M = LᵀDL of the tree: ∂τ/∂x has the pattern of M, which L⁻ᵀ keeps; only L⁻¹ fills a tree.
//! Nothing depends on where a free root is or how fast it translates: those columns are zero.
//! Cost O(nv² depth); no allocation in [`AbaDerivatives::update`].

use super::external::ExternalForces;
use super::rnea::RneaDerivatives;
use crate::aba::{AbaWorkspace, aba_into};
use crate::acceleration::Accelerations;
use crate::factor::{Factor, NotPositive};
use crate::kinematics::Kinematics;
use crate::model::Model;
use crate::rates::ColumnRates;
use crate::real::Real;
use crate::tree_solve::{Columns, TreeSolver};
use crate::velocity::Velocities;

/// ∂v̇/∂(q, v, τ): who holds one has run [`Self::update`] with success.
#[derive(Clone, Debug)]
pub struct AbaDerivatives<T = f64> {
    /// v̇.
    pub acceleration: Vec<T>,
    /// `acceleration_q[i * nv + j]` = ∂v̇_i/∂q_j.
    pub acceleration_q: Vec<T>,
    /// `acceleration_v[i * nv + j]` = ∂v̇_i/∂v_j.
    pub acceleration_v: Vec<T>,
    /// ∂v̇/∂τ = M⁻¹, nv × nv, symmetric to rounding.
    pub inverse_mass: Vec<T>,
    /// Derivatives of inverse dynamics at v̇, M among them.
    pub inverse_dynamics: RneaDerivatives<T>,
    /// Factors of M.
    pub factor: Factor<T>,
    rates: ColumnRates<T>,
    acc: Accelerations<T>,
    /// Efforts, those of external forces included.
    tau: Vec<T>,
    aba: AbaWorkspace<T>,
    solver: TreeSolver<T>,
}

impl<T: Real> AbaDerivatives<T> {
    /// Zero.
    pub fn new(model: &Model<T>) -> Self {
        let (kind, nv) = (model.kind(), model.nv());
        let solver = TreeSolver::new(model, &[Columns::Chain, Columns::Chain, Columns::Moved]);
        Self {
            acceleration: vec![kind; nv],
            acceleration_q: vec![kind; nv * nv],
            acceleration_v: vec![kind; nv * nv],
            inverse_mass: vec![kind; nv * nv],
            inverse_dynamics: RneaDerivatives::new(model),
            factor: Factor::new(model),
            rates: ColumnRates::new(model),
            acc: Accelerations::new(model),
            tau: vec![kind; nv],
            aba: AbaWorkspace::new(model),
            solver,
        }
    }

    /// At the velocity `v` that made `vel`, under the joint efforts `tau` (both of length nv) and
    /// `external` forces. On error the failed lanes hold no derivatives; the others do.
    #[inline(always)]
    pub fn update(
        &mut self,
        model: &Model<T>,
        kin: &Kinematics<T>,
        vel: &Velocities<T>,
        v: &[T],
        tau: &[T],
        external: Option<&ExternalForces<T>>,
    ) -> Result<(), NotPositive> {
        assert_eq!(tau.len(), model.nv(), "the efforts have nv coordinates");
        self.tau.copy_from_slice(tau);
        if let Some(external) = external {
            external.add_efforts(kin, &mut self.tau);
        }
        aba_into(model, kin, vel, &self.tau, &mut self.aba, &mut self.acceleration);
        self.rates.update(model, kin, vel, v);
        self.acc.update(model, kin, vel, &self.rates, v, &self.acceleration);
        self.inverse_dynamics.update(model, kin, vel, &self.rates, &self.acc);
        if let Some(external) = external {
            self.inverse_dynamics.subtract_external(kin, external);
        }
        let sound = self.factor.factor(&self.inverse_dynamics.M);
        self.solve();
        sound
    }

    /// Solves (1) for all right-hand sides.
    #[inline(always)]
    fn solve(&mut self) {
        self.solver.set_negative(0, &self.inverse_dynamics.tau_q);
        self.solver.set_negative(1, &self.inverse_dynamics.tau_v);
        self.solver.set_identity(2);
        self.solver.solve(&self.factor);
        self.solver.read_into(0, &mut self.acceleration_q);
        self.solver.read_into(1, &mut self.acceleration_v);
        self.solver.read_into(2, &mut self.inverse_mass);
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::*;
    use super::*;
    use crate::spatial::Force;
    use crate::testing::*;

    /// v̇(q, v, τ) with loads.
    struct ForwardDynamics(Vec<Force>);
    impl Function for ForwardDynamics {
        fn call<T: Real>(&self, model: &Model<T>, [q, v, tau]: [&[T]; 3]) -> Vec<T> {
            let (kin, vel, _, _) = receipts(model, q, v, tau);
            let (mut tau, mut a) = (tau.to_vec(), v.to_vec());
            loads(model, &kin, &self.0).add_efforts(&kin, &mut tau);
            aba_into(model, &kin, &vel, &tau, &mut AbaWorkspace::new(model), &mut a);
            a
        }
    }

    #[test]
    fn agree_with_duals_and_differences() {
        for seed in 130..133 {
            let model = random_trees(seed, 16);
            let (q, v) = random_state(&model, seed);
            let tau = Dice::new(seed).vector(model.nv());
            let forces = random_forces(&model, seed);
            let (kin, vel) = at(&model, &q, &v);
            let mut d = AbaDerivatives::new(&model);
            for _ in 0..2 {
                d.update(&model, &kin, &vel, &v, &tau, Some(&loads(&model, &kin, &forces))).unwrap();
            }
            let x: [&[f64]; 3] = [&q, &v, &tau];
            let f = ForwardDynamics(forces);
            assert_close(&d.acceleration, &f.call(&model, x), 1e-13);
            let ours = [d.acceleration_q, d.acceleration_v, d.inverse_mass];
            let (exact, about) = (by_duals(&model, x, &f), by_differences(&model, x, &f));
            for k in 0..3 {
                assert_close(&ours[k], &exact[k], 1e-12);
                assert_close(&ours[k], &about[k], 1e-7);
            }
        }
    }

    #[test]
    fn a_mass_matrix_that_is_not_positive_is_reported() {
        let mut model = double_pendulum(1.0, 1.0);
        model.dofs[1].armature = -10.0;
        let (kin, vel) = at(&model, &[0.3, 0.4], &[0.0; 2]);
        let sound = AbaDerivatives::new(&model).update(&model, &kin, &vel, &[0.0; 2], &[0.0; 2], None);
        assert_eq!(sound.map_err(|e| e.dof), Err(1));
    }
}
