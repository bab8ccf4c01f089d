//! The solvers whose method is a rule for one contact, visited in sweeps: what they share, written once.

use super::{Rule, SweepParams, Sweeps};
use crate::error::ParamError;
use crate::parameters::Parameters;
use stiction_contact::{ConstraintProblem, ContactSolver, Law, Needs, SolveReport, Watch};

/// Parameters of a method of sweeps, by which it is known: its names, its rule, and how it sweeps.
pub trait SweepMethod: Parameters + Send {
    /// The answer for one contact.
    type Rule: Rule;
    /// The name of plain sweeps.
    const NAME: &'static str;
    /// The name with Anderson steps or second-order steps.
    const ACCELERATED: &'static str;
    /// True if the factor of G is enough.
    const BY_FACTOR: bool;
    /// True if it takes contacts that resist spinning or rolling.
    const TAKES_PATCHES: bool;

    /// The rule as it is before the first sweep.
    fn rule(&self) -> Self::Rule;

    /// The parameters that all methods of sweeps have in common.
    fn sweep(&self) -> SweepParams;
}

/// A solver by sweeps of a rule.
pub struct SweepSolver<P: SweepMethod> {
    params: P,
    sweep: SweepParams,
    sweeps: Sweeps<P::Rule>, // holds during one solve, but for the factors of its finish
}

impl<P: SweepMethod> SweepSolver<P> {
    pub const NAME: &str = P::NAME;
    /// With Anderson steps or second-order steps.
    pub const ACCELERATED: &str = P::ACCELERATED;

    /// The solver with these parameters, if they are in their ranges.
    pub fn new(params: P) -> Result<Self, ParamError> {
        params.check(P::NAME)?;
        Ok(Self { sweep: params.sweep(), params, sweeps: Sweeps::default() })
    }
}

impl<P: SweepMethod> ContactSolver for SweepSolver<P> {
    fn name(&self) -> &'static str {
        if self.sweep.is_plain() { P::NAME } else { P::ACCELERATED }
    }

    fn law(&self) -> Law {
        P::Rule::LAW
    }

    fn needs(&self) -> Needs {
        Needs { delassus_factor: P::BY_FACTOR, ..Needs::default() }
    }

    fn takes_patches(&self) -> bool {
        P::TAKES_PATCHES
    }

    fn solve_watched(
        &mut self,
        problem: &ConstraintProblem,
        impulses: &mut [f64],
        watch: &mut Watch<'_>,
    ) -> SolveReport {
        self.sweeps.solve(self.params.rule(), &self.sweep, problem, impulses, watch)
    }

    fn forget(&mut self) {
        self.sweeps.forget();
    }

    fn use_threads(&mut self, threads: usize) {
        self.sweeps.use_threads(threads);
    }
}
