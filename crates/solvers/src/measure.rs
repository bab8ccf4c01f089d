//! The residual by which every solver stops: the natural map of its law, as the judge defines it.
//!
//! With ‖A_ii‖_F in place of ‖A_ii‖₂, A = G + R: an upper bound of the judge's number.

use stiction_contact::certificate::{block_natural_map, soft_natural_map};
use stiction_contact::matrix3::frobenius;
use stiction_contact::{ConstraintProblem, Law, SoftBlock};

/// Scales of the blocks of a problem.
#[derive(Default)]
pub(crate) struct Measure {
    /// ‖A_ii‖_F per block; for a zero block the largest of the others.
    pub(crate) norms: Vec<f64>,
    /// A_ii by rows.
    pub(crate) diagonal: Vec<[f64; 9]>,
}

impl Measure {
    pub(crate) fn prepare(&mut self, problem: &ConstraintProblem) {
        problem.diagonal_blocks_into(&mut self.diagonal);
        self.norms.clear();
        // A scalar block has its number first and zeros after it.
        self.norms.extend(self.diagonal.iter().map(frobenius));
        let largest = self.norms.iter().fold(0.0_f64, |m, &n| m.max(n));
        let largest = if largest > 0.0 { largest } else { 1.0 };
        self.norms.iter_mut().filter(|n| **n == 0.0).for_each(|n| *n = largest);
    }

    /// Natural map of `law` at impulses λ with velocities c, 2-norm over the blocks [m/s].
    pub(crate) fn residual(&self, problem: &ConstraintProblem, law: Law, lambda: &[f64], c: &[f64]) -> f64 {
        let mut squares = 0.0;
        let blocks = self.diagonal.iter().zip(&self.norms);
        for (i, (&cone, (a, &norm))) in problem.cones().iter().zip(blocks).enumerate() {
            let rows = problem.range(i);
            let (lambda, c) = (&lambda[rows.clone()], &c[rows.clone()]);
            let e = match SoftBlock::new(law, problem, i, a) {
                Some(soft) => soft_natural_map(&soft, cone, norm, lambda, c, &problem.compliance[rows]),
                None => block_natural_map(cone, a, norm, lambda, c, law),
            };
            squares += e * e;
        }
        squares.sqrt()
    }

    /// Chooses between the given impulses and none, sets c, and returns the residual; `scratch` is free.
    pub(crate) fn start(
        &self,
        problem: &ConstraintProblem,
        law: Law,
        impulses: &mut [f64],
        scratch: &mut Vec<f64>,
        c: &mut Vec<f64>,
    ) -> f64 {
        let project = |x: &mut [f64]| {
            let cones = problem.cones().iter().enumerate();
            cones.for_each(|(i, &cone)| law.project(cone, &mut x[problem.range(i)]));
        };
        let warm = impulses.iter().all(|l| l.is_finite()) && impulses.iter().any(|&l| l != 0.0);
        let mut residual_warm = f64::INFINITY;
        if warm {
            // Friction that lags behind the pressure may leave its cone.
            if law != Law::Lagged {
                project(impulses);
            }
            problem.velocities_into(impulses, c);
            residual_warm = self.residual(problem, law, impulses, c);
            scratch.clear();
            scratch.extend_from_slice(impulses);
        }
        impulses.fill(0.0);
        project(impulses);
        let zero = &problem.free_velocity;
        let any = impulses.iter().any(|&l| l != 0.0);
        let residual_cold = if any { f64::INFINITY } else { self.residual(problem, law, impulses, zero) };
        if residual_warm <= residual_cold && residual_warm.is_finite() {
            impulses.copy_from_slice(scratch);
            return residual_warm;
        }
        problem.velocities_into(impulses, c);
        self.residual(problem, law, impulses, c)
    }
}
