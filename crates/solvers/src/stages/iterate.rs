//! The iterate of a solve: a problem, the impulses so far, and what stages know of both.

use super::methods::{Methods, has_multipliers};
use super::settings::{SweepParams, Sweeper};
use super::workspace::Workspace;
use crate::bounds::Bounds;
use crate::initial_guess::InitialGuesses;
use crate::plan::{Facts, Line, When, rubs};
use crate::tuning::Tuning;
use crate::view::{Reached, View};
use stiction_contact::{ConstraintProblem, SolveReport, SolveStatus, Watch};

/// An island, and where its blocks are formed.
pub(crate) enum Form<'a> {
    /// The island is as it is.
    Given(&'a ConstraintProblem),
    /// In a copy, if they are formed.
    Copied(&'a ConstraintProblem, &'a mut ConstraintProblem, bool),
    /// In itself.
    Itself(&'a mut ConstraintProblem),
}

impl Form<'_> {
    /// The problem, with its blocks once they are formed.
    pub(crate) fn problem(&self) -> &ConstraintProblem {
        match self {
            Self::Given(problem) | Self::Copied(problem, _, false) => problem,
            Self::Itself(problem) | Self::Copied(_, problem, true) => problem,
        }
    }

    /// Forms the blocks; false if they cannot be formed.
    pub(crate) fn form(&mut self) -> bool {
        match self {
            Self::Given(_) => true,
            Self::Itself(problem) => problem.form_blocks().is_ok(),
            Self::Copied(problem, copy, formed) => {
                copy.copy_rows_of(problem);
                *formed = copy.form_blocks().is_ok();
                *formed
            }
        }
    }
}

/// From which of the starts there are a solve begins.
#[derive(Clone, Copy, Debug)]
pub(crate) enum StartsFrom {
    /// The nearest, after what the impulses of the last steps say if they go on.
    LastSteps,
    Nearest,
    /// The nearest, and the given one where bodies rest.
    Rest,
}

/// A solve on its way.
pub(crate) struct Iterate<'a, 'w> {
    pub(crate) ws: &'a mut Workspace,
    pub(crate) form: Form<'a>,
    /// The best impulses so far, and how far they are.
    pub(crate) impulses: &'a mut [f64],
    pub(crate) reached: Reached,
    pub(crate) status: SolveStatus,
    pub(crate) watch: &'a mut Watch<'w>,
    pub(crate) rule: &'a mut dyn Sweeper,
    pub(crate) params: &'a SweepParams,
    /// Residual wanted [m/s].
    pub(crate) tolerance: f64,
    pub(crate) max_iterations: u32,
    pub(crate) bounds: &'a Bounds,
    pub(crate) from: StartsFrom,
    pub(crate) known: Known,
}

/// Facts that are known on the way.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Known {
    /// A start has been chosen.
    pub(crate) started: bool,
    /// No start will do: what starts from it must be made small.
    pub(crate) all: bool,
    /// The equilibrium of springs is sought, which is no answer.
    pub(crate) soft: bool,
    /// The blocks are all that sweeps ask for.
    pub(crate) sweeps: bool,
    /// Conditions of these names hold.
    pub(crate) few_rows: bool,
    pub(crate) enough_said: bool,
    pub(crate) other_start: bool,
}

impl<'a, 'w> Iterate<'a, 'w> {
    /// A solve before any stage; `all` is that of [`Known`].
    pub(crate) fn new(
        (ws, rule): (&'a mut Workspace, &'a mut dyn Sweeper),
        (params, bounds): (&'a SweepParams, &'a Bounds),
        form: Form<'a>,
        (from, all): (StartsFrom, bool),
        impulses: &'a mut [f64],
        watch: &'a mut Watch<'w>,
    ) -> Self {
        let problem = form.problem();
        let few_rows = problem.rows() <= params.settings.springs.rows as usize && rubs(problem);
        Self {
            ws,
            form,
            impulses,
            reached: Reached { residual: f64::INFINITY, steps: 0 },
            status: SolveStatus::IterationLimit,
            watch,
            rule,
            params,
            tolerance: params.tolerance,
            max_iterations: params.max_iterations,
            bounds,
            from,
            known: Known { all, few_rows, ..Known::default() },
        }
    }

    /// This solve on another problem with as many rows, or on this one.
    pub(super) fn on<'b>(&'b mut self, other: Option<&'b ConstraintProblem>) -> Iterate<'b, 'w> {
        let form = Form::Given(other.unwrap_or_else(|| self.form.problem()));
        Iterate {
            ws: &mut *self.ws,
            form,
            impulses: &mut *self.impulses,
            watch: &mut *self.watch,
            rule: &mut *self.rule,
            ..*self
        }
    }

    pub(crate) fn report(&self, status: SolveStatus) -> SolveReport {
        let Reached { residual, steps: iterations } = self.reached;
        SolveReport { status, iterations, residual }
    }

    pub(super) fn tuning(&self) -> &'a Tuning {
        &self.params.settings.tuning
    }

    /// The facts that conditions of lines need.
    pub(super) fn facts(&self) -> Facts<'_> {
        let rests = self.will_do() && self.reached.residual <= self.params.settings.springs.rests;
        Facts {
            few_rows: self.known.few_rows,
            moves: !rests,
            enough_said: self.known.enough_said,
            other_start: self.known.other_start,
            far: self.reached.residual > self.tuning().islands.near * self.tolerance,
            ..Facts::of(self.form.problem(), self.rule.law(), &self.tuning().islands)
        }
    }

    /// True if that holds of the problem.
    pub(super) fn is(&self, when: When) -> bool {
        Facts::of(self.form.problem(), self.rule.law(), &self.tuning().islands).is(when)
    }

    /// True if the impulses may be the answer as they are.
    pub(super) fn will_do(&self) -> bool {
        !self.known.all && self.reached.residual <= self.ws.enough(self.tolerance)
    }

    /// Velocities and residual of the impulses, afresh.
    pub(super) fn find_residual(&mut self) {
        let problem = self.form.problem();
        problem.velocities_into(self.impulses, &mut self.ws.c);
        self.reached.residual = self.ws.residual(problem, self.rule.law(), self.impulses, &self.ws.c);
    }

    /// Keeps the impulses as the start of the last sweeps.
    pub(super) fn keep_start(&mut self) {
        self.impulses.clone_into(&mut self.ws.swept);
    }

    /// True if the augmented Lagrangian leads anywhere.
    pub(super) fn has_multipliers(&self) -> bool {
        self.params.finish && has_multipliers(self.form.problem(), self.rule.law(), self.tuning())
    }

    /// The problem as methods see it, the methods, and the impulses.
    pub(super) fn split(&mut self) -> (View<'_>, &mut Methods, &mut [f64]) {
        let Workspace { blocks, stopping, methods, .. } = &mut *self.ws;
        let view = View {
            problem: self.form.problem(),
            blocks,
            stopping,
            law: self.rule.law(),
            sweeps: self.known.sweeps,
            tuning: &self.params.settings.tuning,
        };
        (view, methods, self.impulses)
    }

    /// Steps that are left, of so many.
    pub(super) fn left(&self, most: u32) -> u32 {
        most.min(self.max_iterations.saturating_sub(self.reached.steps))
    }

    /// True if a line is to be tried here.
    pub(super) fn holds(&mut self, line: &Line, facts: impl FnOnce(&mut Facts<'_>)) -> bool {
        let mut known = self.facts();
        facts(&mut known);
        if !known.hold(line.when) {
            return false;
        }
        let (e, tolerance) = (self.reached.residual, self.tolerance);
        let (view, methods, lambda) = self.split();
        let rounds = line.when.contains(&When::AboveRounding);
        !(rounds && view.is_rounding(e, lambda, tolerance, &mut methods.way[1]))
    }

    /// The residual to go to from one of `current`: deeper than the tolerance where impulses will do for many
    /// steps to come, and a step from what is good enough but would be made again.
    pub(super) fn wanted(&self, current: f64) -> f64 {
        let Tuning { islands, attempts, .. } = self.tuning();
        match self.rests() {
            true if current <= islands.near * self.tolerance => attempts.deep * self.tolerance,
            true => self.tolerance,
            false => self.tolerance.min(attempts.digit * current),
        }
    }

    /// True if impulses do not change from step to step, or it is not known that they do.
    pub(super) fn rests(&self) -> bool {
        !self.ws.starts.moves()
    }

    /// Chooses among the starts there are; the residual of that.
    pub(super) fn choose(&mut self) -> f64 {
        let (law, tolerance, from) = (self.rule.law(), self.tolerance, self.from);
        let impulses = &mut *self.impulses;
        self.ws.with_starts(self.form.problem(), law, tolerance, |starts, task, c| match from {
            StartsFrom::LastSteps => {
                starts.go_on(task, impulses, c).unwrap_or_else(|| starts.choose(task, impulses, c))
            }
            StartsFrom::Nearest => starts.choose(task, impulses, c),
            StartsFrom::Rest => InitialGuesses::choose_at_rest(starts, task, impulses, c),
        })
    }
}
