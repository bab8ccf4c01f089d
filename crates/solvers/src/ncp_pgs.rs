//! `ncp-pgs`: projected Gauss–Seidel on the exact law, normal before tangent.
//!
//! Finds impulses λ such that, for every contact i,
//!
//! ```text
//!     c = (G + R) λ + g                                               (1)
//!     K_μᵢ ∋ λᵢ ⟂ cᵢ + Γ(cᵢ) ∈ K_μᵢ*                                  (2)  [DeSaxce1998]
//! ```
//!
//! One sweep visits the contacts in order [Jourdan1998; LeLidec2023]; with A = (G + R)_ii,
//!
//! ```text
//!     λ_N ← max(0, λ_N − ω c_N/A_NN)                                  (3)
//!     λ_T ← P_D(μλ_N)(λ_T − ω c_T/ρ),   ρ = min(A_xx, A_yy)           (4)
//! ```
//!
//! where c_T in (4) already knows the change of λ_N, and D(r) is the disc of radius r. Fixed points of
//! (3)–(4) solve (2). Nothing else is done: no acceleration, no restarts, no other method at the end.
//! Sweeps converge for small μ, and slowly for long chains and large mass ratios. Where A_TT has an
//! eigenvalue above 2 ρ/ω, as on long lever arms, (4) overshoots and contacts that should stick do not come to
//! rest; with `step = "safe"`, ρ = λ_max(A_TT), it does not. A contact that cannot move along one tangent takes
//! the other's row for ρ.
//!
//! `ncp-pgs-accelerated` adds Anderson steps and the second-order finish of `auto` to sweeps of that safe step
//! ([`crate::sweep`]).
//!
//! Units: λ [N·s], c and g [m/s], G, R and ρ [1/kg], ω [–]. Contact axes (t₁, t₂, n). Cost of a sweep:
//! one product with G. Allocates only when the problem grows.

use crate::local::Contact;
use crate::parameters::{choice, parameters};
use crate::sweep::{Rule, SweepMethod, SweepParams, SweepSolver};
use serde::{Deserialize, Serialize};
use stiction_contact::Law;

/// ρ of (4).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TangentialStep {
    /// min(A_xx, A_yy) [LeLidec2023].
    Published,
    /// λ_max(A_TT): never overshoots.
    Safe,
}
choice!(TangentialStep);

parameters! {
    /// Parameters of [`NcpPgs`].
    pub struct NcpPgsParams {
        /// Stop when the natural map of (2) is below this.
        tolerance: f64 = 1e-8, "m/s", above(0.0);
        /// Sweeps, and second-order steps if there are any, before giving up.
        max_iterations: u32 = 1000, "–", at_least(1.0);
        /// Over-relaxation ω; 1 is safe, 1.3 often faster.
        omega: f64 = 1.0, "–", above(0.0).below(2.0);
        /// What tangential steps divide by, ρ of (4): `published` is min(A_xx, A_yy), `safe` is λ_max(A_TT), which never
        /// overshoots.
        step: TangentialStep = TangentialStep::Published, "–", by_type();
        /// Earlier sweeps an Anderson step looks at; 0 takes none, 5 to 10 are typical.
        memory: usize = 0, "–", at_least(0.0).at_most(50.0);
        /// End with second-order steps (see `auto`).
        finish: bool = false, "–", by_type();
    }
}

/// A row with less than this share of the other's A_kk does not move [–].
const STILL: f64 = 1e-12;

/// The solver of this module.
pub type NcpPgs = SweepSolver<NcpPgsParams>;

impl SweepMethod for NcpPgsParams {
    type Rule = NormalThenTangent;
    const NAME: &'static str = "ncp-pgs";
    const ACCELERATED: &'static str = "ncp-pgs-accelerated";
    const BY_FACTOR: bool = false;
    const TAKES_PATCHES: bool = true;

    fn rule(&self) -> NormalThenTangent {
        NormalThenTangent { omega: self.omega, step: self.step }
    }

    fn sweep(&self) -> SweepParams {
        let Self { tolerance, max_iterations, memory, finish, .. } = *self;
        SweepParams::accelerated(<Self::Rule as Rule>::LAW, tolerance, max_iterations, memory, finish)
    }
}

/// The rule of this module.
#[derive(Clone)]
pub struct NormalThenTangent {
    omega: f64,
    step: TangentialStep,
}

impl Rule for NormalThenTangent {
    const LAW: Law = Law::Ncp;

    #[inline]
    fn answer(&self, contact: &Contact, lambda: [f64; 3], c: [f64; 3]) -> [f64; 3] {
        let a = &contact.a;
        let normal = (lambda[2] - self.omega * c[2] / a[8]).max(0.0); // (3)
        let d = normal - lambda[2];
        let rho = match self.step {
            TangentialStep::Published => smaller_diagonal(a),
            TangentialStep::Safe => largest_eigenvalue(a),
        };
        let step = self.omega / rho;
        let x = lambda[0] - step * (c[0] + a[2] * d); // (4)
        let y = lambda[1] - step * (c[1] + a[5] * d);
        let (t, r) = ((x * x + y * y).sqrt(), contact.mu * normal);
        let s = if t > r { r / t } else { 1.0 };
        [s * x, s * y, normal]
    }
}

/// min(A_xx, A_yy) of the rows that move at all.
pub(crate) fn smaller_diagonal(a: &[f64; 9]) -> f64 {
    let (smaller, larger) = if a[0] < a[4] { (a[0], a[4]) } else { (a[4], a[0]) };
    if smaller > STILL * larger { smaller } else { larger }
}

/// λ_max of the symmetric part of A_TT.
fn largest_eigenvalue(a: &[f64; 9]) -> f64 {
    let (mean, half, off) = (0.5 * (a[0] + a[4]), 0.5 * (a[0] - a[4]), 0.5 * (a[1] + a[3]));
    mean + (half * half + off * off).sqrt()
}

impl NcpPgsParams {
    /// Anderson steps and a second-order finish, on sweeps that do not overshoot: `ncp-pgs-accelerated`.
    pub fn accelerated() -> Self {
        Self { memory: 8, finish: true, step: TangentialStep::Safe, ..Self::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{one_contact, point};
    use stiction_contact::ContactSolver;
    use stiction_contact::certificate::certify;

    fn solve(vx: f64, params: NcpPgsParams) -> [f64; 3] {
        let problem = point(2.0, 0.5, [vx, 0.0, -0.1]);
        let mut impulses = [0.0; 3];
        assert!(NcpPgs::new(params).unwrap().solve(&problem, &mut impulses).converged());
        assert!(certify(&problem, &impulses).natural_map <= 1e-8); // the judge, not our word
        impulses
    }

    #[test]
    fn sticks_inside_the_cone_and_slides_on_it() {
        for plain in [true, false] {
            let params = || match plain {
                true => NcpPgsParams::default(),
                false => NcpPgsParams::accelerated(),
            };
            let near = |a: [f64; 3], b: [f64; 3]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-7);
            assert!(near(solve(0.02, params()), [-0.04, 0.0, 0.2])); // c = 0, so λ = −m g
            assert!(near(solve(1.0, params()), [-0.1, 0.0, 0.2])); // λ_N = m·0.1, λ_T = −μ λ_N
        }
    }

    /// A contact that turns five times as easily along t₂, and should stick: the published step of t₂ is five times too
    /// long, the safe one is not.
    #[test]
    fn the_published_step_may_overshoot() {
        let problem = one_contact([1.0, 0.0, 0.0, 0.0, 5.0, 0.0, 0.0, 0.0, 1.0], [0.02, 0.02, -0.1], 0.5);
        let solve = |step| {
            let params = NcpPgsParams { step, ..Default::default() };
            NcpPgs::new(params).unwrap().solve(&problem, &mut [0.0; 3])
        };
        assert!(!solve(TangentialStep::Published).converged() && solve(TangentialStep::Safe).converged());
    }

    #[test]
    fn overrelaxation_has_a_range() {
        assert!(NcpPgs::new(NcpPgsParams { omega: 2.0, ..Default::default() }).is_err());
        assert!(NcpPgs::new(NcpPgsParams { omega: f64::NAN, ..Default::default() }).is_err());
    }
}
