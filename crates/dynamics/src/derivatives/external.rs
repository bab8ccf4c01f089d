//! External forces on the bodies, and the derivatives of what they do to the joints.
//!
//! The force on body B is a moment n and a force f applied at the origin Bo of the body, both in
//! world axes; as the body moves they keep their direction and f moves along with Bo. With
//! p = p_OBo, sums over all that dof i moves, and
//!
//! ```text
//!     Fᶜ = Σ (n + p × f, f),   Gᶜ = Σ (p fᵀ − (p·f) 1)                   (1)
//!     τ_i = S_i · Fᶜ,   the components of Σ Jᵀ F                         (2)
//! ```
//!
//! a twist S_j displaces p by S_j.linear + S_j.angular × p, hence with S = (a, l), Fᶜ = (N, F):
//!
//! ```text
//!     ∂τ_i/∂q_j = a_j · (a_i × N + l_i × F + Gᶜᵀ a_i)    j before i or of the same motion
//!     ∂τ_j/∂q_i = a_j · (l_i × F + Gᶜ a_i)               j before i       (3)
//! ```
//!
//! Units: N·m, N.

use crate::kinematics::Kinematics;
use crate::mass_matrix::Pattern;
use crate::model::Model;
use crate::real::Real;
use crate::spatial::{Force, Mat3, Vec3};

/// Forces on the bodies of a model: who holds one has run [`Self::update`].
#[derive(Clone, Debug)]
pub struct ExternalForces<T = f64> {
    /// Per body: (1), of all it carries, about the tree's reference point.
    composite: Vec<(Force<T>, Mat3<T>)>,
}

impl<T: Real> ExternalForces<T> {
    /// None.
    pub fn new(model: &Model<T>) -> Self {
        let kind = model.kind();
        let zero = Vec3::zero(kind);
        Self { composite: vec![(Force::zero(kind), Mat3 { rows: [zero; 3] }); model.bodies.len()] }
    }

    /// With `forces[b]` on body b: moment and force at its origin, world axes.
    #[inline(always)]
    pub fn update(&mut self, kin: &Kinematics<T>, forces: &[Force<T>]) {
        assert_eq!(forces.len(), kin.X_WB.len(), "one force per body");
        assert_eq!(self.composite.len(), forces.len(), "the forces belong to this model");
        for (b, force) in forces.iter().enumerate() {
            let (p, f) = (kin.p_OB[b], force.linear);
            let d = p.dot(f);
            let mut G = Mat3 { rows: [f * p.x, f * p.y, f * p.z] };
            G.rows[0].x += -d;
            G.rows[1].y += -d;
            G.rows[2].z += -d;
            self.composite[b] = (Force::new(force.angular + p.cross(f), f), G); // (1)
        }
        for b in (0..forces.len()).rev() {
            if let Some(p) = kin.topology.parent[b] {
                let (F, G) = self.composite[b];
                self.composite[p].0 += F;
                self.composite[p].1 = self.composite[p].1 + G;
            }
        }
    }

    /// tau += Σ Jᵀ F, by (2).
    #[inline(always)]
    pub fn add_efforts(&self, kin: &Kinematics<T>, tau: &mut [T]) {
        assert_eq!(tau.len(), kin.S.len(), "the efforts have nv coordinates");
        for (dofs, (F, _)) in kin.topology.dofs.iter().zip(&self.composite) {
            for i in dofs.clone() {
                tau[i] += kin.S[i].dot(*F);
            }
        }
    }

    /// tau_q −= ∂(Σ Jᵀ F)/∂q, by (3).
    #[inline(always)]
    pub(super) fn subtract_derivative(&self, kin: &Kinematics<T>, pattern: &Pattern, tau_q: &mut [T]) {
        let (topology, nv) = (&kin.topology, kin.S.len());
        for (motions, (F, G)) in topology.motions.iter().zip(&self.composite) {
            for dofs in &topology.motion_dofs[motions.clone()] {
                for i in dofs.clone() {
                    let (a, l) = (kin.S[i].angular, kin.S[i].linear);
                    let push = l.cross(F.linear);
                    let row = a.cross(F.angular) + push + G.transpose_mul(a);
                    let column = push + *G * a;
                    for j in dofs.clone() {
                        tau_q[i * nv + j] -= kin.S[j].angular.dot(row);
                    }
                    for j in &pattern.columns(i)[i - dofs.start + 1..] {
                        let j = *j as usize;
                        tau_q[i * nv + j] -= kin.S[j].angular.dot(row);
                        tau_q[j * nv + i] -= kin.S[j].angular.dot(column);
                    }
                }
            }
        }
    }
}
