//! A model taken apart into links and joints, and put together again.

use super::{Base, EditError, Edited};
use crate::build::ModelBuilder;
use crate::joint_spec::JointSpec;
use crate::model::Joint;
use crate::model::Model;
use crate::spatial::{Inertia, Pose, Quat, Vec3};

/// A link, with the joints that carry it.
#[derive(Clone, Debug)]
pub(super) struct Part {
    /// Index of the link in the old model; `None`: new.
    pub(super) old: Option<usize>,
    pub(super) name: String,
    /// Index among the parts.
    pub(super) parent: Option<usize>,
    pub(super) X_PL: Pose,
    pub(super) inertia: Inertia,
    pub(super) joints: Vec<PartJoint>,
}

/// A joint of a [`Part`], axis and anchor in the link.
#[derive(Clone, Debug)]
pub(super) struct PartJoint {
    /// Index of the joint in the old model; `None`: new.
    pub(super) old: Option<usize>,
    pub(super) spec: JointSpec,
    /// Rotation of a joint whose direction was reversed, as in [`Edited::reversed`].
    pub(super) reversed: Option<Quat>,
}

impl PartJoint {
    pub(super) fn new(spec: JointSpec) -> Self {
        Self { old: None, spec, reversed: None }
    }
}

/// The parts of `model`, in the order of its links.
pub(super) fn take_apart(model: &Model) -> Vec<Part> {
    let mut made = vec![false; model.bodies.len()];
    let parts = model.links.iter().enumerate().map(|(l, link)| {
        // The first link on a body is the one that its joints move.
        let maker = link.body.filter(|&b| !std::mem::replace(&mut made[b], true));
        let X_CP = link.parent.map_or(Pose::IDENTITY, |p| model.links[p].X_BL);
        let X_CL = maker.map_or(link.X_BL, |b| model.bodies[b].X_PB);
        let joints = maker.map_or(0..0, |b| model.bodies[b].joints.clone());
        let X_PL = if X_CP == Pose::IDENTITY { X_CL } else { X_CP.inverse() * X_CL };
        Part {
            old: Some(l),
            name: link.name.clone(),
            parent: link.parent,
            X_PL,
            inertia: link.inertia,
            joints: joints.map(|j| part_joint(model, j)).collect(),
        }
    });
    parts.collect()
}

fn part_joint(model: &Model, j: usize) -> PartJoint {
    let Joint { name, kind, axis, anchor, pitch, reference, limit, stiffness, spring_rest, idx_v, .. } =
        model.joints[j].clone();
    let dof = &model.dofs[idx_v];
    let spec = JointSpec {
        anchor,
        pitch,
        reference,
        limit,
        stiffness,
        spring_rest,
        armature: dof.armature,
        damping: dof.damping,
        friction: dof.friction,
        ..JointSpec::new(name, kind, axis)
    };
    PartJoint { old: Some(j), spec, reversed: None }
}

/// Builds the parts, some of which came from `old`, and says where everything went.
pub(super) fn put_together(old: &Model, parts: Vec<Part>, gravity: Vec3) -> Result<Edited, EditError> {
    let parts = parents_first(parts);
    let mut builder = ModelBuilder::new();
    let mut links = vec![None; old.links.len()];
    let mut joints = vec![None; old.joints.len()];
    let mut reversed = vec![None; old.joints.len()];
    let mut origins: Vec<Option<usize>> = Vec::new();
    for part in parts {
        let link = builder.link(part.name, part.parent, part.X_PL, part.inertia);
        if let Some(l) = part.old {
            links[l] = Some(link);
        }
        for joint in part.joints {
            if let Some(j) = joint.old {
                joints[j] = Some(origins.len());
                reversed[j] = joint.reversed;
            }
            origins.push(joint.old);
            builder.joint(link, joint.spec);
        }
    }
    let mut model = builder.build(gravity)?;
    for (joint, origin) in model.joints.iter().zip(&origins) {
        // What may differ between the dofs of one joint.
        for k in 0..joint.kind.nv() {
            let Some(from) = origin.map(|j| old.dofs[old.joints[j].idx_v + k]) else { continue };
            let dof = &mut model.dofs[joint.idx_v + k];
            (dof.armature, dof.damping, dof.friction) = (from.armature, from.damping, from.friction);
            dof.rate = from.rate;
        }
    }
    let mut bodies = vec![None; old.bodies.len()];
    for (link, now) in old.links.iter().zip(&links) {
        if let (Some(b), Some(now)) = (link.body, now)
            && bodies[b].is_none()
        {
            let now = &model.links[*now];
            bodies[b] = Some((now.body, now.X_BL * link.X_BL.inverse()));
        }
    }
    Ok(Edited { model, links, bodies, joints, reversed })
}

/// Reorders parts so that every parent comes before its children: unchanged if that is so already, else
/// root by root, depth first.
fn parents_first(parts: Vec<Part>) -> Vec<Part> {
    if parts.iter().enumerate().all(|(l, part)| part.parent.is_none_or(|p| p < l)) {
        return parts;
    }
    let mut children = vec![Vec::new(); parts.len()];
    let mut stack = Vec::new();
    for (l, part) in parts.iter().enumerate().rev() {
        part.parent.map_or(&mut stack, |p| &mut children[p]).push(l);
    }
    let mut place = vec![0; parts.len()];
    let mut order = Vec::with_capacity(parts.len());
    while let Some(l) = stack.pop() {
        place[l] = order.len();
        order.push(l);
        stack.append(&mut children[l]);
    }
    let mut parts: Vec<Option<Part>> = parts.into_iter().map(Some).collect();
    let sorted = order.into_iter().filter_map(|l| parts[l].take());
    sorted.map(|part| Part { parent: part.parent.map(|p| place[p]), ..part }).collect()
}

/// Drops the parts that are not kept; their children must not be kept either, or be roots.
pub(super) fn retain(parts: Vec<Part>, keep: &[bool]) -> Vec<Part> {
    let mut place = vec![0; parts.len()];
    let mut count = 0;
    for (place, keep) in place.iter_mut().zip(keep) {
        *place = count;
        count += usize::from(*keep);
    }
    let kept = parts.into_iter().zip(keep).filter(|(_, keep)| **keep).map(|(part, _)| part);
    kept.map(|part| Part { parent: part.parent.map(|p| place[p]), ..part }).collect()
}

/// Per link of the model: whether it is `root` or below it.
pub(super) fn below(model: &Model, root: usize) -> Vec<bool> {
    let mut is_below = vec![false; model.links.len()];
    for (l, link) in model.links.iter().enumerate() {
        is_below[l] = l == root || link.parent.is_some_and(|p| is_below[p]);
    }
    is_below
}

impl Part {
    /// Stands on the world as `base` says, and by no other joint.
    pub(super) fn put_on(&mut self, base: Base) {
        (self.parent, self.X_PL) = (None, base.pose());
        self.joints.clear();
        if let Base::Floating { joint, .. } = base {
            self.joints.push(PartJoint::new(JointSpec::free(joint)));
        }
    }
}
