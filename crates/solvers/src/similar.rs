//! `similar`: Hunt and Crossley's contact in the convex form closest to the relaxation [Castro2023].
//!
//! Finds velocities v⁺ and impulses λ such that, with n, t and ‖·‖ₛ of
//! [`stiction_contact::soft::hunt_crossley`],
//!
//! ```text
//!     M (v⁺ − v_f) = Jᵀ λ,   u = J v⁺                                 (1)
//!     λᵢ = (n(z) (−μ t(u_T), 1))ᵢ,   z = u_N − μ ‖u_T‖ₛ                (2)
//! ```
//!
//! Sliding presses on the contact as in the relaxation: a body at slip speed s rides μ s h higher, or lifts.
//!
//! Solved by Newton's method on velocities with a line search: [`crate::primal_newton`]; converges
//! always. The judge's own-law residual is that of [`Law::Similar`]; the exact law is judged separately.
//! Units: λ [N·s], c and g [m/s], G and R [1/kg]. Contact axes (t₁, t₂, n). An iteration costs a
//! factorisation of M + Jᵀ (−F') J by blocks of trees, dense ones where only G is known. Allocates only
//! when the problem grows.

use crate::iterate::Limits;
use crate::iterate_solver::{COMPLIANT, IslandMethod, IslandSolver};
use crate::parameters::parameters;
use crate::primal_newton::{Direction, PrimalNewton};
use stiction_contact::{Law, Needs};

parameters! {
    /// Parameters of [`Similar`].
    pub struct SimilarParams {
        /// Stop when the residual of the law is below this.
        tolerance: f64 = 1e-8, "m/s", above(0.0);
        /// Newton steps before giving up; a few tens are typical.
        max_iterations: u32 = 1000, "–", at_least(1.0);
    }
}

/// The solver of this module.
pub type Similar = IslandSolver<SimilarParams>;

impl IslandMethod for SimilarParams {
    type Method = PrimalNewton;
    const NAME: &'static str = "similar";
    const NEEDS: Needs = COMPLIANT;

    fn law(&self) -> Law {
        Law::Similar
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

    /// At slip speed s, n(−μ s) carries the weight: (−k φ + h k μ s) (1 + d μ s) = m g, so that a body at
    /// rest stands at −m g/k, and a sliding one rides higher.
    #[test]
    fn sliding_bodies_ride_higher_as_predicted() {
        for speed in [0.0, 0.01] {
            let mut puck = Puck::new(0.1, 0.5, 0.0);
            puck.material.stiffness = 1e4;
            puck.material.dissipation = 2.0;
            let params = SimilarParams { tolerance: 1e-14, ..SimilarParams::default() };
            (puck.tangential_mass, puck.velocity[0]) = (1e12, speed);
            puck.settle(&mut Similar::new(params).unwrap());
            let z = 0.5 * ((speed * speed + 1e-8_f64).sqrt() - 1e-4);
            let height = puck.step * z - puck.weight() / 1e4 / (1.0 + 2.0 * z);
            assert!(apart(puck.gap, height) < 1e-6, "{} {height}", puck.gap);
            assert!((speed == 0.0) == (puck.gap < -9e-5));
        }
    }
}
