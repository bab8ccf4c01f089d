//! `sap`: Drake's semi-analytic primal solver [Castro2022].
//!
//! Finds impulses λ such that, with R and s of [`stiction_contact::soft::sap`],
//!
//! ```text
//!     c = G λ + g                                                     (1)
//!     K_μᵢ ∋ λᵢ ⟂ cᵢ + (R λ + s)ᵢ ∈ K_μᵢ*                              (2)
//! ```
//!
//! Contacts yield by k and τ; a body held by friction creeps at σ w h F_t, and sliding bodies lift.
//!
//! Solved by Newton's method on velocities with a line search: [`crate::primal_newton`]; converges
//! always. The judge's own-law residual is that of [`Law::Sap`]; the exact law is judged separately.
//! Units: λ [N·s], c and g [m/s], G and R [1/kg]. Contact axes (t₁, t₂, n). An iteration costs a
//! factorisation of M + Jᵀ (−F') J by blocks of trees, dense ones where only G is known. Allocates only
//! when the problem grows.

use crate::iterate::Limits;
use crate::iterate_solver::{COMPLIANT, IslandMethod, IslandSolver};
use crate::parameters::parameters;
use crate::primal_newton::{Direction, PrimalNewton};
use stiction_contact::{Law, Needs};

parameters! {
    /// Parameters of [`Sap`].
    pub struct SapParams {
        /// Stop when the residual of the law is below this.
        tolerance: f64 = 1e-8, "m/s", above(0.0);
        /// Newton steps before giving up; a few tens are typical.
        max_iterations: u32 = 1000, "–", at_least(1.0);
    }
}

/// The solver of this module.
pub type Sap = IslandSolver<SapParams>;

impl IslandMethod for SapParams {
    type Method = PrimalNewton;
    const NAME: &'static str = "sap";
    const NEEDS: Needs = COMPLIANT;

    fn law(&self) -> Law {
        Law::Sap
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
    use crate::testing::{GRAVITY, Puck, apart};
    use stiction_contact::ContactSolver;

    fn exact() -> Sap {
        Sap::new(SapParams { tolerance: 1e-14, ..SapParams::default() }).unwrap()
    }

    /// Held by friction F_t, a body creeps at σ w h F_t and stands in the ground at −m g/k.
    #[test]
    fn held_bodies_creep_and_sink_as_predicted() {
        for (stiffness, pull) in [(1e3, 0.2), (1e4, 0.4)] {
            let mut puck = Puck::new(0.1, 0.5, pull);
            puck.material.stiffness = stiffness;
            puck.material.relaxation = 0.01;
            puck.settle(&mut exact());
            // ‖1/m‖_F/3 = 1/(√3 m)
            let creep = 1e-3 / (3.0_f64.sqrt() * puck.mass) * puck.step * pull;
            assert!(apart(puck.velocity[0], creep) < 1e-6, "{} {creep}", puck.velocity[0]);
            let depth = puck.weight() / stiffness;
            assert!(apart(-puck.gap, depth) < 1e-6, "{} {depth}", puck.gap);
        }
    }

    /// Sliding at s, a point leaves at g_N + w n, n = (μ g_T − g_N)/(w + R_n + μ² (w + R_t)).
    #[test]
    fn sliding_bodies_lift_as_predicted() {
        let mut puck = Puck::new(2.0, 0.5, 0.0);
        puck.velocity[0] = 1.0;
        let problem = puck.problem();
        let mut impulses = [0.0; 3];
        assert!(exact().solve(&problem, &mut impulses).converged());
        let w = 0.5;
        let scale = w / 3.0_f64.sqrt();
        let (r_t, r_n) = (1e-3 * scale, scale / (4.0 * std::f64::consts::PI.powi(2)));
        let fall = puck.step * GRAVITY;
        let n = (0.5 + fall) / (w + r_n + 0.25 * (w + r_t));
        assert!((impulses[2] - n).abs() < 1e-12, "{impulses:?} {n}");
        assert!(w * n - fall > 0.3, "it lifts");
    }
}
