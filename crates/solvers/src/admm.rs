//! The iteration of the ADMM twins.
//!
//! Impulses are split into x, which meets the dynamics, and y, which meets the cones; z is the velocity
//! that holds them together. In variables scaled by P = diag(‖A_ii‖^-½), Ā = P (G + R) P, ḡ = P g:
//!
//! ```text
//!     s = Γ(z) or 0,   x = (Ā + ρ 1)⁻¹ (ρ y + z − ḡ − s)                     (1)
//!     y ← P_K(x − z/ρ),   z ← z − ρ (x − y)                                  (2)
//! ```
//!
//! [Carpentier2024, Alg. 1], without its proximal term, for ρ > 0 makes (1) definite. P is one number
//! per block, so (2) projects as ever. All is a function of t = y − z/ρ, because y = P_K(t) and
//! z = ρ (y − t):
//!
//! ```text
//!     T(t) = x + t − y                                                       (3)
//! ```
//!
//! is a fixed-point map, and Anderson steps ([`crate::anderson`]) shorten the way; one that lets
//! ‖T(t) − t‖ grow is taken back. Where G is not symmetric, (1) factors its symmetric part, and the rest
//! acts on y, which is x in the end. ρ starts at √(L m) (L/m)^0.2, L the largest eigenvalue of Ā and
//! m = 10⁻⁶ + min R̄, and moves towards balance of ‖x − y‖ and ‖y − y⁻‖ over the sizes of y and z
//! [Stellato2020]; each move costs a factorisation of ⅓ rows³.

use crate::anderson::Anderson;
use crate::dense::{Cholesky, symmetric_into};
use crate::iterate::{Method, Task};
use stiction_contact::{ConstraintProblem, Law};

/// What counts as the smallest eigenvalue of Ā without compliance [–].
const SMALLEST: f64 = 1e-6;
/// ρ moves when it is this factor out of balance [–] …
const IMBALANCE: f64 = 5.0;
/// … and not more often than this [iterations].
const WAIT: u32 = 20;
/// Earlier iterations an Anderson step looks at.
const MEMORY: usize = 10;
/// An Anderson step may let ‖T(t) − t‖ grow by this factor [–].
const GROWTH: f64 = 2.0;

/// See the module; holds during one solve.
#[derive(Default)]
pub(crate) struct Admm {
    /// P, per row.
    scale: Vec<f64>,
    /// Ā by rows, and the factor of (1).
    matrix: Vec<f64>,
    factor: Cholesky,
    symmetric: bool,
    rho: f64,
    /// Iterations since ρ last moved.
    age: u32,
    t: Vec<f64>,
    y: Vec<f64>,
    z: Vec<f64>,
    /// x, then T(t).
    x: Vec<f64>,
    anderson: Anderson,
    ones: Vec<f64>,
    unused: Vec<f64>,
    skew: Vec<f64>,
    /// T(t) before the last Anderson step, and ‖T(t) − t‖ there.
    safe: Vec<f64>,
    safe_step: f64,
}

impl Method for Admm {
    type Params = ();
    const PATIENCE: u32 = 500;

    fn start(&mut self, (): &(), task: &Task, lambda: &[f64], c: &[f64]) -> bool {
        let problem = task.problem;
        let n = problem.rows();
        self.scale.clear();
        for (cone, norm) in problem.cones().iter().zip(&task.measure.norms) {
            self.scale.extend(std::iter::repeat_n(1.0 / norm.sqrt(), cone.dim()));
        }
        self.symmetric = symmetric_into(problem, &mut self.matrix);
        for (row, p) in self.matrix.chunks_exact_mut(n).zip(&self.scale) {
            row.iter_mut().zip(&self.scale).for_each(|(a, q)| *a *= p * q);
        }
        for values in [&mut self.y, &mut self.ones, &mut self.unused] {
            values.clear();
            values.resize(n, 1.0);
        }
        let softest = problem.compliance.iter().zip(&self.scale).map(|(r, p)| r * p * p);
        let m = SMALLEST + softest.fold(f64::INFINITY, f64::min);
        let largest = self.largest_eigenvalue(n);
        self.rho = (largest * m).sqrt() * (largest / m).max(1.0).powf(0.2);

        self.z.clear();
        self.z.extend_from_slice(c);
        if task.law == Law::Ncp {
            add_correction(problem, &mut self.z);
        }
        self.t.clear();
        let rows = lambda.iter().zip(&self.z).zip(&self.scale);
        self.t.extend(rows.map(|((l, z), p)| l / p - z * p / self.rho));
        (self.age, self.safe_step) = (0, f64::INFINITY);
        self.anderson.start(MEMORY, n);
        self.refactor(n)
    }

    fn iterate(&mut self, (): &(), task: &Task, lambda: &mut [f64]) -> bool {
        let problem = task.problem;
        let n = problem.rows();
        let rho = self.rho;
        self.project(problem, lambda);
        for r in 0..n {
            self.y[r] = lambda[r] / self.scale[r];
            self.z[r] = rho * (self.y[r] - self.t[r]);
        }
        // ρ y + z − ḡ − s, with s = x − z
        self.x.clear();
        self.x.extend_from_slice(&self.z);
        if task.law == Law::Ncp {
            add_correction(problem, &mut self.x);
        }
        for r in 0..n {
            let free = self.scale[r] * problem.free_velocity[r];
            self.x[r] = rho * self.y[r] + 2.0 * self.z[r] - self.x[r] - free;
        }
        if !self.symmetric {
            self.subtract_skew_part(problem, lambda);
        }
        self.factor.solve(&mut self.x); // (1)
        let mut step = 0.0;
        for r in 0..n {
            let apart = self.x[r] - self.y[r];
            self.x[r] = self.t[r] + apart; // (3)
            step += apart * apart;
        }
        self.move_on(step.sqrt());
        self.project(problem, lambda);
        self.balance(step.sqrt(), lambda)
    }
}

impl Admm {
    /// λ = P y, y = P_K(t).
    fn project(&self, problem: &ConstraintProblem, lambda: &mut [f64]) {
        lambda.iter_mut().zip(self.t.iter().zip(&self.scale)).for_each(|(l, (t, p))| *l = t * p);
        for (i, cone) in problem.cones().iter().enumerate() {
            cone.project(&mut lambda[problem.range(i)]);
        }
    }

    /// x −= P ((G + R) λ) − Ā y, where λ = P y.
    fn subtract_skew_part(&mut self, problem: &ConstraintProblem, lambda: &[f64]) {
        problem.velocities_into(lambda, &mut self.skew);
        let n = lambda.len();
        for (r, row) in self.matrix.chunks_exact(n).enumerate() {
            let symmetric: f64 = row.iter().zip(&self.y).map(|(a, y)| a * y).sum();
            self.x[r] -= self.scale[r] * (self.skew[r] - problem.free_velocity[r]) - symmetric;
        }
    }

    /// t ← T(t), which `x` holds, or an Anderson step beyond it, or back to where such a step began.
    fn move_on(&mut self, step: f64) {
        if step > GROWTH * self.safe_step {
            self.t.copy_from_slice(&self.safe);
            self.safe_step = f64::INFINITY;
            self.anderson.restart();
            return;
        }
        self.safe.clone_from(&self.x);
        self.safe_step = step;
        let _ = self.anderson.step(&self.ones, &self.t, &mut self.x, &mut self.unused);
        std::mem::swap(&mut self.t, &mut self.x);
    }

    /// Moves ρ if it is out of balance. `lambda` holds the new y.
    fn balance(&mut self, primal: f64, lambda: &[f64]) -> bool {
        self.age += 1;
        if self.age < WAIT {
            return true;
        }
        let norm = |x: &[f64]| x.iter().map(|x| x * x).sum::<f64>().sqrt();
        let new = lambda.iter().zip(&self.scale).map(|(l, p)| l / p);
        let change = new.zip(&self.y).map(|(new, old)| (new - old).powi(2)).sum::<f64>().sqrt();
        let (force, velocity) = (norm(&self.y), norm(&self.z));
        let ratio = (primal * velocity / (self.rho * change * force)).sqrt();
        if !ratio.is_finite() || (1.0 / IMBALANCE..=IMBALANCE).contains(&ratio) {
            return true;
        }
        // y and z stay: t = y − z/ρ = y + (t − y) ρ/ρ⁺.
        let wanted = (self.rho * ratio).clamp(1e-9, 1e9);
        for r in 0..lambda.len() {
            let y = lambda[r] / self.scale[r];
            self.t[r] = y + (self.t[r] - y) * self.rho / wanted;
        }
        self.rho = wanted;
        (self.age, self.safe_step) = (0, f64::INFINITY);
        self.anderson.restart();
        self.refactor(lambda.len())
    }

    /// Ā + ρ 1.
    fn refactor(&mut self, n: usize) -> bool {
        self.factor.set(n, &self.matrix);
        self.factor.add_diagonal((0..n).map(|_| self.rho));
        self.factor.factor()
    }

    /// Of Ā, from below, by power iterations.
    fn largest_eigenvalue(&mut self, n: usize) -> f64 {
        let Self { matrix, y, x, .. } = self;
        x.clear();
        x.extend((0..n).map(|r| 1.0 + 0.1 * ((r % 7) as f64)));
        let mut norm = 1.0;
        for _ in 0..20 {
            let length = x.iter().map(|x| x * x).sum::<f64>().sqrt();
            for (out, row) in y.iter_mut().zip(matrix.chunks_exact(n)) {
                *out = row.iter().zip(x.iter()).map(|(a, x)| a * x).sum::<f64>() / length;
            }
            norm = y.iter().map(|x| x * x).sum::<f64>().sqrt();
            if !(norm > 0.0) {
                return 1.0;
            }
            x.copy_from_slice(y);
        }
        norm
    }
}

/// z + Γ(z) on every block.
fn add_correction(problem: &ConstraintProblem, z: &mut [f64]) {
    for (i, cone) in problem.cones().iter().enumerate() {
        cone.add_correction(&mut z[problem.range(i)]);
    }
}
