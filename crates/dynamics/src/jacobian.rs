//! Jacobians of points and bodies, column by column along the chain to the root.
//!
//! ```text
//!     v_p = Σ_{i ∈ chain(B)} J_i v_i,   J_i = S_i.linear + S_i.angular × (p − O)     (1)
//! ```

use crate::spatial::{Motion, Vec3};
use crate::{Kinematics, Model, Real};

impl<T> Model<T> {
    /// The dofs that move `body`, from it to the root, descending; none for the world.
    pub fn chain(&self, body: Option<usize>) -> impl Iterator<Item = usize> {
        let last = body.and_then(|b| self.bodies[b].dofs.clone().next_back());
        std::iter::successors(last, |i| self.dofs[*i].parent)
    }
}

/// (1): velocity in W, per unit v of `dof`, of the point now at `p_W` of a body that `dof` moves;
/// `tree` is the tree of both.
#[inline(always)]
pub fn jacobian_column<T: Real>(kin: &Kinematics<T>, dof: usize, tree: usize, p_W: Vec3<T>) -> Vec3<T> {
    kin.S[dof].linear_at(p_W - kin.reference[tree])
}

/// Writes the Jacobian (nv columns) of the point of `body` now at `p_W`, velocities in W.
#[inline(always)]
pub fn point_jacobian_into<T: Real>(
    model: &Model<T>,
    kin: &Kinematics<T>,
    body: Option<usize>,
    p_W: Vec3<T>,
    J: &mut [Vec3<T>],
) {
    assert_eq!(J.len(), model.nv(), "J has nv columns");
    J.fill(Vec3::zero(model.kind()));
    let Some(b) = body else { return };
    let r = p_W - kin.reference[model.bodies[b].tree];
    for i in model.chain(body) {
        J[i] = kin.S[i].linear_at(r);
    }
}

/// Writes the Jacobian (nv columns, six rows) of `body`: angular velocity and velocity of the
/// body's origin, both in W.
#[inline(always)]
pub fn body_jacobian_into<T: Real>(
    model: &Model<T>,
    kin: &Kinematics<T>,
    body: Option<usize>,
    J: &mut [Motion<T>],
) {
    assert_eq!(J.len(), model.nv(), "J has nv columns");
    J.fill(Motion::zero(model.kind()));
    let Some(b) = body else { return };
    for i in model.chain(body) {
        J[i] = Motion::new(kin.S[i].angular, kin.S[i].linear_at(kin.p_OB[b]));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spatial::vec3;
    use crate::testing::*;

    /// J v against a body-fixed point carried along by `integrate_into`.
    #[test]
    fn point_jacobian_is_the_finite_difference() {
        let (model, h) = (random_trees(30, 16), 1e-6);
        let (q, v) = random_state(&model, 30);
        let (kin, vel) = at(&model, &q, &v);
        let (ahead, _) = at(&model, &moved(&model, &q, &v, h), &v);
        let (behind, _) = at(&model, &moved(&model, &q, &v, -h), &v);
        let mut J = vec![Vec3::ZERO; model.nv()];
        for b in 0..model.bodies.len() {
            let p_B = vec3(0.3, -0.1, 0.7);
            let p_W = kin.X_WB[b].transform(p_B);
            point_jacobian_into(&model, &kin, Some(b), p_W, &mut J);
            let Jv = J.iter().zip(&v).fold(Vec3::ZERO, |s, (J, v)| s + *J * *v);
            let rate = (ahead.X_WB[b].transform(p_B) - behind.X_WB[b].transform(p_B)) * (0.5 / h);
            assert!((Jv - rate).norm() < 1e-8 * (1.0 + rate.norm()), "body {b}");
            assert!((Jv - crate::point_velocity(&kin, &vel, b, p_W)).norm() < 1e-13);
        }
    }

    #[test]
    fn body_jacobian_gives_the_velocity_of_the_origin() {
        let model = random_trees(31, 16);
        let (q, v) = random_state(&model, 31);
        let (kin, vel) = at(&model, &q, &v);
        let mut J = vec![Motion::ZERO; model.nv()];
        for b in 0..model.bodies.len() {
            body_jacobian_into(&model, &kin, Some(b), &mut J);
            let Jv = J.iter().zip(&v).fold(Motion::ZERO, |s, (J, v)| s + *J * *v);
            let expected = crate::point_velocity(&kin, &vel, b, kin.X_WB[b].translation);
            assert!((Jv.linear - expected).norm() + (Jv.angular - vel.V[b].angular).norm() < 1e-12);
        }
        body_jacobian_into(&model, &kin, None, &mut J);
        assert!(J.iter().all(|c| *c == Motion::ZERO), "the world does not move");
    }
}
