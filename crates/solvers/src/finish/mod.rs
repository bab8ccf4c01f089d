//! Second-order finishes for the sweeps: what they are, and when each is tried.
//!
//! Sweeps find the active set and solve easy problems; a Newton step costs as much as many sweeps and
//! solves what sweeps cannot. The first attempt comes when the sweeps done have cost about an eighth of
//! one factorisation (after two for a quadruped), the next whenever the count has doubled, or [`PATIENCE`] sweeps after
//! one that went another way, as there may be more of these:
//!
//! 1. [`newton`] from the active set of the present impulses;
//! 2. if that fails, for the exact law and where many trees hang together, the [`parts`] in which it has, each for
//!    itself, and 1 again on all, a few times; before them, in islands of far more rows than coordinates, the augmented
//!    Lagrangian of [`crate::ncp_al`]: there nearly all contacts may be on other pieces, and it asks for none;
//! 3. then, for the exact law, a path of [`crate::path`] from there, piece by piece;
//! 4. then, a few times a solve, a method that needs no active set, polished by 1. For the exact law first the smoothed
//!    Newton method of [`crate::ncp_newton`], from where they are; then, where the factor of G is known, the augmented
//!    Lagrangian of [`crate::ncp_al`]. Else an interior method from a cold start, once sweeps have had [`PATIENCE`]
//!    tries: [`crate::interior`], or [`crate::facets`] for polygons. Where that fails too, a path from its end, by
//!    rows, and so where all has been tried. What has halved the residual is tried again before the next of these.
//!    Contacts that resist turning know the path and the augmented Lagrangian alone.
//!
//! None of 2 to 4 follows where what Newton's method leaves is no more than rounding the impulses to 64 bits does.
//!
//! Large islands ([`view`]) are wrong in few places, for which 3 and 4 on all of them cost too much: there follow 1 and 2
//! every [`SOON`] sweeps, and late the augmented Lagrangian.
//!
//! What comes before the first sweep: [`first`].

mod first;
mod newton;
mod parts;
mod patch;
mod polygon;
mod view;

pub(crate) use newton::Newton;
pub(crate) use view::View;

use crate::facets::Facets;
use crate::interior::{COLD_STARTS, Interior};
use crate::iterate::{Method, Task};
use crate::local::quartic;
use crate::ncp_al::{Augmented, Start};
use crate::ncp_newton::{self, Function};
use crate::path::Path;
use crate::smoothing::{Smoothing, Tuning};
use crate::sweep::{Block, pass};
use crate::trees::{TreeSystem, knows_all, knows_factor};
use crate::work;
use parts::{Parts, Tools};
use stiction_contact::{Cone, ConstraintProblem, Law};

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
/// InitialGuesses this near are nearly answers [tolerances] …
pub(crate) const NEAR: f64 = 1e2;
/// … and are taken this deep, where the rows are few.
const DEEP: f64 = 1e-4;
const FEW_ROWS: usize = 300;
/// What a step gains at least [–].
const DIGIT: f64 = 0.1;
/// Steps of a method that needs no active set.
const SECOND_STEPS: u32 = 60;
/// Of the augmented Lagrangian from no impulses, with few rows and with many.
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
/// Sweeps between attempts in large islands, and how many fail there before the augmented Lagrangian.
const SOON: u32 = 10;
const LATE: usize = 2;
/// A way that leaves less than this of what there was is gone again [–].
const AGAIN: f64 = 0.5;
/// Newton steps after another way has reached the tolerance.
const POLISHING_STEPS: u32 = 2;

/// How far a finish got.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reached {
    /// Residual of the impulses left behind [m/s].
    pub(crate) residual: f64,
    pub(crate) steps: u32,
}

/// What follows where Newton fails.
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
    /// Of the solve, sweeps included.
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
    /// Of sweeps where none have begun.
    blocks: Vec<Block>,
    /// Where a method followed is, and its velocities.
    way: [Vec<f64>; 2],
    /// Where another way goes.
    trial: Vec<f64>,
    /// Iterations at which to try next.
    next: u32,
    /// Some contacts resist turning, which the interior methods do not know.
    turning: bool,
    /// Attempts made where Newton failed.
    attempts: usize,
}

impl Finish {
    /// Sets the schedule for a problem.
    pub(crate) fn start(&mut self, problem: &ConstraintProblem, law: Law, on: bool) {
        let rows = problem.rows();
        let in_trees = TreeSystem::pays(problem);
        let useful = on && (in_trees || rows <= MOST_ROWS);
        let formed = problem.blocks_formed();
        let entries: usize = if formed { problem.blocks.pairs() } else { problem.len().pow(2) };
        let ratio = rows.pow(3) / (27 * entries).max(1);
        let first = if law == Law::Raisim { RAISIM_PATIENCE } else { 2 };
        let sweeps = if in_trees { SWEEPS_BEFORE_TREES } else { ratio / 8 };
        self.next = if useful { sweeps.clamp(first, 300) as u32 } else { u32::MAX };
        self.attempts = 0;
        self.turning = turns(problem);
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
        let mut e = self.newton(view, lambda, current, goal, iterations);
        if e > goal.tolerance && view.is_rounding(e, lambda, goal.tolerance, &mut self.way[1]) {
            return (e < current).then_some(e);
        }
        if work::spent() {
            return (e < current).then_some(e);
        }
        if e > NEAR * goal.tolerance && view.hyperstatic() && !work::spent() {
            e = self.by_multipliers_first(view, lambda, e, goal, iterations);
        }
        if e > goal.tolerance && view.has_parts() && !work::spent() {
            e = self.by_parts(view, lambda, e, goal, iterations);
        }
        let way = if e > goal.tolerance && !work::spent() { self.way(view) } else { None };
        let (large, before) = (view.large(), *iterations);
        if large && way.is_none() {
            self.attempts += 1;
        }
        let mut next = if large { before + SOON } else { 2 * before };
        if let Some((way, fresh)) = way
            && self.next >= way.patience()
        {
            // Polished even where it ends worse than the sweeps: its active set may be the right one.
            let mut trial = self.trial_from(lambda);
            let mut other = self.go(way, view, &mut trial, goal, iterations);
            if other > goal.tolerance && other.is_finite() {
                other = self.newton(view, &mut trial, other, goal, iterations);
                let path = view.has_path() && !large && !matches!(way, Way::Path { .. });
                if other > goal.tolerance && path {
                    other = self.go(Way::Path { by_rows: true }, view, &mut trial, goal, iterations);
                }
            } else if other.is_finite() {
                let steps = POLISHING_STEPS.min(goal.max_iterations.saturating_sub(*iterations));
                let polished = self.newton.solve(view, &mut trial, other, DEEP * goal.tolerance, steps);
                *iterations += polished.steps;
                other = polished.residual;
            }
            if !(other < AGAIN * e) {
                self.attempts += 1;
            }
            if other < e {
                e = other;
                lambda.copy_from_slice(&trial);
            }
            self.trial = trial;
            if fresh {
                next = *iterations + if large { SOON } else { PATIENCE }; // there may be other ways
            }
        }
        self.next = next.max(self.next);
        (e < current).then_some(e)
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

    /// By the augmented Lagrangian from where Newton's method has failed, and by that again; the residual of the best
    /// impulses met.
    fn by_multipliers_first(
        &mut self,
        view: &View,
        lambda: &mut [f64],
        from: f64,
        goal: Goal,
        iterations: &mut u32,
    ) -> f64 {
        let mut trial = self.trial_from(lambda);
        let mut e = self.go(Way::Multipliers, view, &mut trial, goal, iterations);
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

    /// From `lambda` along a way, to the best impulses met on it; their residual.
    fn go(&mut self, way: Way, view: &View, lambda: &mut Vec<f64>, goal: Goal, iterations: &mut u32) -> f64 {
        let most = match way {
            Way::Path { by_rows } if !Path::by_rows(view, by_rows) => {
                PATH_STEPS[usize::from(lambda.len() > MANY_ROWS)] as u32
            }
            Way::Path { .. } => (PATH_COST / lambda.len().max(1)).min(PATH_STEPS[0]) as u32,
            _ => SECOND_STEPS,
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

    /// How the next attempt goes on where Newton has failed, if there is a way left, and whether it is a new one.
    fn way(&self, view: &View) -> Option<(Way, bool)> {
        let View { problem, law, .. } = *view;
        if law == Law::Raisim {
            return None;
        }
        if view.large() {
            return (self.attempts == LATE).then_some((Way::Multipliers, true));
        }
        let exact = law == Law::Ncp;
        let path = |by_rows| view.has_path().then_some(Way::Path { by_rows });
        if self.turning {
            let ways = [path(true), exact.then_some(Way::Multipliers)].into_iter().flatten();
            return ways.map(|way| (way, true)).nth(self.attempts).or(path(true).map(|path| (path, false)));
        }
        let multipliers = (exact && knows_factor(problem)).then_some(Way::Multipliers);
        let first = [path(false), exact.then_some(Way::Smoothed), multipliers];
        let then = COLD_STARTS.map(|cold| match law.polygon() {
            Some(_) => Way::Facets(cold),
            None if exact && TreeSystem::pays(problem) => Way::Smoothed,
            None => Way::Interior(cold),
        });
        let fresh = first.into_iter().flatten().chain(then).nth(self.attempts);
        fresh.map(|way| (way, true)).or(path(true).map(|path| (path, false)))
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

    /// What outlives a solve.
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
        let many = view.has_parts() && view.problem.rows() > MANY_ROWS;
        let most = if many { MANY_ROWS_STEPS } else { NEWTON_STEPS[usize::from(!view.has_path())] };
        let steps = most.min(goal.max_iterations.saturating_sub(*iterations));
        let reached = self.newton.solve(view, lambda, e, goal.tolerance, steps);
        *iterations += reached.steps;
        reached.residual
    }
}

/// True if some contacts resist turning.
fn turns(problem: &ConstraintProblem) -> bool {
    problem.cones().iter().any(|c| matches!(c, Cone::Patch { .. }))
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
