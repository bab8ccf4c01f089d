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
use crate::iterate::Limits;
use crate::iterate_solver::{IslandMethod, IslandSolver};
use crate::parameters::parameters;
use stiction_contact::Law;

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
pub type CcpAdmm = IslandSolver<CcpAdmmParams>;

impl IslandMethod for CcpAdmmParams {
    type Method = Admm;
    const NAME: &'static str = "ccp-admm";

    fn law(&self) -> Law {
        Law::Ccp
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
