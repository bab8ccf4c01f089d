//! Second-order finishes for the sweeps: what they are, and when each is tried.
//!
//! Sweeps find the active set and solve easy problems; a Newton step costs as much as many sweeps and solves what sweeps
//! cannot. The first attempt comes when the sweeps done have cost about an eighth of one factorisation (after two for a
//! quadruped), the next whenever the count has doubled, [`PATIENCE`] sweeps after one that went another way, or in large islands every
//! [`SOON`] sweeps. What an attempt tries is the table `between` of [`crate::plan`]; what comes before the first sweep is its table `first`.

mod first;
mod parts;

use crate::active_set::Newton;
use crate::blocks::{Block, pass};
use crate::facets::Facets;
use crate::interior::{COLD_STARTS, Interior};
use crate::iterate::Method;
use crate::local::quartic;
use crate::ncp_al::{Augmented, Start};
use crate::ncp_newton::{self, Function};
use crate::path::Path;
use crate::plan::{self, Facts, Line, NEAR, Plan, Stage, Table, When};
use crate::smoothing::{Smoothing, Tuning};
use crate::task::Task;
use crate::trees::{TreeSystem, knows_all};
use crate::view::{Reached, View};
use crate::work;
use parts::{Parts, Tools};
use stiction_contact::{ConstraintProblem, Law};

/// Sweeps before an interior-point attempt, and before another way.
const PATIENCE: u32 = 20;
const LITTLE_PATIENCE: u32 = 4;
/// Sweeps before any attempt on RaiSim's law: hyperstatic problems have several answers, and the one meant
/// is where the published sweeps go.
const RAISIM_PATIENCE: usize = 200;
/// Problems with more rows are left to the sweeps, unless they are solved in velocities …
const MOST_ROWS: usize = 1500;
/// … which costs about so many sweeps.
const SWEEPS_BEFORE_TREES: usize = 4;
/// Newton steps of an attempt: where a path follows, and where none does.
const NEWTON_STEPS: [u32; 2] = [10, 20];
/// With more rows than these a step costs much, and parts do more than so many Newton steps on all.
const MANY_ROWS: usize = 600;
const MANY_ROWS_STEPS: u32 = 5;
/// Starts that are nearly answers are solved this deep, where the rows are few.
const DEEP: f64 = 1e-4;
const FEW_ROWS: usize = 300;
/// A step gains at least this [–].
const DIGIT: f64 = 0.1;
/// Steps of the augmented Lagrangian from no impulses, with few rows and with many.
const LAST_STEPS: [u32; 2] = [150, 30];
/// Steps along a path, with few rows and with many, and what they may cost by rows: rows times steps.
const PATH_STEPS: [usize; 2] = [150, 60];
const PATH_COST: usize = 18_000;
/// Rounds of parts and all, and what parts must leave of a residual at which all of it failed [–]; and the rounds in a
/// row that may leave more than this share of the best [–].
const ROUNDS: usize = 8;
const GAIN: f64 = 0.3;
const IDLE_ROUNDS: u32 = 2;
const PROGRESS: f64 = 0.9;
/// Sweeps between attempts in large islands.
const SOON: u32 = 10;
/// A way that leaves less than this of what there was is gone again [–].
const AGAIN: f64 = 0.5;
/// Newton steps after another way has reached the tolerance.
const POLISHING_STEPS: u32 = 2;

/// A way that follows where Newton fails.
#[derive(Clone, Copy, Debug)]
enum Way {
    /// In the velocities of trees where that pays; later `by_rows`, which bears smaller ε.
    Path {
        by_rows: bool,
    },
    Smoothed,
    Multipliers,
    /// From a cold start of these scales.
    Interior((f64, f64)),
    Facets((f64, f64)),
}

impl Way {
    /// The way of a stage, whose `n`-th cold start it is.
    fn of(stage: Stage, n: usize) -> Option<Self> {
        let cold = COLD_STARTS[n.min(COLD_STARTS.len() - 1)];
        Some(match stage {
            Stage::Path => Way::Path { by_rows: false },
            Stage::PathByRows => Way::Path { by_rows: true },
            Stage::SmoothedNewton => Way::Smoothed,
            Stage::Multipliers => Way::Multipliers,
            Stage::Interior => Way::Interior(cold),
            Stage::Facets => Way::Facets(cold),
            _ => return None,
        })
    }

    /// Sweeps before it.
    fn patience(self) -> u32 {
        match self {
            Way::Path { .. } | Way::Smoothed | Way::Multipliers => LITTLE_PATIENCE,
            Way::Interior(_) | Way::Facets(_) => PATIENCE,
        }
    }
}

/// When to stop.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Goal {
    /// Residual wanted [m/s].
    pub(crate) tolerance: f64,
    /// Iterations of the solve, sweeps included.
    pub(crate) max_iterations: u32,
    /// The impulses do not change from step to step, or it is not known that they do.
    pub(crate) rests: bool,
}

impl Goal {
    /// The residual to go to from one of `current`: deeper than asked where impulses will do for many steps to come, and
    /// a step from what is good enough but would be made again.
    fn wanted(&self, current: f64) -> f64 {
        match self.rests {
            true if current <= NEAR * self.tolerance => DEEP * self.tolerance,
            true => self.tolerance,
            false => self.tolerance.min(DIGIT * current),
        }
    }
}

/// Workspaces and the schedule of one solve.
#[derive(Default)]
pub(crate) struct Finish {
    newton: Newton,
    interior: Interior,
    facets: Facets,
    multipliers: Augmented,
    smoothed: ncp_newton::Newton,
    smoothing: Smoothing,
    path: Path,
    parts: Parts,
    /// Blocks of sweeps where none have begun.
    blocks: Vec<Block>,
    /// Where a method followed is, and its velocities.
    way: [Vec<f64>; 2],
    /// Where another way goes.
    trial: Vec<f64>,
    /// Iterations at which to try next.
    next: u32,
    first: Table,
    between: Table,
    others: Table,
    /// Attempts made where Newton failed.
    attempts: usize,
}

impl Finish {
    /// Sets the schedule for a problem, by a plan if there is one.
    pub(crate) fn start(&mut self, problem: &ConstraintProblem, law: Law, plan: Option<&Plan>) {
        let rows = problem.rows();
        let in_trees = TreeSystem::pays(problem);
        let useful = plan.is_some() && (in_trees || rows <= MOST_ROWS);
        let formed = problem.blocks_formed();
        let entries: usize = if formed { problem.blocks.pairs() } else { problem.len().pow(2) };
        let ratio = rows.pow(3) / (27 * entries).max(1);
        let first = if law == Law::Raisim { RAISIM_PATIENCE } else { 2 };
        let sweeps = if in_trees { SWEEPS_BEFORE_TREES } else { ratio / 8 };
        self.next = if useful { sweeps.clamp(first, 300) as u32 } else { u32::MAX };
        self.attempts = 0;
        if let Some(plan) = plan {
            (self.first, self.between, self.others) = (plan.first, plan.between, plan.others);
        }
    }

    /// Improves `lambda` if it is time to; `None` if it is not or nothing came of it, apart from the
    /// steps counted into `iterations`.
    pub(crate) fn attempt(
        &mut self,
        view: &View,
        lambda: &mut [f64],
        current: f64,
        goal: Goal,
        iterations: &mut u32,
    ) -> Option<f64> {
        if *iterations < self.next {
            return None;
        }
        let mut e = current;
        let mut next = if view.is(When::Large) { *iterations + SOON } else { 2 * *iterations };
        let between = self.between;
        for (i, line) in between.iter().enumerate() {
            if i > 0 && (!(e > goal.tolerance) || work::spent()) {
                break;
            }
            if !self.applies(line, view, lambda, e, goal) {
                continue;
            }
            let (began, before) = (plan::clock(), *iterations);
            if line.stage == Stage::Others {
                if let Some(later) = self.by_other(view, lambda, &mut e, goal, iterations) {
                    next = later;
                }
            } else {
                e = self.run(line, view, lambda, e, goal, iterations);
            }
            plan::record(began, line, lambda.len(), *iterations - before, e);
        }
        self.next = next.max(self.next);
        (e < current).then_some(e)
    }

    /// True if a line is to be tried where impulses leave `e`.
    fn applies(&mut self, line: &Line, view: &View, lambda: &[f64], e: f64, goal: Goal) -> bool {
        let facts = Facts { far: e > NEAR * goal.tolerance, ..Facts::of(view.problem, view.law) };
        line.when.iter().all(|when| match when {
            When::AboveRounding => !view.is_rounding(e, lambda, goal.tolerance, &mut self.way[1]),
            other => facts.is(*other),
        })
    }

    /// The stage of a line, from impulses that leave `from`; the residual of the best impulses met.
    pub(crate) fn run(
        &mut self,
        line: &Line,
        view: &View,
        lambda: &mut [f64],
        from: f64,
        goal: Goal,
        iterations: &mut u32,
    ) -> f64 {
        match line.stage {
            Stage::Newton => self.newton(view, lambda, from, goal, iterations),
            Stage::Parts => self.by_parts(view, lambda, from, goal, iterations),
            stage => match Way::of(stage, 0) {
                Some(way) => self.by_way(way, line.steps, view, lambda, from, goal, iterations),
                None => from,
            },
        }
    }

    /// By the next of the other ways, if there is one and it is time: where more ways follow, when the next attempt comes.
    fn by_other(
        &mut self,
        view: &View,
        lambda: &mut [f64],
        e: &mut f64,
        goal: Goal,
        iterations: &mut u32,
    ) -> Option<u32> {
        let large = view.is(When::Large);
        let Some((way, most, fresh)) = self.other(view) else {
            self.attempts += usize::from(large);
            return None;
        };
        if self.next < way.patience() {
            return None;
        }
        // Polished even where it ends worse than the sweeps: its active set may be the right one.
        let mut trial = self.trial_from(lambda);
        let mut other = self.go(way, most, view, &mut trial, goal, iterations);
        if other > goal.tolerance && other.is_finite() {
            other = self.newton(view, &mut trial, other, goal, iterations);
            let path = view.is(When::Path) && !large && !matches!(way, Way::Path { .. });
            if other > goal.tolerance && path {
                other = self.go(Way::Path { by_rows: true }, 0, view, &mut trial, goal, iterations);
            }
        } else if other.is_finite() {
            let steps = POLISHING_STEPS.min(goal.max_iterations.saturating_sub(*iterations));
            let polished = self.newton.solve(view, &mut trial, other, DEEP * goal.tolerance, steps);
            *iterations += polished.steps;
            other = polished.residual;
        }
        if !(other < AGAIN * *e) {
            self.attempts += 1;
        }
        if other < *e {
            *e = other;
            lambda.copy_from_slice(&trial);
        }
        self.trial = trial;
        fresh.then_some(*iterations + if large { SOON } else { PATIENCE })
    }

    /// The room for where another way goes, starting from `lambda`; whoever takes it puts it back.
    fn trial_from(&mut self, lambda: &[f64]) -> Vec<f64> {
        let mut trial = std::mem::take(&mut self.trial);
        trial.clear();
        trial.extend_from_slice(lambda);
        trial
    }

    /// Goes by the smoothing homotopy, from no impulses whatever `lambda` is, to what is enough; leaves the best impulses met,
    /// those of the start among them.
    pub(crate) fn by_smoothing(
        &mut self,
        view: &View,
        lambda: &mut Vec<f64>,
        enough: f64,
        max_steps: u32,
    ) -> Reached {
        let Self { smoothing, way, .. } = self;
        let mut reached = follow(smoothing, &Tuning::FIRST, way, view, (lambda, enough, max_steps));
        reached.residual = view.cautious(reached.residual, lambda, enough, &mut way[1]);
        reached
    }

    /// By another way from where Newton's method has failed, and by that again; the residual of the best impulses met.
    #[expect(clippy::too_many_arguments, reason = "a place, a goal and a count")]
    fn by_way(
        &mut self,
        way: Way,
        most: u32,
        view: &View,
        lambda: &mut [f64],
        from: f64,
        goal: Goal,
        iterations: &mut u32,
    ) -> f64 {
        let mut trial = self.trial_from(lambda);
        let mut e = self.go(way, most, view, &mut trial, goal, iterations);
        if e > goal.tolerance {
            e = self.newton(view, &mut trial, e, goal, iterations);
        }
        if e < from {
            lambda.copy_from_slice(&trial);
        }
        self.trial = trial;
        e.min(from)
    }

    /// What is wrong part by part and Newton's steps on all, in turn; the residual of the best impulses met.
    fn by_parts(
        &mut self,
        view: &View,
        lambda: &mut [f64],
        mut best: f64,
        goal: Goal,
        iterations: &mut u32,
    ) -> f64 {
        let mut trial = self.trial_from(lambda);
        let mut enough = f64::INFINITY;
        let (mut mark, mut idle) = (f64::INFINITY, 0);
        for _ in 0..ROUNDS {
            (mark, idle) = if best < PROGRESS * mark { (best, 0) } else { (mark, idle + 1) };
            if idle >= IDLE_ROUNDS {
                break;
            }
            let Self { parts, newton, path, smoothed, multipliers, way: room, .. } = self;
            let tools = Tools { newton, path, smoothed, multipliers, room };
            let Some(steps) = parts.solve(view, &mut trial, goal.tolerance, tools) else { break };
            *iterations += steps;
            let c = &mut self.way[1];
            view.problem.velocities_into(&trial, c);
            let from = view.residual(&trial, c);
            let mut e = from;
            if from < enough {
                e = self.newton(view, &mut trial, from, goal, iterations);
                enough = if e < from { f64::INFINITY } else { GAIN * from };
            }
            if e < best {
                best = e;
                lambda.copy_from_slice(&trial);
            }
            if best <= goal.tolerance || *iterations >= goal.max_iterations || work::spent() {
                break;
            }
        }
        self.trial = trial;
        best
    }

    /// From `lambda` along a way, of at most so many steps where it is no path, to the best impulses met on it; their residual.
    fn go(
        &mut self,
        way: Way,
        most: u32,
        view: &View,
        lambda: &mut Vec<f64>,
        goal: Goal,
        iterations: &mut u32,
    ) -> f64 {
        let most = match way {
            Way::Path { by_rows } if !Path::by_rows(view, by_rows) => {
                PATH_STEPS[usize::from(lambda.len() > MANY_ROWS)] as u32
            }
            Way::Path { .. } => (PATH_COST / lambda.len().max(1)).min(PATH_STEPS[0]) as u32,
            _ => most,
        };
        let steps = most.min(goal.max_iterations.saturating_sub(*iterations));
        let Self { path, smoothed, multipliers, way: room, .. } = self;
        let reached = match way {
            Way::Path { by_rows } => path.solve(view, lambda, goal.tolerance, steps, by_rows),
            Way::Smoothed => {
                follow(smoothed, &Function::FischerBurmeister, room, view, (lambda, goal.tolerance, steps))
            }
            Way::Multipliers => {
                follow(multipliers, &Start::DEFAULT, room, view, (lambda, goal.tolerance, steps))
            }
            Way::Facets(start) => self.facets.solve(view, lambda, goal.tolerance, steps, start),
            Way::Interior(start) => self.interior(view, lambda, goal.tolerance, steps, start),
        };
        *iterations += reached.steps;
        let known = matches!(way, Way::Path { .. });
        if known {
            reached.residual
        } else {
            view.cautious(reached.residual, lambda, goal.tolerance, &mut self.way[1])
        }
    }

    /// The next of the table `others`, its steps, and whether it is a new one; where all have been tried, a path by rows.
    fn other(&self, view: &View) -> Option<(Way, u32, bool)> {
        let facts = Facts::of(view.problem, view.law);
        let lines = || self.others.iter().filter(|line| facts.hold(line.when));
        match lines().nth(self.attempts) {
            Some(line) => {
                let same = lines().take(self.attempts).filter(|l| l.stage == line.stage).count();
                Way::of(line.stage, same).map(|way| (way, line.steps, true))
            }
            None if facts.is(When::Path) && !facts.is(When::Large) && !self.others.is_empty() => {
                Some((Way::Path { by_rows: true }, 0, false))
            }
            None => None,
        }
    }

    /// True if a start from nothing would lead no nearer: in large islands it costs as much and loses what is right.
    pub(crate) fn stays(problem: &ConstraintProblem, residual: f64, tolerance: f64) -> bool {
        problem.rows() > MANY_ROWS && residual <= NEAR * tolerance
    }

    /// True if [`Self::by_multipliers`] leads anywhere.
    pub(crate) fn has_multipliers(problem: &ConstraintProblem, law: Law) -> bool {
        law == Law::Ncp
            && (TreeSystem::pays(problem)
                || problem.rows() <= Path::MOST_ROWS
                || knows_all(problem) && problem.delassus_factor.coordinates() <= Path::MOST_ROWS)
    }

    /// From `lambda` by the augmented Lagrangian, where all others have failed, to the best impulses met.
    pub(crate) fn by_multipliers(
        &mut self,
        view: &View,
        lambda: &mut Vec<f64>,
        tolerance: f64,
        max_steps: u32,
    ) -> Reached {
        let steps = LAST_STEPS[usize::from(lambda.len() > MANY_ROWS)].min(max_steps);
        let Self { multipliers, way, .. } = self;
        let mut reached = follow(multipliers, &Start::DEFAULT, way, view, (lambda, tolerance, steps));
        reached.residual = view.cautious(reached.residual, lambda, tolerance, &mut way[1]);
        reached
    }

    /// True if an answer that this has just found is the only one with its pieces.
    pub(crate) fn unique(&self) -> bool {
        self.newton.regular()
    }

    /// The factors that outlive a solve.
    pub(crate) fn kept_mut(&mut self) -> &mut Newton {
        &mut self.newton
    }

    /// Drops it.
    pub(crate) fn forget(&mut self) {
        self.newton.forget();
    }

    /// Replaces `lambda` by the best impulses met from a cold start, but for blocks that cannot change.
    fn interior(
        &mut self,
        view: &View,
        lambda: &mut [f64],
        tolerance: f64,
        max_steps: u32,
        scales: (f64, f64),
    ) -> Reached {
        let View { problem, stopping, law, .. } = *view;
        let task = Task { problem, stopping, law, tolerance };
        self.interior.start(&task, lambda, scales);
        let mut best = f64::INFINITY;
        for step in 1..=max_steps {
            let going = self.interior.step(&task);
            let e = view.residual(self.interior.impulses(), self.interior.velocities());
            if e < best {
                best = e;
                lambda.copy_from_slice(self.interior.impulses());
            }
            if !going || e.is_nan() || best <= tolerance || work::spent() {
                return Reached { residual: best, steps: step };
            }
        }
        Reached { residual: best, steps: max_steps }
    }

    /// A few steps of Newton's method; the residual of the best impulses met.
    pub(crate) fn newton(
        &mut self,
        view: &View,
        lambda: &mut [f64],
        e: f64,
        goal: Goal,
        iterations: &mut u32,
    ) -> f64 {
        let many = view.is(When::Parts) && view.problem.rows() > MANY_ROWS;
        let most = if many { MANY_ROWS_STEPS } else { NEWTON_STEPS[usize::from(!view.is(When::Path))] };
        let steps = most.min(goal.max_iterations.saturating_sub(*iterations));
        let reached = self.newton.solve(view, lambda, e, goal.tolerance, steps);
        *iterations += reached.steps;
        reached.residual
    }
}

/// Sweeps of exact answers, by the factor of G; the residual they leave.
fn sweep(view: &View, lambda: &mut [f64], sweeps: u32, [z, c]: &mut [Vec<f64>; 2]) -> f64 {
    c.clear();
    c.resize(lambda.len(), 0.0);
    for _ in 0..sweeps {
        if work::spent() {
            break;
        }
        pass::by_factor(quartic::solve, view.blocks, view.problem, lambda, (z, c));
    }
    view.problem.velocities_into(lambda, c);
    view.residual(lambda, c)
}

/// Replaces `lambda` by the best impulses met on the way of a method from there.
fn follow<M: Method>(
    method: &mut M,
    params: &M::Params,
    [at, c]: &mut [Vec<f64>; 2],
    view: &View,
    (lambda, tolerance, max_steps): (&mut Vec<f64>, f64, u32),
) -> Reached {
    let View { problem, stopping, law, .. } = *view;
    let task = Task { problem, stopping, law, tolerance };
    problem.velocities_into(lambda, c);
    let mut reached = Reached { residual: view.residual(lambda, c), steps: 0 };
    if !method.start(params, &task, lambda, c) {
        return reached;
    }
    at.clear();
    at.extend_from_slice(lambda);
    while reached.steps < max_steps && reached.residual > tolerance {
        let going = method.iterate(params, &task, at);
        reached.steps += 1;
        problem.velocities_into(at, c);
        let e = view.residual(at, c);
        if e < reached.residual {
            reached.residual = e;
            lambda.copy_from_slice(at);
        }
        if !going || !e.is_finite() || work::spent() {
            break;
        }
    }
    reached
}
