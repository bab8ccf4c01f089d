//! Steps of steppers beside `time-stepping`, from what they say of the derivatives of their equations
//! ([`Slopes`]).
//!
//! ```text
//!     S δv⁺ = ∂r + Jᵀ δλ,   δc = J δv⁺ + R δλ + ∂c,   on the pieces of the contact law       ([`super::active_set`])
//!     q⁺ = q ⊕ h ν,   δν = θ δv⁺ + (1 − θ) δv
//! ```

use super::active_set::{Answer, impulses};
use super::columns::{Columns, Derivative};
use super::{Done, Linearization, LinearizationError, LinearizationNote, LinearizationParams};
use crate::report::{StepReport, StepStatus};
use crate::state::State;
use crate::stepping::integrate::tangent::moved;
use crate::stepping::{Equations, NoSlopes, Slopes, Solved};
use nalgebra::DMatrix;
use stiction_contact::Law;
use stiction_world::World;

/// A step that was done, without what `time-stepping` keeps of it.
pub(super) struct Step<'a> {
    pub(super) world: &'a World,
    pub(super) h: f64,
    pub(super) next: &'a State,
    pub(super) report: &'a StepReport,
    pub(super) law: Law,
    pub(super) params: LinearizationParams,
}

impl Step<'_> {
    /// The linearization that the slopes say; `stepper` is its name.
    pub(super) fn linearization(
        self,
        stepper: &'static str,
        slopes: Result<Slopes, NoSlopes>,
    ) -> Result<Linearization, LinearizationError> {
        Done::refuse_report(self.report)?;
        if self.report.status == StepStatus::NotConverged {
            return Err(LinearizationError::NotConverged { residual: self.report.residual });
        }
        let slopes = slopes.map_err(|why| match why {
            NoSlopes::Unsupported(why) => LinearizationError::Stepper { stepper, why },
            NoSlopes::Here(why) => LinearizationError::Equations(why),
        })?;
        let mut notes = Vec::new();
        let (solved, dlambda) = match slopes {
            Slopes::Solved(solved) => (solved, None),
            Slopes::Equations(equations) => {
                let (solved, dlambda) = self.solve(*equations, &mut notes)?;
                (solved, Some(dlambda))
            }
        };
        if solved.rank < solved.rows {
            notes.push(LinearizationNote::Hyperstatic { rows: solved.rows, rank: solved.rank });
        }
        if solved.at_switch {
            notes.push(LinearizationNote::AtSwitch { block: 0 });
        }
        let model = &self.world.model;
        let (nv, nu) = (model.nv(), self.world.actuators.len());
        let n = 2 * nv;
        let mut end = DMatrix::zeros(n, n + nu);
        end.rows_mut(nv, nv).copy_from(&solved.v_change);
        for joint in &model.joints {
            let (first, k) = (joint.idx_v, joint.kind.nv());
            let moved = moved(joint.kind, &solved.mean[first..first + k], self.h);
            for (i, l) in (0..k).flat_map(|i| (0..k).map(move |l| (i, l))) {
                end[(first + i, first + l)] += moved.by_q[i][l];
                let row = end.row(first + i) + solved.mean_change.row(first + l) * moved.by_v[i][l];
                end.row_mut(first + i).copy_from(&row);
            }
        }
        let columns = Columns { nv, nu, np: 0 };
        let dlambda = dlambda.unwrap_or_else(|| columns.zeros(0));
        let derivative = Derivative { columns, end, dlambda, notes };
        Ok(derivative.linearization(self.report.clone(), self.next.clone()))
    }

    /// Solves the equations of velocities and impulses.
    fn solve(
        &self,
        equations: Equations,
        notes: &mut Vec<LinearizationNote>,
    ) -> Result<(Solved, DMatrix<f64>), LinearizationError> {
        let Equations { problem, law, lambda, c, J, S, r_change, c_change, theta, mean } = equations;
        let law = law.unwrap_or(self.law);
        if law == Law::Raisim {
            return Err(LinearizationError::Law(law.to_string()));
        }
        let (nv, columns) = (S.nrows(), r_change.ncols());
        let lu = S.lu();
        let singular = || LinearizationError::Equations("the mass matrix has no inverse".to_owned());
        let free = lu.solve(&r_change).ok_or_else(singular)?;
        let T = lu.solve(&J.transpose()).ok_or_else(singular)?;
        let d = &J * &free + c_change;
        let none = vec![Vec::new(); problem.len()];
        let answer = Answer {
            problem: &problem,
            lambda: &lambda,
            c: &c,
            J: &J,
            T: &T,
            d: &d,
            friction_columns: &none,
        };
        let dlambda = impulses(answer, (law, &self.params), &|_, _| None, notes);
        let v_change = free + T * &dlambda;
        let mut mean_change = &v_change * theta;
        (0..nv.min(columns)).for_each(|i| mean_change[(i, nv + i)] += 1.0 - theta);
        Ok((Solved { mean, mean_change, v_change, rows: 0, rank: 0, at_switch: false }, dlambda))
    }
}
