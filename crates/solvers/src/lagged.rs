//! `lagged`: Hunt and Crossley's contact with lagged friction [Castro2023].
//!
//! Finds velocities v⁺ and impulses λ such that, with n, n₀, t and vₛ of
//! [`stiction_contact::soft::hunt_crossley`],
//!
//! ```text
//!     M (v⁺ − v_f) = Jᵀ λ,   u = J v⁺                                 (1)
//!     λᵢ = (−μ n₀ t(u_T), n(u_N))ᵢ                                     (2)
//! ```
//!
//! Friction is bounded by the pressure before the step: nothing lifts, but a body that lands slides freely
//! for a step, and impacts have little friction. Held bodies creep at vₛ r/√(1 − r²), r = F_t/(μ N).
//!
//! Solved by Newton's method on velocities with a line search: [`crate::primal_newton`]; converges
//! always. The judge's own-law residual is that of [`Law::Lagged`]; the exact law is judged separately.
//! Units: λ [N·s], c and g [m/s], G and R [1/kg]. Contact axes (t₁, t₂, n). An iteration costs a
//! factorisation of M + Jᵀ (−F') J by blocks of trees, dense ones where only G is known. Allocates only
//! when the problem grows.

use crate::iterate::Limits;
use crate::iterate_solver::{COMPLIANT, IslandMethod, IslandSolver};
use crate::parameters::parameters;
use crate::primal_newton::{Direction, PrimalNewton};
use stiction_contact::{Law, Needs};

parameters! {
    /// Parameters of [`Lagged`].
    pub struct LaggedParams {
        /// Stop when the residual of the law is below this.
        tolerance: f64 = 1e-8, "m/s", above(0.0);
        /// Newton steps before giving up; a few tens are typical.
        max_iterations: u32 = 1000, "–", at_least(1.0);
    }
}

/// The solver of this module.
pub type Lagged = IslandSolver<LaggedParams>;

impl IslandMethod for LaggedParams {
    type Method = PrimalNewton;
    const NAME: &'static str = "lagged";
    const NEEDS: Needs = COMPLIANT;

    fn law(&self) -> Law {
        Law::Lagged
    }

    fn limits(&self) -> Limits {
        Limits { tolerance: self.tolerance, max_iterations: self.max_iterations }
    }

    fn method(&self) -> Direction {
        Direction::Newton
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Puck, apart};

    /// Held by friction F_t, a body creeps at vₛ r/√(1 − r²), r = F_t/(μ N), and stands in the ground at
    /// −m g/k.
    #[test]
    fn held_bodies_creep_and_sink_as_predicted() {
        for (stiffness, pull) in [(1e3, 0.2), (1e4, 0.4)] {
            let mut puck = Puck::new(0.1, 0.5, pull);
            puck.material.stiffness = stiffness;
            let params = LaggedParams { tolerance: 1e-14, ..LaggedParams::default() };
            puck.settle(&mut Lagged::new(params).unwrap());
            let r = pull / (puck.mu * puck.weight());
            let creep = 1e-4 * r / (1.0 - r * r).sqrt();
            assert!(apart(puck.velocity[0], creep) < 1e-6, "{} {creep}", puck.velocity[0]);
            let depth = puck.weight() / stiffness;
            assert!(apart(-puck.gap, depth) < 1e-6, "{} {depth}", puck.gap);
        }
    }

    /// Friction does not press: a sliding body stays down.
    #[test]
    fn sliding_bodies_do_not_lift() {
        let mut puck = Puck::new(0.1, 0.5, 0.0);
        let mut solver = Lagged::new(LaggedParams { tolerance: 1e-14, ..LaggedParams::default() }).unwrap();
        puck.settle(&mut solver);
        (puck.tangential_mass, puck.velocity[0]) = (1e9, 1.0);
        let depth = puck.gap;
        puck.settle(&mut solver);
        assert!((puck.gap - depth).abs() < 1e-12, "{} {depth}", puck.gap);
    }
}
