//! Joint limits, each a contact without friction of a joint with its stop.

use super::super::judged::JointForce;
use super::super::unsupported::UnsupportedByCanon;
use stiction_assembly::RowKey;
use stiction_dynamics::{JointKind, Model};
use stiction_models::World;

/// A side of the range of a joint.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stop {
    /// Index of the joint, and the end of its range: 0 the lower, 1 the upper.
    pub(super) joint: usize,
    pub(super) side: usize,
    pub(super) dof: usize,
    pub(super) tree: usize,
    coordinate: usize,
    at: f64,
    /// Direction of the force along the joint: 1 at the lower end, −1 at the upper.
    pub(super) sign: f64,
    /// The force of the choice of modes, if it is closed [N or N·m].
    pub(super) closed: Option<f64>,
    /// The force of the modes [N or N·m].
    pub(super) force: f64,
}

impl Stop {
    /// Every finite end of the range of a hinge, slide or screw; limits of ball joints are refused.
    pub(super) fn all(world: &World, stepper: &'static str) -> Result<Vec<Self>, UnsupportedByCanon> {
        let model: &Model = &world.model;
        let mut all = Vec::new();
        for (joint, spec) in model.joints.iter().enumerate() {
            let Some(range) = spec.limit else { continue };
            if matches!(spec.kind, JointKind::Ball | JointKind::Free) {
                let what = "limits of ball joints";
                return Err(UnsupportedByCanon::Part { stepper, what, name: spec.name.clone() });
            }
            let tree = model.bodies[spec.body].tree;
            let ends = range.into_iter().zip([1.0, -1.0]).enumerate().filter(|(_, (at, _))| at.is_finite());
            all.extend(ends.map(|(side, (at, sign))| Self {
                joint,
                side,
                dof: spec.idx_v,
                tree,
                coordinate: spec.idx_q,
                at,
                sign,
                closed: None,
                force: 0.0,
            }));
        }
        Ok(all)
    }

    /// The force of a closed stop, for the judge.
    pub(super) fn given(&self) -> Option<JointForce> {
        let Self { dof, sign, force, .. } = *self;
        self.closed.map(|_| JointForce { key: self.key(), dof, sign, force })
    }

    pub(super) fn key(&self) -> RowKey {
        RowKey::Limit { joint: self.joint, side: self.side }
    }

    /// Distance to the stop [m or rad].
    pub(super) fn gap(&self, q: &[f64]) -> f64 {
        self.sign * (q[self.coordinate] - self.at)
    }

    /// Rate of the gap [m/s or rad/s].
    pub(super) fn opening(&self, v: &[f64]) -> f64 {
        self.sign * v[self.dof]
    }

    /// Puts the joint on its stop.
    pub(super) fn close_gap(&self, q: &mut [f64]) {
        q[self.coordinate] = self.at;
    }
}
