//! `ccp-pgs`: projected Gauss–Seidel on the convex relaxation.
//!
//! Finds impulses λ such that, for every contact i,
//!
//! ```text
//!     c = (G + R) λ + g                                               (1)
//!     K_μᵢ ∋ λᵢ ⟂ cᵢ ∈ K_μᵢ*                                          (2)  [Anitescu2006]
//! ```
//!
//! the optimality conditions of min ½λᵀ(G + R)λ + gᵀλ over the cones [Tasora2011]. De Saxcé's
//! correction is missing: a sliding contact has c_N = μ‖c_T‖, so sliding bodies lift. A block sliding at
//! speed s leaves the ground at v_N = μ (s − μ g h)/(1 + μ²). The exact law is judged separately.
//! One sweep visits the contacts in order; with A = (G + R)_ii,
//!
//! ```text
//!     λᵢ ← P_K(λᵢ − ω ρ cᵢ),   ρ = min(3/tr A, 3/(2‖A‖_F))            (3)
//! ```
//!
//! 3/tr A is the usual step [Tasora2011]; the bound keeps it below 2/‖A‖₂ where A is nearly of rank one,
//! so that every visit lowers the energy and sweeps converge. Slow for long chains and mass ratios;
//! Anderson steps and the interior-point finish of the shared loop take over there.
//!
//! Units: λ [N·s], c and g [m/s], G, R and 1/ρ [1/kg], ω [–]. Contact axes (t₁, t₂, n). Cost of a sweep:
//! one product with G. Allocates only when the problem grows.

use crate::error::ParamError;
use crate::local::Contact;
use crate::sweep::{Rule, SweepParams, Sweeps};
use serde::Deserialize;
use stiction_contact::cone::project_friction;
use stiction_contact::{ConstraintProblem, ContactSolver, Law, Needs, SolveReport, Watch};

#[derive(Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct CcpPgsParams {
    /// Stop when the natural map of (2) is below this [m/s].
    pub tolerance: f64,
    /// Sweeps and Newton steps before giving up [–].
    pub max_iterations: u32,
    /// Relaxation ω ∈ (0, 4/3); 1 is the published step [–].
    pub omega: f64,
    /// Earlier sweeps an Anderson step looks at; 0 switches it off, 5 … 10 is typical [–].
    pub memory: usize,
    /// Finish with second-order steps.
    pub finish: bool,
}

impl Default for CcpPgsParams {
    fn default() -> Self {
        Self { tolerance: 1e-8, max_iterations: 1000, omega: 1.0, memory: 8, finish: true }
    }
}

/// See the module.
pub struct CcpPgs {
    params: CcpPgsParams,
    sweeps: Sweeps<ProjectedStep>, // holds during one solve, but for the factors of its finish
}

impl CcpPgs {
    pub const NAME: &str = "ccp-pgs";

    pub fn new(params: CcpPgsParams) -> Result<Self, ParamError> {
        ParamError::check_sweep(Self::NAME, &params.sweep())?;
        let omega = params.omega;
        ParamError::check(omega > 0.0 && omega < 4.0 / 3.0, Self::NAME, "omega", omega, "0 < omega < 4/3")?;
        Ok(Self { params, sweeps: Sweeps::default() })
    }
}

impl ContactSolver for CcpPgs {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn law(&self) -> Law {
        Law::Ccp
    }

    fn needs(&self) -> Needs {
        Needs { thin: true, ..Needs::default() }
    }

    fn solve_watched(
        &mut self,
        problem: &ConstraintProblem,
        impulses: &mut [f64],
        watch: &mut Watch<'_>,
    ) -> SolveReport {
        let rule = ProjectedStep { omega: self.params.omega };
        self.sweeps.solve(rule, &self.params.sweep(), problem, impulses, watch)
    }

    fn forget(&mut self) {
        self.sweeps.forget();
    }

    fn use_threads(&mut self, threads: usize) {
        self.sweeps.use_threads(threads);
    }
}

#[derive(Clone)]
struct ProjectedStep {
    omega: f64,
}

impl Rule for ProjectedStep {
    const LAW: Law = Law::Ccp;

    #[inline]
    fn answer(&self, contact: &Contact, lambda: [f64; 3], c: [f64; 3]) -> [f64; 3] {
        let a = &contact.a;
        let rho = (3.0 / (a[0] + a[4] + a[8])).min(1.5 / contact.norm);
        let step = self.omega * rho;
        let target = [lambda[0] - step * c[0], lambda[1] - step * c[1], lambda[2] - step * c[2]];
        project_friction(target.into(), contact.mu).to_array() // (3)
    }
}

impl CcpPgsParams {
    fn sweep(&self) -> SweepParams {
        let Self { tolerance, max_iterations, memory, finish, .. } = *self;
        SweepParams { tolerance, max_iterations, memory, finish }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{self, GRAVITY, STEP, point};
    use stiction_contact::certificate::{certify, natural_map_of};
    use stiction_dynamics::spatial::{Vec3, vec3};

    #[test]
    fn sticks_as_the_exact_law_does() {
        let problem = point(2.0, 0.5, [0.02, 0.0, -0.1]);
        let mut impulses = [0.0; 3];
        assert!(CcpPgs::new(CcpPgsParams::default()).unwrap().solve(&problem, &mut impulses).converged());
        assert!(certify(&problem, &impulses).natural_map <= 1e-8);
    }

    /// v_N⁺ = μ (s − μ g h)/(1 + μ²) for a box sliding at speed s.
    #[test]
    fn a_sliding_box_lifts_as_predicted() {
        for (s, mu) in [(1.0, 0.5), (6.0, 0.5), (2.0, 0.9)] {
            let problem = testing::cube(mu, vec3(s, 0.0, 0.0), Vec3::ZERO);
            let mut impulses = vec![0.0; problem.rows()];
            assert!(CcpPgs::new(CcpPgsParams::default()).unwrap().solve(&problem, &mut impulses).converged());
            assert!(natural_map_of(&problem, &impulses, Law::Ccp) <= 1e-8);
            let predicted = mu * (s - mu * GRAVITY * STEP) / (1.0 + mu * mu);
            // The mean over the corners is the velocity of the box's centre.
            let mut c = Vec::new();
            problem.velocities_into(&impulses, &mut c);
            let mean = c.chunks_exact(3).map(|c| c[2]).sum::<f64>() / 4.0;
            assert!((mean - predicted).abs() < 1e-7, "s {s}, mu {mu}: v_N {mean}, predicted {predicted}");
            assert!((certify(&problem, &impulses).lift - predicted).abs() < 0.1 * predicted);
        }
    }
}
