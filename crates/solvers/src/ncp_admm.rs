//! `ncp-admm`: alternating directions on the exact law.
//!
//! Finds impulses λ such that, for every contact i,
//!
//! ```text
//!     c = (G + R) λ + g                                               (1)
//!     K_μᵢ ∋ λᵢ ⟂ cᵢ + Γ(cᵢ) ∈ K_μᵢ*                                  (2)  [DeSaxce1998]
//! ```
//!
//! by splitting dynamics from contacts [Carpentier2024], with De Saxcé's correction of the velocity that is
//! sought: see [`crate::admm`]. Mass ratios and long chains cost nothing; where bodies of very different
//! mass slide on each other it takes hundreds of iterations, or too many. No proof of convergence. Anderson steps shorten the way;
//! with `memory` 0 there are none, as published.
//!
//! Units: λ [N·s], c and g [m/s], G and R [1/kg]. Contact axes (t₁, t₂, n). An iteration costs 2 rows²
//! per island, a change of its weight ⅓ rows³. Allocates only when the problem grows.

use crate::admm::Admm;
use crate::iterate::Limits;
use crate::iterate_solver::{IslandMethod, IslandSolver};
use crate::parameters::parameters;
use stiction_contact::Law;

parameters! {
    /// Parameters of [`NcpAdmm`].
    pub struct NcpAdmmParams {
        /// Stop when the natural map of (2) is below this.
        tolerance: f64 = 1e-8, "m/s", above(0.0);
        /// Iterations before giving up.
        max_iterations: u32 = 1000, "–", at_least(1.0);
        /// Earlier iterations an Anderson step looks at; 0 takes none, as published.
        memory: u32 = 20, "–", at_least(0.0);
    }
}

/// The solver of this module.
pub type NcpAdmm = IslandSolver<NcpAdmmParams>;

impl IslandMethod for NcpAdmmParams {
    type Method = Admm;
    const NAME: &'static str = "ncp-admm";

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
    use crate::testing::{graded, stack};
    use stiction_contact::ContactSolver;
    use stiction_contact::certificate::certify;
    use stiction_dynamics::spatial::Vec3;

    /// What sweeps cannot do without help: heavy on light, 1 : 10⁴ over five cubes.
    #[test]
    fn mass_ratios_cost_nothing() {
        let problem = stack(&graded(5, 1.0, 1e4), Vec3::ZERO, 0.5);
        let mut impulses = vec![0.0; problem.rows()];
        let report = NcpAdmm::new(NcpAdmmParams::default()).unwrap().solve(&problem, &mut impulses);
        assert!(report.converged() && report.iterations < 200, "{report:?}");
        assert!(certify(&problem, &impulses).natural_map <= 1e-8);
    }
}
