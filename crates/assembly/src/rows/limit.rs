//! Limits of joints that this step could reach.
//!
//! ```text
//!     c = ±q̇,   φ the distance to the limit,   λ ≥ 0                                                  (1)
//!     a ball joint: the angle of its rotation is limited, c = −axis · ω                                (2)
//! ```

use crate::block::{Bias, RowKey};
use crate::forces::actuators::rotation_vector;
use crate::posed::Posed;
use crate::posing::Posing;
use crate::warm_start::WarmStart;
use std::ops::Range;
use stiction_contact::Cone;
use stiction_dynamics::JointKind;
use stiction_dynamics::spatial::vec3;

/// Pushes (1) and (2).
pub(crate) fn push(p: &Posing<'_>, out: &mut Posed, warm: &mut WarmStart) {
    let (model, h) = (&p.world.model, p.params.h);
    let bias = |gap: f64, free: f64| {
        let of_gap = p.params.gap_bias(gap);
        Bias { free, gap: of_gap.gap, correction: of_gap.correction, ..Bias::default() }
    };
    for (j, joint) in model.joints.iter().enumerate() {
        let Some([lo, hi]) = joint.limit else { continue };
        let dof = joint.idx_v;
        let soft_margin = p.compliance.map_or(0.0, |(s, _)| s.limit(j).margin);
        let margin = p.params.margin.max(soft_margin);
        let reach = |dofs: Range<usize>| {
            let speeds = p.free_velocity[dofs.clone()].iter().zip(&p.v[dofs]);
            let way = |speed: f64| if p.params.is_instant() { 0.0 } else { 2.0 * h * speed };
            margin + way(speeds.fold(0.0, |m: f64, (a, b)| m.max(a.abs()).max(b.abs())))
        };
        match joint.kind {
            JointKind::Hinge | JointKind::Slide | JointKind::Screw => {
                let (q, reach) = (p.q[joint.idx_q], reach(dof..dof + 1));
                let gaps = [q - lo, hi - q];
                if gaps.iter().all(|gap| *gap > reach) || !p.kin.selects(model.bodies[joint.body].tree) {
                    continue;
                }
                for (side, sign, gap) in [(0, 1.0, gaps[0]), (1, -1.0, gaps[1])] {
                    if gap <= reach {
                        let (key, bias) =
                            (RowKey::Limit { joint: j, side }, bias(gap, sign * p.free_velocity[dof]));
                        out.jacobian.push_linear(&[(dof, sign)], model);
                        out.push_scalar(key, Cone::NonNegative, bias, p.softness_gap(gap));
                        p.soften(out, dof, |s| s.limit(j));
                        warm.recall(key);
                    }
                }
            }
            JointKind::Ball => {
                // The angle of the rotation grows at the rate of the spin about its axis.
                let turn = rotation_vector(&p.q[joint.idx_q..]);
                let gap = hi - turn.norm();
                if gap <= 2.0 * reach(dof..dof + 3)
                    && p.kin.selects(model.bodies[joint.body].tree)
                    && let Some(axis) = turn.normalized()
                {
                    let free = &p.free_velocity[dof..];
                    let rate = axis.dot(vec3(free[0], free[1], free[2]));
                    let key = RowKey::Limit { joint: j, side: 1 };
                    out.jacobian
                        .push_linear(&[(dof, -axis.x), (dof + 1, -axis.y), (dof + 2, -axis.z)], model);
                    out.push_scalar(key, Cone::NonNegative, bias(gap, -rate), p.softness_gap(gap));
                    p.soften(out, dof, |s| s.limit(j));
                    warm.recall(key);
                }
            }
            JointKind::Free => {}
        }
    }
}
