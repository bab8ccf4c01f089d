//! `ncp-smoothing`: the exact law by a smoothing homotopy with De Saxcé's derivative in the matrix.
//!
//! Finds impulses λ such that, for every contact i,
//!
//! ```text
//!     c = (G + R) λ + g                                               (1)
//!     K_μᵢ ∋ λᵢ ⟂ cᵢ + Γ(cᵢ) ∈ K_μᵢ*                                  (2)  [DeSaxce1998]
//! ```
//!
//! One unknown a contact puts x = T λ and y = (c_T, c_N/μ + ‖c_T‖_ε) on the curve x ∘ y = κ e in the Jordan algebra of
//! Lorentz cones [Fukushima2002], so that there is no boundary to fall short of, and κ goes to zero with a predictor. What
//! Newton's steps keep of the exact law is the derivative of De Saxcé's correction, which splittings, multipliers and
//! sequences of convex problems freeze; where μ is large the correction is no small one. Where the path turns back, steps
//! with a weakened derivative go on to the next branch: see [`crate::smoothing`].
//!
//! Impulses are in their cones after every step, so that it may be stopped at any time: on islands of 300 to 850 contacts
//! 15 factorisations leave about 10⁻² m/s, 30 leave 10⁻³ to 10⁻⁴. Nothing is proven of the convergence of the last digits.
//! A warm start is of no use to it.
//!
//! Units: λ [N·s], c and g [m/s], G and R [1/kg]. Contact axes (t₁, t₂, n). An iteration is one factorisation in the
//! velocities of trees, which is not symmetric, or of rows³. Allocates only when the problem grows.

use crate::iterate::Limits;
use crate::iterate_solver::{BY_FACTOR, IslandMethod, IslandSolver};
use crate::parameters::parameters;
use crate::smoothing::{Homotopy, Smoothing};
use crate::tuning::{SmoothingStart, SmoothingTuning};
use stiction_contact::{Law, Needs};

parameters! {
    /// Parameters of [`NcpSmoothing`].
    pub struct NcpSmoothingParams {
        /// Stop when the natural map of (2) is below this.
        tolerance: f64 = 1e-8, "m/s", above(0.0);
        /// Factorisations before giving up.
        max_iterations: u32 = 300, "–", at_least(1.0);
        /// Share of De Saxcé's derivative in the matrix while the answer is far; 1 is Newton's method, less walks over folds.
        derivative: f64 = SmoothingStart::default().derivative, "–", at_least(0.0).at_most(1.0);
        /// Proximal compliance as a share of ‖A_ii‖ and of what is left of the first residual; more is steadier and slower.
        proximal: f64 = SmoothingStart::default().proximal, "–", above(0.0).at_most(1.0);
        /// Numbers of the path and of further attempts.
        smoothing: SmoothingTuning = SmoothingTuning::default(), "–", by_type();
    }
}

/// The solver of this module.
pub type NcpSmoothing = IslandSolver<NcpSmoothingParams>;

impl IslandMethod for NcpSmoothingParams {
    type Method = Smoothing;
    const NAME: &'static str = "ncp-smoothing";
    const NEEDS: Needs = BY_FACTOR;

    fn law(&self) -> Law {
        Law::Ncp
    }

    fn limits(&self) -> Limits {
        Limits { tolerance: self.tolerance, max_iterations: self.max_iterations }
    }

    fn method(&self) -> Homotopy {
        let Self { derivative, proximal, smoothing: numbers, .. } = *self;
        Homotopy { start: SmoothingStart { derivative, proximal }, numbers }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{graded, stack, with_delassus_factor};
    use stiction_contact::certificate::certify;
    use stiction_contact::{ConstraintProblem, ContactSolver};
    use stiction_dynamics::spatial::vec3;

    /// Heavy on light, 1 : 10⁴, pushed, by rows and in trees.
    #[test]
    fn sliding_stacks_take_few_steps() {
        let problem = stack(&graded(5, 1.0, 1e4), vec3(1.0, 0.0, 0.0), 0.5);
        let mut known = ConstraintProblem::default();
        known.copy_rows_of(&with_delassus_factor(problem.clone()));
        for problem in [problem, known] {
            let mut impulses = vec![0.0; problem.rows()];
            let report =
                NcpSmoothing::new(NcpSmoothingParams::default()).unwrap().solve(&problem, &mut impulses);
            assert!(report.converged() && report.iterations < 60, "{report:?}");
            assert!(certify(&problem, &impulses).natural_map <= 1e-8);
        }
    }

    /// Whenever it is stopped, impulses are in their cones, and those returned are no worse than any before.
    #[test]
    fn it_may_be_stopped_at_any_time() {
        let problem = with_delassus_factor(stack(&[1.0, 5.0, 0.2, 3.0], vec3(0.8, 0.1, -0.5), 0.9));
        let mut last = f64::INFINITY;
        for max_iterations in 1..20 {
            let params = NcpSmoothingParams { max_iterations, ..NcpSmoothingParams::default() };
            let mut impulses = vec![0.0; problem.rows()];
            NcpSmoothing::new(params).unwrap().solve(&problem, &mut impulses);
            let certificate = certify(&problem, &impulses);
            assert!(certificate.cone_excess <= 1e-12, "{}", certificate.cone_excess);
            assert!(certificate.natural_map <= last * (1.0 + 1e-9), "{max_iterations}");
            last = certificate.natural_map;
        }
        assert!(last < 1e-8, "{last:e}");
    }
}
