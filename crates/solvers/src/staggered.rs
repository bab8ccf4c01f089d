//! The iteration of the staggered twins: normal and tangential impulses in turn [Kaufman2008].
//!
//! With A = G + R and D(r) the law's set of friction, the disc of radius r or a polygon on it:
//!
//! ```text
//!     λ_N ← argmin ½ λ_NᵀA_NN λ_N + λ_Nᵀ(g_N + A_NT λ_T),   λ_N ≥ 0             (1)
//!     λ_T ← argmin ½ λ_TᵀA_TT λ_T + λ_Tᵀ(g_T + A_TN λ_N),   λ_Tᵢ ∈ D(μᵢ λ_Nᵢ)   (2)
//! ```
//!
//! Rows without friction belong to (1). Both are convex, and solved by [`crate::splitting`] as closely as the
//! last change of λ_T asks for; Anderson steps on λ_T shorten the way. In the variables of [`crate::admm`],
//! scaled by one number per block, sets of friction keep their shape. Where G is not symmetric, its skew
//! part acts on the last λ.

use crate::admm::{scaled_matrix_into, scales_into, shorten};
use crate::anderson::Safeguarded;
use crate::iterate::Method;
use crate::splitting::{self, Splitting};
use crate::task::Task;
use stiction_contact::{Cone, ConstraintProblem};

/// (1) and (2) are solved to this share of the last change [–] …
const SHARE: f64 = 1e-3;
/// … but not below this share of the largest impulse [–], nor beyond so many iterations.
const ROUNDING: f64 = 1e-14;
const INNER: u32 = 300;

/// See the module. All vectors in scaled variables.
#[derive(Default)]
pub struct Staggered {
    scale: Vec<f64>,
    matrix: Vec<f64>,
    symmetric: bool,
    /// ḡ, with what an unsymmetric G adds.
    free: Vec<f64>,
    y: Vec<f64>,
    normal: Side,
    tangent: Side,
    way: Safeguarded,
    /// λ_T before, and its image.
    held: Vec<f64>,
    image: Vec<f64>,
    /// Largest change of λ_T.
    change: f64,
    c: Vec<f64>,
}

impl Method for Staggered {
    /// Earlier iterations an Anderson step on λ_T looks at.
    type Params = u32;
    const PATIENCE: u32 = 100;

    fn start(&mut self, &memory: &u32, task: &Task, lambda: &[f64], _: &[f64]) -> bool {
        let problem = task.problem;
        scales_into(task, &mut self.scale);
        self.symmetric = scaled_matrix_into(problem, &self.scale, &mut self.matrix);
        self.free.clear();
        self.free.extend(problem.free_velocity.iter().zip(&self.scale).map(|(g, p)| g * p));
        self.y.clear();
        self.y.extend(lambda.iter().zip(&self.scale).map(|(l, p)| l / p));
        self.normal.rows.clear();
        self.tangent.rows.clear();
        for (i, cone) in problem.cones().iter().enumerate() {
            let rows = problem.range(i);
            if let Cone::Friction { .. } = cone {
                self.tangent.rows.extend(rows.start..rows.start + 2);
            }
            self.normal.rows.push(rows.end - 1);
        }
        let softest = problem.compliance.iter().zip(&self.scale).map(|(r, p)| r * p * p);
        let softest = softest.fold(f64::INFINITY, f64::min);
        self.change = self.free.iter().fold(0.0, |m, g| g.abs().max(m));
        self.held.clear();
        self.held.extend(self.tangent.rows.iter().map(|&r| self.y[r]));
        self.way.start(memory as usize, self.held.len());
        let Self { normal, tangent, matrix, free, y, .. } = self;
        normal.start(matrix, free, y, softest) && tangent.start(matrix, free, y, softest)
    }

    fn iterate(&mut self, _: &u32, task: &Task, lambda: &mut [f64]) -> bool {
        let problem = task.problem;
        if !self.symmetric {
            self.set_skew_part(problem, lambda);
        }
        let Self { matrix, free, y, normal, tangent, way, held, image, scale, .. } = self;
        let largest = y.iter().fold(0.0_f64, |m, y| y.abs().max(m));
        let goal = (SHARE * self.change).max(ROUNDING * largest);
        let bounds = |x: &mut [f64]| {
            for (i, cone) in problem.cones().iter().enumerate() {
                match cone {
                    Cone::Friction { .. } => Cone::NonNegative.project(&mut x[i..=i]),
                    cone => {
                        let p = scale[problem.range(i).start];
                        x[i] *= p;
                        cone.project(&mut x[i..=i]);
                        x[i] /= p;
                    }
                }
            }
        };
        let good = normal.solve(matrix, free, y, goal, bounds); // (1)
        normal.store(y);
        let polygon = task.law.polygon();
        let friction = |x: &mut [f64]| {
            let mut at = 0;
            for (i, cone) in problem.cones().iter().enumerate() {
                if let Cone::Friction { mu } = cone {
                    let (x, radius) = (&mut x[at..at + 2], mu * normal.splitting.y[i]);
                    match polygon {
                        Some(polygon) => x.copy_from_slice(&polygon.project([x[0], x[1]], radius)),
                        None => shorten(x, radius),
                    }
                    at += 2;
                }
            }
        };
        let good = good && tangent.solve(matrix, free, y, goal, friction); // (2)
        tangent.store(y);
        lambda.iter_mut().zip(y.iter().zip(&*scale)).for_each(|(l, (y, p))| *l = y * p);

        image.clear();
        image.extend_from_slice(&tangent.splitting.y);
        self.change = held.iter().zip(&*image).fold(0.0, |m, (a, b)| (a - b).abs().max(m));
        way.advance(held, image);
        tangent.rows.iter().zip(&*held).for_each(|(&r, x)| y[r] = *x);
        good
    }
}

impl Staggered {
    /// ḡ + P (G − Gᵀ)/2 λ as free velocity.
    fn set_skew_part(&mut self, problem: &ConstraintProblem, lambda: &[f64]) {
        problem.velocities_into(lambda, &mut self.c);
        let rows = self.matrix.chunks_exact(self.y.len()).zip(self.c.iter().zip(&self.scale));
        for (free, (row, (c, p))) in self.free.iter_mut().zip(rows) {
            let own = row.iter().zip(lambda.iter().zip(&self.scale)).map(|(a, (l, p))| a * l / p);
            *free = p * c - own.sum::<f64>();
        }
    }
}

/// (1) or (2): some of the rows, the others held.
#[derive(Default)]
struct Side {
    rows: Vec<usize>,
    splitting: Splitting,
    u: Vec<f64>,
    trial: Vec<f64>,
}

impl Side {
    fn start(&mut self, matrix: &[f64], free: &[f64], y: &[f64], softest: f64) -> bool {
        let n = y.len();
        self.splitting.matrix.clear();
        for &r in &self.rows {
            self.splitting.matrix.extend(self.rows.iter().map(|&k| matrix[r * n + k]));
        }
        self.splitting.y.clear();
        self.splitting.y.extend(self.rows.iter().map(|&r| y[r]));
        self.set_free(matrix, free, y);
        self.splitting.velocities_into(&mut self.u);
        self.rows.is_empty() || self.splitting.start(&self.u, softest, splitting::MEMORY)
    }

    /// g + A λ of the rows that are held.
    fn set_free(&mut self, matrix: &[f64], free: &[f64], y: &[f64]) {
        let n = y.len();
        let (rows, splitting) = (&self.rows, &mut self.splitting);
        splitting.free.clear();
        for (k, &r) in rows.iter().enumerate() {
            let all: f64 = matrix[r * n..(r + 1) * n].iter().zip(y).map(|(a, y)| a * y).sum();
            let own = &splitting.matrix[k * rows.len()..(k + 1) * rows.len()];
            let own: f64 = own.iter().zip(rows).map(|(a, &j)| a * y[j]).sum();
            splitting.free.push(free[r] + all - own);
        }
    }

    /// Until the natural map of the part is below `goal`.
    fn solve(
        &mut self,
        matrix: &[f64],
        free: &[f64],
        y: &[f64],
        goal: f64,
        mut resolve: impl FnMut(&mut [f64]),
    ) -> bool {
        if self.rows.is_empty() {
            return true;
        }
        self.set_free(matrix, free, y);
        self.splitting.velocities_into(&mut self.u);
        self.splitting.resume(&self.u);
        for _ in 0..INNER {
            if !self.splitting.iterate(&mut resolve) {
                return false;
            }
            self.splitting.velocities_into(&mut self.u);
            self.trial.clear();
            self.trial.extend(self.splitting.y.iter().zip(&self.u).map(|(y, u)| y - u));
            resolve(&mut self.trial);
            let apart = self.trial.iter().zip(&self.splitting.y);
            if apart.fold(0.0_f64, |m, (a, b)| (a - b).abs().max(m)) <= goal {
                break;
            }
        }
        true
    }

    /// Its impulses into all.
    fn store(&self, y: &mut [f64]) {
        self.rows.iter().zip(&self.splitting.y).for_each(|(&r, x)| y[r] = *x);
    }
}
