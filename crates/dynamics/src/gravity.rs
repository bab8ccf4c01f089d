//! Generalised gravity g(q): the efforts that hold the bodies still against their weight.
//!
//! With mass and first moment of all that dof i moves, γ the acceleration of gravity:
//!
//! ```text
//!     F = (γ × hᶜ, −mᶜ γ),   g_i = S_i · F = ∂U/∂q_i                    (1)
//! ```
//!
//! Units: N·m or N. Cost O(nb + nv), about a third of the bias; no allocation.

use crate::kinematics::Kinematics;
use crate::model::Model;
use crate::real::Real;
use crate::spatial::{Force, Vec3};

/// Scratch of [`gravity_into`].
#[derive(Clone, Debug)]
pub struct GravityWorkspace<T = f64> {
    /// Per body: mᶜ, hᶜ.
    composite: Vec<(T, Vec3<T>)>,
}

impl<T: Real> GravityWorkspace<T> {
    pub fn new(model: &Model<T>) -> Self {
        let kind = model.kind();
        Self { composite: vec![(kind, Vec3::zero(kind)); model.bodies.len()] }
    }
}

/// gravity = g(q), by (1).
#[inline(always)]
pub fn gravity_into<T: Real>(
    model: &Model<T>,
    kin: &Kinematics<T>,
    workspace: &mut GravityWorkspace<T>,
    gravity: &mut [T],
) {
    let composite = &mut workspace.composite;
    assert_eq!(gravity.len(), model.nv(), "the efforts have nv coordinates");
    assert_eq!(composite.len(), kin.I.len(), "the workspace belongs to this model");
    for (composite, I) in composite.iter_mut().zip(&kin.I) {
        *composite = (I.mass, I.first);
    }
    for b in (0..composite.len()).rev() {
        let (m, h) = composite[b];
        let F = Force::new(model.gravity.cross(h), -model.gravity * m);
        for i in kin.topology.dofs[b].clone() {
            gravity[i] = kin.S[i].dot(F);
        }
        if let Some(p) = kin.topology.parent[b] {
            composite[p].0 += m;
            composite[p].1 += h;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::derivatives::testing::{Function, by_duals, receipts};
    use crate::testing::*;

    struct PotentialEnergy;
    impl Function for PotentialEnergy {
        fn call<T: Real>(&self, model: &Model<T>, [q, v, a]: [&[T]; 3]) -> Vec<T> {
            vec![crate::potential_energy(model, &receipts(model, q, v, a).0)]
        }
    }

    /// The bias at rest, and the gradient of the energy.
    #[test]
    fn two_witnesses() {
        let model = random_trees(150, 18);
        let (q, v) = random_state(&model, 150);
        let (kin, still) = at(&model, &q, &vec![0.0; model.nv()]);
        let mut g = v.clone();
        gravity_into(&model, &kin, &mut GravityWorkspace::new(&model), &mut g);
        assert_close(&g, &bias(&model, &kin, &still), 1e-14);
        let [gradient, _, _] = by_duals(&model, [&q, &v, &v], &PotentialEnergy);
        assert_close(&g, &gradient, 1e-13);
    }
}
