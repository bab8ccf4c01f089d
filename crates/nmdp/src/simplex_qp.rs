//! Convex quadratic programs over products of simplices, by an active-set method.
//!
//! ```text
//!     min ½ xᵀ H x + cᵀ x   such that x ≥ 0 and, in every group, Σ x ≤ 1             (1)
//! ```
//!
//! H positive definite. From a feasible x, and the constraints that hold there with equality, the minimum over the others is
//! stepped to as far as constraints allow; one that stops the step joins them, and at the minimum the one with the most wrong
//! multiplier leaves [NocedalWright2006, ch. 16.5]. With a group's multiplier λ ≥ 0 for its sum, the optimum is where
//!
//! ```text
//!     (H x + c)_i + λ_group = 0  where x_i > 0,   ≥ 0 where x_i = 0                  (2)
//! ```
//!
//! The equality-constrained minimum is found from the Cholesky factor of H on the free variables and one row per full group.
//! Starting from the last solution ("hot") a few exchanges suffice. Cost O(n³) an exchange; nothing allocates once the
//! workspace has grown.

use std::ops::Range;

/// Outcome of [`SimplexQp::solve`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QpStatus {
    /// (2) holds.
    Solved,
    /// Exchanges ran out, or H is not positive definite: x is feasible and no worse than at the start.
    Stopped,
}

/// Workspace of the method.
#[derive(Clone, Debug, Default)]
pub struct SimplexQp {
    /// Per variable: it is held at zero.
    at_zero: Vec<bool>,
    /// Per group: its sum is held at one.
    full: Vec<bool>,
    group_of: Vec<usize>,
    free: Vec<usize>,
    /// Cholesky factor on the free variables, by rows.
    factor: Vec<f64>,
    gradient: Vec<f64>,
    step: Vec<f64>,
    /// Per full group: L⁻¹ e, later (L Lᵀ)⁻¹ e.
    columns: Vec<Vec<f64>>,
    small: Vec<f64>,
    multipliers: Vec<f64>,
    full_groups: Vec<usize>,
    /// Exchanges of the last call.
    pub exchanges: u32,
}

/// A variable this small is at zero, a sum so close to one is one [–].
const CLOSE: f64 = 1e-12;

impl SimplexQp {
    /// Solves (1) from `x`, which is feasible, to a multiplier error of `tolerance`; `hessian` n×n by rows.
    pub fn solve(
        &mut self,
        hessian: &[f64],
        linear: &[f64],
        groups: &[Range<usize>],
        tolerance: f64,
        x: &mut [f64],
    ) -> QpStatus {
        let n = x.len();
        self.begin(groups, x);
        let most = 20 * (n + groups.len()) as u32 + 50;
        while self.exchanges < most {
            self.exchanges += 1;
            self.find_gradient(hessian, linear, x);
            if !self.find_step(hessian, n) {
                return QpStatus::Stopped;
            }
            let blocking = self.move_along(groups, x);
            if blocking {
                continue;
            }
            self.find_gradient(hessian, linear, x);
            if !self.release(tolerance) {
                return QpStatus::Solved;
            }
        }
        QpStatus::Stopped
    }

    fn begin(&mut self, groups: &[Range<usize>], x: &mut [f64]) {
        let n = x.len();
        self.exchanges = 0;
        self.at_zero.clear();
        self.at_zero.resize(n, false);
        self.group_of.clear();
        self.group_of.resize(n, 0);
        self.full.clear();
        self.gradient.resize(n, 0.0);
        self.multipliers.resize(groups.len(), 0.0);
        for (i, x) in x.iter_mut().enumerate() {
            if *x <= CLOSE {
                (*x, self.at_zero[i]) = (0.0, true);
            }
        }
        for (k, group) in groups.iter().enumerate() {
            self.group_of[group.clone()].fill(k);
            let sum: f64 = x[group.clone()].iter().sum();
            self.full.push(sum >= 1.0 - CLOSE);
        }
    }

    fn find_gradient(&mut self, hessian: &[f64], linear: &[f64], x: &[f64]) {
        let n = x.len();
        for i in 0..n {
            let row = &hessian[i * n..(i + 1) * n];
            self.gradient[i] = linear[i] + row.iter().zip(x).map(|(h, x)| h * x).sum::<f64>();
        }
    }

    /// The step of the free variables to their minimum with the sums of full groups kept; false if H is not positive there.
    fn find_step(&mut self, hessian: &[f64], n: usize) -> bool {
        let Self { at_zero, full, group_of, free, factor, gradient, step, columns, full_groups, .. } = self;
        free.clear();
        free.extend((0..n).filter(|&i| !at_zero[i]));
        let m = free.len();
        factor.resize(m * m, 0.0);
        for a in 0..m {
            for b in 0..=a {
                let mut sum = hessian[free[a] * n + free[b]];
                for k in 0..b {
                    sum -= factor[a * m + k] * factor[b * m + k];
                }
                if a == b {
                    if sum.is_nan() || sum <= 0.0 {
                        return false;
                    }
                    factor[a * m + a] = sum.sqrt();
                } else {
                    factor[a * m + b] = sum / factor[b * m + b];
                }
            }
        }
        step.clear();
        step.extend(free.iter().map(|&i| -gradient[i]));
        solve(factor, m, step);
        full_groups.clear();
        full_groups.extend((0..full.len()).filter(|&k| full[k]));
        let groups = full_groups.len();
        columns.resize_with(groups.max(columns.len()), Vec::new);
        for (column, &k) in columns.iter_mut().zip(&*full_groups) {
            column.clear();
            column.extend(free.iter().map(|&i| if group_of[i] == k { 1.0 } else { 0.0 }));
            solve(factor, m, column);
        }
        self.keep_sums(m)
    }

    /// Takes out of the step what changes the sums of full groups; their multipliers.
    fn keep_sums(&mut self, m: usize) -> bool {
        let Self { free, group_of, step, columns, full_groups, small, multipliers, .. } = self;
        multipliers.fill(0.0);
        let groups = full_groups.len();
        small.clear();
        small.resize(groups * (groups + 1), 0.0);
        let sum_of = |k: usize, x: &[f64]| -> f64 {
            free.iter().zip(x).filter(|(i, _)| group_of[**i] == k).map(|(_, x)| x).sum()
        };
        let width = groups + 1;
        for (a, &k) in full_groups.iter().enumerate() {
            for b in 0..groups {
                small[a * width + b] = sum_of(k, &columns[b]);
            }
            small[a * width + groups] = sum_of(k, step);
        }
        // Positive definite: Gauss without pivoting. A full group without free variables has an empty row.
        for a in 0..groups {
            let pivot = small[a * width + a];
            if pivot <= 0.0 {
                continue;
            }
            for r in 0..groups {
                if r != a && small[r * width + a] != 0.0 {
                    let factor = small[r * width + a] / pivot;
                    for c in a..width {
                        small[r * width + c] -= factor * small[a * width + c];
                    }
                }
            }
        }
        for (a, &k) in full_groups.iter().enumerate() {
            let pivot = small[a * width + a];
            let lambda = if pivot > 0.0 { small[a * width + groups] / pivot } else { 0.0 };
            multipliers[k] = lambda;
            for i in 0..m {
                step[i] -= lambda * columns[a][i];
            }
        }
        step.iter().all(|x| x.is_finite())
    }

    /// Goes along the step as far as constraints allow; true if one stopped it, which is then held.
    fn move_along(&mut self, groups: &[Range<usize>], x: &mut [f64]) -> bool {
        let Self { at_zero, full, group_of, free, step, .. } = self;
        let (mut share, mut zero, mut sum) = (1.0_f64, None, None);
        for (p, &i) in step.iter().zip(&*free) {
            if *p < 0.0 && -x[i] / p < share {
                (share, zero) = ((-x[i] / p).max(0.0), Some(i));
            }
        }
        for (k, group) in groups.iter().enumerate().filter(|(k, _)| !full[*k]) {
            let growth: f64 =
                step.iter().zip(&*free).filter(|(_, i)| group_of[**i] == k).map(|(p, _)| p).sum();
            let room = 1.0 - x[group.clone()].iter().sum::<f64>();
            if growth > 0.0 && room / growth < share {
                (share, sum) = ((room / growth).max(0.0), Some(k));
            }
        }
        for (p, &i) in step.iter().zip(&*free) {
            x[i] = (x[i] + share * p).max(0.0);
        }
        if let Some(k) = sum {
            full[k] = true;
        } else if let Some(i) = zero {
            (x[i], at_zero[i]) = (0.0, true);
        }
        // Rounding in long steps.
        for (group, _) in groups.iter().zip(&*full).filter(|(_, full)| **full) {
            let sum: f64 = x[group.clone()].iter().sum();
            if sum > 0.0 {
                x[group.clone()].iter_mut().for_each(|x| *x /= sum);
            }
        }
        sum.is_some() || zero.is_some()
    }

    /// Lets go of the constraint with the most wrong multiplier; false if none is wrong.
    fn release(&mut self, tolerance: f64) -> bool {
        let Self { at_zero, full, group_of, gradient, multipliers, .. } = self;
        let (mut worst, mut variable, mut group) = (-tolerance, None, None);
        for (i, _) in at_zero.iter().enumerate().filter(|(_, held)| **held) {
            let lambda = if full[group_of[i]] { multipliers[group_of[i]] } else { 0.0 };
            if gradient[i] + lambda < worst {
                (worst, variable) = (gradient[i] + lambda, Some(i));
            }
        }
        for (k, _) in full.iter().enumerate().filter(|(_, full)| **full) {
            if multipliers[k] < worst {
                (worst, variable, group) = (multipliers[k], None, Some(k));
            }
        }
        if let Some(k) = group {
            full[k] = false;
        } else if let Some(i) = variable {
            at_zero[i] = false;
        }
        variable.is_some() || group.is_some()
    }
}

/// x := (L Lᵀ)⁻¹ x.
fn solve(factor: &[f64], m: usize, x: &mut [f64]) {
    for a in 0..m {
        let mut sum = x[a];
        for k in 0..a {
            sum -= factor[a * m + k] * x[k];
        }
        x[a] = sum / factor[a * m + a];
    }
    for a in (0..m).rev() {
        let mut sum = x[a];
        for k in a + 1..m {
            sum -= factor[k * m + a] * x[k];
        }
        x[a] = sum / factor[a * m + a];
    }
}
