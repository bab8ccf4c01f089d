//! The connections of a model as flat tables, for the loops: no names, no strides over cold data.

use crate::model::{Joint, JointKind, Model};
use std::ops::Range;

/// The structure of a model: which joint moves which body. Its numbers are left to [`crate::Poses`].
#[derive(Clone, Debug)]
pub(crate) struct Topology {
    /// Per body; `None`: the world.
    pub(crate) parent: Vec<Option<usize>>,
    /// Per body.
    pub(crate) tree: Vec<usize>,
    /// Per body: its dofs.
    pub(crate) dofs: Vec<Range<usize>>,
    /// Per body: its dof, if it has one only. Most have, and loops over one are slow.
    pub(crate) single: Vec<Option<usize>>,
    /// Per body: its joints.
    pub(crate) joints: Vec<Range<usize>>,
    /// Per body: its entries in `motions`.
    pub(crate) motions: Vec<Range<usize>>,
    /// Dofs whose axes move together: those of a joint, but of a free joint first the three
    /// translations, which the world carries, then the three rotations, which they carry.
    pub(crate) motion_dofs: Vec<Range<usize>>,
    /// Per dof: a rotation.
    pub(crate) turns: Vec<bool>,
}

impl Topology {
    pub(crate) fn new<T>(model: &Model<T>) -> Self {
        let mut t = Self {
            parent: model.bodies.iter().map(|b| b.parent).collect(),
            tree: model.bodies.iter().map(|b| b.tree).collect(),
            dofs: model.bodies.iter().map(|b| b.dofs.clone()).collect(),
            single: model.bodies.iter().map(|b| (b.dofs.len() == 1).then_some(b.dofs.start)).collect(),
            joints: model.bodies.iter().map(|b| b.joints.clone()).collect(),
            motions: Vec::with_capacity(model.bodies.len()),
            motion_dofs: Vec::new(),
            turns: Vec::with_capacity(model.dofs.len()),
        };
        for body in &model.bodies {
            let first = t.motion_dofs.len();
            for joint in &model.joints[body.joints.clone()] {
                t.add_motions(joint);
            }
            t.motions.push(first..t.motion_dofs.len());
        }
        t
    }

    fn add_motions<T>(&mut self, joint: &Joint<T>) {
        let i = joint.idx_v;
        let motions: &[(Range<usize>, bool)] = match joint.kind {
            JointKind::Hinge | JointKind::Screw => &[(i..i + 1, true)],
            JointKind::Slide => &[(i..i + 1, false)],
            JointKind::Ball => &[(i..i + 3, true)],
            JointKind::Free => &[(i..i + 3, false), (i + 3..i + 6, true)],
        };
        for (dofs, turns) in motions {
            self.turns.extend(dofs.clone().map(|_| turns));
            self.motion_dofs.push(dofs.clone());
        }
    }
}
