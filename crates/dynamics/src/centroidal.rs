//! Centroidal dynamics: momentum about the centre of mass, of all trees together.
//!
//! The columns of the centroidal momentum matrix are the momenta of composite bodies, moved from
//! the reference point O of their tree to the common centre of mass, c = p_com − O [Orin2013]:
//!
//! ```text
//!     h_G = A_G v,   A_G,i = (n − c × f, f)  with  (n, f) = Iᶜ S_i       (1)
//!     ḣ_G = A_G v̇ + b,   b = Σ (n − c × f, f)  with  (n, f) = I A + V ×* I V at v̇ = 0 (2)
//!     ḣ_G = external forces about the centre of mass, weight among them
//!     J_com = f / m  of the columns of (1)                              (3)
//! ```
//!
//! b = Ȧ_G v. Momenta are angular first, in world axes [kg·m²/s, kg·m/s]. Rotors counted as
//! armature have no axis and are left out. Cost O(nb + nv); no allocation in
//! [`Centroidal::update`].

use crate::energy::mass_moment;
use crate::kinematics::Kinematics;
use crate::model::Model;
use crate::real::Real;
use crate::rnea::body_force;
use crate::spatial::{Force, Inertia, Mat3, Quat, Vec3};
use crate::velocity::Velocities;

/// Who holds one has run [`Self::update`].
#[derive(Clone, Debug)]
pub struct Centroidal<T = f64> {
    /// Centre of mass in W [m].
    pub com: Vec3<T>,
    /// All bodies as one about the centre of mass, in world axes; the first moment is zero.
    pub inertia: Inertia<T>,
    /// A_G, nv columns: (1).
    pub momentum_matrix: Vec<Force<T>>,
    /// b = Ȧ_G v: (2).
    pub bias: Force<T>,
    /// Per body: Iᶜ.
    composite: Vec<Inertia<T>>,
}

impl<T: Real> Centroidal<T> {
    /// Memory for a model; [`Self::update`] fills it.
    pub fn new(model: &Model<T>) -> Self {
        let kind = model.kind();
        Self {
            com: Vec3::zero(kind),
            inertia: Inertia::zero(kind),
            momentum_matrix: vec![Force::zero(kind); model.nv()],
            bias: Force::zero(kind),
            composite: vec![Inertia::zero(kind); model.bodies.len()],
        }
    }

    /// At the configuration and velocity of the receipts. Massless models have no centre: NaN.
    #[inline(always)]
    pub fn update(&mut self, model: &Model<T>, kin: &Kinematics<T>, vel: &Velocities<T>) {
        assert_eq!(self.momentum_matrix.len(), model.nv(), "the workspace belongs to this model");
        let (topology, kind) = (&kin.topology, model.kind());
        let (mass, moment) = mass_moment(kin, kind);
        self.com = moment * (mass.one() / mass);
        self.bias = Force::zero(kind);
        self.inertia = Inertia::zero(kind);
        self.composite.copy_from_slice(&kin.I);
        let upright: Mat3<T> = Quat::identity(kind).to_matrix();
        for b in (0..self.composite.len()).rev() {
            let Ic = self.composite[b];
            let c = self.com - kin.reference[topology.tree[b]];
            for i in topology.dofs[b].clone() {
                self.momentum_matrix[i] = about(c, Ic * kin.S[i]); // (1)
            }
            self.bias += about(c, body_force(&kin.I[b], vel.bias_acceleration[b], vel.V[b])); // (2)
            match topology.parent[b] {
                Some(p) => self.composite[p] += Ic,
                None => self.inertia += Ic.transformed(&upright, -c),
            }
        }
    }

    /// Writes (3), nv columns: velocity of the centre of mass in W.
    #[inline(always)]
    pub fn com_jacobian_into(&self, J: &mut [Vec3<T>]) {
        assert_eq!(J.len(), self.momentum_matrix.len(), "J has nv columns");
        let inverse = self.inertia.mass.one() / self.inertia.mass;
        for (J, h) in J.iter_mut().zip(&self.momentum_matrix) {
            *J = h.linear * inverse;
        }
    }
}

/// The force or momentum `f` about O, about O + c.
#[inline(always)]
fn about<T: Real>(c: Vec3<T>, f: Force<T>) -> Force<T> {
    Force::new(f.angular - c.cross(f.linear), f.linear)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::*;

    fn centroidal(model: &Model, q: &[f64], v: &[f64]) -> Centroidal {
        let (kin, vel) = at(model, q, v);
        let mut c = Centroidal::new(model);
        c.update(model, &kin, &vel);
        c
    }

    fn apply(c: &Centroidal, v: &[f64]) -> Force {
        c.momentum_matrix.iter().zip(v).fold(Force::ZERO, |sum, (h, v)| sum + *h * *v)
    }

    fn numbers(f: Force) -> Vec<f64> {
        [f.angular.to_array(), f.linear.to_array()].concat()
    }

    #[test]
    fn matrix_times_velocity_is_the_momentum() {
        let model = random_trees(160, 18);
        let (q, v) = random_state(&model, 160);
        let (kin, vel) = at(&model, &q, &v);
        let momentum = crate::momentum(&model, &kin, &vel);
        let expected = Force::new(momentum.angular, momentum.linear);
        assert_close(&numbers(apply(&centroidal(&model, &q, &v), &v)), &numbers(expected), 1e-13);
    }

    /// d/dt (A_G v) at v̇ = 0, by a central difference along the motion.
    #[test]
    fn bias_is_the_rate_of_the_momentum_at_constant_v() {
        let (model, h) = (random_trees(161, 18), 1e-5);
        let (q, v) = random_state(&model, 161);
        let momentum = |h: f64| apply(&centroidal(&model, &moved(&model, &q, &v, h), &v), &v);
        let rate = (momentum(h) - momentum(-h)) * (0.5 / h);
        assert_close(&numbers(centroidal(&model, &q, &v).bias), &numbers(rate), 1e-8);
    }

    /// One free body: its own mass, its own inertia about its centre of mass.
    #[test]
    fn a_single_body_is_its_own_composite() {
        let model = free_body();
        let (q, v) = random_state(&model, 162);
        let (kin, _) = at(&model, &q, &v);
        let c = centroidal(&model, &q, &v);
        let expected = model.bodies[0].inertia.about_com().rotated(&kin.R_WB[0]).to_mat3();
        for (a, b) in c.inertia.second.to_mat3().rows.iter().zip(expected.rows) {
            assert!((*a - b).norm() < 1e-14);
        }
        assert!(
            c.inertia.first.norm() < 1e-15 && (c.com - crate::centre_of_mass(&model, &kin)).norm() < 1e-15
        );
    }

    /// A turn of everything as one rigid body has the momentum I ω, none linear.
    #[test]
    fn inertia_is_that_of_the_locked_bodies() {
        let model = random_trees(163, 12);
        let (q, v) = random_state(&model, 163);
        let (kin, _) = at(&model, &q, &v);
        let (c, w) = (centroidal(&model, &q, &v), Dice::new(163).vec3());
        let mut L = Vec3::ZERO;
        for (b, body) in model.bodies.iter().enumerate() {
            let r = kin.X_WB[b].transform(body.inertia.com()) - c.com;
            L += body.inertia.about_com().rotated(&kin.R_WB[b]) * w + r.cross(w.cross(r)) * body.inertia.mass;
        }
        assert!((c.inertia.second * w - L).norm() < 1e-12);
    }

    #[test]
    fn com_jacobian_is_the_finite_difference() {
        let (model, h) = (random_trees(164, 12), 1e-6);
        let (q, v) = random_state(&model, 164);
        let mut J = vec![Vec3::ZERO; model.nv()];
        centroidal(&model, &q, &v).com_jacobian_into(&mut J);
        let com = |h: f64| centroidal(&model, &moved(&model, &q, &v, h), &v).com;
        let Jv = J.iter().zip(&v).fold(Vec3::ZERO, |sum, (J, v)| sum + *J * *v);
        assert!((Jv - (com(h) - com(-h)) * (0.5 / h)).norm() < 1e-8);
    }
}
