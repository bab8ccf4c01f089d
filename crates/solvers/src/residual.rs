//! The residual by which every solver stops: the natural map of its law, as the judge defines it.
//!
//! With ‖A_ii‖_F in place of ‖A_ii‖₂, A = G + R: an upper bound of the judge's number.

use stiction_contact::certificate::{block_natural_map, exact, soft_natural_map};
use stiction_contact::cone::{MAX_ROWS, tangential};
use stiction_contact::{Cone, ConstraintProblem, Law, SoftBlock};
use stiction_dynamics::lanes;
use stiction_dynamics::spatial::vec3;

/// De Saxcé's correction μ ‖c_T‖ of every friction block and patch, in their order [m/s].
pub(crate) fn corrections_into(problem: &ConstraintProblem, c: &[f64], out: &mut Vec<f64>) {
    out.clear();
    for (i, cone) in problem.cones().iter().enumerate() {
        if let Cone::Friction { mu } | Cone::Patch { mu, .. } = cone {
            out.push(mu * tangential(&c[problem.range(i)]));
        }
    }
}

/// Scales of the blocks of a problem.
#[derive(Default)]
pub(crate) struct StoppingResidual {
    /// ‖A_ii‖_F per block; for a zero block the largest of the others.
    pub(crate) norms: Vec<f64>,
    /// A_ii by rows.
    pub(crate) diagonal: Vec<[f64; 9]>,
}

impl StoppingResidual {
    pub(crate) fn prepare(&mut self, problem: &ConstraintProblem) {
        problem.diagonal_blocks_and_norms_into(&mut self.diagonal, &mut self.norms);
        let largest = self.norms.iter().fold(0.0_f64, |m, &n| m.max(n));
        let largest = if largest > 0.0 { largest } else { 1.0 };
        self.norms.iter_mut().filter(|n| **n == 0.0).for_each(|n| *n = largest);
    }

    /// By so much one unit in the last place of every impulse moves velocities, whoever judges them: u ‖|G + R| |λ|‖ [m/s].
    /// Where it is no more than `least`, a bound of it.
    ///
    /// Of steps of random worlds that nothing brought to 1e-8 m/s it leaves the residual 0.02 to 4 times as large where
    /// masses are so unequal that it counts, and at least a thousand times as large elsewhere.
    pub(crate) fn last_place(
        &self,
        problem: &ConstraintProblem,
        lambda: &[f64],
        least: f64,
        scratch: &mut Vec<f64>,
    ) -> f64 {
        // ‖G_ij‖ ≤ (‖G_ii‖ ‖G_jj‖)^½
        let (mut sum, mut most) = (0.0, 0.0_f64);
        for (i, norm) in self.norms.iter().enumerate() {
            sum += norm.sqrt() * lambda[problem.range(i)].iter().map(|l| l.abs()).sum::<f64>();
            most += norm;
        }
        let bound = f64::EPSILON * (MAX_ROWS as f64 * most).sqrt() * sum;
        if bound <= least {
            return bound;
        }
        problem.absolute_mul_into(lambda, scratch);
        f64::EPSILON * scratch.iter().map(|size| size * size).sum::<f64>().sqrt()
    }

    /// Natural map of `law` at impulses λ with velocities c, 2-norm over the blocks [m/s].
    pub(crate) fn residual(&self, problem: &ConstraintProblem, law: Law, lambda: &[f64], c: &[f64]) -> f64 {
        lanes::plain(
            #[inline(always)]
            || self.squares(problem, law, lambda, c).sum::<f64>().sqrt(),
        )
    }

    /// Natural map of the exact law without impulses, at the velocities g [m/s].
    pub(crate) fn residual_of_none(&self, problem: &ConstraintProblem) -> f64 {
        let none = [0.0; MAX_ROWS];
        let square = |(i, rows): (usize, &[usize])| {
            let c = &problem.free_velocity[rows[0]..rows[1]];
            self.square(problem, Law::Ncp, i, &none[..c.len()], c)
        };
        problem.row_start().windows(2).enumerate().map(square).sum::<f64>().sqrt()
    }

    /// Its square, block by block; returns their sum.
    pub(crate) fn squares_into(
        &self,
        problem: &ConstraintProblem,
        law: Law,
        lambda: &[f64],
        c: &[f64],
        squares: &mut Vec<f64>,
    ) -> f64 {
        squares.clear();
        lanes::plain(
            #[inline(always)]
            || squares.extend(self.squares(problem, law, lambda, c)),
        );
        squares.iter().sum()
    }

    #[inline(always)]
    fn squares(
        &self,
        problem: &ConstraintProblem,
        law: Law,
        lambda: &[f64],
        c: &[f64],
    ) -> impl Iterator<Item = f64> {
        let blocks = problem.cones().iter().zip(problem.row_start().windows(2)).zip(&self.norms);
        blocks.enumerate().map(
            #[inline(always)]
            move |(i, ((cone, rows), norm))| {
                let rows = rows[0]..rows[1];
                match (law, *cone, &lambda[rows.clone()], &c[rows]) {
                    // What robots are made of needs no more.
                    (Law::Ncp, Cone::Friction { mu }, &[x, y, z], &[u, v, w]) => {
                        exact::contact_squared(mu, *norm, vec3(x, y, z), vec3(u, v, w))
                    }
                    (_, _, lambda, c) => self.square(problem, law, i, lambda, c),
                }
            },
        )
    }

    /// Of block i, from its own impulses and velocities.
    pub(crate) fn square(
        &self,
        problem: &ConstraintProblem,
        law: Law,
        i: usize,
        lambda: &[f64],
        c: &[f64],
    ) -> f64 {
        let (cone, a, norm) = (problem.cone(i), &self.diagonal[i], self.norms[i]);
        let e = match SoftBlock::new(law, problem, i, a) {
            Some(soft) => {
                soft_natural_map(&soft, cone, norm, lambda, c, &problem.compliance[problem.range(i)])
            }
            None => block_natural_map(cone, a, norm, lambda, c, law),
        };
        e * e
    }
}
