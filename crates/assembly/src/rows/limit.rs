//! Limits of joints that this step could reach.
//!
//! ```text
//!     c = ±q̇,   φ the distance to the limit,   λ ≥ 0                                                  (1)
//!     a ball joint: the angle of its rotation is limited, c = −axis · ω                                (2)
//! ```

use crate::block::RowKey;
use crate::forces::actuators::rotation_vector;
use crate::laws::row_params::RowParams;
use crate::posed::Posed;
use crate::posing::Posing;
use crate::rows::scalar::SIDES;
use crate::warm_start::WarmStart;
use stiction_dynamics::JointKind;
use stiction_dynamics::spatial::vec3;

/// Pushes (1) and (2).
pub(crate) fn push(p: &Posing<'_>, out: &mut Posed, warm: &mut WarmStart) {
    let model = &p.world.model;
    for (j, joint) in model.joints.iter().enumerate() {
        let Some([lo, hi]) = joint.limit else { continue };
        let dof = joint.idx_v;
        let soft_margin = p.compliance.map_or(0.0, |(s, _)| s.limit(j).margin);
        let params = RowParams { margin: p.params.margin.max(soft_margin), ..p.params };
        let reach = |dof: usize| params.reach(p.v[dof], p.free_velocity[dof]);
        match joint.kind {
            JointKind::Hinge | JointKind::Slide | JointKind::Screw => {
                let (q, reach) = (p.q[joint.idx_q], reach(dof));
                let gaps = [q - lo, hi - q];
                if gaps.iter().all(|gap| *gap > reach) || !p.kin.selects(model.bodies[joint.body].tree) {
                    continue;
                }
                for (side, (sign, gap)) in SIDES.into_iter().zip(gaps).enumerate() {
                    if gap <= reach {
                        let key = RowKey::Limit { joint: j, side };
                        let row = params.limit(gap, sign * p.v[dof], sign * p.free_velocity[dof]);
                        out.jacobian.push_linear(&[(dof, sign)], model);
                        out.push_scalar(key, key.cone(row.bounds), row.into(), p.softness_gap(gap));
                        p.soften(out, dof, |s| s.limit(j));
                        warm.recall(key);
                    }
                }
            }
            JointKind::Ball => {
                // The angle of the rotation grows at the rate of the spin about its axis.
                let turn = rotation_vector(&p.q[joint.idx_q..]);
                let gap = hi - turn.norm();
                if gap <= 2.0 * reach(dof).max(reach(dof + 1)).max(reach(dof + 2))
                    && p.kin.selects(model.bodies[joint.body].tree)
                    && let Some(axis) = turn.normalized()
                {
                    let free = &p.free_velocity[dof..];
                    let rate = axis.dot(vec3(free[0], free[1], free[2]));
                    let key = RowKey::Limit { joint: j, side: 1 };
                    out.jacobian
                        .push_linear(&[(dof, -axis.x), (dof + 1, -axis.y), (dof + 2, -axis.z)], model);
                    let row = params.limit(gap, 0.0, -rate);
                    out.push_scalar(key, key.cone(row.bounds), row.into(), p.softness_gap(gap));
                    p.soften(out, dof, |s| s.limit(j));
                    warm.recall(key);
                }
            }
            JointKind::Free => {}
        }
    }
}
