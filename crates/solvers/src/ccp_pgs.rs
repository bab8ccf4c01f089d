//! `ccp-pgs`: projected Gauss–Seidel on the convex relaxation.
//!
//! Finds impulses λ such that, for every contact i,
//!
//! ```text
//!     c = (G + R) λ + g                                               (1)
//!     K_μᵢ ∋ λᵢ ⟂ cᵢ ∈ K_μᵢ*                                          (2)  [Anitescu2006]
//! ```
//!
//! the optimality conditions of min ½λᵀ(G + R)λ + gᵀλ over the cones [Tasora2011]. De Saxcé's
//! correction is missing: a sliding contact has c_N = μ‖c_T‖, so sliding bodies lift. A block sliding at
//! speed s leaves the ground at v_N = μ (s − μ g h)/(1 + μ²). The exact law is judged separately.
//! One sweep visits the contacts in order; with A = (G + R)_ii,
//!
//! ```text
//!     λᵢ ← P_K(λᵢ − ω ρ cᵢ),   ρ = 3/tr A                             (3)
//! ```
//!
//! and nothing else is done: no acceleration, no restarts, no other method at the end. Slow for long chains and
//! large mass ratios. Where A is nearly of rank one, ρ exceeds 2/‖A‖₂ and (3) overshoots; with `step = "safe"`,
//! ρ = min(3/tr A, 3/(2‖A‖_F)), every visit lowers the energy and sweeps converge.
//!
//! `ccp-pgs-accelerated` adds Anderson steps and an interior-point finish to sweeps of that safe step
//! ([`crate::sweep`]).
//!
//! Units: λ [N·s], c and g [m/s], G, R and 1/ρ [1/kg], ω [–]. Contact axes (t₁, t₂, n). Cost of a sweep:
//! one product with G. Allocates only when the problem grows.

use crate::local::Contact;
use crate::parameters::{choice, parameters};
use crate::sweep::{Rule, SweepMethod, SweepParams, SweepSolver};
use serde::{Deserialize, Serialize};
use stiction_contact::Law;
use stiction_contact::cone::project_friction;

/// ρ of (3).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Step {
    /// 3/tr A [Tasora2011].
    Published,
    /// The smaller of that and 3/(2‖A‖_F): never overshoots.
    Safe,
}
choice!(Step);

parameters! {
    /// Parameters of [`CcpPgs`].
    pub struct CcpPgsParams {
        /// Stop when the natural map of (2) is below this.
        tolerance: f64 = 1e-8, "m/s", above(0.0);
        /// Sweeps, and second-order steps if there are any, before giving up.
        max_iterations: u32 = 1000, "–", at_least(1.0);
        /// Relaxation ω; 1 is the published step.
        omega: f64 = 1.0, "–", above(0.0).below(4.0 / 3.0);
        /// The step ρ of (3): `published` is 3/tr A, `safe` no more than 3/(2‖A‖_F), which never overshoots.
        step: Step = Step::Published, "–", by_type();
        /// Earlier sweeps an Anderson step looks at; 0 takes none, 5 to 10 are typical.
        memory: usize = 0, "–", at_least(0.0).at_most(50.0);
        /// End with second-order steps (see `auto`).
        finish: bool = false, "–", by_type();
    }
}

/// The solver of this module.
pub type CcpPgs = SweepSolver<CcpPgsParams>;

impl SweepMethod for CcpPgsParams {
    type Rule = ProjectedStep;
    const NAME: &'static str = "ccp-pgs";
    const ACCELERATED: &'static str = "ccp-pgs-accelerated";
    const BY_FACTOR: bool = true;
    const TAKES_PATCHES: bool = false;

    fn rule(&self) -> ProjectedStep {
        ProjectedStep { omega: self.omega, step: self.step }
    }

    fn sweep(&self) -> SweepParams {
        let Self { tolerance, max_iterations, memory, finish, .. } = *self;
        SweepParams::accelerated(<Self::Rule as Rule>::LAW, tolerance, max_iterations, memory, finish)
    }
}

/// The rule of this module.
#[derive(Clone)]
pub struct ProjectedStep {
    omega: f64,
    step: Step,
}

impl Rule for ProjectedStep {
    const LAW: Law = Law::Ccp;

    #[inline]
    fn answer(&self, contact: &Contact, lambda: [f64; 3], c: [f64; 3]) -> [f64; 3] {
        let a = &contact.a;
        let published = 3.0 / (a[0] + a[4] + a[8]);
        let rho = match self.step {
            Step::Published => published,
            Step::Safe => published.min(1.5 / contact.norm),
        };
        let step = self.omega * rho;
        let target = [lambda[0] - step * c[0], lambda[1] - step * c[1], lambda[2] - step * c[2]];
        project_friction(target.into(), contact.mu).to_array() // (3)
    }
}

impl CcpPgsParams {
    /// Anderson steps and a second-order finish, on sweeps that do not overshoot: `ccp-pgs-accelerated`.
    pub fn accelerated() -> Self {
        Self { memory: 8, finish: true, step: Step::Safe, ..Self::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{self, GRAVITY, STEP, point};
    use stiction_contact::ContactSolver;
    use stiction_contact::certificate::{certify, natural_map_of};
    use stiction_dynamics::spatial::{Vec3, vec3};

    #[test]
    fn sticks_as_the_exact_law_does() {
        let problem = point(2.0, 0.5, [0.02, 0.0, -0.1]);
        let mut impulses = [0.0; 3];
        assert!(CcpPgs::new(CcpPgsParams::default()).unwrap().solve(&problem, &mut impulses).converged());
        assert!(certify(&problem, &impulses).natural_map <= 1e-8);
    }

    /// v_N⁺ = μ (s − μ g h)/(1 + μ²) for a box sliding at speed s.
    #[test]
    fn a_sliding_box_lifts_as_predicted() {
        for (s, mu) in [(1.0, 0.5), (6.0, 0.5), (2.0, 0.9)] {
            let problem = testing::cube(mu, vec3(s, 0.0, 0.0), Vec3::ZERO);
            let mut impulses = vec![0.0; problem.rows()];
            assert!(CcpPgs::new(CcpPgsParams::default()).unwrap().solve(&problem, &mut impulses).converged());
            assert!(natural_map_of(&problem, &impulses, Law::Ccp) <= 1e-8);
            let predicted = mu * (s - mu * GRAVITY * STEP) / (1.0 + mu * mu);
            // The mean over the corners is the velocity of the box's centre.
            let mut c = Vec::new();
            problem.velocities_into(&impulses, &mut c);
            let mean = c.chunks_exact(3).map(|c| c[2]).sum::<f64>() / 4.0;
            assert!((mean - predicted).abs() < 1e-7, "s {s}, mu {mu}: v_N {mean}, predicted {predicted}");
            assert!((certify(&problem, &impulses).lift - predicted).abs() < 0.1 * predicted);
        }
    }

    /// A contact that moves twenty times as easily along n: the published step is too long for it, the safe one is not.
    #[test]
    fn the_published_step_may_overshoot() {
        let a = [0.05, 0.0, 0.0, 0.0, 0.05, 0.0, 0.0, 0.0, 1.0];
        let problem = testing::one_contact(a, [1e-3, 0.0, -0.1], 0.5);
        let solve = |step| {
            let params = CcpPgsParams { step, ..Default::default() };
            CcpPgs::new(params).unwrap().solve(&problem, &mut [0.0; 3])
        };
        assert!(!solve(Step::Published).converged() && solve(Step::Safe).converged());
    }
}
