//! Joint limits, each a contact without friction of a joint with its stop.

use super::super::judged::JointForce;
use super::super::unsupported::UnsupportedByCanon;
use stiction_assembly::RowKey;
use stiction_assembly::row_key::LimitRow;
use stiction_assembly::rows::kind::RowKind;
use stiction_dynamics::JointStop;
use stiction_world::World;

/// A side of the range of a joint, with its mode.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stop {
    pub(super) end: JointStop,
    pub(super) tree: usize,
    /// The force of the choice of modes, if it is closed [N or N·m].
    pub(super) closed: Option<f64>,
    /// The force of the modes [N or N·m].
    pub(super) force: f64,
}

impl Stop {
    /// Every finite end of the range of a hinge, slide or screw; limits of ball joints are refused.
    pub(super) fn all(world: &World, stepper: &'static str) -> Result<Vec<Self>, UnsupportedByCanon> {
        let model = &world.model;
        if let Some(joint) = model.limited_ball() {
            let what = "limits of ball joints";
            return Err(UnsupportedByCanon::Part { stepper, what, name: joint.name.clone() });
        }
        let tree = |end: &JointStop| model.bodies[model.joints[end.joint].body].tree;
        Ok(model.stops().map(|end| Self { tree: tree(&end), end, closed: None, force: 0.0 }).collect())
    }

    /// The force of a closed stop, for the judge.
    pub(super) fn given(&self) -> Option<JointForce> {
        let JointStop { dof, sign, .. } = self.end;
        self.closed.map(|_| JointForce { key: self.key(), dof, sign, force: self.force })
    }

    pub(super) fn key(&self) -> RowKey {
        LimitRow { joint: self.end.joint, side: self.end.side }.key()
    }
}
