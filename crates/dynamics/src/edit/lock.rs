//! Joints that stop moving.
//!
//! At its q a locked joint is a constant pose T. Among the joints of a link, X_PL J₁ T J₃ …, it goes
//! to the front of the scalar joints before it, which then are seen from the other side of it,
//!
//! ```text
//!     X_PL J₁ T = (X_PL T) (T⁻¹ J₁ T)                                   by (1) of [`super`]
//! ```
//!
//! so that the link keeps its frame and J₁ its coordinate. A ball would not: its coordinates are in
//! the axes that follow it. Then a massless link between, named after the ball, carries T. A link
//! without a joint left is welded: its inertia is lumped into what carries it.

use super::parts::{Part, PartJoint, put_together, take_apart};
use super::{EditError, Edited, check_index};
use crate::model::{Joint, JointKind, Model};
use crate::spatial::{Inertia, Pose, Quat, vec3};

/// `model` with `joints` (indices) locked where `q` (length nq) has them.
///
/// The mass matrix is then the block of the old one of what still moves, and so is the bias where
/// the locked joints are at rest. Springs, armature and losses of locked joints are gone with them.
pub fn lock_joints(model: &Model, q: &[f64], joints: &[usize]) -> Result<Edited, EditError> {
    if q.len() != model.nq {
        return Err(EditError::Size { found: q.len(), expected: model.nq });
    }
    let mut locked = vec![None; model.joints.len()];
    for &j in joints {
        check_index("joint", j, model.joints.len())?;
        locked[j] = Some(pose_at(&model.joints[j], &q[model.joints[j].idx_q..])?);
    }
    let old = take_apart(model);
    // Parts put between shift those after them.
    let (mut parts, mut place) = (Vec::with_capacity(old.len()), Vec::with_capacity(old.len()));
    for mut part in old {
        part.parent = part.parent.map(|p| place[p]);
        let joints = std::mem::take(&mut part.joints);
        for joint in joints {
            let index = joint.old.unwrap_or_default();
            match locked[index] {
                None => part.joints.push(joint),
                Some(X_WL) if model.joints[index].kind == JointKind::Free => {
                    let fixed = part.old.and_then(|l| model.links[l].parent);
                    let X_WP = fixed.map_or(Pose::IDENTITY, |p| model.links[p].X_BL);
                    part.X_PL = X_WP.inverse() * X_WL;
                }
                Some(T) if part.joints.iter().all(|j| j.spec.kind.is_scalar()) => {
                    part.X_PL = part.X_PL * T;
                    part.joints.iter_mut().for_each(|j| from_behind(j, T));
                }
                Some(T) => {
                    parts.push(carrier(&mut part));
                    (part.parent, part.X_PL) = (Some(parts.len() - 1), T);
                }
            }
        }
        place.push(parts.len());
        parts.push(part);
    }
    put_together(model, parts, model.gravity)
}

/// T⁻¹ J T.
fn from_behind(joint: &mut PartJoint, T: Pose) {
    joint.spec.axis = T.rotation.conjugate().rotate(joint.spec.axis);
    joint.spec.anchor = T.inverse_transform(joint.spec.anchor);
}

/// A massless link that takes over the joints of `part`.
fn carrier(part: &mut Part) -> Part {
    let joints = std::mem::take(&mut part.joints);
    let last = joints.last().map_or("", |j| j.spec.name.as_str());
    Part {
        old: None,
        name: format!("{} behind {last}", part.name),
        parent: part.parent,
        X_PL: part.X_PL,
        inertia: Inertia::ZERO,
        joints,
    }
}

/// Motion of the joint at q, which starts with its coordinates.
fn pose_at(joint: &Joint, q: &[f64]) -> Result<Pose, EditError> {
    let q = &q[..joint.kind.nq()];
    let turned = |r: Quat| Pose::new(r, joint.anchor - r.rotate(joint.anchor));
    let along = |x: f64| Pose::from_translation(joint.axis * x);
    let quaternion = |q: &[f64]| Quat::new(q[0], q[1], q[2], q[3]).renormalized();
    let from_reference = q[0] - joint.reference;
    let about = || turned(Quat::from_axis_angle(joint.axis, from_reference));
    let pose = match joint.kind {
        JointKind::Hinge => about(),
        JointKind::Slide => along(from_reference),
        JointKind::Screw => about() * along(joint.pitch * from_reference),
        JointKind::Ball => turned(quaternion(q)),
        JointKind::Free => Pose::new(quaternion(&q[3..]), vec3(q[0], q[1], q[2])),
    };
    let sound = pose.is_finite();
    let configuration = || EditError::Configuration { joint: joint.name.clone(), value: format!("{q:?}") };
    sound.then_some(pose).ok_or_else(configuration)
}
