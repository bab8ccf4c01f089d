//! `ccp-apgd`: accelerated projected gradients on the convex relaxation, by products with G alone.
//!
//! Finds impulses λ such that, for every contact i,
//!
//! ```text
//!     c = (G + R) λ + g                                               (1)
//!     K_μᵢ ∋ λᵢ ⟂ cᵢ ∈ K_μᵢ*                                          (2)  [Anitescu2006]
//! ```
//!
//! the optimality conditions of min f(λ) = ½λᵀ(G + R)λ + gᵀλ over the cones [Mazhar2015]. From a point y ahead
//! of the impulses,
//!
//! ```text
//!     λ⁺ = P_K(y − P² (c(y))/L),   P² = diag(1/‖A_ii‖)                (3)
//!     L ← 2L  while  f(λ⁺) > f(y) + c(y)·(λ⁺ − y) + ½ L ‖λ⁺ − y‖²_P   (4)
//!     y = λ⁺ + β (λ⁺ − λ),   β = θ (1 − θ)/(θ² + θ⁺),   θ⁺² = (1 − θ⁺) θ²      (5)
//! ```
//!
//! and θ starts anew where c(y)·(λ⁺ − λ) > 0 [ODonoghue2015]. P is one number per block, so cones keep their
//! shape; L shrinks a little with every iteration. No factorisation: a problem whose G is known only as an
//! operator stays one, and large heaps of equal bodies are its place. Iterations grow with the root of the
//! condition number: mass ratios and long chains are slow. Sliding bodies lift.
//!
//! Units: λ [N·s], c and g [m/s], G and R [1/kg]. Contact axes (t₁, t₂, n). An iteration costs about two products
//! with G. Allocates only when the problem grows, and inside products with an operator.

use crate::iterate::{Limits, Method};
use crate::iterate_solver::{IslandMethod, IslandSolver};
use crate::parameters::parameters;
use crate::task::Task;
use stiction_contact::Law;

/// L shrinks by this factor after every iteration [–].
const SHRINK: f64 = 0.95;
/// Doublings of L an iteration may need; A of unit blocks cannot be stiffer than the number of blocks.
const DOUBLINGS: u32 = 60;

parameters! {
    /// Parameters of [`CcpApgd`].
    pub struct CcpApgdParams {
        /// Stop when the natural map of (2) is below this.
        tolerance: f64 = 1e-8, "m/s", above(0.0);
        /// Iterations before giving up.
        max_iterations: u32 = 1000, "–", at_least(1.0);
    }
}

/// The solver of this module.
pub type CcpApgd = IslandSolver<CcpApgdParams>;

impl IslandMethod for CcpApgdParams {
    type Method = Apgd;
    const NAME: &'static str = "ccp-apgd";

    fn law(&self) -> Law {
        Law::Ccp
    }

    fn limits(&self) -> Limits {
        Limits { tolerance: self.tolerance, max_iterations: self.max_iterations }
    }

    fn method(&self) {}
}

#[derive(Default)]
pub struct Apgd {
    /// P², per row.
    step: Vec<f64>,
    /// Stiffness of P (G + R) P [–].
    stiffness: f64,
    theta: f64,
    y: Vec<f64>,
    c_y: Vec<f64>,
    lambda: Vec<f64>,
    c: Vec<f64>,
    next: Vec<f64>,
    c_next: Vec<f64>,
}

impl Method for Apgd {
    type Params = ();
    const PATIENCE: u32 = 500;
    const BLOCKS: bool = false;

    fn start(&mut self, (): &(), task: &Task, lambda: &[f64], c: &[f64]) -> bool {
        self.step.clear();
        for (cone, norm) in task.problem.cones().iter().zip(&task.stopping.norms) {
            self.step.extend(std::iter::repeat_n(1.0 / norm, cone.dim()));
        }
        for (to, from) in
            [(&mut self.y, lambda), (&mut self.lambda, lambda), (&mut self.c_y, c), (&mut self.c, c)]
        {
            to.clear();
            to.extend_from_slice(from);
        }
        self.next.clear();
        self.next.resize(lambda.len(), 0.0);
        (self.stiffness, self.theta) = (1.0, 1.0);
        true
    }

    fn iterate(&mut self, (): &(), task: &Task, lambda: &mut [f64]) -> bool {
        let problem = task.problem;
        let mut doublings = 0;
        loop {
            for r in 0..lambda.len() {
                self.next[r] = self.y[r] - self.step[r] * self.c_y[r] / self.stiffness; // (3)
            }
            for (i, cone) in problem.cones().iter().enumerate() {
                cone.project(&mut self.next[problem.range(i)]);
            }
            problem.velocities_into(&self.next, &mut self.c_next);
            // (4): f is quadratic, and only its curvature along the step counts.
            let (mut curvature, mut length) = (0.0, 0.0);
            for r in 0..lambda.len() {
                let d = self.next[r] - self.y[r];
                curvature += d * (self.c_next[r] - self.c_y[r]);
                length += d * d / self.step[r];
            }
            if !(curvature > self.stiffness * length * (1.0 + 1e-12)) || doublings == DOUBLINGS {
                break;
            }
            self.stiffness *= 2.0;
            doublings += 1;
        }
        let uphill: f64 = (0..lambda.len()).map(|r| self.c_y[r] * (self.next[r] - self.lambda[r])).sum();
        let square = self.theta * self.theta;
        let theta = 0.5 * ((square * square + 4.0 * square).sqrt() - square);
        let ahead = if uphill > 0.0 { 0.0 } else { self.theta * (1.0 - self.theta) / (square + theta) };
        self.theta = if uphill > 0.0 { 1.0 } else { theta };
        for r in 0..lambda.len() {
            self.y[r] = self.next[r] + ahead * (self.next[r] - self.lambda[r]); // (5)
            self.c_y[r] = self.c_next[r] + ahead * (self.c_next[r] - self.c[r]);
        }
        std::mem::swap(&mut self.lambda, &mut self.next);
        std::mem::swap(&mut self.c, &mut self.c_next);
        lambda.copy_from_slice(&self.lambda);
        self.stiffness *= SHRINK;
        lambda.iter().all(|l| l.is_finite())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{self, GRAVITY, STEP, Scene};
    use crate::testing::{Vec3, vec3};
    use stiction_contact::certificate::natural_map_of;
    use stiction_contact::{ConstraintProblem, ContactSolver};

    /// v_N⁺ = μ (s − μ g h)/(1 + μ²) for a box sliding at speed s.
    #[test]
    fn a_sliding_box_lifts_as_predicted() {
        let (s, mu) = (2.0, 0.5);
        let problem = testing::cube(mu, vec3(s, 0.0, 0.0), Vec3::ZERO);
        let mut impulses = vec![0.0; problem.rows()];
        assert!(CcpApgd::new(CcpApgdParams::default()).unwrap().solve(&problem, &mut impulses).converged());
        let mut c = Vec::new();
        problem.velocities_into(&impulses, &mut c);
        let mean = c.chunks_exact(3).map(|c| c[2]).sum::<f64>() / 4.0;
        assert!((mean - mu * (s - mu * GRAVITY * STEP) / (1.0 + mu * mu)).abs() < 1e-7);
    }

    /// 400 cubes side by side, a problem of 4800 rows known only through M and J.
    #[test]
    fn a_large_operator_needs_no_blocks() {
        let mut scene = Scene::default();
        for k in 0..400 {
            let b = scene.body(1.0, vec3(0.5, 0.5, 0.5), vec3(2.0 * f64::from(k), 0.0, 0.5));
            scene.bodies[b].velocity = vec3(1.0, 0.01 * f64::from(k), 0.0);
            scene.corners(None, b, 0.5);
        }
        let (cones, primal) = scene.primal();
        let problem = ConstraintProblem::operator_from_primal(&cones, primal, STEP).unwrap();
        let mut impulses = vec![0.0; problem.rows()];
        assert!(CcpApgd::new(CcpApgdParams::default()).unwrap().solve(&problem, &mut impulses).converged());
        assert!(natural_map_of(&problem, &impulses, Law::Ccp) <= 1.001e-8);
    }
}
