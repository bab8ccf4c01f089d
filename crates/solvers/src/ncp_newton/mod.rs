//! `ncp-newton`: non-smooth Newton on the exact law.
//!
//! Finds impulses λ such that, for every contact i,
//!
//! ```text
//!     c = (G + R) λ + g                                               (1)
//!     K_μᵢ ∋ λᵢ ⟂ cᵢ + Γ(cᵢ) ∈ K_μᵢ*                                  (2)  [DeSaxce1998]
//! ```
//!
//! written as F(λ, c) = 0 by one of three functions ([`equations`]): Alart and Curnier's, Jean and
//! Moreau's, or Fischer and Burmeister's on Lorentz cones. One step solves
//!
//! ```text
//!     (∂F/∂c (G + R + ε) + ∂F/∂λ) Δλ = −F,    λ ← λ + α Δλ             (3)
//! ```
//!
//! α halves until ‖F‖² falls below the largest of the last eight [Grippo1986]; where no α does, the step
//! with the least ‖F‖² is taken and ε, a share of ‖A_ii‖, grows: G may be singular, and a larger ε makes
//! shorter steps. Fischer and Burmeister's function is smoothed, and the smoothing falls with ‖F‖. Variables
//! are scaled as in [`crate::admm`], so that ‖F‖ measures energy. Quadratic near an answer. Far from one
//! the two without smoothing circle on heaps and are left stalled; nothing is proven.
//!
//! Units: λ [N·s], c and g [m/s], G and R [1/kg]. Contact axes (t₁, t₂, n). A step costs ⅔ rows³ and a
//! product with A per α and island. Allocates only when the problem grows.

mod equations;

use crate::admm::scales_into;
use crate::dense::{Lu, matrix_into};
use crate::iterate::{Limits, Method};
use crate::iterate_solver::{IslandMethod, IslandSolver};
use crate::parameters::{choice, parameters};
use crate::task::Task;
use crate::trees::{Equation, TreeSystem};
pub(crate) use equations::{Block, Slope};
use serde::{Deserialize, Serialize};
use stiction_contact::{Cone, Law};

/// Earlier ‖F‖² a step may return to.
const WINDOW: usize = 8;
/// Halvings of a step.
const HALVINGS: u32 = 10;
/// Decrease asked for, of what the linear model promises [–].
const DECREASE: f64 = 1e-4;
/// ε, least and largest, its growth where no step is good and its fall after a whole step [–].
const REGULARISATION: [f64; 2] = [1e-10, 1e-1];
const HARDER: f64 = 30.0;
const EASIER: f64 = 0.1;
/// Smoothing of Fischer and Burmeister's function: first, as a share of the largest ḡ; last, as a share of
/// the first; and its fall.
const SMOOTHING: [f64; 3] = [1e-1, 1e-13, 0.1];

/// How (2) is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Function {
    /// λ_T in the disc of μ (λ_N − ρ c_N) [AlartCurnier1991].
    AlartCurnier,
    /// λ_T in the disc of μ λ_N [Acary2018].
    JeanMoreau,
    /// x + y − (x² + y²)^½ on Lorentz cones, smoothed [Fukushima2002].
    #[default]
    FischerBurmeister,
}
choice!(Function);

parameters! {
    /// Parameters of [`NcpNewton`].
    pub struct NcpNewtonParams {
        /// Stop when the natural map of (2) is below this.
        tolerance: f64 = 1e-8, "m/s", above(0.0);
        /// Steps before giving up.
        max_iterations: u32 = 500, "–", at_least(1.0);
        /// Which equations stand for (2).
        function: Function = Function::FischerBurmeister, "–", by_type();
    }
}

/// The solver of this module.
pub type NcpNewton = IslandSolver<NcpNewtonParams>;

impl IslandMethod for NcpNewtonParams {
    type Method = Newton;
    const NAME: &'static str = "ncp-newton";

    fn law(&self) -> Law {
        Law::Ncp
    }

    fn limits(&self) -> Limits {
        Limits { tolerance: self.tolerance, max_iterations: self.max_iterations }
    }

    fn method(&self) -> Function {
        self.function
    }
}

/// All vectors in scaled variables.
#[derive(Default)]
pub struct Newton {
    scale: Vec<f64>,
    /// A, unless the steps are solved in the velocities of trees.
    matrix: Vec<f64>,
    in_trees: bool,
    trees: TreeSystem,
    unscaled: Vec<f64>,
    free: Vec<f64>,
    blocks: Vec<Block>,
    lambda: Vec<f64>,
    c: Vec<f64>,
    f: Vec<f64>,
    step: Vec<f64>,
    trial: Vec<f64>,
    trial_c: Vec<f64>,
    lu: Lu,
    /// The last ‖F‖², and the place of the next.
    window: [f64; WINDOW],
    next: usize,
    regularisation: f64,
    smoothing: f64,
    least_smoothing: f64,
}

impl Method for Newton {
    type Params = Function;
    const PATIENCE: u32 = 80;

    fn start(&mut self, function: &Function, task: &Task, lambda: &[f64], _: &[f64]) -> bool {
        let problem = task.problem;
        let n = problem.rows();
        scales_into(task, &mut self.scale);
        self.in_trees = TreeSystem::pays(problem);
        if self.in_trees {
            self.trees.take(&problem.delassus_factor);
        } else {
            matrix_into(problem, &mut self.matrix);
            for (row, p) in self.matrix.chunks_exact_mut(n).zip(&self.scale) {
                row.iter_mut().zip(&self.scale).for_each(|(a, q)| *a *= p * q);
            }
        }
        self.blocks.clear();
        for (i, (cone, a)) in problem.cones().iter().zip(&task.stopping.diagonal).enumerate() {
            let rows = problem.range(i);
            let p = self.scale[rows.start];
            let cone = match *cone {
                Cone::Box { lo, hi } => Cone::Box { lo: lo / p, hi: hi / p },
                cone => cone,
            };
            let [normal, tangents] = if rows.len() == 1 { [a[0], 0.0] } else { [a[8], a[0] + a[4]] };
            self.blocks.push(Block::new(rows.start, cone, p * p * normal, p * p * tangents));
        }
        self.free.clear();
        self.free.extend(problem.free_velocity.iter().zip(&self.scale).map(|(g, p)| g * p));
        self.lambda.clear();
        self.lambda.extend(lambda.iter().zip(&self.scale).map(|(l, p)| l / p));
        self.regularisation = REGULARISATION[0];
        let largest = self.free.iter().fold(0.0_f64, |m, g| g.abs().max(m));
        let smooth = *function == Function::FischerBurmeister;
        self.smoothing = if smooth { SMOOTHING[0] * largest } else { 0.0 };
        self.least_smoothing = SMOOTHING[1] * self.smoothing;
        self.trial.clear();
        self.trial.extend_from_slice(&self.lambda);
        self.velocities(task);
        self.take_trial();
        if smooth {
            // Little of it where λ is nearly an answer.
            let smoothing = std::mem::take(&mut self.smoothing);
            self.merit(*function);
            let worst = self.f.iter().fold(0.0_f64, |m, f| f.abs().max(m));
            self.smoothing = smoothing.min(SMOOTHING[0] * worst).max(self.least_smoothing);
        }
        self.forget_window(*function);
        true
    }

    fn iterate(&mut self, function: &Function, task: &Task, lambda: &mut [f64]) -> bool {
        if !self.direction(*function, task) {
            return false;
        }
        self.search(*function, task);
        let merit = self.merit(*function);
        if merit.sqrt() < 0.5 * self.smoothing && self.smoothing > self.least_smoothing {
            self.smoothing = (self.smoothing * SMOOTHING[2]).max(self.least_smoothing);
            self.forget_window(*function);
        } else {
            self.window[self.next] = merit;
            self.next = (self.next + 1) % WINDOW;
        }
        lambda.iter_mut().zip(self.lambda.iter().zip(&self.scale)).for_each(|(l, (y, p))| *l = y * p);
        for (i, cone) in task.problem.cones().iter().enumerate() {
            cone.project(&mut lambda[task.problem.range(i)]);
        }
        merit.is_finite()
    }
}

impl Newton {
    fn forget_window(&mut self, function: Function) {
        let merit = self.merit(function);
        self.window = [merit; WINDOW];
        self.next = 0;
    }

    /// F and ‖F‖² of the present impulses.
    fn merit(&mut self, function: Function) -> f64 {
        residual(function, self.smoothing, &self.blocks, &self.lambda, &self.c, &mut self.f)
    }

    /// Δλ of (3) into `step`.
    fn direction(&mut self, function: Function, task: &Task) -> bool {
        self.merit(function);
        self.step.clear();
        self.step.extend(self.f.iter().map(|f| -f));
        let solved = if self.in_trees { self.solve_in_trees(function, task) } else { self.solve(function) };
        solved && self.step.iter().all(|d| d.is_finite())
    }

    /// By rows.
    fn solve(&mut self, function: Function) -> bool {
        let n = self.lambda.len();
        let Self { lu, matrix, lambda, c, .. } = self;
        lu.clear(n);
        for block in &self.blocks {
            let rows = block.rows();
            let slope = block.slope(function, self.smoothing, &lambda[rows.clone()], &c[rows.clone()]);
            let Slope { by_velocity, by_impulse } = slope;
            for (k, row) in rows.clone().enumerate() {
                let out = lu.row_mut(row);
                for (m, source) in rows.clone().enumerate() {
                    let weight = by_velocity[k][m];
                    if weight != 0.0 {
                        let source_row = &matrix[source * n..(source + 1) * n];
                        out.iter_mut().zip(source_row).for_each(|(o, a)| *o += weight * a);
                        out[source] += weight * self.regularisation;
                    }
                    out[source] += by_impulse[k][m];
                }
            }
        }
        let factored = lu.factor();
        if factored {
            lu.solve(&mut self.step);
        }
        factored
    }

    /// By the velocities of trees: with λ = p y, (∂F/∂c) p (G Δλ) + (∂F/∂c (p² R + ε) + ∂F/∂λ)/p Δλ = −F.
    fn solve_in_trees(&mut self, function: Function, task: &Task) -> bool {
        let problem = task.problem;
        let Self { blocks, lambda, c, scale, smoothing, regularisation, .. } = self;
        let equation = |block: &Block| {
            let rows = block.rows();
            let slope = block.slope(function, *smoothing, &lambda[rows.clone()], &c[rows.clone()]);
            let p = scale[rows.start];
            let (mut left, mut own) = (slope.by_velocity, slope.by_impulse);
            for k in 0..3 {
                for m in 0..3 {
                    let r = problem.compliance.get(rows.start + m).filter(|_| m < rows.len()).unwrap_or(&0.0);
                    own[k][m] = (own[k][m] + left[k][m] * (p * p * r + *regularisation)) / p;
                    left[k][m] *= p;
                }
            }
            for k in rows.len()..3 {
                own[k][k] = 1.0;
            }
            Some(Equation { left, own })
        };
        if !self.trees.factor(blocks.iter().map(equation)) {
            return false;
        }
        self.trees.solve(problem.row_start(), &mut self.step);
        self.step.iter_mut().zip(&self.scale).for_each(|(x, p)| *x /= p);
        true
    }

    /// λ ← λ + α Δλ.
    fn search(&mut self, function: Function, task: &Task) {
        let now: f64 = self.f.iter().map(|f| f * f).sum();
        let allowed = self.window.iter().fold(now, |m, &w| m.max(w));
        let (mut alpha, mut best) = (1.0, (f64::INFINITY, 1.0));
        for _ in 0..=HALVINGS {
            let merit = self.try_step(function, task, alpha);
            if merit < best.0 {
                best = (merit, alpha);
            }
            if merit <= allowed - 2.0 * DECREASE * alpha * now {
                if alpha == 1.0 {
                    self.regularisation = (self.regularisation * EASIER).max(REGULARISATION[0]);
                }
                self.take_trial();
                return;
            }
            alpha *= 0.5;
        }
        self.regularisation = (self.regularisation * HARDER).min(REGULARISATION[1]);
        self.try_step(function, task, best.1);
        self.take_trial();
    }

    fn try_step(&mut self, function: Function, task: &Task, alpha: f64) -> f64 {
        self.trial.clear();
        self.trial.extend(self.lambda.iter().zip(&self.step).map(|(l, d)| l + alpha * d));
        self.velocities(task);
        residual(function, self.smoothing, &self.blocks, &self.trial, &self.trial_c, &mut self.f)
    }

    /// A λ + g of the trial.
    fn velocities(&mut self, task: &Task) {
        let Self { matrix, free, scale, unscaled, trial, trial_c, .. } = self;
        if self.in_trees {
            unscaled.clear();
            unscaled.extend(trial.iter().zip(&*scale).map(|(l, p)| l * p));
            task.problem.velocities_into(unscaled, trial_c);
            trial_c.iter_mut().zip(&*scale).for_each(|(c, p)| *c *= p);
        } else {
            trial_c.clear();
            let rows = matrix.chunks_exact(trial.len().max(1)).zip(&*free);
            trial_c.extend(rows.map(|(row, g)| g + row.iter().zip(&*trial).map(|(a, l)| a * l).sum::<f64>()));
        }
    }

    fn take_trial(&mut self) {
        std::mem::swap(&mut self.lambda, &mut self.trial);
        std::mem::swap(&mut self.c, &mut self.trial_c);
    }
}

/// F into `f`; ‖F‖².
fn residual(
    function: Function,
    smoothing: f64,
    blocks: &[Block],
    lambda: &[f64],
    c: &[f64],
    f: &mut Vec<f64>,
) -> f64 {
    f.clear();
    f.resize(lambda.len(), 0.0);
    for block in blocks {
        let rows = block.rows();
        let value = block.value(function, smoothing, &lambda[rows.clone()], &c[rows.clone()]);
        f[rows.clone()].copy_from_slice(&value[..rows.len()]);
    }
    f.iter().map(|f| f * f).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{cube, point};
    use stiction_contact::ContactSolver;
    use stiction_contact::certificate::certify;
    use stiction_dynamics::spatial::vec3;

    const ALL: [Function; 3] = [Function::AlartCurnier, Function::JeanMoreau, Function::FischerBurmeister];

    /// From zero: stick, slide and open, one contact, in a handful of steps; and a cube that slides.
    #[test]
    fn three_functions_have_the_same_roots() {
        let contacts = [[0.02, 0.0, -0.1], [1.0, 0.0, -0.1], [1.0, 0.0, 0.1]];
        let mut problems: Vec<_> = contacts.iter().map(|&g| point(2.0, 0.5, g)).collect();
        problems.push(cube(0.5, vec3(1.0, 0.3, 0.0), vec3(0.0, 0.0, 3.0)));
        for function in ALL {
            for problem in &problems {
                let mut impulses = vec![0.0; problem.rows()];
                let params = NcpNewtonParams { function, ..Default::default() };
                let report = NcpNewton::new(params).unwrap().solve(problem, &mut impulses);
                assert!(report.converged() && report.iterations < 50, "{function:?}: {report:?}");
                assert!(certify(problem, &impulses).natural_map <= 1e-8);
            }
        }
    }
}
