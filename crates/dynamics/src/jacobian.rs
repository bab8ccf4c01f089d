//! Jacobians of points and bodies and their rates, column by column along the chain to the root.
//!
//! ```text
//!     v_p = Σ_{i ∈ chain(B)} J_i v_i,   J_i = S_i.linear + S_i.angular × r,   r = p − O   (1)
//!     a_p = Σ J_i v̇_i + J̇_i v_i,   J̇_i = Ṡ_i.linear + Ṡ_i.angular × r + S_i.angular × v_p (2)
//! ```

use crate::model::Model;
use crate::poses::Poses;
use crate::rates::ColumnRates;
use crate::real::Real;
use crate::spatial::{Motion, Vec3};
use crate::velocity::Velocities;

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
pub fn jacobian_column<T: Real>(kin: &Poses<T>, dof: usize, tree: usize, p_W: Vec3<T>) -> Vec3<T> {
    kin.S[dof].linear_at(p_W - kin.reference[tree])
}

/// Writes the Jacobian (nv columns) of the point of `body` now at `p_W`, velocities in W.
#[inline(always)]
pub fn point_jacobian_into<T: Real>(
    model: &Model<T>,
    kin: &Poses<T>,
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
    kin: &Poses<T>,
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

/// Writes the rate of [`point_jacobian_into`] as the bodies move, the point being fixed in `body`: (2).
#[inline(always)]
pub fn point_jacobian_rate_into<T: Real>(
    model: &Model<T>,
    kin: &Poses<T>,
    vel: &Velocities<T>,
    rates: &ColumnRates<T>,
    body: Option<usize>,
    p_W: Vec3<T>,
    J_dot: &mut [Vec3<T>],
) {
    assert_eq!(J_dot.len(), model.nv(), "the rate of J has nv columns");
    J_dot.fill(Vec3::zero(model.kind()));
    let Some(b) = body else { return };
    let r = p_W - kin.reference[model.bodies[b].tree];
    let v_p = vel.V[b].linear_at(r);
    for i in model.chain(body) {
        J_dot[i] = rates.S_dot[i].linear_at(r) + kin.S[i].angular.cross(v_p);
    }
}

/// Writes the rate of [`body_jacobian_into`] as the bodies move.
#[inline(always)]
pub fn body_jacobian_rate_into<T: Real>(
    model: &Model<T>,
    kin: &Poses<T>,
    vel: &Velocities<T>,
    rates: &ColumnRates<T>,
    body: Option<usize>,
    J_dot: &mut [Motion<T>],
) {
    assert_eq!(J_dot.len(), model.nv(), "the rate of J has nv columns");
    J_dot.fill(Motion::zero(model.kind()));
    let Some(b) = body else { return };
    let r = kin.p_OB[b];
    let v_Bo = vel.V[b].linear_at(r);
    for i in model.chain(body) {
        let S_dot = rates.S_dot[i];
        J_dot[i] = Motion::new(S_dot.angular, S_dot.linear_at(r) + kin.S[i].angular.cross(v_Bo));
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

    /// Column by column against Jacobians a little before and after.
    #[test]
    fn rates_are_the_finite_differences() {
        let (model, h) = (random_trees(32, 16), 1e-5);
        let (n, (q, v)) = (model.nv(), random_state(&model, 32));
        let (kin, vel, rates, _) = crate::derivatives::testing::receipts(&model, &q, &v, &v);
        let p_B = vec3(0.3, -0.1, 0.7);
        for b in 0..model.bodies.len() {
            let sample = |h: f64| {
                let (k, _) = at(&model, &moved(&model, &q, &v, h), &v);
                let (mut J, mut J6) = (vec![Vec3::ZERO; n], vec![Motion::ZERO; n]);
                point_jacobian_into(&model, &k, Some(b), k.X_WB[b].transform(p_B), &mut J);
                body_jacobian_into(&model, &k, Some(b), &mut J6);
                (J, J6)
            };
            let ((J_a, J6_a), (J_b, J6_b)) = (sample(h), sample(-h));
            let (mut rate, mut rate6) = (vec![Vec3::X; n], vec![Motion::new(Vec3::X, Vec3::X); n]);
            let p_W = kin.X_WB[b].transform(p_B);
            point_jacobian_rate_into(&model, &kin, &vel, &rates, Some(b), p_W, &mut rate);
            body_jacobian_rate_into(&model, &kin, &vel, &rates, Some(b), &mut rate6);
            for i in 0..n {
                let (error, error6) =
                    ((J_a[i] - J_b[i]) * (0.5 / h) - rate[i], (J6_a[i] - J6_b[i]) * (0.5 / h) - rate6[i]);
                assert!(
                    error.norm() < 1e-8 && error6.angular.norm() + error6.linear.norm() < 1e-8,
                    "dof {i}"
                );
            }
        }
    }
}
