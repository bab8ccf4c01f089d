//! Limits of joints that this step could reach.
//!
//! ```text
//!     c = ±q̇,   φ the distance to the limit,   λ ≥ 0                                                  (1)
//!     a ball joint: the angle of its rotation is limited, c = −axis · ω                                (2)
//! ```

use crate::forces::actuators::rotation_vector;
use crate::laws::row::Row;
use crate::posed::Posed;
use crate::posing::Posing;
use crate::row_key::{LimitRow, RowKey};
use crate::rows::kind::{self, At, Feature, ImpulseSet, LinearRow, RowKind, SIDES, Terms, Work};
use crate::warm_start::WarmStart;
use stiction_dynamics::spatial::vec3;
use stiction_dynamics::{JointKind, Real};
use stiction_world::World;

impl RowKind for LimitRow {
    fn key(&self) -> RowKey {
        RowKey::Limit(*self)
    }

    fn set(&self) -> ImpulseSet {
        ImpulseSet::NonNegative
    }

    fn work(&self) -> Work {
        Work::Limits
    }

    fn feature(&self) -> Feature {
        Feature::Limits
    }

    fn sort(&self) -> &'static str {
        "limit of joint"
    }

    fn name<'a>(&self, world: &'a World) -> &'a str {
        &world.model.joints[self.joint].name
    }

    fn for_each_tree(&self, world: &World, tree: &mut dyn FnMut(usize)) {
        tree(world.model.bodies[world.model.joints[self.joint].body].tree);
    }
}

/// (1): limits of scalar joints.
impl LinearRow for LimitRow {
    fn all(world: &World) -> impl Iterator<Item = Self> {
        let limited = |joint: usize| {
            let j = &world.model.joints[joint];
            j.kind.is_scalar() && j.limit.is_some()
        };
        let joints = (0..world.model.joints.len()).filter(move |&joint| limited(joint));
        joints.flat_map(|joint| [0, 1].map(|side| Self { joint, side }))
    }

    #[inline(always)]
    fn terms<'a>(&self, world: &'a World) -> Terms<'a> {
        Terms::dof(SIDES[self.side], world.model.joints[self.joint].idx_v)
    }

    #[inline(always)]
    fn row<T: Real>(&self, world: &World, at: &At<'_, T>) -> Row<T> {
        let joint = &world.model.joints[self.joint];
        let Some(range) = joint.limit else { return Row::none(at.zero()) };
        let sign = at.zero().like(SIDES[self.side]);
        let [before, free] = [at.v, at.free_velocity].map(|v| sign * v[joint.idx_v]);
        at.params.limit(distance(at.q[joint.idx_q], range, self.side), before, free)
    }

    fn soften(&self, p: &Posing<'_>, out: &mut Posed) {
        p.soften(out, p.world.model.joints[self.joint].idx_v, |s| s.limit(self.joint));
    }

    fn soft_margin(&self, p: &Posing<'_>) -> f64 {
        p.compliance.map_or(0.0, |(s, _)| s.limit(self.joint).margin)
    }
}

/// Distance of x to one side of a range.
#[inline(always)]
pub(crate) fn distance<T: Real>(x: T, [low, high]: [f64; 2], side: usize) -> T {
    if side == 0 { x - x.like(low) } else { x.like(high) - x }
}

/// Pushes (1) and (2).
pub(crate) fn push(p: &Posing<'_>, out: &mut Posed, warm: &mut WarmStart) {
    let at = p.at();
    for (joint, j) in p.world.model.joints.iter().enumerate() {
        if j.limit.is_none() {
            continue;
        }
        match j.kind {
            JointKind::Hinge | JointKind::Slide | JointKind::Screw => {
                for side in [0, 1] {
                    kind::push(LimitRow { joint, side }, p, &at, out, warm);
                }
            }
            JointKind::Ball => push_ball(LimitRow { joint, side: 1 }, p, out, warm),
            JointKind::Free => {}
        }
    }
}

/// Pushes (2). The angle of the rotation grows at the rate of the spin about its axis.
fn push_ball(limit: LimitRow, p: &Posing<'_>, out: &mut Posed, warm: &mut WarmStart) {
    let model = &p.world.model;
    let joint = &model.joints[limit.joint];
    let Some([_, most]) = joint.limit else { return };
    let mut params = p.params;
    params.margin = params.margin.max(limit.soft_margin(p));
    let dof = joint.idx_v;
    let reach = |dof: usize| params.reach(p.v[dof], p.free_velocity[dof]);
    let turn = rotation_vector(&p.q[joint.idx_q..]);
    let gap = most - turn.norm();
    if gap > 2.0 * reach(dof).max(reach(dof + 1)).max(reach(dof + 2))
        || !p.kin.selects(model.bodies[joint.body].tree)
    {
        return;
    }
    let Some(axis) = turn.normalized() else { return };
    let free = &p.free_velocity[dof..];
    let row = params.limit(gap, 0.0, -axis.dot(vec3(free[0], free[1], free[2])));
    let key = limit.key();
    out.jacobian.push_linear(&[(dof, -axis.x), (dof + 1, -axis.y), (dof + 2, -axis.z)], model);
    out.push_scalar(key, kind::cone(limit.set(), row.bounds), row.into(), p.softness_gap(gap));
    limit.soften(p, out);
    warm.recall(key);
}
