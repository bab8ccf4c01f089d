//! `ncp-staggered`: normal and tangential impulses in turn.
//!
//! Finds impulses λ such that, for every contact i,
//!
//! ```text
//!     c = (G + R) λ + g                                               (1)
//!     K_μᵢ ∋ λᵢ ⟂ cᵢ + Γ(cᵢ) ∈ K_μᵢ*                                  (2)  [DeSaxce1998]
//! ```
//!
//! by two convex problems, each with the other's impulses held [Kaufman2008]:
//!
//! ```text
//!     λ_N = argmin ½ λ_NᵀA_NN λ_N + λ_Nᵀ(g_N + A_NT λ_T),  λ_N ≥ 0              (3)
//!     λ_T = argmin ½ λ_TᵀA_TT λ_T + λ_Tᵀ(g_T + A_TN λ_N),  ‖λ_Tᵢ‖ ≤ μᵢ λ_Nᵢ    (4)
//! ```
//!
//! Rows without friction belong to (3). A fixed point of λ_T solves (2). The iteration is that of
//! [`crate::staggered`], with discs for (4). Nothing is proven of it: strong coupling of normal and tangent
//! (large μ, tilted contacts, jamming) makes it slow or makes it cycle. Anderson steps on λ_T shorten the way; with `memory` 0 there
//! are none, as published.
//!
//! Units: λ [N·s], c and g [m/s], G and R [1/kg]. Contact axes (t₁, t₂, n). An iteration costs some
//! tens of products with A per island. Allocates only when the problem grows.

use crate::error::ParamError;
use crate::iterate::{Limits, Workspace};
use crate::parameters::{Parameters, parameters};
use crate::staggered::Staggered;
use stiction_contact::{ConstraintProblem, ContactSolver, Law, SolveReport, Watch};

parameters! {
    /// Parameters of [`NcpStaggered`].
    pub struct NcpStaggeredParams {
        /// Stop when the natural map of (2) is below this.
        tolerance: f64 = 1e-8, "m/s", above(0.0);
        /// Pairs of (3) and (4) before giving up.
        max_iterations: u32 = 500, "–", at_least(1.0);
        /// Earlier iterations an Anderson step looks at; 0 takes none, as published.
        memory: u32 = 10, "–", at_least(0.0);
    }
}

/// The solver of this module.
pub struct NcpStaggered {
    limits: Limits,
    memory: u32,
    workspace: Workspace<Staggered>, // holds during one solve
}

impl NcpStaggered {
    pub const NAME: &str = "ncp-staggered";

    pub fn new(params: NcpStaggeredParams) -> Result<Self, ParamError> {
        params.check(Self::NAME)?;
        let NcpStaggeredParams { tolerance, max_iterations, memory } = params;
        let limits = Limits { tolerance, max_iterations };
        Ok(Self { limits, memory, workspace: Workspace::default() })
    }
}

impl ContactSolver for NcpStaggered {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn law(&self) -> Law {
        Law::Ncp
    }

    fn solve_watched(
        &mut self,
        problem: &ConstraintProblem,
        impulses: &mut [f64],
        watch: &mut Watch<'_>,
    ) -> SolveReport {
        self.workspace.solve(&self.memory, Law::Ncp, self.limits, problem, impulses, watch)
    }

    fn use_threads(&mut self, threads: usize) {
        self.workspace.use_threads(threads);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::point;
    use stiction_contact::certificate::certify;

    /// Without coupling of normal and tangent, the first pair is the answer.
    #[test]
    fn one_contact_takes_one_pair() {
        for g in [[0.02, 0.0, -0.1], [1.0, 0.0, -0.1], [1.0, 0.0, 0.1]] {
            let problem = point(2.0, 0.5, g);
            let mut impulses = vec![0.0; 3];
            let mut solver = NcpStaggered::new(NcpStaggeredParams::default()).unwrap();
            let report = solver.solve(&problem, &mut impulses);
            assert!(report.converged() && report.iterations <= 3, "{report:?}");
            assert!(certify(&problem, &impulses).natural_map <= 1e-8);
        }
    }
}
