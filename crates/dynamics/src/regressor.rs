//! Regressors: efforts and energies as linear functions of the inertial parameters.
//!
//! The ten parameters of a body, about its origin Bo and in its axes, in the order of
//! [`Inertia::parameters`]:
//!
//! ```text
//!     π = (m, h_x, h_y, h_z, I_xx, I_xy, I_yy, I_xz, I_yz, I_zz),   h = m c    (1)
//! ```
//!
//! With ω, α and the proper acceleration a of Bo, all in axes of B, the force that moves it is
//!
//! ```text
//!     f = m a + α × h + ω × (ω × h)                                     (2)
//!     n = I α + ω × I ω + h × a,   about Bo                             (3)
//! ```
//!
//! linear in π: the body regressor. Projected on the columns of the joints it gives Y with
//! Y(q, v, v̇) π = τ, armature excluded [Atkeson1986]. Energies likewise:
//!
//! ```text
//!     T = ½ m v·v + h·(v × ω) + ½ ω·I ω,   U = −m γ·p_WBo − h·Rᵀγ        (4)
//! ```

use crate::acceleration::Accelerations;
use crate::kinematics::Kinematics;
use crate::model::Model;
use crate::real::Real;
use crate::spatial::{Force, Inertia, Motion, Vec3, vec3};
use crate::velocity::Velocities;

/// Parameters per body.
const TEN: usize = 10;

impl<T: Real> Inertia<T> {
    /// (1): mass, first moment, second moment in the order xx, xy, yy, xz, yz, zz.
    pub fn parameters(&self) -> [T; 10] {
        let (h, I) = (self.first, self.second);
        [self.mass, h.x, h.y, h.z, I.xx, I.xy, I.yy, I.xz, I.yz, I.zz]
    }
}

/// The force that moves `body` per unit of each parameter, in axes of B about Bo: (2), (3).
#[inline(always)]
pub fn body_regressor<T: Real>(
    kin: &Kinematics<T>,
    vel: &Velocities<T>,
    acc: &Accelerations<T>,
    body: usize,
) -> [Force<T>; 10] {
    let (R, p, V, A) = (&kin.R_WB[body], kin.p_OB[body], vel.V[body], acc.A[body]);
    let (w, alpha) = (R.transpose_mul(V.angular), R.transpose_mul(A.angular));
    let a = R.transpose_mul(A.linear_at(p) + V.angular.cross(V.linear_at(p)));
    let at = BodyMotion { w, alpha, a };
    let [x, y, z] = axes(w.x);
    [
        Force::new(Vec3::zero(w.x), a),
        at.first(x),
        at.first(y),
        at.first(z),
        at.second(x * w.x, x * alpha.x),
        at.second(x * w.y + y * w.x, x * alpha.y + y * alpha.x),
        at.second(y * w.y, y * alpha.y),
        at.second(x * w.z + z * w.x, x * alpha.z + z * alpha.x),
        at.second(y * w.z + z * w.y, y * alpha.z + z * alpha.y),
        at.second(z * w.z, z * alpha.z),
    ]
}

/// Motion of a body in its own axes, a of its origin.
struct BodyMotion<T> {
    w: Vec3<T>,
    alpha: Vec3<T>,
    a: Vec3<T>,
}

impl<T: Real> BodyMotion<T> {
    /// Per unit of first moment along `e`.
    #[inline(always)]
    fn first(&self, e: Vec3<T>) -> Force<T> {
        Force::new(e.cross(self.a), self.alpha.cross(e) + self.w.cross(self.w.cross(e)))
    }

    /// Per unit of second moment, which makes I ω and I α.
    #[inline(always)]
    fn second(&self, I_w: Vec3<T>, I_alpha: Vec3<T>) -> Force<T> {
        Force::new(I_alpha + self.w.cross(I_w), Vec3::zero(self.a.x))
    }
}

/// Y(q, v, v̇): who holds one has run [`Self::update`].
#[derive(Clone, Debug)]
pub struct Regressor<T = f64> {
    /// nv rows of 10 nb, ten per body in the order of (1); zero where the dof does not move the
    /// body, not written there.
    pub entries: Vec<T>,
}

impl<T: Real> Regressor<T> {
    /// Zero.
    pub fn new(model: &Model<T>) -> Self {
        Self { entries: vec![model.kind(); model.nv() * TEN * model.bodies.len()] }
    }

    /// At the motion of the receipts.
    #[inline(always)]
    pub fn update(
        &mut self,
        model: &Model<T>,
        kin: &Kinematics<T>,
        vel: &Velocities<T>,
        acc: &Accelerations<T>,
    ) {
        let width = TEN * model.bodies.len();
        assert_eq!(self.entries.len(), model.nv() * width, "the regressor belongs to this model");
        for b in 0..model.bodies.len() {
            let forces = body_regressor(kin, vel, acc, b);
            let (R, p) = (&kin.R_WB[b], kin.p_OB[b]);
            for i in model.chain(Some(b)) {
                let S = kin.S[i];
                let s = Motion::new(R.transpose_mul(S.angular), R.transpose_mul(S.linear_at(p)));
                let entries = &mut self.entries[i * width + TEN * b..][..TEN];
                for (y, force) in entries.iter_mut().zip(&forces) {
                    *y = s.dot(*force);
                }
            }
        }
    }
}

/// Writes y, ten per body, with y · π = kinetic energy [J], armature excluded: (4).
#[inline(always)]
pub fn kinetic_energy_regressor_into<T: Real>(kin: &Kinematics<T>, vel: &Velocities<T>, y: &mut [T]) {
    assert_eq!(y.len(), TEN * kin.X_WB.len(), "ten parameters per body");
    for (b, y) in y.chunks_exact_mut(TEN).enumerate() {
        let (R, V) = (&kin.R_WB[b], vel.V[b]);
        let (w, v) = (R.transpose_mul(V.angular), R.transpose_mul(V.linear_at(kin.p_OB[b])));
        let (h, half) = (v.cross(w), w.x.like(0.5));
        y[0] = v.dot(v) * half;
        (y[1], y[2], y[3]) = (h.x, h.y, h.z);
        (y[4], y[5], y[6]) = (w.x * w.x * half, w.x * w.y, w.y * w.y * half);
        (y[7], y[8], y[9]) = (w.x * w.z, w.y * w.z, w.z * w.z * half);
    }
}

/// Writes y, ten per body, with y · π = potential energy [J] of the moving bodies: (4).
#[inline(always)]
pub fn potential_energy_regressor_into<T: Real>(model: &Model<T>, kin: &Kinematics<T>, y: &mut [T]) {
    assert_eq!(y.len(), TEN * kin.X_WB.len(), "ten parameters per body");
    for (b, y) in y.chunks_exact_mut(TEN).enumerate() {
        let h = kin.R_WB[b].transpose_mul(-model.gravity);
        y.fill(h.x.zero());
        y[0] = -model.gravity.dot(kin.X_WB[b].translation);
        (y[1], y[2], y[3]) = (h.x, h.y, h.z);
    }
}

#[inline(always)]
fn axes<T: Real>(kind: T) -> [Vec3<T>; 3] {
    let (o, l) = (kind.zero(), kind.one());
    [vec3(l, o, o), vec3(o, l, o), vec3(o, o, l)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::derivatives::testing::receipts;
    use crate::testing::*;

    fn parameters(model: &Model) -> Vec<f64> {
        model.bodies.iter().flat_map(|b| b.inertia.parameters()).collect()
    }

    #[test]
    fn efforts_and_energies_are_linear_in_the_parameters() {
        let model = random_trees(170, 18);
        let (q, v) = random_state(&model, 170);
        let a = Dice::new(170).vector(model.nv());
        let (kin, vel, _, acc) = receipts(&model, &q, &v, &a);
        let parameters = parameters(&model);

        let mut Y = Regressor::new(&model);
        Y.update(&model, &kin, &vel, &acc);
        let mut tau: Vec<f64> = Y.entries.chunks(parameters.len()).map(|row| dot(row, &parameters)).collect();
        tau.iter_mut().zip(&model.dofs).zip(&a).for_each(|((tau, dof), a)| *tau += dof.armature * a);
        assert_close(&tau, &rnea(&model, &kin, &vel, &a), 1e-13);

        let mut y = vec![f64::NAN; parameters.len()];
        kinetic_energy_regressor_into(&kin, &vel, &mut y);
        let mut bare = model.clone();
        bare.dofs.iter_mut().for_each(|d| d.armature = 0.0);
        assert_close(&[dot(&y, &parameters)], &[crate::kinetic_energy(&bare, &kin, &vel, &v)], 1e-13);
        potential_energy_regressor_into(&model, &kin, &mut y);
        assert_close(&[dot(&y, &parameters)], &[crate::potential_energy(&model, &kin)], 1e-13);
    }

    /// Y knows nothing of the model's own inertias.
    #[test]
    fn regressor_serves_any_parameters() {
        let model = random_trees(171, 10);
        let (q, v) = random_state(&model, 171);
        let (kin, vel, _, acc) = receipts(&model, &q, &v, &v);
        let mut Y = Regressor::new(&model);
        Y.update(&model, &kin, &vel, &acc);
        let mut other = model.clone();
        for (k, body) in other.bodies.iter_mut().enumerate() {
            body.inertia = Dice::new(1710 + k as u64).inertia();
        }
        let (kin, vel) = at(&other, &q, &v);
        let parameters = parameters(&other);
        let mut tau: Vec<f64> = Y.entries.chunks(parameters.len()).map(|row| dot(row, &parameters)).collect();
        tau.iter_mut().zip(&model.dofs).zip(&v).for_each(|((tau, dof), a)| *tau += dof.armature * a);
        assert_close(&tau, &rnea(&other, &kin, &vel, &v), 1e-13);
    }
}
