//! `ccp-admm`: alternating directions on the convex relaxation.
//!
//! Finds impulses λ such that, for every contact i,
//!
//! ```text
//!     c = (G + R) λ + g                                               (1)
//!     K_μᵢ ∋ λᵢ ⟂ cᵢ ∈ K_μᵢ*                                          (2)  [Anitescu2006]
//! ```
//!
//! by splitting dynamics from cones [Carpentier2024]: see [`crate::admm`]. Converges always; mass
//! ratios and long chains cost little, unless the bodies slide as well. De Saxcé's correction is missing: sliding bodies lift.
//! Anderson steps shorten the way; with `memory` 0 there are none, as published.
//!
//! Units: λ [N·s], c and g [m/s], G and R [1/kg]. Contact axes (t₁, t₂, n). An iteration costs 2 rows²
//! per island, a change of its weight ⅓ rows³. Allocates only when the problem grows.

use crate::admm::Admm;
use crate::error::ParamError;
use crate::iterate::{Limits, Workspace};
use crate::parameters::{Parameters, parameters};
use stiction_contact::{ConstraintProblem, ContactSolver, Law, SolveReport, Watch};

parameters! {
    /// Parameters of [`CcpAdmm`].
    pub struct CcpAdmmParams {
        /// Stop when the natural map of (2) is below this.
        tolerance: f64 = 1e-8, "m/s", above(0.0);
        /// Iterations before giving up.
        max_iterations: u32 = 1000, "–", at_least(1.0);
        /// Earlier iterations an Anderson step looks at; 0 takes none, as published.
        memory: u32 = 20, "–", at_least(0.0);
    }
}

/// The solver of this module.
pub struct CcpAdmm {
    limits: Limits,
    memory: u32,
    workspace: Workspace<Admm>, // holds during one solve
}

impl CcpAdmm {
    pub const NAME: &str = "ccp-admm";

    pub fn new(params: CcpAdmmParams) -> Result<Self, ParamError> {
        params.check(Self::NAME)?;
        let CcpAdmmParams { tolerance, max_iterations, memory } = params;
        let limits = Limits { tolerance, max_iterations };
        Ok(Self { limits, memory, workspace: Workspace::default() })
    }
}

impl ContactSolver for CcpAdmm {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn law(&self) -> Law {
        Law::Ccp
    }

    fn solve_watched(
        &mut self,
        problem: &ConstraintProblem,
        impulses: &mut [f64],
        watch: &mut Watch<'_>,
    ) -> SolveReport {
        self.workspace.solve(&self.memory, Law::Ccp, self.limits, problem, impulses, watch)
    }

    fn use_threads(&mut self, threads: usize) {
        self.workspace.use_threads(threads);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::point;

    /// A point that slides at speed s with μ leaves the ground at μ s/(1 + μ²) in one step.
    #[test]
    fn sliding_lifts_as_the_relaxation_says() {
        let problem = point(2.0, 0.5, [1.0, 0.0, -0.1]);
        let mut impulses = vec![0.0; 3];
        assert!(CcpAdmm::new(CcpAdmmParams::default()).unwrap().solve(&problem, &mut impulses).converged());
        let mut c = Vec::new();
        problem.velocities_into(&impulses, &mut c);
        let expected = 0.5 * (1.0 - 0.5 * 0.1) / 1.25;
        assert!((c[2] - expected).abs() < 1e-8, "{c:?}");
    }
}
