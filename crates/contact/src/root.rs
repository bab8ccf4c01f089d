//! A problem given by G alone as one of velocities: G = J Jᵀ, M = 1.
//!
//! Solvers that work on velocities need M, J and v_free. Where a file holds only G, the pivoted Cholesky
//! factor of its symmetric part serves as J, with unit masses [Golub2013, 10.3]:
//!
//! ```text
//!     ½ (G + Gᵀ) = J Jᵀ,   M = 1,   v_free = 0,   bias = g
//! ```
//!
//! Impulses are those of the problem; velocities are abstract, but J v + bias is the constraint velocity.

use crate::primal::{Csr, Primal};
use crate::problem::ConstraintProblem;
use std::cmp::Ordering;

/// Remaining diagonals below this share of their G_ii count as zero [–].
const CUTOFF: f64 = 1e-13;

/// M and J of a problem, its own or a root of G; keeps the memory.
#[derive(Clone, Debug, Default)]
pub struct Root {
    primal: Primal,
    /// G, then the factor, by rows.
    dense: Vec<f64>,
    /// The diagonal, and what is left of it.
    scale: Vec<f64>,
    left: Vec<f64>,
    /// Columns of G already eliminated, and for every row the place of its pivot.
    pivots: Vec<usize>,
    place: Vec<usize>,
}

impl Root {
    /// The problem's own M and J, or the root of its G. O(rows² rank) for the latter.
    pub fn of<'a>(&'a mut self, problem: &'a ConstraintProblem) -> &'a Primal {
        match &problem.primal {
            Some(primal) => primal,
            None => self.of_blocks(problem),
        }
    }

    /// The root of G whatever else the problem holds: J has as many columns as G has rank. The blocks must
    /// be formed.
    pub fn of_blocks(&mut self, problem: &ConstraintProblem) -> &Primal {
        self.factor(problem);
        self.store(problem);
        &self.primal
    }

    /// Columns of the factor in the order of `pivots`, column k in `dense[k * n ..]`.
    fn factor(&mut self, problem: &ConstraintProblem) {
        let n = problem.rows();
        self.dense.clear();
        self.pivots.clear();
        self.place.clear();
        self.place.resize(n, usize::MAX);
        self.left.clear();
        self.left.resize(n, 0.0);
        for i in 0..problem.len() {
            let (first, dim) = (problem.range(i).start, problem.range(i).len());
            let diagonal = problem.blocks.diagonal(i);
            (0..dim).for_each(|k| self.left[first + k] = diagonal[k * dim + k]);
        }
        self.scale.clear();
        self.scale.extend_from_slice(&self.left);
        loop {
            let share = |r: usize| if self.scale[r] > 0.0 { self.left[r] / self.scale[r] } else { 0.0 };
            let open = (0..n).filter(|&r| self.place[r] == usize::MAX);
            let Some(p) = open.max_by(|&a, &b| share(a).total_cmp(&share(b))) else { return };
            if !(share(p) > CUTOFF) {
                return;
            }
            let k = self.pivots.len();
            self.place[p] = k;
            self.pivots.push(p);
            self.dense.resize((k + 1) * n, 0.0);
            let (before, column) = self.dense.split_at_mut(k * n);
            scatter_column(problem, p, column);
            for done in before.chunks_exact(n) {
                let factor = done[p];
                if factor != 0.0 {
                    column.iter_mut().zip(done).for_each(|(x, l)| *x -= factor * l);
                }
            }
            let root = self.left[p].sqrt();
            for (l, (place, left)) in column.iter_mut().zip(self.place.iter().zip(&mut self.left)) {
                *l = match place.cmp(&k) {
                    Ordering::Less => 0.0,
                    Ordering::Equal => root,
                    Ordering::Greater => *l / root,
                };
                *left -= *l * *l;
            }
        }
    }

    fn store(&mut self, problem: &ConstraintProblem) {
        let (n, rank) = (problem.rows(), self.pivots.len());
        let Primal { nv, mass, jacobian, free_velocity, bias } = &mut self.primal;
        *nv = rank;
        clear(mass);
        for k in 0..rank {
            mass.column.push(k);
            mass.value.push(1.0);
            mass.start.push(k + 1);
        }
        clear(jacobian);
        for r in 0..n {
            for k in 0..rank {
                let value = self.dense[k * n + r];
                if value != 0.0 {
                    jacobian.column.push(k);
                    jacobian.value.push(value);
                }
            }
            jacobian.start.push(jacobian.value.len());
        }
        free_velocity.clear();
        free_velocity.resize(rank, 0.0);
        bias.clear();
        bias.extend_from_slice(&problem.free_velocity);
    }
}

fn clear(m: &mut Csr) {
    m.start.clear();
    m.start.push(0);
    m.column.clear();
    m.value.clear();
}

/// Column p of ½ (G + Gᵀ) into zeros.
fn scatter_column(problem: &ConstraintProblem, p: usize, column: &mut [f64]) {
    let start = problem.row_start();
    let i = start.partition_point(|&s| s <= p) - 1;
    let (dim, row) = (start[i + 1] - start[i], p - start[i]);
    for k in problem.blocks.entries(i) {
        let j = problem.blocks.column_of(k);
        let width = start[j + 1] - start[j];
        let (across, down) = (problem.blocks.entry(k), problem.blocks.entry(problem.blocks.mirror_of(k)));
        for c in 0..width {
            column[start[j] + c] = 0.5 * (across[row * width + c] + down[c * dim + row]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cone::Cone;

    /// Two contacts on one body of 2 kg that cannot turn, and a limit that nothing moves: rank 3 of 7.
    #[test]
    fn a_root_of_a_singular_matrix() {
        let mut problem = ConstraintProblem::default();
        problem.push(Cone::Friction { mu: 0.5 }, &[1.0, 2.0, 3.0]);
        problem.push(Cone::Friction { mu: 0.5 }, &[1.0, 2.0, 3.0]);
        problem.push(Cone::NonNegative, &[4.0]);
        let (start, blocks) = problem.starts_and_blocks_mut();
        blocks.set_pattern(start, |i, out| if i < 2 { out.extend([0, 1]) } else { out.push(2) });
        for k in 0..4 {
            blocks.entry_mut(k).copy_from_slice(&[0.5, 0.1, 0.0, 0.1, 0.5, 0.0, 0.0, 0.0, 5e5]);
        }
        let mut root = Root::default();
        let primal = root.of(&problem);
        assert_eq!((primal.nv, primal.validate()), (3, Ok(())));
        assert_eq!(primal.bias, problem.free_velocity);
        for r in 0..7 {
            let mut unit = vec![0.0; 7];
            unit[r] = 1.0;
            let (mut v, mut c, mut expected) = (vec![0.0; 3], vec![0.0; 7], Vec::new());
            primal.jacobian.transpose_mul_add_into(&unit, &mut v);
            primal.jacobian.mul_add_into(&v, &mut c);
            problem.delassus_mul_into(&unit, &mut expected);
            assert!(c.iter().zip(&expected).all(|(a, b)| (a - b).abs() <= 1e-15 * 5e5), "{c:?} {expected:?}");
        }
    }
}
