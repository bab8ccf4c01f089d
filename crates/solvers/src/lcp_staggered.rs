//! `lcp-staggered`: normal and tangential impulses in turn, each by a quadratic programme.
//!
//! Finds impulses λ such that, for every contact i, with D_n(r) the regular polygon of n corners on the
//! circle of radius r,
//!
//! ```text
//!     c = (G + R) λ + g                                               (1)
//!     0 ≤ λ_N ⟂ c_N ≥ 0,   λ_T = P_D(λ_T − ρ c_T),   D = D_n(μ λ_N)           (2)  [StewartTrinkle1996]
//! ```
//!
//! by staggered projections [Kaufman2008], with A = G + R:
//!
//! ```text
//!     λ_N ← argmin ½ λ_Nᵀ A_NN λ_N + λ_Nᵀ (g_N + A_NT λ_T),   λ_N ≥ 0            (3)
//!     λ_T ← argmin ½ λ_Tᵀ A_TT λ_T + λ_Tᵀ (g_T + A_TN λ_N),   λ_T ∈ D_n(μ λ_N)   (4)
//! ```
//!
//! Rows without friction go with the normals. The iteration is that of `ncp-staggered`, [`crate::staggered`],
//! with polygons for (4). (3) and (4) are convex, their alternation need not converge. Slow where friction
//! holds what the normals carry: grasps, wedges.
//!
//! Units: λ [N·s], c and g [m/s], G and R [1/kg]. Contact axes (t₁, t₂, n). An iteration costs some tens of
//! products with A per island. Allocates only when the problem grows.

use crate::iterate::Limits;
use crate::iterate_solver::{IslandMethod, IslandSolver};
use crate::parameters::parameters;
use crate::staggered::Staggered;
use stiction_contact::Law;

parameters! {
    /// Parameters of [`LcpStaggered`].
    pub struct LcpStaggeredParams {
        /// Stop when the natural map of (2) is below this.
        tolerance: f64 = 1e-8, "m/s", above(0.0);
        /// Alternations before giving up.
        max_iterations: u32 = 1000, "–", at_least(1.0);
        /// Corners n of the polygon: friction is too small by up to 1 − cos(π/n); 4, 8 and 16 are typical.
        facets: u32 = 8, "–", at_least(4.0).at_most(1024.0).even();
        /// Earlier iterations an Anderson step looks at; 0 takes none, as published.
        memory: u32 = 10, "–", at_least(0.0);
    }
}

/// The solver of this module.
pub type LcpStaggered = IslandSolver<LcpStaggeredParams>;

impl IslandMethod for LcpStaggeredParams {
    type Method = Staggered;
    const NAME: &'static str = "lcp-staggered";

    fn law(&self) -> Law {
        Law::Facets { facets: self.facets }
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
    use stiction_contact::certificate::natural_map_of;

    /// Without coupling of normal and tangent, the first pair is the answer.
    #[test]
    fn one_contact_takes_one_pair() {
        for facets in [4, 8, 16] {
            let problem = point(2.0, 0.5, [1.0, 0.3, -0.1]);
            let mut impulses = vec![0.0; 3];
            let params = LcpStaggeredParams { facets, ..Default::default() };
            let report = LcpStaggered::new(params).unwrap().solve(&problem, &mut impulses);
            assert!(report.converged() && report.iterations <= 3, "{report:?}");
            assert!(natural_map_of(&problem, &impulses, Law::Facets { facets }) <= 1e-8);
        }
    }
}
