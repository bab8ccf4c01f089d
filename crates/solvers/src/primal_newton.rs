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
//! factor W of G is known, J = W, M = 1, and (2) is solved by blocks of trees ([`crate::trees`]), half of them. Where G is
//! not symmetric, (1) takes its symmetric part and b the rest at the last impulses. Cost: (2)
//! ⅓ nv³ and the product, (3) nv² an iteration where only G, or M and J, are known.
//!
//! Velocities are held as what they differ by from those of impulses λ̂ near the answer, which are taken afresh:
//!
//! ```text
//!     v = v_f + M⁻¹ Jᵀ λ̂ + δ,   c₀ = (G λ̂ + g) + J δ,   ∇f = M δ − Jᵀ (λ − λ̂)              (5)
//! ```
//!
//! and c₀ moves by α J Δ with v. Contacts that hold have no velocities, and stiff laws make impulses of those: of J v + b
//! summed again in every step, of large parts of which nothing is left, they would make impulses of rounding.

use crate::dense::{Cholesky, symmetric_into};
use crate::iterate::Method;
use crate::task::Task;
use crate::trees::{TreeLu, knows_all};
use std::ops::Range;
use stiction_contact::cone::{MAX_ROWS, get};
use stiction_contact::{BranchSparseRows, ConstraintProblem, Csr, Root, SoftBlock};
use stiction_dynamics::lanes;

/// How a direction is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// (2)
    Newton,
    /// (3)
    Conjugate,
}

impl Direction {
    /// A line search ends where the slope is this share of the first [–]; β of (3) asks for more.
    fn flat(self) -> f64 {
        match self {
            Self::Newton => 1e-2,
            Self::Conjugate => 1e-11,
        }
    }
}

/// See the module; holds during one solve.
#[derive(Default)]
pub struct PrimalNewton {
    root: Root,
    /// The laws, one per block: the caller's.
    pub(crate) soft: Vec<SoftBlock>,
    jacobian: BranchSparseRows,
    /// Of [`add_square`].
    room: Vec<f64>,
    /// Of [`gather`].
    scratch: Vec<[f64; MAX_ROWS]>,
    reached: Vec<usize>,
    nv: usize,
    /// J = W, M = 1, which `mass` and `jacobian` then do not hold, and (2) is solved by blocks of trees.
    factored: bool,
    trees: TreeLu,
    /// M by rows, and its factor.
    mass: Vec<f64>,
    mass_factor: Cholesky,
    /// The matrix of (2) and its factor.
    hessian: Vec<f64>,
    factor: Cholesky,
    symmetric: bool,
    /// λ̂ and G λ̂ + g of (5).
    origin: Vec<f64>,
    bias: Vec<f64>,
    /// δ
    v: Vec<f64>,
    gradient: Vec<f64>,
    /// ∇f⁻ of (3), and M⁻¹ ∇f.
    gradient_before: Vec<f64>,
    preconditioned: Vec<f64>,
    direction: Vec<f64>,
    /// False before the first iteration.
    begun: bool,
    /// λ and ∇f are those of c₀.
    known: bool,
    momentum: Vec<f64>,
    /// c₀, λ, λ̂ − λ and J Δ.
    c: Vec<f64>,
    lambda: Vec<f64>,
    apart: Vec<f64>,
    along: Vec<f64>,
}

/// `out` becomes a J given by rows, all of one tree of `nv` coordinates. `scratch` holds zeros, and a list.
fn gather(
    problem: &ConstraintProblem,
    nv: usize,
    jacobian: &Csr,
    (scratch, reached): (&mut Vec<[f64; MAX_ROWS]>, &mut Vec<usize>),
    out: &mut BranchSparseRows,
) {
    scratch.resize(nv, [0.0; MAX_ROWS]);
    out.start(std::iter::once(0..nv));
    for i in 0..problem.len() {
        let rows = problem.range(i);
        reached.clear();
        for (k, row) in rows.clone().enumerate() {
            for (dof, value) in jacobian.entries(row) {
                scratch[dof][k] += value;
                reached.push(dof);
            }
        }
        reached.sort_unstable_by(|a, b| b.cmp(a));
        reached.dedup();
        out.push_block();
        out.push_segment(0, None, reached.iter().map(|&dof| (dof, get(&scratch[dof]))));
        if rows.len() > 3 {
            out.push_more(|dof| get(&scratch[dof][3..]));
        }
        reached.iter().for_each(|&dof| scratch[dof] = [0.0; MAX_ROWS]);
    }
}

/// Upper triangle of H += Σ a D bᵀ over the columns a, b of a block, at its coordinates. `room` holds them by rows.
#[inline(always)]
fn add_square<const N: usize, I: Iterator<Item = (usize, [f64; N])>>(
    (hessian, nv): (&mut [f64], usize),
    room: &mut Vec<f64>,
    columns: impl Fn() -> I,
    d: &[[f64; N]; N],
) {
    let width = columns().count();
    if width == 0 {
        return;
    }
    room.clear();
    room.resize((N + 1) * width, 0.0);
    let (rows, sums) = room.split_at_mut(N * width);
    for (at, (_, column)) in columns().enumerate() {
        (0..N).for_each(|k| rows[k * width + at] = column[k]);
    }
    for (a, column) in columns() {
        sums.fill(0.0);
        for (l, row) in rows.chunks_exact(width).enumerate() {
            let weight: f64 = (0..N).map(|k| column[k] * d[k][l]).sum();
            sums.iter_mut().zip(row).for_each(|(sum, x)| *sum += weight * x);
        }
        let out = &mut hessian[a * nv..(a + 1) * nv];
        for ((b, _), sum) in columns().zip(&*sums).filter(|((b, _), _)| *b >= a) {
            out[b] += sum;
        }
    }
}

impl Method for PrimalNewton {
    type Params = Direction;
    const PATIENCE: u32 = 100;
    const BY_FACTOR: bool = true;

    fn start(&mut self, _: &Direction, task: &Task, lambda: &[f64], _: &[f64]) -> bool {
        self.soft.clear();
        for (i, diagonal) in task.stopping.diagonal.iter().enumerate() {
            let Some(soft) = SoftBlock::new(task.law, task.problem, i, diagonal) else { return false };
            self.soft.push(soft);
        }
        self.prepare(task.problem, lambda)
    }

    fn iterate(&mut self, &direction: &Direction, task: &Task, lambda: &mut [f64]) -> bool {
        self.step(direction, direction.flat(), task.problem, lambda)
    }
}

impl PrimalNewton {
    /// Takes M and J of a problem, and v of its impulses λ, from which (5) counts. False if M is not definite or these are
    /// no numbers.
    pub(crate) fn prepare(&mut self, problem: &ConstraintProblem, lambda: &[f64]) -> bool {
        self.factored = knows_all(problem);
        if self.factored {
            (self.symmetric, self.nv) = (true, problem.delassus_factor.coordinates());
            self.mass.clear();
            self.trees.lay_out(&problem.delassus_factor);
        } else {
            self.take_primal(problem);
            self.mass_factor.set(self.nv, &self.mass);
            if !self.mass_factor.factor() {
                return false;
            }
        }
        let Self { v, gradient, preconditioned, direction, momentum, .. } = self;
        for vector in [v, gradient, preconditioned, direction, momentum] {
            vector.clear();
            vector.resize(self.nv, 0.0);
        }
        for vector in [&mut self.lambda, &mut self.along] {
            vector.clear();
            vector.resize(problem.rows(), 0.0);
        }
        self.begun = false;
        self.count_from(problem, lambda);
        self.c.iter().sum::<f64>().is_finite()
    }

    fn take_primal(&mut self, problem: &ConstraintProblem) {
        self.symmetric = problem.primal.is_some() || symmetric_into(problem, &mut self.hessian);
        let primal = self.root.of(problem);
        let nv = primal.nv;
        self.nv = nv;
        let scratch = (&mut self.scratch, &mut self.reached);
        gather(problem, nv, &primal.jacobian, scratch, &mut self.jacobian);
        self.mass.clear();
        self.mass.resize(nv * nv, 0.0);
        for r in 0..nv {
            for (c, m) in primal.mass.entries(r) {
                self.mass[r * nv + c] += 0.5 * m;
                self.mass[c * nv + r] += 0.5 * m;
            }
        }
    }

    /// (5) from λ̂ and δ, its c₀ as well.
    fn count_from(&mut self, problem: &ConstraintProblem, lambda: &[f64]) {
        self.origin.clear();
        self.origin.extend_from_slice(lambda);
        problem.velocities_into(lambda, &mut self.bias);
        let own = problem.compliance.iter().zip(lambda);
        self.bias.iter_mut().zip(own).for_each(|(b, (r, l))| *b -= r * l);
        self.velocities(problem);
    }

    /// Counts from the last impulses, at the same velocities, after [`Self::error`].
    pub(crate) fn count_from_here(&mut self, problem: &ConstraintProblem) {
        std::mem::swap(&mut self.v, &mut self.preconditioned);
        let lambda = std::mem::take(&mut self.lambda);
        self.count_from(problem, &lambda);
        self.lambda = lambda;
    }

    /// The laws have changed.
    pub(crate) fn renew(&mut self) {
        self.known = false;
    }

    /// One step of (2) or (3) with (4) to a share `flat` of its slope at first, and the impulses there. False if none
    /// leads down.
    pub(crate) fn step(
        &mut self,
        direction: Direction,
        flat: f64,
        problem: &ConstraintProblem,
        lambda: &mut [f64],
    ) -> bool {
        if !self.known {
            self.evaluate(problem);
        }
        match direction {
            Direction::Newton => {
                let found = if self.factored { self.newton_in_trees(problem) } else { self.newton(problem) };
                if !found {
                    return false;
                }
            }
            Direction::Conjugate => self.conjugate(),
        }
        self.begun = true;
        self.multiply(problem, |to| (&to.direction, &mut to.along));
        let Some(step) = self.search(problem.row_start(), flat) else { return false };
        self.v.iter_mut().zip(&self.direction).for_each(|(v, d)| *v += step * d);
        self.c.iter_mut().zip(&self.along).for_each(|(c, a)| *c += step * a);
        lambda.copy_from_slice(&self.lambda);
        self.gradient_before.clone_from(&self.gradient);
        if self.symmetric {
            self.gradient(problem);
        } else {
            self.add_skew_part(problem);
            self.known = false;
        }
        true
    }

    /// ‖J M⁻¹ ∇f‖ after a step: how far the velocities of its impulses are from those that made them [m/s]. Those of the
    /// impulses, with their own compliance, into c.
    pub(crate) fn error(&mut self, problem: &ConstraintProblem, c: &mut Vec<f64>) -> f64 {
        self.preconditioned.copy_from_slice(&self.gradient);
        if !self.factored {
            self.mass_factor.solve(&mut self.preconditioned);
        }
        self.multiply(problem, |to| (&to.preconditioned, &mut to.along));
        c.clear();
        let own = problem.compliance.iter().zip(&self.lambda);
        c.extend(self.c.iter().zip(&self.along).zip(own).map(|((c, a), (r, l))| c - a + r * l));
        self.along.iter().map(|a| a * a).sum::<f64>().sqrt()
    }

    /// y = J x of every block.
    fn multiply(&mut self, problem: &ConstraintProblem, of: fn(&mut Self) -> (&[f64], &mut [f64])) {
        let jacobian = std::mem::take(&mut self.jacobian);
        let delassus_factor = if self.factored { &problem.delassus_factor } else { &jacobian };
        let (x, y) = of(self);
        lanes::plain(
            #[inline(always)]
            || {
                for (i, rows) in problem.row_start().windows(2).enumerate() {
                    let (dot, rows) = (delassus_factor.dot(i, x).to_array(), &mut y[rows[0]..rows[1]]);
                    let n = rows.len().min(3);
                    rows[..n].copy_from_slice(&dot[..n]);
                    if n < rows.len() {
                        let more = delassus_factor.dot_more(i, x).to_array();
                        rows[n..].iter_mut().zip(more).for_each(|(y, m)| *y = m);
                    }
                }
            },
        );
        self.jacobian = jacobian;
    }

    /// c₀ of (5).
    fn velocities(&mut self, problem: &ConstraintProblem) {
        self.c.resize(problem.rows(), 0.0);
        self.multiply(problem, |to| (&to.v, &mut to.c));
        self.c.iter_mut().zip(&self.bias).for_each(|(c, b)| *c += b);
        self.known = false;
    }

    /// The impulses at the present velocities, where a step has led nowhere.
    pub(crate) fn impulses_here(&mut self, problem: &ConstraintProblem, lambda: &mut [f64]) {
        self.evaluate(problem);
        lambda.copy_from_slice(&self.lambda);
    }

    /// λ and ∇f.
    fn evaluate(&mut self, problem: &ConstraintProblem) {
        for (i, soft) in self.soft.iter().enumerate() {
            let rows = problem.range(i);
            let answer = soft.impulse(&self.c[rows.clone()]);
            self.lambda[rows.clone()].copy_from_slice(&answer[..rows.len()]);
        }
        self.gradient(problem);
    }

    /// ∇f of λ and δ.
    fn gradient(&mut self, problem: &ConstraintProblem) {
        let Self { gradient, mass, v, nv, factored, apart, origin, lambda, jacobian, .. } = self;
        apart.clear();
        apart.extend(origin.iter().zip(&*lambda).map(|(o, l)| o - l));
        if *factored {
            gradient.copy_from_slice(v);
        }
        for (g, row) in gradient.iter_mut().zip(mass.chunks_exact((*nv).max(1))) {
            *g = dot(row, v);
        }
        let delassus_factor = if *factored { &problem.delassus_factor } else { &*jacobian };
        lanes::plain(
            #[inline(always)]
            || delassus_factor.add_all_transposed(problem.row_start(), apart, gradient),
        );
        self.known = true;
    }

    /// (2) by blocks of trees; false if it leads nowhere.
    fn newton_in_trees(&mut self, problem: &ConstraintProblem) -> bool {
        let Self { trees, soft, c, direction, gradient, .. } = self;
        lanes::plain(
            #[inline(always)]
            || {
                if !trees.start(true) {
                    return false;
                }
                for (i, soft) in soft.iter().enumerate() {
                    let c = &c[problem.range(i)];
                    if c.len() <= 3 {
                        let Some(d) = soft.curvature(c) else { continue };
                        trees.add(&problem.delassus_factor, i, &d);
                    } else {
                        let Some(d) = soft.curvature(c) else { continue };
                        trees.add_patch(&problem.delassus_factor, i, &d);
                    }
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
    fn newton(&mut self, problem: &ConstraintProblem) -> bool {
        let nv = self.nv;
        self.hessian.clone_from(&self.mass);
        lanes::plain(
            #[inline(always)]
            || self.add_curvature(problem),
        );
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

    /// H += Jᵀ (−F') J.
    #[inline(always)]
    fn add_curvature(&mut self, problem: &ConstraintProblem) {
        let Self { hessian, nv, jacobian, soft, c, room, .. } = self;
        let hessian = &mut hessian[..];
        for (i, soft) in soft.iter().enumerate() {
            let c = &c[problem.range(i)];
            if c.len() <= 3 {
                let Some(d) = soft.curvature(c) else { continue };
                let columns = || jacobian.terms(i).map(|(dof, w)| (dof, w.to_array()));
                add_square((hessian, *nv), room, columns, &d);
            } else {
                let Some(d) = soft.curvature(c) else { continue };
                let columns = || {
                    let both = jacobian.terms(i).zip(jacobian.more_terms(i));
                    both.map(|((dof, w), (_, m))| (dof, [w.x, w.y, w.z, m.x, m.y, m.z]))
                };
                add_square::<MAX_ROWS, _>((hessian, *nv), room, columns, &d);
            }
        }
    }

    /// (3)
    fn conjugate(&mut self) {
        // M⁻¹ ∇f⁻ is still there.
        let before = dot(&self.gradient_before, &self.preconditioned);
        let across = dot(&self.gradient, &self.preconditioned);
        self.preconditioned.copy_from_slice(&self.gradient);
        if !self.factored {
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

    /// (4), to a share `flat` of its slope at first: α, with the impulses there; `None` if Δ does not lead down.
    fn search(&mut self, row_start: &[usize], flat: f64) -> Option<f64> {
        let Self { momentum, mass, direction, gradient, nv, soft, c, along, lambda, factored, .. } = self;
        if *factored {
            momentum.copy_from_slice(direction);
        }
        for (m, row) in momentum.iter_mut().zip(mass.chunks_exact((*nv).max(1))) {
            *m = dot(row, direction);
        }
        let inertia = dot(momentum, direction);
        let first = dot(gradient, direction);
        if !(first < 0.0) {
            return None;
        }
        let at_zero = first + dot(lambda, along);
        let there = |alpha: f64, rows: Range<usize>| {
            let mut there = [0.0; MAX_ROWS];
            let line = c[rows.clone()].iter().zip(&along[rows]);
            there.iter_mut().zip(line).for_each(|(t, (c, d))| *t = c + alpha * d);
            there
        };
        let (mut below, mut above, mut alpha, mut next) = (0.0, f64::INFINITY, 1.0, 1.0);
        for _ in 0..100 {
            alpha = next;
            let mut slope = at_zero + alpha * inertia;
            for (soft, range) in soft.iter().zip(row_start.windows(2)) {
                let rows = range[0]..range[1];
                let answer = soft.impulse(&there(alpha, rows.clone())[..rows.len()]);
                lambda[rows.clone()].copy_from_slice(&answer[..rows.len()]);
                slope -= dot(&answer[..rows.len()], &along[rows]);
            }
            if !(slope.abs() > flat * first.abs()) {
                return slope.is_finite().then_some(alpha);
            }
            *(if slope < 0.0 { &mut below } else { &mut above }) = alpha;
            let mut change = inertia;
            for (soft, range) in soft.iter().zip(row_start.windows(2)) {
                let rows = range[0]..range[1];
                change += soft.curvature_along(&there(alpha, rows.clone())[..rows.len()], &along[rows]);
            }
            let newton = alpha - slope / change;
            let middle = if above.is_finite() { 0.5 * (below + above) } else { 2.0 * alpha };
            next = if newton > below && newton < above { newton } else { middle };
            if next == alpha || !next.is_finite() {
                break;
            }
        }
        Some(alpha)
    }

    /// b and c₀ with what the skew part of G adds at the present impulses.
    fn add_skew_part(&mut self, problem: &ConstraintProblem) {
        // J M⁻¹ Jᵀ (λ̂ − λ), with M = 1.
        self.apart.clear();
        self.apart.extend(self.origin.iter().zip(&self.lambda).map(|(o, l)| o - l));
        self.momentum.fill(0.0);
        self.jacobian.add_all_transposed(problem.row_start(), &self.apart, &mut self.momentum);
        self.multiply(problem, |to| (&to.momentum, &mut to.along));
        problem.delassus_mul_into(&self.lambda, &mut self.bias);
        for ((b, g), own) in self.bias.iter_mut().zip(&problem.free_velocity).zip(&self.along) {
            *b += g + own;
        }
        self.velocities(problem);
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use stiction_contact::Cone;

    /// The last column of a block is the first of the next.
    #[test]
    fn blocks_of_a_jacobian_keep_to_themselves() {
        let csr = Csr {
            start: vec![0, 1, 3, 4, 5, 6, 6, 7, 8],
            column: vec![2, 0, 2, 0, 2, 1, 2, 1],
            value: vec![5.0, 1.0, 0.0, 2.0, 3.0, 7.0, 11.0, 13.0],
        };
        let mut problem = ConstraintProblem::default();
        problem.push(Cone::Friction { mu: 1.0 }, &[0.0; 3]);
        problem.push(Cone::Free, &[0.0]);
        problem.push(Cone::Patch { mu: 1.0, rolls: false }, &[0.0; 4]);
        let mut newton = PrimalNewton { nv: 3, direction: vec![1.0, 10.0, 100.0], ..PrimalNewton::default() };
        gather(&problem, 3, &csr, (&mut newton.scratch, &mut newton.reached), &mut newton.jacobian);
        newton.along.resize(8, 0.0);
        newton.multiply(&problem, |to| (&to.direction, &mut to.along));
        assert_eq!(newton.along, [500.0, 1.0, 2.0, 300.0, 70.0, 0.0, 1100.0, 130.0]);
        let mut x = [0.0; 3];
        let lambda = [-1.0, -1.0, -1.0, 0.0, 1.0, 1.0, 1.0, 1.0];
        newton.jacobian.add_all_transposed(problem.row_start(), &lambda, &mut x);
        assert_eq!(x, [-3.0, 20.0, 6.0]);
    }
}
