//! Derivatives of the velocity and the acceleration of a point of a body.
//!
//! The point is fixed in the body: r = p − O, and a displacement S_j moves it by
//! δr = S_j.linear + S_j.angular × r. With δV and δA the derivatives of the body's velocity and
//! acceleration by the dofs of its chain (equations 3 and 4 of the module above):
//!
//! ```text
//!     v_p = V.linear + ω × r
//!     a_p = A.linear + α × r + ω × v_p + gravity                        (1)
//!     δv_p = δV.linear + δω × r + ω × δr                                (2)
//!     δa_p = δA.linear + δα × r + α × δr + δω × v_p + ω × δv_p          (3)
//! ```
//!
//! where δr = 0 for derivatives in v and v̇. Cost O(depth) and clearing nv columns; no allocation
//! in [`PointDerivatives::update`].

use crate::acceleration::Accelerations;
use crate::kinematics::Kinematics;
use crate::model::Model;
use crate::rates::ColumnRates;
use crate::real::Real;
use crate::spatial::{Motion, Vec3};
use crate::velocity::Velocities;

/// Derivatives of a point's motion, nv columns each, zero for dofs that do not move it: the
/// angular part belongs to the body, the linear part to the point, both in world axes. Who holds
/// one has run [`Self::update`].
#[derive(Clone, Debug)]
pub struct PointDerivatives<T = f64> {
    /// The Jacobian: derivatives of velocity by v, and of acceleration by v̇.
    pub J: Vec<Motion<T>>,
    /// Derivatives of the velocity by q, one column per dof.
    pub velocity_q: Vec<Motion<T>>,
    /// Derivatives of the acceleration by q, one column per dof.
    pub acceleration_q: Vec<Motion<T>>,
    /// Derivatives of the acceleration by v, one column per dof.
    pub acceleration_v: Vec<Motion<T>>,
}

/// Quantities of the point in (1) to (3).
struct Place<T> {
    r: Vec3<T>,
    V: Motion<T>,
    A: Motion<T>,
    v_p: Vec3<T>,
}

impl<T: Real> PointDerivatives<T> {
    /// Zero derivatives, as of a point that no joint moves.
    pub fn new(model: &Model<T>) -> Self {
        let zero = vec![Motion::zero(model.kind()); model.nv()];
        Self { J: zero.clone(), velocity_q: zero.clone(), acceleration_q: zero.clone(), acceleration_v: zero }
    }

    /// For the point of `body` now at `p_W`.
    #[inline(always)]
    #[allow(clippy::too_many_arguments)] // four receipts and a place
    pub fn update(
        &mut self,
        model: &Model<T>,
        kin: &Kinematics<T>,
        vel: &Velocities<T>,
        rates: &ColumnRates<T>,
        acc: &Accelerations<T>,
        body: usize,
        p_W: Vec3<T>,
    ) {
        assert_eq!(self.J.len(), model.nv(), "the derivatives belong to this model");
        for columns in [&mut self.J, &mut self.velocity_q, &mut self.acceleration_q, &mut self.acceleration_v]
        {
            columns.fill(Motion::zero(model.kind()));
        }
        let (r, V) = (p_W - kin.reference[kin.topology.tree[body]], vel.V[body]);
        let at = Place { r, V, A: acc.A[body], v_p: V.linear_at(r) };
        for j in model.chain(Some(body)) {
            let (S, S_dot, psi_dot) = (kin.S[j], rates.S_dot[j], rates.psi_dot[j]);
            self.J[j] = Motion::new(S.angular, S.linear_at(r));
            let turned = V.cross(S);
            self.velocity_q[j] = at.velocity(psi_dot - turned, S);
            self.acceleration_v[j] = at.acceleration(S_dot + psi_dot - turned, self.J[j]);
            let change = acc.psi_ddot[j] - V.cross(psi_dot) - at.A.cross(S);
            let mut by_q = at.acceleration(change, self.velocity_q[j]);
            by_q.linear += at.A.angular.cross(S.linear_at(r));
            self.acceleration_q[j] = by_q;
        }
    }
}

impl<T: Real> Place<T> {
    /// Derivative (2) of the velocity of the point.
    #[inline(always)]
    fn velocity(&self, dV: Motion<T>, S: Motion<T>) -> Motion<T> {
        Motion::new(dV.angular, dV.linear_at(self.r) + self.V.angular.cross(S.linear_at(self.r)))
    }

    /// (3) without the term of δr, from δA and (δω, δv_p).
    #[inline(always)]
    fn acceleration(&self, dA: Motion<T>, dv: Motion<T>) -> Motion<T> {
        let turn = dv.angular.cross(self.v_p) + self.V.angular.cross(dv.linear);
        Motion::new(dA.angular, dA.linear_at(self.r) + turn)
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::*;
    use super::*;
    use crate::testing::*;
    use crate::{point_acceleration, point_velocity};

    const P_B: Vec3 = crate::spatial::vec3(0.3, -0.2, 0.5);

    /// ω, v_p, α, a_p of one body, and where the point is.
    struct PointMotion(usize);
    impl Function for PointMotion {
        fn call<T: Real>(&self, model: &Model<T>, [q, v, a]: [&[T]; 3]) -> Vec<T> {
            let (kin, vel, _, acc) = receipts(model, q, v, a);
            let p = kin.X_WB[self.0].transform(P_B.cast(model.kind()));
            let v_p = point_velocity(&kin, &vel, self.0, p);
            let a_p = point_acceleration(model, &kin, &vel, &acc, self.0, p);
            let all = [vel.V[self.0].angular, v_p, acc.A[self.0].angular, a_p, p];
            all.into_iter().flat_map(|x| [x.x, x.y, x.z]).collect()
        }
    }

    fn rows(columns: &[Motion]) -> Vec<f64> {
        let row = |k: usize| columns.iter().map(move |c| if k < 3 { c.angular[k] } else { c.linear[k - 3] });
        (0..6).flat_map(row).collect()
    }

    #[test]
    fn agree_with_duals_and_differences() {
        let model = random_trees(110, 14);
        let (q, v) = random_state(&model, 110);
        let a = Dice::new(110).vector(model.nv());
        let (kin, vel, rates, acc) = receipts(&model, &q, &v, &a);
        let mut d = PointDerivatives::new(&model);
        for b in 0..model.bodies.len() {
            d.update(&model, &kin, &vel, &rates, &acc, b, kin.X_WB[b].transform(P_B));
            let velocity = 6 * model.nv();
            let acceleration = velocity..2 * velocity;
            let x: [&[f64]; 3] = [&q, &v, &a];
            let exact = by_duals(&model, x, &PointMotion(b));
            let about = by_differences(&model, x, &PointMotion(b));
            for (which, tolerance) in [(exact, 1e-13), (about, 1e-8)] {
                let [by_q, by_v, by_a] = which;
                assert_close(&rows(&d.velocity_q), &by_q[..velocity], tolerance);
                assert_close(&rows(&d.J), &by_v[..velocity], tolerance);
                assert_close(&rows(&d.acceleration_q), &by_q[acceleration.clone()], tolerance);
                assert_close(&rows(&d.acceleration_v), &by_v[acceleration.clone()], tolerance);
                assert_close(&rows(&d.J), &by_a[acceleration.clone()], tolerance);
                assert_close(&rows(&d.J)[3 * model.nv()..], &by_q[2 * velocity..], tolerance);
            }
        }
    }
}
