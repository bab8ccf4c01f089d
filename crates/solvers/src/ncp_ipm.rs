//! `ncp-ipm`: interior points on the exact law.
//!
//! Finds impulses λ such that, for every contact i,
//!
//! ```text
//!     c = (G + R) λ + g                                               (1)
//!     K_μᵢ ∋ λᵢ ⟂ cᵢ + Γ(cᵢ) ∈ K_μᵢ*                                  (2)  [DeSaxce1998]
//! ```
//!
//! by predictor and corrector steps towards x ∘ y = 0 in Lorentz cones, De Saxcé's correction inside
//! the Newton matrix [Mehrotra1992; Acary2018]: see [`crate::interior`]. 10 to 30 steps whatever the
//! mass ratios; where a start leads nowhere, the next of three is tried. A warm start is of no use to it.
//! With friction the law is not convex, and convergence not proven.
//!
//! Units: λ [N·s], c and g [m/s], G and R [1/kg]. Contact axes (t₁, t₂, n). A step costs ⅔ rows³ per
//! island. Allocates only when the problem grows.

use crate::interior::{COLD_STARTS, Interior};
use crate::iterate::{Limits, Method};
use crate::iterate_solver::{IslandMethod, IslandSolver};
use crate::parameters::parameters;
use crate::task::Task;
use stiction_contact::Law;

/// Steps before the next start [–].
const STEPS: u32 = 60;

parameters! {
    /// Parameters of [`NcpIpm`].
    pub struct NcpIpmParams {
        /// Stop when the natural map of (2) is below this.
        tolerance: f64 = 1e-8, "m/s", above(0.0);
        /// Steps before giving up.
        max_iterations: u32 = 200, "–", at_least(1.0);
    }
}

/// The solver of this module.
pub type NcpIpm = IslandSolver<NcpIpmParams>;

impl IslandMethod for NcpIpmParams {
    type Method = InitialGuesses;
    const NAME: &'static str = "ncp-ipm";

    fn law(&self) -> Law {
        Law::Ncp
    }

    fn limits(&self) -> Limits {
        Limits { tolerance: self.tolerance, max_iterations: self.max_iterations }
    }

    fn method(&self) {}
}

/// The interior method from one start after another.
#[derive(Default)]
pub struct InitialGuesses {
    interior: Interior,
    attempt: usize,
    /// Steps of this attempt.
    steps: u32,
}

impl Method for InitialGuesses {
    type Params = ();
    const PATIENCE: u32 = STEPS * COLD_STARTS.len() as u32;

    fn start(&mut self, (): &(), task: &Task, lambda: &[f64], _: &[f64]) -> bool {
        (self.attempt, self.steps) = (0, 0);
        self.interior.start(task, lambda, COLD_STARTS[0]);
        true
    }

    fn iterate(&mut self, (): &(), task: &Task, lambda: &mut [f64]) -> bool {
        let going = self.interior.step(task);
        let point = self.interior.impulses();
        let finite = point.iter().all(|l| l.is_finite());
        if finite {
            lambda.copy_from_slice(point);
        }
        self.steps += 1;
        if going && finite && self.steps < STEPS {
            return true;
        }
        self.attempt += 1;
        self.steps = 0;
        let Some(&scales) = COLD_STARTS.get(self.attempt) else { return false };
        self.interior.start(task, lambda, scales);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{graded, stack};
    use stiction_contact::ContactSolver;
    use stiction_contact::certificate::certify;
    use stiction_dynamics::spatial::vec3;

    /// Heavy on light, 1 : 10⁴, pushed: what sweeps and splittings need hundreds of iterations for.
    #[test]
    fn sliding_stacks_take_few_steps() {
        let problem = stack(&graded(5, 1.0, 1e4), vec3(1.0, 0.0, 0.0), 0.5);
        let mut impulses = vec![0.0; problem.rows()];
        let report = NcpIpm::new(NcpIpmParams::default()).unwrap().solve(&problem, &mut impulses);
        assert!(report.converged() && report.iterations < 40, "{report:?}");
        assert!(certify(&problem, &impulses).natural_map <= 1e-8);
    }
}
