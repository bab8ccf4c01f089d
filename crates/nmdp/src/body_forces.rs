//! Forces on bodies that depend on their poses, the joint efforts they make, and the derivatives of these.
//!
//! Everything is about the reference point O of the body's tree, in world axes ([`stiction_dynamics::Poses`]). A body
//! displaced by the twist ξ = (α, λ) about O changes its wrench F = (n, f) by K ξ. With F and K summed over all that
//! dof i moves, and S its column,
//!
//! ```text
//!     τ_i = S_i · F                                                                  (1)
//!     ∂τ_i/∂q_j = S_i · K S_j + (S_j × S_i) · F     j before i, or of the same motion  (2)
//!     ∂τ_j/∂q_i = S_j · K S_i                       j before i                       (3)
//! ```
//!
//! since a displacement along q_j turns the columns of later motions by S_j × S_i [Singh2022]. A wrench (n_P, f) at a
//! point P fixed in the body, r = p − O, whose derivatives by the turning α and the displacement u = λ + α × r of P are
//! the blocks of Q, is about O
//!
//! ```text
//!     F = (n_P + r × f, f),   δF = (δn_P + u × f + r × δf, δf)                       (4)
//! ```
//!
//! Units: N, N·m; derivatives per metre and per radian. Cost O(nv · depth); nothing allocates after set-up.

use stiction_dynamics::spatial::{Force, Mat3, Motion, Vec3, vec3};
use stiction_dynamics::{JointKind, Model, Poses};

/// A 6×6 matrix that takes twists (angular first) to wrenches, in 3×3 blocks.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Mat6 {
    /// Moment by turning [N·m].
    pub aa: Mat3,
    /// Moment by displacement [N].
    pub al: Mat3,
    /// Force by turning [N].
    pub la: Mat3,
    /// Force by displacement [N/m].
    pub ll: Mat3,
}

impl Mat6 {
    /// The zero matrix.
    pub const ZERO: Self = Self { aa: Mat3::ZERO, al: Mat3::ZERO, la: Mat3::ZERO, ll: Mat3::ZERO };

    /// The wrench K ξ.
    #[inline]
    pub fn times(&self, xi: Motion) -> Force {
        let (a, l) = (xi.angular, xi.linear);
        Force::new(self.aa * a + self.al * l, self.la * a + self.ll * l)
    }

    /// The covector Kᵀ ξ, as a wrench.
    #[inline]
    pub fn transposed_times(&self, xi: Motion) -> Force {
        let (a, l) = (xi.angular, xi.linear);
        Force::new(
            self.aa.transpose_mul(a) + self.la.transpose_mul(l),
            self.al.transpose_mul(a) + self.ll.transpose_mul(l),
        )
    }

    /// Adds `other`.
    #[inline]
    pub fn add(&mut self, other: &Self) {
        self.aa = self.aa + other.aa;
        self.al = self.al + other.al;
        self.la = self.la + other.la;
        self.ll = self.ll + other.ll;
    }

    /// Changes its sign.
    #[inline]
    pub fn negate(&mut self) {
        *self = Self { aa: self.aa * -1.0, al: self.al * -1.0, la: self.la * -1.0, ll: self.ll * -1.0 };
    }

    /// (4): what Q of a wrench with the force `f` at O + `r` is about O.
    #[inline]
    pub fn about_reference(&self, r: Vec3, f: Vec3) -> Self {
        let (rx, fx) = (cross_matrix(r), cross_matrix(f));
        let ll = self.ll;
        let la = self.la - ll * rx;
        let al = self.al + rx * ll - fx;
        let aa = self.aa + rx * self.la - al * rx;
        Self { aa, al, la, ll }
    }
}

/// The matrix of v ×.
#[inline]
pub fn cross_matrix(v: Vec3) -> Mat3 {
    Mat3 { rows: [vec3(0.0, -v.z, v.y), vec3(v.z, 0.0, -v.x), vec3(-v.y, v.x, 0.0)] }
}

/// The matrix a bᵀ.
#[inline]
pub fn outer(a: Vec3, b: Vec3) -> Mat3 {
    Mat3 { rows: [b * a.x, b * a.y, b * a.z] }
}

/// Wrenches on the bodies of a model and their derivatives; see the module.
#[derive(Clone, Debug)]
pub struct BodyForces {
    /// Per body: F; of all it carries after [`Self::gather`].
    force: Vec<Force>,
    /// Per body: K, likewise.
    slope: Vec<Mat6>,
    /// Per dof: number of its motion; the axes of a ball or of a free body's rotation are one.
    motion: Vec<usize>,
}

impl BodyForces {
    /// No forces on the bodies of `model`.
    pub fn new(model: &Model) -> Self {
        let mut motion = vec![0; model.nv()];
        let mut next = 0;
        for joint in &model.joints {
            let lengths: &[usize] = match joint.kind {
                JointKind::Hinge | JointKind::Slide | JointKind::Screw => &[1],
                JointKind::Ball => &[3],
                JointKind::Free => &[3, 3],
            };
            let mut dof = joint.idx_v;
            for &length in lengths {
                motion[dof..dof + length].fill(next);
                dof += length;
                next += 1;
            }
        }
        let nb = model.bodies.len();
        Self { force: vec![Force::new(Vec3::ZERO, Vec3::ZERO); nb], slope: vec![Mat6::ZERO; nb], motion }
    }

    /// Removes all forces.
    pub fn clear(&mut self) {
        self.force.fill(Force::new(Vec3::ZERO, Vec3::ZERO));
        self.slope.fill(Mat6::ZERO);
    }

    /// Adds a wrench on `body` about the reference of its tree.
    #[inline]
    pub fn add_force(&mut self, body: usize, force: Force) {
        self.force[body] += force;
    }

    /// Adds a derivative of the wrench on `body`, about the reference of its tree.
    #[inline]
    pub fn add_slope(&mut self, body: usize, slope: &Mat6) {
        self.slope[body].add(slope);
    }

    /// Adds to every body what it carries, once all were added.
    pub fn gather(&mut self, model: &Model) {
        for b in (0..self.force.len()).rev() {
            if let Some(p) = model.bodies[b].parent {
                let (force, slope) = (self.force[b], self.slope[b]);
                self.force[p] += force;
                self.slope[p].add(&slope);
            }
        }
    }

    /// Adds (1) times `scale` to `tau`, after [`Self::gather`].
    pub fn add_efforts(&self, model: &Model, kin: &Poses, scale: f64, tau: &mut [f64]) {
        for (tau, (dof, S)) in tau.iter_mut().zip(model.dofs.iter().zip(&kin.S)) {
            *tau += scale * S.dot(self.force[dof.body]);
        }
    }

    /// Adds (2) and (3) times `scale` to `out`, nv×nv by rows, after [`Self::gather`].
    #[inline(always)]
    pub fn add_derivative(&self, model: &Model, kin: &Poses, scale: f64, out: &mut [f64]) {
        let nv = model.nv();
        for (i, dof) in model.dofs.iter().enumerate() {
            let (F, K, S_i) = (self.force[dof.body], &self.slope[dof.body], kin.S[i]);
            // (S_j × S_i) · F = S_j · (S_i ×* F)
            let turned = S_i.cross_force(F);
            let row = (K.transposed_times(S_i) + turned) * scale;
            let column = K.times(S_i) * scale;
            let column_of_motion = column - turned * scale;
            out[i * nv + i] += S_i.dot(row);
            let mut next = dof.parent;
            while let Some(j) = next {
                let S_j = kin.S[j];
                out[i * nv + j] += S_j.dot(row); // (2)
                let column = if self.motion[i] == self.motion[j] { column_of_motion } else { column };
                out[j * nv + i] += S_j.dot(column); // (3), or (2) with i and j exchanged
                next = model.dofs[j].parent;
            }
        }
    }
}
