//! The loop the Gauss–Seidel twins share: sweep, measure, remember the best, accelerate, finish.
//!
//! One sweep visits the blocks in order; each sees the newest impulses of the others:
//!
//! ```text
//!     λᵢ⁺ = rule(Aᵢ, λᵢ, cᵢ),   c ← c + G[:, i] (λᵢ⁺ − λᵢ),   A = G + R          (1)
//!     scalar blocks: λᵢ⁺ = P(λᵢ − cᵢ/Aᵢ)                                         (2)
//! ```
//!
//! It is a map λ ↦ S(λ) whose fixed points solve the rule's law. The residual is the natural map
//! of that law in m/s, 2-norm over the blocks, with ‖Aᵢ‖_F for ‖Aᵢ‖₂: an upper bound of the judge's.
//! "Converged" is said only of velocities computed afresh. Order of attack: sweeps; after each, an
//! Anderson step on S ([`crate::anderson`]); at growing intervals a second-order finish
//! ([`crate::finish`]). Whatever happens, the best impulses seen are returned.

use crate::anderson::Anderson;
use crate::finish::{Finish, Goal, View};
use crate::local::Contact;
use stiction_contact::certificate::block_natural_map;
use stiction_contact::{Cone, ConstraintProblem, Law, SolveReport, SolveStatus};

/// What a twin brings: its law and its answer for one contact.
pub(crate) trait Rule {
    const LAW: Law;

    /// λᵢ⁺ of (1).
    fn answer(&self, contact: &Contact, lambda: [f64; 3], c: [f64; 3]) -> [f64; 3];

    /// Called before the first sweep.
    fn begin(&mut self, _tolerance: f64) {}

    /// Called after every sweep.
    fn end_of_sweep(&mut self) {}
}

/// What the twins' parameters have in common.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SweepParams {
    pub(crate) tolerance: f64,
    pub(crate) max_iterations: u32,
    pub(crate) memory: usize,
    pub(crate) finish: bool,
}

/// Give up when the best residual has not fallen by a tenth in this many iterations.
const PATIENCE: u32 = 500;
/// An Anderson step may let the residual grow by this factor [–].
const GROWTH: f64 = 2.0;
/// Accelerated sweeps without progress before as many plain ones.
const IDLE: u32 = 50;
/// Velocities are computed afresh after an Anderson step with larger coefficients than this [–].
const DRIFT: f64 = 100.0;
/// Velocities are computed afresh after this many incremental sweeps.
const REFRESH: u32 = 50;

/// A block as the sweep sees it.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Block {
    Contact(Contact),
    /// A_ii and the set.
    Scalar(f64, Cone),
    /// Nothing this block does moves it.
    Inert,
}

/// Memory of a solver, valid during one solve.
#[derive(Default)]
pub(crate) struct Workspace {
    /// Prepared blocks of the problem.
    pub(crate) blocks: Vec<Block>,
    /// ‖A_ii‖_F per block; for a zero block the largest of the others.
    pub(crate) norms: Vec<f64>,
    /// (G + R)_ii by rows.
    diagonal: Vec<[f64; 9]>,
    /// c = (G + R) λ + g of the current impulses, up to rounding since the last refresh.
    c: Vec<f64>,
    /// Impulses before the sweep.
    before: Vec<f64>,
    /// Best impulses seen, and their residual.
    best: Vec<f64>,
    best_residual: f64,
    anderson: Anderson,
    /// ‖A_ii‖_F per row: the metric of the Anderson step.
    weight: Vec<f64>,
    /// Impulses and velocities a rejected Anderson step returns to, and their residual.
    safe: Vec<f64>,
    safe_c: Vec<f64>,
    safe_residual: f64,
    /// Sweeps since the best residual last fell by a hundredth.
    idle: u32,
    /// Sweeps to go without Anderson steps.
    plain: u32,
    finish: Finish,
}

impl Workspace {
    fn prepare(&mut self, problem: &ConstraintProblem) {
        problem.diagonal_blocks_into(&mut self.diagonal);
        self.blocks.clear();
        self.norms.clear();
        let mut largest = 0.0_f64;
        for (cone, a) in problem.cones().iter().zip(&self.diagonal) {
            let (block, norm) = match *cone {
                Cone::Friction { mu } => {
                    (Contact::new(*a, mu).map(Block::Contact), stiction_contact::matrix3::frobenius(a))
                }
                cone => ((a[0] > 0.0).then_some(Block::Scalar(a[0], cone)), a[0].abs()),
            };
            largest = largest.max(norm);
            self.blocks.push(block.unwrap_or(Block::Inert));
            self.norms.push(norm);
        }
        let largest = if largest > 0.0 { largest } else { 1.0 };
        self.norms.iter_mut().filter(|n| **n == 0.0).for_each(|n| *n = largest);
        self.weight.clear();
        for (cone, &norm) in problem.cones().iter().zip(&self.norms) {
            self.weight.extend(std::iter::repeat_n(norm, cone.dim()));
        }
    }

    /// The residual of the law, from impulses and their velocities.
    pub(crate) fn residual(&self, problem: &ConstraintProblem, law: Law, lambda: &[f64], c: &[f64]) -> f64 {
        residual(problem, &self.diagonal, &self.norms, law, lambda, c)
    }

    /// After a sweep: goes back to before the last Anderson step if that made things worse, else takes
    /// the next one. True when `impulses` are extrapolated.
    fn accelerate(
        &mut self,
        problem: &ConstraintProblem,
        impulses: &mut [f64],
        current: &mut f64,
        extrapolated: bool,
    ) -> bool {
        if extrapolated && *current > GROWTH * self.safe_residual {
            impulses.copy_from_slice(&self.safe);
            self.c.copy_from_slice(&self.safe_c);
            *current = self.safe_residual;
            self.anderson.restart();
            return false;
        }
        // Plain sweeps where the accelerated ones lead nowhere.
        self.plain = self.plain.saturating_sub(1);
        if self.idle >= IDLE {
            (self.idle, self.plain) = (0, IDLE);
            impulses.copy_from_slice(&self.best);
            problem.velocities_into(impulses, &mut self.c);
            *current = self.best_residual;
            self.anderson.restart();
            return false;
        }
        if self.plain > 0 {
            return false;
        }
        for (safe, now) in [(&mut self.safe, &*impulses), (&mut self.safe_c, &self.c[..])] {
            safe.clear();
            safe.extend_from_slice(now);
        }
        self.safe_residual = *current;
        let Some(gain) = self.anderson.step(&self.weight, &self.before, impulses, &mut self.c) else {
            return false;
        };
        if gain > DRIFT {
            problem.velocities_into(impulses, &mut self.c);
        }
        true
    }

    /// A second-order finish, if it is time for one; the residual it reached, with c to match.
    fn finish(
        &mut self,
        problem: &ConstraintProblem,
        law: Law,
        impulses: &mut [f64],
        current: f64,
        params: &SweepParams,
        iterations: &mut u32,
    ) -> Option<f64> {
        let Self { blocks, norms, diagonal, .. } = self;
        let view = View { problem, blocks, norms, diagonal, law };
        let goal = Goal { tolerance: params.tolerance, max_iterations: params.max_iterations };
        let e = self.finish.attempt(&view, impulses, current, goal, iterations)?;
        problem.velocities_into(impulses, &mut self.c);
        self.remember(impulses, e);
        self.anderson.restart();
        Some(e)
    }

    /// Leaves the best impulses seen, with a residual computed afresh.
    fn give_up(
        &mut self,
        problem: &ConstraintProblem,
        law: Law,
        status: SolveStatus,
        iterations: u32,
        impulses: &mut [f64],
    ) -> SolveReport {
        impulses.copy_from_slice(&self.best);
        problem.velocities_into(impulses, &mut self.c);
        report(status, iterations, self.residual(problem, law, impulses, &self.c))
    }

    /// Keeps `lambda` if it is the best so far.
    fn remember(&mut self, lambda: &[f64], residual: f64) {
        self.idle = if residual < 0.99 * self.best_residual { 0 } else { self.idle + 1 };
        if residual < self.best_residual {
            self.best_residual = residual;
            self.best.clear();
            self.best.extend_from_slice(lambda);
        }
    }
}

/// Natural map of `law`, 2-norm over the blocks [m/s].
pub(crate) fn residual(
    problem: &ConstraintProblem,
    diagonal: &[[f64; 9]],
    norms: &[f64],
    law: Law,
    lambda: &[f64],
    c: &[f64],
) -> f64 {
    let mut squares = 0.0;
    for (i, (&cone, (a, &norm))) in problem.cones().iter().zip(diagonal.iter().zip(norms)).enumerate() {
        let rows = problem.range(i);
        let e = block_natural_map(cone, a, norm, &lambda[rows.clone()], &c[rows], law);
        squares += e * e;
    }
    squares.sqrt()
}

/// Solves by sweeps of `rule`, from `impulses` or from zero, whichever has the smaller residual.
pub(crate) fn solve<R: Rule>(
    rule: &mut R,
    params: &SweepParams,
    ws: &mut Workspace,
    problem: &ConstraintProblem,
    impulses: &mut [f64],
) -> SolveReport {
    assert_eq!(impulses.len(), problem.rows(), "one impulse per row");
    if !problem.blocks_formed() {
        let mut formed = problem.clone();
        return match formed.form_blocks() {
            Ok(()) => solve(rule, params, ws, &formed, impulses),
            Err(_) => report(SolveStatus::NumericalFailure, 0, f64::NAN),
        };
    }
    ws.prepare(problem);
    rule.begin(params.tolerance);

    // Cold or warm, whichever is nearer; c of the cold start is g.
    let mut current = start(ws, problem, R::LAW, impulses);
    if !current.is_finite() {
        return report(SolveStatus::NumericalFailure, 0, current);
    }
    (ws.best_residual, ws.idle, ws.plain) = (f64::INFINITY, 0, 0);
    ws.remember(impulses, current);
    ws.anderson.start(params.memory, problem.rows());
    ws.finish.start(problem, params.finish);

    let mut extrapolated = false;
    let mut iterations = 0;
    let mut mark = (0, current);
    while !(current <= params.tolerance) {
        if iterations >= params.max_iterations {
            return ws.give_up(problem, R::LAW, SolveStatus::IterationLimit, iterations, impulses);
        }
        if iterations >= mark.0 + PATIENCE {
            if ws.best_residual > 0.9 * mark.1 {
                return ws.give_up(problem, R::LAW, SolveStatus::Stalled, iterations, impulses);
            }
            mark = (iterations, ws.best_residual);
        }

        ws.before.clear();
        ws.before.extend_from_slice(impulses);
        sweep(rule, &ws.blocks, problem, impulses, &mut ws.c);
        rule.end_of_sweep();
        iterations += 1;
        if iterations % REFRESH == 0 {
            problem.velocities_into(impulses, &mut ws.c);
        }
        current = ws.residual(problem, R::LAW, impulses, &ws.c);
        if current <= params.tolerance {
            problem.velocities_into(impulses, &mut ws.c);
            current = ws.residual(problem, R::LAW, impulses, &ws.c);
        }
        if !current.is_finite() {
            return ws.give_up(problem, R::LAW, SolveStatus::NumericalFailure, iterations, impulses);
        }
        ws.remember(impulses, current);
        if current <= params.tolerance {
            break;
        }
        if let Some(e) = ws.finish(problem, R::LAW, impulses, current, params, &mut iterations) {
            current = e;
            extrapolated = false;
            continue;
        }
        extrapolated = ws.accelerate(problem, impulses, &mut current, extrapolated);
    }
    report(SolveStatus::Converged, iterations, current)
}

/// Chooses between the given impulses and none, sets c, and returns the residual.
fn start(ws: &mut Workspace, problem: &ConstraintProblem, law: Law, impulses: &mut [f64]) -> f64 {
    let warm = impulses.iter().all(|l| l.is_finite()) && impulses.iter().any(|&l| l != 0.0);
    let mut residual_warm = f64::INFINITY;
    if warm {
        for (i, cone) in problem.cones().iter().enumerate() {
            cone.project(&mut impulses[problem.range(i)]);
        }
        problem.velocities_into(impulses, &mut ws.c);
        residual_warm = ws.residual(problem, law, impulses, &ws.c);
        ws.before.clear();
        ws.before.extend_from_slice(impulses);
    }
    impulses.fill(0.0);
    for (i, cone) in problem.cones().iter().enumerate() {
        cone.project(&mut impulses[problem.range(i)]);
    }
    let zero = &problem.free_velocity;
    let any = impulses.iter().any(|&l| l != 0.0);
    let residual_cold = if any { f64::INFINITY } else { ws.residual(problem, law, impulses, zero) };
    if residual_warm <= residual_cold && residual_warm.is_finite() {
        impulses.copy_from_slice(&ws.before);
        return residual_warm;
    }
    problem.velocities_into(impulses, &mut ws.c);
    ws.residual(problem, law, impulses, &ws.c)
}

/// (1) and (2) for every block in order.
fn sweep<R: Rule>(
    rule: &R,
    blocks: &[Block],
    problem: &ConstraintProblem,
    lambda: &mut [f64],
    c: &mut [f64],
) {
    let row_start = problem.row_start();
    for (i, block) in blocks.iter().enumerate() {
        let r = row_start[i];
        match block {
            Block::Contact(contact) => {
                let old = [lambda[r], lambda[r + 1], lambda[r + 2]];
                let new = rule.answer(contact, old, [c[r], c[r + 1], c[r + 2]]); // (1)
                let d = [new[0] - old[0], new[1] - old[1], new[2] - old[2]];
                if d == [0.0; 3] {
                    continue;
                }
                lambda[r..r + 3].copy_from_slice(&new);
                add_column(problem, i, r, &d, c);
            }
            Block::Scalar(a, cone) => {
                let mut new = [lambda[r] - c[r] / a];
                cone.project(&mut new); // (2)
                let d = new[0] - lambda[r];
                if d == 0.0 {
                    continue;
                }
                lambda[r] = new[0];
                add_column(problem, i, r, &[d], c);
            }
            Block::Inert => {}
        }
    }
}

/// c += (G + R)[:, i] d.
#[inline]
fn add_column(problem: &ConstraintProblem, i: usize, r: usize, d: &[f64], c: &mut [f64]) {
    problem.blocks.add_column_into(problem.row_start(), i, d, c);
    for (k, d) in d.iter().enumerate() {
        c[r + k] += problem.compliance[r + k] * d;
    }
}

fn report(status: SolveStatus, iterations: u32, residual: f64) -> SolveReport {
    SolveReport { status, iterations, residual }
}
