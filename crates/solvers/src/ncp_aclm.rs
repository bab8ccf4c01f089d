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
//! ([`crate::anderson`]). Without sliding one outer iteration is enough; with it, ten to forty. The inner
//! problem always has an answer, the outer iteration need not converge.
//!
//! Units: λ [N·s], c and g [m/s], G and R [1/kg]. Contact axes (t₁, t₂, n). An iteration costs an inner
//! solve. Allocates only when the problem grows, if the inner solver does.

use crate::anderson::Safeguarded;
use crate::error::ParamError;
use crate::iterate::{Limits, Method, Task, Workspace};
use crate::registry::{self, Common};
use serde::Deserialize;
use stiction_contact::cone::tangential;
use stiction_contact::{Cone, ConstraintProblem, ContactSolver, Law, SolveReport, Watch};

/// The inner tolerance, as a share of the outer.
const SHARE: f64 = 0.1;
/// Iterations of an inner solve.
const INNER: u32 = 1000;
/// Earlier iterations an Anderson step looks at.
const MEMORY: usize = 10;

#[derive(Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct NcpAclmParams {
    /// Stop when the natural map of (2) is below this [m/s].
    pub tolerance: f64,
    /// Inner problems before giving up [–].
    pub max_iterations: u32,
    /// Registry name of a solver of the convex relaxation.
    pub inner: String,
}

impl Default for NcpAclmParams {
    fn default() -> Self {
        Self { tolerance: 1e-8, max_iterations: 200, inner: "ccp-admm".to_owned() }
    }
}

/// See the module.
pub struct NcpAclm {
    params: NcpAclmParams,
    workspace: Workspace<Aclm>, // holds during one solve
}

impl NcpAclm {
    pub const NAME: &str = "ncp-aclm";

    pub fn new(params: NcpAclmParams) -> Result<Self, ParamError> {
        limits(&params).check(Self::NAME)?;
        let known = registry::all().iter().any(|e| e.name == params.inner && e.law == Law::Ccp);
        if !known {
            let expected = "the name of a solver of the convex relaxation, for example `ccp-admm`";
            return Err(ParamError { solver: Self::NAME, name: "inner", value: params.inner, expected });
        }
        Ok(Self { params, workspace: Workspace::default() })
    }
}

fn limits(params: &NcpAclmParams) -> Limits {
    Limits { tolerance: params.tolerance, max_iterations: params.max_iterations }
}

impl ContactSolver for NcpAclm {
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
        let Self { params, workspace } = self;
        workspace.solve(params, Law::Ncp, limits(params), problem, impulses, watch)
    }

    fn use_threads(&mut self, threads: usize) {
        self.workspace.use_threads(threads);
    }
}

#[derive(Default)]
struct Aclm {
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
            let common = Common { tolerance: SHARE * params.tolerance, max_iterations: INNER };
            self.inner = registry::make(&params.inner, &common).ok();
        }
        if let Some(inner) = &mut self.inner {
            inner.forget();
        }
        // M and J would say g without s.
        self.shifted.copy_blocks_of(task.problem);
        slips_into(task.problem, c, &mut self.shift);
        self.way.start(MEMORY, self.shift.len());
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
        slips_into(problem, &self.c, &mut self.image);
        self.way.advance(&mut self.shift, &mut self.image);
        self.shift.iter().all(|s| s.is_finite())
    }
}

/// μ ‖c_T‖ of every friction block and patch.
pub(crate) fn slips_into(problem: &ConstraintProblem, c: &[f64], out: &mut Vec<f64>) {
    out.clear();
    for (i, cone) in problem.cones().iter().enumerate() {
        if let Cone::Friction { mu } | Cone::Patch { mu, .. } = cone {
            out.push(mu * tangential(&c[problem.range(i)]));
        }
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
        for entry in registry::all().iter().filter(|e| e.law == Law::Ccp) {
            let params = NcpAclmParams { inner: entry.name.to_owned(), ..Default::default() };
            let mut impulses = vec![0.0; problem.rows()];
            let report = NcpAclm::new(params).unwrap().solve(&problem, &mut impulses);
            assert!(report.converged(), "{}: {report:?}", entry.name);
            assert!(certify(&problem, &impulses).natural_map <= 1e-8);
        }
        let wrong = NcpAclmParams { inner: "nsgs".to_owned(), ..Default::default() };
        assert!(NcpAclm::new(wrong).is_err_and(|e| e.to_string().contains("`inner` is nsgs")));
    }
}
