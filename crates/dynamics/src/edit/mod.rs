//! Models made from models: locked joints, attached, extracted and re-rooted trees.
//!
//! Every edit takes the model apart into its links and the joints that carry them, changes that
//! list, and builds it anew, so that the result is validated like any other model. Links keep
//! their frames and their own inertia: what refers to links (geometries, frames) follows by
//! [`Edited::links`] alone. The algebra is that of one joint J about an axis a through c, seen from
//! another frame, and backwards:
//!
//! ```text
//!     X⁻¹ J(a, c) X = J(R⁻¹ a, X⁻¹ c)            scalar joints of every kind      (1)
//!     J(a, c; q)⁻¹ = J(−a, c; q)                 likewise: q, v and effort stay   (2)
//!     X J_ball(q)⁻¹ X⁻¹:  q' = r q* r⁻¹,  v' = −r R(q) v,  r that of X             (3)
//! ```

mod attach;
mod extract;
mod lock;
mod parts;
mod reroot;
#[cfg(test)]
mod tests;
mod tree;

pub use attach::attach;
pub use extract::{extract, remove};
pub use lock::lock_joints;
pub use reroot::reroot;
pub use tree::Tree;

use crate::build::ModelError;
use crate::frames::{Axes, frame_pose, frame_velocity};
use crate::kinematics::Kinematics;
use crate::model::{JointKind, Model};
use crate::spatial::{Pose, Quat, vec3};
use crate::velocity::Velocities;

/// How the root of a tree stands on the world.
#[derive(Clone, Debug, PartialEq)]
pub enum Base {
    /// Welded at X_WL.
    Fixed(Pose),
    /// By a free joint of this name; X_WL is its neutral configuration.
    Floating { joint: String, X_WL: Pose },
}

impl Base {
    fn pose(&self) -> Pose {
        match self {
            Self::Fixed(X_WL) | Self::Floating { X_WL, .. } => *X_WL,
        }
    }
}

/// Why a model cannot be edited.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum EditError {
    #[error("there is no {what} {index}; the model has {count}, counted from 0")]
    Index { what: &'static str, index: usize, count: usize },
    #[error("q has {found} numbers; the model has {expected} coordinates")]
    Size { found: usize, expected: usize },
    #[error("joint `{joint}` cannot be locked at {value}; expected finite numbers, a quaternion not zero")]
    Configuration { joint: String, value: String },
    #[error(
        "{what} `{name}` would be there twice; attach with a prefix that makes the names differ (now `{prefix}`)"
    )]
    Name { what: &'static str, name: String, prefix: String },
    #[error(
        "a model of {roots} links on the world cannot be attached by a joint; weld it, or extract one tree"
    )]
    Roots { roots: usize },
    #[error(
        "link `{link}` hangs on the world by joint `{joint}`, which would be lost; only a free or welded \
         root can be replaced: give the model a link that stands on the world below that joint"
    )]
    RootJoint { link: String, joint: String },
    #[error(transparent)]
    Model(#[from] ModelError),
}

/// A model made from another, and where the parts of that are now.
#[derive(Clone, Debug)]
pub struct Edited {
    pub model: Model,
    /// Per link of the old model: its index now; `None`: it is gone.
    pub links: Vec<Option<usize>>,
    /// Per body of the old model: the body that carries it now (`None`: the world), and the pose of
    /// the old body's frame in that; `None`: it is gone.
    pub bodies: Vec<Option<(Option<usize>, Pose)>>,
    /// Per joint of the old model: its index now; `None`: it is gone or locked.
    pub joints: Vec<Option<usize>>,
    /// Per joint of the old model: r of (3) if child and parent changed places. Coordinates and efforts
    /// of scalar joints stay as they were; those of a ball change, efforts like v.
    pub reversed: Vec<Option<Quat>>,
}

impl Edited {
    /// (q, v) of the edited model in which everything that is still there stands and moves as in the
    /// state (q, v) of `old`; joints that are new and scalar are at reference, at rest.
    ///
    /// A fixed base stands where it stands: then everything keeps its place relative to that.
    pub fn carry_state(&self, old: &Model, q: &[f64], v: &[f64]) -> (Vec<f64>, Vec<f64>) {
        assert_eq!((q.len(), v.len()), (old.nq, old.nv()), "(q, v) is a state of the old model");
        let (mut kin, mut vel) = (Kinematics::new(old), Velocities::new(old));
        kin.update(old, q);
        vel.update(old, &kin, v);
        let (mut q_new, mut v_new) = (self.model.neutral(), vec![0.0; self.model.nv()]);
        // Free joints from where the link they carry is; then whatever has a past.
        for (l, now) in self.links.iter().enumerate() {
            let Some(now) = now.map(|now| &self.model.links[now]) else { continue };
            let Some(joint) = now.body.map(|b| &self.model.joints[self.model.bodies[b].joints.start]) else {
                continue;
            };
            if joint.kind == JointKind::Free && now.X_BL == Pose::IDENTITY {
                let (X, V) = (frame_pose(old, &kin, l), frame_velocity(old, &kin, &vel, l, Axes::Aligned));
                let spin = X.rotation.conjugate().rotate(V.angular);
                let q = &mut q_new[joint.idx_q..joint.idx_q + 7];
                q[..3].copy_from_slice(&X.translation.to_array());
                q[3..].copy_from_slice(&X.rotation.to_array());
                let v = &mut v_new[joint.idx_v..joint.idx_v + 6];
                v[..3].copy_from_slice(&V.linear.to_array());
                v[3..].copy_from_slice(&spin.to_array());
            }
        }
        for (j, (now, reversed)) in self.joints.iter().zip(&self.reversed).enumerate() {
            let Some(now) = now.map(|now| &self.model.joints[now]) else { continue };
            let was = &old.joints[j];
            let (nq, nv) = (was.kind.nq(), was.kind.nv());
            let (q, v) = (&q[was.idx_q..was.idx_q + nq], &v[was.idx_v..was.idx_v + nv]);
            let (q_now, v_now) =
                (&mut q_new[now.idx_q..now.idx_q + nq], &mut v_new[now.idx_v..now.idx_v + nv]);
            q_now.copy_from_slice(q);
            v_now.copy_from_slice(v);
            if let (Some(r), JointKind::Ball) = (reversed, was.kind) {
                let turn = Quat::new(q[0], q[1], q[2], q[3]).renormalized();
                q_now.copy_from_slice(&(*r * turn.conjugate() * r.conjugate()).to_array());
                v_now.copy_from_slice(&(-(*r * turn).rotate(vec3(v[0], v[1], v[2]))).to_array());
            }
        }
        (q_new, v_new)
    }
}

fn check_link(model: &Model, link: usize) -> Result<(), EditError> {
    check_index("link", link, model.links.len())
}

fn check_index(what: &'static str, index: usize, count: usize) -> Result<(), EditError> {
    if index < count { Ok(()) } else { Err(EditError::Index { what, index, count }) }
}
