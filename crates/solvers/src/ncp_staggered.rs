//! `ncp-staggered`: normal and tangential impulses in turn.
//!
//! Finds impulses λ such that, for every contact i,
//!
//! ```text
//!     c = (G + R) λ + g                                               (1)
//!     K_μᵢ ∋ λᵢ ⟂ cᵢ + Γ(cᵢ) ∈ K_μᵢ*                                  (2)  [DeSaxce1998]
//! ```
//!
//! by two convex problems, each with the other's impulses held [Kaufman2008]:
//!
//! ```text
//!     λ_N = argmin ½ λ_NᵀA_NN λ_N + λ_Nᵀ(g_N + A_NT λ_T),  λ_N ≥ 0              (3)
//!     λ_T = argmin ½ λ_TᵀA_TT λ_T + λ_Tᵀ(g_T + A_TN λ_N),  ‖λ_Tᵢ‖ ≤ μᵢ λ_Nᵢ    (4)
//! ```
//!
//! Rows without friction belong to (3). A fixed point of λ_T solves (2). Both problems are solved by
//! [`crate::splitting`], each as closely as the last change of λ_T asks for; Anderson steps on λ_T
//! shorten the way. Nothing is proven of the outer iteration: strong coupling of normal and tangent
//! (large μ, tilted contacts, jamming) makes it slow or makes it cycle.
//!
//! Units: λ [N·s], c and g [m/s], G and R [1/kg]. Contact axes (t₁, t₂, n). An iteration costs some
//! tens of products with A per island. Allocates only when the problem grows.

use crate::admm::{scaled_matrix_into, scales_into, shorten};
use crate::anderson::Safeguarded;
use crate::error::ParamError;
use crate::iterate::{Limits, Method, Task, Workspace};
use crate::splitting::Splitting;
use serde::Deserialize;
use stiction_contact::{Cone, ConstraintProblem, ContactSolver, Law, SolveReport, Watch};

/// Earlier iterations an Anderson step looks at.
const MEMORY: usize = 10;
/// (3) and (4) are solved to this share of the last change [–] …
const SHARE: f64 = 1e-3;
/// … but not below this share of the largest impulse [–], nor beyond so many iterations.
const ROUNDING: f64 = 1e-14;
const INNER: u32 = 300;

#[derive(Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct NcpStaggeredParams {
    /// Stop when the natural map of (2) is below this [m/s].
    pub tolerance: f64,
    /// Pairs of (3) and (4) before giving up [–].
    pub max_iterations: u32,
}

impl Default for NcpStaggeredParams {
    fn default() -> Self {
        Self { tolerance: 1e-8, max_iterations: 500 }
    }
}

/// See the module.
pub struct NcpStaggered {
    limits: Limits,
    workspace: Workspace<Staggered>, // holds during one solve
}

impl NcpStaggered {
    pub const NAME: &str = "ncp-staggered";

    pub fn new(params: NcpStaggeredParams) -> Result<Self, ParamError> {
        let NcpStaggeredParams { tolerance, max_iterations } = params;
        let limits = Limits { tolerance, max_iterations };
        limits.check(Self::NAME)?;
        Ok(Self { limits, workspace: Workspace::default() })
    }
}

impl ContactSolver for NcpStaggered {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn law(&self) -> Law {
        Law::Ncp
    }

    fn solve_watched(
        &mut self,
        problem: &ConstraintProblem,
        impulses: &mut [f64],
        watch: &mut Watch<'_>,
    ) -> SolveReport {
        self.workspace.solve(&(), Law::Ncp, self.limits, problem, impulses, watch)
    }
}

/// All vectors in the scaled variables of [`crate::admm`].
#[derive(Default)]
struct Staggered {
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
    type Params = ();
    const PATIENCE: u32 = 100;

    fn start(&mut self, (): &(), task: &Task, lambda: &[f64], _: &[f64]) -> bool {
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
        self.way.start(MEMORY, self.held.len());
        let Self { normal, tangent, matrix, free, y, .. } = self;
        normal.start(matrix, free, y, softest) && tangent.start(matrix, free, y, softest)
    }

    fn iterate(&mut self, (): &(), task: &Task, lambda: &mut [f64]) -> bool {
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
        let good = normal.solve(matrix, free, y, goal, bounds); // (3)
        normal.store(y);
        let discs = |x: &mut [f64]| {
            let mut at = 0;
            for (i, cone) in problem.cones().iter().enumerate() {
                if let Cone::Friction { mu } = cone {
                    shorten(&mut x[at..at + 2], mu * normal.splitting.y[i]);
                    at += 2;
                }
            }
        };
        let good = good && tangent.solve(matrix, free, y, goal, discs); // (4)
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

/// (3) or (4): some of the rows, the others held.
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
        self.rows.is_empty() || self.splitting.start(&self.u, softest)
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::point;
    use stiction_contact::certificate::certify;

    /// Without coupling of normal and tangent, the first pair is the answer.
    #[test]
    fn one_contact_takes_one_pair() {
        for g in [[0.02, 0.0, -0.1], [1.0, 0.0, -0.1], [1.0, 0.0, 0.1]] {
            let problem = point(2.0, 0.5, g);
            let mut impulses = vec![0.0; 3];
            let mut solver = NcpStaggered::new(NcpStaggeredParams::default()).unwrap();
            let report = solver.solve(&problem, &mut impulses);
            assert!(report.converged() && report.iterations <= 3, "{report:?}");
            assert!(certify(&problem, &impulses).natural_map <= 1e-8);
        }
    }
}
