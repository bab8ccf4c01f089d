//! The stages that the tables of a [`crate::plan`] try, and how a table is read.
//!
//! A stage goes on from the impulses of an [`Iterate`], within a [`Budget`], and leaves the best that it has
//! met there. [`of`] is the one place that knows which type a word of a table stands for. [`begin`] and
//! [`go_on`] read the table `island`, [`first()`] the table of that name; the stage `sweeps` reads `between`,
//! and the stage `others` takes one line of the table of that name at a time.

mod beginning;
mod by_parts;
mod first;
mod follow;
mod from_nothing;
mod iterate;
mod methods;
mod newton;
mod others;
mod parts;
mod plain_sweeps;
mod settings;
mod smoothing;
mod springs;
mod sweeps;
mod ways;
mod workspace;

pub(crate) use beginning::hold_what_creeps;
pub(crate) use first::first;
pub(crate) use iterate::{Form, Iterate, StartsFrom};
pub(crate) use plain_sweeps::by_sweeps_alone;
pub(crate) use settings::{Settings, SweepParams, Sweeper};
pub(crate) use workspace::{Kept, Workspace};

use crate::plan::{self, Line, Place, Stage as Word, When};
use crate::trees::{TreeSystem, knows_all};
use crate::tuning::AttemptsTuning;
use std::ops::ControlFlow;
use stiction_contact::{SolveReport, SolveStatus};

/// A stage of a plan.
pub(crate) trait Stage {
    /// Goes on from the impulses of `at`; leaves the best met there, with their residual and the steps so
    /// far.
    fn run(&self, at: &mut Iterate<'_, '_>, budget: Budget) -> Outcome;

    /// True if a line of the table `first` is worth its cost where that is all that it would do.
    fn pays(&self, at: &Iterate<'_, '_>, _: &Budget) -> bool {
        at.reached.residual > at.tolerance
    }

    /// True if it leads to the equilibrium of springs, which is no answer.
    fn serves_springs(&self) -> bool {
        true
    }

    /// Sweeps before the stage is one of the table `others`.
    fn patience(&self, tuning: &AttemptsTuning) -> u32 {
        tuning.little_patience
    }
}

/// How far a line may go.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Budget {
    /// Steps, at most; 0: as many as the numbers of the stage say.
    pub(crate) steps: u32,
    /// Residual to go to, where that is not the tolerance of the island [m/s].
    pub(crate) wanted: f64,
    /// The start is good enough: only less than the tolerance is worth a step.
    pub(crate) good: bool,
    /// Few steps of Newton's method do, or none.
    pub(crate) few: bool,
    /// The stage is one of attempts, tried on the island as a whole.
    pub(crate) whole: bool,
    /// Earlier lines of the same stage in its table.
    pub(crate) times: usize,
    /// Stages that follow the end of a way.
    pub(crate) ends: Ends,
}

/// Stages that follow the end of a way: Newton's method, where that is above the tolerance, and steps to
/// less, where it is not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ends {
    Newton,
    Polished,
    /// Both, and a path by rows where Newton's method fails.
    All,
}

impl Budget {
    /// The budget of a line, to the tolerance.
    fn of(line: &Line, at: &Iterate<'_, '_>) -> Self {
        let [good, few, whole] = [false; 3];
        let (steps, wanted) = (line.steps, at.tolerance);
        Self { steps, wanted, good, few, whole, times: 0, ends: Ends::Newton }
    }
}

/// How a stage came out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// The stage has nothing to try here.
    Passed,
    /// The next line follows.
    GoesOn,
    /// No other line follows.
    Ends(SolveStatus),
}

/// The stage that a word stands for.
pub(crate) fn of(word: Word) -> &'static dyn Stage {
    match word {
        Word::LastImpulses => &beginning::LastImpulses,
        Word::Springs => &springs::OfSprings,
        Word::Starts => &beginning::Starts,
        Word::Hold => &beginning::Hold,
        Word::First => &first::First,
        Word::Smoothing => &smoothing::Smoothing,
        Word::Sweeps => &sweeps::Sweeps,
        Word::FromNothing => &from_nothing::FromNothing,
        Word::PlainSweeps => &plain_sweeps::PlainSweeps,
        Word::OldFactors => &newton::OldFactors,
        Word::Newton => &newton::Newton,
        Word::NewtonAfterSweeps => &newton::NewtonAfterSweeps,
        Word::FirmMultipliers => &ways::FirmMultipliers,
        Word::Multipliers => &ways::Multipliers,
        Word::Parts => &by_parts::ByParts,
        Word::Others => &others::Others,
        Word::Path => &ways::ByPath { by_rows: false },
        Word::PathByRows => &ways::ByPath { by_rows: true },
        Word::SmoothedNewton => &ways::SmoothedNewton,
        Word::Interior => &ways::ByInterior,
        Word::Facets => &ways::ByFacets,
        Word::MoreSweeps => &others::MoreSweeps,
    }
}

/// Reads lines from top to bottom: runs each for which `gate` gives a budget, and records it, until one ends
/// the solve or `gate` breaks.
pub(crate) fn read<'l>(
    at: &mut Iterate<'_, '_>,
    lines: impl IntoIterator<Item = &'l Line>,
    mut gate: impl FnMut(&mut Iterate<'_, '_>, &Line) -> ControlFlow<(), Option<Budget>>,
) -> ControlFlow<SolveStatus> {
    for line in lines {
        let budget = match gate(at, line) {
            ControlFlow::Continue(Some(budget)) => budget,
            ControlFlow::Continue(None) => continue,
            ControlFlow::Break(()) => break,
        };
        let (began, before) = (plan::clock(), at.reached.steps);
        let stage = of(line.stage);
        let outcome = if budget.whole { at.attempt(stage, budget) } else { stage.run(at, budget) };
        if outcome != Outcome::Passed {
            let steps = at.reached.steps.saturating_sub(before);
            plan::record(began, line, at.impulses.len(), steps, at.reached.residual);
        }
        if let Outcome::Ends(status) = outcome {
            return ControlFlow::Break(status);
        }
    }
    ControlFlow::Continue(())
}

/// Reads the lines of the table `island` whose stages are `those`; the report if one of them ends the solve.
fn island(at: &mut Iterate<'_, '_>, those: impl Fn(Word) -> bool) -> ControlFlow<SolveReport> {
    let lines = at.params.settings.plan.island.iter().filter(|line| those(line.stage));
    let ended = read(at, lines, |at, line| {
        let whole = !matches!(line.stage.place(), Place::Beginning | Place::Island);
        let holds = at.holds(line, |_| {});
        ControlFlow::Continue(holds.then(|| Budget { whole, ..Budget::of(line, at) }))
    });
    ended.map_break(|status| at.report(status))
}

/// Reads the lines that begin an island: the report if one of them has solved it, else `at` is where they
/// led, with `ws.c` the velocities there.
pub(crate) fn begin(at: &mut Iterate<'_, '_>) -> ControlFlow<SolveReport> {
    island(at, |stage| stage.place() == Place::Beginning)?;
    if !at.known.started {
        at.find_residual();
    }
    if at.will_do() {
        at.watch.show(0, at.impulses);
        at.reached.steps = 0;
        return ControlFlow::Break(at.report(SolveStatus::Converged));
    }
    ControlFlow::Continue(())
}

/// Reads the lines that follow: `first` before blocks of G are formed, then all others. They share the budget
/// of the island.
pub(crate) fn go_on(at: &mut Iterate<'_, '_>) -> SolveReport {
    if at.facts().is(When::Unformed) {
        if let ControlFlow::Break(report) = island(at, |stage| stage == Word::First) {
            return report;
        }
        if !knows_all(at.form.problem()) && matches!(at.form, Form::Itself(_)) {
            at.reached.steps = 0; // by old factors alone
        }
        if !at.form.form() {
            (at.reached.steps, at.reached.residual) = (0, f64::NAN);
            return at.report(SolveStatus::NumericalFailure);
        }
        at.find_residual();
    }
    rest(at)
}

/// Reads the lines from sweeps on, of a problem whose blocks are formed where they are needed.
pub(crate) fn rest(at: &mut Iterate<'_, '_>) -> SolveReport {
    let (problem, soft) = (at.form.problem(), at.known.soft);
    at.known.enough_said = TreeSystem::pays(problem) && at.bounds.enough(problem.rows()).is_some();
    at.known.other_start = at.impulses.iter().any(|&l| l != 0.0) || at.has_multipliers();
    at.keep_start();
    let ended = island(at, |stage| {
        let begun = stage == Word::First || stage.place() == Place::Beginning;
        !begun && (!soft || of(stage).serves_springs())
    });
    ended.break_value().unwrap_or_else(|| at.report(at.status))
}
