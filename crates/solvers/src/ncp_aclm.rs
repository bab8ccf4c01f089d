//! `ncp-aclm`: the exact law by a sequence of convex problems.
//!
//! Finds impulses λ such that, for every contact i,
//!
//! ```text
//!     c = (G + R) λ + g                                               (1)
//!     K_μᵢ ∋ λᵢ ⟂ cᵢ + Γ(cᵢ) ∈ K_μᵢ*                                  (2)  [DeSaxce1998]
//! ```
//!
//! With the correction frozen, (2) is the convex relaxation with g_N + s_i for g_N, which any solver of that
//! law answers; then the correction follows the answer [Acary2011]:
//!
//! ```text
//!     λ = answer of K ∋ λ ⟂ c + s ∈ K*,    s_i ← (0, 0, μ_i ‖c_Ti‖)    (3)
//! ```
//!
//! The parameter `inner` names the solver of (3). Anderson steps on s shorten the way
//! ([`crate::anderson`]), with `memory` 0 there are none, as published. Without sliding one outer iteration is enough; with it, ten to forty. The inner
//! problem always has an answer, the outer iteration need not converge.
//!
//! Units: λ [N·s], c and g [m/s], G and R [1/kg]. Contact axes (t₁, t₂, n). An iteration costs an inner
//! solve. Allocates only when the problem grows, if the inner solver does.

use crate::anderson::Safeguarded;
use crate::ccp_admm::{CcpAdmm, CcpAdmmParams};
use crate::ccp_apgd::{CcpApgd, CcpApgdParams};
use crate::ccp_ipm::{CcpIpm, CcpIpmParams};
use crate::ccp_pgs::{CcpPgs, CcpPgsParams};
use crate::ccp_spg::{CcpSpg, CcpSpgParams};
use crate::error::ParamError;
use crate::iterate::{Limits, Method};
use crate::iterate_solver::{IslandMethod, IslandSolver};
use crate::parameters::{choice, parameters};
use crate::residual::corrections_into;
use crate::task::Task;
use serde::{Deserialize, Serialize};
use stiction_contact::{Cone, ConstraintProblem, ContactSolver, Law};

/// The inner tolerance, as a share of the outer.
const SHARE: f64 = 0.1;
/// Iterations of an inner solve.
const INNER: u32 = 1000;

/// A solver of the convex relaxation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Inner {
    CcpAdmm,
    CcpIpm,
    CcpApgd,
    CcpPgs,
    CcpPgsAccelerated,
    CcpSpg,
}
choice!(Inner);

impl Inner {
    fn solver(self, tolerance: f64) -> Result<Box<dyn ContactSolver>, ParamError> {
        let max_iterations = INNER;
        Ok(match self {
            Self::CcpAdmm => Box::new(CcpAdmm::new(CcpAdmmParams {
                tolerance,
                max_iterations,
                ..CcpAdmmParams::default()
            })?),
            Self::CcpIpm => Box::new(CcpIpm::new(CcpIpmParams { tolerance, max_iterations })?),
            Self::CcpApgd => Box::new(CcpApgd::new(CcpApgdParams { tolerance, max_iterations })?),
            Self::CcpPgs => {
                Box::new(CcpPgs::new(CcpPgsParams { tolerance, max_iterations, ..CcpPgsParams::default() })?)
            }
            Self::CcpPgsAccelerated => {
                let params = CcpPgsParams::accelerated();
                Box::new(CcpPgs::new(CcpPgsParams { tolerance, max_iterations, ..params })?)
            }
            Self::CcpSpg => {
                Box::new(CcpSpg::new(CcpSpgParams { tolerance, max_iterations, ..CcpSpgParams::default() })?)
            }
        })
    }
}

parameters! {
    /// Parameters of [`NcpAclm`].
    pub struct NcpAclmParams {
        /// Stop when the natural map of (2) is below this.
        tolerance: f64 = 1e-8, "m/s", above(0.0);
        /// Inner problems before giving up.
        max_iterations: u32 = 200, "–", at_least(1.0);
        /// The solver of the convex relaxation inside.
        inner: Inner = Inner::CcpAdmm, "–", by_type();
        /// Earlier iterations an Anderson step looks at; 0 takes none, as published.
        memory: u32 = 10, "–", at_least(0.0);
    }
}

/// The solver of this module.
pub type NcpAclm = IslandSolver<NcpAclmParams>;

impl IslandMethod for NcpAclmParams {
    type Method = Aclm;
    const NAME: &'static str = "ncp-aclm";

    fn law(&self) -> Law {
        Law::Ncp
    }

    fn limits(&self) -> Limits {
        Limits { tolerance: self.tolerance, max_iterations: self.max_iterations }
    }

    fn method(&self) -> Self {
        *self
    }
}

#[derive(Default)]
pub struct Aclm {
    /// Made at the first start.
    inner: Option<Box<dyn ContactSolver>>,
    /// The island with g_N + s for g_N.
    shifted: ConstraintProblem,
    /// s, one number per friction block, and its image under (3).
    shift: Vec<f64>,
    image: Vec<f64>,
    way: Safeguarded,
    c: Vec<f64>,
}

impl Method for Aclm {
    type Params = NcpAclmParams;
    const PATIENCE: u32 = 60;

    fn start(&mut self, params: &NcpAclmParams, task: &Task, _: &[f64], c: &[f64]) -> bool {
        if self.inner.is_none() {
            self.inner = params.inner.solver(SHARE * params.tolerance).ok();
        }
        if let Some(inner) = &mut self.inner {
            inner.forget();
        }
        // M and J would say g without s.
        self.shifted.copy_blocks_of(task.problem);
        corrections_into(task.problem, c, &mut self.shift);
        self.way.start(params.memory as usize, self.shift.len());
        self.inner.is_some()
    }

    fn iterate(&mut self, _: &NcpAclmParams, task: &Task, lambda: &mut [f64]) -> bool {
        let problem = task.problem;
        let Some(inner) = &mut self.inner else { return false };
        let friction = problem.cones().iter().enumerate().filter(|(_, c)| matches!(c, Cone::Friction { .. }));
        for ((i, _), &s) in friction.zip(&self.shift) {
            let n = problem.range(i).end - 1;
            // An Anderson step may go below zero, where no correction is.
            self.shifted.free_velocity[n] = problem.free_velocity[n] + if s > 0.0 { s } else { 0.0 };
        }
        inner.solve(&self.shifted, lambda);
        problem.velocities_into(lambda, &mut self.c);
        corrections_into(problem, &self.c, &mut self.image);
        self.way.advance(&mut self.shift, &mut self.image);
        self.shift.iter().all(|s| s.is_finite())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{cube, point};
    use stiction_contact::certificate::certify;
    use stiction_dynamics::spatial::{Vec3, vec3};

    /// The relaxation inside lifts a sliding point; the sequence does not.
    #[test]
    fn sliding_does_not_lift() {
        let problem = point(2.0, 0.5, [1.0, 0.0, -0.1]);
        let (mut impulses, mut c) = (vec![0.0; 3], Vec::new());
        assert!(NcpAclm::new(NcpAclmParams::default()).unwrap().solve(&problem, &mut impulses).converged());
        problem.velocities_into(&impulses, &mut c);
        assert!(c[2].abs() < 1e-7 && (c[0] - 0.95).abs() < 1e-7, "{c:?}");
    }

    #[test]
    fn any_solver_of_the_relaxation_serves() {
        let problem = cube(0.5, vec3(1.0, 0.3, 0.0), Vec3::ZERO);
        use Inner::{CcpAdmm, CcpApgd, CcpIpm, CcpPgs, CcpPgsAccelerated, CcpSpg};
        for inner in [CcpAdmm, CcpIpm, CcpApgd, CcpPgs, CcpPgsAccelerated, CcpSpg] {
            let params = NcpAclmParams { inner, ..Default::default() };
            let mut impulses = vec![0.0; problem.rows()];
            let report = NcpAclm::new(params).unwrap().solve(&problem, &mut impulses);
            assert!(report.converged(), "{inner:?}: {report:?}");
            assert!(certify(&problem, &impulses).natural_map <= 1e-8);
        }
    }
}
