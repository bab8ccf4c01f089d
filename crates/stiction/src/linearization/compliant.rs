//! Compliant laws, differentiated: the impulse of a block is a function of its velocity and of a few numbers.
//!
//! ```text
//!     λ = F(c; φ, u, b, G_ii)        φ: gap, u: J v before the step, b: bias, G_ii: what effective masses are of
//!     δλ = −H δc + ∂F/∂(φ, u, b, G_ii) δ(φ, u, b, G_ii)                                           (1)
//! ```
//!
//! H is the curvature of the law ([`SoftBlock::curvature`]), in closed form. The other slopes are differences
//! of the fourth order of F itself, which is a closed formula of these numbers: relative errors are of 1e-11
//! away from its kinks.

use super::parameter::Parameter;
use nalgebra::DMatrix;
use stiction_contact::cone::MAX_ROWS;
use stiction_contact::soft::SoftBlock;
use stiction_contact::{Cone, ConstraintProblem, Law};
use stiction_dynamics::differences::FOURTH_ORDER;

/// Rows of a block of a compliant law, at most, and those whose G_ii it reads.
const ROWS: usize = MAX_ROWS;
const INERT: usize = 3;
/// Displacements of gaps and velocities [m, m/s], and of G_ii and of the numbers of surfaces as a share of
/// them [–].
const GAP: f64 = 1e-7;
const VELOCITY: f64 = 1e-4;
const INERTIA: f64 = 1e-4;
const NUMBER: f64 = 1e-3;

/// The numbers that a compliant law reads of the rows, differentiated: a row per row of the problem, but
/// G_ii.
pub(super) struct Read<'a> {
    pub(super) gap: &'a DMatrix<f64>,
    pub(super) bias: &'a DMatrix<f64>,
    pub(super) before: &'a DMatrix<f64>,
    /// The derivatives of G_ii of a block, row by row; asked for where the law depends on them.
    pub(super) inertia: &'a dyn Fn(usize) -> DMatrix<f64>,
    /// (G + R)_ii of every block.
    pub(super) diagonal: &'a [[f64; 9]],
    /// Per block, the numbers of its surfaces that are parameters, with their columns.
    pub(super) numbers: &'a [Vec<(usize, Parameter)>],
}

/// (1) of one block.
pub(crate) struct SoftEquation {
    /// H.
    pub(super) curvature: [[f64; ROWS]; ROWS],
    /// The second term, a row per row of the block.
    pub(super) given: DMatrix<f64>,
}

/// A block of a problem by itself.
struct Alone {
    law: Law,
    problem: ConstraintProblem,
    diagonal: [f64; 9],
    c: Vec<f64>,
}

impl Alone {
    /// A number of the surfaces.
    fn number(&mut self, of: Parameter) -> Option<&mut f64> {
        let material = &mut self.problem.softness[0].material;
        match of {
            Parameter::ContactStiffness { .. } => Some(&mut material.stiffness),
            Parameter::ContactRelaxation { .. } => Some(&mut material.relaxation),
            Parameter::ContactDissipation { .. } => Some(&mut material.dissipation),
            Parameter::ContactReference { component, .. } => material.solref.get_mut(component),
            _ => None,
        }
    }

    /// The slope of the impulse by a number of the surfaces.
    fn by_number(&mut self, of: Parameter) -> [f64; ROWS] {
        if let (Parameter::Friction { .. }, Cone::Friction { mu }) = (of, self.problem.cone(0)) {
            return self.slope(NUMBER * mu, |a, x| {
                if let Cone::Friction { mu } = a.problem.cone(0) {
                    a.problem.set_cone(0, Cone::Friction { mu: mu + x });
                }
            });
        }
        let step = NUMBER * self.number(of).map_or(0.0, |x| x.abs());
        if step == 0.0 {
            return [0.0; ROWS];
        }
        self.slope(step, |a, x| {
            if let Some(number) = a.number(of) {
                *number += x;
            }
        })
    }

    fn impulse(&self) -> [f64; ROWS] {
        let block = SoftBlock::new(self.law, &self.problem, 0, &self.diagonal);
        block.map_or([0.0; ROWS], |b| b.impulse(&self.c))
    }

    /// The slope of the impulse by what `set` displaces.
    fn slope(&mut self, step: f64, set: impl Fn(&mut Self, f64)) -> [f64; ROWS] {
        let mut out = [0.0; ROWS];
        for (times, weight) in [FOURTH_ORDER[0], FOURTH_ORDER[2]] {
            set(self, times * step);
            let ahead = self.impulse();
            set(self, -2.0 * times * step);
            let back = self.impulse();
            set(self, times * step);
            (0..ROWS).for_each(|k| out[k] += weight / step * (ahead[k] - back[k]));
        }
        out
    }
}

/// (1) of block i at the velocities `c` of its rows; `None` where the block is not compliant.
pub(super) fn equation(
    law: Law,
    problem: &ConstraintProblem,
    i: usize,
    c: &[f64],
    read: &Read<'_>,
) -> Option<SoftEquation> {
    let diagonal = &read.diagonal[i];
    let rows = problem.range(i);
    let dim = rows.len();
    let block = SoftBlock::new(law, problem, i, diagonal)?;
    if dim == 1 && problem.compliance[rows.start] > 0.0 {
        return None; // a row with a compliance of its own
    }
    let columns = read.gap.ncols();
    let mut equation = SoftEquation {
        curvature: block.curvature::<ROWS>(c).unwrap_or_default(),
        given: DMatrix::zeros(dim, columns),
    };
    let mut alone = Alone { law, problem: problem.part(&[i]), diagonal: *diagonal, c: c.to_vec() };
    let normal = rows.start + problem.cone(i).normal();
    let by_gap = alone.slope(GAP, |a, x| a.problem.softness[0].gap += x);
    let by_bias = alone.slope(VELOCITY, |a, x| a.problem.softness[0].bias += x);
    for k in 0..dim {
        let row = read.gap.row(normal) * by_gap[k] + read.bias.row(normal) * by_bias[k];
        equation.given.row_mut(k).copy_from(&row);
    }
    for l in 0..dim {
        let by_before = alone.slope(VELOCITY, |a, x| {
            let softness = &mut a.problem.softness[0];
            if l < 3 { softness.velocity[l] += x } else { softness.turning[l - 3] += x }
        });
        for k in (0..dim).filter(|k| by_before[*k] != 0.0) {
            let row = equation.given.row(k) + read.before.row(rows.start + l) * by_before[k];
            equation.given.row_mut(k).copy_from(&row);
        }
    }
    for &(column, parameter) in &read.numbers[i] {
        let by = alone.by_number(parameter);
        (0..dim).for_each(|k| equation.given[(k, column)] += by[k]);
    }
    let scale = diagonal.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
    let mut change = None;
    let inert = dim.min(INERT);
    for entry in 0..inert * inert {
        let by = alone.slope(INERTIA * scale, |a, x| a.diagonal[entry] += x);
        if by.iter().all(|x| *x == 0.0) {
            continue;
        }
        let change = change.get_or_insert_with(|| (read.inertia)(i));
        let (p, q) = (entry / inert, entry % inert);
        for k in 0..dim {
            let row = equation.given.row(k) + change.row(dim * p + q) * by[k];
            equation.given.row_mut(k).copy_from(&row);
        }
    }
    Some(equation)
}
