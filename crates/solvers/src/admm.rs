//! The iteration of the ADMM twins.
//!
//! [`crate::splitting`] on an island, in variables scaled by one number per block, P = diag(‖A_ii‖^-½):
//! Ā = P (G + R) P, ḡ = P g, λ = P y. The laws enter by their resolvents of a point t:
//!
//! ```text
//!     relaxation   y = P_K(t)                                                 (1)
//!     exact law    y_N = max(t_N, 0),   y_T = P_D(t_T), D the disc of μ y_N   (2)
//! ```
//!
//! (2) with u = ρ (y − t) is Signorini's and Coulomb's law of (y, u), as Alart and Curnier write it
//! [AlartCurnier1991]. It is [Carpentier2024, Alg. 1] with De Saxcé's shift taken from the velocity that
//! is sought instead of the last one, and without its proximal term, for ρ > 0 makes Ā + ρ definite.
//! Where G is not symmetric, the symmetric part is factored, and the rest acts on the last y.

use crate::dense::symmetric_into;
use crate::iterate::Method;
use crate::splitting::Splitting;
use crate::task::Task;
use stiction_contact::{Cone, ConstraintProblem, Law};

/// See the module; holds during one solve.
#[derive(Default)]
pub struct Admm {
    /// P, per row.
    scale: Vec<f64>,
    symmetric: bool,
    splitting: Splitting,
    u: Vec<f64>,
    /// P (G − Gᵀ)/2 λ: scratch.
    skew: Vec<f64>,
}

impl Method for Admm {
    /// Earlier iterations an Anderson step looks at.
    type Params = u32;
    const PATIENCE: u32 = 500;

    fn start(&mut self, &memory: &u32, task: &Task, lambda: &[f64], c: &[f64]) -> bool {
        let problem = task.problem;
        scales_into(task, &mut self.scale);
        let Self { scale, splitting, u, .. } = self;
        self.symmetric = scaled_matrix_into(problem, scale, &mut splitting.matrix);
        let softest = problem.compliance.iter().zip(&*scale).map(|(r, p)| r * p * p);
        splitting.free.clear();
        splitting.free.extend(problem.free_velocity.iter().zip(&*scale).map(|(g, p)| g * p));
        splitting.y.clear();
        splitting.y.extend(lambda.iter().zip(&*scale).map(|(l, p)| l / p));
        u.clear();
        u.extend(c.iter().zip(&*scale).map(|(c, p)| c * p));
        splitting.start(u, softest.fold(f64::INFINITY, f64::min), memory)
    }

    fn iterate(&mut self, _: &u32, task: &Task, lambda: &mut [f64]) -> bool {
        if !self.symmetric {
            self.set_skew_part(task.problem, lambda);
        }
        let scale = &self.scale;
        let going = self.splitting.iterate(|t| {
            t.iter_mut().zip(scale).for_each(|(t, p)| *t *= p);
            resolve(task, t);
            t.iter_mut().zip(scale).for_each(|(t, p)| *t /= p);
        });
        lambda.iter_mut().zip(self.splitting.y.iter().zip(scale)).for_each(|(l, (y, p))| *l = y * p);
        going
    }
}

impl Admm {
    /// ḡ + P (G − Gᵀ)/2 λ as free velocity.
    fn set_skew_part(&mut self, problem: &ConstraintProblem, lambda: &[f64]) {
        problem.velocities_into(lambda, &mut self.skew);
        let Splitting { matrix, free, y, .. } = &mut self.splitting;
        let rows = matrix.chunks_exact(y.len()).zip(self.skew.iter().zip(&self.scale));
        for (free, (row, (c, p))) in free.iter_mut().zip(rows) {
            *free = p * c - row.iter().zip(&*y).map(|(a, y)| a * y).sum::<f64>();
        }
    }
}

/// P per row.
pub(crate) fn scales_into(task: &Task, scale: &mut Vec<f64>) {
    scale.clear();
    for (cone, norm) in task.problem.cones().iter().zip(&task.stopping.norms) {
        scale.extend(std::iter::repeat_n(1.0 / norm.sqrt(), cone.dim()));
    }
}

/// The symmetric part of Ā by rows; false if G is not symmetric.
pub(crate) fn scaled_matrix_into(problem: &ConstraintProblem, scale: &[f64], out: &mut Vec<f64>) -> bool {
    let symmetric = symmetric_into(problem, out);
    for (row, p) in out.chunks_exact_mut(scale.len().max(1)).zip(scale) {
        row.iter_mut().zip(scale).for_each(|(a, q)| *a *= p * q);
    }
    symmetric
}

/// (1) or (2), in place.
fn resolve(task: &Task, lambda: &mut [f64]) {
    for (i, cone) in task.problem.cones().iter().enumerate() {
        let x = &mut lambda[task.problem.range(i)];
        if let (Cone::Friction { mu }, Law::Ncp) = (*cone, task.law) {
            Cone::NonNegative.project(&mut x[2..]);
            shorten(x, mu * x[2]);
        } else {
            cone.project(x);
        }
    }
}

/// Projects the tangential part on the disc of radius r.
pub(crate) fn shorten(x: &mut [f64], r: f64) {
    let t = (x[0] * x[0] + x[1] * x[1]).sqrt();
    if t > r {
        x[0] *= r / t;
        x[1] *= r / t;
    }
}
