//! Factors of ∂G/∂ν: along the branches of the trees, and rank-revealing where that may not do.
//!
//! A matrix A whose entries vanish unless row and column are dofs of one branch has a factorisation without fill when the
//! dofs are eliminated from the tips to the roots [Featherstone2008, ch. 6]; A need not be symmetric. With U unit upper and
//! L lower triangular,
//!
//! ```text
//!     for k from the last dof to the first, for i, j carrying k:   A_ij −= A_ik A_kj / A_kk           (1)
//!     A = U L,   U_ik = A_ik / A_kk,   L_kj = A_kj                                                   (2)
//! ```
//!
//! There is no pivoting. The smallest pivot in units of the largest entry of its row tells how far that can be trusted; below
//! [`TRUSTED`] the matrix is factored anew with full pivoting [GolubVanLoan1996], which tells the rank.

use nalgebra::{DMatrix, DVector, FullPivLU};
use stiction_dynamics::Model;

/// Smallest relative pivot at which the factors without pivoting are used.
pub const TRUSTED: f64 = 1e-9;

/// Relative pivot below which a matrix counts as rank-deficient.
pub const SINGULAR: f64 = 1e-13;

/// Factors of the nv×nv matrix of a model.
#[derive(Clone, Debug)]
pub struct TreeLu {
    nv: usize,
    /// Per dof, those that carry it, towards the root; one after another.
    chains: Vec<usize>,
    chain_start: Vec<usize>,
    /// U and L of (2) in one, by rows.
    factors: Vec<f64>,
    pivoted: Option<FullPivLU<f64, nalgebra::Dyn, nalgebra::Dyn>>,
    /// Entries off the branches may be nonzero.
    dense: bool,
}

/// The rank that a factorisation found.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Rank {
    /// Rank of the matrix.
    pub rank: usize,
    /// Smallest pivot over the largest entry of its row (full pivoting: over the first pivot) [–].
    pub pivot: f64,
}

impl TreeLu {
    /// For matrices on the dofs of `model`; `dense`: with entries off its branches.
    pub fn new(model: &Model, dense: bool) -> Self {
        let (mut chains, mut chain_start) = (Vec::new(), vec![0]);
        for dof in &model.dofs {
            chains.extend(std::iter::successors(dof.parent, |&d| model.dofs[d].parent));
            chain_start.push(chains.len());
        }
        let nv = model.nv();
        Self { nv, chains, chain_start, factors: vec![0.0; nv * nv], pivoted: None, dense }
    }

    fn chain(&self, k: usize) -> &[usize] {
        &self.chains[self.chain_start[k]..self.chain_start[k + 1]]
    }

    /// Factors `a`, nv×nv by rows. The rank is below nv if it has no inverse.
    pub fn factor(&mut self, a: &[f64]) -> Rank {
        self.pivoted = None;
        if !self.dense {
            let pivot = self.factor_tree(a);
            if pivot > TRUSTED {
                return Rank { rank: self.nv, pivot };
            }
        }
        let lu = DMatrix::from_row_slice(self.nv, self.nv, a).full_piv_lu();
        let u = lu.u();
        let pivots: Vec<f64> = (0..self.nv).map(|i| u[(i, i)].abs()).collect();
        let first = pivots.first().copied().unwrap_or(1.0);
        let rank = pivots.iter().filter(|p| **p > SINGULAR * first).count();
        let pivot = pivots.last().map_or(1.0, |p| p / first);
        self.pivoted = Some(lu);
        Rank { rank, pivot }
    }

    /// (1); the smallest relative pivot, zero if a number is not finite.
    fn factor_tree(&mut self, a: &[f64]) -> f64 {
        let nv = self.nv;
        self.factors.copy_from_slice(a);
        let mut least = 1.0_f64;
        for k in (0..nv).rev() {
            let chain = &self.chains[self.chain_start[k]..self.chain_start[k + 1]];
            let f = &mut self.factors;
            let pivot = f[k * nv + k];
            let largest = chain.iter().fold(a[k * nv + k].abs(), |m, &j| m.max(a[k * nv + j].abs()));
            let relative = pivot.abs() / largest;
            if !(relative.is_finite() && relative > 0.0) {
                return 0.0;
            }
            least = least.min(relative);
            let inverse = 1.0 / pivot;
            for &i in chain {
                let u = f[i * nv + k] * inverse;
                f[i * nv + k] = u;
                for &j in chain {
                    f[i * nv + j] -= u * f[k * nv + j];
                }
            }
        }
        least
    }

    /// x := A⁻¹ x.
    pub fn solve_in_place(&self, x: &mut [f64]) {
        let nv = self.nv;
        if let Some(lu) = &self.pivoted {
            let mut b = DVector::from_column_slice(x);
            if lu.solve_mut(&mut b) {
                x.copy_from_slice(b.as_slice());
            } else {
                x.fill(f64::NAN);
            }
            return;
        }
        for k in (0..nv).rev() {
            let x_k = x[k];
            for &i in self.chain(k) {
                x[i] -= self.factors[i * nv + k] * x_k;
            }
        }
        for k in 0..nv {
            let mut sum = x[k];
            for &j in self.chain(k) {
                sum -= self.factors[k * nv + j] * x[j];
            }
            x[k] = sum / self.factors[k * nv + k];
        }
    }
}
