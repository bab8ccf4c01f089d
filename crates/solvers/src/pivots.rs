//! Rows that push or hold, without friction, to rounding: block principal pivoting [Judice1994].
//!
//! ```text
//!     c = (G + R) p + g,     0 ≤ p ⟂ c ≥ 0  in rows that push,     c = 0  in rows that hold                (1)
//! ```
//!
//! A guess of who pushes, first those with g < 0, makes (1) linear: c = 0 there, p = 0 elsewhere. Where it is wrong, p < 0
//! or c < 0, all rows change sides at once; where that leads nowhere three times, one at a time, the last [Murty1974], which
//! ends for every positive definite G + R. For a few dozen rows; the caller has another way for more, and where G + R is
//! not definite. Cost: a factorisation of the rows that push and hold in each of two to five rounds.

use crate::dense::{Cholesky, STRIP, whole_into};
use crate::trees::knows_all;
use stiction_contact::{Cone, ConstraintProblem};

/// Rows, at most.
const MOST_ROWS: usize = 64;
/// Rounds, at most, and those that may leave no fewer wrong rows before one changes at a time.
const ROUNDS: usize = 100;
const PATIENCE: u32 = 3;
/// Share of the largest |g| below which p A_ii and c are zero [–].
const NOTHING: f64 = 1e-13;

/// Workspace; holds during one solve.
#[derive(Default)]
pub struct Pivots {
    /// G by rows of whole strips, and what it is made in.
    matrix: Vec<f64>,
    columns: Vec<[f64; STRIP]>,
    /// The rows that push and hold, in order; A of them and its factor.
    basic: Vec<usize>,
    part: Vec<f64>,
    factor: Cholesky,
    packed: Vec<f64>,
    pushes: Vec<bool>,
    wrong: Vec<usize>,
    c: Vec<f64>,
}

impl Pivots {
    /// Solves (1) into `p`, with G from the problem's W. `None` where it is too large or knows other rows, or pivoting did
    /// not end; else the norm of what (1) misses [m/s].
    pub fn solve(&mut self, problem: &ConstraintProblem, p: &mut [f64]) -> Option<f64> {
        let (n, g) = (problem.rows(), &problem.free_velocity);
        let scalar = |c: &Cone| matches!(c, Cone::NonNegative | Cone::Free);
        if n > MOST_ROWS || !knows_all(problem) || !problem.cones().iter().all(scalar) {
            return None;
        }
        whole_into(problem, &mut self.columns, &mut self.matrix);
        let width = STRIP * n.div_ceil(STRIP);
        let holds = |row: usize| problem.cone(row) == Cone::Free;
        let small = NOTHING * g.iter().fold(0.0_f64, |m, g| m.max(g.abs()));
        self.pushes.clear();
        self.pushes.extend((0..n).map(|row| holds(row) || g[row] < 0.0));
        let (mut fewest, mut patience) = (usize::MAX, PATIENCE);
        for _ in 0..ROUNDS {
            self.try_guess(problem, width, p)?;
            let Self { pushes, wrong, c, matrix, .. } = &mut *self;
            let misses = |row: usize| {
                if pushes[row] { p[row] * matrix[row * width + row] < -small } else { c[row] < -small }
            };
            wrong.clear();
            wrong.extend((0..n).filter(|&row| !holds(row) && misses(row)));
            let Some(&last) = wrong.last() else { return self.finish(problem, p) };
            if wrong.len() < fewest {
                (fewest, patience) = (wrong.len(), PATIENCE);
            } else {
                patience = patience.saturating_sub(1);
            }
            if patience == 0 {
                pushes[last] = !pushes[last];
            } else {
                wrong.iter().for_each(|&row| pushes[row] = !pushes[row]);
            }
        }
        None
    }

    /// p and c of the present guess; `None` where there are none.
    fn try_guess(&mut self, problem: &ConstraintProblem, width: usize, p: &mut [f64]) -> Option<()> {
        let Self { matrix, basic, part, factor, packed, pushes, c, .. } = self;
        let g = &problem.free_velocity;
        basic.clear();
        basic.extend((0..pushes.len()).filter(|&row| pushes[row]));
        part.clear();
        for &row in &*basic {
            let from = &matrix[row * width..];
            part.extend(basic.iter().map(|&column| from[column]));
        }
        factor.set(basic.len(), part);
        factor.add_diagonal(basic.iter().map(|&row| problem.compliance[row]));
        if !factor.factor() {
            return None;
        }
        packed.clear();
        packed.extend(basic.iter().map(|&row| -g[row]));
        factor.solve(packed);
        p.fill(0.0);
        basic.iter().zip(&*packed).for_each(|(&row, x)| p[row] = *x);
        c.clear();
        c.extend_from_slice(g);
        for (&row, x) in basic.iter().zip(&*packed) {
            c.iter_mut().zip(&matrix[row * width..]).for_each(|(c, g)| *c += g * x);
        }
        packed.iter().sum::<f64>().is_finite().then_some(())
    }

    /// Rounding taken out of p, and what is missed then.
    fn finish(&mut self, problem: &ConstraintProblem, p: &mut [f64]) -> Option<f64> {
        for (p, cone) in p.iter_mut().zip(problem.cones()) {
            cone.project(std::slice::from_mut(p));
        }
        problem.velocities_into(p, &mut self.c);
        let missed = |((p, c), cone): ((&f64, &f64), &Cone)| {
            let held = *cone == Cone::Free || *p > 0.0;
            if held { *c } else { c.min(0.0) }
        };
        let squares = p.iter().zip(&self.c).zip(problem.cones()).map(missed).map(|e| e * e);
        Some(squares.sum::<f64>().sqrt())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ncp_al::{NcpAl, NcpAlParams};
    use stiction_contact::ContactSolver;
    use stiction_contact::certificate::certify;
    use stiction_contact::corpus::Random;
    use stiction_dynamics::spatial::vec3;

    /// Rows of one tree of `dofs` coordinates, by W; with `yields` as the share of the diagonal that is compliant.
    fn drawn(random: &mut Random, cones: &[Cone], dofs: usize, yields: f64) -> ConstraintProblem {
        let mut problem = ConstraintProblem::default();
        problem.delassus_factor.start(std::iter::once(0..dofs));
        for cone in cones {
            problem.push(*cone, &[random.number()]);
            problem.delassus_factor.push_block();
            let w: Vec<f64> = (0..dofs).map(|_| random.number()).collect();
            let compliance = yields * w.iter().map(|w| w * w).sum::<f64>();
            problem.delassus_factor.push_segment(
                0,
                None,
                (0..dofs).rev().map(|dof| (dof, vec3(w[dof], 0.0, 0.0))),
            );
            *problem.compliance.last_mut().unwrap() = compliance;
        }
        problem
    }

    /// The judge agrees, and so does the augmented Lagrangian; more rows than dofs, some held.
    #[test]
    fn what_pushes_is_found() {
        let mut random = Random(3);
        for n in [1, 2, 5, 12, 24, 60] {
            for _ in 0..20 {
                let cones: Vec<Cone> =
                    (0..n).map(|k| if k % 5 == 4 { Cone::Free } else { Cone::NonNegative }).collect();
                let problem = drawn(&mut random, &cones, 14, 1e-3);
                let (mut p, mut other) = (vec![0.0; n], vec![0.0; n]);
                let missed = Pivots::default().solve(&problem, &mut p).unwrap();
                assert!(missed <= 1e-10, "{n}: {missed:e}");
                assert!(certify(&problem, &p).natural_map <= 1e-10);
                let params = NcpAlParams { tolerance: 1e-11, compliance: 1e-6, ..Default::default() };
                NcpAl::new(params).unwrap().solve(&problem, &mut other);
                let size = p.iter().fold(1.0_f64, |m, p| m.max(*p));
                assert!(p.iter().zip(&other).all(|(a, b)| (a - b).abs() <= 1e-6 * size), "{n}");
            }
        }
    }

    /// Of what it does not know nothing is said: friction, more rows than fit, and rows held twice.
    #[test]
    fn the_rest_is_left_to_others() {
        let mut random = Random(4);
        let many = drawn(&mut random, &[Cone::NonNegative; MOST_ROWS + 1], 6, 1e-3);
        assert!(Pivots::default().solve(&many, &mut [0.0; MOST_ROWS + 1]).is_none());
        let bounded = drawn(&mut random, &[Cone::Box { lo: -1.0, hi: 1.0 }], 6, 1e-3);
        assert!(Pivots::default().solve(&bounded, &mut [0.0]).is_none());
        let twice = drawn(&mut random, &[Cone::Free; 3], 1, 0.0);
        assert!(Pivots::default().solve(&twice, &mut [0.0; 3]).is_none_or(|missed| missed > 1e-6));
    }
}
