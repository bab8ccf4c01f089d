//! `lcp-qp`: the linear complementarity problem of polygonal friction as a quadratic programme.
//!
//! Finds impulses λ such that, for every contact i, with D_n(r) the regular polygon of n corners on the
//! circle of radius r,
//!
//! ```text
//!     c = (G + R) λ + g                                               (1)
//!     0 ≤ λ_N ⟂ c_N ≥ 0,   λ_T = P_D(λ_T − ρ c_T),   D = D_n(μ λ_N)           (2)  [StewartTrinkle1996]
//! ```
//!
//! Written with multipliers, (2) is the complementarity problem 0 ≤ z ⟂ M z + q ≥ 0, whose solutions are the
//! points where the programme
//!
//! ```text
//!     min zᵀ(M z + q)   subject to   z ≥ 0,   M z + q ≥ 0             (3)
//! ```
//!
//! reaches zero. The friction coefficients make (3) non-convex: a minimum above zero is no answer, and the
//! status then says `Stalled`. The interior-point iteration of [`crate::facets`], from five starting points
//! if need be. The interior tells which corners and contacts bear; now and then Newton's steps on (2) try to
//! finish from there. A step costs ⅔ rows³ per island whatever the number of facets; mass ratios and long
//! chains cost nothing. A warm start is used only if it is the answer.
//!
//! Units: λ [N·s], c and g [m/s], G and R [1/kg]. Contact axes (t₁, t₂, n). Allocates only when the problem
//! grows.

use crate::error::ParamError;
use crate::facets::{FacetsMethod, Form};
use crate::iterate::{Limits, Workspace};
use serde::Deserialize;
use stiction_contact::{ConstraintProblem, ContactSolver, Law, SolveReport, Watch};

#[derive(Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LcpQpParams {
    /// Stop when the natural map of (2) is below this [m/s].
    pub tolerance: f64,
    /// Interior-point steps before giving up [–].
    pub max_iterations: u32,
    /// Corners n of the polygon, even: friction is too small by up to 1 − cos(π/n); 4, 8, 16 [–].
    pub facets: u32,
}

impl Default for LcpQpParams {
    fn default() -> Self {
        Self { tolerance: 1e-8, max_iterations: 1000, facets: 8 }
    }
}

/// See the module.
pub struct LcpQp {
    limits: Limits,
    law: Law,
    workspace: Workspace<FacetsMethod>, // holds during one solve
}

impl LcpQp {
    pub const NAME: &str = "lcp-qp";

    pub fn new(params: LcpQpParams) -> Result<Self, ParamError> {
        let LcpQpParams { tolerance, max_iterations, facets } = params;
        let limits = Limits { tolerance, max_iterations };
        limits.check(Self::NAME)?;
        ParamError::check_facets(Self::NAME, facets)?;
        Ok(Self { limits, law: Law::Facets { facets }, workspace: Workspace::default() })
    }
}

impl ContactSolver for LcpQp {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn law(&self) -> Law {
        self.law
    }

    fn solve_watched(
        &mut self,
        problem: &ConstraintProblem,
        impulses: &mut [f64],
        watch: &mut Watch<'_>,
    ) -> SolveReport {
        self.workspace.solve(&Form::Dual, self.law, self.limits, problem, impulses, watch)
    }

    fn use_threads(&mut self, threads: usize) {
        self.workspace.use_threads(threads);
    }
}
