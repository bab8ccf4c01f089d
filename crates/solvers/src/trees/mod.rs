//! Linear systems of large islands, solved in the velocities of their trees.
//!
//! Steps of Newton and of interior methods solve, for Δλ with one equation of three rows or one per block,
//!
//! ```text
//!     leftᵢ (G Δλ)ᵢ + ownᵢ Δλᵢ = rhsᵢ,     G = W Wᵀ                                       (1)
//! ```
//!
//! With z = Wᵀ Δλ and Dᵢ = ownᵢ⁻¹ leftᵢ this is
//!
//! ```text
//!     (1 + Σᵢ Wᵢᵀ Dᵢ Wᵢ) z = Σᵢ Wᵢᵀ ownᵢ⁻¹ rhsᵢ                                            (2)
//!     Δλᵢ = ownᵢ⁻¹ rhsᵢ − Dᵢ Wᵢ z                                                          (3)
//! ```
//!
//! (2) couples two trees only if they touch: [`lu`] factors it by blocks in an order of little fill, where (1)
//! costs the cube of the rows. ownᵢ must have an inverse; where it is small, ε ‖G_ii‖, rounding in (3) is of
//! order 10⁻¹⁶/ε of Δλ.

mod lu;
mod order;
mod ready;
mod symmetric;

pub(crate) use lu::TreeLu;
use stiction_contact::{BranchSparseRows, Cone, ConstraintProblem};
use stiction_dynamics::lanes;
use stiction_dynamics::spatial::{Vec3, vec3};

pub(crate) type Block = [[f64; 3]; 3];

/// Left and own of (1); rows that are no unknowns have left = 0 and own = 1.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Equation {
    pub(crate) left: Block,
    pub(crate) own: Block,
}

/// (1) with its factors; keeps what it was made of.
#[derive(Default)]
pub(crate) struct TreeSystem {
    /// W.
    delassus_factor: BranchSparseRows,
    /// ownᵢ⁻¹ and Dᵢ; none where Δλᵢ = 0.
    inverse: Vec<Option<(Block, Block)>>,
    lu: TreeLu,
    z: Vec<f64>,
    /// The determinants of the blocks' own parts have this sign together.
    turns: bool,
}

impl TreeSystem {
    /// True if (2) is cheaper than (1) by rows: known factor of G, and many rows over small trees.
    pub(crate) fn pays(problem: &ConstraintProblem) -> bool {
        let delassus_factor = &problem.delassus_factor;
        let largest =
            || (0..delassus_factor.trees()).map(|t| delassus_factor.tree(t).len()).max().unwrap_or(0);
        knows_factor(problem) && problem.rows() > LEAST_ROWS && problem.rows() > 2 * largest()
    }

    /// Takes W, whose blocks of more than three rows stay out of it; equations follow.
    pub(crate) fn take(&mut self, delassus_factor: &BranchSparseRows) {
        self.delassus_factor.clone_from(delassus_factor);
        self.lu.lay_out(&self.delassus_factor);
    }

    /// Factors (1): one equation per block, `None` where Δλᵢ = 0. False if a pivot is zero or not a number.
    pub(crate) fn factor(&mut self, equations: impl Iterator<Item = Option<Equation>>) -> bool {
        lanes::plain(
            #[inline(always)]
            || self.factor_plain(equations),
        )
    }

    #[inline(always)]
    fn factor_plain(&mut self, equations: impl Iterator<Item = Option<Equation>>) -> bool {
        self.inverse.clear();
        self.turns = false;
        if !self.lu.start(false) {
            return false;
        }
        for (i, equation) in equations.enumerate() {
            let Some(Equation { left, own }) = equation else {
                self.inverse.push(None);
                continue;
            };
            let Some(own) = inverse_of(&own) else { return false };
            let d = product(&own, &left);
            self.turns ^= determinant(&own) < 0.0;
            if d != [[0.0; 3]; 3] {
                self.lu.add(&self.delassus_factor, i, &d);
            }
            self.inverse.push(Some((own, d)));
        }
        self.lu.factor()
    }

    /// W as taken.
    pub(crate) fn delassus_factor(&self) -> &BranchSparseRows {
        &self.delassus_factor
    }

    /// W ← W diag(by), after [`Self::take`].
    pub(crate) fn scale(&mut self, by: &[f64]) {
        for (_, coordinates, columns) in self.delassus_factor.segments_mut() {
            columns.iter_mut().zip(coordinates).for_each(|(w, &c)| *w = *w * by[c]);
        }
        self.lu.make_ready(&self.delassus_factor);
    }

    /// True if the determinant of (1) is negative: that of all own is, or that of (2), and not both.
    pub(crate) fn reverses(&self) -> bool {
        self.turns != self.lu.reverses()
    }

    /// Replaces the right-hand side of (1), by rows, by Δλ.
    pub(crate) fn solve(&mut self, row_start: &[usize], x: &mut [f64]) {
        lanes::plain(
            #[inline(always)]
            || self.solve_plain(row_start, x),
        );
    }

    #[inline(always)]
    fn solve_plain(&mut self, row_start: &[usize], x: &mut [f64]) {
        self.z.clear();
        self.z.resize(self.delassus_factor.coordinates(), 0.0);
        for (i, inverse) in self.inverse.iter().enumerate() {
            let rows = &mut x[row_start[i]..row_start[i + 1]];
            match inverse {
                None => rows.fill(0.0),
                Some((own, _)) => {
                    let t = times(own, vector(rows));
                    write(t, rows);
                    self.delassus_factor.add_transposed(i, t, &mut self.z);
                }
            }
        }
        self.lu.solve(&mut self.z);
        // (3)
        for (i, inverse) in self.inverse.iter().enumerate() {
            if let Some((_, d)) = inverse {
                let rows = &mut x[row_start[i]..row_start[i + 1]];
                let t = vector(rows) - times(d, self.delassus_factor.dot(i, &self.z));
                write(t, rows);
            }
        }
    }

    /// G Δλ of the last answer of [`Self::solve`], by rows: W z.
    pub(crate) fn moved_into(&self, row_start: &[usize], out: &mut [f64]) {
        for (i, rows) in row_start.windows(2).enumerate() {
            write(self.delassus_factor.dot(i, &self.z), &mut out[rows[0]..rows[1]]);
        }
    }

    /// x ← (1 + Σᵢ Wᵢᵀ Dᵢ Wᵢ)⁻¹ x.
    pub(crate) fn solve_velocities(&mut self, x: &mut [f64]) {
        lanes::plain(
            #[inline(always)]
            || self.lu.solve(x),
        );
    }
}

/// True if the problem comes with its W, by blocks of at most three rows.
pub(crate) fn knows_factor(problem: &ConstraintProblem) -> bool {
    let turning = || problem.cones().iter().any(|c| matches!(c, Cone::Patch { .. }));
    knows_all(problem) && !turning()
}

/// True if the problem comes with its W, whatever its blocks.
pub(crate) fn knows_all(problem: &ConstraintProblem) -> bool {
    problem.delassus_factor.len() == problem.len()
}

/// Fewer rows are solved by (1).
const LEAST_ROWS: usize = 24;

#[inline(always)]
fn vector(x: &[f64]) -> Vec3 {
    vec3(x[0], x.get(1).copied().unwrap_or(0.0), x.get(2).copied().unwrap_or(0.0))
}

#[inline(always)]
fn write(x: Vec3, out: &mut [f64]) {
    out.copy_from_slice(&x.to_array()[..out.len()]);
}

#[inline(always)]
fn times(a: &Block, x: Vec3) -> Vec3 {
    let row = |r: &[f64; 3]| r[0] * x.x + r[1] * x.y + r[2] * x.z;
    vec3(row(&a[0]), row(&a[1]), row(&a[2]))
}

#[inline(always)]
pub(crate) fn product<const N: usize>(a: &Block, b: &[[f64; N]; 3]) -> [[f64; N]; 3] {
    let mut out = [[0.0; N]; 3];
    for (out, a) in out.iter_mut().zip(a) {
        for c in 0..N {
            out[c] = a[0] * b[0][c] + a[1] * b[1][c] + a[2] * b[2][c];
        }
    }
    out
}

/// Of what is left of a block without row r and column c, with its sign.
#[inline(always)]
fn cofactor(a: &Block, r: usize, c: usize) -> f64 {
    let (r1, r2, c1, c2) = ((r + 1) % 3, (r + 2) % 3, (c + 1) % 3, (c + 2) % 3);
    a[r1][c1] * a[r2][c2] - a[r1][c2] * a[r2][c1]
}

#[inline(always)]
fn determinant(a: &Block) -> f64 {
    (0..3).map(|c| a[0][c] * cofactor(a, 0, c)).sum()
}

/// By cofactors; none if singular.
#[inline(always)]
pub(crate) fn inverse_of(a: &Block) -> Option<Block> {
    let mut inverse = [[0.0; 3]; 3];
    for r in 0..3 {
        for c in 0..3 {
            inverse[r][c] = cofactor(a, c, r);
        }
    }
    let determinant = a[0][0] * inverse[0][0] + a[0][1] * inverse[1][0] + a[0][2] * inverse[2][0];
    inverse.iter_mut().flatten().for_each(|x| *x /= determinant);
    (determinant != 0.0 && determinant.is_finite()).then_some(inverse)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dense::{Lu, matrix_into};
    use crate::testing::{stack, with_delassus_factor};
    use stiction_contact::corpus::Random;

    /// (1) by rows, from what (2) and (3) say.
    #[test]
    fn the_answer_solves_the_rows() {
        check_rows(&with_delassus_factor(stack(&[1.0, 3.0, 0.5, 2.0, 1.0, 4.0], Vec3::ZERO, 0.5)));
        check_rows(&wrist_and_body());
    }

    /// Blocks on six joints of an arm of eight, on all, on a free body, and on both.
    fn wrist_and_body() -> ConstraintProblem {
        let mut problem = ConstraintProblem::default();
        problem.delassus_factor.start([0..8, 8..14].into_iter());
        let mut random = Random(5);
        for segments in [&[(0, 0..6)][..], &[(0, 0..6), (1, 8..14)], &[(1, 8..14)], &[(0, 0..8)]] {
            problem.push(Cone::Friction { mu: 0.5 }, &[0.0; 3]);
            problem.delassus_factor.push_block();
            for (tree, coordinates) in segments {
                let column = |c| (c, vec3(random.number(), random.number(), random.number()));
                problem.delassus_factor.push_segment(*tree, None, coordinates.clone().rev().map(column));
            }
        }
        problem
    }

    fn check_rows(problem: &ConstraintProblem) {
        let n = problem.rows();
        let mut noise = (0..).map(|k: u32| (f64::from(k) * 12.9898).sin());
        let mut next = || noise.next().unwrap();
        let equations: Vec<Option<Equation>> = (0..problem.len())
            .map(|i| {
                let left = std::array::from_fn(|r| std::array::from_fn(|c| f64::from(r == c) + 0.3 * next()));
                let own =
                    std::array::from_fn(|r| std::array::from_fn(|c| 0.1 * f64::from(r == c) + 0.02 * next()));
                (i % 5 != 4).then_some(Equation { left, own })
            })
            .collect();
        let rhs: Vec<f64> = (0..n).map(|_| next()).collect();
        let mut system = TreeSystem::default();
        for _ in 0..2 {
            system.take(&problem.delassus_factor);
            assert!(system.factor(equations.iter().copied()));
            let (mut x, mut g) = (rhs.clone(), Vec::new());
            system.solve(problem.row_start(), &mut x);
            problem.delassus_mul_into(&x, &mut g);
            for (i, equation) in equations.iter().enumerate() {
                let rows = problem.range(i);
                let Some(e) = equation else {
                    assert!(x[rows].iter().all(|&x| x == 0.0));
                    continue;
                };
                let sum = times(&e.left, vector(&g[rows.clone()])) + times(&e.own, vector(&x[rows.clone()]));
                assert!((sum - vector(&rhs[rows])).norm() < 1e-9, "block {i}: {sum:?}");
            }
        }
    }

    /// The sign of the determinant is that of (1) by rows, whichever it is.
    #[test]
    fn the_determinant_has_the_sign_of_the_rows() {
        let problem = with_delassus_factor(stack(&[1.0, 3.0, 0.5, 2.0, 1.0, 4.0], Vec3::ZERO, 0.5));
        let (n, mut g) = (problem.rows(), Vec::new());
        matrix_into(&problem, &mut g);
        let (mut system, mut lu, mut seen) = (TreeSystem::default(), Lu::default(), [0; 2]);
        for seed in 0..40 {
            let mut random = Random(seed);
            let mut next = || std::array::from_fn(|_| std::array::from_fn(|_| random.number()));
            let equations: Vec<_> =
                (0..problem.len()).map(|_| Equation { left: next(), own: next() }).collect();
            system.take(&problem.delassus_factor);
            assert!(system.factor(equations.iter().copied().map(Some)));
            lu.clear(n);
            for (i, e) in equations.iter().enumerate() {
                for k in 0..3 {
                    let row = lu.row_mut(3 * i + k);
                    for m in 0..3 {
                        row[3 * i + m] += e.own[k][m];
                        let from = &g[(3 * i + m) * n..][..n];
                        row.iter_mut().zip(from).for_each(|(x, a)| *x += e.left[k][m] * a);
                    }
                }
            }
            assert!(lu.factor());
            assert_eq!(system.reverses(), lu.reverses(), "seed {seed}");
            seen[usize::from(lu.reverses())] += 1;
        }
        assert!(seen.iter().all(|&n| n > 5), "{seen:?}");
    }
}
