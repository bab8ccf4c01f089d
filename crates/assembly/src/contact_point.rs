//! One contact point: where two geometries touch, and by which rules.
//!
//! Where friction along t₁ is not what it is along t₂, μ₁ ≠ μ₂, the admissible forces are an elliptic cone,
//!
//! ```text
//!     (f₁/μ₁)² + (f₂/μ₂)² ≤ f_N²                                             (1)
//! ```
//!
//! With f_T = S λ_T, S = diag(μ₁/μ, μ₂/μ) and μ the larger, it is the round cone ‖λ_T‖ ≤ μ λ_N, and the rows of S J have
//! the velocities c_T = S u_T. Power is the same in both, λ_T · c_T = f_T · u_T, so that maximum dissipation over (1) is
//! maximum dissipation over the round cone: solvers and the judge see the latter, and only here is S known
//! [Todorov2014].

use crate::laws::coplanar::Face;
use crate::laws::restitution::Restitution;
use crate::laws::turning::turning_axes;
use crate::laws::yielding::Spring;
use stiction_contact::Cone;
use stiction_dynamics::spatial::Vec3;
use stiction_world::Compliance;

/// One contact point. The frame is (t1, t2, n), n from A to B; see CONVENTIONS.md.
#[derive(Clone, Copy, Debug)]
pub struct ContactPoint {
    /// Geometries A and B, indices into `world.geometries`.
    pub geometries: [usize; 2],
    /// Bodies that carry them; `None`: the world.
    pub bodies: [Option<usize>; 2],
    /// Stable name of the touching features within the pair.
    pub feature: u32,
    /// In W [m]: (1) of the module, in the plane of its face ([`crate::coplanar`]).
    pub position: Vec3,
    pub t1: Vec3,
    pub t2: Vec3,
    pub n: Vec3,
    /// φ [m]; negative overlaps.
    pub gap: f64,
    /// What it shares with the points of its face.
    pub face: Face,
    /// μ [–].
    pub friction: f64,
    /// Coefficient of what sticks, where the surfaces state one; laws with one coefficient do not read it [–].
    pub static_friction: Option<f64>,
    /// μ₁/μ and μ₂/μ of (1) [–].
    pub stretch: [f64; 2],
    /// e [–].
    pub restitution: f64,
    /// How deep the two may overlap, for a step, before they bounce at e = 1 [m]; see [`crate::laws::restitution`].
    pub bounce_depth: f64,
    /// Friction against spinning about n and rolling about t1 and t2, torque over normal force [m]; zeros: none.
    pub turning: [f64; 3],
    /// How it yields under laws that are rigid of themselves.
    pub spring: Option<Spring>,
    /// The part of a patch that it stands for where the two meet by pressure; then `spring` is that of the pressure.
    pub patch: Option<PatchPart>,
    /// Others of its pair span the contact area, nearly: it counts where it has borne something.
    pub redundant: bool,
}

/// The part of a patch that a contact point stands for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PatchPart {
    /// Area that it stands for [m²].
    pub area: f64,
    /// Elastic stiffness along the normal [N/m].
    pub stiffness: f64,
    /// Hunt and Crossley's dissipation of the pair [s/m]; `None` where none is stated.
    pub dissipation: Option<f64>,
    /// Relaxation time of linear dissipation of the pair [s]; `None` where none is stated.
    pub relaxation: Option<f64>,
}

impl ContactPoint {
    /// The admissible impulses.
    #[inline]
    pub fn cone(&self) -> Cone {
        match self.turning {
            _ if self.friction <= 0.0 => Cone::NonNegative,
            [0.0, 0.0, 0.0] => Cone::Friction { mu: self.friction },
            [_, roll, _] => Cone::Patch { mu: self.friction, rolls: roll > 0.0 },
        }
    }

    /// The axes of the first three rows: t₁ μ₁/μ, t₂ μ₂/μ, n.
    #[inline(always)]
    pub fn axes(&self) -> [Vec3; 3] {
        let [a, b] = self.stretch;
        [self.t1 * a, self.t2 * b, self.n]
    }

    /// The axes along which a force has the numbers of the first three rows: those of [`Self::axes`] over the square of
    /// their lengths.
    #[inline(always)]
    pub fn dual_axes(&self) -> [Vec3; 3] {
        let [a, b] = self.stretch;
        [self.t1 * (1.0 / a), self.t2 * (1.0 / b), self.n]
    }

    /// What the rows of a patch beyond the third turn about, times its length; see [`crate::laws::turning`].
    pub fn turning_axes(&self) -> [Vec3; 3] {
        turning_axes(self.turning, [self.t1, self.t2, self.n], self.friction)
    }

    /// How the two bounce.
    #[inline]
    pub fn bouncing(&self) -> Restitution {
        Restitution { coefficient: self.restitution, depth: self.bounce_depth }
    }

    /// Force and moment at the point, of the numbers of its rows.
    #[inline(always)]
    pub fn wrench(&self, rows: &[f64]) -> [Vec3; 2] {
        let force = match *rows {
            [t1, t2, n, ..] if self.friction > 0.0 => {
                let [a, b] = self.stretch;
                self.t1 * (a * t1) + self.t2 * (b * t2) + self.n * n
            }
            [n, ..] => self.n * n,
            [] => Vec3::ZERO,
        };
        let mut moment = Vec3::ZERO;
        if rows.len() > 3 {
            rows[3..].iter().zip(self.turning_axes()).for_each(|(x, turn)| moment += turn * *x);
        }
        [force, moment]
    }
}

impl Spring {
    /// What a surface states; Hunt and Crossley's dissipation counts where both are.
    pub fn stated(c: &Compliance) -> Option<Self> {
        let stiffness = c.stiffness.filter(|k| *k > 0.0)?;
        let relaxation = if c.dissipation.is_some() { 0.0 } else { c.relaxation.unwrap_or(0.0) };
        Some(Self { stiffness, relaxation, dissipation: c.dissipation.unwrap_or(0.0) })
    }
}
