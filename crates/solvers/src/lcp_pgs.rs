//! `lcp-pgs`: projected Gauss–Seidel on the friction pyramid, row by row, as Bullet and ODE do it.
//!
//! Finds impulses λ such that, for every contact i,
//!
//! ```text
//!     c = (G + R) λ + g                                               (1)
//!     0 ≤ λ_N ⟂ c_N ≥ 0,   λ_Tk = P_[−μλ_N, μλ_N](λ_Tk − ρ c_Tk),   k = 1, 2      (2)
//! ```
//!
//! One sweep visits the rows of the contacts in order, each with its own step; with A = (G + R)_ii,
//!
//! ```text
//!     λ_N ← max(0, λ_N − ω c_N/A_NN)                                  (3)
//!     λ_Tk ← P_[−μλ_N, μλ_N](λ_Tk − ω c_Tk/A_kk),   k = 1, 2          (4)
//! ```
//!
//! where every row knows the changes of the rows before. The square holds the friction disc: a body that
//! slides along a diagonal of t₁ and t₂ meets √2 μ λ_N, and friction pulls towards the diagonals. With
//! `step = "joint"` both tangential rows move at once, by the step that [LeLidec2023, Alg. 1] lists,
//!
//! ```text
//!     λ_T ← P_[−μλ_N, μλ_N]²(λ_T − ω c_T/ρ),   ρ = min(A_xx, A_yy)    (5)
//! ```
//!
//! which overshoots as that of `ncp-pgs` does. Nothing else
//! is done: no acceleration, no restarts, no other method at the end. Converges for small μ, and slowly for
//! long chains and large mass ratios. The law need not have a solution for large μ.
//!
//! `lcp-pgs-accelerated` adds Anderson steps and a second-order finish ([`crate::sweep`]).
//!
//! Units: λ [N·s], c and g [m/s], G, R and ρ [1/kg], ω [–]. Contact axes (t₁, t₂, n). Cost of a sweep:
//! one product with G. Allocates only when the problem grows.

use crate::local::Contact;
use crate::ncp_pgs::smaller_diagonal;
use crate::parameters::{choice, parameters};
use crate::sweep::{Rule, SweepMethod, SweepParams, SweepSolver};
use serde::{Deserialize, Serialize};
use stiction_contact::Law;

/// How the two tangential rows of a contact move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PyramidStep {
    /// One after another, each by its own step: (4).
    Rows,
    /// Both at once: (5) [LeLidec2023].
    Joint,
}
choice!(PyramidStep);

parameters! {
    /// Parameters of [`LcpPgs`].
    pub struct LcpPgsParams {
        /// Stop when the natural map of (2) is below this.
        tolerance: f64 = 1e-8, "m/s", above(0.0);
        /// Sweeps, and second-order steps if there are any, before giving up.
        max_iterations: u32 = 1000, "–", at_least(1.0);
        /// Over-relaxation ω; 1 is safe, 1.3 often faster.
        omega: f64 = 1.0, "–", above(0.0).below(2.0);
        /// How tangential rows move: `rows`, one after another as in Bullet and ODE, or `joint`, both by 1/min(A_xx, A_yy) as listed in
        /// the survey.
        step: PyramidStep = PyramidStep::Rows, "–", by_type();
        /// Earlier sweeps an Anderson step looks at; 0 takes none, 5 to 10 are typical.
        memory: usize = 0, "–", at_least(0.0).at_most(50.0);
        /// End with second-order steps (see `auto`).
        finish: bool = false, "–", by_type();
    }
}

/// The solver of this module.
pub type LcpPgs = SweepSolver<LcpPgsParams>;

impl SweepMethod for LcpPgsParams {
    type Rule = RowByRow;
    const NAME: &'static str = "lcp-pgs";
    const ACCELERATED: &'static str = "lcp-pgs-accelerated";
    const BY_FACTOR: bool = false;
    const TAKES_PATCHES: bool = false;

    fn rule(&self) -> RowByRow {
        RowByRow { omega: self.omega, step: self.step }
    }

    fn sweep(&self) -> SweepParams {
        let Self { tolerance, max_iterations, memory, finish, .. } = *self;
        SweepParams::accelerated(<Self::Rule as Rule>::LAW, tolerance, max_iterations, memory, finish)
    }
}

/// The rule of this module.
#[derive(Clone)]
pub struct RowByRow {
    omega: f64,
    step: PyramidStep,
}

impl Rule for RowByRow {
    const LAW: Law = Law::Pyramid;

    #[inline]
    fn answer(&self, contact: &Contact, lambda: [f64; 3], c: [f64; 3]) -> [f64; 3] {
        let a = &contact.a;
        let normal = (lambda[2] - self.omega * c[2] / a[8]).max(0.0); // (3)
        let d = normal - lambda[2];
        let side = contact.mu * normal;
        if self.step == PyramidStep::Joint {
            let step = self.omega / smaller_diagonal(a);
            let moved = |l: f64, c: f64| (l - step * c).clamp(-side, side); // (5)
            return [moved(lambda[0], c[0] + a[2] * d), moved(lambda[1], c[1] + a[5] * d), normal];
        }
        let row = |l: f64, c: f64, a: f64| {
            let x = if a > 0.0 { l - self.omega * c / a } else { l };
            if x > side {
                side
            } else if x < -side {
                -side
            } else {
                x
            }
        };
        let x = row(lambda[0], c[0] + a[2] * d, a[0]); // (4)
        let y = row(lambda[1], c[1] + a[5] * d + a[3] * (x - lambda[0]), a[4]);
        [x, y, normal]
    }
}

impl LcpPgsParams {
    /// Anderson steps and a second-order finish: `lcp-pgs-accelerated`.
    pub fn accelerated() -> Self {
        Self { memory: 8, finish: true, ..Self::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::point;
    use stiction_contact::ContactSolver;
    use stiction_contact::certificate::natural_map_of;

    /// A point of 2 kg pushed at 1 m/s in direction θ: the friction impulse has the length
    /// √2 μ λ_N of the square's corner, but along t₁, where only one row rubs.
    #[test]
    fn friction_depends_on_the_direction() {
        for plain in [true, false] {
            for (theta, length) in
                [(0.0_f64, 1.0), (0.3, 2_f64.sqrt()), (std::f64::consts::FRAC_PI_4, 2_f64.sqrt())]
            {
                let problem = point(2.0, 0.5, [theta.cos(), theta.sin(), -0.1]);
                let mut impulses = [0.0; 3];
                let params = match plain {
                    true => LcpPgsParams::default(),
                    false => LcpPgsParams::accelerated(),
                };
                assert!(LcpPgs::new(params).unwrap().solve(&problem, &mut impulses).converged());
                assert!(natural_map_of(&problem, &impulses, Law::Pyramid) <= 1e-8);
                let friction = impulses[0].hypot(impulses[1]);
                assert!((friction - length * 0.1).abs() < 1e-8 && (impulses[2] - 0.2).abs() < 1e-8);
            }
        }
    }

    /// The step of the survey's list comes to the same law.
    #[test]
    fn the_listed_step_meets_the_same_law() {
        for theta in [0.0_f64, 0.3, 1.2] {
            let problem = point(2.0, 0.5, [theta.cos(), theta.sin(), -0.1]);
            let answers = [PyramidStep::Rows, PyramidStep::Joint].map(|step| {
                let mut impulses = [0.0; 3];
                let params = LcpPgsParams { step, ..LcpPgsParams::default() };
                assert!(LcpPgs::new(params).unwrap().solve(&problem, &mut impulses).converged());
                assert!(natural_map_of(&problem, &impulses, Law::Pyramid) <= 1e-8);
                impulses
            });
            assert!((0..3).all(|i| (answers[0][i] - answers[1][i]).abs() < 1e-7), "{answers:?}");
        }
    }

    #[test]
    fn overrelaxation_has_a_range() {
        assert!(LcpPgs::new(LcpPgsParams { omega: 2.0, ..Default::default() }).is_err());
    }
}
