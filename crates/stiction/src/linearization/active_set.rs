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

/// A linear equation of a block, Σ x δλ + Σ y δc = m δμ.
#[derive(Clone, Debug, Default, PartialEq)]
struct Equation {
    /// Rows of the block with x, and with y.
    impulses: Vec<(usize, f64)>,
    velocities: Vec<(usize, f64)>,
    /// m.
    friction: f64,
}

impl Equation {
    /// (2): δc = 0 of row k of the block.
    fn holds(k: usize) -> Self {
        Self { velocities: vec![(k, 1.0)], ..Self::default() }
    }

    /// (1) of [`super::compliant`] in row k of the block, times `scale`; velocities there are without R λ.
    fn of_law(soft: &SoftEquation, k: usize, compliance: &[f64], scale: f64) -> Self {
        let velocities: Vec<_> = (0..compliance.len()).map(|l| (l, scale * soft.curvature[k][l])).collect();
        let through = velocities.iter().map(|&(l, y)| (l, -(y * compliance[l])));
        let impulses = std::iter::once((k, scale)).chain(through).collect();
        Self { impulses, velocities, friction: 0.0 }
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
    // The equations of block i, of which those with impulses have this scale; true if it is at a switch.
    let write = |i: usize, soft: Option<&SoftEquation>, scale: f64, out: &mut [Option<Equation>]| {
        let (range, own) = (problem.range(i), &problem.compliance[problem.range(i)]);
        if let Some(soft) = soft {
            out.iter_mut().enumerate().for_each(|(k, to)| *to = Some(Equation::of_law(soft, k, own, scale)));
            return false;
        }
        // The least mobility of the block [1/kg].
        let mobility = |r: usize| (0..J.ncols()).map(|j| J[(r, j)] * T[(j, r)]).sum::<f64>();
        let mobilities = range.clone().map(|r| mobility(r) + problem.compliance[r]);
        let rho = 1.0 / mobilities.fold(f64::MIN_POSITIVE, f64::max);
        let at = At { x: &lambda[range.clone()], c: &c[range], rho, little: params.switch_impulse * most };
        at.equations(law, problem.cone(i), params.switch_velocity, scale, out)
    };
    for i in 0..problem.len() {
        let range = problem.range(i);
        // c without what R λ adds to it.
        let plain = |r: usize| c[r] - problem.compliance[r] * lambda[r];
        let plain: Vec<f64> = range.clone().map(plain).collect();
        compliant.push(if law.compliant() { soft(i, &plain) } else { None });
        if write(i, compliant[i].as_ref(), 1.0, &mut equations[range]) {
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
        let Some(mobility) = system.mobility(i) else { continue };
        write(i, soft.as_ref(), mobility, &mut equations[problem.range(i)]);
        system.write(i, &equations, soft.as_ref().map(|soft| &soft.given * mobility));
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

    /// The mobility of the first row of block i that is not open: impulses times that are velocities [1/kg].
    fn mobility(&self, i: usize) -> Option<f64> {
        let first = self.answer.problem.range(i).find_map(|r| self.place(r))?;
        Some(self.A[(first, first)].abs().max(f64::MIN_POSITIVE))
    }

    /// Writes the equations of block i, with what is `given` on their right-hand sides.
    fn write(&mut self, i: usize, equations: &[Option<Equation>], given: Option<DMatrix<f64>>) {
        let Answer { problem, d, friction_columns, .. } = self.answer;
        let first = problem.range(i).start;
        for (k, r) in problem.range(i).enumerate() {
            let (Some(a), Some(equation)) = (self.place(r), &equations[r]) else { continue };
            for &(l, x) in &equation.impulses {
                let Some(b) = self.place(first + l) else { continue };
                self.K[(a, b)] += x;
            }
            if let Some(given) = &given {
                let mut right = self.right.row_mut(a);
                right += given.row(k);
            }
            for &(l, y) in &equation.velocities {
                let Some(b) = self.place(first + l) else { continue };
                (0..self.K.ncols()).for_each(|s| self.K[(a, s)] += y * self.A[(b, s)]);
                (0..d.ncols()).for_each(|j| self.right[(a, j)] -= y * d[(first + l, j)]);
            }
            friction_columns[i].iter().for_each(|&j| self.right[(a, j)] += equation.friction);
        }
    }
}

/// The answer in one block.
struct At<'a> {
    /// λ and c.
    x: &'a [f64],
    c: &'a [f64],
    /// One over the largest mobility of its rows [kg].
    rho: f64,
    /// Impulses up to this are at a switch [N·s].
    little: f64,
}

impl At<'_> {
    /// The equations of the block, of which those with impulses are scaled; true if it is at a switch. Rows
    /// that are not faster than `slow` [m/s] hardly move.
    fn equations(&self, law: Law, cone: Cone, slow: f64, scale: f64, out: &mut [Option<Equation>]) -> bool {
        let Self { x, c, rho, little } = *self;
        match cone {
            Cone::Free => {
                out[0] = Some(Equation::holds(0));
                false
            }
            Cone::NonNegative => {
                if x[0] > rho * c[0] {
                    out[0] = Some(Equation::holds(0));
                }
                x[0] <= little && c[0].abs() <= slow
            }
            Cone::Box { lo, hi } => {
                let y = x[0] - rho * c[0];
                let bound = y <= lo || y >= hi;
                if !bound {
                    out[0] = Some(Equation::holds(0));
                }
                (x[0] - lo).abs().min((x[0] - hi).abs()) <= little && c[0].abs() <= slow
            }
            Cone::Friction { mu } | Cone::Patch { mu, .. } => self.contact(law, mu, slow, scale, out),
        }
    }

    /// The equations of a contact.
    fn contact(&self, law: Law, mu: f64, slow: f64, scale: f64, out: &mut [Option<Equation>]) -> bool {
        let Self { x, c, rho, little } = *self;
        let normal = x[2];
        let [force, speed] = [x, c].map(|of| tangential(of).map(|k| of[k] * of[k]).sum::<f64>().sqrt());
        // Where nothing holds it parts, under the relaxation too, in which what slides is lifted.
        let lift = if matches!(law, Law::Ccp | Law::PolyhedralCcp { .. }) { mu * speed } else { 0.0 };
        if normal <= rho * (c[2] - lift) {
            return normal <= little && c[2].abs() <= slow;
        }
        out.iter_mut().enumerate().for_each(|(k, to)| *to = Some(Equation::holds(k)));
        if let (Some(polygon @ Polygon::Regular { .. }), [_, _, _]) = (law.polygon(), x) {
            let relaxed = matches!(law, Law::PolyhedralCcp { .. });
            return self.polygon(polygon, (mu, relaxed), slow, scale, out) || normal <= little;
        }
        if law == Law::Pyramid {
            let mut switch = false;
            for k in tangential(x) {
                let at_edge = x[k].abs() >= mu * normal * (1.0 - ON_CONE);
                if at_edge {
                    let impulses = vec![(k, scale), (2, -(scale * mu.copysign(x[k])))];
                    let friction = scale * normal.copysign(x[k]);
                    out[k] = Some(Equation { impulses, friction, ..Equation::default() });
                }
                switch |= at_edge && c[k].abs() <= slow;
            }
            return switch || normal <= little;
        }
        // On which side λ − ρ c is: what slides slowly under a large load has more slip than an interior
        // point lacks of friction.
        let fast = speed > slow || rho * speed > ON_CONE * mu * normal;
        if fast && rho * speed > (mu * normal - force).max(0.0) {
            self.slide(mu, law == Law::Ccp, scale, out);
        }
        let edge = force >= mu * normal * (1.0 - ON_CONE);
        normal <= little || edge && speed <= slow
    }

    /// (4), or (5) of the relaxation.
    fn slide(&self, mu: f64, relaxed: bool, scale: f64, out: &mut [Option<Equation>]) {
        let (c, normal) = (self.c, self.x[2]);
        let speed = tangential(c).map(|k| c[k] * c[k]).sum::<f64>().sqrt();
        let share = scale * mu * normal / speed;
        for k in tangential(c) {
            let across = |l: usize| share * (f64::from(u8::from(l == k)) - c[k] * c[l] / (speed * speed));
            out[k] = Some(Equation {
                impulses: vec![(k, scale), (2, scale * mu * c[k] / speed)],
                velocities: tangential(c).map(|l| (l, across(l))).collect(),
                friction: -(scale * normal * c[k] / speed),
            });
        }
        if relaxed {
            let lifts = tangential(c).map(|k| (k, -(mu * c[k] / speed)));
            let velocities = std::iter::once((2, 1.0)).chain(lifts).collect();
            out[2] = Some(Equation { velocities, friction: speed, ..Equation::default() });
        }
    }

    /// (7) to (9) where friction is in a polygon.
    fn polygon(
        &self,
        polygon: Polygon,
        (mu, relaxed): (f64, bool),
        slow: f64,
        scale: f64,
        out: &mut [Option<Equation>],
    ) -> bool {
        let ([x, y, normal], [u, v]) = ([self.x[0], self.x[1], self.x[2]], [self.c[0], self.c[1]]);
        let (kappa, sigma) = polygon.edge();
        let [a, b] = polygon.toward([x, y]);
        let (along, across) = (a * x + b * y, a * y - b * x);
        if along < kappa * mu * normal * (1.0 - ON_CONE) {
            return false;
        }
        let of = |[x, y]: [f64; 2], z: f64| vec![(0, x), (1, y), (2, z)];
        let impulses = |[x, y]: [f64; 2], share: f64| {
            let impulses = of([scale * x, scale * y], scale * (-share * mu));
            Some(Equation { impulses, friction: scale * (share * normal), ..Equation::default() })
        };
        let velocities =
            |of: Vec<_>, friction: f64| Some(Equation { velocities: of, friction, ..Equation::default() });
        let at_corner = across.abs() >= sigma * mu * normal * (1.0 - ON_CONE);
        let f = match at_corner {
            true => {
                let side = sigma.copysign(across);
                [kappa * a - side * b, kappa * b + side * a]
            }
            false => [kappa * a, kappa * b],
        };
        (out[0], out[1]) = match at_corner {
            true => (impulses([1.0, 0.0], f[0]), impulses([0.0, 1.0], f[1])),
            false => (impulses([a, b], kappa), velocities(of([-b, a], 0.0), 0.0)),
        };
        if relaxed {
            out[2] = velocities(of([mu * f[0], mu * f[1]], 1.0), -(f[0] * u + f[1] * v));
        }
        u.hypot(v) <= slow
    }
}

/// The rows of a contact beside its normal row.
fn tangential(of: &[f64]) -> impl Iterator<Item = usize> + use<> {
    (0..of.len()).filter(|k| *k != 2)
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
