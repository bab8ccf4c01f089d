//! G as an operator: by blocks where they are formed, else by its factor ([`crate::BranchSparseRows`]) or through M, J.
//!
//! ```text
//!     G = J M⁻¹ Jᵀ = Yᵀ Y,   Y = L⁻¹ Jᵀ,   M = L Lᵀ                   (1)
//!     G x = J M⁻¹ (Jᵀ x)                                              (2)
//! ```
//!
//! (1) forms blocks, (2) multiplies without them, in O(entries of J and L).

use crate::blocks::MAX_VALUES;
use crate::cone::{Cone, MAX_ROWS};
use crate::primal::{MassFactor, Primal, PrimalError};
use crate::problem::ConstraintProblem;
use stiction_dynamics::lanes;

impl ConstraintProblem {
    /// The problem of `primal`, R = 0, with G formed by (1).
    pub fn from_primal(cones: &[Cone], primal: Primal, time_step: f64) -> Result<Self, PrimalError> {
        let mut problem = Self::operator_from_primal(cones, primal, time_step)?;
        problem.form_blocks()?;
        Ok(problem)
    }

    /// The problem of `primal`, R = 0, with G as the operator (2) only.
    pub fn operator_from_primal(cones: &[Cone], primal: Primal, time_step: f64) -> Result<Self, PrimalError> {
        primal.validate()?;
        let rows = cones.iter().map(Cone::dim).sum::<usize>();
        if primal.jacobian.rows() != rows {
            return Err(PrimalError::Size {
                what: "rows of the Jacobian",
                value: primal.jacobian.rows(),
                expected: rows,
            });
        }
        let mut g = primal.bias.clone();
        primal.jacobian.mul_add_into(&primal.free_velocity, &mut g);
        let mut problem = Self::default();
        problem.time_step = time_step;
        let mut row = 0;
        for cone in cones {
            problem.push(*cone, &g[row..row + cone.dim()]);
            row += cone.dim();
        }
        problem.factor = Some(MassFactor::new(&primal.mass, primal.nv)?);
        problem.primal = Some(primal);
        Ok(problem)
    }

    /// True when `blocks` holds G.
    pub fn blocks_formed(&self) -> bool {
        self.blocks.len() == self.len()
    }

    /// (1): forms the blocks of an operator problem; nothing to do for others.
    pub fn form_blocks(&mut self) -> Result<(), PrimalError> {
        if self.blocks_formed() {
            return Ok(());
        }
        if !self.delassus_factor.is_empty() {
            return self.form_blocks_of_thin();
        }
        let (factor, primal) = self.operator()?;
        let (n, jacobian) = (self.len(), &primal.jacobian);

        // Blocks meet where their rows reach the same component of M.
        let mut reached: Vec<Vec<usize>> = vec![Vec::new(); factor.components()];
        let mut components: Vec<Vec<usize>> = Vec::with_capacity(n);
        for i in 0..n {
            let mut mine: Vec<usize> = self
                .range(i)
                .flat_map(|r| jacobian.entries(r))
                .map(|(dof, _)| factor.component_of(dof))
                .collect();
            mine.sort_unstable();
            mine.dedup();
            mine.iter().for_each(|&c| reached[c].push(i));
            components.push(mine);
        }
        let columns: Vec<Vec<usize>> = (0..n)
            .map(|i| {
                let mut out: Vec<usize> = components[i].iter().flat_map(|&c| &reached[c]).copied().collect();
                out.push(i);
                out.sort_unstable();
                out.dedup();
                out
            })
            .collect();
        let values: usize = columns.iter().map(|c| 9 * c.len()).sum();
        if values > MAX_VALUES {
            return Err(PrimalError::Size { what: "numbers of G", value: values, expected: MAX_VALUES });
        }

        // Y by rows of J, one dense piece per component reached.
        let y: Vec<Vec<(usize, Vec<f64>)>> = (0..self.rows())
            .map(|r| {
                let mut pieces: Vec<(usize, Vec<f64>)> = Vec::new();
                for (dof, value) in jacobian.entries(r) {
                    let (c, local) = (factor.component_of(dof), factor.local_of(dof));
                    let at = match pieces.binary_search_by_key(&c, |p| p.0) {
                        Ok(at) => at,
                        Err(at) => {
                            pieces.insert(at, (c, vec![0.0; factor.size_of(c)]));
                            at
                        }
                    };
                    pieces[at].1[local] += value;
                }
                pieces.iter_mut().for_each(|(c, x)| factor.forward(*c, x));
                pieces
            })
            .collect();

        let (start, blocks) = self.starts_and_blocks_mut();
        let start = start.to_vec();
        blocks.set_pattern(&start, |i, out| out.extend_from_slice(&columns[i]));
        for i in 0..n {
            for k in blocks.entries(i) {
                let j = blocks.column_of(k);
                let width = start[j + 1] - start[j];
                for (v, out) in blocks.entry_mut(k).iter_mut().enumerate() {
                    *out = dot(&y[start[i] + v / width], &y[start[j] + v % width]);
                }
            }
        }
        Ok(())
    }

    fn form_blocks_of_thin(&mut self) -> Result<(), PrimalError> {
        let mut delassus_factor = std::mem::take(&mut self.delassus_factor);
        let (row_start, blocks) = self.starts_and_blocks_mut();
        let formed = delassus_factor.form_blocks_into(row_start, blocks);
        self.delassus_factor = delassus_factor;
        formed
    }

    /// y = G x, compliance not included.
    pub fn delassus_mul_into(&self, x: &[f64], y: &mut Vec<f64>) {
        assert_eq!(x.len(), self.rows(), "one number per row");
        y.clear();
        y.resize(self.rows(), 0.0);
        let by_factor =
            self.delassus_factor.trees() == 1 && 2 * self.delassus_factor.numbers() < self.blocks.numbers();
        if self.blocks_formed() && (self.delassus_factor.is_empty() || !by_factor) {
            self.blocks.mul_add_into(self.row_start(), x, y);
            return;
        }
        if !self.delassus_factor.is_empty() {
            return self.delassus_factor.square_mul_into(self.row_start(), x, y);
        }
        let Ok((factor, primal)) = self.operator() else {
            panic!("the constraint problem holds neither G nor a factor of it");
        };
        let mut momentum = vec![0.0; primal.nv];
        primal.jacobian.transpose_mul_add_into(x, &mut momentum);
        factor.solve(&mut momentum);
        primal.jacobian.mul_add_into(&momentum, y); // (2)
    }

    /// y = |G + R| |x|, or by the factor |W| |Wᵀ| |x| + R |x|, which is no less: ε times it is what rounding makes of
    /// (G + R) x.
    pub fn absolute_mul_into(&self, x: &[f64], y: &mut Vec<f64>) {
        assert_eq!(x.len(), self.rows(), "one number per row");
        y.clear();
        y.extend(x.iter().zip(&self.compliance).map(|(x, r)| (x * r).abs()));
        if self.blocks_formed() {
            return self.blocks.absolute_mul_add_into(self.row_start(), x, y);
        }
        assert_eq!(self.delassus_factor.len(), self.len(), "G is known by its blocks or its factor");
        self.delassus_factor.absolute_square_mul_add_into(self.row_start(), x, y);
    }

    /// (G + R)_ii of every block by rows, scalar blocks in the first number; of patches the rows (t₁, t₂, n).
    pub fn diagonal_blocks_into(&self, out: &mut Vec<[f64; 9]>) {
        out.clear();
        out.reserve(self.len());
        self.each_diagonal_block(|block, _| out.push(block));
    }

    /// Diagonal blocks of G + R, and the Frobenius norms ‖(G + R)_ii‖_F over all their rows [1/kg].
    pub fn diagonal_blocks_and_norms_into(&self, blocks: &mut Vec<[f64; 9]>, norms: &mut Vec<f64>) {
        blocks.clear();
        blocks.reserve(self.len());
        norms.clear();
        norms.reserve(self.len());
        self.each_diagonal_block(|block, square| {
            blocks.push(block);
            norms.push(square.sqrt());
        });
    }

    /// Calls `found` with every block of [`Self::diagonal_blocks_into`] and the sum of the squares of all its numbers.
    #[inline(always)]
    fn each_diagonal_block(&self, mut found: impl FnMut([f64; 9], f64)) {
        lanes::plain(
            #[inline(always)]
            || {
                let (formed, delassus_factor) = (self.blocks_formed(), !self.delassus_factor.is_empty());
                for (i, rows) in self.row_start().windows(2).enumerate() {
                    let (dim, mut block) = (rows[1] - rows[0], [0.0; 9]);
                    if dim > 3 {
                        let whole = self.patch(i);
                        (0..9).for_each(|k| block[k] = whole[k / 3][k % 3]);
                        found(block, sum_of_squares(whole.as_flattened()));
                        continue;
                    }
                    if formed {
                        block[..dim * dim].copy_from_slice(self.blocks.diagonal(i));
                    } else if delassus_factor {
                        self.delassus_factor.square_into(i, dim, &mut block);
                    } else {
                        self.diagonal_of_operator(i, &mut block);
                    }
                    match self.compliance[rows[0]..rows[1]] {
                        [x, y, z] => {
                            (block[0], block[4], block[8]) = (block[0] + x, block[4] + y, block[8] + z);
                        }
                        [x] => block[0] += x,
                        _ => {}
                    }
                    found(block, sum_of_squares(&block));
                }
            },
        );
    }

    /// G_ii by products with unit vectors, into the leading numbers.
    fn diagonal_of_operator(&self, i: usize, block: &mut [f64; 9]) {
        let (rows, mut unit, mut column) = (self.range(i), vec![0.0; self.rows()], Vec::new());
        for (k, r) in rows.clone().enumerate() {
            unit[r] = 1.0;
            self.delassus_mul_into(&unit, &mut column);
            unit[r] = 0.0;
            for (l, s) in rows.clone().enumerate() {
                block[l * rows.len() + k] = column[s];
            }
        }
    }

    /// (G + R)_ii of patch i, zero beyond its rows.
    #[inline(always)]
    pub(crate) fn patch(&self, i: usize) -> [[f64; MAX_ROWS]; MAX_ROWS] {
        let rows = self.range(i);
        let (first, dim) = (rows.start, rows.len());
        let mut block = [[0.0; MAX_ROWS]; MAX_ROWS];
        if self.blocks_formed() {
            let numbers = self.blocks.diagonal(i).chunks_exact(dim);
            block.iter_mut().zip(numbers).for_each(|(row, numbers)| row[..dim].copy_from_slice(numbers));
        } else if !self.delassus_factor.is_empty() {
            block = self.delassus_factor.patch_square(i);
            block.iter_mut().for_each(|row| row[dim..].fill(0.0));
            block[dim..].fill([0.0; MAX_ROWS]);
        } else {
            let (mut unit, mut column) = (vec![0.0; self.rows()], Vec::new());
            for k in 0..dim {
                unit[first + k] = 1.0;
                self.delassus_mul_into(&unit, &mut column);
                unit[first + k] = 0.0;
                (0..dim).for_each(|l| block[l][k] = column[first + l]);
            }
        }
        (0..dim).for_each(|k| block[k][k] += self.compliance[first + k]);
        block
    }

    fn operator(&self) -> Result<(&MassFactor, &Primal), PrimalError> {
        match (&self.factor, &self.primal) {
            (Some(factor), Some(primal)) => Ok((factor, primal)),
            _ => Err(PrimalError::Missing),
        }
    }
}

#[inline(always)]
fn sum_of_squares(x: &[f64]) -> f64 {
    x.iter().map(|x| x * x).sum()
}

/// Product of two rows of Y; pieces ascend by component.
fn dot(a: &[(usize, Vec<f64>)], b: &[(usize, Vec<f64>)]) -> f64 {
    let mut sum = 0.0;
    for (c, x) in a {
        if let Ok(at) = b.binary_search_by_key(c, |p| p.0) {
            sum += x.iter().zip(&b[at].1).map(|(x, y)| x * y).sum::<f64>();
        }
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::certificate::certify;
    use crate::corpus::Random;
    use crate::primal::Csr;
    use stiction_dynamics::spatial::vec3;

    /// Two bodies of masses 2 and 4 along one axis, pressed together by a contact and held by a
    /// limit on the first: G = [[1/2 + 1/4, −1/2], [−1/2, 1/2]].
    fn two_bodies() -> (Vec<Cone>, Primal) {
        let jacobian = Csr { start: vec![0, 2, 3], column: vec![0, 1, 0], value: vec![-1.0, 1.0, 1.0] };
        let mass = Csr { start: vec![0, 1, 2], column: vec![0, 1], value: vec![2.0, 4.0] };
        let primal = Primal { nv: 2, mass, jacobian, free_velocity: vec![1.0, -1.0], bias: vec![0.0, 0.1] };
        (vec![Cone::NonNegative, Cone::Free], primal)
    }

    #[test]
    fn blocks_and_operator_agree() {
        let (cones, primal) = two_bodies();
        let formed = ConstraintProblem::from_primal(&cones, primal.clone(), 0.01).unwrap();
        let operator = ConstraintProblem::operator_from_primal(&cones, primal, 0.01).unwrap();
        assert!(formed.blocks_formed() && !operator.blocks_formed());
        assert!((formed.blocks.diagonal(0)[0] - 0.75).abs() < 1e-15);
        assert!(
            (formed.free_velocity[0] + 2.0).abs() < 1e-15 && (formed.free_velocity[1] - 1.1).abs() < 1e-15
        );
        let (mut a, mut b) = (Vec::new(), Vec::new());
        formed.velocities_into(&[3.0, -1.0], &mut a);
        operator.velocities_into(&[3.0, -1.0], &mut b);
        assert!(a.iter().zip(&b).all(|(a, b)| (a - b).abs() < 1e-15), "{a:?} {b:?}");
        let (x, y) = (certify(&formed, &[3.0, -1.0]), certify(&operator, &[3.0, -1.0]));
        assert!((x.natural_map - y.natural_map).abs() < 1e-14);
    }

    /// |G| |x| by blocks, for entries of either sign.
    #[test]
    fn sizes_are_of_absolute_numbers() {
        let (cones, primal) = two_bodies();
        let formed = ConstraintProblem::from_primal(&cones, primal, 0.01).unwrap();
        let mut sizes = Vec::new();
        formed.absolute_mul_into(&[3.0, 1.0], &mut sizes);
        assert!((sizes[0] - 2.75).abs() < 1e-15 && (sizes[1] - 2.0).abs() < 1e-15, "{sizes:?}");
    }

    /// Diagonals of contacts that spin and roll are the same by blocks and by W, each between two trees; numbers that
    /// a column
    /// holds beyond the rows of a block do not count.
    #[test]
    fn diagonals_of_patches_agree() {
        let mut random = Random(4);
        let mut problem = ConstraintProblem::default();
        problem.delassus_factor.start([0..4, 4..9].into_iter());
        for rolls in [false, true] {
            let cone = Cone::Patch { mu: 0.5, rolls };
            problem.push(cone, &vec![0.0; cone.dim()]);
            problem.delassus_factor.push_block();
            let mut column = || vec3(random.number(), random.number(), random.number());
            problem.delassus_factor.push_segment(0, None, (0..4).rev().map(|dof| (dof, column())));
            problem.delassus_factor.push_segment(1, None, (4..9).rev().map(|dof| (dof, column())));
            problem.delassus_factor.push_more(|_| column());
        }
        problem.compliance.iter_mut().enumerate().for_each(|(row, r)| *r = 0.1 * row as f64);
        let mut formed = problem.clone();
        formed.form_blocks().unwrap();
        let of = |problem: &ConstraintProblem| {
            let (mut blocks, mut norms) = (Vec::new(), Vec::new());
            problem.diagonal_blocks_and_norms_into(&mut blocks, &mut norms);
            [blocks.as_flattened(), &norms].concat()
        };
        let (by_factor, by_blocks) = (of(&problem), of(&formed));
        assert!(
            by_factor.iter().zip(&by_blocks).all(|(a, b)| (a - b).abs() < 1e-14),
            "{by_factor:?} {by_blocks:?}"
        );
        let first: f64 = formed
            .blocks
            .diagonal(0)
            .iter()
            .enumerate()
            .map(|(k, x)| (x + if k % 5 == 0 { formed.compliance[k / 5] } else { 0.0 }).powi(2))
            .sum();
        assert!((by_blocks[18] - first.sqrt()).abs() < 1e-14);
    }

    /// A part with and without formed blocks.
    #[test]
    fn a_part_is_the_problem_without_the_rest() {
        let (cones, primal) = two_bodies();
        let whole = ConstraintProblem::from_primal(&cones, primal.clone(), 0.01).unwrap();
        let operator = ConstraintProblem::operator_from_primal(&cones, primal, 0.01).unwrap();
        for problem in [whole, operator] {
            let part = problem.part(&[1]);
            assert_eq!((part.len(), part.cone(0), part.time_step), (1, Cone::Free, 0.01));
            let mut c = Vec::new();
            part.velocities_into(&[2.0], &mut c);
            assert!((c[0] - (2.0 * 0.5 + 1.1)).abs() < 1e-15, "{c:?}");
            assert_eq!(part.primal.as_ref().map(|p| p.jacobian.rows()), Some(1));
        }
    }

    #[test]
    fn an_indefinite_mass_is_refused() {
        let (cones, mut primal) = two_bodies();
        primal.mass.value[1] = -4.0;
        assert!(ConstraintProblem::from_primal(&cones, primal, 0.01).is_err());
    }
}
