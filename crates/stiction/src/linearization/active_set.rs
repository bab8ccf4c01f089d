//! The derivative of the impulses: the contact law, differentiated on the pieces that the answer is on.
//!
//! With δc = (G + R) δλ + δd, δd the change of the velocities of the rows at constant impulses, and ĉ =
//! c_T/‖c_T‖,
//!
//! ```text
//!     open                λ = 0                                δλ = 0                                    (1)
//!     holds, sticks       c = 0                                δc = 0                                    (2)
//!     at a bound          λ is the bound                       δλ = δ bound                              (3)
//!     slides              c_N = 0,  λ_T = −μ λ_N ĉ             δc_N = 0,                                 (4)
//!                                                              δλ_T + μ ĉ δλ_N + μ λ_N (1 − ĉ ĉᵀ) δc_T/‖c_T‖ = 0
//!     slides, relaxed     c_N = μ ‖c_T‖                        the same with δc_N − μ ĉ·δc_T = 0          (5)
//!     pyramid             λ_t = ∓ μ λ_N, or c_t = 0            δλ_t ± μ δλ_N = 0, or δc_t = 0             (6)
//!     polygon, corner     λ_T = μ λ_N f                        δλ_T − μ f δλ_N = 0                        (7)
//!     polygon, edge       a·λ_T = κ μ λ_N,  t·c_T = 0          a·δλ_T − κ μ δλ_N = 0,  t·δc_T = 0         (8)
//!     polygon, relaxed    c_N + μ f·c_T = 0                    δc_N + μ f·δc_T = 0                        (9)
//! ```
//!
//! with f a corner of the polygon of radius 1, a towards the middle of an edge, t along it, and f = κ a in
//! (9) on an edge. Where μ itself changes, −λ_N ĉ δμ joins the right-hand side of (4), ‖c_T‖ δμ that of (5),
//! ∓λ_N δμ that of (6), and so on.
//!
//! Blocks of compliant laws are linear in δc ([`super::compliant`]). One linear system in the rows that are
//! not open; (4) is scaled by G so that all rows are velocities. Where several impulses hold alike it is
//! singular, and of its solutions the least is taken: by the singular values, of which those below [`RANK`]
//! of the largest are none.

use super::compliant::SoftEquation;
use super::{LinearizationNote, LinearizationParams};
use crate::stepping::accepted::ON_CONE;
use nalgebra::DMatrix;
use stiction_contact::polygon::Polygon;
use stiction_contact::{Cone, ConstraintProblem, Law};

/// Pivots and singular values below this share of the largest are zero [–].
const RANK: f64 = 1e-10;
/// A system of which more than this share of the right-hand side is left has no answer [–].
const INCONSISTENT: f64 = 1e-7;

/// The equation of one row of the system.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Equation {
    /// δλ = 0, or that of a bound.
    Fixed,
    /// δc = 0 of the row.
    Velocity,
    /// The normal row of (5): δc_N − μ ĉ·δc_T = 0.
    Relaxed,
    /// A tangential row of (4).
    Slides,
    /// λ_t = x λ_N of (6).
    Edge(f64),
    /// A sum of the impulses of the block, or of its velocities, is nothing, times the coefficient of
    /// friction in part: (7) to (9).
    Impulses {
        of: [f64; 3],
        by_mu: f64,
    },
    Velocities {
        of: [f64; 3],
        by_mu: f64,
    },
    /// The row of a block of a compliant law.
    Soft,
}

/// A problem that was solved.
#[derive(Clone, Copy)]
pub(crate) struct Answer<'a> {
    pub(crate) problem: &'a ConstraintProblem,
    pub(crate) lambda: &'a [f64],
    /// Velocities of the rows, with R λ.
    pub(crate) c: &'a [f64],
    /// J, M̂⁻¹ Jᵀ, and ∂c at constant impulses.
    pub(crate) J: &'a DMatrix<f64>,
    pub(crate) T: &'a DMatrix<f64>,
    pub(crate) d: &'a DMatrix<f64>,
    /// The columns that hold the coefficient of friction of each block.
    pub(crate) friction_columns: &'a [Vec<usize>],
}

/// The derivative of the impulses of a step, a row per row of the problem; notes are added.
pub(crate) fn impulses(
    answer: Answer<'_>,
    (law, params): (Law, &LinearizationParams),
    soft: &dyn Fn(usize, &[f64]) -> Option<SoftEquation>,
    notes: &mut Vec<LinearizationNote>,
) -> DMatrix<f64> {
    let Answer { problem, lambda, c, J, T, d, .. } = answer;
    let m = problem.rows();
    let mut equations = vec![Equation::Fixed; m];
    let mut compliant: Vec<Option<SoftEquation>> = Vec::with_capacity(problem.len());
    let most = lambda.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
    for i in 0..problem.len() {
        let range = problem.range(i);
        let (x, c) = (&lambda[range.clone()], &c[range.clone()]);
        let cone = problem.cone(i);
        let out = &mut equations[range];
        compliant.push(None);
        if law.compliant() {
            // c without what R λ adds to it.
            let own = &problem.compliance[problem.range(i)];
            let plain: Vec<f64> = c.iter().zip(x).zip(own).map(|((c, x), r)| c - r * x).collect();
            if let Some(equation) = soft(i, &plain) {
                out.fill(Equation::Soft);
                compliant[i] = Some(equation);
                continue;
            }
        }
        // The least mobility of the block [1/kg].
        let mobility = |r: usize| (0..J.ncols()).map(|j| J[(r, j)] * T[(j, r)]).sum::<f64>();
        let range = problem.range(i);
        let rho = 1.0 / range.map(|r| mobility(r) + problem.compliance[r]).fold(f64::MIN_POSITIVE, f64::max);
        if equations_of(law, cone, (x, c, rho), (params, most), out) {
            notes.push(LinearizationNote::AtSwitch { block: i });
        }
    }
    let active: Vec<usize> = (0..m).filter(|&r| equations[r] != Equation::Fixed).collect();
    let n = d.ncols();
    let mut out = DMatrix::zeros(m, n);
    if active.is_empty() {
        return out;
    }
    // δc = A δλ + d in the rows that are active.
    let k = active.len();
    let mut A = J.select_rows(&active) * T.select_columns(&active);
    for (a, &r) in active.iter().enumerate() {
        A[(a, a)] += problem.compliance[r];
    }
    let (K, right) = (DMatrix::zeros(k, k), DMatrix::zeros(k, n));
    let mut system = System { answer, active, A, K, right };
    for (i, soft) in compliant.iter().enumerate() {
        system.write(i, &equations, soft.as_ref());
    }
    let (solved, rank, left) = least(&system.K, &system.right);
    if rank < k {
        notes.push(LinearizationNote::Hyperstatic { rows: k, rank });
    }
    if left > INCONSISTENT {
        notes.push(LinearizationNote::Inconsistent { share: left });
    }
    for (a, &r) in system.active.iter().enumerate() {
        out.row_mut(r).copy_from(&solved.row(a));
    }
    out
}

/// The linear system K δλ = `right` of the rows that are not open.
struct System<'a> {
    answer: Answer<'a>,
    active: Vec<usize>,
    A: DMatrix<f64>,
    K: DMatrix<f64>,
    right: DMatrix<f64>,
}

impl System<'_> {
    fn place(&self, row: usize) -> Option<usize> {
        self.active.binary_search(&row).ok()
    }

    /// Adds x δc of a row to the equation in place `a`.
    fn add_velocity(&mut self, a: usize, row: usize, x: f64) {
        let Some(b) = self.place(row) else { return };
        (0..self.K.ncols()).for_each(|s| self.K[(a, s)] += x * self.A[(b, s)]);
        (0..self.right.ncols()).for_each(|j| self.right[(a, j)] -= x * self.answer.d[(row, j)]);
    }

    /// The equation in place `a` is δc = 0 of its row.
    fn set_velocity(&mut self, a: usize, row: usize) {
        self.K.row_mut(a).copy_from(&self.A.row(a));
        (0..self.right.ncols()).for_each(|j| self.right[(a, j)] = -self.answer.d[(row, j)]);
    }

    /// Adds x δμ of block i to the right of the equation in place `a`.
    fn add_friction(&mut self, a: usize, i: usize, x: f64) {
        self.answer.friction_columns[i].iter().for_each(|&j| self.right[(a, j)] += x);
    }

    /// Writes the equations of block i.
    fn write(&mut self, i: usize, equations: &[Equation], soft: Option<&SoftEquation>) {
        let Answer { problem, lambda, c, .. } = self.answer;
        let range = problem.range(i);
        let Some(first) = range.clone().find_map(|r| self.place(r)) else { return };
        let cone = problem.cone(i);
        let (normal, mu) = (range.start + cone.normal(), cone.friction().unwrap_or(0.0));
        let tangential: Vec<usize> = range.clone().filter(|&r| r != normal && cone.dim() > 1).collect();
        let speed = tangential.iter().map(|&r| c[r] * c[r]).sum::<f64>().sqrt();
        let scale = self.A[(first, first)].abs().max(f64::MIN_POSITIVE);
        for r in range.clone() {
            let Some(a) = self.place(r) else { continue };
            match equations[r] {
                Equation::Fixed => {}
                Equation::Soft => soft.into_iter().for_each(|soft| self.write_soft(a, r, i, scale, soft)),
                Equation::Velocity => self.set_velocity(a, r),
                Equation::Relaxed => {
                    self.set_velocity(a, r);
                    tangential.iter().for_each(|&t| self.add_velocity(a, t, -(mu * c[t] / speed)));
                    self.add_friction(a, i, speed);
                }
                Equation::Slides => {
                    let Some(at_normal) = self.place(normal) else { continue };
                    self.K[(a, a)] += scale;
                    self.K[(a, at_normal)] += scale * mu * c[r] / speed;
                    let share = scale * mu * lambda[normal] / speed;
                    for &t in &tangential {
                        let x = share * (f64::from(u8::from(t == r)) - c[r] * c[t] / (speed * speed));
                        self.add_velocity(a, t, x);
                    }
                    self.add_friction(a, i, -(scale * lambda[normal] * c[r] / speed));
                }
                Equation::Impulses { of, by_mu } => {
                    for (x, t) in of.iter().zip(range.clone()) {
                        let Some(b) = self.place(t) else { continue };
                        self.K[(a, b)] += scale * x;
                    }
                    self.add_friction(a, i, -(scale * by_mu));
                }
                Equation::Velocities { of, by_mu } => {
                    of.iter().zip(range.clone()).for_each(|(x, t)| self.add_velocity(a, t, *x));
                    self.add_friction(a, i, -by_mu);
                }
                Equation::Edge(x) => {
                    self.K[(a, a)] += scale;
                    if let Some(at_normal) = self.place(normal) {
                        self.K[(a, at_normal)] -= scale * x;
                    }
                    self.add_friction(a, i, scale * lambda[normal].copysign(x));
                }
            }
        }
    }

    /// The row of a block of a compliant law, which reads velocities without R λ.
    fn write_soft(&mut self, a: usize, row: usize, i: usize, scale: f64, soft: &SoftEquation) {
        let Answer { problem, d, .. } = self.answer;
        let start = problem.range(i).start;
        self.K[(a, a)] += scale;
        (0..self.right.ncols()).for_each(|j| self.right[(a, j)] += scale * soft.given[(row - start, j)]);
        for t in problem.range(i) {
            let Some(b) = self.place(t) else { continue };
            let x = scale * soft.curvature[row - start][t - start];
            for s in 0..self.K.ncols() {
                let own = if b == s { problem.compliance[t] } else { 0.0 };
                self.K[(a, s)] += x * (self.A[(b, s)] - own);
            }
            (0..self.right.ncols()).for_each(|j| self.right[(a, j)] -= x * d[(t, j)]);
        }
    }
}

/// The equations of one block; true if it is at a switch.
fn equations_of(
    law: Law,
    cone: Cone,
    (x, c, rho): (&[f64], &[f64], f64),
    (params, most): (&LinearizationParams, f64),
    out: &mut [Equation],
) -> bool {
    let little = params.switch_impulse * most;
    match cone {
        Cone::Free => {
            out[0] = Equation::Velocity;
            false
        }
        Cone::NonNegative => {
            if x[0] > rho * c[0] {
                out[0] = Equation::Velocity;
            }
            x[0] <= little && c[0].abs() <= params.switch_velocity
        }
        Cone::Box { lo, hi } => {
            let y = x[0] - rho * c[0];
            let bound = y <= lo || y >= hi;
            if !bound {
                out[0] = Equation::Velocity;
            }
            (x[0] - lo).abs().min((x[0] - hi).abs()) <= little && c[0].abs() <= params.switch_velocity
        }
        Cone::Friction { mu } | Cone::Patch { mu, .. } => {
            let normal = x[2];
            let size = |of: &[f64]| {
                let tangential = of.iter().enumerate().filter(|(k, _)| *k != 2);
                tangential.map(|(_, t)| t * t).sum::<f64>().sqrt()
            };
            let (force, speed) = (size(x), size(c));
            // Where nothing holds it parts, under the relaxation too, in which what slides is lifted.
            let lift = if matches!(law, Law::Ccp | Law::PolyhedralCcp { .. }) { mu * speed } else { 0.0 };
            if normal <= rho * (c[2] - lift) {
                return normal <= little && c[2].abs() <= params.switch_velocity;
            }
            if let (Some(polygon @ Polygon::Regular { .. }), [t1, t2, _]) = (law.polygon(), x) {
                let at = Corner { mu, normal, force: [*t1, *t2], velocity: [c[0], c[1]] };
                let relaxed = matches!(law, Law::PolyhedralCcp { .. });
                return at.equations(polygon, relaxed, params.switch_velocity, out) || normal <= little;
            }
            let pyramid = law == Law::Pyramid;
            out.fill(Equation::Velocity);
            if pyramid {
                let mut switch = false;
                for k in (0..x.len()).filter(|k| *k != 2) {
                    let at_edge = x[k].abs() >= mu * normal * (1.0 - ON_CONE);
                    if at_edge {
                        out[k] = Equation::Edge(mu.copysign(x[k]));
                    }
                    switch |= at_edge && c[k].abs() <= params.switch_velocity;
                }
                return switch || normal <= little;
            }
            // On which side λ − ρ c is: what slides slowly under a large load has more slip than an interior
            // point lacks of friction.
            let fast = speed > params.switch_velocity || rho * speed > ON_CONE * mu * normal;
            if fast && rho * speed > (mu * normal - force).max(0.0) {
                out.fill(Equation::Slides);
                out[2] = if law == Law::Ccp { Equation::Relaxed } else { Equation::Velocity };
            }
            let edge = force >= mu * normal * (1.0 - ON_CONE);
            normal <= little || edge && speed <= params.switch_velocity
        }
    }
}

/// A contact whose friction is in a polygon.
struct Corner {
    mu: f64,
    normal: f64,
    force: [f64; 2],
    velocity: [f64; 2],
}

impl Corner {
    /// (7) to (9); true if it is at a switch.
    fn equations(&self, polygon: Polygon, relaxed: bool, slow: f64, out: &mut [Equation]) -> bool {
        let Self { mu, normal, force: [x, y], velocity: [u, v] } = *self;
        out.fill(Equation::Velocity);
        let (kappa, sigma) = polygon.edge();
        let [a, b] = polygon.toward([x, y]);
        let (along, across) = (a * x + b * y, a * y - b * x);
        if along < kappa * mu * normal * (1.0 - ON_CONE) {
            return false;
        }
        let slip = u.hypot(v);
        let at_corner = across.abs() >= sigma * mu * normal * (1.0 - ON_CONE);
        let f = match at_corner {
            true => {
                let side = sigma.copysign(across);
                [kappa * a - side * b, kappa * b + side * a]
            }
            false => [kappa * a, kappa * b],
        };
        if at_corner {
            for k in 0..2 {
                let mut of = [0.0, 0.0, -mu * f[k]];
                of[k] = 1.0;
                out[k] = Equation::Impulses { of, by_mu: -normal * f[k] };
            }
        } else {
            out[0] = Equation::Impulses { of: [a, b, -kappa * mu], by_mu: -kappa * normal };
            out[1] = Equation::Velocities { of: [-b, a, 0.0], by_mu: 0.0 };
        }
        if relaxed {
            out[2] = Equation::Velocities { of: [mu * f[0], mu * f[1], 1.0], by_mu: f[0] * u + f[1] * v };
        }
        slip <= slow
    }
}

/// K⁻¹ r, or the least of its solutions by least squares; its rank, and which share of r it does not explain.
fn least(K: &DMatrix<f64>, right: &DMatrix<f64>) -> (DMatrix<f64>, usize, f64) {
    let k = K.nrows();
    let lu = K.clone().lu();
    let pivots = lu.lu_internal().diagonal();
    let most = pivots.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
    if pivots.iter().all(|x| x.abs() > RANK * most)
        && let Some(solved) = lu.solve(right)
    {
        return (solved, k, 0.0);
    }
    let svd = K.clone().svd(true, true);
    let largest = svd.singular_values.iter().fold(0.0_f64, |m, s| m.max(*s));
    let rank = svd.singular_values.iter().filter(|s| **s > RANK * largest).count();
    let solved = svd.solve(right, RANK * largest).unwrap_or_else(|_| DMatrix::zeros(k, right.ncols()));
    let size = right.norm();
    let left = if size > 0.0 { (K * &solved - right).norm() / size } else { 0.0 };
    (solved, rank, left)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two rows that say the same have the least solution, and what contradicts itself is told.
    #[test]
    fn singular_systems_have_the_least_solution() {
        let K = DMatrix::from_row_slice(2, 2, &[1.0, 1.0, 1.0, 1.0]);
        let right = DMatrix::from_row_slice(2, 1, &[2.0, 2.0]);
        let (solved, rank, left) = least(&K, &right);
        assert_eq!(rank, 1);
        assert!((solved[0] - 1.0).abs() < 1e-12 && (solved[1] - 1.0).abs() < 1e-12 && left < 1e-12);
        let (_, _, left) = least(&K, &DMatrix::from_row_slice(2, 1, &[2.0, 0.0]));
        assert!((left - 0.5_f64.sqrt()).abs() < 1e-12);
    }
}
