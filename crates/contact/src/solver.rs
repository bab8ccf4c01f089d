//! What every contact solver offers, and what it reports.

use crate::cone::Cone;
use crate::law::Law;
use crate::problem::ConstraintProblem;
use serde::Serialize;

/// How a solve ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum SolveStatus {
    /// The solver's stopping quantity fell below the tolerance.
    Converged,
    /// The tolerance was not reached, nor can it be told whether it is: what is left is no more than what one unit in
    /// the last place of every impulse makes of velocities.
    Rounding,
    /// The iteration budget is spent; the best impulses seen are returned.
    IterationLimit,
    /// No further progress is possible; the best impulses seen are returned.
    Stalled,
    /// A number stopped being finite; the impulses must not be used.
    NumericalFailure,
}

/// A solver's report on its own work. Its residual decides when it stops; the residual that is
/// reported to users is the judge's ([`crate::certificate`]).
#[derive(Clone, Copy, Debug, Serialize)]
pub struct SolveReport {
    pub status: SolveStatus,
    /// Sweeps or Newton steps taken.
    pub iterations: u32,
    /// The solver's own stopping quantity [m/s].
    pub residual: f64,
}

impl SolveReport {
    pub fn converged(&self) -> bool {
        self.status == SolveStatus::Converged
    }

    /// True if no solver could come nearer, to speak of: it has converged, or what is left is rounding.
    pub fn settled(&self) -> bool {
        matches!(self.status, SolveStatus::Converged | SolveStatus::Rounding)
    }
}

/// Parts of a problem that a solver reads beyond G, R, g and the cones.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Needs {
    /// The factor of G is enough, [`crate::BranchSparseRows`]: where blocks are needed, the solver forms them.
    pub delassus_factor: bool,
    /// M, J and v_free. Without them a solver works on a root of G, [`crate::Root`].
    pub primal: bool,
    /// One [`crate::Softness`] per block. Without them a solver takes [`crate::Softness::default`].
    pub softness: bool,
}

/// Is shown (iterations done, impulses) after every iteration, if anyone watches.
#[derive(Default)]
pub struct Watch<'a>(Option<&'a mut Show<'a>>);

type Show<'a> = dyn FnMut(u32, &[f64]) + 'a;

impl<'a> Watch<'a> {
    /// Nobody watches.
    pub const fn none() -> Self {
        Self(None)
    }

    pub fn new(show: &'a mut Show<'a>) -> Self {
        Self(Some(show))
    }

    /// True when somebody watches.
    #[inline]
    pub fn on(&self) -> bool {
        self.0.is_some()
    }

    #[inline]
    pub fn show(&mut self, iterations: u32, impulses: &[f64]) {
        if let Some(show) = &mut self.0 {
            show(iterations, impulses);
        }
    }
}

/// Why `solver` cannot take `problem`, in a sentence.
pub fn refusal(solver: &dyn ContactSolver, problem: &ConstraintProblem) -> Option<String> {
    refused(solver.takes_patches(), problem).then(|| {
        format!("{} takes no contacts that resist spinning or rolling; auto and nsgs do", solver.name())
    })
}

fn refused(takes_patches: bool, problem: &ConstraintProblem) -> bool {
    !takes_patches && problem.cones().iter().any(|c| matches!(c, Cone::Patch { .. }))
}

/// A contact solver: parameters and workspace; the problem is handed in.
pub trait ContactSolver: Send {
    /// Registry name, `law-algorithm`.
    fn name(&self) -> &'static str;

    /// The law of the answer.
    fn law(&self) -> Law;

    /// Parts that the problem must hold for this solver.
    fn needs(&self) -> Needs {
        Needs::default()
    }

    /// True if it answers [`Cone::Patch`]; what others cannot take, [`refusal`] tells.
    fn takes_patches(&self) -> bool {
        false
    }

    /// Solves `problem`, starting from `impulses` (zeros are a cold start) and leaving the answer
    /// there. Allocates only when the problem is larger than any before.
    fn solve(&mut self, problem: &ConstraintProblem, impulses: &mut [f64]) -> SolveReport {
        if refused(self.takes_patches(), problem) {
            impulses.fill(0.0);
            return SolveReport { status: SolveStatus::NumericalFailure, iterations: 0, residual: f64::NAN };
        }
        self.solve_watched(problem, impulses, &mut Watch::none())
    }

    /// [`Self::solve`] with its iterates shown to `watch`.
    fn solve_watched(
        &mut self,
        problem: &ConstraintProblem,
        impulses: &mut [f64],
        watch: &mut Watch<'_>,
    ) -> SolveReport;

    /// The rule, in words, by which one answer is taken where the law has several.
    fn rule_of_choice(&self) -> &'static str {
        "that to which its iterations lead from the impulses of the last step"
    }

    /// Where an island of the last problem met the end of what a solve may cost, which leaves the best impulses so far:
    /// factorisations of the largest budget met. Of solvers that have budgets.
    fn bound_met(&self) -> Option<u32> {
        None
    }

    /// Drops whatever a solve keeps for the next one, so that what follows depends on the problem and
    /// the starting impulses alone.
    fn forget(&mut self) {}

    /// Solves on so many threads, the caller's among them, where the problem falls into parts. The answer has the
    /// same bits. Solvers that do not work part by part go on alone.
    fn use_threads(&mut self, _threads: usize) {}
}
