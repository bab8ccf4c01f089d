//! Joints of URDF: one coordinate each, through the origin of the child.
//!
//! A body with several joints, or with one whose axis misses its origin, hangs on a chain of links without mass,
//! all parallel to it where its joints are at their references r:
//!
//! ```text
//!     X_PL(q) = X_PL0 ∏ J_k(q_k − r_k),   J_k about an axis through the point a_k of L
//!             = (X_PL0 T(a₁) R₁(−r₁)) R₁(q₁) · (T(a₂ − a₁) R₂(−r₂)) R₂(q₂) … · T(−a_n)          (1)
//! ```
//!
//! so that every coordinate keeps its meaning. A ball is three hinges, about x, y and z; a screw is a slide that
//! mimics a hinge.

use super::Notes;
use stiction_dynamics::spatial::{Pose, Quat, Vec3};
use stiction_dynamics::{Joint, JointKind, Model};
use stiction_world::DriveLimit;

/// Stands for no limit where the format wants one.
pub(crate) const UNBOUNDED: f64 = 1e10;

#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Kind {
    Revolute,
    Continuous,
    Prismatic,
    Fixed,
    Floating,
}

impl Kind {
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Revolute => "revolute",
            Self::Continuous => "continuous",
            Self::Prismatic => "prismatic",
            Self::Fixed => "fixed",
            Self::Floating => "floating",
        }
    }
}

/// A joint as URDF says it.
pub(crate) struct Step {
    pub(crate) name: String,
    pub(crate) kind: Kind,
    /// Pose in the link before.
    pub(crate) X: Pose,
    pub(crate) axis: Vec3,
    pub(crate) limit: Option<[f64; 2]>,
    pub(crate) drive: DriveLimit,
    /// Joint of the model whose losses, spring and rotor it has.
    pub(crate) of: Option<usize>,
    /// Name and multiplier of the joint it follows.
    pub(crate) mimic: Option<(String, f64)>,
}

impl Step {
    fn fixed(name: String, X: Pose) -> Self {
        let (axis, drive) = (Vec3::Z, DriveLimit::default());
        Self { name, kind: Kind::Fixed, X, axis, limit: None, drive, of: None, mimic: None }
    }
}

/// (1): from the parent at X_PL to the link called `link`; the last step ends in the link itself.
pub(crate) fn chain(
    (model, names): (&Model, &[String]),
    limits: &[DriveLimit],
    (link, X_PL, joints): (&str, Pose, &[usize]),
    notes: &mut Notes,
) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    // The frame that the last joint ends in, in the axes of the link at its references.
    let (mut X, mut at) = (X_PL, Vec3::ZERO);
    for &j in joints {
        let joint = &model.joints[j];
        let (name, drive) = (names[j].clone(), limits.get(joint.idx_v).copied().unwrap_or_default());
        if model.dofs[joint.idx_v].rate.is_some() {
            notes.note("URDF has no prescribed rates", &name);
        }
        let mut push = |name: String, kind, anchor: Option<Vec3>, axis: Vec3, back: Pose| {
            let anchor = anchor.unwrap_or(at);
            let X = std::mem::replace(&mut X, Pose::IDENTITY) * Pose::from_translation(anchor - at) * back;
            at = anchor;
            let step = Step { name, kind, X, axis, limit: None, drive, of: Some(j), mimic: None };
            steps.push(step);
        };
        let turned_back = || Pose::new(Quat::from_axis_angle(joint.axis, -joint.reference), Vec3::ZERO);
        match joint.kind {
            JointKind::Free => {
                push(name, Kind::Floating, None, Vec3::Z, Pose::IDENTITY);
            }
            JointKind::Hinge => {
                let kind = if joint.limit.is_some() { Kind::Revolute } else { Kind::Continuous };
                push(name, kind, Some(joint.anchor), joint.axis, turned_back());
                last_limit(&mut steps, joint);
            }
            JointKind::Slide => {
                let back = Pose::from_translation(joint.axis * -joint.reference);
                push(name, Kind::Prismatic, None, joint.axis, back);
                last_limit(&mut steps, joint);
            }
            JointKind::Screw => {
                notes.note("screws are a hinge and a slide that mimics it now", &name);
                let kind = if joint.limit.is_some() { Kind::Revolute } else { Kind::Continuous };
                push(name.clone(), kind, Some(joint.anchor), joint.axis, turned_back());
                let back = Pose::from_translation(joint.axis * (-joint.pitch * joint.reference));
                push(format!("{name}_travel"), Kind::Prismatic, Some(joint.anchor), joint.axis, back);
                last_limit_of(&mut steps, 2, joint);
                if let Some(travel) = steps.last_mut() {
                    (travel.mimic, travel.of) = (Some((name, joint.pitch)), None);
                }
            }
            JointKind::Ball => {
                notes.note("ball joints are three hinges now, about x, y and z: other coordinates", &name);
                if joint.limit.is_some() {
                    notes.note("the limit of a ball joint's angle is left out", &name);
                }
                for (axis, letter) in [(Vec3::X, "x"), (Vec3::Y, "y"), (Vec3::Z, "z")] {
                    push(
                        format!("{name}_{letter}"),
                        Kind::Continuous,
                        Some(joint.anchor),
                        axis,
                        Pose::IDENTITY,
                    );
                }
            }
        }
    }
    if steps.is_empty() || at != Vec3::ZERO {
        let X = X * Pose::from_translation(-at);
        steps.push(Step::fixed(format!("{link}_joint"), X));
    }
    steps
}

fn last_limit(steps: &mut [Step], joint: &Joint) {
    last_limit_of(steps, 1, joint);
}

/// Gives the step `back` from the end the limit of `joint`.
fn last_limit_of(steps: &mut [Step], back: usize, joint: &Joint) {
    if let Some(step) = steps.len().checked_sub(back).and_then(|i| steps.get_mut(i)) {
        step.limit = joint.limit;
    }
}
