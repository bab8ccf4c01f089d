//! `anitescu-qp`: Anitescu's convex quadratic programme over polyhedral friction cones, primal or dual.
//!
//! Finds impulses λ such that, for every contact i, with d_j the n corners of the regular polygon on the unit
//! circle,
//!
//! ```text
//!     c = (G + R) λ + g                                               (1)
//!     λ = Σ β_j (μ d_j, 1),   0 ≤ β_j ⟂ c_N + μ d_j·c_T ≥ 0                   (2)  [Anitescu2006]
//! ```
//!
//! the optimality conditions of either programme, v with M (v − v_free) = Jᵀ λ:
//!
//! ```text
//!     primal    min ½ (v − v_free)ᵀ M (v − v_free)   subject to   c_N + μ d_j·c_T ≥ 0       (3)
//!     dual      min ½ λᵀ (G + R) λ + gᵀ λ            subject to   β ≥ 0                     (4)
//! ```
//!
//! Both are solved by the interior-point iteration of [`crate::facets`] and take the same steps but for
//! rounding; they differ in the matrix they factor, of as many rows as there are velocities or impulses:
//! ⅓ or ⅔ of its cube. De Saxcé's correction is missing and friction has corners: a body sliding at velocity
//! s lifts by μ d·s for the corner d nearest to −s.
//!
//! Units: λ [N·s], c and g [m/s], G and R [1/kg]. Contact axes (t₁, t₂, n). The primal form needs M and J, or
//! takes a root of a symmetric G. Allocates only when the problem grows.

pub use crate::facets::Form;
use crate::facets::{FacetsMethod, Steps};
use crate::iterate::Limits;
use crate::iterate_solver::{IslandMethod, IslandSolver};
use crate::parameters::parameters;
use crate::tuning::FacetsTuning;
use stiction_contact::Law;

parameters! {
    /// Parameters of [`AnitescuQp`].
    pub struct AnitescuQpParams {
        /// Stop when the natural map of (2) is below this.
        tolerance: f64 = 1e-8, "m/s", above(0.0);
        /// Interior-point steps before giving up.
        max_iterations: u32 = 1000, "–", at_least(1.0);
        /// Corners n of the polygon: friction is too small by up to 1 − cos(π/n); 4, 8 and 16 are typical.
        facets: u32 = 8, "–", at_least(4.0).at_most(1024.0).even();
        /// Which matrix a step factors: `primal` where there are fewer velocities than impulses, `dual` where
        /// there are more.
        form: Form = Form::Dual, "–", by_type();
        /// Numbers of the interior-point iteration.
        interior: FacetsTuning = FacetsTuning::default(), "–", by_type();
    }
}

/// The solver of this module.
pub type AnitescuQp = IslandSolver<AnitescuQpParams>;

impl IslandMethod for AnitescuQpParams {
    type Method = FacetsMethod;
    const NAME: &'static str = "anitescu-qp";

    fn law(&self) -> Law {
        Law::PolyhedralCcp { facets: self.facets }
    }

    fn limits(&self) -> Limits {
        Limits { tolerance: self.tolerance, max_iterations: self.max_iterations }
    }

    fn method(&self) -> Steps {
        Steps { form: self.form, tuning: self.interior }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{self, GRAVITY, STEP, heap, point};
    use crate::testing::{Vec3, vec3};
    use stiction_contact::certificate::natural_map_of;
    use stiction_contact::{ConstraintProblem, ContactSolver};

    fn solve(problem: &ConstraintProblem, facets: u32, form: Form) -> Vec<f64> {
        let mut impulses = vec![0.0; problem.rows()];
        let params = AnitescuQpParams { facets, form, ..Default::default() };
        let report = AnitescuQp::new(params).unwrap().solve(problem, &mut impulses);
        let own = natural_map_of(problem, &impulses, Law::PolyhedralCcp { facets });
        assert!(report.converged() && own <= 1e-8, "{report:?} {own}");
        impulses
    }

    /// A box sliding along a corner at speed s lifts at μ (s − μ g h)/(1 + μ²), as on the round cone. Its
    /// velocity is unique, whichever form is solved.
    #[test]
    fn a_sliding_box_lifts_as_predicted() {
        for form in [Form::Primal, Form::Dual] {
            let (s, mu) = (2.0, 0.5);
            let problem = testing::cube(mu, vec3(s, 0.0, 0.0), Vec3::ZERO);
            let mut c = Vec::new();
            problem.velocities_into(&solve(&problem, 8, form), &mut c);
            let mean = c.chunks_exact(3).map(|c| c[2]).sum::<f64>() / 4.0;
            assert!((mean - mu * (s - mu * GRAVITY * STEP) / (1.0 + mu * mu)).abs() < 1e-7, "{mean}");
        }
    }

    /// A point that slides between two corners lifts by μ cos(π/n) of its speed along the bisector, in the
    /// limit of no weight: c_N = −μ d·c_T for both corners d.
    #[test]
    fn between_corners_the_facet_is_met() {
        let facets = 4;
        let half = std::f64::consts::PI / f64::from(facets);
        let problem = point(1.0, 0.5, [half.cos(), half.sin(), 0.0]);
        let mut c = Vec::new();
        problem.velocities_into(&solve(&problem, facets, Form::Dual), &mut c);
        let (slip, kappa) = (c[0].hypot(c[1]), 0.5 * half.cos());
        assert!((c[2] - kappa * slip).abs() < 1e-8 && (c[2] - kappa / (1.0 + kappa * kappa)).abs() < 1e-8);
    }

    #[test]
    fn both_forms_agree() {
        for seed in 0..10 {
            let problem = heap(3, seed);
            let (mut a, mut b) = (Vec::new(), Vec::new());
            problem.velocities_into(&solve(&problem, 8, Form::Primal), &mut a);
            problem.velocities_into(&solve(&problem, 8, Form::Dual), &mut b);
            assert!(a.iter().zip(&b).all(|(a, b)| (a - b).abs() < 1e-6), "{seed}");
        }
    }
}
