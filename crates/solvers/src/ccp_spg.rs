//! `ccp-spg`: spectral projected gradients on the convex relaxation, by products with G alone.
//!
//! Finds impulses λ such that, for every contact i,
//!
//! ```text
//!     c = (G + R) λ + g                                               (1)
//!     K_μᵢ ∋ λᵢ ⟂ cᵢ ∈ K_μᵢ*                                          (2)  [Anitescu2006]
//! ```
//!
//! the optimality conditions of min f(λ) = ½λᵀ(G + R)λ + gᵀλ over the cones, by the second of the two methods of
//! [Birgin2000]. Steps are as long as the curvature of the last one says [Barzilai1988], and f need not fall in each:
//!
//! ```text
//!     d = P_K(λ − α P² c) − λ,   P² = diag(1/‖A_ii‖)                  (3)
//!     λ⁺ = λ + t d,   f(λ⁺) ≤ max(f of the last m) + γ t c·d          (4)
//!     α⁺ = ‖s‖²_P / (s·(c⁺ − c)),   s = λ⁺ − λ                        (5)
//! ```
//!
//! P is one number per block, so cones keep their shape. Where t = 1 is too long, t is where f is least along d, or half as
//! long if that is not in 0.1 … 0.9 t; f is quadratic, so one product with G says all of (4). Contact problems were given to such steps in [Heyn2013]. Where
//! masses are apart by more than a thousand iterations are many, as of every method of gradients. Sliding bodies lift.
//!
//! Units: λ [N·s], c and g [m/s], G and R [1/kg]. Contact axes (t₁, t₂, n). An iteration costs about two products
//! with G. Allocates only when the problem grows, and inside products with an operator.

use crate::iterate::{Limits, Method};
use crate::iterate_solver::{IslandMethod, IslandSolver};
use crate::parameters::parameters;
use crate::task::Task;
use std::collections::VecDeque;
use stiction_contact::Law;

parameters! {
    /// Parameters of [`CcpSpg`].
    pub struct CcpSpgParams {
        /// Stop when the natural map of (2) is below this.
        tolerance: f64 = 1e-8, "m/s", above(0.0);
        /// Iterations before giving up.
        max_iterations: u32 = 1000, "–", at_least(1.0);
        /// m of (4): values of f of which a step must fall below the highest; with 1 f falls in every step.
        history: u32 = 10, "–", at_least(1.0).at_most(1000.0);
        /// γ of (4): share of the fall c·d at which a step is taken.
        sufficient: f64 = 1e-4, "–", above(0.0).below(0.5);
        /// Bound of α and of 1/α.
        longest: f64 = 1e10, "–", at_least(1.0);
    }
}

/// The solver of this module.
pub type CcpSpg = IslandSolver<CcpSpgParams>;

impl IslandMethod for CcpSpgParams {
    type Method = Spg;
    const NAME: &'static str = "ccp-spg";

    fn law(&self) -> Law {
        Law::Ccp
    }

    fn limits(&self) -> Limits {
        Limits { tolerance: self.tolerance, max_iterations: self.max_iterations }
    }

    fn method(&self) -> Self {
        *self
    }
}

#[derive(Default)]
pub struct Spg {
    /// P², per row.
    step: Vec<f64>,
    /// α [–].
    length: f64,
    /// f of the last iterates less f of this one, the oldest first.
    above: VecDeque<f64>,
    c: Vec<f64>,
    next: Vec<f64>,
    c_next: Vec<f64>,
}

impl Method for Spg {
    type Params = CcpSpgParams;
    const PATIENCE: u32 = 500;
    const BLOCKS: bool = false;

    fn start(&mut self, _: &CcpSpgParams, task: &Task, lambda: &[f64], c: &[f64]) -> bool {
        self.step.clear();
        for (cone, norm) in task.problem.cones().iter().zip(&task.stopping.norms) {
            self.step.extend(std::iter::repeat_n(1.0 / norm, cone.dim()));
        }
        self.c.clear();
        self.c.extend_from_slice(c);
        self.next.clear();
        self.next.resize(lambda.len(), 0.0);
        self.above.clear();
        self.above.push_back(0.0);
        self.length = 1.0;
        true
    }

    fn iterate(&mut self, params: &CcpSpgParams, task: &Task, lambda: &mut [f64]) -> bool {
        let problem = task.problem;
        for r in 0..lambda.len() {
            self.next[r] = lambda[r] - self.length * self.step[r] * self.c[r]; // (3)
        }
        for (i, cone) in problem.cones().iter().enumerate() {
            cone.project(&mut self.next[problem.range(i)]);
        }
        problem.velocities_into(&self.next, &mut self.c_next);
        let (mut slope, mut curvature, mut square) = (0.0, 0.0, 0.0);
        for r in 0..lambda.len() {
            let d = self.next[r] - lambda[r];
            slope += d * self.c[r];
            curvature += d * (self.c_next[r] - self.c[r]);
            square += d * d / self.step[r];
        }
        let change = |t: f64| t * (slope + 0.5 * t * curvature);
        let highest = self.above.iter().copied().fold(0.0, f64::max);
        let mut t = 1.0;
        // Where rounding is all that is left of d, no length is shorter than another.
        while slope < 0.0 && change(t) > highest + params.sufficient * t * slope {
            let least = -slope / curvature; // (4)
            t = if (0.1..=0.9 * t).contains(&least) { least } else { 0.5 * t };
        }
        for r in 0..lambda.len() {
            lambda[r] += t * (self.next[r] - lambda[r]);
            self.c[r] += t * (self.c_next[r] - self.c[r]);
        }
        // Both ends of (5) are t² times those of d.
        let longest = params.longest;
        self.length =
            if curvature > 0.0 { (square / curvature).clamp(1.0 / longest, longest) } else { longest };
        for above in &mut self.above {
            *above -= change(t);
        }
        if self.above.len() >= params.history as usize {
            self.above.pop_front();
        }
        self.above.push_back(0.0);
        square > 0.0 && lambda.iter().all(|l| l.is_finite())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ccp_ipm::{CcpIpm, CcpIpmParams};
    use crate::testing::{Vec3, cube, heap, vec3};
    use stiction_contact::certificate::natural_map_of;
    use stiction_contact::{ConstraintProblem, ContactSolver};

    fn solved(solver: &mut dyn ContactSolver, problem: &ConstraintProblem) -> Vec<f64> {
        let mut impulses = vec![0.0; problem.rows()];
        let report = solver.solve(problem, &mut impulses);
        assert!(report.converged(), "{}: {report:?}", solver.name());
        assert!(natural_map_of(problem, &impulses, Law::Ccp) <= 1.001e-8);
        let mut c = Vec::new();
        problem.velocities_into(&impulses, &mut c);
        c
    }

    /// The velocities of the relaxation are unique: interior points find the same, whether f falls in every step or not.
    #[test]
    fn velocities_are_those_of_interior_points() {
        let sliding = cube(0.5, vec3(2.0, 0.3, 0.0), Vec3::ZERO);
        for problem in [sliding, heap(4, 7)] {
            let expected = solved(&mut CcpIpm::new(CcpIpmParams::default()).unwrap(), &problem);
            for history in [1, 10] {
                let params = CcpSpgParams { history, max_iterations: 10_000, ..CcpSpgParams::default() };
                let found = solved(&mut CcpSpg::new(params).unwrap(), &problem);
                let worst = found.iter().zip(&expected).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
                assert!(worst < 1e-6, "{history}: {worst} m/s");
            }
        }
    }
}
