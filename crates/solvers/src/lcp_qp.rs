//! `lcp-qp`: the linear complementarity problem of polygonal friction as a quadratic programme.
//!
//! Finds impulses λ such that, for every contact i, with D_n(r) the regular polygon of n corners on the
//! circle of radius r,
//!
//! ```text
//!     c = (G + R) λ + g                                               (1)
//!     0 ≤ λ_N ⟂ c_N ≥ 0,   λ_T = P_D(λ_T − ρ c_T),   D = D_n(μ λ_N)           (2)  [StewartTrinkle1996]
//! ```
//!
//! Written with multipliers, (2) is the complementarity problem 0 ≤ z ⟂ M z + q ≥ 0, whose solutions are the
//! points where the programme
//!
//! ```text
//!     min zᵀ(M z + q)   subject to   z ≥ 0,   M z + q ≥ 0             (3)
//! ```
//!
//! reaches zero. The friction coefficients make (3) non-convex: a minimum above zero is no answer, and the
//! status then says `Stalled`. The interior-point iteration of [`crate::facets`], from five starting points
//! if need be. The interior tells which corners and contacts bear; now and then Newton's steps on (2) try to
//! finish from there. A step costs ⅔ rows³ per island whatever the number of facets; mass ratios and long
//! chains cost nothing. A warm start is used only if it is the answer.
//!
//! Units: λ [N·s], c and g [m/s], G and R [1/kg]. Contact axes (t₁, t₂, n). Allocates only when the problem
//! grows.

use crate::facets::{FacetsMethod, Form, Steps};
use crate::iterate::Limits;
use crate::iterate_solver::{IslandMethod, IslandSolver};
use crate::parameters::parameters;
use crate::tuning::FacetsTuning;
use stiction_contact::Law;

parameters! {
    /// Parameters of [`LcpQp`].
    pub struct LcpQpParams {
        /// Stop when the natural map of (2) is below this.
        tolerance: f64 = 1e-8, "m/s", above(0.0);
        /// Interior-point steps before giving up.
        max_iterations: u32 = 1000, "–", at_least(1.0);
        /// Corners n of the polygon: friction is too small by up to 1 − cos(π/n); 4, 8 and 16 are typical.
        facets: u32 = 8, "–", at_least(4.0).at_most(1024.0).even();
        /// Numbers of the interior-point iteration.
        interior: FacetsTuning = FacetsTuning::default(), "–", by_type();
    }
}

/// The solver of this module.
pub type LcpQp = IslandSolver<LcpQpParams>;

impl IslandMethod for LcpQpParams {
    type Method = FacetsMethod;
    const NAME: &'static str = "lcp-qp";

    fn law(&self) -> Law {
        Law::Facets { facets: self.facets }
    }

    fn limits(&self) -> Limits {
        Limits { tolerance: self.tolerance, max_iterations: self.max_iterations }
    }

    fn method(&self) -> Steps {
        Steps { form: Form::Dual, tuning: self.interior }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{graded, one_contact, point, stack};
    use stiction_contact::certificate::natural_map_of;
    use stiction_contact::{ConstraintProblem, ContactSolver, SolveReport};
    use stiction_dynamics::spatial::Vec3;

    fn solve(problem: &ConstraintProblem, facets: u32) -> (Vec<f64>, SolveReport) {
        let mut impulses = vec![0.0; problem.rows()];
        let params = LcpQpParams { facets, ..LcpQpParams::default() };
        let report = LcpQp::new(params).unwrap().solve(problem, &mut impulses);
        let own = natural_map_of(problem, &impulses, Law::Facets { facets });
        assert_eq!(report.converged(), own <= 1e-8, "{report:?}, by the judge {own:e}");
        (impulses, report)
    }

    fn near(a: &[f64], b: [f64; 3]) -> bool {
        a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-8)
    }

    /// A point of 2 kg that falls at 0.1 m/s: it sticks, slides towards a corner of the octagon, or leaves.
    #[test]
    fn a_point_by_hand() {
        assert!(near(&solve(&point(2.0, 0.5, [0.02, 0.0, -0.1]), 8).0, [-0.04, 0.0, 0.2])); // c = 0, so λ = −m g
        assert!(near(&solve(&point(2.0, 0.5, [1.0, 0.0, -0.1]), 8).0, [-0.1, 0.0, 0.2])); // λ_T = −μ λ_N
        assert!(near(&solve(&point(2.0, 0.5, [1.0, 0.0, 0.1]), 8).0, [0.0; 3]));
    }

    /// Friction is the corner of the polygon nearest to the direction against the slip: for slip at 30° and 4 corners the
    /// one on −t₁, for 8 corners that at 225°.
    #[test]
    fn friction_is_a_corner_of_the_polygon() {
        let (sin, cos) = 30_f64.to_radians().sin_cos();
        let problem = point(2.0, 0.5, [cos, sin, -0.1]);
        assert!(near(&solve(&problem, 4).0, [-0.1, 0.0, 0.2]));
        let side = 0.1 * std::f64::consts::FRAC_1_SQRT_2;
        assert!(near(&solve(&problem, 8).0, [-side, -side, 0.2]));
    }

    /// The steps hardly depend on the masses.
    #[test]
    fn mass_ratios_cost_nothing() {
        for last in [1.0, 1e2, 1e4] {
            let (_, report) = solve(&stack(&graded(5, 1.0, last), Vec3::ZERO, 0.5), 8);
            assert!(report.converged() && report.iterations < 60, "{last:e}: {report:?}");
        }
    }

    /// Nothing can hold a contact that no impulse moves: a minimum above zero is no answer, and is not called one.
    #[test]
    fn what_has_no_answer_is_not_solved() {
        let (_, report) = solve(&one_contact([0.0; 9], [0.0, 0.0, -0.1], 0.5), 8);
        assert!(!report.settled(), "{report:?}");
        assert!(LcpQp::new(LcpQpParams { facets: 7, ..LcpQpParams::default() }).is_err());
    }
}
