//! Backward Euler on the points of the bodies: position-based dynamics, its integrals over every body in closed form.
//!
//! With X = (R, p) the pose of a body, x a point of it in its axes, α = h/h₋ and X₋ the pose a step of h₋ ago,
//!
//! ```text
//!     A = X⁺ − (1 + α) X + α X₋,   a(x) = (A_R x + A_p)/h² − gravity                 (1)
//!     G = Σ_bodies ∫ ρ (∂x⁺/∂q)ᵀ a dx                                                (2)
//!     K = Σ_bodies 1/(2h²) ∫ ρ |X⁺ x − X x|² dx                                      (3)
//! ```
//!
//! G is the derivative of an energy ½ h² ∫ ρ |a|² [PanManocha2018]. With the mass m, the first moment c = ∫ ρ x and the second
//! Σ = ∫ ρ x xᵀ, the wrench of a body about its origin is
//!
//! ```text
//!     f = ∫ ρ a = (A_R c + A_p m)/h² − m gravity                                     (4)
//!     N = ∫ ρ a (R x)ᵀ = ((A_R Σ + A_p cᵀ)/h² − gravity cᵀ) Rᵀ,   n_i = ε_ijk N_kj   (5)
//! ```
//!
//! and a turning α̂ and displacement u of the body change it by, with s = R c and Σ_W = R Σ Rᵀ,
//!
//! ```text
//!     δf = (−ŝ α + m u)/h²                                                           (6)
//!     δn = (Nᵀ − tr N + (tr Σ_W − Σ_W)/h²) α + ŝ u/h²                                (7)
//! ```
//!
//! Armature of a joint adds I (ν − v)/h, as in [`super::newton_euler`].

use super::Parts;
use crate::body_forces::{BodyForces, Mat6, cross_matrix, outer};
use crate::end_of_step::{EndOfStep, Start};
use stiction_dynamics::spatial::{Force, Mat3, Vec3, vec3};
use stiction_dynamics::{CrbaWorkspace, Kinematics, MassMatrix, Model, Poses, crba_into, integrate_into};

/// A pose as a matrix, or a sum of such.
#[derive(Clone, Copy, Debug)]
struct Placement {
    R: Mat3,
    p: Vec3,
}

impl Placement {
    fn of(poses: &Poses, body: usize) -> Self {
        Self { R: poses.R_WB[body], p: poses.X_WB[body].translation }
    }

    fn plus(self, scale: f64, other: Self) -> Self {
        Self { R: self.R + other.R * scale, p: self.p + other.p * scale }
    }
}

/// Moments of the density of a body, in its axes about its origin.
#[derive(Clone, Copy, Debug)]
struct Moments {
    mass: f64,
    first: Vec3,
    second: Mat3,
}

/// The integrals of the module, and a workspace.
#[derive(Clone, Debug)]
pub struct DisplacedPoints {
    moments: Vec<Moments>,
    poses: Poses,
    q_before: Vec<f64>,
    back: Vec<f64>,
    /// Per body: X, and (1 + α) X − α X₋.
    here: Vec<Placement>,
    coasting: Vec<Placement>,
    mass: MassMatrix,
    crba: CrbaWorkspace,
    momentum: BodyForces,
}

impl DisplacedPoints {
    /// For `model`.
    pub fn new(model: &Model) -> Self {
        let of_body = |body: &stiction_dynamics::Body| {
            let I = body.inertia.second.to_mat3();
            Moments {
                mass: body.inertia.mass,
                first: body.inertia.first,
                second: Mat3::IDENTITY * (0.5 * I.trace()) - I,
            }
        };
        let poses = Poses::new(model);
        let here: Vec<_> = (0..model.bodies.len()).map(|b| Placement::of(&poses, b)).collect();
        Self {
            moments: model.bodies.iter().map(of_body).collect(),
            q_before: model.neutral(),
            back: vec![0.0; model.nv()],
            coasting: here.clone(),
            here,
            poses,
            mass: MassMatrix::new(model),
            crba: CrbaWorkspace::new(model),
            momentum: BodyForces::new(model),
        }
    }

    /// Finds X, and X₋ from q ⊕ (−h₋ v).
    pub(super) fn begin(&mut self, model: &Model, start: &Start<'_>) {
        let alpha = start.h / start.last_h;
        for (back, v) in self.back.iter_mut().zip(start.v) {
            *back = -v;
        }
        integrate_into(model, start.q, &self.back, start.last_h, &mut self.q_before);
        self.poses.update(model, &self.q_before);
        for (b, coasting) in self.coasting.iter_mut().enumerate() {
            *coasting = Placement::of(&self.poses, b);
        }
        self.poses.update(model, start.q);
        for (b, (here, coasting)) in self.here.iter_mut().zip(&mut self.coasting).enumerate() {
            *here = Placement::of(&self.poses, b);
            let before = *coasting;
            let still = Placement { R: Mat3::ZERO, p: Vec3::ZERO };
            *coasting = still.plus(1.0 + alpha, *here).plus(-alpha, before);
        }
    }

    /// Adds (2) and its derivatives, (6) and (7).
    #[inline(always)]
    pub(super) fn add(
        &mut self,
        model: &Model,
        start: &Start<'_>,
        end: &EndOfStep,
        nu: &[f64],
        parts: &mut Parts<'_>,
    ) {
        let (h, nv) = (start.h, model.nv());
        let (per_h2, gravity) = (1.0 / (h * h), model.gravity);
        for (b, (moments, coasting)) in self.moments.iter().zip(&self.coasting).enumerate() {
            let A = Placement::of(&end.kin, b).plus(-1.0, *coasting); // (1)
            let R = end.kin.R_WB[b];
            let f = (A.R * moments.first + A.p * moments.mass) * per_h2 - gravity * moments.mass; // (4)
            let N = moments.field(A, per_h2, gravity) * R.transpose(); // (5)
            let r = end.kin.X_WB[b].translation - end.kin.reference[model.bodies[b].tree];
            parts.forces.add_force(b, Force::new(turning(&N) + r.cross(f), f));
            let s = cross_matrix(R * moments.first) * per_h2;
            let S_W = R * moments.second * R.transpose();
            let inertia = (Mat3::IDENTITY * S_W.trace() - S_W) * per_h2;
            let slope = Mat6 {
                aa: N.transpose() - Mat3::IDENTITY * N.trace() + inertia, // (7)
                al: s,
                la: s * -1.0, // (6)
                ll: Mat3::IDENTITY * (moments.mass * per_h2),
            };
            parts.forces.add_slope(b, &slope.about_reference(r, f));
        }
        for (i, dof) in model.dofs.iter().enumerate() {
            parts.g[i] += dof.armature * (nu[i] - start.v[i]) / h;
            parts.by_v[i * nv + i] += dof.armature / h;
        }
        self.find_mass(model, &end.kin);
    }

    #[inline(always)]
    fn find_mass(&mut self, model: &Model, kin: &Kinematics) {
        crba_into(model, kin, &mut self.crba, &mut self.mass);
    }

    /// The kinetic energy (3), with its derivatives.
    pub(super) fn kinetic_energy(
        &mut self,
        model: &Model,
        start: &Start<'_>,
        end: &EndOfStep,
        nu: &[f64],
        [by_q, by_v]: [&mut [f64]; 2],
    ) -> f64 {
        let per_h = 1.0 / start.h;
        let mut energy = 0.0;
        self.momentum.clear();
        for (b, (moments, here)) in self.moments.iter().zip(&self.here).enumerate() {
            let V = Placement::of(&end.kin, b).plus(-1.0, *here);
            let R = end.kin.R_WB[b];
            let p = (V.R * moments.first + V.p * moments.mass) * per_h;
            let field = moments.field(V, per_h, Vec3::ZERO); // ∫ ρ ẋ xᵀ
            let r = end.kin.X_WB[b].translation - end.kin.reference[model.bodies[b].tree];
            let moment = turning(&(field * R.transpose())) + r.cross(p);
            // ∂K/∂q = ∫ ρ (∂x⁺/∂q)ᵀ ẋ / h
            self.momentum.add_force(b, Force::new(moment, p) * per_h);
            let rows = |k: usize| V.R.rows[k].dot(field.rows[k]);
            energy += 0.5 * per_h * (rows(0) + rows(1) + rows(2) + V.p.dot(p));
        }
        self.momentum.gather(model);
        self.momentum.add_efforts(model, &end.kin, 1.0, by_q);
        for (i, dof) in model.dofs.iter().enumerate() {
            by_v[i] += dof.armature * nu[i];
            energy += 0.5 * dof.armature * nu[i] * nu[i];
        }
        energy
    }

    pub(super) fn mass(&self) -> &MassMatrix {
        &self.mass
    }
}

impl Moments {
    /// ∫ ρ (scale · (A_R x + A_p) − b) xᵀ.
    fn field(&self, A: Placement, scale: f64, b: Vec3) -> Mat3 {
        (A.R * self.second + outer(A.p, self.first)) * scale - outer(b, self.first)
    }
}

/// The moment n of (5).
fn turning(N: &Mat3) -> Vec3 {
    let N = |i: usize, j: usize| N.rows[i][j];
    vec3(N(2, 1) - N(1, 2), N(0, 2) - N(2, 0), N(1, 0) - N(0, 1))
}
