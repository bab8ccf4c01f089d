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

use crate::iterate::Limits;
use crate::iterate_solver::{IslandMethod, IslandSolver};
use crate::parameters::parameters;
use crate::staggered::Staggered;
use stiction_contact::Law;

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
pub type NcpStaggered = IslandSolver<NcpStaggeredParams>;

impl IslandMethod for NcpStaggeredParams {
    type Method = Staggered;
    const NAME: &'static str = "ncp-staggered";

    fn law(&self) -> Law {
        Law::Ncp
    }

    fn limits(&self) -> Limits {
        Limits { tolerance: self.tolerance, max_iterations: self.max_iterations }
    }

    fn method(&self) -> u32 {
        self.memory
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::point;
    use stiction_contact::ContactSolver;
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
