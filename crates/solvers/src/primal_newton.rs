//! The iteration of the compliant twins and of `ncp-al`: descent on velocities with a line search.
//!
//! A compliant law makes impulses a function of velocities, minus the gradient of a convex potential ℓ
//! ([`stiction_contact::soft`]). With c₀ = J v + b, v⁺ minimises the strongly convex
//!
//! ```text
//!     f(v) = ½ (v − v_f)ᵀ M (v − v_f) + Σᵢ ℓᵢ(c₀ᵢ),   ∇f = M (v − v_f) − Jᵀ λ,   λ = F(c₀)      (1)
//!     Newton  Δ = −(M + Jᵀ (−F') J)⁻¹ ∇f                                                  (2)
//!     CG      Δ = −M⁻¹ ∇f + β Δ⁻,   β = max(0, ∇fᵀ M⁻¹ (∇f − ∇f⁻)/(∇f⁻ᵀ M⁻¹ ∇f⁻))             (3)
//!     v ← v + α Δ,   Δᵀ ∇f(v + α Δ) = 0                                                  (4)
//! ```
//!
//! The slope in (4) grows with α: Newton steps within a bracket find its root, along directions of CG to the last
//! digits, along Newton's to a hundredth. M, J and v_f are the problem's, or a root of G with M = 1 ([`Root`]); where the
//! factor W of G is known, J = W, M = 1, and (2) is solved by blocks of trees ([`crate::trees`]). Where G is not
//! symmetric, (1) takes its symmetric part and b the rest at the last impulses. Cost: (2) ⅓ nv³ and the product, (3) nv²
//! an iteration.

use crate::dense::{Cholesky, symmetric_into};
use crate::iterate::{Method, Task};
use crate::trees::{TreeLu, knows_factor};
use stiction_contact::{Cone, ConstraintProblem, Csr, Root, SoftBlock, ThinRows};
use stiction_dynamics::lanes;

/// A line search ends where the slope is this share of the first [–]: of (2), and of (3), whose β asks for more.
const FLAT: [f64; 2] = [1e-2, 1e-11];

/// How a direction is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Direction {
    /// (2)
    Newton,
    /// (3)
    Conjugate,
}

/// See the module; holds during one solve.
#[derive(Default)]
pub(crate) struct PrimalNewton {
    root: Root,
    /// The laws, one per block: the caller's.
    pub(crate) soft: Vec<SoftBlock>,
    jacobian: BlockJacobian,
    nv: usize,
    /// J = W, M = 1, which `mass` then does not hold.
    in_trees: bool,
    trees: TreeLu,
    /// M by rows, and its factor.
    mass: Vec<f64>,
    mass_factor: Cholesky,
    /// The matrix of (2) and its factor.
    hessian: Vec<f64>,
    factor: Cholesky,
    symmetric: bool,
    v: Vec<f64>,
    v_free: Vec<f64>,
    /// b, and b without the skew part of G.
    bias: Vec<f64>,
    bias_symmetric: Vec<f64>,
    gradient: Vec<f64>,
    /// ∇f⁻ of (3), and M⁻¹ ∇f.
    gradient_before: Vec<f64>,
    preconditioned: Vec<f64>,
    direction: Vec<f64>,
    /// False before the first iteration.
    begun: bool,
    momentum: Vec<f64>,
    /// c₀ and J Δ.
    pub(crate) c: Vec<f64>,
    along: Vec<f64>,
}

/// J by blocks: columns in order, up to three numbers each.
#[derive(Default)]
struct BlockJacobian {
    start: Vec<usize>,
    column: Vec<usize>,
    value: Vec<[f64; 3]>,
    /// Numbers of the block being gathered, and the last block that reached a column, from 1.
    scratch: Vec<[f64; 3]>,
    reached: Vec<usize>,
}

impl BlockJacobian {
    fn set(&mut self, cones: &[Cone], row_start: &[usize], nv: usize, jacobian: &Csr) {
        self.start.clear();
        self.start.push(0);
        self.column.clear();
        self.value.clear();
        self.scratch.clear();
        self.scratch.resize(nv, [0.0; 3]);
        self.reached.clear();
        self.reached.resize(nv, 0);
        for (i, cone) in cones.iter().enumerate() {
            let first = self.column.len();
            for k in 0..cone.dim() {
                for (dof, value) in jacobian.entries(row_start[i] + k) {
                    if self.reached[dof] != i + 1 {
                        self.reached[dof] = i + 1;
                        self.column.push(dof);
                    }
                    self.scratch[dof][k] += value;
                }
            }
            self.column[first..].sort_unstable();
            for &dof in &self.column[first..] {
                self.value.push(std::mem::take(&mut self.scratch[dof]));
            }
            self.start.push(self.column.len());
        }
    }

    /// J = W.
    fn set_thin(&mut self, thin: &ThinRows) {
        self.start.clear();
        self.start.push(0);
        self.column.clear();
        self.value.clear();
        for i in 0..thin.len() {
            for (column, w) in thin.terms(i) {
                self.column.push(column);
                self.value.push(w.to_array());
            }
            self.start.push(self.column.len());
        }
    }

    fn block(&self, i: usize) -> impl Iterator<Item = (usize, &[f64; 3])> + Clone {
        let range = self.start[i]..self.start[i + 1];
        self.column[range.clone()].iter().copied().zip(&self.value[range])
    }

    /// y = J x of every block.
    fn mul_into(&self, row_start: &[usize], x: &[f64], y: &mut [f64]) {
        for i in 0..row_start.len() - 1 {
            let mut sum = [0.0; 3];
            for (dof, j) in self.block(i) {
                (0..3).for_each(|k| sum[k] += j[k] * x[dof]);
            }
            let rows = row_start[i]..row_start[i + 1];
            y[rows.clone()].copy_from_slice(&sum[..rows.len()]);
        }
    }

    /// y += a Jᵢᵀ λ.
    fn add_transposed(&self, i: usize, a: f64, lambda: &[f64], y: &mut [f64]) {
        for (dof, j) in self.block(i) {
            y[dof] += a * lambda.iter().zip(j).map(|(l, j)| l * j).sum::<f64>();
        }
    }
}

impl Method for PrimalNewton {
    type Params = Direction;
    const PATIENCE: u32 = 100;

    fn start(&mut self, _: &Direction, task: &Task, lambda: &[f64], _: &[f64]) -> bool {
        self.soft.clear();
        for (i, diagonal) in task.measure.diagonal.iter().enumerate() {
            let Some(soft) = SoftBlock::new(task.law, task.problem, i, diagonal) else { return false };
            self.soft.push(soft);
        }
        self.prepare(task.problem, lambda)
    }

    fn iterate(&mut self, &direction: &Direction, task: &Task, lambda: &mut [f64]) -> bool {
        self.step(direction, task.problem, lambda)
    }
}

impl PrimalNewton {
    /// Takes M, J and v_f of a problem, and v of its impulses λ. False if M is not definite.
    pub(crate) fn prepare(&mut self, problem: &ConstraintProblem, lambda: &[f64]) -> bool {
        self.in_trees = knows_factor(problem);
        if self.in_trees {
            self.trees.lay_out(&problem.thin);
            self.take_thin(problem)
        } else {
            self.take_primal(problem)
        }
        let (nv, rows) = (self.nv, problem.rows());
        for vector in [&mut self.gradient, &mut self.preconditioned, &mut self.direction, &mut self.momentum]
        {
            vector.clear();
            vector.resize(nv, 0.0);
        }
        for vector in [&mut self.c, &mut self.along] {
            vector.clear();
            vector.resize(rows, 0.0);
        }
        if !self.in_trees {
            self.mass_factor.set(nv, &self.mass);
            if !self.mass_factor.factor() {
                return false;
            }
        }
        // v_f + M⁻¹ Jᵀ λ
        self.v.clear();
        self.v.resize(nv, 0.0);
        for i in 0..problem.len() {
            self.jacobian.add_transposed(i, 1.0, &lambda[problem.range(i)], &mut self.v);
        }
        if !self.in_trees {
            self.mass_factor.solve(&mut self.v);
        }
        self.v.iter_mut().zip(&self.v_free).for_each(|(v, f)| *v += f);
        self.begun = false;
        self.add_skew_part(problem, lambda);
        true
    }

    /// J = W, M = 1, v_f = 0, b = g.
    fn take_thin(&mut self, problem: &ConstraintProblem) {
        self.symmetric = true;
        self.nv = problem.thin.coordinates();
        self.jacobian.set_thin(&problem.thin);
        self.v_free.clear();
        self.v_free.resize(self.nv, 0.0);
        self.mass.clear();
        self.bias.clone_from(&problem.free_velocity);
    }

    fn take_primal(&mut self, problem: &ConstraintProblem) {
        self.symmetric = problem.primal.is_some() || symmetric_into(problem, &mut self.hessian);
        let primal = self.root.of(problem);
        let nv = primal.nv;
        self.nv = nv;
        self.jacobian.set(problem.cones(), problem.row_start(), nv, &primal.jacobian);
        self.mass.clear();
        self.mass.resize(nv * nv, 0.0);
        for r in 0..nv {
            for (c, m) in primal.mass.entries(r) {
                self.mass[r * nv + c] += 0.5 * m;
                self.mass[c * nv + r] += 0.5 * m;
            }
        }
        self.v_free.clone_from(&primal.free_velocity);
        self.bias.clone_from(&primal.bias);
        self.bias_symmetric.clone_from(&primal.bias);
    }

    /// One step of (2) or (3) with (4), and the impulses there. False if none leads down.
    pub(crate) fn step(
        &mut self,
        direction: Direction,
        problem: &ConstraintProblem,
        lambda: &mut [f64],
    ) -> bool {
        self.gradient_before.clone_from(&self.gradient);
        self.velocities(problem.row_start());
        self.gradient(problem.row_start());
        match direction {
            Direction::Newton => {
                let found = if self.in_trees {
                    self.newton_in_trees(problem)
                } else {
                    self.newton(problem.row_start())
                };
                if !found {
                    return false;
                }
            }
            Direction::Conjugate => self.conjugate(),
        }
        self.begun = true;
        self.jacobian.mul_into(problem.row_start(), &self.direction, &mut self.along);
        let flat = FLAT[usize::from(direction == Direction::Conjugate)];
        let Some(step) = self.search(problem.row_start(), flat) else { return false };
        self.v.iter_mut().zip(&self.direction).for_each(|(v, d)| *v += step * d);
        self.velocities(problem.row_start());
        for (i, soft) in self.soft.iter().enumerate() {
            let rows = problem.range(i);
            let answer = soft.impulse(&self.c[rows.clone()]);
            lambda[rows.clone()].copy_from_slice(&answer[..rows.len()]);
        }
        self.add_skew_part(problem, lambda);
        true
    }

    /// c₀ = J v + b.
    fn velocities(&mut self, row_start: &[usize]) {
        self.jacobian.mul_into(row_start, &self.v, &mut self.c);
        self.c.iter_mut().zip(&self.bias).for_each(|(c, b)| *c += b);
    }

    /// ∇f at v with c₀.
    fn gradient(&mut self, row_start: &[usize]) {
        let Self { gradient, momentum, mass, v, v_free, nv, in_trees, .. } = self;
        momentum.iter_mut().zip(v.iter().zip(&*v_free)).for_each(|(m, (v, f))| *m = v - f);
        if *in_trees {
            gradient.copy_from_slice(momentum);
        }
        for (g, row) in gradient.iter_mut().zip(mass.chunks_exact((*nv).max(1))) {
            *g = dot(row, momentum);
        }
        for (i, soft) in self.soft.iter().enumerate() {
            let rows = row_start[i]..row_start[i + 1];
            let lambda = soft.impulse(&self.c[rows.clone()]);
            self.jacobian.add_transposed(i, -1.0, &lambda[..rows.len()], &mut self.gradient);
        }
    }

    /// (2) by blocks of trees; false if it leads nowhere.
    fn newton_in_trees(&mut self, problem: &ConstraintProblem) -> bool {
        let Self { trees, soft, c, direction, gradient, .. } = self;
        lanes::plain(
            #[inline(always)]
            || {
                if !trees.start() {
                    return false;
                }
                for (i, soft) in soft.iter().enumerate() {
                    let Some(d) = soft.curvature(&c[problem.range(i)]) else { continue };
                    trees.add(
                        &problem.thin,
                        i,
                        &[[d[0], d[1], d[2]], [d[3], d[4], d[5]], [d[6], d[7], d[8]]],
                    );
                }
                direction.iter_mut().zip(&*gradient).for_each(|(d, g)| *d = -g);
                if !trees.factor() {
                    return false;
                }
                trees.solve(direction);
                dot(direction, gradient) < 0.0
            },
        )
    }

    /// (2); false if a number stopped being one.
    fn newton(&mut self, row_start: &[usize]) -> bool {
        let nv = self.nv;
        self.hessian.clone_from(&self.mass);
        for (i, soft) in self.soft.iter().enumerate() {
            let rows = row_start[i]..row_start[i + 1];
            let Some(d) = soft.curvature(&self.c[rows]) else { continue };
            for (a, ja) in self.jacobian.block(i) {
                // Row a of Jᵀ D, then its product with the columns from a on.
                let w: [f64; 3] = std::array::from_fn(|k| ja[0] * d[k] + ja[1] * d[3 + k] + ja[2] * d[6 + k]);
                let row = &mut self.hessian[a * nv..(a + 1) * nv];
                for (b, jb) in self.jacobian.block(i) {
                    if b >= a {
                        row[b] += w[0] * jb[0] + w[1] * jb[1] + w[2] * jb[2];
                    }
                }
            }
        }
        // Rounding may cost a stiff matrix its definiteness; more on the diagonal gives it back.
        let mut more = 0.0;
        while more < 1.0 {
            self.factor.set(nv, &self.hessian);
            self.factor.add_diagonal((0..nv).map(|r| more * self.hessian[r * nv + r]));
            if self.factor.factor() {
                self.direction.iter_mut().zip(&self.gradient).for_each(|(d, g)| *d = -g);
                self.factor.solve(&mut self.direction);
                if dot(&self.direction, &self.gradient) < 0.0 {
                    return true;
                }
            }
            more = f64::max(1e-14, 100.0 * more);
        }
        false
    }

    /// (3)
    fn conjugate(&mut self) {
        // M⁻¹ ∇f⁻ is still there.
        let before = dot(&self.gradient_before, &self.preconditioned);
        let across = dot(&self.gradient, &self.preconditioned);
        self.preconditioned.copy_from_slice(&self.gradient);
        if !self.in_trees {
            self.mass_factor.solve(&mut self.preconditioned);
        }
        let now = dot(&self.gradient, &self.preconditioned);
        let beta = (now - across) / before;
        let beta = if self.begun && beta > 0.0 { beta } else { 0.0 };
        let Self { direction, preconditioned, gradient, .. } = self;
        direction.iter_mut().zip(&*preconditioned).for_each(|(d, p)| *d = beta * *d - p);
        if !(dot(direction, gradient) < 0.0) {
            direction.iter_mut().zip(&*preconditioned).for_each(|(d, p)| *d = -p);
        }
    }

    /// (4), to a share `flat` of its slope at first: α; `None` if Δ does not lead down.
    fn search(&mut self, row_start: &[usize], flat: f64) -> Option<f64> {
        let Self { momentum, mass, direction, gradient, nv, soft, c, along, in_trees, .. } = self;
        if *in_trees {
            momentum.copy_from_slice(direction);
        }
        for (m, row) in momentum.iter_mut().zip(mass.chunks_exact((*nv).max(1))) {
            *m = dot(row, direction);
        }
        let inertia = dot(momentum, direction);
        let mut at_zero = 0.0;
        for (i, soft) in soft.iter().enumerate() {
            let rows = row_start[i]..row_start[i + 1];
            let lambda = soft.impulse(&c[rows.clone()]);
            at_zero += dot(&lambda[..rows.len()], &along[rows]);
        }
        let first = dot(gradient, direction);
        if !(first < 0.0) {
            return None;
        }
        let slope = |alpha: f64| {
            let (mut slope, mut change) = (first + at_zero + alpha * inertia, inertia);
            for (i, soft) in soft.iter().enumerate() {
                let rows = row_start[i]..row_start[i + 1];
                let (c, along) = (&c[rows.clone()], &along[rows]);
                let mut there = [0.0; 3];
                there.iter_mut().zip(c.iter().zip(along)).for_each(|(t, (c, d))| *t = c + alpha * d);
                slope -= dot(&soft.impulse(&there)[..along.len()], along);
                if let Some(d) = soft.curvature(&there[..along.len()]) {
                    for (k, a) in along.iter().enumerate() {
                        change += a * dot(&d[3 * k..3 * k + along.len()], along);
                    }
                }
            }
            (slope, change)
        };
        let (mut below, mut above, mut alpha) = (0.0, f64::INFINITY, 1.0);
        for _ in 0..100 {
            let (s, change) = slope(alpha);
            if !(s.abs() > flat * first.abs()) {
                return s.is_finite().then_some(alpha);
            }
            *(if s < 0.0 { &mut below } else { &mut above }) = alpha;
            let newton = alpha - s / change;
            let middle = if above.is_finite() { 0.5 * (below + above) } else { 2.0 * alpha };
            let next = if newton > below && newton < above { newton } else { middle };
            if next == alpha || !next.is_finite() {
                break;
            }
            alpha = next;
        }
        Some(alpha)
    }

    /// b = b₀ + the velocity that the skew part of G adds to the symmetric one at λ.
    fn add_skew_part(&mut self, problem: &ConstraintProblem, lambda: &[f64]) {
        if self.symmetric {
            return;
        }
        // J M⁻¹ Jᵀ λ, with M = 1.
        self.momentum.fill(0.0);
        for i in 0..problem.len() {
            self.jacobian.add_transposed(i, 1.0, &lambda[problem.range(i)], &mut self.momentum);
        }
        self.jacobian.mul_into(problem.row_start(), &self.momentum, &mut self.along);
        problem.delassus_mul_into(lambda, &mut self.bias);
        for ((b, b0), own) in self.bias.iter_mut().zip(&self.bias_symmetric).zip(&self.along) {
            *b += b0 - own;
        }
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The last column of a block is the first of the next; a zero is kept like any number.
    #[test]
    fn blocks_of_a_jacobian_keep_to_themselves() {
        let csr = Csr {
            start: vec![0, 1, 3, 4, 5],
            column: vec![2, 0, 2, 0, 2],
            value: vec![5.0, 1.0, 0.0, 2.0, 3.0],
        };
        let mut jacobian = BlockJacobian::default();
        jacobian.set(&[Cone::Friction { mu: 1.0 }, Cone::Free], &[0, 3, 4], 3, &csr);
        let mut y = [0.0; 4];
        jacobian.mul_into(&[0, 3, 4], &[1.0, 10.0, 100.0], &mut y);
        assert_eq!(y, [500.0, 1.0, 2.0, 300.0]);
        let mut x = [0.0; 3];
        jacobian.add_transposed(0, -1.0, &[1.0, 1.0, 1.0], &mut x);
        assert_eq!(x, [-3.0, 0.0, -5.0]);
    }
}
