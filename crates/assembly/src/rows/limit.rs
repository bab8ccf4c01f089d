//! Limits of joints that this step could reach.
//!
//! ```text
//!     c = ±q̇,   φ the distance to the limit,   λ ≥ 0                                                  (1)
//!     a ball joint: the angle of its rotation is limited, c = −axis · ω                                (2)
//! ```

use crate::block::Bias;
use crate::forces::actuators::rotation_vector;
use crate::laws::row::Row;
use crate::posed::Posed;
use crate::posing::Posing;
use crate::row_key::{LimitRow, RowKey};
use crate::rows::kind::{self, At, Feature, ImpulseSet, LinearRow, RowKind, SIDES, Terms, Work};
use crate::warm_start::WarmStart;
use stiction_dynamics::spatial::{Vec3, vec3};
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
        let gap = |q: &[T]| distance(q[joint.idx_q], range, self.side);
        match at.start {
            Some(start) => at.params.limit_at_middle(gap(start), before, free, at.lasts),
            None => at.params.limit(gap(at.q), before, free),
        }
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

/// Distance to a limit at q [m or rad].
pub(crate) fn distance_at(world: &World, row: LimitRow, q: &[f64]) -> Option<f64> {
    let joint = &world.model.joints[row.joint];
    let range = joint.limit?;
    Some(match joint.kind {
        JointKind::Ball => range[1] - rotation_vector(&q[joint.idx_q..]).norm(),
        _ => distance(q[joint.idx_q], range, row.side),
    })
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
    let (dof, tree) = (joint.idx_v, model.bodies[joint.body].tree);
    let (start, key) = (p.start_of(tree), limit.key());
    let reach = |dof: usize| params.reach(p.v[dof], p.free_velocity[dof]);
    let turn = |q: &[f64]| rotation_vector(&q[joint.idx_q..]);
    let gap = most - turn(start.map_or(p.q, |s| s.q)).norm();
    if gap > 2.0 * reach(dof).max(reach(dof + 1)).max(reach(dof + 2)) || !p.kin.selects(tree) {
        return;
    }
    if start.is_some_and(|s| s.left_out.contains(&key)) {
        return;
    }
    let Some(axis) = turn(p.q).normalized() else { return };
    let along = |axis: Vec3, v: &[f64]| -axis.dot(vec3(v[dof], v[dof + 1], v[dof + 2]));
    let (before, free) = (along(axis, p.v), along(axis, p.free_velocity));
    let lasts = start.is_some() && warm.impulse_of(key) != 0.0;
    let row = match start {
        Some(_) => params.limit_at_middle(gap, before, free, lasts),
        None => params.limit(gap, 0.0, free),
    };
    let mut bias = Bias::from(row);
    if let Some(axis) = start.filter(|_| lasts).and_then(|s| turn(s.q).normalized()) {
        bias.turn = before - along(axis, p.v);
    }
    let block = out.blocks.len();
    out.jacobian.push_linear(&[(dof, -axis.x), (dof + 1, -axis.y), (dof + 2, -axis.z)], model);
    out.push_scalar(key, kind::cone(limit.set(), row.bounds), bias, p.softness_gap(gap));
    if start.is_some() {
        out.note_stop(&p.params, block, lasts, gap, [before, free]);
    }
    limit.soften(p, out);
    warm.recall(key);
}
