//! The compliance D of the springs: how soft each row is beside the others.
//!
//! All contact points of an island have springs alike, d_N along the normal and d_T across it, in units of the island's mean
//! diagonal ḡ of G over contact rows. The diagonal of G itself would weigh a contact by the mass that it happens to bear.
//! Rows of joints and tendons have other units: theirs is their own G_ii.
//!
//! Contact points that coincide share one spring, so that a contact found twice changes nothing.

use super::SpringsParams;
use crate::residual::StoppingResidual;
use stiction_contact::{Cone, ConstraintProblem};

/// The diagonal of D by rows [1/kg], for ρ = 1, and ḡ.
#[derive(Default)]
pub(super) struct Metric {
    pub(super) d: Vec<f64>,
    /// ḡ [1/kg].
    pub(super) mean: f64,
}

impl Metric {
    /// Fills D for `problem`. `entry(row, column)` reads (G + R) between the normals of two contacts.
    pub(super) fn prepare(
        &mut self,
        problem: &ConstraintProblem,
        stopping: &StoppingResidual,
        params: &SpringsParams,
        mut entry: impl FnMut(usize, usize) -> f64,
    ) {
        let ratio = params.ratio.sqrt();
        let (tangential, normal) = (ratio, 1.0 / ratio);
        let (mut sum, mut count) = (0.0, 0.0);
        for (cone, diagonal) in problem.cones().iter().zip(&stopping.diagonal) {
            if cone.friction().is_some() {
                sum += diagonal[0] + diagonal[4] + diagonal[8];
                count += 3.0;
            }
        }
        self.mean = if count > 0.0 && sum > 0.0 {
            sum / count
        } else {
            // No contacts: every row has its own unit.
            stopping.diagonal.iter().fold(0.0_f64, |m, d| m.max(d[0])).max(f64::MIN_POSITIVE)
        };
        self.d.clear();
        self.d.resize(problem.rows(), 0.0);
        for (i, (cone, diagonal)) in problem.cones().iter().zip(&stopping.diagonal).enumerate() {
            let d = &mut self.d[problem.range(i)];
            match cone {
                Cone::Friction { .. } | Cone::Patch { .. } => {
                    cone.tangential_rows().iter().for_each(|&t| d[t] = tangential * self.mean);
                    d[cone.normal()] = normal * self.mean;
                }
                Cone::Box { .. } => d[0] = tangential * diagonal[0],
                Cone::Free | Cone::NonNegative => d[0] = normal * diagonal[0],
            }
            // A row that nothing moves.
            d.iter_mut().filter(|d| !(**d > 0.0)).for_each(|d| *d = normal * self.mean);
        }
        self.share_springs(problem, stopping, params.coincide, &mut entry);
    }

    /// Multiplies D of contacts by the number of those that coincide with them.
    fn share_springs(
        &mut self,
        problem: &ConstraintProblem,
        stopping: &StoppingResidual,
        coincide: f64,
        entry: &mut impl FnMut(usize, usize) -> f64,
    ) {
        let near = |a: f64, b: f64| (a - b).abs() <= coincide * a.abs().max(b.abs());
        for (i, _) in problem.cones().iter().enumerate().filter(|c| c.1.friction().is_some()) {
            let mut number = 1.0;
            for (j, other) in problem.cones().iter().enumerate() {
                let diagonals = [&stopping.diagonal[i], &stopping.diagonal[j]];
                if i == j
                    || other.friction().is_none()
                    || ![0, 4, 8].iter().all(|&k| near(diagonals[0][k], diagonals[1][k]))
                {
                    continue;
                }
                let (first, second) = (problem.range(i).start, problem.range(j).start);
                let same = [0, 1, 2].iter().all(|&k| near(entry(first + k, second + k), diagonals[0][4 * k]));
                number += if same { 1.0 } else { 0.0 };
            }
            if number > 1.0 {
                self.d[problem.range(i)].iter_mut().for_each(|d| *d *= number);
            }
        }
    }
}
