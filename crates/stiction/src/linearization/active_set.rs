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
use stiction_contact::cone::MAX_ROWS;
use stiction_contact::polygon::Polygon;
use stiction_contact::{Cone, ConstraintProblem, Law};

/// Pivots and singular values below this share of the largest are zero [–].
const RANK: f64 = 1e-10;
/// A system of which more than this share of the right-hand side is left has no answer [–].
const INCONSISTENT: f64 = 1e-7;

/// A linear equation of a block, Σ x δλ + Σ y δc = m δμ over its rows.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Equation {
    /// x, y and m.
    impulses: [f64; MAX_ROWS],
    velocities: [f64; MAX_ROWS],
    friction: f64,
}

impl Equation {
    /// (2): δc = 0 of row k of the block.
    fn holds(k: usize) -> Self {
        let mut holds = Self::default();
        holds.velocities[k] = 1.0;
        holds
    }

    /// (1) of [`super::compliant`] in row k of the block, whose velocities are without R λ.
    fn of_law(soft: &SoftEquation, k: usize, compliance: &[f64]) -> Self {
        let mut equation = Self { velocities: soft.curvature[k], ..Self::default() };
        equation.impulses[k] = 1.0;
        for (l, r) in compliance.iter().enumerate() {
            equation.impulses[l] -= soft.curvature[k][l] * r;
        }
        equation
    }
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
    let mut equations: Vec<Option<Equation>> = vec![None; m];
    let mut compliant: Vec<Option<SoftEquation>> = Vec::with_capacity(problem.len());
    let most = lambda.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
    for i in 0..problem.len() {
        let range = problem.range(i);
        let (x, c, own) = (&lambda[range.clone()], &c[range.clone()], &problem.compliance[range.clone()]);
        let out = &mut equations[range.clone()];
        // c without what R λ adds to it.
        let plain: Vec<f64> = c.iter().zip(x).zip(own).map(|((c, x), r)| c - r * x).collect();
        compliant.push(if law.compliant() { soft(i, &plain) } else { None });
        if let Some(soft) = &compliant[i] {
            out.iter_mut().enumerate().for_each(|(k, to)| *to = Some(Equation::of_law(soft, k, own)));
            continue;
        }
        // The least mobility of the block [1/kg].
        let mobility = |r: usize| (0..J.ncols()).map(|j| J[(r, j)] * T[(j, r)]).sum::<f64>();
        let rho = 1.0 / range.map(|r| mobility(r) + problem.compliance[r]).fold(f64::MIN_POSITIVE, f64::max);
        if equations_of(law, problem.cone(i), (x, c, rho), (params, most), out) {
            notes.push(LinearizationNote::AtSwitch { block: i });
        }
    }
    let active: Vec<usize> = (0..m).filter(|&r| equations[r].is_some()).collect();
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

    /// Writes the equations of block i. Those with impulses are scaled by the mobility of its first row, so
    /// that all are velocities.
    fn write(&mut self, i: usize, equations: &[Option<Equation>], soft: Option<&SoftEquation>) {
        let Answer { problem, d, friction_columns, .. } = self.answer;
        let range = problem.range(i);
        let Some(first) = range.clone().find_map(|r| self.place(r)) else { return };
        let mobility = self.A[(first, first)].abs().max(f64::MIN_POSITIVE);
        for (k, r) in range.clone().enumerate() {
            let (Some(a), Some(equation)) = (self.place(r), equations[r]) else { continue };
            let scale = if equation.impulses == [0.0; MAX_ROWS] { 1.0 } else { mobility };
            for (l, t) in range.clone().enumerate() {
                let Some(b) = self.place(t) else { continue };
                self.K[(a, b)] += scale * equation.impulses[l];
                let y = scale * equation.velocities[l];
                if y != 0.0 {
                    (0..self.K.ncols()).for_each(|s| self.K[(a, s)] += y * self.A[(b, s)]);
                    (0..d.ncols()).for_each(|j| self.right[(a, j)] -= y * d[(t, j)]);
                }
            }
            friction_columns[i].iter().for_each(|&j| self.right[(a, j)] += scale * equation.friction);
            if let Some(soft) = soft {
                (0..d.ncols()).for_each(|j| self.right[(a, j)] += scale * soft.given[(k, j)]);
            }
        }
    }
}

/// The equations of one block; true if it is at a switch.
fn equations_of(
    law: Law,
    cone: Cone,
    (x, c, rho): (&[f64], &[f64], f64),
    (params, most): (&LinearizationParams, f64),
    out: &mut [Option<Equation>],
) -> bool {
    let little = params.switch_impulse * most;
    match cone {
        Cone::Free => {
            out[0] = Some(Equation::holds(0));
            false
        }
        Cone::NonNegative => {
            if x[0] > rho * c[0] {
                out[0] = Some(Equation::holds(0));
            }
            x[0] <= little && c[0].abs() <= params.switch_velocity
        }
        Cone::Box { lo, hi } => {
            let y = x[0] - rho * c[0];
            let bound = y <= lo || y >= hi;
            if !bound {
                out[0] = Some(Equation::holds(0));
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
            hold(out);
            if law == Law::Pyramid {
                let mut switch = false;
                for k in (0..x.len()).filter(|k| *k != 2) {
                    let at_edge = x[k].abs() >= mu * normal * (1.0 - ON_CONE);
                    if at_edge {
                        let mut edge = Equation { friction: normal.copysign(x[k]), ..Equation::default() };
                        (edge.impulses[k], edge.impulses[2]) = (1.0, -mu.copysign(x[k]));
                        out[k] = Some(edge);
                    }
                    switch |= at_edge && c[k].abs() <= params.switch_velocity;
                }
                return switch || normal <= little;
            }
            // On which side λ − ρ c is: what slides slowly under a large load has more slip than an interior
            // point lacks of friction.
            let fast = speed > params.switch_velocity || rho * speed > ON_CONE * mu * normal;
            if fast && rho * speed > (mu * normal - force).max(0.0) {
                slide((mu, normal), (c, speed), law == Law::Ccp, out);
            }
            let edge = force >= mu * normal * (1.0 - ON_CONE);
            normal <= little || edge && speed <= params.switch_velocity
        }
    }
}

/// (2) in all rows of a block.
fn hold(out: &mut [Option<Equation>]) {
    out.iter_mut().enumerate().for_each(|(k, to)| *to = Some(Equation::holds(k)));
}

/// (4), or (5) of the relaxation, of a contact with the normal impulse λ_N that slides with the velocity c.
fn slide((mu, normal): (f64, f64), (c, speed): (&[f64], f64), relaxed: bool, out: &mut [Option<Equation>]) {
    let tangential = || (0..c.len()).filter(|k| *k != 2);
    for k in tangential() {
        let mut slides = Equation { friction: -(normal * c[k] / speed), ..Equation::default() };
        (slides.impulses[k], slides.impulses[2]) = (1.0, mu * c[k] / speed);
        for l in tangential() {
            let across = f64::from(u8::from(l == k)) - c[k] * c[l] / (speed * speed);
            slides.velocities[l] = mu * normal / speed * across;
        }
        out[k] = Some(slides);
    }
    if relaxed {
        let mut lifted = Equation { friction: speed, ..Equation::holds(2) };
        tangential().for_each(|k| lifted.velocities[k] = -(mu * c[k] / speed));
        out[2] = Some(lifted);
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
    fn equations(&self, polygon: Polygon, relaxed: bool, slow: f64, out: &mut [Option<Equation>]) -> bool {
        let Self { mu, normal, force: [x, y], velocity: [u, v] } = *self;
        hold(out);
        let (kappa, sigma) = polygon.edge();
        let [a, b] = polygon.toward([x, y]);
        let (along, across) = (a * x + b * y, a * y - b * x);
        if along < kappa * mu * normal * (1.0 - ON_CONE) {
            return false;
        }
        let slip = u.hypot(v);
        let at_corner = across.abs() >= sigma * mu * normal * (1.0 - ON_CONE);
        let impulses = |[x, y]: [f64; 2], share: f64| {
            let impulses = [x, y, -share * mu, 0.0, 0.0, 0.0];
            Some(Equation { impulses, friction: share * normal, ..Equation::default() })
        };
        let velocities = |[x, y]: [f64; 2], z: f64, friction: f64| {
            Some(Equation { velocities: [x, y, z, 0.0, 0.0, 0.0], friction, ..Equation::default() })
        };
        let f = match at_corner {
            true => {
                let side = sigma.copysign(across);
                [kappa * a - side * b, kappa * b + side * a]
            }
            false => [kappa * a, kappa * b],
        };
        if at_corner {
            (out[0], out[1]) = (impulses([1.0, 0.0], f[0]), impulses([0.0, 1.0], f[1]));
        } else {
            (out[0], out[1]) = (impulses([a, b], kappa), velocities([-b, a], 0.0, 0.0));
        }
        if relaxed {
            out[2] = velocities([mu * f[0], mu * f[1]], 1.0, -(f[0] * u + f[1] * v));
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
