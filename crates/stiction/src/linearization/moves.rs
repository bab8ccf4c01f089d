//! The end of a step: q⁺ and v⁺ of each tree by its rule, differentiated.

use super::forces::Forces;
use super::tangent::moved;
use super::{LinearizationError, LinearizationNote};
use crate::stepping::Quadrature;
use nalgebra::DMatrix;

/// A step whose velocities are differentiated.
pub(super) struct Moves<'a> {
    pub(super) forces: &'a Forces<'a>,
    /// ∂v_f, of which trees are that nothing touches.
    pub(super) free: &'a DMatrix<f64>,
    /// ∂v⁺ of the problem.
    pub(super) dv: DMatrix<f64>,
}

impl Moves<'_> {
    /// ∂(q⁺, v⁺), 2 nv rows.
    pub(super) fn end(&self, notes: &mut Vec<LinearizationNote>) -> Result<DMatrix<f64>, LinearizationError> {
        let Forces { world, accepted, columns, h, start, .. } = *self.forces;
        let (model, nv) = (&world.model, columns.nv);
        let mut end = columns.zeros(2 * nv);
        if !accepted.inside.correction.is_empty() {
            return Err(LinearizationError::PositionErrors);
        }
        for (tree, rule) in accepted.quadrature.iter().enumerate() {
            match rule {
                Quadrature::Held => notes.push(LinearizationNote::Sleeps { tree }),
                Quadrature::HigherOrder => return Err(LinearizationError::HigherOrder { tree }),
                _ => {}
            }
        }
        for joint in &model.joints {
            let (first, n) = (joint.idx_v, joint.kind.nv());
            let rule = accepted.quadrature[model.bodies[joint.body].tree];
            let means = matches!(rule, Quadrature::Trapezoidal | Quadrature::Midpoint);
            if rule == Quadrature::Held {
                (first..first + n).for_each(|i| end[(i, columns.q(i))] = 1.0);
                continue;
            }
            let share = if means { 0.5 } else { 1.0 };
            let w: Vec<f64> =
                (first..first + n).map(|i| start.v[i] + share * (accepted.v_next[i] - start.v[i])).collect();
            let moved = moved(joint.kind, &w, h);
            for k in 0..n {
                for l in 0..n {
                    end[(first + k, columns.q(first + l))] += moved.by_q[k][l];
                    let by_v = moved.by_v[k][l];
                    if by_v == 0.0 {
                        continue;
                    }
                    end[(first + k, columns.v(first + l))] += (1.0 - share) * by_v;
                    for j in 0..columns.count() {
                        end[(first + k, j)] += share * by_v * self.dv[(first + l, j)];
                    }
                }
                end.row_mut(nv + first + k).copy_from(&self.dv.row(first + k));
            }
        }
        let _ = self.free;
        Ok(end)
    }
}
