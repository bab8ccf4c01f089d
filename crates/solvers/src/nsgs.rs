//! `nsgs`: non-smooth Gauss–Seidel with the exact one-contact answer.
//!
//! Finds impulses λ such that, for every contact i,
//!
//! ```text
//!     c = (G + R) λ + g                                               (1)
//!     K_μᵢ ∋ λᵢ ⟂ cᵢ + Γ(cᵢ) ∈ K_μᵢ*                                  (2)  [DeSaxce1998]
//! ```
//!
//! One sweep visits the contacts in order and solves (2) for λᵢ exactly, the others held [Jourdan1998]:
//!
//! ```text
//!     λᵢ ← the answer of K_μᵢ ∋ λᵢ ⟂ cᵢ + Γ(cᵢ) ∈ K_μᵢ*               (3)  [Bonnefon2011]
//! ```
//!
//! by the quartic of [`crate::local::quartic`]. No step length, no tuning; fixed points of (3) solve
//! (2). Plain sweeps are slow for long chains and large mass ratios, and may cycle; Anderson steps
//! and the Newton finish of [`crate::sweep`] take over there.
//!
//! Units: λ [N·s], c and g [m/s], G and R [1/kg]. Contact axes (t₁, t₂, n). Cost of a sweep: one
//! product with G and a few hundred operations per contact. Allocates only when the problem grows.

use crate::error::ParamError;
use crate::local::{Contact, quartic};
use crate::sweep::{self, Rule, SweepParams, Workspace};
use serde::Deserialize;
use stiction_contact::{ConstraintProblem, ContactSolver, Law, SolveReport};

#[derive(Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct NsgsParams {
    /// Stop when the natural map of (2) is below this [m/s]; 1e-8 is far below what is visible.
    pub tolerance: f64,
    /// Sweeps and Newton steps before giving up [–].
    pub max_iterations: u32,
    /// Earlier sweeps an Anderson step looks at; 0 switches it off, 5 … 10 is typical [–].
    pub memory: usize,
    /// Finish with Newton steps.
    pub finish: bool,
}

impl Default for NsgsParams {
    fn default() -> Self {
        Self { tolerance: 1e-8, max_iterations: 1000, memory: 8, finish: true }
    }
}

/// See the module.
pub struct Nsgs {
    params: NsgsParams,
    workspace: Workspace, // contents hold during one solve only
}

impl Nsgs {
    pub const NAME: &str = "nsgs";

    pub fn new(params: NsgsParams) -> Result<Self, ParamError> {
        ParamError::check_sweep(Self::NAME, &params.sweep())?;
        Ok(Self { params, workspace: Workspace::default() })
    }
}

impl ContactSolver for Nsgs {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn law(&self) -> Law {
        Exact::LAW
    }

    fn solve(&mut self, problem: &ConstraintProblem, impulses: &mut [f64]) -> SolveReport {
        sweep::solve(&mut Exact, &self.params.sweep(), &mut self.workspace, problem, impulses)
    }
}

struct Exact;

impl Rule for Exact {
    const LAW: Law = Law::Ncp;

    #[inline]
    fn answer(&self, contact: &Contact, lambda: [f64; 3], c: [f64; 3]) -> [f64; 3] {
        quartic::solve(contact, lambda, c) // (3)
    }
}

impl NsgsParams {
    fn sweep(&self) -> SweepParams {
        let Self { tolerance, max_iterations, memory, finish } = *self;
        SweepParams { tolerance, max_iterations, memory, finish }
    }
}
